"""The activation and the kind of layer that docs/networks.md adds: one entry each, from outside."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from game.compiled.jit import Int, compiled
from game.networks import activations, kinds
from game.networks import vectors as v
from game.networks.evaluator import Evaluator, rows_seen
from game.networks.spec import Layer, Spec
from tests.game.networks.network_samples import positions, tame
from tests.sources import ROOT

PAGE = (ROOT / "docs" / "networks.md").read_text(encoding="utf-8")


def added(heading: str, module: ModuleType) -> tuple[str, Any]:
    """Run the example of a section, and return the name and the value of the entry that it adds."""
    (code,) = re.findall(rf"^## {heading}$.*?```python\n(.*?)```", PAGE, re.S | re.M)
    there = dict(vars(module))
    exec(code, there)
    (table,) = re.findall(r"^([A-Z]+)\[", code, re.M)
    (name,) = there[table].keys() - before[table]
    return name, there[table].pop(name)


def networks_in_jax() -> tuple[Any, Any]:
    """Return the module with the networks in JAX, and JAX; without it, skip the rest of the test."""
    learning = pytest.importorskip("extras.learning.forward", reason="the extra learning needs jax")
    return learning, pytest.importorskip("jax.numpy", reason="the extra learning needs jax")


before = {"ACTIVATIONS": set(activations.ACTIVATIONS), "KINDS": set(kinds.KINDS)}
LEAKY_NAME, LEAKY = added("Adding an activation", activations)
LOCAL_NAME, LOCAL = added("Adding a kind of layer", kinds)

activate, activate_three = v.activation_functions(activations.ACTIVATIONS | {LEAKY_NAME: LEAKY})


@compiled
def run(x: Int, out: Int, number: Int) -> None:
    v.store(out, activate(v.load(x), number))
    a, b, c = activate_three(v.load(x), v.load(x), v.load(x), number)
    v.store(out + v.BYTES, a)
    v.store(out + 2 * v.BYTES, b)
    v.store(out + 3 * v.BYTES, c)


@pytest.mark.check
@pytest.mark.addition(
    "activation",
    "an entry in `game/networks/activations.py` ([example](docs/networks.md#adding-an-activation)), and its "
    "twin in `tests/naive_network.py`",
)
def test_an_activation_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = np.array([-8, -0.5, 0, 3, np.nan, *[1] * 11], np.float32)
    known = np.where(sums < 0, sums / 8, sums)
    assert np.array_equal(LEAKY.values(sums), known, equal_nan=True)
    out = np.zeros((4, 16), np.float32)
    run(sums.ctypes.data, out.ctypes.data, len(activations.ACTIVATIONS))
    assert np.array_equal(out, [known] * 4, equal_nan=True)
    run(sums.ctypes.data, out.ctypes.data, list(activations.ACTIVATIONS).index("relu"))
    assert np.array_equal(out, [np.where(sums < 0, 0, sums)] * 4, equal_nan=True)
    monkeypatch.setitem(activations.ACTIVATIONS, LEAKY_NAME, LEAKY)
    learning, jnp = networks_in_jax()
    assert np.array_equal(learning.activate(LEAKY_NAME, jnp.asarray(sums)), known, equal_nan=True)
    spec = Spec("mine", "squares", (Layer("dense", 4, activation=LEAKY_NAME), Layer("dense", 1)))
    genome, inputs = tame(spec, 1), learning.inputs_of(rows_seen(positions(2, 20)))
    weights, bias = (part.of(genome) for part in spec.layer_parts(0))
    hidden = np.asarray(learning.seen(spec, inputs, spec.king)) @ weights + bias
    expected = np.where(hidden < 0, hidden / 8, hidden) @ genome[-5:-1] + genome[-1]
    assert np.asarray(learning.outputs(spec, jnp.asarray(genome), inputs))[:, 0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.check
@pytest.mark.addition(
    "kind of layer",
    "a class in `game/networks/kinds.py` ([example](docs/networks.md#adding-a-kind-of-layer)), and its twin in"
    " `tests/naive_network.py`",
)
def test_a_kind_of_layer_is_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """In compiled code, and in jax, where kinds of layers that are not known by name are matrices."""
    monkeypatch.setitem(kinds.KINDS, LOCAL_NAME, LOCAL)
    layers = Layer(LOCAL_NAME, 3, 4), Layer(LOCAL_NAME, 2, 3, "relu"), Layer("dense", 1)
    spec = Spec("mine", "board", layers)
    assert spec.weights == 5 * 5 * 4 * 4 * 3 + 3 + 3 * 3 * 3 * 3 * 3 * 2 + 2 + 3 * 3 * 2 + 1
    genome, boards = tame(spec, 1), positions(2, 20)
    learning, jnp = networks_in_jax()
    inputs = learning.inputs_of(rows_seen(boards))
    values = np.asarray(learning.seen(spec, inputs, spec.king))
    for number, (size, activation) in enumerate([(4, layers[0].activation), (3, "relu")]):
        weights, bias = (part.of(genome) for part in spec.layer_parts(number))
        windows = np.lib.stride_tricks.sliding_window_view(values, (size, size), axis=(1, 2))
        values = activations.ACTIVATIONS[activation].values(np.einsum("nrcihw,rchwif->nrcf", windows, weights) + bias)
    expected = values.reshape(len(boards), -1) @ genome[-19:-1] + genome[-1]
    scores = [Evaluator(spec, genome).scores([position], position.side)[0] for position in boards]
    assert scores == pytest.approx(expected, abs=3e-4)
    assert np.asarray(learning.outputs(spec, jnp.asarray(genome), inputs))[:, 0] == pytest.approx(expected, abs=1e-5)
