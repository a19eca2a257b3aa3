"""The curve from scores to chances that is fitted to recorded games."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from game.errors import InputError
from game.pdn.check import read_games
from game.review.chances import ChanceCurve
from tests.measurements import calibration

GAMES = """[Event "one"]

1. 11-15 23-18 2. 8-11 18-14 3. 9x18 24-19 4. 15x24 28x19 1-0

[Event "two"]

1. 9-14 22-18 2. 11-16 18x9 0-1

[Event "three"]

1. 9-13 24-20 1/2-1/2

"""


def samples_of(truth: ChanceCurve, *, tests: bool) -> list[calibration.Sample]:
    """Return positions whose results are as likely as a curve says."""
    known = []
    for pieces in (24, 20, 16, 12, 8, 4):
        for step in range(-40, 41):
            score = step / 20
            chances = truth.at(score, pieces)
            for result, share in ((1, chances.win), (0, chances.draw), (-1, chances.loss)):
                known += [calibration.Sample(score, pieces, result, tests)] * round(20 * share)
    return known


def test_curve_is_fitted_to_one_half_and_tested_on_the_other() -> None:
    truth, other = ChanceCurve((0.3, 0.9), (0.5, 0.2)), ChanceCurve((1.5, 1.5), (0.3, 0.3))
    first = samples_of(truth, tests=False)
    result = calibration.fit(first)
    assert (*result.level, *result.spread) == pytest.approx((*truth.level, *truth.spread), abs=0.05)
    same = calibration.calibrate(first + samples_of(truth, tests=True))
    assert (same.curve, same.fitted, same.tested) == (result, len(first), len(first))
    losses = same.log_loss
    assert losses["this curve"] == min(losses.values()) and set(losses) > {"the curve for people", "shares of results"}
    assert all(row.positions >= calibration.LEAST_ROW for row in same.rows)
    assert sum(row.positions for row in same.rows) == 2 * same.tested
    assert all(row.predicted == pytest.approx(row.won, abs=0.05) for row in same.rows)
    assert f"Fitted to {len(first):,} positions" in same.report()
    unlike = calibration.calibrate(first + samples_of(other, tests=True))
    assert unlike.curve == result  # games that test do not fit
    assert any(abs(row.predicted - row.won) > 0.1 for row in unlike.rows)
    with pytest.raises(InputError, match="a curve needs 100 or more"):
        calibration.fit(first[:50])
    with pytest.raises(InputError, match="0 positions of games to test the curve on: expected 100 or more"):
        calibration.calibrate(first)


def test_command_fits_and_tests_a_curve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {calibration.is_for_testing(game) for game in read_games(io.StringIO(GAMES))} == {False, True}
    path = tmp_path / "games.pdn"
    path.write_text(GAMES * 200)
    assert calibration.main([str(path), "--player=material", "--depth=3"]) == 0
    assert "positions of the other games: this curve" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        calibration.main([str(path), "--player=material", "--depth=3", "--games=1-3"])
    assert "a curve needs 100 or more" in capsys.readouterr().err
