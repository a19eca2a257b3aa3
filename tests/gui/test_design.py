"""The design: names of sizes and colours, icons, and colours in which texts and marks can be seen."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.icons import DRAWINGS
from gui.look.theme import (
    BOARDS,
    HIGH_CONTRAST,
    PIECES,
    THEMES,
    Colour,
    Theme,
    coloured,
    contrast,
    ink_on,
    signed_colour,
    with_colour,
)
from gui.screens.play.analysis_panel import result_colours
from gui.toolkit import pygame
from gui.widgets.base import ProgressBar, Ui
from gui.widgets.board import STRONGEST
from gui.widgets.button import FADED
from tests.cases import for_each
from tests.sources import window_files

GUI = Path(__file__).parents[2] / "gui"
SCREENS = [path for path in window_files() if path.is_relative_to(GUI / "screens") or "gui.screens" in path.read_text()]

NUMBERS = (
    (re.compile(r"\bsize=\d"), "a size of text"),
    (re.compile(r"\bgap=(?:look\.)?px\(\d"), "a gap"),
    (re.compile(r"\.inset\((?:look\.|canvas\.)?px\(\d"), "a margin"),
    (re.compile(r"\b(?:wrap|height|size)\([^\n]*px\(1\d\)"), "a size of text"),
    (re.compile(r"\brgb\(|Colour\(|\(\d+, \d+, \d+\)"), "a colour"),
)
"""Sizes and colours that screens must give by name, not as numbers."""

MEANINGS = {
    "archive": {"archive"},
    "back": {"back"},
    "close": {"close"},
    "bar": {"evaluation-bar"},
    "board": {"set-up", "start", "show-game", "study-group"},
    "bolt": {"move-now"},
    "check": {"confirm", "take", "next-mistake"},
    "copy": {"copy", "copy-position", "copy-fen", "copy-picture"},
    "cycle": {"cycle"},
    "delete": {"forget", "delete", "remove"},
    "down": {"next", "next-game"},
    "draw": {"draw"},
    "equal": {"equal", "alike"},
    "erase": {"clear"},
    "evolution": {*("begin", "evolution", "evolve", "next-run", "pace", "play-evolving", "run", "session", "resume")},
    "eye": {"watch", "play", "answer", "first-last"},
    "family": {"example", "family", "its-family"},
    "file": {"recorded"},
    "first": {"first"},
    "flag": {"resign"},
    "flip": {"flip"},
    "graph": {"evolve-group"},
    "help": {"help"},
    "hint": {"hint"},
    "home": {"home"},
    "ladder": {"other", "climb", "level", "measure", "play-champion"},
    "last": {"newest"},
    "list": {"all-games", "all-runs", "explored", "whole", "table", "values"},
    "map": {"characters"},
    "menu": {"menu", "run-group"},
    "mute": {"sounds"},
    "next": {"next", "curve", "next-mistake"},
    "open": {"open", "open-file", "choose-games", "explored-file"},
    "paste": {"paste"},
    "pause": {"pause", "move", "play"},
    "people": {"two-players"},
    "person": {"choose", "opponent", "whose"},
    "play": {"play", "begin", "pause", "move", "open", "play-group"},
    "plus": {"new-game", "add-program"},
    "previous": {"previous", "return", "previous-mistake"},
    "redo": {"redo"},
    "rematch": {"again", "refresh", "rematch", "preset"},
    "resume": {"continue", "play-on"},
    "review": {"drills", "review", "review-all"},
    "save": {"save", "save-all", "send", "share"},
    "search": {"commands", "search"},
    "settings": {"settings"},
    "sound": {"sounds"},
    "stop": {"stop"},
    "swap": {"swap"},
    "tag": {"tags"},
    "tree": {"next-variation", "explore"},
    "undo": {"leave-variation", "take-back", "undo"},
    "up": {"above", "previous", "previous-game"},
    "worth": {"why"},
    "write": {"fen", "note", "type"},
}
"""The commands, by id, that may use each icon; whoever gives an icon to a command must add it here."""

TWICE = {"pause", "move", "play", "next", "previous", "next-mistake", "open", "sounds"}
"""Ids whose icon depends on the effect of the next press (play or pause), or that have two meanings on two screens."""


def commands(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the ids and icons of the commands in a module whose source gives both as constants."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "").lower() == "command":
            given = {each.arg: each.value for each in node.keywords}
            name, icon = given.get("id"), given.get("icon")
            if isinstance(name, ast.Constant) and icon is not None:
                for each in ast.walk(icon):
                    if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value:
                        yield str(name.value), each.value


@for_each("path", SCREENS)
def test_a_screen_names_its_sizes_and_colours(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [(what, result.group(0)) for wrong, what in NUMBERS for result in wrong.finditer(text)] == []


@pytest.mark.addition("icon", "a drawing in `gui/look/icons.py`, and its meaning in this test")
def test_an_icon_means_one_thing() -> None:
    outcome: dict[str, set[str]] = defaultdict(set)
    icons: dict[str, set[str]] = defaultdict(set)
    for path in window_files():
        for name, icon in commands(path) if "icon=" in path.read_text(encoding="utf-8") else ():
            outcome[icon].add(name)
            icons[name].add(icon)
    assert len(outcome) > 40
    assert {
        icon: ids - MEANINGS.get(icon, set()) for icon, ids in outcome.items() if ids - MEANINGS.get(icon, set())
    } == {}
    assert set(MEANINGS) <= set(DRAWINGS)
    assert {name: result for name, result in icons.items() if len(result) > 1 and name not in TWICE} == {}


@for_each("theme", THEMES.values())
def test_contrast_of_texts_is_sufficient(theme: Theme) -> None:
    pairs = {
        f"{name} on {ground}": (getattr(theme, name), getattr(theme, ground))
        for name in ("text", "muted", "warning", "danger", "good", "accent")
        for ground in ("background", "panel", "stripe", "selection")
    }
    pairs |= {f"muted on {name}": (theme.muted, getattr(theme, name)) for name in ("control", "control_hover")}
    pairs["text on tooltip"] = theme.on_tooltip, theme.tooltip
    for ground in ("accent", "accent_hover"):
        pairs[f"key on {ground}"] = theme.mix(theme.on_accent, theme.accent, FADED), getattr(theme, ground)
    pairs["key on control"] = theme.mix(theme.text, theme.control, FADED), theme.control_hover
    pairs["danger on control"] = theme.danger, theme.control_hover
    for name, (colour, ink) in zip(("black", "draws", "white"), result_colours(theme), strict=True):
        pairs[f"per cent on {name}"] = ink, colour
    pairs["number on square"] = theme.number, theme.square_dark
    assert {name: round(contrast(*pair), 2) for name, pair in pairs.items() if contrast(*pair) < 4.5} == {}


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


@COLOURED
def test_worth_of_pieces_is_legible(theme: Theme) -> None:
    least = TEXT_ENHANCED if theme is HIGH_CONTRAST else TEXT
    for colours in (theme.black, theme.white):
        plates = [signed_colour(STRONGEST * share, colours.face) for share in (-1.0, 0.0, 1.0)]
        assert min(contrast(ink_on(plate), plate) for plate in plates) >= least


@pytest.mark.addition(
    "theme", "a theme and its colours in `gui/look/theme.py`, and its name in `gui/storage/settings.py`"
)
@THEME
def test_text_can_be_read(theme: Theme) -> None:
    least = TEXT_ENHANCED if theme is HIGH_CONTRAST else TEXT
    for ground in (theme.background, theme.panel, theme.control, theme.control_hover, theme.stripe):
        assert contrast(theme.text, ground) >= least
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


@THEME
def test_the_scale_is_symmetric_and_its_ends_are_seen(theme: Theme) -> None:
    assert signed_colour(0.0, theme.panel) == theme.panel
    for end in (-1.0, 1.0):
        assert contrast(signed_colour(end, theme.panel), theme.panel) >= 3
        assert signed_colour(7 * end, theme.panel) == signed_colour(end, theme.panel)
    assert signed_colour(-0.5, theme.panel) != signed_colour(0.5, theme.panel)


def test_a_thin_line_on_a_transparent_picture_has_its_own_colour_at_its_edges() -> None:
    picture = pygame.Surface((40, 40), pygame.SRCALPHA, 32)
    shapes.lines(picture, (200, 210, 220), [(2, 3), (37, 30)], 1)
    drawn = [picture.get_at((x, y)) for x in range(40) for y in range(40)]
    assert all(min(colour[:3]) > 150 for colour in drawn if colour.a > 40) and any(colour.a > 40 for colour in drawn)
