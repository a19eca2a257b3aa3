"""Weights of individuals in reports of `inspect`."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest

import main
from evolve.report.overview import file_overview, generation_overview
from evolve.run.folder import Run
from extras.weights.part import WeightsPart
from game.networks.named import CNN_247
from tests.synthetic import make_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("runs"), "one", 3)


def test_weights_of_an_individual(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    rows = run.read_generation(3)
    target = f"{run.path}@3:{rows.names[4]}"
    assert main.main(["inspect", target, "--games=0"]) == 0
    out = capsys.readouterr().out
    kernels = CNN_247.parts[0].of(rows.weights[4])[:, :, 0, :]
    top = "".join(f"{value:6.2f}" for value in kernels[4, :, 0])
    assert "First kernels" in out and f"  {top}   " in out  # row 0, the own side, is at the bottom
    assert "\n  the player's own side is at the bottom\n" in out  # without colours nothing is said of them
    assert main.main(["inspect", target, "--games=0", "--json"]) == 0
    assert [part["weights"] for part in json.loads(capsys.readouterr().out)["parts"]] == [75, 3, 81, 3, 72, 6, 6, 1]


def test_stretches_of_weights(run: Run, tmp_path: Path) -> None:
    one = generation_overview(run, 3).individual()
    kernels = one.weights[:75].astype(float)
    first = WeightsPart(one).stretches[0]
    assert (first.low, first.high) == (kernels.min(), kernels.max())
    path = tmp_path / "players.csv"
    path.write_text("name,w0,w1\nAnna,1,2\n", encoding="utf-8")
    assert [part.name for part in WeightsPart(file_overview(path).individual()).stretches] == ["weights"]


def test_a_network_without_convolution_has_no_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path, "kings", 1, network="blondie-1741")
    assert main.main(["inspect", f"{run.path}@1:{run.read_generation(1).names[0]}", "--games=0"]) == 0
    out = capsys.readouterr().out
    assert "Weights" in out and "First kernels" not in out


def test_colours_on_a_terminal(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    shown, plain = Terminal(), Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    target = f"{run.path}@3:{run.read_generation(3).names[0]}"
    with contextlib.redirect_stdout(shown):
        assert main.main(["inspect", target, "--games=0"]) == 0
    assert "\x1b[1m" in shown.getvalue()
    assert "38;5" in shown.getvalue() or "48;" in shown.getvalue()
    assert "positive weights are blue, negative" in shown.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    with contextlib.redirect_stdout(plain):
        assert main.main(["inspect", target, "--games=0"]) == 0
    assert "own side is at the bottom" in plain.getvalue()
    assert "blue" not in plain.getvalue()
