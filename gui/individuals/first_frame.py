"""Who is there, as far as folders and the heads of files tell: for the first picture, which waits for no weights.

Whoever is not sure says so, and what reads weights decides.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.search import Search
from evolve.run import manifest
from evolve.run.files import CONFIG, signature
from evolve.run.folder import Run
from evolve.run.row_index import RowIndex
from evolve.run.runs import Runs
from game.players.names import RESERVED, PlayerName, parse_name
from game.search.limits import Limits
from gui.individuals.rows import Kind, Row, row_of
from gui.model.names import individual

if TYPE_CHECKING:
    from evolve.run.folder import Run

SHIPPED = "crownhead"
"""The run that comes with the program; its newest champion is whom a newcomer plays."""

TRIED = 4
"""Runs that are looked at for one with a champion."""

LARGEST = 2 << 20
"""Bytes of a file that is read before the first picture; of a larger one only the beginning is looked at."""


def first(runs: Path) -> Row | None:
    """Whom to offer at the very first start: the champion of the shipped run, else of the newest one that has any."""
    found: list[tuple[int, Path]] = []
    with contextlib.suppress(OSError):
        for run in (run for folder in Runs(runs).folders() if folder.is_dir() for run in folder.iterdir()):
            known = signature(run / manifest.NAME)
            if known is not None and run.name[0] != ".":
                found.append((known.changed, run))
    names = [SHIPPED, *(Runs(runs).player_name(run) for _, run in sorted(found, reverse=True)[:TRIED])]
    return next(filter(None, (champion(runs, name) for name in names)), None)


def champion(runs: Path, run: str, number: int | None = None) -> Row | None:
    """The champion of a generation of a run, by default the newest; None if it is not there, or not as it should be."""
    folder = Runs(runs).path(run)
    if number is None:
        with contextlib.suppress(OSError):
            number = manifest.last_number(folder)
    if number is None or number < 0:
        return None
    best = next(iter(_heads(folder / manifest.generation_name(number)).found), None)
    player = individual(Runs(runs).player_name(folder))
    return best and row_of(Kind.CHAMPION, player, run, number, best._replace(results=None))


def evolved_limits(runs: Path, player: str) -> Limits | None:
    """What ended the searches of an individual while it evolved; None if no run tells."""
    with contextlib.suppress(OSError, ValueError):
        run, number = run_of(runs, player)
        if run is not None:
            number = max(run.manifest().newest, 0) if number is None else number
            return Search.from_table(run.tables(number).get("search", {})).limits(number)
    return None


def is_policy(runs: Path, player: str) -> bool:
    """Whether the network of an individual says which moves are good, and not what positions are worth."""
    with contextlib.suppress(OSError, ValueError):
        run, _ = run_of(runs, player)
        network = {} if run is None else run.tables().get("network")
        heads = network.get("heads") if isinstance(network, dict) else None
        return isinstance(heads, dict) and heads.get("value") == "none" and heads.get("policy") != "none"
    return False


def run_of(runs: Path, player: str) -> tuple[Run | None, int | None]:
    """The run of an individual and its generation, if its name tells them."""
    from evolve.run.folder import Run
    from evolve.run.runs import Runs

    target = parse_name(player).target
    if target.lower().endswith(".csv"):
        return Run.of_file(Path(target))
    name, number = Runs(runs).split_generation(target)
    run = None if target in RESERVED else Run.find(runs, name)
    return run, None if number is None else int(number)


def is_known(runs: Path, name: PlayerName) -> bool:
    """Whether a player name means somebody who is there; False means that only what reads weights can tell."""
    if name.target in RESERVED:
        return name.target != "external" and name.member is None and not name.options
    file, any_network = Path(name.target), False
    if not name.target.lower().endswith(".csv"):
        folder = _folder(runs, name.target)
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


def _folder(runs: Path, name: str) -> Path | None:
    """Where a run lies that is named, or given by its path; None if there is none."""
    return next((folder for folder in (Runs(runs).path(name), Path(name)) if (folder / CONFIG).is_file()), None)


def _has(file: Path, member: str | None, *, any_network: bool) -> bool:
    heads = _heads(file)
    if heads.damage or not heads.weights or not (any_network or _is_shipped_network(heads.weights)):
        return False
    return member is None or not heads.complete or any(head.name == member for head in heads.heads)


def _heads(file: Path) -> RowIndex:
    """The heads of a file, of a very large one only the first."""
    heads = RowIndex(file)
    large = heads.signature is not None and heads.signature.size > LARGEST
    while heads.step() and not (large and heads.found):
        pass
    return heads


def _is_shipped_network(weights: int) -> bool:
    from game.networks.shipped import by_width
    from game.networks.spec import NetworkError

    try:
        by_width(weights)
    except NetworkError:
        return False
    return True
