"""The parts of a report on the origin of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.called import call_program
from tests.synthetic import make_run


def test_report_has_settings_and_the_command_to_repeat(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path, "two", 4, seed=2)
    output = call_program(capfd, "inspect", "two", "--games=0", f"--runs={tmp_path}").out
    assert f"--config {tmp_path / 'two' / 'config.toml'} --seed 2" in " ".join(output.split())
    rows = [line.split() for line in output[output.index("Configuration, compared with cowan") :].splitlines()]
    assert ["population.recombine", "False", "True"] in rows
    values = json.loads(call_program(capfd, "inspect", "two", "--games=0", "--json", f"--runs={tmp_path}").out)
    assert values["repeat"].endswith(" --generations 4")
    assert {"name": "stages.0.rounds", "first": 3, "second": 2} in values["changed"]
