"""The measurement of promised times runs and prints a row for each trial; no time is asserted."""

from __future__ import annotations

import pytest

from tests.measurements import promises


@pytest.mark.check
@pytest.mark.parametrize("options", [["--trials=cowan:0.01"], ["--estimates=cowan:0"]])
def test_each_trial_has_a_row(options: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    promises.main(options)
    rows = capfd.readouterr().out.splitlines()
    assert rows[0] == promises.HEADINGS and rows[1].startswith("cowan ")
    assert rows[-1] in ("0 of 1", "1 of 1")


def test_the_evaluations_of_a_shipped_run_go_on_beyond_its_log() -> None:
    assert 0 < promises.work("cast", 20) < promises.work("cast", 400) < 40 * promises.work("cast", 20)
