"""Trees: visit for visit as their naive twin; games of many trees; noise, logarithms, memory; every processor."""

from __future__ import annotations

import itertools
import math
import os
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from game import moves
from game.board import Position
from game.compiled.jit import Array, Word, compiled
from game.endings import draw_reason
from game.errors import InputError
from game.generator import SplitMix64, derive_seed
from game.networks.evaluator import Evaluator, rows_seen
from game.rules import WCDF, DrawRules
from game.search.interface import EvaluationError
from game.search.tree import layout as at
from game.search.tree.node_kernels import exponential, log_of
from game.search.tree.search import GOES_ON, Forest, TreeOptions, halving_schedule
from tests.game.networks.network_samples import HEADED, tame
from tests.game.search.search_helpers import Game, games
from tests.game.search.tree_helpers import ENDINGS, EVALUATORS, RESULTS, golden, known_to_tables, same_trees
from tests.naive_search import line_of
from tests.naive_tree import NaiveTree
from tests.naive_tree import exponential as naive_exponential
from tests.naive_tree import log_of as naive_log

ROOT = Path(__file__).parents[3]
GOLDEN = "1d52b144e984224d7dc7efc1649cd9724b16d03404750c1cb130ae4dfe6d528f"
"""Changes only with the arithmetic of tree searches; then the games of runs that learn by them change, too."""

SHORT = DrawRules(repetition=2, quiet_plies=6, men_reset=False, max_plies=60)
SEARCHES = {
    "puct": TreeOptions(together=1),
    "puct, eight leaves": TreeOptions(),
    "gumbel": TreeOptions(selection="gumbel", candidates=4, together=1),
    "gumbel, eight leaves": TreeOptions(selection="gumbel"),
}


def samples(seed: int, count: int) -> list[Game]:
    return [*games(count, seed, 60), *((Position.from_fen(fen), []) for fen in ENDINGS)]


@pytest.mark.parametrize(
    ("how", "network", "tables"),
    [
        # Each way with each network, each of the two with tables and without.
        pytest.param(*each, 4 * tables, marks=pytest.mark.check if (number // 2 + number + tables) % 2 else ())
        for number, each in enumerate(itertools.product(SEARCHES, EVALUATORS))
        for tables in (0, 1)
    ],
)
def test_visit_for_visit_as_its_twin(how: str, network: str, tables: int) -> None:
    options, evaluator = replace(SEARCHES[how], tablebase=tables), EVALUATORS[network]
    for visits, rules, count in ((0, WCDF, 8), (1, WCDF, 8), (16, SHORT, 12), (150, WCDF, 6)):
        played = samples(visits, count - len(ENDINGS))
        many = Forest(evaluator, options, rules, trees=count, visits=visits)
        alone = Forest(evaluator, options, rules, visits=visits)
        for number, (position, history) in enumerate(played):
            many.begin(number, position, history, noise=number % 2 * derive_seed(visits, number))
        many.search()
        for number, (position, history) in enumerate(played):
            noise, known = number % 2 * derive_seed(visits, number), known_to_tables(4) if tables else lambda _: None
            twin = NaiveTree(
                evaluator,
                rules,
                options.selection == "gumbel",
                options.candidates,
                options.together,
                known,
                noise=noise,
            )
            root = twin.search(position, history, visits=visits)
            same_trees(many, number, twin, root)
            alone.begin(0, position, history, noise=noise)
            alone.search()
            same_trees(alone, 0, twin, root)


@pytest.mark.parametrize("gumbel", [False, True])
def test_half_of_the_visits_are_shared_equally(gumbel: bool) -> None:
    options = TreeOptions(selection="gumbel" if gumbel else "puct")
    forest, twin = Forest(EVALUATORS["results"], options, visits=60), NaiveTree(EVALUATORS["results"], gumbel=gumbel)
    twin.even = True
    for position, history in samples(5, 6):
        forest.begin(0, position, history)
        forest.trees[0, at.EVEN] = 1
        forest.search()
        same_trees(forest, 0, twin, twin.search(position, history, visits=60))
        visits, unproved = forest.children(0)["visits"], forest.children(0)["proof"] == 0
        assert forest.root(0)["proof"] or visits[unproved].min() >= 60 // (2 * len(visits))


def test_games_of_many_trees() -> None:
    evaluator, known, rules = EVALUATORS["results"], known_to_tables(4), replace(SHORT, repetition=3, max_plies=90)
    options = TreeOptions(selection="gumbel", together=1, tablebase=4, skips_forced=True)
    forest, draws = Forest(evaluator, options, rules, trees=12, visits=5), SplitMix64(1)
    played = [[position] for position, _ in samples(9, 8)]
    for number, (first,) in enumerate(played):
        forest.begin(number, first)
    over: dict[int, int] = {}
    while len(over) < len(played):
        forest.search()
        roots = forest.conclude()
        lots = np.array([draws.below(2**20) % max(count, 1) for count in roots.counts.tolist()])
        chosen = np.where([draws.below(4) == 0 for _ in played], lots, roots.best)
        chosen[[*over, *np.flatnonzero(roots.counts == 0)]] = -1
        results = forest.advance(chosen)
        for number, game in enumerate(played):
            if number in over:
                continue
            if chosen[number] >= 0:
                game.append(moves.successors(game[-1])[chosen[number]][1])
            line = line_of(game[-1], game[:-1], rules)
            drawn = draw_reason(line.reversible, line.quiet, line.plies, rules) is not None
            value = known(game[-1])
            expected = 0 if drawn else GOES_ON if value is None else value
            assert results[number] == (expected if moves.legal_moves(game[-1]) else -1)
            root = forest.root(number)
            assert root["position"].tolist() == rows_seen([game[-1]])[0].tolist()
            if results[number] != GOES_ON:
                over[number] = int(results[number])
                forest.trees[number, at.WANTED] = 0
        for number in draws.below(len(played)), draws.below(len(played)):
            if number not in over and len(moves.legal_moves(played[number][-1])) > 1:
                forest.search()
                twin = NaiveTree(evaluator, rules, gumbel=True, together=1, known=known)
                same_trees(forest, number, twin, twin.search(played[number][-1], played[number][:-1], visits=5))
    assert {-1, 0, 1} == set(over.values())


def test_forced_root_needs_no_evaluation() -> None:
    forest = Forest(EVALUATORS["results"], TreeOptions(skips_forced=True), visits=9)
    forest.begin(0, Position.from_fen("B:W5,17:B1,14"))
    forest.search()
    roots = forest.conclude()
    assert (roots.counts[0], roots.best[0], roots.values[0], forest.trees[0, at.EVALUATIONS]) == (1, 0, 0.0, 0)
    assert roots.policy[0, 0] == 1.0


def test_results_do_not_depend_on_the_memory() -> None:
    position, visits = Position.start(), 3000
    small = Forest(EVALUATORS["results"], TreeOptions(), visits=visits)
    small.begin(0, position)
    small.search()
    large = Forest(EVALUATORS["results"], TreeOptions(), visits=visits)
    large._allocate(100_000)
    for first in (Position.from_fen(ENDINGS[0]), position):
        large.begin(0, first)
        large.search()
    used = int(small.trees[0, at.USED])
    assert used == large.trees[0, at.USED] > 10_000
    for name in ("sum", "visits", "first", "prior", "proof", "position"):
        assert (small.nodes[0, :used][name] == large.nodes[0, :used][name]).all()


def test_noise_is_at_the_root_of_its_seed_alone() -> None:
    for gumbel in (False, True):
        forest = Forest(
            EVALUATORS["results"], replace(SEARCHES["gumbel" if gumbel else "puct"], candidates=4), trees=4, visits=40
        )
        for number, seed in enumerate((0, 7, 8, 7)):
            forest.begin(number, Position.start(), noise=seed)
        forest.search()
        visits = [forest.children(number)["visits"].tolist() for number in range(4)]
        assert visits[1] == visits[3]
        assert len({str(each) for each in visits}) == 3
        priors = forest.children(0)["prior"]
        for number in range(4):
            assert (forest.children(number)["prior"] == priors).all() == (gumbel or number == 0)
            assert math.isclose(forest.children(number)["prior"].sum(), 1, rel_tol=1e-6)
        below = [forest.children(number, int(forest.root(number)["first"]) + 1) for number in range(4)]
        assert all((each["prior"] == below[0]["prior"]).all() for each in below if len(each))


@compiled
def write_logarithms(words: Array, seed: Word, logarithms: Array, drawn: Array) -> None:
    for index in range(len(words)):
        logarithms[index] = log_of(words[index])
        drawn[index] = exponential(seed, index)


def test_logarithms_and_the_exponential_distribution() -> None:
    draws = SplitMix64(3)
    known = [1, 2, 3, 2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64 - 1, *(draws.next() >> n % 64 | 1 for n in range(5000))]
    words, (logarithms, drawn) = np.array(known, np.uint64), np.zeros((2, len(known)))
    write_logarithms(words, np.uint64(11), logarithms, drawn)
    assert logarithms.tolist() == [naive_log(word) for word in known]
    assert all(
        math.isclose(result, math.log(word), rel_tol=2e-15) for result, word in zip(logarithms, known, strict=True)
    )
    assert drawn.tolist() == [naive_exponential(11, index) for index in range(len(known))]
    assert abs(drawn.mean() - 1) < 0.05 and abs((drawn > 1).mean() - math.exp(-1)) < 0.02 and drawn.min() > 0


def test_each_round_of_halving_is_fair() -> None:
    assert halving_schedule(4, 16) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert halving_schedule(1, 4) == [0, 1, 2, 3]
    for candidates in range(1, 17):
        for visits in range(70):
            schedule = halving_schedule(candidates, visits)
            assert len(schedule) == visits
            per_count = [schedule.count(done) for done in range(visits + 1)]
            assert per_count == sorted(per_count, reverse=True) and max(per_count) <= candidates


def test_outputs_that_are_not_finite_are_failures() -> None:
    for part in (0, -1):
        genome = np.zeros(RESULTS.weights, np.float32)
        genome[part] = np.nan
        forest = Forest(Evaluator(RESULTS, genome), TreeOptions(), visits=10)
        forest.begin(0, Position.from_fen("B:W32:BK16,20"))
        with pytest.raises(EvaluationError, match="not a finite number"):
            forest.search()


def test_wrong_arguments_of_trees_are_refused() -> None:
    chances = Evaluator(HEADED[2], tame(HEADED[2], 1))
    for text, make in (
        ("needs a value and a policy", lambda: Forest(chances, TreeOptions(), visits=1)),
        ("visits: expected 0 to 1,000,000", lambda: Forest(EVALUATORS["results"], TreeOptions(), visits=1_000_001)),
        ("candidates: expected 1 to 16, got 17", lambda: TreeOptions(candidates=17)),
        ("together: expected 1 to 8, got 0", lambda: TreeOptions(together=0)),
    ):
        with pytest.raises(InputError, match=text):
            make()


def test_golden_hash_of_this_machine() -> None:
    assert golden() == GOLDEN


@pytest.mark.check
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the targets are those of x86")
@pytest.mark.parametrize("target", [{"NUMBA_CPU_NAME": "haswell"}, {"NUMBA_CPU_NAME": "generic", "NUMBA_OPT": "0"}])
def test_golden_hash_of_other_targets(tmp_path: Path, target: dict[str, str]) -> None:
    kept = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    environment = kept | {"NUMBA_CPU_FEATURES": "", "CROWNHEAD_CACHE_DIR": str(tmp_path)} | target
    command = [sys.executable, "-m", "tests.game.search.tree_helpers"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.strip() == GOLDEN
