"""Packed generations: a run reads the same with its thinned generations in one file."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import main
from evolve.run import packed
from evolve.run.files import DamagedRunError
from evolve.run.folder import Run
from evolve.run.row_index import RowIndex, read_heads
from tests.called import evolve_cowan
from tests.evolve.tiny_sessions import TINY
from tests.pack_runs import pack, packed_bytes

THINNED = range(1, 5)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of which generations 1 to 4 were thinned."""
    folder = tmp_path_factory.mktemp("made")
    saving = ("--set=saving.every=5", "--set=saving.newest=1", "--generations=5")
    words = evolve_cowan(f"--out={folder}", "--name=one", "--seed=5", "--workers=1", *TINY, *saving)
    assert main.main(words) == 0
    return Run(folder / "one")


@pytest.fixture
def one(made: Run, tmp_path: Path) -> Run:
    copy = Run(Path(shutil.copytree(made.path, tmp_path / "one")))
    assert pack(copy) == len(THINNED)
    return copy


def test_packed_generations_have_the_bytes_of_their_files(made: Run, one: Run) -> None:
    assert sorted(path.name for path in one.path.glob("generation*")) == [
        *("generation_0000.csv", "generation_0005.csv", "generations.csv")
    ]
    for number in range(6):
        assert one.read_bytes(number) == made.read_bytes(number)
        assert packed.is_there(one.generation_path(number))
    assert packed.packed(one.generation_path(6)) is None and not packed.is_there(one.generation_path(6))
    assert one.manifest().digest() == made.manifest().digest()
    one.check(one.manifest())


def test_every_reader_of_generations_reads_packed_ones(made: Run, one: Run) -> None:
    for number in THINNED:
        assert read_heads(one.generation_path(number)) == read_heads(made.generation_path(number))
        assert one.table(number).equals(made.table(number))
        assert one.read_generation(number, thinned=True).names == made.read_generation(number, thinned=True).names
        indexes = [
            RowIndex(run.generation_path(number), run.manifest().entries[number].permitted) for run in (one, made)
        ]
        for index in indexes:
            while index.step():
                pass
        assert indexes[0].so_far == indexes[1].so_far


def test_reports_and_matches_are_the_same_from_packed_generations(
    made: Run, one: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    def output(run: Run, *words: str) -> str:
        assert main.main([*words, f"--runs={run.path.parent}", "--json"]) == 0
        return re.sub(r'"(bytes|seconds)": [0-9.e-]+', "", capsys.readouterr().out).replace(str(run.path), "")

    assert output(one, "inspect", "one", "--games=0") == output(made, "inspect", "one", "--games=0")
    match = ("match", "one@3", "random", "--games=2", "--seed=1", "--workers=1")
    assert output(one, *match) == output(made, *match)


def test_a_session_continues_a_packed_run_with_the_same_bytes(made: Run, one: Run, tmp_path: Path) -> None:
    plain = Run(Path(shutil.copytree(made.path, tmp_path / "plain" / "one")))
    for run in (one, plain):
        assert main.main(["evolve", f"--resume={run.path}", "--generations=7", "--workers=1"]) == 0
    assert one.manifest().digest() == plain.manifest().digest()


def test_a_changed_packed_generation_is_damaged(one: Run) -> None:
    path = one.path / packed.NAME
    data = path.read_bytes()
    path.write_bytes(data.replace(b"\n3,", b"\n3,X", 1))
    with pytest.raises(DamagedRunError, match=r"generation_0003\.csv"):
        one.read_bytes(3)
    assert one.read_bytes(2)
    path.write_bytes(b"\xff\x00" + data)
    with pytest.raises(DamagedRunError, match="No such file"):
        one.read_bytes(3)


def test_generations_with_weights_are_not_packed(made: Run) -> None:
    with pytest.raises(ValueError, match=r"generation_0001\.csv: cannot be packed"):
        packed_bytes(made.path, [0, 1])
