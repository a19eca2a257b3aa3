"""Searches by quantised networks; as a program, prints the instructions that they use and a digest of the results."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from game.networks import integer_kernels
from game.networks.evaluator import Evaluator
from game.networks.spec import Heads, Layer, Spec
from game.search import search
from game.search.interface import Limits, SearchOptions, SearchResult
from tests.game.networks.network_samples import genomes, positions


def quantised(*units: int, heads: Heads) -> Spec:
    layers = tuple(Layer("dense", count, activation="clipped") for count in units)
    return Spec("quantised", "pieces", layers, heads=heads, quantised=True)


SPECS = (
    quantised(32, heads=Heads("score")),
    quantised(64, heads=Heads("wdl", "steps")),
    quantised(96, 32, heads=Heads("wdl", "steps")),
    quantised(256, 64, 64, heads=Heads("wdl", "steps")),
    quantised(64, 96, 32, heads=Heads("wdl", "steps")),
)
STYLES = (
    (SearchOptions(), Limits(depth=3)),
    (SearchOptions(quiescence=True, equal_depth=True), Limits(depth=4)),
    (SearchOptions(threats=True, twofold=True, reductions=True, pruning=True), Limits(nodes=3000)),
)


def results(spec: Spec) -> Iterator[SearchResult]:
    """Search some positions in all styles, with weights small and large."""
    for seed, scale in enumerate((0.1, 3.0)):
        evaluator = Evaluator(spec, genomes(spec, 70 + seed, 1, scale)[0])
        for style, limits in STYLES:
            searcher = search.AlphaBeta(evaluator, style)
            for position in positions(71 + seed, 8):
                yield searcher.search(position, limits=limits)


def digest() -> str:
    """Return the SHA-256 of moves, scores and node counts."""
    lines = [
        f"{result.move} {result.score!r} {result.nodes} {result.evaluations} {[move.score for move in result.root]}"
        for spec in SPECS
        for result in results(spec)
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


if __name__ == "__main__":
    print(integer_kernels.DOT, digest())
