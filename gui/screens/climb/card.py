"""The person's progress: the rating, its curve and past opponents, for the first screen and the climb."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evolve.config.anchors import shown, shown_text
from game.errors import capital
from game.number_text import count_text
from gui.climb.career import Career
from gui.climb.rating import FEW_GAMES, PRIOR_TEXT, SCALE_TEXT, OpponentScore, interval_words, scores
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import BODY, EDGE, GAP, HEADING
from gui.widgets.base import Label, Widget
from gui.widgets.table import ROW, Cell, Column, Table

RATING = 46
"""Height of the rating with its interval, in pixels of the design."""

LEAST_PLOT = 70
"""Minimum height of the curve, in pixels of the design."""

BAND = 250.0
"""Maximum Elo by which the drawn interval extends beyond the curve; after one game the real interval is unbounded."""

LEAST_CARD = 90
"""Minimum height for placing the two parts side by side, in pixels of the design."""

MARGINS = 20
"""Width of the margins of a column, in pixels of the design."""

NO_GAMES = "No rated games yet. “Climb” begins one; win two of three to go up a rung."


def rating_labels(career: Career, rect: Rect, look: Look) -> list[Widget]:
    """Return the rating and its interval in two lines; before the first game, how to get a rating.

    While the first rating is being computed, there is neither.
    """
    rating, muted = career.rating, look.theme.muted
    if rating is None and career.results and career.busy:
        return []
    head, line = rect.rows(None, look.px(20))
    if rating is None:
        begins = PRIOR_TEXT if rect.w >= look.px(460) else "Play a rated game to get one."
        return [
            Label(key="rating", rect=head, text="No rating yet", size=HEADING, bold=True, may_cut=True),
            Label(key="rating.interval", rect=line, text=begins, colour=muted,
                  may_cut=True, hint=PRIOR_TEXT),
        ]  # fmt: skip
    games = len([result for result in career.results if result.opponent.rating is not None])
    guess, interval = "a first guess" if games < FEW_GAMES else "", interval_words(rating)
    whole = f"95 %: {interval}; {', '.join(filter(None, (count_text(games, 'game'), guess)))}"
    texts = (whole, f"{interval}, {guess}" if guess else f"95 %: {interval}", guess or interval)
    text = next((each for each in texts if look.fonts.size(each, look.px(BODY))[0] <= line.w), texts[-1])
    return [
        Label(key="rating", rect=head, text=f"Your rating: {shown_text(rating.value)}", size=HEADING, bold=True,
              may_cut=True),
        Label(key="rating.interval", rect=line, text=text, colour=muted, may_cut=True,
              hint=f"{whole}. {SCALE_TEXT} {PRIOR_TEXT}"),
    ]  # fmt: skip


def rating_plot(career: Career, rect: Rect) -> Widget:
    """Return the curve of the rating with its interval."""
    from gui.widgets.plot import Curve, Plot  # not needed for the first picture

    ratings = [result.after for result in career.results if result.after is not None]
    ratings[:0] = [career.before] if ratings else []
    values = [shown(rating.value) for rating in ratings]
    bottom, top = min(values, default=0.0) - BAND, max(values, default=0.0) + BAND
    low = [max(shown(rating.low), bottom) for rating in ratings]
    high = [min(shown(rating.high), top) for rating in ratings]
    curve = Curve(values, 0, low=low, high=high)

    def says(at: int) -> str:
        when = f"Game {at}" if at else "Before the first game"
        return f"{when}: {shown_text(ratings[at].value)} ({interval_words(ratings[at])})"

    return Plot(
        key="rating.plot", rect=rect, curves=(curve,) if ratings else (), title="Rating over games", floor=0.0,
        says=says if ratings else None,
        axes=bool(ratings), empty="The curve begins with your first rated game.", hint="With its 95 % interval",
    )  # fmt: skip


def opponents_table(career: Career, rect: Rect, look: Look, choose: Callable[[OpponentScore], object]) -> Table:
    """Return past opponents with points, the latest first."""
    rows: Sequence[OpponentScore] = scores(career.results)

    def cells(row: int) -> Sequence[str | Cell]:
        one = rows[row]
        return Cell(capital(one.opponent.label)), Cell(one.brief, look.theme.muted)

    longest = max((look.fonts.size(one.brief, look.px(BODY))[0] for one in rows), default=0) / look.scale
    return Table(
        key="past", rect=rect, headed=False, columns=(Column("Opponent"), Column("Points", longest + MARGINS, "right")),
        count=len(rows), cells=cells, activate=lambda row: choose(rows[row]),
        choose=lambda row, column: choose(rows[row]), empty=NO_GAMES,
        hint="Opponents of your rated games. Click one to see it on the climb",
    )  # fmt: skip


def games_table(career: Career, rect: Rect, look: Look) -> Table:
    """Return rated games, newest first, with their results or the reasons why they do not count."""
    rows, muted = career.history[::-1], look.theme.muted

    def cells(row: int) -> Sequence[str | Cell]:
        one = rows[row]
        name = Cell(capital(one.opponent.label), icon="" if one.points is not None else "warning")
        if one.points is None:
            return name, Cell(f"not counted: {one.why}", muted), ""
        word = {1.0: "won", 0.5: "drawn"}.get(one.points, "lost: left unfinished" if one.left else "lost")
        return name, word, Cell("–" if one.after is None else shown_text(one.after.value, brief=True), muted)

    name = Column("Rated games", 150 if rect.w >= look.px(460) else 112)
    columns = name, Column("Result"), Column("Rating", 70, "right")
    return Table(
        key="history", rect=rect, columns=columns,
        count=len(rows), cells=cells, empty="None yet: “Play” begins one.",
        hint="Newest first, with your rating after each game",
    )  # fmt: skip


def progress(career: Career, rect: Rect, look: Look, choose: Callable[[OpponentScore], object]) -> list[Widget]:
    """Return the rating and, if there is room, its curve and past opponents."""
    px, played = look.px, len(scores(career.results))
    if rect.w > 2 * rect.h and rect.h >= px(LEAST_CARD):
        left, right = rect.columns(None, None, gap=px(EDGE))
        head, rest = left.rows(px(RATING), None, gap=px(GAP))
        curve = [rating_plot(career, rest)] if rest.h >= px(LEAST_PLOT) and played else []
        return [*rating_labels(career, head, look), *curve, opponents_table(career, right, look, choose)]
    head, rest = rect.rows(px(RATING), None, gap=px(GAP))
    widgets = rating_labels(career, head, look)
    if rest.h < px(2 * ROW + 2):
        return widgets
    table = min(px(ROW + 1) * min(played, 4) + px(4), rest.h // 2)
    above, below = rest.rows(None, table, gap=px(GAP))
    if not played or above.h < px(LEAST_PLOT):
        return [*widgets, opponents_table(career, rest, look, choose)]
    return [*widgets, rating_plot(career, above), opponents_table(career, below, look, choose)]
