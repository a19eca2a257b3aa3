"""Small boards on which recorded games of champions play by themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from game.board import Position
from gui.model.game import GameModel
from gui.model.lines import Piece, pieces_of

MOVE_SECONDS, END_SECONDS = 0.6, 2.0

SHOT_SECONDS, FILM_SECONDS = 0.35, 20.0
"""In a film, the maximum seconds for a generation, and for all of them."""


def film_pace(generations: int) -> float:
    """Return the seconds for which a film shows each generation."""
    return min(SHOT_SECONDS, FILM_SECONDS / max(generations, 1))


def games_in(pdn: str) -> list[str]:
    return [f"[Event {game}" for game in pdn.split("[Event ")[1:]]


def is_won_by(game: str, player: str) -> bool:
    won = (f'[Black "{player}"]', '[Result "1-0"]'), (f'[White "{player}"]', '[Result "0-1"]')
    return any(side in game and result in game for side, result in won)


class Replay:
    """Recorded games of a champion, played one after the other.

    Attributes:
        trouble: why a game cannot be replayed, in one sentence; empty if it can.
    """

    def __init__(self) -> None:
        self.model: GameModel | None = None
        self.trouble = ""
        self.playing = True
        self.number = 0
        self._games: list[str] = []
        self._title_of: Callable[[str, str], str] = lambda name, event: name
        self._due = 0.0

    @property
    def pieces(self) -> Mapping[int, Piece]:
        return pieces_of(Position.start()) if self.model is None else self.model.pieces()

    @property
    def last_move(self) -> tuple[int, ...]:
        ply = None if self.model is None else self.model.shown_ply
        return () if ply is None else tuple(ply.move.path)

    @property
    def count(self) -> int:
        return len(self._games)

    def show(self, pdn: str, title_of: Callable[[str, str], str] = lambda name, event: name, winner: str = "") -> None:
        """Begin with the first game of a PDN text that a player won, unless these games are being played already."""
        self._title_of = title_of
        games = sorted(games_in(pdn), key=lambda game: not is_won_by(game, winner))
        if games != self._games:
            self._games = games
            self._go_to(0)

    def _go_to(self, number: int) -> None:
        from gui.model.pdn import RecordError, give_titles, read

        self.number, self.model, self.trouble, self._due = number, None, "", 0.0
        if not self._games:
            return
        try:
            loaded = read(self._games[number])
        except RecordError as error:
            self.trouble = str(error)
            return
        self.model, self.trouble = loaded.model, loaded.trouble
        give_titles(self.model, self._title_of)
        self.model.go_to(0)

    def next_game(self) -> None:
        """Go to the next game; after the last one, to the first."""
        if self._games:
            self._go_to((self.number + 1) % len(self._games))

    def go_along(self, share: float) -> None:
        """Show the position at this share of the game: in a film, the game goes on from generation to generation."""
        if self.model is not None:
            self.model.go_to(round(len(self.model.plies) * share))

    def tick(self, now: float) -> bool:
        if not self.playing or not self._games:
            return False
        if not self._due:
            self._due = now + MOVE_SECONDS
            return False
        if now < self._due:
            return False
        if self.model is None or self.model.at_end:
            self.next_game()
            return True
        self.model.go_to(self.model.cursor + 1)
        self._due = now + (END_SECONDS if self.model.at_end else MOVE_SECONDS)
        return True

    @property
    def caption(self) -> str:
        if self.model is None:
            return self.trouble or "No recorded games"
        black, white = (seat.shown for seat in self.model.seats)
        return f"{black} – {white}{f', game {self.number + 1} of {self.count}' if self.count > 1 else ''}"
