"""Tables of other programs in the window."""

from __future__ import annotations

from pathlib import Path

from gui.screens.individuals.chooser import Chooser
from tests.gui.chooser_helpers import listed
from tests.gui.hands import Opened
from tests.runs import plain_file


def test_dropped_table_reports_omitted_rows(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    path = plain_file(tmp_path / "mine.txt", ["Ann", "Bob"])
    path.write_text(path.read_text() + "Total" + "," * 247 + "\n")
    hands.drop(path)
    listed(hands)
    assert [hands.widget("rows").cells(row)[0].text for row in range(2)] == ["Ann", "Bob"]
    assert hands.widget("counted").text == "2 listed; line 4 (Total) is not an individual and is left out"
    games = tmp_path / "games.txt"
    games.write_text("1. 11-15 23-19 *\n")
    hands.drop(games)
    assert not isinstance(hands.app.screen, Chooser)
