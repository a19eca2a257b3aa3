"""The rows of a family: generations with the ancestors that contributed most, or the turning points of a path."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evolve.report.ancestry import Pedigree
    from evolve.run.row_index import Head
    from gui.evolving.games import Change

LEAST_SHARE = 0.05
"""Ancestors with a smaller share are left out."""

MOST_TURNS = 5
LEAST_BEND = 0.1
"""Least distance of a turning point from the straight way, as a share of the length of this way."""

Place = tuple[int, str]
"""Generation and name."""


@dataclass(frozen=True)
class FamilyMember:
    """The individual whose family it is, or one of its ancestors.

    Attributes:
        fact: its row without weights; None if the file lacks it or cannot be read.
        share: share of the individual that goes back to it.
        links: places in the next row, with the share of the individual that goes back to them through this member.
    """

    generation: int
    name: str
    fact: Head | None
    share: float = 1.0
    links: tuple[tuple[int, float], ...] = ()

    @property
    def place(self) -> Place:
        return self.generation, self.name


@dataclass(frozen=True)
class Row:
    """Ancestors of one generation, the newest first.

    Attributes:
        turn: angle in degrees by which a path turns here; 0 if unknown.
        change: what is new in the play here; None if nothing is for sure.
    """

    members: tuple[FamilyMember, ...]
    turn: int = 0
    change: Change | None = None

    @property
    def generation(self) -> int:
        return self.members[0].generation


def bred_rows(pedigree: Pedigree, generation: int, levels: Sequence[dict[str, float]]) -> tuple[Row, ...]:
    """Return the ancestors of an individual, in generations that are the further apart the older they are.

    Args:
        levels: all ancestors with their shares (`Pedigree.levels`).
    """
    shown = [{name: share for name, share in level.items() if share > LEAST_SHARE} for level in levels]
    shown = [large or dict([max(level.items(), key=itemgetter(1))]) for large, level in zip(shown, levels, strict=True)]

    def is_new(back: int) -> bool:
        facts = (pedigree.find(generation - back, name) for name in shown[back])
        return any(fact is None or fact.origin != "survivor" for fact in facts)

    backs = [0, *(back for back in range(1, len(levels) - 1) if is_new(back))]
    backs = [backs[at] for at in _growing_steps(len(backs))]
    if len(levels) > 1:
        backs.append(len(levels) - 1)
    rows, names = [], [*shown[0]]
    for back, older in pairwise([*backs, backs[-1]]):
        flows = [_flow(pedigree, generation, levels, name, back, older) for name in names]
        below = [] if older == back else sorted(shown[older], key=partial(_middle, flows))
        links: list[list[tuple[int, float]]] = [[] for _ in names]
        for to, name in enumerate(below):
            parts = [flow.get(name, 0.0) for flow in flows]
            shares = [part * levels[older][name] / (sum(parts) or 1.0) for part in parts]
            for at, share in enumerate(shares):
                if share > LEAST_SHARE or share == max(shares):
                    links[at].append((to, share))
        members = [
            FamilyMember(
                generation - back, name, pedigree.find(generation - back, name), levels[back][name], tuple(own)
            )
            for name, own in zip(names, links, strict=True)
        ]
        rows.append(Row(tuple(members)))
        names = below
    return tuple(rows)


def _growing_steps(length: int) -> list[int]:
    """Return the indexes 0, 1, 2, 3, 5, 8, 13 and so on below a length."""
    indexes, step, after = [0], 1, 2
    while step < length:
        indexes.append(step)
        step, after = after, step + after
    return indexes


def _flow(
    pedigree: Pedigree, generation: int, levels: Sequence[dict[str, float]], name: str, back: int, older: int
) -> dict[str, float]:
    """Return the shares that go back from a member to an earlier generation, if parents contribute equally."""
    flow = {name: levels[back][name]}
    for here in range(back, older):
        before: dict[str, float] = {}
        for each, share in flow.items():
            fact = pedigree.find(generation - here, each)
            parents = [parent for parent in fact.parents if parent in levels[here + 1]] if fact else []
            for parent in parents:
                before[parent] = before.get(parent, 0.0) + share / len(parents)
        flow = before
    return flow


def _middle(flows: Sequence[dict[str, float]], name: str) -> float:
    """Return the mean place of the members above that go back to one, so that few lines cross."""
    total = sum(flow.get(name, 0.0) for flow in flows)
    return sum(at * flow.get(name, 0.0) for at, flow in enumerate(flows)) / total if total else 0.0


def turning_points(points: NDArray[np.float64]) -> dict[int, int]:
    """Return where the direction of a path changes most, with the angle in degrees.

    Source: Douglas, Peucker, Algorithms for the reduction of the number of points required to represent a digitized
    line or its caricature (1973).

    Args:
        points: float64 of shape (points, weights).

    Returns:
        At most `MOST_TURNS` indexes of points, without the first and the last one, with the angle of each.
    """
    import numpy as np

    ends, least = [0, len(points) - 1], LEAST_BEND * float(np.linalg.norm(points[-1] - points[0]))
    while len(ends) < MOST_TURNS + 2:
        far, at = max(_farthest(points, *ends_of) for ends_of in pairwise(ends))
        if far <= least:
            break
        ends = sorted([*ends, at])
    ways = [points[after] - points[before] for before, after in pairwise(ends)]
    cosines = [one @ other / max(np.linalg.norm(one) * np.linalg.norm(other), 1e-12) for one, other in pairwise(ways)]
    return {at: round(np.degrees(np.arccos(min(cosine, 1.0)))) for at, cosine in zip(ends[1:-1], cosines, strict=True)}


def _farthest(points: NDArray[np.float64], first: int, last: int) -> tuple[float, int]:
    """Return the greatest distance of a point between two others from the straight way, and its index."""
    import numpy as np

    way, rest = points[last] - points[first], points[first : last + 1] - points[first]
    along = np.clip(rest @ way / max(float(way @ way), 1e-12), 0, 1)
    distances = np.linalg.norm(rest - along[:, None] * way, axis=1)
    at = int(np.argmax(distances))
    return float(distances[at]), first + at


def deviations(points: NDArray[np.float64]) -> list[float]:
    """Return for each point of a path how far it strays from the straight way, from -1 to 1.

    It is measured along the direction in which the path strays most.
    """
    import numpy as np

    rest = points - points[0]
    way = rest[-1]
    rest = rest - np.outer(rest @ way / max(float(way @ way), 1e-12), way)
    values, vectors = np.linalg.eigh(rest @ rest.T)
    places = vectors[:, -1] * np.sqrt(max(values[-1], 0.0))
    furthest = places[np.argmax(np.abs(places))]
    return (places / furthest).tolist() if furthest else [0.0] * len(points)


def path_rows(
    pedigree: Pedigree, champions: Sequence[str], turns: Mapping[int, int], more: Collection[int]
) -> tuple[Row, ...]:
    """Return the turning points of a path as rows, with its end and its beginning.

    Args:
        champions: names of the first individuals, by generation.
        turns: generations where the direction changes, with the angles.
        more: generations where the play changes.
    """
    last = len(champions) - 1
    numbers = sorted({0, last, *turns, *more}, reverse=True)
    return tuple(
        Row(
            (
                FamilyMember(
                    number,
                    champions[number],
                    pedigree.find(number, champions[number]),
                    links=((0, 1.0),) if number else (),
                ),
            ),
            turn=turns.get(number, 0),
        )
        for number in numbers
    )
