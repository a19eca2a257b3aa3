"""Openings from the middle of games: even positions that the seed alone decides, and sessions that begin there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.config import toml
from evolve.run.folder import Run
from evolve.tournament.arena import FEWEST_PLIES, middle_games, openings_of
from game import moves
from game.board import Position
from game.openings import MIDDLE_PLIES
from tests.evolve.tiny_sessions import digest, results

SETTINGS = (
    *("games.openings=middle", "population.parents=3", "population.mutants=4", "search.depth=2", "rating.every=0"),
    *("games.quiet_plies=20",),
)


def positions(table: np.ndarray) -> list[tuple[int, Position]]:
    """Length of each opening and where it ends."""
    found = []
    for row in table:
        position, line = Position.start(), [index for index in row.tolist() if index >= 0]
        for index in line:
            position = moves.successors(position)[index][1]
        found.append((len(line), position))
    return found


def test_openings_are_even_and_quiet_and_all_different() -> None:
    table = middle_games(1, 64)
    assert table.shape == (64, MIDDLE_PLIES)
    assert table.dtype == np.int16
    found = positions(table)
    assert len({position for _, position in found}) == 64
    assert len({plies for plies, _ in found}) > 15
    for plies, position in found:
        assert FEWEST_PLIES <= plies <= MIDDLE_PLIES
        assert position.kings == 0
        assert position.black.bit_count() == position.white.bit_count() >= 5
        assert not moves.legal_moves(position)[0].captured


def test_games_depend_on_the_seed_alone() -> None:
    one, again, other = middle_games(1, 64), middle_games.__wrapped__(1, 64), middle_games(2, 64)
    assert one.tobytes() == again.tobytes() != other.tobytes()
    config = toml.load("crownhead-1", settings=SETTINGS)
    assert openings_of(replace(config, generations=5)).tobytes() == openings_of(config).tobytes()
    assert len(openings_of(config)) == 512


def test_sessions_begin_in_the_middle(tmp_path: Path) -> None:
    given = [f"--set={each}" for each in SETTINGS]
    for name, workers in (("one", 1), ("two", 2)):
        where = [f"--out={tmp_path}", f"--name={name}", f"--workers={workers}", "--generations=1", "--seed=1"]
        assert main.main(["evolve", "--preset=crownhead-1", *where, *given]) == 0
    assert results(tmp_path / "one") == results(tmp_path / "two")
    assert digest(tmp_path / "one")[:12] == "89e33928bbae"  # another one changes the results of every such run
    text = (Run(tmp_path / "one").path / "champions.pdn").read_text()
    first, second = text.split("\n\n")[1], text.split("\n\n")[3]
    assert first.split()[: 3 * (FEWEST_PLIES // 2)] == second.split()[: 3 * (FEWEST_PLIES // 2)]  # colours swapped


def test_openings_leave_room_for_a_game() -> None:
    with pytest.raises(toml.ConfigError, match="max_plies: expected more than the 30 plies of middle openings"):
        toml.load("crownhead-1", settings=[*SETTINGS, "games.max_plies=30"])
    with pytest.raises(toml.ConfigError, match="quiet_plies: expected more than the 30 plies of middle openings"):
        toml.load("crownhead-1", settings=[*SETTINGS, "games.men_reset=false"])
