"""Reports on one position: every move with its score or probability, and the expected line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evolve.names.registration import resolve
from evolve.run.runs import SHIPPED_RUNS
from evolve.strength.levels import TOURNAMENT
from game import moves, plain
from game.analysis import check_alive, shown_line
from game.board import LEGEND, Position, diagram, mover
from game.errors import InputError
from game.players.names import parse_name
from game.players.people import PeoplePlayer
from game.players.player import Player, PlayerFailure
from game.review.judged import move_points
from game.scores import Yardstick, info_of
from game.search.interface import WON, SearchResult, reported_score, score_text
from game.search.proof import Prover

Likely = Sequence[tuple[moves.Move, float]]
"""Moves with their probabilities by a policy."""
Chances = tuple[float, float, float]
"""Probabilities that the side to move wins, draws and loses."""
COSTS = (0.05, 0.1, 0.2)
"""Least costs of errors, in points."""


def likelihoods(player: Player, position: Position) -> Likely | None:
    """Return every legal move with its probability by the player's policy, most likely first; None without a policy.

    Raises:
        InputError: there is no legal move, or the network fails.
    """
    check_alive(position)
    try:
        likely = player.likelihoods(position)
    except PlayerFailure as error:
        raise InputError(str(error)) from error
    return likely and sorted(likely, key=lambda pair: -pair[1])


def shares_of_people(position: Position) -> Likely:
    """Return every legal move with the share of tournament players that make it, by the shipped run."""
    check_alive(position)
    people = resolve(parse_name(TOURNAMENT), SHIPPED_RUNS)
    assert isinstance(people, PeoplePlayer), "the run is shipped"
    return people.shares(position)


def error_chances(player: Player, position: Position, result: SearchResult, people: Likely) -> dict[float, float]:
    """Return the share of people whose move costs at least so much of the expected score, by each of `COSTS`."""
    points = move_points(position, info_of(result, Yardstick(player, player.man_score(), position)))
    costs = {move: max(points.values()) - each for move, each in points.items()}
    return {cost: sum(share for move, share in people if costs[move] >= cost) for cost in COSTS}


def result_chances(player: Player, position: Position, line: Sequence[moves.Move]) -> Chances | None:
    """Return the probabilities that the side to move wins, draws and loses, as the player judges the end of a line.

    Raises:
        InputError: the network fails.
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


def likelihoods_as_json(position: Position, likely: Likely) -> dict[str, Any]:
    listed = [{"move": str(move), "probability": chance} for move, chance in likely]
    return {"fen": position.fen(), "move": str(likely[0][0]), "moves": listed}


def likelihoods_report(player: Player, position: Position, likely: Likely) -> str:
    width = max(len("move"), *(len(str(move)) for move, _ in likely))
    lines = [f"{move!s:{width}} {chance:10.1%}" for move, chance in likely]
    return "\n".join(
        [*_board(position), f"{player.name}: {player.describe()}", "", f"{'move':{width}}  probability", *lines]
    )


def as_json(
    position: Position, result: SearchResult, likely: Likely | None = None, results: Chances | None = None
) -> dict[str, Any]:
    chances = dict(likely or ())
    visited = _is_visited(result)
    expected = {} if results is None else {"results": dict(zip(("win", "draw", "loss"), results, strict=True))}
    return expected | {
        "fen": position.fen(),
        "move": str(result.move),
        "score": result.reported,
        "verdict": None if result.verdict is None else VALUES[result.verdict][0],
        "tablebase_hits": result.tablebase_hits,
        "depth": result.depth,
        "nodes": result.nodes,
        "evaluations": result.evaluations,
        "seconds": result.seconds,
        "pv": [str(move) for move in result.pv],
        "moves": [
            {"move": str(root.move), "score": reported_score(root.score), "exact": root.exact, "depth": root.depth}
            | ({"probability": chances[root.move]} if chances else {})
            | ({"visits": root.visits} if visited else {})
            for root in result.root
        ],
    }


def report(
    player: Player,
    position: Position,
    result: SearchResult,
    likely: Likely | None = None,
    results: Chances | None = None,
    *,
    errors: dict[float, float] | None = None,
) -> str:
    chances = {move: f" {chance:8.1%}" for move, chance in likely or ()}
    visited = _is_visited(result)
    width = max(len("move"), *(len(str(root.move)) for root in result.root))
    rate = result.nodes / max(result.seconds, 1e-6)
    lines = [
        *_board(position),
        f"{player.name}: depth {result.depth}, {result.nodes:,} nodes in {result.seconds:.2f} s ({rate:,.0f} a second)",
        "",
        *_tables_text(result),
        f"{'move':{width}}  score, as seen by {mover(position).split()[0]} ({player.scale.unit})"
        + (", probability by its policy", ", share of tournament players")[errors is not None] * bool(chances)
        + ", visits" * visited,
    ]
    for root in result.root:
        score = score_text(root.score) if root.exact else f"at most {score_text(root.score)}"
        deeper = f" at depth {root.depth}" if root.depth > result.depth else ""
        visits = f" {root.visits:9,}" if visited else ""
        lines.append(f"{root.move!s:{width}}  {score}{deeper}{chances.get(root.move, '')}{visits}")
    lines += ["", f"line  {shown_line(result.pv)}"]
    if errors is not None:
        shares = ", ".join(f"{cost:.2f} points {share:.1%}" for cost, share in errors.items())
        lines.append(f"moves of tournament players that cost at least so much: {shares}")
    if results is not None:
        lines.append("at the end of the line: win {:.1%}, draw {:.1%}, loss {:.1%}".format(*results))
    return "\n".join(lines)


def _is_visited(result: SearchResult) -> bool:
    return any(root.visits for root in result.root)


def _board(position: Position) -> list[str]:
    return [diagram(position), "", f"{mover(position)} ({LEGEND})", position.fen(), ""]


VALUES = {1: ("win", "won"), 0: ("draw", "drawn"), -1: ("loss", "lost")}
"""Values of tablebases for the side to move, in JSON and in text."""


def _tables_text(result: SearchResult) -> list[str]:
    if result.verdict is None:
        return [f"{result.tablebase_hits:,} positions looked up in tablebases", ""] if result.tablebase_hits else []
    value = VALUES[result.verdict][1]
    rest = "" if abs(result.score) > WON else "; moves without a distance have the scores of the search"
    return [f"{value} according to tablebases{rest}", ""]


WORDS = {(-1, 1): "not settled", (0, 1): "drawn or won", (-1, 0): "drawn or lost"} | {
    (value, value): words[1] for value, words in VALUES.items()
}


def what_is_proved(prover: Prover, position: Position) -> dict[str, Any]:
    """Return what is proved of a position, by which line, and of each of its moves.

    Raises:
        InputError: there is no legal move.
    """
    check_alive(position)
    known = prover.bounds(position)
    shown = position.side if known in ((1, 1), (-1, 0)) else 1 - position.side
    after = [(move, prover.bounds(each)) for move, each in plain.successors(position)]
    return {
        "fen": position.fen(),
        "by": prover.name,
        "result": WORDS[known],
        "line": [str(move) for move in prover.line(position, shown)],
        "moves": [{"move": str(move), "result": WORDS[-most, -least]} for move, (least, most) in after],
    }


def proved_report(proved: dict[str, Any]) -> str:
    """Describe in plain text what `what_is_proved` has found."""
    lines = [*_board(Position.from_fen(proved["fen"])), f"{proved['result']}, by {proved['by']}", ""]
    lines += [f"{each['move']:8}{each['result']}" for each in proved["moves"]]
    return "\n".join([*lines, *(["", f"line  {' '.join(proved['line'])}"] if proved["line"] else [])])
