"""Champions as opponents, found by name or as a measured level without reading weights.

The first frame of the window must not wait for weights, so only folders and the beginnings of files are read here.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config.search import Search
from evolve.run import manifest
from evolve.run.files import CONFIG, signature
from evolve.run.row_index import ANY_TABLE, RowIndex
from evolve.run.runs import CHAMPION_RUN, Runs, is_as_shipped
from evolve.run.weights_file import weights_path
from evolve.strength.levels import LEVELS, Level
from extras import file_kind
from game.errors import InputError
from game.players.names import RESERVED, TABLES, PlayerName, PlayerNameError, parse_name, read_settings
from game.search.interface import TREE_LIMITS, Limits
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.model import seats

if TYPE_CHECKING:
    from evolve.run.folder import Run

TRIED = 4
"""Maximum number of runs that are searched for a champion."""

LIMITS = {"depth", "nodes", "time"}
"""Options of names that limit a search."""

LARGEST = 2 << 20
"""Maximum size in bytes of a file that is read whole before the first picture; larger files are read in part."""


def first_champion(runs: Path) -> ListedPlayer | None:
    """Return the champion of the shipped run, or of the newest run that has one."""
    shipped_first = [CHAMPION_RUN, *(Runs(runs).player_name(run) for run in _newest_first(runs)[:TRIED])]
    return next(filter(None, (champion(runs, name) for name in shipped_first)), None)


def _newest_first(runs: Path) -> list[Path]:
    dated: list[tuple[int, Path]] = []
    with contextlib.suppress(OSError):
        for run in (run for folder in Runs(runs).folders() if folder.is_dir() for run in folder.iterdir()):
            known = signature(run / manifest.NAME)
            if known is not None and run.name[0] != ".":
                dated.append((known.changed, run))
    return [run for _, run in sorted(dated, reverse=True)]


def champion(runs: Path, run: str, number: int | None = None) -> ListedPlayer | None:
    """Return the champion of a generation, by default the newest; None if there is none, or its file is damaged."""
    folder = Runs(runs).path(run)
    if number is None:
        with contextlib.suppress(OSError):
            number = manifest.last_number(folder)
    if number is None or number < 0:
        return None
    best = next(iter(_heads(folder / manifest.generation_name(number)).so_far), None)
    if best is None:
        return None
    player = seats.individual(Runs(runs).player_name(folder))
    individual = ListedPlayer(folder, number, best.name, EntryKind.CHAMPION, player, run)
    return individual.with_facts(best)._replace(results=None)


def first_of_file(path: Path) -> ListedPlayer:
    """Return the first individual of a CSV file; if the file cannot be read or played, with the reason."""
    if (kind := file_kind(path.name)) is not None:
        return _player_in(path, kind)
    heads = _heads(path, ANY_TABLE)
    trouble = heads.damage or ("" if heads.so_far else "it has no rows") or unknown_width(path, heads.weights)
    if trouble:
        return ListedPlayer(None, None, path.name, EntryKind.DAMAGED, source=path.name, trouble=f"{path}: {trouble}")
    return ListedPlayer.of_file(path, heads.so_far[0])


def _player_in(path: Path, kind: Any) -> ListedPlayer:
    """Return the player of a file that is one player (`extras.Extra.files`)."""
    try:
        kind.read(path)
    except InputError as error:
        return ListedPlayer(None, None, path.name, EntryKind.DAMAGED, source=path.name, trouble=str(error))
    return ListedPlayer(None, None, path.name, EntryKind.EXTERNAL, seats.individual(str(path)), path.name)


def unknown_width(path: Path, weights: int) -> str:
    """Return why a file with this many weights per row cannot be played; empty if its network is known."""
    from evolve.run.folder import Run
    from game.networks.named import by_width
    from game.networks.spec import NetworkError

    try:
        if Run.of_file(path)[0] is None:
            by_width(weights)
    except NetworkError as error:
        return str(error)
    return ""


def evolved_limits(runs: Path, player: str) -> Limits | None:
    """Return the search limits with which an individual plays by its run; None if no run records them."""
    with contextlib.suppress(OSError, ValueError):
        run, number = run_of(runs, player)
        if run is not None:
            number = max(run.manifest().newest, 0) if number is None else number
            if search_of(runs, player) == "tree":
                return TREE_LIMITS
            return Search.from_table(run.tables(number).get("search", {})).played_limits(number)
    return None


def search_of(runs: Path, player: str) -> str:
    """Return the value of the option ``search`` of an individual, from its name or its run; empty by its network."""
    search = parse_name(player).options.get("search")
    if search is not None:
        return search
    with contextlib.suppress(OSError, ValueError):
        run, _ = run_of(runs, player)
        if run is not None:
            return run.default_search()
    return ""


def is_policy(runs: Path, player: str) -> bool:
    """Return whether an individual plays by a policy, without a search."""
    if search_of(runs, player) in ("policy", "glance"):
        return True
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
    if target.lower().endswith(TABLES):
        return Run.of_file(Path(target))
    name, number = Runs(runs).split_generation(target)
    run = None if target in RESERVED else Run.find(runs, name)
    return run, None if number is None else int(number)


def is_known(runs: Path, name: PlayerName) -> bool:
    """Return whether a name certainly belongs to a player; if False, only reading weights can decide."""
    if name.target in RESERVED:
        return name.member is None and not name.options
    file, any_network = Path(name.target), False
    if not name.target.lower().endswith(TABLES):
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


def check_player(runs: Path, text: str) -> PlayerName:
    """Return the name of an existing player; its weights are read only if that is the only way to check it.

    Raises:
        InputError: there is no such player.
    """
    name = parse_name(text)
    read_settings(name)
    seats.seat_for(name)
    if not is_known(runs, name):
        from evolve.names.registration import register
        from game.players.registry import player

        register(runs)
        player(name)
    return name


def find_opponent(runs: Path, text: str) -> PlayerName:
    """Return the name of an existing player, or of the player of a level.

    Raises:
        InputError: there is no such player.
    """
    try:
        return check_player(runs, player_of_level(runs, text))
    except PlayerNameError as error:
        if not text.strip().isalpha():  # not a level with a mistake
            raise
        raise PlayerNameError(f"{error}, or a level: {', '.join(level.name for level in LEVELS)}") from error


def player_of_level(runs: Path, text: str) -> str:
    """Return the player of a level named by the text, in any case, with its depth; other texts remain as they are.

    A run or file of players with this name goes first.

    Raises:
        PlayerNameError: the run of the level is another one than the shipped one.
    """
    level = next((level for level in LEVELS if level.name.lower() == text.strip().lower()), None)
    if level is None or Runs(runs).find(text) is not None or Runs(runs).file(text) is not None:
        return text
    run = Runs(runs).path(level.run)
    if run.is_dir() and not is_as_shipped(run, level.run):
        raise PlayerNameError(f"{text}: the run {level.run} of this level is not as shipped in {runs}")
    return level.text


def _has(file: Path, member: str | None, *, any_network: bool) -> bool:
    heads = _heads(file, ANY_TABLE)
    if heads.damage:
        return False
    if not heads.weights:
        if not weights_path(file).is_file():  # large networks belong to runs, which have their specification
            return False
    elif not (any_network or _is_shipped_network(heads.weights)):
        return False
    return member is None or not heads.complete or any(head.name == member for head in heads.heads)


def _heads(file: Path, checksums: tuple[str, ...] = ()) -> RowIndex:
    """Read the individuals of a file without their weights; only the first ones if the file is very large."""
    heads = RowIndex(file, checksums)
    large = heads.signature is not None and heads.signature.size > LARGEST
    while heads.step() and not (large and heads.so_far):
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


def find_level(runs: Path, level: Level) -> ListedPlayer | None:
    """Return the champion behind a level with its measured rating; None if its run differs from the shipped one."""
    if not is_as_shipped(Runs(runs).path(level.run), level.run):
        return None
    best = champion(runs, level.run, level.generation)
    return None if best is None else best._replace(player=level.player, rating=level.interval)
