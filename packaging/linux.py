"""The target `linux`: one file that unpacks itself, with Python, all packages and code that is already compiled."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

import archive
import elf
import interpreter
import wheels

SHIPPED = f"{interpreter.SITE}/crownhead/game/compiled/kernels"
LLVM = "llvmlite/binding/libllvmlite.so"
"""A half of all bytes, a tenth of them symbols for debuggers; other packages have none."""


def build(options: argparse.Namespace) -> list[Path]:
    """Build the file, and return its path."""
    with tempfile.TemporaryDirectory(prefix="crownhead-linux-") as folder:
        files, first = collected(Path(folder))
        root = Path(folder, "root")
        write(root, files)
        files |= kernels(root, Path(folder, "kernels"))
    glibc = max(elf.glibc(data) for path, data in files.items() if elf.is_elf(data) and "/spare/" not in path)
    rest = {path: data for path, data in files.items() if first.get(path) != data}
    path = options.out / f"crownhead-{wheels.version()}-linux-x86_64"
    path.write_bytes(archive.assembled(wheels.version(), glibc, first, rest))
    path.chmod(0o755)
    return [path]


def collected(folder: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return all files but compiled code, by path, and those of them with which the archive is unpacked."""
    files, first = interpreter.files()
    packages: dict[str, bytes] = {}
    for wheel in wheels.download(folder / "wheels"):
        for name, data in wheels.contents(wheel):
            packages |= installed(name, interpreter.stripped(data) if name == LLVM else data)
    names = {path.rpartition("/")[2] for path in packages}
    for path, data in interpreter.libraries(files | packages).items():
        if path.rpartition("/")[2] not in names:
            files[path.replace("lib/", "lib/spare/")] = data
    return files | packages, first


def installed(name: str, data: bytes) -> dict[str, bytes]:
    """Return the files for one of a wheel: of a module its bytecode, and its source if that names compiled code."""
    path = f"{interpreter.SITE}/{name}"
    if not name.endswith(".py"):
        return {path: data}
    bytecode = interpreter.compiled(data, name)
    if not name.startswith("crownhead/"):
        return {f"{path}c": bytecode}
    parent, _, last = path.rpartition("/")
    return {path: data, f"{parent}/__pycache__/{last[:-3]}.{interpreter.TAG}.pyc": bytecode}


def write(root: Path, files: dict[str, bytes]) -> None:
    """Write files below a folder."""
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    (root / interpreter.PROGRAM).chmod(0o755)


def kernels(root: Path, folder: Path) -> dict[str, bytes]:
    """Compile the code of the program below a folder, and return it, and the tablebases that this made, as files."""
    (root / SHIPPED).mkdir()  # with this folder the program compiles for a group of processors
    folder.mkdir(exist_ok=True)
    for library in (root / "lib" / "spare").iterdir():
        shutil.copy(library, root / "lib")
    command = [str(root / interpreter.PROGRAM), "-I", str(archive.HERE / "kernels.py"), str(folder)]
    subprocess.run(command, check=True)
    made = [path for path in folder.glob("*/kernels/*") if path.suffix in (".nbc", ".complete")]
    tables = {f"tablebase/{path.name}": path.read_bytes() for path in folder.glob("*/tablebase/*.table")}
    return tables | {f"{SHIPPED}/{path.name}": path.read_bytes() for path in made}
