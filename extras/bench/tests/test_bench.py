"""The verb `bench`, the signature of behaviour, and perft against published numbers; no time is asserted.

Source of perft: OEIS A133046 (paths), A133047 (positions), Aart Bik; distinct moves: the tests of dctl.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pytest

import main
from extras.bench import figures, perft_kernels, signature, speed
from extras.bench.counting import divide, perft
from game import moves
from game.board import Position
from game.networks.named import CNN_247
from game.rules import START_FEN
from tests import naive
from tests.called import without_notice
from tests.evolve.tiny_sessions import SIGNATURE

FIGURES = {
    *("perft", "games", "game-plies", "game-evaluations", "generations-15"),
    *(f"search{what}-{name}" for what in ("", "-nodes") for name in ("material", "cnn-247", "anaconda-5046")),
}


def test_the_signature_is_the_same_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    """The same at the second time; for other processors test_golden.py asks for it."""
    assert main.main(["bench", "--signature"]) == main.DONE
    assert capsys.readouterr().out == f"{SIGNATURE}\n"
    assert main.main(["bench", "--signature", "--json"]) == main.DONE
    assert json.loads(capsys.readouterr().out) == {"signature": SIGNATURE}


def test_signature_sees_one_bit_of_one_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    made = signature.make_genome

    def changed(spec: Any, seed: int) -> Any:
        genome = made(spec, seed)
        if spec == CNN_247:
            genome.view("u4")[-1] ^= 1
        return genome

    monkeypatch.setattr(signature, "make_genome", changed)
    assert signature.signature() != SIGNATURE


@pytest.mark.addition(
    "figure of `bench`", "a `Metric` in `extras/bench/speed.py`, or in `tests/measurements/`, with its goal"
)
def test_quick_bench_has_every_figure() -> None:
    shown: list[str] = []
    result = figures.measure((speed.probes,), None, shown.append, quick=True)[1]
    assert set(result) == {"machine", "figures", "signature"}
    assert {figure["name"] for figure in result["figures"]} == FIGURES
    for figure in result["figures"]:
        assert set(figure) == {"name", "unit", "text", "median", "low", "high", "rounds"}
        assert figure["rounds"] == 1
        assert 0 < figure["low"] <= figure["median"] <= figure["high"]
    assert result["signature"] == SIGNATURE
    assert shown[0] == "round 1 of 1: perft" and shown[-1] == ""
    text = figures.text(result)
    assert all(name in text for name in FIGURES)
    assert text.endswith(f"Bench: {SIGNATURE}")


def test_only_the_groups_that_are_named_are_measured() -> None:
    result = figures.measure((speed.probes,), figures.names("game-plies"), lambda _: None, quick=True)[1]
    assert [figure["name"] for figure in result["figures"]] == ["games", "game-plies", "game-evaluations"]
    assert result["signature"] is None


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--only", "perft,zz,,aa"], "--only: 'aa', 'zz': no such figure; known are game-evaluations, "),
        (["--only", ""], "--only: expected names of figures; known are game-evaluations, "),
        (["--only", " , ", "--json"], "--only: expected names of figures; known are game-evaluations, "),
        (["--signature", "--only", ""], "--only: not together with --signature"),
        (["--signature", "--only", "perft", "--json"], "--only: not together with --signature"),
    ],
)
def test_figures_that_there_are_not(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["bench", *arguments]) == main.MISTAKE
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = without_notice(err).splitlines()
    assert line.startswith(f"main.py: {text}")


PATHS = dict(enumerate((7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564, 85242128, 388623673), 1))
DISTINCT = PATHS | {12: 388617999}  # the conventions first differ at depth 12
POSITIONS = [1, 7, 49, 216, 805, 2733, 9105, 28123, 85340, 255800, 768155, 2265062]

SHALLOW = range(1, 11)
DEEP = [pytest.param(depth, marks=pytest.mark.slow) for depth in (11, 12)]

CANARY = 0xDEADBEEFDEADBEEF  # no board and no code of a move


@pytest.mark.parametrize("depth", [*SHALLOW, *DEEP])
def test_perft_counts_the_published_paths(depth: int) -> None:
    assert perft(Position.start(), depth) == PATHS[depth]


@pytest.mark.parametrize("depth", [*SHALLOW, *DEEP])
def test_perft_counts_the_published_distinct_moves(depth: int) -> None:
    assert perft(Position.start(), depth, distinct=True) == DISTINCT[depth]


def test_different_positions_are_counted_once() -> None:
    _check_positions(8)


def _check_positions(depth: int) -> None:
    levels = naive.perft(Position.start(), depth, _by_path)
    assert [level.positions for level in levels] == POSITIONS[1 : depth + 1]
    assert [level.sequences for level in levels] == [PATHS[ply] for ply in range(1, depth + 1)]


def _by_path(position: Position) -> list[Position]:
    return [after for _, after in moves.successors(position)]


def test_random_positions_like_the_naive_twin() -> None:
    """Both conventions, both colours, to depth 3; many kings, so that paths and positions differ at once."""
    conventions_differ = 0
    for board in naive.random_boards(Random(20), 30):
        position = Position.from_fen(board.fen())
        for distinct, successors in ((False, naive.by_path), (True, naive.distinct)):
            expected = [level.sequences for level in naive.perft(board, 3, successors)]
            for same in (position, position.mirror()):
                counts = [perft(same, depth, distinct=distinct) for depth in (1, 2, 3)]
                assert counts == expected, f"{same} distinct={distinct}"
        conventions_differ += counts != [perft(position, depth) for depth in (1, 2, 3)]
    assert conventions_differ


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("fen", [START_FEN, "B:W6,7,8,14,15,16,22,23:BK1", "W:W5,6,K11:B1,2,K7,8"])
def test_divide_sums_to_perft(fen: str, distinct: bool) -> None:
    position = Position.from_fen(fen)
    for depth in range(1, 6):
        divided = divide(position, depth, distinct=distinct)
        assert sum(divided.values()) == perft(position, depth, distinct=distinct)
    assert len(divided) == perft(position, 1, distinct=distinct)


def test_divide_names_root_moves() -> None:
    divided = divide(Position.start(), 2)
    assert divided == dict.fromkeys(["9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"], 7)


def test_distinct_divide_keeps_the_first_of_several_paths() -> None:
    position = Position.from_fen("B:W6,7,14,15:BK2")
    assert divide(position, 1) == {"2x9x18x11x2": 1, "2x11x18x9x2": 1}
    assert divide(position, 1, distinct=True) == {"2x9x18x11x2": 1}


def test_a_lost_position_has_no_further_leaves() -> None:
    lost = Position.from_fen("B:W25,30:B21")
    assert perft(lost, 0) == 1
    assert [perft(lost, depth) for depth in (1, 2, 5)] == [0, 0, 0]
    assert divide(lost, 3) == {}


def test_depth_below_its_range() -> None:
    with pytest.raises(ValueError, match="depth"):
        perft(Position.start(), -1)
    with pytest.raises(ValueError, match="depth"):
        divide(Position.start(), 0)


@pytest.mark.parametrize("mode", [perft_kernels.PATHS, perft_kernels.DISTINCT])
def test_writes_only_to_its_memory(mode: int) -> None:
    depth = 7
    memory = np.full((depth + 2, perft_kernels.LEVEL_WORDS), CANARY, np.uint64)
    start = Position.start()
    words = (np.uint64(start.own), np.uint64(start.opponent), np.uint64(start.kings))
    total = perft_kernels.perft(*words, start.side, depth, mode, memory[1:-1].ctypes.data)
    assert total == PATHS[depth]
    assert (memory[[0, -1]] == CANARY).all()
    used = np.flatnonzero(memory.reshape(-1) != CANARY)
    assert (
        0 < len(used) < 60 * depth * perft_kernels.CHILD_BYTES
    )  # children of captures follow each other, level by level


def test_perft_counts_captures_to_one_position_once_or_each() -> None:
    random, dropped = Random(3), 0
    for board in [naive.capture_feast(random) for _ in range(2000)]:
        position = Position.from_fen(board.fen())
        count = len(naive.turns(board))
        kept = perft(position, 1, distinct=True)
        assert kept == len(naive.distinct(board)), str(position)
        assert perft(position, 1) == count, str(position)
        assert perft(position, 2) == sum(divide(position, 2).values()), str(position)
        dropped += count - kept
    assert dropped > 50
