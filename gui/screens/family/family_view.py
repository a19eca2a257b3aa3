"""What the page of a family shows: its state without commands and pictures."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.report.ancestry import Ancestor
from gui.family.kin import Kin, Whom
from gui.family.reading import Details, Family, Game, Reading, read_details
from gui.family.tree import Place, Tree
from gui.individuals.background import Background, Trouble
from gui.individuals.rows import Row, row_of_generation
from gui.model.record import RecordError, read
from gui.screens.play.beginning import show_loaded
from gui.screens.play.game_screen import GameScreen
from gui.screens.screen import IDLE, Screen, Window

MOST_DETAILS = 64
"""Members whose weights and games are kept."""


class FamilyView(Screen):
    """Whom somebody comes from.

    Args:
        whom: whose family.

    Attributes:
        family: once it was read.
        tree: its lines.
        trouble: why there is none, in one sentence.
        place: generation and name of the member that is chosen.
        tab: which of the pages about it is shown.
        whole: whether generations in which nothing changes are shown, too.
        row: the chosen one of its games.
    """

    title = "Family"
    browses = True

    def __init__(self, app: Window, whom: Whom) -> None:
        super().__init__(app)
        self.family: Family | None = None
        self.tree: Tree | None = None
        self.trouble = ""
        self.place: Place = (0, "")
        self.tab, self.row, self.whole = 0, 0, False
        self._before: list[tuple[Kin, Place]] = []
        self._wish: Place | None = None
        self._details: dict[Kin, Details] = {}
        self._asked = Kin(app.services.runs, 0, "")
        self._background = Background()
        self.ui.focus = "tree"
        self._ask(whom)

    # What there is ------------------------------------------------------------------------------------------------

    @property
    def member(self) -> Ancestor | None:
        """Who is chosen."""
        return None if self.tree is None else self.tree.member(self.place)

    @property
    def kin(self) -> Kin | None:
        """The same as an individual of a run."""
        return None if self.family is None else Kin(self.family.kin.run, *self.place)

    @property
    def details(self) -> Details | None:
        """Weights and games of the chosen member; None while they are read."""
        return None if self.kin is None else self._details.get(self.kin)

    @property
    def details_row(self) -> Row | None:
        """The chosen member as lists show it: what its file says, and once it is read, whether it can be played."""
        details, member, family = self.details, self.member, self.family
        if family is None or self.tree is None or member is None or member.fact is None:
            return None
        row = row_of_generation(family.source, self.place[0], member.fact, kept=False)._replace(player="")
        if details is not None and details.individual is not None:
            row = details.individual.row
        line = self.tree.lines[self.tree.line_of(self.place)]
        if line.around_mean and not member.is_mean:  # its file names a parent of the mean in its place
            row = row._replace(parents=line.members[0].name)
        return row

    @property
    def games(self) -> Sequence[Game]:
        """Those that the run has kept of it."""
        return () if self.details is None else self.details.games

    @property
    def progress(self) -> float:
        """How much of the files was read."""
        return self._reading.share

    # Time ---------------------------------------------------------------------------------------------------------

    @property
    def pace(self) -> float:
        """Often while something is read."""
        return 1 / 30 if self._background.busy else IDLE

    def tick(self, now: float, dt: float) -> bool:
        """Take what was read."""
        answers = self._background.poll()
        for key, answer in answers:
            if key == "family":
                self._take(answer)
            else:
                self._keep(Details(None, trouble=answer.text) if isinstance(answer, Trouble) else answer)
        self._ask_details()
        return bool(answers) or (self.tree is None and not self.trouble)

    def on_close(self) -> None:
        """Nothing is read any more."""
        self._background.close()

    def _ask(self, whom: Whom) -> None:
        services = self.app.services
        self._reading = Reading(services.runs, whom, services.evolved_limits, services.measuring)
        self._background.ask("family", self._reading.read)

    def _take(self, answer: object) -> None:
        if isinstance(answer, Trouble):
            self.trouble = answer.text
            return
        assert isinstance(answer, Family)
        self.family, self.trouble = answer, ""
        self.title = f"Family of {answer.kin.name} ({answer.source.name})"
        self.tree = answer.trees[self.whole]
        wish, self._wish = self._wish, None
        self.choose(wish if wish is not None and self.tree.line_of(wish) >= 0 else self.tree.root)

    def _ask_details(self) -> None:
        kin, member, family = self.kin, self.member, self.family
        if kin is None or member is None or family is None or kin in self._details or self._background.busy:
            return
        self._asked = kin
        self._background.ask("details", lambda: read_details(family, kin.generation, member))

    def _keep(self, details: Details) -> None:
        if len(self._details) >= MOST_DETAILS:
            self._details.pop(next(iter(self._details)))
        self._details[self._asked] = details

    # What a person does -----------------------------------------------------------------------------------------------

    def choose(self, place: Place) -> None:
        """Look at a member."""
        if place != self.place:
            self.place, self.row = place, 0
        self._ask_details()

    def move(self, key: str) -> None:
        """Along the family as an arrow key leads."""
        if self.tree is not None:
            self.choose(self.tree.move(self.place, key))

    def go(self) -> None:
        """Show the family of the chosen member."""
        if self.family is not None and self.kin is not None and self.tree is not None and self.place != self.tree.root:
            self._before.append((self.family.kin, self.place))
            self._ask(Whom(kin=self.kin))

    def go_back(self) -> None:
        """Show the family that was shown before."""
        kin, self._wish = self._before.pop()
        self._ask(Whom(kin=kin))

    def show_game(self, number: int | None = None) -> None:
        """Show one of its games on the large board."""
        try:
            loaded = read(self.games[self.row if number is None else number].pdn)
        except RecordError as error:
            self.app.say(str(error), "warning")
            return
        self.leave_game()
        show_loaded(self.app, loaded, self)

    def leave_game(self) -> None:
        """Say where the game below is found again: whatever opens from here takes its place."""
        games = [screen.model for screen in self.app.stack if isinstance(screen, GameScreen)]
        if any(model.plies and not model.over for model in games):
            self.app.say("Your game waits on the first screen.")

    def select_game(self, number: int) -> None:
        """Choose one of its games."""
        self.row = number

    def show_tab(self, tab: int) -> None:
        """The chosen member, or the founders."""
        self.tab = tab

    def toggle_whole(self) -> None:
        """Show every generation, or only those in which something changes."""
        self.whole = not self.whole
        if self.family is not None:
            self.tree = self.family.trees[self.whole]
        if self.tree is not None and self.tree.line_of(self.place) < 0:
            self.choose(self.tree.root)
