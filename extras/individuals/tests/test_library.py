"""The list of opponents: everything is found, damage stays where it is, what changes is read again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.run import manifest
from evolve.run.append_only import LOG
from evolve.run.folder import Run
from evolve.run.log import LOG_COLUMNS
from evolve.run.runs import SHIPPED_RUNS, Runs
from evolve.strength.levels import LEVELS
from extras.individuals import library as module
from extras.individuals.columns import LIST_COLUMNS
from extras.individuals.library import ALL, Library, Walker
from game.players.names import PlayerName, parse_name
from gui.individuals import opponents
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.model.seats import individual
from gui.runs.sources import LOOK_EVERY, Source, Sources
from tests.runs import INDIVIDUALS, add_generation, make_run, plain_file


def finished(library: Library, now: float = 0.0) -> list[ListedPlayer]:
    while library.busy:
        library.step(now, 1.0)
    return library.rows


def _run(library: Library, name: str) -> Source:
    finished(library)
    return next(run for run in library.sources.runs if run.name == name)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    make_run(tmp_path / "runs", "alpha")
    make_run(tmp_path / "runs", "beta", 1)
    return tmp_path / "runs"


# The list ---------------------------------------------------------------------------------------------------------


def test_the_start_has_the_newest_champions_and_built_in_players(runs: Path) -> None:
    os.utime(runs / "beta" / "manifest.csv", ns=(1, 1))
    library = Library(Sources(runs))
    assert library.rows == []
    rows = finished(library)
    assert [(row.kind, row.player, row.name) for row in rows] == [
        (EntryKind.CHAMPION, "alpha", "Gen02_0000"),
        (EntryKind.CHAMPION, "beta", "Gen00_0000"),
        (EntryKind.BUILT_IN, "material", "Piece counter"),
        (EntryKind.BUILT_IN, "random", "Random moves"),
    ]
    assert rows[0].title == "Generation 2 of alpha"
    assert [(run.name, run.newest, run.trouble) for run in library.sources.runs] == [("alpha", 2, ""), ("beta", 0, "")]


def test_the_newest_run_comes_first_however_short_it_is(runs: Path) -> None:
    for name, changed in (("alpha", 1e9), ("beta", 2e9)):
        os.utime(runs / name / "manifest.csv", (changed, changed))
    library = Library(Sources(runs))
    assert [row.player for row in finished(library)[:2]] == ["beta", "alpha"]
    assert [source.name for source in library.sources.in_order([])] == ["beta", "alpha"]


def test_the_usual_order_is_by_rating_and_players_without_one_are_last(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(runs, "gamma")
    ratings = {"beta": 34.0, "alpha": 262.0}
    result = Walker._champions

    def rated(self: Walker, run: Source, generations: range) -> Iterator[list[ListedPlayer]]:
        for rows in result(self, run, generations):
            yield [row._replace(rating=(ratings[run.name],) * 3 if run.name in ratings else None) for row in rows]

    monkeypatch.setattr(Walker, "_champions", rated)
    library = Library(Sources(runs))
    assert [row.player for row in finished(library)] == ["alpha", "beta", "gamma", "material", "random"]
    library.sort("rating")
    assert [row.player for row in library.rows[:2]] == ["beta", "alpha"]
    library.sort("")
    assert [row.player for row in library.rows[:2]] == ["alpha", "beta"]


def test_a_run_a_generation_and_all_players(runs: Path) -> None:
    library = Library(Sources(runs))
    library.show(_run(library, "alpha"))
    assert [row.player for row in finished(library)] == ["alpha", "alpha@1", "alpha@0"]
    library.show(ALL)
    library.search = "source=alpha generation=1"
    rows = finished(library)
    assert [row.player for row in rows] == [f"alpha@1:Gen01_{at:04}" for at in range(INDIVIDUALS)]
    library.search = ""
    library.show(ALL)
    assert len(finished(library)) == 2 + 4 * INDIVIDUALS


def test_search_and_order(runs: Path) -> None:
    library = Library(Sources(runs))
    finished(library)
    library.search = "gen01 ALPHA 0003"
    assert [row.player for row in finished(library)] == ["alpha@1:Gen01_0003"]
    library.search = "mutated"
    library.sort("points", descending=True)
    points = [row.results[4] for row in finished(library) if row.results]
    assert len(points) == 2 * INDIVIDUALS and points == sorted(points, reverse=True)
    library.sort("rank")
    assert [row.rank for row in library.rows[:3]] == [1, 1, 2]
    library.search = "material"
    assert [row.player for row in finished(library)] == ["material"]
    library.search = ""
    library.sort("")
    assert len(finished(library)) == 4
    for column in LIST_COLUMNS:
        library.sort(column)
        assert len(library.rows) == 4 and library.sorted_by == (column, False)


def test_champions_come_first_in_a_search(tmp_path: Path) -> None:
    for name in ("early", "other"):
        make_run(tmp_path, name, 3)
    library = Library(Sources(tmp_path))

    def matches(text: str) -> list[tuple[int | None, int | None]]:
        library.search = text
        return [(row.generation, row.rank) for row in finished(library)]

    assert matches("2 early")[0] == matches("Generation 2 of early")[0] == (2, 1)
    assert len(matches("generation=2")) == len(matches("gen.=2")) == 2 * INDIVIDUALS
    assert matches("early")[:3] == matches("champions early") == [(2, 1), (1, 1), (0, 1)]
    assert {rank for _, rank in matches("rank=3")} == {3}


def test_search_finds_levels_by_name(tmp_path: Path, runs_in: Callable[..., None]) -> None:
    for run in {level.run for level in LEVELS}:
        shutil.copytree(SHIPPED_RUNS / run, tmp_path / run)
    runs_in(shipped=tmp_path.resolve())
    library = Library(Sources(tmp_path.resolve()))
    for level in LEVELS:
        library.search = level.name.lower() if level.name != "Champion" else "champion crownhead"
        first = finished(library)[0]
        assert (first.source, first.generation, first.is_champion) == (level.run, level.number, True), level.name


def test_search_finds_champions_by_rating(tmp_path: Path) -> None:
    run = make_run(tmp_path, "rated", 2)
    for number, rated in enumerate(("", "129.9")):
        line = dict.fromkeys(LOG_COLUMNS, "1") | {"generation": f"{number}", "champion": f"Gen0{number}_0000"}
        line |= {"rating": rated, "rating_low": rated and "55.8", "rating_high": rated and "211.6"}
        with (run.path / LOG).open("a", encoding="utf-8") as file:
            file.write("".join(",".join(fields) + "\n" for fields in ([*line], line.values())[number:]))
    library = Library(Sources(tmp_path))
    for text in ("1630", "1,630", "rating=1630"):
        library.search = text
        assert [(row.generation, row.rank) for row in finished(library)] == [(1, 1)], text


def test_files_are_listed_and_named(runs: Path, tmp_path: Path) -> None:
    path = plain_file(tmp_path / "my, file.csv", ["Ann", '"Bob: the, second"'])
    library = Library(Sources(runs))
    library.sources.add_file(path)
    library.search = "my, file.csv"
    rows = finished(library)
    assert [row.name for row in rows] == ["Ann", "Bob: the, second"]
    for row in rows:
        name = parse_name(row.player)
        assert (name.target, name.member) == (str(path), row.name)
    library.search = ""
    assert [row.name for row in finished(library)][-1] == "Ann"  # of a file only the first, which its name means
    library.sources.files.remove(path)
    library.step(2 * LOOK_EVERY, 1.0)
    assert len(finished(library)) == 4


def test_files_beside_the_runs_are_listed(runs: Path) -> None:
    path = plain_file(runs / "alone.csv", ["Best", "Other"])
    for files in ([], [path]):  # one that was opened as well is listed once
        assert [row.name for row in finished(Library(Sources(runs, files=files)))].count("Best") == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_manifest_that_is_a_pipe_does_not_block(runs: Path) -> None:
    (runs / "alpha" / "manifest.csv").unlink()
    os.mkfifo(runs / "alpha" / "manifest.csv")
    assert opponents.champion(runs, "alpha") is None
    best = opponents.first_champion(runs)
    assert best is not None and best.source == "beta"
    rows = {row.source: row for row in finished(Library(Sources(runs)))}
    assert (rows["alpha"].kind, rows["beta"].kind) == (EntryKind.DAMAGED, EntryKind.CHAMPION)


def test_external_programs(runs: Path) -> None:
    library = Library(Sources(runs))
    for command in ("/opt/engine --fast, please", "other"):
        library.sources.programs.append(PlayerName.of("external", command))
    rows = finished(library)[-2:]
    assert [row.kind for row in rows] == [EntryKind.EXTERNAL] * 2
    name = parse_name(rows[0].player)
    assert (name.target, name.member) == ("external", "/opt/engine --fast, please")


# Damage -----------------------------------------------------------------------------------------------------------


def test_damage_is_shown_and_other_rows_are_intact(runs: Path, tmp_path: Path) -> None:
    (runs / "alpha" / "generation_0001.csv").write_text("garbage", encoding="utf-8")
    (tmp_path / "bad.csv").write_bytes(b"\x00\x00")
    library = Library(
        Sources(runs, [tmp_path / "bad.csv", tmp_path / "gone.csv", plain_file(tmp_path / "ok.csv", ["Ann"])])
    )
    library.show(ALL)
    rows = finished(library)
    damaged = {row.name: row.trouble for row in rows if row.kind is EntryKind.DAMAGED}
    assert set(damaged) == {"bad.csv", "gone.csv", "generation 1"}
    assert damaged[
        "bad.csv"
    ] == f"{tmp_path / 'bad.csv'}: line 1: binary data, expected CSV text with a header like " + ("name,w0,w1,...")
    assert "cannot be read" in damaged["gone.csv"]
    assert "generation_0001.csv: damaged, its bytes are not what the session wrote" in damaged["generation 1"]
    assert sum(row.kind is EntryKind.INDIVIDUAL for row in rows) == 3 * INDIVIDUALS + 1


def test_a_damaged_manifest_and_a_missing_hall_of_fame(runs: Path) -> None:
    text = (runs / "alpha" / "manifest.csv").read_text(encoding="utf-8")
    (runs / "alpha" / "manifest.csv").write_text(text[:-30], encoding="utf-8")
    (runs / "beta" / "hall_of_fame.csv").unlink()
    library = Library(Sources(runs))
    rows = finished(library)
    assert [(row.kind, row.name) for row in rows if row.source == "alpha"] == [
        (EntryKind.DAMAGED, "alpha"),
        (EntryKind.CHAMPION, "Gen01_0000"),
    ]
    # Without a number the newest would be meant, which only a sound manifest can tell.
    assert [row.player for row in rows if row.source == "alpha"] == ["", "alpha@1"]
    assert [(row.kind, row.name, row.player) for row in rows if row.source == "beta"] == [
        (EntryKind.CHAMPION, "champion", "beta")
    ]


def test_a_run_without_a_generation(runs: Path) -> None:
    make_run(runs, "gamma", 0)
    rows = finished(Library(Sources(runs)))
    assert [row.trouble for row in rows if row.source == "gamma"] == ["No generation yet."]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    library = Library(Sources(tmp_path / "none"))
    assert [row.kind for row in finished(library)] == [EntryKind.BUILT_IN] * 2
    assert library.sources.runs == []


def test_trouble_with_the_folder_is_reported(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(runs: Runs) -> list[str]:
        raise PermissionError(13, "Permission denied", str(runs.folder))

    monkeypatch.setattr(Runs, "names", refused)
    library = Library(Sources(runs))
    assert len(finished(library)) == 2
    assert library.sources.trouble == f"{runs}: cannot be read: Permission denied"


# Changes ----------------------------------------------------------------------------------------------------------


def test_changes_are_read_again(runs: Path, tmp_path: Path) -> None:
    path = plain_file(tmp_path / "mine.csv", ["Ann"])
    library = Library(Sources(runs, [path]))
    now = 0.0

    def later() -> list[str]:
        nonlocal now
        now += 2 * LOOK_EVERY
        library.step(now, 1.0)
        return [row.player for row in finished(library, now)]

    assert finished(library, now)
    add_generation(Run(runs / "alpha"), 3)
    later()
    row = next(row for row in library.rows if row.player == "alpha")
    assert row is not None and row.generation == 3
    make_run(runs, "delta", 1)
    assert "delta" in later()
    library.show(ALL)
    library.search = "mine.csv"
    assert later() == [individual(str(path), "Ann")]
    plain_file(path, ["Cleo", "Dora"])
    assert later() == [individual(str(path), "Cleo"), individual(str(path), "Dora")]
    path.write_text("no more", encoding="utf-8")
    later()
    assert [row.kind for row in library.rows] == [EntryKind.DAMAGED]
    path.unlink()
    later()
    assert "cannot be read" in library.rows[0].trouble
    plain_file(path, ["Eve"])
    assert later() == [individual(str(path), "Eve")]


def test_unchanged_folder_is_not_read_again(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library(Sources(runs))
    finished(library)
    looked = []
    monkeypatch.setattr(Sources, "look", lambda self, now: iter([looked.append(1)]))
    for frame in range(100):
        assert not library.step(frame * LOOK_EVERY / 50, 1.0)
    assert len(looked) in (1, 2)


def test_rows_stay_while_changes_are_read(runs: Path) -> None:
    library = Library(Sources(runs))
    library.show(ALL)
    before = len(finished(library))
    add_generation(Run(runs / "alpha"), 3)
    library.step(10.0, 0.0)
    while library.busy:
        assert len(library.rows) == before
        library.step(10.0, 0.0)
    assert len(library.rows) == before + INDIVIDUALS


@pytest.mark.parametrize("king", ["", "king,"])
def test_thinned_generations_keep_their_champion(runs: Path, king: str) -> None:
    path = runs / "alpha" / "generation_0001.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    names = lines[0].split(",w0,")[0] + f",{king}genome"
    end = f",{king.replace('king', '1.5')}0123456789abcdef"
    thinned = "\n".join([names, *(",".join(line.split(",")[:9]) + end for line in lines[1:]), ""])
    path.write_text(thinned, encoding="utf-8")
    known = Run(runs / "alpha").manifest()
    entries = list(known.entries)
    entry = entries[1]
    entries[1] = manifest.GenerationEntry(1, entry.first, manifest.sha256(thinned.encode()))
    manifest.Manifest(tuple(entries)).write(runs / "alpha")
    library = Library(Sources(runs))
    library.show(ALL)
    library.search = "source=alpha generation=1"
    rows = finished(library)
    assert [row.player for row in rows] == ["alpha@1", *[""] * (INDIVIDUALS - 1)]
    assert rows[1].trouble == "Its weights were not kept: it cannot be played." and rows[1].results is not None


# Size and names ---------------------------------------------------------------------------------------------------


def test_steps_are_short_and_rows_come_early(runs: Path) -> None:
    clock = iter(range(1_000_000))
    library = Library(Sources(runs), clock=lambda: next(clock) / 10)
    library.show(ALL)
    lengths = []
    while library.busy:
        library.step(0.0, 0.15)
        lengths.append(len(library.rows))
    assert len(set(lengths)) > 3 and lengths == sorted(lengths)


def test_there_is_a_limit(runs: Path, limit: Callable[..., None]) -> None:
    limit(module, "MOST_ROWS", 20)
    library = Library(Sources(runs))
    library.show(ALL)
    assert len(finished(library)) == 20


@given(st.text(min_size=1, max_size=12), st.none() | st.text(min_size=1, max_size=12))
def test_names_of_rows_select_their_players(target: str, member: str | None) -> None:
    result = parse_name(individual(target, member))
    assert (result.target, result.member, result.options) == (target, member, {})
