"""The README and the guides: every command and snippet runs, in the order of its page, shortened."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evolve.inspection.phrases import founders_text
from evolve.kinds import plugins
from evolve.report.overview import run_overview
from evolve.run.folder import Run
from game.endgame import tables
from tests.called import call_program

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

ROOT = Path(__file__).parents[1]
SWEEP = "../extras/sweeps/first-sweep"
GUIDES = ("first-player", "first-operator", SWEEP, "reading-a-run", "faq")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
SMALL = (
    *("--set=population={parents=2,recombine=true,mutants=1}", '--set=stages=[{kind="round-robin"}]'),
    *("--set=rating.every=0", "--generations=1", "--workers=1"),
)
FEW = ("--games=2", "--workers=1")
SHORTENED: dict[str, tuple[str, ...]] = {
    "evolve --seed 1": ("--generations=2", "--set=rating.games=2", "--workers=1"),
    "evolve --preset cowan": SMALL,
    "evolve --minutes": (*SMALL, "--minutes=0.01"),
    "evolve --generations 16 --sweep": ("--generations=1", "--set=rating={every=1,games=2}", "--seeds=1-2"),
    "inspect first-1": ("--games=0", "--workers=1"),
    "inspect cowan-1": FEW,
    "inspect ballots": (*FEW, "--earlier=0"),
    "match": FEW,
}
"""Options added to a command, by the words with which it begins; the longest match counts."""

OMITTED = "..."
"""A line of a page in place of lines that are not shown."""

RENAMED = {"@16": "@0", "Gen112": "Gen02"}
"""Generations that shortened runs lack, with their replacements."""


def blocks(guide: str) -> list[tuple[str, str]]:
    return BLOCK.findall((ROOT / "docs" / f"{guide}.md").read_text(encoding="utf-8"))


@pytest.fixture
def folder(
    tmp_path: Path, own_names: None, runs_in: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Make a folder of runs and a current folder, windows without a loop, and hide operators and players of tests."""
    from gui import entry_points
    from tests.gui.hands import window_without_loop

    runs = tmp_path / "populations"
    runs.mkdir()
    for name in ("crownhead", "crownhead-2", "people"):
        shutil.copytree(ROOT / "populations" / name, runs / name)
    monkeypatch.chdir(tmp_path)
    runs_in(runs, runs)  # else a run of this checkout has the name `first-1`
    for variable in ("CROWNHEAD_DATA_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable))

    monkeypatch.setattr(entry_points, "run", window_without_loop(tmp_path))
    yield tmp_path
    plugins.load([])


def commands(text: str) -> list[list[str]]:
    """Return the words of each command of a block, after the program."""
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
    words = [shlex.split(line, comments=True) for line in lines]
    assert all(each[:2] == ["python", "main.py"] for each in words), text
    return [each[2:] for each in words]


def shortened(words: list[str]) -> list[str]:
    """Return a command shortened so that it takes less time."""
    line = " ".join(words)
    for old, new in RENAMED.items():
        words = [word.replace(old, new) for word in words]
    first = max((start for start in SHORTENED if line.startswith(start)), key=len, default="")
    return [*words, *SHORTENED.get(first, ())]


def play(guide: str, capfd: pytest.CaptureFixture[str], change: Callable[[list[str]], list[str]]) -> list[str]:
    """Run a whole page, and return what its commands print on standard output and error."""
    printed = []
    for language, text in blocks(guide):
        if language == "python" and (named := re.match(r"# (\w+\.py)\n", text)):
            Path(named[1]).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, guide, "exec"), {})
        elif language == "sh":
            for words in commands(text):
                done = call_program(capfd, *change(words))
                assert done.code == 0, done.err
                printed += [*done.out.splitlines(), *done.err.splitlines()]
        else:
            assert language == "", f"{guide}: a block of {language}, which no test runs"
    return printed


@pytest.mark.parametrize(
    "guide", [pytest.param(guide, marks=pytest.mark.check if guide == SWEEP else ()) for guide in GUIDES]
)
@pytest.mark.usefixtures("folder")
@pytest.mark.needs()
def test_all_of_a_guide_runs(guide: str, capfd: pytest.CaptureFixture[str]) -> None:
    play(guide, capfd, shortened)


def test_the_snippet_and_the_next_commands_of_the_readme_run(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("first", "first-1"):
        shutil.copytree(ROOT / "populations" / "first", folder / "populations" / name)
    rest = (ROOT / "README.md").read_text(encoding="utf-8").partition("<!-- first.report -->")[2]
    _, (_, following), (_, snippet), _ = BLOCK.findall(rest)
    for words in commands(following):
        done = call_program(capfd, *shortened(words))
        assert done.code == 0, done.err
    exec(compile(snippet, "README.md", "exec"), {})
    assert capfd.readouterr().out == "Gen112_0000 1629.9 1.0\n"


def constant(line: str) -> str:
    return re.sub(r"^( *\d+  Gen.*?) +[\d,]+ +[\d:]+(?=  rating |$)", r"\1", line).strip()


@pytest.mark.check
@pytest.mark.parametrize("guide", GUIDES)
@pytest.mark.usefixtures("folder")
def test_a_guide_shows_the_output_of_its_commands(
    guide: str, capfd: pytest.CaptureFixture[str], limit: Callable[..., None]
) -> None:
    limit(tables, "MOST_PIECES", tables.OWN_PIECES)  # whatever tables of more pieces this machine has
    tables.open_tables.cache_clear()
    printed = {constant(line) for line in play(guide, capfd, lambda words: words)}
    shown = [constant(line) for language, text in blocks(guide) if not language for line in text.splitlines()]
    assert [line for line in shown if line not in printed and line != OMITTED] == []
    tables.open_tables.cache_clear()


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
