"""The language in which people search lists of individuals, and the order of lists.

A search consists of words and of conditions on columns, such as ``points>=20 origin=mutated``; ``parents~Gen14`` looks
for part of a text.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from gui.individuals.columns import LIST_COLUMNS, Value, column_of

T = TypeVar("T")

_CONDITION = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\.?(>=|<=|!=|=|<|>|~)(.*)")
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True)
class Condition:
    """A condition on a column."""

    column: str
    sign: str
    wanted: str

    def holds(self, value: Value) -> bool:
        """Return whether a value meets the condition; case does not matter, and an absent value meets only ``!=``."""
        if value is None:
            return self.sign == "!="
        if self.sign == "~":
            return isinstance(value, str) and self.wanted.lower() in value.lower()
        if isinstance(value, str):
            return _SIGNS[self.sign](value.lower(), self.wanted.lower())
        number = number_of(self.wanted)
        return number is not None and _SIGNS[self.sign](value, number)


@dataclass(frozen=True)
class Query:
    """A search.

    Attributes:
        words: in lower case; a row must contain all of them.
        conditions: a row must meet all of them.
        trouble: what is wrong with the text; empty if it is sound.
    """

    words: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    trouble: str = ""

    @property
    def empty(self) -> bool:
        """True if every row fits."""
        return not self.words and not self.conditions

    def fits(self, value: Callable[[str], Value], text: Callable[[], str]) -> bool:
        """Return whether a row fits, given functions for its value in a column and for its searchable text."""
        if not all(condition.holds(value(condition.column)) for condition in self.conditions):
            return False
        if not self.words:
            return True
        searched = text()
        return all(word in searched for word in self.words)


def number_of(text: str) -> float | None:
    """Return a number as a person types it, or None."""
    try:
        return float(text.replace("−", "-"))
    except ValueError:
        return None


def read(text: str, columns: Collection[str]) -> Query:
    """Parse a search of a list with these columns, which may also be named by their headings."""
    words, conditions = [], []
    by_heading = {column.title.lower().rstrip("."): name for name, column in LIST_COLUMNS.items()}
    for part in text.split():
        match = _CONDITION.fullmatch(part)
        if match is None:
            words.append(part.lower())
            continue
        column, sign, wanted = match.group(1).lower(), match.group(2), match.group(3)
        if column not in columns and by_heading.get(column) in columns:
            column = by_heading[column]
        if column not in columns:
            known = [name for name in columns if not name[-1].isdigit()]  # every weight has a similar name
            known += [heading for heading, name in by_heading.items() if name in columns and heading != name]
            near = difflib.get_close_matches(column, known, 1)
            return Query(trouble=f"There is no column {column}{f', did you mean {near[0]}?' if near else '.'}")
        is_text = column_of(column).text
        if sign == "~" and not is_text:
            return Query(trouble=f"{column} holds numbers: compare it with =, < or >.")
        if not wanted or (not is_text and number_of(wanted) is None):
            return Query(trouble=f"{column}{sign}: expected {'a text' if is_text else 'a number'} after it.")
        conditions.append(Condition(column, sign, wanted))
    return Query(tuple(words), tuple(conditions))


def in_order(valued: Iterable[tuple[Value, T]], *, descending: bool) -> list[T]:
    """Sort things by their values, stably; things without a value come last."""
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
