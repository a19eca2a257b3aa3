"""Tables of rated games and opponents, and the person's progress on the first screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evolve.config.anchors import shown_text
from game.errors import capital
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import BODY, EDGE, GAP
from gui.rating.career import Career
from gui.rating.rating import Opponent, RatedResult
from gui.screens.rating import LEAST_PLOT, RATING, rating_labels, rating_plot
from gui.widgets.base import Widget
from gui.widgets.table import ROW, Cell, Column, Table

LEAST_CARD = 90
"""Minimum height for placing the two parts side by side, in pixels of the design."""

MARGINS = 20
"""Width of the margins of a column, in pixels of the design."""

NO_GAMES = "No rated games yet. “Climb” begins one; win two of three to go up a rung."


@dataclass(frozen=True)
class OpponentScore:
    """The results of a person against one opponent.

    Attributes:
        opponent: the opponent as it was in the last game.
    """

    opponent: Opponent
    won: int
    drawn: int
    lost: int

    @property
    def brief(self) -> str:
        """Points and number of games."""
        games = self.won + self.drawn + self.lost
        return f"{half_text(self.won + self.drawn / 2)} of {games}"


def half_text(points: float) -> str:
    """Return points as people write them, such as ``2½``."""
    whole = int(points)
    return f"{whole or ''}½" if points != whole else f"{whole}"


def points_text(points: Sequence[float]) -> str:
    """Return the results of games as ``2 won, 1 lost``."""
    parts = [f"{count} {word}" for count, word in zip(_counts(points), ("won", "drawn", "lost"), strict=True) if count]
    return ", ".join(parts) or "not played"


def scores(results: Sequence[RatedResult]) -> list[OpponentScore]:
    """Return the results by opponent, the last opponent first."""
    by_key: dict[str, list[RatedResult]] = {}
    for result in results:
        of_key = by_key.pop(result.opponent.key, [])
        by_key[result.opponent.key] = [*of_key, result]
    played = reversed(by_key.values())
    return [OpponentScore(games[-1].opponent, *_counts([game.points for game in games])) for games in played]


def _counts(points: Sequence[float]) -> tuple[int, int, int]:
    return points.count(1.0), points.count(0.5), points.count(0.0)


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
