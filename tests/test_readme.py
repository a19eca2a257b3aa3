"""The README: its session gives the same output again, except times, and its figures are on the pages it names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from evolve.config.anchors import shown_text
from evolve.inspection.phrases import founders_text
from evolve.report.overview import run_overview
from evolve.run.folder import Run

ROOT = Path(__file__).parents[1]
README, REPORT = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/reading-a-run.md"))
FIGURE = re.compile(r"(?<![\w.,])-?\d[\d.,]*(?<![.,])(?!\w)|\b(?:two|three|four|five|six|seven|eight|nine|ten)\b")
LINE = re.compile(r"^ +(\d+)  (Gen\d+_\d+) +([\d,]+) +([\d.]+ %) +(\S+) +([\d,]+) +([\d.]+)")


def shown(lines: list[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns of each generation that are not times, and its rating, by generation.

    Where the code for ratings is still being compiled, the rating follows on a line of its own.
    """
    results: dict[str, tuple[str, ...]] = {}
    for line in lines:
        _, rated, rating = line.partition("  rating ")
        if match := LINE.match(line):
            results[match[1]] = (*match.groups()[1:], f"{rated}{rating}")
        elif rated and (number := line.split()[0]) in results:
            assert results[number][-1] == "  rating follows"
            results[number] = (*results[number][:-1], f"{rated}{rating}")
    return results


def evolve(out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "main.py", "evolve", "--seed", "1", "--out", str(out), "--workers", "2", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=True)


@pytest.mark.check
def test_the_session_of_the_readme(tmp_path: Path) -> None:
    done = evolve(tmp_path, "--generations=112")
    lines = README.splitlines()
    result, got = shown(lines), shown(done.stderr.splitlines())
    assert set(result) == {"0", "16", "112"}
    assert {number: got[number] for number in result} == result
    report = done.stdout.splitlines()
    assert set(report[:13]) <= set(lines)  # the curve
    for name in ("rating", "verdict", "digest"):
        (line,) = [line for line in report if line.startswith(f"{name} ")]
        assert line in lines, name


def test_the_session_of_the_readme_is_that_of_the_shipped_run() -> None:
    log = Run(ROOT / "populations" / "first").log()
    for number, (*columns, rating) in shown(README.splitlines()).items():
        row = log.loc[int(number)]
        assert rating.startswith(f"  rating {shown_text(row['rating'])} ({shown_text(row['rating_low'])} to ")
        points = f"{row['best_points']:.0f}/{row['mean_points']:.1f}/{row['worst_points']:.0f}"
        draws = f"{100 * row['draws'] / row['games']:.1f} %"
        counts = f"{row['games']:,}", draws, points, f"{row['distinct']:,}", f"{row['diversity']:.3f}"
        assert columns == [row["champion"], *counts]


def chapter(page: str, anchor: str) -> str:
    """A page, or its chapter with this anchor and all within it."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for heading in re.finditer(r"^(#+) (.*)$", text, re.M) if anchor else ():
        if re.sub(r"[^\w -]", "", heading[2].lower()).replace(" ", "-") == anchor:
            following = re.search(rf"^#{{1,{len(heading[1])}}} ", text[heading.end() :], re.M)
            return text[heading.start() :][: following.start() + len(heading[0]) if following else None]
    return "" if anchor else text


def unproven(readme: str) -> list[str]:
    """Figures of a README that are in none of the chapters to which their paragraph, list item or table row links."""
    text = re.sub(r"^```.*?^```$|<!--.*?-->", "", readme, flags=re.M | re.S)
    wrong = []
    for statement in re.split(r"\n\s*\n|\n(?=[*|])", text):
        known = " ".join(chapter(*link) for link in re.findall(r"\]\(([\w/.-]+\.md)#?([^)]*)\)", statement))
        result = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", statement)
        wrong += [figure for figure in FIGURE.findall(result) if figure not in FIGURE.findall(known)]
    return wrong


def test_figures_are_on_the_pages_that_the_readme_names() -> None:
    assert unproven(README) == []
    for old, new in (("-148", "-149"), ("5,489", "5,498"), ("93 weights", "9 weights"), ("eight plies", "nine plies")):
        assert unproven(README.replace(old, new)) == [new.split()[0]] and old in README
    assert unproven("Games take 5 ms.") == ["5"]
    assert len(README.splitlines()) <= 110


@pytest.mark.check
def test_the_founders_of_the_page_about_runs(tmp_path: Path) -> None:
    evolve(tmp_path, "--preset=cowan")
    (run,) = tmp_path.iterdir()
    founders = run_overview(Run(run)).founders
    shares = [(each.name[6:], round(100 * each.share, 1)) for each in founders.shares]
    assert shares == [("0978", 42.1), ("0168", 21.1), ("0132", 19.0), ("0630", 17.8)]  # by an independent recomputation
    assert f" founders {founders_text(founders)} " in " ".join(REPORT.split())
