"""Other programs as opponents in the window."""

from __future__ import annotations

from gui.screens.dialogs.dialog import Prompt
from tests.gui.chooser_helpers import listed
from tests.gui.hands import Opened


def test_another_program_is_added(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    chooser = listed(hands)
    hands.key("<add-program>")
    assert isinstance(hands.app.screen, Prompt)
    hands.key("return")
    assert hands.widget("wrong").text
    hands.type("my-engine --fast")
    hands.key("return")
    listed(hands)
    assert "my-engine --fast" in [row.name for row in chooser.browser.library.rows]


def test_a_program_is_added_by_the_mouse_too(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    hands.click("do.add-program")
    assert isinstance(hands.app.screen, Prompt)
