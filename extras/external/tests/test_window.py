"""Other programs as opponents in the window."""

from __future__ import annotations

from gui.screens.dialogs.dialog import Prompt
from tests.gui.chooser_helpers import listed, titles
from tests.gui.hands import Opened


def test_another_program_is_added(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    listed(hands)
    hands.key("<add-program>")
    assert isinstance(hands.app.screen, Prompt)
    hands.key("return")
    assert hands.widget("wrong").text
    hands.type("my-engine --fast")
    hands.key("return")
    assert "my-engine --fast" in titles(hands)
    chosen = listed(hands).chosen
    assert chosen is not None and chosen.name == "my-engine --fast"


def test_a_program_is_added_by_the_mouse_too(opened: Opened) -> None:
    hands = opened()
    hands.key("n", "2")
    hands.key("<add-program>")
    assert isinstance(hands.app.screen, Prompt)
