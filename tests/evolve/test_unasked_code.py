"""No command runs code that a run, a file or a preset brings unless ``--plugin`` names it: all are tried."""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import extras
import main
from evolve.config import toml
from evolve.kinds import plugins
from game.errors import InputError
from tests.laplace import LAPLACE

TRAP = LAPLACE + "\nfrom pathlib import Path\nPath(TARGET).touch()\n"
TINY = ["population.parents=3", "population.mutants=1", "rating.every=0", "founders.method=uniform"]
TINY += ['stages=[{kind="round-robin"}]', "variation.mutation=laplace"]
START = "W:WK15:BK28"

COMMANDS = """
evolve --resume RUN --out OUT --generations 2
evolve --resume RUN --out OUT --from 0 --generations 2
evolve --branch RUN@0 --out OUT --seed 2
evolve --branch RUN@0 --out OUT --seed 2 --estimate
evolve --config RUN/config.toml --out OUT --workers 1
evolve --config RUN/config.toml --out OUT --estimate
evolve --config RUN/config.toml --out OUT --preset cowan --estimate --json
evolve --config RUN/config.toml --out OUT --set variation.mutation=uniform --estimate
evolve --config RUN/config.toml --out OUT --plugin other.py --estimate
evolve --config RUN/config.toml --out OUT --seeds 1-2
evolve --config RUN/config.toml --out OUT --sweep variation.scale=0.1,0.2 --seeds 1
evolve --config RUN/config.toml --out OUT
train --config RUN/config.toml --out OUT
train --config RUN/config.toml --out OUT --estimate
train --resume RUN --out OUT
train --branch RUN@0 --out OUT --seed 2
evolve --preset hostile --out OUT --workers 1
evolve --preset hostile --out OUT --estimate
evolve --preset hostile --out OUT --seeds 1-2
train --preset hostile --out OUT --estimate
evolve --config named.toml --out OUT --estimate
evolve --resume SWEEP --out OUT --generations 2
match RUN RUN@0 --games 2 --workers 1
match RUN hostile --games 2 --workers 1
ladder RUN --games 2 --workers 1 --anchors none
ladder RUN RUN@0 --games 2 --limit depth=1 --anchors none --workers 1
move RUN --fen START
move RUN/generation_0001.csv --fen START
analyse RUN --fen START --depth 1
desktop status
engine RUN
inspect RUN --games 2 --earlier 0 --workers 1
inspect RUN --games 0
inspect RUN@1 --games 0 --json
inspect RUN RUN --games 0
inspect SWEEP --games 0
inspect --runs RUNS
export RUN --tensorboard OUT.events
export RUN --onnx OUT.onnx
network RUN
network hostile
"""
WITHOUT_RUNS = {"perft", "pdn", "tablebase", "cluster", "bench"}
WINDOW = {"play", "watch"}
"""`tests/gui/test_unasked_code.py` walks through the window."""


@pytest.fixture(autouse=True)
def none_are_loaded(played: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    plugins.load([])
    monkeypatch.setattr(plugins, "_kinds", {})
    (played / "ran").unlink(missing_ok=True)
    yield
    plugins.load([])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, really played with the plugin, and a sweep; the mark that its code leaves is taken away again."""
    folder = tmp_path_factory.mktemp("strangers")
    (folder / "ops.py").write_text(TRAP.replace("TARGET", repr(str(folder / "ran"))))
    given = [f"--set={each}" for each in TINY]
    own = f"--plugin={folder / 'ops.py'}"
    words = ["evolve", "--preset=cowan", f"--out={folder}", "--generations=1", "--workers=1", own, *given]
    assert main.main([*words, "--name=run", "--seed=1"]) == 0
    if "sweeps" in extras.installed():
        assert main.main([*words, "--name=sweep", "--seeds=1,2"]) == 0
    assert (folder / "ran").exists()  # so the trap works
    return folder


def _without_record(text: str, files: str, sha256: str = "") -> str:
    text = re.sub(r"(?ms)^# [^\n]*\n\[plugins\].*?(?=^\n|^\[)|^\[plugins\].*?(?=^\n|^\[)", "", text)
    head, table, rest = text[: text.index("# What this run was made with.")].partition("\n[")
    known = f'sha256 = ["{sha256}"]\n' if sha256 else ""
    return f'{head}\n[plugins]\nfiles = ["{files}"]\n{known}{table}{rest}'


@pytest.fixture(
    params=[
        "with a record",
        "without one, beside",
        *(pytest.param(f"without one{more}", marks=pytest.mark.check) for more in ("", ", with a SHA-256")),
    ]
)
def hostile(request: pytest.FixtureRequest, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies of the folders, as a stranger may have changed them, and a preset of this person with the same code."""
    runs = tmp_path / "runs"
    for name in ("run", "sweep"):
        if (played / name).exists():  # sweeps are an extra
            shutil.copytree(played / name, runs / name)
    run, source = runs / "run", (played / "ops.py").read_text()
    text = (run / "config.toml").read_text()
    if request.param != "with a record":
        beside = request.param.endswith("beside")
        sha = hashlib.sha256(source.encode()).hexdigest() if "SHA" in request.param else ""
        (run / "ops.py").write_text(source)
        text = _without_record(text, "ops.py" if beside else "plugins/ops.py", sha)
        (run / "config.toml").write_text(text)
    presets = tmp_path / "data" / "presets"
    presets.mkdir(parents=True)
    (presets / "ops.py").write_text(source)
    (presets / "hostile.toml").write_text('[plugins]\nfiles = ["ops.py"]\n[variation]\nmutation = "laplace"\n')
    (tmp_path / "named.toml").write_text('preset = "hostile"\n')
    (tmp_path / "other.py").write_text(LAPLACE.replace("laplace", "other"))
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands_run_only_named_code(
    hostile: Path, played: Path, typed: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    typed(b"")  # of the verb engine
    runs = hostile / "runs"
    places = {"RUN": runs / "run", "SWEEP": runs / "sweep", "RUNS": runs, "OUT": hostile / "out", "START": START}
    walked = set()
    verbs = {verb.name for verb in main.VERBS}
    for line in (line for line in COMMANDS.strip().splitlines() if line.split()[0] in verbs):
        words = [re.sub(r"^(RUNS|RUN|SWEEP|OUT|START)\b", lambda m: str(places[m[1]]), word) for word in line.split()]
        with contextlib.ExitStack() as absent:
            if any(extras.missing(word) for word in words):
                absent.enter_context(contextlib.suppress(SystemExit))
            code = main.main(words)
        output = capsys.readouterr().err
        walked.add(words[0])
        assert not (played / "ran").exists(), line
        assert code != main.FAULT, (line, output)
        if words[0] == "evolve":
            assert code == main.MISTAKE, (line, output)
            assert "\n" not in output.strip() or "--seeds" in line, output
            plugins_named = plugins.loaded()
            assert not plugins_named or [each.name for each in plugins_named] == ["other.py"], line
    assert verbs <= walked | WITHOUT_RUNS | WINDOW
    assert not (hostile / "out").exists()


def test_code_runs_once_it_is_named(hostile: Path, played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, named = f"--config={hostile}/runs/run/config.toml", f"--plugin={played / 'ops.py'}"
    assert main.main(["evolve", config, named, "--out=out", "--generations=1", "--workers=1", "--name=again"]) == 0
    assert (hostile / "out" / "again" / "plugins" / "ops.py").read_bytes() == (played / "ops.py").read_bytes()
    assert (played / "ran").exists()
    assert main.main(["evolve", config, "--plugin=other.py", "--out=out"]) == main.MISTAKE
    output = capsys.readouterr().err
    assert "contains code, ops.py (SHA-256 " in output and "add --plugin " in output


def sessions() -> Any:
    return pytest.importorskip("extras.notebooks.sessions", reason="sessions from Python are an extra")


@pytest.mark.parametrize(
    "call",
    [
        lambda run, out: toml.load(path=run / "config.toml"),
        lambda run, out: toml.load("hostile"),
        lambda run, out: sessions().resume(run),
        lambda run, out: sessions().run(toml.load(path=run / "config.toml", own=None), runs=out),
        lambda run, out: sessions().run(toml.load("hostile", own=None), runs=out),
    ],
)
def test_no_call_from_python_runs_code_that_was_not_named(
    call: Callable[[Path, Path], object], hostile: Path, played: Path
) -> None:
    with pytest.raises(InputError, match=r"ops\.py|record\.format"):
        call(hostile / "runs" / "run", hostile / "out")
    assert not (played / "ran").exists()
    assert not plugins.loaded()
    assert not (hostile / "out").exists()
