"""The modules loaded by the model and by the first frame, and the only module that imports pygame."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import main
from evolve.run.runs import CHAMPION_RUN
from gui.individuals import opponents
from tests.sources import window_files

ROOT = Path(__file__).parents[2]
HEAVY = ("deap", "jax", "llvmlite", "numba", "numpy", "optax", "pandas", "scipy")
OF_MODEL = ("model", "thinking", "individuals", "storage", "sessions")
"""Packages of the window that import neither these nor pygame."""

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


EARLY = """
import json, sys
from gui import display
display.show_at_once()
surface = display.pygame.display.get_surface()
shown = surface and [surface.get_size(), surface.get_at((0, 0)) != surface.get_at(surface.get_rect().center)]
print(json.dumps([shown, "gui.app" in sys.modules]))
"""


def test_window_appears_before_the_program_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"width": 640, "height": 480, "theme": "dark"}')
    environment = os.environ | {"CROWNHEAD_DATA_DIR": str(tmp_path), "SDL_VIDEODRIVER": "dummy"}
    assert json.loads(ran(["-c", EARLY], environment).stdout) == [[[640, 480], True], False]


def test_window_that_cannot_appear_early_is_left_to_the_start(tmp_path: Path) -> None:
    unset = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {"CROWNHEAD_DATA_DIR": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    assert json.loads(ran(["-c", EARLY], environment).stdout) == [None, False]


def test_a_named_opponent_loads_nothing_heavy(tmp_path: Path) -> None:
    runs = ROOT / "populations"
    best = opponents.champion(runs, CHAMPION_RUN)
    before = f"""
from pathlib import Path
from gui import entry_points
entry_points.run = lambda runs, first: globals().update(FIRST=first)
entry_points.play(Path({str(runs)!r}), "crownhead@{best.generation}:{best.name}", "black", None)
"""
    assert loaded_at_first_frame(tmp_path, before=before) == [1, []]


def test_neither_the_model_nor_a_whole_game_needs_heavy_modules(tmp_path: Path) -> None:
    paths = [path for folder in OF_MODEL for path in (ROOT / "gui" / folder).glob("*.py") if path.stem != "__init__"]
    names = ["gui.files", *(f"gui.{path.parent.name}.{path.stem}" for path in paths)]
    code = f"""
import sys
import {", ".join(names)}
print([name for name in {(*HEAVY, "pygame")} if name in sys.modules])
from pathlib import Path
from game import plain
from gui.model.game import GameModel
from gui.model.pdn import read, to_pdn
from gui.runs.sources import Sources
from gui.storage.autosave import Autosave
model = GameModel()
while not model.over:
    model.play(plain.legal_moves(model.last)[-1])
assert len(read(to_pdn(model)).model.plies) == len(model.plies) > 20
Autosave(Path({str(tmp_path)!r})).save(model)
sources = Sources(Path({str(tmp_path)!r}))
while sources.busy:
    sources.step(0.0, 1.0)
print([name for name in {(*HEAVY, "pygame")} if name in sys.modules and name != "numpy"])
"""
    done = ran(["-c", code], dict(os.environ))
    assert len(names) > 20 and done.stdout.splitlines() == ["[]", "[]"], done.stderr


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
    verbs = set(subparsers._group_actions[0].choices or ()) - {"play", "watch"}
    assert verbs == set(done.stderr.rpartition(": ")[2].strip().split(", "))


IMPORT = re.compile(r"^ *(import|from) pygame\b", re.MULTILINE)


def test_pygame_comes_in_by_one_door() -> None:
    assert [path.name for path in window_files() if IMPORT.search(path.read_text(encoding="utf-8"))] == ["toolkit.py"]
    assert IMPORT.search("def f():\n    from pygame.locals import K_a") and IMPORT.search("import pygame.font as font")
    assert not IMPORT.search("from gui.toolkit import pygame")


def test_code_runs_with_both_variants_of_pygame() -> None:
    missing = ("aacircle", "message_box", "FRect", "pygame.Window", "pygame.SCALED", "OPENGL")
    missing += ("mouse.get_pressed", "mouse.get_pos")
    for path in window_files():
        text = path.read_text(encoding="utf-8")
        assert [name for name in missing if name in text] == [], path
