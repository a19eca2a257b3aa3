"""The gauge of evaluations: its statistics against slow twins, its file, and its command."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve.names.players import frozen_player
from evolve.names.registration import register
from evolve.run.runs import SHIPPED_RUNS
from game.board import Position
from game.errors import InputError
from game.players.basic import MaterialPlayer
from game.players.registry import player
from game.review.reviewing import Analyst
from game.scores import EVEN
from game.search.interface import Limits
from tests import naive
from tests.measurements import gauge
from tests.measurements.gauge import GaugePosition, PositionOrigin

ROOT = Path(__file__).parents[2]
QUIET = Position.from_fen("W:W18,22,K30:B1,5,K12")


def naive_correlation(first: list[float], second: list[float]) -> float:
    """Return the rank correlation by counting, for each value, the smaller and the equal ones."""
    ranks = [
        [sum(other < one for other in values) + sum(other == one for other in values) / 2 for one in values]
        for values in (first, second)
    ]
    means = [sum(each) / len(each) for each in ranks]
    pairs = [(a - means[0], b - means[1]) for a, b in zip(*ranks, strict=True)]
    return sum(a * b for a, b in pairs) / math.sqrt(sum(a * a for a, _ in pairs) * sum(b * b for _, b in pairs))


def judged(scores: list[float], position: Position = QUIET) -> list[GaugePosition]:
    return [GaugePosition(PositionOrigin.PLAYED, position, score) for score in scores]


@pytest.mark.parametrize("levels", [3, 1000])  # with many equal values, and with few
def test_rank_correlation_is_that_of_the_twin(levels: int) -> None:
    first, second = np.random.default_rng(levels).integers(levels, size=(2, 150)).astype(float)
    second += first
    expected = naive_correlation(first.tolist(), second.tolist())
    assert 0.4 < expected < 0.9
    assert gauge.rank_correlation(first, second) == pytest.approx(expected, abs=1e-12)
    assert math.isnan(gauge.rank_correlation(first, np.ones(150)))


def test_intervals_are_percentiles_of_resampled_positions(limit: Callable[..., None]) -> None:
    limit(gauge, "RESAMPLES", 41)
    generator = np.random.default_rng(1)
    judge, one, two = generator.standard_normal((3, 30))
    one, two = one + judge, two + 3 * judge
    read = gauge.readings(["one", "two"], 1, judged(judge.tolist()), [one, two], np.random.default_rng(7))
    samples = np.random.default_rng(7).choice(np.arange(30), (41, 30))  # the group of all positions is drawn first
    ones, twos = (
        [naive_correlation(values[drawn].tolist(), judge[drawn].tolist()) for drawn in samples] for values in (one, two)
    )
    for correlation, sampled in (
        (read[0].groups["all"], sorted(ones)),
        (read[1].groups["all"], sorted(twos)),
        (read[1].above, sorted(b - a for a, b in zip(ones, twos, strict=True))),
    ):
        assert correlation is not None
        assert (correlation.low, correlation.high) == pytest.approx((sampled[1], sampled[39]))  # 40 steps of 2.5 %


def test_readings_of_the_judge_and_of_its_opposite() -> None:
    judge = np.random.default_rng(1).standard_normal(300)
    noisy = judge + np.random.default_rng(2).standard_normal(300)
    names, series = ["noisy", "judge", "opposite", "constant"], [noisy, judge, -judge, np.zeros(300)]
    read = gauge.readings(names, 1, judged(judge.tolist()), series, np.random.default_rng(3))
    first, same, opposite, constant = (each.groups["all"] for each in read)
    assert (same.value, same.low, same.high, opposite.value) == pytest.approx((1, 1, 1, -1))
    assert first.low < 0.69 < first.high  # for normal values with a correlation of sqrt(1/2)
    assert 0.1 < first.high - first.low < 0.2
    assert read[0].above is None
    above = read[1].above
    assert above is not None
    assert (above.value, above.low, above.high) == pytest.approx((1 - first.value, 1 - first.high, 1 - first.low))
    assert set(read[0].groups) == {"all", "with kings", "endgame", "played"}
    assert (constant.positions, math.isnan(constant.value)) == (300, True)
    assert "none: equal scores" in gauge.report(read)
    assert "nan" not in gauge.report(read)


def test_the_file_has_different_quiet_even_positions() -> None:
    positions = gauge.read_positions()
    assert len(positions) == len({each.position for each in positions}) == 2000
    assert [sum(each.origin is origin for each in positions) for origin in PositionOrigin] == [1500, 500]
    for each in positions:
        board = naive.Board.from_fen(each.position.fen())
        assert len(naive.turns(board)) > 1
        for side in "BW":
            assert not any(turn.captured for turn in naive.turns(replace(board, side=side)))
        pieces = Counter(board.pieces().values())
        assert pieces["b"] == pieces["w"]
        assert pieces["B"] == pieces["W"]
        assert pieces["b"] + pieces["B"] >= 3
    numbers = {name: int(mask.sum()) for name, mask in gauge.groups(positions).items()}
    assert numbers["with kings"] + numbers["without kings"] == 2000
    assert min(numbers.values()) > 100


def test_the_documentation_has_the_digest_of_the_file() -> None:
    digest = hashlib.sha256(gauge.FILE.read_bytes()).hexdigest()
    assert f"`{digest}`" in (ROOT / "docs" / "ratings.md").read_text(encoding="utf-8")


def test_the_judge_gives_the_scores_of_the_file_again() -> None:
    positions = gauge.read_positions()
    judge = Analyst(frozen_player(gauge.JUDGE))
    for index in (3, 1499, 1500, 1999):
        score = gauge.score(judge, positions[index].position, Limits(nodes=gauge.JUDGE_NODES))
        assert score == pytest.approx(positions[index].score, abs=0.0006)
    for each in positions[1500::120]:
        short, long = (gauge.score(judge, each.position, Limits(nodes=nodes)) for nodes in (1_500, 100_000))
        assert abs(short - long) > EVEN


def test_damage_is_reported(tmp_path: Path) -> None:
    path, good = tmp_path / "gauge.tsv", gauge.FILE.read_bytes()
    for damage in (good.replace(b"0.2", b"0.3", 1), good[:-20], good[: good.index(b"\n")], b"", b"\xff\n\n"):
        path.write_bytes(damage)
        with pytest.raises(InputError, match=r"gauge\.tsv: damaged: "):
            gauge.read_positions(path)


def test_scores_are_for_the_side_to_move_and_independent_of_earlier_ones() -> None:
    ahead = Position.from_fen("W:W18,22,K30:B1,K12")
    behind = replace(ahead, side=1 - ahead.side)
    counted = gauge.scores(Analyst(MaterialPlayer()), [ahead, ahead.mirror(), behind, QUIET], Limits(1)).tolist()
    assert counted[0] == counted[1] > 0.5 > abs(counted[3])
    assert counted[2] < -0.5
    register(SHIPPED_RUNS)
    keeping = Analyst(player("crownhead-2,tablebase=no"))
    positions = [each.position for each in gauge.read_positions()[:20]]
    once = gauge.scores(keeping, positions, Limits(5))
    assert gauge.scores(keeping, positions[::-1], Limits(5)).tolist() == once[::-1].tolist()


@pytest.mark.check
def test_players_are_compared() -> None:
    names = ["material", "crownhead-2", "zero,search=alphabeta"]
    register(SHIPPED_RUNS)
    read = gauge.measure(names, 1, gauge.read_positions()[::50])
    assert [each.player for each in read] == names
    assert all(each.above is not None and each.above.value > 0 for each in read[1:])
    assert gauge.report(read).count("above material: +") == 2


@pytest.mark.parametrize("name", ["policy", "random", "nobody", "material,tablebase=9"])
def test_command_refuses_players_without_scores(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        gauge.main([name])
    out, err = capsys.readouterr()
    assert not out
    assert name.split(",", maxsplit=1)[0] in err
