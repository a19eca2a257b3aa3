"""The maps of characters of runs, read in the background: members by cell, each with a sentence."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_text
from evolve.run import status
from extras.cast.characters_file import read_characters
from game.number_text import count_text, span_text
from gui.individuals.individual import ListedPlayer
from gui.runs.sources import Source, source_of

if TYPE_CHECKING:
    from extras.cast.differences import TraitDifference
    from extras.cast.trait_maps import TraitMap
    from game.traits import TraitMean

FOR_YOU, ALL, MAP = "For you", "All", "Map"
THIRDS = "Strong", "Middle", "Gentle"
MOST_FOR_YOU = 5
"""Number of members on the first shelf."""
NO_CHARACTER = "The first generation is still playing"
FEW = 10
"""Number of members below which all are on one shelf."""

Place = tuple[int, int]
"""Column and row of a square on a map of two traits, from 1; row 1 is at the bottom."""


@dataclass(frozen=True)
class Character:
    """A member of a map.

    Attributes:
        player: with its rating, if it is rated as it plays.
        square: the number of its square along each trait, from 1.
        score: its share of the points against the field of its run, from 0 to 1; a draw counts one half.
        unlike: what sets it apart from the other members, in words; empty if nothing does.
        game: a game of it as PDN; empty if there is none.
    """

    player: ListedPlayer
    name: str
    cell: str
    square: tuple[int, ...]
    score: float
    sentence: str
    unlike: str
    game: str = ""


@dataclass(frozen=True)
class CharacterMap:
    """The map of a run.

    Attributes:
        members: the members, by their scores, best first.
        empty: why it has no members; empty if it has some.
        rated: whether every member has a rating as it plays; else members are compared by their scores.
    """

    source: Source
    traits: tuple[str, ...]
    meanings: tuple[str, ...]
    sizes: tuple[int, ...]
    members: tuple[Character, ...] = ()
    troubles: tuple[str, ...] = ()
    empty: str = ""
    rated: bool = False

    def place(self, number: int, across: int, up: int) -> Place:
        """Return the place of a member on a map of two traits; `up` may be -1 for a map of a single trait."""
        square = self.members[number].square
        return square[across], 1 if up < 0 else square[up]

    def strength(self, number: int) -> float:
        """Return the rating of a member, or its score if not all are rated."""
        member = self.members[number]
        return member.player.rating[0] if self.rated and member.player.rating is not None else member.score

    def strength_text(self, strength: float) -> str:
        return shown_text(strength) if self.rated else f"{100 * strength:.0f} %"

    @cached_property
    def strongest_first(self) -> list[int]:
        return sorted(range(len(self.members)), key=lambda number: -self.strength(number))

    @cached_property
    def range(self) -> tuple[float, float]:
        """The strengths of the weakest and the strongest member."""
        order = self.strongest_first
        return (self.strength(order[-1]), self.strength(order[0])) if order else (0.0, 1.0)

    def stacks(self, across: int, up: int) -> dict[Place, list[int]]:
        """Return the members at each place, the strongest first."""
        stacks: dict[Place, list[int]] = {}
        for number in self.strongest_first:
            stacks.setdefault(self.place(number, across, up), []).append(number)
        return stacks

    def nearest(self, number: int) -> int:
        """Return the other member that is nearest to one in strength."""
        others = (other for other in self.strongest_first if other != number)
        return min(others, key=lambda other: abs(self.strength(other) - self.strength(number)))

    def shelves(self, rating: float) -> dict[str, list[int]]:
        """Return the members on shelves by strength: first the nearest ones to a rating, if they are rated."""
        order, count = self.strongest_first, len(self.members)
        if count < FEW:
            return {ALL: order} if order else {}
        cuts = [count * third // 3 for third in range(4)]
        shelves = {FOR_YOU: sorted(order, key=lambda number: abs(self.strength(number) - rating))[:MOST_FOR_YOU]}
        shelves |= {name: order[cuts[at] : cuts[at + 1]] for at, name in enumerate(THIRDS)}
        return {name: numbers for name, numbers in shelves.items() if numbers and (self.rated or name != FOR_YOU)}


def sentence_of(traits: Sequence[TraitMean], unlike: Sequence[TraitDifference]) -> str:
    """Return the sentence of a member: how it plays, or if nothing stands out, what sets it apart from the others."""
    from extras.cast.differences import differences_text
    from game.traits import outstanding, sentence

    return ("" if outstanding(traits) else differences_text(unlike[:1])) or sentence(traits)


def runs_with_maps(paths: Iterable[Path]) -> list[Path]:
    """Return the folders of runs that have a map, by their configurations; a run that cannot be read has none."""
    from evolve.run.folder import Run
    from extras.cast.members import has_map
    from game.errors import InputError

    matches = []
    for path in paths:
        with contextlib.suppress(InputError, OSError):
            if has_map(Run(path).tables()):
                matches.append(path)
    return matches


def read_map(path: Path, runs: Path) -> CharacterMap:
    """Read the newest generation of a run with a map.

    Raises:
        InputError: the run, its map or its newest generation cannot be read.
    """
    from evolve.run.folder import Run
    from extras.cast.members import map_in
    from game.traits import TRAITS

    run, source = Run(path), source_of(path, runs)
    cells = map_in(run.tables())
    traits = [TRAITS[axis.trait] for axis in cells.axes]
    known = CharacterMap(
        source,
        tuple(trait.name for trait in traits),
        tuple(trait.text for trait in traits),
        tuple(axis.cells for axis in cells.axes),
    )
    newest = run.manifest().newest
    if newest < 0:
        session = status.read(path)
        games = 0 if session is None else session.games
        so_far = f": {count_text(games, 'game')} so far" if games else ""
        left = "" if session is None or not session.left else f"\nIts session ends in {span_text(session.left)}."
        return replace(known, empty=f"{NO_CHARACTER}{so_far}.{left}")
    members, damaged = _members(newest, source, cells)
    troubles = [f"{source.file(newest).name}: {text}." for text in damaged]
    empty = "" if members else "All characters are damaged."
    rated = bool(members) and all(member.player.rating is not None for member in members)
    return replace(known, members=tuple(members), troubles=tuple(troubles), empty=empty, rated=rated)


def _members(newest: int, source: Source, cells: TraitMap) -> tuple[list[Character], list[str]]:
    from evolve.run.folder import Run
    from evolve.run.row_index import Head
    from extras.cast.differences import differences, differences_text
    from extras.cast.members import held_rows, score_of
    from extras.cast.names import name_members

    rows = Run(source.path).read_generation(newest, thinned=True)
    read, damaged = held_rows(rows, cells, str(source.file(newest)))
    known = {row.member: row for row in read_characters(source.path)}
    means = [one.traits for one in read]
    members: list[Character] = []
    for one, name, unlike in zip(read, name_members(means), differences(means), strict=True):
        row, origins, parents = one.row, rows.origins, rows.parents
        assert rows.counts is not None and rows.ranks is not None  # the map has been read
        results = tuple(rows.counts[row].tolist())
        bred = "" if origins is None else origins[row], () if parents is None else parents[row]
        head = Head(rows.names[row], int(rows.ranks[row]), *bred, results)
        player = ListedPlayer.of_generation(source, newest, head, kept=rows.genomes is None)
        shown = known.get(head.name)
        sentence, game = (sentence_of(one.traits, unlike), "") if shown is None else (shown.sentence, shown.pdn)
        if shown is not None:
            player = player._replace(rating=shown.interval)
        texts = sentence, differences_text(unlike), game
        members.append(Character(player, name.text, cells.name(one.cell), one.cell, score_of(results), *texts))
    return members, damaged
