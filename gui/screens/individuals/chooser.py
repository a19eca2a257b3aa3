"""The screen for choosing an opponent and the settings of the game."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.anchors import SHOWN_ZERO
from evolve.strength.levels import LEVELS
from game.board import Position
from game.number_text import count_text
from gui.evolving.race import race_of
from gui.geometry import Rect, Size
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.individuals.opponents import first_of_file
from gui.individuals.personas import Persona
from gui.individuals.shelves import EXHIBITS, LEVEL, SHELVES, YOURS, Offer, Shelves
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, LARGE_CONTROL, TITLE
from gui.model.game import GameModel
from gui.model.lines import Piece, pieces_of
from gui.runs.sources import Source
from gui.screens.dialogs.dialog import Menu
from gui.screens.entries import RUN_GROUP, entries, first_commands, player_commands, with_added
from gui.screens.evolution import small_plot
from gui.screens.individuals import options
from gui.screens.individuals.options import OpeningChoice
from gui.screens.individuals.pair_pane import PairPane
from gui.screens.individuals.pane import OpponentPane
from gui.screens.play.game_files import open_file
from gui.screens.screen import Screen, below_header, with_pane
from gui.widgets.base import Command, Panel, Widget, by_id
from gui.widgets.button import Segments, button
from gui.widgets.cards import Card, Cards

if TYPE_CHECKING:
    from gui.app import App

STEP_SECONDS = 0.008

PANE, LOW_PANE = 330, 330
"""Width of the pane beside the cards, and its height below them."""
TABS, SEARCH, ADDED = 360, 150, 118
"""Widths of the names of the shelves, the least width of the search beside them, and of buttons of extras."""
WIDE_CARD, CARD, LEAST_LEVEL, RUN_CARD, LARGE_CARD = 300, 92, 40, 128, 220
"""The width from which a card stands beside another one; the least heights of cards and of levels, and the largest ones
of runs and of cards."""

NOTHING = "Nothing yet: evolve your first player, or drop a file of players here."
NO_LEVELS = "The runs of the levels are missing."
NO_MATCH = "Nothing matches."
CHOOSE = "Choose a run first."
OF_LEVEL = "A level has its own depth and time."
HIDDEN = "hidden"
"""The word that finds hidden runs."""


class Chooser(Screen):
    """Three shelves of opponents: levels, yours, and characters and exhibits.

    Args:
        shelf: the shelf to begin with; by default, that of the last opponent.
        player: the player to choose; by default, the last opponent.
        from_here: whether the game is to begin at `position`.
        watch: whether two players are chosen, to be watched.
    """

    title = "Opponents"
    needed = ("play", "shelf-1", "shelf-2", "shelf-3", "search", "equal", "deeper", "shallower")

    def __init__(
        self,
        app: App,
        *,
        shelf: str = "",
        player: ListedPlayer | None = None,
        position: Position | None = None,
        game: GameModel | None = None,
        from_here: bool = False,
        watch: bool = False,
    ) -> None:
        super().__init__(app)
        self.watch, self.shelves = watch, Shelves(app.services)
        beginning = OpeningChoice(app, position, game, from_here=from_here)
        self._pane = PairPane(self, beginning) if watch else OpponentPane(self, beginning)
        self.title = self._pane.title
        self._entries, self._exhibits = entries("chooser", self), entries("exhibits", self)
        self.shelves.more = lambda: [*self._cards(), *self._persons()]
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
        cards = self._cards() if self.shelf == EXHIBITS else []
        gone = {path for each in self._exhibits if self.shelf == EXHIBITS for path in each.replaced}
        return [*cards, *(each for each in self.shelves[self.shelf] if not each.source or each.source.path not in gone)]

    def _cards(self) -> list[Offer]:
        """Return the cards of extras on the shelf of exhibits."""
        nobody, added = ListedPlayer.of_player(""), first_commands(self._exhibits)
        return [Offer(nobody, each.name, each.about, command=each) for each in added if each.enabled]

    def _persons(self) -> list[Offer]:
        return [offer for entry in self._exhibits for offer in entry.offers()]

    @property
    def offer(self) -> Offer | None:
        offers = (*self.listed, *(offer for shelf in SHELVES for offer in self.shelves[shelf]))
        return next((offer for offer in offers if offer.key == self._key), None)

    @property
    def chosen(self) -> ListedPlayer | None:
        """The chosen opponent; for a damaged file, an entry that cannot be played."""
        offer = self.offer
        return None if offer is None or offer.command is not None else self._rated(offer).player

    def _rated(self, offer: Offer) -> Offer:
        """Return an offer with the rating at the end of its curve, if its own, by a few games, may be far off."""
        player, source = offer.player, offer.source
        if source is None or not source.is_run or player.rating is None or player.generation != source.newest:
            return offer
        race = race_of(self.app.services.sources.live(source.path))
        mean = race.value_at(source.newest) if race is not None and race.estimated else None
        player = player if mean is None else player._replace(rating=(mean - SHOWN_ZERO, -math.inf, math.inf))
        return replace(offer, player=player)

    @property
    def run(self) -> Source | None:
        source = None if self.offer is None or self.level >= 0 else self.offer.source
        return source if source is not None and source.is_run else None

    @property
    def is_exhibit(self) -> bool:
        return self.offer in self.shelves[EXHIBITS]

    @property
    def level(self) -> int:
        """The number of the chosen level; -1 if another opponent is chosen."""
        return -1 if self.offer is None else self.offer.level

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
        if self.shelves.results is not None and offer.command is None:
            self.shelves.keep(offer)

    def choose_key(self, key: tuple[object, ...]) -> None:
        """Choose the offer with this key, on whichever shelf it is; an empty one chooses nothing."""
        self._key, self._looking = key, False

    def activate(self, number: int) -> None:
        """Choose an offer, and play against it."""
        self.choose(number)
        self._pane.activate()

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

    @property
    def _file(self) -> Path | None:
        offer, files = self.offer, self.app.services.sources.files
        return next((path for path in files if offer and offer.source and offer.source.path == path), None)

    def _remove(self) -> None:
        if self._file is not None:
            self.app.services.forget_players(self._file)
            self.shelves.arrange()

    def commands(self) -> Sequence[Command]:
        limits = self._pane.strength.commands()
        if self.level >= 0:
            limits = [replace(command, enabled=False, why=OF_LEVEL) for command in limits]
        own = [
            *self._pane.commands(),
            *self._pane.beginning.commands(),
            Command(id="level", name="Level", keys=("4",), run=self._next_level,
                    about="Choose the next level"),
            Command(id="equal", name="As strong as you", keys=("=",), run=self._choose_equal, icon="equal",
                    about="Choose the level nearest to your rating", enabled=bool(self.shelves[LEVEL]), why=NO_LEVELS),
            Command(id="hidden", name="Hidden runs", keys=(), run=partial(self._find, HIDDEN),
                    about="List what is hidden, to play it or to show it again"),
            *self.player_commands(),
            *limits,
            *(Command(id=f"shelf-{number}", name=shelf, keys=(str(number),), run=partial(self.show, shelf),
                      about=f"Show this shelf: {shelf.lower()}", group="Shelves")
              for number, shelf in enumerate(SHELVES, 1)),
            self.search_command("Search all opponents: names, levels, presets, tags, or generation 40"),
            Command(id="open", name="Open a file", keys=("o", "ctrl+o"), run=partial(open_file, self.app), icon="open",
                    about="Open a file of players or games"),
            *([Command(id="remove", name="Remove the file", keys=("delete",), run=self._remove, icon="delete",
                       about="Remove the chosen file from the list")] if self._file is not None else []),
            self._evolve_on(self.run),
            self._evolution(),
            Command(id="evolve", name="New session", keys=("g",), run=self._evolve, icon="evolution",
                    about="Evolve players"),
            Command(id="run-group", name=RUN_GROUP, keys=(), run=self._more, icon="menu", enabled=bool(self.run),
                    about="More for the chosen run", why=CHOOSE),
        ]  # fmt: skip
        return with_added(own, (*self._entries, *self._exhibits))

    def _evolve_on(self, run: Source | None) -> Command:
        return Command(id="resume", name="Evolve on", keys=("c",), icon="evolution", about="Continue this run",
                       run=lambda: self._open_run(run, resume=True), enabled=run is not None, why=CHOOSE)  # fmt: skip

    def _evolution(self) -> Command:
        return Command(id="run", name="Evolution", keys=(), run=self._open_run, icon="evolution",
                       about="Open its page, with its curve", enabled=bool(self.run), why=CHOOSE)  # fmt: skip

    def _open_run(self, run: Source | None = None, *, resume: bool = False) -> None:
        """Open the page of a run, by default the chosen one, and continue it if asked for."""
        from gui.screens.sessions.session import SessionScreen

        run = run or self.run
        assert run is not None
        page = SessionScreen(self.app, run.path)
        self.app.open(page)
        if resume:
            page.run.step(self.app.now)
            page.key("c")

    def _evolve(self) -> None:
        self.app.open(self.app.screens.new_session(self.app))

    def from_elsewhere(self) -> Sequence[Command]:
        return first_commands((*self._exhibits, *self._entries))

    def run_commands(self) -> list[Command]:
        added = [command for entry in self._entries for command in entry.commands() if command.group == RUN_GROUP]
        return [*([self._evolution()] if self.is_exhibit and self.run else []), *self.player_commands(), *added]

    def _more(self) -> None:
        assert self.run is not None
        self.app.open(Menu(self.app, f"Run {self.run.name}", self.run_commands))

    def player_commands(self) -> list[Command]:
        chosen = self.chosen
        if chosen is not None and self.level >= 0:
            chosen = chosen._replace(player=self.app.services.opponents.level_at(self.level).text)
        return player_commands(self.app, [] if chosen is None else [chosen], self.why_not())

    def _next_level(self) -> None:
        levels = self.shelves[LEVEL]
        if levels:
            self.show(LEVEL)
            self._key = levels[(self.level + 1) % len(levels)].key

    def _choose_equal(self) -> None:
        level = LEVELS.index(self.app.services.opponents.suitable_level)
        self.show(LEVEL)
        self._key = next((offer.key for offer in self.shelves[LEVEL] if offer.level == level), self._key)

    def why_not(self) -> str:
        row = self.chosen
        return "Choose an opponent first." if row is None else row.trouble

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
            *([Panel(key="panel", rect=pane), *self._pane.view(pane, look)] if self.listed else self._begin(pane)),
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
        height = min(max((rect.h - gap * (rows - 1)) // rows, least), px(RUN_CARD if wide else LARGE_CARD))
        looking = "Looking…" if self.shelves.busy else ""
        empty = looking or (NO_MATCH if searched else NO_LEVELS if self.shelf == LEVEL else NOTHING)
        return Cards(
            key="cards", rect=rect, count=len(listed), card=lambda at: self._card(listed[at]), across=across,
            height=height, gap=gap, arranged=(self.shelf, self.shelves.text), select=self.choose,
            activate=self.activate, empty=empty,
            selected=next((number for number, offer in enumerate(listed) if offer.key == self._key), -1),
        )  # fmt: skip

    def _card(self, offer: Offer) -> Card:
        emblem, *others = (self.persona(each).emblem for each in self.led_to(offer)[:4])
        opens, source = offer.command is not None, offer.source
        line, plot, action = offer.line, None, None
        if self.shelf == YOURS and offer.level < 0 and source is not None and source.is_run:
            plot = small_plot(self.app.services.sources.live(source.path))
            line = line if plot is None else line.removesuffix(f", {source.date}")
            is_newest = offer.player.generation == source.newest >= 0
            action = self._evolve_on(source) if is_newest and not self.watch and not source.live else None
        board = self.pieces if source is None else self.shelves.pieces  # none of a run without games
        pieces = None if plot is not None else board(offer)  # or else the pane has it
        return Card(offer.title, line, self._rated(offer).rating, pieces, offer.icon, bool(offer.player.trouble),
                    emblem, tuple(others), opens, self._pane.sides(offer), plot, action)  # fmt: skip

    def pieces(self, offer: Offer) -> Mapping[int, Piece] | None:
        """Return the board of an opponent: a position from a game, or the start if no game is kept."""
        pieces, source = self.shelves.pieces(offer), offer.source
        is_run = source is not None and source.is_run
        has_board = (is_run or offer.player.kind is EntryKind.BUILT_IN) and not offer.player.trouble
        return pieces_of(Position.start()) if pieces is None and has_board else pieces

    def led_to(self, offer: Offer) -> Sequence[Offer]:
        """Return an opponent, or some of the opponents that a command leads to."""
        more = self._persons() if offer.command is not None else ()
        return (more[:: max(len(more) // options.CRESTS, 1)] or [offer])[: options.CRESTS]

    def persona(self, offer: Offer | None) -> Persona:
        if offer is None:
            return Persona()
        depth = self.app.services.opponents.level_at(offer.level).depth if offer.level >= 0 else None
        return self.app.services.personas.persona(offer.player.player, depth)
