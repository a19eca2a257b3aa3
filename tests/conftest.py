"""Settings for all tests: random numbers are seeded, and code may take time to compile on first use."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import filelock
import hypothesis
import pytest
from hypothesis import HealthCheck

from game.compiled import compiling
from game.compiled.kernel_cache import KernelCache
from game.players import registry
from tests import needed, processes, quick

LONGEST = 120.0
"""Seconds after which a worker compiles for itself: another may have failed to."""


def compile_once(locks: Path) -> None:
    """Let this process lock what it compiles, by files in a folder that it shares with others."""
    load, save = KernelCache.load_overload, KernelCache.save_overload
    held: dict[str, filelock.BaseFileLock] = {}

    def name(cache: KernelCache, sig: Any, codegen: Any) -> str:
        path = cache._path(cache._index_key(sig, codegen))
        return hashlib.sha256(str(path).encode()).hexdigest()

    def load_overload(cache: KernelCache, sig: Any, target_context: Any) -> Any:
        made = load(cache, sig, target_context)
        if made is not None or getattr(compiling._listener, "__name__", "") == "refuse":  # it only looks what is there
            return made
        key = name(cache, sig, target_context.codegen())
        lock = filelock.FileLock(locks / f"{key}.lock", timeout=LONGEST)
        with contextlib.suppress(filelock.Timeout):
            lock.acquire(poll_interval=0.1)
            held[key] = lock
        made = load(cache, sig, target_context)
        if made is not None:
            release(key)
        return made

    def save_overload(cache: KernelCache, sig: Any, data: Any) -> None:
        save(cache, sig, data)
        release(name(cache, sig, data.codegen))

    def release(key: str) -> None:
        if key in held:
            held.pop(key).release()

    KernelCache.load_overload, KernelCache.save_overload = load_overload, save_overload  # type: ignore[method-assign]


hypothesis.settings.register_profile(
    "crownhead", derandomize=True, deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis.settings.load_profile("crownhead")

CHEAP_CODE = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
"""Flags of XLA that halve the time in which learners are compiled."""


def pytest_configure(config: pytest.Config) -> None:
    """Share compiled code between tests: learners through one folder, and kernels compiled before workers start."""
    if hasattr(config, "workerinput"):
        compile_once(Path(os.environ["JAX_COMPILATION_CACHE_DIR"]))
        return
    folder = tempfile.TemporaryDirectory(prefix="crownhead-compiled-")
    config.add_cleanup(folder.cleanup)
    parallel, all_tests = config.getoption("numprocesses", None), config.args == config.getini("testpaths")
    if parallel and all_tests and sys.dont_write_bytecode:  # else every process would compile all of the code again
        sys.dont_write_bytecode, sys.pycache_prefix = False, f"{folder.name}/bytecode"
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if "not check" in config.option.markexpr:  # the few steps of these tests do not pay for compiling fast code
        os.environ.setdefault("XLA_FLAGS", CHEAP_CODE)
    os.environ["JAX_COMPILATION_CACHE_DIR"] = folder.name
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
    if parallel:
        with ThreadPoolExecutor(2) as threads:
            if not all(_have_bytecode(config.rootpath / name) for name in config.getini("testpaths")):
                threads.submit(_compile_tests, config)
            threads.submit(_compile_kernels, config.rootpath)


def _have_bytecode(folder: Path) -> bool:
    """Return whether the compiled form of all test modules is there, as pytest leaves it."""
    end = f".{sys.implementation.cache_tag}-pytest-{pytest.__version__}.pyc"
    modules = {path: path.parent / "__pycache__" / f"{path.stem}{end}" for path in folder.rglob("test_*.py")}
    return all(made.exists() and made.stat().st_mtime > path.stat().st_mtime for path, made in modules.items())


def _compile_tests(config: pytest.Config) -> None:
    options = ("-q", "--collect-only", "-p", "no:xdist", "-m", config.option.markexpr)
    command = [sys.executable, "-m", "pytest", *options, *config.args]
    environment = os.environ | {"PYTEST_ADDOPTS": ""}
    subprocess.run(command, cwd=config.rootpath, env=environment, capture_output=True, check=False)


def _compile_kernels(root: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for verb in (["evolve", "--preset=cowan", "--generations=0", f"--out={folder}"], ["bench", "--signature"]):
            subprocess.run([sys.executable, "main.py", *verb], cwd=root, capture_output=True, check=False)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no other modules for `-m quick`: reading all of them takes as long as these tests."""
    others = collection_path.name.startswith("test_") and not quick.is_quick(collection_path)
    return True if config.option.markexpr == quick.MARK and others else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the quick tests, before tests are selected by their marks, and skip those that need absent extras."""
    for item in items:
        if reason := needed.reason_to_skip(item):
            item.add_marker(pytest.mark.skip(reason=reason))
        expensive = item.get_closest_marker("slow") or item.get_closest_marker("check")
        if quick.is_quick(item.path) and not expensive:
            item.add_marker(quick.MARK)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage, and look for none in what was collected, which lasts to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """Return a function that fills a folder once for all processes of the tests, none of which may change it.

    What fills it may return an exit code.
    """
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def filled(name: str, fill: Callable[[Path], object]) -> Path:
        folder, done = base / f"shared-{name}", base / f"shared-{name}.done"
        with filelock.FileLock(f"{folder}.lock"):
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                assert not isinstance(result := fill(folder), int) or result == 0
                done.touch()
        return folder

    return filled


@pytest.fixture
def ordinary_rights() -> Iterator[None]:
    """Apply ordinary file permissions to the test, even if root runs it."""
    if not processes.has_rights():
        pytest.skip("permissions of files are not held to here")
    with processes.ordinary_rights():
        yield


@pytest.fixture
def usual_signals() -> Iterator[None]:
    """Let signals do in the test what they do in a terminal, even if the tests run under ``nohup`` or the like."""
    with processes.usual_signals():
        yield


@pytest.fixture
def own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin the test without registered names of players, and forget afterwards those that it registers."""
    monkeypatch.setattr(registry, "_resolvers", {})


@pytest.fixture
def runs_in(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that says where a person's runs and the shipped ones are."""

    def choose(own: Path | None = None, shipped: Path | None = None) -> None:
        for module in ("evolve.run.runs", "evolve.names.players", "evolve.commands.options"):
            for name, folder in (("DEFAULT_RUNS", own), ("SHIPPED_RUNS", shipped)):
                if folder is not None and hasattr(import_module(module), name):
                    monkeypatch.setattr(f"{module}.{name}", folder)

    return choose


@pytest.fixture
def tables_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path | None], None]:
    """Return a function that says which folder tablebases are in."""
    return lambda folder: monkeypatch.setattr("game.endgame.table_file.tablebase_folder", lambda: folder)


@pytest.fixture
def open_instead(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., object]], None]:
    """Return a function that replaces the opening of tablebases."""
    return lambda opened: monkeypatch.setattr("game.endgame.tables.open_tables", opened)


@pytest.fixture
def compiled_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path | None], None]:
    """Return a function that says which folder keeps compiled code; None for no folder at all."""
    return lambda folder: monkeypatch.setattr("game.compiled.kernel_cache.CACHE_FOLDER", folder)


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that sets a limit of a module, so that a test reaches it with few data, or soon."""

    def reach(module: ModuleType | str, name: str, value: float) -> None:
        module = import_module(module) if isinstance(module, str) else module
        assert isinstance(getattr(module, name), int | float)
        monkeypatch.setattr(module, name, value)

    return reach


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes | None], None]:
    """Return a function that sets what standard input holds; None takes it away."""

    def type_in(data: bytes | None) -> None:
        monkeypatch.setattr(sys, "stdin", None if data is None else io.TextIOWrapper(io.BytesIO(data), "utf-8"))

    return type_in


@pytest.fixture(autouse=True)
def silent_compiling(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Suppress the notices about compiling, because it depends on earlier tests what is already compiled."""
    if request.path.name != "test_compiling.py":
        monkeypatch.setattr(compiling.Notice, "__call__", lambda *_: None)
