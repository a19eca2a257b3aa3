"""Reading PDN, the notation of recorded games, as a stream, and replaying the games.

Draw rules never end a recorded game: players claim draws. Sources: PDN 3.0 (GameType "21,B,8,8,N1,0"), and PGN for the
parts that both share.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

from game.ballots import longest, opening_of
from game.board import Position
from game.compiled import compiling
from game.moves import decode, successors
from game.pdn.game import (
    DERIVED_TAGS,
    RESULTS,
    Annotation,
    Fault,
    Game,
    PdnError,
    RawGame,
    encode_path,
    make_fault,
    raw_games,
)
from game.pdn.lexer import BLOCK, KeptText, make_encodable, why_no_text
from game.pdn.meaning import best_view, find_meant, settle
from game.regular_files import open_regular
from game.rules import MAX_MOVES

Source = str | os.PathLike[str] | IO[str] | IO[bytes]
"""A path, or a text or binary stream, which is read from its current position."""

MOST_ERRORS = 10_000
SHOWN_ERRORS = 20
"""Maximum number of faults in a text report."""

PROGRESS_GAMES = 64
"""Number of games between two reports of progress."""

NO_GAMES = Fault(None, 1, None, "no games found")


@dataclass(frozen=True, slots=True)
class Record:
    """One game of a file, with its faults.

    Attributes:
        game: the game up to its first illegal or unreadable move; None if its first position is unknown.
        whole: whether all its moves could be read and are legal; faults of tags and results do not matter.
    """

    number: int
    line: int
    game: Game | None
    faults: tuple[Fault, ...]
    whole: bool


@dataclass(slots=True)
class CheckReport:
    """Totals over a file, from `check`.

    Attributes:
        legal_games: number of games that could be read to their end and in which every move is legal, even if a tag
            or the result is wrong.
        plies: number of moves played, in each game up to its first fault.
        legal_moves: number of legal moves (capture paths), summed over the positions before each of these plies.
        results: number of games by result; a missing result counts as ``*``.
    """

    games: int = 0
    legal_games: int = 0
    plies: int = 0
    legal_moves: int = 0
    captures: int = 0
    crownings: int = 0
    results: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RESULTS, 0))
    errors: list[Fault] = field(default_factory=list)
    errors_left_off: int = 0

    def add_errors(self, faults: list[Fault]) -> None:
        room = MOST_ERRORS - len(self.errors)
        self.errors += faults[:room]
        self.errors_left_off += max(len(faults) - room, 0)

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain values, with `errors_left_off` only if there are any."""
        result = asdict(self)
        return result if self.errors_left_off else {name: result[name] for name in result if name != "errors_left_off"}

    def text(self, source: str) -> str:
        """Return the report as text, with the name of the file before each fault."""
        plain = ("games", "legal_games", "plies", "legal_moves", "captures", "crownings")
        counts = {name.replace("_", " "): getattr(self, name) for name in plain} | self.results
        counts["errors"] = len(self.errors) + self.errors_left_off
        lines = [f"{name:<12} {value:>15,}" for name, value in counts.items()]
        lines += [f"{source}:{error}" for error in self.errors[:SHOWN_ERRORS]]
        left_off = counts["errors"] - SHOWN_ERRORS
        return "\n".join([*lines, *([f"... and {left_off:,} more"] if left_off > 0 else [])])


Listener = Callable[[RawGame, list[int], Callable[[int], Position]], list[Fault] | None]
"""A function that `check` calls for each game, with the codes of its legal moves, and with a function that returns the
position after some of them; it may return further faults."""


class OpeningCounter:
    """Counts the games of a file by the name of their opening (`game.ballots`)."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def on_game(self, raw: RawGame, codes: list[int], position_after: Callable[[int], Position]) -> None:
        """Count a game for `check`; one that did not begin from the start position has no opening."""
        first = codes[: longest()] if raw.start == Position.start() else []
        self.counts[opening_of([str(decode(code, ply % 2)) for ply, code in enumerate(first)]).name] += 1

    def as_json(self) -> dict[str, int]:
        """Return the counts, most frequent first."""
        return dict(sorted(self.counts.items(), key=lambda item: (-item[1], item[0])))

    def text(self) -> str:
        """Return the counts as text, a line for each name."""
        return "\n".join(f"{name or 'no name':<24} {count:>7,}" for name, count in self.as_json().items())


class _Replayer:
    """Replays games with the compiled kernel, whose arrays it owns."""

    def __init__(self) -> None:
        import numpy as np

        from extras.recorded import replay_kernels as kernels
        from game.kernels import MOVE_WORDS

        self._np = np
        self._kernels = kernels
        self._moves = np.empty((MAX_MOVES, MOVE_WORDS), np.uint64)
        self._words = np.empty(3, np.uint64)
        self.totals = np.zeros(kernels.TOTALS, np.int64)

    def replay(self, raw: RawGame) -> list[int]:
        """Return codes of the moves up to the first illegal one, which becomes a fault; update `totals`."""
        self.totals[:] = 0
        if raw.start is None or not raw.written:
            return []
        best_view(raw, lambda: len(self._play_all(raw)))
        start, codes = raw.start, self._play_all(raw)
        played = len(codes)
        if played < len(raw.written):
            line, text = raw.place(played)
            position = self._position(start, played)
            meant = [str(move) for move, _ in find_meant(position, raw.written[played], successors)]
            if meant:
                why = f"ambiguous, could be {', '.join(meant)}"
            else:
                legal = ", ".join(str(move) for move, _ in successors(position)) or "none: the side to move has lost"
                why = f"not legal in {position.fen()} (legal moves: {legal})"
            raw.faults.append(make_fault(raw.number, line, played + 1, f"{text}: {why}"))
            raw.faults.sort(key=lambda fault: fault.line)
            raw.sound = False
        return codes

    def _play_all(self, raw: RawGame) -> list[int]:
        """Return codes of the moves that can be played; those that could mean several moves are settled in `raw`."""
        np, written = self._np, raw.written
        assert raw.start is not None, "a game without a start has no moves"
        codes = self._play(raw.start, written)
        if self.totals[self._kernels.STATUS] != self._kernels.AMBIGUOUS:
            return codes
        paths, played, totals = np.array(written, np.int64), len(codes), self.totals.copy()
        while self.totals[self._kernels.STATUS] == self._kernels.AMBIGUOUS:
            position = self._position(raw.start, played)
            moves = settle(position, written, successors, played)
            for ply, move in enumerate(moves, played):
                written[ply] = paths[ply] = encode_path(str(move))
            codes += self._play(position, paths[played:])
            totals += self.totals
            played = len(codes)
            if not moves:
                break
        self.totals[:] = totals
        return codes

    def position_after(self, raw: RawGame, plies: int) -> Position:
        """Return the position after some legal moves of a game, and compute the `totals` of these moves."""
        assert raw.start is not None, "a game without a start has no moves"
        self._play(raw.start, raw.written[:plies])
        return self._position(raw.start, plies)

    def _play(self, start: Position, written: Any) -> list[int]:
        np = self._np
        codes = np.empty(len(written), np.int64)
        with compiling.step("the replay of games"):
            played = self._kernels.replay(
                np.uint64(start.black),
                np.uint64(start.white),
                np.uint64(start.kings),
                start.side,
                np.asarray(written, np.int64),
                len(written),
                self._moves,
                codes,
                self.totals,
                self._words,
            )
        return list(codes[:played].tolist())

    def _position(self, start: Position, played: int) -> Position:
        black, white, kings = self._words.tolist()
        return Position(black, white, kings, (start.side + played) % 2)


def read_records(source: Source, kept: KeptText | None = None) -> Iterator[Record]:
    """Read all games of a file with their faults, one at a time in constant memory.

    Raises:
        PdnError: the file cannot be opened, or is not text.
    """
    replayer = _Replayer()
    with _open(source) as stream:
        for raw in raw_games(stream, kept=kept):
            yield _record(raw, replayer)


def count_games(source: Source) -> int:
    """Return the number of games of a file, without replaying them; 0 if it cannot be read."""
    try:
        with _open(source) as stream:
            return sum(1 for _ in raw_games(stream))
    except (PdnError, OSError):
        return 0


def load_record(source: Source, number: int = 1) -> Record:
    """Read one game of a file to its end, counted from 1; faults in games before it are ignored.

    Faults of its tags and result, which do not keep its moves from being read, are part of the record.

    Raises:
        PdnError: the file has no such game, or it cannot be read to its end.
    """
    if number < 1:
        raise PdnError(f"game {number}: games are counted from 1")
    count = 0
    with _open(source) as stream:
        for raw in raw_games(stream):
            count += 1
            if count == number:
                record = _record(raw, _Replayer())
                if not record.whole:
                    raise _error(source, record.faults[0])
                return record
    if count == 0:
        raise _error(source, NO_GAMES)
    name = source_name(source)
    raise PdnError(f"{name}: there is no game {number}, the file has {count}", name)


def check(
    source: Source,
    *listeners: Listener,
    notes: bool = False,
    progress: Callable[[int], object] | None = None,
) -> CheckReport:
    """Replay all games of a file and return totals, in constant memory.

    A file without games has one error.

    Args:
        notes: whether listeners need comments and variations, which take time to read.
        progress: called now and then with the number of games that were read.

    Raises:
        PdnError: the file cannot be opened, or is not text.
    """
    replayer = _Replayer()
    report = CheckReport()
    with _open(source) as stream:
        for raw in raw_games(stream, notes=notes):
            codes = replayer.replay(raw)
            legal_moves, captures, crownings, _ = replayer.totals.tolist()
            report.games += 1
            if progress is not None and report.games % PROGRESS_GAMES == 0:
                progress(report.games)
            report.legal_games += raw.sound
            report.plies += len(codes)
            report.legal_moves += legal_moves
            report.captures += captures
            report.crownings += crownings
            report.results[raw.result] += 1
            report.add_errors(raw.faults)
            for listener in listeners:
                report.add_errors(listener(raw, codes, partial(replayer.position_after, raw)) or [])
    if report.games == 0:
        report.add_errors([NO_GAMES])
    return report


def _record(raw: RawGame, replayer: _Replayer) -> Record:
    codes = replayer.replay(raw)
    game = None
    if raw.start is not None:
        side = raw.start.side
        moves = tuple(decode(code, (side + ply) % 2) for ply, code in enumerate(codes))
        tags = tuple(item for item in raw.tags.items() if item[0] not in DERIVED_TAGS)
        notes = tuple(Annotation(*note) for note in raw.read_notes() if note[0] <= len(moves))
        game = Game(tags, raw.start, moves, raw.result, notes)
    return Record(raw.number, raw.line, game, tuple(raw.faults), game is not None and raw.sound)


def _error(source: Source, fault: Fault) -> PdnError:
    return PdnError(f"{source_name(source)}:{fault}", source_name(source), fault)


def source_name(source: Source) -> str:
    """Return the name of a source for messages: its path, or the name of the stream."""
    name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else getattr(source, "name", "stream")
    return make_encodable(str(name))


@contextmanager
def _open(source: Source) -> Iterator[IO[Any]]:
    if not isinstance(source, (str, os.PathLike)):
        yield source
        return
    name = source_name(source)
    try:
        stream: Any = open_regular(Path(source), links=True, buffering=BLOCK)
    except FileNotFoundError:
        raise PdnError(f"{name}: there is no such file", name) from None
    except IsADirectoryError:
        raise PdnError(f"{name}: is a folder, expected a PDN file", name) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise PdnError(f"{name}: cannot be opened: {reason}", name) from None
    with stream:
        why = why_no_text(stream.peek(), "is not a text file (expected PDN as UTF-8 text)")
        if why:
            raise PdnError(f"{name}: {why}", name)
        yield stream
