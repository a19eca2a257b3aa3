"""Reading PDN, the notation of recorded games, as a stream, and replaying the games.

Draw rules never end a recorded game: players claim draws. Sources: PDN 3.0 (GameType "21,B,8,8,N1,0"), and PGN for the
parts that both share.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from game.board import Position
from game.moves import Move, legal_moves, successors
from game.pdn.game import DERIVED_TAGS, RESULTS, Annotation, Fault, Game, PdnError, RawGame, make_fault, raw_games
from game.pdn.lexer import BLOCK, KeptText, make_encodable, why_no_text
from game.pdn.meaning import Following, best_view, follow
from game.regular_files import open_regular
from gui.model.lines import KIND, find_broken

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
        results: number of games by result; a missing result counts as ``*``.
    """

    games: int = 0
    legal_games: int = 0
    plies: int = 0
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
        plain = ("games", "legal_games", "plies")
        counts = {name.replace("_", " "): getattr(self, name) for name in plain} | self.results
        counts["errors"] = len(self.errors) + self.errors_left_off
        lines = [f"{name:<12} {value:>15,}" for name, value in counts.items()]
        lines += [f"{source}:{error}" for error in self.errors[:SHOWN_ERRORS]]
        left_off = counts["errors"] - SHOWN_ERRORS
        return "\n".join([*lines, *([f"... and {left_off:,} more"] if left_off > 0 else [])])


Plies = tuple[tuple[Position, Move, Position], ...]
"""The moves of a game, each with the positions before and after it."""
Listener = Callable[[RawGame, Plies], list[Fault] | None]
"""A function that `check` calls for each game with the moves that can be played; it may return further faults."""


def _replay(raw: RawGame) -> Plies:
    """Return the moves up to the first that cannot be played, which becomes a fault."""
    if raw.start is None or not raw.written:
        return ()
    best_view(raw, lambda: len(_followed(raw).plies))
    followed = _followed(raw)
    played = len(followed.plies)
    if played < len(raw.written):
        line, text = raw.place(played)
        position = followed.plies[-1][2] if played else raw.start
        if followed.meant:
            why = f"ambiguous, could be {', '.join(map(str, followed.meant))}"
        else:
            legal = ", ".join(map(str, legal_moves(position))) or "none: the side to move has lost"
            why = f"not legal in {position.fen()} (legal moves: {legal})"
        raw.faults.append(make_fault(raw.number, line, played + 1, f"{text}: {why}"))
        raw.faults.sort(key=lambda fault: fault.line)
        raw.sound = False
    return followed.plies


def _followed(raw: RawGame) -> Following:
    assert raw.start is not None, "a game without a start has no moves"
    return follow(raw.start, raw.written, successors)


def read_records(source: Source, kept: KeptText | None = None) -> Iterator[Record]:
    """Read all games of a file with their faults, one at a time in constant memory.

    Raises:
        PdnError: the file cannot be opened, or is not text.
    """
    with _open(source) as stream:
        for raw in raw_games(stream, kept=kept):
            yield _record(raw)


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
                record = _record(raw)
                if not record.whole:
                    raise _error(source, record.faults[0])
                return record
    if count == 0:
        raise _error(source, NO_GAMES)
    name = source_name(source)
    raise PdnError(f"{name}: there is no game {number}, the file has {count}", name)


def check(
    source: Source, *listeners: Listener, notes: bool = False, progress: Callable[[int], object] | None = None
) -> CheckReport:
    """Replay all games of a file and return totals, in constant memory.

    A file without games has one error.

    Args:
        notes: whether listeners need comments and variations, which take time to read.
        progress: called now and then with the number of games that were read.

    Raises:
        PdnError: the file cannot be opened, or is not text.
    """
    report = CheckReport()
    with _open(source) as stream:
        for raw in raw_games(stream, notes=notes):
            plies = _replay(raw)
            report.games += 1
            if progress is not None and report.games % PROGRESS_GAMES == 0:
                progress(report.games)
            report.legal_games += raw.sound
            report.plies += len(plies)
            report.results[raw.result] += 1
            report.add_errors(raw.faults)
            for listener in listeners:
                report.add_errors(listener(raw, plies) or [])
    if report.games == 0:
        report.add_errors([NO_GAMES])
    return report


def find_broken_variations(raw: RawGame, plies: Plies) -> list[Fault]:
    """Return a fault for each variation, also inside another one, that cannot be played instead of its move.

    It listens to `check`, which must read notes.
    """
    return [
        make_fault(raw.number, raw.place(ply - 1)[0], ply, why)
        for ply, kind, text in raw.read_notes()
        if kind == KIND and 0 < ply <= len(plies)
        for why in find_broken(plies[ply - 1][0], text)
    ]


def _record(raw: RawGame) -> Record:
    plies, game = _replay(raw), None
    if raw.start is not None:
        moves = tuple(move for _, move, _ in plies)
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
