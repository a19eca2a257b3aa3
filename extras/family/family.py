"""The family of an individual, read in the background and explained in words."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.report.ancestry import Ancestor, Descent
from evolve.run.columns import split_row
from evolve.run.row_index import RowIndex
from extras import file_kind
from extras.family.tree import Tree
from game.errors import InputError
from game.number_text import count_text, percent_text
from game.players.names import RESERVED, TABLES, parse_name
from gui.individuals import opponents
from gui.individuals.individual import ListedPlayer, Portrait, champion_weights, network_of
from gui.runs.sources import Source, source_of

if TYPE_CHECKING:
    from evolve.report.ancestry import Pedigree
    from evolve.run.folder import Run
    from evolve.run.row_index import Head

PEOPLE = "No player in this game was bred, so there is no family to show."
WRITTEN = "It was written, not bred, so it has no family."
FOREIGN = "It is another program: its origin is not known here."
ALONE = "Its file belongs to no run, so its ancestors are not known."
GONE = "Its run is no longer there, so its family is not known."
NO_GENERATION = "Its run has no complete generation yet."
HEADS = 64
"""Number of the first individuals of each generation that stay in memory while ancestors are looked up."""

MOST_CHILDREN = 30

_TAG = re.compile(r'^\[(Black|White|Result) "(.*)"\]', re.MULTILINE)


class NoFamilyError(InputError):
    """The family of a player is not known."""


def locate(runs: Path, individual: ListedPlayer) -> ListedPlayer:
    """Return an individual with its run, generation and name.

    Args:
        individual: an individual that has a run and a generation, or else a name as a player; without a name of its
            own, it means the champion of its generation.

    Raises:
        NoFamilyError: it belongs to no run.
        InputError: its run or generation cannot be read.
    """
    from evolve.run.folder import Run
    from evolve.run.row_index import read_heads

    path, number, own_name = individual[:3]
    if path is None or number is None:
        name = parse_name(individual.player)
        if name.target in RESERVED:
            raise NoFamilyError(WRITTEN if name.member is None else FOREIGN)
        run, number = opponents.run_of(runs, individual.player)
        if run is None:
            alone = name.target.lower().endswith(TABLES) or file_kind(name.target) is not None
            raise NoFamilyError(ALONE if alone else GONE)
        path, number, own_name = run.path, run.manifest().newest if number is None else number, name.member or ""
    if not path.is_dir():
        raise NoFamilyError(GONE)
    newest = Run(path).manifest().newest
    if number < 0 or newest < 0:
        raise NoFamilyError(NO_GENERATION)
    if number > newest:
        raise NoFamilyError(f"Its run has no generation {number:,}: the newest is {newest:,}.")
    own_name = own_name or read_heads(Run(path).generation_path(number), 1)[0].name
    return individual._replace(run=path, generation=number, name=own_name)


@dataclass(frozen=True)
class Family:
    """An individual with its ancestors and children.

    Attributes:
        branched: run and generation from which this run branched, such as ``crownhead@12``; empty if it did not.
        meaning: explains the tree of a run of this kind; empty if the explanation depends on the ancestors.
    """

    individual: ListedPlayer
    source: Source
    descent: Descent
    trees: tuple[Tree, Tree]
    branched: str = ""
    meaning: str = ""


@dataclass(frozen=True)
class MemberGame:
    """A game that the run has kept."""

    pdn: str
    black: str
    white: str
    result: str


@dataclass(frozen=True)
class Details:
    """The weights and games of a member of a family, read when it is chosen."""

    portrait: Portrait | None
    games: tuple[MemberGame, ...] = ()
    trouble: str = ""


class FamilyReader:
    """Reads a family in a background thread, and reports progress."""

    def __init__(self, runs: Path, individual: ListedPlayer) -> None:
        self._runs, self._individual = runs, individual
        self._pedigree: Pedigree | None = None
        self._wanted = 0

    @property
    def share(self) -> float:
        return 0.0 if self._pedigree is None else min(self._pedigree.read / max(self._wanted, 1), 1.0)

    def read(self) -> Family:
        """Read the family.

        Raises:
            InputError: the family is not known, or a file cannot be read.
        """
        from evolve.report.ancestry import Pedigree, children_of, descend
        from evolve.run.folder import Run

        individual = locate(self._runs, self._individual)
        path, number, name = individual[:3]
        assert path is not None and number is not None
        source = source_of(path, self._runs)
        pedigree = Pedigree(Run(path), source.newest, _parents(Run(path)))
        self._wanted, self._pedigree = number + 1, pedigree
        fact = pedigree.find(number, name)  # its own file must be intact; files of its ancestors may be damaged
        rank = None if fact is None else fact.rank
        individual = individual._replace(source=source.name, rank=rank)
        pedigree.lenient = True
        descent = descend(pedigree, number, name)
        children: list[Head] = []
        with contextlib.suppress(InputError):  # a damaged file adds no children
            children = children_of(pedigree, number, name)[:MOST_CHILDREN]
        trees = Tree(descent, children), Tree(descent, children, whole=True)
        kind = Run(path).kind
        meaning = "" if kind is None else kind.family
        return Family(individual, source, descent, trees, _branched(Run(path)), meaning)


def _parents(run: Run) -> int:
    """Return the number of parents in each generation; they are its first rows."""
    try:
        return run.config().parents
    except (InputError, OSError):
        return HEADS


def _branched(run: Run) -> str:
    try:
        return str(run.check_format().get("branched_from", ""))
    except (InputError, OSError):
        return ""


def read_details(
    family: Family,
    generation: int,
    member: Ancestor,
    rating: tuple[float, float, float] | None,
    games: str,
) -> Details:
    """Read weights and games of a member of a family."""
    head = member.fact
    if head is None:
        return Details(None, trouble="Its row is not in the file of its generation.")
    source = family.source
    index = RowIndex(source.file(generation), source.checksums(generation))
    while index.step():
        pass
    if index.damage:
        return Details(None, trouble=f"{index.path.name}: {index.damage}")
    individual = ListedPlayer.of_generation(source, generation, head, kept=index.weights > 0)
    if head.rank == 1:
        individual = individual._replace(rating=rating)
    weights, trouble = _weights(index, head.name), ""
    if not weights and head.rank == 1:
        try:
            weights = champion_weights(source.path, generation)
        except InputError as error:
            individual, trouble = individual._replace(player=""), str(error).rpartition("/")[2]
    portrait = Portrait.of(individual, weights, network_of(source, len(weights)))
    kept = map(_game, games.split("[Event ")[1:])
    return Details(portrait, tuple(game for game in kept if head.name in (game.black, game.white)), trouble)


def _weights(index: RowIndex, name: str) -> tuple[float, ...]:
    """Read the weights of an individual; empty if they were not kept or the file has changed."""
    start = next((start for head, start in zip(index.heads, index.starts, strict=True) if head.name == name), -1)
    if start < 0 or not index.weights or index.stale:
        return ()
    try:
        with index.open() as file:
            file.seek(start)
            fields = split_row(file.readline())
    except OSError:
        return ()
    first = index.header.places["w0"]
    return tuple(map(float, fields[first : first + index.weights]))


def _game(text: str) -> MemberGame:
    tags = dict(_TAG.findall(text))
    return MemberGame(f"[Event {text}", tags.get("Black", ""), tags.get("White", ""), tags.get("Result", "*"))


# In words ---------------------------------------------------------------------------------------------------------

FOUNDER = "A founder has no parents in this run, so the tree ends with it. Above it are its children."
LINE = "Each individual has one parent, so all weights go back to one founder, changed by mutations on the way."
DRAWN = (
    "Each individual has two parents. Chance decided which of them each weight comes from, and the seed of the run "
    "tells us how. The share of an ancestor counts the weights that go back to it, whether mutated or not."
)
EXPECTED = (
    "Each individual has two parents, which count for one half each. We do not know which of them a weight comes from: "
    "children lie between their parents, or this was not recorded."
)
MEAN = (
    "Each generation begins with a mean, and the others are its mutants. So the tree is the line of "
    "means (framed), each with the individuals it was made from. A share is an individual's part in the mean."
)
MOVED = (
    "An optimiser ({kind}) moves one mean from generation to generation, and all individuals are made from it. So the "
    "tree is the line of means (framed), each with the individuals it was made from. Shares count these equally, but "
    "the optimiser may not, so they are only estimates."
)


def tree_text(descent: Descent, branched: str = "", meaning: str = "") -> str:
    """Return what the tree means in this run, how shares are counted, and which run this is a branch of."""
    text = meaning or method_text(descent)
    run, _, generation = branched.rpartition("@")
    if not run:
        return text
    return f"{text} This run is a branch: up to generation {generation} its ancestors are those of {run}."


def method_text(descent: Descent) -> str:
    if descent.generation == 0:
        return FOUNDER
    if descent.method == "mean":
        return MEAN
    if descent.method:
        return MOVED.format(kind=descent.method)
    if descent.is_line:
        return LINE
    return DRAWN if descent.founders.exact else EXPECTED


def founders_text(descent: Descent) -> str:
    """Return how many founders an individual has, and how many of them contributed weights."""
    founders = descent.founders
    here, of = len(founders.shares), count_text(founders.ancestors, "founder")
    lost = sum(founder.generation > 0 for founder in founders.shares)
    if founders.ancestors == 1:
        text = "It has one founder."
    elif founders.exact and here < founders.ancestors:
        text = f"It descends from {of}, and has weights of {here} of them."
    else:
        text = f"It descends from {of}."
    return f"{text} {count_text(lost, 'line')} can be followed no further." if lost else text


def share_text(descent: Descent, generation: int, member: Ancestor, root: str) -> str:
    """Return the share of `root` that comes from a member of its tree; empty for itself and its children."""
    if generation >= descent.generation or descent.is_line or (member.is_mean and not member.share):
        return ""
    if not member.share:
        return f"No weight of {root} goes back to it any more."
    share = percent_text(member.share)
    if not descent.founders.exact:
        return f"Expected share of {root}: {share}."
    return f"{share} of {root} comes from it." if descent.method else f"{share} of the weights of {root} go back to it."
