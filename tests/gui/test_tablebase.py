"""Tablebase verdicts on the position on the board: added by the thinking process, displayed in the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from game import plain
from game.board import Position
from game.endgame.slices import MOST_PIECES
from game.endgame.tables import Tables, open_tables
from game.endgame.verdict import Verdict
from game.players.names import PlayerName, parse_name
from game.review.chances import KNOWN, GameKind
from game.rules import WHITE
from game.scores import Line, SearchInfo
from game.search.interface import score_text
from gui.geometry import Rect
from gui.look.canvas import Fonts, Look
from gui.look.theme import LIGHT
from gui.model.analyses import Analysis, verdict_words
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.play.analysis_panel import _scores
from gui.screens.play.play import Play
from gui.thinking.beside import Tablebase
from gui.thinking.messages import Answer, Purpose, SearchRequest
from gui.thinking.thoughts import Players
from gui.widgets.table import Cell
from tests.gui.hands import Hands, Opened
from tests.gui.tables import begun

WON = Position.from_fen("W:WK15,20:BK28,12")
DRAWN = Position.from_fen("W:WK15:BK1")


def analysed(position: Position, purpose: Purpose = Purpose.ANALYSIS) -> tuple[SearchRequest, SearchInfo]:
    """Return a request and a possible search result, in which the last move is the best."""
    moves = list(reversed(plain.legal_moves(position)))
    lines = tuple(Line(move, 0.5, 0.1, "+0.50") for move in moves)
    finding = SearchInfo(moves[0], 0.5, 0.1, 4, 1000, 0.1, (moves[0],), "+0.50", lines)
    return SearchRequest(purpose, 1, PlayerName.of("material"), position), finding


@pytest.fixture
def tablebase() -> Tablebase:
    made = Tablebase(lambda: None)
    made._tables = open_tables(4)
    return made


def test_moves_are_in_the_order_of_tables_and_the_line_is_perfect(tablebase: Tablebase) -> None:
    request, finding = analysed(WON)
    result = tablebase.judge(request, finding)
    assert (result.verdict, str(result.move), result.pv[0]) == (Verdict(1, 81), "15-19", result.move)
    assert [line.verdict.text for line in result.lines if line.verdict] == [
        "win in 81 plies", "win in 85 plies", "win in 85 plies", "draw", "loss in 4 plies",
    ]  # fmt: skip
    assert (result.score, result.depth, result.text) == (0.5, 4, "+0.50")  # the evaluation stays
    position, plies = WON, 81
    for move in result.pv:
        position, plies = plain.apply(position, move), plies - 1
        assert open_tables(4).probe(position) == Verdict(1 if plies % 2 else -1, plies)


def test_of_equal_moves_that_of_the_search_is_the_hint(tablebase: Tablebase) -> None:
    request, finding = analysed(DRAWN)
    result = tablebase.judge(request, finding)
    assert result.verdict == Verdict(0, None)
    assert (result.move, result.pv, result.lines[0].move) == (finding.move, finding.pv, finding.move)
    without = tablebase.judge(request, replace(finding, lines=()))  # a player without scores
    assert (without.move, without.lines) == (finding.move, ())


def test_without_distances_the_search_leads_from_won_to_won(monkeypatch: pytest.MonkeyPatch) -> None:
    request, finding = analysed(WON)
    moves = plain.legal_moves(WON)
    won = set(moves[2:4])
    tables = SimpleNamespace(
        probe=lambda position: Verdict(1, None),
        moves=lambda position: [(move, Verdict(int(move in won), None)) for move in moves],
    )
    made = Tablebase(lambda: None)
    monkeypatch.setattr(made, "_tables", tables)
    result = made.judge(request, finding)
    order = [line.move for line in finding.lines]
    kept = [move for move in order if move in won]
    assert [line.move for line in result.lines] == kept + [move for move in order if move not in won]
    assert (result.verdict, result.move) == (Verdict(1, None), kept[0])
    assert result.pv == (finding.pv if finding.move == kept[0] else (kept[0],))


def test_a_losing_search_is_overruled(tablebase: Tablebase) -> None:
    request, finding = analysed(WON)
    worst = next(move for move in plain.legal_moves(WON) if str(move) == "20-16")
    for lines in (finding.lines, ()):
        result = tablebase.judge(request, replace(finding, move=worst, pv=(worst,), lines=lines))
        assert str(result.move) == "15-19" and str(result.pv[0]) == "15-19"


@pytest.mark.parametrize(
    ("fen", "missing"),
    [
        ("B:W18,26,27:BK14,10", "No tables of 5 pieces: python main.py tablebase build --pieces 5"),
        ("B:W18,26,27:BK14,10,2", "No tables of 6 pieces: python main.py tablebase build --pieces 6"),
        ("B:W18,26,27,32:BK14,10,2", ""),  # these tables cannot be built
    ],
)
def test_missing_tables_are_named(fen: str, missing: str, tablebase: Tablebase) -> None:
    request, finding = analysed(Position.from_fen(fen))
    assert tablebase.judge(request, finding) == replace(finding, missing=missing)


def test_moves_of_players_stay_their_own(tablebase: Tablebase) -> None:
    request, finding = analysed(WON, Purpose.MOVE)
    assert tablebase.judge(request, finding) is finding


def test_tables_are_opened_once_and_not_before_moves_can_be_made(open_instead: Callable[..., None]) -> None:
    opened: list[str] = []
    tablebase = Tablebase(lambda: opened.append("told"))
    open_instead(lambda pieces: opened.append("open") or open_tables(4))
    request, finding = analysed(WON)
    assert tablebase.judge(request, finding) is finding and tablebase._thread is None
    tablebase.allow()
    for _ in range(2):
        assert tablebase._thread is not None
        tablebase._thread.join(30)
        assert tablebase.judge(request, finding).verdict == Verdict(1, 81)
    assert opened == ["open", "told"]
    tablebase = Tablebase(lambda: None)
    tablebase.allow()
    request, finding = analysed(Position.start())
    assert tablebase.judge(request, finding) is finding and tablebase._thread is None


def test_tables_that_were_built_meanwhile_are_opened(
    tables_in: Callable[[Path | None], None], open_instead: Callable[..., None], tmp_path: Path
) -> None:
    opened: list[str] = []
    few = Tables(table for which, table in open_tables(4)._tables.items() if which.pieces < 4)
    answers = [few, open_tables(4)]
    open_instead(cache(lambda pieces: answers.pop(0)))
    tables_in(tmp_path)
    tablebase = Tablebase(lambda: opened.append("told"))
    tablebase.allow()
    request, finding = analysed(WON)
    tablebase.judge(request, finding)
    for _ in range(2):
        assert tablebase._thread is not None
        tablebase._thread.join(30)
        assert (
            tablebase.judge(request, finding).missing
            == "No tables of 4 pieces: python main.py tablebase build --pieces 4"
        )
    assert opened == ["told"]
    (tmp_path / "new").touch()
    tablebase.judge(request, finding)
    tablebase._thread.join(30)
    assert tablebase.judge(request, finding).verdict == Verdict(1, 81) and opened == ["told", "told"]


def test_unreadable_tables_are_ignored(
    tablebase: Tablebase, open_instead: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Any:
        raise OSError("gone")

    request, finding = analysed(WON)
    monkeypatch.setattr(tablebase._tables, "probe", fail)
    assert tablebase.judge(request, finding) is finding
    open_instead(fail)
    closed = Tablebase(fail)
    closed.allow()
    for _ in range(2):
        assert closed.judge(request, finding) is finding
        assert closed._thread is not None
        closed._thread.join(30)


def test_players_use_tables_once_they_are_open() -> None:
    runs = Path(__file__).parents[2] / "populations"
    players = Players(runs)
    for name, before, after in (("crownhead", 0, MOST_PIECES), ("material", 0, 0), ("material,tablebase=4", 4, 4)):
        request = SearchRequest(Purpose.MOVE, 1, parse_name(name), WON, depth=4)
        for players.with_tables, pieces in ((False, before), (True, after)):
            player = players.find(request).searching
            assert player is not None and player.style.tablebase == pieces  # type: ignore[attr-defined]


def known(value: int, plies: int | None = None, side: int = WHITE) -> Analysis:
    return Analysis(replace(WON, side=side), replace(analysed(WON)[1], verdict=Verdict(value, plies)), True)


def test_verdicts_are_put_into_words() -> None:
    for value, plies, words in (
        (1, 23, "White wins in 12 moves"),
        (-1, 12, "Black wins in 6 moves"),
        (1, 1, "White wins in 1 move"),
        (1, None, "White wins"),
        (0, None, "Draw"),
    ):
        assert verdict_words(WHITE, Verdict(value, plies)) == words
    assert [Verdict(*each).text for each in ((1, 23), (-1, None), (0, None))] == ["win in 23 plies", "loss", "draw"]


def test_tables_take_precedence_over_the_analyst() -> None:
    assert [known(value).black_chances for value in (1, -1, 0)] == [KNOWN[-1], KNOWN[1], KNOWN[0]]
    assert known(1).black_score == -0.5


def test_positions_are_analysed_again_once_tables_are_open() -> None:
    for fen, again in ((WON.fen(), 1), ("B:W18,26,27,32:BK14,10,2", 0)):
        table, thinker = begun((HUMAN, HUMAN), start=Position.from_fen(fen))
        table.analyse(True)
        table.update(0.0)
        thinker.answer()
        table.update(0.1)
        assert not table.analysing
        thinker.tables_opened = 1
        table.update(0.2)
        assert len(thinker.asked) == 1 + again
        thinker.answer()
        thinker.ready[:] = [
            replace(reply, finding=replace(reply.finding, verdict=Verdict(1, 81)))
            for reply in thinker.ready
            if isinstance(reply, Answer)
        ]
        table.update(0.3)
        thinker.tables_opened = 2  # known results stay
        table.update(0.4)
        table.update(0.5)
        assert len(thinker.asked) == 1 + again and table.analysis is not None


def judged(hands: Hands, verdict: Verdict | None, missing: str = "") -> None:
    assert hands.thinker.present is not None
    ticket, request = hands.thinker.present
    moves = plain.legal_moves(request.position)
    lines = tuple(Line(move, 0.2, 0.05, "+0.20", verdict=verdict) for move in moves)
    result = replace(hands.thinker.finding(0, 0.2), lines=lines, verdict=verdict, missing=missing)
    hands.thinker.ready.append(Answer(ticket, result))
    hands.wait(0.1)


def test_the_verdict_stands_beside_the_evaluation(opened: Opened) -> None:
    hands = opened(evaluation_bar=True, panel="analysis")
    hands.app.open(Play(hands.app, GameModel((HUMAN, HUMAN), WON)))
    hands.wait(0.1)
    judged(hands, Verdict(1, 81))
    bar, label = hands.widget("bar"), hands.widget("verdict")
    assert bar.chances == KNOWN[-1]
    assert bar.hint == "White wins in 41 moves: certain by tablebase. Even (White +0.20), says Piece counter  (B)"
    assert (label.text, label.icon) == ("White wins in 41 moves, proven", "check")
    assert "Even (White +0.20), says Piece counter" in label.hint and "searched" not in hands.keys
    scores = hands.widget("scores")
    assert scores.cells(0)[-1].text == "win in 41 moves" and scores.cells(0)[-1].draw is not None
    hands.touch(15, 11)
    hands.wait(0.1)
    assert "verdict" not in hands.keys and not hands.widget("bar").chances.certain  # for the previous position
    judged(hands, Verdict(0, None))
    assert hands.widget("bar").chances == KNOWN[0]
    hands.key("home")
    assert hands.widget("verdict").text == "White wins in 41 moves, proven"


def test_missing_tables_are_named_where_the_analysis_is_shown(opened: Opened) -> None:
    hands = opened(evaluation_bar=True)
    hands.app.open(Play(hands.app, GameModel((HUMAN, Seat("material")), Position.from_fen("B:W18,26,27:BK14,10"))))
    hands.wait(0.1)
    words = "No tables of 5 pieces: python main.py tablebase build --pieces 5"
    judged(hands, None, words)
    assert "missing" not in hands.keys
    hands.key("v")
    assert hands.widget("bar").hint.endswith(f". {words}  (B)")
    assert hands.widget("missing").text == words and not hands.widget("bar").chances.certain


@pytest.mark.parametrize(
    ("score", "exact", "shown"),
    [(949_999.0, True, ("win", True)), (-949_999.0, False, ("loss", True)), (949_999.0, False, ("≤ win", False))],
)
def test_hits_of_a_search_in_tables_are_shown(score: float, exact: bool, shown: object) -> None:
    move = plain.legal_moves(WON)[0]
    finding = SearchInfo(
        move, score, 1.0, 1, 2, 0.1, (move,), lines=(Line(move, score, 1.0, score_text(score), exact),)
    )
    look = Look(LIGHT, 1.0, Fonts())
    cell = _scores(finding, WON, GameKind.PEOPLE, "", Rect(0, 0, 240, 80), look).cells(0)[-1]
    assert isinstance(cell, Cell) and (cell.text, cell.draw is not None) == shown


def test_words_have_a_place_where_scores_have_none(opened: Opened) -> None:
    hands = opened(evaluation_bar=True)
    hands.app.open(Play(hands.app, GameModel((HUMAN, HUMAN), WON)))
    hands.wait(0.1)
    usual = "Click or drag a piece."
    assert hands.words == ("White to move", usual)
    judged(hands, Verdict(1, 81))
    assert hands.words[1] == f"{usual} White wins in 41 moves: certain by tablebase."
    assert hands.widget("status").hint == "White wins in 41 moves: certain by tablebase"
    hands.key("v")
    assert hands.words[1] == usual and hands.widget("verdict").text == "White wins in 41 moves, proven"
    hands.key("v")
    hands.touch(15, 11)
    assert "certain" not in hands.words[1]  # for the previous position
