"""The files of which pages are made, and data in them, which may contain any text.

All pages share one style sheet: colours and pieces of the window's light and dark theme, of which the system chooses,
its typeface, and `page/page.css`.
"""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from extras.export.svg import PIECE, as_hex, light_svg, piece_svg
from game.networks.emblem import LEVELS, Emblem
from gui.look.theme import DARK, LIGHT, METALS, TINCTURES, PieceColours, Theme, mix


def escaped(text: str) -> str:
    """Return a text for an element; what UTF-8 cannot hold, as in the name of a file, becomes a question mark."""
    return html.escape(text.encode(errors="replace").decode())


def as_script(data: Any) -> str:
    """Return JSON that is safe inside a script element: nothing in it looks like a tag or a comment."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


FOLDER = Path(__file__).with_name("page")
"""The folder of the files of which pages are made."""

WEIGHTS = {"Regular": 400, "SemiBold": 600}
"""Files of the typeface and their weights.

They are subsets of those in `gui/fonts`, under the same licence, made with fontTools (and Brotli)::

    fonttools subset gui/fonts/Inter-Regular.otf --output-file=extras/export/page/Inter-Regular.woff2 \
        --unicodes=20-7E,A0,AB,B7,BB,C0-FF,2013,2014,2019,201C,201D,2026,2039,203A,2190-2193,2212 --flavor=woff2 \
        --layout-features=tnum --no-hinting --desubroutinize --name-IDs=0,1,2,13,14
"""


def style() -> str:
    fonts = ""
    for name, weight in WEIGHTS.items():
        letters = base64.b64encode(FOLDER.joinpath(f"Inter-{name}.woff2").read_bytes()).decode()
        face = f"font-family: Inter; font-weight: {weight}; src: url(data:font/woff2;base64,{letters})"
        fonts += f"@font-face {{ {face}; }}\n"
    figures = "--figures: invert(1) hue-rotate(180deg);"  # black on nothing becomes white, and hues stay
    dark = f"@media (prefers-color-scheme: dark) {{\n:root {{ {_variables(DARK)} {figures} }}\n}}\n"
    return f"{fonts}:root {{ color-scheme: light dark; {_variables(LIGHT)} }}\n{dark}{source('page.css')}"


def _variables(theme: Theme) -> str:
    """Return the colours and pieces of a theme as variables, such as ``--on-accent``."""
    values = {
        name: as_hex(colour) for name, colour in vars(theme).items() if isinstance(colour, tuple) and name != "plots"
    }
    values |= {f"plot_{number}": as_hex(colour) for number, colour in enumerate(theme.plots)}
    for side, colours in (("black", theme.black), ("white", theme.white)):
        values |= {f"{side}_face": as_hex(colours.face), f"{side}_crown": as_hex(colours.crown)}
        values |= {f"{side}_man": _picture(colours, king=False), f"{side}_king": _picture(colours, king=True)}
    return " ".join(f"--{name.replace('_', '-')}: {value};" for name, value in values.items())


def _picture(colours: PieceColours, *, king: bool) -> str:
    return _as_url(f"{light_svg(colours)}{piece_svg(colours, king=king)}", PIECE, PIECE)


def emblem_url(emblem: Emblem) -> str:
    """Return an emblem as a picture for a style, a shield as in `gui.widgets.emblem`."""
    dark, light = TINCTURES[emblem.tincture], METALS[emblem.metal]
    wide, high = 70 / len(emblem.fields[0]), 80 / len(emblem.fields)
    fields = "".join(
        f'<rect x="{x * wide:.1f}" y="{y * high:.1f}" width="{wide + 0.5:.1f}" height="{high + 0.5:.1f}" '
        f'fill="{as_hex(mix(dark, light, shade / (LEVELS - 1)))}"/>'
        for y, row in enumerate(emblem.fields)
        for x, shade in enumerate(row)
    )
    shield = '<path d="M0 0H70V33.6A35 46.4 0 0 1 0 33.6z"'
    border = f'{shield} fill="none" stroke="{as_hex(mix(dark, light, 0.2))}" stroke-width="10"/>'
    return _as_url(f'<clipPath id="s">{shield}/></clipPath><g clip-path="url(#s)">{fields}{border}</g>', 70, 80)


def _as_url(drawn: str, wide: int, high: int) -> str:
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}">{drawn}</svg>'.replace('"', "'")
    return f'url("data:image/svg+xml,{quote(text, safe=_SAFE)}")'


_SAFE = " =:/'(),."
"""Characters that need no code in the address of a picture."""


def source(name: str, folder: Path = FOLDER) -> str:
    return folder.joinpath(name).read_text(encoding="utf-8")


def fill_template(text: str, **parts: str) -> str:
    """Return a text with each part in place of its name in double braces; parts are not searched again."""
    pieces = []
    for name, part in parts.items():
        before, mark, text = text.partition(f"{{{{{name}}}}}")
        assert mark, name
        pieces += [before, part]
    return "".join([*pieces, text])
