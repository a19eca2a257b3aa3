"""What a person types to find individuals, and how lists are ordered.

Words, and conditions on columns such as ``points>=20 origin=mutated``; ``parents~Gen14`` finds texts that contain it.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")
Value = float | str | None
TITLES = {"won": "wins", "drawn": "draws", "lost": "losses", "gen": "generation", "from": "source"}
"""Columns by the word that heads them on the screen, where it is another one."""

_CONDITION = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\.?(>=|<=|!=|=|<|>|~)(.*)")
_NUMBERS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True)
class Condition:
    """One condition on a column."""

    column: str
    sign: str
    wanted: str

    def holds(self, value: Value) -> bool:
        """Whether a value fulfils it. Texts are compared without regard to case; nothing fulfils only ``!=``."""
        if value is None:
            return self.sign == "!="
        if self.sign == "~":
            return isinstance(value, str) and self.wanted.lower() in value.lower()
        if isinstance(value, str):
            return _NUMBERS[self.sign](value.lower(), self.wanted.lower())
        number = number_of(self.wanted)
        return number is not None and _NUMBERS[self.sign](value, number)


@dataclass(frozen=True)
class Query:
    """What rows must have.

    Attributes:
        words: in small letters, each of which stands somewhere in the row.
        conditions: each of which holds.
        trouble: what cannot be understood; empty if all can.
    """

    words: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    trouble: str = ""

    @property
    def empty(self) -> bool:
        """Whether every row fits."""
        return not self.words and not self.conditions

    def fits(self, value: Callable[[str], Value], text: Callable[[], str]) -> bool:
        """Whether a row fits, which knows its value in a column, and all that words are looked for in."""
        if not all(condition.holds(value(condition.column)) for condition in self.conditions):
            return False
        if not self.words:
            return True
        told = text()
        return all(word in told for word in self.words)


def number_of(text: str) -> float | None:
    """A number that a person typed; None if it is none."""
    try:
        return float(text.replace("−", "-"))
    except ValueError:
        return None


def read(text: str, columns: Collection[str], texts: Iterable[str] = ()) -> Query:
    """Understand what was typed.

    Args:
        text: words and conditions, separated by spaces.
        columns: there are.
        texts: those of them that hold texts; others hold numbers.
    """
    words, conditions = [], []
    for part in text.split():
        found = _CONDITION.fullmatch(part)
        if found is None:
            words.append(part.lower())
            continue
        column, sign, wanted = found.group(1).lower(), found.group(2), found.group(3)
        column = TITLES[column] if column not in columns and TITLES.get(column) in columns else column
        if column not in columns:
            known = [name for name in columns if not name[-1].isdigit()]  # among weights all are near
            known += [title for title, name in TITLES.items() if name in columns]
            near = difflib.get_close_matches(column, known, 1)
            return Query(trouble=f"There is no column {column}{f', did you mean {near[0]}?' if near else '.'}")
        if sign == "~" and column not in texts:
            return Query(trouble=f"{column} holds numbers: compare it with =, < or >.")
        if not wanted or (column not in texts and number_of(wanted) is None):
            kind = "a text" if column in texts else "a number"
            return Query(trouble=f"{column}{sign}: expected {kind} behind it.")
        conditions.append(Condition(column, sign, wanted))
    return Query(tuple(words), tuple(conditions))


def in_order(valued: Iterable[tuple[Value, T]], *, descending: bool) -> list[T]:
    """Things with their values, sorted by these; equal ones stay as they are, those without a value come last."""
    known, unknown = [], []
    for value, thing in valued:
        if value is None:
            unknown.append(thing)
        else:
            known.append((_key(value), thing))
    known.sort(key=operator.itemgetter(0), reverse=descending)
    return [thing for _, thing in known] + unknown


def _key(value: float | str) -> tuple[bool, float | str]:
    return (True, value.lower()) if isinstance(value, str) else (False, value)
