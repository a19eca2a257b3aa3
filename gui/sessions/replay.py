"""A champion's recorded games, played on a small board one after the other. No pygame."""

from __future__ import annotations

from gui.sessions.small_board import SmallBoard

MOVE_SECONDS, END_SECONDS = 0.6, 2.0


class Replay(SmallBoard):
    """Goes through games by itself.

    Attributes:
        playing: whether moves follow each other.
        number: which game is shown, from 0.
        trouble: why a recorded game is not shown to its end, in a few words.
    """

    def __init__(self) -> None:
        super().__init__()
        self.playing = True
        self.number = 0
        self.trouble = ""
        self._games: list[str] = []
        self._due = 0.0

    @property
    def count(self) -> int:
        """How many games there are."""
        return len(self._games)

    def show(self, pdn: str) -> None:
        """Begin with the first of other games."""
        games = [f"[Event {game}" for game in pdn.split("[Event ")[1:]]
        if games != self._games:
            self._games = games
            self._go_to(0)

    def _go_to(self, number: int) -> None:
        from gui.model.record import RecordError, read

        self.number, self.model, self.trouble, self._due = number, None, "", 0.0
        if not self._games:
            return
        try:
            loaded = read(self._games[number])
        except RecordError as error:
            self.trouble = str(error)
            return
        self.model, self.trouble = loaded.model, loaded.trouble
        self.model.go_to(0)

    def next_game(self) -> None:
        """Show the next game, after the last one the first."""
        if self._games:
            self._go_to((self.number + 1) % len(self._games))

    def tick(self, now: float) -> bool:
        """Time has passed; returns whether the board changed."""
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
        """The players, and the number of the game."""
        if self.model is None:
            return self.trouble or "No recorded games"
        black, white = (seat.shown for seat in self.model.seats)
        return f"{black} – {white}  {self.number + 1}/{self.count}"
