"""The meaning of written moves: short captures, and letters or numbers in several views of the board.

A capture may be written with fewer squares than it has, as ``22x8``. If several captures fit, those that lead to one
position are one move; otherwise the rest of the game decides. So all of them are followed until all but one have ended
in a move that cannot be played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from game.board import Position
from game.moves import Move, meant_by, one_each
from game.pdn.game import RawGame

Successors = Callable[[Position], Iterable[tuple[Move, Position]]]
"""A generator of legal moves with the positions after them: compiled or in plain Python."""

MOST_LINES = 16
"""Maximum number of lines that are followed at once."""

MOST_PLIES = 2000
"""Maximum number of plies for which more than one line is followed, so that reading takes linear time."""


def decode_path(written: int) -> tuple[int, ...]:
    """Return the squares of a path encoded by `game.pdn.game.encode_path`; empty if it is not on the board."""
    return () if written < 0 else tuple((written >> (4 + 5 * index) & 31) + 1 for index in range(written & 15))


def find_meant(position: Position, written: int, successors: Successors) -> list[tuple[Move, Position]]:
    """Return the legal moves that an encoded path may mean, with the positions after them, one for each position."""
    return one_each(meant_by(decode_path(written), list(successors(position))))


@dataclass(slots=True)
class _Line:
    """One way to read the moves since the first that could mean several."""

    position: Position
    last: tuple[_Line, Move] | None  # the line before its last move
    unclear: bool = False  # another line has led to the same position

    def moves(self) -> list[Move]:
        moves_to, line = list[Move](), self
        while line.last is not None:
            line, move = line.last
            moves_to.append(move)
        return moves_to[::-1]


def settle(position: Position, written: Sequence[int], successors: Successors, first: int = 0) -> list[Move]:
    """Return the moves from a short capture on, up to the first after which one way to read the game is left.

    Returns:
        The moves; empty if more than one way remains to the end, or the capture cannot be played at all.
    """
    lines = [_Line(position, None)]
    for ply in range(first, min(len(written), first + MOST_PLIES)):
        further: dict[Position, _Line] = {}
        for line in lines:
            for move, after in find_meant(line.position, written[ply], successors):
                same = further.get(after)
                if same is None:
                    further[after] = _Line(after, (line, move), line.unclear)
                else:
                    same.unclear = True
        if not further:
            break
        if len(further) > MOST_LINES:
            return []
        lines = list(further.values())
        if len(lines) == 1:
            break
    (line, *others) = lines
    return [] if others or line.unclear else line.moves()


@dataclass(frozen=True, slots=True)
class Following:
    """The moves of a game as far as they can be played.

    Attributes:
        meant: the moves that the next written one may mean: several, or none.
    """

    plies: tuple[tuple[Position, Move, Position], ...]
    meant: tuple[Move, ...] = ()


def follow(start: Position, written: Sequence[int], successors: Successors) -> Following:
    """Play the moves of a game until one is illegal, or could mean several to the end."""
    plies: list[tuple[Position, Move, Position]] = []
    position = start
    settled: Iterator[Move] = iter(())
    for ply, path in enumerate(written):
        decided = next(settled, None)
        meant = [(m, p) for m, p in find_meant(position, path, successors) if decided is None or m == decided]
        if len(meant) > 1:
            settled = iter(settle(position, written, successors, ply))
            decided = next(settled, None)
            if decided is not None:
                meant = [pair for pair in meant if pair[0] == decided]
        if len(meant) != 1:
            return Following(tuple(plies), tuple(move for move, _ in meant))
        plies.append((position, *meant[0]))
        position = meant[0][1]
    return Following(tuple(plies))


def best_view(raw: RawGame, played: Callable[[], int]) -> None:
    """Let a game be read in the view in which most of its moves can be played; the first of several.

    Args:
        played: returns how many moves can be played as the game is read now.
    """
    if len(raw.views) == 1:
        return
    counts = []
    for view in raw.views:
        raw.look(view)
        counts.append(played())
        if counts[-1] == len(raw.written):
            return
    raw.look(raw.views[counts.index(max(counts))])
