"""What a player makes of one position: its move for scripts, and for people every move with its score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from game import moves, plain
from game.board import Position
from game.diagram import LEGEND, diagram, mover
from game.errors import InputError
from game.generator import SplitMix64
from game.match import stream_seed
from game.players.player import Choice, Player, PlayerFailure
from game.search.limits import Limits
from game.search.result import WON, SearchResult, reported_score, score_text

Likely = Sequence[tuple[moves.Move, float]]
"""Moves with how likely a policy finds them."""
Chances = tuple[float, float, float]
"""Of a win, a draw and a loss of the side to move."""
SHOWN_LINE = 12
"""Moves of the principal variation that fit into a line."""


def choose_move(player: Player, position: Position, seed: int = 0) -> Choice:
    """The move that a player makes in a position.

    Args:
        player: who chooses.
        position: where; no game before it.
        seed: of a player that draws lots.

    Raises:
        InputError: there is no legal move, or the player fails.
    """
    _check_alive(position)
    try:
        return player.choose(position, (), SplitMix64(stream_seed(seed, position.side, player.seed)))
    except PlayerFailure as error:
        raise InputError(str(error)) from error


def analyse(player: Player, position: Position, limits: Limits | None = None) -> SearchResult:
    """Every legal move with its exact score, the best first, as in `SearchResult.root`.

    Args:
        player: one that searches, or scores its own moves.
        position: where; no game before it.
        limits: instead of the player's own.

    Raises:
        InputError: there is no legal move, the player does not judge moves, or its network fails.
    """
    _check_alive(position)
    searching = player.searching
    if searching is None:
        raise InputError(f"{player.name}: does not tell what it thinks of moves; ask it for one with move")
    return searching.searcher().search(position, limits=limits or searching.limits, all_scores=True)


def likelihoods(player: Player, position: Position) -> Likely | None:
    """Every legal move with how likely a player with a policy finds it, the likeliest first; None if it has none.

    Raises:
        InputError: there is no legal move, or its network fails.
    """
    _check_alive(position)
    try:
        found = player.likelihoods(position)
    except PlayerFailure as error:
        raise InputError(str(error)) from error
    return found and sorted(found, key=lambda each: -each[1])


def result_chances(player: Player, position: Position, line: Sequence[moves.Move]) -> Chances | None:
    """How likely the side to move wins, draws and loses, as a player's network judges the end of a line.

    None if it does not tell, or the game is over there.

    Raises:
        InputError: its network fails.
    """
    end = position
    for move in line:
        end = plain.apply(end, move)
    if not plain.legal_moves(end):
        return None
    try:
        return player.result_chances(end, position.side)
    except PlayerFailure as error:
        raise InputError(str(error)) from error


def likelihoods_as_json(position: Position, found: Likely) -> dict[str, Any]:
    """What a policy says of a position, as plain values."""
    listed = [{"move": str(move), "probability": chance} for move, chance in found]
    return {"fen": position.fen(), "move": str(found[0][0]), "moves": listed}


def likelihoods_report(player: Player, position: Position, found: Likely) -> str:
    """What a policy says of a position, for people: the board, and every move with its probability."""
    width = max(len("move"), *(len(str(move)) for move, _ in found))
    lines = [f"{move!s:{width}} {chance:10.1%}" for move, chance in found]
    return "\n".join(
        [*_board(position), f"{player.name}: {player.describe()}", "", f"{'move':{width}}  probability", *lines]
    )


def _check_alive(position: Position) -> None:
    if not moves.legal_moves(position):
        raise InputError(f"{position.fen()}: there is no legal move, the game is over")


def choice_as_json(choice: Choice) -> dict[str, Any]:
    """A choice as plain values; the score is None where the player has none."""
    return {
        "move": str(choice.move),
        "score": choice.score,
        "depth": choice.depth,
        "nodes": choice.nodes,
        "pv": _words(choice.pv),
    }


def choice_report(choice: Choice) -> str:
    """The move in the first line, and what led to it in a second one if there is anything to say."""
    lines = [str(choice.move)]
    if choice.score is not None:
        how = f", depth {choice.depth}, {choice.nodes:,} nodes" if choice.depth else ""
        pv = f": {_shown(choice.pv)}" if choice.pv else ""
        lines.append(f"{score_text(choice.score)}{how}{pv}")
    return "\n".join(lines)


def as_json(
    position: Position, result: SearchResult, likely: Likely | None = None, results: Chances | None = None
) -> dict[str, Any]:
    """An analysis as plain values, with what a policy says beside the search, and what results are likely, if known."""
    chances = dict(likely or ())
    expected = {} if results is None else {"results": dict(zip(("win", "draw", "loss"), results, strict=True))}
    return expected | {
        "fen": position.fen(),
        "move": str(result.move),
        "score": result.reported,
        "verdict": None if result.verdict is None else VALUES[result.verdict],
        "tablebase_hits": result.tablebase_hits,
        "depth": result.depth,
        "nodes": result.nodes,
        "evaluations": result.evaluations,
        "seconds": result.seconds,
        "pv": _words(result.pv),
        "moves": [
            {"move": str(each.move), "score": reported_score(each.score), "exact": each.exact, "depth": each.depth}
            | ({"probability": chances[each.move]} if chances else {})
            for each in result.root
        ],
    }


def report(
    player: Player,
    position: Position,
    result: SearchResult,
    likely: Likely | None = None,
    results: Chances | None = None,
) -> str:
    """An analysis for people: the board, every move with its score, the line that both sides are expected to play.

    If there is a policy beside the search, with how likely it finds each move; if `results` are known, with these.
    """
    chances = {move: f" {chance:8.1%}" for move, chance in likely or ()}
    width = max(len("move"), *(len(str(each.move)) for each in result.root))
    rate = result.nodes / max(result.seconds, 1e-6)
    lines = [
        *_board(position),
        f"{player.name}: depth {result.depth}, {result.nodes:,} nodes in {result.seconds:.2f} s ({rate:,.0f} a second)",
        "",
        *_tables_text(result),
        f"{'move':{width}}  score, seen by {mover(position).split()[0]} ({player.scale.unit})"
        + ", probability by its policy" * bool(chances),
    ]
    for each in result.root:
        score = score_text(each.score) if each.exact else f"at most {score_text(each.score)}"
        deeper = f" at depth {each.depth}" if each.depth > result.depth else ""
        lines.append(f"{each.move!s:{width}}  {score}{deeper}{chances.get(each.move, '')}")
    lines += ["", f"line  {_shown(result.pv)}"]
    if results is not None:
        lines.append("at its end win {:.1%}, draw {:.1%}, loss {:.1%}".format(*results))
    return "\n".join(lines)


def _board(position: Position) -> list[str]:
    return [diagram(position), "", f"{mover(position)} ({LEGEND})", position.fen(), ""]


VALUES = {1: "win", 0: "draw", -1: "loss"}
"""What tablebases say of a position to the side to move, in JSON."""


def _tables_text(result: SearchResult) -> list[str]:
    """What tablebases know of the position, and that the scores of other moves that keep it are evaluations."""
    if result.verdict is None:
        return [f"{result.tablebase_hits:,} positions looked up in tablebases", ""] if result.tablebase_hits else []
    value = {1: "won", 0: "drawn", -1: "lost"}[result.verdict]
    rest = "" if abs(result.score) > WON else "; moves without a distance have the scores of the search"
    return [f"{value}, say tablebases{rest}", ""]


def _words(line: Sequence[moves.Move]) -> list[str]:
    return [str(move) for move in line]


def _shown(line: Sequence[moves.Move]) -> str:
    return " ".join(_words(line[:SHOWN_LINE])) + (" ..." if len(line) > SHOWN_LINE else "")
