"""The figures of a cast: chance is told from character and strength."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evolve.workers.pool import Pool
from tests.cast_run import make_cast_run

casts = pytest.importorskip("tests.measurements.casts", reason="casts are an extra", exc_type=ModuleNotFoundError)


@pytest.mark.check
def test_values_come_again_unless_cells_are_invented_or_players_exchanged(tmp_path: Path) -> None:
    cast = casts.Cast.of(make_cast_run(tmp_path, "styles", 12, "back-row,rim"))  # its cells are invented
    first, second = (casts.play_field(cast, 48, seed, Pool()) for seed in (1, 2))
    assert {int(member.counts[0]) for member in first.members} == {48}
    cells, own = cast.archive.cells, [axis.trait for axis in cast.archive.cells.axes]
    shares = [
        (casts.distances(cells, before, second.members)[:, own] == 0).mean()
        for before in (first.members, cast.members, first.members[::-1])
    ]
    assert shares[0] > 0.6 and max(shares[1:]) < 0.45
    result = casts.ratings(first)
    points = [int(member.counts[4]) for member in first.members]
    order = sorted(range(12), key=lambda member: result[member].value)
    assert [points[member] for member in order] == sorted(points) and result[0].value == 0
    assert all(one.low < one.value < one.high for one in result[1:])


def test_a_team_is_chosen_only_where_members_differ() -> None:
    draw = np.random.Generator(np.random.Philox(3))
    strength = np.linspace(0.6, 0.4, 8)[:, None, None]
    noise = draw.normal(0, 0.4, (8, 174, 8))
    best, team = casts.choose(strength + noise)
    # By their means alone, chance would choose another one from seven ballots in ten.
    assert best == 0 and (team == 0).mean() > 0.95
    special = draw.normal(0, 0.3, (8, 174, 1))
    best, team = casts.choose(strength + special + noise)
    right = (strength + special)[:, :, 0].argmax(axis=0)
    assert best == 0 and (team == right).mean() > 0.5 and (right == 0).mean() < 0.4


def test_openings_are_new_and_all_different() -> None:
    lines = casts.longer_ballots(6, 1)
    assert [len(ballot) for ballot in lines] == [6] * 174
    openings = [opening for ballot in lines for opening in ballot]
    assert len({opening.position for opening in openings}) == 6 * 174
    assert min(len(opening.moves) for opening in openings) == 3 + casts.PLIES
    assert all(one.moves[:3] == ballot[0].moves[:3] for ballot in lines for one in ballot)


def test_figures_and_commands_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_cast_run(tmp_path, "styles", 3)
    (run.path / "log.csv").write_text("generation,games\n0,90000\n", encoding="utf-8")
    words = ["styles", f"--runs={tmp_path}", "--workers=1", "--games=24"]
    assert casts.main([*words, "--only=strength,traits,commands"]) == 0
    printed = capsys.readouterr().out
    assert "3 members, 24 games each: " in printed
    # 48 games a genome: 16, and 32 more since its cell is empty
    assert "--set population.parents=256 --set population.mutants=7 --generations 0 --name random-map" in printed
    for wrong, text in (
        ("--games=7", "--games: expected 8 to 1,392, got 7"),
        ("--only=speed", "--only: expected some"),
    ):
        with pytest.raises(SystemExit):
            casts.main([*words, wrong])
        assert text in capsys.readouterr().err
