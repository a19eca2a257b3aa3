"""Generations that lose their weights or are packed: what is left, and that no moment of it leaves a run in pieces."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import main
from evolve.breeding import hall_of_fame
from evolve.config import toml
from evolve.config.model import Config
from evolve.config.sections import Saving
from evolve.kinds.variation import Uniform
from evolve.names.registration import register
from evolve.run import append_only, manifest, packed
from evolve.run.columns import GenerationError
from evolve.run.files import DamagedRunError, RunError
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation, genome_digest, parse, to_csv
from evolve.run.log import LOG_COLUMNS
from evolve.run.manifest import Manifest
from evolve.run.row_index import RowIndex, read_heads
from evolve.session import create
from evolve.session.saving import Saver, plan
from game.networks.named import BLONDIE_1741
from game.players.network import NetworkPlayer
from game.players.registry import player
from tests.called import evolve_cowan
from tests.evolve.tiny_sessions import TINY
from tests.pack_runs import pack, packed_bytes

pytestmark = pytest.mark.usefixtures("own_names")

CONFIG = replace(toml.load("blondie24-1999", None, ["seed=1"]), saving=Saving(4, 2))
WEIGHTS = BLONDIE_1741.weights


def rows(generation: int, count: int = 4) -> Generation:
    draw = np.random.Generator(np.random.Philox(generation))
    weights = draw.uniform(-1, 1, (count, WEIGHTS)).astype(np.float32)
    return Generation(
        [f"Gen{generation:02d}_{index:04d}" for index in draw.permutation(count)],
        weights,
        np.arange(1, count + 1),
        ["mutated"] * count,
        [(f"Gen{max(0, generation - 1):02d}_0000",)] * count,
        draw.integers(0, 9, (count, 5)),
        draw.uniform(1, 3, count).astype(np.float32),
        (0.05 * np.exp(draw.normal(0, 1, weights.shape))).astype(np.float32),
    )


def game_text(generation: int) -> bytes:
    return f'[Event "Ranking of generation {generation}"]\n[Round "{generation}.1"]\n[Result "*"]\n*\n\n'.encode()


def save_up_to(run: Run, last: int, config: Config = CONFIG) -> Manifest:
    saver, known = Saver(run, config), run.manifest()
    for generation in range(known.newest + 1, last + 1):
        record = dict.fromkeys(LOG_COLUMNS, 0) | {"generation": generation}
        known = saver.save(known, rows(generation), record, game_text(generation)).result()
    return known


def made(folder: Path, last: int, config: Config = CONFIG) -> Run:
    run = create.create(folder, "one", config)
    save_up_to(run, last, config)
    return run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Complete to generation 9; whole are 0, 4, 8 and 9."""
    return made(tmp_path, 9)


def test_multiples_and_the_newest_keep_everything(run: Run) -> None:
    known = run.manifest()
    assert known.whole == [0, 4, 8, 9]
    for entry in known.entries:
        data = (run.path / entry.file).read_bytes()
        assert manifest.sha256(data) == entry.now
        assert entry.first == manifest.sha256(to_csv(rows(entry.generation)))
        expected = rows(entry.generation)
        assert data == to_csv(expected if not entry.thinned else expected.thinned())
    run.check(known)


def test_digest_does_not_depend_on_kept_weights(run: Run, tmp_path: Path) -> None:
    whole = made(tmp_path / "whole", 9, replace(CONFIG, saving=Saving()))
    assert whole.manifest().whole == list(range(10))
    assert whole.manifest().digest() == run.manifest().digest()
    for name in (append_only.HALL_OF_FAME, append_only.CHAMPIONS, append_only.LOG):
        assert (whole.path / name).read_bytes() == (run.path / name).read_bytes()


@pytest.mark.parametrize(
    ("every", "newest", "whole"),
    [(1, 1, list(range(10))), (1000, 3, [0, 7, 8, 9]), (3, 1, [0, 3, 6, 9]), (3, 100, list(range(10))), (0, 2, [8, 9])],
)
def test_other_choices_keep_other_generations_whole(every: int, newest: int, whole: list[int], tmp_path: Path) -> None:
    assert made(tmp_path, 9, replace(CONFIG, saving=Saving(every, newest))).manifest().whole == whole


def test_a_thinned_generation_keeps_names_results_and_ancestry(run: Run) -> None:
    result, original = run.read_generation(5, thinned=True), rows(5)
    assert result.names == original.names
    assert result.parents == original.parents
    assert result.origins == original.origins
    assert result.counts is not None
    assert result.counts.tolist() == original.counts.tolist()  # type: ignore[union-attr]
    assert result.kings is not None
    assert result.kings.tolist() == original.kings.tolist()  # type: ignore[union-attr]
    assert result.weights.shape == (4, 0)
    assert result.steps is None
    assert result.genomes == [genome_digest(row) for row in original.weights]
    assert to_csv(result.thinned()) == to_csv(result)
    assert run.generation_path(5).stat().st_size < 1000
    frame = pd.read_csv(run.generation_path(5))
    assert list(frame.columns[-2:]) == ["king", "genome"]
    assert frame["name"].tolist() == original.names


def test_step_sizes_stand_between_king_and_weights_and_read_back(tmp_path: Path) -> None:
    original = rows(3)
    data = to_csv(original)
    header = data.split(b"\n", 1)[0].decode().split(",")
    assert header[9:12] == ["king", "s0", "s1"]
    assert header[10 + WEIGHTS] == "w0"
    assert header[-1] == f"w{WEIGHTS - 1}"
    result = parse(data, "x")
    assert result.steps is not None
    assert original.steps is not None
    assert result.steps.tobytes() == original.steps.tobytes()
    assert result.weights.tobytes() == original.weights.tobytes()
    (tmp_path / "plain.csv").write_bytes(data)
    frame = pd.read_csv(tmp_path / "plain.csv")
    assert (frame["s7"].to_numpy(np.float32) == original.steps[:, 7]).all()
    head = original.head(2)
    assert parse(to_csv(head), "x").steps.tolist() == original.steps[:2].tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("damage", "error"),
    [
        (lambda data: data.replace(b",s3,", b",t3,"), "column s3 is missing, expected a step size for each weight"),
        (lambda data: data.replace(b",w0,", b",x,"), "expected weight columns w0, w1, ..., w0 is missing"),
    ],
)
def test_missing_columns_are_named(damage: object, error: str) -> None:
    with pytest.raises(GenerationError, match=error):
        parse(damage(to_csv(rows(3))), "x")  # type: ignore[operator]


def test_champions_of_all_generations_play(run: Run, tmp_path: Path) -> None:
    register(tmp_path)
    for generation in range(10):
        for name in (f"one@{generation}", f"one@{generation}:{rows(generation).names[0]}"):
            result = player(name)
            assert isinstance(result, NetworkPlayer)
            assert result.weights.tobytes() == rows(generation).weights[0].tobytes()
            assert result.king == rows(generation).kings[0]  # type: ignore[index]
    assert player("one").weights.tobytes() == rows(9).weights[0].tobytes()  # type: ignore[attr-defined]


def test_another_individual_of_a_thinned_generation_is_a_clear_error(run: Run, tmp_path: Path) -> None:
    register(tmp_path)
    other = rows(6).names[2]
    with pytest.raises(RunError) as raised:
        player(f"one@6:{other}")
    assert str(raised.value) == (
        f"one: generation 6 has not kept the weights of {other}, only results, ancestry and the champion "
        f"({run.path}@6); 4 generations keep everything, the nearest are 4 and 8"
    )
    assert isinstance(player(f"one@8:{rows(8).names[2]}"), NetworkPlayer)
    with pytest.raises(GenerationError, match="no individual is called 'Nobody'"):
        player("one@6:Nobody")


def test_a_thinned_file_by_itself_is_no_player(run: Run) -> None:
    register(run.path.parent)
    with pytest.raises(GenerationError, match=r"generation_0005\.csv: its weights were not kept, only results"):
        player(str(run.generation_path(5)))


def test_going_on_from_a_thinned_generation_is_refused(run: Run) -> None:
    with pytest.raises(RunError, match=r"generation 6 has not kept its weights.*nearest are 4 and 8"):
        create.check_files_up_to(run, run.manifest(), 6)
    for generation in (-1, 0, 4, 8, 9):
        assert create.check_files_up_to(run, run.manifest(), generation).newest == generation


def test_damage_is_answered_with_a_generation_from_which_one_can_go_on(run: Run) -> None:
    path = run.generation_path(9)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedRunError, match=r"the newest sound generation is 8: .* --from 8$"):
        run.check(run.manifest())
    path = run.generation_path(6)
    path.write_bytes(path.read_bytes().replace(b"mutated", b"mutatad"))
    with pytest.raises(DamagedRunError, match=r"generation_0006\.csv: damaged, .* the newest sound generation is 4"):
        run.check(run.manifest())


def test_parents_have_their_step_sizes(run: Run) -> None:
    config = replace(CONFIG, population=replace(CONFIG.population, parents=3))
    result = create.parents(run, run.manifest(), config)
    original = rows(9)
    assert original.steps is not None
    assert original.kings is not None
    for index, parent in enumerate(result):
        assert parent.steps is not None
        assert parent.steps.tobytes() == original.steps[index].tobytes()
        assert parent.tobytes() == original.weights[index].tobytes()
        assert parent.king == original.kings[index]
    plain = replace(config, variation=replace(config.variation, mutation=Uniform()))
    assert all(parent.steps is None for parent in create.parents(run, run.manifest(), plain))


def test_parents_without_step_sizes_are_refused(tmp_path: Path) -> None:
    run = create.create(tmp_path, "bare", CONFIG)
    run.save(Manifest(), to_csv(replace(rows(0), steps=None)), {append_only.LOG: b"x\n"})
    with pytest.raises(GenerationError, match="no step sizes"):
        create.parents(run, run.manifest(), replace(CONFIG, population=replace(CONFIG.population, parents=3)))


@pytest.mark.parametrize("generation", [3, 4, 9])
@pytest.mark.parametrize("column", [1, 5, 10, 11, 700, -1])
@pytest.mark.parametrize("change", [1, pytest.param(64, marks=pytest.mark.check)])
def test_a_changed_champion_is_noticed(generation: int, column: int, change: int, run: Run) -> None:
    """In name, results, king and weights, whether its generation is whole or thinned."""
    path = run.path / append_only.HALL_OF_FAME
    lines = path.read_bytes().split(b"\n")
    fields = lines[generation + 1].split(b",")
    fields[column] = bytes([fields[column][0] ^ change]) + fields[column][1:]
    lines[generation + 1] = b",".join(fields)
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(
        DamagedRunError, match=rf"hall_of_fame\.csv: damaged, line {generation + 2} is not the champion"
    ):
        hall_of_fame.champions(run, run.manifest())
    if generation == 3:
        register(run.path.parent)
        with pytest.raises(DamagedRunError, match=r"line 5 is not the champion; .* generation is 0"):
            player("one@3")
        assert isinstance(player("one@2"), NetworkPlayer)


def test_a_resumed_session_thins_generations_of_an_earlier_one(tmp_path: Path) -> None:
    run = made(tmp_path, 5)
    save_up_to(run, 9)  # a new saver: generations 5 and 4 were not made by it
    whole = made(tmp_path / "other", 9)
    for path in whole.path.glob("*.csv"):
        assert (run.path / path.name).read_bytes() == path.read_bytes()


def test_a_reader_with_an_older_manifest_takes_the_thinned_file(tmp_path: Path) -> None:
    run = made(tmp_path, 4)
    before = run.manifest()
    save_up_to(run, 6)
    assert not before.entries[3].thinned
    assert run.checked_bytes(before, 3) == to_csv(rows(3).thinned())
    run.generation_path(3).write_bytes(b"name,w0\nx,1\n")
    with pytest.raises(DamagedRunError):
        run.checked_bytes(before, 3)


def test_thinning_refuses_a_file_that_differs_from_the_manifest(run: Run) -> None:
    known = run.manifest().with_thinned(8, "0" * 64)
    known.write(run.path)
    with pytest.raises(DamagedRunError, match=r"generation_0008\.csv cannot be thinned to its checksum"):
        run.finish_thinning(known)


@pytest.mark.parametrize(
    ("preset", "text"),
    [
        ("cowan", "saving every generation: about 48 MB for generations 0 to 15"),
        (
            "blondie24",
            "saving generations 0, 20, 40, ... and the newest 2 (of the others only names, results and the champion): "
            "about 204 MB for generations 0 to 840",
        ),
        (
            "crownhead-1",  # mostly lines of individuals that have not kept their weights
            "saving generations 0, 50, 100, ... and the newest 1 (of the others only names, results and the champion): "
            "about 1 MB for generations 0 to 100",
        ),
    ],
)
def test_plan_reports_generations_and_megabytes(preset: str, text: str) -> None:
    assert plan(toml.load(preset)) == text


THINNED = range(1, 5)


@pytest.fixture(scope="module")
def packed_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of which generations 1 to 4 were thinned."""
    folder = tmp_path_factory.mktemp("packed_run")
    saving = ("--set=saving.every=5", "--set=saving.newest=1", "--generations=5")
    words = evolve_cowan(f"--out={folder}", "--name=one", "--seed=5", "--workers=1", *TINY, *saving)
    assert main.main(words) == 0
    return Run(folder / "one")


@pytest.fixture
def one(packed_run: Run, tmp_path: Path) -> Run:
    copy = Run(Path(shutil.copytree(packed_run.path, tmp_path / "one")))
    assert pack(copy) == len(THINNED)
    return copy


def test_packed_generations_have_the_bytes_of_their_files(packed_run: Run, one: Run) -> None:
    assert sorted(path.name for path in one.path.glob("generation*")) == [
        *("generation_0000.csv", "generation_0005.csv", "generations.csv")
    ]
    for number in range(6):
        assert one.read_bytes(number) == packed_run.read_bytes(number)
        assert packed.is_there(one.generation_path(number))
    assert packed.packed(one.generation_path(6)) is None and not packed.is_there(one.generation_path(6))
    assert one.manifest().digest() == packed_run.manifest().digest()
    one.check(one.manifest())


def test_every_reader_of_generations_reads_packed_ones(packed_run: Run, one: Run) -> None:
    for number in THINNED:
        assert read_heads(one.generation_path(number)) == read_heads(packed_run.generation_path(number))
        assert one.table(number).equals(packed_run.table(number))
        assert one.read_generation(number, thinned=True).names == packed_run.read_generation(number, thinned=True).names
        indexes = [
            RowIndex(run.generation_path(number), run.manifest().entries[number].permitted) for run in (one, packed_run)
        ]
        for index in indexes:
            while index.step():
                pass
        assert indexes[0].so_far == indexes[1].so_far


def test_reports_and_matches_are_the_same_from_packed_generations(
    packed_run: Run, one: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    def output(run: Run, *words: str) -> str:
        assert main.main([*words, f"--runs={run.path.parent}", "--json"]) == 0
        return re.sub(r'"(bytes|seconds)": [0-9.e-]+', "", capsys.readouterr().out).replace(str(run.path), "")

    assert output(one, "inspect", "one", "--games=0") == output(packed_run, "inspect", "one", "--games=0")
    match = ("match", "one@3", "random", "--games=2", "--seed=1", "--workers=1")
    assert output(one, *match) == output(packed_run, *match)


def test_a_session_continues_a_packed_run_with_the_same_bytes(packed_run: Run, one: Run, tmp_path: Path) -> None:
    plain = Run(Path(shutil.copytree(packed_run.path, tmp_path / "plain" / "one")))
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


def test_generations_with_weights_are_not_packed(packed_run: Run) -> None:
    with pytest.raises(ValueError, match=r"generation_0001\.csv: cannot be packed"):
        packed_bytes(packed_run.path, [0, 1])
