"""The manifest: its form, the chain of checks, and that no changed, lost or added byte goes unseen."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve.run import manifest
from evolve.run.files import DamagedRunError
from evolve.run.manifest import EARLIER, HEADER, NAME, GenerationEntry, Manifest


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def of(count: int, salt: str = "") -> Manifest:
    known = Manifest()
    for generation in range(count):
        known = known.with_entry(sha(f"{salt}{generation}"))
    return known


def read(data: bytes) -> Manifest:
    """From memory: tens of thousands of files would only wear out a disk."""
    return manifest.parse(io.BytesIO(data))


THREE = of(3)
TEXT = THREE.text().encode()


@pytest.mark.parametrize("count", range(5))
def test_it_reads_back(count: int, tmp_path: Path) -> None:
    known = of(count)
    known.write(tmp_path)
    assert manifest.read(tmp_path) == known
    assert known.newest == count - 1
    assert [path.name for path in tmp_path.iterdir()] == [NAME]  # no temporary file is left


def test_missing_manifest_means_no_complete_generation(tmp_path: Path) -> None:
    assert manifest.read(tmp_path) == Manifest()
    assert Manifest().newest == -1


def test_each_check_covers_its_row_and_the_check_before() -> None:
    before = ""
    for line in TEXT.decode().split("\n")[1:-1]:
        row, _, check = line.rpartition(",")
        assert check == sha(f"{before}\n{row}")[:16]
        before = check


@pytest.mark.parametrize("count", range(1, 4))
def test_the_digest_of_a_run(count: int) -> None:
    """SHA-256 over the hexadecimal checksums as first written, joined without separators."""
    assert of(count).digest() == sha("".join(sha(str(generation)) for generation in range(count)))


def test_the_digest_counts_files_as_first_written(tmp_path: Path) -> None:
    thinned = Manifest((GenerationEntry(0, sha("0"), sha("thinner")), *THREE.entries[1:]))
    assert thinned.digest() == THREE.digest()
    thinned.write(tmp_path)
    assert manifest.read(tmp_path) == thinned


def test_every_changed_byte_is_seen() -> None:
    """Each bit of each byte, and each byte replaced by one that means something in a CSV file."""
    for place, byte in enumerate(TEXT):
        line = TEXT[:place].count(b"\n")
        for other in {byte ^ (1 << bit) for bit in range(8)} | set(b'\n\r,0a" \x00\xff'):
            if other == byte:
                continue
            result = read(TEXT[:place] + bytes([other]) + TEXT[place + 1 :])
            assert result.damage is not None, (place, other)
            assert result.entries == THREE.entries[: len(result.entries)]  # what is read is right
            if byte != ord("\n") != other:  # and no row is lost but the damaged one and those after it
                assert len(result.entries) == (line - 1 if line else 3), (place, other)


def test_every_cut_is_seen_unless_it_takes_whole_rows() -> None:
    ends = [index + 1 for index, byte in enumerate(TEXT) if byte == ord("\n")]
    for size in range(len(TEXT)):
        result = read(TEXT[:size])
        if size in ends:  # the generation files tell that something is missing: see the tests of the store
            assert result == THREE.up_to(ends.index(size) - 1)
        else:
            assert result.damage is not None
            assert result.entries == THREE.entries[: max(0, TEXT[:size].count(b"\n") - 1)]


def test_rows_in_another_order_or_twice_or_from_another_run_are_seen() -> None:
    header, one, two, three = TEXT.splitlines(keepends=True)
    foreign = of(3, "other").text().encode().splitlines(keepends=True)[2]
    for rows, sound in (
        ([two, one, three], 0),
        ([one, one, two], 1),
        ([one, three], 1),
        ([two, three], 0),
        ([one, foreign, three], 1),
        ([one, two, three, three], 3),
        ([header, one, two, three], 0),
    ):
        text = read(header + b"".join(rows))
        assert text.damage is not None
        assert text.entries == THREE.entries[:sound]


def test_a_true_check_of_a_wrong_row_is_damage() -> None:
    """Checks can be computed by anybody: what a row says must make sense all the same."""
    for row in (
        f"1,generation_0000.csv,{sha('0')},{sha('0')}",
        f"0,generation_0000.csv,{sha('0')},{sha('0')[:-1]}",
        f"0,generation_0000.csv,{sha('0').upper()},{sha('0')}",
        f"0,generation_0000.csv,{sha('0')}",
        f"00,generation_0000.csv,{sha('0')},{sha('0')}",
    ):
        text = f"{HEADER}\n{row},{sha(chr(10) + row)[:16]}\n"
        assert read(text.encode()) == Manifest(damage="line 2 is damaged")


def test_a_manifest_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(DamagedRunError, match=r"manifest\.csv: cannot be read: Is a directory"):
        manifest.read(tmp_path)


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_failed_write_leaves_the_old_one(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of(2).write(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space left on device") as raised:
        THREE.write(tmp_path)
    assert raised.value.filename == str(tmp_path / NAME)
    monkeypatch.undo()
    assert manifest.read(tmp_path) == of(2)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


@pytest.fixture
def short(limit: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are cut from four rows on; nobody waits for a disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    limit(manifest, "MOST_ROWS", 4)
    limit(manifest, "KEPT_ROWS", 2)


def written(folder: Path, count: int) -> Manifest:
    known = Manifest()
    for generation in range(count):
        known = known.with_entry(sha(str(generation)))
        known.write(folder)
    return known


def rows_in(path: Path) -> list[int]:
    return [int(line.split(",")[0]) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def test_a_long_one_is_two_files(short: None, tmp_path: Path) -> None:
    known = Manifest()
    for generation in range(20):
        known = known.with_entry(sha(str(generation)))
        known.write(tmp_path)
        assert manifest.read(tmp_path) == known == of(generation + 1)
        assert manifest.last_number(tmp_path) == generation
        newest = rows_in(tmp_path / NAME)
        assert len(newest) <= 4
        if newest[0] > 0:
            assert rows_in(tmp_path / EARLIER) == list(range(newest[0]))
    both = (tmp_path / EARLIER).read_text(encoding="utf-8") + (tmp_path / NAME).read_text(encoding="utf-8")
    assert both.replace(HEADER + "\n", "") == of(20).text().replace(HEADER + "\n", "")  # the same rows and checks


@pytest.mark.parametrize("count", range(1, 14))
def test_long_manifest_continues_after_a_cut_anywhere(count: int, short: None, tmp_path: Path) -> None:
    for generation in range(-1, count):
        known = written(tmp_path, count).up_to(generation)
        known.write(tmp_path)
        assert manifest.read(tmp_path) == of(generation + 1)
        for after in range(generation + 1, generation + 9):
            known = known.with_entry(sha(str(after)))
            known.write(tmp_path)
            assert manifest.read(tmp_path) == of(after + 1)
        for path in tmp_path.iterdir():
            path.unlink()


@pytest.mark.parametrize("newest", [1, 3, 6])
def test_killed_between_the_two_files(
    newest: int, short: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was written last, the one before it or the new one is read; also where rows of the other file change."""
    write, written_to = manifest.write_atomically, set()
    known = before = Manifest()
    for generation in range(24):
        known = before.with_entry(sha(str(generation)))
        if generation >= newest:
            known = known.with_thinned(generation - newest, sha(f"thinner {generation - newest}"))
        for killed_at in (1, 2):
            left = [killed_at]

            def killed(path: Path, data: bytes, left: list[int] = left) -> None:
                written_to.add(path.name)
                left[0] -= 1
                if not left[0]:
                    raise KeyboardInterrupt
                write(path, data)

            monkeypatch.setattr(manifest, "write_atomically", killed)
            try:
                known.write(tmp_path)
            except KeyboardInterrupt:
                assert manifest.read(tmp_path) == before
                # The session that comes next has read it.
                known = manifest.read(tmp_path).with_entry(sha(str(generation)))
                if generation >= newest:
                    known = known.with_thinned(generation - newest, sha(f"thinner {generation - newest}"))
            monkeypatch.setattr(manifest, "write_atomically", write)
        known.write(tmp_path)
        before = manifest.read(tmp_path)
        assert before == known
        assert before.newest == generation
    assert written_to == {NAME, EARLIER}


@pytest.mark.parametrize("newest", [1, 6])
def test_rows_that_may_change_stay_where_little_is_written(newest: int, short: None, tmp_path: Path) -> None:
    known = Manifest()
    for generation in range(40):
        known = known.with_entry(sha(str(generation)))
        if generation >= newest and generation % 5:  # some keep everything
            known = known.with_thinned(generation - newest, sha(f"thinner {generation - newest}"))
        known.write(tmp_path, newest)
        assert manifest.read(tmp_path) == known
        assert len(rows_in(tmp_path / NAME)) <= 4 + newest


def test_damage_of_earlier_rows_is_reported(short: None, tmp_path: Path) -> None:
    written(tmp_path, 10)
    path, first = tmp_path / EARLIER, rows_in(tmp_path / NAME)[0]
    data = path.read_bytes()
    for size in range(0, len(data), 5):
        path.write_bytes(data[:size])
        result = manifest.read(tmp_path)
        assert result.damage is not None and EARLIER in result.damage
        assert result.entries == of(first).entries[: max(0, data[:size].count(b"\n") - 1)]
    path.unlink()
    assert (
        manifest.read(tmp_path).damage
        == f"{EARLIER}, which should have generations 0 to {first - 1}, is missing or empty"
    )
    path.write_bytes(b"".join(data.splitlines(keepends=True)[:3]))
    assert f"0 to {first - 1}, ends at generation 1" in str(manifest.read(tmp_path).damage)


def test_a_file_of_earlier_rows_that_leads_to_itself_is_damage(short: None, tmp_path: Path) -> None:
    written(tmp_path, 10)
    (tmp_path / EARLIER).write_bytes((tmp_path / NAME).read_bytes())
    result = manifest.read(tmp_path)
    assert result.damage is not None
    assert result.entries == ()
