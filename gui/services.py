"""What the screens work with: choices, kept games, opponents, the thinking process, clipboard, sounds. No pygame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from game.players.names import PlayerName, parse_name
from game.search.limits import Limits
from gui.climb.career import Career
from gui.climb.ladder import Measuring
from gui.clipboard import Clipboard
from gui.individuals import opponents
from gui.individuals.individual import Individual
from gui.individuals.library import Library
from gui.individuals.sources import Scope
from gui.model.game import GameModel
from gui.model.seats import MOST_DEPTH, Seat
from gui.runs.live_run import LiveRuns
from gui.sounds import Sounds
from gui.storage.autosave import Autosave
from gui.storage.kept_games import Explored, KeptGames
from gui.storage.settings import Preferences, Settings

if TYPE_CHECKING:
    from gui.thinking.thinker import Thinker

FILES, PLAYERS, EXTERNALS = "files", "player files", "external programs"
"""Lists of things used last, as the settings name them."""

LIMITS = {"depth", "nodes", "time"}
"""Options of names that take the place of all the limits with which an individual evolved."""

USUAL_DEPTH = 4
"""Of who has not evolved, before a person has chosen one."""

FALLBACK = Seat("material", USUAL_DEPTH, 5.0, "Piece counter")
"""Plays where nobody has evolved anything yet."""


@dataclass
class Services:
    """All of it.

    Attributes:
        runs: the folder of runs.
        thinker: the thinking process.
        store: kept settings; `settings` is their typed view.
        autosave: the file of this window's game.
        kept: the list of all games; `explored` is whose games the explorer shows.
        library: all opponents.
        career: the person's rated games.
        measuring: ratings of champions that no session has rated.
        clipboard, sounds: of the system, or none.
    """

    runs: Path
    thinker: Thinker
    store: Settings
    autosave: Autosave
    kept: KeptGames
    library: Library
    career: Career
    measuring: Measuring
    clipboard: Clipboard = field(default_factory=Clipboard)
    sounds: Sounds = field(default_factory=Sounds)

    @classmethod
    def in_folder(cls, data: Path, runs: Path, thinker: Thinker, **more: Any) -> Services:
        """Those that keep what they keep in a data folder."""
        store = Settings(data)
        files = [Path(path) for path in store.recent(PLAYERS)]
        library = Library(runs, files, store.recent(EXTERNALS))
        return cls(
            runs, thinker, store, Autosave(data), KeptGames(data), library, Career(data), Measuring(data), **more
        )

    def __post_init__(self) -> None:
        self.settings = Preferences.of(self.store)
        self.explored = Explored(self.kept)
        self.live_runs = LiveRuns()
        self._evolved: dict[str, Limits | None] = {}
        self._policies: dict[str, bool] = {}
        self._opened: set[Path] = set()
        self._settled: set[Path] = set()

    # Choices ------------------------------------------------------------------------------------------------------

    def change_settings(self, **values: Any) -> None:
        """Choose; `tick` keeps it."""
        self.settings = self.settings.update(self.store, values)

    @property
    def trouble(self) -> str:
        """Why something cannot be kept, in one sentence; empty if all is well."""
        kept = next(iter(self.kept.damaged), "")
        return self.store.trouble or self.autosave.trouble or self.career.trouble or kept

    def play(self, sound: str) -> None:
        """Play a sound, unless they are off."""
        if self.settings.sounds:
            self.sounds.play(sound)

    def remember_file(self, path: Path) -> None:
        """Remember a file that was opened or saved."""
        self.store.add_recent(FILES, str(path))

    def remember_players(self, path: Path) -> None:
        """Remember a CSV file of players that was opened, once it was read and nothing is wrong with it."""
        self._opened.add(path.absolute())
        self._settled.discard(path.absolute())

    def _settle_players(self) -> None:
        damages = self.library.damages
        for path in self.library.files:
            if path not in self._settled and damages.are_known(path):
                self._settled.add(path)
                if damages.of(path):
                    self.forget_players(path)
                elif path in self._opened:
                    self.store.add_recent(PLAYERS, str(path))
                    self.remember_file(path)

    def forget_players(self, path: Path) -> None:
        """Do not remember a CSV file of players any more."""
        for name in (PLAYERS, FILES):
            self.store.drop_recent(name, str(path))

    # Opponents ----------------------------------------------------------------------------------------------------

    def recommend_opponent(self) -> Seat:
        """Whom one plays if one says nothing.

        The last opponent; else the strength Expert or the champion of the newest run, which are known before the list
        has been read; else the first of the list; else `FALLBACK`.
        """
        settings, library = self.settings, self.library
        if settings.opponent:
            return self.seat(settings.opponent, settings.opponent_title)
        row = self.expert or self.first
        read = not library.busy and not library.search and library.scope == Scope()
        if row is None or (read and library.find(row.player) is None):  # not there, or damaged
            row = library.recommended
        return FALLBACK if row is None else self.seat_of(row)

    @cached_property
    def expert(self) -> Individual | None:
        """The strength that a newcomer plays (`opponents.EXPERT`); None if the run of the strengths is not there."""
        return opponents.find_strength(self.runs, opponents.EXPERT.player)

    @property
    def strength(self) -> int:
        """Which of `opponents.STRENGTHS` the recommended opponent is; -1 for none."""
        seat = self.recommend_opponent()
        return opponents.strength_of(seat.player or "", seat.depth)

    def choose_strength(self, number: int) -> None:
        """Choose one of `opponents.STRENGTHS` as the opponent."""
        one = opponents.STRENGTHS[number]
        row = opponents.find_strength(self.runs, one.player)
        if row is not None:
            self.change_settings(opponent=row.player, opponent_title=row.title, depth=one.depth)

    @cached_property
    def first(self) -> Individual | None:
        """The champion of the shipped run, else of the newest one that has any; None if there is none."""
        return opponents.first_champion(self.runs)

    def evolved_depth(self, player: str) -> int | None:
        """How many plies an individual looked ahead while it evolved; None if no run tells, or it looked too far."""
        limits = self.evolved_limits(player)
        if limits is None or limits.depth is None or (limits.depth > MOST_DEPTH and limits.nodes is None):
            return None
        return min(limits.depth, MOST_DEPTH)

    def evolved_limits(self, player: str) -> Limits | None:
        """What ended the searches of an individual while it evolved; None if no run tells."""
        if self._evolved.get(player) is None:
            self._evolved[player] = opponents.evolved_limits(self.runs, player)
        return self._evolved[player]

    def depth_of(self, player: str) -> int:
        """The depth that was chosen last; before any was, that with which the player evolved."""
        return self.settings.depth or self.evolved_depth(player) or USUAL_DEPTH

    def seat(self, player: str, title: str) -> Seat:
        """An opponent with the depth and time that were chosen last."""
        player = self.with_nodes(parse_name(player)).text
        if self.is_policy(player) and "sampling" not in parse_name(player).options:
            player = parse_name(player).with_options(sampling="yes" if self.settings.sampling else "no").text
        return Seat(player, self.depth_of(player), self.settings.seconds or None, title)

    def is_policy(self, player: str) -> bool:
        """Whether an individual plays by a policy, which does not search."""
        if player not in self._policies:
            self._policies[player] = opponents.is_policy(self.runs, player)
        return self._policies[player]

    def with_nodes(self, name: PlayerName) -> PlayerName:
        """A name that says with how many nodes its individual evolved, where neither it nor a person chose any limit.

        As on the command line, a depth that was chosen takes the place of all the limits with which it evolved.
        """
        limits = None if self.settings.depth or LIMITS & name.options.keys() else self.evolved_limits(name.text)
        return name if limits is None or limits.nodes is None else name.with_options(nodes=limits.nodes)

    def seat_of(self, row: Individual) -> Seat:
        """The opponent of a row."""
        return self.seat(row.player, row.title)

    # The game -----------------------------------------------------------------------------------------------------

    def keep_game(self, model: GameModel, extra: dict[str, Any]) -> bool:
        """Keep a game now; returns whether that worked."""
        return bool(model.plies) and self.autosave.save(model, extra)

    def leave_game(self, model: GameModel, extra: dict[str, Any]) -> None:
        """The game leaves the table: it waits to be continued, or, if it is over, to be looked at."""
        if model.plies:
            self.autosave.save(model, extra)
        elif model.over:
            self.autosave.clear()
        self.autosave.release()

    def tick(self) -> None:
        """Keep what was changed."""
        self._settle_players()
        self.store.save()

    def close(self) -> None:
        """Keep everything, end the thinking process."""
        for work in (
            self.store.save,
            self.autosave.release,
            self.live_runs.close,
            self.career.close,
            self.measuring.close,
            self.thinker.close,
        ):
            _tried(work)


def _tried(work: Callable[[], object]) -> None:
    import logging

    try:
        work()
    except Exception:
        logging.getLogger(__name__).exception("while the window closed")
