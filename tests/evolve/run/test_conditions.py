"""How the individuals of a generation played while they evolved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evolve.config.preset_files import ConfigError
from evolve.run.conditions import FAITHFUL, PlayConditions
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.manifest import Manifest
from game.installation import TREE
from game.search.interface import ONE_PLY, PLAIN, Limits, SearchOptions


def run_of(path: Path, search: str, generations: int = 0) -> Run:
    path.mkdir()
    (path / "config.toml").write_text(f"[record]\nformat = 1\n[search]\n{search}")
    manifest = Manifest()
    for _ in range(generations):
        manifest = manifest.with_entry("0" * 64)
    manifest.write(path)
    return Run(path)


def test_a_run_without_a_search_plays_one_ply(tmp_path: Path) -> None:
    assert run_of(tmp_path / "r", "").conditions(3) == PlayConditions(ONE_PLY, SearchOptions(table_bits=14))


def test_options_of_the_search_are_listed(tmp_path: Path) -> None:
    search = "depth = 4\nnodes = 500\nquiescence = true\nequal_depth = true\ntable_bits = 9\n"
    expected = PlayConditions(Limits(4, 500), SearchOptions(True, False, True, 9))
    assert run_of(tmp_path / "r", search).conditions(0) == expected
    expected = PlayConditions(Limits(4, 500), SearchOptions(False, True, True, 9))  # its rules play captures out
    assert run_of(tmp_path / "b", search + "blondie = true\n").conditions(0) == expected


@pytest.mark.parametrize(("generation", "depth"), [(0, 1), (1, 1), (2, 3), (5, 5), (6, 7), (9, 8), (None, 7)])
def test_a_run_may_look_deeper_in_later_generations(tmp_path: Path, generation: int | None, depth: int) -> None:
    run = run_of(tmp_path / "r", "deepen_every = 2\n", generations=7)
    assert run.conditions(generation).limits == Limits(depth)
    assert run.conditions(generation).style.quiescence is PLAIN.quiescence


def test_other_folders_have_no_conditions(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"it has no config\.toml"):
        Run(tmp_path).conditions(0)
    with pytest.raises(ConfigError, match=r"search\.depth"):
        run_of(tmp_path / "r", "depth = 0\n").conditions(0)


def test_the_page_of_ratings_names_the_presets_without_tablebases() -> None:
    page = (TREE / "docs" / "ratings.md").read_text(encoding="utf-8")
    named = page.partition("unless the preset of the run is ")[2].partition(", which")[0]
    assert tuple(re.findall("`(.+?)`", named)) == FAITHFUL
