"""Placing in the map of a cast: which members are replaced, and which are not."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve.kinds.individual import Individual
from evolve.run import generation_csv
from evolve.run.columns import GenerationError
from extras.cast.archive import Archive, Member, archive_of
from extras.cast.trait_maps import TraitMap
from game.traits import TRAITS

MAP = TraitMap.parse("back-row=0:3:3,pieces=12:18:3")
BACK, PIECES = 0, 2


def games_of(count: int, back: float, pieces: float) -> np.ndarray:
    """Return the traits of a number of games, all the same; the other traits are unknown."""
    table = np.full((count, len(TRAITS)), math.nan)
    table[:, BACK], table[:, PIECES] = back, pieces
    return table


def member(score: float, games: int = 16, back: float = 1.5, pieces: float = 15.0, name: str = "") -> Member:
    """Return a member that won a share of its games and lost the others."""
    return more(Member.new(Individual(np.zeros(3), name)), score, games, back, pieces)


def more(known: Member, score: float, games: int, back: float = 1.5, pieces: float = 15.0) -> Member:
    """Return a member after further games, of which it won a share."""
    won = round(score * games)
    counts = np.array([games, won, 0, games - won, 2 * won])
    return known.with_games(counts, games_of(games, back, pieces))


def test_a_stronger_mutant_replaces_and_an_equal_one_does_not() -> None:
    holder = member(0.5, name="Gen00_0004")
    archive = Archive(MAP, {(2, 2): holder})
    mutants = [member(0.5), member(0.75), member(0.25)]
    assert archive.contest(mutants) == ([1], [(2, 2)])
    assert archive.settle({(2, 2): more(holder, 0.5, 16)}, [more(member(0.5), 0.5, 16)]) == [None]
    assert archive.members[(2, 2)].individual.name == "Gen00_0004"
    again = more(archive.members[(2, 2)], 0.5, 16)
    assert archive.settle({(2, 2): again}, [more(mutants[1], 0.75, 16)]) == [(2, 2)]
    assert archive.members[(2, 2)].individual.name == ""


def test_a_lucky_mutant_loses_against_all_games() -> None:
    """It scored 0.9 in its first games, but its true score is 0.4."""
    holder, lucky = member(0.5, 64, name="Gen00_0004"), member(0.9, 10)
    archive = Archive(MAP, {(2, 2): holder})
    assert archive.contest([lucky]) == ([0], [(2, 2)])  # without more games it would hold the cell
    assert lucky.beats(holder)
    assert archive.settle({(2, 2): more(holder, 0.5, 40)}, [more(lucky, 0.4, 50)]) == [None]
    assert archive.members[(2, 2)].individual.name == "Gen00_0004"


def test_a_lucky_holder_loses_its_cell_when_both_play_again() -> None:
    lucky, mutant = member(0.9, 10, name="Gen00_0004"), member(0.95, 20)
    archive = Archive(MAP, {(2, 2): lucky})
    assert archive.contest([mutant]) == ([0], [(2, 2)])
    assert archive.settle({(2, 2): more(lucky, 0.4, 50)}, [more(mutant, 0.6, 50)]) == [(2, 2)]


def test_a_member_whose_traits_drift_moves_to_its_cell() -> None:
    drifting, weak = member(0.75, name="Gen00_0004"), member(0.25, back=2.5, name="Gen00_0007")
    archive = Archive(MAP, {(2, 2): drifting, (3, 2): weak})
    archive.settle({(2, 2): more(drifting, 0.75, 48, back=2.9)}, [])
    assert {cell: one.individual.name for cell, one in archive.members.items()} == {(3, 2): "Gen00_0004"}


def test_few_games_have_no_place() -> None:
    archive = Archive(MAP)
    assert archive.contest([member(1.0, 7)]) == ([], [])
    short = member(1.0, 16)
    short = replace(short, traits=tuple(replace(mean, games=7) for mean in short.traits))
    assert archive.contest([short]) == ([], [])
    assert archive.contest([member(0.0, 8)]) == ([0], [])  # any player may hold an empty cell


def test_the_fewest_games_play_again() -> None:
    members = {(1, 1): member(0.9, 20), (1, 2): member(0.1, 10), (2, 2): member(0.5, 10), (3, 3): member(0.7, 10)}
    assert Archive(MAP, members).fewest(2) == [(3, 3), (2, 2)]  # the luckiest first


def test_the_map_is_the_same_after_it_is_read(tmp_path: Path) -> None:
    archive = Archive(MAP, {(1, 3): member(0.5, 9, 0.1, 17.7), (2, 2): more(member(0.7, 13), 0.3, 31, 1.4, 15.3)})
    archive.rename(4)
    assert [one.individual.name for one in archive.members.values()] == ["Gen04_0002", "Gen04_0004"]
    rows = archive.rows(None)
    for kept in (rows, rows.thinned()):
        path = tmp_path / "generation.csv"
        path.write_bytes(generation_csv.to_csv(kept))
        read = generation_csv.parse(path.read_bytes(), "here", thinned=True)
        assert read.columns == rows.columns
        again = archive_of(read, MAP, 2.0)
        assert list(again.members) == archive.best_first()
        for cell, known in archive.members.items():
            assert str(again.members[cell].traits) == str(known.traits)
            assert again.members[cell].counts.tolist() == known.counts.tolist()


def test_damaged_rows_are_named(tmp_path: Path) -> None:
    archive = Archive(MAP, {(1, 3): member(0.5), (2, 2): member(0.25)})
    archive.rename(4)
    rows = archive.rows(None)
    first = "back-row=2 pieces=2"
    for cell, fault in (
        (first, "a second time"),
        ("back-row=4 pieces=1", "no such cell"),
        ("back-row=x pieces=1", "invalid literal"),
        ("back-row=1", "no such cell"),
    ):
        wrong = replace(rows, columns=rows.columns | {"cell": [first, cell]})
        with pytest.raises(GenerationError, match=f"here: row 2, Gen04_0004, is damaged: .*{fault}"):
            archive_of(wrong, MAP, 2.0, "here")
    with pytest.raises(GenerationError, match="here: column cell is missing, expected the members of a cast"):
        archive_of(replace(rows, columns={}), MAP, 2.0, "here")
