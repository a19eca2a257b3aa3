"""Opponents that are known before any weights are read: champions by their names, and six measured levels.

The first picture of the window waits for no weights, so only folders and the beginnings of files are read here. What
these cannot settle is left to the code that reads weights.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.search import Search
from evolve.run import manifest
from evolve.run.files import CONFIG, signature
from evolve.run.row_index import RowIndex
from evolve.run.runs import FROZEN_RUN, Runs, is_frozen_run
from game.number_text import whole_text
from game.players.names import RESERVED, PlayerName, parse_name
from game.search.interface import Limits
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.model import seats

if TYPE_CHECKING:
    from evolve.run.folder import Run

SHIPPED = "crownhead"
"""The run that comes with the program; its newest champion is a newcomer's opponent."""

TRIED = 4
"""Runs that are searched for a champion."""

LARGEST = 2 << 20
"""Bytes of a file that is read before the first picture; of a larger file only the beginning is read."""


def first_champion(runs: Path) -> ListedPlayer | None:
    """Return the champion of the shipped run, or of the newest run that has one."""
    dated: list[tuple[int, Path]] = []
    with contextlib.suppress(OSError):
        for run in (run for folder in Runs(runs).folders() if folder.is_dir() for run in folder.iterdir()):
            known = signature(run / manifest.NAME)
            if known is not None and run.name[0] != ".":
                dated.append((known.changed, run))
    shipped_first = [SHIPPED, *(Runs(runs).player_name(run) for _, run in sorted(dated, reverse=True)[:TRIED])]
    return next(filter(None, (champion(runs, name) for name in shipped_first)), None)


def champion(runs: Path, run: str, number: int | None = None) -> ListedPlayer | None:
    """Return the champion of a generation, by default the newest; None if there is none, or its file is damaged."""
    folder = Runs(runs).path(run)
    if number is None:
        with contextlib.suppress(OSError):
            number = manifest.last_number(folder)
    if number is None or number < 0:
        return None
    best = next(iter(_heads(folder / manifest.generation_name(number)).found), None)
    if best is None:
        return None
    player = seats.individual(Runs(runs).player_name(folder))
    individual = ListedPlayer(folder, number, best.name, EntryKind.CHAMPION, player, run)
    return individual.with_facts(best)._replace(results=None)


def evolved_limits(runs: Path, player: str) -> Limits | None:
    """Return the search limits with which an individual evolved; None if it has no run that says so."""
    with contextlib.suppress(OSError, ValueError):
        run, number = run_of(runs, player)
        if run is not None:
            number = max(run.manifest().newest, 0) if number is None else number
            return Search.from_table(run.tables(number).get("search", {})).limits(number)
    return None


def is_policy(runs: Path, player: str) -> bool:
    """Return whether the network of an individual rates moves, and not positions."""
    with contextlib.suppress(OSError, ValueError):
        run, _ = run_of(runs, player)
        network = {} if run is None else run.tables().get("network")
        heads = network.get("heads") if isinstance(network, dict) else None
        return isinstance(heads, dict) and heads.get("value") == "none" and heads.get("policy") != "none"
    return False


def run_of(runs: Path, player: str) -> tuple[Run | None, int | None]:
    """Return the run and the generation in a player's name, each None if the name has none."""
    from evolve.run.folder import Run

    target = parse_name(player).target
    if target.lower().endswith(".csv"):
        return Run.of_file(Path(target))
    name, number = Runs(runs).split_generation(target)
    run = None if target in RESERVED else Run.find(runs, name)
    return run, None if number is None else int(number)


def is_known(runs: Path, name: PlayerName) -> bool:
    """Return whether a player's name certainly means a player; after False, only reading weights can tell."""
    if name.target in RESERVED:
        return name.target != "external" and name.member is None and not name.options
    file, any_network = Path(name.target), False
    if not name.target.lower().endswith(".csv"):
        folder = Runs(runs).find(name.target)
        if folder is not None:
            best = champion(folder.parent, folder.name)
            return best is not None and name.member in (None, best.name)
        run, _, number = name.target.rpartition("@")
        if not run or not (number.isascii() and number.isdigit() and len(number) < 10):
            return False
        folder = Runs(runs).path(run)
        file, any_network = folder / manifest.generation_name(int(number)), True
        if not (folder / CONFIG).is_file():
            return False
    return _has(file, name.member, any_network=any_network)


def _has(file: Path, member: str | None, *, any_network: bool) -> bool:
    heads = _heads(file)
    if heads.damage or not heads.weights or not (any_network or _is_shipped_network(heads.weights)):
        return False
    return member is None or not heads.complete or any(head.name == member for head in heads.heads)


def _heads(file: Path) -> RowIndex:
    """Read the individuals of a file without their weights, of a very large file only the first ones."""
    heads = RowIndex(file)
    large = heads.signature is not None and heads.signature.size > LARGEST
    while heads.step() and not (large and heads.found):
        pass
    return heads


def _is_shipped_network(weights: int) -> bool:
    from game.networks.named import by_width
    from game.networks.spec import NetworkError

    try:
        by_width(weights)
    except NetworkError:
        return False
    return True


# Measured levels -----------------------------------------------------------------------------------------------


RANDOM, RANDOM_MARGIN = -1168, 34
"""Rating of random moves on the scale of the levels, and half of its 95 % interval."""


@dataclass(frozen=True)
class Level:
    """An opponent of measured strength: a champion of the run `evolve.run.runs.FROZEN_RUN` at a depth.

    Attributes:
        name: in the window.
        generation: of the champion; None for the newest.
        depth: plies.
        rating, margin: measured, on the scale whose 0 is a piece counter that looks 8 plies ahead, and half of its
            95 % interval (docs/ratings.md has the command).
        less: how it is weaker than the strongest.
        captures: whether it plays out captures after its own move, as every search deeper than one ply does.
    """

    name: str
    generation: int | None
    depth: int
    rating: int
    margin: int
    less: str
    captures: bool = False

    @property
    def player(self) -> str:
        """Its name as a player, without its depth."""
        generation = "" if self.generation is None else f"@{self.generation}"
        return f"{FROZEN_RUN}{generation}{',quiescence=yes' if self.captures else ''}"

    @property
    def about(self) -> str:
        """Generation and depth in words."""
        generation = "newest generation" if self.generation is None else f"generation {self.generation}"
        plies = "1 ply" if self.depth == 1 else f"{self.depth} plies"
        return f"{generation}, {plies}{' and captures' if self.captures else ''}"


LEVELS = (
    Level("Beginner", 1, 1, -853, 48, "looks 1 ply, overlooks captures"),
    Level("Casual", 0, 1, -567, 38, "looks 1 ply, only counts pieces", captures=True),
    Level("Club", 0, 3, -281, 34, "looks 3 plies, only counts pieces"),
    Level("Strong", 1, 3, 18, 32, "looks 3 plies, early generation"),
    Level("Expert", None, 4, 287, 42, "looks 4 plies, not 8"),
    Level("Champion", None, 8, 599, 67, "looks 8 plies, newest generation"),
)

EXPERT = LEVELS[4]
"""Plays as the newest generation evolved."""


def level_of(player: str, depth: int) -> int:
    """Return the number of the level that a player at a depth is; -1 for none."""
    return next((n for n, level in enumerate(LEVELS) if (level.player, level.depth) == (player, depth)), -1)


def find_level(runs: Path, player: str) -> ListedPlayer | None:
    """Return the champion behind a level; None for other players, and if its run is not as it was shipped."""
    level = next((level for level in LEVELS if level.player == player), None)
    folder = Runs(runs).path(FROZEN_RUN)
    if level is None or Runs(runs).player_name(folder) != FROZEN_RUN or not is_frozen_run(folder):
        return None
    best = champion(runs, FROZEN_RUN, level.generation)
    return None if best is None else best._replace(player=player)


def brief_text(number: int) -> str:
    """Return rating and weakness of a level; for none, the number of levels."""
    if number < 0:
        return f"{len(LEVELS)} measured levels, from Beginner to Champion"
    level = LEVELS[number]
    return f"{whole_text(level.rating)} ± {level.margin} Elo: {level.less}"


def explained(number: int) -> str:
    """Return rating and description of a level, and what the rating means."""
    if number < 0:
        return "Champions of early generations and of the newest, of the run that comes with the program"
    level = LEVELS[number]
    scale = f"0 is a piece counter that looks 8 plies ahead, random moves are {whole_text(RANDOM)}"
    return f"{whole_text(level.rating)} ± {level.margin}: {level.about}. {scale}"
