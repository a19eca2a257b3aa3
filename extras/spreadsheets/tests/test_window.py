"""Tables of other programs in the window."""

from __future__ import annotations

from pathlib import Path

from gui.screens.individuals.chooser import Chooser
from tests.gui.chooser_helpers import listed
from tests.gui.hands import Opened
from tests.runs import plain_file


def test_a_dropped_table_is_an_opponent_and_a_dropped_game_is_not(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    path = plain_file(tmp_path / "mine.txt", ["Ann", "Bob"])
    path.write_text(path.read_text() + "Total" + "," * 247 + "\n")
    hands.drop(path)
    offer = listed(hands).offer
    assert offer is not None and (offer.title, offer.player.name) == ("mine.txt", "Ann")
    games = tmp_path / "games.txt"
    games.write_text("1. 11-15 23-19 *\n")
    hands.drop(games)
    assert not isinstance(hands.app.screen, Chooser)
