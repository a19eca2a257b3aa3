"""The first screen: play at once, go on with a game, look at the runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from game.board import Position
from gui.geometry import Rect, Size
from gui.individuals.sources import Scope, Source
from gui.individuals.strengths import STRENGTHS, explained
from gui.look import pieces
from gui.look.canvas import DISPLAY, Canvas, Look
from gui.model.endings import SIDE_NAME
from gui.model.game import GameModel
from gui.model.seats import HUMAN, names_of
from gui.screens.play.beginning import begin
from gui.screens.screen import Screen, Window
from gui.storage.autosave import Kept
from gui.widgets.base import Label, Ui, Widget
from gui.widgets.board import Board, BoardMarks
from gui.widgets.button import Button, Segments, button
from gui.widgets.commands import Command, by_id
from gui.widgets.table import ROW, Cell, Column, Table

STEP_SECONDS = 0.006
LEAST_ROWS = 4
"""Rows that the list of games has room for at least; it takes no more than it needs, and half at most."""

WIDEST, HIGHEST = 1500, 1000
"""Pixels of the design that the screen is wide and high at most."""

LOOK_SECONDS = 2.0
NO_GAMES = "There are no unfinished games."
NO_RUNS = "None yet. “Evolve” begins one; it appears here while it goes on."
LOOKING = "Looking for runs…"


class Emblem(Widget):
    """A king of each colour beside the name of the program."""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Two pieces, the name, what it is for."""
        rect, px = self.rect, canvas.px
        side = min(px(92), rect.h, rect.w // 4)
        y = rect.y + (rect.h - side) // 2
        canvas.surface.blit(pieces.piece(side, True, canvas.theme.black), (rect.x, y))
        canvas.surface.blit(pieces.piece(side, True, canvas.theme.white), (rect.x + side * 5 // 8, y))
        x = rect.x + side * 5 // 8 + side + px(14)
        name, line = Rect(x, y, rect.right - x, side).rows(side * 3 // 5, None)
        text = "Play the players that you evolve."
        canvas.text("Crownhead", name, size=canvas.fitting("Crownhead", name.w, DISPLAY, bold=True), bold=True)
        canvas.text(text, line, canvas.theme.muted, canvas.fitting(text, line.w, 15))


class MainButton(Button):
    """The large button: a headline and a line below."""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Icon, headline, what will happen."""
        fill, border, colour = self.colours(canvas, ui)
        canvas.box(self.rect, fill, border, 12)
        ui.ring(canvas, self, 12)
        inner = self.rect.inset(canvas.px(18), canvas.px(10))
        side = canvas.px(40)
        canvas.icon(self.icon, Rect(inner.x, inner.y, side, inner.h), colour, 30)
        room = Rect(inner.x + side + canvas.px(12), inner.y, inner.w - side - canvas.px(12), inner.h)
        head_text, _, line_text = self.text.partition("\n")
        fonts, small = canvas.look.fonts, canvas.px(13)
        lines = min(len(fonts.wrap(line_text, room.w, small)), 2)
        head, line = room.rows(None, lines * fonts.height(small))
        canvas.text(head_text, head, colour, 20, bold=True)
        canvas.paragraph(line_text, line, colour, 13, may_cut=True)
        canvas.text(self.shortcut, head, colour, 13, align="right")


class Home(Screen):
    """Where everything begins."""

    title = "Crownhead"

    def __init__(self, app: Window) -> None:
        super().__init__(app)
        self._kept: list[Kept] = []
        self._game: Path | None = None
        self._came = False
        self._runs: list[Source] = []
        self._run: Path | None = None
        self._look_at = 0.0
        self.ui.focus = "play"

    # What there is ------------------------------------------------------------------------------------------------

    def on_open(self) -> None:
        """Games may have come or gone, and runs are in the order of time again."""
        self._look_at, self._runs, self._came = 0.0, [], True
        library = self.app.services.library
        library.search = ""
        library.scope = Scope()

    @property
    def pace(self) -> float:
        """Often while opponents are being found."""
        return 1 / 30 if self.app.services.library.busy or self.app.frames == 0 else 1.0

    def tick(self, now: float, dt: float) -> bool:
        """After the first picture, look what there is."""
        if self.app.frames == 0:
            return False
        sources = self.app.services.library.sources
        changed = self.app.services.library.step(now, STEP_SECONDS)
        if changed or not self._runs:
            self._runs = [source for source in sources.in_order(self._runs) if source.is_run]
            self._run = self._run or next((run.path for run in self._runs), None)
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            before, self._kept = self._kept, list(self.app.services.autosave.games())
            new = self._came and self._kept and self._kept[0].path not in [kept.path for kept in before]
            self._came = False
            if new or self._chosen is None:  # the game that was left just now
                self._game = self._kept[0].path if self._kept else None
            changed = changed or before != self._kept
        return changed

    @property
    def _chosen(self) -> Kept | None:
        """The chosen game."""
        return next((kept for kept in self._kept if kept.path == self._game), None)

    @property
    def _unfinished(self) -> Kept | None:
        """The game that was left last, of those that are not over."""
        return next((kept for kept in self._kept if not kept.model.over), None)

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        """The ways on."""
        return [
            Command(id="play", name="Play", keys=("p", "return"), run=self._play, about="Begin a game at once",
                    icon="play"),
            Command(id="continue", name="Continue", keys=("c",), run=lambda: self._show(self._unfinished),
                    about="Go on with the game that was left last", icon="step",
                    enabled=self._unfinished is not None, why=NO_GAMES),
            Command(id="choose", name="Choose an opponent", keys=("o", "n"), run=self._choose,
                    about="Whom to play, how deep, which colour", icon="search"),
            *self._strength_commands(),
            Command(id="watch", name="Watch two players", keys=("w",), run=self._watch,
                    about="Two programs play each other", icon="eye"),
            Command(id="two-players", name="Two players", keys=("2",), run=self._two, about="Two players at one board",
                    icon="swap"),
            Command(id="set-up", name="Set up a position", keys=("e",), run=self._set_up,
                    about="Place the pieces as you like", icon="board"),
            Command(id="open", name="Open a file", keys=("f", "ctrl+o"), run=self._open,
                    about="Games (PDN), a position (FEN), players (CSV)", icon="open"),
            Command(id="paste", name="Paste", keys=("ctrl+v", "v"), run=self._paste,
                    about="A game (PDN) or a position (FEN)", icon="paste"),
            Command(id="evolve", name="Evolve", keys=("g",), run=self._evolve, about="Begin a session of evolution",
                    icon="graph"),
            Command(id="browse", name="Browse", keys=("b",), run=self._browse,
                    about="Runs, generations, individuals: results, ancestry", icon="list"),
            Command(id="forget", name="Forget the game", keys=("delete",), run=self._forget,
                    about="Delete the chosen game", icon="close", enabled=bool(self._kept),
                    why="There are no games."),
        ]  # fmt: skip

    def _play(self) -> None:
        services = self.app.services
        begin(self.app, services.recommend_opponent(), services.settings.colour)

    def _strength_commands(self) -> list[Command]:
        services = self.app.services
        if services.shipped_champion is None:
            return []
        return [Command(id="strength", name="Strength", keys=("4",), icon="search",
                        run=lambda: services.choose_strength((services.strength + 1) % len(STRENGTHS)),
                        about="The next of six strengths: Beginner to Champion")]  # fmt: skip

    def _show(self, chosen: Kept | None) -> None:
        """Go on with a game; one that is over is looked at, and stays kept."""
        if chosen is None:
            return
        autosave, self._game = self.app.services.autosave, chosen.path
        kept = autosave.look(chosen.path) if chosen.model.over else autosave.take(chosen.path)
        self._look_at = 0.0
        if kept is None:
            self.app.say(autosave.trouble or "Another window has this game.", "warning")
            return
        flipped = kept.extra.get("flipped")
        if kept.model.over:
            self.app.open(self.app.screens.play(kept.model, flipped=flipped is True, recorded=True))
        elif kept.extra.get("screen") == "watch" and not any(seat.human for seat in kept.model.seats):
            self.app.open(self.app.screens.watching(kept.model, flipped=flipped is True))
        else:
            self.app.open(self.app.screens.play(kept.model, flipped=flipped if isinstance(flipped, bool) else None))

    def _forget(self) -> None:
        from gui.screens.dialogs.dialog import Dialog

        kept = self._chosen
        if kept is not None:
            answers = (("Delete", "return", partial(self._delete, kept)), ("Keep", "escape", lambda: None))
            self.app.open(Dialog(self.app, "Delete this game?", _game_text(kept.model), answers, "danger"))

    def _delete(self, kept: Kept) -> None:
        autosave = self.app.services.autosave
        if autosave.take(kept.path) is not None:
            autosave.clear()
        self._look_at = 0.0

    def _choose(self) -> None:
        self.app.open(self.app.screens.chooser())

    def _watch(self) -> None:
        self.app.open(self.app.screens.chooser(watch=True))

    def _two(self) -> None:
        self.app.open(self.app.screens.play(GameModel(), flipped=False))

    def _set_up(self) -> None:
        from gui.screens.play.set_up import SetUp

        opponent = self.app.services.recommend_opponent()
        seats = (opponent, HUMAN) if self.app.services.settings.colour == "white" else (HUMAN, opponent)
        self.app.open(SetUp(self.app, Position.start(), seats))

    def _browse(self) -> None:
        from gui.screens.individuals.browser import BrowserScreen

        self.app.open(BrowserScreen(self.app, self._run.name if self._run else ""))

    def _open(self) -> None:
        from gui.screens.play.game_files import open_file

        open_file(self.app)

    def _paste(self) -> None:
        from gui.screens.play.game_files import paste

        paste(self.app)

    def _select(self, row: int) -> None:
        self._game = self._kept[row].path

    def _select_run(self, row: int) -> None:
        self._run = self._runs[row].path

    def _show_run(self, row: int) -> None:
        from gui.screens.sessions.session import SessionScreen

        self.app.open(SessionScreen(self.app, self._runs[row].path))

    def _evolve(self) -> None:
        from gui.screens.sessions.start import SessionStart

        self.app.open(SessionStart(self.app))

    # The picture --------------------------------------------------------------------------------------------------

    def view(self, size: Size, look: Look) -> list[Widget]:
        """On the left what one can do, on the right games and runs."""
        px = look.px
        area = Rect(0, 0, *size).inset(px(18))
        area = area.centre_within(min(area.w, px(WIDEST)), min(area.h, px(HIGHEST)))
        services = self.app.services
        strengths = [] if services.shipped_champion is None else [px(34)]
        actions = 96 + 76 + 3 * 44 + 4 * 12 + 46 * len(strengths)
        if area.h > area.w:
            left, right = area.rows(px(actions), None, gap=px(20))
        else:
            left, right = area.columns(None, None, gap=px(28))
        emblem, main, *strength, first, second, third, rest = left.rows(
            px(96), px(76), *strengths, px(44), px(44), px(44), None, gap=px(12)
        )
        found = by_id(self.commands())
        opponent = services.recommend_opponent()
        colour = {"black": "Black", "white": "White"}.get(self.app.services.settings.colour, "A random colour")
        play = found["play"]
        widgets: list[Widget] = [
            Emblem(key="emblem", rect=emblem),
            MainButton(
                key="play", rect=main, run=play.run, hint=play.hint, icon="play", kind="main", shortcut=play.key,
                text=f"Play\n{colour} against {opponent.brief}, {opponent.detail}",
            ),
            *[
                Segments(key="strength", rect=place, names=[each.name for each in STRENGTHS], size=13,
                         chosen=services.strength, pick=services.choose_strength,
                         hint=f"{explained(services.strength)}  (4)")
                for place in strength
            ],
        ]  # fmt: skip
        grid = (
            ("choose", "continue"),
            ("watch", "two-players"),
            ("set-up", "open"),
        )
        for names, row in zip(grid, (first, second, third), strict=True):
            for name, place in zip(names, row.columns(None, None, gap=px(12)), strict=True):
                widgets.append(button(found[name], f"do.{name}", place, align="left"))
        if min(rest.w, rest.h) >= px(150):
            widgets.append(self._preview(rest))
        games = min(px(ROW + 1) * max(len(self._kept), LEAST_ROWS), (right.h - px(94)) // 2)
        lists = right.rows(px(36), games, px(34), None, gap=px(8))
        buttons = self.header_buttons(lists[0], look, back=False)
        label = Rect(*lists[0][:2], buttons[-1].rect.x - lists[0].x, lists[0].h)
        heading, browse, begin = lists[2].columns(None, *[min(px(126), right.w * 3 // 10)] * 2, gap=px(8))
        wide = right.w >= px(400)
        states, newest = 122, 132 if wide else 80
        told = right.w >= px(520)
        columns: tuple[Column, ...] = (Column("Result", 96),)
        if told:
            columns = (Column("Moves", 90, "right"), *columns, Column("When", 116, "right"))
        title = "Runs of evolution" if heading.w >= px(150) else "Runs"
        runs, sources = self._runs, self.app.services.library.sources
        widgets += [
            *buttons,
            Label(key="kept.label", rect=label, text="Recent games", size=15, bold=True),
            Table(
                key="kept", rect=lists[1], headed=False,
                columns=(Column("Game"), *columns),
                count=len(self._kept), cells=partial(self._kept_cells, told), of=lambda row: self._kept[row].path,
                selected=next((n for n, kept in enumerate(self._kept) if kept.path == self._game), -1),
                select=self._select, activate=lambda row: self._show(self._kept[row]),
                hint="Enter goes on with a game or shows it, Del deletes it",
                empty="None yet. A game that you leave waits here for you, and those that are over stay here.",
            ),
            Label(key="runs.label", rect=heading, text=title, size=15, bold=True),
            button(found["evolve"], "do.evolve", begin),
            button(found["browse"], "do.browse", browse),
            Table(
                key="runs", rect=lists[3], headed=False,
                columns=(Column("Run"), Column("State", states), Column("Newest", newest, "right")),
                count=len(runs), cells=partial(self._run_cells, wide), of=lambda row: runs[row].path,
                selected=next((n for n, run in enumerate(runs) if run.path == self._run), -1),
                select=self._select_run, activate=self._show_run,
                hint="Enter shows how a run goes on",
                empty=sources.trouble or (NO_RUNS if sources.looks else LOOKING),
            ),
        ]  # fmt: skip
        return widgets

    def _preview(self, rect: Rect) -> Board:
        """The chosen game, or the start of one; a click opens it."""
        kept = self._chosen
        model = GameModel() if kept is None else kept.model
        flipped = True if kept is None else bool(kept.extra.get("flipped"))

        def show(square: int) -> bool:
            self._show(kept)
            return False

        ply = model.shown_ply
        marks = BoardMarks(last=ply.move.path if ply else ())
        return Board(
            key="preview", rect=rect, pieces=model.pieces(), flipped=flipped, numbers=False, marks=marks,
            enabled=kept is not None, grab=show, touch=show, hint="A click goes on with this game, or shows it",
        )  # fmt: skip

    def _kept_cells(self, told: bool, row: int) -> Sequence[str | Cell]:
        kept, muted = self._kept[row], self.app.look.theme.muted
        moves = (len(kept.model.plies) + 1) // 2
        counted = "1 move" if moves == 1 else f"{moves} moves"
        result, icon = _result(kept.model)
        game, ended = Cell(_game_text(kept.model), icon=icon), Cell(result, muted)
        return (game, Cell(counted, muted), ended, Cell(_day(kept.when), muted)) if told else (game, ended)

    def _run_cells(self, wide: bool, row: int) -> Sequence[str | Cell]:
        run, theme = self._runs[row], self.app.look.theme
        if run.trouble:
            return Cell(run.name, theme.warning, "crown"), Cell("damaged", theme.warning, "warning"), ""
        generation = "generation" if wide else "gen."
        newest = "none yet" if run.newest < 0 else f"{generation} {run.newest}"
        word, icon = self.app.services.library.sources.states.shown(run.path)
        return Cell(run.name, icon="crown"), Cell(word, icon=icon), Cell(newest, theme.muted)


def _game_text(model: GameModel) -> str:
    """A game in a few words."""
    names = [
        shown if not seat.human or seat.title else ""
        for seat, shown in zip(model.seats, names_of(model.seats), strict=True)
    ]
    if not any(names):
        return "Two players"
    person = next((side for side in (0, 1) if model.seats[side].human and not model.seats[side].title), None)
    if person is None:
        return f"{names[0]} against {names[1]}"
    return f"{SIDE_NAME[person]} against {names[1 - person]}"


def _result(model: GameModel) -> tuple[str, str]:
    """How a game ended, for a person who played it, and the name of an icon."""
    if model.ending is None:
        return "unfinished", "play"
    winner = model.ending.winner
    if winner is None:
        return "draw", "draw"
    people = [seat.human and not seat.title for seat in model.seats]
    if people[0] == people[1]:
        return f"{SIDE_NAME[winner]} won", "check"
    return ("you won", "crown") if people[winner] else ("you lost", "flag")


def _day(when: float) -> str:
    """The day of a time in seconds since 1970; today its hour."""
    try:
        then = datetime.fromtimestamp(when)
    except (OSError, ValueError, OverflowError):
        return ""
    return f"{then:%H:%M}" if then.date() == datetime.now().date() else f"{then:%Y-%m-%d}"
