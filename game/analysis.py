"""A player's choice in one position, or the scores of all its moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from game import moves
from game.board import Position
from game.errors import InputError
from game.generator import SplitMix64, derive_seed
from game.players.player import Choice, Player, PlayerFailure
from game.search.interface import Limits, SearchResult, score_text

SHOWN_LINE = 12
"""Maximum number of moves of the principal variation in a report."""


def choose_move(player: Player, position: Position, seed: int = 0) -> Choice:
    """Return the move that a player chooses in a position, ignoring the game before it.

    Raises:
        InputError: there is no legal move, or the player fails.
    """
    check_alive(position)
    try:
        return player.choose(position, (), SplitMix64(derive_seed(seed, position.side, player.seed)))
    except PlayerFailure as error:
        raise InputError(str(error)) from error


def analyse(player: Player, position: Position, limits: Limits | None = None) -> SearchResult:
    """Search a position for the exact score of every legal move, best first as in `SearchResult.root`.

    Args:
        position: a position with a legal move; the game before it is not considered.
        limits: limits of the search; None for the player's own.

    Raises:
        InputError: there is no legal move, the player does not search, or its network fails.
    """
    check_alive(position)
    searching = player.searching
    if searching is None:
        raise InputError(f"{player.name}: does not score moves; use the command 'move' to get its choice")
    return searching.searcher().search(position, limits=limits or searching.limits, all_scores=True)


def check_alive(position: Position) -> None:
    """Check that the game goes on in a position.

    Raises:
        InputError: there is no legal move.
    """
    if not moves.legal_moves(position):
        raise InputError(f"{position.fen()}: there is no legal move, the game is over")


def choice_as_json(choice: Choice) -> dict[str, Any]:
    """Return a choice as plain values; the score is None if the player has none."""
    return {
        "move": str(choice.move),
        "score": choice.score,
        "depth": choice.depth,
        "nodes": choice.nodes,
        "pv": [str(move) for move in choice.pv],
    }


def choice_report(choice: Choice) -> str:
    """Return a choice as text: the move, and on a second line its score and search if the player gives them."""
    lines = [str(choice.move)]
    if choice.score is not None:
        how = f", depth {choice.depth}, {choice.nodes:,} nodes" if choice.depth else ""
        pv = f": {shown_line(choice.pv)}" if choice.pv else ""
        lines.append(f"{score_text(choice.score)}{how}{pv}")
    return "\n".join(lines)


def shown_line(line: Sequence[moves.Move]) -> str:
    return " ".join(map(str, line[:SHOWN_LINE])) + (" ..." if len(line) > SHOWN_LINE else "")
