"""The first screen: play, continue a game, look at the runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.strength.levels import LEVELS
from game.board import Position
from game.number_text import count_text
from gui.geometry import Rect, Size
from gui.look import shapes
from gui.look.canvas import Canvas, Look
from gui.look.theme import APART, BODY, CONTROL, DISPLAY, EDGE, GAP, LARGE_CONTROL, MAIN_CONTROL, ROOM, TITLE
from gui.model.game import GameModel
from gui.model.kept_game import KeptGame
from gui.model.seats import HUMAN
from gui.runs.session_state import ICONS
from gui.runs.sources import Scope, Source
from gui.screens.climb.card import level_choice, progress
from gui.screens.play.game_files import ask_to_delete, begin, show_kept
from gui.screens.screen import Screen
from gui.storage.autosave import Kept
from gui.widgets.base import Command, Label, Ui, Widget, by_id
from gui.widgets.board import BoardMarks, BoardWidget
from gui.widgets.button import MainButton, button
from gui.widgets.table import ROW, Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App

STEP_SECONDS = 0.006
LEAST_ROWS = 6
"""Minimum number of rows in the list of games, which may grow to half the height."""

WIDEST, HIGHEST = 1500, 1000
"""Maximum size of the screen, in pixels of the design."""

RECENT = 30
"""Maximum number of games in the list; the screen of all games has the rest."""

LOOK_SECONDS = 2.0
NO_GAMES = "There are no unfinished games."
READING = "Your games are still being read."
NO_RUNS = "No runs yet. “Evolve” starts one, and you can follow it here."
LOOKING = "Looking for runs…"


class Emblem(Widget):
    """A king of each colour beside the name of the program."""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        rect, px = self.rect, canvas.px
        side = min(px(92), rect.h, rect.w // 4)
        y = rect.y + (rect.h - side) // 2
        canvas.surface.blit(shapes.piece(side, True, canvas.theme.black), (rect.x, y))
        canvas.surface.blit(shapes.piece(side, True, canvas.theme.white), (rect.x + side * 5 // 8, y))
        x = rect.x + side * 5 // 8 + side + px(14)
        name, line = Rect(x, y, rect.right - x, side).rows(side * 3 // 5, None)
        text = "Play the players that you evolve."
        canvas.text("Crownhead", name, size=canvas.fitting("Crownhead", name.w, DISPLAY, bold=True), bold=True)
        canvas.text(text, line, canvas.theme.muted, canvas.fitting(text, line.w, BODY))


class Home(Screen):
    title = "Crownhead"

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._kept: list[KeptGame] = []
        self._unfinished: KeptGame | None = None
        self._open_games: tuple[int, list[KeptGame]] = (-1, [])
        self._goes_on = False
        self._game = ""
        self._shown: tuple[KeptGame, Kept | None] | None = None
        self._came = False
        self._runs: list[Source] = []
        self._run: Path | None = None
        self._look_at = 0.0
        self.ui.focus = "play"

    # Games and runs -----------------------------------------------------------------------------------------------

    def on_open(self) -> None:
        """Reread the games, which may have changed, and sort the runs by time again."""
        self._look_at, self._runs, self._came, self._goes_on = 0.0, [], True, False
        self.app.services.opponents.look_again()
        library = self.app.services.library
        library.search = ""
        library.scope = Scope()

    @property
    def pace(self) -> float:
        """Interval between steps in seconds, shorter while opponents or games are being read."""
        services = self.app.services
        return 1 / 30 if services.library.busy or not services.kept.complete or self.app.frames == 0 else 1.0

    def tick(self, now: float, dt: float) -> bool:
        """Read games and runs once the first frame has been drawn."""
        if self.app.frames == 0:
            return False
        sources = self.app.services.library.sources
        changed = self.app.services.library.step(now, STEP_SECONDS)
        changed = self.app.services.career.step() or changed
        self.app.say(self.app.services.career.take_notice())
        if changed or not self._runs:
            self._runs = [source for source in sources.in_order(self._runs) if source.is_run]
            self._run = self._run or next((run.path for run in self._runs), None)
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            self.app.services.kept.look_again()
            changed = self._list_games() or changed
        changed = (self.app.services.kept.step(STEP_SECONDS) and self._list_games()) or changed
        if self._goes_on and self.app.screen is self:
            self._continue()
        return changed

    def _list_games(self) -> bool:
        """List the newest games that are not open in another window; return whether the list has changed."""
        before, kept = (self._kept, self._unfinished), self.app.services.kept
        is_free = self.app.services.autosave.is_free
        self._kept = [game for game in kept.games[:RECENT] if game.over or is_free(kept.path(game))]
        if self._open_games[0] != kept.version:
            self._open_games = kept.version, [game for game in kept.games if not game.over]
        self._unfinished = next((game for game in self._open_games[1] if is_free(kept.path(game))), None)
        new = self._came and self._kept and self._kept[0] not in before[0]
        self._came = self._came and not kept.is_current()
        if new or self._chosen is None:  # the game that was just left
            self._game = self._kept[0].name if self._kept else ""
        return before != (self._kept, self._unfinished)

    @property
    def _chosen(self) -> KeptGame | None:
        return next((kept for kept in self._kept if kept.name == self._game), None)

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        kept = self.app.services.kept
        return [
            Command(id="play", name="Play", keys=("p", "return"), run=self._play, about="Start a game now",
                    icon="play"),
            Command(id="continue", name="Continue", keys=("c",), run=self._continue,
                    about="Continue your last unfinished game", icon="resume",
                    enabled=self._unfinished is not None or not kept.complete, why=NO_GAMES),
            Command(id="choose", name="Choose an opponent", keys=("o", "n"), run=self._choose,
                    about="Choose opponent, depth and colour", icon="person"),
            *self._own_commands(),
            *self._level_commands(),
            Command(id="climb", name="Climb", keys=("l",), run=self._climb, icon="ladder",
                    about="Play rated games: climb the generations of a run, and get a rating"),
            Command(id="equal", name="As strong as you", keys=("s",), run=partial(self._climb, equal=True),
                    about="Play a rated game against an opponent about as strong as you", icon="equal"),
            Command(id="watch", name="Watch two players", keys=("w",), run=self._watch,
                    about="Watch two programs play each other", icon="eye"),
            Command(id="two-players", name="Two players", keys=("2",), run=self._two, about="Two people at one board",
                    icon="people"),
            Command(id="set-up", name="Set up a position", keys=("e",), run=self._set_up,
                    about="Place the pieces as you like", icon="board"),
            Command(id="open", name="Open a file", keys=("f", "ctrl+o"), run=self._open,
                    about="Open games (PDN), a position (FEN) or players (CSV)", icon="open"),
            Command(id="paste", name="Paste", keys=("ctrl+v", "v"), run=self._paste,
                    about="Paste a game (PDN) or a position (FEN)", icon="paste"),
            Command(id="evolve", name="Evolve", keys=("g",), run=self._evolve, about="Start a session of evolution",
                    icon="evolution"),
            Command(id="browse", name="Browse", keys=("b",), run=self._browse,
                    about="Browse runs, generations and individuals", icon="table"),
            Command(id="all-runs", name="All runs", keys=("r",), run=self._all_runs,
                    about="Search, compare, tag, archive or delete runs", icon="list"),
            Command(id="all-games", name="All games", keys=("a",), run=self._all_games,
                    about="Search, continue or export your games", icon="list"),
            Command(id="forget", name="Delete the game", keys=("delete",), run=self._forget,
                    about="Delete the selected game", icon="delete", enabled=bool(self._kept),
                    why="There are no games." if kept.complete else READING),
        ]  # fmt: skip

    def _play(self) -> None:
        services = self.app.services
        begin(self.app, services.opponents.recommend(), services.settings.colour)

    def _own_commands(self) -> list[Command]:
        if self.app.services.opponents.own is None:
            return []
        return [Command(id="evolution", name="How your champion evolved", keys=("y",), run=self._show_evolution,
                        icon="evolution",
                        about="See your champion generation by generation: ratings, games and weights")]  # fmt: skip

    def _level_commands(self) -> list[Command]:
        services = self.app.services
        if services.opponents.expert is None:
            return []
        return [Command(id="level", name="Level", keys=("4",), icon="ladder",
                        run=lambda: services.choose_level((services.opponents.level + 1) % len(LEVELS)),
                        about="Choose the next of six levels, Beginner to Champion")]  # fmt: skip

    def _climb(self, opponent: str = "", *, equal: bool = False) -> None:
        from gui.screens.climb.climb import Climb

        self.app.open(Climb(self.app, opponent, equal=equal))

    def _continue(self) -> None:
        """Continue the last unfinished game, once the games are read."""
        self._goes_on = self._unfinished is None and not self.app.services.kept.complete
        if self._unfinished is not None:
            self._show(self._unfinished)
        else:
            self.app.say(READING if self._goes_on else NO_GAMES, "info" if self._goes_on else "warning")

    def _show(self, chosen: KeptGame | None) -> None:
        """Continue a game, or look at a finished one."""
        if chosen is not None:
            self._look_at, self._game = 0.0, chosen.name
            show_kept(self.app, chosen)

    def _all_games(self) -> None:
        from gui.screens.play.game_lists import KeptGamesScreen

        self.app.open(KeptGamesScreen(self.app, self._game))

    def _forget(self) -> None:
        if self._chosen is not None:
            ask_to_delete(self.app, self._chosen, self._look_soon)

    def _look_soon(self) -> None:
        self._look_at = 0.0

    def _all_runs(self) -> None:
        from gui.screens.runs.all_runs import RunsScreen

        self.app.open(RunsScreen(self.app, self._run))

    def _choose(self) -> None:
        self.app.open(self.app.screens.chooser())

    def _watch(self) -> None:
        self.app.open(self.app.screens.chooser(watch=True))

    def _two(self) -> None:
        self.app.open(self.app.screens.play(GameModel(), flipped=False))

    def _set_up(self) -> None:
        from gui.screens.play.set_up import SetUp

        opponent = self.app.services.opponents.recommend()
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
        self._game = self._kept[row].name

    def _select_run(self, row: int) -> None:
        self._run = self._runs[row].path

    def _show_run(self, row: int) -> None:
        from gui.screens.sessions.session import SessionScreen

        self.app.open(SessionScreen(self.app, self._runs[row].path))

    def _show_evolution(self) -> None:
        """Open the run of your champion."""
        from gui.screens.sessions.session import PICTURES, SessionScreen

        own = self.app.services.opponents.own
        if own is not None and own.champion.run is not None:
            screen = SessionScreen(self.app, own.champion.run)
            if screen.run.kind.breeds:
                screen.show_tab(PICTURES)
            self.app.open(screen)

    def _evolve(self) -> None:
        from gui.screens.sessions.start import SessionStart

        self.app.open(SessionStart(self.app))

    # Widgets ------------------------------------------------------------------------------------------------------

    def view(self, size: Size, look: Look) -> list[Widget]:
        """Return the commands on the left, games and runs on the right."""
        px = look.px
        area = Rect(0, 0, *size).inset(px(EDGE))
        highest = area.w * 17 // 10 if area.h > area.w else px(HIGHEST)
        area = area.centre_within(min(area.w, px(WIDEST)), min(area.h, highest))
        services = self.app.services
        levels = [] if services.opponents.expert is None else [px(52)]
        evolution = [] if services.opponents.own is None else [px(CONTROL)]
        actions = 96 + MAIN_CONTROL + 4 * LARGE_CONTROL + 5 * ROOM + 64 * len(levels)
        actions += (CONTROL + ROOM) * len(evolution)
        if area.h > area.w:
            left, right = area.rows(px(actions), None, gap=px(EDGE))
        else:
            left, right = area.columns(None, None, gap=px(APART))
        emblem, main, *optional, first, second, third, fourth, rest = left.rows(
            px(96), px(MAIN_CONTROL), *levels, *evolution, *[px(LARGE_CONTROL)] * 4, None, gap=px(ROOM)
        )
        level, evolved = optional[: len(levels)], optional[len(levels) :]
        commands = by_id(self.commands())
        opponent = services.opponents.recommend()
        colour = {"black": "Black", "white": "White"}.get(self.app.services.settings.colour, "A random colour")
        play = commands["play"]
        widgets: list[Widget] = [
            Emblem(key="emblem", rect=emblem),
            MainButton(
                key="play", rect=main, run=play.run, hint=play.hint, icon="play", shortcut=play.key,
                kind="plain" if self._unfinished is not None else "main",
                text=f"Play\n{colour} against {opponent.brief}, {opponent.detail}",
            ),
            *[widget for place in level for widget in level_choice(services, place, look)],
            *[button(commands["evolution"], "do.evolution", place, align="left") for place in evolved],
        ]  # fmt: skip
        grid = (
            ("choose", "continue"),
            ("climb", "equal"),
            ("watch", "two-players"),
            ("set-up", "open"),
        )
        for names, row in zip(grid, (first, second, third, fourth), strict=True):
            for name, place in zip(names, row.columns(None, None, gap=px(ROOM)), strict=True):
                waits = name == "continue" and self._unfinished is not None
                widgets.append(
                    button(commands[name], f"do.{name}", place, kind="main" if waits else "plain", align="left")
                )
        card = rest
        if min(rest.w, rest.h) >= px(150):
            board, card = rest.columns(min(rest.h, rest.w * 58 // 100), None, gap=px(EDGE))
            board = Rect(board.x, board.y, board.w, min(board.w, board.h))
            card = Rect(card.x, card.y, card.w, board.h)
            widgets.append(self._preview(board))
        elif area.h > area.w:
            right, card = right.rows(None, min(max(px(190), right.h // 3), right.h * 2 // 5), gap=px(ROOM))
        if card.h >= px(46):
            widgets += progress(services.career, card, look, lambda one: self._climb(one.opponent.key))
        games = min(px(ROW + 1) * max(len(self._kept), LEAST_ROWS), (right.h - px(94)) // 2)
        lists = right.rows(px(CONTROL), games, px(CONTROL), None, gap=px(GAP))
        buttons = self.header_buttons(lists[0], look, back=False)
        label = Rect(*lists[0][:2], buttons[-1].rect.x - lists[0].x, lists[0].h)
        label, forget, every = label.columns(None, px(CONTROL), min(px(152), right.w * 9 // 25), gap=px(GAP))
        heading, whole, browse, begin = lists[2].columns(None, *[min(px(126), right.w * 26 // 100)] * 3, gap=px(GAP))
        wide = right.w >= px(400)
        states, newest = 122, 132 if wide else 80
        roomy = right.w >= px(520)
        columns: tuple[Column, ...] = (Column("Result", 96),)
        if roomy:
            columns = (Column("Moves", 90, "right"), *columns, Column("When", 116, "right"))
        place, (in_sweeps, sweeps) = lists[3], self.app.services.library.sources.in_sweeps
        more: list[Widget] = []
        if in_sweeps:
            place, line = place.rows(None, px(BODY + GAP), gap=px(GAP))
            text = f"and {count_text(in_sweeps, 'run')} in {count_text(sweeps, 'sweep')}: see “All runs”"
            more = [Label(key="runs.more", rect=line, text=text, colour=look.theme.muted)]
        title = "Evolution runs" if heading.w >= px(150) else "Runs"
        runs, sources = self._runs, self.app.services.library.sources
        recent = "Recent games" if label.w >= px(112) else "Games"
        widgets += [
            *buttons,
            Label(key="kept.label", rect=label, text=recent, size=TITLE, bold=True),
            button(commands["forget"], "do.forget", forget, kind="quiet", icon_only=True),
            button(commands["all-games"], "do.all-games", every.centre_within(every.w, min(every.h, px(CONTROL)))),
            Table(
                key="kept", rect=lists[1], headed=False,
                columns=(Column("Game"), *columns),
                count=len(self._kept), cells=partial(self._kept_cells, roomy), of=lambda row: self._kept[row].name,
                selected=next((n for n, kept in enumerate(self._kept) if kept.name == self._game), -1),
                select=self._select, activate=lambda row: self._show(self._kept[row]),
                hint="Enter opens a game, Del deletes it",
                empty="No games yet. Games that you leave appear here, and finished ones stay.",
            ),
            Label(key="runs.label", rect=heading, text=title, size=TITLE, bold=True),
            button(commands["all-runs"], "do.all-runs", whole),
            button(commands["evolve"], "do.evolve", begin),
            button(commands["browse"], "do.browse", browse),
            Table(
                key="runs", rect=place, headed=False,
                columns=(Column("Run"), Column("State", states), Column("Newest", newest, "right")),
                count=len(runs), cells=partial(self._run_cells, wide), of=lambda row: runs[row].path,
                selected=next((n for n, run in enumerate(runs) if run.path == self._run), -1),
                select=self._select_run, activate=self._show_run,
                hint="Enter opens a run",
                empty=sources.trouble or (NO_RUNS if sources.looks else LOOKING),
            ),
            *more,
        ]  # fmt: skip
        return widgets

    def _preview(self, rect: Rect) -> BoardWidget:
        """Return a board with the selected game, which opens on a click, or with the starting position."""
        chosen = self._chosen
        if chosen is not None and (self._shown is None or self._shown[0] != chosen):
            services = self.app.services
            self._shown = chosen, services.autosave.read(services.kept.path(chosen))
        kept = self._shown[1] if chosen is not None and self._shown is not None else None
        model = GameModel() if kept is None else kept.model
        flipped = True if kept is None else bool(kept.extra.get("flipped"))

        def show(square: int) -> bool:
            self._show(chosen)
            return False

        ply = model.shown_ply
        marks = BoardMarks(last=ply.move.path if ply else ())
        return BoardWidget(
            key="preview", rect=rect, pieces=model.pieces(), flipped=flipped, numbers=False, marks=marks,
            enabled=chosen is not None, grab=show, touch=show, hint="Click to open this game",
        )  # fmt: skip

    def _kept_cells(self, roomy: bool, row: int) -> Sequence[str | Cell]:
        kept, muted = self._kept[row], self.app.look.theme.muted
        game, ended = Cell(kept.players, icon=kept.icon), Cell(kept.outcome, muted)
        return (game, Cell(kept.moves_text, muted), ended, Cell(kept.date, muted)) if roomy else (game, ended)

    def _run_cells(self, wide: bool, row: int) -> Sequence[str | Cell]:
        run, theme = self._runs[row], self.app.look.theme
        if run.trouble:
            return Cell(run.name, theme.warning, "evolution"), Cell("damaged", theme.warning, "warning"), ""
        generation = "generation" if wide else "gen."
        newest = "none yet" if run.newest < 0 else f"{generation} {run.newest}"
        state = "" if run.goal < 0 else run.state  # a run without a session has no state
        return Cell(run.name, icon="evolution"), Cell(state, icon=ICONS.get(state, "")), Cell(newest, theme.muted)
