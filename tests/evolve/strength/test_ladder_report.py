"""The verb arena: one ladder a limit, and what players cost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import main
from evolve.names.registration import register
from evolve.run.runs import DEFAULT_RUNS
from evolve.strength.ladder_report import limited, milliseconds_a_move, multiplications
from game.players.registry import player


@pytest.mark.parametrize(
    ("name", "limit", "expected"),
    [
        ("material", "nodes=50", "material,nodes=50"),
        ("material,quiescence=yes", "depth=2", "material,depth=2,quiescence=yes"),
        ("material,depth=3", "nodes=50", "material,depth=3"),
        ("material,depth=3", "depth=1", "material,depth=3"),
        ("random", "time=0.05", "random"),
        ("policy", "nodes=50", "policy"),
        ("blondie24-840", "nodes=50", "blondie24-840,nodes=50"),
    ],
)
def test_a_limit_is_added_to_who_has_none(name: str, limit: str, expected: str) -> None:
    register(DEFAULT_RUNS, None)
    assert limited(name, limit).name == expected


def test_costs() -> None:
    register(DEFAULT_RUNS, None)
    # 854 connections of subsquares, 91 x 40, 40 x 10, 10 x 1
    assert multiplications(player("blondie24-840")) == 854 + 91 * 40 + 40 * 10 + 10
    assert multiplications(player("policy")) > multiplications(player("q-learning")) > 0  # type: ignore[operator]
    assert multiplications(player("material")) is None
    assert 0 < milliseconds_a_move(player("material,depth=1")) < milliseconds_a_move(player("material,depth=6"))


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--games=2", "--limit=depth=1", "--limit=nodes=50", "--anchors=random", "--workers=1"]
    assert main.main(["arena", "material", "blondie24-840", *options]) == 0
    out, err = capsys.readouterr()
    assert out.count("| player |") == 3
    assert "With `nodes=50`, 2 games between each two players:" in out
    for name in ("material,nodes=50", "blondie24-840,nodes=50", "random"):
        assert f"| `{name}` |" in out
    assert err.splitlines()[-1] == "nodes=50: 3 of 3 matches"


def test_an_own_limit_is_named_in_the_heading(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--games=2", "--limit=nodes=100", "--anchors=random", "--workers=1"]
    assert main.main(["arena", "material,nodes=10", "material", *options]) == 0
    out = capsys.readouterr().out
    assert "With `nodes=100` (`material,nodes=10` as its name says), 2 games between each two players:" in out
    assert "| `material,nodes=10` |" in out and "| `material,nodes=100` |" in out


def test_a_table_that_was_stopped_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from evolve.strength import ladder

    def stopped(*arguments: Any, **more: Any) -> ladder.Ladder:
        players, meetings, games = arguments
        return replace(play(players, meetings[:1], games, **more), stopped=True)

    play = ladder.play
    monkeypatch.setattr(ladder, "play", stopped)
    options = ["--games=2", "--limit=depth=1", "--limit=nodes=50", "--anchors=random", "--workers=1"]
    assert main.main(["arena", "material", "material,depth=2", *options]) == 0  # no signal came
    out = capsys.readouterr().out
    assert (
        "Stopped after 2 of 6 games, so the ratings are not final. With `depth=1` (`material,depth=2` as its name"
        in out
    )
    assert "2 games between each two players" not in out


@pytest.mark.parametrize("limit", ["plies=3", "depth=x", "foo", "", "depth=0"])
@pytest.mark.parametrize("name", ["material", "material,depth=1", "policy"])
def test_a_wrong_limit_is_told_before_the_first_game(capsys: pytest.CaptureFixture[str], name: str, limit: str) -> None:
    """Though the player has no use for one."""
    assert main.main(["arena", name, f"--limit={limit}"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"main.py: --limit {limit or repr('')}: ")
