"""Descriptions of networks: layers, and the purpose of each column."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import main
from extras.weights import description
from game.networks.named import ANACONDA_5046
from game.networks.spec import Spec
from tests.cases import for_each
from tests.game.networks.network_samples import BY_MOVER, SPECS

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "larger-cnn.toml"

CNN = """\
network  cnn-247
input    the 8x8 board: own man 1, own king 2, the opponent's negative
output   the last layer; moves are compared before its activation
weights  247

layer                             outputs   activation
layers.0 convolution 5x5        4 x 4 x 3   sigmoid
layers.1 convolution 3x3        2 x 2 x 3   sigmoid
layers.2 dense                          6   sigmoid
layers.3 dense                          1   sigmoid

columns             weights   shape            what
w0..w74                  75   5 x 5 x 1 x 3    layers.0 kernels (row, column, in, filter)
w75..w77                  3   3                layers.0 biases
w78..w158                81   3 x 3 x 3 x 3    layers.1 kernels (row, column, in, filter)
w159..w161                3   3                layers.1 biases
w162..w233               72   12 x 6           layers.2 weights (in, out)
w234..w239                6   6                layers.2 biases
w240..w245                6   6 x 1            layers.3 weights (in, out)
w246                      1   1                layers.3 biases
"""


def test_a_network_is_described_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["network", "cnn-247"]) == main.DONE
    assert capsys.readouterr() == (CNN, "")


def test_extras_are_described() -> None:
    lines = description.text(ANACONDA_5046).splitlines()
    assert "own king 2 at first; each individual has its own, from 1 to 3" in lines[1]
    assert lines[2].startswith("output   the last layer, plus the sum of all inputs;")


TABLES = """\
network  tables-65
input    the 32 dark squares: own men, own kings, the opponent's men and kings separately, as the side to move sees them
output   tables and tempo, plus the piece difference, a king 1.5; for the side to move
weights  65

columns             weights   shape            what
w0..w63                  64   2 x 32           tables (men and kings, square)
w64                       1   1                tempo"""


def test_networks_that_see_the_side_to_move_are_described() -> None:
    assert description.text(BY_MOVER[0]) == TABLES
    lines = description.text(replace(BY_MOVER[1], phases=2, layers=())).splitlines()
    assert lines[2:5] == [
        "output   tables and tempo; for the side to move",
        "phases   2, blended by the number of pieces, from 24 to none",
        "weights  130",
    ]
    result = description.as_json(BY_MOVER[2])
    assert (result["tables"], result["patterns"], result["phases"], result["layers"][1]["outputs"]) == (
        True,
        False,
        3,
        [3],
    )


@for_each("spec", SPECS)
def test_every_weight_has_one_place(spec: Spec) -> None:
    result = description.as_json(spec)
    parts = result["genome"]
    assert [part["start"] for part in parts] == [0, *(part["stop"] for part in parts[:-1])]
    assert all(one["stop"] == other["start"] for one, other in pairwise(parts))
    assert parts[-1]["stop"] == result["weights"] == spec.weights
    if spec.heads is None:
        assert [layer["outputs"] for layer in result["layers"]][-1:] in ([], [[spec.phases]], [[1, 1, 1]])
    lines = description.text(spec).splitlines()
    if spec.heads is None:
        assert len(lines) == 6 + (spec.phases > 1) + (2 + len(spec.layers)) * bool(spec.layers) + len(spec.parts)
    assert f"{spec.weights - 1}" in lines[-1].split()[0]


def test_a_file_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["network", str(EXAMPLE), "--json"]) == main.DONE
    output = json.loads(capsys.readouterr().out)
    assert (output["name"], output["weights"], output["piece_difference"]) == ("larger-cnn", 5377, True)
    assert output["layers"][1] == {"kind": "convolution", "size": 3, "outputs": [4, 4, 16], "activation": "tanh"}
    assert output["genome"][4] == {
        "name": "layers.2 weights (in, out)", "start": 1248, "stop": 5344, "shape": [256, 16]
    }  # fmt: skip


@pytest.mark.parametrize("name", ["nobody", "nowhere.toml"])
def test_a_network_that_there_is_not(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["network", name]) == main.MISTAKE
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert name in err
