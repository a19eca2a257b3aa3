"""Evolution gene by gene against a twin in plain Python, and what it finds where all is known."""

from __future__ import annotations

import hashlib
import math
import os
import platform
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from game.bitboard import rotate
from game.board import Position
from game.errors import InputError
from game.generator import GAMMA, MASK, mix
from game.networks.evaluator import Evaluator
from game.networks.genes import VISITS, Examples, Training, learn, problem
from game.networks.named import SHIPPED
from game.networks.spec import Spec
from game.rules import WHITE
from tests import naive
from tests.game.networks.network_samples import BY_MOVER, genomes
from tests.naive import PLACES
from tests.naive_network import PATTERNS, blended, output, pieces_seen

TABLES = next(spec for spec in BY_MOVER if spec.name == "tables-65")
SPECS = (
    TABLES,
    next(spec for spec in BY_MOVER if spec.name == "patterns"),
    Spec("three-phases", "planes", (), tables=True, phases=3, evolving_king=True, piece_difference=True),
    Spec("one-phase", "pieces", (), tables=True, patterns=True),
)
GOLDEN = "4035c90616c1ae6a5bcaf7a7e39c430dfb24eb05201b4f5cb6f61a1f0edbdc8f"


def philox(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def fens(seed: int, count: int) -> list[str]:
    return [board.fen() for board in naive.random_boards(Random(seed), count)]


def rows_of(boards: list[str]) -> Any:
    """As their movers see them."""
    found = []
    for fen in boards:
        at = Position.from_fen(fen)
        words = [at.black, at.white, at.kings]
        if at.side == WHITE:
            words = [rotate(at.white), rotate(at.black), rotate(at.kings)]
        found.append(words)
    return np.array(found, np.uint64)


# The twin ---------------------------------------------------------------------------------------------------------


def shares_of(spec: Spec, fen: str) -> dict[int, float]:
    """The genes that count in a position, with what each adds if it is 1."""
    near = [blended([float(at == phase) for at in range(spec.phases)], fen) for phase in range(spec.phases)]
    found: dict[int, float] = {}

    def add(gene: int, share: float) -> None:
        found[gene] = found.get(gene, 0.0) + share

    seen = pieces_seen(fen, fen[0])
    for phase, share in enumerate(near):
        for own, board in ((share, seen), (-share, pieces_seen(fen, "BW"[fen[0] == "B"]))):
            for place, (row, column) in enumerate(PLACES.values()):
                if board[row][column] in "bB":
                    add(64 * phase + 32 * (board[row][column] == "B") + place, own)
        add(64 * spec.phases + phase, share)
        if spec.patterns:
            corners = [(top, left) for top in (0, 2, 4) for left in (0, 2, 4)]
            for window, (top, left) in enumerate(corners):
                places = [at for at in PLACES.values() if top <= at[0] < top + 4 and left <= at[1] < left + 4]
                cell = sum({"b": 1, "w": 2}.get(seen[row][at], 0) * 3**n for n, (row, at) in enumerate(places))
                add(65 * spec.phases + PATTERNS * phase + 3**8 * window + cell, share)
    return {gene: share for gene, share in found.items() if share}


def counted(spec: Spec, fen: str, king: float) -> float:
    values = {"b": 1.0, "w": -1.0, "B": king, "W": -king, ".": 0.0}
    return math.fsum(values[piece] for row in pieces_seen(fen, fen[0]) for piece in row) * spec.piece_difference


def loss(value: float, points: float) -> float:
    return math.log1p(math.exp(-abs(value))) + max(value, 0.0) - points * value


def learn_plainly(
    spec: Spec, genome: Any, boards: list[str], points: Any, how: Training, generator: Any, king: float
) -> Any:
    genome = [float(weight) for weight in genome]
    visit = int(generator.integers(0, VISITS))
    steps, done, kept = how.passes * len(boards), 0, []
    for _ in range(how.passes):
        for number in generator.permutation(len(boards)).tolist():
            shares, rate = shares_of(spec, boards[number]), how.rate * (1 - done / steps)
            lots = {gene: mix((((visit + done) << 20) + gene + GAMMA) & MASK) for gene in shares}
            value = counted(spec, boards[number], king) + sum(genome[gene] * shares[gene] for gene in shares)
            change = dict.fromkeys(shares, 0.0)
            for pair in range(16):
                signs = {gene: (-1) ** ((lot >> 63) + (lot & 15 & pair).bit_count()) for gene, lot in lots.items()}
                way = how.step * sum(signs[gene] * shares[gene] for gene in shares)
                worse, better = (loss(how.scale * (value + side * way), points[number]) for side in (1, -1))
                for gene in shares:
                    change[gene] += signs[gene] * (worse - better) / (2 * how.step) / 16
            for gene in shares:
                if gene < 65 * spec.phases:
                    genome[gene] -= rate / 4 * change[gene]
                else:
                    genome[gene] -= rate * (change[gene] + how.decay * genome[gene])
            done += 1
        kept.append(genome[:])
    kept = kept[len(kept) // 2 :]
    return np.array([math.fsum(each) / len(kept) for each in zip(*kept, strict=True)], np.float32)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_genes_that_count_are_the_value(spec: Spec) -> None:
    """The twin's, by the twin of networks."""
    genome = genomes(spec, 1, 1)[0].tolist()
    for fen in fens(2, 12):
        value = counted(spec, fen, 1.25) + math.fsum(
            genome[gene] * share for gene, share in shares_of(spec, fen).items()
        )
        assert value == pytest.approx(output(spec, genome, fen, fen[0], 1.25), abs=1e-9)


@pytest.mark.parametrize("passes", [1, 2, 5])
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_learning_is_that_of_the_twin(spec: Spec, passes: int) -> None:
    boards, genome = fens(3, 24), genomes(spec, 4, 1, scale=0.2)[0]
    points = philox(5).random(len(boards))
    how = Training(scale=0.8, passes=passes, step=0.07, rate=0.1, decay=0.03)
    found = learn(spec, genome, Examples(rows_of(boards), points), how, philox(6), king=1.25)
    expected = learn_plainly(spec, genome, boards, points, how, philox(6), 1.25)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    assert np.count_nonzero(found != genome) > 40


def test_a_step_is_the_gradient_of_the_loss() -> None:
    """Averaged over the signs that mutants draw."""
    spec, fen, points, rate, visits = SPECS[1], fens(9, 1)[0], 0.3, 1e-3, 3000
    genome = genomes(spec, 4, 1, scale=0.2)[0]
    examples, how = Examples(rows_of([fen]), np.array([points])), Training(scale=0.8, passes=1, step=0.05, rate=rate)
    shares = shares_of(spec, fen)
    value = how.scale * (counted(spec, fen, 1.25) + sum(float(genome[gene]) * share for gene, share in shares.items()))
    slope = how.scale * (1 / (1 + math.exp(-value)) - points)
    moved = np.zeros(len(genome))
    for seed in range(visits):
        moved += learn(spec, genome, examples, how, philox(seed), king=1.25).astype(np.float64) - genome
    expected = np.zeros(len(genome))
    for gene, share in shares.items():
        expected[gene] = -slope * share * rate * (0.25 if gene < 65 * spec.phases else 1.0)
    used = np.array(sorted(shares))
    assert np.count_nonzero(np.delete(moved, used)) == 0
    assert (moved[used] @ expected[used]) / visits / (expected[used] @ expected[used]) == pytest.approx(1.0, abs=0.03)
    assert np.corrcoef(moved[used], expected[used])[0, 1] > 0.99


# What is found ----------------------------------------------------------------------------------------------------


def taught(spec: Spec, seed: int, count: int) -> tuple[Any, Examples]:
    """A genome, and what it says of positions."""
    teacher = genomes(spec, seed, 1, scale=0.3)[0]
    rows = rows_of(fens(seed, count))
    values = Evaluator(spec, teacher).score_rows(np.column_stack([rows, np.ones(count, np.uint64)]))
    return teacher, Examples(rows, 1 / (1 + np.exp(-values.astype(np.float64))))


def mean_loss(spec: Spec, genome: Any, examples: Examples) -> float:
    rows = np.column_stack([examples.rows, np.ones(len(examples.rows), np.uint64)])
    values = Evaluator(spec, genome).score_rows(rows).tolist()
    return math.fsum(map(loss, values, examples.points.tolist())) / len(values)


@pytest.mark.parametrize("spec", SPECS[:2], ids=lambda spec: spec.name)
def test_who_knew_nothing_predicts_what_was_taught(spec: Spec) -> None:
    teacher, examples = taught(spec, 1, 600)
    nothing, least = (mean_loss(spec, genome, examples) for genome in (np.zeros_like(teacher), teacher))
    losses = []
    for passes in (4, 40):
        found = learn(spec, np.zeros_like(teacher), examples, Training(1.0, passes, rate=0.05), philox(2))
        losses.append(mean_loss(spec, found, examples) - least)
    assert losses[0] < 0.7 * (nothing - least)
    assert losses[1] < 0.3 * (nothing - least)


def test_who_knows_all_stays() -> None:
    teacher, examples = taught(TABLES, 3, 400)
    found = learn(TABLES, teacher, examples, Training(1.0, 4, rate=0.02), philox(2))
    np.testing.assert_allclose(found, teacher, atol=0.05)


def test_patterns_that_nobody_needs_decay() -> None:
    spec, (_, examples) = SPECS[1], taught(TABLES, 4, 200)
    start = genomes(spec, 5, 1)[0]
    found = [
        learn(spec, start, examples, Training(1.0, 4, rate=0.02, decay=decay), philox(2))[130:] for decay in (0.0, 0.5)
    ]
    moved = found[1] != start[130:]
    assert (np.abs(found[1]) < np.abs(found[0]))[moved].mean() > 0.9


def learnt() -> str:
    """SHA-256 (hexadecimal) over what genomes learn."""
    digest = hashlib.sha256()
    for spec in SPECS:
        examples = Examples(rows_of(fens(6, 50)), philox(6).random(50))
        start = genomes(spec, 7, 1, scale=0.5)[0]
        digest.update(learn(spec, start, examples, Training(0.9, 3, rate=0.3, decay=0.01), philox(8)).tobytes())
    return digest.hexdigest()


def test_the_same_bits_everywhere() -> None:
    assert learnt() == GOLDEN


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the target is one of x86")
@pytest.mark.check
def test_the_same_bits_on_a_processor_without_fused_instructions(tmp_path: Path) -> None:
    target = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "CROWNHEAD_CACHE_DIR": str(tmp_path)}
    given = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"} | target
    root, command = Path(__file__).parents[3], [sys.executable, "-m", "tests.game.networks.test_genes"]
    printed = subprocess.run(command, check=True, cwd=root, env=given, capture_output=True, text=True).stdout
    assert printed.strip() == GOLDEN


@pytest.mark.parametrize("spec", [*SHIPPED.values(), *(spec for spec in BY_MOVER if spec.layers)], ids=lambda s: s.name)
def test_networks_with_layers_are_refused(spec: Spec) -> None:
    assert "only networks of tables and patterns" in problem(spec)
    with pytest.raises(InputError, match="only networks of tables and patterns"):
        learn(spec, np.zeros(spec.weights), taught(TABLES, 1, 1)[1], Training(1.0), philox(1))


def test_what_else_is_refused() -> None:
    examples = taught(TABLES, 1, 1)[1]
    assert problem(TABLES) == ""
    with pytest.raises(InputError, match="not a finite number"):
        learn(TABLES, np.full(65, np.inf), examples, Training(1.0), philox(1))
    with pytest.raises(InputError, match="expected at least one"):
        learn(TABLES, np.zeros(65), Examples(examples.rows[:0], examples.points[:0]), Training(1.0), philox(1))
    with pytest.raises(InputError, match="expected 65 weights"):
        learn(TABLES, np.zeros(64), examples, Training(1.0), philox(1))


if __name__ == "__main__":
    print(learnt())
