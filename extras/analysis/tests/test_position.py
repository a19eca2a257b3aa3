"""Reports on one position: scores, probabilities of a policy, visits, chances at the end of the line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import main
from evolve.names.registration import register
from extras.analysis import position as reports
from game import analysis, moves
from game.board import Position, diagram
from game.players.basic import MaterialPlayer
from game.players.network import NetworkPlayer, TreePlayer
from game.players.registry import player
from game.search.interface import DRAWN, TABLEBASE_WON, Limits, RootMove, SearchResult
from tests.evolve.names.test_policy_players import SPEC, write_player
from tests.game.networks.network_samples import HEADED, tame
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
