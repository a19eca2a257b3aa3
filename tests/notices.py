"""What tests of standard error leave out."""

from __future__ import annotations

NOTICE = "compiling code that is used for the first time: some seconds, only once"
"""Said once where something has to be compiled, which depends on what earlier tests have left in the cache."""


def without_notice(error: str) -> str:
    """Standard error as it is when everything was compiled before."""
    return "".join(line for line in error.splitlines(keepends=True) if line.rstrip() != NOTICE)
