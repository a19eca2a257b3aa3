"""Numbers with their nouns: those that can be 1 are written by `count_text` and its like, never with a fixed plural."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.cases import for_each

ROOT = Path(__file__).parents[1]

PLURALS = re.compile(
    r" (games|moves|plies|generations|individuals|players|runs|weights|mistakes|positions|workers|seeds|files|members|"
    r"points|drills|wins|draws|losses|lines|rows|columns|opponents|tables|pieces|matches|ballots|openings|seconds|"
    r"minutes|hours|days|units|cells|settings|notes|squares|kings|men|errors|faults|parents|children|founders|levels|"
    r"samples|pairs|visits|nodes|results|branches|champions)\b"
)

NEVER_ONE = {
    "MOST_GAMES", "MOST_ENTRIES", "MOST_DEPTH", "MOST_SECONDS", "DELAYS[1]",  # limits
    "len(CHAIN)", "len(marked)", "series",  # several
    "count",  # parents of a mean
    "mistakes", "abs(men)",  # with decimals: "1.0 mistakes a game"
    "tables.pieces", "men", "len(weights)",
    "SIDE_NAME[self.winner]", "side", "winner", "screen.side_name(0)",  # no numbers: "Black wins"
    "', '.join(chooser.suffixes)",
}  # fmt: skip
"""Expressions before plurals that are never 1, or are no numbers."""


def fixed_plurals(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the expression of each value of an f-string that is followed by a plural."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                number = isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant)
                if number and PLURALS.match(str(after.value)):
                    yield node.lineno, ast.unparse(value.value)


@for_each("path", sorted((ROOT / "gui").rglob("*.py")))
def test_no_number_has_a_fixed_plural(path: Path) -> None:
    results = [each for each in fixed_plurals(path.read_text(encoding="utf-8")) if each[1] not in NEVER_ONE]
    assert results == []
