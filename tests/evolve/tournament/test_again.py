"""Games of complete generations, played again: they are those of the tournament; others are refused with a reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS
from evolve.tournament.again import GameAgain, play_again
from game.errors import InputError
from tests.evolve.tiny_sessions import Evolve
from tests.game.pdn.pdn_texts import games_of

ALL = 10_000
OPPONENTS = (
    "--preset=blondie24", "--set=population.parents=4", "--set=search.depth=1", "--set=rating.every=0",
    "--generations=2", "--seed=3",
)  # fmt: skip


def champions_games(games: list[GameAgain]) -> list[tuple[str, str]]:
    """Return the moves and results of the games of the best individual, sorted."""
    own = [game for game in games if 0 in (game.black, game.white)]
    return sorted((" ".join(map(str, game.record.moves)), game.record.pdn_result) for game in own)


def test_the_champions_games_are_the_recorded_ones(evolve: Evolve, tmp_path: Path) -> None:
    assert evolve("--name=one", *OPPONENTS).code == 0
    run = Run(tmp_path / "one")
    recorded = games_of(run.path / "champions.pdn")
    for generation in range(3):
        rows, games = play_again(run, generation, ALL)
        own = [game for game in recorded if str(game.tag("Round")).startswith(f"{generation}.")]
        assert champions_games(games) == sorted((" ".join(map(str, game.moves)), game.result) for game in own)
        assert all(rows.names[0] in (game.tag("Black"), game.tag("White")) for game in own)


def test_results_are_those_in_the_file_of_the_generation() -> None:
    """All but the players of a later stage have played all their games in the first round."""
    rows, games = play_again(Run(SHIPPED_RUNS / "first"), 0, ALL)
    assert rows.counts is not None
    results = np.zeros((len(rows.names), 4), np.int64)
    for game in games:
        for row, result in ((game.black, game.record.result), (game.white, -game.record.result)):
            results[row] += 1, result > 0, result == 0, result < 0
    same = (results == rows.counts[:, :4]).all(1)
    assert same.sum() >= len(rows.names) - 2
    assert (results[~same] < rows.counts[~same, :4]).any(1).all()


def test_some_of_the_games_are_among_all_of_them() -> None:
    run = Run(SHIPPED_RUNS / "crownhead-1")
    _, every = play_again(run, 0, ALL)
    _, some = play_again(run, 0, 8)
    known = [(game.black, game.white, game.record) for game in every]
    assert len(some) == 8
    assert all((game.black, game.white, game.record) in known for game in some)
    pairs = [frozenset((game.black, game.white)) for game in some]
    assert len(set(pairs)) == 8  # of different pairings


def test_the_champions_first_game_comes_first(evolve: Evolve, tmp_path: Path) -> None:
    assert evolve("--name=one", *OPPONENTS).code == 0
    _, games = play_again(Run(tmp_path / "one"), 2, 3)
    assert len(games) == 3 and 0 in (games[0].black, games[0].white)


@pytest.mark.parametrize(
    ("run", "generation", "reason"),
    [
        ("first", 17, "has not kept its weights"),
        ("zero", 0, "only the games of a population among itself"),
        pytest.param("cast", 162, "only the games of a population among itself", marks=pytest.mark.needs("cast")),
    ],
)
def test_games_that_cannot_be_repeated_are_refused_in_one_line(run: str, generation: int, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        play_again(Run(SHIPPED_RUNS / run), generation, 4)
    assert "\n" not in str(caught.value)
