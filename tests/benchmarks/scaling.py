"""How much faster two workers play than one: games only, nothing saved, rounds interleaved.

Run from the top of the tree: ``python -m tests.benchmarks.scaling [--seconds 5] [--rounds 5]``. Machines that other
programs share are noisy, so only ratios within one run mean anything.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from dataclasses import replace

import numpy as np

from evolve import config_file
from evolve.arena import Arena
from evolve.randomness import Draw, stream
from evolve.session import warm_up
from evolve.workers import SharedRows, Workers, choose_start_method
from game.networks.shipped import CNN_247

GENOMES = 1024


def cpu_seconds(pids: list[int]) -> float:
    """CPU time so far of these processes (Linux)."""
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="of one worker's batch (default: 5)")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (default: 5)")
    options = parser.parse_args()
    config = replace(config_file.load(), seed=1)
    warm_up(config)
    generator = stream(1, 0, Draw.FOUNDERS)
    genomes = generator.uniform(-1, 1, (GENOMES, CNN_247.weights)).astype(np.float32)
    arenas = {}
    for count in (1, 2):
        shared = SharedRows(GENOMES, CNN_247.weights)
        method = choose_start_method("auto")
        workers = Workers(count, start_method=method, shared=shared, timeout=600.0, tick=lambda: None)
        arenas[count] = (Arena(config, workers.map, count, shared), workers)
        arenas[count][0].put(genomes, np.full(GENOMES, CNN_247.king, np.float32))

    def play(count: int, games: int) -> tuple[float, float]:
        arena, workers = arenas[count]
        pairs = stream(2, 0, Draw.FOUNDERS).integers(0, GENOMES, (games, 2))
        pids = [os.getpid(), *workers.pids()]
        cpu, started = cpu_seconds(pids), time.perf_counter()
        arena.play(pairs, (0, Draw.BALLOTS, ()))
        return time.perf_counter() - started, cpu_seconds(pids) - cpu

    games = 2000
    games = round(games * options.seconds / play(1, games)[0])
    walls, cpus = [], []
    for number in range(options.rounds):
        (wall_1, cpu_1), (wall_2, cpu_2) = play(1, games), play(2, games)
        walls.append(wall_1 / wall_2)
        cpus.append(cpu_2 / cpu_1)
        print(f"round {number + 1}: {games:,} games, wall {wall_1:.2f} / {wall_2:.2f} s = {walls[-1]:.3f}", end="")
        print(f", CPU two / one = {cpus[-1]:.3f}")
    print(f"median: wall(1)/wall(2) = {statistics.median(walls):.3f} ({min(walls):.3f} to {max(walls):.3f})", end="")
    print(f", CPU(2)/CPU(1) = {statistics.median(cpus):.3f}")
    for _, workers in arenas.values():
        workers.close()


if __name__ == "__main__":
    main()
