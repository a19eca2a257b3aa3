"""The screen for choosing a file, by mouse or keyboard, the same on every system."""

from __future__ import annotations

import contextlib
import datetime
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from extras import modules
from game.number_text import count_text, size_text
from game.regular_files import open_regular
from gui.files import FileChooser
from gui.geometry import Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, ROOM
from gui.model.kept_game import date_text
from gui.screens.screen import IDLE, Screen, below_header, replay_board, with_pane
from gui.services import FILES
from gui.sessions.boards import Replay
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import Toggle, button, button_row
from gui.widgets.field import Field
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App

OPENED = (".pdn", ".fen", ".txt", ".csv", ".tsv", *(kind.ENDING for kind in modules("files")))
FOLDER, SENT = "folder", "sent_folder"
"""Settings that keep the folder of the last file, and of the last one to send, at first that of downloads."""
START, PANE, LOW_PANE, PACE = 60_000, 440, 320, 0.3
"""Bytes of a file of games that are read to show its first ones, width and height of their place, and seconds between
steps."""


class Files(Screen):
    """The content of a folder, a path field, and recently used files.

    Args:
        done: called with the path; returns an error message, or an empty string to close the screen.
    """

    title = "Open a file"

    def __init__(self, app: App, chooser: FileChooser, done: Callable[[Path], str]) -> None:
        super().__init__(app)
        self.chooser = chooser
        self._done = done
        self._row = 0 if chooser.entries else -1
        self._trouble = ""
        self.preview, self._kept = Replay(), FOLDER
        self.ui.focus = "path" if chooser.saving else "entries"

    @classmethod
    def to_open(cls, app: App, done: Callable[[Path], str]) -> Files:
        return cls(app, FileChooser(_last_folder(app), OPENED, app.services.store.recent(FILES)), done)

    @classmethod
    def to_save(
        cls,
        app: App,
        name: str,
        done: Callable[[Path], str],
        suffixes: Sequence[str] = (".pdn", ".fen"),
        title: str = "Save the game",
        kept: str = FOLDER,
    ) -> Files:
        """Return the screen for saving under a name; by default a game, or its position as .fen."""
        chooser = FileChooser(
            _last_folder(app, kept), suffixes, app.services.store.recent(FILES), saving=True, name=name
        )
        screen = cls(app, chooser, done)
        screen.title, screen._kept = title, kept
        return screen

    def commands(self) -> Sequence[Command]:
        take = "Save" if self.chooser.saving else "Open"
        about, run, icon = f"{take} the file in the path field", self._accept, "check"
        entries = self.chooser.entries[self._row : self._row + 1] if self._row >= 0 else []
        if entries and entries[0].is_folder and self.chooser.text in ("", entries[0].name):
            take, about, run, icon = "Open the folder", "Show what is in the folder", self._enter_folder, "folder"
        return [
            Command(id="take", name=take, keys=("ctrl+return", "return"), run=run, about=about, icon=icon),
            Command(id="above", name="Folder above", keys=("backspace",), run=self._up,
                    about="Go to the folder above", icon="up"),
            Command(id="home", name="Home folder", keys=(), run=lambda: self._go(Path.home()),
                    about="Go to your home folder", icon="home"),
            Command(id="all", name="All files", keys=(), run=self._everything,
                    about="Also show hidden files and other types", chosen=self.chooser.everything),
            Command(id="refresh", name="Refresh", keys=(), run=self.chooser.refresh,
                    about="Read the folder again", icon="rematch"),
            Command(id="path", name="Path", keys=(), run=self._to_path,
                    about="Type into the path field"),
            Command(id="top", name="Full path", keys=("/",), run=self._from_the_top,
                    about="Type a full path, beginning with /"),
        ]  # fmt: skip

    def _to_path(self) -> None:
        self.ui.focus, self.ui.focus_shown = "path", True

    def _from_the_top(self) -> None:
        self._to_path()
        self._type("/")

    def _up(self) -> None:
        came_from = self.chooser.folder.name
        self.chooser.up()
        self._row = next((n for n, entry in enumerate(self.chooser.entries) if entry.name == came_from), 0)

    def _go(self, folder: Path) -> None:
        if self.chooser.go(folder):
            self._row = 0 if self.chooser.entries else -1

    def _everything(self) -> None:
        self.chooser.everything = not self.chooser.everything

    def _accept(self) -> None:
        self._finish(self.chooser.accept())

    def _finish(self, path: Path | None) -> None:
        if path is None:
            return
        self.app.services.store.set(self._kept, str(path.parent))
        self._trouble = ""
        trouble = self._done(path)
        if trouble:
            self._trouble = trouble
        elif self.app.screen is self:
            self.app.back()
        elif self in self.app.stack:
            self.app.stack.remove(self)

    def tick(self, now: float, dt: float) -> bool:
        return self.preview.tick(now)

    @property
    def pace(self) -> float:
        return PACE if self.preview.count else IDLE

    def _show_games(self, path: Path) -> None:
        start = b""
        if path.suffix.lower() == ".pdn":
            with contextlib.suppress(OSError), open_regular(path, links=True, most=math.inf) as file:
                start = file.read(START)
        self.preview.show(start.decode("utf-8", "replace"))

    def _select(self, row: int) -> None:
        self._row, self._trouble = row, ""
        self.chooser.choose(row)
        self._show_games(self.chooser.folder / self.chooser.entries[row].name)

    def _activate(self, row: int) -> None:
        folder = self.chooser.entries[row].is_folder
        self._finish(self.chooser.open(row))
        if folder:
            self._row = 0 if self.chooser.entries else -1

    def _enter_folder(self) -> None:
        self._activate(self._row)

    def _recent(self, row: int) -> None:
        self._type(str(self.chooser.recent[row]))
        self._show_games(self.chooser.recent[row])

    def _recent_done(self, row: int) -> None:
        self._recent(row)
        self._accept()

    def _type(self, text: str) -> None:
        self.chooser.text, self._trouble = text, ""

    def _cells(self, row: int) -> Sequence[str | Cell]:
        entry = self.chooser.entries[row]
        changed = ""
        with contextlib.suppress(ValueError, OSError, OverflowError):
            changed = date_text(datetime.datetime.fromtimestamp(entry.modified))
        size = "" if entry.is_folder else size_text(entry.size)
        return (
            Cell(entry.name, icon="folder" if entry.is_folder else "file"),
            size,
            Cell(changed, self.app.look.theme.muted),
        )

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, chooser = look.px, self.chooser
        area = below_header(size, look)
        commands = by_id(self.commands())
        top, body, path, low = area.rows(px(CONTROL), None, px(CONTROL), px(CONTROL), gap=px(GAP))
        *places, folder = top.columns(px(CONTROL), px(CONTROL), px(CONTROL), None, gap=px(GAP))
        left, right = body.columns(min(px(240), body.w // 3), None, gap=px(ROOM))
        shown = list[Widget]()
        if self.preview.count and chooser.text:  # else another folder is open
            right, pane = with_pane(right, look, PANE, LOW_PANE)
            line, board = pane.inset(px(ROOM), px(GAP)).rows(px(CONTROL), None, gap=px(GAP))
            count = count_text(self.preview.count, "game")
            line, about = line.columns(None, look.wide(count), gap=px(GAP))
            shown = [Panel(key="panel", rect=pane),
                     Label(key="players", rect=line, text=self.preview.caption, bold=True, may_cut=True),
                     Label(key="games", rect=about, text=count, colour=look.theme.muted),
                     replay_board(board.rows(min(board.w, board.h), None)[0], self.preview)]  # fmt: skip
        note, toggle, accept = low.columns(None, px(130), px(170), gap=px(GAP))
        trouble = self._trouble or chooser.trouble
        widgets = [
            *self.header(size, look),
            *shown,
            *button_row(commands, ("above", "home", "refresh"), places, icon_only=True),
            Label(key="folder", rect=folder, text=str(chooser.folder), bold=True, may_cut=True),
            Table(
                key="recent", rect=left, columns=(Column("Recent"),), count=len(chooser.recent),
                cells=lambda row: (Cell(chooser.recent[row].name, icon="file"),),
                select=self._recent, activate=self._recent_done, empty="Files that you open are listed here.",
            ),
            Table(
                key="entries", rect=right, count=len(chooser.entries), cells=self._cells,
                columns=(Column("Name"), Column("Size", 90, "right"), Column("Modified", 116)),
                selected=min(self._row, len(chooser.entries) - 1), select=self._select, activate=self._activate,
                empty=f"No {', '.join(chooser.suffixes)} files here. Open another folder, or show all files.",
            ),
            Field(
                key="path", rect=path, value=chooser.text, change=self._type, enter=self._accept, icon="file",
                ghost="Name or path of a file", wrong=bool(trouble), clipboard=self.app.services.clipboard,
            ),
            Toggle(key="everything", rect=toggle, text="All files", on=chooser.everything, run=commands["all"].run,
                   hint=commands["all"].hint),
            button(commands["take"], "accept", accept, kind="main"),
        ]  # fmt: skip
        if trouble:
            widgets.append(Label(key="trouble", rect=note, text=trouble, wrap=True, colour=look.theme.danger,
                                 icon="warning", may_cut=True))  # fmt: skip
        return widgets


def _last_folder(app: App, kept: str = FOLDER) -> Path:
    last, downloads = app.services.store.get(kept, ""), Path.home() / "Downloads"
    return Path(last) if last else downloads if kept == SENT and downloads.is_dir() else Path.home()
