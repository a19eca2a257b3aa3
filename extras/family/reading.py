"""Reading a family in the background: its rows, and the weights and games of its members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.columns import GenerationError
from extras import file_kind
from extras.family.rows import LEAST_SHARE, FamilyMember, Place, Row, bred_rows, deviations, path_rows, turning_points
from game.errors import InputError
from game.number_text import count_text
from game.players.names import RESERVED, TABLES, parse_name
from gui.individuals import opponents
from gui.individuals.individual import ListedPlayer
from gui.runs.sources import Source, source_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evolve.report.ancestry import FounderShares, Pedigree
    from evolve.run.folder import Run
    from gui.evolving.games import Change

WRITTEN = "It was written, not bred, so it has no family."
FOREIGN = "It is another program: its origin is not known here."
ALONE = "Its file belongs to no run, so its ancestors are not known."
GONE = "Its run is no longer there, so its family is not known."
NO_GENERATION = "Its run has no complete generation yet."
HEADS = 64
"""Number of the first individuals of each generation that stay in memory while ancestors are looked up."""

MOST_POINTS, MOST_WEIGHTS = 400, 4_000_000
"""Maximum numbers of generations whose weights are compared, and of these weights."""


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
    """An individual with its ancestors.

    Attributes:
        rows: the newest first.
        members: the names of its members in each generation, for their games.
        path: where the individuals go back to a single one in each generation, generations and how far they stray from
            the straight way (`deviations`); the rows are its turning points. Otherwise empty.
    """

    individual: ListedPlayer
    source: Source
    rows: tuple[Row, ...]
    members: Mapping[int, tuple[str, ...]]
    path: tuple[tuple[int, float], ...]
    meaning: str

    @property
    def root(self) -> Place:
        return self.rows[0].members[0].place

    def row_of(self, place: Place) -> int:
        """Return the number of the row with a member, or -1."""
        rows = enumerate(self.rows)
        return next((at for at, row in rows if any(member.place == place for member in row.members)), -1)

    def member(self, place: Place) -> FamilyMember | None:
        members = (member for row in self.rows for member in row.members)
        return next((member for member in members if member.place == place), None)

    def move(self, place: Place, key: str) -> Place:
        """Return the place to which a key leads: down to the ancestor that gave most, up, sideways or to an end."""
        at = self.row_of(place)
        members = self.rows[max(at, 0)].members
        here = next((number for number, member in enumerate(members) if member.place == place), 0)
        if at < 0 or key == "home":
            return self.root
        if key == "end":
            return max(self.rows[-1].members, key=lambda member: member.share).place
        if key in ("left", "right"):
            return members[min(max(here + (1 if key == "right" else -1), 0), len(members) - 1)].place
        if key == "down" and members[here].links:
            to = max(members[here].links, key=lambda link: link[1])[0]
            return self.rows[at + 1].members[to].place
        if key == "up" and at:
            above = self.rows[at - 1].members
            return max(above, key=lambda member: dict(member.links).get(here, 0.0)).place
        return place


@dataclass(frozen=True)
class Details:
    """The games of a member of a family, and whether its weights were kept, read when it is chosen.

    Attributes:
        individual: the member as a player; None if its row is not known.
        games: those of its games that were kept, as PDN.
    """

    individual: ListedPlayer | None = None
    games: tuple[str, ...] = ()
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
        from evolve.report.ancestry import Pedigree
        from evolve.run.folder import Run

        individual = locate(self._runs, self._individual)
        path, number, name = individual[:3]
        assert path is not None and number is not None
        run, source = Run(path), source_of(path, self._runs)
        pedigree = Pedigree(run, source.newest, _parents(run))
        self._wanted, self._pedigree = number + 1, pedigree
        fact = pedigree.find(number, name)  # its own file must be intact; files of its ancestors may be damaged
        individual = individual._replace(source=source.name, rank=None if fact is None else fact.rank)
        pedigree.lenient = True
        method = pedigree.method(number)
        family = Family(individual, source, (), {}, (), "")
        family = self._path(run, family, method) if method else self._bred(family)
        lost = next(iter(pedigree.lost.values()), "")
        return replace(family, meaning=" ".join(filter(None, [family.meaning, _branch_text(run), lost])))

    def _bred(self, family: Family) -> Family:
        generation, name = family.individual[1:3]
        pedigree = self._pedigree
        assert generation is not None and pedigree is not None
        levels, exact = pedigree.shares(generation, [name])
        founders = pedigree.founders_of(generation, levels, exact)
        members = {
            generation - back: tuple(name for name, share in level.items() if share > LEAST_SHARE)
            for back, level in enumerate(levels)
        }
        meaning = bred_text(founders, generation)
        return replace(family, rows=bred_rows(pedigree, generation, levels), members=members, meaning=meaning)

    def _path(self, run: Run, family: Family, method: str) -> Family:
        from evolve.run.log import read_log

        generation, name = family.individual[1:3]
        assert generation is not None and self._pedigree is not None
        champions = read_log(run, generation).champions[: generation + 1]
        numbers, points = _weights_of_path(run.path, generation)
        turns, path = dict[int, int](), tuple[tuple[int, float], ...]()
        if len(points):
            turns = {numbers[at]: angle for at, angle in turning_points(points).items()}
            path = tuple(zip(numbers, deviations(points), strict=True))
        rows = path_rows(self._pedigree, champions, turns, ())
        if name != champions[-1]:  # made from the mean of its generation
            fact = self._pedigree.find(generation, name)
            rows = (Row((FamilyMember(generation, name, fact, links=((0, 1.0),)),)), *rows)
        members = {number: (each,) for number, each in enumerate(champions)}
        meaning = f"{LEARNT if method == 'learnt' else MEAN} {TURNS}"
        return replace(family, rows=rows, members=members, path=path or ((0, 0.0),), meaning=meaning)

    def with_changes(self, family: Family, changes: dict[int, Change]) -> Family:
        """Return a family with what is new in its play; on a path, such generations become rows."""
        rows = family.rows
        assert self._pedigree is not None
        if family.path:
            champions = [names[0] for _, names in sorted(family.members.items())]
            turns = {row.generation: row.turn for row in rows}
            extra = rows[: int(rows[0].members[0].name != champions[-1])]
            rows = (*extra, *path_rows(self._pedigree, champions, turns, changes))
        return replace(family, rows=tuple(replace(row, change=changes.get(row.generation)) for row in rows))


def _weights_of_path(path: Path, generation: int) -> tuple[list[int], NDArray[np.float64]]:
    """Return generations with their champions' weights, `MOST_POINTS` at most; none if they were not kept."""
    import numpy as np

    from evolve.run.champions import read_hall_of_fame

    try:
        hall = read_hall_of_fame(path)
        kept = [number for number in range(generation + 1) if hall.has_weights(number)]
        width = len(hall.champion(kept[-1]).weights) if kept else 1
        step = -(-len(kept) // min(MOST_POINTS, max(MOST_WEIGHTS // width, 1)))
        numbers = [*kept[: -1 : max(step, 1)], *kept[-1:]]
        return numbers, np.array([hall.champion(number).weights for number in numbers], np.float64)
    except (GenerationError, ValueError):
        return [], np.empty((0, 0))


def _parents(run: Run) -> int:
    """Return the number of parents in each generation; they are its first rows."""
    try:
        return run.config().parents
    except (InputError, OSError):
        return HEADS


def read_details(
    source: Source, member: FamilyMember, rating: tuple[float, float, float] | None, games: str
) -> Details:
    from evolve.run.champions import read_champions
    from evolve.run.folder import Run

    run, fact, generation, trouble = Run(source.path), member.fact, member.generation, ""
    if fact is None:
        return Details(trouble="Its row is not in the file of its generation.")
    rows = run.read_generation(generation, thinned=True)
    kept = rows.genomes is None
    individual = ListedPlayer.of_generation(source, generation, fact, kept=kept)
    individual = individual._replace(rating=rating if fact.rank == 1 else None)
    if fact.rank == 1 and not kept:
        try:
            read_champions(source.path, [generation])
        except InputError as error:
            individual, trouble = individual._replace(player=""), str(error).rpartition("/")[2]
    own = tuple(f"[Event {text}" for text in games.split("[Event ")[1:] if f' "{fact.name}"]' in text)
    return Details(individual, own, trouble)


MEAN = "Each generation is made from a mean, which moves toward its best mutants."
LEARNT = "One network learns in this run: each generation is the previous one with more training."
TURNS = "Rows are turning points of its path, and the line shows how far it strays."


def bred_text(founders: FounderShares, generation: int) -> str:
    """Return what the rows of a family of pairs are, and how shares are counted."""
    if generation == 0:
        return "A founder has no parents in this run."
    here, of = len(founders.shares), count_text(founders.ancestors, "founder")
    text = f"It descends from {of}"
    text += f", and has weights of {here} of them." if founders.exact and here < founders.ancestors else "."
    shares = "weight by weight" if founders.exact else "as one half from each parent"
    return f"{text} Boxes are ancestors with more than {100 * LEAST_SHARE:.0f} % of it, counted {shares}."


def _branch_text(run: Run) -> str:
    try:
        name, _, generation = str(run.check_format().get("branched_from", "")).rpartition("@")
    except (InputError, OSError):
        return ""
    return f"Up to generation {generation}, its ancestors are those of {name}." if name else ""


def row_text(family: Family, number: int) -> str:
    row = family.rows[number]
    first = "It began here." if family.path and number == len(family.rows) - 1 else ""
    return " ".join(filter(None, [first, row.change and row.change.text]))
