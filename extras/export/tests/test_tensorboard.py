"""Event files, read back with TensorBoard itself: the columns of the log and the settings of the run."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tensorboard.backend.event_processing import plugin_event_accumulator
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams.api_pb2 import Status
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

import main
from evolve.config.anchors import shown_above
from evolve.run.folder import Run
from evolve.run.log import read_history
from evolve.run.status import lock
from tests.synthetic import make_run

LAST = 4


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return make_run(tmp_path, "one", LAST, rated=True)


def export(run: Run, *options: str) -> int:
    folder = run.path.parent / "curves"
    return main.main(["export", "one", f"--runs={run.path.parent}", f"--tensorboard={folder}", *options])


def read(run: Run) -> EventAccumulator:
    result = EventAccumulator(str(run.path.parent / "curves"), {"scalars": 0})
    result.Reload()
    return result


def test_the_log_as_events(run: Run) -> None:
    with lock(run.path):  # a session may play it
        assert export(run) == 0
    result, history = read(run), read_history(run, run.manifest())
    columns = [name for name in history.numbers if name != "generation"]
    for column in columns:
        values = {at: value + shown_above(column) for at, value in enumerate(history.numbers[column].tolist())}
        events = {each.step: each.value for each in result.Scalars(f"log/{column}")}
        assert events == pytest.approx({at: value for at, value in values.items() if math.isfinite(value)}, rel=1e-6)
    assert set(result.Tags()["scalars"]) == {f"log/{name}" for name in columns}
    written = [run.generation_path(number).stat().st_mtime for number in range(LAST + 1)]
    assert [each.wall_time for each in result.Scalars("log/best_points")] == pytest.approx(written, abs=1e-6)


def test_unknown_values_are_left_out_and_new_columns_written(run: Run) -> None:
    log = run.path / "log.csv"
    lines = [line.split(",") for line in log.read_text(encoding="utf-8").splitlines()]
    lines[0].append("novelty")
    for number, line in enumerate(lines[1:]):
        line[lines[0].index("rating")] = "" if number < 3 else line[lines[0].index("rating")]
        line.append(str(number / 2))
    log.write_text("".join(",".join(line) + "\n" for line in lines), encoding="utf-8")
    assert export(run) == 0
    assert [each.step for each in read(run).Scalars("log/rating")] == [3, 4]
    assert [each.value for each in read(run).Scalars("log/novelty")] == [0.0, 0.5, 1.0, 1.5, 2.0]


def test_events_have_the_settings_of_the_run(run: Run) -> None:
    assert export(run) == 0
    result = plugin_event_accumulator.EventAccumulator(str(run.path.parent / "curves"))
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


def test_a_newer_file_replaces_the_events_of_earlier_ones(run: Run) -> None:
    assert export(run) == 0
    looking, curves = read(run), run.path.parent / "curves"
    (first,) = curves.iterdir()
    (curves / "events.out.tfevents.99.somebody-else").write_bytes(b"")
    for _ in range(2):
        assert export(run) == 0
    for result in (read(run), looking):
        result.Reload()
        assert [each.step for each in result.Scalars("log/diversity")] == list(range(LAST + 1))
    names = {each.name for each in curves.iterdir()}
    assert first.name not in names and "events.out.tfevents.99.somebody-else" in names and len(names) == 3


def test_a_file_that_cannot_be_written_is_not_left(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))  # as on a full disk
    try:
        assert export(run) == 74
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "File too large" in capsys.readouterr().err
    assert not list((run.path.parent / "curves").iterdir())
