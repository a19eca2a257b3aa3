"""Many games in one compiled call: the checked Python interface of `game.batch.kernels`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from game import moves
from game.board import Position
from game.endings import REASON_TEXT, Reason
from game.errors import InputError
from game.generator import derive_seed
from game.match import GameRecord
from game.moves import Move
from game.networks.evaluator import Evaluator, Program, for_kernels, man_value, program_of
from game.networks.spec import Spec
from game.players.player import Player
from game.rules import BLACK, MAX_MOVES, WCDF, WHITE, DrawRules
from game.search.interface import ONE_PLY, PLAIN, Limits, SearchOptions, needs_search
from game.search.layout import MAX_DEPTH, NO_LIMIT
from game.search.memory import Memory
from game.search.search import UNBOUNDED, Binding, float_words, output_bounds

if TYPE_CHECKING:
    from game.endgame.tables import Tables

RECORD_PLIES = 1 << 20
LOWEST_LOT, LOTS = -(1 << 15), 1 << 14
"""The first lot (see `lots`), as in `game.batch.kernels`, and the number of lots."""


@dataclass(frozen=True)
class BatchPlayers:
    """Players in the form that compiled code takes.

    Attributes:
        kinds: int64 of shape (players,).
        seeded: bool of shape (players,), whether a material player chooses at random among its best moves.
        evaluators: prepared genomes of network players, by index; empty with a `population`.
        population: program, genomes (players, weights) and king values (players,) if all players share one network.
    """

    kinds: NDArray[np.int64]
    seeded: NDArray[np.bool_]
    seeds: tuple[int, ...]
    evaluators: dict[int, Evaluator]
    population: tuple[Program, NDArray[np.float32], NDArray[np.float32]] | None = None
    searches: Mapping[int, tuple[Limits, SearchOptions]] = field(default_factory=dict)

    @classmethod
    def of_networks(
        cls,
        spec: Spec,
        weights: NDArray[np.float32],
        king_values: NDArray[np.float32] | None = None,
        *,
        limits: Limits = ONE_PLY,
        style: SearchOptions = PLAIN,
    ) -> BatchPlayers:
        """Return the players for individuals of one network.

        Args:
            weights: genomes of shape (players, spec.weights). A C-contiguous, writable float32 array is used without a
                copy, so later changes take effect; any other array is copied.
            king_values: shape (players,), used or copied like the weights; None for the value of the specification.
            limits: limits of their searches, without a time limit.

        Raises:
            InputError: the genomes have the wrong length, the number of king values is wrong, or values are not real
                numbers.
        """
        from game.batch import kernels

        weights = _check_floats("genomes", weights)
        count = len(weights) if weights.ndim else 0
        if weights.shape != (count, spec.weights):
            raise InputError(f"genomes: expected {spec.weights} weights for {spec.name}, got shape {weights.shape}")
        kings = (
            np.full(count, spec.king, np.float32) if king_values is None else _check_floats("king values", king_values)
        )
        if kings.shape != (count,):
            raise InputError(f"king values: expected one for each of {count} genomes, got shape {kings.shape}")
        kinds = np.full(count, kernels.NETWORK)
        population = (program_of(spec), weights, kings)
        searches = {}
        if needs_search(limits, style):
            if not limits.deterministic:
                raise InputError("games of a batch have no clock: limit their searches by depth or nodes")
            searches = dict.fromkeys(range(count), (limits, style))
        return cls(kinds, np.zeros(count, np.bool_), (0,) * count, {}, population, searches)

    @classmethod
    def of_players(cls, players: Sequence[Player]) -> BatchPlayers | None:
        """Return the players in compiled form; None if one of them has no such form.

        Weights that are not finite are accepted: such a player fails in its games, as in `game.match`.

        Raises:
            InputError: a network has the wrong number of weights.
        """
        from game.batch import kernels

        kinds = np.zeros(len(players), np.int64)
        seeded = np.zeros(len(players), np.bool_)
        evaluators = {}
        searches = {}
        numbers = {"random": kernels.RANDOM, "material": kernels.MATERIAL, "network": kernels.NETWORK}
        for index, player in enumerate(players):
            how = player.compiled
            if how is None:
                return None
            kinds[index], seeded[index] = numbers[how.kind], how.draws_ties
            if how.network is not None:
                evaluators[index] = Evaluator(*how.network)
            if how.search is not None:
                searches[index] = how.search
        return cls(kinds, seeded, tuple(player.seed for player in players), evaluators, None, searches)


@dataclass(frozen=True)
class Outcomes:
    """Results of a batch, in the order of its games.

    Attributes:
        results: int64 of shape (games,): 1 if Black won, -1 if White won, 0 for a draw.
        reasons: int64, `game.endings.Reason`.
        plies: int64, openings included.
        evaluations: int64, number of evaluations by the networks of both players.
        codes: the codes of each game's moves (uint32); None if moves were not kept.
        scores: for each move kept, the score of the search that chose it, to the side that moved (int32, as in
            `game.search.layout`; NO_SCORE without a search); a lower bound if the search looked for the best move
            alone. None if moves were not kept, or if no player searches.
    """

    results: NDArray[np.int64]
    reasons: NDArray[np.int64]
    plies: NDArray[np.int64]
    evaluations: NDArray[np.int64]
    codes: list[NDArray[np.uint32]] | None
    scores: list[NDArray[np.int32]] | None = None

    def select(self, games: NDArray[np.int64]) -> Outcomes:
        """Return the outcomes of these games, in this order; a game may be given several times."""
        codes = None if self.codes is None else [self.codes[game] for game in games.tolist()]
        scores = None if self.scores is None else [self.scores[game] for game in games.tolist()]
        results, reasons = self.results[games], self.reasons[games]
        return Outcomes(results, reasons, self.plies[games], self.evaluations[games], codes, scores)

    def record(self, game: int, start: Position) -> GameRecord:
        """Return the record of one game, as `game.match.play` would; `start` is the first position of the batch."""
        if self.codes is None:
            raise InputError("the moves of this batch were not kept")
        sides = ((start.side + ply) & 1 for ply in range(len(self.codes[game])))
        played = tuple(moves.decode(int(code), side) for code, side in zip(self.codes[game], sides, strict=True))
        reason = Reason(int(self.reasons[game]))
        return GameRecord(start, played, int(self.results[game]), reason, int(self.evaluations[game]))


def index_openings(openings: Sequence[Sequence[Move]], start: Position) -> NDArray[np.int16]:
    """Return openings as indexes among the legal moves, int16 of shape (openings, longest), padded with -1.

    Raises:
        InputError: a move is not legal.
    """
    longest = max((len(opening) for opening in openings), default=0)
    table = np.full((max(len(openings), 1), longest), -1, np.int16)
    for row, opening in enumerate(openings):
        position = start
        for ply, move in enumerate(opening):
            after = moves.successors(position)
            index = next((i for i, (known, _) in enumerate(after) if known.path == move.path), None)
            if index is None:
                raise InputError(f"opening: {move} is not legal in {position.fen()}")
            table[row, ply] = index
            position = after[index][1]
    return table


def lots(numbers: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return entries for the openings of `play_all` that choose one of the legal moves, all with the same probability.

    Args:
        numbers: random numbers from 0 to LOTS - 1, of any shape.
    """
    return (LOWEST_LOT + numbers).astype(np.int16)


def play_all(
    field: BatchPlayers,
    blacks: Any,
    whites: Any,
    *,
    start: Position | None = None,
    openings: NDArray[np.int16] | None = None,
    opening_of: Any = None,
    rules: DrawRules = WCDF,
    seeds: Sequence[int] | None = None,
    keep: bool = False,
    adjudicate: int = 0,
) -> Outcomes:
    """Play games one after another on this core, without the GIL.

    Args:
        blacks, whites: index of each colour's player for each game.
        openings: openings from `index_openings`, for this `start`; `lots` may follow them or replace them.
        opening_of: row of `openings` for each game, by default the first.
        seeds: one seed per game, for players that choose at random; by default 0.
        keep: whether to keep the moves, and the scores of the searches that chose them.
        adjudicate: end a game when tablebases of up to this many pieces contain its result; 0 for never.

    Raises:
        InputError: indexes are out of range or not integers, arrays have different lengths, an opening has an illegal
            move or continues after the end of the game, or tablebases are missing.
    """
    from game.batch import kernels

    table = _opening_table(openings)
    games = np.size(blacks)
    black = _check_indexes("blacks", blacks, games, len(field.kinds))
    white = _check_indexes("whites", whites, games, len(field.kinds))
    opening_rows = _check_indexes(
        "opening_of", np.zeros(games, np.int64) if opening_of is None else opening_of, games, len(table)
    )
    if seeds is not None and len(seeds) != games:
        raise InputError(f"seeds: expected {games}, one a game, got {len(seeds)}")
    first = start or Position.start()
    words = np.array([first.black, first.white, first.kings, first.side], np.uint64)
    limits = np.array([rules.repetition, rules.quiet_plies, rules.men_reset, rules.max_plies], np.int64)
    outcomes = np.zeros((games, 4), np.int64)
    states = _states(field, black, white, seeds)
    networks = _Networks(field, black, white)
    rows = np.empty((MAX_MOVES, 4), np.uint64)
    scores = np.empty(MAX_MOVES, np.float32)
    searches = _Searches(field, networks, rules)
    state = np.zeros(7, np.int64)
    seen = np.empty((2, 3), np.uint64)
    history = np.empty((max(rules.quiet_plies, rules.max_plies) + 2, 3), np.uint64)
    tables = None
    if adjudicate:
        from game.endgame.tables import adjudicating_tables

        tables = adjudicating_tables(adjudicate)
    addresses = (rows.ctypes.data, scores.ctypes.data, searches.choose, state.ctypes.data, history.ctypes.data)
    memory = np.array([*networks.addresses, *addresses, *_adjudication(tables)], np.int64)
    answers = np.empty((len(history), 4), np.int64)
    record = np.empty((min(RECORD_PLIES, 1024 * max(games, 1)) if keep else 0, 2), np.uint32)
    codes: list[NDArray[np.uint32]] = []
    searched: list[NDArray[np.int32]] = []
    done = 0
    while done < games:
        stop = kernels.play_games(
            field.kinds, field.seeded, networks.programs, networks.king_values, searches.players, black, white, words,
            table, opening_rows, states, limits, done, memory, scores, seen, rows, history, answers, record, keep,
            outcomes,
        )  # fmt: skip
        if keep and stop > done:
            ends = np.cumsum(outcomes[done:stop, 2])
            columns = record[: ends[-1]].T.copy()
            codes.extend(np.split(columns[0], ends[:-1]))
            searched.extend(np.split(columns[1].view(np.int32), ends[:-1]))
        elif keep:  # even a single game does not fit
            record = np.empty((4 * len(record), 2), np.uint32)
        done = stop
    _check_openings(outcomes, table, opening_rows)
    results, reasons, plies, evaluations = (outcomes[:, column].copy() for column in range(4))
    has_scores = keep and field.searches
    return Outcomes(results, reasons, plies, evaluations, codes if keep else None, searched if has_scores else None)


def _adjudication(tables: Tables | None) -> tuple[int, int, int]:
    if tables is None:
        return 0, 0, 0
    from game.search.tablebase_kernels import adjudicate

    return tables.pieces, adjudicate.address, tables.address


class _Networks:
    """The prepared networks of a batch; keep this object alive while the batch is played.

    Attributes:
        programs: int64 of shape (players, 3), addresses of plan, taps and parameters.
        king_values: float32 of shape (players,).
    """

    def __init__(self, field: BatchPlayers, black: NDArray[np.int64], white: NDArray[np.int64]) -> None:
        from game.networks import kernels

        self.programs = np.zeros((len(field.kinds), 3), np.int64)
        self.king_values = np.ones(len(field.kinds), np.float32)
        self.params = {index: evaluator.params for index, evaluator in field.evaluators.items()}
        sizes = [(evaluator.program.sums, evaluator.program.scratch) for evaluator in field.evaluators.values()]
        for index, evaluator in field.evaluators.items():
            self.programs[index] = evaluator.addresses
            self.king_values[index] = evaluator.king
        if field.population is not None:
            program, genomes, self.king_values = field.population
            genomes = for_kernels(program.spec, genomes)
            used = np.unique(np.concatenate([black, white]))
            self._params = _aligned_zeros(len(used) * program.params).reshape(len(used), program.params)
            rounded = np.empty(program.spec.weights + program.linear, np.float32)
            how = (program.places, program.linear, rounded, self._params)
            kernels.prepare_all(genomes, program.factors(self.king_values), used, *how)
            self.params = dict(zip(used.tolist(), self._params, strict=True))
            if program.integers is not None:
                for index, params in self.params.items():
                    program.integers.write(params, genomes[index])
            first, step = self._params.ctypes.data, self._params.strides[0]
            self.programs[used, 0], self.programs[used, 1] = program.plan.ctypes.data, program.taps.ctypes.data
            self.programs[used, 2] = first + step * np.arange(len(used))
            sizes.append((program.sums, program.scratch))
        self.sums = sums = max((sums for sums, _ in sizes), default=0)
        self.scratch = max((scratch for _, scratch in sizes), default=0)
        self._memory = _aligned_zeros(2 * sums + self.scratch)
        start = self._memory.ctypes.data
        self.addresses = (start, start + 4 * sums, start + 8 * sums)


def _aligned_zeros(count: int) -> NDArray[np.float32]:
    """Return zeros that begin at a multiple of 64 bytes, since a vector that crosses such a boundary is slower."""
    room = np.zeros(count + 15, np.float32)
    start = -room.ctypes.data % 64 // 4
    return room[start : start + count]


class _Searches:
    """The memory of the searches of a batch; keep this object alive while the batch is played.

    Players with the same search options share their memory: only one of them searches at a time, and no search or game
    affects another. Players that keep a table during a game do not share memory with players that need a new age for
    each search, because the ages could run out before the game ends. Players that keep all results (`keeps_table`) have
    a memory for each colour, so that neither side's table depends on the other's.

    Attributes:
        choose: address of `game.search.batch_kernels.choose`; 0 if no player searches.
        players: int64 of shape (players, `kernels.OF_WHITE` + 1), the arguments of `choose`; 0 for players that do not
            search.
    """

    def __init__(self, field: BatchPlayers, networks: _Networks, rules: DrawRules) -> None:
        from game.batch import kernels

        self.choose = 0
        self.players = np.zeros((len(field.kinds), kernels.OF_WHITE + 1), np.int64)
        self._memories: dict[tuple[SearchOptions, bool, int], Memory] = {}
        if not field.searches:
            return
        from game.search.batch_kernels import choose

        self.choose = choose.address
        material = Binding.of(None)
        for index, (limits, style) in field.searches.items():
            binding = material
            bounds: tuple[float, float] | None = UNBOUNDED
            style = style.fitted(limits)
            keeps = style.blondie and style.equal_depth and limits.nodes is None and not style.tablebase
            if field.kinds[index] == kernels.NETWORK:
                program = field.population[0] if field.population is not None else field.evaluators[index].program
                plan, taps, params = (int(address) for address in networks.programs[index])
                king = float(networks.king_values[index])
                man = man_value(program, (plan, taps, params), king) if style.pruning else 0.0
                binding = Binding.of_network(program, (plan, taps, params), king, man)
                if keeps and index in networks.params:
                    bounds = output_bounds(program, networks.params[index], king)
                    keeps = bounds is not None
            contexts = []
            for side in (BLACK, WHITE):
                key = style, keeps, side if style.keeps_table else BLACK
                if key not in self._memories:
                    before = max(rules.quiet_plies, rules.max_plies) + 2
                    memory = Memory(style, sums=networks.sums, scratch=networks.scratch, before=before)
                    memory.fit(limits)
                    memory.set_rules(rules, 0)
                    self._memories[key] = memory
                contexts.append(self._memories[key].address)
            depth, nodes = limits.depth or MAX_DEPTH, limits.nodes or NO_LIMIT
            kept = kernels.AS_FOUND if style.keeps_table else int(keeps)
            how = (depth, nodes, bool(field.seeded[index]), kept, *float_words(bounds or UNBOUNDED))
            self.players[index] = (contexts[BLACK], *binding.words, *how, contexts[WHITE])


def _states(
    field: BatchPlayers, black: NDArray[np.int64], white: NDArray[np.int64], seeds: Sequence[int] | None
) -> NDArray[np.uint64]:
    """Return the states of the random streams of both colours, uint64 of shape (games, 2); zero if unused."""
    from game.batch import kernels

    states = np.zeros((len(black), 2), np.uint64)

    if (field.kinds == kernels.NETWORK).all():
        return states
    for game in range(len(black)):
        seed = 0 if seeds is None else int(seeds[game])
        states[game, BLACK] = derive_seed(seed, BLACK, field.seeds[black[game]])
        states[game, WHITE] = derive_seed(seed, WHITE, field.seeds[white[game]])
    return states


def _check_floats(name: str, values: Any) -> NDArray[np.float32]:
    given = np.asarray(values)
    if given.dtype.kind not in "fiu":
        raise InputError(f"{name}: expected real numbers, float32, got {given.dtype}")
    with np.errstate(over="ignore"):  # overflow gives infinity, as in `check_weights`: such a player fails
        return np.require(given, np.float32, ["C", "A", "W"])


def _check_indexes(name: str, values: Any, games: int, limit: int) -> NDArray[np.int64]:
    given = np.asarray(values)
    if given.size and given.dtype.kind not in "iu":  # an empty list becomes a float array
        raise InputError(f"{name}: expected whole numbers, got {given.dtype}")
    if given.shape != (games,):
        raise InputError(f"{name}: expected shape ({games},), got {given.shape}")
    if games and not (given.min() >= 0 and given.max() < limit):
        raise InputError(f"{name}: expected indexes from 0 to {limit - 1}")
    return np.ascontiguousarray(given, np.int64)


def _opening_table(openings: Any) -> NDArray[np.int16]:
    """Return openings in the form that the kernel reads; None means one opening without moves."""
    table = np.full((1, 0), -1, np.int16) if openings is None else np.asarray(openings)
    if table.ndim != 2 or (table.size and table.dtype.kind not in "iu"):
        raise InputError(f"openings: expected whole numbers in rows, got {table.dtype} of shape {table.shape}")
    places = table[(table < LOWEST_LOT) | (table >= LOWEST_LOT + LOTS)]
    if places.size and not (places.min() >= -1 and places.max() < MAX_MOVES):
        raise InputError(f"openings: expected indexes of moves from 0 to {MAX_MOVES - 1}, -1 or lots")
    return np.ascontiguousarray(table, np.int16)


def _check_openings(outcomes: NDArray[np.int64], table: NDArray[np.int16], opening_rows: NDArray[np.int64]) -> None:
    """Refuse openings that continue after the end of their game, as `game.match` does."""
    ends = outcomes[:, 2]
    within = np.flatnonzero(ends < table.shape[1])
    for game in within[table[opening_rows[within], ends[within]] >= 0][:1].tolist():
        row, ply, reason = int(opening_rows[game]), int(ends[game]), Reason(int(outcomes[game, 1]))
        if reason == Reason.FAILURE:
            raise InputError(
                f"openings: row {row} has move {table[row, ply]} at ply {ply}, where there are fewer moves"
            )
        raise InputError(f"openings: the game ends ({REASON_TEXT[reason]}) before ply {ply} of row {row}")


def follow(codes: NDArray[np.uint32], start: Position) -> tuple[NDArray[np.uint64], NDArray[np.int16]]:
    """Return the positions of a game before each of its moves, and the index of each move among the legal ones.

    Returns:
        uint64 of shape (moves, 4): own, opponent, kings, rotated as the side to move sees them, and whether that side
        has a capture; and int16 of shape (moves,): indexes of moves as in openings.

    Raises:
        InputError: a code does not belong to a legal move.
    """
    from game.batch import kernels

    rows, indexes = np.empty((len(codes), 4), np.uint64), np.empty(len(codes), np.int16)
    moves = np.empty((MAX_MOVES, 4), np.uint64)
    words = (np.uint64(start.black), np.uint64(start.white), np.uint64(start.kings))
    played = kernels.follow(*words, start.side, codes, moves, rows, indexes)
    if played < len(codes):
        raise InputError(f"codes: {codes[played]} at ply {played} is not the code of a legal move")
    return rows, indexes
