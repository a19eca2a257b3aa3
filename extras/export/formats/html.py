"""Pages for any browser: of players that play on the page, and of recorded games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from game.pdn.game import Game
    from game.players.player import Player
    from game.review.judged import Review

TEXTS = {
    "player": "write a page that plays like the player in any browser",
    "champion": "a page that plays in any browser",
    "game": "write a game or its review as a page for any browser, with notes and mistakes",
}
PACKAGES = ()
EXAMPLES = (
    ("html games.pdn --game 1 -o game.html", "a game as a page for any browser, with its notes and marks"),
    ("html games.pdn --review --depth 6 -o review.html", "the same with its mistakes, and what was better"),
)
"""Examples of the verb ``pdn``."""


def of_player(player: Player, runs: Path) -> bytes:
    from extras.export.player_page import page_of

    return page_of(player, runs).encode()


def of_game(game: Game, review: Review | None) -> bytes:
    from extras.export.game_page import game_page

    return game_page(game, review).encode()
