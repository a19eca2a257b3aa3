"""Slow, plain twins of the compiled code, written from the rules and papers, never from the kernels.

They share no code and no layout with the program: positions cross over as FEN text, moves as squares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TypeVar

# Boards
#
# Eight rows of eight characters, seen with Black at the top: b w men, B W kings, dot empty. Row 0 holds
# squares 1-4.

Place = tuple[int, int]
START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"

PLACES: dict[int, Place] = {}
for _row in range(8):
    for _column in range(8):
        if (_row + _column) % 2 == 1:
            PLACES[len(PLACES) + 1] = (_row, _column)
SQUARES = {place: square for square, place in PLACES.items()}


@dataclass(frozen=True)
class Board:
    rows: tuple[str, ...]
    side: str

    @classmethod
    def from_pieces(cls, pieces: dict[Place, str], side: str) -> Board:
        return cls(tuple("".join(pieces.get((r, c), ".") for c in range(8)) for r in range(8)), side)

    @classmethod
    def from_fen(cls, text: str) -> Board:
        """Read a FEN as the program writes it: white pieces first, no ranges."""
        side, white, black = text.split(":")
        pieces = {}
        for letter, field in (("w", white[1:]), ("b", black[1:])):
            for token in field.split(",") if field else []:
                pieces[PLACES[int(token.removeprefix("K"))]] = letter.upper() if token[0] == "K" else letter
        return cls.from_pieces(pieces, side)

    def fen(self) -> str:
        fields: dict[str, list[str]] = {"w": [], "b": []}
        for square, (row, column) in PLACES.items():
            piece = self.rows[row][column]
            if piece != ".":
                fields[piece.lower()].append(f"K{square}" if piece.isupper() else str(square))
        return f"{self.side}:W{','.join(fields['w'])}:B{','.join(fields['b'])}"

    def pieces(self) -> dict[Place, str]:
        return {(r, c): p for r, row in enumerate(self.rows) for c, p in enumerate(row) if p != "."}

    def mirror(self) -> Board:
        """Return the board rotated by half a turn, with colours exchanged."""
        pieces = {(7 - r, 7 - c): p.translate(_OTHER_COLOUR) for (r, c), p in self.pieces().items()}
        return Board.from_pieces(pieces, other(self.side))


_OTHER_COLOUR = str.maketrans("bBwW", "wWbB")


def other(side: str) -> str:
    return "W" if side == "B" else "B"


@dataclass(frozen=True)
class Turn:
    """A whole turn: squares from start to end, captured squares in order, and the board after it."""

    path: tuple[int, ...]
    captured: tuple[int, ...]
    after: Board


def turns(board: Board) -> list[Turn]:
    """Return every legal turn, with every path of a capture, sorted by path as the mover sees the board."""
    pieces = board.pieces()
    own = [place for place, piece in pieces.items() if piece.upper() == board.side]
    results = [turn for place in own for turn in _captures(board, pieces, place)]
    if not results:  # capture is compulsory
        results = [turn for place in own for turn in _steps(board, pieces, place)]
    return sorted(results, key=lambda turn: seen_by(board.side, turn.path))


def seen_by(side: str, path: tuple[int, ...]) -> tuple[int, ...]:
    """Return the squares of a path, numbered from the side's own back row."""
    return path if side == "B" else tuple(33 - square for square in path)


def _directions(piece: str) -> list[Place]:
    """Return the directions of a piece: men move forward, kings both ways, always by one square."""
    rows = {"b": [1], "w": [-1]}.get(piece, [-1, 1])
    return [(row, column) for row in rows for column in (-1, 1)]


def _on_board(place: Place) -> bool:
    return 0 <= place[0] <= 7 and 0 <= place[1] <= 7


def _crowned(piece: str, place: Place) -> str:
    """Return the piece after it has stopped on a place: a man on the far row becomes a king."""
    return piece.upper() if place[0] == {"b": 7, "w": 0}.get(piece) else piece


def _steps(board: Board, pieces: dict[Place, str], start: Place) -> Iterator[Turn]:
    for row, column in _directions(pieces[start]):
        target = (start[0] + row, start[1] + column)
        if _on_board(target) and target not in pieces:
            yield _turn(board, pieces, [start, target], [])


def _captures(board: Board, pieces: dict[Place, str], start: Place) -> Iterator[Turn]:
    """Return all complete captures of one piece. Jumped pieces leave the board only after the turn."""
    piece = pieces[start]

    def jump_on(path: list[Place], jumped: list[Place]) -> Iterator[Turn]:
        place = path[-1]
        ended = True
        stopped = place != start and _crowned(piece, place) != piece  # crowning ends the turn
        for row, column in [] if stopped else _directions(piece):
            victim = (place[0] + row, place[1] + column)
            landing = (place[0] + 2 * row, place[1] + 2 * column)
            if not _on_board(landing) or victim in jumped:  # a piece is jumped at most once
                continue
            if pieces.get(victim, ".").upper() != other(board.side):
                continue
            if landing in pieces and landing != start:  # the piece itself has left its square
                continue
            ended = False  # a jump that can go on must go on
            yield from jump_on([*path, landing], [*jumped, victim])
        if ended and jumped:
            yield _turn(board, pieces, path, jumped)

    yield from jump_on([start], [])


def _turn(board: Board, pieces: dict[Place, str], path: list[Place], jumped: list[Place]) -> Turn:
    after = {place: piece for place, piece in pieces.items() if place != path[0] and place not in jumped}
    after[path[-1]] = _crowned(pieces[path[0]], path[-1])
    squares = tuple(SQUARES[place] for place in path)
    captured = tuple(SQUARES[place] for place in jumped)
    return Turn(squares, captured, Board.from_pieces(after, other(board.side)))


# Perft
#
# Positions that were reached in several ways are expanded once and weighted: plain Python is fast enough.


@dataclass(frozen=True)
class Level:
    """One depth of perft: the number of sequences that lead there, and the different positions at their ends."""

    sequences: int
    positions: int


Node = TypeVar("Node", bound=Hashable)


def perft(start: Node, depth: int, successors: Callable[[Node], list[Node]]) -> list[Level]:
    """Return perft from 1 to `depth`; `successors` returns one node per move, and so decides what counts as a move."""
    ways = Counter({start: 1})
    levels = []
    for _ in range(depth):
        following: Counter[Node] = Counter()
        for known, count in ways.items():
            for after in successors(known):
                following[after] += count
        ways = following
        levels.append(Level(ways.total(), len(ways)))
    return levels


def by_path(board: Board) -> list[Board]:
    """Return successors by convention A: every capture path is a move."""
    return [turn.after for turn in turns(board)]


def distinct(board: Board) -> list[Board]:
    """Return successors by convention B: moves that lead to the same position are one move."""
    return list(dict.fromkeys(by_path(board)))


class Game:
    """A game that remembers every board, and counts again from the start each time it is asked."""

    def __init__(self, board: Board) -> None:
        self.boards = [board]
        self.turns: list[Turn] = []

    def play(self, turn: Turn) -> None:
        self.turns.append(turn)
        self.boards.append(turn.after)

    def occurrences(self) -> int:
        """Return how many times the current board has occurred, with the same side to move."""
        return sum(board == self.boards[-1] for board in self.boards)

    def quiet_plies(self, men_reset: bool) -> int:
        """Return the plies since the last capture or, with `men_reset`, since the last capture or move of a man."""
        quiet = 0
        for before, turn in zip(self.boards, self.turns, strict=False):
            row, column = PLACES[turn.path[0]]
            was_man = before.rows[row][column].islower()
            quiet = 0 if turn.captured or (men_reset and was_man) else quiet + 1
        return quiet

    def ended(self, repetition: int, quiet_plies: int, men_reset: bool, max_plies: int) -> str | None:
        """Return the first that applies of "no move", "repetition", "quiet" and "length"; a limit of 0 is off."""
        if not turns(self.boards[-1]):
            return "no move"
        if repetition and self.occurrences() >= repetition:
            return "repetition"
        if quiet_plies and self.quiet_plies(men_reset) >= quiet_plies:
            return "quiet"
        if max_plies and len(self.turns) >= max_plies:
            return "length"
        return None


def random_placement(random: Random) -> Board:
    """Return a board with one to twelve pieces per side anywhere they may be; some have many kings, some none."""
    share = random.choice((0.0, 0.2, 0.5, 0.8, 1.0))
    squares = random.sample(sorted(PLACES), 32)
    pieces: dict[Place, str] = {}
    for letter, king_row in (("b", 7), ("w", 0)):
        for _ in range(random.randint(1, 12)):
            place = PLACES[squares.pop()]
            pieces[place] = letter.upper() if place[0] == king_row or random.random() < share else letter
    return Board.from_pieces(pieces, random.choice("BW"))


def random_playout(random: Random, plies: int) -> Iterator[Board]:
    board = Board.from_fen(START)
    for _ in range(plies):
        yield board
        legal = turns(board)
        if not legal:
            return
        board = random.choice(legal).after


def capture_feast(random: Random) -> Board:
    """Return a board with a few kings among many pieces away from the edges: long jumps that cross and come back."""
    inner = [(r, c) for r, c in PLACES.values() if 1 <= r <= 6 and 1 <= c <= 6]
    pieces = {place: random.choice("wwW") for place in random.sample(inner, random.randint(5, 12))}
    free = [place for place in PLACES.values() if place not in pieces]
    pieces |= {place: "B" for place in random.sample(free, random.randint(1, 4))}
    board = Board.from_pieces(pieces, "B")
    return board if random.random() < 0.5 else board.mirror()


def random_boards(random: Random, count: int) -> list[Board]:
    """Return different boards in a fixed order, a third each: placed at random, rich in captures, from games."""
    result = dict.fromkeys(random_placement(random) for _ in range(count // 3))
    result |= dict.fromkeys(capture_feast(random) for _ in range(count // 3))
    while len(result) < count:
        result |= dict.fromkeys(random_playout(random, 150))
    return list(result)[:count]
