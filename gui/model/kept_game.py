"""Kept games in a list, with search and filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from game.number_text import count_text, moves_text
from gui.model.ending import SIDE_NAME
from gui.model.game_search import GameSearch

FILTERS = ("All", "Unfinished", "Won", "Lost", "Drawn", "Reviewed")
"""Filters; "Won" and "Lost" apply to games of a person against a program."""

PERSON = ""
"""The name of a person at the board."""


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A kept game, as displayed in a list.

    Attributes:
        when: the time of its last move, in seconds since 1970.
        names: short names of Black and White; `PERSON` for a person at the board.
        result: 1 if Black won, -1 if White won, 0 for a draw; None if it is unfinished.
        openings: the names of all openings that it went through, by which it is found.
        mistakes: the number of mistakes of each side, if the game was reviewed.
        proved: how many of them threw away a proved result.
        programs: names of Black and White as players, empty for a person, with their depths.
    """

    name: str
    when: float
    names: tuple[str, str]
    details: tuple[str, str]
    result: int | None
    plies: int
    opening: str = ""
    openings: str = ""
    mistakes: tuple[int, int] | None = None
    proved: tuple[int, int] = (0, 0)
    programs: tuple[tuple[str, int], tuple[str, int]] = (("", 0), ("", 0))
    text: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        words = (self.players, *self.details, self.outcome, self.day, self.opening, self.openings, self.review)
        object.__setattr__(self, "text", " ".join(words).lower())

    @property
    def over(self) -> bool:
        return self.result is not None

    @property
    def person(self) -> int | None:
        """The side that a person played; None if both or neither did."""
        people = [name == PERSON for name in self.names]
        return None if people[0] == people[1] else people.index(True)

    @property
    def players(self) -> str:
        if self.names == (PERSON, PERSON):
            return "Two players"
        if self.person is None:
            return f"{self.names[0]} against {self.names[1]}"
        return f"{SIDE_NAME[self.person]} against {self.names[1 - self.person]}"

    def describe(self, facts: Iterable[str]) -> str:
        return f"{self.players}: {', '.join(facts)}."

    @property
    def winner(self) -> int | None:
        return (1 - self.result) // 2 if self.result else None

    @property
    def won(self) -> bool | None:
        """True if the person won; None for a draw, or if not exactly one person played."""
        return None if self.person is None or self.winner is None else self.person == self.winner

    @property
    def outcome(self) -> str:
        """The result, from the point of view of the person if exactly one played."""
        if self.result is None:
            return "unfinished"
        if self.winner is None:
            return "draw"
        if self.won is None:
            return f"{SIDE_NAME[self.winner]} won"
        return "you won" if self.won else "you lost"

    @property
    def moves_text(self) -> str:
        return moves_text(self.plies)

    @property
    def errors(self) -> int | None:
        """Mistakes of the person, or of both sides if not exactly one person played; None without a review."""
        if self.mistakes is None:
            return None
        return sum(self.mistakes) if self.person is None else self.mistakes[self.person]

    @property
    def review(self) -> str:
        """The result of its review, in words; empty if there is none."""
        if self.errors is None:
            return ""
        if not self.errors and self.winner is not None and not self.won:
            return "reviewed: no big mistake"  # the game was lost nevertheless
        return f"reviewed: {count_text(self.errors, 'mistake') if self.errors else 'no mistakes'}"

    @property
    def day(self) -> str:
        return f"{self._then:%Y-%m-%d}" if self._then else ""

    @property
    def date(self) -> str:
        """The day on which it was played, or the time if that was today."""
        return "" if self._then is None else date_text(self._then)

    @property
    def _then(self) -> datetime | None:
        try:
            return datetime.fromtimestamp(self.when)
        except (OSError, ValueError, OverflowError):
            return None


def mistakes_a_game(games: Iterable[KeptGame]) -> str:
    """Return how many mistakes a person makes, such as ``2.1 mistakes a game, 0.3 of them proved``.

    Reviewed games of one person count; the text is empty without any.
    """
    reviewed = [(game.errors, game.proved[side]) for game in games if (side := game.person) is not None]
    counts = [(errors, proved) for errors, proved in reviewed if errors is not None]
    mistakes, of_them = (sum(each[of] for each in counts) / max(len(counts), 1) for of in (0, 1))
    return f"{mistakes:.1f} mistakes a game, {of_them:.1f} of them proved" if counts else ""


def date_text(then: datetime) -> str:
    """Return a day, or the time if it is today."""
    return f"{then:%H:%M}" if then.date() == datetime.now().date() else day_text(then)


def day_text(then: datetime) -> str:
    """Return a day as people write it, such as ``20 Nov 2025``, on one line."""
    return f"{then.day}\xa0{then:%b}\xa0{then:%Y}"


_FILTERS: dict[str, Callable[[KeptGame], object]] = {
    "All": lambda game: True,
    "Unfinished": lambda game: not game.over,
    "Won": lambda game: game.won,
    "Lost": lambda game: game.won is False,
    "Drawn": lambda game: game.result == 0,
    "Reviewed": lambda game: game.mistakes is not None,
}


def find_games(games: Iterable[KeptGame], words: str = "", narrowed: str = "All") -> list[KeptGame]:
    wanted, passes = GameSearch.of(words), _FILTERS[narrowed]
    return [game for game in games if wanted.fits(game.text, "") and passes(game)]
