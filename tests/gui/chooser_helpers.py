"""Values and functions shared by `test_chooser` and other tests."""

from __future__ import annotations

from gui.individuals.shelves import SHELVES, Offer
from gui.screens.individuals.chooser import Chooser
from gui.widgets.cards import CardScroll
from tests.gui.hands import Hands


def listed(hands: Hands) -> Chooser:
    screen = hands.app.screen
    assert isinstance(screen, Chooser)
    for _ in range(2):
        hands.until(lambda: not screen.busy, 3000.0)
        hands.wait(0.6)
    return screen


def titles(hands: Hands) -> list[str]:
    return [offer.title for offer in listed(hands).listed]


def click_card(hands: Hands, title: str, times: int = 1) -> Offer:
    number = titles(hands).index(title)
    cards = hands.widget("cards")
    hands.wait(0.6)  # no double click with an earlier one
    for _ in range(times):
        hands.click(cards.place(number, hands.app.screen.ui.recall(cards, CardScroll)).centre)
    offer = listed(hands).offer
    assert offer is not None and offer.title == title
    return offer


def choose(hands: Hands, player: str) -> Offer:
    """Choose a player, by name, on the shelf where it is."""
    screen = listed(hands)
    shelf, offer = next(
        (shelf, offer) for shelf in SHELVES for offer in screen.shelves[shelf]
        if offer.player.player == player and offer.level < 0
    )  # fmt: skip
    screen.show(shelf)
    screen.choose(screen.listed.index(offer))
    hands.app.redraw()
    return offer
