"""The verb `export`: formats, files of which all or none are written, ONNX beside the kernel, and event files."""

from __future__ import annotations

import errno
import math
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from tensorboard.backend.event_processing import plugin_event_accumulator
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams.api_pb2 import Status
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

import main
from evolve.config.anchors import shown_above
from evolve.run.folder import Run
from evolve.run.log import read_history
from evolve.run.status import lock
from extras.export import svg
from extras.export.network_model import onnx_model
from extras.export.tests import exported
from extras.export.tests.exported import BOARDS, SHARE, differs
from extras.learning.forward import inputs_of, seen
from game.board import Position
from game.errors import InputError
from game.networks.activations import ACTIVATIONS
from game.networks.evaluator import rows_seen
from game.networks.spec import Heads, Layer, Spec
from game.players.registry import player
from game.rules import BLACK
from game.search.interface import Limits
from gui.look.theme import LIGHT
from tests.called import Call, call_program
from tests.sources import ROOT
from tests.synthetic import make_run

PAGE = Path(__file__).parents[1] / "export.md"


def test_the_example_for_onnx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(["export", "crownhead-1", "--onnx", "champion.onnx"]) == 0
    expected = player("crownhead-1").evaluate([Position.start()], BLACK)
    assert float(printed_by(block("python", "onnxruntime"))) == pytest.approx(expected[0], abs=2e-4)
    assert Path("champion.onnx").read_bytes().startswith(b"\x08\x07")  # the IR version, 7


def block(language: str, word: str) -> str:
    """Return the only program of the page in this language that contains a word."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    (program,) = (text for text in blocks if word in text)
    assert program.count("\n") <= 10
    return str(program)


def printed_by(program: str, *command: str) -> str:
    words = [*(command or (sys.executable, "-c")), program]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout


ADDED = '''
"""The weights of a network as bytes."""

TEXTS = {"player": "write its weights as bytes"}
PACKAGES = ()


def of_player(player, runs):
    return player.network[1].tobytes()
'''


ADDED_FOR_GAMES = '''
"""The moves of a game."""

TEXTS = {"game": "write its moves"}
PACKAGES = ()


def of_game(game, review):
    return " ".join(map(str, game.moves)).encode()
'''


@pytest.mark.addition(
    "export format",
    'a module in `extras/export/formats/` with `TEXTS` (such as `{"player": help}`), `PACKAGES` and a function '
    "`of_player(player, runs)` or `of_game(game, review)` that returns the bytes of a file; its name, without a "
    "hyphen, is the option and the ending; one that writes games also its name in `HOMES` of `extras/__init__.py` "
    "(`formats` of `extras.Extra` describes all)",
)
def test_a_format_is_one_module(tmp_path: Path) -> None:
    for name in ("evolve", "extras", "game", "gui"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("tests"))
    shutil.copy(ROOT / "main.py", tmp_path)
    formats = tmp_path / "extras" / "export" / "formats"
    (formats / "weights.py").write_text(ADDED)
    (formats / "other.py").write_text(ADDED.replace("()", '("no_such_package",)', 1))
    (formats / "moves.py").write_text(ADDED_FOR_GAMES)
    (tmp_path / "a.pdn").write_text("1. 11-15 *\n")

    def call(*arguments: str, verb: str = "export") -> tuple[int, str]:
        command = [sys.executable, "main.py", verb, *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    assert re.search(r"--weights FILE +write its weights as bytes\n", call("--help")[1])
    assert call("crownhead-1", "--weights=a.weights", "--html=a.html", f"--runs={ROOT / 'populations'}")[0] == 0
    assert (tmp_path / "a.weights").stat().st_size % 4 == 0 and (tmp_path / "a.html").exists()
    assert call("moves", "a.pdn", "-o", "a.moves", verb="pdn") == (0, "a.moves: 1 ply, 5 bytes\n")
    for arguments, error in (
        (["crownhead-1"], "--weights FILE.weights"),
        (["crownhead-1", "--weights=a.html"], "a.html: expected a name that ends in .weights"),
        (["random", "--weights=b.weights"], "random: has no network to export"),
        (["crownhead-1", "--other=a.other"], "export --other needs no_such_package: python -m pip install"),
    ):
        code, text = call(*arguments)
        assert code == 2 and error in text


@pytest.mark.check
def test_the_example_for_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(["export", "crownhead-1", "--html", "mine.html"]) == 0
    move, score, nodes, *line = printed_by(block("js", "Player"), "node", "-e").split()
    made = player("crownhead-1,tablebase=no")
    result = made.searcher().search(Position.start(), (), limits=Limits(depth=6))
    assert (move, float(score), int(nodes), line) == (
        str(result.move),
        result.score,
        result.nodes,
        list(map(str, result.pv)),
    )


@pytest.mark.parametrize(
    ("arguments", "need"),
    [
        (["export", "crownhead", "--onnx=a.onnx"], "export --onnx needs onnx"),
        (["export", "crownhead", "--tensorboard=a"], "export --tensorboard needs tensorboardX"),
    ],
)
def test_without_the_extra(
    arguments: list[str], need: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("game.installation.has_extra", lambda packages: False)
    assert main.main(arguments) == 2
    install = "python -m pip install --require-hashes -r requirements/export.txt"
    assert capsys.readouterr().err == f"main.py: {need}: {install}\n"
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["random", "--onnx", "a.onnx"], "random: has no network to export"),
        (["crownheda", "--tensorboard", "a"], "near: crownhead"),
        (["crownhead", "--onnx", "a.txt"], "a.txt: expected a name that ends in .onnx"),
        (["crownhead"], "expected what to write"),
    ],
)
def test_wrong_exports_are_refused(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["export", *arguments]) == 2
    assert text in capsys.readouterr().err


PDN = '[Event "?"]\n\n1. 11-15 23-19 *\n'


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    monkeypatch.chdir(tmp_path)
    Path("games.pdn").write_text(PDN, encoding="utf-8")
    return partial(call_program, capfd)


def files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def test_of_several_files_all_or_none_are_written(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.html").write_bytes(b"what was there")
    before, write = files(), os.write

    def full(handle: int, data: bytes) -> int:
        if bytes(data[:2]) == b"\x08\x07":  # the model, which comes last
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(handle, data)

    with monkeypatch.context() as patched:
        patched.setattr("evolve.run.files.os.write", full)
        done = call("export", "first", "--html=a.html", "--onnx=b.onnx")
    assert (done.code, done.out, done.err.count("\n")) == (74, "", 1) and "b.onnx" in done.err
    assert files() == before
    assert call("export", "first", "--html=a.html", "--onnx=b.onnx").code == 0
    assert set(files()) == {"a.html", "b.onnx", "games.pdn"}


def test_a_player_is_refused_before_curves_are_written(call: Call) -> None:
    before = files()
    done = call("export", "zero", "--tensorboard=curves", "--html=a.html")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1) and "search with alpha-beta" in done.err
    done = call("export", "first", "--tensorboard=games.pdn/a")
    assert (
        (done.code, done.out) == (2, "") and "expected a folder, but" in done.err and "games.pdn is a file" in done.err
    )
    assert files() == before and not Path("curves").exists()


def test_pieces_are_where_the_position_has_them() -> None:
    picture = svg.board_svg(Position.from_fen("B:W18,24,K10:B12,K22"), 360)
    root = ElementTree.fromstring(picture)
    space = "{http://www.w3.org/2000/svg}"
    drawn = {}
    for group in root.iter(f"{space}g"):
        x, y = map(int, group.attrib["transform"].split(")")[0][10:].split())
        drawn[(y - 8) // 40 * 4 + (x - 8) // 80 + 1] = (group[0].attrib["fill"], group.find(f"{space}path") is not None)
    white, black = svg.as_hex(LIGHT.white.edge), svg.as_hex(LIGHT.black.edge)
    assert drawn == {18: (white, False), 24: (white, False), 10: (white, True), 12: (black, False), 22: (black, True)}
    numbers = [int(text.text or "") for text in root.iter(f"{space}text")]
    assert sorted([*numbers, *drawn]) == list(range(1, 33))


NETWORKS = [each for each in exported.NETWORKS if each[0].phases == 1 and not each[0].patterns]
NAMES = [spec.name for spec, _ in NETWORKS]


def inputs(spec: Spec) -> NDArray[np.float32]:
    king = exported.king_of(spec) or spec.king
    return np.asarray(seen(spec, inputs_of(rows_seen(BOARDS)), king), np.float32)


def outputs(spec: Spec, genome: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    model = onnx_model("mine", (spec, genome, exported.king_of(spec)))
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    (given,) = session.get_inputs()
    return dict(zip(names, session.run(names, {given.name: inputs(spec)}), strict=True))


@pytest.mark.parametrize("number", range(len(NETWORKS)), ids=NAMES)
def test_the_same_as_the_kernel(number: int) -> None:
    spec, genome = NETWORKS[number]
    result = outputs(spec, genome)
    policy = spec.heads is not None and spec.heads.policy != "none"
    results = spec.heads is not None and spec.heads.value == "wdl"
    assert set(result) == {*["score"] * spec.values, *["results"] * results, *["policy"] * policy}
    if spec.values:
        assert differs(result["score"][:, 0], exported.kernel_scores(spec, genome)) < SHARE
    if policy:
        assert differs(result["policy"], exported.kernel_outputs(spec, genome)[:, -128:]) < SHARE
    if results:
        raw = exported.kernel_outputs(spec, genome)[:, :3].astype(np.float64)
        assert differs(result["results"], np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)) < SHARE


@pytest.mark.parametrize("number", [0, 13, 21], ids=[NAMES[number] for number in (0, 13, 21)])
def test_a_changed_weight_is_seen(number: int) -> None:
    spec, genome = NETWORKS[number]
    changed = genome.copy()
    changed[10] += 0.05
    result = outputs(spec, changed)
    assert differs(result["score"][:, 0], exported.kernel_scores(spec, genome)) > SHARE


def test_shared_weights_are_kept_once() -> None:
    layers = tuple(Layer("diagonal", 32, activation="relu") for _ in range(3))
    spec = Spec("deep", "pieces", layers, heads=Heads("none", "steps"))
    genome = np.zeros(spec.weights, np.float32)
    assert len(onnx_model("mine", (spec, genome, None))) < 4 * spec.weights + 200_000


def test_activations_without_an_operator_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ACTIVATIONS, "odd", ACTIVATIONS["relu"]._replace(onnx=None))
    spec = Spec("mine", "squares", (Layer("dense", 4, activation="odd"), Layer("dense", 1)))
    with pytest.raises(InputError, match="activation odd has no operator in ONNX"):
        onnx_model("mine", (spec, np.zeros(spec.weights, np.float32), None))


def test_weights_that_are_no_numbers() -> None:
    spec, genome = NETWORKS[0]
    with pytest.raises(InputError, match="not finite numbers"):
        onnx_model("mine", (spec, np.full_like(genome, np.inf), None))


def test_patterns_and_phases_are_refused() -> None:
    spec, genome = next(each for each in exported.NETWORKS if each[0].patterns)
    with pytest.raises(InputError, match="mine: has patterns or phases, which are not written as ONNX"):
        onnx_model("mine", (spec, genome, None))


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
