"""Files of tables return what was written, damage is recognised, and probes give known values."""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from game.endgame import slices as at
from game.endgame import table_file
from game.endgame.build import Values, build_values
from game.endgame.slices import Slice
from game.endgame.table_file import HEADER_BYTES, TableError
from game.errors import BusyError
from tests.faults import inject

WHICH = Slice(1, 0, 1, 0)
posix = pytest.mark.skipif(os.name != "posix", reason="no such files here")


@pytest.fixture(scope="module")
def known() -> Values:
    return build_values(3, threads=1)


@pytest.fixture
def sound(known: Values, tmp_path: Path) -> Path:
    return table_file.write(tmp_path, WHICH, known.of(WHICH), True).path


def _refused(path: Path, fault: str) -> None:
    with pytest.raises(TableError, match=f"^{re.escape(str(path))}: .*{fault}"):
        table_file.open_table(path).codes()


def _signed(content: bytes) -> bytes:
    header, rest = content[: HEADER_BYTES - 4], content[HEADER_BYTES:]
    check = struct.calcsize("<8s H B B 4B 6Q")
    header = header[:check] + struct.pack("<I", zlib.crc32(rest)) + header[check + 4 :]
    return header + struct.pack("<I", zlib.crc32(header)) + rest


@pytest.mark.parametrize("distances", [True, False])
def test_files_give_back_all_codes(known: Values, tmp_path: Path, distances: bool) -> None:
    for which in known.all:
        codes = known.of(which)
        written = table_file.write(tmp_path, which, codes, distances)
        assert np.array_equal(
            table_file.open_table(written.path).codes(), codes if distances else np.minimum(codes, 2 - codes % 2)
        )
        assert written == table_file.open_table(written.path).info
        assert (written.slice, written.distances) == (which, distances)
        assert written.bytes == written.path.stat().st_size
        assert written.draws == (codes == 0).sum() and written.losses == (codes % 2).sum()
        assert written.wins + written.losses + written.draws == written.positions == which.positions
        assert written.longest == (max(int(codes.max()) - 1, 0) if distances else None)
    result = table_file.survey(tmp_path)
    assert [each.slice for each in result if not each.fault] == known.all
    assert {each.fault for each in result if each.slice not in known.all} == {"missing"}


@posix
def test_a_table_may_be_deleted_while_it_is_used(known: Values, sound: Path) -> None:
    table = table_file.open_table(sound)
    sound.unlink()
    assert np.array_equal(table.codes(), known.of(WHICH))


def test_a_file_that_claims_to_be_larger_than_any_table_is_not_read(sound: Path) -> None:
    size = 1 << 42
    header = bytearray(sound.read_bytes()[:HEADER_BYTES])
    place = struct.calcsize("<8s H B B 4B 5Q")
    header[place : place + 8] = struct.pack("<Q", size)
    sound.write_bytes(_signed(bytes(header)))
    os.truncate(sound, size)
    _refused(sound, "more than any table of these pieces")


def test_any_changed_byte_is_noticed(sound: Path) -> None:
    content = sound.read_bytes()
    generator = np.random.default_rng(5)
    later = generator.choice(np.arange(HEADER_BYTES, len(content)), 300, replace=False).tolist()
    for place in (*range(HEADER_BYTES), *later, len(content) - 1):
        damaged = bytearray(content)
        damaged[place] ^= int(generator.integers(1, 256))
        sound.write_bytes(damaged)
        _refused(sound, "damaged|is not a table file")
    assert "damaged" not in {each.fault for each in table_file.survey(sound.parent)}  # headers are sound


def test_any_other_length_is_noticed(sound: Path) -> None:
    content = sound.read_bytes()
    lengths = np.random.default_rng(6).integers(0, len(content), 15).tolist()
    for length in (*range(0, HEADER_BYTES, 5), HEADER_BYTES - 1, HEADER_BYTES, *lengths, len(content) - 1):
        sound.write_bytes(content[:length])
        _refused(sound, "has .* bytes, expected" if length >= HEADER_BYTES else "is not a table file")
        (result,) = [each for each in table_file.survey(sound.parent) if each.slice == WHICH]
        assert result.fault and result.bytes == length
    sound.write_bytes(content + b"\0")
    _refused(sound, "bytes, expected")


def test_other_files_are_named_as_no_table(known: Values, sound: Path, tmp_path: Path) -> None:
    sound.write_bytes(b"generation,file\n" * 100)
    _refused(sound, "is not a table file")
    content = table_file.write(tmp_path, WHICH.other, known.of(WHICH.other), True).path.read_bytes()
    other = sound.with_name("0101.table")
    other.write_bytes(content)
    _refused(other, r"has the positions of 1010\.table")
    sound.write_bytes(_signed(content[:8] + b"\x02\0" + content[10:]))
    _refused(sound, "has format 2, expected 1")
    sound.unlink()
    _refused(sound, "cannot be read: No such file")
    sound.mkdir()
    _refused(sound, "cannot be read")


@posix
def test_a_pipe_is_not_waited_for(sound: Path) -> None:
    sound.unlink()
    os.mkfifo(sound)
    _refused(sound, "is not a regular file")


@posix
@pytest.mark.usefixtures("ordinary_rights")
def test_a_file_that_may_not_be_read_is_named(sound: Path) -> None:
    sound.chmod(0)
    _refused(sound, "cannot be read: Permission denied")
    assert "Permission denied" in " ".join(each.fault for each in table_file.survey(sound.parent))


def test_forged_table_is_read_within_its_bounds(known: Values, sound: Path) -> None:
    content = sound.read_bytes()
    generator = np.random.default_rng(8)
    accepted = 0
    for trial in range(400):
        changed = bytearray(content)
        last = HEADER_BYTES if trial % 4 == 0 else len(content)
        for place in generator.integers(8 if trial % 4 == 0 else HEADER_BYTES, last, int(generator.integers(1, 6))):
            changed[int(place)] = int(generator.integers(256))
        results = []
        for canary in (0, 255):
            whole = np.full(len(changed) + 2048, canary, np.uint8)
            part = whole[1024:-1024]
            part[:] = np.frombuffer(_signed(bytes(changed)), np.uint8)
            try:
                table = table_file.SliceTable(sound, part)
            except TableError:
                break
            results.append(table.codes())
            assert (whole[:1024] == canary).all() and (whole[-1024:] == canary).all()
        accepted += len(results) == 2
        assert len(results) == 0 or np.array_equal(*results)
    assert accepted > 20


def test_entries_that_lead_out_of_the_file_are_refused(sound: Path) -> None:
    content = bytearray(sound.read_bytes())
    content[HEADER_BYTES : HEADER_BYTES + 4] = (1 << 20 | at.PACKED).to_bytes(4, "little")
    sound.write_bytes(_signed(bytes(content)))
    _refused(sound, "its entries point outside the file")


@posix
@pytest.mark.parametrize("fault", list(inject.Fault))
def test_a_write_that_fails_leaves_the_old_file_or_the_new_one(known: Values, sound: Path, fault: inject.Fault) -> None:
    folder, old = sound.parent, sound.read_bytes()

    def action() -> None:
        table_file.write(folder, WHICH, known.of(WHICH), False)

    calls = inject.calls_of(action)
    new = sound.read_bytes()
    assert old != new and len(calls) > 6
    for number in range(list(inject.Fault).index(fault) % 2, len(calls), 2):  # each call with some of the faults
        sound.write_bytes(old)
        code = inject.in_child(action, inject.Injector(number, fault))
        assert code in ((-9,) if fault.kills else (0, 74)), (calls[number], code)
        assert sound.read_bytes() in ((old, new) if code else (new,)), calls[number]
        assert table_file.open_table(sound).info
        if not fault.kills:
            assert inject.temporary_files(folder) == [], calls[number]
    action()
    assert sound.read_bytes() == new
    assert inject.temporary_files(folder) == []


def test_one_builder_at_a_time(tmp_path: Path) -> None:
    refused = pytest.raises(BusyError, match="another process is building tables here")
    with table_file.locked(tmp_path / "new"), refused, table_file.locked(tmp_path / "new"):
        raise AssertionError
    with table_file.locked(tmp_path / "new"):
        pass


def test_tables_lie_beside_compiled_code(compiled_in: Callable[[Path | None], None], tmp_path: Path) -> None:
    compiled_in(tmp_path / "kernels")
    assert table_file.tablebase_folder() == tmp_path / "tablebase"
    compiled_in(None)
    assert table_file.tablebase_folder() is None
