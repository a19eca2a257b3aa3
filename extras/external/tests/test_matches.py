"""Programs in matches: each process has its own, and their failures are counted."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evolve.strength.match import CountedGame, Failures, play_match
from evolve.strength.match_report import as_json, pdn_file, report
from evolve.workers.pool import Pool
from extras.external import program as programs
from extras.external.tests.programs import FOREIGN, MATERIAL
from game.errors import FailureKind
from game.players.player import Player
from game.players.registry import player
from tests.processes import gone

pytestmark = pytest.mark.usefixtures("usual_signals")


def external(mode: str, argument: str) -> Player:
    return player(f"external:'{sys.executable} -S {FOREIGN} {mode} {argument}',depth=1,start=20,timeout=20")


def test_programs_play_in_all_processes(tmp_path: Path) -> None:
    """Each process has one of its own, and none is left when the match is over."""
    marker = tmp_path / "pids"
    with Pool(2, warmup=0.0) as pool:
        result = play_match(external("children", str(marker)), MATERIAL, 20, pool=pool)
    programs.close_all()
    pids = [int(line.split()[0]) for line in marker.read_text().splitlines()]
    assert 2 <= len(pids) <= 3
    assert gone(pids)
    assert (result.games, result.failures) == (20, ())


def test_crashed_program_loses_only_its_games(tmp_path: Path) -> None:
    tested = external("crash", "3")
    messages: list[CountedGame] = []
    with pdn_file(tmp_path / "games.pdn", "x") as add:

        def both(game: CountedGame) -> None:
            messages.append(game)
            add(game)

        result = play_match(tested, MATERIAL, 6, on_game=both)
    assert result.losses == 6
    assert result.failures == (Failures(0, FailureKind.CRASH, 6, "it ended with signal 6"),)
    failure = {"player": "a", "kind": "crash", "games": 6, "first": "it ended with signal 6"}
    assert as_json(result)["failures"] == [failure]
    assert "Failed A crashed in 6 games; the first time it ended with signal 6\n" in report(result, tested, MATERIAL)
    assert all(len(game.record.moves) >= 7 for game in messages)
    assert " ".join((tmp_path / "games.pdn").read_text().split()).count("it ended with signal 6") == 6
    programs.close_all()


@pytest.mark.parametrize(
    ("mode", "argument", "kind", "words"),
    [
        ("crash-at-start", "", "crash", "A crashed in 2 games; the first time it ended with code 1"),
        ("hang", "2", "timeout", "A took too long in 2 games; the first time it gave no move within 0.2 s"),
        ("flood", "", "flood", "A wrote without end in 2 games; the first time it wrote more than 20,000 lines"),
        ("illegal", "", "illegal", "A gave no legal move in 2 games; the first time it answered"),
    ],
)
def test_failures_are_reported_by_kind_and_player(mode: str, argument: str, kind: str, words: str) -> None:
    timeout = "0.2" if mode == "hang" else "20"
    tested = player(external(mode, argument).name.replace("timeout=20", f"timeout={timeout}"))
    result = play_match(tested, MATERIAL, 2, seed=1)
    (failure,) = as_json(result)["failures"]
    assert (failure["player"], failure["kind"], failure["games"]) == ("a", kind, 2)
    text = report(result, tested, MATERIAL)
    assert f"Failed {words}" in text
    assert "Ends   2 by a failure" in text
    assert all(len(line) <= 120 for line in text.splitlines() if not line.startswith("A  external"))
    programs.close_all()
