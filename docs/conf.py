"""Settings of Sphinx, which builds the documentation site from the pages of this folder, in the top folder by

    python -m sphinx -c docs . docs/site

The pages are plain Markdown, which can also be read where the files are. So the site is built from the whole checkout,
not from docs/ alone: links to other files lead to the same place in both.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parents[1]))

from crownhead import __version__ as release
from crownhead.extras.export.evolving_page import evolving_page

project = "Crownhead"
author = "The Crownhead authors"
html_title = f"{project} {release}"

root_doc = "docs/index"
include_patterns = ["docs/**", "extras/*/*.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", ".github/SECURITY.md"]
exclude_patterns = ["docs/site"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4
smartquotes = False  # two hyphens begin an option
default_role = "literal"  # of docstrings
highlight_language = "none"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}

html_theme = "furo"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#2f5d4a",
        "color-brand-content": "#2f6b53",
        "code-font-size": "0.75rem",
    },
    "dark_css_variables": {"color-brand-primary": "#9cc5b0", "color-brand-content": "#9cc5b0"},
}
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_copy_source = False


GAME = "evolving.html"
"""The page in which an opponent evolves, beside the pages of the site; two of them hold it."""


def add_game(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the game below the first sentence of the first page and of the page to play on."""
    if page in (root_doc, "docs/play"):
        title, sentence, rest = source[0].split("\n\n", 2)
        frame = f'<iframe class="game" src="../{GAME}" title="A game of checkers"></iframe>'
        source[0] = "\n\n".join([title, sentence, frame, rest])


def list_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Make a table of contents of each section of the first page, from its links."""
    if page == root_doc:
        for caption, section in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", source[0], re.M | re.S):
            entries = [f"{title} <{target}>" for title, target in re.findall(r"\[(.*?)\]\((.*?)\.md\)", section)]
            source[0] += "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *entries, "```", ""])


def name_aliases(app: Sphinx, *described: Any) -> tuple[str | None, str | None]:
    """Write aliases of types as they are in the source."""
    return tuple(part and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", part) for part in described[-2:])


def draw_dashes(app: Sphinx, doctree: nodes.document) -> None:
    """Replace the two hyphens between a parameter and its description."""
    for text in list(doctree.findall(nodes.Text)):
        if text == " -- ":
            text.parent.replace(text, nodes.Text(" – "))


def write_pages(app: Sphinx, error: Exception | None) -> None:
    """Write the game, and let the address of the site lead to its first page, which is in a folder as its source is."""
    if error is None and app.builder.name == "html":
        (app.outdir / GAME).write_text(evolving_page(seed=1), encoding="utf-8")
        text = f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={root_doc}.html"><title>{project}</title>\n'
        (app.outdir / "index.html").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is done here."""
    app.connect("source-read", list_contents)
    app.connect("source-read", add_game)
    app.connect("autodoc-process-signature", name_aliases)
    app.connect("doctree-read", draw_dashes)
    app.connect("build-finished", write_pages)
    return {"parallel_read_safe": True}
