"""The README: its first screenful, and its session, which gives the same report again."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from evolve.inspection.phrases import founders_text
from evolve.report.overview import run_overview
from evolve.run.folder import Run

ROOT = Path(__file__).parents[1]
README, REPORT = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/reading-a-run.md"))


def evolve(out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "main.py", "evolve", "--seed", "1", "--out", str(out), "--workers", "2", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=True)


@pytest.mark.check
def test_the_session_of_the_readme(tmp_path: Path) -> None:
    report = evolve(tmp_path, "--generations=112").stdout.replace(f"{tmp_path}/", "")
    block = README.partition("<!-- first.report -->\n```\n")[2].partition("```")[0]
    curve, _, rest = block.partition("\n\n")
    assert curve in report and set(rest.splitlines()) <= set(report.splitlines()) and rest.count("\n") == 4


def words_before(readme: str, what: str) -> int:
    """Count the words that a reader sees before something: no comments, addresses, code, or texts of pictures."""
    text = re.sub(r"<!--.*?-->|!\[.*?\]\(.*?\)|\]\(.*?\)|`[^`]*`", " ", readme.partition(what)[0], flags=re.S)
    return len(re.findall(r"[\w'-]*\w", text))


def test_the_readme_shows_before_it_tells() -> None:
    assert words_before(README, "![") <= 10
    assert words_before(README, "```sh") <= 40
    assert words_before("# One\n\n[two](a.md) `x`<!-- y --> three,\n```sh", "```sh") == 3
    assert len(README.splitlines()) <= 100
    points = re.findall(r"^\* (.*)$", README.partition("```sh")[0], re.M)
    assert len(points) == 4 and all(words_before(point, "```") <= 10 for point in points)


@pytest.mark.check
def test_the_founders_of_the_page_about_runs(tmp_path: Path) -> None:
    evolve(tmp_path, "--preset=cowan")
    (run,) = tmp_path.iterdir()
    founders = run_overview(Run(run)).founders
    shares = [(each.name[6:], round(100 * each.share, 1)) for each in founders.shares]
    assert shares == [("0978", 42.1), ("0168", 21.1), ("0132", 19.0), ("0630", 17.8)]  # by an independent recomputation
    assert f" founders {founders_text(founders)} " in " ".join(REPORT.split())
