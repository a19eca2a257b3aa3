"""The screen for choosing an opponent and the settings of the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config.anchors import shown_text
from evolve.config.model import kind_of
from evolve.run.runs import Runs
from evolve.strength.levels import AT_RATING, LEVELS, Level
from game.board import Position
from game.errors import sentence
from game.number_text import count_text
from gui.events import Drop, Event
from gui.files import has_players
from gui.geometry import Rect, Size
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.individuals.opponents import first_of_file
from gui.individuals.personas import Persona
from gui.individuals.shelves import EXHIBITS, LEVEL, SHELVES, YOURS, Offer, Shelves
from gui.look.canvas import Look
from gui.look.theme import CONTROL, EDGE, GAP, LARGE_CONTROL, ROOM, TIGHT, TITLE
from gui.model.game import GameModel
from gui.model.lines import Piece, pieces_of
from gui.rating.rating import chance_words
from gui.runs.sources import Source
from gui.screens.dialogs.dialog import Menu
from gui.screens.entries import RUN_GROUP, entries, first_commands, player_commands, with_added
from gui.screens.evolution import small_plot
from gui.screens.individuals import options
from gui.screens.individuals.options import OpeningChoice
from gui.screens.play.game_files import begin
from gui.screens.screen import Screen, below_header, with_pane
from gui.storage.settings import COLOURS
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.board import BoardWidget
from gui.widgets.button import Segments, button, button_row
from gui.widgets.cards import Card, Cards

if TYPE_CHECKING:
    from evolve.config.model import RunKind
    from gui.app import App

STEP_SECONDS = 0.008

PANE, LOW_PANE = 330, 330
"""Width of the pane beside the cards, and its height below them."""
TABS, SEARCH, ADDED = 330, 150, 118
"""Widths of the names of the shelves, the least width of the search beside them, and of buttons of extras."""
MOST_ICONS = 2
"""Maximum number of buttons beside each other that have icons."""
WIDE_CARD, CARD, LEAST_LEVEL, LARGE_CARD = 300, 92, 40, 220
"""The width from which a card stands beside another one; the least heights of cards and of levels, and the largest."""
ABOUT, LEAST_BOARD = 124, 84
"""Height of the name of the chosen opponent and the lines below it, above a board; and the least height of a board."""

NOTHING = "Nothing yet: evolve your first player, or drop a file of players here."
NO_LEVELS = "The runs of the levels are missing."
NO_MATCH = "Nothing matches."
CHOOSE = "Choose a run first."
OF_LEVEL = "A level has its own depth and time."
EQUAL = "As strong as you."
HIDDEN = "hidden"
"""The word that finds hidden runs."""


class Chooser(Screen):
    """Three shelves of opponents: levels, yours, and characters and exhibits.

    Args:
        shelf: the shelf to begin with; by default, that of the last opponent.
        player: the player to choose; by default, the last opponent.
        from_here: whether the game is to begin at `position`.

    Attributes:
        watch: whether two players are chosen, to be watched.
    """

    title = "Opponents"
    watch = False

    def __init__(
        self,
        app: App,
        *,
        shelf: str = "",
        player: ListedPlayer | None = None,
        position: Position | None = None,
        game: GameModel | None = None,
        from_here: bool = False,
    ) -> None:
        super().__init__(app)
        self._beginning = OpeningChoice(app, position, game, from_here=from_here)
        self._kinds: dict[str, RunKind] = {}
        self.shelves = Shelves(app.services)
        self.strength = options.StrengthChoice(app.services, lambda: "" if self.chosen is None else self.chosen.player)
        self._entries, self._exhibits = entries("chooser", self), entries("exhibits", self)
        self.shelves.more = lambda: [offer for entry in self._exhibits for offer in entry.offers()]
        self._key: tuple[object, ...] = ()
        self._looking = player is None
        self.shelf = shelf or (LEVEL if self.shelves[LEVEL] else YOURS)
        self._asked = shelf
        self._choose_recent()
        if player is not None:
            self.take_player(player)
        self.ui.focus = "cards"

    @property
    def listed(self) -> list[Offer]:
        """The offers of the shelf, or what the search has found."""
        if self.shelves.results is not None:
            return self.shelves.results
        added = first_commands(self._exhibits) if self.shelf == EXHIBITS else []
        nobody = ListedPlayer.of_player("")
        cards = [Offer(nobody, each.name, each.about, command=each) for each in added if each.enabled]
        gone = {path for each in self._exhibits if self.shelf == EXHIBITS for path in each.replaced}
        return [*cards, *(each for each in self.shelves[self.shelf] if not each.source or each.source.path not in gone)]

    @property
    def offer(self) -> Offer | None:
        offers = (*self.listed, *(offer for shelf in SHELVES for offer in self.shelves[shelf]))
        return next((offer for offer in offers if offer.key == self._key), None)

    @property
    def chosen(self) -> ListedPlayer | None:
        """The chosen opponent; for a damaged file, an entry that cannot be played."""
        offer = self.offer
        return None if offer is None or offer.command is not None else offer.player

    @property
    def run(self) -> Source | None:
        source = None if self.offer is None or self.level >= 0 else self.offer.source
        return source if source is not None and source.is_run else None

    @property
    def level(self) -> int:
        """The number of the chosen level; -1 if another opponent is chosen."""
        return -1 if self.offer is None else self.offer.level

    @property
    def _level(self) -> Level:
        return self.app.services.opponents.level_at(self.level)

    def _choose_recent(self) -> None:
        """Choose the most recent opponent once it is known; on a shelf that was asked for, the first one."""
        opponents = self.app.services.opponents
        seat = opponents.recommend()
        result = self.shelves.find(seat.player or "", opponents.level)
        if result is not None and self._asked in ("", result[0]):
            self.shelf, self._key, self._looking = result[0], result[1].key, False
        elif not self.shelves.busy:
            self._looking = False
            if self._asked:
                self._key = next((offer.key for offer in self.listed), ())
                self._looking = not self._key
            elif seat.player is not None:
                self.take_player(ListedPlayer(None, None, seat.title, player=seat.player))

    def take_player(self, player: ListedPlayer) -> None:
        """Choose a player; if it is on no shelf, it is listed with yours."""
        result = self.shelves.find(player.player)
        if result is None:
            offer = Offer(player, self.app.services.opponents.name_of(player), "Chosen last")
            self.shelves.keep(offer)
            result = YOURS, offer
        self.shelf, self._key = result[0], result[1].key
        self._looking = False

    def choose(self, number: int) -> None:
        """Choose an offer of the list, which may have become shorter since it was drawn."""
        offers = self.listed
        if number >= len(offers):
            return
        offer = offers[number]
        self._key, self._looking = offer.key, False
        if self.shelves.results is not None:
            self.shelves.keep(offer)

    def activate(self, number: int) -> None:
        """Choose an offer, and play against it."""
        self.choose(number)
        self.play()

    def show(self, shelf: str) -> None:
        """Show a shelf, and end the search; its first opponent is chosen, or the most recent one if it is there."""
        self.shelves.text, self.shelf = "", shelf
        self.ui.focus = "cards"
        if all(offer.key != self._key for offer in self.listed):
            self._key = next((offer.key for offer in self.listed), ())
            self._asked, self._looking = shelf, True

    @property
    def busy(self) -> bool:
        return self.shelves.busy or any(entry.busy for entry in self._entries)

    @property
    def pace(self) -> float:
        return 1 / 30 if self.busy or self.app.frames == 0 else 0.5

    def tick(self, now: float, dt: float) -> bool:
        """Read on; once all is read, choose the most recent opponent."""
        if self.app.frames == 0:
            return False
        changed = self.app.services.background.deliver()  # what extras have asked for
        changed = self.shelves.step(now, STEP_SECONDS) or changed
        for entry in (*self._entries, *self._exhibits):
            changed = entry.step() or changed
        if self._looking:
            self._choose_recent()
        return changed

    def handle(self, event: Event) -> bool:
        if isinstance(event, Drop) and has_players(Path(event.path)):
            self.app.say(self.open_csv(Path(event.path)), "warning")
            return True
        return False

    def escape(self) -> bool:
        if not self.shelves.text:
            return False
        places = (shelf for shelf in SHELVES for offer in self.shelves[shelf] if offer.key == self._key)
        self.show(next(places, self.shelf))
        return True

    def open_csv(self, path: Path) -> str:
        """List a file with yours and choose it; return why it cannot be played, or an empty string."""
        trouble = self.app.services.open_players(path)
        if not trouble:
            self.shelves.arrange()
            self.show(YOURS)
            self.take_player(first_of_file(path.absolute()))
        return trouble

    def _open(self) -> None:
        from gui.screens.dialogs.files import Files

        self.app.open(Files.to_open(self.app, self._opened))

    def _opened(self, path: Path) -> str:
        return self.open_csv(path) if has_players(path) else "Expected a file of players."

    @property
    def _file(self) -> Path | None:
        offer, files = self.offer, self.app.services.sources.files
        return next((path for path in files if offer and offer.source and offer.source.path == path), None)

    def _remove(self) -> None:
        if self._file is not None:
            self.app.services.forget_players(self._file)
            self.shelves.arrange()

    def commands(self) -> Sequence[Command]:
        strength = self.strength.commands()
        if self.level >= 0:
            strength = [replace(command, enabled=False, why=OF_LEVEL) for command in strength]
        own = [
            *self._play_commands(),
            *self._beginning.commands(),
            Command(id="level", name="Level", keys=("4",), run=self._next_level,
                    about="Choose the next level"),
            Command(id="equal", name="As strong as you", keys=("=",), run=self._choose_equal, icon="equal",
                    about="Choose the level nearest to your rating", enabled=bool(self.shelves[LEVEL]), why=NO_LEVELS),
            Command(id="hidden", name="Hidden runs", keys=(), run=partial(self._find, HIDDEN),
                    about="List what is hidden, to play it or to show it again"),
            *self._player_commands(),
            *strength,
            *(Command(id=f"shelf-{number}", name=shelf, keys=(str(number),), run=partial(self.show, shelf),
                      about=f"Show this shelf: {shelf.lower()}", group="Shelves")
              for number, shelf in enumerate(SHELVES, 1)),
            self.search_command("Search all opponents: names, levels, presets, tags, or generation 40"),
            Command(id="open", name="Open a file", keys=("o", "ctrl+o"), run=self._open, icon="open",
                    about="Open a file of players"),
            *([Command(id="remove", name="Remove the file", keys=("delete",), run=self._remove, icon="delete",
                       about="Remove the chosen file from the list")] if self._file is not None else []),
            Command(id="run", name="Its evolution", keys=("c",), run=self._open_run, icon="evolution",
                    about="Open its page, with its curve, and evolve on", enabled=bool(self.run), why=CHOOSE),
            Command(id="evolve", name="New session", keys=("g",), run=self._evolve, icon="evolution",
                    about="Evolve players"),
            Command(id="run-group", name=RUN_GROUP, keys=(), run=self._more, icon="menu", enabled=bool(self.run),
                    about="More for the chosen run", why=CHOOSE),
        ]  # fmt: skip
        return with_added(own, (*self._entries, *self._exhibits))

    def _open_run(self) -> None:
        from gui.screens.sessions.session import SessionScreen

        assert self.run is not None
        self.app.open(SessionScreen(self.app, self.run.path))

    def _evolve(self) -> None:
        from gui.screens.sessions.new import NewSession

        self.app.open(NewSession(self.app))

    def _run_commands(self) -> list[Command]:
        added = [command for entry in self._entries for command in entry.commands() if command.group == RUN_GROUP]
        return [*self._player_commands(), *added]

    def _more(self) -> None:
        assert self.run is not None
        self.app.open(Menu(self.app, self.run.name, self._run_commands))

    def _player_commands(self) -> list[Command]:
        chosen = self.chosen
        if chosen is not None and self.level >= 0:
            chosen = chosen._replace(player=self._level.text)
        return player_commands(self.app, [] if chosen is None else [chosen], self._why_not())

    def _play_commands(self) -> list[Command]:
        why = self._why_not()
        return [
            Command(id="play", name="Play", keys=("p", "return"), run=self.play, about="Begin the game", icon="play",
                    enabled=not why, why=why),
            Command(id="colour", name="Colour", keys=(), run=self._next_colour,
                    about="Play Black, White, or a random colour"),
        ]  # fmt: skip

    @property
    def _doubt(self) -> str:
        chosen = self.chosen
        blind = (
            chosen is not None
            and self.level < 0
            and self.app.services.opponents.evolved_depth(chosen.player) == 1
            and self.strength.plies > 1
        )
        blind = blind and self._kind.breeds
        return "It evolved at depth 1: deeper it may play worse." if blind else ""

    def _next_level(self) -> None:
        levels = self.shelves[LEVEL]
        if levels:
            self.show(LEVEL)
            self._key = levels[(self.level + 1) % len(levels)].key

    def _choose_equal(self) -> None:
        level = LEVELS.index(self.app.services.opponents.suitable_level)
        self.show(LEVEL)
        self._key = next((offer.key for offer in self.shelves[LEVEL] if offer.level == level), self._key)

    def _colour(self, number: int) -> None:
        self.app.services.change_settings(colour=COLOURS[number])

    def _next_colour(self) -> None:
        self._colour((COLOURS.index(self.app.services.settings.colour) + 1) % len(COLOURS))

    def _why_not(self) -> str:
        row = self.chosen
        return "Choose an opponent first." if row is None else row.trouble

    def play(self) -> None:
        services, offer, row = self.app.services, self.offer, self.chosen
        if offer is not None and offer.command is not None:
            offer.command.run()
            return
        if row is None or row.trouble:
            self.app.say(self._why_not(), "warning")
            return
        if self.level >= 0:
            services.choose_level(self.level)
            begin(self.app, services.opponents.recommend(), services.settings.colour, self._beginning.game)
            return
        seat = services.opponents.seat_of(row)
        services.change_settings(opponent=row.player, opponent_title=row.title)
        if services.opponents.depth_of(row.player) != seat.depth:  # the level that is suggested before any choice
            services.change_settings(depth=seat.depth)
        begin(self.app, seat, services.settings.colour, self._beginning.game)

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, area = look.px, below_header(size, look)
        left, pane = with_pane(area, look, PANE, LOW_PANE)
        added = first_commands(self._entries) if self.shelf == YOURS else []
        widths = [px(ADDED)] * len(added)
        if left.w >= px(TABS + SEARCH) + sum(widths):
            line, cards = left.rows(px(CONTROL), None, gap=px(GAP))
            tabs, search, *places = line.columns(px(TABS), None, *widths, gap=px(GAP))
        else:
            tabs, line, cards = left.rows(px(CONTROL), px(CONTROL), None, gap=px(GAP))
            search, *places = line.columns(None, *widths, gap=px(GAP))
        searched, hidden = self.shelves.results is not None, list[Widget]()
        if count := len(self.app.services.sources.archived) if self.shelf == YOURS and not searched else 0:
            cards, line = cards.rows(None, px(CONTROL), gap=px(GAP))
            hidden = [button(by_id(self.commands())["hidden"], "do.hidden", line.columns(px(200), None)[0],
                             icon="archive", text=f"{count_text(count, 'run')} hidden: show")]  # fmt: skip
        return [
            *self.header(size, look),
            Segments(key="shelves", rect=tabs, names=SHELVES, chosen=-1 if searched else SHELVES.index(self.shelf),
                     tabs=True, pick=lambda at: self.show(SHELVES[at])),
            self.search_field(search, self.shelves.text, self._find, "Search", enter=self._to_cards, below="cards",
                              hint="Names, levels, presets, tags, or generation 40"),
            *(button(command, f"do.{command.id}", at) for command, at in zip(added, places, strict=True)),
            self._card_list(cards, look),
            *hidden,
            *([Panel(key="panel", rect=pane)] if self.listed or self.watch else self._begin(pane)),
            *self._play_panel(pane, look),
        ]  # fmt: skip

    def _begin(self, pane: Rect) -> list[Widget]:
        if self.shelf != YOURS or self.busy or self.shelves.results is not None:
            return []
        place = pane.rows(self.app.look.px(LARGE_CONTROL), None)[0]
        return [button(by_id(self.commands())["evolve"], "do.evolve", place, kind="main", size=TITLE)]

    def _find(self, text: str) -> None:
        self.shelves.text = text

    def _to_cards(self) -> None:
        self.ui.focus = "cards"
        if self.listed and all(offer.key != self._key for offer in self.listed):
            self.choose(0)

    def _card_list(self, rect: Rect, look: Look) -> Widget:
        px, listed, gap = look.px, self.listed, look.px(GAP)
        searched = self.shelves.results is not None
        few = (len(listed) + 1) // 2 * (px(CARD) + gap) <= rect.h  # two columns have room
        wide = self.shelf == YOURS and not searched and len(listed) * (px(CARD) + gap) <= rect.h
        across = max(min(rect.w // px(WIDE_CARD), 1 if wide else 2 if few else 3), 1)
        rows = max(-(-len(listed) // across), 1)
        least = px(LEAST_LEVEL if self.shelf == LEVEL and not searched else CARD)
        height = min(max((rect.h - gap * (rows - 1)) // rows, least), px(LARGE_CARD))

        looking = "Looking…" if self.shelves.busy else ""
        empty = looking or (NO_MATCH if searched else NO_LEVELS if self.shelf == LEVEL else NOTHING)
        return Cards(
            key="cards", rect=rect, count=len(listed), card=lambda at: self._card(listed[at]), across=across,
            height=height, gap=gap, arranged=(self.shelf, self.shelves.text), select=self.choose,
            activate=self.activate, empty=empty,
            selected=next((number for number, offer in enumerate(listed) if offer.key == self._key), -1),
        )  # fmt: skip

    def _card(self, offer: Offer) -> Card:
        pieces = (self._pieces if offer.source is None else self.shelves.pieces)(offer)  # none of a run without games
        emblem, opens, source = self._persona(self._led(offer)[0]).emblem, offer.command is not None, offer.source
        line, plot = offer.line, None
        if self.shelf == YOURS and offer.level < 0 and source is not None and source.is_run:
            plot = small_plot(self.app.services.sources.live(source.path))
            line = line if plot is None else line.removesuffix(f", {source.date}")
        return Card(offer.title, line, offer.rating, pieces, offer.icon, bool(offer.player.trouble), emblem, opens,
                    plot=plot)  # fmt: skip

    def _pieces(self, offer: Offer) -> Mapping[int, Piece] | None:
        """Return the board of an opponent: a position from a game, or the start if no game is kept."""
        pieces, source = self.shelves.pieces(offer), offer.source
        is_run = source is not None and source.is_run
        has_board = (is_run or offer.player.kind is EntryKind.BUILT_IN) and not offer.player.trouble
        return pieces_of(Position.start()) if pieces is None and has_board else pieces

    def _led(self, offer: Offer) -> Sequence[Offer]:
        """Return an opponent, or some of the opponents that a command leads to."""
        more = self.shelves.more() if offer.command is not None else ()
        return (more[:: max(len(more) // options.CRESTS, 1)] or [offer])[: options.CRESTS]

    def _play_panel(self, rect: Rect, look: Look) -> list[Widget]:
        px, settings, commands = look.px, self.app.services.settings, by_id(self.commands())
        inner, wide = rect.inset(px(EDGE if rect.w >= px(PANE) else ROOM), px(ROOM)), rect.w > rect.h
        offer = self.offer
        if not self.listed:  # there is nothing to choose
            return []
        if offer is not None and offer.command is not None:
            crests = [(each.title, self._persona(each).emblem) for each in self._led(offer)]
            return options.leads_to(offer.command, crests, inner, look)
        shown = 1 if self.level >= 0 and self._beginning.is_usual else 2  # the palette offers other beginnings, too
        if wide:
            text, last, play = inner.rows(None, px(CONTROL), px(LARGE_CONTROL), gap=px(GAP))
            mine, *start = last.columns(*[None] * shown, gap=px(ROOM))
        else:
            text, mine, *start, play = inner.rows(None, *[px(CONTROL)] * shown, px(LARGE_CONTROL), gap=px(GAP))
        label, colour = mine.columns(px(64), None, gap=px(TIGHT))
        return [
            *self._about(text, look, wide=wide),
            Label(key="colour.label", rect=label, text="You play", bold=True),
            Segments(key="colour", rect=colour, names=("Black", "White", "Random"), pick=self._colour,
                     chosen=COLOURS.index(settings.colour),
                     hint=f"{self.side_name(0)} moves first, {self.side_name(1)} second"),
            *map(self._beginning.choice, start),
            button(commands["play"], "play", play, kind="main", size=TITLE),
        ]  # fmt: skip

    def _about(self, rect: Rect, look: Look, *, wide: bool) -> list[Widget]:
        """Return what the chosen opponent is, what can be done with it, and how it is to play."""
        px, text, widgets, spare = look.px, rect, list[Widget](), 0
        if self.level < 0:  # a level has its own depth and time
            if wide:
                text, limits = text.rows(None, px(50), gap=px(GAP))
                depth, time = limits.columns(None, None, gap=px(EDGE))
            else:
                text, depth, time = text.rows(None, px(50), px(50), gap=px(GAP))
            widgets = self._thinks(depth, time)
        if commands := [] if self.watch else self._chosen_commands():
            text, line = text.rows(None, px(CONTROL), gap=px(GAP))
            places = line.columns(*[None] * len(commands), gap=px(GAP))
            icons: dict[str, Any] = {} if len(commands) <= MOST_ICONS else {"icon": ""}
            widgets += button_row(by_id(commands), by_id(commands), places, shortcut="", **icons)
        pieces = None if self.offer is None else self._pieces(self.offer)
        if pieces is not None and text.h >= px(LEAST_BOARD if wide else ABOUT + LEAST_BOARD):
            above = text.rows(px(ABOUT), None)[0]
            high = max(widget.rect.bottom for widget in self._details(above, look)) - text.y
            text, board = text.columns(None, text.h, gap=px(ROOM)) if wide else text.rows(high, None, gap=px(GAP))
            side = min(board.h, board.w)
            spare = 0 if wide else board.h - side
            text, board = Rect(text.x, text.y, text.w, text.h + spare), board.rows(None, side)[1]
            widgets.append(BoardWidget(key="board", rect=board, pieces=pieces, numbers=False, enabled=False,
                                       hint="From one of its games"))  # fmt: skip
        return [*self._details(text, look, spare), *widgets]

    def _chosen_commands(self) -> list[Command]:
        known = by_id(self.commands())
        added = [each for each in self._player_commands() if each.enabled and not each.group]
        if self.run is None:
            return added
        return [known["run"], *added, *([known["run-group"]] if self._run_commands() else [])]

    def _persona(self, offer: Offer | None) -> Persona:
        if offer is None:
            return Persona()
        depth = self.app.services.opponents.level_at(offer.level).depth if offer.level >= 0 else None
        return self.app.services.personas.persona(offer.player.player, depth)

    def _details(self, rect: Rect, look: Look, spare: int = 0) -> list[Widget]:
        """Return the name of the chosen opponent, and in few words how strong it is and how it plays."""
        chosen, services, persona, level = self.chosen, self.app.services, self._persona(self.offer), self.level
        name = "" if chosen is None or self.offer is None else self.offer.title
        if chosen is not None and level < 0 and self.offer not in self.shelves[EXHIBITS]:
            name = services.opponents.name_of(chosen)
        lines, hint = list[str](), ""
        if chosen is not None:
            chosen = chosen._replace(rating=chosen.rating or persona.rating)
            of_run = self.run
            strength = "" if chosen.rating is None or level >= 0 else f"Rated {shown_text(chosen.rating[0])}."
            suits = EQUAL if self._level is services.opponents.suitable_level else f"For {self._level.suits}."
            style = suits if 0 <= level < AT_RATING else persona.sentence
            hint = options.about_level(self._level) if level >= 0 else ""
            as_rated = level >= 0 or self.strength.plies == services.opponents.evolved_depth(chosen.player)
            chance = chance_words(services.career.rating_value, chosen.rating[0]) if chosen.rating and as_rated else ""
            chance = "" if style == EQUAL or self.watch else chance
            if strength and self.offer is not None and self._card(self.offer).sides:  # it is named above
                name, strength = strength.removesuffix("."), ""
            tags = f"Tags: {', '.join(of_run.tags)}" if of_run is not None and of_run.tags else ""
            note = "" if of_run is None else of_run.note
            lines = [*filter(None, (" ".join(filter(None, (strength, style))), chance, tags, note))]
            if self.offer is not None and of_run is not None:
                lines = lines or [sentence(self.offer.line)]
        return options.details(chosen, name, self._doubt, rect, look, (), lines, persona.emblem, hint, spare)

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
        """Return the controls for the search limits; a policy has none."""
        row = self.chosen
        if row is not None and row.player and self.app.services.opponents.is_policy(row.player):
            text = "It does not search, and plays its first choice."
            return [Label(key="policy", rect=depth, text=text, wrap=True, may_cut=True)]
        return self.strength.sliders(depth, time, self._kind.as_made)
