"""Figures show the numbers they are about, on one symmetric scale, and leave no setting behind."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from evolve.report.overview import RunOverview, run_overview
from extras.reports.figures import genomes, runs, style
from game.networks.first_layer import first_layer
from game.networks.kinds import square_place, subsquares
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CNN_247, find_network
from game.networks.spec import Heads, Layer, Spec
from tests.game.networks.network_samples import BY_MOVER
from tests.synthetic import make_run

LARGER = find_network(str(Path(__file__).parents[3] / "docs" / "examples" / "larger-cnn.toml"))
LAST = 5


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunOverview:
    return run_overview(make_run(tmp_path_factory.mktemp("runs"), "one", LAST, rated=True))


def drawn(spec: Spec) -> Any:
    return np.random.Generator(np.random.Philox(3)).uniform(-1, 1, spec.weights).astype(np.float32)


@functools.cache
def kernels_of(spec: Spec) -> Figure:
    """Return the figure of the kernels of `drawn`; several tests look at it, since it takes seconds."""
    with style.apply_style():
        return genomes.kernels("x", drawn(spec), spec)


def meshes(made: Figure) -> list[QuadMesh]:
    """All coloured pictures of a figure, but for the scale of colours."""
    results = [each for axes in made.axes for each in axes.collections if isinstance(each, QuadMesh)]
    return [each for each in results if each.get_array() is not None and each.get_array().shape[0] != 256]


@pytest.mark.parametrize("spec", [CNN_247, BLONDIE_1741, ANACONDA_5046, LARGER, *BY_MOVER], ids=lambda spec: spec.name)
def test_kernels_on_one_symmetric_scale(spec: Spec) -> None:
    weights, made = drawn(spec), kernels_of(spec)
    limits = {each.get_clim() for each in meshes(made)}
    largest = float(np.abs(weights[: spec.pattern_part.start] if spec.patterns else weights).max())
    assert limits == {(-largest, largest)}
    middle = style.DIVERGING(0.5)
    assert min(middle[:3]) > 0.99  # zero is white
    for axes in made.axes:  # nothing lies outside the figure, nothing on another picture
        box = axes.get_position()
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= 1 and box.y1 <= 1
    boxes = [axes.get_position() for axes in made.axes]
    for index, one in enumerate(boxes):
        for other in boxes[index + 1 :]:
            apart = one.x1 <= other.x0 or other.x1 <= one.x0 or one.y1 <= other.y0 or other.y1 <= one.y0
            assert apart


def test_convolutions_show_each_kernel() -> None:
    weights = drawn(CNN_247)
    pictures = [np.asarray(each.get_array()) for each in meshes(kernels_of(CNN_247))]
    first = CNN_247.parts[0].of(weights)
    second = CNN_247.parts[2].of(weights)
    assert len(pictures) == 3 + 9 + 1 + 1
    titles = [axes.get_title() for axes in kernels_of(CNN_247).axes]
    assert titles[:4] == ["filter 1", "filter 2", "filter 3", "1 to 1"]  # as the window counts them, from 1
    for index in range(3):
        assert np.allclose(pictures[index], first[:, :, 0, index])  # row 0, the own side, is the lowest
    for index in range(9):
        assert np.allclose(pictures[3 + index], second[:, :, index // 3, index % 3])
    assert np.allclose(pictures[12], CNN_247.parts[4].of(weights).T)


@pytest.mark.parametrize("layer", [Layer("convolution", 2, 3), Layer("dense", 2)], ids=lambda layer: layer.kind)
def test_the_first_layer_is_drawn_as_in_the_window(layer: Layer) -> None:
    spec = Spec("first", "planes" if layer.kind == "convolution" else "pieces", (layer, Layer("dense", 1)))
    weights = drawn(spec)
    expected = first_layer(weights.tolist(), spec)
    titles, boards = zip(*boards_of(kernels_of(spec)).items(), strict=True)
    assert list(titles[:8]) == [f"{each.line} {each.column[-1]}" for each in expected]
    for board, picture in zip(boards, expected, strict=False):
        assert np.array_equal(board, np.array(picture.rows[::-1], float), equal_nan=True)


def test_parts_of_the_board_are_means() -> None:
    weights = np.zeros(ANACONDA_5046.weights, np.float32)
    part = ANACONDA_5046.parts[0]
    squares = [square for each in subsquares() for square in each]
    weights[part.start : part.stop] = [square / 10 for square in squares]
    pictures = [each.get_array() for each in meshes(genomes.kernels("x", weights, ANACONDA_5046))][:6]
    for picture in pictures:
        board = np.ma.filled(np.ma.masked_invalid(picture).astype(float), np.nan)
        for square in range(32):
            assert board[square_place(square)] == pytest.approx(square / 10)


def boards_of(made: Figure) -> dict[str, Any]:
    titles = [axes.get_title() or axes.get_title("left") for axes in made.axes]
    pictures = (np.ma.filled(each.get_array().astype(float), np.nan) for each in meshes(made))
    return dict(zip(titles, pictures, strict=False))  # the last is the scale


def test_tables_are_boards_and_kinds_of_pieces_have_their_own() -> None:
    """Also of a network that has nothing else; phases say for how many pieces they are."""
    tables, relu, phases, *_ = BY_MOVER
    weights = drawn(tables)
    shown = boards_of(kernels_of(tables))
    assert list(shown) == ["men", "kings"]
    for square in range(32):
        assert shown["kings"][square_place(square)] == weights[32 + square]
    weights = drawn(relu)
    shown = boards_of(kernels_of(relu))
    assert list(shown)[2:6] == ["men 1", "kings 1", "their men 1", "their kings 1"]
    first = relu.layer_parts(0)[0].of(weights)
    for square in range(32):
        assert shown["their men 3"][square_place(square)] == first[64 + square, 2]
    weights = drawn(phases)
    shown = boards_of(kernels_of(phases))
    assert list(shown)[:6] == [f"{kind}, {count} pieces" for count in (24, 12, 0) for kind in ("men", "kings")]
    assert np.array_equal(shown["their kings 2"], phases.layer_parts(0)[0].of(weights)[:, :, 3, 1])


def test_patterns_are_left_out_and_do_not_change_the_scale() -> None:
    spec = dataclasses.replace(BY_MOVER[0], patterns=True)
    weights = np.zeros(spec.weights, np.float32)
    weights[0], weights[-1] = 0.5, 9.0
    made = genomes.kernels("x", weights, spec)
    assert list(boards_of(made)) == ["men", "kings"]
    assert {each.get_clim() for each in meshes(made)} == {(-0.5, 0.5)}


def test_progress_shows_the_log(run: RunOverview, tmp_path: Path) -> None:
    with style.apply_style():
        made = runs.progress(run)
        without = runs.progress(run_overview(make_run(tmp_path, "unrated", 2)))
    rating, points, drawn_games = made.axes
    assert rating.get_title(loc="left") == "a  Rating"
    assert rating.lines[0].get_ydata().tolist() == (run.history.numbers["rating"] + 1500).tolist()
    assert points.lines[0].get_ydata().tolist() == run.history.numbers["best_points"].tolist()
    assert drawn_games.lines[0].get_ydata().tolist() == [0.25] * (LAST + 1)
    assert without.axes[0].texts[0].get_text() == "not rated"


def test_ratings_that_stand_apart_are_not_joined_over_unknown_ones(run: RunOverview) -> None:
    """Every other generation is rated; the last of them has won all its games."""
    value = np.array([10.0, np.nan, 30.0, np.nan, np.inf])
    low, high = value - 20, value + 20
    low[4] = -50.0
    made = Figure()
    axes = made.subplots()
    runs._ratings(axes, np.arange(5.0), value, low, high)
    points, above = axes.lines[0], axes.lines[-1]
    assert (points.get_xdata().tolist(), points.get_linestyle()) == ([0.0, 2.0], "None")
    assert (above.get_xdata().tolist(), above.get_marker()) == ([4.0], "^")
    (line,) = axes.collections[-1].get_segments()
    assert line[0].tolist() == [4.0, -50.0]
    assert line[1][1] == above.get_ydata()[0] > 50


def test_origins_of_survivors(run: RunOverview) -> None:
    made = runs.diversity(run)
    drawn = [steps.get_data() for steps in made.axes[2].patches]
    heights = np.array([tops - below for tops, _edges, below in drawn])
    assert np.allclose(heights.sum(axis=0), 1)
    survivors = [sum(fact.origin == "survivor" for fact in run.pedigree.head(number)) for number in range(LAST + 1)]
    assert np.allclose(16 * heights[0], survivors)


@pytest.mark.parametrize("kind", [pytest.param("pdf", marks=pytest.mark.check), "png", "svg"])
def test_figures_are_reproducible_and_leave_no_settings(run: RunOverview, kind: str) -> None:
    before = dict(mpl.rcParams)

    def rendered() -> bytes:
        with style.apply_style():
            return style.render(runs.diversity(run), kind)

    assert rendered() == rendered()
    assert dict(mpl.rcParams) == before


def test_first_diagonal_layers_show_squares_and_their_neighbours() -> None:
    spec = Spec("diagonal", "pieces", (Layer("diagonal", 3),), heads=Heads("none", "steps"))
    weights = drawn(spec)
    *filters, policy = meshes(kernels_of(spec))
    kernels = spec.parts[0].of(weights)
    assert len(filters) == 3
    for number, mesh in enumerate(filters):
        shown = np.ma.filled(mesh.get_array(), np.nan)
        assert shown.shape == (3, 15)
        assert shown[1, 1::4].tolist() == kernels[0, :, number].tolist()  # the square itself, plane by plane
        assert shown[0, 0::4].tolist() == kernels[1, :, number].tolist()  # behind it on the left
        assert shown[2, 2::4].tolist() == kernels[4, :, number].tolist()  # ahead on the right
    assert policy.get_array().shape == (4, 15)
