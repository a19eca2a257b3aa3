"""What the verb `network` tells of: shipped networks, files, runs and presets by their names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import main
from evolve.config import toml
from evolve.names import players
from evolve.run.files import RunError
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CNN_247, from_file
from tests.synthetic import make_run

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "larger-cnn.toml"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name, network in (("one", "blondie-1741"), ("league", "cnn-247"), ("cnn-247", "blondie-1741")):
        make_run(folder, name, 0, network=network)
    return folder


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("anaconda-5046", ANACONDA_5046),
        ("cnn-247", CNN_247),  # what is shipped goes before a run
        ("one", BLONDIE_1741),
        ("league", CNN_247),  # and a run before a preset
        ("blondie24", ANACONDA_5046),
        ("blondie24-1999", BLONDIE_1741),
        ("crownhead-1", toml.load("crownhead-1").network),
        ("crownhead-33", toml.load("crownhead-1").network),
        (str(EXAMPLE), from_file(EXAMPLE)),
    ],
)
def test_by_name(name: str, expected: object, runs: Path) -> None:
    assert players.find_network(runs, name) == expected


def test_by_the_path_of_a_run(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["network", str(runs / "one"), f"--runs={tmp_path}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "blondie-1741"


def test_a_run_of_a_newer_program(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "one", tmp_path / "new")
    path = tmp_path / "new" / "config.toml"
    path.write_text(path.read_text().replace("\nformat = 1\n", "\nformat = 2\n"))
    with pytest.raises(RunError, match="written by a newer program"):
        players.find_network(tmp_path, "new")
