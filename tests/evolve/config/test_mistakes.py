"""Several mistakes of a configuration: contradictions beside wrong values, and more than anybody reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.config.preset_files import ConfigError
from evolve.config.toml import load


def lines_of(*settings: str, preset: str | None = None, path: Path | None = None) -> tuple[str, ...]:
    """What is wrong with a configuration."""
    with pytest.raises(ConfigError) as raised:
        load(preset, path, settings)
    return raised.value.lines


def test_contradictions_are_reported_with_other_mistakes() -> None:
    lines = lines_of("population.parents=9", "variation.low=0.5", "games.quiet_plies=x", "foo=1", "games.repetition=1")
    assert [line.split(":", 1)[0] for line in lines] == [
        "games.quiet_plies",
        "foo",
        "variation.low",
        "stages.0.rounds",
    ]


@pytest.mark.parametrize("wrong", ["population.parents=x", "population.parent=8", "stages.0.kind=x", "network=x"])
def test_wrong_values_cause_no_contradictions(wrong: str) -> None:
    """What stands in its place meanwhile is nobody's wish."""
    (line,) = lines_of(wrong, "population.mutants=2", preset="crownhead-1")
    assert line.startswith(wrong.partition("=")[0])


def test_number_of_reported_mistakes_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("\n".join(f"key{number} = 1" for number in range(300)), encoding="utf-8")
    lines = lines_of(path=path)
    assert len(lines) == 21
    assert lines[-1] == "and 280 more"
    assert lines[19].startswith("key19: unknown key")
