"""The person's rating and its curve."""

from __future__ import annotations

from evolve.config.anchors import shown, shown_interval, shown_text
from game.number_text import count_text
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import GAP, HEADING
from gui.rating.career import Career
from gui.rating.rating import FEW_GAMES, PRIOR, PRIOR_TEXT, SCALE_TEXT
from gui.widgets.base import Label, Widget

RATING = 46
LEAST_PLOT = 70
"""Minimum height of the curve."""

BAND = 250.0
"""Maximum Elo by which the drawn interval extends beyond the curve; after one game the real interval is unbounded."""


def rating_labels(career: Career, rect: Rect, look: Look) -> list[Widget]:
    """Return the rating and its interval in two lines; before the first game, how to get a rating.

    While the first rating is being computed, there is neither.
    """
    rating, muted = career.rating, look.theme.muted
    if rating is None and career.results and career.busy:
        return []
    head, line = rect.rows(None, look.px(20))
    if rating is None:
        return [
            Label(key="rating", rect=head, text="No rating yet", size=HEADING, bold=True, may_cut=True),
            Label(key="rating.interval", rect=line, text=f"You begin at {shown_text(PRIOR)}.", colour=muted,
                  may_cut=True, hint=PRIOR_TEXT),
        ]  # fmt: skip
    games = len([result for result in career.results if result.opponent.rating is not None])
    guess = "a first guess" if games < FEW_GAMES else ""
    interval = shown_interval(rating.low, rating.high) or "any rating"
    whole = f"95 %: {interval}; {', '.join(filter(None, (count_text(games, 'game'), guess)))}"
    texts = (whole, f"{interval}, {guess}" if guess else f"95 %: {interval}", guess or interval)
    text = look.first_fitting(texts, line.w)
    return [
        Label(key="rating", rect=head, text=f"Your rating: {shown_text(rating.value)}", size=HEADING, bold=True,
              may_cut=True),
        Label(key="rating.interval", rect=line, text=text, colour=muted, may_cut=True,
              hint=f"{whole}. {SCALE_TEXT} {PRIOR_TEXT}"),
    ]  # fmt: skip


def rating_plot(career: Career, rect: Rect) -> Widget:
    from gui.widgets.plot import Curve, Plot  # not needed for the first picture

    ratings = [result.after for result in career.results if result.after is not None]
    ratings[:0] = [career.before] if ratings else []
    values = [shown(rating.value) for rating in ratings]
    bottom, top = min(values, default=0.0) - BAND, max(values, default=0.0) + BAND
    low = [max(shown(rating.low), bottom) for rating in ratings]
    high = [min(shown(rating.high), top) for rating in ratings]
    curve = Curve(values, 0, low=low, high=high)

    def says(at: int) -> str:
        when, ends = f"Game {at}" if at else "Before the first game", shown_interval(ratings[at].low, ratings[at].high)
        return f"{when}: {shown_text(ratings[at].value)}" + (f" ({ends})" if ends else "")

    return Plot(
        key="rating.plot", rect=rect, curves=(curve,) if ratings else (), title="Rating over games", floor=0.0,
        says=says if ratings else None,
        axes=bool(ratings), empty="The curve begins with your first rated game.", hint="With its 95 % interval",
    )  # fmt: skip


def rating_card(career: Career, rect: Rect, look: Look) -> list[Widget]:
    head, rest = rect.rows(look.px(RATING), None, gap=look.px(GAP))
    curve = [rating_plot(career, rest)] if career.results and rest.h >= look.px(LEAST_PLOT) else []
    return [*rating_labels(career, head, look), *curve]
