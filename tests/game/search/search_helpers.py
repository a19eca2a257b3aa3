"""Values and functions of `test_search` that other tests use, too."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from game import moves
from game.board import Position
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CNN_247
from game.players.basic import material
from game.search.interface import WIN, Limits, SearchOptions
from game.search.search import AlphaBeta
from tests.game.networks.network_samples import BY_MOVER, CROWNHEAD, TILES, genomes
from tests.naive_search import Minimax

Game = tuple[Position, list[Position]]
"""A position and those before it."""

SPECS = {
    "cnn": CNN_247, "blondie": BLONDIE_1741, "anaconda": ANACONDA_5046, "tiles": TILES, "crownhead-1": CROWNHEAD,
    "tables": BY_MOVER[0], "patterns": dataclasses.replace(BY_MOVER[2], patterns=True),
}  # fmt: skip
EVALUATORS: dict[str, Evaluator | None] = {"material": None} | {
    name: Evaluator(spec, genomes(spec, 7, 1, 0.3)[0]) for name, spec in SPECS.items()
}

STYLES = {
    "plain": SearchOptions(equal_depth=True, table_bits=10),
    "quiescence": SearchOptions(quiescence=True, equal_depth=True, table_bits=10),
    "blondie": SearchOptions(blondie=True, equal_depth=True, table_bits=10),
    "threats": SearchOptions(threats=True, twofold=True, equal_depth=True, table_bits=10),
}
KING_ENDINGS = ("B:WK32,K27,30:BK1,K6,5", "W:WK15,K23:BK1,K10", "B:WK18,21:BK9,K2,12")


def games(count: int, seed: int, plies: int) -> list[Game]:
    generator = SplitMix64(seed)
    results: list[Game] = []
    while len(results) < count:
        ending = len(results) % 3 == 2
        position = Position.from_fen(KING_ENDINGS[generator.below(3)]) if ending else Position.start()
        history: list[Position] = []
        for _ in range(generator.below(plies)):
            after = moves.successors(position)
            if ending and history:  # back to where it stood, if that is possible: repetitions
                back = [pair for pair in after if len(history) >= 3 and pair[1] == history[-3]]
                after = back or after
            if not after:
                break
            history.append(position)
            position = after[generator.below(len(after))][1]
        if moves.legal_moves(position):
            results.append((position, history))
    return results


def value_of(evaluator: Evaluator | None) -> Callable[[Position, int], float]:
    if evaluator is None:
        return lambda position, side: float(material(position, side))
    return lambda position, side: evaluator.scores([position], side)[0]


class TooManyError(Exception):
    """A tree has more leaves than plain minimax may visit."""


def limited(value: Callable[[Position, int], float], most: int) -> Callable[[Position, int], float]:
    left = iter(range(most))

    def match(position: Position, side: int) -> float:
        if next(left, None) is None:
            raise TooManyError
        return value(position, side)

    return match


def check(searcher: AlphaBeta, twin: Minimax, game: Game, depth: int) -> None:
    """Best move, its value, and the value or bound of each root move.

    A proved win that is as near as the search has looked ends it: what is said of other moves is of that depth then.
    """
    position, history = game
    expected = twin.root(position, history, depth)
    best = max(value for _, value in expected)
    first = next(move for move, value in expected if value == best)
    result = searcher.search(position, history, limits=Limits(depth=depth), rules=twin.rules)
    assert (result.move, result.score) == (first, best), (position.fen(), [p.fen() for p in history])
    assert result.depth == depth or best >= WIN - result.depth or best <= result.depth - WIN
    known = dict(expected if result.depth == depth else twin.root(position, history, result.depth))
    for each in result.root:
        assert each.score == known[each.move] if each.exact else each.score >= known[each.move]
    every = searcher.search(position, history, limits=Limits(depth=depth), rules=twin.rules, all_scores=True)
    assert {each.move: each.score for each in every.root} == known
    assert (every.move, every.score) == (first, best)


def endings(count: int, pieces: tuple[int, ...], seed: int) -> list[Position]:
    generator = SplitMix64(seed)
    results: list[Position] = []
    while len(results) < count:
        squares = list(range(1, 33))
        sides: tuple[list[str], list[str]] = ([], [])
        for number in range(pieces[len(results) % len(pieces)]):
            square = squares.pop(generator.below(len(squares)))
            side = number % 2
            king = generator.below(2) or square <= 4 or square >= 29
            sides[side].append(f"{'K' * king}{square}")
        position = Position.from_fen(f"{'BW'[generator.below(2)]}:W{','.join(sides[0])}:B{','.join(sides[1])}")
        if len(moves.legal_moves(position)) > 1:
            results.append(position)
    return results
