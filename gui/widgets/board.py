"""The board: its geometry, moving pieces, arrows, and the widget that draws it and takes clicks and drags."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

from game.rules import BLACK, SQUARES
from gui.events import LEFT, RIGHT, Event, Key, Motion, Press, Release
from gui.geometry import Point, Rect, Size, between, column_of, row_of, square_at
from gui.look import shapes
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import Colour, Theme
from gui.model.lines import Piece
from gui.toolkit import pygame
from gui.widgets.base import Ui, Widget
from gui.widgets.weight_map import colour_of

FRAME = 0.16
"""Width of the board's frame as a share of a square."""

LEAST_CELL = 4
"""Minimum size of a square in pixels; in a smaller window the board extends beyond the edge."""


@dataclass(frozen=True)
class BoardGeometry:
    """A board in a rectangle."""

    outer: Rect
    cell: int
    flipped: bool

    @classmethod
    def within(cls, rect: Rect, flipped: bool) -> BoardGeometry:
        """Return the largest board that fits in the middle of a rectangle, with squares of whole pixels."""
        cell = max(min(rect.w, rect.h) // 8, LEAST_CELL)
        while cell > LEAST_CELL and 8 * cell + 2 * frame_of(cell) > min(rect.w, rect.h):
            cell -= 1
        side = 8 * cell + 2 * frame_of(cell)
        return cls(Rect(rect.x + (rect.w - side) // 2, rect.y + (rect.h - side) // 2, side, side), cell, flipped)

    @property
    def inner(self) -> Rect:
        return self.outer.inset(frame_of(self.cell))

    def place(self, row: int, column: int) -> Rect:
        if self.flipped:
            row, column = 7 - row, 7 - column
        return Rect(self.inner.x + column * self.cell, self.inner.y + row * self.cell, self.cell, self.cell)

    def rect(self, square: int) -> Rect:
        return self.place(row_of(square), column_of(square))

    def square(self, point: Point) -> int:
        if not self.inner.holds(point):
            return 0
        row, column = (point[1] - self.inner.y) // self.cell, (point[0] - self.inner.x) // self.cell
        return square_at(7 - row, 7 - column) if self.flipped else square_at(row, column)

    def next_square(self, square: int, key: str) -> int:
        """Return the dark square to which an arrow key moves; at the edge, the same one."""
        row, slot = (square - 1) // 4, (square - 1) % 4
        turn = -1 if self.flipped else 1
        row += {"up": -turn, "down": turn}.get(key, 0)
        slot += {"left": -turn, "right": turn}.get(key, 0)
        return 4 * min(max(row, 0), 7) + min(max(slot, 0), 3) + 1


def frame_of(cell: int) -> int:
    return max(round(cell * FRAME), 2)


FADE = 0.6
"""Share of a hop during which a captured piece fades out."""


@dataclass(frozen=True)
class Flight:
    """A move that is being animated.

    Attributes:
        piece: the piece as it looks on its way; a man becomes a king on arrival.
        captured: for each hop, the square and the piece that is jumped; None for a simple step.
        seconds: duration of one hop.
        elapsed: seconds since it started.
    """

    piece: Piece
    hops: tuple[int, ...]
    captured: tuple[tuple[int, Piece] | None, ...]
    seconds: float
    elapsed: float = 0.0

    @classmethod
    def of(cls, pieces: Mapping[int, Piece], hops: tuple[int, ...], seconds: float) -> Flight | None:
        """Return the flight of a piece over these squares; None if there is nothing to animate."""
        if seconds <= 0 or len(hops) < 2 or hops[0] not in pieces:
            return None
        captured: list[tuple[int, Piece] | None] = []
        for start, end in pairwise(hops):
            jumped = between(start, end)
            captured.append((jumped, pieces[jumped]) if jumped in pieces else None)
        return cls(pieces[hops[0]], hops, tuple(captured), seconds)

    def after(self, dt: float) -> Flight:
        return Flight(self.piece, self.hops, self.captured, self.seconds, self.elapsed + dt)

    @property
    def done(self) -> bool:
        return self.elapsed >= self.seconds * (len(self.hops) - 1)

    @property
    def hop(self) -> int:
        return min(int(self.elapsed / self.seconds), len(self.hops) - 2)

    def position(self) -> tuple[float, float]:
        """Return the present row and column; each hop starts and ends slowly."""
        hop = self.hop
        share = min(max(self.elapsed / self.seconds - hop, 0.0), 1.0)
        eased = share * share * (3 - 2 * share)
        start, end = self.hops[hop], self.hops[hop + 1]
        row = row_of(start) + (row_of(end) - row_of(start)) * eased
        return row, column_of(start) + (column_of(end) - column_of(start)) * eased

    def standing(self) -> dict[int, tuple[Piece, float]]:
        """Return the captured pieces that are still visible, with their opacity from 0 to 1."""
        now = self.elapsed / self.seconds
        pieces = {}
        for hop, jumped in enumerate(self.captured):
            if jumped is not None:
                gone = (now - hop - 0.5) / FADE
                if gone < 1:
                    pieces[jumped[0]] = (jumped[1], 1.0 - max(gone, 0.0))
        return pieces


SHARPER = ((48, 3), (150, 2))
"""Pairs of a size in pixels and a factor: on squares smaller than this size, arrows are drawn larger by the factor and
then scaled down. On larger squares jagged edges are invisible, and scaling would double the time of drawing."""

EDGE = 0.3
"""Share of a square by which an arrow extends beyond its points."""


def draw_arrow(
    surface: Any, points: Sequence[Point], cell: int, colour: Colour, outline: Colour, opacity: float = 1.0
) -> None:
    """Draw an arrow along points, with a thin outline that stands out from any square and piece.

    Args:
        points: two or more, from the start over all hops to the end.
    """
    left, top, edge = min(x for x, _ in points), min(y for _, y in points), round(EDGE * cell)
    arrow = _arrow(tuple((x - left, y - top) for x, y in points), cell, colour, outline, round(255 * opacity))
    surface.blit(arrow, (left - edge, top - edge))


@lru_cache(maxsize=96)
def _arrow(points: tuple[Point, ...], cell: int, colour: Colour, outline: Colour, alpha: int) -> Any:
    """Return the arrow as a surface that extends `EDGE` beyond its points, in a format that skips empty pixels."""
    arrow = _opaque(points, cell, colour, outline).copy()
    if alpha < 255:
        arrow.fill((255, 255, 255, alpha), special_flags=pygame.BLEND_RGBA_MULT)
    arrow.set_alpha(255, pygame.RLEACCEL)
    return arrow


@lru_cache(maxsize=32)
def _opaque(points: tuple[Point, ...], cell: int, colour: Colour, outline: Colour) -> Any:
    """Return the opaque arrow; it is cached, because there are few directions and lengths."""
    edge, finer = round(EDGE * cell), next((finer for below, finer in SHARPER if cell < below), 1)
    size = max(x for x, _ in points) + 2 * edge + 1, max(y for _, y in points) + 2 * edge + 1
    places = [((x + edge) * finer, (y + edge) * finer) for x, y in points]
    (x, y), (u, v) = places[-2], places[-1]
    angle, unit = math.atan2(v - y, u - x), cell * finer
    tip = (u + 0.12 * unit * math.cos(angle), v + 0.12 * unit * math.sin(angle))
    head = [tip]
    for turn in (2.5, -2.5):
        head.append((tip[0] + 0.38 * unit * math.cos(angle + turn), tip[1] + 0.38 * unit * math.sin(angle + turn)))
    large = pygame.Surface((size[0] * finer, size[1] * finer), pygame.SRCALPHA, 32)
    large.fill((*outline, 0))
    for shade, more in ((outline, 0.05 * unit), (colour, 0.0)):
        _strip(large, shade, places, 0.1 * unit + more)
        pygame.draw.polygon(large, shade, head)
        if more:
            pygame.draw.lines(large, shade, True, head, round(more))
            for corner in head:
                pygame.draw.circle(large, shade, corner, more / 2)
    return pygame.transform.smoothscale(large, size) if finer > 1 else large


def _strip(surface: Any, colour: Colour, points: Sequence[tuple[float, float]], width: float) -> None:
    for (x, y), (u, v) in pairwise(points):
        along = max(math.hypot(u - x, v - y), 1e-9)
        dx, dy = -(v - y) / along * width / 2, (u - x) / along * width / 2
        pygame.draw.polygon(surface, colour, [(x + dx, y + dy), (u + dx, v + dy), (u - dx, v - dy), (x - dx, y - dy)])
    for point in points:
        pygame.draw.circle(surface, colour, point, width / 2)


OUTSIDE = -1
"""The square of a piece that was dropped outside the board."""

ARROWS = ("left", "right", "up", "down")

STRONGEST = 0.44
"""Largest share of a colour on plates that leaves their text readable in all themes."""

PLAYED = 0.6
"""Opacity of the move that was a mistake."""

Worth = tuple[str, float]
"""The worth of a piece to a player: as text, and as a number from -1 to 1 for its colour."""


@dataclass(frozen=True)
class BoardMarks:
    """The marks on the board, by square.

    Attributes:
        last: squares of the last move, in order; its start and end are marked differently.
        captured: the pieces that the chosen one has jumped so far, which are drawn faintly.
        targets: squares to which it can step or hop next; `finals` are the squares where its whole move can end.
        must: pieces that can capture, one of which must do so.
        refused: a square that was just refused; 0 for none.
        better, played: the better move in place of a mistake, and the mistake.
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

    # Reacting -----------------------------------------------------------------------------------------------------

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

    # Drawing ------------------------------------------------------------------------------------------------------

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        geometry, marks, hand = self.geometry, self.marks, ui.recall(self, Hand)
        theme, cell = canvas.theme, geometry.cell
        flying = self.flight.hops[-1] if self.flight else 0
        lifted = hand.dragged if hand.moved else 0
        fading = self.flight.standing() if self.flight else {}
        captured = tuple(item for item in marks.captured.items() if item[0] not in fading)
        pieces = tuple(item for item in self.pieces.items() if item[0] not in (flying, lifted))
        still = _Still(geometry.cell, self.flipped, self.numbers, marks.last, marks.selected, captured, pieces)
        canvas.surface.blit(_picture(still, canvas.look, canvas.colour_at(geometry.outer[:2])), geometry.outer[:2])
        for square, (piece, opacity) in fading.items():
            _draw_piece(canvas, geometry.rect(square), piece, opacity)
        self._draw_worth(canvas, geometry)
        self._draw_choices(canvas, geometry)
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
        """Draw a plate on each piece, coloured by the sign and size of its number."""
        cell = geometry.cell
        texts = [(square, text, share) for square, (text, share) in self.marks.worth.items() if square in self.pieces]
        if not texts:
            return
        wide, high = cell - cell // 6, max(cell * 3 // 10, 10)
        longest = max((text for _, text, _ in texts), key=len)
        size = canvas.px(canvas.fitting(longest, wide - 2, round(cell * 0.23 / canvas.px(100) * 100), bold=True))
        for square, text, share in texts:
            place = geometry.rect(square)
            plate = _plate(text, round(20 * share) / 20, (wide, high), size, canvas.theme, canvas.look.fonts)
            canvas.surface.blit(plate, (place.x + cell // 12, place.y + cell * 17 // 30))

    def _draw_choices(self, canvas: Canvas, geometry: BoardGeometry) -> None:
        marks, theme, cell = self.marks, canvas.theme, geometry.cell
        for square in marks.must:
            if square != marks.selected:
                ring = shapes.dashed_ring(round(cell * 0.94), theme.must, max(cell / 18, 2))
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
            pygame.draw.rect(canvas.surface, theme.danger, place, max(cell // 18, 2))
            x, y = place.right - cell * 0.2, place.y + cell * 0.2
            arm = cell * 0.09
            shapes.lines(canvas.surface, theme.danger, [(x - arm, y - arm), (x + arm, y + arm)], width)
            shapes.lines(canvas.surface, theme.danger, [(x + arm, y - arm), (x - arm, y + arm)], width)

    def _draw_arrows(self, canvas: Canvas, geometry: BoardGeometry) -> None:
        theme, marks = canvas.theme, self.marks
        single = (marks.hint, theme.hint, 1.0), (marks.played, theme.danger, PLAYED), (marks.better, theme.good, 1.0)
        for path, colour, opacity in single:
            if path:
                points = [geometry.rect(square).centre for square in path]
                draw_arrow(canvas.surface, points, geometry.cell, colour, theme.panel, opacity)


@dataclass(frozen=True)
class _Still:
    """The parts of a board that do not move, as in `BoardMarks`; it is drawn once for many frames."""

    cell: int
    flipped: bool
    numbers: bool
    last: tuple[int, ...]
    selected: int
    captured: tuple[tuple[int, Piece], ...]
    pieces: tuple[tuple[int, Piece], ...]

    def draw(self, canvas: Canvas, geometry: BoardGeometry) -> None:
        theme = canvas.theme
        self._draw_last(canvas, geometry)
        if self.selected:
            place = geometry.rect(self.selected)
            canvas.fill(place, theme.mix(theme.square_dark, theme.target, 0.28))
            pygame.draw.rect(canvas.surface, theme.target, place, max(self.cell // 24, 2))
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
        width = max(self.cell // 16, 2)
        canvas.fill(geometry.rect(last[-1]), theme.last_to)
        place = geometry.rect(last[0])
        if last[0] != last[-1]:
            pygame.draw.rect(canvas.surface, theme.last_from, place, width)
        for square in last[1:-1]:
            if square not in (last[0], last[-1]):
                side = max(self.cell // 5, 3)
                mark = shapes.disc(side, theme.last_from)
                x, y = geometry.rect(square).centre
                canvas.surface.blit(mark, (x - mark.get_width() // 2, y - mark.get_height() // 2))

    def _draw_numbers(self, canvas: Canvas, geometry: BoardGeometry) -> None:
        """Draw the numbers of squares again where marks have covered them."""
        theme = canvas.theme
        for square in {self.selected, *self.last[:1], *self.last[-1:]} - {0}:
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
def _plate(text: str, share: float, size: Size, letters: int, theme: Theme, fonts: Fonts) -> Any:
    surface = pygame.Surface(size)
    surface.fill(colour_of(STRONGEST * share, theme))
    drawn = fonts.render(text, letters, theme.text, bold=True)
    surface.blit(drawn, ((size[0] - drawn.get_width()) // 2, (size[1] - drawn.get_height()) // 2))
    pygame.draw.rect(surface, theme.line, surface.get_rect(), 1)
    return surface


def _number(surface: Any, fonts: Fonts, place: Rect, square: int, colour: Colour) -> None:
    size = max(round(place.w * 0.16), 9)
    text = fonts.render(str(square), size, colour, bold=True)
    edge = max(place.w // 30, 1)
    surface.blit(text, (place.x + edge, place.y + edge - size // 6))
