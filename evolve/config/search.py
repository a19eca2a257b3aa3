"""The section ``[search]`` of a configuration, which the window can read without the rest.

To draw its first frame, the window needs only the opponent's search; the whole configuration would import optimisers
and therefore numpy.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from evolve.kinds.kind import switch, whole
from game.search.interface import SELECTIVE, Limits, SearchOptions, needs_search
from game.search.layout import MAX_DEPTH

MAX_GENERATIONS = 1_000_000
MAX_NODES = 1_000_000_000


@dataclass(frozen=True)
class Search:
    """The search of individuals in their games."""

    depth: int = whole(1, 1, MAX_DEPTH, "plies of full width (1: the positions after each own move, no look-ahead)")
    nodes: int = whole(0, 0, MAX_NODES, "most positions visited for a move (0: no limit)")
    quiescence: bool = switch(
        False,
        "captures at the leaves are played out",
        lambda config: not (config.search.blondie or config.search.selective),
    )
    blondie: bool = switch(
        False, "Blondie24's rules: quiescence, forced moves cost no depth, leaves at an even number of plies"
    )
    selective: bool = switch(
        False,
        "quiescence, and all options of a selective search: threats, repetitions, a kept table, reductions, pruning",
        lambda config: not config.search.blondie,
    )
    equal_depth: bool = switch(
        False,
        "results in the transposition table are used only if they have the same remaining depth: plain minimax",
        lambda config: config.search.looks_ahead and not config.search.selects,
    )
    table_bits: int = whole(
        14, 1, 24, "size of the transposition table: 2 to this power entries", lambda config: config.search.looks_ahead
    )
    deepen_every: int = whole(0, 0, MAX_GENERATIONS, "generations after which the depth increases (0: never)")
    deepen_by: int = whole(2, 1, MAX_DEPTH, "plies added each time", lambda config: bool(config.search.deepen_every))
    deepest: int = whole(8, 1, MAX_DEPTH, "largest depth", lambda config: bool(config.search.deepen_every))
    play_depth: int = whole(
        0, 0, MAX_DEPTH, "plies with which individuals are rated and play other opponents (0: as they evolve)"
    )

    @property
    def looks_ahead(self) -> bool:
        """True if any generation looks further ahead than its own moves."""
        return bool(self.deepen_every) or needs_search(self.limits(0), self.style())

    @property
    def selects(self) -> bool:
        return self.selective and not self.blondie

    def limits(self, generation: int) -> Limits:
        depth = self.depth
        if self.deepen_every and depth < self.deepest:
            depth = min(depth + self.deepen_by * (generation // self.deepen_every), self.deepest)
        return Limits(depth, self.nodes or None)

    def played_limits(self, generation: int) -> Limits:
        """Return the limits of the searches of a generation in games outside the evolution."""
        limits = self.limits(generation)
        return replace(limits, depth=self.play_depth) if self.play_depth else limits

    def style(self) -> SearchOptions:
        equal_depth = self.equal_depth and not self.selects
        options = dict.fromkeys(SELECTIVE, self.selects)
        return SearchOptions(self.quiescence, self.blondie, equal_depth, self.table_bits, **options)

    @classmethod
    def from_table(cls, values: Any) -> Search:
        """Return the section from the plain values of its table.

        Raises:
            ValueError: it is not a table, or has invalid keys or values; `evolve.config.toml` reports which.
        """
        rules = {item.name: item.metadata for item in fields(cls)}
        if not isinstance(values, dict) or not values.keys() <= rules.keys():
            raise ValueError("not a table of search options")
        for key, value in values.items():
            rule = rules[key]
            if type(value) is not rule["type"] or not rule.get("low", value) <= value <= rule.get("high", value):
                raise ValueError(f"{key}: not allowed")
        return cls(**values)
