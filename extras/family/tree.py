"""The family tree as lines: a line is a generation, or several in which nothing changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from evolve.report.ancestry import Ancestor, Descent
from evolve.run.row_index import Head

LEAST_SAME = 2
"""If nothing changes in at least this number of successive generations, they share a line."""

Place = tuple[int, str]
"""Generation and name."""


class LineKind(Enum):
    CHILDREN = auto()
    MEMBERS = auto()
    SAME = auto()
    END = auto()


@dataclass(frozen=True)
class TreeLine:
    """A line of a tree.

    Attributes:
        generation: the generation of its members; the newest if it represents several.
        last: the oldest generation that it represents.
        links: parents of each member, in the next line that has members.
    """

    kind: LineKind
    generation: int
    last: int
    members: tuple[Ancestor, ...] = ()
    links: dict[str, tuple[str, ...]] = field(default_factory=dict)
    text: str = ""

    @property
    def around_mean(self) -> bool:
        """True if its members are made from the first one, the mean of its generation."""
        return bool(self.members) and self.members[0].is_mean

    def index(self, name: str) -> int:
        """Return the place of a member from the left; -1 if it is not in this line."""
        return next((at for at, member in enumerate(self.members) if member.name == name), -1)


class Tree:
    """The lines of a family.

    Attributes:
        shared: whether a line may have several members with a share in the individual.
    """

    def __init__(self, descent: Descent, children: Sequence[Head], *, whole: bool = False) -> None:
        self.ranked = descent.method != "learnt"
        self.shared = not descent.is_line
        root = next(member for member in descent.rows[0] if member.share == 1 or len(descent.rows[0]) == 1)
        self.root: Place = descent.generation, root.name
        self.lines = _lines(descent, children, whole=whole)
        self._at: dict[int, int] = {line.generation: number for number, line in enumerate(self.lines) if line.members}

    def line_of(self, place: Place) -> int:
        """Return the number of the line that has a member at a place, or -1."""
        number = self._at.get(place[0], -1)
        return number if number >= 0 and self.lines[number].index(place[1]) >= 0 else -1

    def member(self, place: Place) -> Ancestor | None:
        number = self.line_of(place)
        return None if number < 0 else self.lines[number].members[self.lines[number].index(place[1])]

    def _next(self, number: int, step: int) -> int:
        number += step
        while 0 <= number < len(self.lines) and not self.lines[number].members:
            number += step
        return number if 0 <= number < len(self.lines) else -1

    def below(self, place: Place) -> list[Place]:
        """Return the places of the parents; for a mean, the previous mean and then the individuals it is made from."""
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
        """Return the places of the children in the tree; around a mean, the next mean."""
        number = self.line_of(place)
        before = self._next(number, -1)
        if number < 0 or before < 0:
            return []
        line = self.lines[before]
        if line.around_mean:
            return [(line.generation, line.members[0].name)]
        names = (member.name for member in line.members)
        return [(line.generation, name) for name in names if place[1] in line.links.get(name, ())]

    def move(self, place: Place, key: str, page: int = 8) -> Place:
        """Return the place that a key leads to: down to a parent, up to a child, or sideways; else the same place."""
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
        """Return the relative that is drawn nearest to a place; the first one if two are equally near."""

        def across(at: Place) -> float:
            line = self.lines[self.line_of(at)]
            return (line.index(at[1]) + 0.5) / len(line.members)

        if self.lines[self.line_of(place)].around_mean:
            return relatives[0]
        here = across(place)
        return min(relatives, key=lambda at: abs(across(at) - here))


def _lines(descent: Descent, children: Sequence[Head], *, whole: bool) -> list[TreeLine]:
    lines, rows, at = [], descent.rows, 0
    if children:
        name = next(member.name for member in rows[0] if member.share == 1 or len(rows[0]) == 1)
        number, is_mean = descent.generation + 1, rows[0][0].is_mean
        members = tuple(Ancestor(number, child.name, child, is_mean=is_mean) for child in children)
        links: dict[str, tuple[str, ...]] = {member.name: (name,) for member in children}
        lines.append(TreeLine(LineKind.CHILDREN, number, number, members, links))
    while at < len(rows):
        number = descent.generation - at
        same = 0
        while at and at + same < len(rows) - 1 and all(member.only_survived for member in rows[at + same]):
            same += 1
        if same >= LEAST_SAME and not whole:
            text = f"{number - same + 1:,} to {number:,}: nothing changed"
            lines.append(TreeLine(LineKind.SAME, number, number - same + 1, text=text))
            at += same
            number -= same
        links = {member.name: _through(rows, at, member, whole=whole) for member in rows[at]}
        lines.append(TreeLine(LineKind.MEMBERS, number, number, tuple(rows[at]), links))
        at += 1
    number = descent.generation - len(rows) + 1
    if number > 0 or number in descent.lost:
        text = descent.lost.get(number) or "Earlier ancestors are unknown: the files do not contain them."
        lines.append(TreeLine(LineKind.END, number - 1, number - 1, text=text))
    return lines


def _through(rows: Sequence[Sequence[Ancestor]], at: int, member: Ancestor, *, whole: bool) -> tuple[str, ...]:
    same = 0
    while at + 1 + same < len(rows) - 1 and all(ancestor.only_survived for ancestor in rows[at + 1 + same]):
        same += 1
    names = member.parents
    for row in rows[at + 1 : at + 1 + same] if same >= LEAST_SAME and not whole else ():
        before = {ancestor.name: ancestor.parents[0] for ancestor in row}
        names = tuple(before[name] for name in names)
    return names
