"""The weights that an individual inherited from each parent: not saved, but recomputed by repeating the draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.run.columns import whole_number
from evolve.run.row_index import Head
from evolve.streams import Draw, streams


def individual_name(generation: int, index: int) -> str:
    return f"Gen{generation:02d}_{index:04d}"


def recombination_streams(config: Config, generation: int, pairs: Iterable[int]) -> Iterator[np.random.Generator]:
    """Yield the generator of each pair of parents; pairs are numbered from 0, in the order of the parents' ranks."""
    return streams(config.seed, generation, Draw.RECOMBINATION, ((pair,) for pair in pairs))


class Inheritance(NamedTuple):
    """The parent of each weight of an individual; a mutant has the inheritance of the individual that was mutated.

    Attributes:
        ranks: ranks in the previous generation, from 0, of its one or two parents.
        first: bool of shape (weights,), whether each weight comes from the first parent.
    """

    ranks: tuple[int, ...]
    first: NDArray[np.bool_]


def inheritance(config: Config, generation: int, fact: Head) -> Inheritance | None:
    """Return the parent of each weight of an individual of generation 1 or later; None if this is unknown."""
    population = config.population
    index = whole_number(fact.name.rpartition("_")[2])
    if population.mean or index is None or not 0 <= index < population.size:
        return None
    if fact.name != individual_name(generation, index):
        return None
    # The index says how the individual was made, by the order of `evolve.breeding.loop.vary`; the file must agree.
    made = population.parents + population.recombined
    origin = "survivor" if index < population.parents else "recombined" if index < made else "mutated"
    if index >= made:
        index = (index - made) // population.mutants  # the individual that was mutated
    if fact.origin != origin or len(fact.parents) != (1 if index < population.parents else 2):
        return None
    if index < population.parents:
        return Inheritance((index,), np.ones(config.network.weights, np.bool_))
    # Repeat the draw of this pair alone. The second child has from the second parent what the first has from the first.
    pair, second = divmod(index - population.parents, 2)
    (ranks,) = islice(combinations(range(population.parents), 2), pair, pair + 1)
    (generator,) = recombination_streams(config, generation, [pair])
    kept = config.variation.recombination.kept(config.network.weights, generator)
    if kept is None:
        return None
    return Inheritance(ranks, ~kept if second else kept)
