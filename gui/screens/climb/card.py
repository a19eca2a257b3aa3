"""A person's progress: the rating, its course over games, past opponents. On the first screen and on the climb."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from game.number_text import count_text, whole_text
from gui.climb.career import Career
from gui.climb.rating import FEW_GAMES, PRIOR_TEXT, SCALE_TEXT, Score, capital, interval_words, scores
from gui.geometry import Rect
from gui.individuals.strengths import STRENGTHS, explained, shown_beside
from gui.look.canvas import Look
from gui.look.measures import EDGE, GAP, HEADING, SMALL
from gui.services import Services
from gui.widgets.base import Label, Widget
from gui.widgets.button import Segments
from gui.widgets.table import ROW, Cell, Column, Table

LEAST_PLOT = 70
"""Pixels of the design below which there is no curve."""

BAND = 250.0
"""Elo above and below the curve up to which its interval is drawn: after a first game it has no end."""

LEAST_CARD = 90
"""The same of the whole, for parts beside each other."""

NO_GAMES = "No rated games yet. “Climb” begins one; two wins of three go up a rung."


def rating_labels(career: Career, rect: Rect, look: Look) -> list[Widget]:
    """The rating and its interval, in two lines; before the first game how it begins."""
    rating, muted = career.rating, look.theme.muted
    head, line = rect.rows(None, look.px(20))
    if rating is None:
        begins = PRIOR_TEXT if rect.w >= look.px(460) else "A rated game gives one."
        return [
            Label(key="rating", rect=head, text="No rating yet", size=HEADING, bold=True, may_cut=True),
            Label(key="rating.interval", rect=line, text=begins, colour=muted,
                  may_cut=True, hint=PRIOR_TEXT),
        ]  # fmt: skip
    games = len([each for each in career.results if each.opponent.rating is not None])
    guess = ", a first guess" if games < FEW_GAMES else ""
    text = f"95 %: {interval_words(rating)}; {count_text(games, 'game')}{guess}"
    return [
        Label(key="rating", rect=head, text=f"Your rating: {whole_text(rating.value)}", size=HEADING, bold=True,
              may_cut=True),
        Label(key="rating.interval", rect=line, text=text, colour=muted, may_cut=True,
              hint=f"{SCALE_TEXT} {PRIOR_TEXT}"),
    ]  # fmt: skip


def rating_plot(career: Career, rect: Rect, key: str = "rating.plot") -> Widget:
    """The rating over games, with its band."""
    from gui.widgets.plot import Curve, Plot  # not needed for the first picture

    found = [each.after for each in career.results if each.after is not None]
    found[:0] = [career.before] if found else []
    values = [each.value for each in found]
    bottom, top = min(values, default=0.0) - BAND, max(values, default=0.0) + BAND
    low, high = [max(each.low, bottom) for each in found], [min(each.high, top) for each in found]
    curve = Curve(values, 0, low=low, high=high)

    def says(at: int) -> str:
        when = f"Game {at}" if at else "Before the first game"
        return f"{when}: {whole_text(found[at].value)} ({interval_words(found[at])})"

    return Plot(
        key=key, rect=rect, curves=(curve,) if found else (), title="Rating over games", says=says if found else None,
        axes=bool(found), empty="Begins with your first rated game.", hint="With its 95 % interval",
    )  # fmt: skip


def opponents_table(
    career: Career, rect: Rect, look: Look, choose: Callable[[Score], object], key: str = "past"
) -> Table:
    """Past opponents with scores, the last one first."""
    rows: Sequence[Score] = scores(career.results)

    def cells(row: int) -> Sequence[str | Cell]:
        one = rows[row]
        return Cell(capital(one.opponent.label)), Cell(one.brief, look.theme.muted)

    return Table(
        key=key, rect=rect, headed=False, columns=(Column("Opponent"), Column("Points", 80, "right")),
        count=len(rows), cells=cells, activate=lambda row: choose(rows[row]),
        choose=lambda row, column: choose(rows[row]), empty=NO_GAMES,
        hint="Past opponents of rated games; a click shows one on the climb",
    )  # fmt: skip


def games_table(career: Career, rect: Rect, look: Look) -> Table:
    """Rated games, the newest first: what came of each, or why it does not count."""
    rows, muted = career.history[::-1], look.theme.muted

    def cells(row: int) -> Sequence[str | Cell]:
        one = rows[row]
        name = Cell(capital(one.opponent.label), icon="" if one.points is not None else "warning")
        if one.points is None:
            return name, Cell(f"not counted: {one.why}", muted), ""
        word = {1.0: "won", 0.5: "drawn"}.get(one.points, "lost: left unfinished" if one.left else "lost")
        return name, word, Cell("–" if one.after is None else whole_text(one.after.value), muted)

    name = Column("Rated games", 150 if rect.w >= look.px(460) else 112)
    columns = name, Column("Result"), Column("Rating", 70, "right")
    return Table(
        key="history", rect=rect, columns=columns,
        count=len(rows), cells=cells, empty="None yet: “Play” begins one.",
        hint="The newest first, with your rating after it",
    )  # fmt: skip


def strength_choice(services: Services, rect: Rect, look: Look) -> list[Widget]:
    """The measured strengths, and below them how strong the chosen one is and what it does less."""
    choice, line = rect.rows(None, look.px(18))
    number = services.strength
    return [
        Segments(key="strength", rect=choice, names=[each.name for each in STRENGTHS], chosen=number,
                 pick=services.choose_strength, hint=f"{explained(number)}  (4)"),
        Label(key="strength.less", rect=line, text=shown_beside(number), size=SMALL, colour=look.theme.muted,
              may_cut=True),
    ]  # fmt: skip


def progress(career: Career, rect: Rect, look: Look, choose: Callable[[Score], object]) -> list[Widget]:
    """Rating, curve and past opponents, as far as there is room: one below the other, or beside each other."""
    px, played = look.px, len(scores(career.results))
    if rect.w > 2 * rect.h and rect.h >= px(LEAST_CARD):
        left, right = rect.columns(None, None, gap=px(EDGE))
        head, rest = left.rows(px(46), None, gap=px(GAP))
        curve = [rating_plot(career, rest)] if rest.h >= px(LEAST_PLOT) and played else []
        return [*rating_labels(career, head, look), *curve, opponents_table(career, right, look, choose)]
    head, rest = rect.rows(px(46), None, gap=px(GAP))
    widgets = rating_labels(career, head, look)
    if rest.h < px(2 * ROW + 2):
        return widgets
    table = min(px(ROW + 1) * min(played, 4) + px(4), rest.h // 2)
    above, below = rest.rows(None, table, gap=px(GAP))
    if not played or above.h < px(LEAST_PLOT):
        return [*widgets, opponents_table(career, rest, look, choose)]
    return [*widgets, rating_plot(career, above), opponents_table(career, below, look, choose)]
