"""Notices on standard error that tests ignore."""

from __future__ import annotations

NOTICE = "compiling code that is used for the first time: some seconds, only once"
"""The notice of a compilation; whether it appears depends on what earlier tests have left in the cache."""


def without_notice(error: str) -> str:
    """Return standard error as it is when everything is already compiled."""
    return "".join(line for line in error.splitlines(keepends=True) if line.rstrip() != NOTICE)
