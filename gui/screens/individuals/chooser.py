"""The screen for choosing an opponent, or two players to watch, and the settings of the game."""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from evolve.config.model import kind_of
from evolve.run.runs import Runs
from evolve.strength.levels import LEVELS, level_of
from game.ballots import NamedOpening, deck
from game.board import Position
from game.errors import InputError
from game.players.names import parse_name
from gui.geometry import Rect, Size
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.individuals.opponents import find_level, is_known
from gui.key_table import key_for, with_key, with_keys
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, EDGE, GAP, LARGE_CONTROL, ROOM, TIGHT, TITLE
from gui.model.game import GameModel
from gui.model.seats import Seat
from gui.runs.sources import OF_MANY_FILES
from gui.screens.dialogs.ballots import BallotPicker
from gui.screens.entries import entries, first_commands, player_commands, with_added
from gui.screens.individuals import options
from gui.screens.individuals.listing import TABLE, Listing
from gui.screens.play.game_files import begin
from gui.storage.settings import COLOURS
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.board import BoardWidget
from gui.widgets.button import Segments, button
from gui.widgets.field import Dropdown

if TYPE_CHECKING:
    from evolve.config.model import RunKind
    from gui.app import App

SHORT, LIST, LEAST_BOARD = 8, 408, 220
"""For a list above a board: its maximum number of rows, its height, and the minimum height of the board; heights in
pixels of the design."""

NO_TWO = "Choose who plays Black ({|black|Plays Black}) and who plays White ({|white|Plays White})."
WATCHED = "watched_black", "watched_white"
"""The settings that store the players of the last watched game."""
ALL = "all_players"
"""The setting that stores whether all players are listed instead of the levels."""

WIDE_PANE = 290
"""Width of the pane from which it has wide margins, in pixels of the design."""

BEGINNINGS = {
    "start": "The usual start",
    "random": "A random three-move ballot",
    "position": "The position on the board",
    "ballot": "An opening by name or number…",
}
"""The positions from which a game can begin."""


class Chooser(Listing):
    """The list of individuals and other players from which opponents are chosen.

    Args:
        run: name of the initially listed run; if empty, all champions and other players are listed.
        from_here: whether the game is to begin at `position`.
    """

    def __init__(
        self,
        app: App,
        run: str = "",
        *,
        position: Position | None = None,
        game: GameModel | None = None,
        watch: bool = False,
        from_here: bool = False,
    ) -> None:
        super().__init__(app, run)
        self.watch = watch
        self.title = "Watch two players" if watch else "Choose an opponent"
        self._position = position
        self._played = game
        self._begin = "position" if from_here else "start"
        self._ballot: NamedOpening | None = None
        self._kinds: dict[str, RunKind] = {}
        self.strength = options.StrengthChoice(app.services, lambda: "" if self.chosen is None else self.chosen.player)
        self._entries = entries("chooser", self)
        self._looking = not watch and not run
        self._seats: list[Seat | None] = [self._watched(name) for name in WATCHED] if watch else [None, None]
        self._next_side = 0
        self._names: dict[tuple[str, str], str] = {}
        self._offers_levels = not watch and not run and app.services.opponents.expert is not None
        self._all = not self._offers_levels or app.services.store.get(ALL, app.services.opponents.level < 0)
        self.ui.focus = "rows" if self._all else "levels"

    @property
    def chosen(self) -> ListedPlayer | None:
        """The chosen opponent; for a damaged file, an entry that cannot be played."""
        rows = self.browser.library.rows
        alone = len(rows) == 1 and rows[0].kind is EntryKind.DAMAGED
        return rows[0] if alone and self.browser.chosen_at < 0 else self.browser.chosen

    def tick(self, now: float, dt: float) -> bool:
        """Read on; once the first list is read, choose the most recent opponent."""
        changed = super().tick(now, dt)
        browser = self.browser
        changed = any([entry.step() for entry in self._entries]) or changed
        if not self._looking or browser.loading or browser.library.busy:
            return changed
        self._looking = False
        if browser.chosen is None and browser.source == OF_MANY_FILES[0] and not browser.library.search:
            self._choose_opponent(self.app.services.opponents.recommend().player or "")
            return True
        return changed

    def _choose_opponent(self, player: str) -> None:
        browser = self.browser
        row = browser.library.find(player) or find_level(self.app.services.runs, player)
        if row is not None:
            browser.choose_row(row)
            return
        name = parse_name(player)
        run, _, number = name.target.rpartition("@")
        sources = {name: source for source in browser.sources for name in (source.target, str(source.path)) if name}
        source = sources.get(name.target) or sources.get(run)
        if source is not None and name.member is not None:
            browser.choose_source(source)
            if source.is_run:
                browser.choose_generation(int(number) if number.isdigit() else source.newest, name.member)
            else:
                browser.choose_generation(-1, name.member)

    def on_close(self) -> None:
        """Remove the filter, because other screens share the list."""
        super().on_close()
        self.browser.library.only_playable = False

    def activate_row(self, row: int) -> None:
        """Choose an individual in the table: seat it on the free side, or play against it immediately."""
        self.choose_row(row)
        if self.watch:
            self.take(self._next_side)
        else:
            self.play()

    def name_of(self, one: ListedPlayer) -> str:
        """Return the name that a player had in a game when it was listed first; another depth does not rename a row."""
        key = one.player, one.brief  # a run's player is the champion of its newest generation, which changes
        if key not in self._names:
            self._names[key] = self.app.services.opponents.name_of(one)
        return self._names[key]

    def show_all(self, yes: bool) -> None:
        self._all = yes
        self.app.services.store.set(ALL, yes)
        self.ui.focus = "rows" if yes else "levels"

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        listed = [*self._list_commands(), *self.shared_commands()]
        if not self._all:  # commands for the list open it first
            listed = [replace(command, run=partial(self._show_and, command.run)) for command in listed]
        own = [
            *(self._watch_commands() if self.watch else self._play_commands()),
            Command(id="start", name="Start", keys=(), run=self._next_beginning,
                    about="Choose where the game begins"),
            Command(id="ballot", name="An opening", keys=(), run=self._pick_ballot,
                    about="Begin with a three-move ballot or a classical opening, by number, name or moves"),
            Command(id="level", name="Level", keys=("4",), run=self._next_level,
                    about="Choose the next of six levels, Beginner to Champion"),
            *self._player_commands(),
            *listed,
        ]  # fmt: skip
        return with_added(own, self._entries)

    def _list_commands(self) -> list[Command]:
        """Return the commands whose effect is visible only in the list of all players."""
        return [
            *self.strength.commands(),
            Command(id="playable", name="Can be played", keys=(), run=self._toggle_playable,
                    about="List only players that can be played", icon="filter", group=TABLE,
                    chosen=self.browser.library.only_playable),
        ]  # fmt: skip

    def _player_commands(self) -> list[Command]:
        return player_commands(self.app, [] if self.chosen is None else [self.chosen], self._why_not())

    def _show_and(self, run: Callable[[], object]) -> None:
        self.show_all(True)
        run()

    def _play_commands(self) -> list[Command]:
        why = self._why_not()
        return [
            Command(id="play", name="Play", keys=("p", "return"), run=self.play, about="Begin the game", icon="play",
                    enabled=not why, why=why),
            *self._tab_commands(),
            Command(id="colour", name="Colour", keys=(), run=self._next_colour,
                    about="Play Black, White, or a random colour"),
        ]  # fmt: skip

    def _tab_commands(self) -> list[Command]:
        if not self._offers_levels:
            return []
        return [Command(id="all", name="Levels or all players", keys=("a",), icon="list",
                        run=lambda: self.show_all(not self._all),
                        about="Switch to the other list of opponents")]  # fmt: skip

    def _watch_commands(self) -> list[Command]:
        why = self._why_not()
        ready = all(seat is not None for seat in self._seats)
        return [
            Command(id="black", name="Plays Black", keys=(), run=partial(self.take, 0),
                    about="Let the chosen player play Black", enabled=not why, why=why),
            Command(id="white", name="Plays White", keys=(), run=partial(self.take, 1),
                    about="Let the chosen player play White", enabled=not why, why=why),
            Command(id="play", name="Start watching", keys=("p",), run=self.play, about="Watch them play", icon="eye",
                    enabled=ready, why=with_keys(NO_TWO)),
        ]  # fmt: skip

    @property
    def _beginnings(self) -> list[str]:
        return [name for name in BEGINNINGS if name != "position" or self._position is not None]

    def _next_beginning(self) -> None:
        ways = [name for name in self._beginnings if name != "ballot" or self._ballot is not None]
        self._begin = ways[(ways.index(self._begin) + 1) % len(ways)]

    def _pick_ballot(self) -> None:
        flipped = self.watch or self.app.services.settings.colour != "white"
        self.app.open(BallotPicker(self.app, self._ballot, self._take_ballot, flipped=flipped))

    def _take_ballot(self, ballot: NamedOpening) -> None:
        self._begin, self._ballot = "ballot", ballot

    @property
    def _doubt(self) -> str:
        chosen = self.chosen
        blind = (
            chosen is not None
            and self.app.services.opponents.evolved_depth(chosen.player) == 1
            and self.strength.plies > 1
        )
        blind = blind and self._kind.breeds
        return "It evolved at depth 1: deeper it may play worse." if blind else ""

    def _level(self, number: int) -> None:
        """Choose a measured level: a champion of the shipped run if there is one, and a depth."""
        champion = find_level(self.app.services.runs, LEVELS[number].player)
        if champion is not None:
            self.browser.choose_row(champion)
        self.strength.set_depth(LEVELS[number].depth)

    @property
    def _level_at(self) -> int:
        row = self.chosen
        return level_of("" if row is None else row.player, self.strength.plies)

    def _next_level(self) -> None:
        self._level((self._level_at + 1) % len(LEVELS))

    def _toggle_playable(self) -> None:
        self.browser.library.only_playable = not self.browser.library.only_playable

    def _colour(self, number: int) -> None:
        self.app.services.change_settings(colour=COLOURS[number])

    def _next_colour(self) -> None:
        self._colour((COLOURS.index(self.app.services.settings.colour) + 1) % len(COLOURS))

    def take(self, side: int) -> None:
        row = self.chosen
        if row is None or row.trouble:
            self.app.say(self._why_not(), "warning")
        else:
            self._seats[side] = self.app.services.opponents.seat_of(row)
            self._next_side = 1 - side

    def _watched(self, name: str) -> Seat | None:
        """Return a player of the last game that was watched, by the name of its setting; None if there is none."""
        with contextlib.suppress(InputError, ValueError, TypeError):
            seat = Seat(*json.loads(self.app.services.store.get(name, "")))
            return seat if seat.name is not None and is_known(self.app.services.runs, seat.name) else None
        return None

    def _why_not(self) -> str:
        """Return why the chosen player cannot be played; empty if it can."""
        row = self.chosen
        return "Choose an opponent first." if row is None else row.trouble

    def play(self) -> None:
        if self.watch:
            black, white = self._seats
            if black is not None and white is not None:
                for name, seat in zip(WATCHED, (black, white), strict=True):
                    last = seat.player, seat.depth, seat.seconds, seat.title
                    self.app.services.store.set(name, json.dumps(last))
                self.app.replace(self.app.screens.watching(self._game((black, white))))
            return
        services, row = self.app.services, self.chosen
        if row is None or row.trouble:
            self.app.say(self._why_not(), "warning")
            return
        level = -1 if self._all else self._level_at
        if level >= 0:
            services.change_settings(depth=LEVELS[level].depth)
        seat = services.opponents.seat_of(row)
        services.change_settings(opponent=row.player, opponent_title=row.title)
        if services.opponents.depth_of(row.player) != seat.depth:  # the level that is suggested before any choice
            services.change_settings(depth=seat.depth)
        begin(self.app, seat, services.settings.colour, self._game)

    def _game(self, seats: tuple[Seat, Seat]) -> GameModel:
        if self._begin == "position" and self._position is not None:
            return GameModel(seats, self._position) if self._played is None else self._played.branch(seats)
        ballot = secrets.choice(deck()) if self._begin == "random" else self._set_ballot
        return GameModel.of_moves(Position.start(), ballot.line if ballot else (), seats)

    @property
    def _set_ballot(self) -> NamedOpening | None:
        return self._ballot if self._begin == "ballot" else None

    # Widgets ------------------------------------------------------------------------------------------------------

    @property
    def _added(self) -> list[Command]:
        """The commands of extras that are possible now, which have buttons above the list."""
        return [command for command in first_commands(self._entries) if command.enabled]

    def area(self, size: Size, look: Look) -> Rect:
        """Return the place below the choice between levels and all players."""
        area = super().area(size, look)
        return area.rows(look.px(CONTROL), None, gap=look.px(GAP))[1] if self._offers_levels or self._added else area

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        line = super().area(size, look).rows(px(CONTROL), None)[0]
        tabs, _, corner = line.columns(px(320), None, min(px(180), line.w - px(320 + GAP)), gap=px(GAP))
        added = self._added
        places = corner.columns(*[None] * len(added), gap=px(GAP))
        buttons = [button(command, f"do.{command.id}", at) for command, at in zip(added, places, strict=True)]
        if not self._offers_levels:
            return [*buttons, *super().view(size, look)]
        names = ("Levels", "All players")
        choice = Segments(key="all", rect=tabs, names=names, chosen=int(self._all), tabs=True,
                          pick=lambda at: self.show_all(bool(at)),
                          hint=with_key("Levels or all players", key_for("a", "players")))  # fmt: skip
        if self._all:
            return [choice, *buttons, *super().view(size, look)]
        area = self.area(size, look)
        left, right = area.columns(None, px(256) if area.w < px(760) else min(px(340), area.w * 3 // 10), gap=px(ROOM))
        above, below = left.rows(options.levels_height(left.w, look), None, gap=px(GAP))
        return [
            choice,
            *buttons,
            *self.header(size, look),
            *options.level_list(self._level_at, self._level, self.play_level, above, look),
            *([self._board(below)] if below.h >= px(LEAST_BOARD) and not self._usual else []),
            *self.pane(right, look),
        ]

    def play_level(self, number: int) -> None:
        self._level(number)
        self.play()

    @property
    def _usual(self) -> bool:
        """True if the game begins with the usual position, which needs no board."""
        return not (self._begin == "position" and self._position is not None) and self._set_ballot is None

    def _board(self, rect: Rect) -> Widget:
        begins = self._position if self._begin == "position" and self._position is not None else Position.start()
        ballot = self._set_ballot
        model = GameModel.of_moves(begins, ballot.line if ballot else ())
        flipped = self.watch or self.app.services.settings.colour != "white"
        return BoardWidget(
            key="begins", rect=rect, pieces=model.pieces(), flipped=flipped, numbers=False, enabled=False
        )

    def tools(self) -> tuple[str, ...]:
        return ("playable", *super().tools(), "add-program")

    def middle(self, rect: Rect, look: Look) -> list[Widget]:
        """Return the list; below a short one, the position at the beginning of the game."""
        px, library = look.px, self.browser.library
        short = not library.busy and len(library.rows) <= SHORT
        if not short or self._usual or rect.h < px(LIST + LEAST_BOARD):
            return super().middle(rect, look)
        above, below = rect.rows(px(LIST), None, gap=px(GAP))
        return [*super().middle(above, look), self._board(below)]

    def pane(self, rect: Rect, look: Look) -> list[Widget]:
        page = self._watch_panel if self.watch else self._play_panel
        return [Panel(key="panel", rect=rect), *page(rect, look)]

    def _play_panel(self, rect: Rect, look: Look) -> list[Widget]:
        px, settings, commands = look.px, self.app.services.settings, by_id(self.commands())
        inner = rect.inset(px(EDGE if rect.w >= px(WIDE_PANE) else ROOM), px(ROOM))
        *rest, mine, start, play = inner.rows(None, px(CONTROL), px(CONTROL), px(LARGE_CONTROL), gap=px(GAP))
        if self._all or self._level_at < 0:
            text, depth, time = rest[0].rows(None, px(50), px(50), gap=px(GAP))
            about = [
                *self._details(text, look),
                *self._thinks(depth, time),
            ]
        else:  # a level also sets the depth
            about = options.level_details(LEVELS[self._level_at], rest[0], look, self._player_commands())
        label, colour = mine.columns(px(64), None, gap=px(TIGHT))
        return [
            *about,
            Label(key="colour.label", rect=label, text="You play", shortcut=key_for("", "colour"), bold=True),
            Segments(key="colour", rect=colour, names=("Black", "White", "Random"), pick=self._colour,
                     chosen=COLOURS.index(settings.colour),
                     hint=f"{self.side_name(0)} moves first, {self.side_name(1)} second"),
            self._beginning(start),
            button(commands["play"], "play", play, kind="main", size=TITLE),
        ]  # fmt: skip

    def _details(self, rect: Rect, look: Look) -> list[Widget]:
        name = "" if self.chosen is None else self.app.services.opponents.name_of(self.chosen)
        return options.details(self.chosen, name, self._doubt, rect, look, self._player_commands())

    @property
    def _kind(self) -> RunKind:
        """The kind of the chosen player's run; an evolution if it belongs to no run."""
        chosen = self.chosen
        name = "" if chosen is None or chosen.generation is None else chosen.source
        if name not in self._kinds:
            from evolve.run.folder import Run

            kind = Run(Runs(self.app.services.runs).path(name)).kind if name else None
            self._kinds[name] = kind or kind_of({})
        return self._kinds[name]

    def _thinks(self, depth: Rect, time: Rect) -> list[Widget]:
        """Return the controls for the search limits, or for how a policy chooses its moves."""
        settings, row = self.app.services.settings, self.chosen
        if row is not None and row.player and self.app.services.opponents.is_policy(row.player):
            rect = Rect(depth.x, depth.y, depth.w, depth.h + (time.y - depth.y) // 2)
            return options.choices_of_policy(settings.sampling, self._sample, rect)
        return self.strength.sliders(depth, time, self._kind.as_made)

    def _sample(self, number: int) -> None:
        self.app.services.change_settings(sampling=bool(number))

    def _watch_panel(self, rect: Rect, look: Look) -> list[Widget]:
        px = look.px
        commands = by_id(self.commands())
        inner = rect.inset(px(EDGE), px(ROOM))
        text, depth, time, takes, black, white, start, play = inner.rows(
            None, px(50), px(50), px(CONTROL), px(CONTROL), px(CONTROL), px(CONTROL), px(LARGE_CONTROL), gap=px(GAP)
        )
        left, right = takes.columns(None, None, gap=px(GAP))
        widgets: list[Widget] = [
            *self._details(text, look),
            *self._thinks(depth, time),
            button(commands["black"], "black", left),
            button(commands["white"], "white", right),
        ]
        for name, seat, place in zip(("Black", "White"), self._seats, (black, white), strict=True):
            whole = "not chosen yet" if seat is None else f"{seat.shown}, {seat.limits}".removesuffix(", ")
            brief = whole if seat is None else seat.brief
            colour = look.theme.muted if seat is None else look.theme.text
            fits = len(look.fonts.wrap(f"{name}: {whole}", place.w, px(BODY))) * look.fonts.height(px(BODY)) <= place.h
            label = f"{name}: {whole if fits else brief}"
            widgets.append(Label(key=f"seat.{name}", rect=place, text=label, colour=colour, wrap=True, may_cut=True,
                                 hint="" if fits else whole))  # fmt: skip
        return [*widgets, self._beginning(start), button(commands["play"], "play", play, kind="main", size=TITLE)]

    def _beginning(self, rect: Rect) -> Widget:
        names = dict(BEGINNINGS)
        if self._ballot is not None:
            names["ballot"] = self._ballot.title
        ways = self._beginnings
        return Dropdown(key="begin", rect=rect, names=[names[way] for way in ways], chosen=ways.index(self._begin),
                        pick=self._set_begin,
                        hint=". ".join(
                            (
                                with_key("Where the game begins", key_for("", "start")),
                                with_key("An opening by name or number", key_for("", "ballot")),
                            )
                        ))  # fmt: skip

    def _set_begin(self, number: int) -> None:
        way = self._beginnings[number]
        if way == "ballot":
            self._pick_ballot()
        else:
            self._begin = way
