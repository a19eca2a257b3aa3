"""The number of controls and of words on a screen, as a person sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gui.app import App
from gui.screens.play.game_screen import GameScreen
from gui.widgets.base import Widget
from gui.widgets.cards import Cards
from gui.widgets.field import Dropdown
from gui.widgets.plot import Plot
from gui.widgets.table import Table
from tests.gui.hands import Hands

FIELDS = ("head", "text", "name", "rating", "line", "title", "shown")
ON_CARDS = 6
"""Number of cards whose words count: the others are below the edge, or like rows of a table."""


def controls(hands: Hands) -> int:
    return controls_of(hands.app.view())


def controls_of(widgets: Iterable[Widget]) -> int:
    return len([each for each in widgets if each.takes_focus or (each.focusable and each.why)])


def in_menu(app: App) -> list[str]:
    """Return the ids of the entries in the menu of a game; none for other screens."""
    return [each.id for each in app.screen._in_menu()] if isinstance(app.screen, GameScreen) else []


def words(hands: Hands) -> int:
    return words_of(hands.app.view())


def words_of(widgets: Iterable[Widget]) -> int:
    """Return the number of words on a screen, but for those in the rows of tables, on maps and on the axes of plots."""
    texts = list[str]()
    for each in widgets:
        texts += [text for field in FIELDS if isinstance(text := getattr(each, field, ""), str)]
        if isinstance(each, Cards):
            for card in map(each.card, range(min(each.count, ON_CARDS))):
                texts += [card.title, card.line, card.figure]
        elif isinstance(each, Dropdown):
            texts += each.names[each.chosen : each.chosen + 1]
        elif isinstance(each, Table):
            texts += [column.title for column in each.columns]
        elif isinstance(each, Plot):
            texts += [level.name for level in each.levels]
            texts += [each.says(each.mark)] if each.says is not None and each.mark >= 0 else []
        elif not isinstance(names := getattr(each, "names", ()), Mapping):
            texts += names
    return len(" ".join(texts).split())
