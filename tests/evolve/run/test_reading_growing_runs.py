"""Readers of growing runs, which never call them damaged; and files that are replaced together, all or none."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve.run.files import growing, streamed, together, write_atomically
from evolve.run.folder import Run
from game.installation import TREE
from tests.growing_readers import NEWEST, READERS, SLOW_READERS, by_name, complaint, tried
from tests.growing_run import BRED, Writer, at_every_access, learnt, writing
from tests.needed import marks_of
from tests.processes import completed

SELDOM = pytest.mark.check
"""Every run has the cases of a session that saves several generations, or that goes back and does."""


def save(run: Run) -> None:
    Writer(run).save()


def save_three(run: Run) -> None:
    Writer(run).save(3)


def go_back(run: Run) -> None:
    Writer(run).go_back(6)


def go_back_and_save(run: Run) -> None:
    writer = Writer(run)
    writer.go_back(6)
    writer.save(4)


@pytest.fixture(scope="module", params=["bred", pytest.param("learnt", marks=SELDOM)])
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that is complete to generation 9."""
    return Writer.new(tmp_path_factory.mktemp("template"), NEWEST, BRED if request.param == "bred" else learnt()).run


@pytest.mark.parametrize(
    ("reader", "change"),
    [
        # In every run each quick reader with one of the two changes that have all the others' steps.
        pytest.param(reader, change, marks=SELDOM if reader in SLOW_READERS or column != row % 2 else ())
        for row, reader in enumerate((*READERS, *SLOW_READERS))
        for column, change in enumerate((save_three, go_back_and_save, save, go_back))
    ],
)
@pytest.mark.parametrize("every", [6, pytest.param(1, marks=SELDOM)])
def test_a_session_may_change_a_run_at_any_moment_of_its_reading(
    template: Run, tmp_path: Path, reader: str, change: Callable[[Run], None], every: int
) -> None:
    results = list(at_every_access(template, tmp_path, (READERS | SLOW_READERS)[reader], change, every))
    assert results
    assert [text for result, _ in results if (text := complaint(result))] == []
    assert [error for _, error in results if error is not None] == []


@pytest.mark.parametrize("reads", [80, pytest.param(1000, marks=SELDOM)])
def test_reads_beside_a_writer_find_true_damage_alone(reads: int, tmp_path: Path) -> None:
    run = Writer.new(tmp_path, NEWEST).run
    old = run.generation_path(3)
    sound = old.read_bytes()
    with writing(run) as process:
        for reader, _ in zip(itertools.cycle(READERS.values()), range(reads)):
            assert complaint(tried(reader, run)) == ""
        old.write_bytes(sound[:-30] + b"7" + sound[-29:])
        for reader in (lambda run: run.check(run.manifest()), lambda run: run.table(3), by_name("@3")):
            assert "generation_0003.csv: damaged, its bytes" in str(tried(reader, run))
        old.write_bytes(sound)
        run.check(run.manifest().up_to(NEWEST))
        assert run.table(3).shape[0] == 8
        assert process.poll() is None
    assert run.manifest().newest > NEWEST


NAMES = ("a", "b", "c")


def write_all(folder: Path, failing: str = "") -> None:
    with together() as write:
        for name in NAMES:
            path = folder / name
            write(path, b"new")
            if name == failing:
                raise OSError(28, "No space left on device", str(path))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_all_files_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"old")
    write_all(tmp_path)
    assert contents(tmp_path) == dict.fromkeys(NAMES, b"new")


@pytest.mark.parametrize("failing", NAMES)
def test_no_file_is_replaced_after_a_failed_write(failing: str, tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"old")
    with pytest.raises(OSError, match="No space"):
        write_all(tmp_path, failing)
    assert contents(tmp_path) == {"b": b"old"}


@pytest.mark.parametrize("failing", NAMES)
def test_no_file_is_replaced_if_a_folder_has_the_name_of_one(failing: str, tmp_path: Path) -> None:
    others = [name for name in NAMES if name != failing]
    (tmp_path / others[0]).write_bytes(b"old")
    (tmp_path / failing / "below").mkdir(parents=True)
    with pytest.raises(OSError) as raised:
        write_all(tmp_path)
    assert raised.value.filename == str(tmp_path / failing)
    assert contents(tmp_path) == {others[0]: b"old"}


def test_new_folders_are_there_only_with_their_files(tmp_path: Path) -> None:
    for failing in ("b", ""):
        with contextlib.suppress(OSError), together() as write:
            for name in ("below/far/a", "below/b"):
                write(tmp_path / name, b"new")
            if failing:
                raise OSError(28, "No space left on device")
        assert (tmp_path / "below").exists() == (not failing)
    assert (tmp_path / "below" / "far" / "a").read_bytes() == b"new"


@pytest.mark.parametrize("old", [b"old", None])
def test_a_file_that_grows_is_the_old_one_again_after_an_error(old: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "a"
    if old is not None:
        path.write_bytes(old)
    with pytest.raises(OSError, match="No space") as raised, growing(path) as file:
        file.write("half")
        file.flush()
        assert path.read_bytes() == b"half"
        raise OSError(28, "No space left on device")
    assert raised.value.filename == str(path)
    assert contents(tmp_path) == ({} if old is None else {"a": old})
    with growing(path) as file:
        file.write("all")
    assert contents(tmp_path) == {"a": b"all"}


GAMES = '[Event "a"]\n\n1. 9-14 22-18 1-0\n\n[Event "b"]\n\n1. 11-15 23-19 0-1\n' + f"\n{{{'long ' * 400}}}\n"
COMMANDS = {
    "a review": ["analyse", "material", "--depth=1", "--pdn=games.pdn", "--out=old"],
    "a page of a game": ["pdn", "html", "games.pdn", "-o", "old.html"],
    "the games of a match": ["match", "material", "random", "--games=2", "--pdn=old"],
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Unix")
@pytest.mark.parametrize(
    "arguments", [pytest.param(each, marks=marks_of(each[0])) for each in COMMANDS.values()], ids=COMMANDS
)
def test_a_failed_command_keeps_old_files_and_names_the_file(arguments: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    for name, text in (("games.pdn", GAMES), ("old", GAMES), ("old.html", "page")):
        (folder / name).write_text(text, encoding="utf-8")
    before = contents(folder)
    own = {name: str(folder) for name in ("CROWNHEAD_DATA_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    for limit in (0, 400):
        code = "import resource, sys, main\n"
        code += f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        code += f"sys.exit(main.main({arguments!r}))"
        environment = os.environ | own | {"PYTHONPATH": str(TREE), "SDL_VIDEODRIVER": "dummy"}
        done = completed([sys.executable, "-c", code], cwd=folder, env=environment)
        assert done.returncode == 74, done
        assert re.search(r"^main\.py: \S+: File too large", done.stderr.splitlines()[-1])
        assert "Traceback" not in done.stderr
        assert contents(folder) == before
        assert sorted(path.name for path in folder.iterdir()) == sorted(before)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    for data in (b"first and long", b"second"):
        write_atomically(path, data)
        assert path.read_bytes() == data
    with pytest.raises(ZeroDivisionError), streamed(path) as file:
        file.write("half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="is not a regular file"):
        write_atomically(path, b"data")
    with pytest.raises(OSError, match="is not a regular file"), streamed(path):
        pass
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert list(tmp_path.iterdir()) == [path]
