"""Where compiled code is kept, for which sources it is used again, and that the program runs without such a place."""

from __future__ import annotations

import ast
import contextlib
import importlib
import logging
import math
import os
import shutil
import sys
import tempfile
import time
import venv
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numba
import numpy as np
import pytest

from game.compiled import compiling, jit, kernel_cache
from game.regular_files import replacing
from tests.processes import completed
from tests.sources import is_compiled_source

ROOT = Path(__file__).parents[3]
POSIX = os.name == "posix"
DAY = kernel_cache.DAY
RESULT = "12"

COUNT = """
import sys
{before}
from game.compiled import compiling, kernel_cache
compiled = []
with compiling.notify(lambda kernel, number: compiled.append(kernel)):
    import numpy as np
    from tests.measurements import timing_kernels
    result = timing_kernels.integer_chain(1, np.uint64(3), np.uint64(5))
print(result, kernel_cache.CACHE_FOLDER, len([kernel for kernel in compiled if kernel]))
"""


@dataclass
class Run:
    words: list[str]
    warnings: list[str]


def _run(code: str, package: Path, python: str = sys.executable, **environment: str) -> Run:
    """Run code that imports `game` from a folder."""
    kept = {k: v for k, v in os.environ.items() if k not in ("CROWNHEAD_CACHE_DIR", "NUMBA_CACHE_DIR")}
    done = completed([python, "-c", code], cwd=package, env=kept | environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return Run(done.stdout.split(), done.stderr.splitlines())


SOURCES = {
    "layout.py": "STEP = 2\nUNUSED = 5\n",
    "low_kernels.py": """
from game.compiled.jit import compiled
from sample import layout as at

@compiled
def low(x):
    return x + at.STEP
""",
    "high_kernels.py": """
from game.compiled.jit import (  # the decorators
    callback,
    compiled,
)
from sample.low_kernels import low

FACTOR = 10

@compiled
def high(x):
    return FACTOR * low(x)

@callback(1)
def called(x):
    return x
""",
    "other.py": "text = 1\n",
}


class Checkout:
    """A folder with a package of a few kernels, imported as a start of the program would."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self._monkeypatch = folder, monkeypatch
        for name, text in SOURCES.items():
            self.write(f"sample/{name}", text)
        self.write("game/compiled/jit.py", "from game import anything")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def start(self) -> tuple[int, list[str]]:
        messages: list[str] = []
        kernel_cache._read.cache_clear()
        kernel_cache.source_hash.cache_clear()
        with self._monkeypatch.context() as patch, compiling.notify(lambda kernel, _: messages.append(kernel)):
            patch.setattr(kernel_cache, "ROOT", self.folder)
            patch.setattr(sys, "dont_write_bytecode", True)
            patch.syspath_prepend(str(self.folder))
            importlib.invalidate_caches()
            import sample.high_kernels as kernels  # type: ignore[import-not-found]

            kernels.called.compile()
            value = int(kernels.high(1))
            for name in [name for name in sys.modules if name.split(".")[0] == "sample"]:
                del sys.modules[name]
        return value, [kernel for kernel in messages if kernel]


@pytest.fixture
def cache(tmp_path: Path, compiled_in: Callable[[Path | None], None], limit: Callable[..., None]) -> Iterator[Path]:
    folder = tmp_path / "kernels"
    folder.mkdir()
    compiled_in(folder)
    limit(kernel_cache, "STARTED", math.inf)  # each `start` is as one of a new process
    yield folder
    kernel_cache._read.cache_clear()
    kernel_cache.source_hash.cache_clear()


@pytest.fixture
def checkout(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    return Checkout(tmp_path / "one", monkeypatch)


ALL = ["called", "high", "low"]


def test_code_compiled_elsewhere_is_used(checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checkout.start() == (30, ALL)
    assert checkout.start() == (30, [])
    assert Checkout(tmp_path / "other place", monkeypatch).start() == (30, [])


def test_only_users_of_a_changed_source_are_recompiled(checkout: Checkout) -> None:
    """F13, with constants that kernels import, too: Numba's own cache would not notice."""
    assert checkout.start() == (30, ALL)
    checkout.replace("sample/high_kernels.py", "FACTOR = 10", "FACTOR = 100")
    assert checkout.start() == (300, ["called", "high"])
    checkout.replace("sample/layout.py", "STEP = 2", "STEP = 4")
    assert checkout.start() == (500, ALL)
    checkout.replace("sample/layout.py", "STEP = 4", "STEP = 2")
    assert checkout.start() == (300, [])  # both are kept
    checkout.replace("sample/high_kernels.py", "FACTOR = 100", "FACTOR = 10")
    assert checkout.start() == (30, [])
    checkout.write("sample/other.py", "text = 2")
    checkout.write("game/anything.py", "text = 2")
    assert checkout.start() == (30, [])
    checkout.write("game/compiled/jit.py", "from game import something")
    assert checkout.start() == (30, ALL)


def test_a_source_that_changes_while_the_program_runs(checkout: Checkout, limit: Callable[..., None]) -> None:
    """As in a notebook: a module that was imported before it was edited holds the old constants."""
    limit(kernel_cache, "STARTED", time.time())
    checkout.replace("sample/layout.py", "STEP = 2", "STEP = 4")
    edited = time.time()
    os.utime(checkout.folder / "sample" / "layout.py", (edited, edited))
    assert checkout.start() == checkout.start() == (50, ALL)  # compiled, and not kept
    limit(kernel_cache, "STARTED", edited + 1)
    assert checkout.start() == (50, ALL)
    assert checkout.start() == (50, [])


def test_other_settings_are_another_target(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {tuple(kernel_cache.target())}
    for name in kernel_cache.SETTINGS:
        with monkeypatch.context() as patch:
            patch.setattr(numba.config, name, "otherwise")  # each is there
            known.add(tuple(kernel_cache.target()))
    for name in ("numba", "llvmlite", "np"):
        with monkeypatch.context() as patch:
            patch.setattr(getattr(kernel_cache, name), "__version__", "0")
            known.add(tuple(kernel_cache.target()))
    assert len(known) == len(kernel_cache.SETTINGS) + 4


def test_code_that_is_shipped_is_used_and_not_copied(
    checkout: Checkout, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout.start()
    cache.rename(tmp_path / "shipped")
    cache.mkdir()
    monkeypatch.setattr(kernel_cache, "SHIPPED", tmp_path / "shipped")
    assert checkout.start() == (30, [])
    assert list(cache.iterdir()) == []


def test_levels_of_processors_contain_the_older_ones() -> None:
    features = {
        level: dict.fromkeys(names.replace("+", "").split(","), True) for level, names in kernel_cache.LEVELS.items()
    }
    assert [kernel_cache.level_of(each) for each in features.values()] == list(kernel_cache.LEVELS)
    without_avx2 = features["x86-64-v4"] | {"avx2": False}
    assert kernel_cache.level_of(without_avx2) == "x86-64-v2"
    assert kernel_cache.level_of({"sse2": True}) is None


def test_program_with_shipped_code_compiles_for_a_level_of_processors(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "game", tmp_path / "game", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "game" / "compiled" / "kernels").mkdir()
    code = "from game.compiled import jit, kernel_cache; print(kernel_cache.processor(), 'avx2' in jit._features())"
    own = kernel_cache.level_of(kernel_cache.llvmlite.binding.get_host_cpu_features())
    name, wide = _run(code, tmp_path).words
    assert name == (own or kernel_cache.processor())
    assert own is None or (wide == "True") == (own != "x86-64-v2")
    assert _run(code, tmp_path, NUMBA_CPU_NAME="generic").words[0] == "generic"


@pytest.mark.check
def test_another_clone_in_another_environment_starts_warm(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    first = _run(COUNT.format(before=""), ROOT, CROWNHEAD_CACHE_DIR=cache)
    shutil.copytree(ROOT / "game", tmp_path / "clone" / "game", ignore=shutil.ignore_patterns("__pycache__"))
    kernels = Path("tests") / "measurements" / "timing_kernels.py"
    (tmp_path / "clone" / kernels.parent).mkdir(parents=True)
    shutil.copy(ROOT / kernels, tmp_path / "clone" / kernels)
    venv.create(tmp_path / "environment")
    python = tmp_path / "environment" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    packages = os.pathsep.join(path for path in sys.path if path.endswith("-packages"))
    second = _run(
        COUNT.format(before=""), tmp_path / "clone", str(python), CROWNHEAD_CACHE_DIR=cache, PYTHONPATH=packages
    )
    folder = str(tmp_path / "cache" / "kernels")
    assert (first.words, second.words) == ([RESULT, folder, "1"], [RESULT, folder, "0"])
    assert first.warnings == second.warnings == []


def _imported(path: Path) -> set[Path]:
    """Sources below `game` that a module imports, found in its syntax tree."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    paths = {ROOT / f"{name.replace('.', '/')}.py" for name in names}
    return {path for path in paths if path.is_relative_to(ROOT / "game") and path.is_file()}


def test_imports_of_kernels_are_collected() -> None:
    everywhere = list((ROOT / "game").rglob("*.py"))
    assert len(everywhere) > 50
    for path in everywhere:
        results = set(kernel_cache._imported(path.read_text(encoding="utf-8"), path, ROOT))
        assert results >= _imported(path), str(path)


@pytest.mark.parametrize(
    "line",
    [
        "from .low import f",
        "from . import low",
        "from ..p.low import f",
        "import p.low as x, os",
        " from p import (\na,\nlow as x,\n)",
        "from p import (  # (those)\n    a,  # one, which\n    low,\n)",
        "from p import a, \\\n    low",
        "x = 1; from p import low; y = 2",
        "if True: import p.low",
        "from p import (a,\r\n    low)\r",
    ],
)
def test_ways_to_import(line: str, tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(kernel_cache, "STARTED", math.inf)
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "low.py").touch()
    (tmp_path / "p" / "high.py").write_text(f"import os\n{line}\n", encoding="utf-8")
    assert kernel_cache.sources_of(tmp_path / "p" / "high.py", tmp_path) == [
        tmp_path / "p" / "high.py",
        tmp_path / "p" / "low.py",
    ]


def test_key_of_code_covers_its_inputs() -> None:
    decides = {}
    for path in (ROOT / "game").rglob("*.py"):
        if path.name.endswith(jit.COMPILED_ENDINGS):
            decides[path.relative_to(ROOT).as_posix()] = {
                source.relative_to(ROOT).as_posix() for source in kernel_cache.sources_of(path)
            }
    for path, sources in decides.items():
        assert path in sources and "game/compiled/jit.py" in sources
        assert {source for source in sources if not is_compiled_source(source.split("/")[-1])} == set()
    searching = {path for path, sources in decides.items() if "game/search/kernels.py" in sources}
    assert searching == {f"game/search/{name}.py" for name in ("kernels", "root_kernels", "batch_kernels")}
    assert "game/search/table_kernels.py" in decides["game/search/kernels.py"]
    assert "game/rules.py" in decides["game/batch/kernels.py"]


def _entry(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(4, "little") + content


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[:1000] + bytes([content[1000] ^ 1]) + content[1001:],
        lambda content: _entry(b"not what was expected"),
    ],
)
def test_damaged_code_is_recompiled(damage: Any, checkout: Checkout, cache: Path) -> None:
    assert checkout.start() == (30, ALL)
    for path in cache.glob("*.nbc"):
        path.write_bytes(damage(path.read_bytes()))
    assert checkout.start() == (30, ALL)
    assert checkout.start() == (30, [])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_in_place_of_code_are_not_waited_for(checkout: Checkout, cache: Path) -> None:
    assert checkout.start() == (30, ALL)
    for path in cache.glob("*.nbc"):
        path.unlink()
        os.mkfifo(path)
    assert checkout.start() == (30, ALL)
    assert checkout.start() == (30, [])


def test_signatures_have_files_of_their_own(cache: Path) -> None:
    here = sys._getframe().f_code.co_filename
    assert here == __file__
    one, other = (jit.compiled(_doubled) for _ in range(2))
    assert (one(2), other(np.float32(1.5))) == (4, 3.0)
    again = jit.compiled(_doubled)
    assert (again(2), again(np.float32(1.5))) == (4, 3.0)
    assert sum(again.stats.cache_hits.values()) == 2  # type: ignore[attr-defined]


def _doubled(x: Any) -> Any:
    return x + x


def test_no_room_for_code(checkout: Checkout, cache: Path) -> None:
    """The folder has gone meanwhile; what cannot be kept is compiled at each start."""
    cache.rmdir()
    assert checkout.start() == checkout.start() == (30, ALL)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk(checkout: Checkout, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextlib.contextmanager
    def full(path: Path, **options: Any) -> Iterator[IO[bytes]]:
        with replacing(path, **options) as file:
            yield file
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(kernel_cache, "replacing", full)
        assert checkout.start() == (30, ALL)
    assert list(cache.iterdir()) == []


def test_code_in_use_looks_young(checkout: Checkout, cache: Path) -> None:
    checkout.start()
    for path in cache.glob("*.nbc"):
        os.utime(path, (0, 0))
    checkout.start()
    young = [path.name.split("-")[0] for path in cache.glob("*.nbc") if path.stat().st_mtime > DAY]
    assert sorted(young) == ["sample.high_kernels.called", "sample.high_kernels.high"]  # which holds `low`


@pytest.fixture
def nowhere(tmp_path: Path) -> dict[str, str]:
    """An environment whose folders all lie below a file, so that not even the superuser can make them."""
    file = tmp_path / "file"
    file.touch()
    variables = ("CROWNHEAD_CACHE_DIR", "HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME")
    return dict.fromkeys(variables, str(file / "below"))


@pytest.mark.check
def test_runs_without_any_place_for_compiled_code(nowhere: dict[str, str]) -> None:
    before = f"import tempfile; tempfile.tempdir = {nowhere['HOME']!r}"
    run = _run(COUNT.format(before=before), ROOT, **nowhere)
    assert run.words == [RESULT, "None", "1"]
    assert len(run.warnings) == 1
    assert "CROWNHEAD_CACHE_DIR" in run.warnings[0]


@pytest.mark.skipif(not POSIX, reason="the place of a user's cache is not set by variables here")
def test_without_a_home_a_temporary_folder_keeps_compiled_code(
    nowhere: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for variable, value in nowhere.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.delenv("CROWNHEAD_CACHE_DIR")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with caplog.at_level(logging.WARNING):
        chosen = kernel_cache.choose_cache_folder()
    assert chosen.is_relative_to(tmp_path)
    assert len(caplog.records) == 1


@pytest.mark.skipif(not POSIX, reason="folders have no owners and modes here")
def test_a_folder_that_others_may_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Compiled code is executed: nobody else may be able to put it there."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("CROWNHEAD_CACHE_DIR", str(tmp_path))
    private = kernel_cache.choose_cache_folder()
    assert private.parent == tmp_path
    assert private.stat().st_mode & 0o077 == 0
    assert caplog.records == []
    private.chmod(0o777)
    shared = kernel_cache.choose_cache_folder()
    assert shared.is_relative_to(tmp_path / "temporary")
    shared.parent.chmod(0o777)
    assert kernel_cache.choose_cache_folder() is None
    assert len(caplog.records) == 2
