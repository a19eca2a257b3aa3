"""Themes, and the sizes shared by all screens."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

SMALL, BODY, TITLE, HEADING, DISPLAY = 12, 14, 17, 20, 34
"""Text sizes: captions and keys; body; titles of screens and cards; figures and large buttons; the program's name."""

LEAST_TEXT = 11
"""The smallest size to which labels shrink; text that still does not fit is cut."""

UNIT = 4
TIGHT, GAP, ROOM, EDGE, APART = UNIT, 2 * UNIT, 3 * UNIT, 4 * UNIT, 6 * UNIT
"""Spacing: within a group; between neighbours; inside panels; around screens; between halves of a screen."""

CONTROL, LARGE_CONTROL, MAIN_CONTROL = 36, 44, 68
"""Heights: buttons and fields; the main ones of a screen; buttons with a second line."""


Colour = tuple[int, int, int]


def rgb(text: str) -> Colour:
    return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """Mix two colours; `share` is the proportion of `b`, 0 to 1."""
    x, y, z = (round(p + (q - p) * share) for p, q in zip(a, b, strict=True))
    return x, y, z


@dataclass(frozen=True)
class PieceColours:
    """The colours of the pieces of one side.

    Attributes:
        face, rim, edge: the upper face, its raised rim, and the visible side below.
    """

    face: Colour
    rim: Colour
    edge: Colour
    groove: Colour
    outline: Colour
    crown: Colour


@dataclass(frozen=True)
class Theme:
    name: str
    title: str
    background: Colour
    panel: Colour
    line: Colour
    text: Colour
    muted: Colour
    control: Colour
    control_hover: Colour
    control_line: Colour
    accent: Colour
    accent_hover: Colour
    on_accent: Colour
    selection: Colour
    stripe: Colour
    focus: Colour
    good: Colour
    warning: Colour
    danger: Colour
    tooltip: Colour
    on_tooltip: Colour
    square_light: Colour
    square_dark: Colour
    frame: Colour
    number: Colour
    last_from: Colour
    last_to: Colour
    target: Colour
    must: Colour
    hint: Colour
    black: PieceColours
    white: PieceColours
    plots: tuple[Colour, ...]

    mix = staticmethod(mix)


def contrast(a: Colour, b: Colour) -> float:
    """Return the contrast ratio of two colours, 1 to 21. Source: WCAG 2.2, relative luminance."""

    def luminance(colour: Colour) -> float:
        parts = [c / 255 for c in colour]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


SIGNED = (rgb("a8480a"), rgb("1f559e")), (rgb("ffa352"), rgb("74b3ff"))
"""Orange for negative and blue for positive numbers, which everybody can distinguish: on light and on dark panels."""


def signed_colour(share: float, ground: Colour) -> Colour:
    """Return the colour of a number on a ground, given as a share of the largest on a symmetric scale, -1 to 1."""
    low, high = SIGNED[contrast(ground, (255, 255, 255)) >= contrast(ground, (0, 0, 0))]
    return mix(ground, low if share < 0 else high, min(abs(share), 1.0))


_COLOURS = {
    "background": ("f1eee8", "1c1e1f", "000000"),
    "panel": ("fbfaf7", "262929", "000000"),
    "line": ("ddd7cc", "3b3f3f", "ffffff"),
    "text": ("26231f", "ecebe6", "ffffff"),
    "muted": ("6a645b", "b8b8b1", "e6e6e6"),
    "control": ("f3f0ea", "313535", "000000"),
    "control_hover": ("e8e3d9", "3c4141", "333333"),
    "control_line": ("8b8479", "7e8583", "ffffff"),
    "accent": ("2b6a51", "7cc4a0", "ffd800"),
    "accent_hover": ("215742", "95d5b4", "ffe766"),
    "on_accent": ("ffffff", "10241a", "000000"),
    "selection": ("d5e6dc", "2f4b3f", "00429d"),
    "stripe": ("f5f2ec", "2a2d2d", "141414"),
    "focus": ("1a5fb4", "8ab8ff", "00e5ff"),
    "good": ("2b6a51", "8ad3ae", "7dffb0"),
    "warning": ("8a5a00", "f0b95c", "ffd800"),
    "danger": ("a3261b", "ff9d94", "ff9c93"),
    "tooltip": ("2b2824", "ecebe6", "ffffff"),
    "on_tooltip": ("f6f3ee", "1c1e1f", "000000"),
    "square_light": ("f2e8d2", "b9b4a3", "ffffff"),
    "square_dark": ("72977f", "557060", "6a6a6a"),
    "frame": ("3d5347", "2c3a33", "000000"),
    "number": ("182a20", "eef5f0", "ffffff"),
    "last_from": ("c9b458", "a3984a", "0a56c2"),
    "last_to": ("e6c94a", "d6bf4a", "0a56c2"),
    "target": ("1f3a2c", "f2f6f3", "ffd800"),
    "must": ("c65a12", "ff9a4a", "ffd800"),
    "hint": ("1a5fb4", "8ab8ff", "00e5ff"),
}
"""Colours of the light theme, of the dark one, and of the one of high contrast."""


def _piece(texts: str) -> PieceColours:
    return PieceColours(*map(rgb, texts.split()))


def _theme(number: int, name: str, title: str, *, black: str, white: str, plots: str) -> Theme:
    values: dict[str, Any] = {field: rgb(texts[number]) for field, texts in _COLOURS.items()}
    values |= {"black": _piece(black), "white": _piece(white), "plots": tuple(map(rgb, plots.split()))}
    return Theme(name=name, title=title, **values)


# Plot lines differ in lightness as well as hue; they also have different dashes.
LIGHT = _theme(
    0, "light", "Light",
    black="34322f 45423e 191816 232120 0f0e0d f0d48a",
    white="f7f1e3 fffdf6 c8bca2 ddd2ba 5c5344 8a4b0f",
    plots="1f6f54 b4540a 3b5ba5 8a2f6b 6b6459",
)  # fmt: skip
DARK = _theme(
    1, "dark", "Dark",
    black="2a2a2b 3d3d3f 161617 1b1b1c 59595c f0d48a",
    white="efe8d8 faf5e9 b9ad94 d3c8b0 453e32 8a4b0f",
    plots="7fd1b0 f0a35e 9db8f2 e39ac9 b9b3a8",
)  # fmt: skip
HIGH_CONTRAST = _theme(
    2, "contrast", "High contrast",
    black="000000 000000 000000 ffffff ffffff ffffff",
    white="ffffff ffffff ffffff 000000 000000 000000",
    plots="ffd800 00e5ff ff9cf2 7dffb0 ffffff",
)  # fmt: skip

THEMES = {theme.name: theme for theme in (LIGHT, DARK, HIGH_CONTRAST)}


@dataclass(frozen=True)
class BoardColours:
    """The colours of the squares; None for those of the theme."""

    title: str
    light: Colour | None = None
    dark: Colour | None = None


BOARDS = {
    "theme": BoardColours("Theme"),
    "brown": BoardColours("Brown", rgb("f0d9b5"), rgb("a9805a")),
    "blue": BoardColours("Blue", rgb("e3e8ec"), rgb("7393ad")),
    "grey": BoardColours("Grey", rgb("e8e8e8"), rgb("8c8c8c")),
}
"""Colours of the board, by name in the settings."""

TINCTURES = tuple(map(rgb, ("1f4e79", "7a1f2b", "1e5b3f", "4a2a6b", "8a4b0f", "12585c", "3a3f4b", "6b1f5c")))
METALS = tuple(map(rgb, ("f4ead2", "f5d570", "c9def2", "f6c9b5", "c9e6c5", "e2d0f2")))
"""The darkest and the lightest shades of emblems, by `tincture` and `metal` of `game.networks.emblem.Emblem`."""

DARK_INK, LIGHT_INK = rgb("14201a"), rgb("ffffff")


def ink_on(ground: Colour) -> Colour:
    return max(DARK_INK, LIGHT_INK, key=lambda colour: contrast(colour, ground))


PIECES: dict[str, tuple[str, tuple[PieceColours, PieceColours] | None]] = {
    "theme": ("Theme", None),
    "red": ("Red and white", (_piece("a3211a b53a31 6d120d 7f1812 2b0503 ffe9a8"), LIGHT.white)),
    "blue": (
        "Blue and yellow",
        (_piece("1c3f8c 2f54a4 112a61 15316f 081634 ffe9a8"), _piece("ffdc5c ffe68a c9a52e dcb83e 4f3f0a 5a3a00")),
    ),
}
"""Titles and colours of the pieces of Black and White, by name in the settings; None for those of the theme."""


@functools.cache
def coloured(theme: Theme, board: str, pieces: str) -> Theme:
    """Return a theme with other colours of board and pieces; numbers and dots contrast with the squares."""
    squares, (_, sides) = BOARDS[board], PIECES[pieces]
    if squares.light is not None and squares.dark is not None:
        dark, ink = squares.dark, ink_on(squares.dark)
        frame = mix(dark, DARK_INK, 0.6)
        theme = replace(theme, square_light=squares.light, square_dark=dark, frame=frame, number=ink, target=ink)
    return theme if sides is None else replace(theme, black=sides[0], white=sides[1])


def with_colour(name: str, side: int, pieces: str) -> str:
    """Return the name of a side with the colour of its pieces if that is another one, such as ``Black (red)``."""
    title, sides = PIECES[pieces]
    colour = title.lower().split(" and ")[side] if sides else name.lower()
    return name if colour == name.lower() else f"{name} ({colour})"
