"""The desktop, with the tools of freedesktop.org where they are installed."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import main
from extras.desktop import desktop
from extras.desktop.desktop import ENTRY, PDN_TYPE, LinuxDesktop, icon, quoted
from gui import entry_points
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.games import GamesScreen
from gui.toolkit import pygame
from tests.gui.hands import Hands, Opened
from tests.processes import completed, gone

ROOT = Path(__file__).parents[3]
EDITOR = "[Desktop Entry]\nType=Application\nName=Sheets\nExec=true %f\nMimeType=text/csv;\n"
TOOLS = ("desktop-file-validate", "update-desktop-database", "update-mime-database", "xdg-mime")
tools = pytest.mark.skipif(
    not all(map(shutil.which, TOOLS)), reason="no desktop-file-utils, xdg-utils or shared-mime-info"
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a home folder, and a system on which one program opens CSV files."""
    for name in [name for name in os.environ if name.startswith(("XDG_", "DESKTOP_", "KDE_", "GNOME_"))]:
        monkeypatch.delenv(name)
    for name, folder in (
        ("HOME", ""),
        ("XDG_DATA_HOME", "data"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_DATA_DIRS", "system"),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        monkeypatch.setenv(name, str(tmp_path / folder))
    (tmp_path / "system" / "applications").mkdir()
    (tmp_path / "system" / "applications" / "sheets.desktop").write_text(EDITOR, encoding="utf-8")
    return tmp_path


def default(kind: str) -> str:
    done = completed(["xdg-mime", "query", "default", kind], timeout=60)
    return done.stdout.strip()


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def linux(home: Path) -> LinuxDesktop:
    return LinuxDesktop(home / "data")


@tools
def test_pdn_is_opened_and_csv_is_left_alone(linux: LinuxDesktop, home: Path) -> None:
    assert (default(PDN_TYPE), default("text/csv")) == ("", "sheets.desktop")
    lines = linux.install()
    assert not any(line.startswith("note") for line in lines)
    entry = home / "data" / "applications" / ENTRY
    checked = subprocess.run(["desktop-file-validate", str(entry)], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
    assert (default(PDN_TYPE), default("text/csv")) == (ENTRY, "sheets.desktop")
    assert f"50:{PDN_TYPE}:*.pdn" in (home / "data" / "mime" / "globs2").read_text(encoding="utf-8")
    assert linux.parts() and all(linux.parts().values())
    assert linux.install() == lines and not [*(home / "config").iterdir()]


def test_without_the_tools_the_files_are_written(linux: LinuxDesktop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert [line.split()[0] for line in linux.install()] == ["menu", "PDN", "note"]
    assert all(linux.parts().values())
    linux.remove()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
def test_the_command_of_the_entry_is_quoted(home: Path) -> None:
    strange = home / 'a "b" $c `d` 100%'
    strange.mkdir()
    LinuxDesktop(home / "data", (str(strange / "python"), "main.py")).install()
    text = (home / "data" / "applications" / ENTRY).read_text(encoding="utf-8")
    command = next(line for line in text.splitlines() if line.startswith("Exec="))
    plain = command.removeprefix("Exec=").replace("\\\\", "\\").replace("%%", "%")
    done = subprocess.run(["sh", "-c", f"printf '%s\\n' {plain}"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [str(strange / "python"), "main.py", "play", "--open", "%f"]
    assert quoted("a") == '"a"'


@tools
def test_remove_leaves_nothing_of_the_program(linux: LinuxDesktop, home: Path) -> None:
    linux.install()
    linux.install()
    linux.remove()
    assert not [name for name in files(home) if "crownhead" in name]
    assert default("text/csv") == "sheets.desktop" and default(PDN_TYPE) == ""


def _make_sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


STRANGE: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "an endless device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "an endless file": _make_sparse,
}
OURS = ("applications/crownhead.desktop", "mime/packages/crownhead.xml", "icons/hicolor/48x48/apps/crownhead.png")


@pytest.fixture
def without_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")


@pytest.mark.usefixtures("without_tools")
@pytest.mark.skipif(sys.platform == "win32", reason="files of Unix")
@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE)
def test_anything_in_place_of_a_file_of_the_program_is_replaced_and_removed(
    make: Callable[[Path], object], linux: LinuxDesktop, home: Path
) -> None:
    paths = [home / "data" / name for name in OURS]

    def make_all() -> None:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            make(path)

    make_all()
    assert not any(linux.parts().values())
    assert linux.remove()[:3] == [f"removed      {path}" for path in paths]
    make_all()
    linux.install()
    assert all(linux.parts().values())
    assert all(path.is_file() and not path.is_symlink() for path in paths)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
def test_a_hung_system_command_is_ended(
    linux: LinuxDesktop, home: Path, limit: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = home / "update-mime-database"
    tool.write_text("#!/bin/sh\necho $$ > $HOME/pid\nexec sleep 300\n", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{home}:/usr/bin:/bin")
    limit(desktop, "SECONDS", 1)
    assert any(line.startswith("note") for line in linux.install())
    assert gone([int((home / "pid").read_text(encoding="ascii"))])


@pytest.mark.usefixtures("without_tools")
@pytest.mark.parametrize("damage", [b"", b"\xff\xfe\x00", b"[Desktop Entry]\nMimeType=\xe9;\n"])
def test_a_damaged_entry_is_repaired_and_removed(damage: bytes, linux: LinuxDesktop, home: Path) -> None:
    linux.install()
    entry = home / "data" / OURS[0]
    whole = entry.read_bytes()
    entry.write_bytes(damage)
    assert not linux.parts()[str(entry)]
    linux.install()
    assert all(linux.parts().values())
    assert entry.read_bytes() == whole
    entry.write_bytes(damage)
    assert f"removed      {entry}" in linux.remove()
    assert not entry.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
@pytest.mark.parametrize("limit", [0, 500, 4000])
def test_a_full_disk_names_the_file(limit: int, home: Path) -> None:
    """A file may have at most so many bytes, as if the disk were full after them."""
    code = "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nimport main\n"
    code += (
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\nsys.exit(main.main(['desktop', 'install']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 74
    assert re.fullmatch(rf"main.py: {home}/(data|config)/\S+: File too large; raise the .*\n", done.stderr), done
    assert not [name for name in files(home) if name.endswith(".tmp")]


@pytest.mark.parametrize("side", [48, 256])
def test_icons_are_pictures(side: int) -> None:
    assert pygame.image.load(io.BytesIO(icon(side)), "icon.png").get_size() == (side, side)


def test_the_verb_installs_reports_and_removes_the_entry(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert main.main(["desktop", "status"]) == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines()} == {"missing"}
    assert main.main(["desktop", "install"]) == 0
    assert main.main(["desktop", "status", "--json"]) == 0
    assert f'"{home / "data" / "applications" / ENTRY}": true' in capsys.readouterr().out
    assert main.main(["desktop", "remove"]) == 0
    assert "removed" in capsys.readouterr().out


def test_other_systems_are_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert main.main(["desktop", "install"]) == 2
    line = "main.py: desktop: expected Linux, this is darwin: make a link to crownhead-window\n"
    assert capsys.readouterr().err == line


@pytest.fixture
def entered(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> Hands:
    hands = opened()
    monkeypatch.setattr(entry_points, "run", lambda runs, first: first(hands.app))
    return hands


def test_a_file_as_argument_is_opened(entered: Hands) -> None:
    assert main.main([str(ROOT / "tests" / "data" / "annotated.pdn")]) == 0
    screen = entered.app.screen
    assert isinstance(screen, GamesScreen)
    entered.until(lambda: screen.games.index.complete)


def test_a_file_of_players_is_opened(entered: Hands) -> None:
    assert main.main(["play", "--open", str(ROOT / "populations" / "blondie24-840.csv")]) == 0
    assert isinstance(entered.app.screen, Chooser)


def test_the_menu_entry_opens_no_file(entered: Hands) -> None:
    before = entered.app.screen
    assert main.main(["play", "--open"]) == 0
    assert entered.app.screen is before


def test_window_reports_why_a_file_cannot_be_opened(entered: Hands) -> None:
    assert main.main(["none.pdn"]) == 0
    assert "none.pdn" in entered.app.notice


def test_a_file_excludes_a_player(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["play", "random", "--open", "x.pdn"]) == 2
    assert capsys.readouterr().err == "main.py: --open: not together with PLAYER, --colour or --fen\n"
