"""The words that a program and an engine exchange, as both sides of the line read and write them.

`docs/engine.md` describes the protocol.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from game import moves
from game.board import Position
from game.errors import InputError
from game.moves import Move
from game.search.limits import Limits
from game.search.result import WIN, WON, plies_to_win

NO_MOVE = "none"
"""What ``bestmove`` says in a position without legal moves."""

_LONGEST_LINE = 100  # moves that are read of a principal variation
_LONGEST_MOVE = 10**9  # milliseconds


class ProtocolError(InputError):
    """A line that is not understood; the text says why."""


@dataclass(frozen=True, slots=True)
class Info:
    """What an engine tells about its search; None for what it does not.

    Attributes:
        depth: plies.
        nodes: positions visited.
        score: as `game.search.result` has it.
        pv: the principal variation, as written.
    """

    depth: int | None = None
    nodes: int | None = None
    score: float | None = None
    pv: tuple[str, ...] = ()


def position_line(position: Position, history: Sequence[Position] = ()) -> str:
    """The line that tells an engine a position and the game before it."""
    first = history[0] if history else position
    where = "startpos" if first == Position.start() else f"fen {first.fen()}"
    played = [_between(*pair) for pair in itertools.pairwise([*history, position])]
    return " ".join(["position", where, *(["moves", *map(str, played)] if played else [])])


def _between(before: Position, after: Position) -> Move:
    return next(move for move, found in moves.successors(before) if found == after)


def read_position(words: Sequence[str]) -> list[Position]:
    """The positions of a game, the present one last, from what follows ``position``.

    Raises:
        InputError: no position, or a move that is not legal; the text says which.
    """
    end = words.index("moves") if "moves" in words else len(words)
    if words[:1] == ["startpos"] and end == 1:
        found = [Position.start()]
    elif words[:1] == ["fen"] and end > 1:
        found = [Position.from_fen(" ".join(words[1:end]))]
    else:
        raise ProtocolError("position: expected startpos or fen FEN, then perhaps moves MOVE ...")
    for word in words[end + 1 :]:
        found.append(moves.apply(found[-1], moves.parse_move(found[-1], word)))
    return found


def go_line(limits: Limits) -> str:
    """The line that asks for a move."""
    words = ["go"]
    if limits.depth is not None:
        words += ["depth", str(limits.depth)]
    if limits.nodes is not None:
        words += ["nodes", str(limits.nodes)]
    if limits.seconds is not None:
        words += ["movetime", str(max(1, round(1000 * limits.seconds)))]
    return " ".join(words)


def read_go(words: Sequence[str]) -> Limits | None:
    """The limits from what follows ``go``; None for ``infinite``. Not for an empty ``go``.

    Raises:
        InputError: no limits, or impossible ones.
    """
    if list(words) == ["infinite"]:
        return None
    given: dict[str, int] = {}
    for name, value in zip(words[::2], [*words[1::2], ""], strict=False):
        if name not in ("depth", "nodes", "movetime") or name in given:
            raise ProtocolError(f"go: {name[:40]!r}: expected depth D, nodes N, movetime MS or infinite")
        if not (value.isascii() and value.isdigit() and len(value) < 18):
            raise ProtocolError(f"go: {name}: expected a whole number, got {value[:40]!r}")
        given[name] = int(value)
    if not 1 <= given.get("movetime", 1) <= _LONGEST_MOVE:
        raise ProtocolError(f"go: movetime: expected 1 to {_LONGEST_MOVE:,} milliseconds, got {given['movetime']}")
    seconds = given["movetime"] / 1000 if "movetime" in given else None
    return Limits(given.get("depth"), given.get("nodes"), seconds)


def info_line(depth: int, nodes: int, seconds: float, score: float, pv: Sequence[Move]) -> str:
    """What an engine tells after each depth."""
    plies = plies_to_win(score)
    said = f"{score:.4g}" if plies is None else f"win {plies}" if score > 0 else f"loss {-plies}"
    nps = round(nodes / max(seconds, 1e-6))
    line = " ".join(map(str, pv))
    return f"info depth {depth} nodes {nodes} nps {nps} score {said} pv {line}".rstrip()


def read_info(words: Sequence[str]) -> Info:
    """What follows ``info``; what is not understood is left out, since engines tell all sorts of things."""
    numbers: dict[str, float] = {}
    score, pv = None, list[str]()
    for index, word in enumerate(words):
        after = words[index + 1 :]
        if word == "pv":
            pv = list(after)
            break
        if word in ("depth", "nodes") and after:
            number = _number(after[0])
            if number is not None and number >= 0:
                numbers[word] = number
        if word == "score" and after:
            score = _score(after[0], after[1] if len(after) > 1 else "")
    depth, nodes = numbers.get("depth"), numbers.get("nodes")
    return Info(None if depth is None else int(depth), None if nodes is None else int(nodes), score, tuple(pv))


def line(position: Position, words: Sequence[str]) -> tuple[Move, ...]:
    """Moves from a position as an engine wrote them, up to the first that is not legal."""
    found: list[Move] = []
    for word in words[:_LONGEST_LINE]:
        try:
            found.append(moves.parse_move(position, word))
        except InputError:
            break
        position = moves.apply(position, found[-1])
    return tuple(found)


def _score(first: str, second: str) -> float | None:
    """``0.53``, ``win 23``, ``loss 8``; also the ``cp`` and ``mate`` of chess programs."""
    if first in ("win", "loss", "cp", "mate"):
        number = _number(second)
        if number is None:
            return None
        if first == "cp":
            return _clamped(number / 100)
        won = first == "win" or (first == "mate" and number > 0)
        plies = abs(number) * (2 if first == "mate" else 1)
        if plies >= WIN - WON:
            return None
        return WIN - plies if won else plies - WIN
    found = _number(first)
    return None if found is None else _clamped(found)


def _clamped(score: float) -> float:
    """An evaluation, which is no proof however large it is."""
    return max(-WON, min(WON, score))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None
