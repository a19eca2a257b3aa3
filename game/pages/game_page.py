"""A recorded game as one HTML file: its positions, moves, marks and notes, in any browser without a connection."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from game import plain
from game.bitboard import squares_of
from game.pages.template import STYLE, as_script, escaped, fill_template, source
from game.rules import BLACK

if TYPE_CHECKING:
    from game.board import Position
    from game.pdn.game import Game

_NAGS = {"$1": "!", "$2": "?", "$3": "!!", "$4": "??", "$5": "!?", "$6": "?!"}
"""The marks that PDN also writes as numbers."""

_RESULTS = {"1-0": "Black won.", "0-1": "White won.", "1/2-1/2": "The game was drawn.", "*": ""}


def game_page(game: Game) -> str:
    """Return the page of a game. Its keys go to the moves that are marked, as by `game.review.annotations.annotate`."""
    title = f"{game.tag('Black') or 'Black'} against {game.tag('White') or 'White'}"
    return fill_template(
        source("game.html"),
        TITLE=escaped(title),
        STYLE=source(STYLE),
        GAME=as_script(_data(game, title)),
        PAGE=source("game.js"),
    )


def _data(game: Game, title: str) -> dict[str, Any]:
    positions = list(accumulate(game.moves, plain.apply, initial=game.start))
    # A mark by the author comes before the number that a review adds to it.
    marks = {note.ply: _NAGS.get(note.text, "") for note in game.notes if note.kind == "nag"}
    marks |= {note.ply: note.text for note in game.notes if note.kind == "mark"}
    notes: list[list[str]] = [[] for _ in positions]
    for note in game.notes:
        if note.kind in ("comment", "variation"):
            notes[note.ply].append(note.text if note.kind == "comment" else f"({note.text})")
    first = game.start.side
    return {
        "title": title,
        "tags": [list(tag) for tag in game.tags if tag[0] not in ("Black", "White")],
        "result": _RESULTS[game.result],
        "positions": list(map(_squares, positions)),
        "notes": notes,
        "moves": [
            {
                "text": str(move),
                "path": move.path,
                "mark": marks.get(ply, ""),
                "number": f"{(ply - 1 + first) // 2 + 1}{'.' if positions[ply - 1].side == BLACK else '...'}",
            }
            for ply, move in enumerate(game.moves, 1)
        ],
    }


def _squares(position: Position) -> dict[str, list[int]]:
    parts = {"black": position.black, "white": position.white, "kings": position.kings}
    return {name: list(squares_of(word)) for name, word in parts.items()}
