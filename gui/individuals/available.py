"""The players that a person can choose, each with the depth and time with which it is to play."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from evolve.run.runs import PEOPLE_RUN
from evolve.strength import levels
from game.players.names import PlayerName, parse_name
from game.search.interface import Limits
from gui.individuals import opponents
from gui.individuals.individual import ListedPlayer
from gui.individuals.personas import Personas
from gui.model.analyses import ANALYST
from gui.model.seats import MOST_DEPTH, Seat, seat_for
from gui.storage.settings import Preferences

DEFAULT_DEPTH = 4
"""Depth of players that did not evolve, until you choose one."""

FALLBACK = Seat("material", DEFAULT_DEPTH, 5.0)
"""The opponent if there are no runs."""


class AvailableOpponents:
    """The players that you can choose, with the depth and time last chosen."""

    def __init__(
        self,
        runs: Path,
        settings: Callable[[], Preferences],
        rating: Callable[[], float],
        personas: Personas,
        followed: Callable[[], float] | None = None,
    ) -> None:
        self._runs, self._settings, self._rating, self._personas = runs, settings, rating, personas
        self._followed = followed or rating
        self._evolved: dict[str, Limits | None] = {}
        self._policies: dict[str, bool] = {}
        self._levels: dict[str, ListedPlayer | None] = {}

    @property
    def follows(self) -> bool:
        """True if the opponent chosen last is the one that follows the person's rating."""
        return self._settings().opponent_title == levels.FOLLOWS

    def level_at(self, number: int) -> levels.Level:
        """Return the level of a number: an index in `levels.LEVELS`, or `levels.AT_RATING`."""
        return levels.LEVELS[number] if number < levels.AT_RATING else levels.at_rating(self._followed())

    def recommend(self) -> Seat:
        """Return the default opponent: the last one, or else the level nearest to the rating."""
        settings, level = self._settings(), self.level_at(levels.AT_RATING)
        if self.follows and self.champion_of(level) is not None:
            return Seat(level.player, level.depth, settings.seconds or None, level.title)
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
        if level.text not in self._levels:
            self._levels[level.text] = opponents.find_level(self._runs, level)
        return self._levels[level.text]

    def people(self, *, person: bool) -> tuple[str, str] | None:
        """Return a player that errs like people, and what to call them: at the person's rating, or of tournaments.

        None if its run differs from the shipped one.
        """
        if self.champion_of(levels.LEVELS[0]) is None:
            return None
        level = levels.at_rating(self._rating())
        near = person and level.run == PEOPLE_RUN
        return (level.text, "players at your rating") if near else (levels.TOURNAMENT, "tournament players")

    @property
    def has_levels(self) -> bool:
        """True if the runs of the levels are there, as they were shipped."""
        return all(self.champion_of(level) is not None for level in (levels.LEVELS[0], levels.EXPERT))

    @property
    def level(self) -> int:
        """Number of the recommended opponent for `level_at`; -1 if it is not a level."""
        if self.follows:
            return levels.AT_RATING
        seat = self.recommend()
        return levels.level_of(seat.player or "", seat.depth)

    @cached_property
    def first(self) -> ListedPlayer | None:
        """The champion of the shipped run, else of the newest run that has one; None if there is none."""
        return opponents.first_champion(self._runs)

    @property
    def analyst(self) -> Seat:
        """The player that evaluates games: the champion of the shipped or newest run, or else a piece counter."""
        if self.first is None or self.is_policy(self.first.player):
            return ANALYST
        # By its own name, also if it would be a level at the depth chosen for opponents.
        seat = self.seat_of(self.first)
        return replace(seat, depth=ANALYST.depth, seconds=ANALYST.seconds, title=self.first.title)

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
        if self.is_policy(player) and not {"sampling", "strength"} & parse_name(player).options.keys():
            player = parse_name(player).with_options(sampling="no").text
        return Seat(player, self.depth_of(player), self._settings().seconds or None, title)

    def is_policy(self, player: str) -> bool:
        """Return whether an individual plays by a policy, which does not search."""
        if player not in self._policies:
            self._policies[player] = not self._is_level(player) and opponents.is_policy(self._runs, player)
        return self._policies[player]

    def _is_level(self, player: str) -> bool:
        """Return whether a player is that of a level, which searches to a depth; so the first picture reads no run."""
        return any(level.player == player and self.champion_of(level) is not None for level in levels.LEVELS)

    def with_nodes(self, name: PlayerName) -> PlayerName:
        """Add the number of nodes with which an individual evolved, unless its name or the settings have a limit."""
        if self._settings().depth or opponents.LIMITS & name.options.keys() or self._is_level(name.text):
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

    def seat_named(self, name: PlayerName) -> Seat:
        """Return the seat of a player named by a person; limits that the name omits come from the settings."""
        best = opponents.champion(self._runs, name.target) if name.member is None else None
        title = self._personas.title(name.text) or ("" if best is None else best.title)
        if (as_evolved := self.with_nodes(name)) is not name or (not name.options and self.is_policy(name.text)):
            return self.seat(as_evolved.text, title)
        return seat_for(name, self.depth_of(name.text), self._settings().seconds or None, title)
