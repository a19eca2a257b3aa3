"""Reports on narrow terminals, and in encodings that lack our signs: every name and number stays whole."""

from __future__ import annotations

import codecs
import io
import re
import sys
from collections.abc import Callable

import pytest

import main
from evolve.inspection import terminal
from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.report.ancestry import Ancestor
from evolve.run import notes
from evolve.run.folder import Run
from game.errors import spell_out
from tests.synthetic import make_run

LAST = 12
WIDTHS = (80, 60, 40)
RATING = re.compile(r"-?\d+  (-?\d+ to -?\d+|above -?\d+|below -?\d+)$")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    made = make_run(tmp_path_factory.mktemp("runs"), "one", LAST, rated=True)
    name = made.read_generation().names[0]
    notes.star(made, LAST, name)
    notes.note(made, LAST, name, "crowns early – plays “quietly”")
    return made


@pytest.fixture
def widen(limit: Callable[..., None]) -> Callable[[int], None]:
    """Return a function that sets the width of reports."""
    return lambda width: limit(terminal, "WIDTH", width)


def shown(capsys: pytest.CaptureFixture[str], target: str) -> list[str]:
    capsys.readouterr()
    assert main.main(["inspect", target, "--games=0"]) == 0
    return capsys.readouterr().out.splitlines()


def words_of(lines: list[str]) -> set[str]:
    """Words that are no parts of curves."""
    return {word.rstrip(",") for line in lines for word in line.split() if not set(word) & set(terminal.BARS)}


@pytest.mark.parametrize("width", WIDTHS)
def test_lines_break_only_between_words(
    run: Run, width: int, capsys: pytest.CaptureFixture[str], widen: Callable[[int], None]
) -> None:
    name = run.read_generation().names[0]
    for target in (str(run.path), f"{run.path}@{LAST}", f"{run.path}@{LAST}:{name}"):
        widen(110)
        wide = words_of(shown(capsys, target))
        widen(width)
        narrow = shown(capsys, target)
        assert max(map(len, narrow[1:])) <= width  # the first one has the path of the run, which is told as it is
        parts = words_of(narrow) - wide - {"no", "room", "for", "columns:"}
        assert all(re.fullmatch("[0-9a-f]+", word) for word in parts), parts  # of a digest, which has no words


@pytest.mark.parametrize("width", WIDTHS)
def test_columns_go_before_a_number_is_cut(
    run: Run, width: int, capsys: pytest.CaptureFixture[str], widen: Callable[[int], None]
) -> None:
    widen(width)
    lines = shown(capsys, str(run.path))
    (start,) = (at for at, line in enumerate(lines) if line.split()[:1] == ["gen"])
    rows = [line for line in lines[start + 1 : start + 15] if RATING.search(line)]
    assert [int(row.split()[0]) for row in rows] == [0, 2, 4, 6, 8, 10, 12]
    assert ("points" in lines[start]) == (width >= 60)
    assert ("origin" in lines[start]) == (width >= 80)


def test_the_first_of_the_dispensable_columns_go_first(
    capsys: pytest.CaptureFixture[str], widen: Callable[[int], None]
) -> None:
    table = ReportTable(("name<", "a", "b", "long text<"), [["Anna", "1,000", "-12.5", "two words"]], ("b", "a"))
    contents = Contents("x", "", "", [Section("", table=table)])
    results = {}
    for width in (33, 26, 18):
        widen(width)
        terminal.show(contents)
        results[width] = capsys.readouterr().out.splitlines()[2:]
    assert results[33] == ["  name      a      b  long text", "  Anna  1,000  -12.5  two words"]
    assert results[26][:2] == ["  name      a  long text", "  Anna  1,000  two words"]
    assert results[26][2:] == ["  no room for columns: b"]
    assert results[18][:2] == ["  name  long text", "  Anna  two words"]


def test_names_of_rows_are_whole_beside_long_texts(
    capsys: pytest.CaptureFixture[str], widen: Callable[[int], None]
) -> None:
    name, digest = "network.layers.0.activation", 64 * "d"
    contents = Contents("x", "", "", [Section("", table=ReportTable(("<", "one<", "two<"), [[name, digest, digest]]))])
    for width in (80, 60):
        widen(width)
        terminal.show(contents)
        output = capsys.readouterr().out
        assert name in output and output.count("d") == 128
        assert max(map(len, output.splitlines())) <= width


def test_of_many_parents_the_first_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of a mean are dozens, and each of them has as many."""
    parents = tuple(Ancestor(1, f"Gen01_{index:04d}") for index in range(65))
    contents = Contents("x", "", "", [Section("", tree=Ancestor(2, "Gen02_0000", ancestors=parents))])
    terminal.show(contents)
    output = capsys.readouterr().out
    assert output.count("Gen01_") == 4 and "and 61 more" in output


def test_signs_that_an_encoding_lacks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    codecs.register_error("spell-out", spell_out)
    name = run.read_generation().names[0]
    for encoding, star in (("ascii", "* "), ("latin-1", "* "), ("utf-8", "★ ")):
        for target in (str(run.path), f"{run.path}@{LAST}", f"{run.path}@{LAST}:{name}"):
            written = io.BytesIO()
            with io.TextIOWrapper(written, encoding=encoding, errors="spell-out") as stream:
                monkeypatch.setattr(sys, "stdout", stream)
                assert main.main(["inspect", target, "--games=0"]) == 0
                stream.flush()
                result = written.getvalue().decode(encoding)
            assert f"{star}{name}" in result
            assert "\\u2605" not in result and "\\u25" not in result
    assert "進–".encode("ascii", "spell-out") == b"\\u9032-"
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", "spell-out")
