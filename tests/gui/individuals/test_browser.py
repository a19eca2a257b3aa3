"""Individuals in sheets and in the browser, and what is read in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import filelock
import numpy as np
import pytest

from evolve.run import generation_csv, notes
from evolve.run.generation_csv import to_csv
from gui.background import Background, Trouble
from gui.individuals import query
from gui.individuals import sheet as sheet_module
from gui.individuals.browser import Browser
from gui.individuals.library import LOOK_EVERY, Library
from gui.individuals.query import Condition
from gui.individuals.sheet import KEPT_ROWS, ROWS_AT_ONCE, Sheet
from gui.runs.sources import Scope, View
from gui.screens.individuals.panes import counted
from tests.runs import generation, plain_file
from tests.runs import make_run as bare_run
from tests.synthetic import make_run


def settled(browser: Browser, now: float = 0.0, *, held: bool = False) -> None:
    """Let it work until nothing is left to do."""
    for _ in range(20_000):
        browser.step(now, 1.0, held=held)
        if not browser.busy:
            return
        time.sleep(0.001)
    raise AssertionError("it does not come to an end")


def read(path: Path) -> Sheet:
    sheet = Sheet(path)
    while sheet.busy:
        sheet.step(1.0)
    return sheet


def arranged(sheet: Sheet) -> list[str]:
    while sheet.busy:
        sheet.step(1.0)
    return [sheet.head(row).name for row in range(len(sheet.rows))]


# Queries ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "column", "value", "fits"),
    [
        ("points>=20", "points", 20, True),
        ("points>20", "points", 20, False),
        ("w3<-0.5", "w3", -0.6, True),
        ("w3<−0.5", "w3", -0.4, False),
        ("origin=Mutated", "origin", "mutated", True),
        ("origin!=mutated", "origin", "mutated", False),
        ("rank=3", "rank", None, False),
        ("rank!=3", "rank", None, True),
    ],
)
def test_conditions(text: str, column: str, value: query.Value, fits: bool) -> None:
    result = query.read(text, ["points", "w3", "origin", "rank"])
    assert result.trouble == ""
    assert [condition.column for condition in result.conditions] == [column]
    assert result.conditions[0].holds(value) is fits


def test_wrong_query_is_reported() -> None:
    assert query.read("w9>1", ["w3"]).trouble == "There is no column w9."
    assert query.read("won>1", ["w3"]).trouble == "There is no column won."
    assert "expected a number" in query.read("w3>much", ["w3"]).trouble
    assert query.read("Ann w3>1", ["w3"]).words == ("ann",)
    assert query.read("", ["w3"]).empty
    assert not Condition("w3", ">", "much").holds(1.0)


# Sheets -----------------------------------------------------------------------------------------------------------


def test_sheet_reads_weights_on_request(tmp_path: Path) -> None:
    rows = generation(5)
    path = tmp_path / "generation_0005.csv"
    path.write_bytes(generation_csv.to_csv(rows))
    sheet = read(path)
    assert arranged(sheet) == rows.names
    assert [sheet.cell(2, column) for column in ("rank", "origin", "games", "points", "star", "note")] == [
        3, "mutated", 28, 44, 0.0, None
    ]  # fmt: skip
    assert sheet.reads == 0
    assert sheet.cell(2, "w7") == pytest.approx(float(rows.weights[2, 7]))
    assert np.array_equal(np.array(sheet.weights(rows.names[2]), np.float32), rows.weights[2])
    assert sheet.reads == 1
    assert sheet.weights("nobody") == ()


def test_sheets_are_sorted_and_filtered_by_any_column(tmp_path: Path) -> None:
    rows = generation(5)
    path = tmp_path / "generation_0005.csv"
    path.write_bytes(generation_csv.to_csv(rows))
    sheet = read(path)
    sheet.sort("w11", descending=True)
    assert arranged(sheet) == [rows.names[at] for at in np.argsort(-rows.weights[:, 11])]
    sheet.search = "w11<0 gen05"
    assert set(arranged(sheet)) == {name for name, w in zip(rows.names, rows.weights[:, 11], strict=True) if w < 0}
    sheet.search = "w900>1"
    arranged(sheet)
    assert sheet.trouble == "There is no column w900."
    sheet.search = "star"
    assert arranged(sheet) == []
    sheet.mark({rows.names[4]: (True, "odd")})
    assert arranged(sheet) == [rows.names[4]]
    assert sheet.row_of(rows.names[4]) == 0
    assert sheet.row_of(rows.names[3]) == -1
    assert sheet.reads == 0


def test_many_rows_are_ordered_in_small_steps(tmp_path: Path) -> None:
    """Rows with equal values stay in the order of the file, whichever way they are sorted; those without come last."""
    count = 4 * ROWS_AT_ONCE
    lines = [f"one_{n:04d},{n % 3 - 1},{n / 7}\n" for n in range(count)]
    path = tmp_path / "many.csv"
    path.write_text("name,w0,w1\n" + "".join(lines))
    sheet = read(path)
    arranged(sheet)
    for descending in (False, True):
        sheet.sort("w0", descending=descending)
        before, steps = list(sheet.rows), 0
        while sheet.busy:
            assert sheet.rows == before  # nothing half done is shown
            sheet.step(0.0)
            steps += 1
        assert steps > count // ROWS_AT_ONCE
        by = sorted(range(count), key=lambda n: n % 3, reverse=descending)
        assert sheet.rows == by
    sheet.search = "one_00 w0=1"
    arranged(sheet)
    assert sheet.rows == [n for n in range(100) if n % 3 == 2]
    sheet.search = ""
    sheet.sort("note", descending=True)
    arranged(sheet)
    sheet.mark({"one_0007": (False, "good"), "one_0003": (False, "better")})
    arranged(sheet)
    assert sheet.rows[:4] == [7, 3, 0, 1]


def test_changed_file_gives_no_wrong_weights(tmp_path: Path) -> None:
    path = plain_file(tmp_path / "two.csv", ["Ann", "Bob"])
    sheet = read(path)
    plain_file(path, ["Somebody", "Else entirely"])
    assert sheet.heads.stale
    assert sheet.weights("Bob") == ()
    assert sheet.cell(0, "w0") is None


def test_names_in_quotes_and_files_without_results(tmp_path: Path) -> None:
    sheet = read(plain_file(tmp_path / "quoted.csv", ['"Ann, ""the best"""', "Bob"], 3))
    assert arranged(sheet) == ['Ann, "the best"', "Bob"]
    assert sheet.columns == ["name", "star", "note", "w0", "w1", "w2"]
    assert sheet.cell(0, "w1") == 0.5
    assert sheet.cell(0, "points") is None


def test_rows_that_are_kept_are_few(tmp_path: Path) -> None:
    sheet = read(plain_file(tmp_path / "many.csv", [f"n{at}" for at in range(3 * KEPT_ROWS)], 4))
    for row in range(3 * KEPT_ROWS):
        sheet.cell(row, "w2")
    assert sheet.reads == 3 * KEPT_ROWS
    sheet.cell(3 * KEPT_ROWS - 1, "w3")
    assert sheet.reads == 3 * KEPT_ROWS
    sheet.cell(0, "w3")
    assert sheet.reads == 3 * KEPT_ROWS + 1


# The background ---------------------------------------------------------------------------------------------------


def test_background_answers_once_and_reports_failures() -> None:
    background, answers = Background(), list[object]()
    one, other, held = object(), object(), threading.Event()
    background.ask(one, "a", lambda: 1, answers.append)
    background.ask(one, "b", lambda: 1 / 0, answers.append)
    assert background.wants(one) and background.wants(one, "a") and not background.wants(other)
    while background.wants(one):
        background.deliver()
    assert answers[0] == 1 and isinstance(answers[1], Trouble) and not background.deliver()
    background.ask(other, "held", held.wait, lambda answer: None)
    background.ask(one, "c", lambda: 2, answers.append)
    background.ask(one, "d", lambda: 3, answers.append)
    background.ask(other, "c", lambda: 4, answers.append)
    background.cancel(one, "c")
    background.ask(one, "d", lambda: 5, answers.append)
    held.set()
    background.finish(60.0)
    assert answers[2:] == [4, 5]


def test_background_postpones_work_and_skips_closed_owners() -> None:
    background, answers, closed, held = Background(), list[object](), object(), threading.Event()
    background.ask(background, "held", held.wait, lambda answer: None)
    background.ask(background, "later", lambda: "later", answers.append, later=True)
    background.ask(background, "soon", lambda: "soon", answers.append)
    background.ask(closed, "closed", lambda: "closed", answers.append)
    background.cancel(closed)
    held.set()
    background.finish(60.0)
    assert answers == ["soon", "later"]


# Browsing ---------------------------------------------------------------------------------------------------------


def test_stars_and_notes_are_kept_beside_the_run(tmp_path: Path) -> None:
    run = make_run(tmp_path, "alpha", 1)
    browser = Browser(Library(tmp_path))
    settled(browser)
    name = browser.name
    assert browser.toggle_star() == ""
    assert browser.set_note(" strong ") == ""
    assert browser.note(name) == (True, "strong")  # at once
    settled(browser)
    assert notes.read(run)[1, name] == notes.Note(1, name, True, "strong")
    notes.star(run, 1, name, False)
    settled(browser, LOOK_EVERY)
    assert browser.note(name) == (False, "strong")
    (run.path / notes.NAME).write_text("no notes", encoding="utf-8")
    settled(browser, 2 * LOOK_EVERY)
    assert "these are not the notes of a run" in browser.said[0]
    browser.said.clear()
    assert browser.toggle_star() == ""
    settled(browser, 2 * LOOK_EVERY)
    assert "The note was not saved: " in browser.said[0]
    assert browser.note(name) == (False, "")
    browser.close()


def test_locked_notes_do_not_block(tmp_path: Path) -> None:
    run = make_run(tmp_path, "alpha", 1)
    writes = Background()
    browser = Browser(Library(tmp_path), writes=writes)
    settled(browser)
    name = browser.name
    with filelock.FileLock(run.path / notes.LOCK):
        browser.toggle_star()
        browser.set_note("strong")
        assert browser.note(name) == (True, "strong")
        for step in range(20):
            browser.step(step * LOOK_EVERY, 0.001)
        assert (browser.busy, browser.note(name)) == (True, (True, "strong"))
        assert notes.read(run) == {}
    browser.set_note("very strong")
    browser.close()
    writes.finish(6.0)
    assert notes.read(run) == {(1, name): notes.Note(1, name, True, "very strong")}


def test_damage_stays_where_it_is(tmp_path: Path) -> None:
    make_run(tmp_path, "sound", 2)
    run = make_run(tmp_path, "spoiled", 4)
    path = run.generation_path(4)
    path.write_bytes(path.read_bytes()[:-40])
    other = make_run(tmp_path, "lost", 2)
    (other.path / "manifest.csv").write_text("nonsense\n", encoding="utf-8")
    browser = Browser(Library(tmp_path))
    settled(browser)
    by_name = {source.name: source for source in browser.sources}
    assert browser.trouble_of(by_name["sound"]) == ""
    assert "generation_0004.csv: damaged" in browser.trouble_of(by_name["spoiled"])
    assert by_name["lost"].state == "damaged"
    assert "manifest.csv" in browser.trouble_of(by_name["lost"])
    browser.choose_source(by_name["spoiled"])
    settled(browser)
    assert browser.sheet is not None
    assert browser.sheet.damage.startswith("its bytes are not what the session wrote")
    assert browser.damage_of(4) and browser.portrait is None
    browser.choose_generation(3)
    settled(browser)
    assert browser.damage_of(3) == "" and browser.portrait is not None
    browser.choose_source(by_name["lost"])
    settled(browser)
    assert browser.sheet is None
    browser.choose_source(by_name["sound"])
    settled(browser)
    assert browser.portrait is not None
    browser.close()


def test_damage_that_one_list_finds_the_other_shows(tmp_path: Path) -> None:
    bare_run(tmp_path, "alpha", 3)
    path = tmp_path / "alpha" / "generation_0001.csv"
    path.write_bytes(path.read_bytes()[:-9])
    library = Library(tmp_path)
    browser = Browser(library)
    settled(browser)
    assert browser.damage_of(1) == ""  # nobody has looked
    library.scope = Scope(View.RUN, "alpha")
    while library.busy:
        library.step(0.0, 1.0)
    assert browser.damage_of(1).startswith("its bytes are not what the session wrote")
    assert browser.trouble_of(browser.sources[0]) == f"{path.name}: damaged, {browser.damage_of(1)}"
    browser.close()


def test_a_changed_generation_that_is_opened_by_itself_is_a_table_and_its_run_is_damaged(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "alpha", 1)
    path = run.path / "generation_0001.csv"
    path.write_text(path.read_text().replace(",", ";"))
    browser = Browser(Library(tmp_path / "runs"))
    settled(browser)
    browser.choose_source(next(source for source in browser.sources if source.name == "alpha"))
    settled(browser)
    browser.add_file(path)
    for look in range(3):
        settled(browser, LOOK_EVERY * (look + 1))
        assert browser.source is not None and browser.source.path == path
        assert browser.trouble_of(browser.source) == ""
        assert browser.portrait is not None and browser.name
        assert counted(browser).endswith("; its bytes are not what the session wrote")
        alpha = next(source for source in browser.sources if source.name == "alpha")
        assert "its bytes are not what the session wrote" in browser.trouble_of(alpha)
    browser.close()


def test_files_in_the_folder_of_runs(tmp_path: Path) -> None:
    make_run(tmp_path, "alpha", 1)
    lying = plain_file(tmp_path / "lying.csv", ["Ann", "Bob"])
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "far").mkdir()
    browser = Browser(Library(tmp_path, [plain_file(tmp_path / "far" / "opened.csv", ["Cleo"]), lying]))
    settled(browser)
    assert [source.name for source in browser.sources] == ["alpha", "opened.csv", "lying.csv"]
    browser.choose_source(browser.sources[2])
    settled(browser)
    assert browser.portrait is not None and browser.portrait.individual.name == "Ann"
    assert not browser.remove_file()
    plain_file(tmp_path / "later.csv", ["Dora"])
    settled(browser, LOOK_EVERY)
    assert [source.name for source in browser.sources] == ["alpha", "opened.csv", "later.csv", "lying.csv"]
    assert browser.source is not None and browser.source.name == "lying.csv"
    lying.unlink()
    settled(browser, 2 * LOOK_EVERY)
    assert [source.name for source in browser.sources] == ["alpha", "opened.csv", "lying.csv", "later.csv"]
    browser.close()


def test_a_run_that_goes_away(tmp_path: Path) -> None:
    import shutil

    make_run(tmp_path, "alpha", 1)
    browser = Browser(Library(tmp_path))
    settled(browser)
    shutil.rmtree(tmp_path / "alpha")
    settled(browser, LOOK_EVERY)
    assert browser.source is None and browser.sheet is None
    assert browser.said == ["alpha is no longer there."]
    browser.close()


def test_the_champion_of_a_thinned_generation_comes_from_the_hall_of_fame(tmp_path: Path) -> None:
    run = make_run(tmp_path, "alpha", 2)
    rows = run.read_generation(1)
    data = generation_csv.to_csv(rows.thinned())
    from evolve.run import manifest

    known = run.manifest().with_thinned(1, manifest.sha256(data))
    known.write(run.path)
    run.generation_path(1).write_bytes(data)
    browser = Browser(Library(tmp_path))
    settled(browser)
    browser.choose_generation(1)
    settled(browser)
    one = browser.portrait
    settled(browser)
    one = browser.portrait
    assert one is not None and one.individual.player == "alpha@1"
    assert np.array_equal(np.array(one.weights, np.float32), rows.weights[0])
    assert browser.sheet is not None
    browser.choose(browser.sheet.head(3).name)
    assert browser.portrait is not None
    assert (browser.portrait.individual.player, browser.portrait.weights) == ("", ())
    browser.close()


@pytest.mark.parametrize("most", [100, 1000])
def test_weights_of_wide_files_are_no_columns(most: int, tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(sheet_module, "MOST_WEIGHTS", most)
    rows = generation(3)
    width = rows.weights.shape[1]
    rows = replace(rows, kings=np.linspace(1, 2, len(rows.names), dtype=np.float32))
    path = tmp_path / "generation_0003.csv"
    path.write_bytes(to_csv(rows))
    sheet = Sheet(path)
    while sheet.step(1.0):
        pass
    wide = width > most
    assert sheet.columns[-1] == ("king" if wide else f"w{width - 1}")
    assert [sheet.cell(row, "king") for row in range(3)] == pytest.approx(rows.kings[:3].tolist())
    assert np.array(sheet.weights(rows.names[2]), np.float32).tobytes() == rows.weights[2].tobytes()
    assert sheet.cell(1, "w5") == (None if wide else pytest.approx(rows.weights[1, 5]))
    assert max(map(len, sheet._lines.values())) < (20 if wide else 1000)
    sheet.sort("king", descending=True)
    while sheet.step(1.0):
        pass
    assert [sheet.head(row).name for row in range(3)] == rows.names[::-1][:3]
    path.write_bytes(b"name,w0\nother,1\n")
    assert not wide or sheet.weights(rows.names[2]) == ()
