"""Evolve players of different styles with pyribs: an archive of the best by length of game and pieces kept."""

import numpy as np
from ribs.archives import GridArchive
from ribs.emitters import EvolutionStrategyEmitter
from ribs.schedulers import Scheduler

import crownhead

STEPS, BATCH, OPPONENTS = 5, 16, 8


def evolve(name: str = "ribs-1", steps: int = STEPS) -> GridArchive:
    """Evolve networks, and record each batch as a generation of a run."""
    settings = ["seed=1", "rating.every=0"]
    generator = np.random.default_rng(1)
    with crownhead.Arena("cowan-ballots", BATCH + OPPONENTS, settings=settings) as arena, arena.record(name) as run:
        weights = arena.network.weights
        opponents = generator.uniform(-1, 1, (OPPONENTS, weights))
        pairs = np.array([[one, BATCH + other] for one in range(BATCH) for other in range(OPPONENTS)])
        archive = GridArchive(solution_dim=weights, dims=(10, 10), ranges=[(40, 120), (0, 12)], seed=1)
        emitter = EvolutionStrategyEmitter(archive, x0=np.zeros(weights), sigma0=0.2, batch_size=BATCH, seed=1)
        scheduler = Scheduler(archive, [emitter])
        for step in range(steps):
            genomes = np.float32(scheduler.ask())
            arena.put(np.concatenate([genomes, opponents]))
            scores, games = arena.play(pairs, call=step, keep=True)
            points = (2 * scores.first + scores.draws).reshape(BATCH, -1).sum(axis=1)
            plies = games.outcomes.plies.reshape(BATCH, -1).mean(axis=1)
            # The two games of a pairing follow each other: the first player has Black, then White.
            kept = games.pieces.reshape(-1, 2, 2)[:, [0, 1], [0, 1]].reshape(BATCH, -1).mean(axis=1)
            scheduler.tell(points, np.column_stack([plies, kept]))
            run.generation(genomes, points)
    return archive


if __name__ == "__main__":
    print(evolve().stats)
