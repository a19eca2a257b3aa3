"""One number for the behaviour of the program, which changes if and only if the behaviour changes.

It is a hash of games between random, material and network players with fixed seeds, under every kind of draw rule and
opening; of the outputs of every network; and of searches of fixed positions: their moves, scores, nodes and
evaluations. The number is the same on every machine, operating system and CPU target. The message of a commit that
changes it has the line ``Bench: N``; others have ``No functional change``.
"""

from __future__ import annotations

import dataclasses
import hashlib

import numpy as np
from numpy.typing import NDArray

from game import moves
from game import openings as ballots
from game.batch.games import BatchPlayers, index_openings, play_all
from game.board import Position
from game.generator import SplitMix64, derive_seed
from game.networks.evaluator import Evaluator
from game.networks.named import SHIPPED
from game.networks.spec import Layer, Spec
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.network import NetworkPlayer
from game.rules import BLACK, WCDF, WHITE, DrawRules
from game.search.interface import Limits, SearchOptions

RULES = (
    WCDF,
    DrawRules(repetition=0, quiet_plies=60),
    DrawRules(repetition=2, quiet_plies=30, men_reset=False),
    DrawRules(repetition=0, quiet_plies=0, max_plies=100),
)
USER = Spec(
    "user", "board", (Layer("convolution", 5, 3, "relu"), Layer("dense", 9, 0, "none"), Layer("dense", 1)),
    king=1.5, piece_difference=True,
)  # fmt: skip
GAMES_A_PAIR = 2


def signature() -> int:
    digest = hashlib.sha256()
    evaluating = _evaluating()
    players = [RandomPlayer(), *evaluating]
    field = BatchPlayers.of_players(players)
    assert field is not None
    pairs = [(a, b) for a in range(len(players)) for b in range(len(players)) for _ in range(GAMES_A_PAIR)]
    blacks, whites = np.array(pairs).T.copy()
    seeds = [derive_seed(7, number) for number in range(len(pairs))]
    for number, (rules, kind) in enumerate((rules, kind) for rules in RULES for kind in ballots.KINDS):
        table = index_openings([opening.moves for opening in ballots.openings(kind)], Position.start())
        opening_of = (np.arange(len(pairs)) * 31 + number) % len(table)
        outcomes = play_all(
            field, blacks, whites, openings=table, opening_of=opening_of, rules=rules, seeds=seeds, keep=True
        )
        for column in (outcomes.results, outcomes.reasons, outcomes.plies, outcomes.evaluations):
            digest.update(column.astype("<i8").tobytes())
        for codes in outcomes.codes or []:
            digest.update(codes.astype("<u4").tobytes())
    _add_outputs(digest, evaluating)
    _add_searches(digest, evaluating)
    return int.from_bytes(digest.digest()[:8], "big")


def _evaluating() -> list[MaterialPlayer | NetworkPlayer]:
    networks = [
        NetworkPlayer(spec.name, make_genome(spec, number), spec=spec, king=1.3 if spec.evolving_king else None)
        for number, spec in enumerate((*SHIPPED.values(), USER))
    ]
    return [MaterialPlayer(), MaterialPlayer("seeded", seed=3, draws_ties=True), *networks]


def make_genome(spec: Spec, seed: int) -> NDArray[np.float32]:
    """Return weights from -1 to 1, drawn by `SplitMix64` so that they do not depend on the version of numpy."""
    generator = SplitMix64(derive_seed(11, seed))
    words = [generator.next() >> 40 for _ in range(spec.weights)]
    return (np.array(words, np.float64) / 2**23 - 1.0).astype(np.float32)


def _add_outputs(digest: hashlib._Hash, players: list[MaterialPlayer | NetworkPlayer]) -> None:
    """Add the scores of all networks for the positions of two random games, bit by bit."""
    generator = SplitMix64(5)
    positions: list[Position] = []
    for _ in range(2):
        position = Position.start()
        while (after := moves.legal_moves(position)) and len(positions) < 200:
            positions.append(position)
            position = moves.apply(position, after[generator.below(len(after))])
    for player in players:
        if player.compiled is not None and player.compiled.network is not None:
            evaluator = Evaluator(*player.compiled.network)
            for side in (BLACK, WHITE):
                digest.update(np.array(evaluator.scores(positions, side), "<f4").tobytes())


def _add_searches(digest: hashlib._Hash, players: list[MaterialPlayer | NetworkPlayer]) -> None:
    """Add searches of ballots and two later positions by the piece count and all networks, with several options."""
    before = [Position.start()]
    for text in ("11-15", "23-19", "8-11", "22-17"):
        before.append(moves.apply(before[-1], moves.parse_move(before[-1], text)))
    to_and_fro = [Position.from_fen("B:WK32,K27,30:BK1,K6,5")]
    for text in ("6-10", "32-28", "10-6", "28-32", "6-10", "32-28"):
        to_and_fro.append(moves.apply(to_and_fro[-1], moves.parse_move(to_and_fro[-1], text)))
    roots = [(opening.position, [Position.start()]) for opening in ballots.openings("three-move")[::40]]
    roots += [(before[-1], before[:-1]), (to_and_fro[-1], to_and_fro[:-1])]
    styles = (
        SearchOptions(),
        SearchOptions(quiescence=True),
        SearchOptions(blondie=True),
        SearchOptions(quiescence=True, equal_depth=True),
    )
    for player in players:
        for style in styles:
            searcher = dataclasses.replace(player, style=style).searcher()
            for position, history in roots:
                for limits in (Limits(depth=4), Limits(depth=8, nodes=2000)):
                    result = searcher.search(position, history, limits=limits)
                    numbers = (result.depth, result.nodes, result.evaluations, *result.move.path, *result.move.captured)
                    digest.update(np.array(numbers, "<i8").tobytes())
                    digest.update(np.array([result.score], "<f8").tobytes())
