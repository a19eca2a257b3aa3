"""Individuals as a list and as a screen: champions, generations, files, damage, order and search."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from evolve.run import generation_csv, manifest
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS
from extras.individuals import library as module
from extras.individuals.library import Library
from extras.individuals.screen import IndividualsScreen
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.model.seats import individual
from gui.runs.sources import LOOK_EVERY, Sources
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.play import Play
from tests.gui import test_lists
from tests.gui.chooser_helpers import choose, listed
from tests.gui.hands import Hands, Opened
from tests.gui.test_lists import Listed, ListHands
from tests.runs import INDIVIDUALS, add_generation, make_run, plain_file
from tests.synthetic import make_run as make_synthetic_run


class Steps:
    """A library, and a clock that moves from one look at the disk to the next."""

    def __init__(self, folder: Path, *files: Path, first: Path | None = None) -> None:
        self.library, self.now = Library(Sources(folder, files), first), 0.0

    def finish(self) -> list[ListedPlayer]:
        """Look at the disk again, and return what is listed once all is read."""
        self.now += 2 * LOOK_EVERY
        self.library.step(self.now, 1.0)
        while self.library.busy:
            self.library.step(self.now, 1.0)
        return self.library.individuals

    def choose(self, name: str, generation: int = -1) -> list[ListedPlayer]:
        self.finish()
        self.library.choose(next(source for source in self.library.listed if source.name == name), generation)
        return self.finish()


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name, changed in (("alpha", 2e9), ("beta", 1e9)):
        run = make_run(tmp_path / "runs", name, 3 if name == "alpha" else 1)
        os.utime(run.path / "manifest.csv", (changed, changed))
    return tmp_path / "runs"


def test_it_begins_with_the_newest_run_and_lists_champions_and_generations(runs: Path) -> None:
    steps = Steps(runs)
    assert steps.library.individuals == [] and steps.library.busy
    assert [(row.player, row.title) for row in steps.finish()] == [
        ("alpha", "Generation 2 of alpha"), ("alpha@1", "Generation 1 of alpha"), ("alpha@0", "Generation 0 of alpha"),
    ]  # fmt: skip
    assert [source.name for source in steps.library.listed] == ["alpha", "beta"]
    rows = steps.choose("alpha", 1)
    assert [row.rank for row in rows] == list(range(1, INDIVIDUALS + 1))
    assert rows[3].player == "alpha@1:Gen01_0003" and rows[3].results is not None
    assert [row.player for row in Steps(runs, first=runs / "beta").finish()] == ["beta"]


def test_files_are_listed_and_named(runs: Path, tmp_path: Path) -> None:
    opened = plain_file(tmp_path / "my, file.csv", ["Ann", '"Bob: the, second"'])
    lying = plain_file(runs / "alone.csv", ["Best", "Other"])
    steps = Steps(runs, opened, lying)
    assert [row.player for row in steps.choose("my, file.csv")] == [
        individual(str(opened), name) for name in ("Ann", "Bob: the, second")
    ]
    assert [source.name for source in steps.library.listed] == ["alpha", "beta", "my, file.csv", "alone.csv"]
    assert [row.name for row in steps.choose("alone.csv")] == ["Best", "Other"]
    lying.unlink()
    steps.finish()
    assert "cannot be read" in steps.library.individuals[0].trouble  # it was opened as well
    plain_file(lying, ["Dora"])
    assert [row.name for row in steps.finish()] == ["Dora"]


def test_changes_are_read_again(runs: Path) -> None:
    steps = Steps(runs)
    before = [row.name for row in steps.choose("alpha", 2)]
    add_generation(Run(runs / "alpha"), 3)
    assert [row.name for row in steps.finish()] == before
    assert steps.library.source is not None and steps.library.source.newest == 3
    assert [row.player for row in steps.choose("alpha")] == ["alpha", "alpha@2", "alpha@1", "alpha@0"]
    version = steps.library.version
    steps.finish()
    assert steps.library.version == version
    shutil.rmtree(runs / "alpha")
    assert [row.player for row in steps.finish()] == ["beta"]
    shutil.rmtree(runs / "beta")
    assert steps.finish() == [] and steps.library.source is None


def test_damage_is_an_entry_with_its_reason(runs: Path, tmp_path: Path) -> None:
    path = runs / "alpha" / "generation_0001.csv"
    path.write_bytes(path.read_bytes()[:-40])
    (tmp_path / "bad.csv").write_bytes(b"\x00\x00")
    (runs / "beta" / "manifest.csv").write_text("nonsense\n", encoding="utf-8")
    steps = Steps(runs, tmp_path / "bad.csv", tmp_path / "gone.csv")
    (row,) = steps.choose("alpha", 1)
    assert (row.kind, row.name) == (EntryKind.DAMAGED, "generation 1")
    assert "generation_0001.csv: damaged, its bytes are not what the session wrote" in row.trouble
    assert all(row.player for row in steps.choose("alpha", 2)) and len(steps.choose("alpha")) == 3
    assert "line 1: binary data, expected CSV text" in steps.choose("bad.csv")[0].trouble
    assert "cannot be read" in steps.choose("gone.csv")[0].trouble
    assert steps.choose("beta") == []
    assert steps.library.source is not None and "manifest.csv" in steps.library.source.trouble


def test_a_thinned_generation_keeps_only_its_champion(tmp_path: Path) -> None:
    run = make_synthetic_run(tmp_path, "alpha", 2)
    data = generation_csv.to_csv(run.read_generation(1).thinned())
    run.manifest().with_thinned(1, manifest.sha256(data)).write(run.path)
    run.generation_path(1).write_bytes(data)
    first, *others = Steps(tmp_path).choose("alpha", 1)
    assert first.player == "alpha@1" and {row.player for row in others} == {""}
    assert others[0].trouble == "Its weights were not kept."


def test_a_changed_generation_that_is_opened_by_itself_is_a_table(tmp_path: Path) -> None:
    run = make_synthetic_run(tmp_path / "runs", "alpha", 1)
    path = run.path / "generation_0001.csv"
    path.write_text(path.read_text().replace(",", ";"))
    steps = Steps(tmp_path / "runs", path, first=path)
    for _ in range(3):
        assert steps.finish()[0].player and steps.library.notes[-1] == "its bytes are not what the session wrote"


def test_a_folder_without_runs_or_that_cannot_be_read(tmp_path: Path, runs: Path) -> None:
    steps = Steps(tmp_path / "none")
    assert steps.finish() == [] and steps.library.listed == []
    make_run(runs, "gamma", 0)
    assert Steps(runs, first=runs / "gamma").finish() == []


def test_steps_are_short(runs: Path) -> None:
    library = Library(Sources(runs))
    count = 0
    while library.busy:
        library.step(0.0, 0.0)
        count += 1
    library.choose(library.listed[0], 1)
    while library.busy:
        library.step(0.0, 0.0)
        count += 1
    assert count > 4 and len(library.individuals) == INDIVIDUALS < module.AT_ONCE


def shown(hands: Hands) -> IndividualsScreen:
    """Return the open table once it has read everything."""
    screen = hands.app.screen
    assert isinstance(screen, IndividualsScreen)
    for _ in range(2):
        hands.until(lambda: not screen.library.busy)
        hands.wait(0.6)
    return screen


def test_champions_have_their_shields(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    hands.app.open(IndividualsScreen(hands.app, SHIPPED_RUNS / "cowan-deep", print))
    shown(hands)
    hands.until(lambda: None not in hands.widget("rows").cells(0)[0].emblems)
    assert hands.widget("rows").cells(0)[0].emblems == (hands.app.services.personas.emblem("cowan-deep"),)
    hands.click_row("generations", 1)  # from all champions to the newest generation, in which all have one shield
    shown(hands)
    hands.until(lambda: hands.widget("rows").count > 2)
    assert not hands.widget("rows").cells(2)[0].emblems and names(hands)[2] == "No. 31"
    assert "Rank: how far it came" in hands.widget("counted").text
    assert hands.widget("details").text.startswith("Mutated from No. 61 of generation 59\nRating")


def test_runs_generations_order_and_search(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    hands = opened()
    hands.key("n", "2")
    listed(hands)
    hands.click("do.table")
    table = shown(hands)
    runs, generations = hands.widget("runs"), hands.widget("generations")
    assert [runs.cells(row)[0].text for row in range(runs.count)] == ["alpha"] and runs.selected == 0
    assert [generations.cells(row)[0].text for row in (0, 1, 3)] == ["All champions", "2", "0"]
    assert generations.selected == 0 and names(hands) == [f"Generation {number} of alpha" for number in (2, 1, 0)]
    hands.click_row("generations", 2)
    shown(hands)
    assert len(names(hands)) == 12 and table.chosen is not None and table.chosen.rank == 1
    rows = hands.widget("rows")
    assert [column.title for column in rows.columns[:3]] == ["Name", "Rank", "Points"]  # none has a rating
    rows.sort("points")
    shown(hands)
    assert hands.widget("rows").sorted_by == "points" and names(hands)[0] == "No. 11"
    hands.key("<order>", "/")
    hands.type("0003")
    assert names(hands) == []  # a part of a name; numbers are whole
    hands.key("ctrl+a")
    hands.type("no. 3")
    shown(hands)
    assert "No. 3" in names(hands) and len(names(hands)) < 12, "by the name that is displayed"
    hands.key("ctrl+a")
    hands.type("gen01_0003")
    shown(hands)
    assert names(hands) == ["No. 3"]
    hands.key("return")
    one = table.chosen
    assert one is not None and one.player == "alpha@1:Gen01_0003"
    hands.key("return")  # which takes it to the opponents, where it is chosen, and played
    assert listed(hands).chosen == one
    hands.key("p")
    assert isinstance(hands.app.screen, Play) and hands.app.screen.model.seats[1].player == one.player


def names(hands: Hands) -> list[str]:
    rows = hands.widget("rows")
    return [rows.cells(row)[0].text for row in range(rows.count)]


def test_a_game_of_the_chosen_one_is_played(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    screen = IndividualsScreen(hands.app, SHIPPED_RUNS / "cowan-deep", lambda player: None)
    hands.app.open(screen)
    hands.until(lambda: not screen.library.busy)
    screen.show(screen.library.source, 60)
    hands.until(lambda: screen.game.model is not None)
    assert screen.chosen is not None and screen.chosen.name in screen.game.caption
    hands.until(lambda: hands.widget("board").marks.last != ())
    screen._select(40)  # one without recorded games
    hands.wait(1.0)
    assert len(hands.widget("board").pieces) == 24 and not screen.game.count


def test_it_begins_with_the_chosen_run(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    make_run(tmp_path / "runs", "beta")
    hands = opened()
    hands.key("n")
    choose(hands, "alpha")
    hands.key("a")
    table = shown(hands)
    assert table.library.source is not None and table.library.source.name == "alpha"
    hands.click_row("rows", 1)
    assert hands.widget("details.name").text == "Generation 1 of alpha"
    hands.key("escape")
    assert isinstance(hands.app.screen, Chooser)


def _open(hands: Hands, folder: Path) -> None:
    make_synthetic_run(folder / "runs", "alpha", 0)
    hands.app.open(IndividualsScreen(hands.app, folder / "runs" / "alpha", lambda player: None))
    hands.until(lambda: not hands.app.screen.library.busy)  # type: ignore[attr-defined]
    hands.click_row("generations", 1)
    hands.app.screen.ui.focus = "rows"


@pytest.fixture
def listing(opened: Opened, tmp_path: Path) -> ListHands:
    """Open the table, as a list like others."""
    return ListHands(opened(), Listed(_open, "rows", ""), tmp_path)


@pytest.mark.parametrize(
    "check",
    [
        test_lists.test_the_choice_follows_keys_and_stays_while_rows_move,
        partial(test_lists.test_a_click_chooses_and_a_second_one_or_enter_opens, by="mouse"),
        test_lists.test_a_search_chooses_nothing_else_and_is_reset,
        test_lists.test_each_column_sorts_and_its_second_click_reverses,
    ],
)
def test_the_table_behaves_as_other_lists(check: Callable[[ListHands], None], listing: ListHands) -> None:
    check(listing)
