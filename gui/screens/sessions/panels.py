"""The parts of the session screen: layout, session, curves, champion, tables, and the end of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_interval
from evolve.run.status import State
from game.errors import capital
from game.networks.emblem import Emblem
from game.number_text import rate_text, span_text
from gui.evolving.race import headline
from gui.geometry import Rect, Size
from gui.look.canvas import Canvas, Look
from gui.look.theme import CONTROL, GAP, HEADING, LARGE_CONTROL, ROOM, SMALL, TIGHT, TITLE
from gui.runs.session_state import SessionState, describe_session, rating_text
from gui.screens.evolution import CHANGE, arena_widgets, head_height, headline_labels, race_plot
from gui.screens.play.game_parts import StatusText
from gui.screens.screen import below_header, replay_board
from gui.sessions.boards import Replay, games_in, is_won_by
from gui.widgets.base import Command, Label, Ui, Widget
from gui.widgets.button import Segments, Slider, button, button_row
from gui.widgets.emblem import draw_emblem
from gui.widgets.table import ROW, Cell, Column, Table

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun
    from gui.screens.sessions.session import SessionScreen

GAMES = "Games"
"""The tab with the small boards, in the place of which the table is where the parts are one below the other."""

CARD, SHIELD, LARGE_TITLE = 74, 64, 24
STARTING = SessionState("Starting", "It goes on when you close this window.", "play")
CHILDREN = "Soon the winners have children"
WHAT_HAPPENS = "Each child differs a little from its parents. The children play next, and the best pass the levels."

NEW = 16
"""Number of the last generations of which one that won a recorded game is shown beside generation 0."""

STACKED = 800
"""Width below which the parts of the screen are one below the other."""


@dataclass(frozen=True)
class Layout:
    """The parts of the screen.

    Attributes:
        head: the sentence above the race; `large` and `head` together for another large plot.
        small: a smaller plot, or more of the race.
        stacked: whether all parts are one below the other, with the table in the place of the games.
    """

    status: Rect
    steering: Rect
    head: Rect
    large: Rect
    small: Rect
    caption: Rect
    actions: Rect
    arena: Rect
    tabs: Rect
    table: Rect
    play: Rect
    slider: Rect
    stacked: bool


def layout(screen: SessionScreen, size: Size, look: Look) -> Layout:
    px = look.px
    area = below_header(size, look)
    stacked = area.w < min(px(STACKED), area.h)
    begins, alone = screen.waits, screen.waits and not screen.run.kind.breeds
    main, strip = (area, area.rows(0)[0]) if begins else area.rows(None, px(LARGE_CONTROL), gap=px(GAP))
    above = 0 if has_finale(screen) else px(CONTROL)
    if stacked:
        left, right = main.rows(None, 0 if alone else main.h * 46 // 100, gap=px(GAP) * (not alone))
        top, tabs, arena = right.rows(above, px(32), None, gap=px(GAP))
        table = arena
    else:
        many = 75 if main.w >= px(1000) else 60
        wide = 0 if alone else main.w * (many if begins else 44) // 100
        left, right = main.columns(None, wide, gap=px(ROOM) * (not alone))
        upper, tabs, table = right.rows(right.h * 46 // 100, px(32), None, gap=px(GAP))
        top, arena = upper.rows(above, None, gap=px(TIGHT))
    status, steering, head, plots = left.rows(px(CARD), px(LARGE_CONTROL), head_height(left.w, look), None, gap=px(GAP))
    large, small = plots.rows(None, plots.h * 44 // 100, gap=px(GAP))
    caption, actions = top.columns(None, top.w // 2, gap=px(GAP))
    arena = right if begins else arena
    play, slider = strip.columns(px(150), None, gap=px(ROOM))
    return Layout(status, steering, head, large, small, caption, actions, arena, tabs, table, play, slider, stacked)


def panels(screen: SessionScreen, size: Size, look: Look, commands: Mapping[str, Command]) -> list[Widget]:
    at = layout(screen, size, look)
    if not screen.waits:
        right = [*_champion(screen, at, look, commands), *_generations(screen, at, commands)]
    else:  # no game is complete, but the boards are set up
        arena = replace(arena_widgets(screen.spectacle, at.arena, look)[-1], rect=at.arena)
        right = [arena] if screen.run.kind.breeds else []
    return [*_session(screen, at, look, commands), *_curves(screen, at, look), *right]


def _session(screen: SessionScreen, at: Layout, look: Look, commands: Mapping[str, Command]) -> list[Widget]:
    run = screen.run
    state = STARTING if screen.begins else describe_session(run, screen.now)
    head, text, icon, tone = state.head, state.text, state.icon, state.tone
    if run.state == State.RUNNING:
        head = f"Generation {max(run.newest, 0):,}{f' of {run.last:,}' if run.last >= 0 else ''}"
    # If the session was killed or failed, its state already says so, whichever program started it.
    failed = "" if run.going or run.state in ("interrupted", "failed") else screen.launched_trouble
    if failed or run.trouble:
        text, icon, tone = f"{failed or run.trouble} {text}", "warning", "warning"
    pace = f"{rate_text(run.work_a_second)} {run.kind.work} a second, {span_text(run.seconds)} so far"
    status = StatusText(key="status", rect=at.status, head=head, text=text, icon=icon, tone=tone, share=run.share,
                        hint=pace if run.going and run.seconds else "")  # fmt: skip
    if has_finale(screen):
        status = champion_status(screen, at.status) if run.state == State.DONE else status
        return [status, *finale(screen, at.steering, look, commands)]
    names = ("pause", "stop") if run.going or screen.begins else ("resume",)
    places = at.steering.columns(*[min(look.px(160), at.steering.w * 2 // 5)] * len(names), gap=look.px(GAP))
    goes_on = run.state == State.PAUSED or names == ("resume",)
    main = names[0] if goes_on and commands[names[0]].enabled else ""
    return [status, *button_row(commands, names, places, main=main)]


def _curves(screen: SessionScreen, at: Layout, look: Look) -> list[Widget]:
    """Return the race; without one, what extras show in its place."""
    spectacle, race, whole = screen.spectacle, screen.spectacle.race, at.large.around(at.small)
    if race is not None and screen.waits:
        area, says, more = at.head.around(whole), *((CHILDREN, WHAT_HAPPENS) if screen.run.kind.breeds else ("", ""))
        high = look.tall(says, area.w, HEADING, bold=True), look.tall(more, area.w)
        head, line, below = area.rows(*high, None, gap=look.px(GAP) * bool(says))
        return [
            Label(key="children", rect=head, text=says, size=HEADING, bold=True, wrap=True, may_cut=True),
            Label(key="what", rect=line, text=more, colour=look.theme.muted, wrap=True, may_cut=True),
            replace(race_plot(spectacle, race, below), empty="No rating yet"),
        ]
    if race is not None:
        text = headline(race, spectacle.generation, *spectacle.past)
        text = text.removeprefix(f"Generation {spectacle.generation:,}.").lstrip()
        if screen.curves is not None:
            plot = race_plot(spectacle, race, at.head.around(at.large), screen.pick)
            return [plot, *screen.curves.view([at.small], plot)]
        if screen.run.state == State.DONE and screen.follows and has_finale(screen):  # the card above says it
            return [race_plot(spectacle, race, at.head.around(whole), screen.pick)]
        return [*headline_labels(spectacle, race, at.head, look, text), race_plot(spectacle, race, whole, screen.pick)]
    if screen.curves is None or screen.waits:
        return [widget for entry in screen.added_tabs[:1] for widget in entry.view(at.head.around(whole), look)]
    return screen.curves.view((at.head.around(at.large), at.small))


def _champion(screen: SessionScreen, at: Layout, look: Look, commands: Mapping[str, Command]) -> list[Widget]:
    run, number, names = screen.run, screen.generation, screen.tabs_at(at)
    tab = screen.tab if screen.tab in names else names[0]
    widgets: list[Widget] = [
        Segments(key="tabs", rect=at.tabs, names=names, chosen=names.index(tab), pick=screen.show_tab, tabs=True)
    ]
    if not has_finale(screen):
        name = f"Generation {number:,}" if number >= 0 else "No champion yet"
        widgets.append(Label(key="champion", rect=at.caption, text=name, size=TITLE, bold=True, icon="crown",
                             may_cut=True, hint=run.champions[number] if number >= 0 else ""))  # fmt: skip
        places = at.actions.columns(None, None, gap=look.px(GAP))
        main = "play" if run.going and run.state != State.PAUSED else ""
        widgets += button_row(commands, ("play", "watch"), places, icon="", main=main)
    if tab == GAMES or not at.stacked:
        widgets += _boards(screen, at.arena, look)
    if tab == "Numbers" and screen.curves is not None:
        widgets += screen.curves.numbers(at.table)
    elif added := [entry for entry in screen.added_tabs if entry.name == tab]:
        widgets += added[0].view(at.table, look)
    elif tab != GAMES:
        widgets.append(_hall(screen, at, look))
    return widgets


def _boards(screen: SessionScreen, rect: Rect, look: Look) -> list[Widget]:
    if screen.in_film:
        return _film_board(screen, rect, look)
    if screen.compares:
        return screen.games.view(rect, look)
    shown = screen.spectacle.arena.shown
    emblem = None if shown is None else screen.app.services.personas.emblem(screen.player_of(shown.generation))
    return arena_widgets(screen.spectacle, rect, look, emblem)


def _film_board(screen: SessionScreen, rect: Rect, look: Look) -> list[Widget]:
    replay, (line, place) = screen.replay, rect.rows(look.px(ROW) // 2, None, gap=look.px(TIGHT))
    return [
        Label(key="players", rect=line, text=replay.caption, size=SMALL, colour=look.theme.muted, may_cut=True),
        replay_board(place, replay),
    ]


def _hall(screen: SessionScreen, at: Layout, look: Look) -> Table:
    run, newest, race = screen.run, screen.newest, screen.spectacle.race
    rating, estimated = run.interval("rating"), race is not None and race.estimated
    wide, rows = at.table.w >= look.px(480), [*range(newest, -1, -1)]
    if race is not None:  # a row says more than the number of its generation
        rows = [each for each in rows if each == newest or race.value_text(each)]

    def cells(row: int) -> Sequence[str | Cell]:
        number = rows[row]
        shown = screen.spectacle.arena.shown  # has its shield; that of each newest one would take time to read
        passing = run.going and number == newest and (shown is None or shown.generation != number)
        emblem = None if passing else screen.app.services.personas.emblem(screen.player_of(number))
        cells: list[str | Cell] = [Cell(f"Generation {number}", emblems=(emblem,))]
        if rating is None:
            return cells
        value, low, high = (column[number] for column in rating)
        text = rating_text(value, low) if race is None else race.value_text(number)
        return [*cells, text, *([shown_interval(low, high)] if wide and not estimated else [])]

    return Table(
        key="hall", rect=at.table, count=len(rows), cells=cells, of=rows.__getitem__,
        selected=next((row for row, number in enumerate(rows) if number <= screen.generation), -1),
        columns=(
            Column(run.kind.leader),
            *([] if rating is None else [Column("Estimate" if estimated else "Rating", 72, "right")]),
            *([Column("Interval", 140, "right")] if rating is not None and wide and not estimated else []),
        ),
        select=lambda row: screen.pick(rows[row]), activate=lambda row: screen.play_generation(rows[row]),
        hint="Enter or a double click: play against it. “Watch”: watch it",
        empty="The champion of every generation appears here.",
    )  # fmt: skip


def _generations(screen: SessionScreen, at: Layout, commands: Mapping[str, Command]) -> list[Widget]:
    return [
        button(commands["move"], "do.move", at.play),
        Slider(
            key="slider", rect=at.slider, text="Generation", value=max(screen.generation, 0), low=0,
            high=max(screen.newest, 1), change=screen.pick, shown=f"{max(screen.generation, 0):,}",
            enabled=screen.newest >= 0, page=10, hint="Every part of this screen shows this generation",
        ),
    ]  # fmt: skip


ENDS = (State.DONE, State.STOPPED)
"""States of a run whose page shows its champion in place of the progress."""


def has_finale(screen: SessionScreen) -> bool:
    run = screen.run
    return run.state in ENDS and screen.newest >= 0 and not (screen.begins or run.trouble or screen.launched_trouble)


def finale(screen: SessionScreen, rect: Rect, look: Look, commands: Mapping[str, Command]) -> list[Widget]:
    """Return the buttons of the champion; playing against it is the main purpose once all generations are complete."""
    texts = {"play": "Play it", "watch": "Watch", "why": "Why it is good", "send": "Share", "resume": "Evolve on"}
    texts = {name: text for name, text in texts.items() if name in commands}
    widths = [look.wide(text) for text in texts.values()]
    room = (rect.w - (len(texts) - 1) * look.px(GAP) - sum(widths)) // len(texts)
    if room < look.px(CONTROL):
        texts["why"] = "Why"
    columns = rect.columns(*[width + room if room >= look.px(CONTROL) else None for width in widths], gap=look.px(GAP))
    main = "play" if screen.run.state == State.DONE else "resume" if commands["resume"].enabled else ""
    return button_row(commands, texts, columns, main=main, short=texts)


@dataclass(frozen=True, kw_only=True)
class ChampionCard(StatusText):
    """The shield of a complete run's champion, and what it beats."""

    emblem: Emblem | None

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        px = canvas.px
        canvas.box(self.rect, canvas.theme.panel, canvas.theme.line, 10)
        shield, words = self.rect.inset(px(TIGHT)).columns(px(SHIELD), None, gap=px(GAP))
        draw_emblem(canvas, shield, self.emblem)
        head, text = words.rows(words.h * 6 // 10, None)
        size = canvas.fitting(self.head, head.w, LARGE_TITLE, bold=True)
        canvas.text(self.head, head, size=size, bold=True, may_cut=True)
        said = canvas.look.first_fitting([self.text, self.text.partition(". ")[2] or self.text], text.w)
        canvas.text(said, text, canvas.theme.muted, may_cut=True)


def champion_status(screen: SessionScreen, rect: Rect) -> ChampionCard:
    """Return what the champions of a complete run beat, in place of its state."""
    run, verdict, race = screen.run, screen.run.verdict, screen.spectacle.race
    head = f"Generation {screen.newest:,} is the champion"
    text = f"{run.work:,} {run.kind.work}, {span_text(run.seconds)}."
    if race is not None and (standing := race.standing(screen.newest)):
        now, _, once = standing.partition("; ")
        head = capital(now) if once else f"Generation {screen.newest:,} is {now}"
        text = f"{capital(once)}. {text}" if once else text
    elif verdict is not None and verdict.by == screen.newest:
        head = f"Generation {verdict.by:,} beats {verdict.opponent}"
    elif verdict is not None and verdict.by >= 0:
        text = f"Generation {verdict.by:,} beats {verdict.opponent}. {text}"
    emblem = screen.app.services.personas.emblem(screen.player_of(screen.newest))
    return ChampionCard(key="status", rect=rect, head=head, text=text, emblem=emblem, hint=text)


def _result_text(board: Replay, number: int) -> str:
    """Return the generation whose champion plays, and whether it wins if that is known."""
    name, model = f"Generation {number}", board.model
    ending = None if model is None else model.ending
    if model is None or ending is None:
        return name
    side = next((side for side, seat in enumerate(model.seats) if seat.shown.startswith(f"{name} of")), -1)
    return name if side < 0 else f"{name} {({None: 'draws', side: 'wins'}).get(ending.winner, 'loses')}"


class ThenAndNow:
    """Two recorded games, which are played once: one that generation 0 won beside one that a new champion won."""

    def __init__(self, run: LiveRun) -> None:
        self.run = run
        self.boards = Replay(), Replay()
        self._shown: int | None = None
        self._winner = -1

    @property
    def numbers(self) -> tuple[int, int]:
        return 0, self._winner if self._winner > 0 else self.run.newest

    def _wins(self, generation: int) -> bool:
        games = games_in(self.run.games_of(generation))
        return any(is_won_by(game, self.run.champions[generation]) for game in games)

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
        if anew:
            last = range(run.newest, max(run.newest - NEW, 0), -1)
            self._winner = next(filter(self._wins, last), run.newest)
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
            head, below, square = place.rows(look.px(TITLE + TIGHT), look.px(CHANGE), None, gap=look.px(TIGHT))
            square = square.columns(square.h, None)[0]
            title = "Lately" if name == "now" and number < self.run.newest else capital(name)
            widgets += [
                Label(key=name, rect=head, text=title, size=TITLE, bold=True, may_cut=True),
                Label(key=f"{name}.result", rect=below, text=_result_text(board, number), size=SMALL,
                      colour=look.theme.muted, may_cut=True),
                replace(replay_board(square, board, board.caption), key=f"{name}.board"),
            ]  # fmt: skip
        return widgets
