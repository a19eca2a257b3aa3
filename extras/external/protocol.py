"""Reading and writing the lines of the engine protocol (docs/engine.md), for engines and for programs that use them."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from game import moves
from game.board import FenError, Position, is_lettered
from game.errors import InputError
from game.moves import Move
from game.notation import has_letters, read_move, views
from game.pdn.game import encode_path
from game.pdn.meaning import follow
from game.rules import WCDF, DrawRules
from game.search.interface import TABLEBASE_WON, WIN, WON, Limits, plies_to_win

NO_MOVE = "none"
"""The move of ``bestmove`` in a position without legal moves."""

LIMITS = {"depth": "depth", "nodes": "nodes", "seconds": "movetime"}
"""Words of ``go`` and ``supports`` for the limits of a search, by the names of `Limits`."""

_LONGEST_LINE = 100  # moves of a principal variation that are read
_LONGEST_MOVE = 10**9  # milliseconds


class ProtocolError(InputError):
    """A line that cannot be parsed; the message says why."""


@dataclass(frozen=True, slots=True)
class Info:
    """An engine's information about its search; None for values that it does not report.

    Attributes:
        score: score as in `game.search.interface`.
    """

    depth: int | None = None
    nodes: int | None = None
    score: float | None = None
    pv: tuple[str, ...] = ()


def position_line(position: Position, history: Sequence[Position] = ()) -> str:
    """Return the ``position`` line for a position and the positions of the game before it."""
    first = history[0] if history else position
    where = "startpos" if first == Position.start() else f"fen {first.fen()}"
    played = [find_move(*pair) for pair in itertools.pairwise([*history, position])]
    return " ".join(["position", where, *(["moves", *map(str, played)] if played else [])])


def find_move(before: Position, after: Position) -> Move:
    """Return the first move that leads from one position to another."""
    return next(move for move, successor in moves.successors(before) if successor == after)


def read_position(words: Sequence[str], earlier: Sequence[str] = (), known: Sequence[Position] = ()) -> list[Position]:
    """Parse the words after ``position``: the positions of a game, the current one last.

    Args:
        earlier: the words of an earlier line. If this line has the same moves and goes on, only the rest is read.

    Raises:
        InputError: the words describe no position, or an illegal move.
    """
    end = words.index("moves") if "moves" in words else len(words)
    if "moves" in earlier and words[: len(earlier)] == earlier and not any(map(has_letters, words[len(earlier) :])):
        return _played(list(known), words[len(earlier) :])
    if words[:1] == ["startpos"] and end == 1:
        fen = ""
    elif words[:1] == ["fen"] and end > 1:
        fen = " ".join(words[1:end])
    else:
        raise ProtocolError("position: expected startpos or fen FEN, optionally followed by moves MOVE ...")
    start = Position.from_fen(fen) if fen else Position.start()
    played = words[end + 1 :]
    game = _played_together(fen, played)
    if not game:
        game = _played([start], played)  # tells which move is illegal
        if any(map(has_letters, played)):
            raise ProtocolError("position: expected letters as seen from one side, but the moves fit only from both")
    return game


def _played_together(fen: str, words: Sequence[str]) -> list[Position]:
    """Return the positions of a game, reading each move as the others want it; empty if it cannot be played so."""
    written = [read_move(word) or "" for word in words]
    if not all(written):
        return []
    letters = any(map(has_letters, written)) or is_lettered(fen)
    for view in views("", letters=letters):
        with contextlib.suppress(FenError):
            start = Position.from_fen(fen, view) if fen else Position.start()
            result = follow(start, [encode_path(move, view) for move in written], moves.successors)
            if len(result.plies) == len(written):
                return [start, *(after for _, _, after in result.plies)]
    return []


def _played(game: list[Position], words: Sequence[str]) -> list[Position]:
    for word in words:
        game.append(moves.apply(game[-1], moves.parse_move(game[-1], word)))
    return game


def newgame_line(rules: DrawRules, seed: int | None = None) -> str:
    """Return the ``newgame`` line: the draw rules, and a seed for a program that chooses at random."""
    words = [f"{rule.name} {int(getattr(rules, rule.name))}" for rule in fields(DrawRules)]
    return " ".join(["newgame", *words, *([] if seed is None else [f"seed {seed}"])])


def read_newgame(words: Sequence[str]) -> tuple[DrawRules, int | None]:
    """Parse the words after ``newgame``: draw rules, by default those of the WCDF, and the seed if there is one.

    Raises:
        InputError: an unknown word, or impossible rules.
    """
    names = [*(rule.name for rule in fields(DrawRules)), "seed"]
    given = _numbers("newgame", words, names, f"{', '.join(names)}, each with a number")
    if given.get("men_reset", 0) > 1:
        raise ProtocolError(f"newgame: men_reset: expected 0 or 1, got {given['men_reset']}")
    seed = given.pop("seed", None)
    values: dict[str, Any] = dict(given)
    if "men_reset" in given:
        values["men_reset"] = bool(given["men_reset"])
    try:
        return replace(WCDF, **values), seed
    except ValueError as error:
        raise ProtocolError(f"newgame: {error}") from None


def _numbers(command: str, words: Sequence[str], names: Sequence[str], expected: str) -> dict[str, int]:
    given: dict[str, int] = {}
    for name, value in zip(words[::2], [*words[1::2], ""], strict=False):
        if name not in names or name in given:
            raise ProtocolError(f"{command}: {name[:40]!r}: expected {expected}")
        if not (value.isascii() and value.isdigit() and len(value) < 21):
            raise ProtocolError(f"{command}: {name}: expected a whole number, got {value[:40]!r}")
        given[name] = int(value)
    return given


def supports_line() -> str:
    """Return the line in which our own engine reports what it supports."""
    return " ".join(["supports", *LIMITS.values(), "newgame"])


def lacking(limits: Limits, supported: Sequence[str]) -> list[str]:
    """Return the words of ``go`` for these limits that are missing in a program's ``supports``."""
    return [word for name, word in LIMITS.items() if getattr(limits, name) is not None and word not in supported]


def go_line(limits: Limits) -> str:
    words = ["go"]
    if limits.depth is not None:
        words += ["depth", str(limits.depth)]
    if limits.nodes is not None:
        words += ["nodes", str(limits.nodes)]
    if limits.seconds is not None:
        words += ["movetime", str(max(1, round(1000 * limits.seconds)))]
    return " ".join(words)


def read_go(words: Sequence[str]) -> Limits | None:
    """Parse the words after ``go``, at least one: limits, or None for ``infinite``.

    Raises:
        InputError: unknown or impossible limits.
    """
    if list(words) == ["infinite"]:
        return None
    given = _numbers("go", words, list(LIMITS.values()), "depth D, nodes N, movetime MS or infinite")
    if not 1 <= given.get("movetime", 1) <= _LONGEST_MOVE:
        raise ProtocolError(f"go: movetime: expected 1 to {_LONGEST_MOVE:,} milliseconds, got {given['movetime']}")
    seconds = given["movetime"] / 1000 if "movetime" in given else None
    return Limits(given.get("depth"), given.get("nodes"), seconds)


def info_line(depth: int, nodes: int, seconds: float, score: float, pv: Sequence[Move]) -> str:
    """Return the ``info`` line about a completed depth."""
    plies = plies_to_win(score)
    text = f"{score:.4g}" if plies is None else f"win {plies}" if score > 0 else f"loss {-plies}"
    if plies is None and abs(score) > WON:
        text = "won" if score > 0 else "lost"
    nps = round(nodes / max(seconds, 1e-6))
    line = " ".join(map(str, pv))
    return f"info depth {depth} nodes {nodes} nps {nps} score {text} pv {line}".rstrip()


def read_info(words: Sequence[str]) -> Info:
    """Parse the words after ``info``, and ignore unknown ones, since engines report many things."""
    values: dict[str, Any] = {}
    for index, word in enumerate(words):
        after = [*words[index + 1 :], "", ""]
        if word == "pv":
            values["pv"] = tuple(after[:-2])
            break
        if word in ("depth", "nodes") and (number := _number(after[0])) is not None and number >= 0:
            values[word] = int(number)
        if word == "score":
            values["score"] = _score(after[0], after[1])
    return Info(**values)


def read_line(position: Position, words: Sequence[str]) -> tuple[Move, ...]:
    """Parse moves from a position as an engine wrote them, up to the first illegal one."""
    line_moves: list[Move] = []
    for word in words[:_LONGEST_LINE]:
        try:
            line_moves.append(moves.parse_move(position, word))
        except InputError:
            break
        position = moves.apply(position, line_moves[-1])
    return tuple(line_moves)


def _score(first: str, second: str) -> float | None:
    """Parse ``0.53``, ``win 23``, ``loss 8``, ``won``, ``lost``, or the ``cp`` and ``mate`` of chess programs."""
    if first in ("won", "lost"):
        return TABLEBASE_WON if first == "won" else -TABLEBASE_WON
    if first in ("win", "loss", "cp", "mate"):
        number = _number(second)
        if number is None:
            return None
        if first == "cp":
            return _clamp(number / 100)
        won = first == "win" or (first == "mate" and number > 0)
        plies = abs(number) * (2 if first == "mate" else 1)
        if plies >= WIN - TABLEBASE_WON:
            return None
        return WIN - plies if won else plies - WIN
    number = _number(first)
    return None if number is None else _clamp(number)


def _clamp(score: float) -> float:
    return max(-WON, min(WON, score))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None
