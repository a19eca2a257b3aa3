"""What the tests of PDN share: games, files, and records of games, read as plainly as possible."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import IO, Any, NamedTuple

from game import moves
from game.board import Position
from game.pdn.game import DERIVED_TAGS, Annotation, Fault, Game, RawGame, make_fault, raw_games, write_game
from game.pdn.meaning import Following, best_view, follow

DATA = Path(__file__).parents[2] / "data"
SOUND = '[Event "Sound"]\n[Result "1-0"]\n\n1. 9-14 22-18 1-0\n\n'
NOTHING = ("", "\n \n", "{a comment}", "% escaped", "; words", "1. 2.", "\ufeff")
"""Texts without games."""
ENCODED = '[Site "Zürich"]\n\n1. 11-15 23-19 1-0\n'

PAGE = (Path(__file__).parents[3] / "docs" / "what-we-read.md").read_text(encoding="utf-8")

FENS = (
    Position.start().fen(),
    "W:W21-32:B1-12",
    "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29",
    "W:WK26,K5,30:B6,7,14,15,22,23",
    "W:W:B1",
)


def rows(name: str) -> list[tuple[str, ...]]:
    """Return the cells of all rows of the tables between two comments, without their headings."""
    results = []
    for table in re.findall(rf"<!-- {name} -->(.*?)<!-- end of {name} -->", PAGE, re.DOTALL):
        lines = [line for line in table.splitlines() if line.startswith("|")][2:]
        results += [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    assert results
    return results


def codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]*)`", cell)


class Record(NamedTuple):
    """One game of a file, up to its first move that is not legal; None if its first position is unknown."""

    number: int
    line: int
    game: Game | None
    faults: tuple[Fault, ...]
    whole: bool


def records(text: str | bytes) -> list[Record]:
    return list(_records(io.StringIO(text) if isinstance(text, str) else io.BytesIO(text)))


def _records(stream: IO[Any]) -> Iterator[Record]:
    for raw in raw_games(stream):
        start, played = raw.start, ()
        if start is not None:
            best_view(raw, lambda raw=raw: len(_follow(raw).plies))  # type: ignore[misc]
            start, played = raw.start, _played(raw)
        tags = tuple(item for item in raw.tags.items() if item[0] not in DERIVED_TAGS)
        notes = tuple(Annotation(*note) for note in raw.read_notes() if note[0] <= len(played))
        game = None if start is None else Game(tags, start, played, raw.result, notes)
        yield Record(raw.number, raw.line, game, tuple(raw.faults), game is not None and raw.sound)


def _follow(raw: RawGame) -> Following:
    assert raw.start is not None
    return follow(raw.start, raw.written, moves.successors)


def _played(raw: RawGame) -> tuple[moves.Move, ...]:
    """Return the moves up to the first one that is not legal, which becomes a fault."""
    following = _follow(raw)
    if (played := len(following.plies)) < len(raw.written):
        position = following.plies[-1][2] if following.plies else raw.start
        legal = ", ".join(map(str, moves.legal_moves(position))) or "none: the side to move has lost"
        why = f"not legal in {position.fen()} (legal moves: {legal})"
        if following.meant:
            why = f"ambiguous, could be {', '.join(map(str, following.meant))}"
        line, text = raw.place(played)
        raw.faults.append(make_fault(raw.number, line, played + 1, f"{text}: {why}"))
        raw.faults.sort(key=lambda fault: fault.line)
        raw.sound = False
    return tuple(move for _, move, _ in following.plies)


def faults(text: str | bytes) -> list[Fault]:
    return [fault for record in records(text) for fault in record.faults]


def games_of(path: Path) -> list[Game]:
    """Return the games of a file, which has no faults."""
    return read(path.read_bytes())


def read(text: str | bytes) -> list[Game]:
    """Return the games of a text, which has no faults."""
    assert faults(text) == []
    return [record.game for record in records(text) if record.game is not None]


def only(text: str | bytes) -> Game:
    (game,) = read(text)
    return game


def written(*games: Game) -> str:
    stream = io.StringIO()
    for game in games:
        write_game(stream, game)
    return stream.getvalue()


def path_text(game: Game) -> str:
    return " ".join(map(str, game.moves))


def notes(game: Game) -> list[tuple[int, str, str]]:
    return [(note.ply, note.kind, note.text) for note in game.notes]


def random_game(random: Random) -> Game:
    position = start = Position.from_fen(random.choice(FENS))
    played = []
    for _ in range(random.randrange(100)):
        legal = moves.successors(position)
        if not legal:
            break
        move, position = random.choice(legal)
        played.append(move)
    noted = tuple(Annotation(ply, "comment", "word " * random.randrange(40)) for ply in range(0, len(played), 5))
    return Game((("Round", str(random.random())),), start, tuple(played), "*", noted)


def damaged_files(count: int) -> Iterator[bytes]:
    """Yield parts of a sound and a faulty file with some wrong bytes."""
    random = Random(3)
    whole = (DATA / "annotated.pdn").read_bytes() + (DATA / "faulty.pdn").read_bytes()
    for _ in range(count):
        data = bytearray(whole)
        for _ in range(random.randrange(1, 6)):
            data[random.randrange(len(data))] = random.randrange(256)
        yield bytes(data[: random.randrange(len(data))])
