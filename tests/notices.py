"""What tests of standard error leave out."""

from __future__ import annotations

import re

NOTICE = re.compile(r"compiling [\w ,'-]+( \((\d+ of \d+; )?only the first time\)| during the first games)")
"""Said of each part that has to be compiled, which depends on what earlier tests have left in the cache."""


def without_notice(error: str) -> str:
    return "".join(line for line in error.splitlines(keepends=True) if not NOTICE.fullmatch(line.rstrip()))
