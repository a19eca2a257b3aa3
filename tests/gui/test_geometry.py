"""Rectangles, and layouts as pure functions of the size."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.display import LEAST_SIZE, fitting_size
from gui.geometry import Rect, Size
from gui.look.canvas import scale_of
from gui.look.theme import GAP
from gui.screens.play.layout import GRAPH, LEAST_GRAPH, GameLayout, game_layout, with_graph
from gui.screens.play.review import LIST
from gui.widgets.board_parts import BoardGeometry
from tests.cases import for_each

SIZES = ((800, 600), (1024, 768), (1280, 800), (1920, 1080), (3840, 2160), (600, 900), (1080, 1920))
RECTS = st.builds(Rect, st.integers(-50, 50), st.integers(-50, 50), st.integers(0, 300), st.integers(0, 300))


def parts(layout: GameLayout) -> list[Rect]:
    results = [getattr(layout, field.name) for field in fields(layout)]
    return [rect for rect in results if rect is not None]


@given(RECTS, st.lists(st.one_of(st.none(), st.integers(0, 120)), min_size=1, max_size=6), st.integers(0, 10))
def test_rows_lie_inside_in_order_and_share_the_rest(rect: Rect, heights: list[int | None], gap: int) -> None:
    rows = rect.rows(*heights, gap=gap)
    assert len(rows) == len(heights)
    for above, below in pairwise(rows):
        assert below.y >= above.bottom
    assert all(row.h == 0 or row.inside(rect) for row in rows)
    free = [row.h for row, height in zip(rows, heights, strict=True) if height is None]
    wanted = sum(height or 0 for height in heights) + gap * (len(heights) - 1)
    if free and wanted <= rect.h:
        assert max(free) - min(free) <= 1
        assert rows[-1].bottom == rect.bottom


@given(RECTS, RECTS)
def test_the_smallest_rectangle_around_two_covers_both(a: Rect, b: Rect) -> None:
    assert a.inside(a.around(b)) and b.inside(a.around(b))


@for_each("size", SIZES)
@for_each("wanted", [0.75, 1.0, 1.5])
def test_a_game_has_room_for_everything(size: Size, wanted: float) -> None:
    scale = scale_of(size, wanted)

    def px(length: float) -> int:
        return max(round(length * scale), 1)

    layout = game_layout(size, px, tabs=True)
    window = Rect(0, 0, *size)
    result = parts(layout)
    assert all(rect.inside(window) for rect in result)
    assert not [(a, b) for i, a in enumerate(result) for b in result[:i] if a.meets(b)]
    assert layout.bar is not None and layout.tabs is not None and layout.tools is not None
    if wanted == 1.0:
        assert layout.board.w >= min(size) * 0.5
        assert layout.body.h >= px(70)
        assert layout.status.w >= px(250)


@given(st.integers(1, 5000), st.integers(1, 5000), st.booleans())
def test_a_layout_of_any_size_is_a_layout(width: int, height: int, everything: bool) -> None:
    layout = game_layout((width, height), round, header=0 if everything else 50, tabs=everything)
    assert all(rect.w >= 0 and rect.h >= 0 for rect in parts(layout))


@given(st.integers(0, 900))
def test_a_graph_leaves_room_for_the_list_above_it(height: int) -> None:
    body = Rect(3, 5, 300, height)
    upper, curve = with_graph(body, round, LIST)
    if curve is None:
        assert upper == body and height < LIST + GAP + LEAST_GRAPH
    else:
        assert upper.h >= LIST and LEAST_GRAPH <= curve.h <= GRAPH and curve.bottom == body.bottom


@given(st.integers(40, 2500), st.integers(40, 2500), st.booleans())
def test_a_board_fits_and_finds_its_squares(width: int, height: int, flipped: bool) -> None:
    rect = Rect(7, 11, width, height)
    board = BoardGeometry.within(rect, flipped)
    assert board.outer.inside(rect)
    assert board.outer.w == board.outer.h
    assert BoardGeometry.within(board.outer, flipped) == board  # as large as it can be
    for square in range(1, 33):
        place = board.rect(square)
        assert place.inside(board.inner)
        assert board.square(place.centre) == square
        assert board.square((place.x, place.y)) == square
    light = board.place(0, 0)
    assert board.square(light.centre) == 0
    assert board.square((rect.x - 1, rect.y)) == 0


def test_a_flipped_board_is_the_same_from_the_other_side() -> None:
    rect = Rect(0, 0, 400, 400)
    plain, flipped = BoardGeometry.within(rect, False), BoardGeometry.within(rect, True)
    for square in range(1, 33):
        assert plain.rect(square) == flipped.rect(33 - square)
    assert plain.next_square(14, "up") == 10
    assert flipped.next_square(14, "up") == 18
    assert plain.next_square(1, "up") == 1
    assert plain.next_square(14, "right") == 15
    assert flipped.next_square(16, "left") == 16


@pytest.mark.parametrize("desktop", [(1280, 800), (1366, 768), (1024, 600), (1920, 1080)])
def test_a_window_fits_its_screen_with_its_frame(desktop: Size) -> None:
    width, height = fitting_size((1280, 800), desktop)
    assert width <= desktop[0] - 2 and height <= desktop[1] - 60
    assert fitting_size((1280, 800), (1920, 1080)) == (1280, 800)
    assert fitting_size((20_000, 20_000), (320, 200)) == LEAST_SIZE
