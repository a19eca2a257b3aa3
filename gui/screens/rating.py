"""The person's rating, its curve, and a picture of the levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from evolve.config.anchors import shown, shown_interval, shown_text
from evolve.strength.levels import LEVELS
from game.networks.emblem import Emblem
from game.number_text import count_text
from gui.events import LEFT, Event, Press
from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas, Look
from gui.look.theme import HEADING, SMALL, TIGHT, TINCTURES
from gui.rating.career import Career
from gui.rating.rating import FEW_GAMES, PRIOR, PRIOR_TEXT, SCALE_TEXT
from gui.widgets.base import Label, Ui, Widget
from gui.widgets.emblem import SHAPE, draw_emblem

if TYPE_CHECKING:
    from gui.app import App
    from gui.services import Services

RATING, LINE = 46, 20
LEAST_PICTURE, BESIDE = 130, 150
"""Minimum height of the curve or the levels, and width of the rating beside levels that have less height."""
COLUMN, NAME, FIGURE, MAN = 56, 20, 14, 56
"""Sizes of the levels: the width from which all have names, the heights of names and ratings, and the largest piece."""

MOST, EDGE = 250.0, 40.0
"""Elo by which the interval extends beyond the curve at most, as after one game it is unbounded; and the chart beyond
the levels around both."""


def rating_height(services: Services) -> int:
    """Return the height of `rating_labels` in pixels of the design."""
    return RATING + LINE * bool(services.kept.mistakes)


def rating_labels(services: Services, rect: Rect, look: Look) -> list[Widget]:
    """Return the rating and its interval in two lines, and the mistakes in reviewed games in a third, if there are any.

    Before the first game, they say how to get a rating; while that is being computed, there are none.
    """
    career, errors = services.career, services.kept.mistakes
    rating, muted = career.rating, look.theme.muted
    if rating is None and career.results and career.busy:
        return []
    head, line, last = rect.rows(None, look.px(LINE), look.px(LINE) * bool(errors))
    hint = "In your reviewed games. A mistake is proved if tables or forced wins show the results before and after it"
    mistakes = [Label(key="rating.mistakes", rect=last, text=errors, colour=muted, may_cut=True, hint=hint)]
    mistakes *= bool(errors)
    if rating is None:
        return [
            *mistakes,
            Label(key="rating", rect=head, text="No rating yet", size=HEADING, bold=True, may_cut=True),
            Label(key="rating.interval", rect=line, text=f"It begins at {shown_text(PRIOR)}.", colour=muted,
                  may_cut=True, hint=PRIOR_TEXT),
        ]  # fmt: skip
    games = len([result for result in career.results if result.opponent.rating is not None])
    played = f"{'a first guess ' if games < FEW_GAMES else ''}after {count_text(games, 'game')}"
    interval = shown_interval(rating.low, rating.high)
    probably = f"Probably {interval}" if interval else "Any rating is possible"
    text = look.first_fitting((f"{probably}, {played}", probably, interval), line.w)
    return [
        *mistakes,
        Label(key="rating", rect=head, text=f"Your rating: {shown_text(rating.value)}", size=HEADING, bold=True,
              may_cut=True),
        Label(key="rating.interval", rect=line, text=text, colour=muted, may_cut=True,
              hint=f"95 %: {interval or 'any rating'}. {SCALE_TEXT} {PRIOR_TEXT}"),
    ]  # fmt: skip


def rating_plot(career: Career, rect: Rect) -> Widget:
    """Return the curve over games, with the interval of the last rating and the levels around the curve."""
    from gui.widgets.plot import Curve, Plot, ReferenceLine  # not needed for the first picture

    ratings = [result.after for result in career.results if result.after is not None]
    values = [shown(rating.value) for rating in ratings]
    levels = [ReferenceLine(shown(level.rating), level.name) for level in LEVELS if ratings]
    low, high = min(values, default=0.0), max(values, default=0.0)
    curves = [Curve([None, *values])]
    for one in ratings[-1:]:
        last = [None] * len(ratings)
        low, high = min(low, max(shown(one.low), low - MOST)), max(high, min(shown(one.high), high + MOST))
        curves.append(Curve([*last, shown(one.value)], low=[*last, max(shown(one.low), low)],
                            high=[*last, min(shown(one.high), high)], sparse=True))  # fmt: skip
    below = max((level.value for level in levels if level.value < low), default=low)
    above = min((level.value for level in levels if level.value > high), default=high)

    def says(at: int) -> str:
        one = ratings[at - 1]
        ends = shown_interval(one.low, one.high)
        return f"Game {at}: {shown_text(one.value)}" + (f" ({ends})" if ends else "")

    return Plot(
        key="rating.plot", rect=rect, curves=curves if ratings else (), title="Rating over games", levels=levels,
        low=below - EDGE, high=above + EDGE, says=says if ratings else None, axes=bool(ratings),
        empty="The curve begins with your first rated game.", hint="The line through the last dot is its 95 % interval",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LevelColumns(Widget):
    """The levels as columns of the height of their ratings, and the person's piece on one of them.

    Attributes:
        emblems: those of the levels, from weak to strong; None for plain shields.
        at: the index of the level with the piece.
        chosen: the index of the level that is the opponent; -1 for none.
        choose: called with the index of a level that is clicked.
        side: whose piece it is.
    """

    names: ClassVar[Sequence[str]] = tuple(level.name for level in LEVELS)
    emblems: Sequence[Emblem | None]
    at: int
    chosen: int
    choose: Callable[[int], object]
    side: int

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme, px = canvas.theme, canvas.px
        columns = self.rect.columns(*[None] * len(LEVELS), gap=px(TIGHT))
        wide, line = columns[0].w, px(NAME)
        below = line + px(FIGURE) * (wide >= canvas.width("0000", SMALL, tabular=True))
        edge, side = wide // 7, min(wide, px(MAN), self.rect.h // 3)
        shield = round((wide - 2 * edge) / SHAPE)
        least, most = min(shield + 2 * edge, self.rect.h // 2), self.rect.h - below
        heights = [least + (most - least) * share for share in self._shares]
        over = heights[self.at] + side - most  # so that the piece has its place on the column
        share = 1 - min(max(over / max(heights[self.at] - least, 1), 0), 1)
        heights = [least + (height - least) * share for height in heights]
        for number, (column, emblem) in enumerate(zip(columns, self.emblems, strict=True)):
            here = number == self.chosen
            _, body, name, figure = column.rows(None, round(heights[number]), line, below - line)
            tint = theme.panel if emblem is None else theme.mix(theme.panel, TINCTURES[emblem.tincture], 0.2)
            canvas.box(body, theme.selection if here else tint, theme.accent if here else theme.line)
            place = Rect(body.x + edge, body.y + edge, wide - 2 * edge, min(shield, body.h - 2 * edge))
            draw_emblem(canvas, place, emblem)
            if here or wide >= px(COLUMN):
                colour, text = theme.text if here else theme.muted, self.names[number]
                room = canvas.width(text, SMALL, bold=True)
                x = min(max(name.centre[0] - room // 2, self.rect.x), self.rect.right - room)
                canvas.text(text, Rect(x, name.y, room, name.h), colour, SMALL, bold=here, align="centre")
            if figure.h:
                rating = shown_text(LEVELS[number].rating)
                canvas.text(rating, figure, theme.muted, SMALL, align="centre", tabular=True)
            if number == self.at:
                man = shapes.piece(side, False, (theme.black, theme.white)[self.side])
                canvas.surface.blit(man, (body.centre[0] - side // 2, body.y - side + side // 10))

    @property
    def _shares(self) -> list[float]:
        ratings = [level.rating for level in LEVELS]
        return [(rating - ratings[0]) / (ratings[-1] - ratings[0]) for rating in ratings]

    def handle(self, event: Event, ui: Ui) -> bool:
        if not isinstance(event, Press) or event.button != LEFT:
            return False
        self.choose((event.at[0] - self.rect.x) * len(LEVELS) // self.rect.w)
        return True


def level_columns(app: App, rect: Rect, side: int) -> LevelColumns:
    """Return the levels, which choose the opponent, with the person's piece on the one about as strong."""
    services = app.services
    return LevelColumns(
        key="levels", rect=rect, at=LEVELS.index(services.opponents.suitable_level), side=side,
        chosen=services.opponents.level, choose=services.choose_level,
        emblems=[services.personas.persona(level.player, level.depth).emblem for level in LEVELS],
        hint="The levels, the higher the stronger. Your piece is on the one about as strong as you",
    )  # fmt: skip
