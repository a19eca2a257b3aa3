"""The parts of the climb: the ladder, the person's rating, the chosen opponent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_interval, shown_text
from extras.climb.ladder import play_text
from game.errors import capital
from gui.geometry import Rect, Size
from gui.look import shapes
from gui.look.canvas import Canvas, Look
from gui.look.theme import APART, BODY, CONTROL, EDGE, GAP, MAIN_CONTROL, SMALL, TITLE
from gui.rating.measuring import key_of
from gui.rating.rating import Opponent, chance_words, is_climbed
from gui.screens.entries import beside_name
from gui.screens.rating import RATING, rating_labels, rating_plot
from gui.screens.screen import below_header
from gui.widgets.base import Label, Widget, by_id
from gui.widgets.button import MainButton, button
from gui.widgets.field import Dropdown
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from extras.climb.screen import Climb

WAY, LARGE = 72, 16
"""Width of the drawn ladder, and the size of the names beside it."""

RULES = "A game counts unless you take back a move or look for help."
WHAT_COUNTS = (
    "Each ballot is played with both colours. A game counts unless you take back a move, look at a hint, the analysis "
    "or earlier games, go on from an earlier position, or repeat the moves of an earlier game. A game that you leave "
    "unfinished counts as lost when the next one begins."
)

NO_RUN = "No run has a champion yet: “New session” on the first screen begins one."


def panels(screen: Climb, size: Size, look: Look, play_row: Callable[[int], object]) -> list[Widget]:
    """Return the ladder on the left, and the person and the chosen opponent on the right."""
    px = look.px
    area = below_header(size, look)
    if area.h > area.w:
        area = area.centre_within(area.w, min(area.h, area.w * 17 // 10))
        left, right = area.rows(area.h * 40 // 100, None, gap=px(EDGE))
    else:
        area = area.centre_within(min(area.w, px(1500)), min(area.h, px(1000)))
        left, right = area.columns(area.w * 48 // 100, None, gap=px(APART))
    return [*_ladder(screen, left, look, play_row), *_person(screen, right, look)]


def _ladder(screen: Climb, area: Rect, look: Look, play_row: Callable[[int], object]) -> list[Widget]:
    px, rows = look.px, screen.listed
    head, place, rules = area.rows(px(CONTROL), None, look.tall(RULES, area.w, SMALL), gap=px(GAP))
    names = [run.name for run in screen.runs]
    widgets: list[Widget] = []
    title, run = head.columns(None, min(px(300), area.w * 60 // 100), gap=px(GAP))
    if names:
        at = names.index(screen.run_name) if screen.run_name in names else -1
        widgets.append(Dropdown(key="run", rect=run, names=names, chosen=at, pick=screen.pick_run, text="Levels and",
                                hint="The run whose generations are on the ladder"))  # fmt: skip
    size, way = (LARGE, WAY) if area.w >= px(460) else (BODY, WAY * 2 // 3)
    columns = Column("", way), Column("Opponent"), Column("Rating", 96, "right"), Column("Points", 84, "right")
    goal = screen.goal
    return [
        *widgets,
        Label(key="ladder", rect=title, text="Ladder", size=TITLE, bold=True),
        Table(
            key="rungs", rect=place, columns=columns, count=len(rows),
            cells=lambda row: _cells(screen, rows[row], goal), of=lambda row: rows[row].key, headed=False, size=size,
            selected=next((n for n, each in enumerate(rows) if each.key == screen.key_chosen), -1),
            select=screen.select, activate=play_row, arranged=screen.run_name,
            hint="Enter plays. On a green rung you won two games of three; at the right are your points",
            empty="Reading…" if screen.runs or not screen.app.services.sources.looks else NO_RUN,
        ),
        Label(key="counts", rect=rules, text=RULES, size=SMALL, colour=look.theme.muted, wrap=True,
              hint=WHAT_COUNTS),
    ]  # fmt: skip


def _cells(screen: Climb, one: Opponent, at: Opponent | None) -> Sequence[str | Cell]:
    muted, points = screen.app.look.theme.muted, screen.points_against(one)
    goal = at is not None and one.key == at.key
    sign = Cell("You" if goal else "", draw=partial(_draw_rung, is_climbed(points), goal))
    rating: str | Cell = shown_text(one.rating or 0.0, brief=True)
    if one.rating is None:  # below the ladder, not on it
        sign, rating = Cell(""), Cell("not measured", muted)
    brief = f"{half_text(sum(points))} of {len(points)}" if points else "–"
    return sign, Cell(capital(one.name), bold=goal), rating, Cell(brief, muted)


def _draw_rung(climbed: bool, goal: bool, canvas: Canvas, place: Rect) -> None:
    """Draw a rung of the ladder, as at the end of a game: green once it is climbed, with you on the goal."""
    rail, thick, bottom = canvas.theme.mix(canvas.theme.background, canvas.theme.muted, 0.6), canvas.px(3), place.bottom
    for x in (place.x, place.right):
        shapes.lines(canvas.surface, rail, ((x, place.y), (x, bottom)), thick)
    y = bottom - canvas.px(5)
    shapes.lines(canvas.surface, canvas.theme.accent if climbed else rail, ((place.x, y), (place.right, y)), thick)
    if goal:
        side = min(y - place.y, canvas.px(28))
        you, wide = Rect(place.x, y - side, place.w, side), side + canvas.px(4) + canvas.width("You", SMALL, bold=True)
        you = you.centre_within(min(wide, you.w), side)
        canvas.surface.blit(shapes.disc(side, canvas.theme.accent), (you.x, you.y))
        canvas.text("You", you, canvas.theme.accent, SMALL, bold=True, align="right")


def _person(screen: Climb, area: Rect, look: Look) -> list[Widget]:
    px, one = look.px, screen.chosen
    facts = _facts(screen, one)
    lines = look.tall(facts, area.w)
    above, plot, name, text, play, more = area.rows(
        px(RATING), None, px(26), lines, px(MAIN_CONTROL), px(CONTROL), gap=px(GAP)
    )
    name, buttons = beside_name(screen.player_commands(), name, look)
    commands = by_id(screen.commands())
    command, title, begin = commands["play"], "", "Play"
    if one is not None:
        title = capital(one.label)
        colour = screen.side_name(0 if screen.career.plays_black(one) else 1)
        counts = "Counts for the climb only" if one.rating is None else "Rated"
        begin = f"Play {one.name}\n{counts}. You play {colour}."
    names = ["equal", *(["measure"] if one is not None and one.rating is None else [])]
    places = more.columns(*[None] * len(names), gap=px(GAP))
    return [
        *rating_labels(screen.career, above, look),
        rating_plot(screen.career, plot),
        Label(key="name", rect=name, text=title, size=TITLE, bold=True, may_cut=True),
        *buttons,
        Label(key="facts", rect=text, text=facts, colour=look.theme.muted, wrap=True),
        MainButton(
            key="play", rect=play, run=command.run, enabled=command.enabled, why=command.reason, hint=command.hint,
            icon="play", kind="main", shortcut=command.key, text=begin,
        ),
        *[button(commands[name], f"do.{name}", at) for name, at in zip(names, places, strict=True)],
    ]  # fmt: skip


def _facts(screen: Climb, one: Opponent | None) -> str:
    if one is None:
        return "Choose an opponent from the list."
    run, _ = screen.place_of(one)
    play = play_text(one, -1 if run is None else run.newest)
    if one.rating is None or one.low is None or one.high is None:
        rating = "Not measured: games count for the climb, but not for your rating."
        if run is not None and screen.app.services.measuring.present == key_of(run, one.generation):
            rating = "It is being measured in the background, with 60 games without tablebases."
    else:
        ends = f"95 %: {shown_interval(one.low, one.high)}"
        rating = f"Rating {shown_text(one.rating)} ({ends}). {chance_words(screen.career.rating_value, one.rating)}"
        verdict = "" if run is None else run.verdict_at(one.generation)
        rating += f" {verdict}" if verdict else ""
    points = screen.points_against(one)
    if is_climbed(points):
        score = f"Climbed: {points_text(points)}."
    else:
        score = f"{capital(points_text(points))}: win two of three to go up."
    return f"{capital(play)}.\n{rating}\n{score}"


def half_text(points: float) -> str:
    """Return points as people write them, such as ``2½``."""
    whole = int(points)
    return f"{whole or ''}½" if points != whole else f"{whole}"


def points_text(points: Sequence[float]) -> str:
    """Return the results of games as ``2 won, 1 lost``."""
    counts = ((points.count(made), word) for made, word in ((1.0, "won"), (0.5, "drawn"), (0.0, "lost")))
    return ", ".join(f"{count} {word}" for count, word in counts if count) or "not played"
