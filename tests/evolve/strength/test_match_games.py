"""Openings of a match, and that it ends whatever they and the players do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from evolve.strength import match_games
from evolve.strength.match import LEAST_OFFERS, play_match
from game.errors import InputError
from game.openings import openings
from game.players.basic import MaterialPlayer
from game.rules import WCDF

BALLOTS = openings("three-move")


def test_all_ballots_come_first_and_no_position_twice() -> None:
    source = match_games.vary_openings(BALLOTS, WCDF, np.random.default_rng(1))
    seen = [next(source) for _ in range(600)]
    assert {each.name for each in seen[: len(BALLOTS)]} == {each.name for each in BALLOTS}
    assert len({each.position for each in seen}) == 600
    assert [len(each.moves) for each in seen] == sorted(len(each.moves) for each in seen)


def test_openings_that_never_get_longer_have_an_end(
    limit: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing new is ever found: the search for it is given up."""
    monkeypatch.setattr(match_games, "lengthen", lambda opening, plies, generator: opening)
    limit(match_games, "LAST_DRAWS", 200)
    source = match_games.vary_openings(BALLOTS, WCDF, np.random.default_rng(1))
    with pytest.raises(InputError, match=f"only {len(BALLOTS)} different openings"):
        list(source)


def test_repetitive_players_end_the_draws_of_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_games, "_digest", lambda moves: b"the same")
    text = r"repeat their games: only 1 of 1,[0-9]{3} openings gave new ones.*fewer games"
    assert LEAST_OFFERS == 1000
    with pytest.raises(InputError, match=text):
        play_match(MaterialPlayer(), MaterialPlayer("other"), 40)
