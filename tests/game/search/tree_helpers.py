"""Networks with both heads, positions, and the comparison of a compiled tree with its naive twin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from game.board import Position
from game.endgame.tables import open_tables
from game.networks.evaluator import Evaluator
from game.networks.spec import Heads, Layer, Spec
from game.search.tree.search import Forest
from tests.game.networks.network_samples import genomes
from tests.naive_tree import NaiveTree, Node

RESULTS = Spec("results", "pieces", (Layer("dense", 24, activation="relu"),), heads=Heads("wdl", "steps"))
SCORES = Spec(
    "scores",
    "squares",
    (Layer("dense", 32, activation="tanh"), Layer("diagonal", 4, activation="relu")),
    heads=Heads("score", "steps"),
)
EVALUATORS = {spec.name: Evaluator(spec, genomes(spec, 3, 1, 0.3)[0]) for spec in (RESULTS, SCORES)}

ENDINGS = ("B:WK32,K27,30:BK1,K6,5", "W:WK15,K23,21:BK1,K10,2", "B:WK18,21,K30:BK9,K2,12", "W:W18,24,K10:B12,K22,1")


def known_to_tables(pieces: int) -> Callable[[Position], int | None]:
    """The value of positions of at most this number of pieces, by tables."""
    tables = open_tables(pieces)

    def value(position: Position) -> int | None:
        few = (position.black | position.white).bit_count() <= pieces
        verdict = tables.probe(position) if few else None
        return None if verdict is None else verdict.value

    return value


def same_trees(forest: Forest, tree: int, twin: NaiveTree, root: Node) -> None:
    """Assert that two searched trees are the same, node for node."""
    same_nodes(forest, tree, 0, root)
    assert forest.best(tree) == (root.children or []).index(twin.best(root))
    assert int(forest.trees[tree, 10]) == twin.judged


def same_nodes(forest: Forest, tree: int, number: int, node: Node) -> None:
    known: Any = forest.nodes[tree, number]
    told = [known[name] for name in ("visits", "sum", "proof", "prior")]
    assert told == [node.visits, node.total, node.proof, node.prior], node.line.position.fen()
    if not node.visits:
        return
    assert known["count"] == len(node.children or ())
    for index, child in enumerate(node.children or ()):
        same_nodes(forest, tree, int(known["first"]) + index, child)
