"""The run folder: names, complete generations, damage, going back, and individuals as players."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from evolve.config.preset_files import ConfigError
from evolve.names.registration import register
from evolve.run import append_only, folder, manifest, weights_file
from evolve.run.champions import read_champions
from evolve.run.columns import GenerationError
from evolve.run.conditions import FAITHFUL, PlayConditions
from evolve.run.files import BusyError, DamagedRunError, RunError
from evolve.run.folder import Run
from evolve.run.manifest import Manifest
from evolve.run.runs import Runs, checked_name
from evolve.run.status import is_locked, lock
from evolve.session import create
from game.errors import InputError
from game.installation import TREE
from game.players.names import PlayerNameError
from game.players.network import NetworkPlayer
from game.players.registry import player
from game.search.interface import ONE_PLY, PLAIN, Limits, SearchOptions
from tests.cases import for_each
from tests.evolve.run.folder_helpers import CONFIG, contents, made, rows, run, template, weights_of
from tests.learnt_run import LARGE, make_learnt_run
from tests.synthetic import make_run

pytestmark = pytest.mark.usefixtures("own_names")

__all__ = ["run", "template"]  # fixtures


@pytest.mark.parametrize(
    "name", ["a", "cowan-1", "my run", "Evolución 2", "進化", "1", "a.b", "x" * 100, "é" * 100, "randomly"]
)
def test_names_that_a_run_may_have(name: str, tmp_path: Path) -> None:
    assert checked_name(name) == name
    run = made(tmp_path, 0, name)
    assert run.path == tmp_path / name
    assert Run.find(tmp_path, name) == run
    register(tmp_path)
    assert isinstance(player(f'"{name}"'), NetworkPlayer)


@for_each(
    ("name", "error"),
    [
        ("", "must start with a letter or digit"),
        (" a", "without spaces at the ends"),
        ("..", "must start with a letter or digit"),
        ("random", "reserved for a player (random, material"),
        ("a/b", "must not contain '/'"),
        ("a\\b", "must not contain"),
        ('a"b', "must not contain"),
        ("a,b:c", "must not contain ',' ':'"),
        ("a\nb", "must not contain '\\n'"),
        ("a\x1b[31m", "must not contain"),
        ("a\udcff", "must not contain"),
        ("run.csv", "as a player it would mean a file"),
        ("x" * 101, "at most 100 characters"),
        ("進" * 80, "at most 100 characters"),
    ],
)
def test_names_that_no_run_may_have(name: str, error: str, tmp_path: Path) -> None:
    for refuse in (checked_name, lambda name: create.create(tmp_path, name, CONFIG)):
        with pytest.raises(RunError) as raised:
            refuse(name)
        assert error in str(raised.value)
        assert str(raised.value).startswith("run name ")
        assert str(raised.value).isprintable()
    assert not list(tmp_path.iterdir())


def test_a_name_that_is_taken(run: Run, tmp_path: Path) -> None:
    before = contents(run)
    remedy = re.escape(f"one: this run already exists; continue it with evolve --resume {run.path}")
    with pytest.raises(RunError, match=f"^{remedy}$"):
        create.create(tmp_path, "one", CONFIG)
    assert contents(run) == before


def test_runs_open_by_name_and_by_path(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Run.find(tmp_path, "one") == run
    assert Run.find(tmp_path / "elsewhere", str(run.path)) == run
    monkeypatch.chdir(tmp_path)
    assert Run.find(tmp_path / "elsewhere", "one") == Run(Path("one"))
    for name in ("two", "one/generation_0000.csv", "", "a\0b", "x" * 5000):
        assert Run.find(tmp_path, name) is None


def test_unknown_run_suggests_similar_names(tmp_path: Path) -> None:
    for name in ("cowan-1", "cowan-2", "other"):
        create.create(tmp_path, name, CONFIG)
    assert Runs(tmp_path).names() == ["cowan-1", "cowan-2", "other"]
    with pytest.raises(RunError) as raised:
        Run.open("cowan-3", tmp_path)
    text = str(raised.value)
    assert text.startswith(f"cowan-3: no run of this name under {tmp_path}, and no run folder; near: ")
    assert set(text.split("near: ")[1].split(", ")) == {"cowan-1", "cowan-2"}
    with pytest.raises(RunError, match=r"no run folder$"):
        Run.open("zzz", tmp_path)


def test_other_folders_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    assert Runs(tmp_path).names() == []
    assert Runs(tmp_path / "nowhere").names() == []


@pytest.mark.parametrize("generation", [4, -1, 999])
def test_a_generation_that_is_not_there(generation: int, run: Run) -> None:
    with pytest.raises(RunError, match=f"one: no generation {generation}; complete generations: 0 to 3"):
        run.read_generation(generation)


def test_a_run_without_generations(tmp_path: Path) -> None:
    run = made(tmp_path, -1)
    for generation in (None, 0):
        with pytest.raises(RunError, match=r"one: no generation -?\d; complete generations: none yet"):
            run.read_generation(generation)


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ("format = 2", "written by a newer program (format 2, this one reads 1): update"),
        ("format = true", "record.format: expected 1, got True"),
        ("", "record.format: expected 1, got None"),
    ],
)
def test_another_format_is_refused(record: str, error: str, run: Run) -> None:
    path = run.path / "config.toml"
    path.write_text(path.read_text().replace("format = 1", record))
    for use in (run.check_format, run.read_generation, lambda: create.reopen(run, None, [])):
        with pytest.raises(RunError) as raised:
            use()
        assert error in str(raised.value)


def flip(path: Path, place: int = 500) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def damage_of(run: Run, generation: int | None = None) -> str:
    with pytest.raises(DamagedRunError) as raised:
        run.read_generation(generation)
    return str(raised.value)


def test_a_changed_generation_is_refused_and_the_one_before_offered(run: Run) -> None:
    path = run.generation_path(3)
    flip(path)
    assert damage_of(run) == damage_of(run, 3)
    assert damage_of(run) == (
        f"{path}: damaged, its bytes are not what the session wrote; the newest sound generation is 2: "
        f"play {run.path}@2, or continue from it with evolve --resume {run.path} --from 2"
    )
    assert run.read_generation(2).names == rows(2).names
    with pytest.raises(DamagedRunError):
        run.check(run.manifest())


def test_the_newest_sound_generation_may_be_far_back(run: Run) -> None:
    for generation in (1, 2, 3):
        flip(run.generation_path(generation))
    assert f"the newest sound generation is 0: play {run.path}@0" in damage_of(run)
    flip(run.generation_path(0))
    assert "no generation of this run is sound" in damage_of(run)


@pytest.mark.parametrize("row", [1, 2, 3, 4])
def test_a_damaged_manifest_row(row: int, run: Run) -> None:
    path = run.path / manifest.NAME
    lines = path.read_bytes().splitlines(keepends=True)
    lines[row] = lines[row].replace(b"generation", b"generatiox")
    path.write_bytes(b"".join(lines))
    text = damage_of(run)
    assert text.startswith(f"{path}: damaged, line {row + 1} is damaged; ")
    with pytest.raises(DamagedRunError, match=f"manifest.csv: damaged, line {row + 1} is damaged; "):
        run.log()  # some of its rows, or all, would pass for the whole
    assert (f"the newest sound generation is {row - 2}" in text) == (row > 1)
    if row > 1:
        assert run.read_generation(row - 2).names == rows(row - 2).names
    with pytest.raises(DamagedRunError):
        run.read_generation(3)


def test_a_missing_manifest_beside_several_generations_is_damage(run: Run) -> None:
    (run.path / manifest.NAME).unlink()
    assert "manifest.csv: damaged, it ends at generation -1, but generation_0001.csv exists" in damage_of(run)
    with pytest.raises(DamagedRunError):
        run.check(run.manifest())


def test_manifest_cut_by_rows_is_damage(run: Run) -> None:
    path = run.path / manifest.NAME
    lines = path.read_bytes().splitlines(keepends=True)
    for kept in (1, 2, 3):  # rows 0 to kept - 1 and at least two files beyond
        path.write_bytes(b"".join(lines[:kept]))
        assert f"it ends at generation {kept - 2}, but generation_000{kept}.csv exists" in damage_of(run)
    path.write_bytes(b"".join(lines[:4]))  # as after a kill just before the last row was written
    assert run.manifest().damage is None
    assert run.manifest().newest == 2


def test_a_run_has_one_writer(run: Run) -> None:
    assert not is_locked(run.path)
    with lock(run.path):
        assert is_locked(run.path)
        with pytest.raises(BusyError, match="another process is working on this run"), lock(run.path):
            pass
        assert run.read_generation().names == rows(3).names  # readers need no lock
    assert not is_locked(run.path)
    with lock(run.path):
        pass


@pytest.fixture
def registered(tmp_path: Path, run: Run) -> Iterator[Path]:
    register(tmp_path)
    shutil.copy(run.generation_path(2), tmp_path / "my, own.csv")
    yield tmp_path


@pytest.mark.parametrize(
    ("text", "generation", "row"),
    [
        ("one", 3, 0),
        ("one@0", 0, 0),
        ("one,depth=1,seed=5", 3, 0),
        (f"one:{rows(3).names[4]}", 3, 4),
        (f"one@1:{rows(1).names[2]}", 1, 2),
        (f"one@1:{rows(1).names[2]},depth=1", 1, 2),
        ('"{folder}/my, own.csv"', 2, 0),
        ('"{folder}/my, own.csv":' + rows(2).names[5], 2, 5),
        ('"{folder}/one"', 3, 0),
        ('"{folder}/one"@1', 1, 0),
        ('"{folder}/one@1":' + rows(1).names[3], 1, 3),
        ('"{folder}/one/generation_0001.csv"', 1, 0),
        ('"{folder}/one/hall_of_fame.csv"', 0, 0),
        ('"{folder}/one/hall_of_fame.csv":' + rows(2).names[0], 2, 0),
    ],
)
def test_players_of_runs_and_files(text: str, generation: int, row: int, registered: Path) -> None:
    result = weights_of(text.replace("{folder}", str(registered)))
    assert result == rows(generation).weights[row].tobytes()


NOBODY = {
    "on": (PlayerNameError, "no run 'on' under {folder}, and no run folder; near: one; expected random"),
    "onee@1": (PlayerNameError, "near: one"),
    "materiel": (PlayerNameError, "near: material"),
    "one@": (PlayerNameError, "expected a generation after @, got ''"),
    "one@x": (PlayerNameError, "expected a generation after @, got 'x'"),
    "one@-1": (PlayerNameError, "expected a generation after @, got '-1'"),
    "one@1.5": (PlayerNameError, "expected a generation after @, got '1.5'"),
    "one@²": (PlayerNameError, "expected a generation after @, got '²'"),
    f"one@{'1' * 5000}": (PlayerNameError, f"expected a generation after @, got '{'1' * 40}'"),
    "one@4": (RunError, "one: no generation 4; complete generations: 0 to 3"),
    "one@999999999": (RunError, "one: no generation 999999999; complete generations: 0 to 3"),
    "one:Gen03_0009": (GenerationError, "no individual is called 'Gen03_0009'; near: Gen03_000"),
    "one:": (GenerationError, "no individual is called ''; names are like Gen03_000"),
    "none.csv": (GenerationError, "none.csv: no such file, expected a CSV file of individuals"),
    "one/config.csv": (GenerationError, "no such file"),
    "one,depth=0": (PlayerNameError, "depth=0: expected a whole number from 1 to 64"),
    '"a\0b"': (PlayerNameError, "no run"),
    "x" * 5000: (PlayerNameError, "no run"),
}


@pytest.mark.parametrize("text", NOBODY, ids=range(len(NOBODY)))
def test_unknown_runs_are_refused(text: str, registered: Path) -> None:
    kind, error = NOBODY[text]
    with pytest.raises(InputError) as raised:
        player(text)
    assert type(raised.value) is kind
    assert error.replace("{folder}", str(registered)) in str(raised.value)


def test_weights_files_that_a_published_run_leaves_out_are_no_damage(tmp_path: Path) -> None:
    run = make_learnt_run(tmp_path, "large", 2, ["seed=1", "learning.method=shown", *LARGE], {})
    weights_file.weights_path(run.generation_path(1)).unlink()
    with pytest.raises(DamagedRunError, match=r"weights_0001\.npy: damaged, is missing"):
        run.read_generation(1, thinned=True)
    hall = run.path / append_only.HALL_OF_FAME
    lines = hall.read_text().splitlines(keepends=True)
    lines[2] = f"{lines[2].rpartition(',')[0]},\n"
    hall.write_text("".join(lines))
    assert run.read_generation(1, thinned=True).names == [lines[2].split(",")[1]]
    with pytest.raises(GenerationError, match="generations whose champions have weights: 0, 2"):
        read_champions(run.path, [1])
    weights_file.weights_path(run.generation_path(2)).unlink()
    with pytest.raises(DamagedRunError, match=r"weights_0002\.npy: damaged, is missing"):
        run.read_generation(2)


def test_logs_have_the_float64_that_were_written(tmp_path: Path) -> None:
    one = make_run(tmp_path, "one", 5, rated=True)
    numbers = [0.1 + 0.2, 5e-324, 2.2250738585072011e-308, 1.7976931348623157e308, 9007199254740993.0, 1 / 3]
    head, *lines = ((one.path / "log.csv").read_text()).splitlines()
    cells = [line.split(",") for line in lines]
    for line, number in zip(cells, numbers, strict=True):
        line[head.split(",").index("rating")] = repr(number)
    (one.path / "log.csv").write_text("\n".join([head, *map(",".join, cells), ""]))
    assert one.log()["rating"].tolist() == numbers


@for_each(("version", "exact"), [
    *(("2.2.3", False), ("2.3.3", False), ("3.0.0", False), ("3.0.10", False), ("3.1.0rc0", True), ("3.1.1", True)),
    *(("3.10.0", True), ("4.0.0.dev0+5.gabc", True)),
])  # fmt: skip
def test_tables_are_exact_with_older_pandas(version: str, exact: bool) -> None:
    assert folder._exactly(version) == ({} if exact else {"float_precision": "round_trip"})


def run_of(path: Path, search: str, generations: int = 0) -> Run:
    path.mkdir()
    (path / "config.toml").write_text(f"[record]\nformat = 1\n[search]\n{search}")
    manifest = Manifest()
    for _ in range(generations):
        manifest = manifest.with_entry("0" * 64)
    manifest.write(path)
    return Run(path)


def test_a_run_without_a_search_plays_one_ply(tmp_path: Path) -> None:
    assert run_of(tmp_path / "r", "").conditions(3) == PlayConditions(ONE_PLY, SearchOptions(table_bits=14))


def test_options_of_the_search_are_listed(tmp_path: Path) -> None:
    search = "depth = 4\nnodes = 500\nquiescence = true\nequal_depth = true\ntable_bits = 9\n"
    expected = PlayConditions(Limits(4, 500), SearchOptions(True, False, True, 9))
    assert run_of(tmp_path / "r", search).conditions(0) == expected
    expected = PlayConditions(Limits(4, 500), SearchOptions(False, True, True, 9))  # its rules play captures out
    assert run_of(tmp_path / "b", search + "blondie = true\n").conditions(0) == expected


@pytest.mark.parametrize(("generation", "depth"), [(0, 1), (1, 1), (2, 3), (5, 5), (6, 7), (9, 8), (None, 7)])
def test_a_run_may_look_deeper_in_later_generations(tmp_path: Path, generation: int | None, depth: int) -> None:
    run = run_of(tmp_path / "r", "deepen_every = 2\n", generations=7)
    assert run.conditions(generation).limits == Limits(depth)
    assert run.conditions(generation).style.quiescence is PLAIN.quiescence


def test_other_folders_have_no_conditions(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"it has no config\.toml"):
        Run(tmp_path).conditions(0)
    with pytest.raises(ConfigError, match=r"search\.depth"):
        run_of(tmp_path / "r", "depth = 0\n").conditions(0)


def test_the_page_of_ratings_names_the_presets_without_tablebases() -> None:
    page = (TREE / "docs" / "ratings.md").read_text(encoding="utf-8")
    named = page.partition("unless the preset of the run is ")[2].partition(", which")[0]
    assert tuple(re.findall("`(.+?)`", named)) == FAITHFUL
