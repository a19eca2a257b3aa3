"""The share of positions with 7 and 8 pieces from games that proofs settle.

    python -m tests.measurements.proofs GAMES.pdn ... > tests/measurements/endings.txt

prints positions of games: of every third game one with 8 pieces and one with 7, by lot. The committed ones are from
`match crownhead-2,nodes=1000 crownhead,nodes=1000 --games 348 --seed 1 --pdn GAMES.pdn` and
`match crownhead,nodes=1000 crownhead,nodes=1001 --games 348 --seed 2 --pdn GAMES.pdn`.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from random import Random

from extras.bench.figures import Probe, Sample
from extras.recorded.check import read_records
from game import plain
from game.board import Position
from game.endgame.tables import open_tables
from game.review.chances import count_pieces
from game.search.proof import Prover
from tests.measurements.goals import Metric

FILE = Path(__file__).with_name("endings.txt")
NODES = 3_000_000
"""Positions that each proof may visit: about a second."""
PIECES = (7, 8)


def picked(files: list[str]) -> list[str]:
    """Return positions of games as FEN, sorted by their number of pieces."""
    random, found = Random(1), set[tuple[int, str]]()
    for file in files:
        for game in (record.game for record in read_records(file) if record.game and record.number % 3 == 0):
            positions = list(accumulate(game.moves, plain.apply, initial=game.start))
            for pieces in PIECES:
                those = [each for each in positions if count_pieces(each) == pieces and plain.legal_moves(each)]
                found |= {(pieces, random.choice(those).fen())} if those else set()
    return [fen for _, fen in sorted(found)]


def probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    metrics = (
        Metric("proved", "%", "with 7 and 8 pieces, settled in a second of processor time", 80, scales=False),
        *(Metric(f"proofs-{each}", "%", f"with {each} pieces, settled within {NODES:,} positions") for each in PIECES),
    )

    def prepare() -> Sample:
        prover = Prover(open_tables(), 1_000 if quick else NODES)
        positions = [Position.from_fen(line) for line in FILE.read_text().splitlines()][:: 20 if quick else 1]

        def sample() -> dict[str, float]:
            settled: dict[str, list[bool]] = {metric.name: [] for metric in metrics}
            for position in positions:
                prover.forget()
                began = time.thread_time()
                least, most = prover.bounds(position)
                settled["proved"].append(least == most and time.thread_time() - began <= 1)
                settled[f"proofs-{count_pieces(position)}"].append(least == most)
            return {name: 100 * sum(each) / len(each) for name, each in settled.items()}

        return sample

    return [Probe("proofs", metrics, prepare, min(rounds, 1))]


if __name__ == "__main__":
    print("\n".join(picked(sys.argv[1:])))
