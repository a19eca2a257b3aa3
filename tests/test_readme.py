"""Play the session of the README again: everything in it but times is the same."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from evolve.inspection.phrases import founders_text
from evolve.report.overview import run_overview
from evolve.run.folder import Run

ROOT = Path(__file__).parents[1]
README, REPORT = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/reading-a-run.md"))
LINE = re.compile(r"^ +(\d+)  (Gen\d+_\d+) +([\d,]+) +([\d.]+ %) +(\S+) +([\d,]+) +([\d.]+)")


def shown(lines: list[str]) -> dict[str, tuple[str, ...]]:
    """Columns of a generation that are no times, and its rating, by number.

    Where the code for ratings is still being compiled, the rating follows on a line of its own.
    """
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        _, rated, rating = line.partition("  rating ")
        if match := LINE.match(line):
            found[match[1]] = (*match.groups()[1:], f"{rated}{rating}")
        elif rated and (number := line.split()[0]) in found:
            assert found[number][-1] == "  rating follows"
            found[number] = (*found[number][:-1], f"{rated}{rating}")
    return found


def test_the_session_of_the_readme(tmp_path: Path) -> None:
    command = [sys.executable, "main.py", "evolve", "--seed", "1", "--out", str(tmp_path), "--workers", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=True)
    told, got = shown(README.splitlines()), shown(done.stderr.splitlines())
    assert set(told) == {"0", "1"}
    assert {number: got[number] for number in told} == told
    for name in ("generations", "games", "champion", "digest"):
        (line,) = [line for line in done.stdout.splitlines() if line.startswith(name)]
        assert line in README.splitlines(), name
    (run,) = tmp_path.iterdir()
    founders = run_overview(Run(run)).founders
    shares = [(each.name[6:], round(100 * each.share, 1)) for each in founders.shares]
    assert shares == [("0978", 42.1), ("0168", 21.1), ("0132", 19.0), ("0630", 17.8)]  # by an independent recomputation
    assert f" founders {founders_text(founders)} " in " ".join(REPORT.split())
