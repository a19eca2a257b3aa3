"""Learning who wins with few pieces, from positions of tablebases.

Positions are drawn with their values when a session begins, or anew for each generation (`learning.fresh`); results
that are in no tables are searched (`extras.learning.proofs`).

Source: Wang, Mueller and Schaeffer, Deep dive on checkers endgame data (2023), for the task, weights and measures.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from evolve.streams import Draw, stream
from extras.learning import endgame_measures, first_network, proofs
from extras.learning.endgame_measures import JudgedCounts
from extras.learning.endgame_method import Endgame
from extras.learning.fit import Fit, endless_order, warming
from extras.learning.forward import inputs_of, outputs
from extras.learning.proofs import AboveTables
from extras.learning.samples import PARTS, TEST, TRAINING, VALIDATION, SampleSource, TableSamples
from extras.learning.session import DivergedError, Learner, Learnt, Outcome, Workshop
from game.endgame.table_file import tablebase_folder
from game.endgame.tables import complete_tables
from game.networks.spec import Spec

NUMBERS = 1 << 17
"""Number of samples whose parts are found at a time."""
KEPT = 0.5
"""At least this share of positions is quiet, which decides how many numbers a generation with `fresh` may use."""

Arrays = tuple[NDArray[Any], ...]
Floats = NDArray[np.float32]


class EndgameLearner(Learner):
    def __init__(self, workshop: Workshop) -> None:
        super().__init__(workshop)
        method, spec = self.config.learning.method, self.config.network
        assert isinstance(method, Endgame)
        method.check_outside()
        self._method = method
        self._validation: TableSamples | None = None
        self._above = AboveTables(self.config, workshop.map)
        self._tables = complete_tables(method.tables_to, "learning.pieces_to")
        self._sources = [
            (SampleSource(self.config.seed, *numbers, method.quiet, method.balanced, sides), share)
            for numbers, sides, share in method.selections
        ]
        self._source = self._sources[0][0]
        steps = max(1, method.samples // method.batch)
        self._shape = steps, method.samples // steps
        self._rate = warming(method.rate, steps * method.settled)
        weights_of_results = jnp.ones(3) if method.above else jnp.asarray(self._weights())

        def loss(weights: Any, words: Any, results: Any) -> Any:
            bits = (words[:, :, None] >> jnp.arange(32, dtype=jnp.uint32)) & 1
            heads = outputs(spec, weights, bits.astype(jnp.float32))
            cost = optax.softmax_cross_entropy_with_integer_labels(heads, results.astype(jnp.int32))
            return jnp.mean(weights_of_results[results] * cost)

        optimiser = optax.adamw(self._rate, weight_decay=method.decay)
        if method.frozen:
            part = jnp.asarray(last_layers(spec, method.tuned))
            optimiser = optax.chain(optimiser, optax.stateless(lambda changes, _: changes * part))
        self.fit = Fit(loss, optimiser, spec.weights)
        if not method.above:
            self._prepare()

    def _prepare(self) -> None:
        method = self._method
        self._validation = self._draw(VALIDATION, method.measured)
        if not method.fresh:
            samples = self._draw(TRAINING, method.positions)
            self._arrays = arrays_of(samples)
            there = f" of {sum(source.places for source, _ in self._sources):,}" * (not method.above)
            self.workshop.say(f"{len(samples):,}{there} positions with {method.pieces_text} to learn from")

    def begin(self) -> Outcome:
        if self._method.teacher:
            weights = np.asarray(self._method.first(self.config.network).read(), np.float32)
        else:
            weights = first_network.random_weights(self.config.network, stream(self.config.seed, 0, Draw.LEARNING))
        if self._method.above:
            self.workshop.share([weights])
            self._prepare()
        return Outcome(self.fit.begin(weights), numbers=self._numbers(0, weights))

    def learn(self, generation: int, learnt: Learnt) -> Outcome:
        if self._validation is None:  # the searches that prove results are by the first network
            self.workshop.share([self.workshop.earlier(0)])
            self._prepare()
        arrays = self._fresh(generation) if self._method.fresh else self._arrays
        order = endless_order(self.config.seed, 1 if self._method.fresh else generation, len(arrays[0]), self._shape)
        fitted, loss = self.fit.run(learnt, arrays, order, self.workshop.work)
        return Outcome(fitted, order.size, loss, numbers=self._numbers(generation, fitted.weights))

    def _weights(self) -> NDArray[np.float32]:
        above = {info.slice: info for info in self._method.infos_above()}
        of_sources = []
        for source, _ in self._sources:
            infos = [above.get(which) or self._tables.info(which) for which in source.slices]
            names = "wins", "draws", "losses"
            of_sources.append(np.array([sum(getattr(each, name) for each in infos) for name in names], float))
        # Counts of the other source as if it were as large as its share says.
        (counts, *others), (share, *shares) = of_sources, [share for _, share in self._sources]
        for other, its_share in zip(others, shares, strict=True):
            counts = counts + other * (its_share / share * counts.sum() / other.sum())
        weights = (counts.sum() / np.maximum(counts, 1)) ** self._method.weighting
        mean = (counts * weights).sum() / counts.sum()
        normalised: NDArray[np.float32] = (weights / mean).astype(np.float32)
        return normalised

    def _draw(self, part: int, count: int) -> TableSamples:
        method = self._method
        if not method.above:
            return TableSamples.joined(
                [self._of_tables(source, part, 0, round(share * count)) for source, share in self._sources]
            )
        numbers, heads = range(method.pieces_from, method.pieces_to + 1), list[TableSamples]()
        shares = [(at + 1) * count // len(numbers) - at * count // len(numbers) for at in range(len(numbers))]
        for pieces, share in zip(numbers, shares, strict=True):
            if pieces not in method.above:
                source = replace(self._source, pieces_from=pieces, pieces_to=pieces)
                heads.append(self._of_tables(source, part, 0, share))
                continue
            drawn = self._above.draw(part, pieces, share, partial(self.workshop.work, "positions"))
            tasks = endgame_measures.tasks_of(self.config, drawn, proofs.POSITIONS_A_TASK)
            proved = self.workshop.map(proofs.prove, tasks)
            sizes = [len(task.samples) for task in tasks]
            heads += self.workshop.follow(proved, sizes, f"positions with {pieces} pieces to search")
        return TableSamples.joined(heads)

    def _of_tables(
        self, source: SampleSource, part: int, first: int, count: int, last: int | None = None
    ) -> TableSamples:
        heads, last = list[TableSamples](), source.places if last is None else last
        folder = tablebase_folder() if source.pieces_to > self._method.tables_to else None
        have = 0
        while have < count and first < last:
            end = min(first + NUMBERS, last)
            heads.append(source.draw(part, first, end, None if folder else self._tables))
            have, first = have + len(heads[-1]), end
            self.workshop.work("positions", min(have, count), count)
        samples = TableSamples.joined(heads)[:count]
        return source.look_up(samples, folder) if folder else samples

    def _fresh(self, generation: int) -> Arrays:
        """Return positions that no earlier generation has learnt from, until all positions have been used."""
        wanted = self._shape[0] * self._shape[1]
        numbers = int(wanted * PARTS / (PARTS - 2) * (1 / KEPT if self._method.quiet else 1.05)) + NUMBERS
        rounds = max(1, self._source.places // numbers)
        first = (generation - 1) % rounds * numbers
        last = min(first + numbers, self._source.places)
        return arrays_of(self._of_tables(self._source, TRAINING, first, wanted, last))

    def _numbers(self, generation: int, weights: Floats) -> dict[str, float | int | None]:
        numbers: dict[str, float | int | None] = dict.fromkeys(Endgame.columns)
        assert self._validation is not None
        tally = self._judged(weights, self._validation)
        if not np.isfinite(tally.loss):
            raise DivergedError(generation, "outputs of the network are not finite numbers")
        threshold = tally.best_threshold()
        numbers |= tally.columns(threshold)
        numbers |= {"rate": float(self._rate(generation * self._shape[0])), "threshold": threshold}
        if generation == self.config.generations:
            test = self._judged(weights, self._test())
            numbers |= test.columns(threshold, "test_")
        return numbers

    def _test(self) -> TableSamples:
        if self._method.above:
            self.workshop.share([self.workshop.earlier(0)])
        return self._draw(TEST, self._method.measured)

    def _judged(self, weights: Floats, samples: TableSamples) -> JudgedCounts:
        self.workshop.share([weights])
        tasks = endgame_measures.tasks_of(self.config, samples)
        sizes = [len(task.samples) for task in tasks]
        judged = self.workshop.map(endgame_measures.judge, tasks)
        return endgame_measures.total(self.workshop.follow(judged, sizes, "positions to judge"))


def last_layers(spec: Spec, count: int) -> Floats:
    """Return 1 for each weight and bias of the last layers, of which the head is one, 0 for all others."""
    chosen = np.zeros(spec.weights, np.float32)
    for at in range(max(len(spec.layers) + 1 - count, 0), len(spec.layers) + 1):
        for part in spec.layer_parts(at):
            part.of(chosen)[...] = 1
    return chosen


def arrays_of(samples: TableSamples) -> Arrays:
    """Return what the loss takes: a word of 32 squares for each kind of piece, and indexes of win, draw and loss."""
    words = [np.empty((0, 4), np.uint32)]
    for first in range(0, len(samples), NUMBERS):
        bits = inputs_of(samples.rows[first : first + NUMBERS]).astype(np.uint8)
        words.append(np.packbits(bits, axis=2, bitorder="little").view("<u4")[:, :, 0].astype(np.uint32))
    return np.concatenate(words), (1 - samples.values).astype(np.uint8)
