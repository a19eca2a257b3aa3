"""Runs of `endgame`: the same bytes however they are made, measures that add up, and mistakes that end them early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

import main
from evolve.config import toml
from evolve.config.preset_files import ConfigError
from evolve.run.append_only import LOG
from evolve.run.folder import Run
from extras.learning import endgame_measures, proofs
from extras.learning.endgame import EndgameLearner, arrays_of, last_layers
from extras.learning.endgame_measures import JudgedCounts, SamplesTask, tally, tasks_of, total
from extras.learning.endgame_method import RESULT_WORDS, THRESHOLDS, WAYS, Endgame, at_threshold
from extras.learning.forward import inputs_of
from extras.learning.judging import RESULTS, Rows, chances_of, lead
from extras.learning.proofs import AboveTables
from extras.learning.samples import PROVED, TEST, TRAINING, UNPROVED, VALIDATION, SampleSource, TableSamples
from extras.learning.session import DivergedError
from extras.learning.tests.fit_helpers import make_workshop
from game.board import Position
from game.endgame import tables
from game.errors import InputError
from game.networks.evaluator import Evaluator, rows_seen
from game.players.network import NetworkPlayer
from game.players.registry import player
from tests.cases import for_each
from tests.evolve.tiny_sessions import log_of, results

NETWORK = """
[network]
name = "small"
input = "pieces"
[[network.layers]]
kind = "dense"
units = 48
activation = "relu"
[network.heads]
value = "wdl"
policy = "none"
[learning]
method = "endgame"
pieces_to = 3
positions = 3000
samples = 4096
batch = 64
measured = 300
settled = 3
rate = 0.01
[rating]
every = 0
[saving]
every = 0
newest = 1
"""


def train(folder: Path, *options: str) -> int:
    return main.main(["train", f"--out={folder}", *options])


def begin(folder: Path, *options: str) -> Path:
    (folder / "small.toml").write_text(NETWORK)
    assert train(folder, f"--config={folder / 'small.toml'}", "--name=one", "--seed=3", *options) == 0
    return folder / "one"


@pytest.fixture(scope="module")
def whole(shared: Callable[..., Path]) -> Path:
    """An uninterrupted run to generation 3."""
    return shared("endgame", lambda folder: begin(folder, "--workers=1", "--generations=3")) / "one"


ABOVE = (
    *("--set=learning.pieces_from=3", "--set=learning.pieces_to=8", "--set=learning.positions=90"),
    *("--set=learning.measured=45", "--set=learning.proof_nodes=300", "--set=learning.proof_tables=4"),
    *("--set=learning.samples=256", "--set=learning.weighting=0", "--set=learning.frozen=true"),
    *("--set=learning.tuned=2", "--set=saving.every=1", "--set=learning.played=0"),
)


@pytest.mark.check
def test_fresh_positions_are_the_same_after_a_resume(tmp_path: Path) -> None:
    runs = []
    for name, steps in (("a", (2,)), ("b", (1, 2))):
        (tmp_path / name).mkdir()
        fresh = "--set=learning.fresh=true"
        runs.append(begin(tmp_path / name, "--workers=1", f"--generations={steps[0]}", fresh))
        for last in steps[1:]:
            assert train(tmp_path / name, "--resume", str(runs[-1]), "--workers=1", f"--generations={last}") == 0
    one, other = ({**results(each), LOG: b""} for each in runs)
    assert one == other


@pytest.mark.check
def test_a_network_learns_above_the_tables_from_proofs_of_searches(whole: Path, tmp_path: Path) -> None:
    runs = []
    for workers, sessions in (("1", ("2",)), ("2", ("1", "2"))):
        (tmp_path / workers).mkdir()
        teacher = f"--set=learning.teacher={whole}"
        run = begin(tmp_path / workers, f"--workers={workers}", f"--generations={sessions[0]}", teacher, *ABOVE)
        for last in sessions[1:]:
            assert train(run.parent, "--resume", str(run), f"--workers={workers}", f"--generations={last}") == 0
        runs.append(run)
    one, other = ({**results(each), LOG: b""} for each in runs)
    assert one == other
    config = Run(runs[0]).config()
    assert config.obtained == "from tablebases and by own searches, with a gradient"
    first, last, taught = (
        Run(run).read_generation(at).weights[0] for run, at in ((runs[0], 0), (runs[0], 2), (whole, 3))
    )
    assert np.array_equal(first, taught)
    frozen = last_layers(config.network, 2) == 0
    assert np.array_equal(first[frozen], last[frozen]) and not np.array_equal(first, last)
    row = log_of(runs[0])[-1]
    assert row["pieces_7_network"] and row["pieces_8_network"] and not row["pieces_2_network"]
    assert row["proved_network"] and row["unproved_network"]


def test_proofs_of_searches_agree_with_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The searches reach tables of 3 pieces; tables of 4 know the results."""
    config = toml.load("endgame", settings=["learning.proof_tables=3", "learning.proof_nodes=400"])
    known = SampleSource(2, 4, 4).draw(TEST, 0, 8000, tables.open_tables(4))
    weights = np.zeros((1, config.network.weights), np.float32)
    monkeypatch.setattr(proofs, "get_shared_rows", lambda: SimpleNamespace(genomes=lambda: weights))
    result = proofs.prove(SamplesTask(config, replace(known, values=np.zeros_like(known.values))))
    proved = result.proofs == PROVED
    assert 0.2 < proved.mean() < 1 and (result.proofs[~proved] == UNPROVED).all()
    assert np.array_equal(result.values[proved], known.values[proved])
    assert known.values[proved].all() and not result.values[~proved].any()
    stuck = rows_seen([Position.from_fen("B:W7,K8,K16,19,K25,K28:B12")])[:, :3]
    one = TableSamples(stuck, np.zeros(1, np.int8), np.zeros(1, bool), np.full(1, UNPROVED, np.uint8))
    result = proofs.prove(SamplesTask(config, one))
    assert (result.values[0], result.proofs[0]) == (-1, PROVED)  # it is lost, as there is no move


def test_positions_above_the_tables_are_different_and_belong_to_one_part(limit: Callable[..., None]) -> None:
    limit(proofs, "TASKS_AT_ONCE", 1)
    limit(proofs, "GAMES_A_TASK", 200)
    options = ["pieces_to=8", "teacher=one", "quiet=true", "balanced=true"]
    above = AboveTables(toml.load("endgame", settings=[f"learning.{each}" for each in options]), map)
    for pieces in (7, 8):
        for part in (TEST, TRAINING):
            count = 12 if part == TRAINING else 2  # few games have a position of the test
            samples = above.draw(part, pieces, count, lambda *_: None)
            assert len({row.tobytes() for row in samples.rows}) == len(samples) == count
            assert set(np.bitwise_count(samples.rows[:, 0] | samples.rows[:, 1]).tolist()) == {pieces}
            assert not samples.capturing.any() and (np.abs(lead(samples.rows)) < 1).all()
            assert (proofs.described(samples.rows)[0] == part).all()
            played = set(map(bytes, above._of_games(part, pieces, 0)))
            assert sum(bytes(row) in played for row in samples.rows) >= 6 * (part == TRAINING)


def test_log_has_the_measures(whole: Path) -> None:
    rows = log_of(whole)
    config = Run(whole).config()
    method = config.learning.method
    assert isinstance(method, Endgame) and len(method.tables) == 64
    assert config.obtained == "from tablebases, with a gradient"
    assert [row["samples"] for row in rows] == ["0", *["4096"] * 3]
    # The first network finds all results equally likely; the first of them is a win.
    samples = SampleSource(3, 2, 3).draw(VALIDATION, 0, 150_000, tables.open_tables(3))[:300]
    assert float(rows[0]["all_network"]) == pytest.approx((samples.values == 1).mean(), abs=1e-6)
    assert float(rows[0]["validation_loss"]) == pytest.approx(np.log(3), abs=1e-5)
    assert float(rows[3]["all_network"]) > float(rows[0]["all_network"]) + 0.1
    for row in rows:
        for words in RESULT_WORDS:
            assert sum(float(row[f"{words}_{judged}"]) for judged in RESULT_WORDS) == pytest.approx(1, abs=1e-5)
        best = max(float(row[at_threshold(each)]) for each in THRESHOLDS)
        assert float(row["all_threshold"]) == float(row[at_threshold(float(row["threshold"]))]) == best
        assert row["pieces_4_network"] == ""
        assert (row["test_all_network"] == "") == (row is not rows[3])
    assert float(rows[3]["all_either"]) >= max(float(rows[3]["all_network"]), float(rows[3]["all_ply"]))


def test_a_report_has_the_measures_beside_a_piece_count(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["inspect", str(whole)]) == 0
    text = capsys.readouterr().out
    for words in (
        "piece count",
        "one ply",
        "test, balanced",
        "right, 3 pieces",
        "judged drawn",
        "how sure where wrong",
    ):
        assert words in text
    assert "right, 4 pieces" not in text


def test_its_player_searches_with_the_chances_of_the_network(whole: Path) -> None:
    from evolve.names.registration import register

    register(whole.parent, None)
    result = player("one")
    assert isinstance(result, NetworkPlayer) and result.identity == player("one,search=alphabeta").identity
    chances = result.result_chances(Position.start(), 0)
    assert chances is not None and sum(chances) == pytest.approx(1)


def drawn(part: int, pieces: int = 3) -> TableSamples:
    return SampleSource(1, 2, pieces).draw(part, 0, 60_000, tables.open_tables(pieces))


def of_tables(rows: Rows) -> NDArray[np.float64]:
    """Chances of which one is 1, from tables."""
    verdicts = [tables.open_tables(3).probe(Position(*map(int, row), 0)) for row in rows]
    values = np.array([verdict.value for verdict in verdicts if verdict is not None])
    return (values[:, None] == RESULTS).astype(np.float64)


def test_tables_in_the_place_of_a_network_are_right_in_every_way() -> None:
    columns = tally(drawn(TEST), of_tables).columns(0.8, "test_")
    for way in set(WAYS) - {"count"}:
        assert columns[f"test_all_{way}"] == columns[f"test_quiet_{way}"] == columns[f"test_balanced_{way}"] == 1.0
    assert [columns[at] for at in ("test_won_won", "test_drawn_drawn", "test_lost_lost")] == [1.0] * 3
    assert columns["test_loss"] == 0.0
    assert columns["test_right_won"] == 1.0 and columns["test_wrong_won"] is None
    count = columns["test_all_count"]
    assert count is not None and 0.5 < count < 1


def test_network_that_always_predicts_draws_is_right_in_draws() -> None:
    samples = drawn(TEST)
    result = tally(samples, lambda rows: np.tile([0.2, 0.6, 0.2], (len(rows), 1)))
    columns = result.columns(0.7)
    assert columns["all_network"] == pytest.approx((samples.values == 0).mean())
    assert columns["capturing_network"] == pytest.approx((samples.values[samples.capturing] == 0).mean())
    assert (columns["won_drawn"], columns["wrong_drawn"]) == (1.0, pytest.approx(0.6))
    # It is never sure enough, so the ply decides; a loss is seen if no move is legal or all lead to a lost position.
    assert columns["all_threshold"] == columns["all_ply"]


def test_tallies_add_up(limit: Callable[..., None]) -> None:
    limit(endgame_measures, "POSITIONS_A_TASK", 300)
    samples = drawn(TEST)[:700]
    config = toml.load("endgame")
    parts = [task.samples for task in tasks_of(config, samples)]
    whole, summed = tally(samples, of_tables), total(tally(part, of_tables) for part in parts)
    assert len(parts) > 1 and sum(map(len, parts)) == len(samples)
    assert np.array_equal(whole.right, summed.right) and np.array_equal(whole.positions, summed.positions)
    assert whole.positions[0] == whole.positions[1:3].sum() == whole.positions[4:].sum() == whole.confusion.sum()


def learner(folder: Path) -> EndgameLearner:
    path = folder / "small.toml"
    path.write_text(NETWORK)
    config = toml.load(None, path)
    method = config.learning.method
    assert isinstance(method, Endgame)
    config = replace(config, learning=replace(config.learning, method=method.begun(config.network, Path())))
    return EndgameLearner(make_workshop(config))


@pytest.mark.check
def test_labels_are_learnt_and_shuffled_ones_are_not(tmp_path: Path) -> None:
    """With shuffled labels the network is at most as good as the commonest result on positions it has not seen."""
    from extras.learning import first_network

    of = learner(tmp_path)
    spec = of.config.network
    words, labels = arrays_of(drawn(TRAINING)[:20_000])
    unseen = drawn(TEST)
    commonest = max(float((unseen.values == value).mean()) for value in (1, 0, -1))
    generator = np.random.default_rng(4)
    order = generator.integers(len(labels), size=(600, 128))
    right = []
    for results_learnt in (labels, generator.permutation(labels)):
        begun = of.fit.begin(first_network.random_weights(spec, np.random.default_rng(1)))
        fitted, _ = of.fit.run(begun, (words, results_learnt), order)
        judged: JudgedCounts = tally(unseen, chances_of(Evaluator(spec, fitted.weights)))
        right.append(judged.columns(0.8)["all_network"] or 0.0)
    assert right[0] > commonest + 0.15
    assert right[1] <= commonest + 0.01


def test_outputs_that_are_not_finite_end_the_session(tmp_path: Path) -> None:
    of = learner(tmp_path)
    shares = chances_of(Evaluator(of.config.network, np.full(of.config.network.weights, 1e30)))
    of._judged = lambda *_: tally(drawn(TEST)[:100], shares)  # type: ignore[method-assign]
    with pytest.raises(DivergedError, match="generation 2: outputs of the network are not finite numbers"):
        of._numbers(2, np.zeros(0, np.float32))


def test_words_of_squares_are_the_inputs_of_the_network() -> None:
    samples = drawn(VALIDATION)[:50]
    words, labels = arrays_of(samples)
    bits = words[:, :, None] >> np.arange(32, dtype=np.uint32) & 1
    assert np.array_equal(bits, inputs_of(samples.rows))
    assert np.array_equal(RESULTS[labels], samples.values)


@for_each(
    ("settings", "words"),
    [
        ("pieces_to=7", "pieces_to: 7 and 8 pieces need an earlier run to start from"),
        ("pieces_to=7 teacher=one fresh=true", "fresh: expected false with 7 or 8 pieces"),
        ("pieces_to=7 sides=4,2", "sides: expected two numbers that add up to learning.pieces_to, such as 4,3"),
        ("pieces_to=7 sides=5,2", "sides: expected 4,3 above 6 pieces, as there are no other tables"),
        ("sides=3,2 fresh=true", "fresh: expected false with learning.sides"),
        ("sides=3", "sides: expected two numbers that add up to learning.pieces_to, such as 3,2"),
        ("sides=2,1 pieces_to=3 pieces_from=3 positions=200000", "most 196,032, the positions of 3 pieces (2,1), got"),
        ("pieces_from=6", "pieces_from: expected at most 5 (learning.pieces_to), got 6"),
        ("pieces_to=2", "positions: expected at most 3,488, the positions of 2 pieces, got 2,000,000"),
        ("pieces_to=4 pieces_from=4 positions=2334073 balanced=true", "2,334,072, the balanced positions of 4 pieces"),
    ],
)
def test_values_that_are_refused(settings: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        toml.load("endgame", settings=[f"learning.{each}" for each in settings.split()])
    assert words in str(caught.value)


@pytest.mark.parametrize("setting", ["network.heads.policy=steps", "network.heads.value=score"])
def test_networks_that_are_refused(setting: str) -> None:
    with pytest.raises(ConfigError, match=r'network: expected one with \[heads\] value = "wdl" and policy = "none"'):
        toml.load("endgame", settings=[setting])


def test_tables_of_sides_are_missing_until_they_are_built() -> None:
    options = ["learning.pieces_to=7", "learning.pieces_from=7", "learning.sides=4,3"]
    with pytest.raises(InputError, match=r"build them with .* tablebase build --pieces 7 --sides 4,3"):
        toml.load("endgame", settings=options).learning.method.infos_above()  # type: ignore[attr-defined]


def test_a_share_of_the_positions_has_the_sides_that_are_asked_for(tmp_path: Path) -> None:
    options = ["pieces_to=4", "sides=2,2", "share=0.25", "positions=4000", "measured=400"]
    config = toml.load("endgame", settings=[f"learning.{each}" for each in options])
    method = config.learning.method.begun(config.network, tmp_path)
    learner = EndgameLearner(make_workshop(replace(config, learning=replace(config.learning, method=method))))
    samples = learner._draw(TRAINING, 4000)
    pieces = np.bitwise_count(samples.rows[:, 0]), np.bitwise_count(samples.rows[:, 1])
    assert Counter(zip(*map(np.ndarray.tolist, pieces), strict=True))[2, 2] == 1000
    assert len(samples) == 4000 and (sum(pieces) < 4).sum() == 3000


def test_missing_tables_are_reported_before_the_run_begins(
    tmp_path: Path, open_instead: Callable[..., None], capfd: pytest.CaptureFixture[str]
) -> None:
    small = tables.open_tables(3)
    open_instead(lambda pieces: small)
    assert train(tmp_path, "--preset=endgame", "--name=one") == 2
    assert (
        capfd.readouterr()
        .err.splitlines()[-1]
        .endswith(
            "learning.pieces_to: the tablebases of up to 5 pieces are not complete; "
            "build them with python main.py tablebase build --pieces 5"
        )
    )
    assert not (tmp_path / "one").exists()


def test_changed_tables_end_a_resumed_session(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Endgame, "_tables_digest", lambda self: "0" * 64)
    assert train(whole.parent, "--resume=one", "--generations=4") == 2
    assert "the tablebases of up to 3 pieces are not those that the run began with" in capfd.readouterr().err
    monkeypatch.undo()
    assert Run(whole).manifest().newest == 3
    options = [f"--set=learning.{each}" for each in ("pieces_to=3", "positions=3000", "tables=abc")]
    assert train(whole.parent, "--preset=endgame", "--name=other", *options) == 2
    assert capfd.readouterr().err.startswith("main.py: learning.tables: the tablebases of up to 3 pieces are not those")
    assert not (whole.parent / "other").exists()
