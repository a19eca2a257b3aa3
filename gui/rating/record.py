"""The climb as a record to show to others: its rated games with their ratings, records and reviews. No pygame."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.anchors import shown, shown_text
from evolve.strength.elo import RatingEstimate
from game.errors import InputError, capital
from gui.background import Background
from gui.model.pdn import to_game
from gui.rating.career import TAG, Career
from gui.rating.rating import RatedResult, interval_words
from gui.storage.game_text import SavedGameError, from_text, review_in
from gui.storage.whole_files import FOLDER, read_bytes

if TYPE_CHECKING:
    from game.pdn.game import Game
    from game.review.judged import Review

TITLE = "My climb"

BAND = 250.0
"""Maximum Elo by which a drawn interval extends beyond the curve; after one game the real interval is unbounded."""


@dataclass(frozen=True, slots=True)
class ClimbGame:
    """A game of a climb.

    Attributes:
        rating, low, high: the rating after it, with the ends of its interval; None if it has none.
    """

    text: str
    rating: float | None = None
    low: float | None = None
    high: float | None = None
    game: Game | None = None
    review: Review | None = None


@dataclass(frozen=True, slots=True)
class ClimbRecord:
    """A climb."""

    before: float
    games: tuple[ClimbGame, ...]


def read_climb(data: Path) -> ClimbRecord:
    """Return the climb of a data folder. Ratings that are missing are computed first.

    Raises:
        InputError: there are no rated games.
    """
    background = Background()
    career = Career(data, background)
    while career.step() or career.busy:
        time.sleep(0.005)
    background.finish(2.0)
    return record_of(career, data)


def record_of(career: Career, data: Path) -> ClimbRecord:
    """Return the climb of a career, with the records of its games from the data folder.

    Raises:
        InputError: there are no rated games.
    """
    if not career.results:
        raise InputError(career.trouble or f"{data}: there are no rated games; the window plays them")
    kept = {result.game for result in career.results}
    records: dict[str, ClimbGame] = {}
    for path in sorted((data / FOLDER).glob("*.json")):
        try:
            text = read_bytes(path) or b""
            if f'"{TAG}"'.encode() not in text:
                continue
            model, extra = from_text(text)
        except (OSError, ValueError, SavedGameError):  # the window reports damaged games
            continue
        identifier = dict(model.tags).get(TAG, "")
        if identifier in kept:
            records[identifier] = ClimbGame("", game=to_game(model), review=review_in(extra, model))
    return ClimbRecord(
        shown(career.before.value), tuple(_rated(result, records.get(result.game)) for result in career.results)
    )


def _rated(result: RatedResult, record: ClimbGame | None) -> ClimbGame:
    word = {1.0: "Won", 0.5: "Drawn"}.get(result.points, "Lost")
    text = f"{word} against {capital(result.opponent.label)}{', left unfinished' if result.left else ''}"
    game, review = (None, None) if record is None else (record.game, record.review)
    after = result.after
    if after is None:
        return ClimbGame(text, game=game, review=review)
    text = f"{text}; rating {shown_text(after.value)} ({interval_words(after)})"
    return ClimbGame(text, shown(after.value), *_band(after), game, review)


def _band(rating: RatingEstimate) -> tuple[float, float]:
    """Return the ends of an interval as they are drawn."""
    low = rating.low if math.isfinite(rating.low) else rating.value - BAND
    high = rating.high if math.isfinite(rating.high) else rating.value + BAND
    return shown(low), shown(high)
