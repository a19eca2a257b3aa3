"""What stays stable: runs in the format of 0.1.0, and the names on the page about it."""

from __future__ import annotations

import json
import re
import shutil
from importlib import metadata
from pathlib import Path

import pytest

import crownhead
import main
from game.installation import VERSION
from tests.called import call_program

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "stable.md").read_text(encoding="utf-8")
STORED = ROOT / "tests" / "data" / "format-1"
"""A run made by 0.1.0, which is never written anew: a later format reads it.

``evolve --preset cowan --network docs/examples/pieces-65.toml --seed 1 --generations 2`` with two parents, one mutant
each, a round robin, and ratings against random moves.
"""

NEXT = "aaa2cf3e9019f4a66a072117c3692aaa7615521704af3884a26e5b145f1790fd"
"""The digest of the same command with ``--generations 3``, by 0.1.0."""


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Copy the stored run; it names the numpy of today, since a session continues with no other."""
    run = tmp_path / "stored"
    shutil.copytree(STORED, run)
    text = (run / "config.toml").read_text(encoding="utf-8")
    assert "\nformat = 1\n" in text
    text = re.sub(r'^numpy = ".*"$', f'numpy = "{metadata.version("numpy")}"', text, flags=re.M)
    (run / "config.toml").write_text(text, encoding="utf-8")
    return run


def listed(pattern: str) -> list[str]:
    """Return the names in a part of the page."""
    return re.findall(r"`(\w+)`", re.findall(pattern, PAGE)[0])


def test_a_run_of_the_first_format_is_inspected_and_played(stored: Path, capfd: pytest.CaptureFixture[str]) -> None:
    done = call_program(capfd, "inspect", str(stored), "--games=0", "--json")
    report = json.loads(done.out)
    assert done.code == 0 and sum(row["games"] for row in report["log"]) == 100
    assert [row["champion"] for row in report["log"]] == ["Gen00_0005", "Gen01_0002", "Gen02_0000"]
    games = stored / "games.pdn"
    pair = str(stored), f"{stored}@1:Gen01_0002"
    done = call_program(capfd, "match", *pair, "--games=2", "--json", "--workers=1", f"--pdn={games}")
    assert done.code == 0 and json.loads(done.out)["games"] == 2
    text = "".join(path.read_text(encoding="utf-8") for path in (games, stored / "champions.pdn"))
    assert {*re.findall(r"^\[(\w+) ", text, re.M), "SetUp", "FEN"} == {*listed(r"PDN with the tags (.*?);")}


def test_a_run_of_the_first_format_resumes_to_the_same_bytes(stored: Path, capfd: pytest.CaptureFixture[str]) -> None:
    where = f"--runs={stored.parent}"
    done = call_program(capfd, "evolve", "--resume=stored", where, "--generations=3", "--workers=1", "--json")
    assert (done.code, json.loads(done.out)["digest"]) == (0, NEXT)


@pytest.mark.needs()
def test_the_page_names_all_that_is_public() -> None:
    assert sorted(listed(r"Verbs \((.*?)\)")) == sorted(verb.name for verb in main.VERBS)
    assert listed(r"attributes of their results: (.*?) \|") == [name for name in crownhead.__all__ if name[0] != "_"]
    assert re.match(r"What you may build on, from (\S+) on", PAGE.splitlines()[2])[1] == "0.1.0" <= VERSION  # type: ignore[index]
