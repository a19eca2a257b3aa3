"""Ladders under one limit for all players, the costs of players, and ratings as people see them."""

from __future__ import annotations

import json

import pytest

import main
from evolve.config.anchors import shown, shown_interval, shown_text
from evolve.names.registration import register
from evolve.run.runs import DEFAULT_RUNS
from evolve.strength.levels import RANDOM
from extras.ladder.costs import Cost
from extras.ladder.ladder import limited
from game.players.registry import player
from tests.cases import for_each

OPTIONS = ("--games=2", "--anchors=random", "--workers=1")


@pytest.mark.parametrize(
    ("name", "limit", "expected"),
    [
        ("material", "nodes=50", "material,nodes=50"),
        ("material,quiescence=yes", "depth=2", "material,depth=2,quiescence=yes"),
        ("material,depth=3", "depth=1", "material,depth=3"),
        ("random", "time=0.05", "random"),
        ("policy", "nodes=50", "policy"),
        ("blondie24-840", "nodes=50", "blondie24-840,nodes=50"),
    ],
)
def test_limit_is_added_to_names_without_one(name: str, limit: str, expected: str) -> None:
    register(DEFAULT_RUNS, None)
    assert limited(name, limit).name == expected


def test_costs_of_players() -> None:
    register(DEFAULT_RUNS, None)
    blondie, policy, material, deep = (
        Cost.of(player(name), DEFAULT_RUNS)
        for name in ("blondie24-840", "policy", "material,depth=1", "material,depth=6")
    )
    # 854 connections of subsquares, 91 x 40, 40 x 10, 10 x 1
    assert (blondie.multiplications, blondie.training_seconds) == (854 + 91 * 40 + 40 * 10 + 10, None)
    assert policy.multiplications and policy.training_seconds
    assert (material.multiplications, material.training_seconds) == (None, None)
    assert 0 < material.milliseconds < deep.milliseconds


def test_ladder_with_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["ladder", "material,depth=2", "blondie24-840", "--limit=nodes=50", *OPTIONS]
    assert main.main([*words, "--json"]) == 0
    ladder = json.loads(capsys.readouterr().out)
    assert ladder["limit"] == "nodes=50"
    assert {row["player"] for row in ladder["players"]} == {"material,depth=2", "blondie24-840,nodes=50", "random"}
    for row in ladder["players"]:
        assert row["cost"]["milliseconds"] > 0
        assert (row["cost"]["multiplications"] is None) == (not row["player"].startswith("blondie"))
    assert main.main(words) == 0
    out, err = capsys.readouterr()
    assert out.count("CPU ms a move  multiplications") == 1
    assert "With nodes=50, except for anchors and players whose names have a limit\n" in out
    assert err.splitlines()[-1].startswith("3 of 3: ")


@for_each("limit", ["plies=3", "depth=x", "foo", "", "depth=0"])
@for_each("name", ["material", "material,depth=1", "policy"])
def test_wrong_limit_is_reported_before_the_first_game(
    capsys: pytest.CaptureFixture[str], name: str, limit: str
) -> None:
    assert main.main(["ladder", name, f"--limit={limit}"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"main.py: --limit {limit or repr('')}: ")


@pytest.mark.parametrize(
    ("rating", "text", "brief", "value"),
    [(-1500.6, "below random moves", "< 0", 0.0), (-1500.4, "0", "0", 0.0), (RANDOM, "332", "332", 332.0)],
)
def test_a_rating_is_never_negative(rating: float, text: str, brief: str, value: float) -> None:
    assert (shown_text(rating), shown_text(rating, brief=True)) == (text, brief)
    assert shown(rating) == pytest.approx(value, abs=0.5)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(-1700.0, -1600.0, "below random moves"), (-1700.0, -1000.0, "below 500"), (-1400.0, -1000.0, "100 to 500")],
)
def test_an_interval_names_no_negative_end(low: float, high: float, text: str) -> None:
    assert shown_interval(low, high) == text
