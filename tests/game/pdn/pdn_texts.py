"""What the tests of PDN share."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random

from extras.recorded import check
from game import moves
from game.board import Position
from game.pdn.game import Annotation, Game, write_game

DATA = Path(__file__).parents[2] / "data"
SOUND = '[Event "Sound"]\n[Result "1-0"]\n\n1. 9-14 22-18 1-0\n\n'
FENS = (
    Position.start().fen(),
    "W:W21-32:B1-12",
    "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29",
    "W:WK26,K5,30:B6,7,14,15,22,23",
    "W:W:B1",
)


def records(text: str | bytes) -> list[check.Record]:
    return list(check.read_records(io.StringIO(text) if isinstance(text, str) else io.BytesIO(text)))


def games_of(source: check.Source) -> list[Game]:
    """Return the games of a file or stream, which has no faults."""
    read = list(check.read_records(source))
    assert [fault for record in read for fault in record.faults] == []
    return [record.game for record in read if record.game is not None]


def read(text: str | bytes) -> list[Game]:
    return games_of(io.StringIO(text) if isinstance(text, str) else io.BytesIO(text))


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
