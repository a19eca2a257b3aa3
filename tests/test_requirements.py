"""The locks: each package has the same version in all of them, with hashes, and nothing depends on one machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXTRAS = ("learning", "cluster", "figures", "export", "cast")
LOCKS = ("requirements.txt", *(f"requirements/{extra}.txt" for extra in EXTRAS), "requirements/dev.txt")
SITE = "requirements/docs.txt"


def versions(lock: str) -> dict[tuple[str, str], str]:
    """Return the versions of each package, and the Python versions for which they hold."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    results = {}
    for name, version, marker in re.findall(r"^(\S+)==(\S+)(?: ; ([^\\\n]+?))? \\\n    --hash=sha256:", text, re.M):
        pythons = re.findall(r"python_full_version [<>=]+ '[\d.]+'", marker)
        results[name, " ".join(pythons)] = version
    assert len(results) == len(re.findall(r"^\S+==", text, re.M))
    return results


@pytest.mark.parametrize("lock", LOCKS[:-1])
def test_the_lock_for_tests_agrees(lock: str) -> None:
    mine, tests = versions(lock), versions(LOCKS[-1])
    assert len(mine) > 7
    assert {key: tests.get(key) for key in mine} == mine


def test_the_lock_for_the_site_can_be_installed_beside_that_for_tests() -> None:
    site, tests = versions(SITE), versions(LOCKS[-1])
    shared = site.keys() & tests.keys()
    assert shared and {name for name, _ in site} > {"sphinx", "myst-parser"}
    assert {key: site[key] for key in shared} == {key: tests[key] for key in shared}


@pytest.mark.parametrize("lock", [*LOCKS, SITE])
def test_a_lock_names_no_machine(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not re.search(r"://|--index|--find-links|^\s*#.*\s/", text, re.M)
