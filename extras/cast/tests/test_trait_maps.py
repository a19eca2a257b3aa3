"""Maps of traits, and the traits that set a player apart from others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from extras.cast.differences import differences, differences_text
from extras.cast.trait_maps import Axis, TraitMap
from game.errors import InputError
from game.traits import TRAITS, TraitMean, means, sentence
from tests.cases import for_each
from tests.game.test_traits import means_of

NAMES = [trait.name for trait in TRAITS]


def test_cells_have_equal_widths_and_the_ends_take_values_beyond() -> None:
    axis = Axis.parse("back-row=1:3:4")
    assert [axis.cell(value) for value in (0.0, 1.0, 1.49, 1.5, 2.99, 3.0, 9.0)] == [1, 1, 1, 2, 4, 4, 4]
    plain_axis = Axis.parse("back-row")
    trait = TRAITS[plain_axis.trait]
    assert (plain_axis.low, plain_axis.high, plain_axis.cells) == (trait.low, trait.high, 5)
    assert Axis.parse("wing=-1:1:2").cell(-0.1) == 1
    assert Axis.parse("wing=-.5:1.:3") == Axis.parse("wing=-0.5:1.0000000:3")


def test_a_player_is_placed_by_games_that_count() -> None:
    cells = TraitMap.parse("back-row=1:3:4,centre=0:1:5,length")
    assert cells.cells == 100
    full = [np.array([2.2] * len(TRAITS))] * 8
    assert cells.place(means(full)) == (3, 5, 1)
    assert cells.name((3, 5, 1)) == "back-row=3,centre=5,length=1"
    assert cells.place(means([*full[:7], np.full(len(TRAITS), math.nan)])) is None


@for_each(
    ("text", "message"),
    [
        ("centre,backrow", "did you mean back-row"),
        ("", "no such trait"),
        ("back-row,wing,back-row", "back-row: given twice"),
        ("back-row,wing,rim,length,centre", "at most 4 traits, got 5"),
        ("back-row=2:2:5", "cells of a positive width"),
        ("back-row=1:3:0", "cells of a positive width"),
        ("back-row=1:3", "cells of a positive width"),
        ("back-row=1:3:64,wing=0:1:65", "at most 4,096 cells, got 4,160"),
    ],
)
def test_a_wrong_map(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TraitMap.parse(text)


def test_differences_by_hand() -> None:
    players = [
        means_of(games=100, back_row=1, wing=2),
        means_of(games=100, back_row=2),
        means_of(games=100, back_row=3),
    ]
    (lone, nothing, full) = differences(players)
    wing, row = lone  # wing: 2, 0.5, 0.5; its mean is 1, its standard deviation sqrt(0.75)
    assert (TRAITS[wing.trait].name, wing.value, wing.mean, wing.beyond, wing.others) == ("wing", 2, 1, 2, 2)
    assert wing.deviations == pytest.approx(1 / math.sqrt(0.75))
    assert (TRAITS[row.trait].name, row.deviations, row.beyond) == ("back-row", -1, 2)
    text = "Further to the left than all 2 others (+2.00); fewer men on its back row than all 2 others (1.00)."
    assert differences_text(lone) == text
    assert nothing == () and differences_text(nothing) == ""
    assert differences_text(full) == "More men on its back row than all 2 others (3.00)."
    fourth = [*players, means_of(games=100, back_row=3, exchanges=40)]  # an equal one is not exceeded
    assert differences_text(differences(fourth)[3]) == "More exchanges than all 3 others (40 %)."
    both = [means_of(games=100, back_row=value) for value in (1, 1, 2, 2, 2, 3, 3)]
    assert differences_text(differences(both)[6]) == "More men on its back row than 5 of 6 others (3.00)."


def test_only_differences_that_are_more_than_chance_count() -> None:
    assert differences([means_of()] * 3) == [()] * 3  # equal
    values = (2.0, 2.05, 2.05, 2.1)  # three standard errors of 100 games are 0.16
    assert differences([means_of(games=100, back_row=value) for value in values]) == [()] * 4
    assert [len(own) for own in differences([means_of(games=10_000, back_row=value) for value in values])] == [
        1,
        0,
        0,
        1,
    ]
    assert differences([means_of(games=7, back_row=value) for value in (1, 2, 3)]) == [()] * 3
    assert differences([means_of(back_row=value) for value in (1, 3)]) == [()] * 2  # too few players
    unknown = [means_of(back_row=1), means_of(back_row=2), [TraitMean(math.nan, math.nan, 0)] * len(TRAITS)]
    assert differences(unknown) == [()] * 3


def test_a_phrase_is_for_the_outer_cells() -> None:
    axis = Axis.parse("back-row")
    for value in (1.69, 1.71, 2.59, 2.61):
        phrase = sentence(means_of(back_row=value)) != "Has no trait that stands out."
        assert (axis.cell(value) in (1, 5)) == phrase
