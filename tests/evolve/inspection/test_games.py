"""Games of reports: the matches they say they are, matrices that fit together, and warnings from them."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve.config.search import Search
from evolve.inspection import games
from evolve.inspection.games import Tournament
from evolve.inspection.results import Report
from evolve.report.findings import FindingKind, check_decline
from evolve.report.overview import RunOverview, generation_overview, run_overview
from evolve.run import generation_csv
from evolve.run.champions import read_champions
from evolve.run.columns import GenerationError
from evolve.run.conditions import PlayConditions
from evolve.run.log import spaced
from evolve.strength import effort, ladder
from evolve.strength.elo import RatingEstimate
from evolve.strength.match import MatchResult, play_match
from evolve.workers.pool import Pool
from game.players.basic import MaterialPlayer, RandomPlayer
from game.search.interface import ONE_PLY
from tests.cases import for_each
from tests.runs import run_player
from tests.synthetic import make_run

LAST = 3


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunOverview:
    return run_overview(make_run(tmp_path_factory.mktemp("runs"), "one", LAST, network="blondie-1741"))


@pytest.fixture(scope="module")
def tournament(run: RunOverview) -> Tournament:
    return games.tournament(run, 20)


def test_strength_is_two_matches(run: RunOverview) -> None:
    player = games.champion_player(run)
    result = games.strength(player, 20)

    def same(one: MatchResult, other: MatchResult) -> bool:
        return replace(one, seconds=0) == replace(other, seconds=0)

    assert result.player == run.champion.name
    assert same(result.random, play_match(player, RandomPlayer(), 20, seed=games.SEED))
    assert same(result.material, play_match(player, MaterialPlayer(), 20, seed=games.SEED))
    assert (result.opponent, result.how.limits) == ("material,depth=1", ONE_PLY)
    assert [each.kind for each in result.findings] == (
        [FindingKind.RANDOM_LEVEL] if result.random.estimate.low <= 0.5 else []
    )


def test_players_have_their_own_weights_and_kings(run: RunOverview) -> None:
    rows = run.run.read_generation()
    assert rows.kings is not None
    champion = games.champion_player(run)
    assert champion.weights.tobytes() == rows.weights[0].tobytes()
    assert champion.king == rows.kings[0]
    one = games.individual_player(generation_overview(run.run).individual(rows.names[7]))
    assert one is not None
    assert (one.weights.tobytes(), one.king, one.spec) == (rows.weights[7].tobytes(), rows.kings[7], run.config.network)


def test_tournament(run: RunOverview, tournament: Tournament) -> None:
    assert [champion.generation for champion in tournament.champions] == [0, 1, 2, 3]
    assert tournament.names == list(run.history.champions)
    assert set(tournament.matches) == {(a, b) for a in range(4) for b in range(a + 1, 4)}
    scores, low = tournament.scores()
    for (a, b), played in tournament.matches.items():
        assert played.games == 20
        assert scores[a, b] == played.estimate.score == pytest.approx(1 - scores[b, a])
        assert low[a, b] == played.estimate.low <= scores[a, b]
        assert low[b, a] == 1 - played.estimate.high
    assert np.isnan(np.diag(scores)).all()
    assert tournament.ratings[0] == RatingEstimate(0.0, 0.0, 0.0)
    assert [each.how for each in tournament.strengths] == [run.run.conditions()] * 4


def test_fall_of_a_score_is_reported_once(run: RunOverview, tournament: Tournament) -> None:
    """By the games between champions where they show it: ratings rest on fewer."""
    by_ratings = check_decline(["Anna", "Ben"], [RatingEstimate(9.0, 9.0, 9.0), RatingEstimate(0.0, 0.0, 0.0)])
    assert by_ratings is not None
    rated = replace(run)
    rated.__dict__["findings"] = [by_ratings]
    level = replace(tournament, ratings=(RatingEstimate(0.0, 0.0, 0.0),) * 4)
    fallen = replace(tournament, ratings=(RatingEstimate(7.0, 7.0, 7.0), *level.ratings[1:]))

    def findings(games: Tournament) -> list[str]:
        return [each.text for each in Report(rated, tournament=games).findings if each.kind == FindingKind.DECLINED]

    assert findings(level) == [by_ratings.text]
    (text,) = findings(fallen)
    assert "has +7 (+7 to +7) Elo more than Gen00" in text


def test_champions_meet_as_on_a_ladder(run: RunOverview, tournament: Tournament) -> None:
    """The same games as by ``ladder RUN --every 1 --anchors none``, where all of them meet."""
    players = [run_player(run.run, generation) for generation in range(4)]
    named = [replace(each, name=f"one@{number}") for number, each in enumerate(players)]
    on_ladder = ladder.play(named, ladder.round_robin(4), 20, seed=1)
    assert [each.rating for each in on_ladder.standings] == list(tournament.ratings)
    for pairing in on_ladder.pairings:
        assert pairing.result.pair_points == tournament.matches[pairing.a, pairing.b].pair_points


def test_all_play_as_they_evolved_on_any_number_of_processes(tmp_path: Path) -> None:
    """A run that deepens: each champion looks as its own generation did, the piece count as the newest."""
    made = make_run(tmp_path, "deep", 2, network="blondie-1741")
    config = made.path / "config.toml"
    config.write_text(re.sub(r"\ndeepen_every = 0\n", "\ndeepen_every = 1\n", config.read_text()))
    overview = run_overview(made)
    result = games.tournament(overview, 2)
    assert [each.how.limits.depth for each in result.strengths] == [1, 3, 5]
    assert {each.opponent for each in result.strengths} == {"material,depth=5"}
    assert games.champion_player(overview).limits.depth == 5
    with Pool(2, warmup=0.0) as pool:
        again = games.tournament(overview, 2, pool=pool)
    assert again.ratings == result.ratings
    assert {key: each.pair_points for key, each in again.matches.items()} == {
        key: each.pair_points for key, each in result.matches.items()
    }


def test_findings_of_a_tournament(tournament: Tournament) -> None:
    """Past its best, as the ratings say; the scores of this one are what they are."""

    def kinds(*ratings: float) -> list[FindingKind]:
        made = tuple(RatingEstimate(value, value - 20, value + 20) for value in ratings)
        return [each.kind for each in replace(tournament, matches={}, ratings=made).findings]

    assert kinds(0, 50, 100, 59) == [FindingKind.DECLINED]
    assert kinds(0, 50, 100, 60) == []
    assert kinds(0, 50, 60, 100) == []
    unbounded = replace(
        tournament, matches={}, ratings=(*tournament.ratings[:3], RatingEstimate(math.nan, -math.inf, math.inf))
    )
    assert unbounded.findings == []


@pytest.mark.parametrize(
    ("search", "generation", "text"),
    [
        (Search(), 100, "at one ply"),
        (Search(quiescence=True), 0, "looking 1 ply ahead, captures played out"),
        (Search(4, blondie=True, deepen_every=50), 100, "looking 8 plies ahead, as Blondie24 searched"),
    ],
)
def test_how_individuals_look_in_words(search: Search, generation: int, text: str) -> None:
    assert effort.describe(PlayConditions.of(search, generation)) == text


def test_a_run_of_one_generation(tmp_path: Path) -> None:
    result = games.tournament(run_overview(make_run(tmp_path, "one", 0)), 2)
    assert (len(result.champions), result.matches, result.ratings) == (1, {}, (RatingEstimate(0.0, 0.0, 0.0),))
    assert result.findings == []


def test_champions_are_those_of_the_hall_of_fame(run: RunOverview) -> None:
    path = run.run.path / "hall_of_fame.csv"
    rows = generation_csv.read(path)
    assert rows.kings is not None
    result = read_champions(run.run.path, {3, 0})
    assert [(each.generation, each.name) for each in result] == [(0, rows.names[0]), (3, rows.names[3])]
    for each in result:
        assert each.weights.tobytes() == rows.weights[each.generation].tobytes()
        assert each.king == rows.kings[each.generation]
    assert read_champions(run.run.path, []) == []
    with pytest.raises(GenerationError, match="generation 4 is missing"):
        read_champions(run.run.path, [2, 4])


@for_each("newest", [0, 1, 5, 10, 11, 12, 15, 99, 100, 101, 999, 1000, 123_456])
@for_each("count", [4, 12, 14])
def test_spaced(newest: int, count: int) -> None:
    result = spaced(newest, count)
    assert result[0] == 0 and result[-1] == newest
    assert len(result) <= count
    steps = {b - a for a, b in itertools.pairwise(result[:-1])}
    assert len(steps) <= 1
    assert len(result) == newest + 1 or len(result) > count / 3


def test_spaced_by_round_numbers() -> None:
    assert spaced(15, 14) == [0, 2, 4, 6, 8, 10, 12, 14, 15]
    assert spaced(1000, 12) == list(range(0, 1001, 100))
    assert spaced(3, 12) == [0, 1, 2, 3]
