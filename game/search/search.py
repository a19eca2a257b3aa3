"""The Python side of alpha-beta, which checks arguments, binds an evaluation and translates the kernels' results."""

from __future__ import annotations

import ctypes
import itertools
import math
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from game import bitboard, moves
from game.board import Position
from game.endings import is_king_move
from game.errors import InputError
from game.networks import vectors
from game.networks.evaluator import Evaluator, Program, integers_of
from game.networks.kernels import PIECES, TILE_BYTES
from game.rules import WCDF, WHITE, DrawRules
from game.search import layout as at
from game.search.interface import (
    DRAWN,
    TABLEBASE_WON,
    WIN,
    WON,
    EvaluationError,
    Limits,
    RootMove,
    SearchOptions,
    SearchResult,
    Stop,
    one_search,
)
from game.search.memory import Memory
from game.search.threads import Helpers

UNBOUNDED = (-math.inf, math.inf)
_BOUNDED = ("sigmoid", "tanh")
_GROWING = ("none", "relu")
_FLOAT, _BITS = struct.Struct("<f"), struct.Struct("<i")
_LARGEST_SUM = 1e30
"""Largest sum that is safe: float32 goes up to 3e38, so beyond this a network's value might not be finite."""
_SLACK, _ROUNDING = 1e-3, 1e-7
"""Relative slack of a bound: its minimum, and the slack for each term of the last sum, whose rounding is below 2**-24.
"""


def output_bounds(program: Program, params: NDArray[np.float32], king: float) -> tuple[float, float] | None:
    """Return bounds of a network's output before its activation, without the piece difference.

    Activations of the last hidden layer are between -1 and 1 (or 0 and 1), so an output differs from its bias by at
    most the sum of the absolute weights. The bounds are `UNBOUNDED` if these activations are not bounded, and for
    networks that see the side to move. The result is None if an output may not be finite: a game must then end at the
    same evaluation as in `game.match`, so no evaluation may be skipped.

    Args:
        params: float32 of shape (program.params,), a prepared genome.
    """
    layers = (*program.spec.layers, *program.spec.head_layers[:1])
    largest, size = float(np.abs(params).max()), max(1.0, abs(king))
    if not max(PIECES * largest, size) < _LARGEST_SUM:  # NaN is not less
        return None
    sizes = [size]
    for number, (layer, inputs) in enumerate(zip(layers, program.spec.shapes, strict=False)):
        sums = largest * (1.0 + size * math.prod(inputs)) + sizes[number - 1] * layer.residual
        if not max(sums, size) < _LARGEST_SUM or layer.activation not in _BOUNDED + _GROWING:
            return None
        size = 1.0 if layer.activation in _BOUNDED else sums
        sizes.append(size)
    if (
        program.spec.by_mover
        or program.spec.heads
        or len(layers) == 1
        or layers[-2].activation not in _BOUNDED
        or layers[-1].residual
    ):
        return UNBOUNDED
    *_, first, last, weights, bias, _, _, _ = (int(word) for word in program.plan[-TILE_BYTES // 8 :])
    taps = (last - first) // 4
    used = params[weights // 4 : weights // 4 + taps * vectors.LANES : vectors.LANES].astype(np.float64)
    middle, reach = float(params[bias // 4]), float(np.abs(used).sum())
    slack = max(_SLACK, taps * _ROUNDING) * (reach + abs(middle))
    return middle - reach - slack, middle + reach + slack


def float_words(values: tuple[float, float]) -> tuple[int, int]:
    """Return the bits of two float32 as words of the context."""
    low, high = struct.unpack("<2i", struct.pack("<2f", *values))
    return low, high


MARGINS = 0.2, 0.2
"""Margins of pruning, in men: the most by which a quiet move is assumed to raise, and to lower, the evaluation."""
_LARGEST = 1e38
WIDER = 4.0
"""A weight w of `Spec.margins` makes its margin wider, or narrower if negative, by the factor 1 + WIDER |w|."""


def margins_in_men(program: Program, params: int) -> tuple[float, ...]:
    """Return `MARGINS`, times 1 + `WIDER` |w| for a network's own weight w, or divided by it if w is negative."""
    if program.margins < 0:
        return MARGINS
    weights = struct.unpack("<2f", ctypes.string_at(params + program.margins, 8))
    ways = [1.0 + WIDER * abs(weight) for weight in weights]
    return tuple(
        size * way if weight >= 0.0 else size / way for size, way, weight in zip(MARGINS, ways, weights, strict=True)
    )


@dataclass(frozen=True)
class Binding:
    """An evaluation as words of the context. Keep the memory behind its addresses alive during every search with it.

    Attributes:
        words: int64: kind, evaluator, plan, taps, parameters, king value (bits), bytes of a position's sums, and the
            margins of pruning, up and down (bits for networks).
    """

    words: tuple[int, ...]
    sums: int = 0
    scratch: int = 0

    @classmethod
    def of(cls, evaluator: Evaluator | None, *, pruning: bool = False) -> Binding:
        """Return the binding of a prepared genome, or of material if None, with margins if pruning is requested."""
        if evaluator is None:
            return cls((at.MATERIAL, 0, 0, 0, 0, 0, 0, *(round(part * at.MAN_VALUE) for part in MARGINS)))
        man = evaluator.man if pruning else 0.0
        return cls.of_network(evaluator.program, evaluator.addresses, float(evaluator.king), man)

    @classmethod
    def of_network(cls, program: Program, addresses: tuple[int, int, int], king: float, man: float = 0.0) -> Binding:
        """Return the binding of a network, given the addresses of its plan, taps and parameters.

        Args:
            man: the value of a man (`game.networks.evaluator.man_value`), which pruning needs.
        """
        margins = [part * man for part in margins_in_men(program, addresses[2])]
        # Margins in men are meaningless for a network that gives men no value, so nothing is pruned.
        margins = [margin if 0.0 <= margin < _LARGEST else math.inf for margin in margins]
        bits = struct.unpack("<3i", struct.pack("<3f", king, *margins))
        size = 4 * program.sums
        integers = integers_of(program, addresses[2])
        if integers is not None:
            from game.search.integer_network_kernels import evaluator

            start = addresses[2] + 4 * integers.start
            addresses, size = (integers.plan.ctypes.data, addresses[1], start), size // 2
        elif program.layers_alone:
            from game.search.network_kernels import layers_evaluator as evaluator
        else:
            from game.search.network_kernels import evaluator
        words = (at.NETWORK, evaluator.address, *addresses, bits[0], size, *bits[1:])
        return cls(words, program.sums, program.scratch)


class AlphaBeta:
    """Alpha-beta search with its memory (see `game.search.interface.Searcher`).

    Args:
        evaluator: the network that evaluates positions; None for material.
    """

    def __init__(self, evaluator: Evaluator | None = None, style: SearchOptions | None = None) -> None:
        self.evaluator = evaluator
        binding = Binding.of(evaluator, pruning=style is not None and style.pruning)
        style = style or SearchOptions()
        sizes = {"sums": binding.sums, "scratch": binding.scratch}
        self._memories = [Memory(style, **sizes) for _ in range(2 if style.keeps_table else 1)]
        for memory in self._memories:
            memory.bind(binding.words)
        alone = replace(style, threads=1, table=0, table_bits=1)
        self._helpers = Helpers([Memory(alone, **sizes) for _ in range(style.threads - 1)])
        self.memory = self._memories[0]
        self._last: dict[int, tuple[tuple[Position, ...], object]] = {}
        self._busy = threading.Lock()

    def search(
        self,
        position: Position,
        history: Sequence[Position] = (),
        *,
        limits: Limits,
        rules: DrawRules = WCDF,
        all_scores: bool = False,
        stop: Stop | None = None,
        on_depth: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        """Search a position (see `game.search.interface.Searcher.search`)."""
        from game.search import root_kernels

        with one_search(self._busy, stop, limits.seconds) as ending, self._helpers as helpers:
            self._go_on(position, history, (limits, rules, all_scores))
            self.memory.fit(limits)
            memory, context = self.memory, self.memory.context
            began = time.perf_counter()
            self.set_root(position, history, rules)
            count = root_kernels.begin(memory.address)
            if count == 0:
                raise InputError(f"no legal move: {position.fen()}")
            legal = self._legal_moves(position)
            if context[at.ROOT_DEPTH]:  # tablebases know the best move
                result = self._result(position, legal, time.perf_counter() - began)
                if on_depth is not None:
                    on_depth(result)
                return result
            context[at.NODE_LIMIT], context[at.STOP] = at.NO_LIMIT, memory.never.ctypes.data  # the first depth is whole
            last = limits.depth or at.MAX_DEPTH
            if limits.ended_by_time:
                helpers.begin(memory, last)
            step = 2 if memory.style.blondie else 1
            depth = min(step, last)
            while True:
                root_kernels.search_root(depth, int(all_scores), memory.address)
                if context[at.ABORTED] == at.FAILED:
                    raise EvaluationError("the network gives a value that is not a finite number")
                if context[at.ABORTED] != at.RUNNING:
                    break
                if on_depth is not None:
                    on_depth(self._result(position, legal, time.perf_counter() - began))
                if depth >= last or is_settled(int(context[at.ROOT_SCORE]), depth) or ending.is_set:
                    break
                depth = min(depth + step, last)
                context[at.NODE_LIMIT] = at.NO_LIMIT if limits.nodes is None else limits.nodes
                context[at.STOP] = ending.word.ctypes.data
            result = self._result(position, legal, time.perf_counter() - began)
            if ending.is_set and limits.seconds is None:  # the table now has entries that cannot be reproduced
                self._last.clear()
            return result

    def value(self, position: Position, limits: Limits) -> float:
        """Return the same score as `search` for a position without history; this is faster for many positions.

        Raises:
            InputError: there is no legal move.
            EvaluationError: a value was not a finite number.
        """
        from game.search import root_kernels

        self._go_on(position, (), limits)
        self.memory.fit(limits)
        self.set_root(position, (), WCDF)
        depth, nodes = limits.depth or at.MAX_DEPTH, limits.nodes or at.NO_LIMIT
        self.memory.context[at.STOP] = self.memory.never.ctypes.data
        if root_kernels.think(self.memory.address, depth, nodes, 0) == 0:
            raise InputError(f"no legal move: {position.fen()}")
        if self.memory.context[at.ABORTED] == at.FAILED:
            raise EvaluationError("the network gives a value that is not a finite number")
        return self._to_score(int(self.memory.context[at.ROOT_SCORE]))

    def _go_on(self, position: Position, history: Sequence[Position], how: object) -> None:
        """Select the memory of the searching side; keep its table if this search continues the same game."""
        self.memory = self._memories[position.side % len(self._memories)]
        if not self.memory.style.keeps_table:
            return
        line = (*history, position)
        before, how_before = self._last.get(position.side, ((), None))
        goes_on = how == how_before and len(before) < len(line) and line[: len(before)] == before
        self.memory.context[at.KEPT_AGE] = self.memory.context[at.AGE] if goes_on else 0
        self._last[position.side] = line, how

    def set_root(self, position: Position, history: Sequence[Position], rules: DrawRules) -> None:
        """Set the root for `game.search.root_kernels.think`."""
        from game.search.table_kernels import position_key

        line = [*history, position]
        run, quiet = plies_without_change(line, rules)
        memory = self.memory
        memory.make_room(run)
        memory.set_rules(rules, len(history))
        for row, board in zip(memory.records, line[len(line) - 1 - run :], strict=False):
            black, white, kings = relative_words(board, position.side)
            side = int(board.side != position.side)
            words = (np.uint64(black), np.uint64(white), np.uint64(kings))
            row[:4] = position_key(*words, side), *words
        memory.records[run, 5], memory.records[run, 6] = run, quiet

    def _legal_moves(self, position: Position) -> list[moves.Move]:
        codes = self.memory.rows.reshape(-1, 4)[: int(self.memory.context[at.ROOT_COUNT]), 3]
        legal = [moves.decode(code & 0xFFFFFFFF, 0) for code in codes.tolist()]
        return [rotate_move(move) for move in legal] if position.side == WHITE else legal

    def _result(self, position: Position, legal: list[moves.Move], seconds: float) -> SearchResult:
        memory, context = self.memory, self.memory.context
        order, scores, exact, depths = memory.root[:4, : len(legal)].tolist()
        root = [RootMove(legal[i], self._to_score(scores[i]), bool(exact[i]), depths[i]) for i in order]
        best = int(context[at.ROOT_BEST])
        first, others = root[0], root[1:]
        line = memory.line
        pv = []
        for ply, code in enumerate(line[1 : 1 + int(line[0])]):
            move = moves.decode(int(code), ply & 1)
            pv.append(rotate_move(move) if position.side == WHITE else move)
        return SearchResult(
            legal[best], self._to_score(int(context[at.ROOT_SCORE])), int(context[at.ROOT_DEPTH]),
            int(context[at.NODES]) + self._helpers.count(at.NODES),
            int(context[at.EVALUATIONS]) + self._helpers.count(at.EVALUATIONS), seconds, tuple(pv),
            (first, *sorted(others, key=lambda other: (-other.depth, -other.score))),
            int(context[at.ROOT_VALUE]) if memory.tables and context[at.ROOT_VALUE] != at.UNKNOWN else None,
            int(context[at.TABLEBASE_HITS]) + self._helpers.count(at.TABLEBASE_HITS),
        )  # fmt: skip

    def _to_score(self, score: int) -> float:
        size = abs(score)
        if size > at.TABLEBASE_WIN:
            return math.copysign(WIN - (at.WIN - size), score)
        if size >= at.PROVED:
            return math.copysign(TABLEBASE_WON - (at.TABLEBASE_WIN - size), score)
        if size == at.DRAWN and self.memory.tables is not None:
            return math.copysign(DRAWN, score)
        if self.evaluator is None:
            return float(score)
        value: float = min(_FLOAT.unpack(_BITS.pack(size))[0], WON)
        return value if score >= 0 else -value


def is_settled(score: int, depth: int) -> bool:
    """Return the same as `game.search.root_kernels.is_settled`."""
    return abs(score) >= at.WIN - depth or at.TABLEBASE_WIN - depth <= abs(score) <= at.TABLEBASE_WIN


def relative_words(board: Position, side: int) -> tuple[int, int, int]:
    """Return the pieces of the searching side, its opponent's, and kings; rotated if White searches."""
    if side == WHITE:
        return bitboard.rotate(board.white), bitboard.rotate(board.black), bitboard.rotate(board.kings)
    return board.black, board.white, board.kings


def rotate_move(move: moves.Move) -> moves.Move:
    return moves.Move(tuple(33 - square for square in move.path), tuple(33 - square for square in move.captured))


def plies_without_change(line: Sequence[Position], rules: DrawRules) -> tuple[int, int]:
    """Return the plies at the end of a line since its last irreversible move, and its quiet plies by the draw rules."""
    run = None
    for plies, (after, before) in enumerate(itertools.pairwise(reversed(line))):
        captured, man_moved = before.opponent != after.own, not is_king_move(before, after)
        if run is None and (captured or man_moved):
            run = plies
        if captured or (man_moved and rules.men_reset):
            return plies if run is None else run, plies
    return len(line) - 1 if run is None else run, len(line) - 1
