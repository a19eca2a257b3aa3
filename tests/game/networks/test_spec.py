"""What a network is: the shipped ones weight by weight, the parts of the board; what is refused, with which words."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
import tomllib
from typing import Any

import numpy as np
import pytest

from game.errors import InputError
from game.networks import named
from game.networks.kinds import subsquares
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CNN_247, SHIPPED
from game.networks.spec import Heads, Layer, NetworkError, Spec
from tests import naive_network
from tests.cases import for_each
from tests.game.networks.network_samples import BY_MOVER, HEADED, POLICIES, SPECS

DENSE = (Layer("dense", 1),)


LAYOUTS: dict[str, list[tuple[int, tuple[int, ...]]]] = {
    "cnn-247": [
        (0, (5, 5, 1, 3)),
        (75, (3,)),
        (78, (3, 3, 3, 3)),
        (159, (3,)),
        (162, (12, 6)),
        (234, (6,)),
        (240, (6, 1)),
        (246, (1,)),
    ],
    "blondie-1741": [(0, (32, 40)), (1280, (40,)), (1320, (40, 10)), (1720, (10,)), (1730, (10, 1)), (1740, (1,))],
    "anaconda-5046": [
        (0, (854,)),
        (854, (91,)),
        (945, (91, 40)),
        (4585, (40,)),
        (4625, (40, 10)),
        (5025, (10,)),
        (5035, (10, 1)),
        (5045, (1,)),
    ],
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_of_the_genome(name: str) -> None:
    spec = SHIPPED[name]
    assert [(part.start, part.shape) for part in spec.parts] == LAYOUTS[name]
    for part, after in zip(spec.parts, [*spec.parts[1:], None], strict=True):
        assert part.stop == part.start + math.prod(part.shape)
        assert part.stop == (after.start if after else spec.weights)
    assert ["biases" in part.name for part in spec.parts] == [False, True] * len(spec.layers)


def test_the_last_axis_runs_fastest() -> None:
    numbered = np.arange(247)
    assert CNN_247.parts[0].of(numbered)[2, 3, 0, 1] == (2 * 5 + 3) * 3 + 1
    assert CNN_247.parts[2].of(numbered)[1, 2, 0, 2] == 78 + ((1 * 3 + 2) * 3 + 0) * 3 + 2
    assert CNN_247.parts[4].of(numbered)[7, 4] == 162 + 7 * 6 + 4  # (in, out)
    assert BLONDIE_1741.parts[0].of(np.arange(1741))[31, 39] == 31 * 40 + 39
    assert ANACONDA_5046.parts[2].of(np.arange(5046))[90, 1] == 945 + 90 * 40 + 1
    assert np.shares_memory(CNN_247.parts[6].of(numbered), numbered)
    assert "(row, column, in, filter)" in CNN_247.parts[2].name
    assert "(in, out)" in CNN_247.parts[4].name


def test_published_networks_have_their_sizes() -> None:
    assert {layer.activation for layer in CNN_247.layers} == {"sigmoid"}
    assert (CNN_247.input, CNN_247.king, CNN_247.evolving_king, CNN_247.piece_difference) == ("board", 2, False, False)
    assert CNN_247.shapes == ((8, 8, 1), (4, 4, 3), (2, 2, 3), (6,), (1,))
    for spec in (BLONDIE_1741, ANACONDA_5046):
        assert {layer.activation for layer in spec.layers} == {"tanh"}
        assert (spec.input, spec.king, spec.evolving_king, spec.piece_difference) == ("squares", 2, True, True)
    assert BLONDIE_1741.shapes == ((32,), (40,), (10,), (1,))
    assert ANACONDA_5046.shapes == ((32,), (91,), (40,), (10,), (1,))


def test_parts_of_the_board() -> None:
    parts = subsquares()
    assert [list(part) for part in parts] == naive_network.subsquares()
    assert len(parts) == 91 == 36 + 25 + 16 + 9 + 4 + 1
    ends = np.cumsum([0, 36, 25, 16, 9, 4, 1])
    sizes = [sorted({len(part) for part in parts[a:b]}) for a, b in itertools.pairwise(ends)]
    assert sizes == [[4, 5], [8], [12, 13], [18], [24, 25], [32]]
    assert sum(len(part) for part in parts) == 854
    assert parts[0] == (0, 4, 5, 8)  # squares 1, 5, 6, 9
    assert parts[35] == (23, 26, 27, 31)
    assert parts[-1] == tuple(range(32))


def test_allowed_networks_are_accepted() -> None:
    for spec in SPECS:
        assert dataclasses.replace(spec) == spec
    Spec("A-1", "board", (Layer("convolution", 900, 1, "relu"), Layer("convolution", 1, 8, "none")))
    Spec("least", "squares", DENSE, king=1e-6)
    Spec("most", "squares", DENSE * 16, king=100.0)
    Spec("evolves", "squares", DENSE, king=1.0, evolving_king=True)
    assert Spec("narrow", "squares", DENSE, king=2.1).king == np.float32(2.1)  # as files keep it


@for_each(
    ("fields", "text"),
    [
        ({"name": ""}, "name: expected letters, digits and dashes, got ''"),
        ({"name": "../up"}, "name: expected letters, digits and dashes, got '../up'"),
        ({"input": "hexagons"}, "input: expected board, squares, planes, pieces, got 'hexagons'"),
        ({"layers": ()}, "layers: expected 1 to 16, got 0; none only with extras.tables"),
        ({"tables": True}, "extras.tables: only with input planes or pieces, not squares"),
        ({"phases": 2}, "extras.phases: expected 1, more only with input planes or pieces; got 2"),
        ({"input": "pieces", "own": -1}, "extras.own: expected 1 with input pieces, got -1"),
        ({"input": "pieces", "phases": 2}, "the last layer must have 2 outputs (extras.phases), this has (1,)"),
        ({"layers": DENSE * 17}, "layers: expected 1 to 16, got 17"),
        ({"king": 100.5}, "extras.king: expected a number above 0 and at most 100, got 100.5"),
    ],
)
def test_fields_that_are_refused(fields: dict[str, Any], text: str) -> None:
    whole: dict[str, Any] = {"name": "good", "input": "squares", "layers": DENSE}
    with pytest.raises(NetworkError) as caught:
        Spec(**whole | fields)
    assert text in str(caught.value)
    assert isinstance(caught.value, InputError)


@for_each(
    ("entry", "layers", "text"),
    [
        ("squares", [("pool", 1)], "layers.0.kind: expected convolution, dense, diagonal, subsquares, got 'pool'"),
        ("squares", [("dense", 4), ("dense", 1, 0, "step")], "expected none, sigmoid, tanh, relu, clipped, got 'step'"),
        ("squares", [("dense", 0)], "layers.0: expected 1 to 4096 outputs, got 0"),
        ("squares", [("dense", 1, 3)], "layers.0.size: layers of kind dense have no size"),
        ("board", [("diagonal", 4), ("dense", 1)], "a diagonal layer needs input squares or pieces, 32 or 128 units, "),
        (
            "pieces",
            [("dense", 32), ("dense", 32, 0, "relu", True), ("dense", 1)],
            "must have the same output shape, (32,); there is none",
        ),
        (
            "pieces",
            [("diagonal", 4), ("diagonal", 8), ("diagonal", 8, 0, "relu", True), ("dense", 1)],
            "layers.2.residual: the layer two before this one must have the same output shape, (32, 8); layers.0 has",
        ),
        ("squares", [("convolution", 1, 3)], "a convolution needs the board or another convolution before it"),
        ("board", [("convolution", 1, 9)], "layers.0.size: expected 1 to 8 (rows before it), got 9"),
        (
            "board",
            [("convolution", 1, 5), ("convolution", 1, 5)],
            "layers.1.size: expected 1 to 4 (rows before it), got",
        ),
        (
            "board",
            [("subsquares", 91), ("dense", 1)],
            "layers.0.kind: subsquares is the first layer, on input squares,",
        ),
        (
            "squares",
            [("dense", 32), ("subsquares", 91), ("dense", 1)],
            "layers.1.kind: subsquares is the first layer, ",
        ),
        ("squares", [("dense", 3), ("dense", 2)], "layers.1: the last layer must have one output, this has (2,)"),
    ],
)
def test_layers_that_are_refused(entry: str, layers: list[tuple[Any, ...]], text: str) -> None:
    with pytest.raises(NetworkError) as caught:
        Spec("name", entry, tuple(Layer(*layer) for layer in layers))
    assert text in str(caught.value)


def test_a_network_with_too_many_weights() -> None:
    with pytest.raises(NetworkError, match=r"^wide: 1,084,417 weights, at most 1,000,000$"):
        Spec("wide", "squares", (Layer("dense", 1024), Layer("dense", 1024), Layer("dense", 1)))


def test_layout_with_tables() -> None:
    layouts = {spec.name: [(part.start, part.shape) for part in spec.parts] for spec in BY_MOVER}
    assert layouts == {
        "tables-65": [(0, (2, 32)), (64, (1,))],
        "tables-586": [(0, (2, 32)), (64, (1,)), (65, (128, 4)), (577, (4,)), (581, (4, 1)), (585, (1,))],
        "planes-and-phases": [
            (0, (3, 2, 32)), (192, (3,)), (195, (4, 4, 4, 3)), (387, (3,)), (390, (75, 3)), (615, (3,)),
        ],
        "pieces-alone": [(0, (128, 20)), (2560, (20,)), (2580, (20, 2)), (2620, (2,))],
        "patterns": [(0, (2, 2, 32)), (128, (2,)), (130, (2, 9, 6561))],
        "tables-and-margins": [(0, (2, 32)), (64, (1,)), (65, (2,))],
    }  # fmt: skip
    assert [spec.weights for spec in BY_MOVER] == [65, 586, 618, 2622, 118_228, 67]
    assert [part.is_bias for part in BY_MOVER[1].parts] == [False, True] * 3
    assert [spec.linear for spec in BY_MOVER] == [65, 581, 390, 2580, 130, 65]
    assert [spec.multiplications() for spec in BY_MOVER[:2]] == [(), (512, 4)]


def test_layout_with_heads() -> None:
    layouts = {spec.name: [part.shape for part in spec.parts[2 * len(spec.layers) :]] for spec in (*HEADED, *POLICIES)}
    assert layouts == {
        "both-heads": [(256, 3), (3,), (5, 8, 4), (4,)],
        "signed-heads": [(30, 1), (1,), (30, 128), (128,)],
        "chances": [(9, 3), (3,)],
        "policy-alone": [(5, 12, 4), (4,)],
        "dense-policy": [(108, 128), (128,)],
    }
    assert [spec.outputs for spec in (*HEADED, *POLICIES)] == [131, 129, 3, 128, 128]
    assert [spec.values for spec in (*HEADED, *POLICIES)] == [True] * 3 + [False] * 2
    assert [spec.valued < spec.weights for spec in (*HEADED, *POLICIES)] == [True] * 2 + [False] * 3
    assert HEADED[0].multiplications()[3:] == (3 * 256, (32 + 98) * 8 * 4)


@pytest.mark.parametrize(
    ("heads", "extras", "text"),
    [
        (("best", "none"), {}, "heads.value: expected none, score, wdl, got 'best'"),
        (("none", "moves"), {}, "heads.policy: expected none, steps, people, got 'moves'"),
        (("none", "none"), {}, "expected a value, a policy or both; without this table the last layer is the value"),
        (("score", "none"), {"piece_difference": True}, "extras.piece_difference: not allowed with heads"),
        (("wdl", "none"), {"tables": True}, "extras.tables: not allowed with heads"),
        (("wdl", "steps"), {"phases": 2}, "extras.phases: not allowed with heads"),
        (("none", "steps"), {"margins": True}, "extras.margins: not allowed with heads"),
    ],
)
def test_wrong_heads_are_refused(heads: tuple[str, str], extras: dict[str, Any], text: str) -> None:
    with pytest.raises(NetworkError, match=f"{re.escape(text)}$"):
        Spec("name", "pieces", (Layer("dense", 8),), heads=Heads(*heads), **extras)


@for_each("spec", (*SPECS, *POLICIES))
@for_each("prefix", ["", "network."])
def test_written_and_read_again(spec: Spec, prefix: str) -> None:
    text = named.to_toml(dataclasses.replace(spec, name="mine"), prefix)
    values = tomllib.loads(f"[{prefix.rstrip('.')}]\n" * bool(prefix) + text)
    assert named.from_values(values["network"] if prefix else values) == dataclasses.replace(spec, name="mine")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"extras": {"tables": 1}}, "extras.tables: expected true or false, got 1"),
        ({"extras": {"tables": True, "phases": 1.5}}, "extras.phases: expected a whole number, got 1.5"),
        ({"input": "board"}, "extras.tables: only with input planes or pieces, not board"),
        ({"layers": [{"kind": "subsquares"}]}, "layers.0.kind: subsquares is the first layer, on input squares,"),
    ],
)
def test_values_of_tables_that_are_refused(values: dict[str, Any], text: str) -> None:
    whole: dict[str, Any] = {"name": "mine", "input": "pieces", "layers": [], "extras": {"tables": True}}
    with pytest.raises(NetworkError) as caught:
        named.from_values(whole | values)
    assert text in str(caught.value)
