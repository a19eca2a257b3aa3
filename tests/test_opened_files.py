"""Files that another program may have written are opened by one function, `game.regular_files.open_regular`.

This goes through every place of the program that opens or reads a file in another way. It must be in the list below,
with the reason why its file cannot be a pipe, a device or endless, or why it is only written.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.sources import ROOT, source_files

READERS = {"read_text", "read_bytes", "read_csv", "read_parquet", "fromfile", "loadtxt", "genfromtxt", "memmap"}
LOADERS = {"np", "numpy", "json", "tomllib", "pickle"}
MODULES = {"os", "io", "gzip", "bz2", "lzma", "tarfile", "zipfile", "sqlite3"}
CALLED = re.compile(rf"\b({'|'.join(READERS)}|open|load)\b")
PROGRAM = "a file of the program"
WRITTEN = "only written, under a new name"
SYSTEM = "a file of the system"

ALLOWED: dict[tuple[str, str], str] = {
    ("game/regular_files.py", "open_regular"): "the function itself",
    ("game/regular_files.py", "_opened"): "the function itself",
    ("crownhead/wheel.py", "WheelBuild.initialize"): PROGRAM,
    ("extras/bench/figures.py", "machine"): SYSTEM,
    ("evolve/run/append_only.py", "copy_up_to"): WRITTEN,
    ("evolve/run/folder.py", "Run.log"): "bytes that `read_regular` returned",
    ("evolve/run/folder.py", "Run.read_generation"): "bytes that `read_regular` returned",
    ("evolve/run/folder.py", "Run.table"): "bytes that `read_regular` returned",
    ("extras/cluster/address.py", "make_keys"): WRITTEN,
    ("extras/cluster/remote.py", "conditions"): PROGRAM,
    ("game/ballots.py", "_lines"): PROGRAM,
    ("game/compiled/kernel_cache.py", "_read"): PROGRAM,
    ("game/regular_files.py", "new_file"): WRITTEN,
    ("game/regular_files.py", "sync_folder"): "a folder, opened to be synced",
    ("game/installation.py", "_numbers"): SYSTEM,
    ("game/installation.py", "environment_problem"): PROGRAM,
    ("game/installation.py", "free_memory"): SYSTEM,
    ("game/openings.py", "openings"): PROGRAM,
    ("extras/export/template.py", "source"): PROGRAM,
    ("extras/export/template.py", "style"): PROGRAM,
    ("extras/learning/losses.py", "step_losses"): "written, after `is_file` and `read_regular`",
    ("game/terminal.py", "lose"): SYSTEM,
    ("game/terminal.py", "open_missing"): SYSTEM,
    ("gui/system.py", "quiet"): SYSTEM,
}


def places() -> Iterator[tuple[str, str]]:
    """Yield the file and the function of each call that opens or reads a file."""
    files = [*source_files(), *(ROOT / "crownhead").rglob("*.py")]
    for path in sorted(files):
        if CALLED.search(text := path.read_text("utf-8")):  # else its syntax tree need not be searched
            yield from ((path.relative_to(ROOT).as_posix(), name) for name in _in_scope(ast.parse(text), ""))


def _in_scope(node: ast.AST, scope: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        inner = child.name if isinstance(child, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) else ""
        if isinstance(child, ast.Call) and _opens(child):
            yield scope
        yield from _in_scope(child, f"{scope}.{inner}".strip(".") if inner else scope)


def _opens(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "open"
    if not isinstance(function, ast.Attribute):
        return False
    owner = function.value.id if isinstance(function.value, ast.Name) else ""
    if function.attr == "open":
        mode = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
        of_path = isinstance(mode, str) and re.fullmatch(r"[rwxabt+]{1,3}", mode) is not None
        return owner in MODULES or of_path
    if function.attr in ("load", "loads"):
        return owner in LOADERS and function.attr == "load"
    return function.attr in READERS and owner not in ("generation_csv", "run")


@pytest.mark.needs()
def test_every_place_that_opens_a_file_is_known() -> None:
    results = set(places())
    assert sorted(results - set(ALLOWED)) == [], "open it by game.regular_files, or list it with a reason"
    assert sorted(set(ALLOWED) - results) == [], "no longer there: remove it from the list"
