"""Networks in words, and weights as pictures: every weight in its place, one scale, champions side by side."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import main
from evolve.run.runs import SHIPPED_RUNS
from extras.weights import description
from extras.weights.tab import pictures_of
from extras.weights.weight_map import places
from game.networks.first_layer import Picture
from game.networks.named import ANACONDA_5046
from game.networks.spec import Spec
from gui.geometry import Rect
from gui.runs.live_run import LiveRun
from gui.screens.sessions.session import SessionScreen
from tests.cases import for_each
from tests.game.networks.network_samples import BY_MOVER, SPECS
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import SessionFolder
from tests.runs import make_run


def test_pictures_are_as_large_as_they_fit_and_apart() -> None:
    pictures = [Picture(str(n), ((0.0,) * 3,) * 3) for n in range(10)]
    room = Rect(5, 7, 300, 200)
    cell, areas = places(room, pictures, 6, 12)
    assert cell > 10
    assert all(area.inside(room) for area in areas)
    assert not any(a.meets(b) for a in areas for b in areas if a is not b)
    assert places(room, [], 6, 12) == (0, [])
    wide = places(Rect(5, 7, 300, 60), pictures[:2], 6, 12)[1]
    assert (wide[0].x, wide[1].x) == (5, 158)  # spread over the width, so that titles have room


def test_pictures_of_one_kind_of_piece_are_enough_for_a_network_with_many(opened: Opened) -> None:
    hands = show(opened, SHIPPED_RUNS / "cowan-deep")
    titles = [picture.title for picture in hands.widget("kernels").pictures]
    assert titles == [f"filter {n}, men" for n in range(1, 9)]


def looked(followed: LiveRun, now: float = 0.0) -> LiveRun:
    followed.look_now()
    while followed.step(now) and followed.busy:
        pass
    return followed


def show(opened: Opened, path: Path, **more: object) -> Hands:
    hands = opened(**more)
    screen = SessionScreen(hands.app, path)
    hands.app.open(screen)
    hands.until(lambda: screen.newest >= 0 or not screen.run.busy)
    hands.wait(0.3)
    if "Weights" in screen.tabs:
        screen.show_tab(screen.tabs.index("Weights"))
        hands.app.redraw()
    return hands


def numbers_shown(hands: Hands) -> list[int]:
    return [int(key.split(".")[1]) for key in hands.keys if key.startswith("weights.") and key.count(".") == 1]


def test_generations_side_by_side_share_a_scale(opened: Opened) -> None:
    hands = show(opened, SHIPPED_RUNS / "crownhead-1")
    numbers = numbers_shown(hands)
    assert numbers == [0, 100]
    maps = [hands.widget(f"weights.{number}.map") for number in numbers[:-1]] + [hands.widget("kernels")]
    assert len({one.scale for one in maps}) == 1
    assert maps[-1].pictures != maps[0].pictures
    assert hands.widget("scale.left").text == f"+{maps[0].scale:.2g}" and hands.widget("layer").text == "Own side below"
    assert hands.widget("weights.100").bold and not hands.widget("weights.0").bold
    hands.app.screen.pick(64)
    hands.wait(0.2)
    assert numbers_shown(hands) == [0, 64] and hands.widget("kernels").pictures != maps[1].pictures
    assert numbers_shown(hands)[-1] == 64


def test_a_run_of_one_network_has_them_on_a_tab(opened: Opened) -> None:
    hands = show(opened, SHIPPED_RUNS / "zero")
    hands.until(lambda: hands.widget("kernels").pictures)


def test_a_run_whose_weights_cannot_be_read(opened: Opened, tmp_path: Path) -> None:
    hands = show(opened, make_run(tmp_path, "none", 0).path)
    assert numbers_shown(hands) == []
    assert hands.widget("kernels").empty == "The champion's weights appear here."


def test_weights_that_are_not_finite_are_reported_in_their_place(opened: Opened, tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 3)
    path = folder.path / "hall_of_fame.csv"
    path.write_bytes(path.read_bytes().replace(b",8,1,0,26,", b",8,1,0,26,nothing"))
    hands = show(opened, folder.path)
    hands.app.screen.pick(1)
    hands.app.redraw()
    hands.wait(0.1)
    assert "hall_of_fame.csv: line 3: damaged" in hands.widget("kernels").empty
    assert len(pictures_of(hands.app.screen.run, 2)[0]) == 3


def test_pictures_of_a_run_that_was_taken_back_are_gone(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 5)
    run = looked(LiveRun(folder.path))
    assert len(pictures_of(run, 3)[0]) == 3
    for name in ("log.csv", "hall_of_fame.csv", "champions.pdn"):
        (folder.path / name).unlink()
    folder.newest = -1
    folder.complete()
    assert pictures_of(looked(run, 1.0), 3) == ([], "")


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
