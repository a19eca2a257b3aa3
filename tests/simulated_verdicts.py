"""Simulated runs whose champions have a known difference to a level: in how many is "beats" said?

``python -m tests.simulated_verdicts`` prints the table of docs/ratings.md. Pairs of games are drawn from distributions
of three shapes, from many draws to few, whose mean is the expected score of the difference; each run has one of them.
The rating of a champion is its true rating plus 100 (ratings against piece counters promise too much), with an error
of 50 Elo and an interval of 80 to either side; it decides which generations are tested, as in a session. With `always`,
each generation is tested, as if every rating were higher than all earlier ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evolve.strength.betting import ROUND, decide
from evolve.strength.elo import expected_score, find_root
from evolve.strength.verdict import OPPONENTS, WORTH_TESTING, LevelState

SHAPES = {
    "drawn": (0.05, 0.15, 0.60, 0.15, 0.05),
    "usual": (0.12, 0.20, 0.36, 0.20, 0.12),
    "decisive": (0.25, 0.10, 0.30, 0.10, 0.25),
}
"""Chances of the results of a pair between level players: 0, 1/2, 1, 1 1/2 and 2 points."""

BIAS, ERROR, HALF = 100.0, 50.0, 80.0
"""Of ratings: their bias, their standard error, and half the width of their intervals."""

LEVEL = OPPONENTS.index("Strong")


def pair_chances(difference: float, shape: str) -> NDArray[np.float64]:
    """Return the chances of the five results of a pair for a difference in Elo, by tilting a shape exponentially."""
    level, points, wanted = np.array(SHAPES[shape]), np.arange(5) / 4, expected_score(difference)

    def tilted(tilt: float) -> NDArray[np.float64]:
        chances: NDArray[np.float64] = level * np.exp(tilt * points)
        return chances / chances.sum()

    return tilted(find_root(lambda tilt: float(tilted(tilt) @ points) < wanted, -50.0, 50.0))


def share_of_runs(
    difference: float, *, runs: int, generations: int, seed: int, always: bool = False, spending: bool = True
) -> tuple[float, float]:
    """Return the share of runs that are said to beat a level, and the mean number of pairs of games of a run.

    Args:
        difference: true difference to the level in Elo, of each champion.
        runs: number of runs.
        generations: number of rated generations of each run.
        seed: seed of all random numbers.
        always: test every generation, whatever its rating.
        spending: whether tests without a verdict make later ones stricter.
    """
    generator = np.random.Generator(np.random.Philox(seed))
    shapes = [pair_chances(difference, shape) for shape in SHAPES]
    result = played = 0
    for _ in range(runs):
        chances = shapes[generator.integers(len(shapes))]
        state = LevelState(beaten=LEVEL)
        for generation in range(generations):
            low = WORTH_TESTING[LEVEL] + difference + BIAS + ERROR * generator.normal() - HALF
            if always:
                low = WORTH_TESTING[LEVEL] + 1.0 + generation
            if state.beaten > LEVEL or state.next(low) is None:
                continue
            pairs, verdict = [], None
            while verdict is None:
                pairs += generator.choice(5, size=ROUND, p=chances).tolist()
                verdict = decide(pairs, state.unproven if spending else 0)
            played += len(pairs)
            state = state.after(verdict, generation, low)
        result += state.beaten > LEVEL
    return result / runs, played / runs


def main() -> None:
    print("| true difference | 8 ratings | 300 ratings | 100, each tested | pairs in these runs |")
    print("|---:|---:|---:|---:|---:|")
    for difference in (-50, 0, 50, 100):
        cells = [
            share_of_runs(difference, runs=2000, generations=generations, always=always, seed=1)
            for generations, always in ((8, False), (300, False), (100, True))
        ]
        shares = " | ".join(f"{100 * share:.1f} %" for share, _ in cells)
        print(f"| {difference:+d} | {shares} | {', '.join(f'{pairs:,.0f}' for _, pairs in cells)} |", flush=True)


if __name__ == "__main__":
    main()
