"""The verb `bench` runs and names all it promises, and the signature of behaviour; no time is asserted."""

from __future__ import annotations

import json
from typing import Any

import pytest

import main
from extras.bench import figures, signature, speed
from game.networks.named import CNN_247
from tests.evolve.golden_helpers import SIGNATURE
from tests.notices import without_notice

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
