"""The parts of the climb: the ladder, the person's rating, the chosen opponent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_interval, shown_text
from evolve.strength.levels import LEVELS
from extras.climb.ladder import play_text
from game.board import Position
from game.errors import capital
from gui.geometry import Rect, Size
from gui.look import shapes
from gui.look.canvas import Canvas, Look
from gui.look.theme import APART, BODY, CONTROL, EDGE, GAP, MAIN_CONTROL, SMALL, TIGHT, TITLE
from gui.model.lines import pieces_of
from gui.rating.measuring import key_of
from gui.rating.rating import Opponent, chance_words, is_climbed
from gui.screens.entries import beside_name
from gui.screens.rating import rating_height, rating_labels, rating_plot
from gui.screens.screen import below_header
from gui.widgets.base import Label, Widget, by_id
from gui.widgets.board import BoardWidget
from gui.widgets.button import MainButton, button
from gui.widgets.emblem import draw_emblem
from gui.widgets.field import Dropdown
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from extras.climb.screen import Climb
    from game.networks.emblem import Emblem

WAY, LARGE, LEAST_ROW, LARGE_ROW = 92, 16, 22, 64
"""Width of the drawn ladder, the size of the names beside it, and the least and the largest height of a rung."""

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
    head, place = area.rows(px(CONTROL), None, gap=px(GAP))
    names = [run.name for run in screen.runs]
    widgets: list[Widget] = []
    title, run = head.columns(None, min(px(300), area.w * 60 // 100), gap=px(GAP))
    if names:
        at = names.index(screen.run_name) if screen.run_name in names else -1
        widgets.append(Dropdown(key="run", rect=run, names=names, chosen=at, pick=screen.pick_run, text="Levels and",
                                hint="The run whose generations are on the ladder"))  # fmt: skip
    size, way, wide = (LARGE, WAY, 124) if area.w >= px(460) else (BODY, WAY // 2, 96)
    columns = Column("", way), Column("Opponent"), Column("Rating", wide, "right"), Column("Points", 84, "right")
    goal = screen.goal
    return [
        *widgets,
        Label(key="ladder", rect=title, text="Ladder", size=TITLE, bold=True),
        Table(
            key="rungs", rect=place, columns=columns, count=len(rows),
            cells=lambda row: _cells(screen, rows[row], goal, (row == 0, row == len(rows) - 1)),
            of=lambda row: rows[row].key, headed=False, size=size,
            selected=next((n for n, each in enumerate(rows) if each.key == screen.key_chosen), -1),
            select=screen.select, activate=play_row, arranged=screen.run_name,
            row=min(max(place.h // max(len(rows), 1), px(LEAST_ROW)), px(LARGE_ROW)),
            hint="Enter plays. On a green rung you won two games of three; at the right are your points",
            empty="Reading…" if screen.runs or not screen.app.services.sources.looks else NO_RUN,
        ),
    ]  # fmt: skip


def _cells(screen: Climb, one: Opponent, at: Opponent | None, ends: tuple[bool, bool]) -> Sequence[str | Cell]:
    """Return the cells of an opponent; `ends` says whether it is on the highest and on the lowest rung."""
    theme, points = screen.app.look.theme, screen.points_against(one)
    goal = at is not None and one.key == at.key
    sign = Cell("You" if goal else "", draw=partial(_draw_rung, is_climbed(points), goal, ends))
    rating: str | Cell = shown_text(one.rating or 0.0, brief=True)
    if one.rating is None:  # below the ladder, not on it
        sign, rating = Cell(""), Cell("not measured", theme.muted)
    brief = f"{half_text(sum(points))} of {len(points)}" if points else ""
    emblem = "dice" if one.player == "random" else screen.app.services.personas.persona(one.player, one.depth).emblem
    name = Cell(capital(one.name), draw=partial(_draw_name, capital(one.name), emblem, goal))
    return sign, name, rating, Cell(brief, theme.muted)


def _draw_name(name: str, emblem: Emblem | str | None, goal: bool, canvas: Canvas, place: Rect) -> None:
    shield, text = place.inset(0, canvas.px(TIGHT)).columns(min(place.h, canvas.px(36)), None, gap=canvas.px(GAP))
    if canvas.width(name, BODY, bold=goal) > text.w:
        text = place
    elif isinstance(emblem, str):
        canvas.icon(emblem, shield, canvas.theme.muted, LARGE)
    elif emblem is not None:
        draw_emblem(canvas, shield, emblem)
    size = canvas.fitting(name, text.w, LARGE, bold=goal)
    canvas.text(name, text, canvas.theme.text, size, bold=goal, may_cut=True)


def _draw_rung(climbed: bool, goal: bool, ends: tuple[bool, bool], canvas: Canvas, place: Rect) -> None:
    """Draw a rung of the ladder, as at the end of a game: green once it is climbed, with you on the goal."""
    rail, thick = canvas.theme.mix(canvas.theme.background, canvas.theme.muted, 0.6), canvas.px(3)
    highest, lowest = ends
    y, top = place.bottom - canvas.px(5), place.y + (place.h // 3 if highest else 0)
    for x in (place.x, place.right):
        shapes.lines(canvas.surface, rail, ((x, top), (x, y if lowest else place.bottom)), thick)
    shapes.lines(canvas.surface, canvas.theme.accent if climbed else rail, ((place.x, y), (place.right, y)), thick)
    if goal:
        side = min(y - place.y, canvas.px(28))
        you, wide = Rect(place.x, y - side, place.w, side), side + canvas.px(4) + canvas.width("You", SMALL, bold=True)
        room = wide <= you.w
        you = you.centre_within(wide if room else side, side)
        canvas.surface.blit(shapes.piece(side, True, canvas.theme.white), (you.x, you.y))
        if room:
            canvas.text("You", you, canvas.theme.accent, SMALL, bold=True, align="right")


def _person(screen: Climb, area: Rect, look: Look) -> list[Widget]:
    px, one = look.px, screen.chosen
    facts = _facts(screen, one)
    lines = look.tall(facts, area.w)
    begun, middle = bool(screen.career.results), (None, px(26))
    above, plot, name, text, play, more = area.rows(
        px(rating_height(screen.app.services)), *middle[:: 1 if begun else -1], lines, px(MAIN_CONTROL), px(CONTROL),
        gap=px(GAP),
    )  # fmt: skip
    if not begun:  # whose board it is stands above it
        plot, name = name, plot
    name, buttons = beside_name([each for each in screen.player_commands() if each.enabled], name, look)
    commands = by_id(screen.commands())
    command, title, begin = commands["play"], "", "Play"
    if one is not None:
        title = capital(one.label)
        colour = screen.side_name(0 if screen.career.plays_black(one) else 1)
        counts = "Not rated" if one.rating is None else "Rated"
        begin = f"Play {one.name}\n{counts}. You play {colour}."
    names = ["equal", *(["measure"] if one is not None and one.rating is None else [])]
    places = more.columns(*[None] * len(names), gap=px(GAP))
    return [
        *rating_labels(screen.app.services, above, look),
        rating_plot(screen.career, plot) if begun else _first_board(screen, one, plot),
        Label(key="name", rect=name, text=title, size=TITLE, bold=True, may_cut=True),
        *buttons,
        Label(key="facts", rect=text, text=facts, colour=look.theme.muted, wrap=True, hint=_details(screen, one)),
        MainButton(
            key="play", rect=play, run=command.run, enabled=command.enabled, why=command.reason,
            hint=f"{command.hint}. {WHAT_COUNTS}", icon="play", kind="main", shortcut=command.key, text=begin,
        ),
        *[button(commands[name], f"do.{name}", at) for name, at in zip(names, places, strict=True)],
    ]  # fmt: skip


def _first_board(screen: Climb, one: Opponent | None, rect: Rect) -> Widget:
    """Return a board from your side, in place of the curve before the first game: from a game of the chosen level."""
    fen = next((level.position for level in LEVELS if one is not None and one.label == level.name), "")
    return BoardWidget(key="board", rect=rect, flipped=one is not None and screen.career.plays_black(one),
                       pieces=pieces_of(Position.from_fen(fen) if fen else Position.start()),
                       numbers=False, enabled=False, hint="From one of its games" if fen else "")  # fmt: skip


def _facts(screen: Climb, one: Opponent | None) -> str:
    """Return the rating of an opponent, what to expect against it, and what was scored."""
    if one is None:
        return "Choose an opponent from the list."
    run, _ = screen.place_of(one)
    if one.rating is not None:
        rating = f"Rated {shown_text(one.rating)}. {chance_words(screen.career.rating_value, one.rating)}"
    elif run is not None and screen.app.services.measuring.present == key_of(run, one.generation):
        rating = "It is being measured by 60 games."
    else:
        rating = "Not measured yet."
    points = points_text(screen.points_against(one))
    score = f"Climbed: {points}." if is_climbed(screen.points_against(one)) else "Win two of three to go up."
    below = [each for each in screen.listed if is_climbed(screen.points_against(each))]
    if below and screen.goal is not None and one.key == screen.goal.key:
        score = f"You won two of three against {below[0].name}: do so here to go up."
    return f"{rating}\n{score}"


def _details(screen: Climb, one: Opponent | None) -> str:
    """Return how an opponent plays, the interval of its rating, and what it beats, for the tooltip."""
    if one is None:
        return ""
    run, _ = screen.place_of(one)
    texts = [capital(play_text(one, -1 if run is None else run.newest))]
    if one.rating is not None and one.low is not None and one.high is not None:
        texts.append(f"95 %: {shown_interval(one.low, one.high)}")
        texts.append("" if run is None else run.verdict_at(one.generation).rstrip("."))
    else:
        texts.append("A game against it counts for the climb, but not for your rating")
    texts.append(capital(points_text(screen.points_against(one))))
    return f"{'. '.join(filter(None, texts))}."


def half_text(points: float) -> str:
    """Return points as people write them, such as ``2½``."""
    whole = int(points)
    return f"{whole or ''}½" if points != whole else f"{whole}"


def points_text(points: Sequence[float]) -> str:
    """Return the results of games as ``2 won, 1 lost``."""
    counts = ((points.count(made), word) for made, word in ((1.0, "won"), (0.5, "drawn"), (0.0, "lost")))
    return ", ".join(f"{count} {word}" for count, word in counts if count) or "not played"
