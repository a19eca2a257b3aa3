"""Crownhead from Python: evolve players, read runs, play games, in a notebook or a script.

For example::

    import crownhead

    summary = crownhead.run("cowan", settings=["seed=1", "generations=8"])
    champion = crownhead.player(summary.run.player_name)
    print(crownhead.match(champion, "random").estimate.elo)

Importing this module loads nothing else; each name is loaded on first use.

Names in `__all__`, their parameters and the attributes of their results stay stable (docs/stable.md); the other modules
below `crownhead` may change in any version.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than this module
if TYPE_CHECKING:
    from pathlib import Path

    from evolve.run.folder import Run
    from evolve.strength.match import MatchResult
    from extras.notebooks.board import Board as Board
    from extras.notebooks.sessions import Arena as Arena
    from extras.notebooks.sessions import resume as resume
    from extras.notebooks.sessions import run as run
    from game.installation import VERSION as __version__
    from game.players.player import Player

__all__ = ["Arena", "Board", "__version__", "match", "open_run", "player", "resume", "run"]

if not os.path.isdir(os.path.join(os.path.dirname(__file__), "game")):
    from crownhead import checkout as checkout

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'crownhead' has no attribute {name!r}")
        import importlib

        extras = importlib.import_module("crownhead.extras")
        places = {"__version__": "game.installation:VERSION", **dict(extras.added("python"))}
        if name not in places:
            raise AttributeError(f"crownhead.{extras.missing(name, 'crownhead.')}")
        module, _, original = places[name].partition(":")
        globals()[name] = value = getattr(importlib.import_module(f"crownhead.{module}"), original)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def open_run(which: str | Path, runs: Path | None = None) -> Run:
    """Open a run to read its log, generations and configuration.

    Args:
        which: its name, or the path of its folder.
        runs: folder of runs, by default the one that commands use.

    Raises:
        RunError: there is no such run; the message lists similar names.
    """
    from evolve.run.folder import Run

    return Run.open(str(which), runs)


def player(name: str, *, runs: Path | None = None) -> Player:
    """Return the player with a name as on the command line: ``random``, ``cowan-1@15,depth=4``, ``three.csv:Anna``.

    Args:
        name: a player, a run, one of its generations or individuals, or a CSV file, optionally with options.
        runs: folder of runs, by default the one that commands use.

    Raises:
        PlayerNameError: no player has this name, or an option is invalid.
        InputError: the file or run cannot be used.
    """
    from evolve.names.registration import register
    from evolve.run.runs import Runs
    from game.players import registry

    register(Runs().folder if runs is None else runs)
    return registry.player(name)


def match(
    a: Player | str, b: Player | str, games: int = 200, *, openings: str = "three-move", seed: int = 0
) -> MatchResult:
    """Play a match in colour-swapped pairs over different openings, and return its score and Elo with 95 % intervals.

    Args:
        a: the player, or its name; the result is from its point of view.
        b: the opponent, or its name.
        games: an even number.
        openings: ``three-move``, or another kind that ``crownhead match --openings`` takes.
        seed: the same seed produces the same games.

    Raises:
        InputError: a name, the number of games or the kind of openings is invalid, or there are too few openings.
    """
    from evolve.strength.match import play_match

    first, second = (player(each) if isinstance(each, str) else each for each in (a, b))
    return play_match(first, second, games, kind=openings, seed=seed)
