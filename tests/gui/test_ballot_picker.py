"""Choosing a ballot with the opponent, and the ballot's description beside the game."""

from __future__ import annotations

from collections.abc import Callable

from gui.model.pdn import to_pdn
from gui.screens.dialogs.ballots import BallotPicker
from tests.gui.chooser_helpers import listed, row_of
from tests.gui.hands import Hands

Opened = Callable[..., Hands]


def test_a_ballot_is_chosen_by_number_or_name_as_one_types(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    listed(hands)
    hands.click_row("rows", row_of(hands, "material"))
    hands.key("shift+n")
    assert isinstance(hands.app.screen, BallotPicker)
    assert hands.widget("ballots").count == 174 + 42
    hands.type("wild")
    hands.key("down", "down")
    number, name, line, played = hands.widget("ballots").cells(1)
    assert (number, name.text, line.text, played.text) == ("16", "Wilderness II", "9-13 23-18 11-16", "by mail")
    assert "played by mail only" in hands.widget("facts").text
    hands.key("return")
    names, chosen = hands.widget("begin").names, hands.widget("begin").chosen
    assert names[chosen] == "Wilderness II, ballot 16"
    hands.key("shift+b")
    assert hands.widget("begin").chosen == 0
    hands.key("shift+b", "shift+b", "p")
    model = hands.game.model
    assert [str(ply.move) for ply in model.plies] == ["9-13", "23-18", "11-16"]
    assert hands.widget("opening").text == "Opening: Wilderness II, ballot 16"
    assert '[Opening "Wilderness II (ballot 16: 9-13 23-18 11-16)"]' in to_pdn(model)


def test_a_ballot_is_chosen_by_mouse_or_not_at_all(opened: Opened) -> None:
    hands = opened()
    hands.key("shift+w")
    listed(hands)
    hands.widget("begin").pick(2)
    hands.type("no such thing")
    hands.key("return", "down")
    assert hands.app.said == "No opening matches." and hands.widget("ballots").count == 0
    hands.key("escape")
    assert hands.widget("begin").chosen == 0
    hands.key("shift+n")
    hands.click_row("ballots", 4, times=2)
    assert hands.widget("begin").names[hands.widget("begin").chosen] == "Dreaded Edinburgh, ballot 5"
    hands.widget("begin").pick(1)
    hands.widget("begin").pick(2)
    assert hands.widget("ballots").selected == 4
    hands.click("cancel")
    assert hands.widget("begin").chosen == 1


def test_a_game_begins_with_a_classical_opening_of_any_length(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    listed(hands)
    hands.click_row("rows", row_of(hands, "material"))
    hands.key("shift+n")
    hands.type("old fourteenth")
    number, name, line, played = hands.widget("ballots").cells(0)
    assert (number, name.text, line.text, played.text) == ("", "Old Fourteenth", "11-15 23-19 8-11 22-17 4-8", "")
    hands.key("return")
    hands.key("shift+n")
    assert hands.widget("facts").text == "Old Fourteenth: 11-15 23-19 8-11 22-17 4-8."
    hands.key("escape", "p")
    assert hands.widget("opening").text == "Opening: Old Fourteenth, ballot 126"
    assert hands.game.model.side == 1 and len(hands.game.model.plies) >= 5
