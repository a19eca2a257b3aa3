"""A family as lines of a picture: a line is a generation, or several in which nothing changes. No pygame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from evolve.report.ancestry import Ancestor, Descent
from evolve.run.row_index import Head

LEAST_SAME = 2
"""Generations in which nothing changes that are one line; of fewer each has its own."""

Place = tuple[int, str]
"""Generation and name."""


class LineKind(Enum):
    """What a line shows."""

    CHILDREN = auto()
    MEMBERS = auto()
    SAME = auto()
    END = auto()


@dataclass(frozen=True)
class Line:
    """A line of a tree.

    Attributes:
        kind: what it shows.
        generation: of its members; of several generations the newest.
        last: the oldest of them.
        members: individuals from left to right.
        links: of each member those in the next line with members that it comes from.
        text: of a line without members, what it says.
    """

    kind: LineKind
    generation: int
    last: int
    members: tuple[Ancestor, ...] = ()
    links: dict[str, tuple[str, ...]] = field(default_factory=dict)
    text: str = ""

    @property
    def around_mean(self) -> bool:
        """Whether its members are made from the first one, the mean of its generation."""
        return bool(self.members) and self.members[0].is_mean

    def index(self, name: str) -> int:
        """Where somebody stands; -1 if not here."""
        return next((at for at, each in enumerate(self.members) if each.name == name), -1)


class Tree:
    """The lines of a family.

    Args:
        descent: of the individual.
        children: of the individual, in the generation after it.
        whole: whether generations in which nothing changes have lines, too.

    Attributes:
        lines: from children down to founders.
        root: where the individual stands.
        ranked: whether more than one plays in a generation.
        shared: whether more than one in a line has given something.
    """

    def __init__(self, descent: Descent, children: Sequence[Head], *, whole: bool = False) -> None:
        self.ranked = descent.method != "learnt"
        self.shared = not descent.is_line
        root = next(each for each in descent.rows[0] if each.share == 1 or len(descent.rows[0]) == 1)
        self.root: Place = descent.generation, root.name
        self.lines = _lines(descent, children, whole=whole)
        self._at: dict[int, int] = {line.generation: number for number, line in enumerate(self.lines) if line.members}

    def line_of(self, place: Place) -> int:
        """Number of the line in which somebody stands, -1 if in none."""
        number = self._at.get(place[0], -1)
        return number if number >= 0 and self.lines[number].index(place[1]) >= 0 else -1

    def member(self, place: Place) -> Ancestor | None:
        """Who stands there."""
        number = self.line_of(place)
        return None if number < 0 else self.lines[number].members[self.lines[number].index(place[1])]

    def _next(self, number: int, step: int) -> int:
        """The next line with members; -1 if there is none."""
        number += step
        while 0 <= number < len(self.lines) and not self.lines[number].members:
            number += step
        return number if 0 <= number < len(self.lines) else -1

    def below(self, place: Place) -> list[Place]:
        """Whom somebody comes from; around a mean the one before it first, then those that it is made of."""
        number = self.line_of(place)
        after = self._next(number, 1)
        if number < 0 or after < 0:
            return []
        line, next_line = self.lines[number], self.lines[after]
        names = line.links.get(place[1], ())
        if line.around_mean:
            first, made_of = next_line.members[0].name, line.links.get(line.members[0].name, ())
            names = (first, *(name for name in made_of if name != first)) if next_line.around_mean else made_of
        return [(next_line.generation, name) for name in names]

    def above(self, place: Place) -> list[Place]:
        """Who of the tree comes from somebody; around a mean the one after it."""
        number = self.line_of(place)
        before = self._next(number, -1)
        if number < 0 or before < 0:
            return []
        line = self.lines[before]
        if line.around_mean:
            return [(line.generation, line.members[0].name)]
        return [(line.generation, each.name) for each in line.members if place[1] in line.links.get(each.name, ())]

    def move(self, place: Place, key: str, page: int = 8) -> Place:
        """Where an arrow key leads: down to a parent, up to a child, to the sides; else where it was."""
        number = self.line_of(place)
        if number < 0:
            return self.root
        line = self.lines[number]
        at = line.index(place[1])
        if key in ("left", "right"):
            to = min(max(at + (1 if key == "right" else -1), 0), len(line.members) - 1)
            return line.generation, line.members[to].name
        if key == "home":
            return self.root
        steps = {"down": 1, "up": -1, "pagedown": page, "pageup": -page, "end": len(self.lines)}.get(key, 0)
        for _ in range(abs(steps)):
            relatives = self.below(place) if steps > 0 else self.above(place)
            if not relatives:
                break
            place = self._nearest(place, relatives)
        return place

    def _nearest(self, place: Place, relatives: Sequence[Place]) -> Place:
        """Of relatives in one line the one that stands nearest to somebody, the first of two."""

        def share(each: Place) -> float:
            line = self.lines[self.line_of(each)]
            return (line.index(each[1]) + 0.5) / len(line.members)

        if self.lines[self.line_of(place)].around_mean:
            return relatives[0]
        here = share(place)
        return min(relatives, key=lambda each: abs(share(each) - here))


def _lines(descent: Descent, children: Sequence[Head], *, whole: bool) -> list[Line]:
    lines, rows, at = [], descent.rows, 0
    if children:
        name = next(each.name for each in rows[0] if each.share == 1 or len(rows[0]) == 1)
        number, is_mean = descent.generation + 1, rows[0][0].is_mean
        members = tuple(Ancestor(number, each.name, each, is_mean=is_mean) for each in children)
        links: dict[str, tuple[str, ...]] = {each.name: (name,) for each in children}
        lines.append(Line(LineKind.CHILDREN, number, number, members, links))
    while at < len(rows):
        number = descent.generation - at
        same = 0
        while at and at + same < len(rows) - 1 and all(each.only_survived for each in rows[at + same]):
            same += 1
        if same >= LEAST_SAME and not whole:
            text = f"{number - same + 1:,} to {number:,}: nothing changed"
            lines.append(Line(LineKind.SAME, number, number - same + 1, text=text))
            at += same
            number -= same
        links = {each.name: _through(rows, at, each, whole=whole) for each in rows[at]}
        lines.append(Line(LineKind.MEMBERS, number, number, tuple(rows[at]), links))
        at += 1
    number = descent.generation - len(rows) + 1
    if number > 0 or number in descent.lost:
        text = descent.lost.get(number) or "Further back nobody is known: the files do not hold these names."
        lines.append(Line(LineKind.END, number - 1, number - 1, text=text))
    return lines


def _through(rows: Sequence[Sequence[Ancestor]], at: int, member: Ancestor, *, whole: bool) -> tuple[str, ...]:
    """Those in the next line that has members whom somebody comes from."""
    same = 0
    while at + 1 + same < len(rows) - 1 and all(each.only_survived for each in rows[at + 1 + same]):
        same += 1
    names = member.parents
    for row in rows[at + 1 : at + 1 + same] if same >= LEAST_SAME and not whole else ():
        before = {each.name: each.parents[0] for each in row}
        names = tuple(before[name] for name in names)
    return names
