"""Strengths of an opponent for who knows none: in the list of opponents, and on the first screen."""

from __future__ import annotations

import itertools
from pathlib import Path

from gui.individuals import strengths
from gui.individuals.strengths import STRENGTHS
from gui.model.seats import Seat
from tests.gui.test_chooser import Opened, listed, row_of


def test_six_strengths(opened: Opened) -> None:
    hands = opened(runs=Path("populations"))
    hands.key("o")
    listed(hands)
    assert hands.widget("strength").chosen == 4  # as it evolved
    assert hands.widget("measured").text == "287 ± 42: newest generation, 4 plies"
    assert "random moves are −1,168" in hands.widget("strength").hint
    hands.click_row("rows", row_of(hands, "random"))
    assert hands.widget("strength").chosen == -1
    hands.key("4")
    chooser = listed(hands)
    assert chooser.chosen is not None and chooser.chosen.player == "crownhead@1"
    assert (chooser.chosen.name, chooser.chosen.title) == ("Gen01_0000", "Crownhead champion (gen 1)")
    assert (hands.widget("strength").chosen, hands.app.services.settings.depth) == (0, 1)
    hands.widget("strength").pick(5)
    hands.app.redraw()
    assert (chooser.chosen.player, hands.app.services.settings.depth) == ("crownhead", 8)
    hands.widget("strength").pick(1)
    hands.key("p")  # with tablebases for those who look ahead, and captures played out
    assert hands.game.model.seats[1] == Seat("crownhead@0,quiescence=yes", 1, 5.0, "Crownhead champion (gen 0)")
    hands.key("n")
    assert listed(hands).chosen == strengths.find_row(Path("populations"), "crownhead@0,quiescence=yes")
    assert hands.widget("strength").chosen == 1


def test_strengths_are_evenly_spread() -> None:
    ratings = [strengths.RANDOM, *(each.rating for each in STRENGTHS)]
    assert all(250 <= after - before <= 350 for before, after in itertools.pairwise(ratings))
    names = [each.name for each in STRENGTHS]
    assert names == ["Beginner", "Casual", "Club", "Strong", "Expert", "Champion"]
    assert strengths.find_row(Path("populations"), "material") is None
    assert strengths.find_row(Path("nowhere"), STRENGTHS[0].player) is None


def test_an_easier_opponent_is_one_key_or_click_away_on_the_first_screen(opened: Opened) -> None:
    hands = opened(runs=Path("populations"))
    assert hands.widget("strength").chosen == 4
    assert hands.widget("strength.less").text == "287 ± 42 Elo: looks 4 plies, not 8"
    hands.key("4", "4")
    assert hands.widget("strength.less").text == "−853 ± 48 Elo: looks 1 ply, overlooks captures"
    assert (hands.widget("strength").chosen, hands.app.services.strength) == (0, 0)
    assert hands.widget("play").text == "Play\nBlack against Crownhead champion, gen 1, no look-ahead"
    hands.click(hands.widget("strength").parts()[2].centre)
    hands.key("p")
    assert hands.game.model.seats[1] == Seat("crownhead@0", 3, 5.0, "Crownhead champion (gen 0)")
    assert "strength" not in opened(runs=Path("nowhere")).keys
