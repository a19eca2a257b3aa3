"""How much players look at: nodes a move, the positions that a search visits before it moves.

Ratings of players that look at different numbers of positions compare their searches as well as what they judge by.
Compiled games do not count nodes. A game derives from its own row of numbers, so the first pairs of a match are played
again, move for move the same, by the players themselves, who tell what each choice took. Forced moves take nothing and
do not count; a player that looks at nothing, such as `random`, has no number.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from evolve.strength import match_openings
from game import match
from game.generator import derive_seed
from game.openings import openings
from game.players.protocol import Choice, Player
from game.rules import WCDF

if TYPE_CHECKING:
    from evolve.strength.match import MatchResult

Effort = tuple[float | None, float | None]
"""Nodes a move of A and of B; None of who looks at nothing, or who cannot be asked again."""

LADDER_MATCHES = 2
"""Of a player on a ladder, of which a pair is played again."""


@dataclass
class _Count:
    """Nodes of choices that were told, and how many choices these were."""

    nodes: int = 0
    choices: int = 0

    @property
    def a_move(self) -> float | None:
        return self.nodes / self.choices if self.choices else None


class _Counted:
    """A player that adds what its choices took to a count."""

    def __init__(self, player: Player, count: _Count) -> None:
        self._player, self._count = player, count

    def __getattr__(self, name: str) -> Any:
        return getattr(self._player, name)

    def choose(self, *arguments: Any, **named: Any) -> Choice:
        choice = self._player.choose(*arguments, **named)
        if choice.nodes:
            self._count.nodes += choice.nodes
            self._count.choices += 1
        return choice


def text(nodes: float | None) -> str:
    """Nodes a move as people read them, to three digits; a dash for None."""
    if nodes is None:
        return "–"
    return f"{float(f'{nodes:.3g}'):,.0f}" if nodes >= 100 else f"{nodes:.1f}"


def of_match(a: Player, b: Player, result: MatchResult) -> Effort:
    """Nodes a move of both players: in all games that count them, else in the first pair of games of a match."""
    counts = _Count(), _Count()
    _play_again(a, b, result, counts)
    return counts[0].a_move, counts[1].a_move


def of_ladder(players: Sequence[Player], pairings: Sequence[tuple[int, int, MatchResult]]) -> list[float | None]:
    """Nodes a move of each player, in a pair of games from `LADDER_MATCHES` of its matches or a few more.

    Args:
        players: of the ladder.
        pairings: indexes of A and B, and what they played.
    """
    counts, asked = [_Count() for _ in players], [0] * len(players)
    for a, b, result in pairings:
        if min(asked[a], asked[b]) < LADDER_MATCHES:
            _play_again(players[a], players[b], result, (counts[a], counts[b]))
            asked[a] += 1
            asked[b] += 1
    return [count.a_move for count in counts]


def _play_again(a: Player, b: Player, result: MatchResult, counts: tuple[_Count, _Count]) -> None:
    """Count what a match took, or its first pair where compiled code does not count; that alone is played again."""
    if result.used is not None:
        for count, used in zip(counts, result.used, strict=True):
            count.nodes += used.nodes
            count.choices += used.nodes_moves
    if a.compiled is None or b.compiled is None or result.stopped or result.used is not None:
        return
    order = match_openings.vary_openings if a.deterministic and b.deterministic else match_openings.repeat_ballots
    source = order(openings(result.openings), WCDF, np.random.default_rng(derive_seed(result.seed)))
    one, other = (cast(Player, _Counted(player, count)) for player, count in zip((a, b), counts, strict=True))
    for opening in itertools.islice(source, 1):
        for game, (black, white) in enumerate(((one, other), (other, one))):
            seed = derive_seed(result.seed, game)
            match.play(black, white, opening=opening.moves, seed=seed)
