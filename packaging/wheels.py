"""Wheels: those of requirements.txt, by their hashes, and the program's own; their contents without what is unused."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

TREE = Path(__file__).resolve().parents[1]
EPOCH = "1767225600"
"""The time of all files in what is built, in seconds, unless SOURCE_DATE_EPOCH says another one."""

TRIMMED = re.compile(
    r"(.*/)?(tests?|testing/tests|__pycache__|_examples|examples|docs|__pyinstaller|benchmarks)/.*"
    r"|numba/(cuda|np/ufunc/(tbb|omp)pool)[^/]*.*|numpy/(distutils|f2py|_core/(include|lib))/.*"
    r"|(pandas|numpy)/_pyinstaller/.*|moocore/data/.*"
    r"|.*\.(pyi|pyx|pxd|pxi|h|hpp|c|cpp|a|lib)|.*\.dist-info/(RECORD|WHEEL|INSTALLER|top_level.txt)|[^/]*\.pth"
)
"""Paths in wheels that the program never reads: tests, pages, sources of compiled code, code for graphics cards."""


def version() -> str:
    """Return the version of the program, which stands in one place."""
    text = (TREE / "game" / "installation.py").read_text(encoding="utf-8")
    match = re.search(r'^VERSION = "(.+)"$', text, re.MULTILINE)
    assert match is not None
    return match[1]


def epoch() -> int:
    """Return the time of all files in what is built."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", EPOCH))


def environment() -> dict[str, str]:
    """Return the environment of programs that build: the same files at any time."""
    return {**os.environ, "SOURCE_DATE_EPOCH": str(epoch()), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def pip(*arguments: str | Path) -> None:
    """Run pip.

    Raises:
        CalledProcessError: it failed, and has said why.
    """
    subprocess.run([sys.executable, "-m", "pip", *map(str, arguments)], check=True, env=environment())


def download(folder: Path, *options: str) -> list[Path]:
    """Put the wheels of requirements.txt and of the program into a folder; `options` may name another platform."""
    lock = TREE / "requirements.txt"
    fixed = ("--require-hashes", "--only-binary", ":all:", "--no-deps")
    pip("download", "-qq", *fixed, "-d", folder, "-r", lock, *options)
    own(folder)
    return sorted(folder.glob("*.whl"))


def own(folder: Path) -> Path:
    """Build the program's own wheel."""
    pip("wheel", "-qq", "--no-deps", "--wheel-dir", folder, TREE)
    return next(folder.glob("crownhead-*.whl"))


def contents(wheel: Path) -> Iterator[tuple[str, bytes]]:
    """Yield path below ``site-packages`` and bytes of each file in a wheel, without those of `TRIMMED`."""
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            parts = PurePosixPath(name).parts
            if parts[0].endswith(".data"):
                if len(parts) < 3 or parts[1] not in ("purelib", "platlib"):
                    continue
                name = "/".join(parts[2:])
            if not name.endswith("/") and not TRIMMED.fullmatch(name):
                yield name, archive.read(archive.getinfo("/".join(parts)))
