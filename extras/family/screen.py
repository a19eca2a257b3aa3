"""The family of an individual: its ancestors, generation by generation, with their games and weights."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from evolve.report.ancestry import Ancestor
from extras.family.family import (
    Details,
    Family,
    FamilyReader,
    MemberGame,
    founders_text,
    read_details,
    share_text,
    tree_text,
)
from extras.family.tree import Place, Tree
from extras.family.tree_widget import FamilyTree
from game.networks.first_layer import Picture, difference
from game.number_text import count_text, percent_text
from gui.background import Trouble
from gui.geometry import Rect, Size
from gui.individuals.individual import NOT_KEPT, ListedPlayer
from gui.key_table import key_for, with_key
from gui.look.canvas import Canvas, Look
from gui.look.theme import BODY, CONTROL, GAP, LARGE_CONTROL, ROOM, TITLE
from gui.model.pdn import RecordError, read
from gui.screens.individuals.facts import facts_of, fitting_lines
from gui.screens.play.game_files import begin, show_loaded
from gui.screens.play.game_screen import GameScreen
from gui.screens.screen import IDLE, Screen, below_header
from gui.widgets.base import Command, Label, Panel, ProgressBar, Widget, by_id
from gui.widgets.button import Segments, button
from gui.widgets.table import Cell, Column, Table
from gui.widgets.weight_map import WeightMap

if TYPE_CHECKING:
    from gui.app import App
    from gui.runs.live_run import LiveRun

WAYS = "Along the family"
MOVES = (
    ("down", "Parent", "Go to a parent"),
    ("up", "Child", "Go to its child in the tree"),
    ("left", "Left", "Go to the individual on its left"),
    ("right", "Right", "Go to the individual on its right"),
    ("home", "Root", "Go to the individual whose family this is"),
    ("end", "Founder", "Go down to a founder"),
)
NO_FAMILY = "There is no family to look at."
READING = "It is still being read."
NO_GAMES = "The run keeps only games of champions, and this individual played in none of them."

TABS = ("Individual", "Changes", "Founders")
CHANGES = 1
STILL_READING = "Reading…"
NO_PARENT = "It has no parent in this tree, so there is nothing to compare it with."
NOT_BOTH = "The weights of it or of its parent were not kept."
PANE, LEAST_PANE, GAMES, BESIDE = 350, 286, 118, 480
"""Sizes in pixels of the design: default and minimum width of the right side; height of the list of games; minimum
width of the right side for placing this list beside the weights."""

LEAST = 20
"""Minimum size of a widget with a tooltip, in pixels of the design."""

WIDE = 1.05
"""Minimum ratio of width to height for displaying the chosen member beside the tree, not below it."""

WHAT_TO_DO = "Every individual of a run has a family: choose one as an opponent."

MOST_DETAILS = 64
"""Maximum number of members whose weights and games stay in memory."""


class FamilyScreen(Screen):
    """The family of an individual.

    Args:
        individual: the individual whose family is displayed; see `extras.family.family.locate`.
    """

    title = "Family"
    browses = True

    def __init__(self, app: App, individual: ListedPlayer) -> None:
        super().__init__(app)
        self.family: Family | None = None
        self.tree: Tree | None = None
        self.trouble = ""
        self.place: Place = (0, "")
        self.tab, self.row, self.whole = 0, 0, False
        self._run: LiveRun | None = None
        self._now = 0.0
        self._before: list[tuple[ListedPlayer, Place]] = []
        self._wish: Place | None = None
        self._details: dict[Place, Details] = {}
        self._background = app.services.background
        self.to_close.append(partial(self._background.cancel, self))
        self.ui.focus = "tree"
        self._ask(individual)

    # The chosen member --------------------------------------------------------------------------------------------

    @property
    def member(self) -> Ancestor | None:
        return None if self.tree is None else self.tree.member(self.place)

    @property
    def details(self) -> Details | None:
        return self._details.get(self.place)

    @property
    def parent(self) -> Place | None:
        """The chosen member's first parent in the tree; for a mean, the previous mean."""
        return None if self.tree is None else next(iter(self.tree.below(self.place)), None)

    @property
    def changes(self) -> tuple[Sequence[Picture], str]:
        """Pictures of what the chosen member likes more or less than its parent, and a text in case there are none."""
        before = None if self.parent is None else self._details.get(self.parent)
        if self.parent is None:
            return (), NO_PARENT
        if self.details is None or before is None:
            return (), STILL_READING
        own, other = self.details.portrait, before.portrait
        if own is None or other is None or not own.pictures or not other.pictures:
            return (), NOT_BOTH
        return difference(other.pictures, own.pictures), NOT_BOTH

    @property
    def individual(self) -> ListedPlayer | None:
        """The chosen member as described by its file, with its player name once its details are read."""
        details, member, family = self.details, self.member, self.family
        if family is None or self.tree is None or member is None or member.fact is None:
            return None
        individual = ListedPlayer.of_generation(family.source, self.place[0], member.fact, kept=False)
        individual = individual._replace(player="")
        if details is not None and details.portrait is not None:
            individual = details.portrait.individual
        line = self.tree.lines[self.tree.line_of(self.place)]
        if line.around_mean and not member.is_mean:  # its file names a parent of the mean instead
            individual = individual._replace(parents=(line.members[0].name,))
        return individual

    @property
    def name(self) -> str:
        one, member = self.individual, self.member
        return one.brief if one is not None else "" if member is None else member.name

    @property
    def champion(self) -> str:
        champions = () if self._run is None else self._run.champions
        return champions[self.place[0]] if self.place[0] < len(champions) else ""

    @property
    def games(self) -> Sequence[MemberGame]:
        return () if self.details is None else self.details.games

    @property
    def progress(self) -> float:
        return self._reading.share

    # Time ---------------------------------------------------------------------------------------------------------

    @property
    def pace(self) -> float:
        return 1 / 30 if self._background.wants(self) or (self._run is not None and self._run.busy) else IDLE

    def tick(self, now: float, dt: float) -> bool:
        self._now = now
        changed = self._background.deliver()
        if self._run is not None and self._run.busy:
            self._run.read()
        self._ask_details()
        return changed or (self.tree is None and not self.trouble)

    def _ask(self, individual: ListedPlayer) -> None:
        self._reading = FamilyReader(self.app.services.runs, individual)
        self._background.ask(self, "family", self._reading.read, self._take)

    def _take(self, answer: Family | Trouble) -> None:
        if isinstance(answer, Trouble):
            self.trouble = answer.text
            return
        self.family, self.trouble = answer, ""
        self._run = self.app.services.sources.live(answer.source.path)
        self._run.refresh(self._now)
        self._run.read()
        self.title = f"Family of {answer.individual.brief}"
        self.tree = answer.trees[self.whole]
        wish, self._wish = self._wish, None
        self.choose(wish if wish is not None and self.tree.line_of(wish) >= 0 else self.tree.root)

    def _ask_details(self) -> None:
        tree, family, run = self.tree, self.family, self._run
        if tree is None or family is None or run is None or run.busy or self._background.wants(self):
            return
        wanted = [self.place, *([self.parent] if self.tab == CHANGES and self.parent else [])]
        place = next((each for each in wanted if each not in self._details), None)
        member = None if place is None else tree.member(place)
        if place is None or member is None:
            return
        rating = self.app.services.measured.rating(run, place[0])
        work = partial(read_details, family, place[0], member, rating, run.games_of(place[0]))
        self._background.ask(self, "details", work, partial(self._keep, place))

    def _keep(self, place: Place, answer: Details | Trouble) -> None:
        if len(self._details) >= MOST_DETAILS:
            self._details.pop(next(iter(self._details)))
        self._details[place] = Details(None, trouble=answer.text) if isinstance(answer, Trouble) else answer

    # Actions ------------------------------------------------------------------------------------------------------

    def choose(self, place: Place) -> None:
        if place != self.place:
            self.place, self.row = place, 0
        self._ask_details()

    def move(self, key: str) -> None:
        if self.tree is not None:
            self.choose(self.tree.move(self.place, key))

    def go(self) -> None:
        if self.family is not None and self.tree is not None and self.place != self.tree.root:
            self._before.append((self.family.individual, self.place))
            self._ask(ListedPlayer(self.family.individual.run, *self.place))

    def go_back(self) -> None:
        individual, self._wish = self._before.pop()
        self._ask(individual)

    def show_game(self, number: int | None = None) -> None:
        try:
            loaded = read(self.games[self.row if number is None else number].pdn)
        except RecordError as error:
            self.app.say(str(error), "warning")
            return
        self.leave_game()
        show_loaded(self.app, loaded, self)

    def leave_game(self) -> None:
        """Announce that an unfinished game was saved, since the next screen replaces it."""
        games = [screen.model for screen in self.app.stack if isinstance(screen, GameScreen)]
        if any(model.plies and not model.over for model in games):
            self.app.say("Your game waits on the first screen.")

    def select_game(self, number: int) -> None:
        self.row = number

    def show_tab(self, tab: int) -> None:
        self.tab = tab
        self._ask_details()

    def toggle_whole(self) -> None:
        self.whole = not self.whole
        if self.family is not None:
            self.tree = self.family.trees[self.whole]
        if self.tree is not None and self.tree.line_of(self.place) < 0:
            self.choose(self.tree.root)

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        tree, individual, games = self.tree, self.individual, self.games
        reads = READING if not self.trouble and self.details is None else ""
        no_family = NO_FAMILY if tree is None else ""
        player = individual.player if individual is not None else ""
        elsewhere = tree is not None and self.place != tree.root and self.member is not None
        elsewhere = elsewhere and self.member is not None and self.member.fact is not None
        return [
            Command(id="play", name="Play", keys=("p",), run=self.play, about="Begin a game against it", icon="play",
                    enabled=bool(player), why=no_family or reads or NOT_KEPT),
            Command(id="its-family", name="Its family", keys=("return",), run=self.go, icon="family",
                    about="Show the family of the chosen individual", enabled=elsewhere,
                    why=no_family or "This is its family: choose another individual first."),
            Command(id="return", name="Previous family", keys=("backspace",), run=self.go_back, icon="previous",
                    about="Go back to the previous family", enabled=bool(self._before),
                    why="There is no previous family."),
            Command(id="show-game", name="Show the game", keys=("o",), run=self.show_game, icon="board",
                    about="Show the chosen game on the large board", enabled=bool(games),
                    why=no_family or reads or "None of its games was kept."),
            Command(id="another-game", name="Another game", keys=("]",), run=self._next_game, icon="next",
                    about="Choose its next game", enabled=len(games) > 1,
                    why=no_family or reads or "There is no other game."),
            Command(id="page", name="Next page", keys=(), enabled=tree is not None, why=NO_FAMILY,
                    run=lambda: self.show_tab((self.tab + 1) % len(TABS)),
                    about="Show the chosen individual, what changed since its parent, or the founders"),
            Command(id="whole", name="All generations", keys=("a",), run=self.toggle_whole, icon="list",
                    about="Also show generations in which nothing changes", chosen=self.whole,
                    enabled=tree is not None, why=NO_FAMILY),
            Command(id="choose", name="Choose an opponent", keys=("n",), run=self._choose_opponent, icon="person",
                    about="Choose an opponent that has a family, from a run"),
            *[Command(id=f"to-{key}", name=name, keys=(key,), run=partial(self.move, key), about=about, group=WAYS,
                      enabled=tree is not None, why=NO_FAMILY)
              for key, name, about in MOVES],
        ]  # fmt: skip

    def play(self) -> None:
        individual, services = self.individual, self.app.services
        if individual is not None and individual.player:
            services.change_settings(opponent=individual.player, opponent_title=individual.title)
            self.leave_game()
            begin(self.app, services.opponents.seat_of(individual), services.settings.colour)

    def _next_game(self) -> None:
        self.row = (self.row + 1) % len(self.games)

    def _choose_opponent(self) -> None:
        self.app.open(self.app.screens.chooser())

    def view(self, size: Size, look: Look) -> list[Widget]:
        return [*self.header(size, look), *_panels(self, size, look)]


# Widgets ----------------------------------------------------------------------------------------------------------


def _panels(screen: FamilyScreen, size: Size, look: Look) -> list[Widget]:
    px, area = look.px, below_header(size, look)
    if screen.trouble:
        return _nothing(screen, area, look)
    if screen.tree is None:
        place = area.centre_within(px(420), px(28))
        return [ProgressBar(key="progress", rect=place, share=screen.progress, text="Reading generations")]
    if size[0] >= size[1] * WIDE:
        left, right = area.columns(None, max(min(px(PANE), area.w * 2 // 5), px(LEAST_PANE)), gap=px(ROOM))
    else:
        left, right = area.rows(None, min(px(430), area.h * 55 // 100), gap=px(ROOM))
    return [*_tree(screen, left, look), *_pane(screen, right, look)]


def _nothing(screen: FamilyScreen, area: Rect, look: Look) -> list[Widget]:
    px = look.px
    wide = min(px(460), area.w)
    lines = len(look.fonts.wrap(f"{screen.trouble}\n\n{WHAT_TO_DO}", wide, px(BODY)))
    text, _, row = area.centre_within(wide, lines * look.fonts.height(px(BODY)) + px(60)).rows(None, px(8), px(CONTROL))
    choose = by_id(screen.commands())["choose"]
    return [
        Label(key="trouble", rect=text, text=f"{screen.trouble}\n\n{WHAT_TO_DO}", wrap=True),
        button(choose, "do.choose", Rect(row.x, row.y, min(px(240), row.w), row.h), kind="main"),
    ]


def _tree(screen: FamilyScreen, rect: Rect, look: Look) -> list[Widget]:
    commands = by_id(screen.commands())
    px, family, tree = look.px, screen.family, screen.tree
    assert family is not None and tree is not None
    inner = rect.inset(px(ROOM), px(GAP))
    names = ("return", "its-family", "whole")
    body, foot = inner.rows(None, px(CONTROL), gap=px(GAP))
    buttons = [
        button(commands[name], f"do.{name}", place)
        for name, place in zip(names, foot.columns(None, None, None, gap=px(GAP)), strict=True)
    ]
    return [
        Panel(key="tree.panel", rect=rect),
        FamilyTree(
            key="tree", rect=body, tree=tree, chosen=screen.place, choose=screen.choose,
            activate=lambda place: screen.go(),
            hint="Arrow keys move through the family; Enter or a double click shows an individual's own family. "
            "A crown marks the champion of a generation",
        ),
        *buttons,
    ]  # fmt: skip


def _pane(screen: FamilyScreen, rect: Rect, look: Look) -> list[Widget]:
    px = look.px
    tabs, body = rect.inset(px(ROOM), px(GAP)).rows(px(CONTROL), None, gap=px(GAP))
    page = (_member, _member, _founders)[screen.tab]
    return [
        Panel(key="panel", rect=rect),
        Segments(key="tabs", rect=tabs, names=TABS, chosen=screen.tab, pick=screen.show_tab, tabs=True,
                 hint=with_key("The chosen individual, its changes since its parent, or the founders",
                               key_for("", "page"))),
        *page(screen, body, look),
    ]  # fmt: skip


def changes_text(screen: FamilyScreen) -> str:
    if screen.parent is None:
        return ""
    generation, name = screen.parent
    return f"Compared with its parent {name} of generation {generation:,}: blue is liked more, orange less."


def member_text(screen: FamilyScreen) -> str:
    family, member, details = screen.family, screen.member, screen.details
    individual = screen.individual
    if family is None or member is None:
        return ""
    generation = f"{family.source.name}, generation {screen.place[0]:,}"
    if individual is None:
        return f"{generation}.\nNothing more is known, since the file of its generation has no row for it."
    rank = "" if individual.rank is None or individual.origin == "learnt" else f", rank {individual.rank:,}"
    share = share_text(family.descent, screen.place[0], member, family.individual.brief)
    trouble = "" if details is None else details.trouble
    return "\n".join(filter(None, [f"{generation}{rank}", *facts_of(individual), share, trouble]))


def _member(screen: FamilyScreen, rect: Rect, look: Look) -> list[Widget]:
    commands = by_id(screen.commands())
    px, details = look.px, screen.details
    pictures: Sequence[Picture] = () if details is None or details.portrait is None else details.portrait.pictures
    text, empty = member_text(screen), STILL_READING if details is None else NOT_KEPT
    hint = "Blue is good for it, orange bad. Point at a weight to see its value"
    if screen.tab == CHANGES:
        text, hint = changes_text(screen), "Point at a weight to see how much it changed"
        pictures, empty = screen.changes
    step, gap, beside = look.fonts.height(px(BODY)), px(8), rect.w >= px(BESIDE)
    if beside:
        rect, right = rect.columns(None, None, gap=px(ROOM))
        games, table, play, more = right.rows(px(22), None, px(LARGE_CONTROL), px(CONTROL), gap=gap)
    kept = bool(pictures) or empty == STILL_READING
    least = px(60) if kept else max(len(look.fonts.wrap(empty, rect.w, px(BODY))) * step, px(LEAST))
    lines, upper = len(look.fonts.wrap(text, rect.w, px(BODY))) * step, px(26) + 2 * gap + least
    if not beside:
        most = rect.h - px(GAMES + LARGE_CONTROL + CONTROL) - 3 * gap - upper
        above = None if kept else upper + min(lines, max(most, step))
        rect, games, table, play, more = rect.rows(
            above, px(22), px(GAMES - 26) if kept else None, px(LARGE_CONTROL), px(CONTROL), gap=gap
        )
    head, about, weights = rect.rows(px(26), min(lines, max(rect.h - upper, step)), None, gap=gap)
    shown, whole = fitting_lines(text.split("\n"), about, look)
    count = len(screen.games)
    title = "Games" if details is None else f"{count_text(count, 'game')} kept" if count else "No games kept"
    return [
        Label(key="one", rect=head, text=screen.name, size=TITLE, bold=True, may_cut=True),
        Label(key="told", rect=about, text=shown, wrap=True, may_cut=True, hint=whole),
        WeightMap(
            key="weights", rect=weights, pictures=pictures,
            hint=hint, empty=empty,
        ),
        Label(key="games.title", rect=games, text=title, bold=True),
        _games(screen, table),
        button(commands["play"], "do.play", play, kind="main"),
        *[button(commands[name], f"do.{name}", place)
          for name, place in zip(("show-game", "another-game"), more.columns(None, None, gap=px(GAP)), strict=True)],
    ]  # fmt: skip


def _games(screen: FamilyScreen, rect: Rect) -> Table:
    games, member = screen.games, screen.member
    details = screen.details

    def cells(row: int) -> Sequence[str | Cell]:
        game = games[row]
        black = member is not None and game.black == member.name
        side = "Black" if black else "White"
        won = {"1-0": black, "0-1": not black}.get(game.result)
        result = "drawn" if game.result == "1/2-1/2" else "–" if won is None else "won" if won else "lost"
        opponent = game.white if black else game.black
        champion = opponent == screen.champion
        return f"{side} against {f'Generation {screen.place[0]}' if champion else opponent}", result

    empty = STILL_READING if details is None else NO_GAMES
    return Table(
        key="games", rect=rect, headed=False, columns=(Column("Game"), Column("Result", 76, "right")),
        count=len(games), cells=cells, selected=min(screen.row, len(games) - 1), select=screen.select_game,
        activate=screen.show_game, arranged=screen.place, empty=empty,
        hint="Enter or a double click shows the game on the large board",
    )  # fmt: skip


def _founders(screen: FamilyScreen, rect: Rect, look: Look) -> list[Widget]:
    px, family = look.px, screen.family
    assert family is not None
    founders = family.descent.founders.shares
    text = f"{founders_text(family.descent)} {tree_text(family.descent, family.branched, family.meaning)}"
    high = len(look.fonts.wrap(text, rect.w, px(BODY))) * look.fonts.height(px(BODY))
    head, about, body = rect.rows(px(26), high, None, gap=px(GAP))
    most = max((founder.share for founder in founders), default=1.0) or 1.0

    def cells(row: int) -> Sequence[str | Cell]:
        one = founders[row]
        name = one.name if one.generation == 0 else f"{one.name} (generation {one.generation:,})"
        return name, Cell("", draw=partial(_bar, one.share / most)), percent_text(one.share)

    places = [(founder.generation, founder.name) for founder in founders]
    return [
        Label(key="one", rect=head, text="Founders", size=TITLE, bold=True, may_cut=True),
        Label(key="told", rect=about, text=text, wrap=True),
        Table(
            key="founders", rect=body, columns=(Column("Founder", 128), Column(""), Column("Share", 70, "right")),
            count=len(founders), cells=cells, arranged=family.individual,
            selected=places.index(screen.place) if screen.place in places else -1,
            select=lambda row: screen.choose(places[row]), activate=lambda row: screen.show_tab(0),
            hint="Select a founder to see it in the tree",
        ),
    ]  # fmt: skip


def _bar(share: float, canvas: Canvas, rect: Rect) -> None:
    place = rect.inset(canvas.px(GAP), max((rect.h - canvas.px(GAP)) // 2, 0))
    canvas.box(Rect(place.x, place.y, max(round(place.w * share), canvas.px(2)), place.h), canvas.theme.accent, None, 2)
