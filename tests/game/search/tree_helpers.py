"""Networks with both heads, positions, the comparison of a compiled tree with its naive twin, and a golden hash."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from game.board import Position
from game.endgame.tables import open_tables
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator
from game.networks.spec import Heads, Layer, Spec
from game.rules import WCDF, DrawRules
from game.search.tree import layout as at
from game.search.tree.search import Forest, TreeOptions
from tests.game.networks.network_samples import GOLDEN_FENS, genomes
from tests.naive_tree import NaiveTree, Node

RESULTS = Spec("results", "pieces", (Layer("dense", 24, activation="relu"),), heads=Heads("wdl", "steps"))
SCORES = Spec(
    "scores",
    "squares",
    (Layer("dense", 32, activation="tanh"), Layer("diagonal", 4, activation="relu")),
    heads=Heads("score", "steps"),
)
EVALUATORS = {spec.name: Evaluator(spec, genomes(spec, 3, 1, 0.3)[0]) for spec in (RESULTS, SCORES)}

COUNTING = Spec("counting", "pieces", (Layer("dense", 1, activation="none"),), heads=Heads("score", "steps"))
"""Counts pieces, a man 0.1 and a king 0.15, with a policy that finds all first steps equally good (`counting`)."""

ENDINGS = ("B:WK32,K27,30:BK1,K6,5", "W:WK15,K23,21:BK1,K10,2", "B:WK18,21,K30:BK9,K2,12", "W:W18,24,K10:B12,K22,1")


def counting() -> Any:
    genome = np.zeros(COUNTING.weights, np.float32)
    genome[:128] = np.repeat([0.1, 0.15, -0.1, -0.15], 32)
    genome[129] = 1.0
    return genome


def known_to_tables(pieces: int) -> Callable[[Position], int | None]:
    tables = open_tables(pieces)

    def value(position: Position) -> int | None:
        few = (position.black | position.white).bit_count() <= pieces
        verdict = tables.probe(position) if few else None
        return None if verdict is None else verdict.value

    return value


def same_trees(forest: Forest, tree: int, twin: NaiveTree, root: Node) -> None:
    """Assert that two searched trees are the same, node for node, and their results."""
    same_nodes(forest, tree, 0, root)
    children = root.children or []
    if not children:
        return
    roots = forest.conclude()
    assert roots.best[tree] == children.index(twin.best(root))
    assert roots.counts[tree] == len(children)
    assert roots.visits[tree, : len(children)].tolist() == [child.visits for child in children]
    assert roots.policy[tree, : len(children)].tolist() == [float(np.float32(p)) for p in twin.improved(root)]
    assert roots.values[tree] == ((root.proof > 0) - (root.proof < 0) if root.proof else root.total / root.visits)
    assert int(forest.trees[tree, at.EVALUATIONS]) == twin.judged


def same_nodes(forest: Forest, tree: int, number: int, node: Node) -> None:
    known: Any = forest.nodes[tree, number]
    messages = [known[name] for name in ("visits", "sum", "proof", "prior")]
    assert messages == [node.visits, node.total, node.proof, node.prior], node.line.position.fen()
    if not node.visits:
        return
    assert known["count"] == len(node.children or ())
    for index, child in enumerate(node.children or ()):
        same_nodes(forest, tree, int(known["first"]) + index, child)


def golden() -> str:
    """SHA-256 (hexadecimal) over all nodes of searches of fixed genomes and positions."""
    digest = hashlib.sha256()
    boards = [Position.from_fen(fen) for fen in GOLDEN_FENS.split()]
    for spec in (RESULTS, SCORES):
        draws = SplitMix64(spec.weights)
        evaluator = Evaluator(spec, [0.6 * (draws.below(2**20) / 2**19 - 1) for _ in range(spec.weights)])
        for options in (TreeOptions(), TreeOptions(selection="gumbel", candidates=8, together=1)):
            for rules in (WCDF, DrawRules(repetition=2, max_plies=8)):
                forest = Forest(evaluator, options, rules, trees=len(boards), visits=300)
                for number, board in enumerate(boards):
                    forest.begin(number, board, noise=number)
                forest.search()
                for number, words in enumerate(forest.trees):
                    nodes = forest.nodes[number, : words[at.USED]]
                    for name, kind in (("sum", "<f8"), ("visits", "<i4"), ("prior", "<f4"), ("proof", "<i2")):
                        digest.update(nodes[name].astype(kind).tobytes())
                digest.update(forest.conclude().policy.astype("<f4").tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    print(golden())
