"""Pictures of positions in SVG."""

from __future__ import annotations

from xml.etree import ElementTree

from extras.export import svg
from game.board import Position
from gui.look.theme import LIGHT


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
