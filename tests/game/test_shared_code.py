"""The code that sessions, matches and the window share: compiled once, by whichever of them starts first."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from game import shared_code
from game.compiled import kernel_cache
from tests.processes import completed

ROOT = Path(__file__).parents[2]

WINDOW = """
from pathlib import Path
from game.board import Position
from game.compiled import compiling
from game.players.names import parse_name
from gui.individuals.opponents import first_champion
from gui.thinking.messages import Purpose, SearchRequest
from gui.thinking.thoughts import Players, Stopper, WarmUp, think

def main():
    runs, compiled = Path("populations"), []
    with compiling.notify(lambda kernel, number: compiled.append(kernel)):
        warm_up = WarmUp()
        for stage in warm_up.stages:
            stage()
        players, stopper = Players(runs), Stopper()
        stopper.renew()
        opponent = parse_name(first_champion(runs).player)
        request = SearchRequest(Purpose.MOVE, 1, opponent, Position.start(), depth=4, seed=1)
        assert think(players, request, stopper, lambda finding: None).move is not None
        if warm_up._beside is not None:
            warm_up._beside.wait(2, lambda: None)
    print(len(compiled), "compiled")

if __name__ == "__main__":
    main()
"""
"""What the thinking process does for a newcomer's first game; then it lives on, here until all is compiled."""


def run(command: str, folder: Path) -> str:
    """Run what a user starts, with its own cache; return standard error."""
    (folder / "window.py").write_text(WINDOW, encoding="utf-8")
    arguments = {
        "evolve": ["main.py", "evolve", "--generations=0", "--seed=1", "--workers=2", f"--out={folder / 'runs'}"],
        "match": ["main.py", "match", "crownhead", "crownhead-1", "--games=2", "--workers=1", "--seed=1"],
        "window": [str(folder / "window.py")],
    }[command]
    environment = os.environ | {"CROWNHEAD_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    done = completed([sys.executable, *arguments], cwd=ROOT, env=environment, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stderr


def kept(folder: Path) -> set[str]:
    return {path.name for path in (folder / "cache" / "kernels").glob("*.nbc")}


@pytest.mark.check
@pytest.mark.parametrize("first", ["evolve", "match", "window"])
def test_the_first_command_compiles_for_the_others(first: str, tmp_path: Path) -> None:
    result = run(first, tmp_path)
    if first != "window":
        numbers = re.findall(r"(\d) of (\d)", result)
        assert numbers and numbers[-1][0] == numbers[-1][1], result
    compiled = kept(tmp_path)
    assert len(list((tmp_path / "cache" / "kernels").glob("shared-*.complete"))) == 1
    for other in ("match", "window", "evolve"):
        assert "compiling" not in run(other, tmp_path)
        assert kept(tmp_path) == compiled, other


@pytest.fixture
def folder(tmp_path: Path, compiled_in: Callable[[Path | None], None]) -> Path:
    compiled_in(tmp_path)
    return tmp_path


def test_a_failed_step_is_not_recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise MemoryError

    loaded: list[str] = []
    steps: dict[str, Callable[[], None]] = {"one": lambda: loaded.append("one"), "two": fail}
    monkeypatch.setattr(shared_code, "STEPS", steps)
    with pytest.raises(MemoryError):
        shared_code.complete()
    assert loaded == ["one"] and not shared_code.is_complete()
    steps["two"] = lambda: None
    shared_code.complete()
    assert shared_code.is_complete()


def test_another_version_is_not_complete(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_code, "STEPS", {})
    shared_code.complete()
    assert shared_code.is_complete()
    monkeypatch.setattr(kernel_cache, "source_hash", lambda path: "another")
    assert not shared_code.is_complete()


def test_compiled_steps_are_not_repeated(
    folder: Path, compiled_in: Callable[[Path | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(shared_code, "CompileProcess", refused)
    complete = [True, False]
    monkeypatch.setattr(shared_code, "is_complete", lambda: complete.pop(0))
    shared_code.compile_all("fork")
    compiled_in(None)  # another process could not pass on what it compiles
    shared_code.compile_all("fork")
