"""The search depth of individuals: a section of the configuration that the window can read alone.

Before its first picture the window needs only the search of the opponent, and the whole configuration would import
optimisers, and so numpy.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from evolve.kinds.kind import switch, whole
from game.search.interface import SELECTIVE, Limits, SearchOptions, needs_search
from game.search.layout import MAX_DEPTH

MAX_GENERATIONS = 1_000_000
MAX_NODES = 1_000_000_000


@dataclass(frozen=True)
class Search:
    """The search of individuals in their games."""

    depth: int = whole(1, 1, MAX_DEPTH, "plies of full width (1: the positions after the own moves, no look-ahead)")
    nodes: int = whole(0, 0, MAX_NODES, "positions visited for a move (0: no limit)")
    quiescence: bool = switch(
        False,
        "captures at the leaves are played out",
        lambda config: not (config.search.blondie or config.search.selective),
    )
    blondie: bool = switch(
        False, "Blondie24's rules: quiescence, a forced move costs no depth, leaves an even number of plies away"
    )
    selective: bool = switch(
        False,
        "quiescence, and all options of a selective search: threats, repetitions, a kept table, reductions, pruning",
        lambda config: not config.search.blondie,
    )
    equal_depth: bool = switch(
        False,
        "remembered results are used only where as many plies remain: plain minimax",
        lambda config: config.search.looks_ahead and not config.search.selects,
    )
    table_bits: int = whole(
        14,
        1,
        24,
        "2 to this power results are remembered during a search",
        lambda config: config.search.looks_ahead,
    )
    deepen_every: int = whole(0, 0, MAX_GENERATIONS, "generations after which searches look deeper (0: never)")
    deepen_by: int = whole(2, 1, MAX_DEPTH, "plies more each time", lambda config: bool(config.search.deepen_every))
    deepest: int = whole(8, 1, MAX_DEPTH, "up to this depth", lambda config: bool(config.search.deepen_every))

    @property
    def looks_ahead(self) -> bool:
        """True if any generation looks further than the positions after its own moves."""
        return bool(self.deepen_every) or needs_search(self.limits(0), self.style())

    @property
    def selects(self) -> bool:
        """True if the search is selective, which excludes Blondie24's rules."""
        return self.selective and not self.blondie

    def limits(self, generation: int) -> Limits:
        """Return the limits of the searches of a generation."""
        depth = self.depth
        if self.deepen_every and depth < self.deepest:
            depth = min(depth + self.deepen_by * (generation // self.deepen_every), self.deepest)
        return Limits(depth, self.nodes or None)

    def style(self) -> SearchOptions:
        """Return the search options of all generations."""
        equal_depth = self.equal_depth and not self.selects
        options = dict.fromkeys(SELECTIVE, self.selects)
        return SearchOptions(self.quiescence, self.blondie, equal_depth, self.table_bits, **options)

    @classmethod
    def from_table(cls, values: Any) -> Search:
        """Read ``[search]`` alone, from the plain values of the table.

        Raises:
            ValueError: it is not a table, or has keys or values that are not allowed; `evolve.config.toml` says which.
        """
        rules = {item.name: item.metadata for item in fields(cls)}
        if not isinstance(values, dict) or not values.keys() <= rules.keys():
            raise ValueError("no table of a search")
        for key, value in values.items():
            rule = rules[key]
            if type(value) is not rule["type"] or not rule.get("low", value) <= value <= rule.get("high", value):
                raise ValueError(f"{key}: not allowed")
        return cls(**values)
