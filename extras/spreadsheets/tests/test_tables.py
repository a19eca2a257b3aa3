"""Generations that come back from spreadsheets and data frames: the same individuals, or one line and column."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evolve.run.columns import GenerationError
from evolve.run.generation_csv import Generation, parse, read, to_csv
from evolve.run.row_index import RowIndex
from game.errors import InputWarning
from gui.screens.individuals.chooser import Chooser
from tests.cases import for_each
from tests.gui.chooser_helpers import listed
from tests.gui.hands import Opened
from tests.runs import plain_file

WIDTH, COUNT = 247, 6
FACTS = 9
"""Number of columns before the weights."""


def a_generation() -> Generation:
    generator = np.random.Generator(np.random.Philox(5))
    wins = generator.integers(0, 9, COUNT)
    weights = generator.uniform(-2, 2, (COUNT, WIDTH)).astype(np.float32)
    weights[1, :4] = [1e-5, -3e-9, 0, 1.5]
    return Generation(
        [f"Gen07_{index:04d}" for index in generator.permutation(COUNT)],
        weights,
        np.arange(1, COUNT + 1),
        [("survivor", "recombined", "mutated", "founder")[index % 4] for index in range(COUNT)],
        [tuple(f"Gen06_{parent:04d}" for parent in range(index % 3)) for index in range(COUNT)],
        np.stack([wins + 3, wins, np.full(COUNT, 2), np.ones(COUNT, np.int64), 3 * wins + 2], axis=1),
    )


GENERATION = a_generation()
OURS = to_csv(GENERATION).decode()
CELLS = [line.split(",") for line in OURS.splitlines()]
FRAME = pd.read_csv(io.StringIO(OURS), keep_default_na=False).copy()


def joined(separator: str = ",", end: str = "\n", cells: list[list[str]] = CELLS) -> str:
    return "".join(separator.join(row) + end for row in cells)


def comma(text: str) -> str:
    return text.replace(".", ",")


GERMAN = [CELLS[0], *([*row[:FACTS], *map(comma, row[FACTS:])] for row in CELLS[1:])]


def quoted(cells: list[list[str]], separator: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, delimiter=separator, lineterminator="\r\n").writerows(cells)
    return text.getvalue()


def with_row(*fields: str, at: int = COUNT + 1) -> list[list[str]]:
    return [*CELLS[:at], [*fields, *[""] * (FACTS + WIDTH - len(fields))], *CELLS[at:]]


def mapped(change: Callable[[str], str]) -> list[list[str]]:
    return [CELLS[0], *([*row[:FACTS], *map(change, row[FACTS:])] for row in CELLS[1:])]


def with_others(column: str, *, at: int) -> list[list[str]]:
    return [[*row[:at], str(number) if number else column, *row[at:]] for number, row in enumerate(CELLS)]


SAME_FACTS: dict[str, str | bytes] = {
    "semicolons": joined(";"),
    "tabs": joined("\t"),
    "semicolons and decimal commas": joined(";", "\r\n", GERMAN),
    "quoted numbers with decimal commas": quoted(GERMAN),
    "UTF-16, as spreadsheets save text": joined("\t", "\r\n").encode("utf-16"),
    "a byte order mark": "\ufeff" + OURS.replace(",1.5,", ", 1.5 ,"),
    "carriage returns": joined(",", "\r"),
    "whole numbers as floats": FRAME.astype({name: float for name in CELLS[0][4:FACTS]} | {"rank": float}).to_csv(
        index=False
    ),
    "an index without a name": FRAME.to_csv(),
    "names as an index without a name": FRAME.set_index("name").rename_axis(None).to_csv(),
    "columns in another order": FRAME[[*reversed(FRAME.columns)]].to_csv(index=False),
    "errors as parents": joined(cells=[CELLS[0], *([*row[:3], row[3] or "#N/A", *row[4:]] for row in CELLS[1:])]),
    "single quotes": FRAME.to_csv(index=False, quotechar="'", quoting=csv.QUOTE_ALL),
    "apostrophes that keep cells as text": joined(";", cells=[["'" + cell for cell in row] for row in GERMAN]),
    "missing parents": FRAME.to_csv(index=False, sep=";").replace(";;", ";NaN;"),
    "exponents and decimal commas": joined(";", cells=mapped(lambda text: comma(f"{float(text):.9E}"))),
    "more digits": FRAME.to_csv(index=False, float_format="%.20f"),
    "real minus signs": joined(cells=mapped(lambda text: text.replace("-", "\u2212"))),
    "blanks that do not break": joined(";", cells=[[f"\xa0{cell}\xa0" for cell in row] for row in GERMAN]),
    "capital names of columns": joined(cells=[[cell.upper() for cell in CELLS[0]], *CELLS[1:]]),
    "separators at the ends": joined(",", ",,,\n"),
    "empty rows": joined(end="\n\n"),
    "rows of separators": joined(cells=with_row("", at=3)),
    "many rows of separators below": OURS + ("," * 255 + "\n") * 100,
    "another column": joined(cells=with_others("note", at=3)),
    "another column without a name": joined(cells=with_others("", at=20)),
    "only line feeds within quoted names of columns": OURS.replace("name,", '"name\n",', 1),
}  # fmt: skip
"""Tables that keep everything."""


def loaded(data: str | bytes, folder: Path) -> Generation:
    """Read a table, and check that the reader of the window gives the same names."""
    path = folder / "table.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    index = RowIndex(path)
    while index.step():
        pass
    assert index.damage == ""
    generation = read(path, width=WIDTH)
    assert [head.name for head in index.heads] == generation.names
    return generation


@for_each("data", SAME_FACTS.values())
def test_a_table_that_kept_everything_is_read_to_the_bit(data: str | bytes, tmp_path: Path) -> None:
    result = loaded(data, tmp_path)
    assert result.names == GENERATION.names
    assert result.weights.tobytes() == GENERATION.weights.tobytes()
    assert result.ranks is not None
    assert result.counts is not None
    assert result.ranks.tolist() == [1, 2, 3, 4, 5, 6]
    assert result.counts.tolist() == GENERATION.counts.tolist()  # type: ignore[union-attr]
    assert (result.origins, result.parents) == (GENERATION.origins, GENERATION.parents)


ONLY_WEIGHTS: dict[str, str | bytes] = {
    "only names and weights": joined(";", cells=[[row[0], *row[FACTS:]] for row in GERMAN]),
    "no results": FRAME.drop(columns=["wins", "points"]).to_csv(index=False),
    "results of several runs": FRAME.assign(rank=1).to_csv(index=False),
    "results as averages": FRAME.assign(points=2.5).to_csv(index=False),
    "an empty result": joined(cells=[*CELLS[:2], [*CELLS[2][:5], "", *CELLS[2][6:]], *CELLS[3:]]),
    "ranks of which some are missing": FRAME.assign(rank=[2, 5, 6, 9, 11, 30]).to_csv(index=False),
    "an origin in other words": FRAME.assign(origin="händisch").to_csv(index=False),
}


@pytest.mark.parametrize("data", ONLY_WEIGHTS.values(), ids=ONLY_WEIGHTS)
def test_names_and_weights_are_enough(data: str | bytes, tmp_path: Path) -> None:
    result = loaded(data, tmp_path)
    assert (result.names, result.ranks, result.counts) == (GENERATION.names, None, None)
    assert result.weights.tobytes() == GENERATION.weights.tobytes()


def test_the_best_of_some_rows_comes_first(tmp_path: Path) -> None:
    """Rows that were chosen and sorted by points: the one with the best rank stands for the table."""
    result = loaded(FRAME.iloc[[4, 1, 3]].to_csv(index=False), tmp_path)
    assert result.names == [GENERATION.names[row] for row in (1, 3, 4)]
    assert result.row_of(None) == 0


def test_rows_in_another_order_keep_their_ranks(tmp_path: Path) -> None:
    result = loaded(FRAME.iloc[[3, 1, 0, 4, 2, 5]].to_csv(), tmp_path)
    assert result.ranks is not None
    assert result.ranks.tolist() == [4, 2, 1, 5, 3, 6]
    assert result.row_of(None) == 2


def test_names_in_another_encoding_are_text(tmp_path: Path) -> None:
    for name in ("Jürgen", "Élodie", "Ærø 7"):
        data = joined(";", cells=[["name", "w0", "w1"], [name, "0,5", "1"], ["b", "0,25", "2"]])
        for encoding in ("utf-8", "cp1252", "utf-16"):
            path = tmp_path / "names.csv"
            path.write_bytes(data.encode(encoding))
            assert read(path).names == [name, "b"]


def test_king_values_are_read_like_weights(tmp_path: Path) -> None:
    path = tmp_path / "kings.csv"
    path.write_text("name;king;w0\na;1,75;0,5\nb;2;1\n", encoding="utf-8")
    kings = read(path).kings
    assert kings.tolist() == [1.75, 2]
    path.write_text("name;king;w0\na;;0,5\n", encoding="utf-8")
    assert read(path).kings is None


@pytest.mark.parametrize("fields", [["Total", "", "", "", "168"], ["see the other sheet"]], ids=["total", "note"])
def test_totals_and_notes_below_are_left_out_with_a_note(fields: list[str], tmp_path: Path) -> None:
    path = tmp_path / "totals.csv"
    path.write_text(joined(";", cells=with_row(*fields)), encoding="utf-8")
    with pytest.warns(InputWarning, match=rf"totals.csv: line 8 \({fields[0]}\) is not an individual"):
        result = read(path)
    assert result.names == GENERATION.names
    assert loaded(joined(";", cells=with_row("", "21", "", "", "168")), tmp_path).names == GENERATION.names


def test_a_last_line_without_an_end_is_read_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "end.csv"
    path.write_text(OURS.rstrip("\n"), encoding="utf-8")
    with pytest.warns(InputWarning, match="the last line has no end, so its last number may be cut"):
        assert read(path).names == GENERATION.names
    path.write_text(joined(",", "\r\n").rstrip(), encoding="utf-8", newline="")  # as spreadsheets in browsers save
    assert read(path).weights.tobytes() == GENERATION.weights.tobytes()


BINARY = "line 1: binary data, expected CSV text with a header like name,w0,w1,..."
REFUSED: dict[str, tuple[str | bytes, str]] = {
    "no number": ("name;w0;w1\na;0,5;1\nb;x;1\n", "line 3: w0 is 'x', expected a number"),
    "nothing": ("name;w0;w1\na;;1\n", "line 2: w0 is '', expected a number"),
    "NaN": ("name\tw0\tw1\na\t1\tNaN\n", "line 2: w1 is NaN, expected a finite number (float32)"),
    "an error of a spreadsheet": ("name;w0;w1\na;1;#NUM!\n", "line 2: w1 is '#NUM!', expected a number"),
    "a column that is too narrow": ("name;w0\na;#####\n", "line 2: w0 is '#####', expected a number"),
    "two decimal marks": (
        "name;w0;w1\na;0,5;1\nb;1;0.5\n",
        "line 3: w1 is '0.5', expected a decimal comma, as other numbers have",
    ),
    "a bad group of thousands": (
        "name;w0;w1\na;0,5;1.23,4\n",
        "line 2: w1 is '1.23,4', expected a decimal comma, as other numbers have",
    ),
    "empty": (b"\xef\xbb\xbf\r\n", "line 1: the file is empty, expected CSV with a header like name,w0,w1,..."),
    "a workbook": (b"PK\x03\x04" + bytes(99), BINARY),
    "a picture": (b"\x89PNG\r\n\x1a\n", "line 1: expected one column called name (or names), as in name,w0,w1,..."),
    "binary": (b"\0\1\2" * 99, BINARY),
    "half of UTF-16": ("name,w0\n".encode("utf-16") + b"a", BINARY),
    "a thinned generation": ("name;rank;genome\na;1;0123\n", "its weights were not kept, only results and ancestry"),
    "a king of nothing": ("name;king;w0\na;0;1\n", "line 2: king is 0, expected a number above 0 and at most 100"),
    "an open quote": ('name;w0\n"a;1\nb;2\n', "line 3: 1 fields, expected 2 (is the file truncated?)"),
    "a monstrous cell": (f"name;w0\na;{'9' * 200_000}\n", "line 2: field larger than field limit (131072)"),
}  # fmt: skip


@for_each(("data", "error"), REFUSED.values())
def test_text_in_place_of_a_number_is_refused_with_line_and_column(
    data: str | bytes, error: str, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(GenerationError) as raised:
        read(path)
    assert str(raised.value) == f"{path}: {error}"
    index = RowIndex(path)
    while index.step():
        pass
    assert (index.damage, index.heads) == (error, [])


def test_a_session_continues_only_from_its_own_bytes() -> None:
    for name, data in SAME_FACTS.items():
        text = data if isinstance(data, bytes) else data.encode()
        try:
            result = parse(text, "file", width=WIDTH)
        except GenerationError as error:
            assert re.match(r"file: line \d+: ", str(error)), name
        else:
            assert result.weights.tobytes() == GENERATION.weights.tobytes(), name


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_cut_anywhere_keeps_its_whole_rows_or_is_refused(separator: str, tmp_path: Path) -> None:
    cells = [[*row[:FACTS], *row[FACTS : FACTS + 3]] for row in CELLS[:4]]
    data, path = joined(separator, cells=cells), tmp_path / "cut.csv"
    for size in range(len(data)):
        path.write_text(data[:size], encoding="utf-8")
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            try:
                result = read(path)
            except GenerationError:
                continue
        whole = len(result.names) - bool(notes)
        assert result.names[:whole] == GENERATION.names[:whole]
        assert result.weights[:whole].tobytes() == GENERATION.weights[:whole, :3].tobytes()


def test_a_large_table_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    from extras.spreadsheets import tables

    with pytest.raises(GenerationError, match=r"line 1: 268,435,457 bytes, at most 268,435,456"):
        list(tables.rewritten(bytes(tables.MAX_BYTES + 1)))


PAGE = Path(__file__).parents[3] / "docs" / "reading-a-run.md"
ROWS = re.findall(r"^\| (.+?) \| `(.+)` \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
EXAMPLES = {what: (example, meaning) for what, example, meaning in ROWS if "⏎" in example}


@pytest.mark.filterwarnings("ignore::game.errors.InputWarning")
@pytest.mark.parametrize(("example", "meaning"), EXAMPLES.values(), ids=EXAMPLES)
def test_examples_of_the_documentation_are_read_as_described(example: str, meaning: str, tmp_path: Path) -> None:
    path = tmp_path / "example.csv"
    path.write_text(example.replace("⏎", "\n").replace("⇥", "\t") + "\n", encoding="utf-8")
    try:
        result = read(path)
    except GenerationError as error:
        assert str(error) == f"{path}: {meaning}"
    else:
        individuals = zip(result.names, result.weights.tolist(), strict=True)
        assert (
            "; ".join(f"{name}: {', '.join(f'{w:.6g}' for w in weights)}" for name, weights in individuals) == meaning
        )


def test_a_dropped_table_is_an_opponent_and_a_dropped_game_is_not(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    path = plain_file(tmp_path / "mine.txt", ["Ann", "Bob"])
    path.write_text(path.read_text() + "Total" + "," * 247 + "\n")
    hands.drop(path)
    offer = listed(hands).offer
    assert offer is not None and (offer.title, offer.player.name) == ("mine.txt", "Ann")
    games = tmp_path / "games.txt"
    games.write_text("1. 11-15 23-19 *\n")
    hands.drop(games)
    assert not isinstance(hands.app.screen, Chooser)
