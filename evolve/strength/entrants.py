"""The players of a ladder: one name for each player, however it was written, and each player once.

The games of a pairing depend on its names. With one name for one player they do not depend on how somebody wrote it,
and nobody plays against itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from game.players.protocol import Player


@dataclass(frozen=True)
class Entrants:
    """The players of a ladder.

    Attributes:
        players: all different, under the names of the ladder.
        renamed: names that were given for them but are not theirs, each with the name that the player has here.
    """

    players: tuple[Player, ...]
    renamed: tuple[tuple[str, str], ...]


def unique_entrants(players: Sequence[Player], anchors: Sequence[Player] = ()) -> Entrants:
    """Return each player once, with one name for it whatever it was called.

    Args:
        players: under the names that people have written; the same one may be there more than once.
        anchors: players that keep their names; the ratings and games of an anchor belong to its name.
    """
    unique: dict[Hashable, Player] = {}
    renamed: dict[str, str] = {}
    fixed = {anchor.identity: anchor.name for anchor in anchors}
    for player in (*players, *anchors):
        name = fixed.get(player.identity) or player.canonical_name
        entrant = unique.setdefault(player.identity, player.with_name(name))
        if player.name != entrant.name:
            renamed[player.name] = entrant.name
    return Entrants(tuple(unique.values()), tuple(renamed.items()))
