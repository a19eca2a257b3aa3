"""A board on which a game is played move by move, for notebooks and scripts."""

from __future__ import annotations

import itertools

from extras import formats
from game import moves, plain
from game.board import Position, diagram
from game.endings import Reason, draw_reason, is_king_move
from game.errors import InputError
from game.generator import SplitMix64, derive_seed
from game.moves import Move
from game.players.player import Choice, Player
from game.rules import BLACK, WCDF, DrawRules

PICTURE = 360
"""Width of a picture of a position in pixels."""


class Board:
    """A game in progress: its first position and the moves since.

    Args:
        start: the first position, as FEN or a `Position`; by default the start of a game.
    """

    def __init__(self, start: str | Position | None = None, *, rules: DrawRules = WCDF) -> None:
        first = Position.from_fen(start) if isinstance(start, str) else start or Position.start()
        self.rules = rules
        self._positions, self._moves = [first], list[Move]()
        self._ready: list[Player] = []

    @property
    def position(self) -> Position:
        """The current position."""
        return self._positions[-1]

    @property
    def moves(self) -> tuple[Move, ...]:
        """All moves since the first position."""
        return tuple(self._moves)

    @property
    def legal_moves(self) -> list[Move]:
        """The legal moves in the current position, even if a draw rule has already ended the game."""
        return plain.legal_moves(self.position)

    def push(self, move: Move | str) -> Move:
        """Play a move, such as ``"11-15"``, ``"22x15"`` or one of `legal_moves`, and return it.

        Raises:
            IllegalMoveError: the move is illegal, or the text is ambiguous.
        """
        made = moves.parse_move(self.position, str(move))
        self._positions.append(plain.apply(self.position, made))
        self._moves.append(made)
        return made

    def pop(self) -> Move:
        """Take back the last move, and return it.

        Raises:
            InputError: there is none.
        """
        if not self._moves:
            raise InputError("board: there is no move to take back")
        self._positions.pop()
        return self._moves.pop()

    def ask(self, player: Player, *, seed: int = 0) -> Choice:
        """Ask a player for a move, without playing it; the same seed gives the same move.

        Raises:
            InputError: the game has ended.
            PlayerFailure: the player cannot continue.
        """
        if self.reason is not None:
            raise InputError("board: the game has ended")
        own = derive_seed(seed, self.position.side, player.seed)
        if not any(each is player for each in self._ready):
            player.begin_game(self.rules, own)
            self._ready.append(player)
        return player.choose(
            self.position, self._positions[:-1], SplitMix64(derive_seed(own, len(self._moves))), self.rules
        )

    @property
    def reason(self) -> Reason | None:
        """The reason why the game ended; None if it is still in progress."""
        if not plain.successors(self.position):
            return Reason.NO_MOVE
        made = zip(self._moves, itertools.pairwise(self._positions), strict=True)
        kinds = [(bool(move.captured), not is_king_move(*pair)) for move, pair in made][::-1]
        count, resets = len(kinds), self.rules.men_reset
        since = next((at for at, (captured, of_man) in enumerate(kinds) if captured or of_man), count)
        quiet = next((at for at, (captured, of_man) in enumerate(kinds) if captured or (of_man and resets)), count)
        return draw_reason(self._positions[count - since :], quiet, count, self.rules)

    @property
    def result(self) -> int | None:
        """1 if Black has won, -1 if White has, 0 for a draw; None if the game continues."""
        reason = self.reason
        if reason == Reason.NO_MOVE:
            return -1 if self.position.side == BLACK else 1
        return None if reason is None else 0

    def fen(self) -> str:
        """Return the current position as FEN."""
        return self.position.fen()

    def __str__(self) -> str:
        return diagram(self.position)

    def _repr_svg_(self) -> str | None:
        """Return a picture of the current position, which notebooks display; None if no extra draws one."""
        drawing = formats("position").get("svg")
        return None if drawing is None else str(drawing.of_position(self.position, PICTURE, False).decode())

    def __repr__(self) -> str:
        return f"Board({self.fen()!r})"
