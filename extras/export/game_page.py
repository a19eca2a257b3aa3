"""Recorded games as one HTML file: positions, moves, marks and notes, in any browser without a connection."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from evolve.run.runs import run_title
from extras.export.template import as_script, escaped, fill_template, source, style
from game import plain
from game.ballots import longest, opening_of
from game.bitboard import squares_of
from game.board import Position
from game.errors import capital
from game.review.annotations import LINE, SIGN, annotate
from game.rules import BLACK
from gui.model.ending import SIDE_NAME

if TYPE_CHECKING:
    from game.moves import Move
    from game.pdn.game import Game
    from game.review.judged import Review

_OF_PLAYERS = ("Black", "White", "BlackType", "WhiteType")
_NAGS = {"$1": "!", "$2": "?", "$3": "!!", "$4": "??", "$5": "!?", "$6": "?!"}
"""The marks that PDN also writes as numbers."""

_RESULTS = {"1-0": "Black won.", "0-1": "White won.", "1/2-1/2": "The game was drawn.", "*": ""}
_POINTS = {"1-0": ("1", "0"), "0-1": ("0", "1"), "1/2-1/2": ("½", "½"), "*": ("", "")}

_PLAYER = re.compile(r"(.+?)(?:@(\d+)(?::([^,]+))?)?(?:, ?(depth\b.*|\w+=.*|[\d,]+ positions?\b.*))?\Z", re.DOTALL)
"""The name of a player in tags: a run with a generation and a member, or any name; and limits."""


def game_page(game: Game, review: Review | None = None) -> str:
    title = title_of(game)
    return fill_template(
        source("game.html"),
        TITLE=escaped(title),
        STYLE=style(),
        GAME=as_script({"title": title} | _game_data(game, review)),
        CHART=source("chart.js"),
        PAGE=source("common.js") + source("game.js"),
    )


def title_of(game: Game) -> str:
    """Return the names of the players of a game, or its event if neither is known."""
    if not (game.tag("Black") or game.tag("White")):
        return game.tag("Event") or "A game"
    return " against ".join(_name_of(game.tag(side) or side)[0] for side in SIDE_NAME)


def _name_of(text: str) -> tuple[str, str]:
    """Return the name of a player for people, and its member and limits."""
    name, generation, *others = _PLAYER.findall(text)[0]
    small = ", ".join(filter(None, others)).replace("=", " ")
    small = re.sub(r",(?=[a-z])", ", ", small)
    return f"Generation {generation} of {name}" if generation else run_title(name), small


def _game_data(game: Game, review: Review | None) -> dict[str, Any]:
    if review is not None:
        game = annotate(game, review)
    positions = list(accumulate(game.moves, plain.apply, initial=game.start))
    # A mark by the author comes before the number that a review adds to it.
    marks = {note.ply: _NAGS[note.text] for note in game.notes if note.kind == "nag" and note.text in _NAGS}
    marks |= {note.ply: note.text for note in game.notes if note.kind == "mark"}
    notes: list[list[str]] = [[] for _ in positions]
    for note in game.notes:
        if note.kind in ("comment", "variation"):
            _, sign, ours = note.text.partition(f"{SIGN}: ")  # what follows has a colon, too
            text = capital(ours) if sign else note.text
            text = re.sub(r"^([+\-−]?[\d.]+) depth (\d+)$", r"Evaluation \1 at depth \2.", text)  # by the window
            notes[note.ply].append(text if note.kind == "comment" else f"({note.text})")
    lines = {mark.ply: mark.line for mark in review.marks} if review is not None else {}
    chances = [None if review is None else review.chances_after(ply) for ply in range(len(positions))]
    first, event = game.start.side, game.tag("Event") or ""
    opening = opening_of(list(map(str, game.moves[: longest()]))).title if game.start == Position.start() else ""
    says = ["" if event.startswith("Match of ") else event, game.tag("Date") or "", opening]
    return {
        "says": [text for text in says if text.strip("?. ")],
        "tags": [[name, text] for name, text in game.tags if name not in _OF_PLAYERS and text.strip("?. ")],
        "players": [
            [*_name_of(game.tag(side) or side), points]
            for side, points in zip(SIDE_NAME, _POINTS[game.result], strict=True)
        ],
        "result": _RESULTS[game.result],
        "first": int(first),
        "positions": list(map(_squares, positions)),
        "notes": notes,
        "chances": [None if each is None else round(100 * each.points) for each in chances],
        "moves": [
            {
                "text": str(move),
                "path": move.path,
                "mark": marks.get(ply, ""),
                "number": f"{(ply - 1 + first) // 2 + 1}{'.' if positions[ply - 1].side == BLACK else '...'}",
                "better": _line_data(positions[ply - 1], lines.get(ply, ())),
            }
            for ply, move in enumerate(game.moves, 1)
        ],
    }


def _line_data(position: Position, line: Sequence[Move]) -> list[dict[str, Any]]:
    data = []
    for move in line[:LINE]:
        position = plain.apply(position, move)
        data.append({"text": str(move), "path": move.path, "position": _squares(position)})
    return data


def _squares(position: Position) -> dict[str, list[int]]:
    parts = {"black": position.black, "white": position.white, "kings": position.kings}
    return {name: list(squares_of(word)) for name, word in parts.items()}
