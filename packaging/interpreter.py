"""The Python that builds, as files that run from any folder; the standard library is one ZIP."""

from __future__ import annotations

import io
import marshal
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import elf
import wheels

STEM = f"python{sys.version_info.major}.{sys.version_info.minor}"
PROGRAM = "bin/python3"
ZIP = f"lib/{STEM.replace('.', '')}.zip"
MODULES = f"lib/{STEM}/lib-dynload"
SITE = f"lib/{STEM}/site-packages"
TAG = sys.implementation.cache_tag

UNUSED = re.compile(
    r"(test|idlelib|tkinter|turtledemo|ensurepip|distutils|lib2to3|site-packages|lib-dynload|config-[^/]*|venv"
    r"|pydoc_data|wsgiref|sqlite3|dbm|curses|unittest/test|ctypes/test|__pycache__|[^/]*-packages)/.*"
    r"|(turtle|pydoc|antigravity|this|_sysconfigdata.*|crypt|nntplib|telnetlib|smtpd|mailbox)\.py|.*/(tests?)/.*"
)
UNUSED_COMPILED = re.compile(
    r"(_ssl|_hashlib|_tkinter|_curses.*|readline|_sqlite3|_dbm|_gdbm|_uuid|_crypt|nis|spwd|ossaudiodev|_test.*|_xx.*|xx.*)\..*"
)
"""Parts of the standard library that the program never loads; no library of theirs has to be brought along."""
LOADED = (
    "import ctypes, sys, threading, encodings.latin_1;"
    "print(*(getattr(m, '__file__', '') for m in sys.modules.values()))"
)
"""Prints the files of the modules with which the archive is unpacked, among others."""
ZSTD = "libzstd.so.1"
"""Unpacks ten times as fast as xz, for 8 % more bytes; Python has its own only since 3.14."""

OF_SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt|libutil|libresolv|ld-linux-x86-64|libX11)\.so\..*")
"""Libraries that a system has: those of glibc, and the one that a desktop brings."""


def compiled(source: bytes, name: str) -> bytes:
    """Return the bytecode of a module; it is never compared with its source, and says no more than its name."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=0)
    return b"".join((MAGIC_NUMBER, (1).to_bytes(4, "little"), bytes(8), marshal.dumps(code)))


def zipped(members: dict[str, bytes], *, compress: bool = False) -> bytes:
    """Return a ZIP file whose bytes depend on nothing else."""
    stream, method = io.BytesIO(), zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(stream, "w") as archive:
        for name in sorted(members):
            archive.writestr(zipfile.ZipInfo(name, time.gmtime(wheels.epoch())[:6]), members[name], method, 9)
    return stream.getvalue()


def stripped(data: bytes) -> bytes:
    """Return a compiled file without the symbols that only a debugger reads, if ``strip`` is here."""
    if shutil.which("strip") is None:
        return data
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        subprocess.run(["strip", "--strip-unneeded", file.name], check=True)
        return Path(file.name).read_bytes()


def files() -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the files of the interpreter by path, and the few of them with which the archive is unpacked.

    Raises:
        RuntimeError: this Python cannot be made to run from any folder.
    """
    library = Path(sysconfig.get_path("stdlib"))
    sources = {path.relative_to(library).as_posix(): path for path in sorted(library.rglob("*.py"))}
    modules = {
        f"{name}c": compiled(path.read_bytes(), f"{STEM}/{name}")
        for name, path in sources.items()
        if not UNUSED.fullmatch(name)
    }
    made = {ZIP: zipped(modules)}
    program = Path(sys.executable).resolve().read_bytes()
    made[PROGRAM] = relocated(stripped(program), "$ORIGIN/../lib")
    shared = sysconfig.get_config_var("INSTSONAME") or ""
    if ".so" in shared:
        data = (Path(sysconfig.get_config_var("LIBDIR")) / shared).read_bytes()
        made[f"lib/{shared}"] = relocated(stripped(data), "$ORIGIN")
    for path in sorted((library / "lib-dynload").glob("*.so")):
        if not UNUSED_COMPILED.fullmatch(path.name):
            made[f"{MODULES}/{path.name}"] = relocated(stripped(path.read_bytes()), "$ORIGIN/../..")
    made[f"lib/{ZSTD}"] = of_system(ZSTD)
    made |= libraries(made)
    loaded = subprocess.run([sys.executable, "-I", "-S", "-c", LOADED], check=True, capture_output=True, text=True)
    used = {
        path.relative_to(library).as_posix() for path in map(Path, loaded.stdout.split()) if library in path.parents
    }
    kept = {PROGRAM, f"lib/{shared}", f"lib/{ZSTD}", *(f"lib/{STEM}/{path}" for path in used)}
    first = {name: data for name, data in made.items() if name in kept}
    first |= libraries(first)
    first[ZIP] = zipped({name: data for name, data in modules.items() if name.removesuffix("c") in used})
    return made, first


def relocated(data: bytes, folder: str) -> bytes:
    """Return a compiled file that looks for libraries in a folder, if it looks in any besides those of the system."""
    return elf.with_rpath(data, folder) if elf.has_rpath(data) else data


def libraries(made: dict[str, bytes]) -> dict[str, bytes]:
    """Return the libraries that files need and neither they nor any system with glibc have, from this system.

    Raises:
        RuntimeError: this system lacks one.
    """
    names = {Path(name).name for name in made}
    results: dict[str, bytes] = {}
    waiting = [data for data in made.values() if elf.is_elf(data)]
    while waiting:
        for name in elf.needed(waiting.pop()):
            if name not in names and not OF_SYSTEM.fullmatch(name):
                names.add(name)
                results[f"lib/{name}"] = of_system(name)
                waiting.append(results[f"lib/{name}"])
    return results


def of_system(name: str) -> bytes:
    """Return a library of this system.

    Raises:
        RuntimeError: this system lacks it.
    """
    listed = subprocess.run(["/sbin/ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    path = re.search(rf"^\s+{re.escape(name)} \(libc6,x86-64.*\) => (\S+)$", listed, re.MULTILINE)
    if path is None:
        raise RuntimeError(f"expected the library {name} on this system")
    return Path(path[1]).read_bytes()
