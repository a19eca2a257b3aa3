"""The services that screens share: settings, games, opponents, the thinking process, clipboard, sounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from evolve.strength import levels
from gui.background import Background
from gui.individuals import opponents
from gui.individuals.available import AvailableOpponents
from gui.individuals.personas import Persona, Personas
from gui.model.game import GameModel
from gui.model.seats import Seat
from gui.rating.career import Career
from gui.rating.rating import cautious
from gui.runs.sources import Sources
from gui.storage.autosave import Autosave
from gui.storage.kept_games import KeptGames
from gui.storage.settings import Preferences, Settings
from gui.system import Clipboard, Speaker

if TYPE_CHECKING:
    from gui.rating.measuring import Measuring
    from gui.thinking.thinker import Thinker

T = TypeVar("T")

FILES, PLAYERS = "files", "player files"
"""Names of the lists of recently used items in the settings."""

READ_SECONDS = 2.0
"""Maximum seconds that the closing window waits for ratings."""


@dataclass
class Services:
    """The state and resources that all screens share.

    Attributes:
        sources: the runs and files of players.
    """

    runs: Path
    thinker: Thinker
    store: Settings
    autosave: Autosave
    kept: KeptGames
    sources: Sources
    career: Career
    background: Background
    clipboard: Clipboard = field(default_factory=Clipboard)
    speaker: Speaker = field(default_factory=Speaker)

    @classmethod
    def in_folder(cls, data: Path, runs: Path, thinker: Thinker, **more: Any) -> Services:
        store = Settings(data)
        files = [Path(path) for path in store.recent(PLAYERS)]
        background = Background()
        sources = Sources(runs, files, background)
        kept = Autosave(data), KeptGames(data)
        return cls(runs, thinker, store, *kept, sources, Career(data, background), background, **more)

    def __post_init__(self) -> None:
        self.settings = Preferences.of(self.store)
        self.personas = Personas(self.runs)
        self.opponents = AvailableOpponents(
            self.runs,
            lambda: self.settings,
            lambda: self.career.rating_value,
            self.personas,
            lambda: cautious(self.career.rating),
        )
        self._shared: dict[Callable[[Services], Any], Any] = {}

    def change_settings(self, **values: Any) -> None:
        self.settings = self.settings.update(self.store, values)

    @property
    def trouble(self) -> str:
        """A sentence that says why something cannot be read or saved; empty if all is well."""
        kept = next(iter(self.kept.damaged), "")
        return self.store.trouble or self.autosave.trouble or self.career.trouble or kept

    def play(self, sound: str) -> None:
        if self.settings.sounds:
            self.speaker.play(sound)

    def remember_file(self, path: Path) -> None:
        self.store.add_recent(FILES, str(path))

    def open_players(self, path: Path) -> str:
        """List a CSV file of players and remember it; return why it cannot be played, or an empty string."""
        trouble = opponents.first_of_file(path).trouble
        if trouble:
            self.forget_players(path)
            return trouble
        self.sources.add_file(path)
        for name in (PLAYERS, FILES):
            self.store.add_recent(name, str(path))
        return ""

    def forget_players(self, path: Path) -> None:
        self.sources.files[:] = [known for known in self.sources.files if known != path.absolute()]
        for name in (PLAYERS, FILES):
            self.store.drop_recent(name, str(path))

    def choose_level(self, number: int) -> None:
        level = self.opponents.level_at(number)
        individual = self.opponents.champion_of(level)
        if individual is not None:
            title = individual.title if number < levels.AT_RATING else levels.FOLLOWS
            self.change_settings(opponent=individual.player, opponent_title=title, depth=level.depth)

    @property
    def measuring(self) -> Measuring:
        """Ratings of champions that are measured here."""
        return self.shared(_measuring)

    def shared(self, make: Callable[[Services], T]) -> T:
        """Return what several screens share: made when it is first asked for, closed with the window."""
        if make not in self._shared:
            self._shared[make] = make(self)
        return cast("T", self._shared[make])

    def keep_game(self, model: GameModel, extra: dict[str, Any]) -> bool:
        return bool(model.plies) and self.autosave.save(model, extra)

    def leave_game(self, model: GameModel, extra: dict[str, Any]) -> None:
        """Save a game that leaves the table, so that it can be continued, or viewed if it is over."""
        if model.plies:
            self.autosave.save(model, extra)
        elif model.over:
            self.autosave.clear()
        self.autosave.release()

    def persona(self, seat: Seat) -> Persona:
        """Return how a player is shown in a game, with its rating if it plays as it is rated."""
        return self.personas.persona(seat.player, seat.depth)

    def tick(self) -> bool:
        """Save the settings; return whether an emblem has been made."""
        self.store.save()
        return self.personas.step()

    def close(self) -> None:
        for work in (
            self.store.save,
            self.autosave.release,
            partial(self.background.finish, READ_SECONDS),
            partial(self.personas.close, READ_SECONDS),
            *(shared.close for shared in self._shared.values()),
            self.thinker.close,
        ):
            _tried(work)


def _measuring(services: Services) -> Measuring:
    from gui.rating.measuring import MeasuredRatings, Measuring  # after the first picture

    return Measuring(MeasuredRatings(services.kept.data), services.runs)


def _tried(work: Callable[[], object]) -> None:
    import logging

    try:
        work()
    except Exception:
        logging.getLogger(__name__).exception("while the window closed")
