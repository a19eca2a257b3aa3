"""Power cuts: a save is recorded, and after each of its calls everything that nobody waited for may be lost.

The disk is a model: what was waited for (fsync) is there; of the rest each name and the data of each file may be
there or not.
"""

from __future__ import annotations

import builtins
import os
import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from tests.faults.saves import Check

Call = tuple[Any, ...]
MOST_CHANGES = 5
"""Of more changes that nobody waited for not every combination is tried."""


@dataclass
class _File:
    data: bytes
    waited_for: bytes


@dataclass
class Disk:
    names: dict[str, _File] = field(default_factory=dict)
    waited_for: dict[str, _File] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> Disk:
        """A folder on which everything has been waited for."""
        files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        disk = cls({name: _File(data, data) for name, data in files.items()})
        disk.waited_for = dict(disk.names)
        return disk

    def do(self, call: Call) -> None:
        what, name, *rest = call
        if what == "open":
            if name not in self.names or rest[0].startswith("w"):
                self.names[name] = _File(b"", b"") if name not in self.names else self.names[name]
                self.names[name].data = b""
        elif what == "write":
            self.names[name].data += rest[0]
        elif what == "fsync":
            self.names[name].waited_for = self.names[name].data
        elif what == "fsync folder":
            self.waited_for = dict(self.names)
        elif what == "replace":
            self.names[rest[0]] = self.names.pop(name)
        elif what == "unlink":
            self.names.pop(name)

    def after_a_cut(self) -> Iterator[tuple[str, dict[str, bytes]]]:
        """What may be there afterwards: each name and each file that nobody waited for, as new or as before."""
        present, before = self.names.get, self.waited_for.get
        everything = sorted({*self.names, *self.waited_for})
        names = [name for name in everything if present(name) is not before(name)]
        files = {id(file): file for file in self.names.values() if file.data != file.waited_for}
        choices: Iterable[tuple[bool, ...]] = product((True, False), repeat=len(names) + len(files))
        if len(names) + len(files) > MOST_CHANGES:
            draw = random.Random(len(names) + len(files))
            choices = [tuple(draw.random() < 0.5 for _ in [*names, *files]) for _ in range(2**MOST_CHANGES)]
        for choice in choices:
            kept = dict(zip([*names, *files], choice, strict=True))
            there = {name: present(name) if kept.get(name, True) else before(name) for name in everything}
            new = [name for name in names if kept[name]]
            yield (
                f"new names kept: {new}, new data of {sum(choice) - len(new)} of {len(files)} files kept",
                {
                    name: file.data if kept.get(id(file), True) else file.waited_for
                    for name, file in there.items()
                    if file is not None
                },
            )


def recorded(action: Callable[[], object]) -> list[Call]:
    calls: list[Call] = []
    opened: dict[int, str] = {}
    real_open, real = (
        builtins.open,
        {name: getattr(os, name) for name in ("open", "write", "fsync", "replace", "unlink")},
    )

    def open_file(path: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        file = real_open(path, mode, *arguments, **options)
        if mode not in ("r", "rb"):
            opened[file.fileno()] = Path(path).name
            calls.append(("open", Path(path).name, mode))
        return file

    def open_folder(path: Any, *arguments: Any, **options: Any) -> int:
        handle = int(real["open"](path, *arguments, **options))
        opened[handle] = ""
        return handle

    def write(handle: int, data: Any) -> int:
        done = int(real["write"](handle, data))
        calls.append(("write", opened[handle], bytes(data[:done])))
        return done

    def fsync(handle: int) -> None:
        real["fsync"](handle)
        calls.append(("fsync", opened[handle]) if opened[handle] else ("fsync folder", ""))

    def replace(source: Any, target: Any, **options: Any) -> None:
        real["replace"](source, target, **options)
        calls.append(("replace", Path(source).name, Path(target).name))

    def unlink(path: Any, **options: Any) -> None:
        real["unlink"](path, **options)
        calls.append(("unlink", Path(path).name))

    builtins.open = open_file  # type: ignore[assignment]
    os.open, os.write, os.fsync, os.replace, os.unlink = open_folder, write, fsync, replace, unlink  # type: ignore
    try:
        action()
    finally:
        builtins.open = real_open
        for name, function in real.items():
            setattr(os, name, function)
    return calls


def cuts(work: Path, before: Path, calls: list[Call], check: Check) -> Iterator[tuple[str, str]]:
    """Each moment of a recorded save, all that may be left of it, and what is wrong with that (empty: nothing)."""
    disk = Disk.of(before)
    copy = work / "copy" / before.name
    for at, call in enumerate(calls):
        disk.do(call)
        for words, files in disk.after_a_cut():
            shutil.rmtree(copy, ignore_errors=True)
            (copy / "control").mkdir(parents=True)
            for name, data in files.items():
                (copy / name).write_bytes(data)
            place = f"after call {at} ({call[0]} {call[1]}), {words}"
            try:
                yield place, check(copy, -9)
            except Exception as error:
                yield place, f"{type(error).__name__}: {error}"
    shutil.rmtree(copy.parent)
