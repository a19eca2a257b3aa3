"""A parser that checks the tags of a page."""

from __future__ import annotations

import html.parser


class Tags(html.parser.HTMLParser):
    """Checks that tags are closed in order, and gathers what a page refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.sources: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.sources += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "action")]
        if tag not in ("meta", "img", "input", "wbr"):
            self.open.append(tag)
        assert tag not in ("link", "object", "embed")
        assert tag != "iframe" or dict(attrs).keys() == {"title", "sandbox", "srcdoc"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)
