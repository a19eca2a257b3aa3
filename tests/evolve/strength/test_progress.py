"""Whether a run got stronger: which generations are asked, what is played, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import main
from evolve.names.registration import register
from evolve.run.conditions import PlayConditions
from evolve.run.folder import Run
from evolve.strength import effort, progress
from evolve.strength.match import play_match
from evolve.strength.means import cluster_interval
from game.generator import derive_seed
from game.players.registry import player
from game.search.interface import Limits, SearchOptions
from tests.called import evolve_cowan

SMALL = (
    *("--set=population.parents=2", "--set=population.recombine=false", "--set=population.mutants=1"),
    *('--set=stages=[{kind="elimination"},{kind="round-robin"}]', "--set=founders.method=uniform", "--workers=1"),
    *("--set=saving.every=2", "--set=saving.newest=1"),
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of generations 0 to 5, of which 0, 2, 4 and 5 are whole."""
    folder = tmp_path_factory.mktemp("runs")
    assert main.main(evolve_cowan(f"--out={folder}", "--name=one", "--seed=1", "--generations=5", *SMALL)) == 0
    return folder


@pytest.mark.parametrize(
    ("whole", "numbers"),
    [
        (range(16), [0, 5, 10]),
        (range(11), [0, 5, 10]),
        ((0, 5, 10), [0, 5, 10]),
        (range(4), [0, 1, 2]),
        ((0, 50, 100), [0, 50]),
        (range(0, 841, 20), [0, 420, 820]),
        ((0, 1), [0]),
        ((0,), [0]),
        ((), []),
    ],
)
def test_generations_that_nobody_named(whole: tuple[int, ...], numbers: list[int]) -> None:
    assert progress.usual(list(whole)) == numbers


def test_the_command(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    options = (f"--runs={runs}", "--games=4", "--seed=3")
    assert main.main(["progress", "one", *options, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["search"] == {"depth": 1, "nodes": None, "quiescence": False, "blondie": False}
    names = [row["opponents"] for row in told["rows"]]
    best = [f"best 16 of generation {number}" for number in (0, 2, 4)]
    assert names == [*best, "random", "material,depth=1"]
    assert all(row["wins"] + row["draws"] + row["losses"] == row["games"] for row in told["rows"])
    register(runs)
    last = play_match(player("one@5"), player("random"), 4, seed=derive_seed(3, 3, 0))
    row = told["rows"][3]
    assert (row["games"], row["wins"], row["draws"], row["losses"]) == (4, last.wins, last.draws, last.losses)
    assert (row["score_low"], row["score_high"]) == (last.estimate.low, last.estimate.high)
    assert main.main(["progress", "one", *options, "--generations=4,0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines.pop() == progress.FOOT
    assert [line[:28].rstrip() for line in lines] == ["opponents", best[2], best[0], "random", "material,depth=1"]


def test_a_run_with_look_ahead_is_measured_as_it_was_trained(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = ("--set=search.depth=2", "--set=search.quiescence=true", "--set=search.table_bits=10")
    grows = ("--set=search.deepen_every=2", "--set=search.deepen_by=1", "--set=rating.every=0")
    evolved = evolve_cowan(f"--out={tmp_path}", "--name=deep", "--seed=1", "--generations=2", *SMALL, *deep, *grows)
    assert main.main(evolved) == 0
    capsys.readouterr()
    options = ("deep", f"--runs={tmp_path}", "--seed=3", "--generations=0")
    assert main.main(["progress", *options, "--games=4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["search"] == {"depth": 3, "nodes": None, "quiescence": True, "blondie": False}
    names = [row["opponents"] for row in told["rows"]]
    assert names == ["best 16 of generation 0", "random", "material,depth=3,quiescence=yes"]
    register(tmp_path)
    for number in (1, 2):
        last = play_match(player("deep@2"), player(names[number]), 4, seed=derive_seed(3, number, 0))
        row = told["rows"][number]
        assert (row["wins"], row["draws"], row["losses"]) == (last.wins, last.draws, last.losses)
    assert main.main(["progress", *options, "--games=6", "--workers=2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "Nodes a move: positions visited, the champion's first, averaged over one pair of games."
    assert lines[-2] == (
        "All players but random look 3 plies ahead, captures played out, as in the games of this run; 6 games "
        "against each opponent."
    )
    assert lines[0].startswith("opponents                        games ")
    assert lines[3].startswith("material,depth=3,quiescence=yes      6 ")


@pytest.mark.check
def test_means_meet_means_where_a_generation_is_noise_around_one() -> None:
    """Also those of generations that have kept no weights; against each as many games as 16 opponents would play."""
    run = Run(Path(__file__).parents[3] / "populations" / "crownhead-1")
    rows = progress.measure(run, [0, 10], 4, seed=3, kind="three-move")
    names = ["mean of generation 0", "mean of generation 10", "random", "material,depth=4,quiescence=yes"]
    assert [row.opponents for row in rows] == names
    assert [len(row.matches) for row in rows] == [1, 1, 1, 1]
    register(run.path.parent)
    last = play_match(player("crownhead-1"), player("crownhead-1@10"), 4, seed=derive_seed(3, 1, 0))
    assert rows[1].matches[0].pair_points == last.pair_points
    assert rows[1].estimate == last.estimate
    how = run.conditions()
    assert progress.foot(run, how, rows) == [
        progress.MEANS,
        "All players but random look 4 plies ahead, captures played out, as in the games of this run.",
        "Nodes a move: positions visited, the champion's first, averaged over one pair of games.",
    ]


def test_a_mean_meets_as_many_games_as_sixteen_opponents(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(Path(__file__).parents[3] / "populations" / "crownhead-1")
    monkeypatch.setattr(effort, "usual_games", lambda how: 2)
    monkeypatch.setattr(progress, "play_match", lambda a, b, games, **_: SimpleNamespace(games=games, stopped=False))
    monkeypatch.setattr(effort, "of_match", lambda a, b, result: (None, None))
    rows = progress.measure(run, [0, 50], None, seed=3, kind="three-move")
    assert [row.matches[0].games for row in rows] == [32, 32, 2, 2]


def test_opponents_on_one_ballot_are_not_independent(runs: Path) -> None:
    """The interval of several matches is by ballots, which every match tells of its pairs."""
    rows = progress.measure(Run(runs / "one"), [0], 40, seed=3, kind="two-move")
    points = [each for played in rows[0].matches for each in played.pair_points]
    ballots = [each for played in rows[0].matches for each in played.ballots]
    assert len(points) == len(ballots) == 20 * len(rows[0].matches) > len(set(ballots))
    assert {ballot.count(" ") for ballot in ballots} == {1}
    assert rows[0].estimate == cluster_interval(points, ballots)
    assert rows[1].estimate == rows[1].matches[0].estimate


@pytest.mark.parametrize(
    ("limits", "style", "games"),
    [
        (Limits(1), SearchOptions(), 200),
        (Limits(1), SearchOptions(table_bits=14), 200),
        (Limits(1), SearchOptions(quiescence=True), 100),
        (Limits(4, 1000), SearchOptions(blondie=True), 100),
        (Limits(6), SearchOptions(), 20),
        (Limits(8), SearchOptions(), 6),
        (Limits(10), SearchOptions(), 2),
        (Limits(64, 1000), SearchOptions(quiescence=True), 100),
        (Limits(64, 20_000), SearchOptions(), 20),
        (Limits(None, 10**6), SearchOptions(), 2),
    ],
)
def test_fewer_games_where_they_take_longer(limits: Limits, style: SearchOptions, games: int) -> None:
    assert effort.usual_games(PlayConditions(limits, style)) == games


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--games=3",), "--games: expected an even number"),
        (("--openings=four",), "--openings: expected one of start, two-move, three-move, got 'four'"),
        (("--workers=0",), "--workers: expected 1 to 1024, got 0"),
        (("--seed=-1",), "--seed: expected a whole number from 0"),
        (("--generations=1",), "one: generation 1 has not kept its weights"),
        (("--generations=6",), "--generations: one has no generation 6; complete generations: 0 to 5"),
        (("--generations=-1",), "--generations: expected numbers such as 0,5,10, got '-1'"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], error: str, runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main.main(["progress", "one", f"--runs={runs}", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert error in err


@pytest.mark.parametrize("columns", [None, 100, 80, 60])
def test_rows_fit_a_terminal(columns: int | None) -> None:
    """Columns go together with their heading; opponents, score and interval stay."""
    match = play_match(player("random"), player("material"), 4, seed=1)
    row = progress.ProgressRow("best 16 of generation 10", (match,))
    for ahead in (False, True):
        head = progress.headings(28, ahead=ahead, columns=columns)
        text = progress.line(row, 28, ahead=ahead, columns=columns)
        assert head.startswith("opponents")
        assert text.startswith(row.opponents)
        assert "score" in head
        assert " % to " in text
        if columns is not None:
            assert max(len(head), len(text)) <= columns
        assert ("W / D / L" in head) == (" / " in text.split(" % to ")[0])
    won = progress.ProgressRow("random", (play_match(player("material,depth=4"), player("random"), 4, seed=1),))
    assert won.estimate.high == 1.0  # the longest interval there is leaves the next column in its place
    head = progress.headings(32, ahead=True, columns=80)
    text = progress.line(won, 32, ahead=True, columns=80)
    assert len(head) <= 80
    assert text[head.index("nodes a move") :] == "– / –"
