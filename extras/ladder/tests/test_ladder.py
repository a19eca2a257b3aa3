"""Ladders: one name for one player, who meets whom, limits and costs, ratings over generations, tables and JSON."""

from __future__ import annotations

import json
import math
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.config import anchors
from evolve.config.anchors import shown, shown_interval, shown_text
from evolve.names.registration import register
from evolve.run.files import DamagedRunError
from evolve.run.folder import Run
from evolve.run.runs import DEFAULT_RUNS, FROZEN_RUN, SHIPPED_RUNS
from evolve.strength.elo import RatingEstimate
from evolve.strength.levels import RANDOM
from evolve.workers.pool import Pool
from extras.ladder import bradley_terry, ladder
from extras.ladder import report as ladder_report
from extras.ladder.costs import Cost
from extras.ladder.ladder import Ladder, Standing, anchor_players, limited, round_robin, unique_entrants
from game.networks.named import BLONDIE_1741, CNN_247
from game.players.basic import MaterialPlayer
from game.players.network import NetworkPlayer
from game.players.registry import player
from tests.called import SMALL, evolve_cowan
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("own_names")

NAMES = ("random", "material", "random,seed=3", "material,depth=2")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("some runs")
    for name in ("one", "two"):
        seed = f"--seed={1 if name == 'one' else 2}"
        assert main.main(evolve_cowan(f"--out={folder}", f"--name={name}", "--generations=2", seed, *SMALL)) == 0
    return folder


def played(names: tuple[str, ...] = NAMES, games: int = 40, **options: Any) -> Ladder:
    results = [player(name) for name in names]
    return ladder.play(results, round_robin(len(results)), games, **options)


def timeless(result: Ladder) -> Ladder:
    pairings = tuple(replace(each, result=replace(each.result, seconds=0.0)) for each in result.pairings)
    return replace(result, pairings=pairings, seconds=0.0)


def test_every_pair_meets() -> None:
    assert round_robin(3) == [(0, 1), (0, 2), (1, 2)]
    assert len(set(round_robin(9))) == 36


def test_the_anchors_are_those_that_were_promised() -> None:
    assert len(anchors.BUILT_IN) == len(set(anchors.BUILT_IN)) == 11
    assert anchors.BUILT_IN[0] == "random"
    results = [player(name) for name in anchors.BUILT_IN[1:]]
    assert all(isinstance(one, MaterialPlayer) and one.deterministic for one in results)
    assert Counter(one.limits.depth for one in results) == dict.fromkeys((1, 2, 4, 6, 8), 2)  # type: ignore[attr-defined]
    assert sum(one.style.quiescence for one in results) == 5  # type: ignore[attr-defined]
    assert set(anchors.CHAIN) <= set(anchors.BUILT_IN)
    assert anchors.ZERO in anchors.CHAIN
    assert anchors.ZERO in anchors.SETS["strong"]
    assert anchors.ZERO == "material,depth=8,quiescence=yes"
    assert (*anchors.BUILT_IN, *anchors.FROZEN) == anchors.ANCHORS
    assert all(name.startswith(f"{FROZEN_RUN},") for name in anchors.FROZEN)
    assert [one.limits.nodes for one in anchor_players(anchors.FROZEN)] == [20_000, 100_000]  # type: ignore[attr-defined]


def test_a_run_of_a_person_is_no_anchor(
    tmp_path: Path, runs_in: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """An anchor is a champion of the shipped run, whatever lies in the folder of runs under its name."""
    shutil.copytree(SHIPPED_RUNS / "crownhead-1", tmp_path / FROZEN_RUN)
    (anchor,) = anchor_players(anchors.FROZEN[:1])
    register(tmp_path)
    assert anchor_players(anchors.FROZEN[:1])[0].identity == anchor.identity != player(anchor.name).identity
    runs_in(shipped=tmp_path)
    assert main.main(["ladder", "random", "--anchors=strong"]) == 2
    output = capsys.readouterr().err
    assert output.startswith(f"main.py: {anchor.name}: expected the run crownhead-2 as it was shipped, but ")


@pytest.mark.parametrize("name", ["config.toml", "manifest.csv", "generations.csv", "hall_of_fame.csv"])
def test_a_changed_run_is_no_anchor(name: str, tmp_path: Path, runs_in: Callable[..., None]) -> None:
    shutil.copytree(SHIPPED_RUNS / FROZEN_RUN, tmp_path / FROZEN_RUN)
    runs_in(shipped=tmp_path)
    (anchor,) = anchor_players(anchors.FROZEN[:1])
    path = tmp_path / FROZEN_RUN / name
    before, _, number = path.read_bytes().rpartition(b"1")
    path.write_bytes(before + b"2" + number)
    with pytest.raises(DamagedRunError):
        anchor_players([anchor.name])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("chain", anchors.CHAIN),
        ("all", anchors.ANCHORS),
        ("built-in", anchors.BUILT_IN),
        ("strong", ("material,depth=8", anchors.ZERO, *anchors.FROZEN)),
        ("none", ()),
        ("random; material,depth=8,quiescence=yes", ("random", anchors.ZERO)),
        ("material; material,depth=1; material,depth=2", ("material,depth=1", "material,depth=2")),
        ("random;random", ("random",)),
    ],
)
def test_chosen_anchors_are_parsed(text: str, names: tuple[str, ...]) -> None:
    assert anchors.parse_anchors(text) == names


def test_the_sums_are_those_of_the_matches() -> None:
    result = played()
    assert [standing.name for standing in result.standings] == list(NAMES)
    assert len(result.pairings) == 6
    for index, standing in enumerate(result.standings):
        points = games = 0.0
        for each in result.pairings:
            counts = each.result.pentanomial
            if index in (each.a, each.b):
                made = sum(n * p / 2 for n, p in zip(counts, range(5), strict=True))
                points += made if index == each.a else each.result.games - made
                games += each.result.games
        assert (standing.games, standing.score * standing.games) == (games, pytest.approx(points))
        assert standing.games == standing.wins + standing.draws + standing.losses == 120


def test_the_ratings_are_those_of_the_fit() -> None:
    result = played(zero=1, seed=5)
    matches = [bradley_terry.Match(each.a, each.b, each.result.pentanomial) for each in result.pairings]
    assert [standing.rating for standing in result.standings] == bradley_terry.fit_bradley_terry(
        4, matches, zero=1, seed=5
    )
    assert result.standings[1].rating.value == 0


def by_names(result: Ladder) -> dict[tuple[str, str], tuple[int, ...]]:
    return {
        (result.standings[each.a].name, result.standings[each.b].name): each.result.pentanomial
        for each in result.pairings
    }


def test_results_do_not_depend_on_other_entrants() -> None:
    whole, part = by_names(played()), by_names(played(("material,depth=2", "random")))
    assert set(part) <= set(whole)
    assert all(whole[pair] == counts for pair, counts in part.items())
    assert by_names(played(NAMES[::-1])) == whole
    assert by_names(played(seed=2)) != whole


def test_results_do_not_depend_on_processes() -> None:
    with Pool(2, warmup=0.0) as pool:
        assert timeless(played(pool=pool)) == timeless(played())


def test_progress_counts_all_games() -> None:
    messages: list[tuple[int, int, int]] = []
    played(games=10, progress=lambda *counts: messages.append(counts))
    assert [total for _, _, total in messages] == sorted(total for _, _, total in messages)
    assert messages[-1] == (5, 10, 60)


def made_up(*ratings: RatingEstimate) -> Ladder:
    standings = tuple(Standing(f"player-{index}", rating, 3, 2, 5) for index, rating in enumerate(ratings))
    return Ladder(standings, (), 0, 10, "three-move", 7, 1.0)


INF, NAN = math.inf, math.nan
ZERO = RatingEstimate(0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("rating", "cells", "values"),
    [
        (RatingEstimate(12.3, -40.2, 61.0), ["+12", "-40 to +61"], (12.3, -40.2, 61.0)),
        (RatingEstimate(-500.0, -INF, -400.0), ["-500", "below -400"], (-500.0, None, -400.0)),
        (RatingEstimate(500.0, 400.0, INF), ["+500", "above +400"], (500.0, 400.0, None)),
        (RatingEstimate(INF, 333.0, INF), ["above", "+333"], (None, 333.0, None)),
        (RatingEstimate(-INF, -INF, -333.0), ["below", "-333"], (None, None, -333.0)),
        (RatingEstimate(INF, -INF, INF), ["above", "nothing bounds it"], (None, None, None)),
        (RatingEstimate(NAN, -INF, INF), ["?", "no chain of matches to it"], (None, None, None)),
        (RatingEstimate(10.0, -INF, INF), ["+10", "nothing bounds it"], (10.0, None, None)),
    ],
)
def test_ratings_in_words(rating: RatingEstimate, cells: list[str], values: tuple[float | None, ...]) -> None:
    result = made_up(ZERO, rating)
    (line,) = [line for line in ladder_report.report(result).splitlines() if "player-1" in line]
    assert [cell.strip() for cell in line.split("  ") if cell.strip()][2:4] == cells
    (row,) = [row for row in ladder_report.as_json(result)["players"] if row["player"] == "player-1"]
    assert (row["rating"], row["low"], row["high"]) == values


def test_the_order_of_the_ranks() -> None:
    result = made_up(
        ZERO,
        RatingEstimate(NAN, -INF, INF),
        RatingEstimate(INF, 1, INF),
        RatingEstimate(-5, -9, 1),
        RatingEstimate(7, 1, 9),
    )
    assert [standing.name[-1] for standing in result.ranked] == ["2", "4", "0", "3", "1"]
    outcome = ladder_report.as_json(result)["players"]
    assert [(row["rank"], row["player"][-1]) for row in outcome] == [(1, "2"), (2, "4"), (3, "0"), (4, "3"), (5, "1")]


def test_the_table_lists_ratings_in_order() -> None:
    text = ladder_report.report(made_up(ZERO, RatingEstimate(12.3, -40.2, 61.0)))
    assert text.splitlines()[:3] == [
        "rank  player    rating  95 % interval  games   score",
        "   1  player-1     +12  -40 to +61        10  40.0 %",
        "   2  player-0       0                    10  40.0 %",
    ]
    assert "Elo above player-0" in text
    assert "--seed 7 plays the same games again" in text


def test_json_of_a_ladder() -> None:
    result = played(zero=1)
    outcome = ladder_report.as_json(result)
    assert json.loads(json.dumps(outcome, allow_nan=False)) == outcome
    assert (outcome["zero"], outcome["games"], outcome["openings"], outcome["seed"]) == (
        "material",
        40,
        "three-move",
        0,
    )
    assert {row["player"] for row in outcome["players"]} == set(NAMES)
    assert [row["rank"] for row in outcome["players"]] == [1, 2, 3, 4]
    assert len(outcome["pairings"]) == 6
    assert (outcome["limit"], {row["cost"] for row in outcome["players"]}) == (None, {None})
    assert all(row["wins"] + row["draws"] + row["losses"] == 40 for row in outcome["pairings"])


def test_proved_moves_of_a_player_are_those_of_its_meetings() -> None:
    result = played(("material", "random", "material,depth=2"), 2, proved=True)
    counts = {row["player"]: row["proved"] for row in ladder_report.as_json(result)["players"]}
    own = [each.result.proved[each.b == 0] for each in result.pairings if each.result.proved and 0 in (each.a, each.b)]
    assert len(own) == 2 and counts["material"] == asdict(own[0] + own[1]) and own[0].moves
    assert (
        "  thrown away  " in (text := ladder_report.report(result))
        and "Thrown away: of the results proved by tab" in text
    )


def test_failures_are_mentioned() -> None:
    broken = played(("random", "external:false"), 4)
    text = "external:false crashed in 4 games, which it lost; the first time it ended with code 1"
    assert text in ladder_report.report(broken)
    (pairing,) = ladder_report.as_json(broken)["pairings"]
    failures = {"player": "a", "kind": "crash", "games": 4, "first": "it ended with code 1"}
    assert (pairing["a"], pairing["failures"]) == ("external:false", [failures])
    whole = played(("random", "material"), 4)
    assert "which it lost" not in ladder_report.report(whole)
    assert ladder_report.as_json(whole)["pairings"][0]["failures"] == []


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert main.main(["ladder", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_the_command_adds_anchors(capsys: pytest.CaptureFixture[str]) -> None:
    output = call(capsys, "material,depth=3", "random", "--games=10", "--anchors=random;material,depth=2")
    assert output["zero"] == "material,depth=3"
    assert {row["player"] for row in output["players"]} == {"material,depth=3", "random", "material,depth=2"}
    output = call(capsys, "random", "--games=2")
    assert output["zero"] == anchors.ZERO
    assert {row["player"] for row in output["players"]} == set(anchors.CHAIN)


@pytest.mark.check
def test_anchors_keep_their_ratings_where_they_are_fixed(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("material,depth=3", "--games=20", "--fixed", f"--anchors=random;material,depth=2;{anchors.ZERO}")
    output = call(capsys, *options)
    ratings = {row["player"]: (row["rating"], row["low"], row["high"]) for row in output["players"]}
    low, high = ratings.pop("material,depth=3")[1:]
    assert ratings == {name: (anchors.RATINGS[name],) * 3 for name in ratings}
    assert set(output["known"]) == set(ratings)
    assert anchors.RATINGS["material,depth=2"] - 100 < low < high < 100
    assert main.main(["ladder", *options, "--games=2"]) == 0
    assert "The anchors keep their published ratings, taken as exact;" in capsys.readouterr().out


def test_anchors_with_fixed_ratings_do_not_play_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("random,seed=3", "--games=2", f"--anchors=random;material,depth=1;{anchors.ZERO}")
    for more, meetings in (("--fixed",), 3), ((), 6):
        output = call(capsys, *options, *more)
        met = [{each["a"], each["b"]} for each in output["pairings"]]
        assert len(met) == meetings
        assert all("random,seed=3" in each for each in met) == (meetings == 3)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("random", "--games=3"), "games: expected an even number"),
        (("nobody",), "player 'nobody': no run 'nobody'"),
        (("random", "--anchors=none"), "a ladder needs two players or more"),
        (("random", "--anchors=bob"), "--anchors: expected chain, strong, built-in, all, none, or some of "),
        (("random", "--fixed"), "--fixed: expected a player that is not an anchor"),
        (("material,depth=3", "--fixed", "--anchors=none"), "--fixed: expected material,depth=8,quiescence=yes among"),
        (("random", "--workers=0"), "--workers: expected 1 to 1024, got 0"),
        (("random", "--seed=-1"), "--seed: expected a whole number from 0"),
    ],
)
def test_a_mistake_of_ladder_is_one_line(
    arguments: tuple[str, ...], error: str, capsys: pytest.CaptureFixture[str], runs: Path
) -> None:
    assert main.main(["ladder", *arguments, f"--runs={runs}"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert error in err
    assert err.count("\n") == 1


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


@for_each(
    ("text", "name"),
    [
        ("random,seed=0", "random"),
        ("random,seed=7", "random,seed=7"),
        ("material", "material,depth=1"),
        ("material,depth=4,quiescence=no", "material,depth=4"),
        ("material, quiescence=yes , depth=04", "material,depth=4,quiescence=yes"),
        ("material,tablebase=yes,depth=4", "material,depth=4,tablebase=yes"),
        ("material,tablebase=no,blondie=no,nodes=500", "material,nodes=500"),
        ("material,blondie=yes,quiescence=yes,depth=2", "material,depth=2,blondie=yes"),
        ("material,threats=yes,quiescence=yes,keeps_table=no,depth=2", "material,depth=2,threats=yes"),
        ("material,selective=yes,nodes=9", "material,nodes=9,selective=yes"),
        (
            "material,selective=yes,twofold=no,depth=2",
            "material,depth=2,threats=yes,keeps_table=yes,reductions=yes,pruning=yes",
        ),
        ("'material',seed=3,depth=2", "material,depth=2,seed=3"),
        ("material,seed=0", "material,depth=1,seed=0"),  # one that draws lots: another player
        ("external:'python3 -S, x',depth=3", "external:'python3 -S, x',depth=3"),
    ],
)
def test_names_of_built_in_players(text: str, name: str, tmp_path: Path) -> None:
    assert player(text).canonical_name == name
    assert player(name).identity == player(text).identity  # the name means the player


def test_anchors_have_their_names() -> None:
    assert tuple(each.canonical_name for each in anchor_players(anchors.ANCHORS)) == anchors.ANCHORS


def test_anchor_keeps_its_name_beside_aliases() -> None:
    register(SHIPPED_RUNS)
    name, other = anchors.FROZEN[0], "crownhead-2@6,nodes=20000,tablebase=4"
    players, renamed = unique_entrants([player(other)], anchor_players([name]))
    assert [each.name for each in players] == [name]
    assert dict(renamed) == {other: name}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("one", "one"),
        ("{runs}/one", "one"),
        ("'{runs}/one/../one'@1", "one@1"),
        ("one@01,depth=1", "one@1"),
        ("one@2,quiescence=yes", "one@2,depth=1,quiescence=yes"),
        ("one@2,depth=2,selective=no,twofold=yes", "one@2,depth=2,twofold=yes"),
        ("one:{individual},depth=4,blondie=no", "one:{individual},depth=4"),
        ("'{runs}/one/generation_0002.csv',nodes=9", '"{runs}/one/generation_0002.csv",nodes=9'),
    ],
)
def test_names_of_individuals(text: str, name: str, runs: Path) -> None:
    register(runs)
    individual = Run.open("one", runs).read_generation(2).names[0]
    text, name = (each.format(runs=runs, individual=individual) for each in (text, name))
    quoted = text if text.startswith(("'", "one")) else f'"{text}"'
    assert player(quoted).canonical_name == name
    assert player(name).identity == player(quoted).identity


def test_paths_elsewhere_stay(runs: Path, tmp_path: Path) -> None:
    register(tmp_path)
    assert player(f"'{runs}/one'").canonical_name == f'"{runs}/one"'


def test_entrants_differ_by_behaviour() -> None:
    weights = np.zeros(CNN_247.weights, np.float32)
    one = NetworkPlayer("one", weights)
    assert one.identity == NetworkPlayer("other", weights.copy(), 5, king=CNN_247.king).identity
    others = [
        NetworkPlayer("one", weights + np.float32(1)),
        NetworkPlayer("one", weights, king=1.5),
        NetworkPlayer("one", weights, limits=player("material,depth=2").limits),  # type: ignore[attr-defined]
        NetworkPlayer("one", np.zeros(BLONDIE_1741.weights, np.float32), spec=BLONDIE_1741),
        *map(player, ("random", "random,seed=1", "material", "material,seed=0", "material,seed=1", "external:python3")),
        player("external:python3,depth=2"),
    ]
    assert len({each.identity for each in [one, *others]}) == len(others) + 1


def test_entrants_are_unique(tmp_path: Path) -> None:
    texts = ["material", "random", "material,depth=4,quiescence=no", "random,seed=0", "material,depth=4", "random"]
    players, renamed = unique_entrants([*map(player, texts), *map(player, anchors.CHAIN)])
    names = ["material,depth=1", "random", "material,depth=4", "material,depth=2", "material,depth=6", anchors.ZERO]
    assert [each.name for each in players] == names
    assert dict(renamed) == {
        "material": "material,depth=1",
        "material,depth=4,quiescence=no": "material,depth=4",
        "random,seed=0": "random",
    }


def undated(result: dict[str, Any]) -> dict[str, Any]:
    return {**result, "seconds": 0, "renamed": {}}


def test_the_command_rates_each_player_once_by_its_shortest_name(
    capsys: pytest.CaptureFixture[str], runs: Path
) -> None:
    options = (f"--runs={runs}", "--anchors=random;material,depth=2", "--games=4")
    path = f'"{runs}/one"@2'
    output = call(capsys, "one", "material,depth=2,quiescence=no", path, "one@2,depth=1", "two", *options)
    assert {row["player"] for row in output["players"]} == {"material,depth=2", "one", "two", "random"}
    assert len(output["pairings"]) == 6
    assert output["zero"] == "one"
    assert output["renamed"] == {
        "material,depth=2,quiescence=no": "material,depth=2",
        path: "one",
        "one@2,depth=1": "one",
    }
    # However they are written, they play the same games.
    again = call(capsys, "one", "material,depth=2", "two", *options)
    assert undated(again) == undated(output)
    assert main.main(["ladder", "material", "material,depth=2", "--anchors=none", "--games=2"]) == 0
    assert "\nmaterial is listed as material,depth=1, the same player\n" in capsys.readouterr().out + "\n"


def test_one_player_by_two_names_is_no_ladder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["ladder", "material", "material,depth=1", "--anchors=none", "--games=2"]) == 2
    assert capsys.readouterr().err == "main.py: a ladder needs two players or more\n"
