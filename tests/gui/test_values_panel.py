"""Finding a key in the form while typing, by posted events."""

from __future__ import annotations

import pytest

from gui.screens.home import Home
from gui.screens.sessions.start import SessionStart
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import Starts


@pytest.fixture
def form(opened: Opened) -> Hands:
    hands = opened()
    hands.key("g", "ctrl+k")
    return hands


def rows(hands: Hands) -> list[str]:
    table = hands.widget("settings")
    return [table.cells(row)[0].text for row in range(table.count)]


def test_keys_are_offered_while_typing_and_one_is_changed(form: Hands, starts: Starts) -> None:
    every = rows(form)
    form.key("ctrl+f")
    form.type("optimiser.ra")
    assert rows(form) == ["optimiser.rate"]
    assert "a number from" in form.widget("meaning").text
    form.key("return")
    assert form.app.screen.ui.focus == "value"
    assert rows(form) == every  # back in their order
    form.type("0.3")
    form.key("return")
    assert starts.calls[0][-1] == "--set=optimiser.rate=0.3"


def test_the_mouse_finds_a_key_too(form: Hands) -> None:
    form.click("find")
    form.type("quiet")
    assert "games.quiet_plies" in rows(form)
    form.click_row("settings", rows(form).index("games.quiet_plies"), times=2)
    assert form.app.screen.ui.focus == "value"
    assert form.widget("value.label").text == "games.quiet_plies"


def test_nearest_name_is_suggested_and_accepted(form: Hands) -> None:
    form.key("ctrl+f")
    form.type("optimiser.raet")
    assert rows(form) == []
    assert "The nearest is optimiser.rate" in form.widget("settings").empty
    form.key("return")
    assert form.widget("value.label").text == "optimiser.rate"
    form.key("ctrl+f")
    form.type("zzzzzz")
    assert form.widget("settings").empty == "There is no key “zzzzzz”."


def test_inactive_key_explains_when_it_applies(form: Hands) -> None:
    form.key("ctrl+f")
    form.type("variation.step")
    table = form.widget("settings")
    assert table.cells(0)[1].text == "–"
    assert "inactive: only with" in form.widget("meaning").text


def test_keys_of_sections_that_play_no_part_come_last(form: Hands) -> None:
    form.key("ctrl+f")
    form.type("step")
    results = [key for key in rows(form) if key.rpartition(".")[2].startswith("step")]
    assert results.index("variation.step_high") < results.index("learning.steps")


def test_arrows_choose_among_matches_and_escape_clears_them(form: Hands) -> None:
    form.key("ctrl+f")
    form.type("games.")
    first, second = rows(form)[:2]
    assert form.widget("value.label").text == first
    form.key("down")
    assert form.widget("value.label").text == second
    form.key("up", "up")
    assert form.widget("value.label").text == first
    form.key("escape")
    assert isinstance(form.app.screen, SessionStart) and form.widget("find").value == ""
    form.key("escape")
    assert isinstance(form.app.screen, Home)
