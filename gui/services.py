"""The services that screens share: settings, games, opponents, the thinking process, clipboard, sounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from evolve.strength import levels
from game.players.names import PlayerName, parse_name
from game.search.interface import Limits
from gui.background import Background
from gui.individuals import opponents
from gui.individuals.individual import ListedPlayer
from gui.individuals.personas import Persona, Personas
from gui.model.game import GameModel
from gui.model.seats import MOST_DEPTH, Seat
from gui.rating.career import Career
from gui.rating.measured import MeasuredRatings
from gui.rating.measuring import Measuring
from gui.runs.sources import Sources
from gui.sounds import Sounds
from gui.storage.autosave import Autosave
from gui.storage.kept_games import KeptGames
from gui.storage.settings import Preferences, Settings
from gui.system import Clipboard

if TYPE_CHECKING:
    from gui.thinking.thinker import Thinker

T = TypeVar("T")

FILES, PLAYERS = "files", "player files"
"""Names of the lists of recently used items in the settings."""

READ_SECONDS = 2.0
"""Maximum seconds that the closing window waits for ratings."""

DEFAULT_DEPTH = 4
"""Depth of players that did not evolve, until you choose one."""

FALLBACK = Seat("material", DEFAULT_DEPTH, 5.0)
"""The opponent if there are no runs."""


class AvailableOpponents:
    """The players that you can choose, with the depth and time last chosen."""

    def __init__(
        self, runs: Path, settings: Callable[[], Preferences], rating: Callable[[], float], personas: Personas
    ) -> None:
        self._runs, self._settings, self._rating, self._personas = runs, settings, rating, personas
        self._evolved: dict[str, Limits | None] = {}
        self._policies: dict[str, bool] = {}
        self._levels: dict[str, ListedPlayer | None] = {}

    def recommend(self) -> Seat:
        """Return the default opponent: the last one, or else the level nearest to the rating."""
        settings = self._settings()
        if settings.opponent:
            return self.seat(settings.opponent, settings.opponent_title)
        individual = self.suitable or self.first
        return FALLBACK if individual is None else self.seat_of(individual)

    @property
    def suitable_level(self) -> levels.Level:
        return min(levels.LEVELS, key=lambda level: abs(level.rating - self._rating()))

    @property
    def suitable(self) -> ListedPlayer | None:
        return self.champion_of(self.suitable_level)

    def champion_of(self, level: levels.Level) -> ListedPlayer | None:
        """Return the champion behind a level; None if its run is missing, or differs from the shipped one."""
        if level.player not in self._levels:
            self._levels[level.player] = opponents.find_level(self._runs, level.player)
        return self._levels[level.player]

    @property
    def expert(self) -> ListedPlayer | None:
        return self.champion_of(levels.EXPERT)

    @property
    def level(self) -> int:
        """Index of the recommended opponent in `levels.LEVELS`; -1 if it is not one of them."""
        seat = self.recommend()
        return levels.level_of(seat.player or "", seat.depth)

    @cached_property
    def first(self) -> ListedPlayer | None:
        """The champion of the shipped run, else of the newest run that has one; None if there is none."""
        return opponents.first_champion(self._runs)

    def evolved_depth(self, player: str) -> int | None:
        """Return the depth with which an individual evolved; None if unknown, or if the window does not offer it."""
        limits = self.evolved_limits(player)
        if limits is None or (limits.nodes is None and (limits.depth is None or limits.depth > MOST_DEPTH)):
            return None
        return min(limits.depth or MOST_DEPTH, MOST_DEPTH)

    def evolved_limits(self, player: str) -> Limits | None:
        """Return the limits of searches with which an individual evolved; None if no run records them."""
        if self._evolved.get(player) is None:
            self._evolved[player] = opponents.evolved_limits(self._runs, player)
        return self._evolved[player]

    def depth_of(self, player: str) -> int:
        """Return the depth chosen last, or that of the suitable level until an opponent is chosen, or as it evolved."""
        level, settings = self.suitable_level, self._settings()
        if not settings.depth and not settings.opponent and player == level.player:
            return level.depth
        return settings.depth or self.evolved_depth(player) or DEFAULT_DEPTH

    def seat(self, player: str, title: str) -> Seat:
        """Return the seat of a player with the depth and time last chosen; a persona's name replaces the title."""
        title = self._personas.title(player) or title
        player = self.with_nodes(parse_name(player)).text
        if self.is_policy(player) and "sampling" not in parse_name(player).options:
            player = parse_name(player).with_options(sampling="no").text
        return Seat(player, self.depth_of(player), self._settings().seconds or None, title)

    def is_policy(self, player: str) -> bool:
        """Return whether an individual plays by a policy, which does not search."""
        if player not in self._policies:
            self._policies[player] = opponents.is_policy(self._runs, player)
        return self._policies[player]

    def with_nodes(self, name: PlayerName) -> PlayerName:
        """Add the number of nodes with which an individual evolved, unless its name or the settings have a limit."""
        if self._settings().depth or opponents.LIMITS & name.options.keys():
            return name
        limits = self.evolved_limits(name.text)
        return name if limits is None or limits.nodes is None else name.with_options(nodes=limits.nodes)

    def name_of(self, individual: ListedPlayer) -> str:
        of_level = any(level.player == individual.player for level in levels.LEVELS)
        number = levels.level_of(individual.player, self.depth_of(individual.player)) if of_level else -1
        return (
            levels.LEVELS[number].name
            if number >= 0
            else self._personas.persona(individual.player).name or individual.brief
        )

    def seat_of(self, individual: ListedPlayer) -> Seat:
        return self.seat(individual.player, individual.title)


@dataclass
class Services:
    """The state and resources that all screens share.

    Attributes:
        sources: the runs and files of players.
        kept: the list of all games.
    """

    runs: Path
    thinker: Thinker
    store: Settings
    autosave: Autosave
    kept: KeptGames
    sources: Sources
    career: Career
    measured: MeasuredRatings
    measuring: Measuring
    background: Background
    clipboard: Clipboard = field(default_factory=Clipboard)
    sounds: Sounds = field(default_factory=Sounds)

    @classmethod
    def in_folder(cls, data: Path, runs: Path, thinker: Thinker, **more: Any) -> Services:
        store = Settings(data)
        files = [Path(path) for path in store.recent(PLAYERS)]
        background = Background()
        sources = Sources(runs, files, background)
        career, measured = Career(data, background), MeasuredRatings(data)
        kept = Autosave(data), KeptGames(data)
        measuring = Measuring(measured, runs)
        return cls(runs, thinker, store, *kept, sources, career, measured, measuring, background, **more)

    def __post_init__(self) -> None:
        self.settings = Preferences.of(self.store)
        self.personas = Personas(self.runs)
        self.opponents = AvailableOpponents(
            self.runs, lambda: self.settings, lambda: self.career.rating_value, self.personas
        )
        self._shared: dict[Callable[[Services], Any], Any] = {}

    # Choices ------------------------------------------------------------------------------------------------------

    def change_settings(self, **values: Any) -> None:
        self.settings = self.settings.update(self.store, values)

    @property
    def trouble(self) -> str:
        """A sentence that says why something cannot be read or saved; empty if all is well."""
        kept = next(iter(self.kept.damaged), "")
        return self.store.trouble or self.autosave.trouble or self.career.trouble or kept

    def play(self, sound: str) -> None:
        if self.settings.sounds:
            self.sounds.play(sound)

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
        level = levels.LEVELS[number]
        individual = self.opponents.champion_of(level)
        if individual is not None:
            self.change_settings(opponent=individual.player, opponent_title=individual.title, depth=level.depth)

    def shared(self, make: Callable[[Services], T]) -> T:
        """Return what several screens of an extra share: made when it is first asked for, closed with the window."""
        if make not in self._shared:
            self._shared[make] = make(self)
        return cast("T", self._shared[make])

    # The game -----------------------------------------------------------------------------------------------------

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
            self.measuring.close,
            *(shared.close for shared in self._shared.values()),
            self.thinker.close,
        ):
            _tried(work)


def _tried(work: Callable[[], object]) -> None:
    import logging

    try:
        work()
    except Exception:
        logging.getLogger(__name__).exception("while the window closed")
