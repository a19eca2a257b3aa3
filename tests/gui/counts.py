"""The number of controls and of words on a screen, as a person sees it."""

from __future__ import annotations

from gui.widgets.plot import Plot
from gui.widgets.table import Table
from tests.gui.hands import Hands

FIELDS = ("head", "text", "name", "rating", "line", "title", "shown")


def controls(hands: Hands) -> int:
    return len([each for each in hands.app.view() if each.takes_focus or (each.focusable and each.why)])


def words(hands: Hands) -> int:
    """Return the number of words on a screen, but for those in the rows of tables and on the axes of plots."""
    texts = list[str]()
    for each in hands.app.view():
        texts += [str(getattr(each, field, "")) for field in FIELDS]
        if isinstance(each, Table):
            texts += [column.title for column in each.columns]
        elif isinstance(each, Plot):
            texts += [level.name for level in each.levels]
            texts += [each.says(each.mark)] if each.says is not None and each.mark >= 0 else []
        else:
            texts += getattr(each, "names", ())
    return len(" ".join(texts).split())
