"""Small runs and files of individuals for tests, made quickly: random weights, and results by rank."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from evolve.names.players import resolve
from evolve.run import append_only, generation_csv
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation
from game.networks.named import CNN_247
from game.players.names import PlayerName
from game.players.player import Player

INDIVIDUALS = 12


def generation(number: int, count: int = INDIVIDUALS) -> Generation:
    draw = np.random.default_rng(number)
    return Generation(
        [f"Gen{number:02}_{at:04}" for at in range(count)],
        draw.normal(size=(count, CNN_247.weights)).astype(np.float32),
        np.arange(1, count + 1),
        ["founder" if number == 0 else "mutated"] * count,
        [() if number == 0 else (f"Gen{number - 1:02}_0001",)] * count,
        np.array([[28, 10 + at, 8, 10 - at, 38 + 3 * at] for at in range(count)]),
    )


def add_generation(run: Run, number: int) -> None:
    rows = generation(number)
    champion = generation_csv.to_csv(rows.head(1), header=number == 0, first=("generation", number))
    run.save(run.manifest(), generation_csv.to_csv(rows), {"hall_of_fame.csv": champion})


def make_run(runs: Path, name: str, generations: int = 3) -> Run:
    (runs / name).mkdir(parents=True)
    (runs / name / "config.toml").write_text("", encoding="utf-8")
    run = Run(runs / name)
    for number in range(generations):
        add_generation(run, number)
    return run


def plain_file(path: Path, names: list[str], width: int = CNN_247.weights) -> Path:
    lines = ["names," + ",".join(f"w{at}" for at in range(width))]
    lines += [f"{name}," + ",".join(["0.5"] * width) for name in names]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def random_rows(generation: int, count: int = 6, width: int = 5) -> Generation:
    """Return a generation of founders with random weights, which depend only on the number."""
    generator = np.random.Generator(np.random.Philox(generation))
    return Generation(
        [f"Gen{generation:02d}_{index:04d}" for index in generator.permutation(count)],
        generator.uniform(-1, 1, (count, width)).astype(np.float32),
        np.arange(1, count + 1),
        ["founder"] * count,
        [()] * count,
        np.zeros((count, 5), np.int64),
    )


def growing_lines(rows: Generation, generation: int) -> dict[str, bytes]:
    """Return the lines that a generation adds to the growing files of a run, by file name."""
    header = b"generation,champion,games,evaluations,seconds\n" if generation == 0 else b""
    games = "".join(
        f'[Event "Ranking of generation {generation}"]\n[Round "{generation}.{game}"]\n[Result "*"]\n\n1. 9-13 *\n\n'
        for game in (1, 2)
    )
    return {
        append_only.LOG: header + f"{generation},{rows.names[0]},{100 + generation},7,0.5\n".encode(),
        append_only.HALL_OF_FAME: generation_csv.to_csv(
            rows.head(1), header=generation == 0, first=("generation", generation)
        ),
        append_only.CHAMPIONS: games.encode(),
    }


def run_player(run: Run, generation: int | None = None, name: str | None = None, **options: object) -> Player:
    """Return an individual of a run as a player, by default the champion of the newest generation."""
    at = "" if generation is None else f"@{generation}"
    texts = {key: str(value) for key, value in options.items()}
    settings = "".join(f",{key}={value}" for key, value in texts.items())
    text = f"{run.cli_name}{at}{'' if name is None else f':{name}'}{settings}"
    return resolve(run.path.parent, None, PlayerName(text, f"{run.path.resolve()}{at}", name, texts))


def bare(path: Path, names: list[str], width: int = 247) -> Path:
    weights = np.random.Generator(np.random.Philox(5)).uniform(-1, 1, (len(names), width)).astype(np.float32)
    lines = [",".join(["names", *(f"w{index}" for index in range(width))])]
    lines += [",".join([name, *map(str, row)]) for name, row in zip(names, weights, strict=True)]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path
