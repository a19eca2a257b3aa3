"""What an installed Crownhead needs is what a checkout needs, to the version."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from evolve.run.runs import SHIPPED_NAMES

ROOT = Path(__file__).parents[1]


def _project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return dict(tomllib.load(file)["project"])


def _pins(lock: str) -> list[str]:
    """The lines of a lock, without hashes: name, version, and for which Pythons or systems."""
    entries = (ROOT / lock).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    lines = [entry.split(" --hash=")[0] for entry in entries if entry.strip() and not entry.lstrip().startswith("#")]
    return ["; ".join(part.strip() for part in line.split(";")) for line in lines]


@pytest.mark.parametrize(
    ("lock", "extra"),
    [
        ("requirements.txt", None),
        ("requirements-learning.txt", "learning"),
        ("requirements-cluster.txt", "cluster"),
        ("requirements-figures.txt", "figures"),
        ("requirements-export.txt", "export"),
    ],
)
def test_versions_are_those_of_the_lock(lock: str, extra: str | None) -> None:
    project = _project()
    pins = _pins(lock)
    assert all("==" in pin for pin in pins)
    assert pins, "a lock without a version"
    assert (project["dependencies"] if extra is None else project["optional-dependencies"][extra]) == pins


def test_all_shipped_runs_are_in_the_wheel() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        artifacts = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["wheel"]["artifacts"]
    assert artifacts == ["/populations/blondie24-840.*", *(f"/populations/{name}/**" for name in SHIPPED_NAMES)]


def test_there_is_one_script_that_can_be_started() -> None:
    import main

    assert _project()["scripts"] == {"crownhead": "main:console"}
    assert callable(main.console)
