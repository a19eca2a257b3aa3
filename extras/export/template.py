"""The files of which pages are made, and data in them, which may contain any text."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any


def escaped(text: str) -> str:
    """Return a text for an element; what UTF-8 cannot hold, as in the name of a file, becomes a question mark."""
    return html.escape(text.encode(errors="replace").decode())


def as_script(data: Any) -> str:
    """Return JSON that is safe inside a script element: nothing in it looks like a tag or a comment."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


FOLDER = Path(__file__).with_name("page")
"""The folder of the files of which pages are made."""

STYLE = "page.css"
"""The style that all pages share."""


def source(name: str, folder: Path = FOLDER) -> str:
    """Return a file of a page."""
    return folder.joinpath(name).read_text(encoding="utf-8")


def fill_template(text: str, **parts: str) -> str:
    """Return a text with each part in place of its name in double braces; parts are not searched again."""
    pieces = []
    for name, part in parts.items():
        before, mark, text = text.partition(f"{{{{{name}}}}}")
        assert mark, name
        pieces += [before, part]
    return "".join([*pieces, text])
