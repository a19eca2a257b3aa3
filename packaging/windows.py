"""The target `windows`: the embeddable Python of python.org together with the wheels, as a ZIP for Windows on x86-64.

Nobody has tried it on Windows yet; docs/download.md says so.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import zipfile
from pathlib import Path

import interpreter
import wheels

COMMAND = b'@"%~dp0python\\python.exe" -P -m crownhead %*\r\n'
WINDOW = b'@start "" "%~dp0python\\pythonw.exe" -P -m crownhead\r\n'


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the target."""
    text = "python-3.N.M-embed-amd64.zip of python.org, whose version decides which wheels are taken"
    parser.add_argument("--python", type=Path, required=True, metavar="ZIP", help=text)


def build(options: argparse.Namespace) -> list[Path]:
    """Build the ZIP, and return its path.

    Raises:
        RuntimeError: the file is no embeddable Python.
    """
    files, version = embedded(options.python)
    if f"python{version}" != interpreter.STEM:  # pip chooses versions of packages for the Python that runs it
        raise RuntimeError(f"{options.python}: expected {interpreter.STEM}, as the one that builds, got {version}")
    with tempfile.TemporaryDirectory(prefix="crownhead-windows-") as folder:
        platform = ("--platform", "win_amd64", "--python-version", version, "--implementation", "cp")
        for wheel in wheels.download(Path(folder), *platform):
            files |= {f"python/Lib/site-packages/{name}": data for name, data in wheels.contents(wheel)}
    files |= {"crownhead.cmd": COMMAND, "Crownhead window.cmd": WINDOW}
    path = options.out / f"crownhead-{wheels.version()}-windows-x86_64.zip"
    path.write_bytes(interpreter.zipped({f"crownhead/{name}": data for name, data in files.items()}, compress=True))
    return [path]


def embedded(path: Path) -> tuple[dict[str, bytes], str]:
    """Return the files of an embeddable Python, which will look for packages beside it, and its version, such as 3.13.

    Raises:
        RuntimeError: the file is none.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            files = {f"python/{name}": archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    except (OSError, zipfile.BadZipFile) as error:
        raise RuntimeError(f"{path}: expected the ZIP of an embeddable Python for Windows: {error}") from None
    names = [match for match in (re.fullmatch(r"python/python3(\d+)\._pth", name) for name in files) if match]
    if not names or "python/python.exe" not in files:
        raise RuntimeError(f"{path}: expected the ZIP of an embeddable Python, with python.exe and python3N._pth")
    minor = names[0][1]
    files[names[0][0]] = f"python3{minor}.zip\r\n.\r\nLib\\site-packages\r\n".encode()
    return files, f"3.{minor}"
