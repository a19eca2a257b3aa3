"""The imports of the model: the first frame waits for no slow package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAVY = ("deap", "llvmlite", "numba", "numpy", "pandas", "pygame")
FOLDERS = ("model", "thinking", "individuals", "storage", "sessions")


def loaded(code: str) -> list[str]:
    report = f"\nimport json, sys\nprint(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", code + report], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    output: list[str] = json.loads(done.stdout.splitlines()[-1])
    return output


def modules() -> list[str]:
    paths = [path for folder in FOLDERS for path in (ROOT / "gui" / folder).glob("*.py")]
    paths += [ROOT / "gui" / f"{name}.py" for name in ("files", "sounds")]
    return sorted(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths if path.stem != "__init__")


def test_model_imports_no_heavy_modules() -> None:
    assert len(modules()) > 20
    assert loaded("import " + ", ".join(modules())) == []


def test_a_whole_game_needs_no_compiled_code(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from game import plain
from gui.individuals.library import Library
from gui.model.game import GameModel
from gui.model.pdn import read, to_pdn
from gui.storage.autosave import Autosave
model = GameModel()
while not model.over:
    model.play(plain.legal_moves(model.last)[-1])
assert len(read(to_pdn(model)).model.plies) == len(model.plies) > 20
Autosave(Path({str(tmp_path)!r})).save(model)
library = Library(Path({str(tmp_path)!r}))
while library.busy:
    library.step(0.0, 1.0)
"""
    assert set(loaded(code)) <= {"numpy"}
