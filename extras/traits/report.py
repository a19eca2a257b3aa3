"""Traits of players: from games against a fixed field, or from the games of a PDN file."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evolve.inspection import terminal
from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.strength.match import CountedGame, play_match
from evolve.workers.pool import Pool
from game.board import Position
from game.errors import InputError
from game.number_text import count_text, finite_or_none
from game.players.player import Player
from game.traits import FEW_GAMES, TRAITS, TraitMean, means, measure_moves

if TYPE_CHECKING:
    from extras.recorded.check import Source

FIELD = ("crownhead-1,depth=3", "material,depth=3")
"""The default opponents."""

GAMES, SEED = 200, 1
"""Default number of games against each opponent, and the seed of all matches."""

MOST_PLAYERS = 12
"""Maximum number of players of a file in a text report; the others are counted."""

MEANING = (
    "Means over games: most traits over a player's own moves 7 to 20, in games with at least 20 of them; errors are "
    "standard errors (docs/traits.md)."
)


@dataclass(frozen=True)
class PlayerTraits:
    name: str
    games: int
    traits: tuple[TraitMean, ...]

    def plain(self) -> dict[str, Any]:
        numbers = {
            trait.name: {"value": finite_or_none(mean.value), "error": finite_or_none(mean.error), "games": mean.games}
            for trait, mean in zip(TRAITS, self.traits, strict=True)
        }
        return {"name": self.name, "games": self.games, "traits": numbers}


@dataclass(frozen=True)
class TraitsReport:
    """The traits of several players.

    Attributes:
        source: the origin of their games, in words.
        left_out: number of games that do not begin at the start position.
    """

    players: tuple[PlayerTraits, ...]
    source: str
    faults: tuple[str, ...] = ()
    left_out: int = 0

    def plain(self) -> dict[str, Any]:
        traits = {trait.name: {"text": trait.text, "unit": trait.unit} for trait in TRAITS}
        players = [player.plain() for player in self.players]
        known = {"kind": "traits", "source": self.source, "traits": traits, "players": players}
        return known | {"faults": list(self.faults), "left_out": self.left_out}

    def contents(self) -> Contents:
        listed = self.players[:MOST_PLAYERS]
        name = listed[0].name if len(listed) == 1 else count_text(len(self.players), "player")
        if len(listed) <= 2:
            table = self._by_trait(listed)
        else:
            table = self._by_player(listed)
        remarks = [MEANING]
        if len(self.players) > len(listed):
            remarks.append(
                f"{count_text(len(self.players) - len(listed), 'player')} with fewer games left out; see --json."
            )
        if self.left_out:
            remarks.append(f"{count_text(self.left_out, 'game')} from other positions than the start not counted.")
        few = [player.name for player in listed if max(mean.games for mean in player.traits[:7]) < FEW_GAMES]
        if few:
            remarks.append(f"Fewer than {FEW_GAMES} games that count, so little is known about: {', '.join(few)}.")
        sections = [Section("", table=table, more=" ".join(remarks))]
        sections.append(Section("Traits", [(trait.name, f"{trait.text} ({trait.unit})") for trait in TRAITS]))
        return Contents(name, "traits", self.source, sections)

    @staticmethod
    def _by_trait(players: Sequence[PlayerTraits]) -> ReportTable:
        lines = []
        for index, trait in enumerate(TRAITS):
            line = [trait.name]
            for player in players:
                mean = player.traits[index]
                error = "" if math.isnan(mean.error) else f"± {mean.error:.{trait.digits}f}"
                line += [trait.say(mean.value), error, str(mean.games)]
            lines.append([*line, trait.unit])
        heads = [heading for player in players for heading in (player.name, "error<", "games")]
        return ReportTable(("trait<", *heads, "unit<"), lines)

    @staticmethod
    def _by_player(players: Sequence[PlayerTraits]) -> ReportTable:
        lines = [
            [
                player.name,
                str(player.games),
                *(trait.say(mean.value) for trait, mean in zip(TRAITS, player.traits, strict=True)),
            ]
            for player in players
        ]
        return ReportTable(("player<", "games", *(trait.name for trait in TRAITS)), lines)

    def print(self, *, as_json: bool) -> None:
        print(json.dumps(self.plain())) if as_json else terminal.show(self.contents())


def of_players(
    players: Sequence[Player],
    field: Sequence[Player],
    games: int = GAMES,
    *,
    pool: Pool | None = None,
    show: Callable[[str], None] = lambda text: None,
) -> TraitsReport:
    """Measure players in matches against each opponent of a field, from three-move ballots with both colours.

    Args:
        games: number of games against each opponent, even.
        pool: plays the games; None for this process alone.

    Raises:
        InputError: the number of games is odd or less than 2.
    """
    measured = []
    for player in players:
        own = list[NDArray[np.float64]]()

        def add(game: CountedGame, own: list[NDArray[np.float64]] = own) -> None:
            own.append(measure_moves(game.record.moves, game.record.start)[(game.number + 1) % 2])

        for opponent in field:
            show(f"{player.name} against {opponent.name}")
            play_match(player, opponent, games, seed=SEED, pool=pool, on_game=add)
        measured.append(PlayerTraits(player.name, len(own), means(own)))
    against = " and ".join(opponent.name for opponent in field)
    return TraitsReport(tuple(measured), f"{count_text(games, 'game')} each against {against}, seed {SEED}")


def of_file(source: Source, show: Callable[[str], None] = lambda text: None) -> TraitsReport:
    """Measure all players of a PDN file, by the names in its tags; those with most games come first.

    Games with faults are left out; their faults are part of the report.

    Raises:
        InputError: the file has no games, or cannot be read.
        OSError: reading fails.
    """
    from extras.recorded.check import read_records, source_name

    measured: Mapping[str, list[NDArray[np.float64]]] = defaultdict(list)
    name, faults, left_out, number = source_name(source), list[str](), 0, 0
    for record in read_records(source):
        number = record.number
        if number % 100 == 1:
            show(f"game {number:,}")
        faults += [f"{name}:{fault}" for fault in record.faults]
        game = record.game
        if game is None or not record.whole:
            continue
        if game.start != Position.start():
            left_out += 1
            continue
        for colour, traits in zip(("Black", "White"), measure_moves(game.moves, game.start), strict=True):
            measured[game.tag(colour) or "?"].append(traits)
    if not number:
        raise InputError(f"{name}: no games found")
    players = [PlayerTraits(each, len(own), means(own)) for each, own in measured.items()]
    players.sort(key=lambda one: -one.games)
    return TraitsReport(tuple(players), f"{name}: {count_text(number, 'game')}", tuple(faults), left_out)
