"""The compiled code that `evolve`, `match` and the window share: whichever starts first compiles all of it.

The code is in steps, each after those whose code it contains. A command that finds a step missing starts a second
process that compiles what the command does not need yet, so its first game does not wait for the others' code.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from game import moves
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.compiled import compiling, kernel_cache
from game.compiled.compiling import CompileProcess
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator, man_value
from game.networks.named import CNN_247
from game.players.basic import MaterialPlayer
from game.players.network import NetworkPlayer
from game.rules import DrawRules
from game.search.interface import PLAIN, Limits, SearchOptions
from game.search.memory import Memory

KERNELS = (
    *("batch/kernels.py", "endgame/build_kernels.py", "endgame/pack_kernels.py"),
    *("search/batch_kernels.py", "search/network_kernels.py", "search/tablebase_kernels.py"),
    "search/integer_network_kernels.py",
)
"""Files below `game` that, with the files that they import, contain all shared kernels."""


def _moves() -> None:
    moves.legal_moves(Position.start())
    evaluator = Evaluator(CNN_247, np.zeros(CNN_247.weights, np.float32))
    man_value(evaluator.program, evaluator.addresses, 1.0)


def _search() -> None:
    Memory(PLAIN)


def _networks() -> None:
    player = NetworkPlayer("blank", np.zeros(CNN_247.weights, np.float32))
    player.choose(Position.start(), (), SplitMix64(0))


def _games() -> None:
    field = BatchPlayers.of_networks(CNN_247, np.zeros((2, CNN_247.weights), np.float32))
    play_all(field, [0], [1], rules=DrawRules(max_plies=1), keep=True)


def _tablebases() -> None:
    from game.endgame.tables import OWN_PIECES, open_tables
    from game.search.tablebase_kernels import tablebase

    tables = open_tables(OWN_PIECES)
    tables.moves(Position.from_fen("W:WK15:BK28"))
    tablebase.compile()


def _games_with_search() -> None:
    from game.search.batch_kernels import choose
    from game.search.network_kernels import layers_evaluator

    choose.compile()
    layers_evaluator.compile()


def _selective_search() -> None:
    from game.networks.integer_kernels import AVAILABLE
    from game.search.network_kernels import evaluator

    player = MaterialPlayer(style=SearchOptions(quiescence=True, threats=True))
    player.searcher().search(Position.start(), limits=Limits(2))
    evaluator.compile()
    if AVAILABLE:  # the strongest player and the analyst of the window are quantised
        from game.search import integer_network_kernels

        integer_network_kernels.evaluator.compile()


STEPS: dict[str, Callable[[], None]] = {
    "moves": _moves,
    "search": _search,
    "networks": _networks,
    "games": _games,
    "tablebases": _tablebases,
    "games with search": _games_with_search,
    "selective search": _selective_search,
}
"""Functions that load or compile parts of the shared code, by name."""
BESIDE = ("networks", "games with search", "selective search")
"""The steps that the second process compiles if all of them are waited for; the two processes take equally long."""


def _mark() -> Path | None:
    if kernel_cache.CACHE_FOLDER is None:
        return None
    folder = Path(__file__).parent
    made_of = [kernel_cache.source_hash(folder / name) for name in KERNELS]
    key = hashlib.sha256("\0".join([*made_of, *kernel_cache.target(), kernel_cache.processor()]).encode()).hexdigest()
    return kernel_cache.CACHE_FOLDER / f"shared-{key[:24]}.complete"


def is_complete() -> bool:
    """Return whether all shared code was compiled, as far as is known without loading it."""
    try:
        mark = _mark()
        return mark is not None and (mark.exists() or (kernel_cache.SHIPPED / mark.name).exists())
    except OSError:  # a source was changed while the program ran, so nothing is kept
        return False


def complete() -> None:
    """Load or compile all shared code in this process, and record that it is compiled."""
    for load in STEPS.values():
        load()
    with contextlib.suppress(OSError):
        mark = _mark()
        if mark is not None:
            mark.touch()


def compile_all(start_method: str) -> None:
    """Compile all shared code with two processes, and report each step to the listener of `compiling`.

    Args:
        start_method: fork, forkserver or spawn.
    """
    if kernel_cache.CACHE_FOLDER is None or is_complete():
        return
    beside = CompileProcess([STEPS[what] for what in BESIDE], start_method=start_method)
    try:
        for number, (what, load) in enumerate(STEPS.items(), 1):
            with compiling.step(f"{what}, {number} of {len(STEPS)}"):
                if what in BESIDE:
                    beside.wait(BESIDE.index(what) + 1, compiling.wait)
                load()
    finally:
        beside.close()
    complete()
