"""Samples for a policy from recorded games: positions, the first step that was chosen, the steps that were legal.

The board is as the side to move sees it, so both colours give samples of one form. A turn is labelled by its first
step: index 4 x square + direction, where the square (0 to 31) and the direction (0 and 1 back, 2 and 3 ahead, in
ascending order of the square it leads to) are as the mover sees them. Captures and simple moves never mix, and in games
of people one position in a thousand has two legal turns with one first step.

Games that repeat others move for move are left out, and a hash of its moves says to which part a game belongs. So no
game is on both sides of a split, whatever its place in the file and whatever other games there are.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from game.batch.follow import follow
from game.bitboard import BIT_SQUARE, BOARD, SQUARE_BIT
from game.board import Position
from game.errors import InputError
from game.number_text import count_text
from game.pdn.check import check
from game.pdn.text import RawGame

STEPS = 128
"""Labels: 32 squares, four directions each."""
_LOST = {"1-0": 1, "0-1": 0}  # the side
_FIRST_STEP, _BIT = 10, 63  # where the code of a move (game.kernels) has its first step, and the bit it starts from
_DISTANCES = (-5, -4, 4, 5)
_HASHED = 1 << 32


class Part(IntEnum):
    """What a game is for."""

    TRAINING = 0
    VALIDATION = 1
    TEST = 2


@dataclass(frozen=True)
class Samples:
    """Positions with the first step that was chosen in them.

    Attributes:
        rows: uint64 (n, 3), own pieces, the opponent's, kings, as the side to move sees the board.
        labels: int16 (n,), index of the first step.
        legal: uint8 (n, 16), a bit for each of the 128 first steps, as `numpy.packbits` packs them.
        choices: int16 (n,), number of legal first steps; where it is 1 the move is forced.
        games: int32 (n,), number of the game of each.
    """

    rows: NDArray[np.uint64]
    labels: NDArray[np.int16]
    legal: NDArray[np.uint8]
    choices: NDArray[np.int16]
    games: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.labels)

    def taken(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Samples:
        """Some of them, chosen by a mask or by indexes."""
        return Samples(self.rows[which], self.labels[which], self.legal[which], self.choices[which], self.games[which])

    def with_choice(self) -> Samples:
        """Those whose move is not forced."""
        return self.taken(self.choices > 1)


@dataclass(frozen=True)
class RecordedGames:
    """What a file of games gives.

    Attributes:
        parts: the samples for training, for validation and for the test, by `Part`.
        games: number of games in each of them.
        duplicates: games left out because others have the same moves.
        damaged: games left out because their moves cannot be replayed to the end.
        empty: games left out because they have no moves.
    """

    parts: tuple[Samples, Samples, Samples]
    games: tuple[int, int, int]
    duplicates: int
    damaged: int
    empty: int

    def words(self) -> str:
        """What was read, for people, in one line."""
        left_out = {"duplicate": self.duplicates, "damaged": self.damaged, "empty": self.empty}
        without = ", ".join(f"{count:,} {name}" for name, count in left_out.items() if count)
        training, validation, test = self.games
        text = (
            f"{count_text(sum(self.games), 'game')}: {training:,} for training, {validation:,} for validation, {test:,}"
        )
        return f"{text} for the test{f'; left out: {without}' if without else ''}"


_Followed = tuple[NDArray[np.uint64], NDArray[np.uint32], int, str]
"""Of a game: boards before its moves as the mover sees them, codes of the moves, the first side to move, the result."""


class _Reading:
    """A listener of `game.pdn.check.check` that gathers samples."""

    def __init__(self, validation: float, test: float, tick: Callable[[], None]) -> None:
        self._tick = tick
        self._edges = (round(test * _HASHED), round((test + validation) * _HASHED))
        self._known: set[bytes] = set()
        self.found: tuple[list[_Followed], ...] = ([], [], [])
        self.duplicates = self.damaged = self.empty = 0

    def on_game(self, raw: RawGame, codes: list[int], _: Callable[[int], Position]) -> None:
        self._tick()
        if not raw.sound or raw.start is None:
            self.damaged += 1
            return
        if not codes:
            self.empty += 1
            return
        array = np.array(codes, np.uint32)
        start = np.array([raw.start.black, raw.start.white, raw.start.kings, raw.start.side], "<u8")
        digest = hashlib.sha256(start.tobytes() + array.astype("<u4").tobytes()).digest()
        if digest in self._known:
            self.duplicates += 1
            return
        self._known.add(digest)
        part = self.found[part_of(digest, self._edges)]
        part.append((follow(array, raw.start)[0], array, raw.start.side, raw.result))


def part_of(digest: bytes, edges: tuple[int, int]) -> Part:
    """The part of a game by a hash of its moves: the test below the first edge, validation below the second."""
    place = int.from_bytes(digest[:4], "big")
    return Part.TEST if place < edges[0] else Part.VALIDATION if place < edges[1] else Part.TRAINING


def read_recorded(
    path: Path | str,
    *,
    validation: float = 0.05,
    test: float = 0.05,
    losers: bool = True,
    tick: Callable[[], None] = lambda: None,
) -> RecordedGames:
    """Read the samples of a PDN file.

    Args:
        path: the file.
        validation, test: shares of the games, the rest is for training.
        losers: whether training has moves of sides that lost; validation and test have them in any case.
        tick: called for each game.

    Raises:
        InputError: the shares leave nothing, there is no such file, or it has no game that can be used.
        OSError: reading fails.
    """
    if not (validation >= 0 and test >= 0 and validation + test < 1):
        raise InputError(f"shares: expected two numbers from 0 that add to less than 1, got {validation} and {test}")
    reading = _Reading(validation, test, tick)
    report = check(path, reading)
    if not any(reading.found):
        raise InputError(f"{os.fspath(path)}: no game of {count_text(report.games, 'game')} can be learnt from")
    parts = [_samples(found, losers or part != Part.TRAINING) for part, found in zip(Part, reading.found, strict=True)]
    sizes = [len(found) for found in reading.found]
    return RecordedGames(
        (parts[0], parts[1], parts[2]),
        (sizes[0], sizes[1], sizes[2]),
        reading.duplicates,
        reading.damaged,
        reading.empty,
    )


def first_steps(codes: NDArray[np.uint32], side: NDArray[np.int64]) -> NDArray[np.int16]:
    """Index of the first step of each move, by its code (`game.kernels`) and the side that makes it."""
    square = np.array(BIT_SQUARE)[codes & _BIT] - 1
    seen = np.where(side == 0, square, 31 - square)
    steps: NDArray[np.int16] = (4 * seen + (codes >> _FIRST_STEP & 3)).astype(np.int16)
    return steps


def legal_steps(rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which of the 128 first steps are legal; bool (n, 128).

    Args:
        rows: uint64 (n, 3), own pieces, the opponent's, kings, as the side to move sees the board.
    """
    own, opponent, kings = rows[:, 0], rows[:, 1], rows[:, 2]
    empty = ~(own | opponent) & np.uint64(BOARD)
    movers = [own & kings, own & kings, own, own]
    steps = [mover & _shifted(empty, -by) for mover, by in zip(movers, _DISTANCES, strict=True)]
    jumps = [
        mover & _shifted(opponent & _shifted(empty, -by), -by) for mover, by in zip(movers, _DISTANCES, strict=True)
    ]
    captures = (jumps[0] | jumps[1] | jumps[2] | jumps[3]) != 0
    words = np.where(captures[:, None], np.stack(jumps, 1), np.stack(steps, 1)).astype("<u8")
    bits = np.unpackbits(words.view(np.uint8).reshape(len(rows), 4, 8)[:, :, :5], axis=2, bitorder="little")
    legal = bits[:, :, list(SQUARE_BIT[1:])].transpose(0, 2, 1)  # direction, square -> square, direction
    return np.ascontiguousarray(legal).reshape(len(rows), STEPS).astype(bool)


def _shifted(words: NDArray[np.uint64], by: int) -> NDArray[np.uint64]:
    """All squares moved so many bits up or down; those that leave the board land on unused bits."""
    return words << np.uint64(by) if by > 0 else words >> np.uint64(-by)


def _samples(found: list[_Followed], losers: bool) -> Samples:
    lengths = [len(codes) for _, codes, _, _ in found]
    games = np.repeat(np.arange(len(found), dtype=np.int32), lengths)
    rows = np.concatenate([np.empty((0, 3), np.uint64), *(boards[:, :3] for boards, _, _, _ in found)])
    codes = np.concatenate([np.empty(0, np.uint32), *(codes for _, codes, _, _ in found)])
    plies = np.arange(len(codes)) - np.repeat(np.cumsum([0, *lengths])[:-1], lengths)
    side = (plies + np.repeat(np.array([side for _, _, side, _ in found], np.int64), lengths)) % 2
    lost = np.repeat(np.array([_LOST.get(result, -1) for *_, result in found], np.int64), lengths)
    kept = np.flatnonzero(losers | (side != lost))
    rows, games, labels = rows[kept], games[kept], first_steps(codes, side)[kept]
    parts = [legal_steps(part) for part in np.array_split(rows, len(rows) // 20_000 + 1)]  # all at once leave the cache
    packed = np.concatenate([np.packbits(legal, axis=1) for legal in parts])
    choices = np.concatenate([np.count_nonzero(legal, axis=1) for legal in parts]).astype(np.int16)
    return Samples(rows, labels, packed, choices, games)
