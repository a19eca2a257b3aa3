"""How many positions of tables a network that has learnt from others judges right.

    python -m tests.measurements.endings PIECES RUN [--positions N] [--runs FOLDER]

The positions are of the test, with exactly that number of pieces.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evolve.names.registration import register
from extras.learning.endgame_measures import tally
from extras.learning.endgame_method import WAYS
from game.endgame.judging import chances_of
from game.endgame.samples import PARTS, TEST, SampleSource
from game.endgame.tables import complete_tables
from game.networks.evaluator import Evaluator
from game.players.registry import player

THRESHOLD = 0.8
"""As published."""


def judged(name: str, pieces: int, count: int) -> str:
    """Return how many test positions with a number of pieces a network judges right, each way, as a line of text."""
    network = player(name).network
    assert network is not None
    source, tables = SampleSource(1, pieces, pieces), complete_tables(pieces, "PIECES")
    samples = source.draw(TEST, 0, min(source.places, count * PARTS), tables)
    result = tally(samples, chances_of(Evaluator(*network))).columns(THRESHOLD)
    shares = {kind: [result[f"{kind}_{way}"] or 0.0 for way in WAYS] for kind in ("all", "balanced")}
    rows = [
        f"{kind}: " + ", ".join(f"{way} {100 * share:.2f}" for way, share in zip(WAYS, row, strict=True))
        for kind, row in shares.items()
    ]
    return f"{len(samples):,} positions; {'; '.join(rows)}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.endings")
    parser.add_argument("pieces", type=int)
    parser.add_argument("run")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--runs", type=Path, default=Path("populations"))
    options = parser.parse_args(arguments)
    register(options.runs)
    print(judged(options.run, options.pieces, options.positions))
    return 0


if __name__ == "__main__":
    sys.exit(main())
