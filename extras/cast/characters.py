"""The maps of characters of runs, read in the background: members by cell, each with a sentence."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from game.errors import capital
from gui.individuals.individual import NO_GENERATION, ListedPlayer
from gui.runs.sources import Source, source_of

if TYPE_CHECKING:
    from extras.cast.differences import TraitDifference
    from extras.cast.trait_maps import TraitMap
    from game.traits import TraitMean

NEAR = 0.05
"""Largest difference of the scores of members that count as equally strong."""

Place = tuple[int, int]
"""Column and row of a square on a map of two traits, from 1; row 1 is at the bottom."""


@dataclass(frozen=True)
class Character:
    """A member of a map.

    Attributes:
        square: the number of its square along each trait, from 1.
        score: its share of the points against the field of its run, from 0 to 1; a draw counts one half.
        unlike: what sets it apart from the other members, in words; empty if nothing does.
    """

    player: ListedPlayer
    cell: str
    square: tuple[int, ...]
    score: float
    sentence: str
    unlike: str
    traits: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CharacterMap:
    """The map of a run.

    Attributes:
        members: the members, best first.
        empty: why it has no members; empty if it has some.
        centres: the number of centres around which its cells lie; 0 if they are the squares.
        rated: the newest generation whose best member is rated, and the rating; None if there is none.
    """

    source: Source
    traits: tuple[str, ...]
    meanings: tuple[str, ...]
    sizes: tuple[int, ...]
    members: tuple[Character, ...] = ()
    troubles: tuple[str, ...] = ()
    empty: str = ""
    centres: int = 0
    rated: tuple[int, tuple[float, float, float]] | None = None

    def place(self, number: int, across: int, up: int) -> Place:
        """Return the place of a member on a map of two traits; `up` may be -1 for a map of a single trait."""
        square = self.members[number].square
        return square[across], 1 if up < 0 else square[up]

    def stacks(self, across: int, up: int) -> dict[Place, list[int]]:
        stacks: dict[Place, list[int]] = {}
        for number in range(len(self.members)):
            stacks.setdefault(self.place(number, across, up), []).append(number)
        return stacks

    @property
    def scores(self) -> tuple[float, float]:
        scores = [member.score for member in self.members]
        return (min(scores), max(scores)) if scores else (0.0, 1.0)

    def alike(self, number: int) -> int:
        """Return the number of a random other member of this strength: within `NEAR`, else the nearest one."""
        score = self.members[number].score
        others = [other for other in range(len(self.members)) if other != number]
        near = [other for other in others if abs(self.members[other].score - score) <= NEAR]
        return secrets.choice(near) if near else min(others, key=lambda other: abs(self.members[other].score - score))


def sentence_of(traits: Sequence[TraitMean], unlike: Sequence[TraitDifference]) -> str:
    """Return the sentence of a member: how it plays, or if nothing stands out, what sets it apart from the others."""
    from extras.cast.differences import differences_text
    from game.traits import NOTHING_SAID, sentence

    text = sentence(traits)
    return differences_text(unlike[:1]) or text if NOTHING_SAID in text else text


def runs_with_maps(paths: Iterable[Path]) -> list[Path]:
    """Return the folders of runs that have a map, by their configurations; a run that cannot be read has none."""
    from evolve.run.folder import Run
    from extras.cast.members import has_map
    from game.errors import InputError

    found = []
    for path in paths:
        with contextlib.suppress(InputError, OSError):
            if has_map(Run(path).tables()):
                found.append(path)
    return found


def read_map(path: Path, runs: Path) -> CharacterMap:
    """Read the newest generation of a run with a map.

    Raises:
        InputError: the run, its map or its newest generation cannot be read.
    """
    from evolve.run.folder import Run
    from evolve.run.log import read_log
    from extras.cast.members import map_in
    from game.errors import InputError
    from game.traits import TRAITS

    run, source = Run(path), source_of(path, runs)
    cells = map_in(run.tables())
    traits = [TRAITS[axis.trait] for axis in cells.axes]
    known = CharacterMap(
        source,
        tuple(trait.name for trait in traits),
        tuple(trait.text for trait in traits),
        tuple(axis.cells for axis in cells.axes),
        centres=cells.centres,
    )
    newest = run.manifest().newest
    if newest < 0:
        return replace(known, empty=NO_GENERATION)
    members, troubles = _members(newest, source, cells)
    with contextlib.suppress(InputError):  # a damaged log has no rating, and the members play
        log = read_log(run, newest)
        ratings = ((generation, log.rating(generation)) for generation in range(newest, -1, -1))
        known = replace(known, rated=next(((at, rating) for at, rating in ratings if rating is not None), None))
        if known.rated is not None and known.rated[0] == newest and members and members[0].player.rank == 1:
            members[0] = replace(members[0], player=members[0].player._replace(rating=known.rated[1]))
    empty = "" if members else "No row of its newest generation can be read."
    return replace(known, members=tuple(members), troubles=tuple(troubles), empty=empty)


def _members(newest: int, source: Source, cells: TraitMap) -> tuple[list[Character], list[str]]:
    from evolve.run.folder import Run
    from evolve.run.row_index import Head
    from extras.cast.differences import differences, differences_text
    from extras.cast.members import held_rows, score_of
    from game.traits import TRAITS, sentence

    rows = Run(source.path).read_generation(newest, thinned=True)
    read, damaged = held_rows(rows, cells, str(source.file(newest)))
    members: list[Character] = []
    for one, unlike in zip(read, differences([one.traits for one in read]), strict=True):
        row, origins, parents = one.row, rows.origins, rows.parents
        assert rows.counts is not None and rows.ranks is not None  # the map has been read
        results = tuple(rows.counts[row].tolist())
        head = Head(
            rows.names[row],
            int(rows.ranks[row]),
            "" if origins is None else origins[row],
            () if parents is None else parents[row],
            results,
        )
        player = ListedPlayer.of_generation(source, newest, head, kept=rows.genomes is None)
        values = tuple((trait.name, trait.say(mean.value)) for trait, mean in zip(TRAITS, one.traits, strict=True))
        texts = sentence(one.traits), differences_text(unlike)
        square = cells.square(one.cell, one.traits)
        members.append(Character(player, cells.name(one.cell), square, score_of(results), *texts, values))
    return members, [capital(text) for text in damaged]
