"""Every example of ``--help``, which docs/commands.md repeats, runs; long ones with fewer games or generations."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import extras
import main
from game.networks.named import find_network
from tests import commands_page
from tests.called import call_program

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "populations"
SHIPPED = ("cast", "crownhead", "crownhead-1", "cowan-deep", "zero", "blondie24-840.csv", "blondie24-840.sha256")
SMALL = (
    *("--preset=cowan", "--set=population.parents=2", "--set=population.recombine=false", "--set=population.mutants=0"),
    *('--set=stages=[{kind="round-robin"}]', "--set=founders.method=uniform", "--workers=1"),
)
FEW = ("--games=2", "--workers=1")
SHORTENED: dict[str, tuple[str, ...]] = {
    "evolve": (*SMALL, "--generations=0", "--set=rating.every=0"),
    "evolve --seed 7": (*SMALL, "--generations=0", "--set=rating.every=0", "--name=mine-too"),
    "evolve --resume": ("--generations=16", "--workers=1"),
    "evolve --branch": ("--generations=11", "--workers=1", "--name=other-too"),
    "evolve --seeds": (*SMALL, "--generations=1", "--seeds=1-2", "--set=rating.games=2"),
    "evolve --estimate": (*SMALL, "--workers=1"),
    "evolve --preset cast": ("--estimate", "--workers=1"),
    "evolve --preset blondie24 --minutes": (*SMALL, "--estimate", "--workers=1"),
    "train": ("--estimate", "--workers=1"),
    "train --preset alphago": ("--set=learning.teacher=", "--estimate", "--workers=1"),
    "match": FEW,
    "ladder": (*FEW, "--anchors=random"),
    "ladder crownhead": (*FEW, "--anchors=none"),
    "bench": ("--only=perft",),
    "bench --signature": (),
    "inspect mine": ("--games=0", "--workers=1"),
    "inspect crownhead cowan-deep": FEW,
    "inspect mine --earlier": FEW,
    "cluster start": ("--workers=1",),
    "tablebase build": ("--pieces=2",),
    "tablebase build --pieces 7": ("--help",),
}
"""Options added to an example, by the words with which it begins; the longest match counts."""

LONG = ("inspect mine --games 0 --html", "bench --only search,games")
"""The beginnings of examples that take seconds; other tests use their options."""

EXAMPLES = [f"{verb.name} {line}".strip() for verb in main.VERBS for line, _ in commands_page.examples(verb)]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with the files that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    runs = folder / "populations"
    runs.mkdir()
    for name in SHIPPED:
        (shutil.copytree if (RUNS / name).is_dir() else shutil.copy)(RUNS / name, runs / name)
    for name in ("mine", "other"):
        given = (f"--out={runs}", f"--name={name}", "--seed=1", "--generations=15", "--set=rating.every=0")
        assert main.main(["evolve", *SMALL, *given]) == 0
    shutil.copytree(ROOT / "docs" / "examples", folder / "docs" / "examples")
    annotated = (ROOT / "tests" / "data" / "annotated.pdn").read_text(encoding="utf-8")
    # Without its variation that cannot be played, since `pdn check` calls that a fault.
    before, _, after = re.split(r"(\(24-20 .*? 28x19\)\n)", annotated, flags=re.DOTALL)
    (folder / "games.pdn").write_text(before + after, encoding="utf-8")
    weights = ",".join(f"w{number}" for number in range(247))
    (folder / "players.csv").write_text(f"names,{weights}\nAnna{',0.1' * 247}\n", encoding="utf-8")
    spec = find_network(str(ROOT / "docs" / "examples" / "both-heads.toml"))
    columns = ",".join(f"w{number}" for number in range(spec.weights))
    (folder / "both.csv").write_text(f"names,{columns}\nBea{',0.01' * spec.weights}\n", encoding="utf-8")
    if "external" in extras.installed():
        from extras.external.tests.programs import command

        program = folder / "other-program"
        program.write_text(f"#!/bin/sh\nexec {command('good')}\n", encoding="utf-8")
        program.chmod(0o755)
    return folder


@pytest.fixture
def windowless(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands that open the window open their screen without a main loop."""
    from gui import entry_points
    from gui.screens.home import Home
    from tests.gui.hands import window_without_loop

    open_window = window_without_loop(tmp_path)

    def run(*arguments: object) -> None:
        screen = open_window(*arguments).screen
        assert not isinstance(screen, Home)
        screen.on_close()

    monkeypatch.setattr(entry_points, "run", run)


@pytest.fixture
def ending_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    if "cluster" not in extras.installed():
        return
    from extras.cluster import command as cluster
    from extras.cluster.tests.machines import free_port

    async def end(scheduler: object) -> None: ...

    monkeypatch.setattr(cluster, "PORT", free_port())
    monkeypatch.setattr("distributed.Scheduler.finished", end)


@pytest.mark.parametrize(
    "example", [pytest.param(each, marks=pytest.mark.check if each.startswith(LONG) else ()) for each in EXAMPLES]
)
@pytest.mark.usefixtures("windowless", "ending_cluster", "own_names")
def test_an_example_of_help_runs(
    example: str,
    prepared: Path,
    tmp_path: Path,
    runs_in: Callable[..., None],
    typed: Callable[[bytes], None],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(prepared)
    runs_in(prepared / "populations")
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "desktop"))
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path / "data"))
    typed(b"position startpos\ngo depth 1\nquit\n")
    first = max((start for start in SHORTENED if example.startswith(start)), key=len, default="")
    done = call_program(capfd, *shlex.split(example), *SHORTENED.get(first, ()))
    assert done.code == 0, done.err
    assert done.out or example.split(maxsplit=1)[0] in ("play", "watch")
