"""Proofs of results: by tables, and above them by searches that reach the tables (`game.search.proof_kernels`).

A file of proofs is a header, the CRC-32 of the rest, and rows of a key and its numbers, as in the memory of searches.

Draws by repetition or by forty moves do not count, as in the tables.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np

from game import bitboard, moves
from game.board import Position
from game.endgame.tables import Tables, open_tables
from game.errors import InputError
from game.kernels import CAPACITY, MOVE_WORDS
from game.moves import Move
from game.regular_files import read_regular, replacing
from game.rules import BLACK
from game.search import proof_kernels as at

NODES = 100_000
"""Positions that the proof of a position may visit, unless something else is said."""
LEAST_ENTRIES, MOST_ENTRIES = 1 << 20, 1 << 24
"""Entries of the memory of searches, 16 bytes each."""
MOST_CLOSED = 1 << 18
"""Positions that a proof that a side does not win may consist of."""
AT_ONCE = 1 << 20
"""Positions that are visited before Ctrl-C is noticed."""
FIRST_SHARE = 8
"""Part of the positions that the question about each side gets before either gets the rest."""
HEADER, MOST_KEPT = b"Crownhead proofs 1 of American checkers\n", 1 << 19
"""The beginning of files of proofs, with a version of keys and numbers; and the largest number of rows."""
LINE = 60
"""Maximum number of plies in a line."""

Bounds = tuple[int, int]
"""The least and the most that the side to move may expect of perfect play: 1 a win, 0 a draw, -1 a loss."""


def by_what(tables: Tables, nodes: int = NODES) -> str:
    return f"tables of up to {tables.pieces} pieces and searches of {nodes:,} positions"


class Prover:
    """Proofs of positions. They share what they have found until `forget`.

    Args:
        tables: the tables at the end of proofs; None for all in the folder.
        nodes: positions that the proof of a position may visit. Nothing else limits it, so results are the same on any
            machine.
        file: a file of earlier proofs, with which all proofs begin, and to which `close` adds; None for none.

    Raises:
        InputError: `nodes` is out of range, or the file is damaged.
    """

    def __init__(self, tables: Tables | None = None, nodes: int = NODES, file: Path | None = None) -> None:
        if not 1 <= nodes < 1 << 40:
            raise InputError(f"nodes: expected 1 or more, got {nodes}")
        self.tables, self.nodes = open_tables() if tables is None else tables, nodes
        self.name = by_what(self.tables, nodes)
        entries = min(1 << max(2 * nodes, LEAST_ENTRIES // 2).bit_length(), MOST_ENTRIES)
        self._queue = np.zeros((MOST_CLOSED, MOVE_WORDS), np.uint64)
        sizes = {
            at.TABLE: 2 * entries,
            at.PATH: 2 * at.MAX_PLY + 2,
            at.ROWS: (at.MAX_PLY + 1) * (CAPACITY + 1) * MOVE_WORDS,
            at.SEEN: 2 * MOST_CLOSED,
        }
        self._memory = {word: np.zeros(size, np.uint64) for word, size in sizes.items()} | {at.QUEUE: self._queue}
        self._context = np.zeros(at.CONTEXT_WORDS, np.int64)
        for word, memory in self._memory.items():
            self._context[word] = memory.ctypes.data
        self._context[[at.MASK, at.SEEN_MASK]] = sizes[at.TABLE] // 2 - 1, sizes[at.SEEN] - 1
        self._context[at.TABLES] = self.tables.address
        self._address = np.int64(self._context.ctypes.data)
        self._file = file
        self._kept = np.zeros((0, 2), np.uint64) if file is None or not file.exists() else _read(file)
        self.forget()

    def forget(self) -> None:
        """Forget everything but the proofs of a file, so that later proofs do not depend on earlier ones."""
        self._kept = self._kept if self._file is None else self._settled()
        self._memory[at.TABLE].fill(0)
        start = np.int64(self._kept.ctypes.data)
        at.restore(start, start + self._kept.nbytes, self._address)

    def _settled(self) -> Any:
        """Return the rows of what has been settled, the newest ones of each position."""
        rows = np.concatenate([self._memory[at.TABLE].reshape(-1, 2), self._kept])
        numbers = np.sort(np.stack([rows[:, 1] >> np.uint64(32), rows[:, 1] & np.uint64(2**32 - 1)]), axis=0)
        rows = rows[(numbers[0] == 0) & (numbers[1] > at.SETTLED)]  # without what searches only suggest
        return rows[np.sort(np.unique(rows[:, 0], return_index=True)[1])][:MOST_KEPT]

    def close(self) -> None:
        """Write what has been settled to the file, if there is one."""
        if self._file is not None:
            rows = self._settled().tobytes()
            with replacing(self._file) as file:
                file.write(HEADER + zlib.crc32(rows).to_bytes(4, "little") + rows)

    def bounds(self, position: Position) -> Bounds:
        """Return what is proved of a position within the limit; the bounds are equal if it is settled."""
        sides = [position.side, 1 - position.side]
        least, most, left = -1, 1, self.nodes
        for part in (FIRST_SHARE, 1):
            for others, side in zip(range(len(sides), 0, -1), list(sides), strict=True):
                won = self.wins(position, side, left // (part * others))  # what one side leaves over is for the other
                left -= self.visited
                value = 1 if side == position.side else -1
                if won:
                    return value, value
                if won is False:
                    sides.remove(side)
                    least, most = (least, 0) if value > 0 else (0, most)
        return least, most

    def wins(self, position: Position, side: int, nodes: int) -> bool | None:
        """Return whether a side can force a win; None if that is not proved with so many positions more."""
        self._context[at.NODES] = 0
        self._queue[0] = self._seen_by(position, side)
        found = self._search(0, nodes)
        while found == at.NOT_WON:
            place = int(at.close(self._address))
            if place < 0:
                return False if place == at.CLOSED else None
            # The search claimed too much about this position. Search it again; if it is won, search the positions
            # that led to it again, too.
            found = self._search(place, nodes)
            while found == at.WON and place:
                place = int(self._queue[place, 3]) >> 1
                found = self._search(place, nodes)
        return found == at.WON or None

    @property
    def visited(self) -> int:
        """The number of positions that the last question took."""
        return int(self._context[at.NODES])

    def _search(self, place: int, nodes: int) -> int:
        own, opponent, kings, more = self._queue[place]
        while True:
            self._context[at.LIMIT] = min(self.visited + AT_ONCE, nodes)
            found = int(at.search(own, opponent, kings, np.int64(int(more) & 1), self._address))
            if found != at.OPEN or self.visited >= nodes:
                self._context[at.LIMIT] = nodes
                return found

    def _seen_by(self, position: Position, side: int) -> tuple[Any, Any, Any, Any]:
        """Return the pieces of the mover, its opponent's, kings, and 0 if `side` is to move, else 1."""
        own, opponent, kings = position.own, position.opponent, position.kings
        if side != BLACK:
            own, opponent, kings = map(bitboard.rotate, (own, opponent, kings))
        return np.uint64(own), np.uint64(opponent), np.uint64(kings), np.int64(position.side ^ side)

    def line(self, position: Position, side: int) -> tuple[Move, ...]:
        """Return moves that show what is proved: that a side wins, or that it does not, whichever it is.

        The line ends where tables know the result, or where a position occurs again.
        """
        wanted = self._known(position, side)[0]
        won = wanted == at.WON
        played, seen = list[Move](), {position}
        while len(played) < LINE:
            # A side that wins hurries, and the other one delays that; without a win it is the other way round.
            choices = [
                (plies if (position.side == side) == won else -plies, place, move, after)
                for place, (move, after) in enumerate(moves.successors(position))
                for found, plies in [self._known(after, side)]
                if found == wanted != at.OPEN
            ]
            if not choices:
                break
            _, _, move, position = min(choices)
            played.append(move)
            if position in seen or self._covered(position):
                break
            seen.add(position)
        return tuple(played)

    def _covered(self, position: Position) -> bool:
        return (position.black | position.white).bit_count() <= self.tables.pieces

    def _known(self, position: Position, side: int) -> tuple[int, int]:
        """Return whether it is proved that a side wins, and after how many plies tables know it."""
        seen = self._seen_by(position, side)
        numbers = int(at.known_value(*seen, self._address))
        found, plies = int(at.value_of(np.int64(numbers), seen[3])), (numbers >> 32) + numbers % 2**32 - at.SETTLED
        if self._covered(position):
            verdict = self.tables.probe(position)
            return found, (verdict is not None and verdict.plies) or 0
        return (at.OPEN if found == at.NOT_WON and not plies else found), plies


def _read(path: Path) -> Any:
    data = read_regular(path, len(HEADER) + 4 + 16 * MOST_KEPT, links=True)
    check, rows = data[: len(HEADER) + 4], data[len(HEADER) + 4 :]
    if check != HEADER + zlib.crc32(rows).to_bytes(4, "little") or len(rows) % 16:
        raise InputError(f"{path}: is damaged, or no file of proofs of this version; delete it")
    return np.frombuffer(rows, np.uint64).reshape(-1, 2).copy()
