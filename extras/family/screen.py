"""The family of an individual: the ancestors that gave most, or the turning points of its path, each to play."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from evolve.run.row_index import Head
from extras.family.play import changes_of_play
from extras.family.reading import Details, Family, FamilyReader, read_details, row_text
from extras.family.rows import FamilyMember, Place
from extras.family.widget import FamilyTree
from game.networks.emblem import Emblem
from game.players.registry import KINDS
from gui.background import Trouble
from gui.geometry import Rect, Size
from gui.individuals.individual import NOT_KEPT, EntryKind, ListedPlayer
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, GAP, LARGE_CONTROL, ROOM, TITLE
from gui.model.game import GameModel
from gui.model.pdn import RecordError, read
from gui.screens.individuals.options import facts_of, fitting_lines
from gui.screens.play.game_files import begin, show_loaded
from gui.screens.play.game_screen import GameScreen
from gui.screens.screen import IDLE, Screen, below_header, nothing_there, replay_board
from gui.sessions.boards import Replay
from gui.thinking.messages import SideWork
from gui.widgets.base import Command, Label, Panel, ProgressBar, Widget, by_id
from gui.widgets.button import button
from gui.widgets.emblem import EmblemWidget

if TYPE_CHECKING:
    from gui.app import App
    from gui.runs.live_run import LiveRun
    from gui.runs.sources import Source

WAYS = "Along the family"
MOVES = (
    ("down", "Older", "Go to the ancestor that gave most"),
    ("up", "Newer", "Go to the individual that has most of it"),
    ("left", "Left", "Go to the individual on its left"),
    ("right", "Right", "Go to the individual on its right"),
    ("home", "First", "Go to the individual whose family this is"),
    ("end", "Last", "Go to the oldest ancestor"),
)
NO_FAMILY = "There is no family to look at."
READING = "It is still being read."
NO_GAMES = "The run keeps only games of champions, and this individual played in none of them."
PANE, LEAST_PANE, BESIDE, LEAST_BOARD = 440, 286, 458, 60
"""Sizes in pixels of the design: default and minimum width of the right side; minimum width for the board beside the
facts; minimum height of the board."""
PACE = 0.3
"""Seconds between steps while a game is played on the board."""

WIDE = 1.05
"""Minimum ratio of width to height for displaying the chosen member beside the tree, not below it."""

MOST_DETAILS = 64
"""Maximum number of members whose weights and games stay in memory."""


class FamilyScreen(Screen):
    """The family of an individual.

    Args:
        individual: the individual whose family is displayed; see `extras.family.reading.locate`.
    """

    title = "Family"
    browses = True

    def __init__(self, app: App, individual: ListedPlayer) -> None:
        super().__init__(app)
        self.family: Family | None = None
        self.trouble = ""
        self.place: Place = (0, "")
        self._game = 0
        self._run: LiveRun | None = None
        self._play: SideWork | None = None
        self._now = 0.0
        self._details: dict[Place, Details] = {}
        self.game = Replay()
        self._background = app.services.background
        kind = KINDS.get(individual.player)
        self.written = None if kind is None else individual._replace(name=kind.title, kind=EntryKind.BUILT_IN)
        self._reader = FamilyReader(app.services.runs, individual)
        self.to_close.append(partial(self._background.cancel, self))
        self.ui.focus = "tree"
        self._background.ask(self, "family", self._reader.read, self._take)

    @property
    def member(self) -> FamilyMember | None:
        return None if self.family is None else self.family.member(self.place)

    @property
    def details(self) -> Details | None:
        return self._details.get(self.place)

    @property
    def below(self) -> Place | None:
        """The ancestor that gave the chosen member most."""
        place = None if self.family is None else self.family.move(self.place, "down")
        return None if place == self.place else place

    @property
    def individual(self) -> ListedPlayer | None:
        """The chosen member as described by its file, with its player name once its details are read."""
        details, member, family = self.details, self.member, self.family
        if family is None or member is None or member.fact is None:
            return None
        if details is not None and details.individual is not None:
            return details.individual
        return ListedPlayer.of_generation(family.source, member.generation, member.fact, kept=False)

    @property
    def player(self) -> ListedPlayer | None:
        """The chosen member, or the champion of its generation if its weights were not kept; None if there is none."""
        own = self.individual or self.written
        return own if own is not None and own.player else self._champion(self.place[0])

    def _champion(self, generation: int) -> ListedPlayer | None:
        run, family = self._run, self.family
        if run is None or family is None or not 0 <= generation <= run.newest or not run.has_champion(generation):
            return None
        return ListedPlayer.of_generation(family.source, generation, Head(run.champions[generation], 1), kept=False)

    def emblem(self, member: FamilyMember) -> Emblem | None:
        """Return the emblem of a member; None until it is known, and if its weights were not kept."""
        fact = member.fact
        if self.family is None or fact is None:
            return None
        own = ListedPlayer.of_generation(self.family.source, member.generation, fact, kept=fact.rank != 1)
        return self.app.services.personas.emblem(own.player)

    @property
    def busy(self) -> bool:
        return self._background.wants(self) or self._play is not None or (self._run is not None and self._run.busy)

    @property
    def pace(self) -> float:
        return 1 / 30 if self.busy else PACE if self.game.count else IDLE

    def tick(self, now: float, dt: float) -> bool:
        self._now = now
        changed = self._background.deliver()
        if self._run is not None and self._run.busy:
            self._run.read()
        if self._play is not None and self.family is not None:
            answer = self.app.services.thinker.work(self._play)
            if answer is not None:
                self._play = None
                if answer.value:
                    work = partial(self._reader.with_changes, self.family, answer.value)
                    self._background.ask(self, "changes", work, self._update)
        self._ask_details()
        self.game.show("" if self.details is None else "\n\n".join(self.details.games))
        return self.game.tick(now) or changed or (self.family is None and not self.trouble)

    def _take(self, answer: Family | Trouble) -> None:
        if isinstance(answer, Trouble):
            self.trouble = answer.text
            return
        self._run = self.app.services.sources.live(answer.source.path)
        self._run.refresh(self._now)
        self._run.read()
        self.title = f"Family of {answer.individual.brief}"
        self.family = answer
        self.choose(answer.root)
        rows = tuple(row.generation for row in answer.rows)
        if len(rows) > 1:
            self._play = SideWork(
                changes_of_play, (answer.source.path, tuple(answer.members.items()), rows, bool(answer.path))
            )

    def _update(self, answer: Family | Trouble) -> None:
        if isinstance(answer, Family):
            self.family = answer

    def _ask_details(self) -> None:
        family, run = self.family, self._run
        if family is None or run is None or run.busy or self._background.wants(self):
            return
        place, member = self.place, self.member
        if place in self._details or member is None:
            return
        rating = self.app.services.measuring.measured.rating(run, place[0])
        work = partial(read_details, family.source, member, rating, run.games_of(place[0]))
        self._background.ask(self, "details", work, partial(self._keep, place))

    def _keep(self, place: Place, answer: Details | Trouble) -> None:
        if len(self._details) >= MOST_DETAILS:
            self._details.pop(next(iter(self._details)))
        self._details[place] = Details(trouble=answer.text) if isinstance(answer, Trouble) else answer

    def choose(self, place: Place) -> None:
        if place != self.place:
            self.place, self._game = place, 0
        self._ask_details()

    def move(self, key: str) -> None:
        if self.family is not None:
            self.choose(self.family.move(self.place, key))

    def go(self) -> None:
        if self.family is not None and self.place != self.family.root:
            self.app.open(FamilyScreen(self.app, ListedPlayer(self.family.individual.run, *self.place)))

    def show_game(self) -> None:
        """Show a game of the chosen member; another one each time."""
        games = () if self.details is None else self.details.games
        try:
            loaded = read(games[self._game % len(games)])
        except RecordError as error:
            self.app.say(str(error), "warning")
            return
        self._game += 1
        self._leave_game()
        show_loaded(self.app, loaded, self)

    def _leave_game(self) -> None:
        """Announce that an unfinished game was saved, since the next screen replaces it."""
        games = [screen.model for screen in self.app.stack if isinstance(screen, GameScreen)]
        if any(model.plies and not model.over for model in games):
            self.app.say("Your game waits on the first screen.")

    def play(self) -> None:
        player, services = self.player, self.app.services
        if player is not None:
            services.change_settings(opponent=player.player, opponent_title=player.title)
            self._leave_game()
            begin(self.app, services.opponents.seat_of(player), services.settings.colour)

    def watch(self) -> None:
        """Let the chosen member play against the newest champion of the family; that one plays the one below it."""
        family, player = self.family, self.player
        assert family is not None and player is not None
        other = self._champion((self.below or self.place)[0] if self.place == family.root else family.root[0])
        if other is None:
            return
        if not player.player or not other.player:
            self.app.say("The weights of one of them were not kept.", "warning")
            return
        seat_of = self.app.services.opponents.seat_of
        self.app.open(self.app.screens.play(self.app, GameModel((seat_of(player), seat_of(other)))))

    def commands(self) -> Sequence[Command]:
        family, player = self.family, self.player
        games = 0 if self.details is None else len(self.details.games)
        reads = READING if not self.trouble and self.details is None else ""
        no_family = NO_FAMILY if family is None else ""
        elsewhere = family is not None and self.place != family.root and self.individual is not None
        stands_in = player is not None and self.individual is not None and not self.individual.player
        return [
            Command(id="play", name="Play the champion instead" if stands_in and not reads else "Play",
                    keys=("p",), run=self.play, icon="play", enabled=player is not None,
                    about="Begin a game against it, or against the champion of its generation if it was not kept",
                    why=no_family or reads or NOT_KEPT),
            Command(id="watch", name="Watch", keys=(), run=self.watch, icon="eye", enabled=player is not None,
                    about="Watch it play against the newest one here", why=no_family or reads or NOT_KEPT),
            Command(id="its-family", name="Its family", keys=("return",), run=self.go, icon="family",
                    about="Show the family of the chosen individual", enabled=elsewhere,
                    why=no_family or "This is its family: choose another individual first."),
            Command(id="show-game", name=f"Games ({games})" if games else "Games", keys=("o",), run=self.show_game,
                    about="Show a game that it played on the large board, another one each time", icon="board",
                    enabled=bool(games), why=no_family or reads or NO_GAMES),
            Command(id="example", name="See a family", keys=(), run=self._show_example, icon="family",
                    about="Show the family of the newest champion", enabled=self._example is not None,
                    why="No run has a generation yet."),
            Command(id="choose", name="Choose an opponent", keys=("n",), icon="person",
                    run=lambda: self.app.open(self.app.screens.chooser(self.app)),
                    about="Choose an opponent that has a family, from a run"),
            *[Command(id=f"to-{key}", name=name, keys=(key,), run=partial(self.move, key), about=about, group=WAYS,
                      enabled=family is not None, why=NO_FAMILY)
              for key, name, about in MOVES],
        ]  # fmt: skip

    @property
    def _example(self) -> Source | None:
        return next((each for each in self.app.services.sources.runs if each.newest >= 0), None)

    def _show_example(self) -> None:
        if self._example is not None:
            self.app.open(FamilyScreen(self.app, ListedPlayer.of_player(self._example.target)))

    def view(self, size: Size, look: Look) -> list[Widget]:
        return [*self.header(size, look), *_panels(self, size, look)]


def _panels(screen: FamilyScreen, size: Size, look: Look) -> list[Widget]:
    px, area = look.px, below_header(size, look)
    if screen.trouble:
        known, title = by_id(screen.commands()), "" if screen.player is None else screen.player.title
        commands = [known[name] for name in ("play", "example") if known[name].enabled] or [known["choose"]]
        return nothing_there(area, look, screen.trouble, *commands, title=title, icon="family")
    if screen.family is None:
        place = area.centre_within(px(420), px(28))
        return [ProgressBar(key="progress", rect=place, share=screen._reader.share, text="Reading generations")]
    if size[0] >= size[1] * WIDE:
        left, right = area.columns(None, max(min(px(PANE), area.w * 2 // 5), px(LEAST_PANE)), gap=px(ROOM))
    else:
        left, right = area.rows(None, min(px(330), area.h * 55 // 100), gap=px(ROOM))
    return [*_tree(screen, screen.family, left, look), *_pane(screen, screen.family, right, look)]


def _tree(screen: FamilyScreen, family: Family, rect: Rect, look: Look) -> list[Widget]:
    inner = rect.inset(look.px(ROOM), look.px(GAP))
    lines = look.tall(family.meaning, inner.w)
    head, body = inner.rows(min(lines, inner.h // 4), None, gap=look.px(GAP))
    return [
        Panel(key="tree.panel", rect=rect),
        FamilyTree(
            key="tree", rect=body, family=family, chosen=screen.place, select=screen.choose, emblem=screen.emblem,
            activate=lambda place: screen.go(),
            hint="Arrow keys move through the family; Enter or a double click shows an individual's own family. "
            "A crown marks a champion whose shield is not known; sentences say what is new in its play, beyond chance",
        ),
        Label(key="meaning", rect=head, text=family.meaning, wrap=True, may_cut=True, hint=family.meaning),
    ]  # fmt: skip


def member_text(screen: FamilyScreen, family: Family) -> str:
    member, details, individual = screen.member, screen.details, screen.individual
    if member is None:
        return ""
    number = family.row_of(member.place)
    change = row_text(family, number) if number >= 0 and not family.path else ""  # a path has it beside its row
    share = ""
    if not family.path and member.place != family.root:
        share = f"{100 * member.share:.0f} % of generation {family.root[0]:,} comes from it."
    if individual is None:
        place = f"{family.source.name}, generation {member.generation:,}"
        return f"{place}.\n{change}\nNothing more is known, since the file of its generation has no row for it."
    known = individual if individual.is_mean else individual._replace(parents=(), origin="")  # which the tree shows
    trouble = "" if details is None else details.trouble
    kept = "" if details is None or individual.player else NOT_KEPT
    return "\n".join(filter(None, [change, share, *facts_of(known), trouble, kept]))


def _called(one: ListedPlayer) -> str:
    """Return what a person calls an individual: by its generation, and its rank unless it is the champion."""
    by_rank = one.rank is not None and one.rank > 1
    return f"Rank {one.rank:,} of generation {one.generation:,}" if by_rank else one.brief


def _pane(screen: FamilyScreen, family: Family, rect: Rect, look: Look) -> list[Widget]:
    commands, px, one = by_id(screen.commands()), look.px, screen.individual
    inner, gap = rect.inset(px(ROOM), px(GAP)), px(GAP)
    above, play, more = inner.rows(None, px(LARGE_CONTROL), px(CONTROL), gap=gap)
    about, board = above.columns(None, None, gap=px(ROOM)) if rect.w > px(BESIDE) else above.rows(None, None, gap=gap)
    text = member_text(screen, family)
    lines = look.tall(text, about.w)
    if rect.w <= px(BESIDE):
        most = max(above.h - px(26 + LEAST_BOARD), px(26 + BODY))
        about, board = above.rows(min(px(26) + gap + lines, most), None, gap=gap)
    head, body = about.rows(px(26), None, gap=gap)
    shown, whole = fitting_lines(text.split("\n"), body, look)
    emblem = None if screen.member is None else screen.emblem(screen.member)
    shield, head = head.columns(0 if emblem is None else px(26), None, gap=0 if emblem is None else gap)
    return [
        Panel(key="panel", rect=rect),
        EmblemWidget(key="emblem", rect=shield, emblem=emblem),
        Label(key="one", rect=head, text=screen.place[1] if one is None else _called(one), size=TITLE, bold=True,
              may_cut=True, hint="" if one is None else one.title),
        Label(key="told", rect=body, text=shown, wrap=True, may_cut=True, hint=whole),
        replay_board(board, screen.game, screen.game.caption if screen.game.count else NO_GAMES),
        button(commands["play"], "do.play", play, kind="main"),
        *[button(commands[name], f"do.{name}", place)
          for name, place in zip(("watch", "show-game", "its-family"), more.columns(None, None, None, gap=gap),
                                 strict=True)],
    ]  # fmt: skip
