"""Choosing an opponent, or two players to watch."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import partial

from game import openings, plain
from game.board import Position
from game.moves import Move
from gui.geometry import Rect, Size
from gui.individuals.rows import Row, Scope
from gui.look.canvas import Look
from gui.model.game import GameModel
from gui.model.seats import MOST_DEPTH, Seat
from gui.preferences import COLOURS
from gui.screens import opponents
from gui.screens.dialogs.dialog import Prompt
from gui.screens.play.beginning import begin
from gui.screens.screen import Screen, Window, below_header
from gui.services import EXTERNALS
from gui.widgets.base import Label, Panel, Widget
from gui.widgets.button import Choice, button
from gui.widgets.commands import Command, by_id
from gui.widgets.dropdown import Dropdown
from gui.widgets.field import Field
from gui.widgets.table import Column, Table

STEP_SECONDS = 0.006
BEGINNINGS = ("The usual start", "A random three-move opening", "The position on the board")


class Chooser(Screen):
    """A searchable, sortable list of everybody who can be played, and how to play.

    Args:
        scope: what the list is of at first.
        position: of a game on the board, which one may begin from.
        watch: whether two players are chosen, to play each other.
    """

    def __init__(
        self, app: Window, *, scope: Scope | None = None, position: Position | None = None, watch: bool = False
    ) -> None:
        super().__init__(app)
        self.watch = watch
        self.title = "Watch two players" if watch else "Choose an opponent"
        self.library = app.services.library
        self.library.search = ""
        self.library.scope = scope or Scope()
        self._position = position
        self._begin = 0
        self._search = ""
        self._chosen: Row | None = None
        self._found: tuple[list[Row], Row, int] | None = None
        self._seats: list[Seat | None] = [None, None]
        self.ui.focus = "rows"

    # What is listed -----------------------------------------------------------------------------------------------

    def look_at(self, scope: Scope) -> None:
        """List something else."""
        self.library.scope = scope
        self._chosen = None

    @property
    def pace(self) -> float:
        """Often while the list grows."""
        return 1 / 30 if self.library.busy else 0.5

    def tick(self, now: float, dt: float) -> bool:
        """Find more opponents."""
        return self.app.frames > 0 and self.library.step(now, STEP_SECONDS)

    def _find(self, text: str) -> None:
        self._search = self.library.search = text

    def _sort(self, column: str) -> None:
        before, descending = self.library.sorted_by
        first_down = column in opponents.BEST_FIRST
        if before != column:
            self.library.sort(column, descending=first_down)
        elif descending == first_down:
            self.library.sort(column, descending=not descending)
        else:
            self.library.sort("")

    def _sort_next(self) -> None:
        """Order the list by the next column, after the last one as it came."""
        shown = [column.sort for column in self._columns(self.app.surface.get_size(), self.app.look)]
        names = ["", *shown]
        by, _ = self.library.sorted_by
        name = names[(names.index(by) + 1) % len(names)] if by in names else ""
        self.library.sort(name, descending=name in opponents.BEST_FIRST)
        title = next((column.title for column in opponents.COLUMNS if column.sort == name), "")
        self.app.say(f"Sorted by: {title}" if name else "In the usual order: newest first, best first")

    def _sort_other_way(self) -> None:
        by, descending = self.library.sorted_by
        if by:
            self.library.sort(by, descending=not descending)

    @property
    def _at(self) -> int:
        """Where the chosen row stands now; rows move while the list grows."""
        rows, chosen = self.library.rows, self._chosen
        if chosen is None:
            return -1
        if self._found is None or self._found[0] is not rows or self._found[1] is not chosen:
            same = (n for n, row in enumerate(rows) if row.player == chosen.player and row.name == chosen.name)
            self._found = (rows, chosen, next(same, -1))
        return self._found[2]

    def select(self, number: int) -> None:
        """Choose a row of the list."""
        self._chosen = self.library.rows[number]

    def _activate(self, number: int) -> None:
        self.select(number)
        if self.watch:
            self.take(0 if self._seats[0] is None else 1)
        else:
            self._play()

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        """How to play, and ways through the list."""
        why = self._why_not()
        usable = not why
        search = [
            Command(id="search", name="Search", keys=("/", "ctrl+f"), run=self._to_search,
                    about="Lead the keyboard to the search", icon="search", group="The list"),
            Command(id="open", name="Add a file", keys=("o", "ctrl+o"), run=self._open_file,
                    about="Open a CSV file of players", icon="open", group="The list"),
            Command(id="add-program", name="Add a program", keys=("e",), run=self._add_external,
                    about="Play against another program", icon="plus", group="The list"),
            Command(id="scope", name="What is listed", keys=("l",), run=self._open_scopes,
                    about="Champions, everybody, a run, a file", group="The list"),
            Command(id="sort", name="Sort", keys=("k",), run=self._sort_next,
                    about="Sort by the next column; again and again, as it was", group="The list"),
            Command(id="reverse", name="Other order", keys=("shift+k",), run=self._sort_other_way,
                    about="Turn the order round", enabled=bool(self.library.sorted_by[0]),
                    why="The list is in the usual order: K sorts it.", group="The list"),
            Command(id="start", name="Start", keys=("s",), run=self._next_beginning, about="Where the game begins"),
            Command(id="deeper", name="Deeper", keys=("+", "="), run=partial(self._deepen, 1), about="One ply more"),
            Command(id="shallower", name="Less deep", keys=("-",), run=partial(self._deepen, -1),
                    about="One ply less"),
            Command(id="more-time", name="More time", keys=(">",), run=partial(self._more_time, 1),
                    about="A longer limit"),
            Command(id="less-time", name="Less time", keys=("<",), run=partial(self._more_time, -1),
                    about="A shorter limit"),
        ]  # fmt: skip
        if self.watch:
            ready = all(seat is not None for seat in self._seats)
            return [
                Command(id="black", name="Takes Black", keys=("b",), run=partial(self.take, 0),
                        about="The chosen player takes Black", enabled=usable, why=why),
                Command(id="white", name="Takes White", keys=("w",), run=partial(self.take, 1),
                        about="The chosen player takes White", enabled=usable, why=why),
                Command(id="play", name="Watch", keys=("p",), run=self._play, about="Let them play", icon="eye",
                        enabled=ready, why="Choose who takes Black (B) and who takes White (W)."),
                *search,
            ]  # fmt: skip
        return [
            Command(id="play", name="Play", keys=("p", "return"), run=self._play, about="Begin the game", icon="play",
                    enabled=usable, why=why),
            Command(id="colour", name="Colour", keys=("c",), run=self._next_colour,
                    about="Black, White, or by chance"),
            *search,
        ]  # fmt: skip

    def _to_search(self) -> None:
        self.ui.focus, self.ui.focus_shown = "search", True

    def _to_rows(self) -> None:
        self.ui.focus = "rows"
        if self.library.rows and self._at < 0:
            self.select(0)

    def _open_scopes(self) -> None:
        self.ui.open("where")

    def _next_beginning(self) -> None:
        self._begin = (self._begin + 1) % (len(BEGINNINGS) - (self._position is None))

    def _open_file(self) -> None:
        from gui.screens.play.game_files import open_file

        open_file(self.app)

    def _add_external(self) -> None:
        self.app.open(
            Prompt(self.app, "Another program", "Command of an engine to play against.", self._external, take="Add")
        )

    def _external(self, command: str) -> str:
        if not command.strip():
            return "Expected a command."
        self.library.add_external(command.strip())
        self.app.services.store.add_recent(EXTERNALS, command.strip())
        return ""

    def _deepen(self, step: int) -> None:
        self._depth(min(max(self._plies + step, 1), MOST_DEPTH))

    @property
    def _plies(self) -> int:
        """The depth to play with; before a person has chosen one, that with which the chosen player evolved."""
        return self.app.services.depth_of("" if self._chosen is None else self._chosen.player)

    @property
    def _doubt(self) -> str:
        """What speaks against this depth; empty if nothing does."""
        chosen = self._chosen
        blind = chosen is not None and self.app.services.evolved_depth(chosen.player) == 1 and self._plies > 1
        return "It evolved without looking ahead: at this depth it may well play worse." if blind else ""

    def _depth(self, depth: int) -> None:
        self.app.services.change_settings(depth=depth)

    def _more_time(self, step: int) -> None:
        at = opponents.time_index(self.app.services.settings) + step
        self._time(min(max(at, 0), len(opponents.SECONDS) - 1))

    def _time(self, at: int) -> None:
        self.app.services.change_settings(seconds=opponents.SECONDS[at])

    def _colour(self, number: int) -> None:
        self.app.services.change_settings(colour=COLOURS[number])

    def _next_colour(self) -> None:
        self._colour((COLOURS.index(self.app.services.settings.colour) + 1) % len(COLOURS))

    def take(self, side: int) -> None:
        """The chosen player takes a side of the game to watch."""
        if self._chosen is None or self._chosen.trouble:
            self.app.say(self._why_not(), "warning")
        else:
            self._seats[side] = self.app.services.seat_of(self._chosen)

    def _why_not(self) -> str:
        """Why the chosen one cannot be played; empty if it can."""
        return "Choose somebody first." if self._chosen is None else self._chosen.trouble

    def _play(self) -> None:
        if self.watch:
            black, white = self._seats
            if black is not None and white is not None:
                self.app.replace(self.app.screens.watching(self._game((black, white))))
            return
        if self._chosen is None or self._chosen.trouble:
            self.app.say(self._why_not(), "warning")
            return
        services, row = self.app.services, self._chosen
        services.change_settings(opponent=row.player, opponent_title=row.title)
        begin(self.app, services.seat_of(row), services.settings.colour, self._game)

    def _game(self, seats: tuple[Seat, Seat]) -> GameModel:
        if self._begin == 2 and self._position is not None:
            return GameModel(seats, self._position)
        return GameModel.of_moves(Position.start(), drawn_opening() if self._begin == 1 else [], seats)

    def escape(self) -> bool:
        """Esc: first the search."""
        if not self._search:
            return False
        self._find("")
        self.ui.focus = "rows"
        return True

    # The picture --------------------------------------------------------------------------------------------------

    @staticmethod
    def _sides(size: Size, look: Look) -> list[Rect]:
        area = below_header(size, look)
        return area.columns(None, min(look.px(330), area.w * 2 // 5), gap=look.px(14))

    def _columns(self, size: Size, look: Look) -> Sequence[Column]:
        return opponents.shown_columns(self._sides(size, look)[0].w, look)

    def view(self, size: Size, look: Look) -> list[Widget]:
        """Search and list on the left, the game to begin on the right."""
        px, library = look.px, self.library
        left, right = self._sides(size, look)
        top, body = left.rows(px(38), None, gap=px(10))
        found = by_id(self.commands())
        search, where, file, program = top.columns(None, min(px(230), top.w * 2 // 5), top.h, top.h, gap=px(8))
        scopes = opponents.scopes(library)
        columns = self._columns(size, look)
        by, descending = library.sorted_by
        empty = "Looking…" if library.busy else library.trouble or "Nobody fits."
        return [
            *self.header(size, look),
            Field(
                key="search",
                rect=search,
                value=self._search,
                change=self._find,
                ghost="Search   /",
                icon="search",
                enter=self._to_rows,
                clipboard=self.app.services.clipboard,
            ),
            Table(
                key="rows",
                rect=body,
                columns=columns,
                count=len(library.rows),
                cells=lambda number: opponents.cells(library.rows[number], len(columns), look.theme),
                selected=self._at,
                select=self.select,
                activate=self._activate,
                sort=self._sort,
                sorted_by=by,
                descending=descending,
                empty=empty,
            ),
            Dropdown(
                key="where",
                rect=where,
                names=[name for name, _ in scopes],
                chosen=[scope for _, scope in scopes].index(library.scope),
                pick=lambda number: self.look_at(scopes[number][1]),
                hint="What is listed  (L)",
            ),
            button(found["open"], "do.open", file, icon_only=True),
            button(found["add-program"], "do.add-program", program, icon_only=True),
            Panel(key="panel", rect=right),
            *(self._watch_panel(right, look) if self.watch else self._play_panel(right, look)),
        ]

    def _play_panel(self, rect: Rect, look: Look) -> list[Widget]:
        px, settings = look.px, self.app.services.settings
        inner = rect.inset(px(16), px(14))
        text, label, colour, depth, time, start, play = inner.rows(
            None, px(22), px(36), px(50), px(50), px(38), px(46), gap=px(10)
        )
        return [
            *opponents.details(self._chosen, self._doubt, text, look),
            Label(key="colour.label", rect=label, text="You play", shortcut="C", bold=True),
            Choice(
                key="colour",
                rect=colour,
                names=("Black", "White", "By chance"),
                chosen=COLOURS.index(settings.colour),
                pick=self._colour,
                size=13,
            ),
            *opponents.limits(self._plies, settings, depth, time, self._depth, self._time),
            self._beginning(start),
            button(by_id(self.commands())["play"], "play", play, kind="main", size=16),
        ]

    def _watch_panel(self, rect: Rect, look: Look) -> list[Widget]:
        px, settings = look.px, self.app.services.settings
        found = by_id(self.commands())
        inner = rect.inset(px(16), px(14))
        text, depth, time, takes, black, white, start, play = inner.rows(
            None, px(50), px(50), px(38), px(38), px(38), px(38), px(46), gap=px(8)
        )
        left, right = takes.columns(None, None, gap=px(8))
        widgets: list[Widget] = [
            *opponents.details(self._chosen, self._doubt, text, look),
            *opponents.limits(self._plies, settings, depth, time, self._depth, self._time),
            button(found["black"], "black", left, size=13),
            button(found["white"], "white", right, size=13),
        ]
        for name, seat, place in zip(("Black", "White"), self._seats, (black, white), strict=True):
            said = "nobody yet" if seat is None else f"{seat.shown}, {seat.limits}"
            colour = look.theme.muted if seat is None else look.theme.text
            label = f"{name}: {said}"
            widgets.append(
                Label(key=f"seat.{name}", rect=place, text=label, colour=colour, wrap=True, size=13, may_cut=True)
            )
        return [*widgets, self._beginning(start), button(found["play"], "play", play, kind="main", size=16)]

    def _beginning(self, rect: Rect) -> Widget:
        names = BEGINNINGS if self._position is not None else BEGINNINGS[:2]
        return Dropdown(
            key="begin",
            rect=rect,
            names=names,
            chosen=self._begin,
            pick=self._set_begin,
            hint="Where the game begins  (S)",
        )

    def _set_begin(self, number: int) -> None:
        self._begin = number


def drawn_opening() -> list[Move]:
    """The moves of a random three-move ballot; found in the file of the ballots, without compiled code."""
    lines = [line.split() for line in openings.BALLOTS.read_text(encoding="utf-8").splitlines()]
    ballots = [line for line in lines if len(line) == 3 and line[0][0] != "#"]
    position, moves = Position.start(), []
    for text in secrets.choice(ballots):
        move, position = next(found for found in plain.successors(position) if str(found[0]) == text)
        moves.append(move)
    return moves
