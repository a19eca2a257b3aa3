"""The ladder of levels and generations, and results in words."""

from __future__ import annotations

from dataclasses import replace

from extras.climb.ladder import merge_ladder, next_rung, rung_numbers
from gui.rating.rating import Opponent, RatedResult, level_opponents, points_against

_, BEGINNER, CASUAL, CLUB, *_ = STRONG = level_opponents()


def result(opponent: Opponent, points: float) -> RatedResult:
    return RatedResult("", opponent, points)


def rung(number: int, rating: float | None = None) -> Opponent:
    return Opponent(f"r@{number}", 2, "", f"generation {number}", rating, rating, rating, "r", number)


def test_rungs_are_fewer_among_later_generations() -> None:
    assert rung_numbers(-1) == []
    assert rung_numbers(0) == [0]
    assert rung_numbers(6) == [0, 1, 2, 5, 6]
    assert rung_numbers(100) == [0, 1, 2, 5, 10, 20, 50, 100]
    assert rung_numbers(150)[-3:] == [50, 100, 150]


def test_the_next_rung_of_a_ladder_of_levels_and_generations() -> None:
    numbers = {0: -1300.0, 1: None, 2: -900.0, 5: -400.0}
    champions = [replace(rung(number), rating=rating) for number, rating in numbers.items()]
    ladder = merge_ladder(STRONG, champions)
    names = [each.name for each in ladder]
    assert names[:7] == [
        "generation 1",
        "generation 0",
        "Random moves",
        "generation 2",
        "Beginner",
        "Casual",
        "generation 5",
    ]
    assert next_rung([], ladder) == CASUAL  # the first one of people, by their first rating
    assert next_rung([result(ladder[0], 1)] * 2, ladder) == ladder[3]  # nobody knows how strong the climbed one is
    won = [result(CASUAL, 1)] * 2
    assert next_rung(won, ladder) == ladder[6]  # what was climbed need not be climbed from below
    assert next_rung([*won, *[result(ladder[-1], 1)] * 2], ladder) == ladder[-1]
    assert next_rung(won, []) is None
    deeper = replace(champions[3], player="r@5,tablebase=no", depth=6)
    assert points_against([result(deeper, 0.5)], champions[3]) == [0.5]


def test_a_generation_that_is_a_level_is_listed_once_with_the_name_of_the_level() -> None:
    alone = Opponent("crownhead@120,tablebase=no", 8, "", "generation 120", run="crownhead", generation=120)
    other = replace(alone, depth=6)
    assert merge_ladder(STRONG, [alone]) == STRONG
    assert other in merge_ladder(STRONG, [other])
