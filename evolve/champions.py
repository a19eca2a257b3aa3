"""The games of each generation's champion, as PDN."""

from __future__ import annotations

import io

from evolve.arena import Arena
from evolve.config import Config
from evolve.generation_file import Generation
from evolve.tournament import Ranking
from game import pdn_game
from game.board import Position
from game.match import REASON_TEXT, GameRecord
from game.pdn_game import Game


def games_text(arena: Arena, ranking: Ranking, rows: Generation, generation: int, config: Config) -> bytes:
    """The champion's games of the ranking round robin; their round is ``GENERATION.GAME``.

    Args:
        arena: holds the games of the last stage.
        ranking: who is champion.
        rows: the generation in order of rank, for the names.
        generation: its number.
        config: its openings are told.
    """
    kept = arena.kept
    if kept is None:
        return b""
    names = {int(index): rows.names[rank] for rank, index in enumerate(ranking.order)}
    champion = int(ranking.order[0])
    start = Position.start()
    texts: list[str] = []
    for game in range(len(kept.blacks)):
        black, white = int(kept.blacks[game]), int(kept.whites[game])
        if champion in (black, white):
            record = kept.outcomes.record(game, start)
            number = f"{generation}.{len(texts) + 1}"
            texts.append(_game(record, names[black], names[white], number, config.games.openings))
    return "".join(texts).encode()


def _game(record: GameRecord, black: str, white: str, number: str, openings: str) -> str:
    tags = {
        "Event": f"Ranking of generation {number.split('.', maxsplit=1)[0]} ({openings})",
        "Round": number,
        "Black": black,
        "White": white,
        "Termination": REASON_TEXT[record.reason],
    }
    stream = io.StringIO()
    pdn_game.write_game(stream, Game(tuple(tags.items()), record.start, record.moves, record.pdn_result))
    return stream.getvalue()
