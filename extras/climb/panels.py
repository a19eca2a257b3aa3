"""The parts of the climb: the ladder, the person's rating, the chosen opponent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_interval, shown_text
from evolve.strength.elo import expected_score
from extras.climb.card import games_table, half_text, points_text
from extras.climb.ladder import play_text
from game.errors import capital
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import APART, BODY, CONTROL, EDGE, GAP, MAIN_CONTROL, ROOM, SMALL, TIGHT, TITLE
from gui.rating.measured import key_of
from gui.rating.rating import Opponent, is_climbed
from gui.screens.entries import beside_name
from gui.screens.rating import RATING, rating_labels, rating_plot
from gui.screens.screen import below_header
from gui.widgets.base import Label, Widget, by_id
from gui.widgets.board import BoardMarks, BoardWidget
from gui.widgets.button import MainButton, button
from gui.widgets.field import Dropdown
from gui.widgets.table import HEAD, ROW, Cell, Column, Table
from gui.widgets.weight_map import WeightMap

if TYPE_CHECKING:
    from extras.climb.screen import Climb

LEAST_GAMES, LEAST_LIKES = 110, 96
"""Minimum heights of the list of games, and of the board beside pictures, in pixels of the design."""

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
    lines = len(look.fonts.wrap(WHAT_COUNTS, area.w, px(SMALL))) * look.fonts.height(px(SMALL))
    head, place, rules = area.rows(px(CONTROL), None, lines, gap=px(GAP))
    needed = px(HEAD) + px(ROW + 1) * max(len(rows), 5) + px(4)
    games = place.h - needed - px(8)
    place, below = place.rows(None, games, gap=px(GAP)) if games >= px(LEAST_GAMES) else (place, None)
    names = [run.name for run in screen.runs]
    widgets: list[Widget] = []
    title, run = head.columns(None, min(px(300), area.w * 60 // 100), gap=px(GAP))
    if names:
        at = names.index(screen.run_name) if screen.run_name in names else -1
        widgets.append(Dropdown(key="run", rect=run, names=names, chosen=at, pick=screen.pick_run, text="Levels and",
                                hint="The run whose generations are on the ladder"))  # fmt: skip
    wide = area.w >= px(460)
    columns = (
        Column("", 30),
        Column("Opponent"),
        Column("Rating", 96, "right"),
        *([Column("95 % interval", 130, "right")] if wide else []),
        Column("Points", 84, "right"),
    )
    goal = screen.goal

    def cells_of(row: int) -> Sequence[str | Cell]:
        cells = list(_cells(screen, rows[row], goal))
        return cells if wide else [*cells[:3], cells[4]]

    return [
        *widgets,
        Label(key="ladder", rect=title, text="Ladder", size=TITLE, bold=True),
        Table(
            key="rungs", rect=place, columns=columns, count=len(rows),
            cells=cells_of, of=lambda row: rows[row].key,
            selected=next((n for n, each in enumerate(rows) if each.key == screen.key_chosen), -1),
            select=screen.select, activate=play_row, arranged=screen.run_name,
            hint="Enter or a double click plays. A tick means that you won two games of three",
            empty=_empty(screen),
        ),
        *([] if below is None else [games_table(screen.career, below, look)]),
        Label(key="counts", rect=rules, text=WHAT_COUNTS, size=SMALL, colour=look.theme.muted, wrap=True),
    ]  # fmt: skip


def _cells(screen: Climb, one: Opponent, at: Opponent | None) -> Sequence[str | Cell]:
    muted, points = screen.app.look.theme.muted, screen.points_against(one)
    goal = at is not None and one.key == at.key
    sign = Cell("", icon="check" if is_climbed(points) else "next" if goal else "")
    rating = Cell("not measured", muted) if one.rating is None else shown_text(one.rating, brief=True)
    interval = "" if one.low is None or one.high is None else shown_interval(one.low, one.high)
    brief = f"{half_text(sum(points))} of {len(points)}" if points else "–"
    return sign, Cell(capital(one.name), bold=goal), rating, Cell(interval, muted), Cell(brief, muted)


def _person(screen: Climb, area: Rect, look: Look) -> list[Widget]:
    px, one = look.px, screen.chosen
    facts = _facts(screen, one)
    lines = len(look.fonts.wrap(facts, area.w, px(BODY))) * look.fonts.height(px(BODY))
    curve = px(96) if area.h < px(640) else px(150)  # the board below is square, which leaves room on a tall screen
    curve += max(area.h - px(470) - curve - area.w // 2, 0)
    above, plot, name, text, middle, play, more = area.rows(
        px(RATING), curve, px(26), lines, None, px(MAIN_CONTROL), px(CONTROL), gap=px(GAP)
    )
    name, buttons = beside_name(screen.player_commands(), name, look)
    commands = by_id(screen.commands())
    title = "" if one is None else capital(one.label)
    command = commands["play"]
    begin = "Play"
    if one is not None:
        colour = screen.side_name(0 if screen.career.plays_black(one) else 1)
        counts = "Counts for the climb only" if one.rating is None else "Rated"
        begin = f"Play {one.name}\n{counts}. You play {colour}."
    names = ("equal", "easier", "harder", *(["measure"] if one is not None and one.rating is None else []))
    places = more.columns(None, *[more.w // (len(names) + 1)] * (len(names) - 1), gap=px(GAP))
    return [
        *rating_labels(screen.career, above, look),
        rating_plot(screen.career, plot),
        Label(key="name", rect=name, text=title, size=TITLE, bold=True, may_cut=True),
        *buttons,
        Label(key="facts", rect=text, text=facts, colour=look.theme.muted, wrap=True),
        *_likes(screen, middle, look),
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
        rating = f"Rating {shown_text(one.rating)} ({ends}). {chance_words(screen.career.rating_value, one)}"
        verdict = "" if run is None else run.verdict_at(one.generation)
        rating += f" {verdict}" if verdict else ""
    points = screen.points_against(one)
    if is_climbed(points):
        score = f"Climbed: {points_text(points)}."
    else:
        score = f"{capital(points_text(points))}: win two of three to go up."
    return f"{capital(play)}.\n{rating}\n{score}"


def _likes(screen: Climb, area: Rect, look: Look) -> list[Widget]:
    """Return a game of an opponent on a small board, and a picture of its weights."""
    px, one, replay = look.px, screen.chosen, screen.replay
    if area.h < px(LEAST_LIKES):
        return []
    run, number = (None, -1) if one is None else screen.place_of(one)
    pictures = screen.pictures.get(("" if run is None else run.player_name, number))
    empty = "Reading…" if pictures is None else "Its weights cannot be displayed."
    if one is not None and run is None:
        pictures, empty = [], "It has no weights."
    if pictures and not any(picture.largest for picture in pictures):
        pictures, empty = [], "It values all squares alike: it only counts pieces."
    side = min(area.h - px(32), area.w // 2 - px(6))
    left, right = area.columns(max(side, px(150)), None, gap=px(ROOM))
    head, board = left.rows(px(26), None, gap=px(GAP))
    board = Rect(board.x, board.y, board.w, min(board.w, board.h))
    commands = by_id(screen.commands())
    caption, following, large = head.columns(None, px(26), px(26), gap=px(TIGHT))
    title, weights = right.rows(px(26), None, gap=px(GAP))
    return [
        Label(key="games", rect=caption, text=f"Game {replay.number + 1} of {replay.count}"
              if replay.count else "No games kept", bold=True, may_cut=True, hint=replay.caption),
        button(commands["another-game"], "do.another-game", following, icon_only=True),
        button(commands["show-game"], "do.show-game", large, icon_only=True),
        BoardWidget(
            key="small", rect=board, pieces=replay.pieces, numbers=False, enabled=False,
            marks=BoardMarks(last=replay.last_move), hint=replay.caption,
        ),
        Label(key="likes", rect=title, text="Its weights", bold=True, may_cut=True),
        WeightMap(
            key="weights", rect=weights, pictures=pictures or (),
            hint="Blue is good for it, orange bad",
            empty=empty,
        ),
    ]  # fmt: skip


def _empty(screen: Climb) -> str:
    """Return why there is no opponent, and what to do."""
    if not screen.app.services.sources.looks:
        return "Reading…"
    return "Reading…" if screen.runs else NO_RUN


def chance_words(rating: float, opponent: Opponent) -> str:
    """Return the points that a person with a rating may expect against an opponent."""
    if opponent.rating is None:
        return "Its strength was not measured."
    return f"You may expect {100 * expected_score(rating - opponent.rating):.0f} % of the points."
