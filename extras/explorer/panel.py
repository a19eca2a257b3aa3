"""The explorer beside a board: the moves that were played from the visible position, and the results of those games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from evolve.run.runs import Runs
from extras.explorer.board import follow
from extras.explorer.explorer import PlayedMove, Results
from extras.explorer.sources import OWN, Explored, champions_of, explored_games, title_of
from game.ballots import opening_at
from game.errors import capital
from game.number_text import count_text, whole_percents
from gui.geometry import Rect
from gui.look.canvas import Canvas, Look
from gui.look.theme import CONTROL, GAP, SMALL, TIGHT
from gui.screens import entries
from gui.screens.dialogs.dialog import Menu
from gui.screens.play.analysis_panel import draw_results, results_row
from gui.screens.play.game_screen import GameScreen
from gui.screens.play.layout import LEAST_LIST
from gui.screens.play.moves_list import moves_panel
from gui.screens.screen import Screen
from gui.services import FILES
from gui.widgets.base import Command, Label, Widget
from gui.widgets.button import button
from gui.widgets.table import HEAD, Cell, Column, Table

SOURCE = "explorer_source"
"""The setting with the games that were explored most recently; empty for the default."""

STEP_SECONDS = 0.006
LINE = 18
MOST_RUNS, MOST_FILES = 4, 3
NO_GAME = "None of these games reached this position."
NO_GAMES = "There are no games yet. Click above to choose others."
NO_SOURCE = "Click above to choose the games to explore."


class ExplorerPanel(entries.PanelEntry):
    """The explorer of one screen; the games that it reads are shared by all screens."""

    id, keys, icon = "explorer", ("k",), "tree"
    about = "Show the moves played here in other games, and their results"

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        assert isinstance(screen, GameScreen)
        self._board = screen
        self._file = screen.file
        self._row = 0

    @property
    def explored(self) -> Explored:
        return self.app.services.shared(explored_games)

    def begin(self) -> None:
        """Read the games of the open file, else those that were explored most recently, else the champions' games."""
        services, file, self._file = self.app.services, self._file, ""
        if file and file != self.explored.name:
            self.explored.choose(file)
        elif self.explored.name:
            self.explored.look_again()
        if self.explored.name:
            return
        first = services.opponents.first
        default = champions_of(Runs(services.runs).path(first.source)) if first is not None else ""
        name = services.store.get(SOURCE, "") or default or OWN
        if self.explored.choose(name) and name != default:
            self.explored.choose(default or OWN)

    @property
    def busy(self) -> bool:
        return self.explored.reading

    def step(self) -> bool:
        return self.explored.reading and (self.explored.step(STEP_SECONDS) or True)

    def commands(self) -> Sequence[Command]:
        return [
            Command(id="explored", name="Games of explorer", keys=(), run=self._choose, icon="list", group="Display",
                    about="Choose the games to explore: a PDN file, the champions of a run, your own"),
        ]  # fmt: skip

    def _choose(self) -> None:
        self.app.open(Menu(self.app, "Explore the games of", self._sources))

    def _sources(self) -> list[Command]:
        """Return a command for the open file, your own games, champions, recent files, and another file."""
        services, shown = self.app.services, self._board.file
        runs = [champions_of(source.path) for source in services.sources.runs]
        names = list(dict.fromkeys([*filter(None, [shown]), OWN, *list(filter(None, runs))[:MOST_RUNS]]))
        recent = [path for path in services.store.recent(FILES) if path.lower().endswith(".pdn") and path not in names]
        names += recent[:MOST_FILES]
        commands = [
            Command(id=f"explored-{number}", name=title_of(name), keys=(str(number),), run=partial(self._take, name),
                    about=title_of(name) if name == OWN else name, chosen=name == self.explored.name)
            for number, name in enumerate(names, 1)
        ]  # fmt: skip
        file = Command(id="explored-file", name="A PDN file…", keys=("o",), icon="open", run=self._open,
                       about="Explore the games of any PDN file")  # fmt: skip
        return [*commands, file]

    def _open(self) -> None:
        from gui.screens.dialogs.files import Files

        self.app.open(Files.to_open(self.app, lambda path: self._take(str(path))))

    def _take(self, name: str) -> str:
        trouble = self.explored.choose(name)
        if trouble:
            self.app.say(trouble, "warning")
        else:
            self.app.services.store.set(SOURCE, name)
            if name != OWN:
                self.app.services.remember_file(Path(name))
        return trouble

    def view(self, rect: Rect, look: Look) -> list[Widget]:
        px, explored, model = look.px, self.explored, self._board.model
        head, info, body = rect.rows(px(CONTROL), px(LINE), None, gap=px(TIGHT))
        info = info.inset(px(TIGHT), 0)
        explorer = explored.explorer
        moves = [] if explorer is None else explorer.moves(model.shown)
        row, game = results_row(body, look), list[Widget]()
        if row and (rest := body.h - max(len(moves), 2) * (row + 1) - px(HEAD + 2 * GAP)) >= px(LEAST_LIST):
            body, below = body.rows(None, rest, gap=px(GAP))
            game = moves_panel(model, self._board.go_to, look, below)
        self._row = min(self._row, max(len(moves) - 1, 0))
        trouble = explored.trouble or (explorer.trouble if explorer is not None else "")
        opening = opening_at(model.shown)
        counts = capital(": ".join(filter(None, (opening.name if opening else "", _counts(explored, moves)))))
        none = explorer is not None and explorer.complete and not explorer.games
        empty = NO_GAMES if none else NO_GAME if explored.name else NO_SOURCE
        (choose,) = self.commands()
        source = button(choose, "explored", head, align="left", opens=True)
        colour = look.theme.warning if trouble else look.theme.muted
        return [
            *game,
            replace(source, text=explored.title or choose.name),
            Label(key="explored.info", rect=info, text=trouble or counts, colour=colour, may_cut=True),
            Table(
                key="explorer", rect=body, count=len(moves), cells=lambda row: _cells(moves[row]),
                columns=(Column("Move", 92), Column("Games", 72, "right"), Column("Black, draw, White")),
                selected=self._row if self.screen.ui.focus == "explorer" else -1, select=self._select,
                row=row, choose=lambda row, column: self._go(moves, row), activate=lambda row: self._go(moves, row),
                empty="" if explored.reading else empty, arranged=(model.number, model.cursor),
                hint="Results of the games with this move: Black won, drawn, White won. Click to play the move",
            ),
        ]  # fmt: skip

    def _select(self, row: int) -> None:
        self._row = row

    def _go(self, moves: Sequence[PlayedMove], row: int) -> None:
        self._row = 0
        follow(self._board, moves[row].move)


def _counts(explored: Explored, moves: Sequence[PlayedMove]) -> str:
    explorer = explored.explorer
    if explorer is None:
        return "Reading…" if explored.reading else ""
    here = sum(played.results.games for played in moves)
    games = f"{here:,} of {count_text(explorer.games, 'game')}"
    if not explorer.complete:
        return f"{games}, reading: {100 * explorer.share:.0f} %"
    return f"{games} (later games: openings only)" if explorer.limited else games


def _cells(played: PlayedMove) -> list[str | Cell]:
    return [
        Cell(str(played.move), bold=True),
        f"{played.results.games:,}",
        Cell(_in_words(played.results), draw=partial(_draw, played.results)),
    ]


def _in_words(results: Results) -> str:
    black, draw, white = _percents(results)
    return f"Black {black}, draws {draw}, White {white}" if any(results.shares) else "no results"


def _percents(results: Results) -> list[str]:
    return [f"{part} %" for part in whole_percents(results.shares)]


def _draw(results: Results, canvas: Canvas, rect: Rect) -> None:
    if any(results.shares):
        draw_results(results.shares, _percents(results), canvas, rect)
    else:
        canvas.text("no result", rect, canvas.theme.muted, SMALL, may_cut=True)
