"""The file that unpacks itself, with a stand-in for Python: what it says when something is in its way."""

from __future__ import annotations

import os
import random
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import archive
import interpreter
import pytest

from tests.processes import completed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a file for Linux")

PYTHON = f"""#!/bin/sh
if [ "$2" = -m ]; then echo "started $*"; cat "${{0%/*}}/../data"; exit; fi
exec {sys.executable} "$@"
"""
FILES = {"data": b"all is here\n", "empty": b"", "lib/spare/libc.so.6": b"", "lib/spare/libcrownhead.so.7": b"spare"}


def made(folder: Path, python: str = PYTHON, files: dict[str, bytes] = FILES, part: int = archive.PART) -> Path:
    first = {"bin/python3": python.encode(), f"lib/{interpreter.ZSTD}": interpreter.of_system(interpreter.ZSTD)}
    path = folder / "crownhead"
    path.write_bytes(archive.assembled("1.2.3", (2, 35), first, files, part))
    path.chmod(0o755)
    return path


def run(path: Path, home: Path, *arguments: str, **variables: str) -> tuple[int, str, list[str]]:
    home.mkdir(exist_ok=True)
    kept = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home.parent / "temporary")}
    (home.parent / "temporary").mkdir(exist_ok=True)
    done = completed([path, *arguments], env=kept | variables, timeout=300)
    return done.returncode, done.stdout, done.stderr.splitlines()


def unpacked(home: Path) -> list[Path]:
    return list((home / ".cache" / "crownhead").iterdir())


def test_archive_unpacks_once_and_passes_arguments_on(tmp_path: Path) -> None:
    path, home = made(tmp_path), tmp_path / "home"
    assert run(path, home, "move", "a b") == (0, "started -P -m crownhead move a b\nall is here\n", [])
    (folder,) = unpacked(home)
    (folder / "data").write_text("kept\n")
    assert run(path, home) == (0, "started -P -m crownhead\nkept\n", [])
    assert folder.stat().st_mode & 0o777 == 0o700


def test_first_starts_at_the_same_time_leave_one_folder(tmp_path: Path) -> None:
    path, home = made(tmp_path, files=FILES | {"random": random.Random(1).randbytes(3_000_000)}), tmp_path / "home"
    with ThreadPoolExecutor(3) as pool:
        codes = [code for code, *_ in pool.map(lambda _: run(path, home), range(3))]
    assert codes == [0, 0, 0]
    (folder,) = unpacked(home)
    assert not list(folder.glob("new-*"))


def test_archive_uses_spare_libraries_that_the_system_lacks(tmp_path: Path) -> None:
    path, home = made(tmp_path), tmp_path / "home"
    run(path, home)
    (folder,) = unpacked(home)
    assert (folder / "lib" / "libcrownhead.so.7").read_bytes() == b"spare"
    assert not (folder / "lib" / "libc.so.6").exists()


def test_archive_puts_tablebases_where_the_program_keeps_them(tmp_path: Path) -> None:
    path, home = made(tmp_path, files=FILES | {"tablebase/0101.table": b"table"}), tmp_path / "home"
    assert run(path, home)[0] == 0
    table = home / ".cache" / "crownhead" / "tablebase" / "0101.table"
    assert table.read_bytes() == b"table"
    table.write_bytes(b"kept")
    for folder in unpacked(home):
        if folder.name != "tablebase":
            shutil.rmtree(folder)
    assert run(path, home)[0] == 0
    assert table.read_bytes() == b"kept"


def test_archive_restores_files_that_lie_in_several_parts(tmp_path: Path) -> None:
    files = {f"{number}": bytes([number]) * number * 97 for number in range(60)} | FILES
    home = tmp_path / "home"
    run(made(tmp_path, files=files, part=1000), home)
    (folder,) = unpacked(home)
    assert all((folder / name).read_bytes() == data for name, data in files.items() if "spare" not in name)


def test_archive_has_the_same_bytes_again(tmp_path: Path) -> None:
    first = made(tmp_path).read_bytes()
    assert made(tmp_path, files=dict(reversed(FILES.items()))).read_bytes() == first


@pytest.mark.parametrize("kept", [0.02, 0.5, 0.99])
def test_archive_reports_an_incomplete_download(tmp_path: Path, kept: float) -> None:
    path = made(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: round(kept * len(data))])
    damage_is_reported(path)


@pytest.mark.parametrize("place", [0.02, 0.5, 0.9, 0.97, 0.999])
def test_archive_reports_a_changed_byte(tmp_path: Path, place: float) -> None:
    path = made(tmp_path, files=FILES | {"random": random.Random(1).randbytes(100_000)}, part=10_000)
    data = bytearray(path.read_bytes())
    data[round(place * len(data))] ^= 16
    path.write_bytes(data)
    damage_is_reported(path)


def damage_is_reported(path: Path) -> None:
    tmp_path = path.parent
    code, _, (line,) = run(path, tmp_path / "home")
    assert (code, line) == (2, "crownhead: this file is damaged, or not all of it arrived: download it again")
    assert unpacked(tmp_path / "home") == []


def test_archive_reports_an_old_glibc(tmp_path: Path) -> None:
    fault = "python3: /lib/libc.so.6: version `GLIBC_2.35' not found"
    path = made(tmp_path, f'#!/bin/sh\necho "{fault}" >&2; exit 1\n')
    code, _, (line,) = run(path, tmp_path / "home")
    assert code == 2
    assert line.startswith("crownhead: expected Linux with glibc 2.35 or newer: use pip")
    assert unpacked(tmp_path / "home") == []


def test_archive_says_once_that_a_processor_is_slow(tmp_path: Path) -> None:
    path = made(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"/proc/cpuinfo", b"/proc/version"))
    code, _, (line,) = run(path, tmp_path / "home")
    assert code == 0 and line.startswith("crownhead: this processor has no AVX2, so networks are slow")
    assert run(path, tmp_path / "home")[2] == []


def test_archive_reports_a_folder_from_which_no_program_can_be_run(tmp_path: Path) -> None:
    code, _, (line,) = run(made(tmp_path, "\x7fELF"), tmp_path / "home")
    assert code == 2
    assert "set XDG_CACHE_HOME to a folder on another file system" in line


def test_archive_uses_a_temporary_folder_if_the_home_is_no_folder(tmp_path: Path) -> None:
    path = made(tmp_path)
    (tmp_path / "file").touch()
    for lines in (1, 0):
        code, printed, errors = run(path, tmp_path / "home", HOME=str(tmp_path / "file"))
        assert (code, len(errors)) == (0, lines)
        assert printed.endswith("all is here\n")


def test_archive_without_any_folder_names_the_variable_to_set(tmp_path: Path) -> None:
    path = made(tmp_path)
    (tmp_path / "file").touch()
    code, _, (line,) = run(path, tmp_path / "home", HOME=str(tmp_path / "file"), TMPDIR=str(tmp_path / "file"))
    assert (code, line.endswith("set TMPDIR to one that you can write")) == (2, True)


def test_archive_refuses_folders_that_other_users_can_change(tmp_path: Path) -> None:
    path, home = made(tmp_path), tmp_path / "home"
    (home / ".cache").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (home / ".cache" / "crownhead").symlink_to(tmp_path / "elsewhere")
    _, _, (line,) = run(path, home)
    assert "cannot write to" in line
    assert list((tmp_path / "elsewhere").iterdir()) == []
