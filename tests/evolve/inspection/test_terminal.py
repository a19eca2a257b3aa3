"""Reports on a terminal: lines, columns, signs, and phrases."""

from __future__ import annotations

import codecs
import io
import math
import re
import sys
from collections.abc import Callable

import pytest

import main
from evolve.inspection import terminal
from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.inspection.phrases import founders_text, groups_text, interval_text, parents_text, rating_text
from evolve.report.ancestry import Ancestor, FounderShares
from evolve.run import notes
from evolve.run.folder import Run
from evolve.run.row_index import Head
from game.errors import spell_out
from game.number_text import signed_text
from tests.synthetic import make_run

LAST = 12
WIDTHS = (80, 60, 40)
RATING = re.compile(r"-?\d+  (-?\d+ to -?\d+|above -?\d+|below -?\d+)$")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    made = make_run(tmp_path_factory.mktemp("runs"), "one", LAST, rated=True)
    notes.note_run(made, "crowns early – plays “quietly”")
    return made


@pytest.fixture
def widen(limit: Callable[..., None]) -> Callable[[int], None]:
    return lambda width: limit(terminal, "WIDTH", width)


def shown(capsys: pytest.CaptureFixture[str], target: str) -> list[str]:
    capsys.readouterr()
    assert main.main(["inspect", target, "--games=0"]) == 0
    return capsys.readouterr().out.splitlines()


def words_of(lines: list[str]) -> set[str]:
    return {word.rstrip(",") for line in lines for word in line.split()}


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
        path = str(run.path / "config.toml")  # as a digest, it has no words
        assert all(re.fullmatch("[0-9a-f]+", word) or word in path for word in parts), parts


@pytest.mark.parametrize("width", WIDTHS)
def test_columns_go_before_a_number_is_cut(
    run: Run, width: int, capsys: pytest.CaptureFixture[str], widen: Callable[[int], None]
) -> None:
    widen(width)
    lines = shown(capsys, str(run.path))
    (start,) = (at for at, line in enumerate(lines) if line.split()[:1] == ["gen"])
    rows = [line for line in lines[start + 1 : start + 15] if RATING.search(line)]
    assert [int(row.split()[0]) for row in rows] == [0, 2, 4, 6, 8, 10, 12]
    assert ("best/mean/worst" in lines[start]) == (width >= 60)
    assert ("origin" in lines[start]) == (width >= 80)


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


def test_of_columns_with_one_heading_the_given_ones_go(
    capsys: pytest.CaptureFixture[str], widen: Callable[[int], None]
) -> None:
    table = ReportTable(("gen", "right", "right", "right"), [[each * 20 for each in "0abc"]], (3, 2))
    for width, shown_digits in ((120, "0abc"), (70, "0ab"), (50, "0a")):
        widen(width)
        terminal.show(Contents("x", "", "", [Section("", table=table)]))
        output = capsys.readouterr().out
        assert [digit for digit in "0abc" if digit * 20 in output] == list(shown_digits)
        gone = ", ".join(["right"] * (4 - len(shown_digits)))
        assert (f"no room for columns: {gone}\n" in output) == bool(gone)


def test_of_many_parents_the_first_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    parents = tuple(Ancestor(1, f"Gen01_{index:04d}") for index in range(65))
    contents = Contents("x", "", "", [Section("", tree=Ancestor(2, "Gen02_0000", ancestors=parents))])
    terminal.show(contents)
    output = capsys.readouterr().out
    assert output.count("Gen01_") == 4 and "and 61 more" in output


def test_signs_that_an_encoding_lacks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    codecs.register_error("spell-out", spell_out)
    name = run.read_generation().names[0]
    for encoding, dash in (("ascii", "-"), ("latin-1", "-"), ("utf-8", "–")):
        for target in (str(run.path), f"{run.path}@{LAST}", f"{run.path}@{LAST}:{name}"):
            written = io.BytesIO()
            with io.TextIOWrapper(written, encoding=encoding, errors="spell-out") as stream:
                monkeypatch.setattr(sys, "stdout", stream)
                assert main.main(["inspect", target, "--games=0"]) == 0
                stream.flush()
                result = written.getvalue().decode(encoding)
            assert (f"early {dash} plays" in result) == (target == str(run.path))
            assert "\\u25" not in result
    assert "進–".encode("ascii", "spell-out") == b"\\u9032-"
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", "spell-out")


@pytest.mark.parametrize(
    ("origin", "parents", "text"),
    [
        ("founder", 0, "a founder, without parents in this run"),
        ("mutated", 1, "by mutation, from P0"),
        ("recombined", 2, "by recombination of P0 and P1"),
        ("recombined", 65, "by recombination of P0, P1, P2 and 62 more"),
    ],
)
def test_parents_are_named_and_the_rest_counted(origin: str, parents: int, text: str) -> None:
    names = tuple(f"P{number}" for number in range(parents))
    assert parents_text(Head("A", 1, origin, names)) == text


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ((1, 1, 1), "none closer than 10 % of a genome's length"),
        ((2, 1, 1), "1 group of 2, closer than 10 % of a genome's length"),
        ((9, 4, 3, 2, 1), "4 groups, the largest of 9, 4, 3, closer than 10 % of a genome's length"),
    ],
)
def test_groups_of_near_copies_are_put_into_words(sizes: tuple[int, ...], text: str) -> None:
    assert groups_text(sizes) == text


def test_ratings_are_printed_on_the_scale() -> None:
    assert [rating_text(value) for value in (-3.4, math.inf, math.nan)] == ["1497", "-", "-"]
    nan, end = math.nan, math.inf
    pairs = ((-20.2, 45.0), (120.0, end), (-end, -7.0), (-end, end), (nan, nan))
    assert [interval_text(*pair) for pair in pairs] == ["1480 to 1545", "above 1620", "below 1493", "", ""]
    assert rating_text(45.2, signed_text) == "+45" and interval_text(-7.0, end, signed_text) == "above -7"


@pytest.mark.parametrize(
    ("shares", "ancestors", "exact", "text"),
    [
        ([0.7, 0.3], 11, True, "2 of 11 ancestors in generation 0: F0 (70.0 %), F1 (30.0 %)"),
        ([1], 1, True, "1 of 1 ancestor in generation 0: F0 (100.0 %)"),
        ([0.5, 0.5], 2, False, "2 ancestors in generation 0, expected shares: F0 (50 %), F1 (50 %)"),
        (
            [0.3, 0.2, 0.2, 0.1, 0.1, 0.1],
            9,
            True,
            "6 of 9 ancestors in generation 0: F0 (30.0 %), F1 (20.0 %), F2 (20.0 %), F3 (10.0 %) and 2 more",
        ),
    ],
)
def test_shares_of_founders_are_put_into_words(shares: list[float], ancestors: int, exact: bool, text: str) -> None:
    result = tuple(Ancestor(0, f"F{number}", share=share) for number, share in enumerate(shares))
    assert founders_text(FounderShares(result, ancestors, exact)) == text
