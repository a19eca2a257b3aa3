"""Parts of what is built, each by itself: names, metadata, and what is left out."""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import elf
import flatpak
import interpreter
import pytest
import wheelhouse
import wheels
import windows

ROOT = Path(__file__).parents[2]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="files of Linux")


def test_contents_of_a_wheel_are_those_that_the_program_reads(tmp_path: Path) -> None:
    kept = ("game/board.py", "game-1.dist-info/METADATA", "game-1.dist-info/licenses/LICENSE", "pandas/_testing/io.py")
    left = ("game/tests/test_board.py", "game/board.pyi", "game-1.dist-info/RECORD", "x.pth", "numba/cuda/api.py")
    with zipfile.ZipFile(tmp_path / "game-1-py3-none-any.whl", "w") as archive:
        for name in (*kept, *left, "game-1.data/platlib/fast.so", "game-1.data/scripts/game"):
            archive.writestr(name, name)
    results = dict(wheels.contents(tmp_path / "game-1-py3-none-any.whl"))
    assert results == {name: name.encode() for name in kept} | {"fast.so": b"game-1.data/platlib/fast.so"}


@LINUX
def test_libraries_of_a_compiled_file_and_its_glibc() -> None:
    data = Path("/proc/self/exe").read_bytes()
    assert elf.is_elf(data) and not elf.is_elf(b"\x7fELF")
    assert any(name.startswith("libc.so.") for name in elf.needed(data))
    assert (2, 2) <= elf.glibc(data) < (3, 0)


@LINUX
def test_compiled_file_that_looks_for_libraries_elsewhere(tmp_path: Path) -> None:
    data = Path(sys.executable).resolve().read_bytes()
    if not elf.has_rpath(data):
        pytest.skip("this Python needs no libraries but those of the system")
    changed = elf.with_rpath(data, "$ORIGIN")
    assert len(changed) == len(data) and elf.needed(changed) == elf.needed(data)
    assert b"$ORIGIN\0" in changed and elf.with_rpath(changed, "$ORIGIN") == changed
    with pytest.raises(RuntimeError, match="of 99 letters or more"):
        elf.with_rpath(data, "x" * 99)


def test_zip_has_the_same_bytes_in_any_order() -> None:
    members = {"b": b"2", "a": b"1" * 1000}
    assert interpreter.zipped(members) == interpreter.zipped(dict(reversed(members.items())))
    small = interpreter.zipped(members, compress=True)
    assert len(small) < 1000
    assert zipfile.ZipFile(io.BytesIO(small)).read("a") == members["a"]


def test_bytecode_of_a_module_names_no_folder_and_no_time() -> None:
    assert interpreter.compiled(b"x = 1", "a.py") == interpreter.compiled(b"x = 1", "a.py")
    assert b"/" not in interpreter.compiled(b"x = 1", "a.py")


def test_name_of_a_flatpak_begins_with_the_address_of_its_sources() -> None:
    assert flatpak.application("https://github.com/someone/crownhead") == "io.github.someone.Crownhead"
    assert flatpak.application("https://code.example.org/x") == "org.example.code.Crownhead"


def test_flatpak_has_a_manifest_and_a_valid_description(tmp_path: Path) -> None:
    files = flatpak.described()
    (manifest, metadata) = files
    assert json.loads(files[manifest])["app-id"] == manifest.removesuffix(".json")
    (tmp_path / metadata).write_bytes(files[metadata])
    if shutil.which("appstreamcli") is None:
        pytest.skip("no appstreamcli")
    command = ["appstreamcli", "validate", "--no-net", metadata]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def embeddable(path: Path, minor: int) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("python.exe", "pythonw.exe", f"python3{minor}.zip"):
            archive.writestr(name, name)
        archive.writestr(f"python3{minor}._pth", f"python3{minor}.zip\r\n.\r\n#import site\r\n")
    return path


def test_embeddable_python_finds_the_packages_beside_it(tmp_path: Path) -> None:
    files, version = windows.embedded(embeddable(tmp_path / "python.zip", 13))
    assert version == "3.13"
    assert files["python/python313._pth"].splitlines() == [b"python313.zip", b".", b"Lib\\site-packages"]


@pytest.mark.parametrize("data", [b"", b"PK", interpreter.zipped({"python.exe": b""})])
def test_zip_without_an_embeddable_python_is_one_line(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "python.zip").write_bytes(data)
    command = [sys.executable, ROOT / "packaging" / "build", "--out", tmp_path, "windows", "--python"]
    done = subprocess.run([*command, tmp_path / "python.zip"], capture_output=True, text=True, check=False)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 1 and "expected the ZIP of an embeddable Python" in line


@pytest.mark.check
def test_windows_zip_has_the_program_and_wheels_for_windows(tmp_path: Path) -> None:
    """A stand-in for the embeddable Python, which only python.org has; nothing of it is run."""
    python = embeddable(tmp_path / "python.zip", sys.version_info.minor)
    (path,) = windows.build(argparse.Namespace(out=tmp_path, python=python))
    names = zipfile.ZipFile(path).namelist()
    site = "crownhead/python/Lib/site-packages"
    assert {"crownhead/crownhead.cmd", f"{site}/crownhead/main.py", "crownhead/python/python.exe"} <= set(names)
    assert any(name.startswith(f"{site}/llvmlite/") and name.endswith(".dll") for name in names)
    assert not [name for name in names if name.endswith(".so")]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two folders, each with a wheel and a source archive that were built for it."""
    folder = tmp_path_factory.mktemp("dist")
    for name in ("one", "two"):
        command = [sys.executable, ROOT / "packaging" / "build", "--out", folder / name, "dist"]
        subprocess.run(command, check=True, timeout=800)
    return folder / "one", folder / "two"


@pytest.mark.check
def test_wheel_and_source_archive_hold_licences_and_are_the_same_again(distributions: tuple[Path, Path]) -> None:
    one, two = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in distributions)
    assert one == two
    (source,) = (data for name, data in one.items() if name.endswith(".tar.gz"))
    with tarfile.open(fileobj=io.BytesIO(source)) as archive:
        names = archive.getnames()
    assert [name for name in names if name.endswith("/LICENSE")] and not [name for name in names if "/.git/" in name]
    (wheel,) = (data for name, data in one.items() if name.endswith(".whl"))
    inner = {name.partition("/")[2].removeprefix("crownhead/") for name in names}
    members = zipfile.ZipFile(io.BytesIO(wheel)).namelist()
    installed = {name.partition("/")[2] for name in members if ".dist-info/" not in name}
    assert len(installed) > 500 and installed <= inner  # or an installation from sources would lack shipped runs


@pytest.mark.check
def test_registries_accept_wheel_and_source_archive(distributions: tuple[Path, Path], tmp_path: Path) -> None:
    venv.create(tmp_path / "new", with_pip=True)
    python = tmp_path / "new" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    lock = ROOT / "requirements" / "release.txt"
    options = ["-q", "--disable-pip-version-check", "--no-compile", "--require-hashes"]
    subprocess.run([python, "-m", "pip", "install", *options, "-r", lock], check=True, timeout=800)
    command = [python, "-m", "twine", "check", "--strict", *sorted(distributions[0].iterdir())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("PASSED")) == (0, 2), done.stdout + done.stderr


@LINUX
@pytest.mark.check
def test_wheelhouse_installs_without_a_network(tmp_path: Path) -> None:
    (path,) = wheelhouse.build(argparse.Namespace(out=tmp_path))
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "wheels")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "new"], check=True)
    programs = tmp_path / "new" / "bin"
    offline = ["unshare", "--net", "--map-root-user"]
    install = ["install", "-q", "--no-compile", "--no-index", "--find-links", tmp_path / "wheels", "crownhead"]
    subprocess.run([*offline, programs / "pip", *install], check=True, timeout=600)
    command = [*offline, programs / "crownhead", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"crownhead {wheels.version()}\n"
