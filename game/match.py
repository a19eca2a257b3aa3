"""Playing one game between two players."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from game import moves
from game.board import Position
from game.endings import REASON_TEXT, Reason, draw_reason, is_king_move
from game.errors import FailureKind, InputError, one_line
from game.generator import SplitMix64, derive_seed
from game.moves import Move
from game.players.player import Choice, Player, PlayerFailure
from game.rules import BLACK, WCDF, WHITE, DrawRules


@dataclass(frozen=True, slots=True)
class Used:
    """Resources used by a player's choices: sums over moves that were not forced."""

    moves: int = 0
    seconds: float = 0.0
    nodes: int = 0
    nodes_moves: int = 0
    depth: int = 0
    depth_moves: int = 0

    def __add__(self, other: Used) -> Used:
        return Used(*(getattr(self, name) + getattr(other, name) for name in Used.__slots__))

    @classmethod
    def of(cls, choice: Choice, seconds: float) -> Used:
        return cls(1, seconds, choice.nodes, choice.nodes > 0, choice.depth, choice.depth > 0)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game.

    Attributes:
        result: 1 if Black won, -1 if White won, 0 for a draw.
        reason: with `FAILURE` the player that failed lost.
        used: resources used by Black and White; None if not measured. It, `failure` and `kind` are ignored when records
            are compared.
    """

    start: Position
    moves: tuple[Move, ...]
    result: int
    reason: Reason
    evaluations: int = 0
    failure: str = field(default="", compare=False)
    kind: FailureKind | None = field(default=None, compare=False)
    used: tuple[Used, Used] | None = field(default=None, compare=False)

    @property
    def pdn_result(self) -> str:
        """The result in PDN: ``1-0`` means that Black, the first mover, won."""
        return {1: "1-0", -1: "0-1", 0: "1/2-1/2"}[self.result]


def play(
    black: Player,
    white: Player,
    *,
    start: Position | None = None,
    opening: Sequence[Move] = (),
    rules: DrawRules = WCDF,
    seed: int = 0,
    adjudicate: int = 0,
) -> GameRecord:
    """Play one game to its end.

    Args:
        start: the first position, by default the start of a game.
        opening: moves that are played before the players choose; they count for every draw rule.
        adjudicate: end the game when tablebases of up to this many pieces contain its result; 0 for never.

    Raises:
        InputError: the opening has an illegal move or continues after the end of the game, or tablebases are missing.
    """
    tables = None
    if adjudicate:
        from game.endgame.tables import adjudicating_tables

        tables = adjudicating_tables(adjudicate)
    position = start or Position.start()
    first = position
    players = (black, white)
    seeds = [derive_seed(seed, side, players[side].seed) for side in (BLACK, WHITE)]
    streams = [SplitMix64(stream_seed) for stream_seed in seeds]
    for side in (BLACK, WHITE):
        players[side].begin_game(rules, seeds[side])
    used = [Used(), Used()]
    history: list[Position] = []
    played: list[Move] = []
    quiet = evaluations = 0
    failure, kind = "", None
    reversible: list[Position] = [position]
    while True:
        after = dict(moves.successors(position))
        result = -1 if position.side == BLACK else 1
        reason = Reason.NO_MOVE if not after else draw_reason(reversible, quiet, len(played), rules)
        if reason is None and tables is not None and (verdict := tables.probe(position)) is not None:
            reason, result = Reason.TABLEBASE, -result * verdict.value
        if reason is None and len(played) < len(opening):
            move = opening[len(played)]
            if move not in after:
                raise InputError(f"opening: {move} is not legal in {position.fen()}")
        elif reason is None:
            began = time.perf_counter()
            try:
                choice = players[position.side].choose(position, history, streams[position.side], rules)
                move = choice.move
                evaluations += choice.evaluations
                if len(after) > 1:
                    used[position.side] += Used.of(choice, time.perf_counter() - began)
                if move not in after:
                    reason, failure = Reason.FAILURE, f"{players[position.side].name}: {move} is not legal"
                    kind = FailureKind.ILLEGAL
            except PlayerFailure as error:
                reason, failure, kind = Reason.FAILURE, one_line(str(error)), error.kind
        if reason is not None:
            if len(played) < len(opening):
                raise InputError(f"opening: the game ends ({REASON_TEXT[reason]}) before {opening[len(played)]}")
            result = result if reason in (Reason.NO_MOVE, Reason.FAILURE, Reason.TABLEBASE) else 0
            return GameRecord(first, tuple(played), result, reason, evaluations, failure, kind, (used[0], used[1]))
        history.append(position)
        man_moved = not is_king_move(position, after[move])
        position = after[move]
        played.append(move)
        if move.captured or man_moved:
            reversible = []
        quiet = 0 if move.captured or (man_moved and rules.men_reset) else quiet + 1
        reversible.append(position)
