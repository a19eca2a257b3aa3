"""A session in which one network learns: each generation is the network after more training.

A learner makes each generation from the previous one; `LearningSession` saves it, and plays a game for the record.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve.breeding.inheritance import individual_name
from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.run import champions
from evolve.run.files import write_atomically
from evolve.run.generation_csv import Generation
from evolve.run.manifest import Manifest
from evolve.session import create, saving
from evolve.session.frame import Made, Session
from evolve.strength.effort import ballot_game
from evolve.strength.elo import RatingEstimate
from evolve.workers.processes import SharedRows, Workers
from game.errors import InputError
from game.installation import imported

Floats = NDArray[np.float32]


class DivergedError(InputError):
    """Training has led to numbers that are not finite."""

    def __init__(self, generation: int, text: str) -> None:
        super().__init__(f"generation {generation}: {text}")
        self.generation, self.text = generation, text


@dataclass(frozen=True)
class Learnt:
    """A network in training: the data that one generation passes to the next.

    Attributes:
        weights: float32 of shape (network.weights,).
        state: state of the optimiser, float32 of shape (method.state_size,).
    """

    weights: Floats
    state: Floats


@dataclass(frozen=True)
class Outcome:
    """A generation of learning.

    Attributes:
        loss: mean loss over these positions; None if nothing was learnt.
        wins: games won by the learning network; by Black if it played itself.
    """

    learnt: Learnt
    samples: int = 0
    loss: float | None = None
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    plies: int = 0
    evaluations: int = 0
    numbers: Mapping[str, float | int | None] = field(default_factory=dict)

    def with_games(self, results: Sequence[int] | NDArray[np.integer[Any]], plies: int, evaluations: int) -> Outcome:
        """Return the generation with the games that it has learnt from: their results are 1, 0 or -1."""
        wins, draws, losses = (int(np.count_nonzero(np.asarray(results) == each)) for each in (1, 0, -1))
        return replace(
            self, games=len(results), wins=wins, draws=draws, losses=losses, plies=plies, evaluations=evaluations
        )


@dataclass(frozen=True)
class Workshop:
    """The services that a session provides to a learner.

    Attributes:
        share: gives genomes to the workers, for functions marked by `refers_to_rows`; at most the method's `places`.
        work: reports the progress of other work: its name, the amount done, the total; it also calls `tick`.
        tick: reads requests; must be called about ten times a second while none of the above is called. It may raise.
        say: sends a message to the reporter.
    """

    config: Config
    share: Callable[[Sequence[Floats]], None]
    map: Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
    follow: Callable[[Iterable[Any], Sequence[int], str], Iterator[Any]]
    work: Callable[[str, int, int], None]
    tick: Callable[[], None]
    say: Callable[[str], None]
    earlier: Callable[[int], Floats]


class Learner(ABC):
    """The training of one network. All randomness is derived from the seed, the generation and an index.

    Attributes:
        files: further files of the run, for its players, by name.

    Raises:
        InputError: the data to learn from cannot be used.
    """

    def __init__(self, workshop: Workshop) -> None:
        self.workshop, self.config = workshop, workshop.config
        self.files = dict[str, bytes]()

    @abstractmethod
    def begin(self) -> Outcome:
        """Return generation 0."""

    @abstractmethod
    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        """Return a later generation."""


class LearningSession(Session):
    threads: ClassVar[bool] = True
    _learner: Learner
    _learnt: Learnt
    _recent: dict[int, Floats]

    @property
    def places(self) -> int:
        return max(1, self.config.learning.method.places)

    def begin(self, manifest: Manifest, workers: Workers, shared: SharedRows) -> None:
        self._recent = {}
        workshop = Workshop(
            self.config,
            lambda genomes: shared.put(genomes, np.full(len(genomes), self.config.network.king, np.float32)),
            self.map, self.follow, self._work, self.control.tick, self.reporter.on_message, self._earlier,
        )  # fmt: skip
        self._learner = imported(self.config.learning.method.learner)(workshop)
        for name, data in self._learner.files.items():
            write_atomically(self.run_folder.path / name, data)
        parents = create.parents(self.run_folder, manifest, self.config)
        if parents:
            state = parents[0].state
            self._learnt = Learnt(np.array(parents[0], np.float32), np.empty(0, np.float32) if state is None else state)

    def make(self, generation: int) -> Made:
        before = () if generation == 0 else (individual_name(generation - 1, 0),)
        outcome = self._learn(generation)
        self._learnt = outcome.learnt
        self._recent = {number: each for number, each in self._recent.items() if number >= generation - 2}
        self._recent[generation] = outcome.learnt.weights
        rows = _rows(outcome, individual_name(generation, 0), before)
        champion = Individual(outcome.learnt.weights, rows.names[0], king=self.config.network.king)

        def record(seconds: float, rating: RatingEstimate | None) -> dict[str, Any]:
            return _record(generation, rows.names[0], outcome, seconds, rating)

        return Made(rows, champion, record, self._game(generation, champion))

    def _learn(self, generation: int) -> Outcome:
        try:
            outcome = self._learner.learn(generation, self._learnt) if generation else self._learner.begin()
            if not all(np.isfinite(numbers).all() for numbers in (outcome.learnt.weights, outcome.learnt.state)):
                raise DivergedError(generation, "training gives weights that are not finite numbers")
            state, expected = len(outcome.learnt.state), self.config.state_size
            if state != expected:  # else the run could not be resumed
                kind = self.config.learning.method.kind
                raise InputError(f"learning.method = {kind}: its state has {state} numbers, state_size is {expected}")
        except DivergedError as error:
            run, sound = self.run_folder, error.generation - 1
            way = f"{run.verb} --branch {run.cli_name}@{sound}" if sound >= 0 else "begin again"
            raise DivergedError(error.generation, f"{error.text}; {way} with other values of [learning]") from error
        return outcome

    def _work(self, what: str, done: int, total: int) -> None:
        """Report progress, and read requests, since nothing else reads them during a fit."""
        self.on_work(what, done, total)
        self.control.tick()

    def _game(self, generation: int, champion: Individual) -> bytes:
        """Return a game from a ballot against the previous network (generation 0: against itself), as PDN."""
        before = max(generation - 1, 0)
        previous = Individual(self._earlier(before), individual_name(before, 0), king=self.config.network.king)
        black, white = (champion, previous) if generation % 2 else (previous, champion)
        return ballot_game(self.config, generation, black, white)

    def _earlier(self, generation: int) -> Floats:
        if generation in self._recent:  # the newest may not be on disk yet
            return self._recent[generation]
        known = self.run_folder.manifest()
        rows = self.run_folder.read_generation(generation, thinned=True)
        if rows.genomes is not None:
            rows = champions.champion_of(self.run_folder, known, generation, rows)
        weights: Floats = rows.weights[0]
        return weights


def _rows(outcome: Outcome, name: str, before: tuple[str, ...]) -> Generation:
    points = 2 * outcome.wins + outcome.draws
    return Generation(
        [name],
        outcome.learnt.weights[None, :],
        np.ones(1, np.int64),
        ["learnt" if before else "founder"],
        [before],
        np.array([[outcome.games, outcome.wins, outcome.draws, outcome.losses, points]], np.int64),
        state=outcome.learnt.state[None, :] if len(outcome.learnt.state) else None,
    )


def _record(
    generation: int, name: str, outcome: Outcome, seconds: float, rating: RatingEstimate | None
) -> dict[str, Any]:
    numbers = {"samples": outcome.samples, "loss": outcome.loss, **outcome.numbers}
    return {
        "generation": generation,
        "champion": name,
        "individuals": 1,
        **{each: getattr(outcome, each) for each in ("games", "wins", "draws", "losses")},
        "failures": 0,
        "plies": outcome.plies,
        "evaluations": outcome.evaluations,
        **{each: round(value, 6) if isinstance(value, float) else value for each, value in numbers.items()},
        **saving.rating_numbers(rating),
        "seconds": round(seconds, 6),
    }
