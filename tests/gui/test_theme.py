"""Colours: texts can be read, and marks can be seen without colours."""

from __future__ import annotations

import pytest

from gui.geometry import Rect
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import BOARDS, HIGH_CONTRAST, PIECES, THEMES, Colour, Theme, coloured, contrast, with_colour
from gui.storage import settings
from gui.toolkit import pygame
from gui.widgets.base import ProgressBar, Ui
from gui.widgets.board import STRONGEST
from gui.widgets.weight_map import colour_of

COLOURED = pytest.mark.parametrize(
    "theme",
    [coloured(theme, board, pieces) for theme in THEMES.values() for board in BOARDS for pieces in PIECES],
    ids=[f"{theme}-{board}-{pieces}" for theme in THEMES for board in BOARDS for pieces in PIECES],
)
THEME = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
TEXT, TEXT_ENHANCED, PART = 4.5, 7.0, 3.0


def grey(colour: Colour) -> float:
    """Return how light a colour appears to a person who sees no colours."""
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


def test_contrast_of_black_and_white() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((255, 255, 255), (255, 255, 255)) == 1
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)


@THEME
def test_worth_of_pieces_is_legible(theme: Theme) -> None:
    least = TEXT_ENHANCED if theme is HIGH_CONTRAST else TEXT
    for share in (-1.0, 0.0, 1.0):
        assert contrast(theme.text, colour_of(STRONGEST * share, theme)) >= least


@pytest.mark.addition(
    "theme",
    "a `Theme` in `gui/look/theme.py`, and its name in `gui/storage/settings.py`",
)
@THEME
def test_text_can_be_read(theme: Theme) -> None:
    least = TEXT_ENHANCED if theme is HIGH_CONTRAST else TEXT
    grounds = (theme.background, theme.panel, theme.control, theme.control_hover, theme.stripe)
    for ground in grounds:
        assert contrast(theme.text, ground) >= least
        assert contrast(theme.muted, ground) >= TEXT
    for front, ground in (
        (theme.on_accent, theme.accent),
        (theme.on_accent, theme.accent_hover),
        (theme.on_tooltip, theme.tooltip),
        (theme.text, theme.selection),
        (theme.warning, theme.panel),
        (theme.danger, theme.panel),
        (theme.good, theme.panel),
    ):
        assert contrast(front, ground) >= TEXT
    for colour in theme.plots:
        assert contrast(colour, theme.panel) >= PART


@THEME
@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.7, 1.0])
def test_words_on_a_progress_bar_can_be_read(theme: Theme, share: float, display: None) -> None:
    words = pygame.Surface((300, 24))
    bar = ProgressBar(key="bar", rect=Rect(0, 0, 300, 24), share=share, text="Reading: 5,400 games")
    bar.draw(Canvas(words, Look(theme, 1.0, Fonts())), Ui())
    columns = [[tuple(words.get_at((x, y)))[:3] for y in range(2, 22)] for x in range(90, 210)]
    for start in range(0, len(columns), 12):  # wider than a letter, and letters have pixels of their plain colour
        seen = [max(contrast(pixel, column[0]) for pixel in column) for column in columns[start : start + 12]]
        assert max(seen) >= TEXT, start


@COLOURED
def test_controls_and_marks_can_be_seen(theme: Theme) -> None:
    for front, ground in (
        (theme.control_line, theme.panel),
        (theme.focus, theme.panel),
        (theme.focus, theme.background),
        (theme.accent, theme.panel),
        (theme.target, theme.square_dark),
    ):
        assert contrast(front, ground) >= PART
    assert contrast(theme.number, theme.square_dark) >= PART


@COLOURED
def test_pieces_and_squares_differ_in_lightness_alone(theme: Theme) -> None:
    assert grey(theme.white.face) - grey(theme.black.face) > 120
    assert abs(grey(theme.square_light) - grey(theme.square_dark)) > 50
    for colours in (theme.black, theme.white):
        # A piece stands out from its square by its face or by the line around it.
        ground = theme.square_dark
        assert max(contrast(colours.face, ground), contrast(colours.outline, ground)) >= 2.5
        assert contrast(colours.crown, colours.face) >= TEXT


def test_a_side_is_named_with_the_colour_of_its_pieces() -> None:
    sides = [[with_colour(name, side, pieces) for side, name in enumerate(("Black", "White"))] for pieces in PIECES]
    assert sides == [["Black", "White"], ["Black (red)", "White"], ["Black (blue)", "White (yellow)"]]


def test_settings_have_all_colours_of_board_and_pieces() -> None:
    assert (settings._ALLOWED["board"], settings._ALLOWED["pieces"]) == (tuple(BOARDS), tuple(PIECES))
    assert coloured(HIGH_CONTRAST, "theme", "theme") == HIGH_CONTRAST
