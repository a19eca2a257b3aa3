"""`inspect` plays individuals as they evolved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import main
from tests.synthetic import make_run


def test_games_are_played_as_evolved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def call(target: str, *options: str) -> str:
        assert main.main(["inspect", f"{tmp_path}/{target}", "--games=2", *options]) == 0
        return " ".join(capsys.readouterr().out.split())

    run = make_run(tmp_path, "deep", 1)
    path = run.path / "config.toml"
    path.write_text(path.read_text().replace("\ndepth = 1\n", "\ndepth = 4\n"))
    (tmp_path / "lone.csv").write_bytes(run.generation_path(1).read_bytes())
    name = run.read_generation(1).names[3]
    for target in (
        "deep",
        "deep@1",
        f"deep@1:{name}",
        "deep/generation_0001.csv",
    ):  # one pair never shows that anybody is better
        shown = call(target)
        assert shown.count("in 2 games looking 4 plies ahead") == 3
        # One pair never shows that anybody is better.
        assert "Success within its own population does not contradict" in shown
    strength = json.loads(call("deep", "--json"))["strength"]
    assert (strength["search"]["depth"], strength["opponent"]) == (4, "material,depth=4")
    shown = call("lone.csv")
    assert shown.count("in 2 games at one ply") == 3
    assert "Look-ahead may change that" in shown
    make_run(tmp_path, "blind", 1)
    assert "ook-ahead" not in call("blind")
