"""A family and its members as they are read, in the background. No pygame."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from game.errors import InputError
from game.search.limits import Limits
from gui.climb.lineage import Lineage
from gui.climb.measuring import Measuring
from gui.family.kin import Kin, Whom, find_kin
from gui.family.tree import Tree
from gui.individuals.background_jobs import HEADS, MOST_CHILDREN, champion
from gui.individuals.individual import Individual, describe, network_of
from gui.individuals.rows import row_of_generation
from gui.individuals.sheet import Sheet
from gui.individuals.sources import Source, source_of

if TYPE_CHECKING:
    from evolve.report.ancestry import Ancestor, Descent, Pedigree
    from evolve.run.folder import Run
    from evolve.run.row_index import Head

_TAG = re.compile(r'^\[(Black|White|Result) "(.*)"\]', re.MULTILINE)


@dataclass(frozen=True)
class Family:
    """An individual with all it comes from.

    Attributes:
        kin: the individual.
        source: its run.
        descent: its ancestors.
        trees: of its ancestors and children; without and with generations in which nothing changes.
        lineage: numbers and games of the run's champions.
        branched: of which run and generation this run is a branch, such as ``crownhead@12``; empty if of none.
    """

    kin: Kin
    source: Source
    descent: Descent
    trees: tuple[Tree, Tree]
    lineage: Lineage
    branched: str = ""


@dataclass(frozen=True)
class Game:
    """A game that the run has kept.

    Attributes:
        pdn: its text.
        black, white: names of the players.
        result: as PDN writes it.
    """

    pdn: str
    black: str
    white: str
    result: str


@dataclass(frozen=True)
class Details:
    """What is read of one member when it is chosen.

    Attributes:
        individual: with weights and pictures, as far as they were kept.
        games: of its generation's champion in which it plays.
        trouble: why its file cannot be read; empty if it can.
    """

    individual: Individual | None
    games: tuple[Game, ...] = ()
    trouble: str = ""


class Reading:
    """Reads a family; what it is asked to do is done in a thread.

    Args:
        runs: the folder of runs.
        whom: whose family.
        evolved: what ended the searches of a player while it evolved.
        measuring: ratings of champions that were measured here.
    """

    def __init__(self, runs: Path, whom: Whom, evolved: Callable[[str], Limits | None], measuring: Measuring) -> None:
        self._runs, self._whom, self._evolved, self._measuring = runs, whom, evolved, measuring
        self._pedigree: Pedigree | None = None
        self._wanted = 0

    @property
    def share(self) -> float:
        """How much of the files was read, 0 to 1."""
        return 0.0 if self._pedigree is None else min(self._pedigree.read / max(self._wanted, 1), 1.0)

    def read(self) -> Family:
        """The family.

        Raises:
            InputError: nothing is known; the text says why.
        """
        from evolve.report.ancestry import Pedigree, children_of, descend
        from evolve.run.folder import Run

        kin = find_kin(self._runs, self._whom)
        source = source_of(kin.run, self._runs)
        pedigree = Pedigree(Run(kin.run), source.newest, _parents(Run(kin.run)))
        self._wanted, self._pedigree = kin.generation + 1, pedigree
        pedigree.find(kin.generation, kin.name)  # its own file has to be there
        pedigree.lenient = True
        descent = descend(pedigree, kin.generation, kin.name)
        children: list[Head] = []
        with contextlib.suppress(InputError):  # of a file that is damaged nobody is shown
            children = children_of(pedigree, kin.generation, kin.name)[:MOST_CHILDREN]
        trees = Tree(descent, children), Tree(descent, children, whole=True)
        lineage = Lineage.read(source, self._evolved, self._measuring)
        return Family(kin, source, descent, trees, lineage, _branched(Run(kin.run)))


def _parents(run: Run) -> int:
    """Individuals at the head of each generation from which the next one comes, as far as that is known."""
    try:
        config = run.config()
        return config.parents
    except (InputError, OSError):
        return HEADS


def _branched(run: Run) -> str:
    try:
        return str(run.check_format().get("branched_from", ""))
    except (InputError, OSError):
        return ""


def read_details(family: Family, generation: int, member: Ancestor) -> Details:
    """A member of a family with its weights and games."""
    head = member.fact
    if head is None:
        return Details(None, trouble="Its row is not in the file of its generation.")
    source = family.source
    sheet = Sheet(source.file(generation), source.checksums(generation))
    while sheet.busy:
        sheet.step(1.0)
    if sheet.damage:
        return Details(None, trouble=f"{sheet.path.name}: {sheet.damage}")
    row = row_of_generation(source, generation, head, kept=sheet.heads.weights > 0)
    rating = family.lineage.rating(generation) if head.rank == 1 else (None, None, None)
    if rating[0] is not None and rating[1] is not None and rating[2] is not None:
        row = row._replace(rating=(rating[0], rating[1], rating[2]))
    weights, trouble = sheet.weights(head.name), ""
    if not weights and head.rank == 1:
        try:
            weights = champion(source.path, generation)[1]
        except InputError as error:
            row, trouble = row._replace(player=""), str(error).rpartition("/")[2]
    individual = describe(row, weights, network_of(source, len(weights)))
    pdn = family.lineage.generations.games_of(generation)
    games = tuple(game for game in map(_game, pdn.split("[Event ")[1:]) if head.name in (game.black, game.white))
    return Details(individual, games, trouble)


def _game(text: str) -> Game:
    tags = dict(_TAG.findall(text))
    return Game(f"[Event {text}", tags.get("Black", ""), tags.get("White", ""), tags.get("Result", "*"))
