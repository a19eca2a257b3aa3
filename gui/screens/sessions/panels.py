"""The parts of the session screen: layout, session, curves, champion, tables, and the end of a session."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolve.run.status import State
from game.number_text import count_text, rate_text, span_text, whole_text
from gui.geometry import Rect, Size
from gui.look.canvas import Canvas, Look
from gui.look.theme import BODY, CONTROL, GAP, HEADING, LARGE_CONTROL, ROOM, SMALL, TIGHT, TITLE
from gui.runs.session_state import SessionState, interval_text, rating_text
from gui.screens.evolution import arena_widgets, head_height, headline_labels, race_plot
from gui.screens.play.game_parts import StatusText
from gui.screens.screen import below_header
from gui.screens.weights import weights_panel
from gui.sessions.boards import Replay
from gui.widgets.base import Command, Label, Ui, Widget
from gui.widgets.board import BoardMarks, BoardWidget
from gui.widgets.button import Button, Segments, Slider, button, button_row
from gui.widgets.table import ROW, Cell, Column, Table

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun
    from gui.screens.sessions.session import SessionScreen


STARTING = SessionState("Starting", "A separate process is starting. It continues when you close this window.", "play")

LEAST_WEIGHTS = 110
"""Minimum height of the weights below a race; otherwise they are on a tab."""


@dataclass(frozen=True)
class Layout:
    """The parts of the screen.

    Attributes:
        head: the sentence above the race; `large` and `head` together for another large plot.
        left, right: two smaller plots, or the weights below a race (`weights`).
        roomy: whether weights have room there; otherwise they are on a tab.
    """

    status: Rect
    counters: Rect
    steering: Rect
    head: Rect
    large: Rect
    left: Rect
    right: Rect
    play: Rect
    slider: Rect
    newest: Rect
    film: Rect
    caption: Rect
    actions: Rect
    arena: Rect
    tabs: Rect
    table: Rect
    roomy: bool

    @property
    def weights(self) -> Rect:
        return self.left.around(self.right)


def layout(size: Size, look: Look) -> Layout:
    px = look.px
    area = below_header(size, look)
    main, strip = area.rows(None, px(LARGE_CONTROL), gap=px(GAP))
    left, right = main.columns(None, main.w * 44 // 100, gap=px(ROOM))
    status, counters, steering, head, large, below = left.rows(
        px(74), px(50), px(CONTROL), head_height(left.w, look), None, (left.h - px(190)) * 36 // 100, gap=px(GAP)
    )
    small, other = below.columns(None, None, gap=px(GAP))
    upper, tabs, table = right.rows(right.h * 46 // 100, px(32), None, gap=px(GAP))
    top, arena = upper.rows(px(CONTROL), None, gap=px(TIGHT))
    caption, actions = top.columns(None, top.w // 2, gap=px(GAP))
    play, film, slider, newest = strip.columns(px(150), px(LARGE_CONTROL), None, px(120), gap=px(ROOM))
    return Layout(
        status, counters, steering, head, large, small, other, play, slider, newest, film, caption, actions, arena,
        tabs, table, small.h >= px(LEAST_WEIGHTS),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Counters(Widget):
    """Numbers side by side, each with a word below it.

    Attributes:
        spare: index of the pair that is left out first where there is no room for all.
    """

    items: Sequence[tuple[str, str]]
    spare: int

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Give each pair the width it needs, and share the rest; without room, draw smaller or fewer pairs."""
        fewer = (*self.items[: self.spare], *self.items[self.spare + 1 :])
        for items, size in itertools.product((self.items, fewer), (HEADING, TITLE, BODY)):
            needed = [
                max(canvas.width(number, size, bold=True, tabular=True), canvas.width(word, SMALL))
                for number, word in items
            ]
            left = self.rect.w - sum(needed)
            if left >= canvas.px(GAP) * len(items):
                break
        widths = [max(wide + left // len(items), 1) for wide in needed]
        for (number, word), place in zip(items, self.rect.columns(*widths), strict=True):
            above, below = place.rows(None, canvas.px(18))
            canvas.text(number, above, size=size, bold=True, tabular=True, may_cut=True)
            canvas.text(word, below, canvas.theme.muted, SMALL, may_cut=True)


def panels(screen: SessionScreen, size: Size, look: Look, commands: Mapping[str, Command]) -> list[Widget]:
    at = layout(size, look)
    return [
        *_session(screen, at, look, commands),
        *_curves(screen, at, look),
        *_champion(screen, at, look, commands),
        *_generations(screen, at, commands),
    ]


def _session(screen: SessionScreen, at: Layout, look: Look, commands: Mapping[str, Command]) -> list[Widget]:
    run = screen.run
    state = STARTING if screen.begins else run.describe(screen.now)
    text, icon, tone = state.text, state.icon, state.tone
    # If the session was killed or failed, its state already says so, whichever program started it.
    failed = "" if run.going or run.state in ("interrupted", "failed") else screen.launched_trouble
    if failed or run.trouble:
        text, icon, tone = f"{failed or run.trouble} {text}", "warning", "warning"
    ends = has_finale(screen)
    last = "" if run.last < 0 else f" / {run.last:,}"
    left = run.seconds_left
    what, count = run.kind.work, run.work
    counters = (
        (f"{screen.newest:,}{last}" if screen.newest >= 0 else f"–{last}", "generation"),
        (f"{count / 1e6:,.1f} M" if count >= 1e6 else f"{count:,}", what),
        (rate_text(run.work_a_second), f"{what}/s"),
        (span_text(run.seconds), "so far"),
        ("–" if left is None else f"{span_text(left)}", "left"),
    )
    steered = run.going or screen.begins
    names = ("pause", "stop-after", "stop") if steered else ("resume",)
    widgets: list[Widget] = [
        StatusText(key="status", rect=at.status, head=state.head, text=text, icon=icon, tone=tone),
        Counters(key="counters", rect=at.counters, items=counters, spare=3),
    ]
    if ends:
        widgets[1:] = finale(screen, at.counters, look, commands)
    if ends and run.state == "done":
        widgets[0] = champion_status(screen, at.status)
    if run.of_own_loop and not steered:
        why = commands["resume"].why
        return [
            *widgets,
            Label(key="own-loop", rect=at.steering, text=why, size=SMALL, colour=look.theme.muted, wrap=True),
        ]
    places = at.steering.columns(*[None] * len(names), gap=look.px(GAP))
    first = names[0]
    needed = run.state == "paused" if steered else not (ends and run.state == "done")
    main = first if commands[first].enabled and needed else ""
    widgets += button_row(commands, names, places, main=main)
    return widgets


def _curves(screen: SessionScreen, at: Layout, look: Look) -> list[Widget]:
    """Return the race with the weights below it; without a race, the weights, or curves of an extra."""
    run, race = screen.run, screen.spectacle.race
    if race is not None:
        beside = weights_panel(run, screen.generation, at.weights, look, screen.pick) if at.roomy else []
        place = at.large if at.roomy else at.large.around(at.weights)
        labels = headline_labels(screen.spectacle, race, at.head, look)
        return [*labels, race_plot(screen.spectacle, race, place, screen.pick), *beside]
    large = at.head.around(at.large)
    if screen.curves is None:
        return weights_panel(run, screen.generation, large.around(at.weights), look, screen.pick)
    return screen.curves.view((large, at.left, at.right))


def _champion(screen: SessionScreen, at: Layout, look: Look, commands: Mapping[str, Command]) -> list[Widget]:
    run, number = screen.run, screen.generation
    name = f"Generation {number}" if number >= 0 else "No champion yet"
    play, watch, pause = at.actions.columns(None, None, look.px(CONTROL), gap=look.px(GAP))
    names = screen.tabs_at(at)
    widgets: list[Widget] = [
        Label(
            key="champion", rect=at.caption, text=name, size=TITLE, bold=True, icon="crown", may_cut=True,
            hint=run.champions[number] if number >= 0 else "",
        ),
        *([] if has_finale(screen) else [_action(commands["play"], play, look),
                                         _action(commands["watch"], watch, look)]),
        button(commands["games"], "do.games", pause, icon_only=True),
        *_boards(screen, at.arena, look),
        Segments(key="tabs", rect=at.tabs, names=names, chosen=min(screen.tab, len(names) - 1), pick=screen.show_tab,
                 tabs=True),
    ]  # fmt: skip
    tab = names[min(screen.tab, len(names) - 1)]
    if tab == "Log":
        widgets.append(_log(screen, at))
    elif tab == "Weights":
        widgets += weights_panel(run, number, at.table, look, screen.pick)
    elif tab == "Numbers" and screen.curves is not None:
        widgets += screen.curves.numbers(at.table)
    else:
        widgets.append(_hall(screen, at, look))
    return widgets


def _boards(screen: SessionScreen, rect: Rect, look: Look) -> list[Widget]:
    if screen.in_film:
        return _film_board(screen, rect, look)
    return screen.games.view(rect, look) if screen.compares else arena_widgets(screen.spectacle, rect, look)


def _film_board(screen: SessionScreen, rect: Rect, look: Look) -> list[Widget]:
    replay, (line, place) = screen.replay, rect.rows(look.px(ROW) // 2, None, gap=look.px(TIGHT))
    return [
        Label(key="players", rect=line, text=replay.caption, size=SMALL, colour=look.theme.muted, may_cut=True),
        BoardWidget(key="board", rect=place, pieces=replay.pieces, numbers=False, enabled=False,
                    marks=BoardMarks(last=replay.last_move)),
    ]  # fmt: skip


def _action(command: Command, rect: Rect, look: Look) -> Button:
    if rect.w < look.px(50):
        return button(command, f"do.{command.id}", rect, icon_only=True)
    return button(command, f"do.{command.id}", rect, icon="")


def _hall(screen: SessionScreen, at: Layout, look: Look) -> Table:
    run, newest, race = screen.run, screen.newest, screen.spectacle.race
    rating, estimated = run.interval("rating"), race is not None and race.estimated
    wide = at.table.w >= look.px(480 if run.kind.breeds else 560)
    curves = [] if screen.curves is None else screen.curves.columns(wide=wide)

    def cells(row: int) -> Sequence[str | Cell]:
        number = newest - row
        points = run.points[number] if run.kind.breeds and number < len(run.points) else math.nan
        shown = ["" if math.isnan(points) else whole_text(points)] if run.kind.breeds else []
        shown += [text(number) for _, text in curves]
        emblem = None if run.going else screen.app.services.personas.emblem(screen.player_of(number))
        cells: list[str | Cell] = [Cell(f"Generation {number}", icon="crown", emblem=emblem), *shown]
        if rating is None:
            return cells
        value, low, high = (column[number] for column in rating)
        text = rating_text(value, low) if race is None else race.value_text(number)
        return [*cells, text, *([interval_text(low, high)] if wide and not estimated else [])]

    return Table(
        key="hall", rect=at.table, count=newest + 1, cells=cells, of=lambda row: newest - row,
        selected=newest - screen.generation,
        columns=(
            Column(run.kind.leader), *([Column("Points", 68, "right")] if run.kind.breeds else []),
            *(column for column, _ in curves),
            *([] if rating is None else [Column("Estimate" if estimated else "Rating", 72, "right")]),
            *([Column("95 % interval", 140, "right")] if rating is not None and wide and not estimated else []),
        ),
        select=lambda row: screen.pick(newest - row), activate=screen.play_row,
        hint="Enter or a double click: play against it. “Watch”: watch it",
        empty="The champion of every generation appears here.",
    )  # fmt: skip


def _log(screen: SessionScreen, at: Layout) -> Table:
    lines = list(reversed(screen.run.lines))
    theme = screen.app.look.theme

    def cells(row: int) -> Sequence[str | Cell]:
        parts = lines[row].split(maxsplit=4)
        if len(parts) < 5:
            return "", lines[row]
        bad = parts[2] in ("WARNING", "ERROR", "CRITICAL")
        message = parts[4].partition(": ")[2] or parts[4]
        return parts[1].partition(",")[0], Cell(message, theme.warning if bad else None, "warning" if bad else "")

    return Table(
        key="log", rect=at.table, columns=(Column("Time", 80), Column("Newest first")), count=len(lines), cells=cells,
        size=SMALL, empty="The session has logged nothing yet.",
    )  # fmt: skip


def _generations(screen: SessionScreen, at: Layout, commands: Mapping[str, Command]) -> list[Widget]:
    high = max(screen.newest, 0)
    return [
        button(commands["move"], "do.move", at.play),
        *(button(commands[name], f"do.{name}", at.film, icon_only=True) for name in ("share",) if name in commands),
        Slider(
            key="slider", rect=at.slider, text="Generation", value=max(screen.generation, 0), low=0, high=max(high, 1),
            change=screen.pick, shown=f"{screen.generation:,} of {high:,}" if screen.newest >= 0 else "–",
            enabled=screen.newest >= 0, page=10, hint="Every part of this screen shows this generation",
        ),
        button(commands["newest"], "do.newest", at.newest),
    ]  # fmt: skip


ENDS = (State.DONE, State.STOPPED)
"""States of a run whose page shows its champion in place of the progress."""


def has_finale(screen: SessionScreen) -> bool:
    run = screen.run
    return run.state in ENDS and screen.newest >= 0 and not (screen.begins or run.trouble or screen.launched_trouble)


def finale(screen: SessionScreen, rect: Rect, look: Look, commands: Mapping[str, Command]) -> list[Widget]:
    """Return the buttons of the champion; playing against it is the main purpose once all generations are complete."""
    place = rect.rows(look.px(LARGE_CONTROL), None)[0]
    watch = f"Watch it against generation {screen.other:,}"
    texts = {"play": ("Play it",) * 2, "watch": (watch, "Watch"), "why": ("Why it is good", "Why")}
    widths = [look.fonts.size(long, look.px(BODY))[0] for long, _ in texts.values()]
    room = (place.w - 2 * look.px(GAP) - sum(widths)) // len(texts)
    whole = room >= look.px(CONTROL)
    columns = place.columns(*[width + room if whole else None for width in widths], gap=look.px(GAP))
    main = "play" if screen.run.state == State.DONE else ""
    short = {name: long if whole else brief for name, (long, brief) in texts.items()}
    return button_row(commands, texts, columns, main=main, short=short)


def champion_status(screen: SessionScreen, rect: Rect) -> StatusText:
    """Return what the champions of a complete run beat, in place of its state."""
    run, verdict = screen.run, screen.run.verdict
    head = f"Generation {screen.newest:,} is the champion"
    text = f"{count_text(screen.newest + 1, 'generation')}, {run.work:,} {run.kind.work} in {span_text(run.seconds)}."
    if verdict is not None and verdict.opponent:
        number, does = (verdict.generation, "is rated above") if verdict.by < 0 else (verdict.by, "beats")
        beats = f"Generation {number:,} {does} {verdict.opponent}"
        if number == screen.newest:
            head = beats
        else:
            text = f"{beats}. {text}"
    return StatusText(key="status", rect=rect, head=head, text=text, icon="crown", tone="good")


class ThenAndNow:
    """Two recorded games, which are played once: one that generation 0 won beside one that the newest champion won."""

    def __init__(self, run: LiveRun) -> None:
        self.run = run
        self.boards = Replay(), Replay()
        self._shown: int | None = None

    @property
    def numbers(self) -> tuple[int, int]:
        return 0, self.run.newest

    @property
    def is_possible(self) -> bool:
        return self.run.newest > 0 and all(self.run.span_of(number)[2] for number in self.numbers)

    def tick(self, now: float, *, visible: bool) -> bool:
        """Let time pass; return whether the boards have changed. They begin anew when they become visible."""
        if not visible:
            self._shown = None
            return False
        run, anew = self.run, self._shown != self.run.newest
        changed = anew
        for board, number in zip(self.boards, self.numbers, strict=True):
            if anew:
                board.show(run.games_of(number), run.title_in_game, run.champions[number])
                board.go_along(0.0)
            if board.model is not None and not board.model.at_end:
                changed = board.tick(now) or changed
        self._shown = run.newest
        return changed

    def view(self, rect: Rect, look: Look) -> list[Widget]:
        widgets: list[Widget] = []
        for name, board, number, place in zip(
            ("then", "now"), self.boards, self.numbers, rect.columns(None, None, gap=look.px(ROOM)), strict=True
        ):
            head, line, square = place.rows(look.px(22), look.px(16), None, gap=look.px(TIGHT))
            caption = board.caption.partition("  ")[0].replace(f" of {self.run.name}", "")
            if look.fonts.size(caption, look.px(SMALL))[0] > line.w:
                caption = caption.replace("Generation ", "Gen. ")
            widgets += [
                Label(key=name, rect=head, text=f"Generation {number:,}", size=TITLE, bold=True, may_cut=True),
                Label(key=f"{name}.players", rect=line, text=caption, size=SMALL, colour=look.theme.muted, may_cut=True,
                      hint=board.caption),
                BoardWidget(key=f"{name}.board", rect=square, pieces=board.pieces, numbers=False, enabled=False,
                            marks=BoardMarks(last=board.last_move), hint=board.caption),
            ]  # fmt: skip
        return widgets
