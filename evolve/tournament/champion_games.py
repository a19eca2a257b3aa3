"""The games of each generation's champion, as PDN."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from evolve.config.model import Config
from evolve.run.generation_csv import Generation
from evolve.tournament.arena import Arena
from evolve.tournament.tournament import Ranking
from game.board import Position
from game.match import REASON_TEXT, GameRecord
from game.pdn import game as pdn_game
from game.pdn.game import NO_DATE, Game


def games_text(
    arena: Arena, ranking: Ranking, rows: Generation, generation: int, config: Config, champions: Sequence[str] = ()
) -> bytes:
    """The champion's games of the stages that rank; their round is ``GENERATION.GAME``.

    Args:
        arena: holds the games of these stages.
        ranking: who is champion.
        rows: the generation in order of rank, for the names.
        generation: its number.
        config: its openings are told.
        champions: names of the champions of earlier generations that played.
    """
    names = {int(index): rows.names[rank] for rank, index in enumerate(ranking.order)}
    names |= {len(names) + place: name for place, name in enumerate(champions)}
    champion = int(ranking.order[0])
    start = Position.start()
    texts: list[str] = []
    for kept in arena.kept:
        for game in np.flatnonzero((kept.blacks == champion) | (kept.whites == champion)).tolist():
            record = kept.outcomes.record(game, start)
            players = names[int(kept.blacks[game])], names[int(kept.whites[game])]
            texts.append(game_text(record, *players, f"{generation}.{len(texts) + 1}", config.games.openings))
    return "".join(texts).encode()


def game_text(record: GameRecord, black: str, white: str, number: str, openings: str, event: str = "Ranking") -> str:
    """A game as PDN; `number` is its round, ``GENERATION.GAME``, and `openings` says where games began."""
    tags = {
        "Event": f"{event} of generation {number.split('.', maxsplit=1)[0]} ({openings})",
        "Site": "?",
        "Date": NO_DATE,
        "Round": number,
        "Black": black,
        "White": white,
        "Termination": REASON_TEXT[record.reason],
    }
    stream = io.StringIO()
    pdn_game.write_game(stream, Game(tuple(tags.items()), record.start, record.moves, record.pdn_result))
    return stream.getvalue()
