"""Reports on one position, and ``analyse --proved``: scores, chances, moves that throw away a proved result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import main
from evolve.names.registration import register
from extras.analysis import position as reports
from game import analysis, moves
from game.board import Position, diagram
from game.endgame import table_file
from game.players.basic import MaterialPlayer
from game.players.network import NetworkPlayer, TreePlayer
from game.players.registry import player
from game.search.interface import DRAWN, TABLEBASE_WON, Limits, RootMove, SearchResult
from tests.cases import for_each
from tests.evolve.names.test_policy_players import SPEC, write_player
from tests.game.networks.network_samples import HEADED, tame
from tests.game.pdn.pdn_texts import read
from tests.game.search.search_helpers import games
from tests.game.search.tree_helpers import COUNTING, counting

ENDING = Position.from_fen("W:W18,24,K10:B12,K22")
START = Position.start()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The player ``steps`` and, with a value beside its policy, ``both``."""
    write_player(tmp_path, "steps", SPEC, tame(SPEC, 4))
    write_player(tmp_path, "both", HEADED[0], tame(HEADED[0], 4))
    monkeypatch.chdir(tmp_path)
    register(tmp_path)
    return tmp_path


def test_the_report_of_an_analysis() -> None:
    tested = player("material,depth=6,quiescence=yes")
    result = analysis.analyse(tested, ENDING)
    text = reports.report(tested, ENDING, result)
    for part in (
        diagram(ENDING),
        "White to move (b w men, B W kings)",
        ENDING.fen(),
        "material,depth=6,quiescence=yes: depth 6, ",
        "score, as seen by White (a man is 100)",
        "24-20  loss in 4 plies",
        f"line  {result.pv[0]} {result.pv[1]}",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 120
    values = reports.as_json(ENDING, result)
    assert json.loads(json.dumps(values)) == values
    assert (values["fen"], values["move"], values["depth"]) == (ENDING.fen(), str(result.move), 6)
    assert len(values["moves"]) == len(moves.legal_moves(ENDING))


def test_the_visits_of_a_tree_search_are_reported() -> None:
    tested = TreePlayer("tree", counting(), spec=COUNTING, limits=Limits(nodes=100))
    result = analysis.analyse(tested, START)
    values = reports.as_json(START, result, reports.likelihoods(tested, START))
    assert [each["visits"] for each in values["moves"]] == [each.visits for each in result.root]
    lines = reports.report(tested, START, result, reports.likelihoods(tested, START)).splitlines()
    (head,) = [at for at, line in enumerate(lines) if line.startswith("move ")]
    assert lines[head].endswith(", probability by its policy, visits")
    assert [line.split()[3] for line in lines[head + 1 : head + 8]] == [str(each.visits) for each in result.root]
    plain = analysis.analyse(MaterialPlayer(), START)
    assert "visits" not in str(reports.as_json(START, plain)) + reports.report(MaterialPlayer(), START, plain)


@pytest.mark.parametrize("value", [1, -1])
def test_draw_by_rule_does_not_replace_a_verdict_of_tables(value: int) -> None:
    """A search weighs it as much as a result, in scores that JSON and people would take for evaluations."""
    legal = moves.legal_moves(ENDING)
    scores = (-value * DRAWN, TABLEBASE_WON - 3, 12.0, 0.0)
    root = tuple(RootMove(move, score, True, 4) for move, score in zip(legal, scores, strict=False))
    outcome = SearchResult(legal[0], scores[0], 4, 9, 5, 0.1, (legal[0],), root, value)
    result = reports.as_json(ENDING, outcome)
    assert (result["score"], [each["score"] for each in result["moves"]]) == (0.0, [0.0, *scores[1:]][: len(root)])
    assert result["verdict"] == ("win" if value > 0 else "loss")
    shown = reports.report(MaterialPlayer(), ENDING, outcome)
    assert f"{root[0].move}  draw by the rules{', or occurs again' if value > 0 else ''}\n" in shown


def test_probabilities_of_moves_stand_beside_their_scores() -> None:
    both = NetworkPlayer("both", tame(HEADED[0], 6), spec=HEADED[0])
    position = Position.from_fen("B:W21,22,30,K8:B1,11,14,K25")
    result = analysis.analyse(both, position, Limits(depth=2))
    likely = reports.likelihoods(both, position)
    assert likely is not None
    lines = reports.report(both, position, result, likely).splitlines()
    (head,) = [at for at, line in enumerate(lines) if line.startswith("move ")]
    assert lines[head].endswith("(chance to win less chance to lose), probability by its policy")
    chances = dict(likely)
    assert [line.split()[2] for line in lines[head + 1 : -2]] == [f"{chances[each.move]:.1%}" for each in result.root]


def test_analysis_of_a_policy_has_its_likely_moves(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["analyse", "steps,network=steps.toml", "--runs", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"{START.fen()}" in lines
    shown = [float(line.split()[1].rstrip("%")) for line in lines if line.endswith("%")]
    assert len(shown) == 7
    assert shown == sorted(shown, reverse=True)
    assert sum(shown) == pytest.approx(100, abs=0.5)
    assert main.main(["analyse", "steps,network=steps.toml", "--json", "--runs", str(folder)]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["move"] == output["moves"][0]["move"] == lines[-7].split()[0]
    assert sum(each["probability"] for each in output["moves"]) == pytest.approx(1)
    assert main.main(["analyse", "steps,network=steps.toml", "--depth", "3", "--runs", str(folder)]) == 2
    assert "plays the first choice of a policy" in capsys.readouterr().err
    assert main.main(["analyse", "both,network=both.toml", "--depth", "2", "--json", "--runs", str(folder)]) == 0
    output = json.loads(capsys.readouterr().out)
    assert sum(each["probability"] for each in output["moves"]) == pytest.approx(1)
    assert all("score" in each for each in output["moves"])


def test_tournament_players_stand_beside_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["analyse", "--people", "--depth", "2", "--json"]) == 0
    shares = {each["move"]: each["probability"] for each in json.loads(capsys.readouterr().out)["moves"]}
    assert sum(shares.values()) == pytest.approx(1) and max(shares, key=lambda move: shares[move]) == "11-15"
    assert main.main(["analyse", "material", "--people", "--depth", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (head,) = (at for at, line in enumerate(lines) if line.endswith(" (a man is 100), share of tournament players"))
    assert {line.split()[0]: line.split()[2] for line in lines[head + 1 : head + 8]} == {
        move: f"{share:.1%}" for move, share in shares.items()
    }
    men = "B:W22,26,32:B14,10,5"  # 14-17 and 14-18 lose men, and people seldom do that
    assert main.main(["analyse", "--people", "--depth", "6", "--json", "--fen", men]) == 0
    output = json.loads(capsys.readouterr().out)
    lost = sum(each["probability"] for each in output["moves"] if each["move"] in ("14-17", "14-18"))
    assert 0 < lost < 0.01 and output["errors"] == {cost: pytest.approx(lost) for cost in ("0.05", "0.1", "0.2")}
    assert main.main(["analyse", "--people", "--depth", "6", "--fen", men]) == 0
    assert f"cost at least so much: 0.05 points {lost:.1%}, 0.10 points" in capsys.readouterr().out
    assert main.main(["analyse", "steps,network=steps.toml", "--people", "--runs", str(folder)]) == 2
    assert capsys.readouterr().err.endswith("and does not score moves\n")
    assert main.main(["analyse", "--people", "--pdn", "games.pdn"]) == 2
    assert "--people is for one position" in capsys.readouterr().err


def test_analysis_shows_chances_at_the_end_of_a_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fen = "W:W21,22,30,K8:B1,11,14,K25"
    assert main.main(["analyse", "both.csv,network=both.toml", "--fen", fen, "--depth=2", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    results = output["results"]
    assert sum(results.values()) == pytest.approx(1)
    assert results["win"] - results["loss"] == pytest.approx(output["score"], abs=1e-5)
    assert main.main(["analyse", "both.csv,network=both.toml", "--fen", fen, "--depth=2"]) == 0
    words = "at the end of the line: win {win:.1%}, draw {draw:.1%}, loss {loss:.1%}\n".format(**results)
    assert capsys.readouterr().out.endswith(words)
    both = player("both.csv,network=both.toml")
    over = Position.from_fen("B:W18:B9")
    line = [moves.parse_move(over, "9-14")]
    assert reports.result_chances(both, over, line) is not None
    captured = Position.from_fen("B:W18:B14")
    assert reports.result_chances(both, captured, moves.legal_moves(captured)[:1]) is None  # the game is over there


def test_analysis_marks_values_of_a_deeper_iteration() -> None:
    tested = player("material,seed=1")
    for number, (position, _) in enumerate(games(150, 73, 60)):
        result = analysis.analyse(tested, position, Limits(nodes=60 + 20 * (number % 20)))
        text, values = reports.report(tested, position, result), reports.as_json(position, result)
        depths = [each.depth for each in result.root]
        assert [each["depth"] for each in values["moves"]] == depths
        assert text.count(f" at depth {depths[0]}\n") == (depths.count(depths[0]) if depths[0] > result.depth else 0)
        if len(set(depths)) == 2:
            return
    raise AssertionError("no search was given up with a better move")


WON = "W:WK15,20:BK28,12"
"""The First Position, which White wins by 15-19 and throws away by 15-11."""
GAME = f"""[Black "Ann"]
[White "Bob"]
[SetUp "1"]
[FEN "{WON}"]

1... 15-11 2. 12-16 1/2-1/2
"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.pdn"
    path.write_text(GAME)
    return path


def test_a_move_that_throws_away_a_proved_win_is_marked_and_counted(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.pdn"
    assert main.main(["analyse", "--proved", "--pdn", str(game), "--out", str(out)]) == 0
    report = capsys.readouterr().out
    assert [line.split() for line in report.splitlines()[-2:]] == [
        ["Ann", "0", "of", "1", "0", "of", "1"],
        ["Bob", "1", "of", "1", "1", "of", "1"],
    ]
    assert "game 1  Black: no mistakes, threw away 0 of 1 proved results; White: 1 mistake (endgame 1), " in report
    text = " ".join(out.read_text().split())
    assert "15-11?? {Crownhead: blunder: from a won to a drawn position, proved; better 15-19" in text
    assert "judged by tables of up to " in text
    (annotated,) = read(out.read_text())
    assert [str(move) for move in annotated.moves] == ["15-11", "12-16"]


def test_counts_are_printed_as_json(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["analyse", "--proved", "--pdn", str(game), "--nodes", "1000", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["proved"]["Bob"]["up to 4"] == {"moves": 1, "thrown_away": 1}
    assert result["games"][0]["review"]["proved"]["white"] == {"moves": 1, "thrown_away": 1}
    (mark,) = result["games"][0]["review"]["marks"]
    assert (mark["before"], mark["after"]) == ("win", "draw") and mark["line"].startswith("15-19")


def test_position_has_its_result_and_those_of_its_moves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["analyse", "--proved", "--fen", WON, "--json"]) == 0
    proved = json.loads(capsys.readouterr().out)
    moves = {each["move"]: each["result"] for each in proved["moves"]}
    assert proved["result"] == moves["15-19"] == "won" and moves["15-11"] == "drawn" and moves["20-16"] == "lost"
    assert proved["line"] == ["15-19"]
    assert main.main(["analyse", "--proved", "--fen", "B:W30,31,32,29,28,27,26:B1,2,3,4,5,6,7", "--nodes", "9"]) == 0
    assert "not settled, by tables of up to " in capsys.readouterr().out
    assert main.main(["analyse", "--proved", "--fen", "B:W:B1"]) == 0
    assert "won, by tables" in capsys.readouterr().out


def test_proofs_are_kept_for_the_next_call_and_shown_even_if_they_cannot_be(
    tables_in: Callable[[Path | None], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tablebase").symlink_to(table_file.tablebase_folder() or tmp_path)
    tables_in(tmp_path / "tablebase")
    proofs, ask = tmp_path / "proofs", ["analyse", "--resume", "--nodes", "2000", "--fen", "W:W18,22,K30:B5,9,K12"]
    assert [main.main(ask), main.main(ask)] == [0, 0] and proofs.stat().st_size > 1000
    proofs.write_bytes(proofs.read_bytes()[:-1])
    capsys.readouterr()
    assert main.main(ask) == 2
    assert (
        capsys.readouterr().err == f"main.py: {proofs}: is damaged, or no file of proofs of this version; delete it\n"
    )
    proofs.unlink()
    (tmp_path / ".proofs.tmp").mkdir()
    assert main.main(ask) != 0 and "by tables of up to " in capsys.readouterr().out


@for_each(
    ("arguments", "message"),
    [
        (["crownhead", "--proved"], "PLAYER: not with --proved, which has tablebases and --nodes alone"),
        (["--proved", "--depth", "3"], "--depth: not with --proved, which has tablebases and --nodes alone"),
        (["--proved", "--nodes", "0"], "nodes: expected 1 or more, got 0"),
        (["--proved", "--fen", "W:W:B1"], "W:W:B1: there is no legal move, the game is over"),
    ],
)
def test_wrong_options_are_refused_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["analyse", *arguments]) == 2
    assert capsys.readouterr().err.strip() == f"main.py: {message}"
