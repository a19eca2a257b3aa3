"""Keys of a configuration by a few letters."""

from __future__ import annotations

import pytest

from evolve.config import preset_files, toml
from evolve.config.check import known_keys, matching_keys, nearest_key
from evolve.config.values import dotted_rows

KEYS = known_keys(3)


@pytest.mark.parametrize("preset", preset_files.shipped_preset_names())
def test_every_value_in_force_is_known(preset: str) -> None:
    config = toml.load(preset, None, ["learning.games=games.pdn"] if preset == "policy" else [])
    names = {key.name for key in known_keys(len(config.stages))}
    assert {key for key, _, _ in dotted_rows(config) if not key.startswith("plugins.")} <= names | {
        f"stages.{number}.{key}" for number in range(3) for key in ("kind",) if not config.kind.breeds
    }


def test_keys_are_offered_with_meaning_and_range() -> None:
    first = matching_keys("variation.hi", KEYS)[0]
    assert (first.name, first.kinds) == ("variation.high", ("uniform",))
    assert first.text and first.allowed.startswith("a number from ")
    assert {"founders.depth", "search.depth"} <= {key.name for key in matching_keys("depth", KEYS)}
    assert "search.depth" in [key.name for key in matching_keys("plies of full width", KEYS)]
    assert all("tablebases" in key.text for key in matching_keys("tablebases", KEYS))
    assert matching_keys("no such words", KEYS) == []


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("variation.hgih", "variation.high"),
        ("population.parnets", "population.parents"),
        ("serach.depth", "search.depth"),
        ("quiesence", "search.quiescence"),
        ("zzzzzz", None),
    ],
)
def test_a_wrong_name_has_a_nearest_one(written: str, name: str | None) -> None:
    near = nearest_key(written, KEYS)
    assert (near.name if near else None) == name
