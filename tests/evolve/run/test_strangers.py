"""A run folder from a stranger: links, pipes, endless files, and names that lead elsewhere."""

from __future__ import annotations

import os
import re
import shutil
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evolve.run import append_only, generation_csv, manifest, notes, status
from evolve.run.append_only import Tail
from evolve.run.champions import HallOfFameFile, read_hall_of_fame
from evolve.run.columns import GenerationError
from evolve.run.files import LONGEST_LINE, DamagedRunError, RunError, append_durably, cut, streamed, write_atomically
from evolve.run.folder import Run
from evolve.run.generation_csv import to_csv
from evolve.run.log import LOG_COLUMNS, Log, read_history, read_log
from evolve.run.manifest import Manifest, generation_name, sha256
from evolve.run.row_index import RowIndex, read_heads
from evolve.run.runs import Runs
from evolve.run.status import Request, State, is_locked, lock
from evolve.session.reporters import CountingLine, LineReporter, TerminalReporter
from game.regular_files import MAX_BYTES, open_regular, read_regular
from tests.cases import for_each
from tests.evolve.run.folder_helpers import in_time, made, rows
from tests.runs import make_run

TEXT = b"what is mine\n" * 100

needs_links = pytest.mark.skipif(os.name == "nt", reason="needs the right to make links")
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes with names")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return made(tmp_path_factory.mktemp("template"), 2)


@pytest.fixture
def run(template: Run, tmp_path: Path) -> Run:
    return Run(Path(shutil.copytree(template.path, tmp_path / "runs" / "one")))


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A file that no run may touch."""
    path = tmp_path / "mine.txt"
    path.write_bytes(TEXT)
    return path


@pytest.mark.parametrize("file", ["../../mine.txt", "/dev/zero", "generation_0002.csv", "generation_1.csv", ""])
def test_a_manifest_names_no_other_file(run: Run, mine: Path, file: str) -> None:
    known = run.manifest()
    check, lines = "", [manifest.HEADER]
    for entry in known.entries:
        row = f"{entry.generation},{file if entry.generation == 1 else entry.file},{entry.first},{entry.now}"
        check = manifest._check(check, row)
        lines.append(f"{row},{check}")
    (run.path / manifest.NAME).write_text("\n".join([*lines, ""]), encoding="ascii")
    assert manifest.read(run.path) == Manifest(known.entries[:1], "line 3 is damaged")
    assert run.rewind(0).newest == 0
    assert mine.read_bytes() == TEXT
    assert sorted(path.name for path in run.path.glob("*.given-up")) == [
        f"{name}.given-up" for name in sorted((*append_only.NAMES, generation_name(1), generation_name(2)))
    ]


def test_a_manifest_without_end_is_read_to_its_first_wrong_line(run: Run) -> None:
    path = run.path / manifest.NAME
    os.truncate(path, 1 << 40)  # all hole
    assert manifest.read(run.path) == Manifest(run.manifest().entries, "line 5 is damaged")


@needs_links
@pytest.mark.parametrize(
    "action",
    [
        open_regular,
        read_regular,
        lambda path: open_regular(path, "ab"),
        lambda path: append_durably(path, b"more"),
        lambda path: cut(path, 3),
    ],
)
def test_links_in_a_run_are_not_followed(action: Callable[[Path], object], mine: Path, tmp_path: Path) -> None:
    for target in (mine, tmp_path / "new"):
        link = tmp_path / "link"
        link.symlink_to(target)
        with pytest.raises(OSError, match=r"is a symbolic link, expected a regular file.*link") as caught:
            action(link)
        assert caught.value.filename == str(link)
        link.unlink()
    assert mine.read_bytes() == TEXT and not (tmp_path / "new").exists()


@needs_links
@pytest.mark.parametrize("stream", [False, True])
def test_a_temporary_file_is_never_written_through_a_link(stream: bool, mine: Path, tmp_path: Path) -> None:
    (tmp_path / ".config.toml.tmp").symlink_to(mine)
    if stream:
        with streamed(tmp_path / "config.toml") as file:
            file.write("new")
    else:
        write_atomically(tmp_path / "config.toml", b"new")
    assert mine.read_bytes() == TEXT
    assert not (tmp_path / "config.toml").is_symlink() and (tmp_path / "config.toml").read_bytes() == b"new"
    assert not (tmp_path / ".config.toml.tmp").exists()


@needs_links
@pytest.mark.parametrize(
    "name",
    [
        *(*append_only.NAMES, "session.log", ".config.toml.tmp", ".lock", "config.toml", "status.json"),
        *("control", "control/pause", "notes.json", "a folder/below"),
    ],
)
def test_a_session_refuses_links(name: str, run: Run, mine: Path) -> None:
    path = run.path / name
    path.parent.mkdir(exist_ok=True)
    if path.is_dir():
        path.rmdir()
    path.unlink(missing_ok=True)
    path.symlink_to(mine if name != "control" else mine.parent)
    refused = pytest.raises(RunError, match=f"one: {name} is a symbolic link; a session works only in")
    with refused as caught, lock(run.path):
        pass
    assert "\n" not in str(caught.value) and mine.read_bytes() == TEXT


@needs_links
def test_the_run_itself_may_be_a_link(run: Run, tmp_path: Path) -> None:
    (tmp_path / "other").symlink_to(run.path)
    with lock(tmp_path / "other"):
        assert is_locked(run.path)


@needs_links
def test_requests_go_nowhere_else(run: Run, mine: Path) -> None:
    (run.path / "control").rmdir()
    (run.path / "control").symlink_to(mine.parent)
    (mine.parent / "stop").write_bytes(b"mine")
    with pytest.raises(OSError, match="is a symbolic link, expected a folder"):
        status.request(run.path, Request.PAUSE)
    assert status.take_requests(run.path) == []
    assert (mine.parent / "stop").exists() and not (mine.parent / "pause").exists()


@needs_links
def test_the_lock_of_notes_is_no_link(run: Run, mine: Path) -> None:
    (run.path / notes.LOCK).symlink_to(mine)
    with pytest.raises(OSError, match="is a symbolic link"):
        notes.note_run(run, "good")
    assert mine.read_bytes() == TEXT


@needs_links
def test_readers_refuse_links(run: Run, mine: Path) -> None:
    known = run.manifest()
    for name in (manifest.NAME, status.NAME, "log.csv", notes.NAME, "config.toml"):
        (run.path / name).unlink(missing_ok=True)
        (run.path / name).symlink_to(mine)
    with pytest.raises(DamagedRunError, match=r"manifest.csv: cannot be read: is a symbolic link"):
        run.manifest()
    with pytest.raises(RunError, match=r"config.toml: is a symbolic link"):
        run.check_format()
    with pytest.raises(notes.NotesError, match=r"notes.json: cannot be read: is a symbolic link"):
        notes.read_of_run(run)
    with pytest.raises(DamagedRunError, match=r"log.csv: cannot be read: is a symbolic link"):
        read_history(run, known)
    with pytest.raises(OSError, match="is a symbolic link"):
        run.log()
    assert status.read(run.path) is None
    generation = run.generation_path(0)
    elsewhere = mine.with_name("elsewhere.csv")
    generation.rename(elsewhere)
    generation.symlink_to(elsewhere)
    link = mine.with_name("link.csv")
    link.symlink_to(elsewhere)
    for read in (generation_csv.read, read_heads):
        with pytest.raises(GenerationError, match="is a symbolic link, expected a regular file"):
            read(generation)
        read(link)  # which a person has put there
    for path, damage in ((generation, "cannot be read: is a symbolic link, expected a regular file"), (link, "")):
        index = RowIndex(path)
        while index.step():
            pass
        assert index.damage == damage
    tail = Tail(run.path / "log.csv")
    assert tail.read().lines == () and tail.trouble.startswith("log.csv cannot be read: is a symbolic link")


@needs_pipes
@pytest.mark.parametrize("mode", ["rb", "ab", "r+b", "r"])
def test_a_pipe_is_not_waited_for(mode: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    error = in_time(lambda: open_regular(tmp_path / "pipe", mode))
    assert isinstance(error, OSError) and error.strerror == "is not a regular file"


@needs_pipes
@pytest.mark.parametrize("name", [manifest.NAME, status.NAME, "log.csv", generation_name(2), "config.toml", ".lock"])
def test_pipes_in_a_run_do_not_block(name: str, run: Run) -> None:
    (run.path / name).unlink(missing_ok=True)
    os.mkfifo(run.path / name)
    for action in (
        run.read_generation,
        lambda: status.read(run.path),
        lambda: Tail(run.path / name).read(),
        lambda: is_locked(run.path),
        lambda: Runs(run.path.parent).names(),
    ):
        in_time(action)

    def work() -> None:
        with lock(run.path):
            pass

    error = in_time(work)
    assert isinstance(error, RunError) and f"{name} is not a regular file; a session works only" in str(error)


def with_log(run: Run, more: str = "", **values: str) -> Run:
    """A run with the log of three generations and more lines; `values` instead of sound ones by column."""
    rows = (values | {"generation": str(number)} for number in range(3))
    lines = [LOG_COLUMNS, *([row.get(name, "1") for name in LOG_COLUMNS] for row in rows)]
    (run.path / append_only.LOG).write_text("\n".join([*map(",".join, lines), more]), encoding="utf-8")
    return run


ENDLESS = [1 << 40, MAX_BYTES - 1]


@pytest.mark.parametrize(
    ("size", "name"), [(ENDLESS[0], append_only.LOG), *((ENDLESS[1], name) for name in append_only.NAMES[:2])]
)
def test_a_growing_file_without_line_ends_is_not_taken_into_memory(size: int, name: str, run: Run) -> None:
    path = run.path / name
    path.write_bytes(b"")
    os.truncate(path, size)  # all hole
    known = run.manifest()
    for action in (
        lambda: append_only.complete_to(path),
        lambda: read_history(run, known),
        lambda: read_log(run, 2),
        lambda: read_hall_of_fame(run.path),
        lambda: run.check(known),
    ):
        tracemalloc.start()
        try:
            in_time(action)
            assert tracemalloc.get_traced_memory()[1] < 10 * LONGEST_LINE
        finally:
            tracemalloc.stop()
    tail = Tail(path)
    assert tail.read().lines == () and "cannot be read: " in tail.trouble
    trouble = tail.trouble
    assert tail.read().lines == () and tail.trouble == trouble


def test_names_of_champions_in_the_log_are_checked(run: Run) -> None:
    assert read_log(with_log(run), 2).champions == ["1"] * 3
    with pytest.raises(manifest.DamagedRunError, match="line 2 is not generation 0"):
        read_log(with_log(run, champion="\x1b]0;x\x07"), 2)


def test_lines_that_are_not_needed_are_not_kept(run: Run) -> None:
    log = read_log(with_log(run, "\n" * 3_000_000), 2)
    log.step(2)
    assert len(log) == 3 and len(log._waiting) < 600_000


@pytest.mark.parametrize("number", ["1e308", "9" * 400, "-1e16", "nan"])
def test_a_log_with_absurd_numbers_is_damaged(number: str, run: Run) -> None:
    log = Log(with_log(run, games=number).path)
    log.step()
    assert log.damage.startswith("log.csv, line 2: damaged") and log.total("games") == 0


def test_texts_about_a_session_have_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    for reporter in (LineReporter(), TerminalReporter()):
        reporter.on_message("made with pandas \x1b]0;x\x07\u202e")
    counting = CountingLine()
    counting.step("a\x1b[2J")
    error = capsys.readouterr().err
    assert error.count("\\x1b]0;x\\x07\\u202e") == 2 and "a\\x1b[2J" in error


def test_a_session_refuses_folders_for_files_and_files_without_end(run: Run) -> None:
    for name, make, what in (
        ("log.csv", Path.mkdir, "is a folder, expected a file"),
        (".config.toml.tmp", Path.mkdir, "is a folder, expected a file"),
        ("session.log", lambda path: (path.touch(), os.truncate(path, 1 << 40)), "has 1,099,511,627,776 bytes"),
        ("/".join("abcdefghijkl"), lambda path: path.mkdir(parents=True), "... is nested too deep"),
    ):
        path = run.path / name
        path.unlink(missing_ok=True)
        make(path)
        with pytest.raises(RunError, match=f"one: .*{re.escape(what)}"), lock(run.path):
            pass
        shutil.rmtree(run.path / name.split("/")[0]) if path.is_dir() else path.unlink()


def test_names_in_commands_are_quoted(runs_in: Callable[..., None], tmp_path: Path) -> None:
    runs_in(tmp_path.resolve())
    assert Run(tmp_path / "one").cli_name == "one"
    assert Run(tmp_path / "a; touch b").cli_name == "'a; touch b'"


def test_small_files_are_small(run: Run, tmp_path: Path) -> None:
    path = run.path / status.NAME
    path.touch()
    os.truncate(path, 1 << 40)  # all hole
    assert in_time(lambda: status.read(run.path)) is None
    with pytest.raises(OSError, match=r"1,099,511,627,776 bytes, at most 65,536"):
        read_regular(path, status.MAX_BYTES)
    path = run.generation_path(2)
    os.truncate(path, 1 << 40)
    with pytest.raises(DamagedRunError, match=r"generation_0002.csv: damaged, 1,099,511,627,776 bytes"):
        run.read_generation()


@for_each("field", ["pid", "generation", "generations", "games"])
@for_each("value", [-1, 10**18, 10**400])
def test_a_status_with_absurd_numbers_is_none(field: str, value: int, tmp_path: Path) -> None:
    sound = status.now(State.RUNNING, 17, 3, 15, 12_345)
    status.write(tmp_path, sound)
    assert status.read(tmp_path) == sound
    status.write(tmp_path, replace(sound, **{field: value}))
    assert status.read(tmp_path) is None


@pytest.mark.parametrize("column", ["name", "origin", "parents"])
@pytest.mark.parametrize("text", ['"a,b"', '"a""b"', '"a\nb"', "a\x1bb", "a\u202eb", "a;b", "é", "A" * 65])
def test_a_generation_has_names_that_the_next_one_can_be_written_with(
    column: str, text: str, run: Run, tmp_path: Path
) -> None:
    sound = to_csv(rows(2)).decode()
    header, line, rest = sound.split("\n", 2)
    fields = line.split(",")
    fields[header.split(",").index(column)] = text
    data = "\n".join([header, ",".join(fields), rest]).encode()
    run.generation_path(2).write_bytes(data)
    run.manifest().up_to(1).with_entry(sha256(data)).write(run.path)
    wrong = ("expected letters, digits and _ as in Gen15_0111", "expected at most 64")
    with pytest.raises(GenerationError, match=rf"generation_0002.csv: line [23]: {column} is .*({'|'.join(wrong)})"):
        run.read_generation()
    if "\n" not in text:
        with pytest.raises(GenerationError, match=rf"line 2: {column} is .*({'|'.join(wrong)})"):
            read_heads(run.generation_path(2))
        index = RowIndex(run.generation_path(2))
        while index.step():
            pass
        assert index.damage.startswith(f"line 2: {column} is ") and index.damage.endswith(wrong)


def test_a_name_of_a_file_without_ranks_has_at_most_64_characters(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text(f"names,w0\n{'é' * 64},0.5\n{'é' * 65},0.5\n", encoding="utf-8")
    with pytest.raises(GenerationError, match=r"line 3: name is 'é+'\.\.\. of 65 characters, expected at most 64"):
        generation_csv.read(path)


def test_a_row_that_is_no_csv_is_damage(run: Run) -> None:
    path = run.path / append_only.HALL_OF_FAME
    lines = path.read_bytes().split(b"\n")
    for bad in (b'1,a\r"b",', b'1,"a"\rb,'):
        path.write_bytes(b"\n".join([*lines[:2], bad + lines[2].split(b",", 2)[2], *lines[3:]]))
        with pytest.raises(GenerationError, match="line 3: damaged, expected the champion of a generation"):
            read_hall_of_fame(run.path).champion(1)


def test_missing_champion_in_the_hall_of_fame_is_located(tmp_path: Path) -> None:
    run = make_run(tmp_path, "one", 3)
    lines = (run.path / append_only.HALL_OF_FAME).read_bytes().splitlines(keepends=True)
    (run.path / append_only.HALL_OF_FAME).write_bytes(b"".join(lines[:2] + lines[3:]))
    hall = HallOfFameFile(run.path)
    hall.step()
    assert (len(hall), hall.trouble) == (
        1,
        f"{append_only.HALL_OF_FAME}, line 3: damaged, expected the champion of generation 1.",
    )
