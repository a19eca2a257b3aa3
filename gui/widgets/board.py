"""The board: the widget that draws it and takes clicks and drags."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

from game.rules import BLACK, SQUARES
from gui.events import LEFT, RIGHT, Event, Key, Motion, Press, Release
from gui.geometry import Point, Rect, Size
from gui.look import shapes
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import Colour, PieceColours, Theme, contrast, ink_on, signed_colour
from gui.model.lines import Piece
from gui.toolkit import pygame
from gui.widgets.base import Ui, Widget
from gui.widgets.board_parts import RIM, BoardGeometry, Flight, draw_arrow, frame_of, on_the_way

OUTSIDE = -1
"""The square of a piece that was dropped outside the board."""

ARROWS = ("left", "right", "up", "down")

STRONGEST = 0.24
"""Largest share of a colour on plates that leaves their text readable in all themes."""

LEAST_CONTRAST = 2.0
"""The contrast of a man with the ground below which it has a rim."""

Worth = tuple[str, float]
"""The worth of a piece to a player: as text, empty for no mark, and as a number from -1 to 1 for its colour."""


@dataclass(frozen=True)
class BoardMarks:
    """The marks on the board, by square.

    Attributes:
        last: squares of the last move, in order; its start and end are marked differently.
        captured: the pieces that the chosen one has jumped so far, which are drawn faintly.
        targets: squares to which it can step or hop next; `finals` are the squares where its whole move can end.
        must: pieces that can capture, one of which must do so.
        refused: a square that was just refused; 0 for none.
        better, played: the better move in place of a mistake, and the mistake or, after a try, its refutation.
    """

    last: tuple[int, ...] = ()
    selected: int = 0
    captured: Mapping[int, Piece] = field(default_factory=dict)
    targets: Collection[int] = ()
    finals: Collection[int] = ()
    movable: Collection[int] = ()
    must: Collection[int] = ()
    refused: int = 0
    hint: tuple[int, ...] = ()
    better: tuple[int, ...] = ()
    played: tuple[int, ...] = ()
    worth: Mapping[int, Worth] = field(default_factory=dict)


@dataclass
class Hand:
    """The state of the mouse and the arrow keys on the board.

    Attributes:
        before: whether it was already chosen when the mouse button was pressed on it.
    """

    dragged: int = 0
    moved: bool = False
    before: bool = False
    at: Point = (0, 0)
    cursor: int = 0


@dataclass(frozen=True, kw_only=True)
class BoardWidget(Widget):
    """A board with pieces.

    Attributes:
        flight: a moving piece, which is not drawn on its last square.
        grab: called with the square of a piece on which the mouse button is pressed; returns whether it can be dragged.
        drop: called with the square on which a dragged piece is released; 0 for a light one, `OUTSIDE` off the board.
        tap: called with the square of a clicked piece; if None, a click on a chosen one calls `touch`.
        touch: called with any other square on a click or Enter; 0 for a light one.
    """

    focusable: ClassVar[bool] = True

    pieces: Mapping[int, Piece]
    flipped: bool = False
    numbers: bool = True
    marks: BoardMarks = field(default_factory=BoardMarks)
    flight: Flight | None = None
    grab: Callable[[int], bool] = lambda square: False
    drop: Callable[[int], object] = lambda square: None
    tap: Callable[[int], object] | None = None
    touch: Callable[[int], object] = lambda square: None
    other: Callable[[int], object] = lambda square: None

    @property
    def geometry(self) -> BoardGeometry:
        return BoardGeometry.within(self.rect, self.flipped)

    def handle(self, event: Event, ui: Ui) -> bool:
        hand = ui.recall(self, Hand)
        if isinstance(event, Press):
            return self._press(event, hand)
        if isinstance(event, Motion):
            return self._motion(event, hand)
        if isinstance(event, Release) and event.button == LEFT:
            return self._release(event, hand)
        return isinstance(event, Key) and self._key(event.name, hand, ui)

    def _press(self, event: Press, hand: Hand) -> bool:
        square = self.geometry.square(event.at)
        hand.at, hand.moved = event.at, False
        if event.button == RIGHT:
            self.other(square)
        elif event.button == LEFT:
            hand.cursor = square or hand.cursor
            hand.before = square != 0 and square == self.marks.selected
            hand.dragged = 0
            if square in self.pieces and square not in self.marks.targets:
                if self.grab(square):
                    hand.dragged = square
            else:
                self.touch(square)
        return True

    def _motion(self, event: Motion, hand: Hand) -> bool:
        hand.at = event.at
        if not hand.dragged:
            return False
        place = self.geometry.rect(hand.dragged).inset(self.geometry.cell // 6)
        hand.moved = hand.moved or not place.holds(event.at)
        return True

    def _release(self, event: Release, hand: Hand) -> bool:
        dragged, hand.dragged = hand.dragged, 0
        if dragged:
            square = self.geometry.square(event.at)
            if square == dragged and not hand.moved:
                if hand.before or self.tap is not None:
                    (self.tap or self.touch)(square)
            else:
                self.drop(square if self.rect.holds(event.at) else OUTSIDE)
        return True

    def _key(self, name: str, hand: Hand, ui: Ui) -> bool:
        if name in ARROWS:
            if not ui.focus_shown:  # after a click, arrow keys step through the game
                return False
            start = hand.cursor or self.marks.selected or next(iter(sorted(self.marks.movable)), 0)
            hand.cursor = self.geometry.next_square(start, name) if hand.cursor else start or 1
            return True
        if name in ("return", "space") and hand.cursor and ui.focus_shown:
            self.touch(hand.cursor)
            return True
        return False

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        geometry, marks, hand = self.geometry, self.marks, ui.recall(self, Hand)
        theme, cell = canvas.theme, geometry.cell
        flying = self.flight.hops[-1] if self.flight else 0
        lifted = hand.dragged if hand.moved else 0
        fading = self.flight.standing() if self.flight else {}
        captured = tuple(item for item in marks.captured.items() if item[0] not in fading)
        pieces = tuple(item for item in self.pieces.items() if item[0] not in (flying, lifted))
        squares = marks.last, marks.selected, marks.refused
        still = _Still(geometry.cell, self.flipped, self.numbers, *squares, captured, pieces)
        canvas.surface.blit(_picture(still, canvas.look, canvas.colour_at(geometry.outer[:2])), geometry.outer[:2])
        for square, (piece, opacity) in fading.items():
            _draw_piece(canvas, geometry.rect(square), piece, opacity)
        self._draw_choices(canvas, geometry)
        self._draw_worth(canvas, geometry)
        self._draw_arrows(canvas, geometry)
        if ui.has_focus(self) and hand.cursor and ui.focus_shown:
            width = max(cell // 14, 2)
            pygame.draw.rect(canvas.surface, theme.focus, geometry.rect(hand.cursor), width)
        if self.flight is not None:
            row, column = self.flight.position()
            place = geometry.place(0, 0)
            turn = -1 if self.flipped else 1
            x, y = place.x + round(turn * column * cell), place.y + round(turn * row * cell)
            _draw_piece(canvas, Rect(x, y, cell, cell), self.flight.piece, lifted=True)
        if lifted and lifted in self.pieces:
            spot = Rect(hand.at[0] - cell // 2, hand.at[1] - cell // 2, cell, cell)
            _draw_piece(canvas, spot, self.pieces[lifted], lifted=True)
        if ui.has_focus(self) and not hand.cursor:
            ui.ring(canvas, self, 4, geometry.outer)

    def _draw_worth(self, canvas: Canvas, geometry: BoardGeometry) -> None:
        cell = geometry.cell
        texts = [(square, text, share) for square, (text, share) in self.marks.worth.items()
                 if text and square in self.pieces]  # fmt: skip
        if not texts:
            return
        most, high = cell - cell // 6, max(cell // 4, 10)
        longest = max((text for _, text, _ in texts), key=len)
        wanted = canvas.fitting(longest, most - 2, round(max(cell * 0.19, 10) / canvas.px(100) * 100), bold=True)
        size, wide = canvas.px(wanted), min(canvas.width(longest, wanted, bold=True) + cell // 8, most)
        for square, text, share in texts:
            place = geometry.rect(square)
            piece = self.pieces[square]
            face = (canvas.theme.black if piece.side == BLACK else canvas.theme.white).face
            plate = _plate(text, round(20 * share) / 20, (wide, high), size, face, canvas.look.fonts)
            below = cell * 4 // 25 if piece.king else 0  # a king keeps its crown
            canvas.surface.blit(plate, (place.x + (cell - wide) // 2, place.y + (cell - high) // 2 + below))

    def _draw_choices(self, canvas: Canvas, geometry: BoardGeometry) -> None:
        marks, theme, cell = self.marks, canvas.theme, geometry.cell
        for square in marks.must:
            if square != marks.selected:
                ring = shapes.dashed_ring(round(cell * 0.88), theme.must, max(cell / 18, 2))
                canvas.surface.blit(ring, geometry.rect(square).centre_within(*ring.get_size())[:2])
        for square in marks.targets:
            spot = shapes.disc(max(cell // 3, 4), theme.target)
            canvas.surface.blit(spot, geometry.rect(square).centre_within(*spot.get_size())[:2])
        for square in marks.finals:
            if square not in marks.targets:
                spot = shapes.disc(max(cell // 3, 4), None, theme.target, max(cell // 16, 2))
                canvas.surface.blit(spot, geometry.rect(square).centre_within(*spot.get_size())[:2])
        if marks.refused:
            place, width = geometry.rect(marks.refused), max(cell // 12, 2)
            x, y = place.right - cell * 0.2, place.y + cell * 0.2
            arm = cell * 0.09
            shapes.lines(canvas.surface, theme.danger, [(x - arm, y - arm), (x + arm, y + arm)], width)
            shapes.lines(canvas.surface, theme.danger, [(x + arm, y - arm), (x - arm, y + arm)], width)

    def _draw_arrows(self, canvas: Canvas, geometry: BoardGeometry) -> None:
        theme, marks = canvas.theme, self.marks
        for path, colour in (marks.hint, theme.hint), (marks.played, theme.danger), (marks.better, theme.good):
            if path:
                points = [geometry.rect(square).centre for square in path]
                for at, beside in (0, 1), (-1, -2):
                    if path[at] in self.pieces:  # which it does not cover
                        points[at] = on_the_way(points[at], points[beside], RIM * geometry.cell)
                draw_arrow(canvas.surface, points, geometry.cell, colour, theme.panel)
                for one, other in pairwise(path) if self.numbers else ():
                    a, b = geometry.rect(one), geometry.rect(other)
                    if (a.x < b.x) == (a.y < b.y):  # it crosses the number of the lower square
                        place, square = max((a, one), (b, other), key=lambda each: each[0].y)
                        _number(canvas.surface, canvas.look.fonts, place, square, theme.number, theme.square_dark)


@dataclass(frozen=True)
class _Still:
    """The parts of a board that do not move, as in `BoardMarks`; it is drawn once for many frames."""

    cell: int
    flipped: bool
    numbers: bool
    last: tuple[int, ...]
    selected: int
    refused: int
    captured: tuple[tuple[int, Piece], ...]
    pieces: tuple[tuple[int, Piece], ...]

    def draw(self, canvas: Canvas, geometry: BoardGeometry) -> None:
        theme = canvas.theme
        self._draw_last(canvas, geometry)
        if self.selected:
            place = geometry.rect(self.selected)
            canvas.fill(place, theme.mix(theme.square_dark, theme.target, 0.28))
            pygame.draw.rect(canvas.surface, theme.target, place, max(self.cell // 24, 2))
        if self.refused:
            pygame.draw.rect(canvas.surface, theme.danger, geometry.rect(self.refused), max(self.cell // 22, 2))
        for square, piece in self.captured:
            _draw_piece(canvas, geometry.rect(square), piece, 0.35)
        for square, piece in self.pieces:
            _draw_piece(canvas, geometry.rect(square), piece)
        if self.numbers:
            self._draw_numbers(canvas, geometry)

    def _draw_last(self, canvas: Canvas, geometry: BoardGeometry) -> None:
        """Draw the last move: a frame at its start, a filled square at its end, and dots between them."""
        last, theme = self.last, canvas.theme
        if len(last) < 2:
            return
        canvas.fill(geometry.rect(last[-1]), theme.last_to)
        place = geometry.rect(last[0])
        if last[0] != last[-1]:
            pygame.draw.rect(canvas.surface, theme.last_from, place, max(self.cell // 22, 2))
        for square in last[1:-1]:
            if square not in (last[0], last[-1]):
                side = max(self.cell // 5, 3)
                mark = shapes.disc(side, theme.last_from)
                x, y = geometry.rect(square).centre
                canvas.surface.blit(mark, (x - mark.get_width() // 2, y - mark.get_height() // 2))

    def _draw_numbers(self, canvas: Canvas, geometry: BoardGeometry) -> None:
        """Draw the numbers of squares again where marks have covered them."""
        theme = canvas.theme
        for square in {self.selected, self.refused, *self.last[:1], *self.last[-1:]} - {0}:
            on_mark = square in self.last[-1:] and theme.name == "dark"
            colour = theme.background if on_mark else theme.number
            _number(canvas.surface, canvas.look.fonts, geometry.rect(square), square, colour)


@lru_cache(maxsize=4)
def _picture(still: _Still, look: Look, behind: Colour) -> Any:
    """Return an opaque picture, which is copied four times as fast as a transparent one.

    Args:
        behind: the colour outside the round corners.
    """
    surface = _squares(still.cell, still.flipped, still.numbers, look.theme, look.fonts, behind).copy()
    still.draw(Canvas(surface, look), BoardGeometry(Rect(0, 0, *surface.get_size()), still.cell, still.flipped))
    return surface


def _draw_piece(canvas: Canvas, place: Rect, piece: Piece, opacity: float = 1.0, *, lifted: bool = False) -> None:
    colours = canvas.theme.black if piece.side == BLACK else canvas.theme.white
    if lifted:
        canvas.surface.blit(shapes.piece_shadow(place.w), (place.x, place.y + place.h // 14))
        place = place.move(0, -place.h // 20)
    sprite = shapes.piece(place.w, piece.king, colours)
    if opacity < 1:
        sprite = sprite.copy()
        sprite.set_alpha(round(255 * opacity))
    canvas.surface.blit(sprite, place[:2])


@lru_cache(maxsize=2)
def _squares(cell: int, flipped: bool, numbers: bool, theme: Theme, fonts: Fonts, behind: Colour) -> Any:
    side = 8 * cell + 2 * frame_of(cell)
    geometry = BoardGeometry(Rect(0, 0, side, side), cell, flipped)
    surface = pygame.Surface(geometry.outer[2:])
    surface.fill(behind)
    border = theme.line if theme.name == "contrast" else None
    shapes.draw_rounded(surface, geometry.outer, max(frame_of(cell) // 2, 2), theme.frame, border)
    pygame.draw.rect(surface, theme.square_light, geometry.inner)
    for square in range(1, SQUARES + 1):
        place = geometry.rect(square)
        pygame.draw.rect(surface, theme.square_dark, place)
        if numbers:
            _number(surface, fonts, place, square, theme.number)
    return surface


@lru_cache(maxsize=256)
def _plate(text: str, share: float, size: Size, letters: int, face: Colour, fonts: Fonts) -> Any:
    surface = pygame.Surface(size, pygame.SRCALPHA)
    colour = signed_colour(STRONGEST * share, face)
    surface.fill((*colour, 0))
    shapes.draw_rounded(surface, Rect(0, 0, *size), size[1] // 2, colour)
    drawn = fonts.render(text, letters, ink_on(colour), bold=True)
    surface.blit(drawn, ((size[0] - drawn.get_width()) // 2, (size[1] - drawn.get_height()) // 2))
    return surface


def _number(surface: Any, fonts: Fonts, place: Rect, square: int, colour: Colour, ground: Colour | None = None) -> None:
    text = fonts.render(str(square), max(round(place.w * 0.13), 8), colour, bold=True)
    edge, ink = max(place.w // 20, 2), text.get_bounding_rect()
    if ground is not None:
        shapes.draw_rounded(surface, Rect(place.x + edge, place.y + edge, ink.w, ink.h).inset(1 - edge), edge, ground)
    surface.blit(text, (place.x + edge - ink.x, place.y + edge - ink.y))


def draw_man(canvas: Canvas, side: int, colours: PieceColours, place: tuple[int, int]) -> None:
    """Draw a man beside a name, with a light rim where it would vanish in the ground."""
    theme = canvas.theme
    canvas.surface.blit(shapes.piece(side, False, colours), place)
    if contrast(colours.face, theme.background) < LEAST_CONTRAST:
        rim = shapes.disc(round(side * shapes.ROUND) + 2, None, theme.muted, 1)
        wide, high = rim.get_size()
        canvas.surface.blit(rim, (place[0] + (side - wide) // 2, place[1] + (side - high) // 2))
