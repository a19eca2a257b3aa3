"""Themes, and the sizes shared by all screens."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

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


def signed_colour(share: float, theme: Theme) -> Colour:
    """Return the colour of a number, given as a share of the largest on a symmetric scale, -1 to 1."""
    low, high = SIGNED[contrast(theme.panel, (255, 255, 255)) >= contrast(theme.panel, (0, 0, 0))]
    return mix(theme.panel, low if share < 0 else high, min(abs(share), 1.0))


# Plot lines differ in lightness as well as hue; they also have different dashes.
_PLOTS_LIGHT = tuple(map(rgb, ("1f6f54", "b4540a", "3b5ba5", "8a2f6b", "6b6459")))
_PLOTS_DARK = tuple(map(rgb, ("7fd1b0", "f0a35e", "9db8f2", "e39ac9", "b9b3a8")))

LIGHT = Theme(
    name="light",
    title="Light",
    background=rgb("f1eee8"),
    panel=rgb("fbfaf7"),
    line=rgb("ddd7cc"),
    text=rgb("26231f"),
    muted=rgb("6a645b"),
    control=rgb("f3f0ea"),
    control_hover=rgb("e8e3d9"),
    control_line=rgb("8b8479"),
    accent=rgb("2b6a51"),
    accent_hover=rgb("215742"),
    on_accent=rgb("ffffff"),
    selection=rgb("d5e6dc"),
    stripe=rgb("f5f2ec"),
    focus=rgb("1a5fb4"),
    good=rgb("2b6a51"),
    warning=rgb("8a5a00"),
    danger=rgb("a3261b"),
    tooltip=rgb("2b2824"),
    on_tooltip=rgb("f6f3ee"),
    square_light=rgb("f2e8d2"),
    square_dark=rgb("72977f"),
    frame=rgb("3d5347"),
    number=rgb("182a20"),
    last_from=rgb("c9b458"),
    last_to=rgb("e6c94a"),
    target=rgb("1f3a2c"),
    must=rgb("c65a12"),
    hint=rgb("1a5fb4"),
    black=PieceColours(rgb("34322f"), rgb("45423e"), rgb("191816"), rgb("232120"), rgb("0f0e0d"), rgb("f0d48a")),
    white=PieceColours(rgb("f7f1e3"), rgb("fffdf6"), rgb("c8bca2"), rgb("ddd2ba"), rgb("5c5344"), rgb("8a4b0f")),
    plots=_PLOTS_LIGHT,
)

DARK = Theme(
    name="dark",
    title="Dark",
    background=rgb("1c1e1f"),
    panel=rgb("262929"),
    line=rgb("3b3f3f"),
    text=rgb("ecebe6"),
    muted=rgb("b8b8b1"),
    control=rgb("313535"),
    control_hover=rgb("3c4141"),
    control_line=rgb("7e8583"),
    accent=rgb("7cc4a0"),
    accent_hover=rgb("95d5b4"),
    on_accent=rgb("10241a"),
    selection=rgb("2f4b3f"),
    stripe=rgb("2a2d2d"),
    focus=rgb("8ab8ff"),
    good=rgb("8ad3ae"),
    warning=rgb("f0b95c"),
    danger=rgb("ff9d94"),
    tooltip=rgb("ecebe6"),
    on_tooltip=rgb("1c1e1f"),
    square_light=rgb("b9b4a3"),
    square_dark=rgb("557060"),
    frame=rgb("2c3a33"),
    number=rgb("eef5f0"),
    last_from=rgb("a3984a"),
    last_to=rgb("d6bf4a"),
    target=rgb("f2f6f3"),
    must=rgb("ff9a4a"),
    hint=rgb("8ab8ff"),
    black=PieceColours(rgb("2a2a2b"), rgb("3d3d3f"), rgb("161617"), rgb("1b1b1c"), rgb("59595c"), rgb("f0d48a")),
    white=PieceColours(rgb("efe8d8"), rgb("faf5e9"), rgb("b9ad94"), rgb("d3c8b0"), rgb("453e32"), rgb("8a4b0f")),
    plots=_PLOTS_DARK,
)

HIGH_CONTRAST = Theme(
    name="contrast",
    title="High contrast",
    background=rgb("000000"),
    panel=rgb("000000"),
    line=rgb("ffffff"),
    text=rgb("ffffff"),
    muted=rgb("e6e6e6"),
    control=rgb("000000"),
    control_hover=rgb("333333"),
    control_line=rgb("ffffff"),
    accent=rgb("ffd800"),
    accent_hover=rgb("ffe766"),
    on_accent=rgb("000000"),
    selection=rgb("00429d"),
    stripe=rgb("141414"),
    focus=rgb("00e5ff"),
    good=rgb("7dffb0"),
    warning=rgb("ffd800"),
    danger=rgb("ff9c93"),
    tooltip=rgb("ffffff"),
    on_tooltip=rgb("000000"),
    square_light=rgb("ffffff"),
    square_dark=rgb("6a6a6a"),
    frame=rgb("000000"),
    number=rgb("ffffff"),
    last_from=rgb("0a56c2"),
    last_to=rgb("0a56c2"),
    target=rgb("ffd800"),
    must=rgb("ffd800"),
    hint=rgb("00e5ff"),
    black=PieceColours(rgb("000000"), rgb("000000"), rgb("000000"), rgb("ffffff"), rgb("ffffff"), rgb("ffffff")),
    white=PieceColours(rgb("ffffff"), rgb("ffffff"), rgb("ffffff"), rgb("000000"), rgb("000000"), rgb("000000")),
    plots=tuple(map(rgb, ("ffd800", "00e5ff", "ff9cf2", "7dffb0", "ffffff"))),
)

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

PIECES: dict[str, tuple[str, tuple[PieceColours, PieceColours] | None]] = {
    "theme": ("Theme", None),
    "red": (
        "Red and white",
        (
            PieceColours(rgb("a3211a"), rgb("b53a31"), rgb("6d120d"), rgb("7f1812"), rgb("2b0503"), rgb("ffe9a8")),
            LIGHT.white,
        ),
    ),
    "blue": (
        "Blue and yellow",
        (
            PieceColours(rgb("1c3f8c"), rgb("2f54a4"), rgb("112a61"), rgb("15316f"), rgb("081634"), rgb("ffe9a8")),
            PieceColours(rgb("ffdc5c"), rgb("ffe68a"), rgb("c9a52e"), rgb("dcb83e"), rgb("4f3f0a"), rgb("5a3a00")),
        ),
    ),
}
"""Titles and colours of the pieces of Black and White, by name in the settings; None for those of the theme."""


@functools.cache
def coloured(theme: Theme, board: str, pieces: str) -> Theme:
    """Return a theme with other colours of board and pieces; numbers and dots contrast with the squares."""
    squares, (_, sides) = BOARDS[board], PIECES[pieces]
    if squares.light is not None and squares.dark is not None:
        dark = squares.dark
        ink = max(DARK_INK, LIGHT_INK, key=lambda colour: contrast(colour, dark))
        frame = mix(dark, DARK_INK, 0.6)
        theme = replace(theme, square_light=squares.light, square_dark=dark, frame=frame, number=ink, target=ink)
    return theme if sides is None else replace(theme, black=sides[0], white=sides[1])


def with_colour(name: str, side: int, pieces: str) -> str:
    """Return the name of a side with the colour of its pieces if that is another one, such as ``Black (red)``."""
    title, sides = PIECES[pieces]
    colour = title.lower().split(" and ")[side] if sides else name.lower()
    return name if colour == name.lower() else f"{name} ({colour})"
