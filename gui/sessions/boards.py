"""Small boards that play by themselves: a champion in a live game, or its recorded games.

Live games cost little: champions play without search, at most two moves a second, and only while the screen is visible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from gui.model.ending import Cause
from gui.model.game import GameModel
from gui.model.lines import Piece
from gui.model.seats import Seat, names_of
from gui.model.table import GameTable, Said

if TYPE_CHECKING:
    from gui.thinking.thinker import Thinker

MOVE_SECONDS, END_SECONDS = 0.5, 2.5
REPLAY_MOVE_SECONDS, REPLAY_END_SECONDS = 0.6, 2.0
SETTLE_SECONDS = 0.4
"""Seconds before a newly visible champion is asked for moves, so that dragging the slider starts no games."""

OPENING_PLIES = 3
FIRST = Seat("material", 1)
"""The opponent of the champion of generation 0."""


SHOT_SECONDS, FILM_SECONDS = 0.35, 20.0
"""In a film, the maximum seconds for a generation, and for all of them."""


def film_pace(generations: int) -> float:
    """Return the seconds for which a film shows each generation."""
    return min(SHOT_SECONDS, FILM_SECONDS / max(generations, 1))


class SmallBoard:
    """A game to watch.

    Attributes:
        trouble: why a game cannot be played or replayed, in one sentence; empty if it can.
    """

    def __init__(self) -> None:
        self.model: GameModel | None = None
        self.trouble = ""

    @property
    def pieces(self) -> Mapping[int, Piece]:
        return {} if self.model is None else self.model.pieces()

    @property
    def last_move(self) -> tuple[int, ...]:
        ply = None if self.model is None else self.model.shown_ply
        return () if ply is None else tuple(ply.move.path)


class LiveGames(SmallBoard):
    """Games of the champion of a generation against the champion before it, played in the thinking process."""

    def __init__(self, thinker: Thinker, seat: Callable[[int], Seat]) -> None:
        super().__init__()
        self.generation = -1
        self.number = 0
        self.said: list[str] = []
        self._thinker, self._seat = thinker, seat
        self._table: GameTable | None = None
        self._asked = False
        self._begin_at = self._over_at = 0.0

    def show(self, generation: int, now: float) -> bool:
        """Let the champion of a generation play; return whether the board has changed.

        Args:
            now: seconds of a clock that does not go back.
        """
        if generation == self.generation:
            return False
        self.generation, self.number, self.trouble = generation, 0, ""
        self._begin(now + SETTLE_SECONDS)
        return True

    def rest(self) -> None:
        """Pause the game while the board is not visible."""
        if self._asked:
            self._thinker.drop()
        self._put(self.model)

    def tick(self, now: float) -> bool:
        table, model = self._table, self.model
        if table is None or model is None or now < self._begin_at:
            return False
        if model.over:
            if self.trouble:
                return False
            self._over_at = self._over_at or now
            if now < self._over_at + END_SECONDS:
                return False
            self._begin(now)
            return True
        self._asked = True
        plies, status = len(model.plies), table.status
        self.said += [event.text for event in table.update(now) if isinstance(event, Said)]
        ending = model.ending
        if ending is not None and ending.cause is Cause.FAILED:
            self.trouble = f"It cannot play here: {ending.detail}"
        return len(model.plies) > plies or ending is not None or table.status != status

    def _begin(self, at: float) -> None:
        """Begin a game; the champion plays Black in every second game."""
        self._begin_at, self._over_at = at, 0.0
        if self.generation < 0:
            self._put(None)
            return
        self.number += 1
        champion = self._seat(self.generation)
        other = self._seat(self.generation - 1) if self.generation else FIRST
        model = GameModel((champion, other) if self.number % 2 else (other, champion))
        _open(model, self.generation * 1_000_003 + self.number)
        self._put(model)

    def _put(self, model: GameModel | None) -> None:
        """Put a game on a new table, which repeats requests that the thinking process has dropped."""
        self.model, self._asked = model, False
        self._table = None if model is None else GameTable(self._thinker, model)
        if self._table is not None:
            self._table.least = MOVE_SECONDS

    @property
    def caption(self) -> str:
        if self.model is None:
            return ""
        if self.trouble:
            return self.trouble
        ending, status = self.model.ending, "" if self._table is None else self._table.status
        black, white = names_of(self.model.seats)
        result = "" if ending is None else f": {ending.headline}"
        return status or f"{black} – {white}{result}"


def _open(model: GameModel, seed: int) -> None:
    from game import plain
    from game.generator import SplitMix64

    generator = SplitMix64(seed)
    for _ in range(OPENING_PLIES):
        legal = plain.legal_moves(model.last)
        model.play(legal[generator.below(len(legal))])


class Replay(SmallBoard):
    """Recorded games of a champion, played one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.playing = True
        self.number = 0
        self._games: list[str] = []
        self._title_of: Callable[[str, str], str] = lambda name, event: name
        self._due = 0.0

    @property
    def count(self) -> int:
        return len(self._games)

    def show(self, pdn: str, title_of: Callable[[str, str], str] = lambda name, event: name, winner: str = "") -> None:
        """Begin with the first game of a PDN text that a player won, unless these games are being played already."""
        self._title_of = title_of
        games = [f"[Event {game}" for game in pdn.split("[Event ")[1:]]
        won = (f'[Black "{winner}"]', '[Result "1-0"]'), (f'[White "{winner}"]', '[Result "0-1"]')
        games.sort(key=lambda game: not any(side in game and result in game for side, result in won))
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
            self._due = now + REPLAY_MOVE_SECONDS
            return False
        if now < self._due:
            return False
        if self.model is None or self.model.at_end:
            self.next_game()
            return True
        self.model.go_to(self.model.cursor + 1)
        self._due = now + (REPLAY_END_SECONDS if self.model.at_end else REPLAY_MOVE_SECONDS)
        return True

    @property
    def caption(self) -> str:
        if self.model is None:
            return self.trouble or "No recorded games"
        black, white = (seat.shown for seat in self.model.seats)
        return f"{black} – {white}  {self.number + 1}/{self.count}"
