"""How the individuals of a generation played while they evolved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from game.endgame.slices import MOST_PIECES
from game.search.limits import Limits, SearchOptions

if TYPE_CHECKING:
    from evolve.config.model import Config
    from evolve.config.search import Search

FAITHFUL = ("cowan", "cowan-ballots", "blondie24", "blondie24-1999", "league")
"""Presets whose individuals play as those did whose experiment they repeat, which had no tablebases."""


class PlayConditions(NamedTuple):
    """What decides, apart from the network, which moves an individual finds.

    Attributes:
        limits: what ends its searches.
        style: options of its searches, those of the table included.
    """

    limits: Limits
    style: SearchOptions

    @classmethod
    def of(cls, search: Search, generation: int) -> PlayConditions:
        """Those of a generation; a run may look deeper in later ones."""
        return cls(search.limits(generation), search.style())

    @classmethod
    def usual(cls, config: Config, generation: int) -> PlayConditions:
        """Those in games with people and other programs: as it evolved, with all tablebases unless it is faithful."""
        how = cls.of(config.search, generation)
        if config.preset in FAITHFUL:
            return how
        return how._replace(style=replace(how.style, tablebase=MOST_PIECES))
