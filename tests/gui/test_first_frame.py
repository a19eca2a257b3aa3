"""The modules loaded by the first frame, the message without a display, and the only module that imports pygame."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import main
from evolve.run.runs import CHAMPION_RUN
from gui.individuals import opponents
from tests.sources import window_files

ROOT = Path(__file__).parents[2]
HEAVY = ("deap", "jax", "llvmlite", "numba", "numpy", "optax", "pandas", "scipy")

FIRST_FRAME = """
import json, sys
from pathlib import Path
import main
main.build_parser().parse_args([])
from gui import window

def report_and_quit(app):
    print(json.dumps([app.frames, [name for name in HEAVY if name in sys.modules]]))
    app.quit()

window.run(Path(RUNS), FIRST, watch=report_and_quit)
"""


def ran(arguments: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


def loaded_at_first_frame(folder: Path, *, before: str = "FIRST = lambda app: None") -> list[object]:
    """Return the modules loaded at the first frame, with the shipped runs, whose champion is the opponent."""
    code = f"HEAVY, RUNS = {HEAVY}, {str(ROOT / 'populations')!r}\n{before}\n{FIRST_FRAME}"
    environment = os.environ | {"CROWNHEAD_DATA_DIR": str(folder), "SDL_VIDEODRIVER": "dummy"}
    done = ran(["-c", code], environment)
    assert done.returncode == 0, done.stderr
    output: list[object] = json.loads(done.stdout.splitlines()[0])
    return output


def test_the_first_frame_comes_before_anything_heavy(tmp_path: Path) -> None:
    assert loaded_at_first_frame(tmp_path) == [1, []]


def test_a_named_opponent_loads_nothing_heavy(tmp_path: Path) -> None:
    """Its name is checked, but its weights are not read."""
    runs = ROOT / "populations"
    best = opponents.champion(runs, CHAMPION_RUN)
    assert best is not None
    before = f"""
from pathlib import Path
from gui import entry_points
entry_points.run = lambda runs, first: globals().update(FIRST=first)
entry_points.play(Path({str(runs)!r}), "crownhead@{best.generation}:{best.name}", "black", None, None)
"""
    assert loaded_at_first_frame(tmp_path, before=before) == [1, []]


def test_without_a_display_one_line_names_verbs_that_need_none(tmp_path: Path) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_RUNTIME_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["CROWNHEAD_DATA_DIR"] = str(tmp_path)
    if sys.platform != "linux":
        environment["SDL_VIDEODRIVER"] = "nothing"
    done = ran(["main.py"], environment)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("main.py: there is no display")
    subparsers = main.build_parser()._subparsers
    assert subparsers is not None
    verbs = set(subparsers._group_actions[0].choices or ()) - {"play", "watch"}
    assert verbs == set(done.stderr.rpartition(": ")[2].strip().split(", "))


# One door to pygame -----------------------------------------------------------------------------------------------


def importers_of_pygame(source: str) -> bool:
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        if any(name.split(".")[0] == "pygame" for name in names):
            return True
    return False


def test_pygame_comes_in_by_one_door() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in window_files()}
    assert [path.name for path, source in sources.items() if importers_of_pygame(source)] == ["toolkit.py"]


def test_that_check_finds_every_import() -> None:
    assert importers_of_pygame("def f():\n    from pygame.locals import K_a")
    assert importers_of_pygame("import pygame.font as font")
    assert not importers_of_pygame("from gui.toolkit import pygame")


def test_code_runs_with_both_variants_of_pygame() -> None:
    missing = (
        "aacircle",
        "message_box",
        "FRect",
        "pygame.Window",
        "pygame.SCALED",
        "OPENGL",
        "mouse.get_pressed",
        "mouse.get_pos",
    )
    for path in window_files():
        text = path.read_text(encoding="utf-8")
        assert [name for name in missing if name in text] == [], path
