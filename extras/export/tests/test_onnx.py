"""ONNX models, run by onnxruntime and compared with the kernel, position by position."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from extras.export.network_model import onnx_model
from extras.export.tests import exported
from extras.export.tests.exported import BOARDS, SHARE, differs
from extras.learning.forward import inputs_of, seen
from game.errors import InputError
from game.networks.activations import ACTIVATIONS
from game.networks.evaluator import rows_seen
from game.networks.spec import Heads, Layer, Spec

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
