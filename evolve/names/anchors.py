"""The players of anchors."""

from __future__ import annotations

from collections.abc import Iterable

from evolve.config.anchors import FROZEN
from evolve.names import players
from evolve.run.files import DamagedRunError
from evolve.run.runs import FROZEN_RUN, Runs, is_frozen_run
from game.installation import INSTALLED
from game.players import registry
from game.players.names import parse_name
from game.players.protocol import Player


def anchor_players(names: Iterable[str]) -> list[Player]:
    """Return the players of anchors; champions of a run are always those of the shipped one.

    Raises:
        DamagedRunError: the shipped run is not there, or not as it was shipped.
    """
    return [_frozen_player(name) if name in FROZEN else registry.player(name) for name in names]


def _frozen_player(name: str) -> Player:
    folder = Runs().path(FROZEN_RUN)
    if not is_frozen_run(folder):
        remedy = "install the program again" if INSTALLED else f"git checkout -- populations/{FROZEN_RUN}"
        raise DamagedRunError(
            f"anchor {name}: expected the run {FROZEN_RUN} as it was shipped, but config.toml or manifest.csv in "
            f"{folder} is missing or was changed; restore it ({remedy}), or leave this anchor out"
        )
    return players.resolve(folder.parent, None, parse_name(name))
