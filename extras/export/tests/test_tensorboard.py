"""Event files, read back with TensorBoard itself: what the log says, once each, whatever happened on the way."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing import plugin_event_accumulator
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams.api_pb2 import Status
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

import main
from evolve.config.anchors import shown_above
from evolve.run import status
from evolve.run.folder import Run
from evolve.run.log import read_history
from evolve.session.reporters import GenerationReport, Reporter
from extras.export.tensorboard import PREFIX, EventFile, TensorBoard
from tests.called import evolve_cowan
from tests.synthetic import make_run

LAST = 4


class Recorder(Reporter):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __getattribute__(self, name: str) -> Any:
        if name in METHODS:
            return lambda *arguments: self.calls.append((name, arguments))
        return super().__getattribute__(name)


METHODS = [name for name, _ in inspect.getmembers(Reporter, inspect.isfunction) if not name.startswith("_")]


def report(generation: int, **changes: Any) -> GenerationReport:
    values: dict[str, Any] = {
        name: {"str": "x", "int": 10, "float": 0.5, "bool": False}[str(kind).removesuffix(" | None")]
        for name, kind in GenerationReport.__annotations__.items()
        if name != "numbers" and not name.startswith("rating")
    }
    return GenerationReport(**(values | {"generation": generation, "diversity": float(generation)} | changes))


def read(run: Run) -> EventAccumulator:
    result = EventAccumulator(str(run.path), {"scalars": 0})
    result.Reload()
    return result


def event_files(run: Run) -> list[Path]:
    return sorted(run.path.glob("events.*"))


def steps(result: EventAccumulator, tag: str = "log/diversity") -> list[int]:
    return [each.step for each in result.Scalars(tag)]


Begin = Callable[[Run, Reporter], TensorBoard]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Make reporters, and close their files at the end of the test."""
    with ExitStack() as stack:

        def made(run: Run, reporter: Reporter) -> TensorBoard:
            board = TensorBoard(run, reporter)
            stack.callback(board.close)
            return board

        yield made


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return make_run(tmp_path, "one", LAST, rated=True)


# The content of a file ---------------------------------------------------------------------------------------------


def test_the_log_as_events(run: Run) -> None:
    written = EventFile(run)
    written.close()
    path = written.path
    result = read(run)
    history = read_history(run, run.manifest())
    columns = [name for name in history.numbers if name != "generation"]
    assert set(result.Tags()["scalars"]) == {f"log/{name}" for name in columns}
    for column in columns:
        events = result.Scalars(f"log/{column}")
        assert [each.step for each in events] == list(range(LAST + 1))
        assert [each.value for each in events] == pytest.approx(
            (history.numbers[column] + shown_above(column)).tolist(), rel=1e-6
        )
    written = [run.generation_path(number).stat().st_mtime for number in range(LAST + 1)]
    assert [each.wall_time for each in result.Scalars("log/best_points")] == pytest.approx(written, abs=1e-6)
    assert path.name.startswith("events.out.tfevents.")


def test_unknown_values_are_left_out_or_logged(run: Run) -> None:
    log = run.path / "log.csv"
    lines = [line.split(",") for line in log.read_text(encoding="utf-8").splitlines()]
    lines[0].append("novelty")
    for number, line in enumerate(lines[1:]):
        line[lines[0].index("rating")] = "" if number < 3 else line[lines[0].index("rating")]
        line.append(str(number / 2))
    log.write_text("".join(",".join(line) + "\n" for line in lines), encoding="utf-8")
    EventFile(run).close()
    result = read(run)
    assert steps(result, "log/rating") == [3, 4]
    assert [each.value for each in result.Scalars("log/novelty")] == [0.0, 0.5, 1.0, 1.5, 2.0]


def test_generations_as_they_come(run: Run, begin: Begin) -> None:
    result = Recorder()
    board = begin(run, result)
    board.on_started(LAST + 1, 9, 2)
    looking = read(run)
    for generation in (LAST + 1, LAST + 2):
        board.on_generation(report(generation))
    assert steps(read(run)) == list(range(LAST + 3))
    looking.Reload()  # somebody who looked on all the time
    assert steps(looking) == list(range(LAST + 3))
    assert [each.value for each in looking.Scalars("log/diversity")][-2:] == [LAST + 1, LAST + 2]
    assert [name for name, _ in result.calls] == ["on_started", "on_generation", "on_generation"]


def test_a_network_that_learns(run: Run, begin: Begin) -> None:
    evolving = dict.fromkeys(("best_points", "mean_points", "worst_points", "distinct", "diversity"))
    reporter = begin(run, Reporter())
    reporter.on_started(LAST + 1, LAST + 1, 1)
    reporter.on_generation(report(LAST + 1, **evolving, numbers={"loss": 0.25, "wins": 4, "top1": None}))
    result = read(run)
    assert [(each.step, each.value) for each in result.Scalars("log/loss")] == [(LAST + 1, 0.25)]
    assert steps(result) == list(range(LAST + 1))
    assert "log/top1" not in result.Tags()["scalars"]


def test_a_rating_that_follows(run: Run, begin: Begin) -> None:
    """One rating for the generation, and all else once."""
    result = Recorder()
    board = begin(run, result)
    board.on_started(LAST + 1, 9, 2)
    before = len(read(run).Scalars("log/rating"))
    board.on_generation(report(LAST + 1, rating_follows=True))
    board.on_rating(report(LAST + 1, rating=100.0, rating_low=50.0, rating_high=150.0))
    outcome = read(run)
    assert steps(outcome) == list(range(LAST + 2))
    rated = outcome.Scalars("log/rating")
    assert (len(rated), rated[-1].step, rated[-1].value) == (before + 1, LAST + 1, 1600.0)
    assert not any("follows" in tag for tag in outcome.Tags()["scalars"])
    assert [name for name, _ in result.calls] == ["on_started", "on_generation", "on_rating"]


def test_events_have_the_settings_of_the_run(run: Run) -> None:
    EventFile(run).close()
    result = plugin_event_accumulator.EventAccumulator(str(run.path))
    result.Reload()
    begun = HParamsPluginData.FromString(result.SummaryMetadata("_hparams_/session_start_info").plugin_data.content)
    values = begun.session_start_info.hparams
    config = run.config()
    assert values["seed"].number_value == config.seed and values["preset"].string_value == config.preset
    assert values["population.recombine"].bool_value is config.population.recombine
    assert values["variation.mutation"].string_value == config.variation.mutation.kind
    assert not any(name.startswith("saving") for name in values)
    ended = HParamsPluginData.FromString(result.SummaryMetadata("_hparams_/session_end_info").plugin_data.content)
    assert Status.Name(ended.session_end_info.status) == "STATUS_SUCCESS"


def test_resumed_session_adds_events(run: Run, begin: Begin) -> None:
    """A generation that was played, but not saved, is played again; nothing is there twice, for nobody."""
    board = begin(run, Reporter())
    board.on_started(LAST + 1, 9, 2)
    board.on_generation(report(LAST + 1, diversity=99.0))
    looking = read(run)
    assert steps(looking) == list(range(LAST + 2))
    (before,) = event_files(run)
    board = begin(run, Reporter())
    board.on_started(LAST + 1, 9, 2)
    kept = event_files(run)
    assert kept[0] == before and len(kept) == 2
    board.on_generation(report(LAST + 1, diversity=7.0))
    for result in (read(run), looking):
        result.Reload()
        assert steps(result) == list(range(LAST + 2))
        assert result.Scalars("log/diversity")[-1].value == 7.0


# Sessions ---------------------------------------------------------------------------------------------------------

SMALL = (
    *("--set=population.parents=2", "--set=population.recombine=false", "--set=population.mutants=1"),
    *('--set=stages=[{kind="elimination"},{kind="round-robin"}]', "--set=founders.method=uniform"),
    *("--generations=3", "--workers=1", "--seed=1"),
)


def test_a_torn_file_is_no_harm(run: Run) -> None:
    written = EventFile(run)
    written.close()
    path = written.path
    path.write_bytes(path.read_bytes()[:-5])
    (path.parent / "events.out.tfevents.99.somebody-else").write_bytes(b"")
    EventFile(run).close()
    assert steps(read(run)) == list(range(LAST + 1))
    EventFile(run).close()
    names = {each.name for each in event_files(run)}
    assert path.name not in names and "events.out.tfevents.99.somebody-else" in names and len(names) == 3


def contents(folder: Path) -> dict[str, bytes]:
    """Everything that two equal runs share."""
    own = ("log.csv", "session.log", status.NAME, "config.toml")
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.is_file() and path.name not in own and not path.name.startswith(PREFIX)
    }


def test_results_do_not_depend_on_it(tmp_path: Path) -> None:
    for name, options in (("plain", []), ("shown", ["--tensorboard"])):
        assert main.main(evolve_cowan(f"--out={tmp_path}", f"--name={name}", *SMALL, *options)) == 0
    assert contents(tmp_path / "plain") == contents(tmp_path / "shown")
    assert not event_files(Run(tmp_path / "plain"))
    run = Run(tmp_path / "shown")
    result = read(run)
    history = read_history(run, run.manifest())
    for column in ("best_points", "diversity", "seconds"):
        values = [each.value for each in result.Scalars(f"log/{column}")]
        assert values == pytest.approx((history.numbers[column] + shown_above(column)).tolist(), rel=1e-6)
    # Another session, first without events, then with them again: all generations are there, once.
    resume = ["evolve", f"--out={tmp_path}", "--resume=shown", "--workers=1"]
    assert main.main([*resume, "--generations=4"]) == 0
    assert steps(read(run)) == [0, 1, 2, 3]
    # A session that has nothing left to play.
    assert main.main([*resume, "--tensorboard"]) == 0
    assert steps(read(run)) == [0, 1, 2, 3, 4]
    assert main.main([*resume, "--generations=6", "--tensorboard"]) == 0
    assert steps(read(run)) == list(range(7))
    assert main.main([*resume, "--from=1", "--tensorboard"]) == 0
    assert steps(read(run)) == list(range(7))
    values = [each.value for each in read(run).Scalars("log/diversity")]
    assert values == pytest.approx(read_history(run, run.manifest()).numbers["diversity"].tolist(), rel=1e-6)


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """Let no file grow beyond a number of bytes, as on a full disk."""
    resource = pytest.importorskip("resource")
    _, most = before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_session_continues_without_events(run: Run, begin: Begin) -> None:
    result = Recorder()
    board = begin(run, result)
    with files_limited_to(1000):
        board.on_started(LAST + 1, 9, 2)
    board.on_generation(report(LAST + 1))
    assert [name for name, _ in result.calls] == ["on_message", "on_started", "on_generation"]
    assert result.calls[0][1] == (f"no more events for TensorBoard: {run.path}: File too large",)
    assert event_files(run) == []


def test_events_that_cannot_be_added(run: Run, begin: Begin) -> None:
    result = Recorder()
    board = begin(run, result)
    board.on_started(LAST + 1, 9, 2)
    (path,) = event_files(run)
    with files_limited_to(path.stat().st_size):
        board.on_generation(report(LAST + 1))
    board.on_generation(report(LAST + 2))
    assert [name for name, _ in result.calls] == ["on_started", "on_message", "on_generation", "on_generation"]
    assert steps(read(run)) == list(range(LAST + 1))


def test_other_reporter_receives_every_call(run: Run, begin: Begin) -> None:
    result = Recorder()
    board = begin(run, result)
    for name in METHODS:
        count = len(inspect.signature(getattr(Reporter, name)).parameters) - 1
        arguments = (report(9),) if name == "on_generation" else tuple(range(count))
        getattr(board, name)(*arguments)
        assert result.calls[-1] == (name, arguments)
