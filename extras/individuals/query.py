"""The language in which people search lists of individuals, and the order of lists.

A search consists of words and of conditions on columns, such as ``points>=20 origin=mutated``; ``parents~Gen14`` looks
for part of a text.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from extras.individuals.columns import LIST_COLUMNS, Value

T = TypeVar("T")

_CONDITION = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\.?(>=|<=|!=|=|<|>|~)(.*)")
_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
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
    """A search: a row must have all words, and meet all conditions."""

    words: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    trouble: str = ""

    @property
    def empty(self) -> bool:
        return not self.words and not self.conditions

    @cached_property
    def _finders(self) -> list[Callable[[str], object]]:
        return list(map(_finder, self.words))

    def misses(self, value: Callable[[str], Value], texts: Callable[[], Sequence[str]]) -> int | None:
        """Return how far a row is from the search, 0 for the best rows; None if it does not fit.

        Args:
            texts: returns the searchable texts of the row in lower case, the most important one first.
        """
        if not all(condition.holds(value(condition.column)) for condition in self.conditions):
            return None
        searched = texts() if self.words else ()
        places = [next((at for at, text in enumerate(searched) if find(text)), None) for find in self._finders]
        return None if None in places else sum(filter(None, places))


def _finder(word: str) -> Callable[[str], object]:
    """Return a function that looks for a word in a text; numbers without leading zeros must be whole."""
    if word.isdecimal() and (word[0] != "0" or word == "0"):
        return re.compile(rf"(?<![0-9])0*{word}(?![0-9])").search
    return lambda text: word in text


def number_of(text: str) -> float | None:
    try:
        return float(text.replace("−", "-"))
    except ValueError:
        return None


def read(text: str) -> Query:
    columns = {column.title.lower().rstrip("."): name for name, column in LIST_COLUMNS.items()}
    columns |= {name: name for name in LIST_COLUMNS}
    words, conditions = list[str](), []
    for part in text.split():
        match = _CONDITION.fullmatch(part)
        if match is None:
            words.append(_COMMA.sub("", part.lower()))
            continue
        label, sign, wanted = match.group(1).lower(), match.group(2), match.group(3)
        if label not in columns:
            near = difflib.get_close_matches(label, columns, 1)
            return Query(trouble=f"There is no column {label}{f', did you mean {near[0]}?' if near else '.'}")
        column = columns[label]
        is_text = LIST_COLUMNS[column].text
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
