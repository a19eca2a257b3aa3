"""The package `crownhead` in notebooks: sessions, functions of one's own that follow them, and boards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import crownhead
import main
from evolve.config.preset_files import ConfigError
from evolve.run.folder import Run
from evolve.session.frame import Summary
from evolve.session.reporters import GenerationReport
from extras.export.svg import board_svg
from extras.notebooks import sessions
from extras.notebooks.board import PICTURE, Board
from extras.notebooks.sessions import Callback
from game import match, moves
from game.board import Position
from game.errors import InputError
from game.players.registry import player
from game.rules import BLACK, WCDF, DrawRules


def test_names_of_the_package_are_those_of_their_modules() -> None:
    assert (crownhead.run, crownhead.resume, crownhead.Arena) == (sessions.run, sessions.resume, sessions.Arena)
    assert crownhead.Board is Board
    for name in crownhead.__all__:
        assert name == "__version__" or getattr(crownhead, name).__doc__


def test_a_run_is_begun_read_and_continued(tmp_path: Path) -> None:
    settings = ["population.parents=3", "population.mutants=1", "founders.method=uniform", "rating.every=0", "seed=1"]
    settings += ['stages=[{kind="round-robin"}]', "generations=1"]
    summary = crownhead.run("cowan", settings=settings, runs=tmp_path, workers=1)
    assert summary.finished and summary.run.name == "cowan-1"
    assert crownhead.resume("cowan-1", generations=2, runs=tmp_path, workers=1).generations == 2
    assert list(crownhead.open_run("cowan-1", tmp_path).log().index) == [0, 1, 2]
    assert crownhead.player("cowan-1@1", runs=tmp_path).name == "cowan-1@1"
    again = crownhead.open_run(tmp_path / "cowan-1").config()
    other = crownhead.run(again, settings=["seed=2"], runs=tmp_path, workers=1)
    assert other.run.config().seed == 2 and other.digest != summary.digest
    (tmp_path / "mine.toml").write_text("seed = 4")
    with crownhead.Arena(str(tmp_path / "mine.toml"), 2, settings=["seed=1"], workers=1) as arena:
        assert arena.network.weights == 247
    with pytest.raises(ConfigError, match=r"population\.parent"):
        crownhead.run("cowan", settings=["population.parent=3"], runs=tmp_path)


SMALL = (
    "population.parents=2",
    "population.mutants=1",
    "population.recombine=false",
    "founders.method=uniform",
    "seed=1",
)
SMALL += ("rating.every=2", "rating.games=2", "rating.anchors=random", 'stages=[{kind="round-robin"}]', "generations=4")


def test_callbacks_read_each_generation_and_stop_or_change_the_run(tmp_path: Path) -> None:
    seen: list[tuple[str, int, bool]] = []

    def note(report: GenerationReport, run: Run) -> None:
        assert (report.rating is not None) == (report.generation % 2 == 0)
        seen.append((run.name, report.generation, run.read_generation(report.generation).names[0] == report.champion))

    def narrow(report: GenerationReport, run: Run) -> str | None:
        return "variation.high=0.01" if report.generation >= 1 else None  # what is so already changes nothing

    def begun(*callbacks: Callback, **options: Any) -> Summary:
        return crownhead.run("cowan", settings=SMALL, runs=tmp_path, workers=1, callbacks=callbacks, **options)

    summary = begun(note, narrow)
    assert (summary.run.name, summary.generations, summary.finished) == ("cowan-1-branch-1", 4, True)
    assert seen == [("cowan-1", 0, True), ("cowan-1", 1, True), *(("cowan-1-branch-1", at, True) for at in (2, 3, 4))]
    assert crownhead.open_run("cowan-1", tmp_path).manifest().newest == 1
    stopped = begun(lambda report, _: report.generation == 1)
    assert (stopped.generations, stopped.finished) == (1, False)
    resumed = crownhead.resume(stopped.run, workers=1, callbacks=[note])
    assert resumed.finished and seen[-1] == (stopped.run.name, 4, True)
    options = ["--set=variation.high=0.01", f"--out={tmp_path}", "--workers=1", "--name=same"]
    assert main.main(["evolve", "--branch", "cowan-1@1", *options]) == 0
    assert crownhead.open_run("same", tmp_path).manifest().digest() == summary.digest != resumed.digest
    for wrong, text in (
        (["variation.hihg=1"], r"did you mean variation\.high"),
        ([3], r"callbacks: expected settings"),
    ):
        with pytest.raises(InputError, match=text):
            begun(lambda report, _, wrong=wrong: wrong)


SHORT = DrawRules(repetition=2, quiet_plies=10, men_reset=False, max_plies=60)


@pytest.mark.parametrize("rules", [WCDF, SHORT, DrawRules(repetition=0, quiet_plies=12, max_plies=90)])
@pytest.mark.parametrize("start", [None, "B:WK1,K5,30:B3,K18,K20"])
def test_games_end_where_matches_end_them(rules: DrawRules, start: str | None) -> None:
    reasons = set()
    for seed in range(20):
        first = None if start is None else Position.from_fen(start)
        record = match.play(player("random"), player("material"), start=first, rules=rules, seed=seed)
        board = Board(start, rules=rules)
        for move in record.moves:
            assert (board.reason, board.result) == (None, None)
            assert moves.legal_moves(board.position) == board.legal_moves
            assert board.push(str(move) if seed % 2 else move) == move
        assert (board.reason, board.result) == (record.reason, record.result)
        assert board.moves == record.moves
        reasons.add(record.reason)
    assert len(reasons) > 1 or rules is WCDF


def test_moves_are_taken_back() -> None:
    board = Board()
    assert str(board.push("11-15")) == "11-15"
    board.push("22-18")
    assert str(board.push("15x22")) == "15x22"
    board.pop()
    assert board.fen() == Position.from_fen(board.fen()).fen() and board.position.side == BLACK
    board.pop()
    board.pop()
    assert board.position == Position.start()
    with pytest.raises(InputError, match="no move to take back"):
        board.pop()
    with pytest.raises(moves.IllegalMoveError, match="11-18"):
        board.push("11-18")
    assert (board.moves, repr(board)) == ((), f"Board({Position.start().fen()!r})")
    assert "b1" in str(board)


def test_players_choose_moves() -> None:
    board, one = Board(), player("random")
    choices = [board.ask(one, seed=seed).move for seed in (1, 1, 2, 3, 4)]
    assert choices[0] == choices[1] and len(set(choices)) > 1
    assert board.moves == ()
    while board.reason is None:
        board.push(board.ask(one).move)
    assert board.result in (-1, 0, 1)
    with pytest.raises(InputError, match="the game has ended"):
        board.ask(one)


def test_the_picture_is_that_of_the_position() -> None:
    fen = "B:W18,24,K10:B12,K22"
    assert Board(fen)._repr_svg_() == board_svg(Position.from_fen(fen), PICTURE)
