"""Pictures of positions in SVG."""

from __future__ import annotations

from xml.etree import ElementTree

from extras.export import svg
from game.board import Position
from gui.look.theme import LIGHT, rgb


def test_colours_are_those_of_the_window() -> None:
    assert [rgb(text[1:]) for text in (svg.LIGHT_SQUARE, svg.DARK_SQUARE, svg.FRAME, svg.NUMBER)] == [
        LIGHT.square_light,
        LIGHT.square_dark,
        LIGHT.frame,
        LIGHT.number,
    ]
    for piece, colours in ((svg.BLACK_PIECE, LIGHT.black), (svg.WHITE_PIECE, LIGHT.white)):
        for name, text in piece._asdict().items():
            assert rgb(text[1:]) == getattr(colours, name)


def test_pieces_are_where_the_position_has_them() -> None:
    picture = svg.board_svg(Position.from_fen("B:W18,24,K10:B12,K22"), 360)
    root = ElementTree.fromstring(picture)
    space = "{http://www.w3.org/2000/svg}"
    drawn = {}
    for group in root.iter(f"{space}g"):
        x, y = map(int, group.attrib["transform"].split(")")[0][10:].split())
        drawn[(y - 8) // 40 * 4 + (x - 8) // 80 + 1] = (
            group[0].attrib["fill"],
            group.find(f"{space}path") is not None,
        )
    white, black = svg.WHITE_PIECE.edge, svg.BLACK_PIECE.edge
    assert drawn == {18: (white, False), 24: (white, False), 10: (white, True), 12: (black, False), 22: (black, True)}
    numbers = [int(text.text or "") for text in root.iter(f"{space}text")]
    assert sorted([*numbers, *drawn]) == list(range(1, 33))
