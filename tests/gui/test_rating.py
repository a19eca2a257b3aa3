"""A person's rating: the games that count, and the equal opponent."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from statistics import median

import pytest

from evolve.config.anchors import shown_interval, shown_text
from evolve.strength.elo import RatingEstimate, expected_score
from evolve.strength.levels import level_of
from gui.rating.rating import (
    PRIOR,
    PRIOR_GAMES,
    TAIL,
    Opponent,
    RatedResult,
    choose_equal,
    expected_rating,
    is_climbed,
    level_opponents,
    points_against,
    rate_person,
)

_, BEGINNER, CASUAL, CLUB, *_ = STRONG = level_opponents()


def result(opponent: Opponent, points: float) -> RatedResult:
    return RatedResult("", opponent, points)


def test_a_first_game_leaves_a_finite_rating_on_the_side_of_its_result() -> None:
    before, won, lost = (rate_person(each) for each in ([], [result(BEGINNER, 1)], [result(BEGINNER, 0)]))
    assert before.value == pytest.approx(PRIOR, abs=0.1)
    assert lost.value < before.value < won.value < 0
    assert [math.isfinite(end) for each in (before, won, lost) for end in (each.low, each.high)] == [
        False, False, True, False, False, True,
    ]  # fmt: skip
    assert shown_interval(won.low, won.high) == f"above {shown_text(won.low)}"
    assert shown_interval(lost.low, lost.high) == f"below {shown_text(lost.high)}"
    assert shown_interval(before.low, before.high) == ""
    assert expected_score(won.low - (BEGINNER.rating or 0.0)) == pytest.approx(2 * TAIL, abs=0.001)


def test_only_the_newest_games_and_known_opponents_count() -> None:
    unmeasured = Opponent("crownhead-1@1", 4, "", "generation 1", run="crownhead-1", generation=1)
    assert rate_person([result(unmeasured, 0)] * 5) == rate_person([])
    assert rate_person([result(BEGINNER, 0)] * 30 + [result(CLUB, 0.5)] * 100).value == pytest.approx(
        rate_person([result(CLUB, 0.5)] * 100).value
    )


CAREERS = 120
LENGTHS = (1, 3, 8, 30)
RUNGS = (-185.0, -2.5, 90.6, 205.9, 261.7)  # of the shipped run


def simulated(true: float, draws: float, random: Random) -> dict[int, RatingEstimate]:
    """Return a person's ratings after some games, each against an opponent about as strong as the current rating."""
    opponents = [*STRONG, *(rung(number, rating) for number, rating in enumerate(RUNGS))]
    results: list[RatedResult] = []
    level, outcome = PRIOR, {}
    for number in range(1, LENGTHS[-1] + 1):
        one = choose_equal(level, opponents, results)
        assert one is not None and one.rating is not None
        score = expected_score(true - one.rating)
        drawn, lot = min(draws, 1.2 * min(score, 1 - score)), random.random()
        results.append(result(one, 1.0 if lot < score - drawn / 2 else 0.5 if lot < score + drawn / 2 else 0.0))
        level = expected_rating([(each.opponent.rating or 0.0, each.points) for each in results], PRIOR, PRIOR_GAMES)
        if number in LENGTHS:
            outcome[number] = rate_person(results)
            assert outcome[number].value == level
    return outcome


@pytest.mark.parametrize("true", [600, *(pytest.param(other, marks=pytest.mark.check) for other in (0, -1200))])
def test_the_interval_holds_the_truth_in_19_of_20_careers_from_the_first_game_on(true: float) -> None:
    """This holds up to the error of so few careers, half of which have no draws."""
    random = Random(true)
    careers = [simulated(true, 0.3 * (number % 2), random) for number in range(CAREERS)]
    error = 3 * math.sqrt(0.95 * 0.05 / CAREERS)  # of the least of four shares
    for games in LENGTHS:
        results = [each[games] for each in careers]
        covered = sum(each.low <= true <= each.high for each in results) / CAREERS
        assert covered >= 0.95 - error, (games, covered)
        assert all(each.low <= each.value <= each.high for each in results)
    below, above = (median(side) for side in zip(*((e.value - e.low, e.high - e.value) for e in results), strict=True))
    assert below <= 180 and above <= 180, (below, above)


def rung(number: int, rating: float | None = None) -> Opponent:
    return Opponent(f"r@{number}", 2, "", f"generation {number}", rating, rating, rating, "r", number)


def test_two_wins_of_three_in_a_row_go_up() -> None:
    assert is_climbed([1, 1])
    assert is_climbed([0, 1, 0.5, 1])
    assert not is_climbed([1, 0, 0, 1, 0, 0.5, 1])
    assert not is_climbed([1])


def test_a_generation_that_is_a_level_is_one_rung() -> None:
    alone = Opponent("crownhead@120,tablebase=no", 8, "", "generation 120", run="crownhead", generation=120)
    other = replace(alone, depth=6)
    champion = STRONG[-1]
    assert is_climbed(points_against([result(alone, 1), result(champion, 1)], champion))
    assert not points_against([result(other, 1)], champion)
    assert [
        level_of(name, 4) for name in ("crownhead-2", "crownhead-2@6", "crownhead-2@6:Gen06_0000", "crownhead@6")
    ] == [4, 4, -1, -1]


def test_a_level_stays_one_rung_if_another_player_plays_it() -> None:
    earlier = Opponent("crownhead-2@0", 3, "Club (crownhead-2, generation 0)", "Club", -281.0)
    assert earlier.key != CLUB.key
    assert is_climbed(points_against([result(earlier, 1), result(CLUB, 1)], CLUB))


def test_about_as_strong_as_you() -> None:
    rungs = [rung(0, -185.0), rung(1), rung(2, -300.0)]
    assert choose_equal(PRIOR, STRONG, []) == CASUAL
    assert choose_equal(-280.0, [*STRONG, *rungs], []) == CLUB
    assert choose_equal(-280.0, [*STRONG, *rungs], [result(CLUB, 1)]) == rungs[2]
    assert choose_equal(0.0, [rung(1)], []) is None
