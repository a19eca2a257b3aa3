"""How the individuals of a generation played while they evolved."""

from __future__ import annotations

from typing import NamedTuple

from evolve.config.model import Search
from game.search.limits import Limits, SearchOptions


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
