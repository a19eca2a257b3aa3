"""Runs written without playing, in the program's formats, so even long ones are made quickly; for figures and tests.

Names, ranks, parents, counts and log fit together as in a real run. Genomes are a random walk along the ancestry, so
diversity shrinks and settles as in a real run. The recorded games are not real games.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from evolve.breeding.inheritance import individual_name
from evolve.config import toml
from evolve.report.genomes import distinct_genomes
from evolve.run import append_only
from evolve.run.files import write_atomically
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation, to_csv
from evolve.run.log import LOG_COLUMNS, RATED_COLUMNS
from evolve.run.manifest import Manifest
from evolve.session import create
from evolve.session.saving import diversity
from game.networks.named import SHIPPED

PARENTS, MUTANTS = 16, 3
SIZE = PARENTS * (1 + MUTANTS)
GAMES = 3
"""Number of the champion's games that are recorded for each generation."""


def make_run(
    folder: Path,
    name: str,
    generations: int,
    *,
    network: str = "cnn-247",
    seed: int = 1,
    rated: bool = False,
    survivors: int = PARENTS,
    mutants: int = MUTANTS,
    high: float = 0.1,
) -> Run:
    """Make a complete run.

    Args:
        folder: the folder of runs.
        name: the name of the run.
        generations: the number of the last generation; -1 makes an empty run.
        network: a shipped network.
        seed: the seed of all random numbers.
        rated: whether the log has columns for ratings.
        survivors: the number of parents of each generation, which are its first rows.
        mutants: the number of mutants of each parent; together with the parent, a power of two.
        high: the value of `variation.high`, by which settings differ.
    """
    size = survivors * (1 + mutants)
    settings = [
        f"population={{parents={survivors},recombine=false,mutants={mutants}}}",
        f'stages=[{{kind="elimination",rounds={mutants.bit_length()}}},{{kind="round-robin"}}]',
        f"variation.high={high}",
    ]
    settings += [f"generations={max(generations, 0)}", f"seed={seed}", f'network="{network}"']
    run = create.create(folder, name, toml.load(settings=settings))
    width = SHIPPED[network].weights
    kings = SHIPPED[network].evolving_king
    generator = np.random.Generator(np.random.Philox(seed))
    genomes = generator.uniform(-1, 1, (size, width)).astype(np.float32)
    columns = [name for name in LOG_COLUMNS if rated or name not in RATED_COLUMNS]
    known, log, hall, games = Manifest(), [",".join(columns) + "\n"], [], []
    before: list[str] = []
    for generation in range(generations + 1):
        order = generator.permutation(size)
        names = [individual_name(generation, int(index)) for index in order]
        parents: list[tuple[str, ...]] = [()] * size
        origins = ["founder"] * size
        if generation:
            sources = order % survivors
            noise = generator.uniform(-0.1, 0.1, (size, width)) * (order >= survivors)[:, None]
            genomes = (genomes[sources] + noise).astype(np.float32)
            parents = [(before[source],) for source in sources]
            origins = ["survivor" if index < survivors else "mutated" for index in order]
        before = names[:survivors]
        ranks = np.arange(1, size + 1)
        points = (size - ranks).astype(np.int64)
        wins, draws = points // 3, points % 3
        counts = np.stack([np.full(size, 30), wins, draws, 30 - wins - draws, points], axis=1)
        king = np.full(size, 2.0, np.float32) if kings else None
        rows = Generation(names, genomes, ranks, origins, parents, counts, king)
        data = to_csv(rows)
        write_atomically(run.generation_path(generation), data, durable=False)
        known = known.with_entry(hashlib.sha256(data).hexdigest())
        values = {
            "generation": generation, "champion": names[0], "individuals": size, "games": 200, "draws": 50,
            "failures": 0, "plies": 10_000, "evaluations": 50_000, "best_points": int(points[0]),
            "mean_points": float(points.mean()), "worst_points": int(points[-1]),
            "distinct": distinct_genomes(genomes), "diversity": diversity(genomes), "seconds": 0.1,
        }  # fmt: skip
        rating = round(400 * (1 - np.exp(-generation / 50)) + 10 * generator.standard_normal(), 1)
        values |= dict(zip(RATED_COLUMNS, (rating, rating - 30, rating + 30, 4, 0, 0), strict=True))
        log.append(",".join(str(values[column]) for column in columns) + "\n")
        hall.append(to_csv(rows.head(1), header=generation == 0, first=("generation", generation)))
        games += [_game(generation, number, names) for number in range(1, GAMES + 1)]
    if generations >= 0:
        (run.path / append_only.LOG).write_text("".join(log), encoding="utf-8")
        (run.path / append_only.HALL_OF_FAME).write_bytes(b"".join(hall))
        (run.path / append_only.CHAMPIONS).write_text("".join(games), encoding="utf-8")
        known.write(run.path)
    return run


def _game(generation: int, number: int, names: list[str]) -> str:
    tags = (
        ("Event", f"Ranking of generation {generation} (start)"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", f"{generation}.{number}"),
        ("Black", names[0]),
        ("White", names[number]),
        ("Result", "*"),
        ("GameType", "21"),
    )
    moves = ("11-15 23-19", "9-14 22-18", "12-16 24-20")[number % 3]
    return "".join(f'[{tag} "{value}"]\n' for tag, value in tags) + f"\n1. {moves} *\n\n"
