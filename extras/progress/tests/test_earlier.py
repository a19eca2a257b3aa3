"""Games of a run's newest champion against earlier generations, which `inspect --earlier` plays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import main
from evolve.names.registration import register
from evolve.report.overview import run_overview
from evolve.run.folder import Run
from evolve.strength import effort
from evolve.strength.match import play_match
from evolve.strength.means import clustered
from extras.progress import earlier as games
from game.generator import derive_seed
from game.players.registry import player
from tests.called import SMALL, evolve_cowan

ROOT = Path(__file__).parents[3]
KEPT = ("--set=saving.every=2", "--set=saving.newest=1")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with a run of generations 0 to 5, of which 0, 2, 4 and 5 keep their weights."""
    folder = tmp_path_factory.mktemp("runs")
    assert main.main(evolve_cowan(f"--out={folder}", "--name=one", "--seed=1", "--generations=5", *SMALL, *KEPT)) == 0
    return folder


def test_earlier_generations_are_in_json_and_text(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    options = ("inspect", "one", f"--runs={runs}", "--games=4", "--workers=1", "--earlier=4,0")
    assert main.main([*options, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["earlier"]
    assert [row["opponents"] for row in rows] == ["best 16 of generation 4", "best 16 of generation 0"]
    assert all(row["wins"] + row["draws"] + row["losses"] == row["games"] for row in rows)
    assert main.main(list(options)) == 0
    out = capsys.readouterr().out
    assert "against earlier generations" in out
    assert "All players search as the newest generation did: at one ply." in out
    for row in rows:
        (line,) = [line for line in out.splitlines() if line.strip().startswith(row["opponents"])]
        assert f"{100 * row['score_low']:.1f} % to {100 * row['score_high']:.1f} %" in line


def test_each_opponent_plays_a_match_with_its_own_seed(runs: Path) -> None:
    (played,) = games.earlier(run_overview(Run(runs / "one")), [0], 4)
    register(runs)
    rows = Run(runs / "one").read_generation(0)
    assert rows.ranks is not None
    best = [rows.names[row] for row in rows.ranks.argsort()[:16]]
    assert len(played.matches) == len(best)
    for index, name in enumerate(best):
        seed = derive_seed(games.SEED, 0, index)
        same = play_match(player("one@5"), player(f"one@0:{name}"), 4, seed=seed)
        assert played.matches[index].pair_points == same.pair_points


def test_all_players_search_as_the_newest_generation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deep = ("--set=search.depth=2", "--set=search.quiescence=true", "--set=search.table_bits=10")
    grows = ("--set=search.deepen_every=2", "--set=search.deepen_by=1", "--set=rating.every=0")
    evolved = evolve_cowan(f"--out={tmp_path}", "--name=deep", "--seed=1", "--generations=2", *SMALL, *deep, *grows)
    assert main.main(evolved) == 0
    capsys.readouterr()
    assert main.main(["inspect", "deep", f"--runs={tmp_path}", "--games=2", "--earlier=0"]) == 0
    out = capsys.readouterr().out
    assert "All players search as the newest generation did: looking 3 plies ahead, captures played out." in out
    assert "nodes a move" in out
    (played,) = games.earlier(run_overview(Run(tmp_path / "deep")), [0], 2)
    assert all(played.nodes)


def test_mean_plays_as_many_games_as_sixteen_opponents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "usual_games", lambda how: 2)
    (played,) = games.earlier(run_overview(Run(ROOT / "populations" / "crownhead-1")), [50])
    assert [each.games for each in played.matches] == [32]


def test_interval_is_by_ballots(runs: Path) -> None:
    """Opponents that play on the same ballot are not independent."""
    (played,) = games.earlier(run_overview(Run(runs / "one")), [0], 40)
    points = [each for match in played.matches for each in match.pair_points]
    ballots = [each for match in played.matches for each in match.ballots]
    assert len(points) == len(ballots) == 20 * len(played.matches) > len(set(ballots))
    assert played.estimate == clustered([each / 2 for each in points], ballots)
    one = games.EarlierMatches("", played.matches[:1])
    assert one.estimate == played.matches[0].estimate


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("one --earlier=1", "one: generation 1 has not kept its weights"),
        ("one --earlier=6", "--earlier: one has no generation 6; complete generations: 0 to 5"),
        ("one --earlier=-1", "--earlier: expected numbers such as 0,5,10, got '-1'"),
        ("one --earlier=0 --games=0", "--earlier: needs games, got --games 0"),
        ("one@4 --earlier=0", "--earlier: only for a whole run, one@4 is not one"),
        ("one one --earlier=0", "--earlier: not with several runs"),
        ("--earlier=0", "--earlier: expected a TARGET"),
    ],
)
def test_mistakes_are_one_line(arguments: str, error: str, runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main.main(["inspect", *arguments.split(), f"--runs={runs}"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert error in err
