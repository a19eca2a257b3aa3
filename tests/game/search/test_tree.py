"""Tree search: visit for visit as its naive twin; proofs, draws, noise; and as the search of a player."""

from __future__ import annotations

import pytest

from game.board import Position
from game.generator import derive_seed
from game.rules import WCDF, DrawRules
from game.search.tree.search import Forest, TreeOptions
from tests.game.search.search_helpers import Game, games
from tests.game.search.tree_helpers import ENDINGS, EVALUATORS, known_to_tables, same_trees
from tests.naive_tree import NaiveTree

SHORT = DrawRules(repetition=2, quiet_plies=6, men_reset=False, max_plies=60)
SEARCHES = {
    "puct": TreeOptions(together=1),
    "puct, eight leaves": TreeOptions(),
    "gumbel": TreeOptions(gumbel=True, candidates=4, together=1),
    "gumbel, eight leaves": TreeOptions(gumbel=True),
}


def samples(seed: int, count: int) -> list[Game]:
    """Positions of random games and endings, each with the game before it."""
    return [*games(count, seed, 60), *((Position.from_fen(fen), []) for fen in ENDINGS)]


@pytest.mark.parametrize("tables", [0, 4])
@pytest.mark.parametrize("network", EVALUATORS)
@pytest.mark.parametrize("how", SEARCHES)
def test_visit_for_visit_as_its_twin(how: str, network: str, tables: int) -> None:
    """Alone and among others, with few and many visits, with noise at the root and without."""
    from dataclasses import replace

    options, evaluator = replace(SEARCHES[how], tablebase=tables), EVALUATORS[network]
    for visits, rules in ((0, WCDF), (1, WCDF), (16, SHORT), (200, WCDF)):
        played = samples(visits, 2 if visits == 200 else 8)
        many = Forest(evaluator, options, rules, trees=len(played), visits=visits)
        alone = Forest(evaluator, options, rules, visits=visits)
        for number, (position, history) in enumerate(played):
            many.begin(number, position, history, noise=number % 2 * derive_seed(visits, number))
        many.search()
        for number, (position, history) in enumerate(played):
            noise, known = number % 2 * derive_seed(visits, number), known_to_tables(4) if tables else lambda _: None
            twin = NaiveTree(evaluator, rules, options.gumbel, options.candidates, options.together, known, noise=noise)
            root = twin.search(position, history, visits=visits)
            same_trees(many, number, twin, root)
            alone.begin(0, position, history, noise=noise)
            alone.search()
            same_trees(alone, 0, twin, root)
