"""The table of individuals: runs and files, their generations, and a list to search and sort."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_text
from extras.individuals.library import Library
from game.number_text import value_text
from gui.geometry import Rect, Size
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.individuals.shelves import finder
from gui.look.canvas import Look
from gui.look.theme import CONTROL, EDGE, GAP, LARGE_CONTROL, ROOM, Theme
from gui.runs.session_state import ICONS
from gui.runs.sources import Source
from gui.screens.entries import player_commands
from gui.screens.individuals.options import details, facts_of, lines_of
from gui.screens.screen import Screen, below_header, replay_board
from gui.sessions.boards import Replay, games_in
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import button
from gui.widgets.table import NONE, ROW, Cell, Column, ListColumn, ListOrder, Table, without_entry

if TYPE_CHECKING:
    from gui.app import App

STEP_SECONDS = 0.008
NO_RUNS = "No runs yet: “New session” on the first screen begins one."
NO_GENERATION = "No generation is complete yet."
CHOOSE = "Choose an individual first."


NAME = re.compile(r"Gen0*(\d+)_0*(\d+)")
"""A name that the program has given: generation and number."""
RANKED = "Rank: how far it came in the tournament, then its points there"


def _name_of(one: ListedPlayer) -> str:
    return one.brief if one.kind is EntryKind.CHAMPION else NAME.sub(r"No. \2", one.name)


def _name_cell(one: ListedPlayer, theme: Theme) -> Cell:
    damaged = one.kind is EntryKind.DAMAGED
    return Cell(_name_of(one), theme.warning if damaged else theme.muted if one.trouble else None, "warning" * damaged)


def _number(
    title: str,
    width: int,
    room: int,
    value: Callable[[ListedPlayer], float | None],
    text: Callable[[float], str] = value_text,
    *,
    largest_first: bool = True,
) -> ListColumn[ListedPlayer]:
    """Return a column of numbers, which a list hides if no individual has one."""

    def cell(one: ListedPlayer, theme: Theme) -> Cell:
        number = value(one)
        return Cell(NONE, theme.muted) if number is None else Cell(text(number), theme.muted if one.trouble else None)

    def order(one: ListedPlayer) -> float:
        number = value(one)
        return (float("-inf") if largest_first else float("inf")) if number is None else number

    def entry(one: ListedPlayer) -> bool:
        return value(one) is not None

    return ListColumn(title, width, "right", sort=title.lower(), room=room, largest_first=largest_first,
                      cell=cell, order=order, entry=entry)  # fmt: skip


def _result(place: int) -> Callable[[ListedPlayer], float | None]:
    return lambda one: None if one.results is None or one.is_mean else one.results[place]


COLUMNS = (
    ListColumn("Name", sort="name", cell=_name_cell, order=lambda one: (one.generation or 0, _name_of(one).lower())),
    _number("Rank", 52, 260, lambda one: one.rank, largest_first=False),
    _number("Rating", 70, 330, lambda one: None if one.rating is None else one.rating[0],
            lambda rating: shown_text(rating, brief=True)),
    _number("Points", 64, 390, _result(4)),
    _number("Games", 64, 450, _result(0)),
    _number("Won", 64, 490, _result(1)),
    _number("Drawn", 64, 530, _result(2)),
    _number("Lost", 64, 570, _result(3), largest_first=False),
)  # fmt: skip


LEAST_BOARD, WIDE = 84, 280
"""Minimum height of the board with a game of the chosen individual, and width of its facts beside its emblem."""


def _text_of(one: ListedPlayer) -> str:
    numbers = [one.rank, *(one.results or ()), *(() if one.rating is None else (shown_text(one.rating[0]),))]
    return f"{one.name} {_name_of(one)} {one.title} {one.origin} {' '.join(map(str, [*one.parents, *numbers]))}"


class IndividualsScreen(Screen):
    """The table of the individuals of a run or file.

    Args:
        first: the run or file to begin with; None for the newest run.
        take: called with the player that is chosen, after the screen has closed.
    """

    title = "Table"
    browses = True

    def __init__(self, app: App, first: Path | None, take: Callable[[ListedPlayer], object]) -> None:
        super().__init__(app)
        self.library = Library(app.services.sources, first)
        self.chosen: ListedPlayer | None = None
        self._take = take
        self._words, self._order = "", ListOrder(COLUMNS, "rank", self._find)
        self._empty: list[ListColumn[ListedPlayer]] = []
        self._rows: list[ListedPlayer] = []
        self._row = -1  # of the chosen one
        self.game = Replay()
        self._made: tuple[object, ...] = ()
        self.ui.focus = "rows"

    @property
    def pace(self) -> float:
        return 1 / 30 if self.library.busy or self.app.frames == 0 else 0.5

    def tick(self, now: float, dt: float) -> bool:
        if self.app.frames == 0:
            return False
        self.app.services.background.deliver()
        changed = self.library.step(now, STEP_SECONDS)
        self._find()
        self.game.show("\n\n".join(self._games()))
        return self.game.tick(now) or changed

    def _games(self) -> list[str]:
        chosen, source = self.chosen, self.library.source
        if chosen is None or chosen.generation is None or source is None or not source.is_run:
            return []
        run = self.app.services.sources.live(source.path)
        if run.busy or chosen.generation > run.newest:
            run.read()
        games = [] if run.busy or chosen.generation > run.newest else games_in(run.games_of(chosen.generation))
        return [game for game in games if f'"{chosen.name}"' in game]

    def _find(self) -> None:
        made = self.library.version, self._words, self._order.by, self._order.descending
        if made == self._made:
            return
        self._made = made
        fits = finder(self._words.lower().split())
        self._empty = without_entry(COLUMNS, self.library.individuals)
        if sum(one.rating is not None for one in self.library.individuals) == 1:  # of the champion, beside the list
            self._empty += [column for column in COLUMNS if column.title == "Rating"]
        self._rows = [one for one in self.library.individuals if fits(_text_of(one))]
        self._order.sort(self._rows)
        chosen = self.chosen
        same = (at for at, one in enumerate(self._rows) if chosen is not None and one[:3] == chosen[:3])
        self._row = next(same, -1)
        if chosen is None and self.library.generation >= 0 and self._rows:
            self._select(0)

    def commands(self) -> Sequence[Command]:
        why = CHOOSE if self.chosen is None else self.chosen.trouble
        return [
            Command(id="take", name="Choose as opponent", keys=("return",), run=self._choose, icon="check",
                    about="Take it as opponent", enabled=not why, why=why),
            *self._player_commands(),
            self.search_command("Search for words and whole numbers of the list"),
            Command(id="order", name="Order", keys=(), run=self._order.choose_next, about="Order by the next column"),
        ]  # fmt: skip

    def _choose(self) -> None:
        chosen = self.chosen
        if chosen is not None:
            self.app.back()
            self._take(chosen)

    def _player_commands(self) -> list[Command]:
        return player_commands(self.app, [] if self.chosen is None else [self.chosen], CHOOSE)

    def show(self, source: Source, generation: int = -1) -> None:
        """List a file, or of a run the individuals of a generation or, by default, all champions."""
        before = self.library.source
        if before is None or (source.path, generation) != (before.path, self.library.generation):
            self.chosen = None
            self.library.choose(source, generation)
            self._find()

    def _select(self, row: int) -> None:
        self._row, self.chosen = row, self._rows[row]

    def _activate(self, row: int) -> None:
        self._select(row)
        self.key("return")

    def _search(self, text: str) -> None:
        self._words = text
        self._find()

    def _to_rows(self) -> None:
        self.ui.focus = "rows"
        if self._row < 0 and self._rows:
            self._select(0)

    def escape(self) -> bool:
        if not self._words:
            return False
        self._search("")
        self.ui.focus = "rows"
        return True

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        area = below_header(size, look)
        if area.w < area.h:
            left, middle, right = area.rows(area.h // 4, None, area.h // 3, gap=px(ROOM))
        elif area.w < px(760):  # the right side needs room
            lists, right = area.columns(None, px(256), gap=px(ROOM))
            left, middle = lists.rows(min(px(210), lists.h // 3), None, gap=px(GAP))
        else:
            left, rest = area.columns(min(px(200), area.w * 27 // 100), None, gap=px(ROOM))
            middle, right = rest.columns(None, min(px(520), area.w * 40 // 100), gap=px(ROOM))
        return [
            *self.header(size, look),
            *self._left(left, look),
            *self._middle(middle, look),
            *self._pane(right, look),
        ]

    def _pane(self, rect: Rect, look: Look) -> list[Widget]:
        commands, chosen = by_id(self.commands()), self.chosen
        beside = rect.w > rect.h  # the board stands beside the facts
        about, take = rect.inset(look.px(EDGE), look.px(ROOM)).rows(None, look.px(LARGE_CONTROL), gap=look.px(GAP))
        about, board = about.columns(None, about.h if beside else 0, gap=look.px(ROOM) * beside)
        name = "" if chosen is None else NAME.sub(r"No. \2 of generation \1", chosen.brief)
        known = [] if chosen is None else facts_of(chosen._replace(results=None))  # which its row has
        emblem = self.app.services.personas.emblem(chosen.player) if chosen is not None and chosen.player else None
        emblem = emblem if about.w >= look.px(WIDE) else None
        lines = [NAME.sub(r"No. \2 of generation \1", line) for line in known]
        hint = "" if chosen is None else "\n".join(lines_of(chosen))
        facts = details(chosen, name, "", about, look, self._player_commands(), lines or [hint], emblem, hint)
        if not beside:
            top = max(each.rect.bottom for each in facts) + look.px(GAP)
            board = Rect(about.x, top, about.w, about.bottom - top)
        return [
            Panel(key="panel", rect=rect),
            *facts,
            *([replay_board(board, self.game, self.game.caption)] if board.h >= look.px(LEAST_BOARD) else []),
            button(commands["take"], "do.take", take, kind="main"),
        ]

    def _left(self, rect: Rect, look: Look) -> list[Widget]:
        px, library, source = look.px, self.library, self.library.source
        generations = source is not None and source.is_run
        beside = rect.columns(None, None, gap=px(GAP)) if generations and rect.w > rect.h else ()
        runs = min(len(library.listed) * px(ROW) + px(GAP), rect.h // 2)
        rows = (px(24), None) if beside or not generations else (px(24), runs, px(24), None)
        places = [place for part in beside or (rect,) for place in part.rows(*rows, gap=px(GAP))]
        listed = library.listed
        widgets: list[Widget] = [
            Label(key="runs.label", rect=places[0], text="Runs and files", bold=True),
            Table(
                key="runs", rect=places[1], headed=False, columns=(Column("Run"),), count=len(listed),
                cells=lambda row: [_source_cell(listed[row], look.theme)], of=lambda row: listed[row].path,
                selected=next((n for n, each in enumerate(listed) if source and each.path == source.path), -1),
                select=lambda row: self.show(listed[row]),
                empty="Looking…" if library.busy else library.sources.trouble or NO_RUNS,
                hint="" if source is None else source.trouble or source.state,
            ),
        ]  # fmt: skip
        if source is not None and source.is_run:
            newest = source.newest
            widgets += [
                Label(key="generations.label", rect=places[2], text="Generations", bold=True),
                Table(
                    key="generations", rect=places[3], headed=False, columns=(Column("Generation"),),
                    count=newest + 2 if newest >= 0 else 0, arranged=source.path,
                    cells=lambda row: [Cell(f"{newest + 1 - row:,}") if row else Cell("All champions", bold=True)],
                    selected=newest + 1 - library.generation if library.generation >= 0 else 0,
                    select=lambda row: self.show(source, newest + 1 - row if row else -1),
                    empty=source.trouble or NO_GENERATION,
                ),
            ]  # fmt: skip
        return widgets

    def _cells(self, one: ListedPlayer, columns: Sequence[ListColumn[ListedPlayer]]) -> list[Cell]:
        name, *cells = (column.cell(one, self.app.look.theme) for column in columns)
        if one.kind is not EntryKind.CHAMPION or name.icon:  # those of a generation have one shield
            return [name, *cells]
        shield = self.app.services.personas.emblem(one.player) if one.player else None
        return [replace(name, emblems=(shield,)), *cells]

    def _middle(self, rect: Rect, look: Look) -> list[Widget]:
        px, rows, order, source = look.px, self._rows, self._order, self.library.source
        top, body, foot = rect.rows(px(CONTROL), None, px(22), gap=px(GAP))
        columns = [column for column in order.fitting(rect.w, look) if column not in self._empty]
        where = "" if source is None else f" {source.name}"
        count = f"{len(rows):,} {'found' if self._words else 'listed'}"
        counted = "Looking…" if self.library.busy else "; ".join([count, *self.library.notes])
        if source is not None and source.is_run and self.library.generation >= 0:
            counted = look.first_fitting([f"{counted}. {RANKED}", counted], foot.w)
        none = "Looking…" if self.library.busy else "No individual matches." if self._words else NO_GENERATION
        return [
            self.search_field(top, self._words, self._search, f"Search{where}", enter=self._to_rows,
                              hint="Words and whole numbers of the list, such as mutated or a parent"),
            Table(
                key="rows", rect=body, count=len(rows), columns=columns,
                cells=lambda row: self._cells(rows[row], columns),
                of=lambda row: rows[row][:3], arranged=self._made,
                selected=self._row, select=self._select, activate=self._activate, sort=order.choose,
                sorted_by=order.by, descending=order.descending, empty=none,
            ),
            Label(key="counted", rect=foot, text=counted, colour=look.theme.muted, may_cut=True),
        ]  # fmt: skip


def _source_cell(source: Source, theme: Theme) -> Cell:
    if source.trouble:
        return Cell(source.name, theme.warning, "warning")
    return Cell(source.name, icon=(ICONS.get(source.state) or "evolution") if source.is_run else "file")
