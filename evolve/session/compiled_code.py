"""The compiled code of a session: loaded before workers are forked, and compiled by two processes at the first start.

The first generation waits only for the code of its games. This process compiles moves and games; the second one
compiles networks, then the choice of a move by search. If the games use search, this process also compiles one
iteration of it, so that both have about the same work. Then the second process compiles the rest of the code that
sessions share with matches and the window (`game.shared_code`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from evolve.config.model import Config
from evolve.session import champion_rating
from evolve.workers.processes import choose_start_method
from game import moves, shared_code
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.compiled import compiling, kernel_cache
from game.compiled.compiling import CompileProcess
from game.networks import kernels, sum_kernels
from game.networks.evaluator import Evaluator, program_of
from game.rules import DrawRules
from game.search.interface import ONE_PLY, PLAIN, Limits, SearchOptions, needs_search
from game.search.memory import Memory
from game.search.search import Binding

WARM_UP_PLIES = 8

Tell = Callable[[str, int, int], None]
"""Called with the name of the next step, its number, and the number of steps."""


class CompiledCode:
    """The code that a session has to load, and the second process that compiles some of it at the first start.

    Args:
        wait: called about ten times a second while the first games wait for the second process.

    Attributes:
        rest: names of the steps that the second process compiles for matches and the window, in order.
    """

    def __init__(self, config: Config, tell: Tell = lambda *_: None, wait: Callable[[], None] = lambda: None) -> None:
        self._config, self._tell, self._wait = config, tell, wait
        self._beside: CompileProcess | None = None
        self._needed = 0
        self.rates = not config.rating.every
        self.rest: tuple[str, ...] = ()

    def load_for_games(self) -> None:
        """Load the code of games, so that forked workers have it, and the code of ratings if already compiled."""
        steps = load_steps(self._config)
        for number, (what, load) in enumerate(steps.items(), 1):
            if self._beside is None or what != "ratings":
                self._tell(what, number, len(steps))
            if self._beside is None:
                if compiling.is_there(load):
                    continue
                self._begin_beside()
            if self._beside is not None and what == "ratings":
                return
            self._finish(what, load, self._wait)
        self.rates = True

    def load_for_ratings(self, tick: Callable[[], None]) -> None:
        """Load the code of ratings once it is compiled; until then, call `tick` ten times a second (it may raise)."""
        self._finish("ratings", load_steps(self._config)["ratings"], tick)
        self.rates = True

    def finish(self, tell: Tell, tick: Callable[[], None]) -> None:
        """Wait for the rest of the shared code, if any; call `tick` ten times a second (it may raise)."""
        if self._beside is None or not self.rest:
            return
        for number, what in enumerate(self.rest, 1):
            if not self._beside.has_done(self._needed + number):
                tell(what, number, len(self.rest))
                self._beside.wait(self._needed + number, tick)
        self._beside.wait(self._needed + len(self.rest) + 1, tick)

    def close(self) -> None:
        if self._beside is not None:
            self._beside.close()

    def _begin_beside(self) -> None:
        if kernel_cache.CACHE_FOLDER is None:  # processes share compiled code only through the cache
            return
        networks, searches = partial(_networks, self._config), _is_searching(self._config)
        rates = self._config.rating.every > 0
        choice = [partial(_choice, self._config)] if searches or rates else []
        anchors = [partial(Memory, PLAIN)] if rates else []  # the fixed opponents search without options
        method = choose_start_method(self._config.workers.start_method)
        tasks: list[Callable[[], object]] = [networks, *choice, *anchors]
        self._needed = len(tasks)
        if not shared_code.is_complete():
            steps = load_steps(self._config)
            self.rest = tuple(what for what in shared_code.STEPS if what not in steps)
            tasks += [*(shared_code.STEPS[what] for what in self.rest), shared_code.complete]
        self._beside = CompileProcess(tasks, start_method=method)

    def _finish(self, what: str, load: Callable[[], object], tick: Callable[[], None]) -> None:
        if self._beside is not None:
            self._beside.wait({"networks": 1, "games with search": 2, "ratings": 3}.get(what, 0), tick)
        load()  # compiles whatever the second process did not


def load_steps(config: Config) -> dict[str, Callable[[], object]]:
    """Return functions that load or compile parts of the code, by name, each part after the parts that it needs."""
    searches = _is_searching(config)
    return {
        "moves": partial(_moves, config),
        **({"search": partial(_search, config)} if searches else {}),
        "networks": partial(_networks, config),
        **({"games": partial(_games, config, ONE_PLY, PLAIN)} if config.network.values else {}),
        # Two plies load the code for any depth.
        **({"games with search": partial(_games, config, Limits(2), config.search.style())} if searches else {}),
        **({"ratings": partial(champion_rating.warm_up, config)} if config.rating.every else {}),
    }


def load_all(config: Config) -> None:
    """Load or compile the code of games and ratings in this process alone."""
    for load in load_steps(config).values():
        load()


def _is_searching(config: Config) -> bool:
    searches = needs_search(config.search.limits(config.generations), config.search.style())
    return searches and config.network.values


def _moves(config: Config) -> None:
    moves.legal_moves(Position.start())
    if not _is_searching(config):  # otherwise this process also compiles the search, and has more to do than the other
        _genomes(config)


def _genomes(config: Config) -> None:
    Evaluator(config.network, np.zeros(config.network.weights, np.float32))


def _networks(config: Config) -> None:
    _genomes(config)
    program = program_of(config.network)
    plan, taps, none = program.plan.ctypes.data, program.taps.ctypes.data, np.uint64(0)
    params, sums = np.zeros(program.params, np.float32), np.zeros(program.sums, np.float32)
    parameters, memory = params.ctypes.data, sums.ctypes.data
    sum_kernels.rebuild(none, none, none, 0, plan, parameters, 0, 0, memory)
    kernels.score_moves(none, none, none, 0, 0, 0, plan, taps, parameters, np.float32(1), memory, 0, 0)  # no moves


def _games(config: Config, limits: Limits, style: SearchOptions) -> None:
    genomes = np.zeros((2, config.network.weights), np.float32)
    field = BatchPlayers.of_networks(config.network, genomes, limits=limits, style=style)
    rules = DrawRules(max_plies=WARM_UP_PLIES)
    for keep in (False, True):
        play_all(field, [0], [1], rules=rules, keep=keep, adjudicate=config.games.adjudicate)


def _search(config: Config) -> None:
    Memory(replace(config.search.style(), tablebase=0))


def _choice(config: Config) -> None:
    from game.search.batch_kernels import choose

    choose.compile()
    if _is_searching(config):
        Binding.of(Evaluator(config.network, np.zeros(config.network.weights, np.float32)))
