"""PolicySamples from recorded games: labels both ways, splits by game, and files that give none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from extras.learning.policy import PolicySamples, Split, read_recorded
from game.board import Position
from game.moves import Move, apply, legal_moves
from game.pdn.game import Game, write_game
from tests import naive

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")


def _random_game(random: Random, start: Position, plies: int, result: str) -> Game:
    position, moves = start, []
    while len(moves) < plies and (legal := legal_moves(position)):
        moves.append(random.choice(legal))
        position = apply(position, moves[-1])
    return Game((), start, tuple(moves), result)


def _write(path: Path, games: Sequence[Game]) -> Path:
    with path.open("w") as file:
        for game in games:
            write_game(file, game)
    return path


@pytest.fixture(scope="module")
def games() -> list[Game]:
    """Long games with kings, a few of them from a position where White moves first."""
    random = Random(5)
    kings = Position.from_fen("W:WK5,14,22,K30:BK3,6,16,K29")
    starts = [Position.start()] * 30 + [kings] * 10
    return [_random_game(random, start, 70, RESULTS[number % 4]) for number, start in enumerate(starts)]


@pytest.fixture(scope="module")
def file(games: list[Game], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _write(tmp_path_factory.mktemp("recorded") / "games.pdn", games)


def _step(board: naive.Board, move: Move) -> int:
    """The label of a move in terms of rows and columns of the board turned for its mover."""
    (row, column), (below, beside) = (naive.PLACES[square] for square in move.path[:2])
    if board.side == "W":
        row, column, below, beside = 7 - row, 7 - column, 7 - below, 7 - beside
    square = naive.SQUARES[row, column] - 1
    return 4 * square + 2 * (below > row) + (beside > column)


def _bits(word: int) -> list[int]:
    return [square for square in range(1, 33) if word >> (square - 1 + (square - 1) // 8) & 1]


def _seen(board: naive.Board) -> list[list[int]]:
    """Squares of own pieces, the opponent's, kings, as the mover sees them."""
    mine = board if board.side == "B" else board.mirror()
    pieces = {naive.SQUARES[place]: piece for place, piece in mine.pieces().items()}
    kinds = ("bB", "wW", "BW")
    return [sorted(square for square, piece in pieces.items() if piece in kind) for kind in kinds]


def test_every_turn_is_its_first_step_and_back(file: Path, games: list[Game]) -> None:
    read = read_recorded(file, validation=0, test=0)
    samples, at = read.parts[Split.TRAINING], 0
    legal = np.unpackbits(samples.legal, axis=1).astype(bool)
    for number, game in enumerate(games):
        position = game.start
        for move in game.moves:
            board = naive.Board.from_fen(position.fen())
            steps = {_step(board, turn) for turn in legal_moves(position)}
            assert set(np.flatnonzero(legal[at]).tolist()) == steps
            assert samples.labels[at] == _step(board, move)
            assert samples.choices[at] == len(steps)
            assert [_bits(word) for word in samples.rows[at].tolist()] == _seen(board)
            assert samples.games[at] == number
            position, at = apply(position, move), at + 1
    assert at == len(samples)


def test_no_game_is_on_both_sides_of_a_split(file: Path, games: list[Game], tmp_path: Path) -> None:
    read = read_recorded(file, validation=0.2, test=0.3)
    assert sum(read.games) == len(games) and all(read.games)
    assert sum(map(len, read.parts)) == sum(len(game.moves) for game in games)
    # Beside other games, in another order, twice: every game stays where it was.
    again = read_recorded(_write(tmp_path / "again.pdn", [*games[::-1], *games[:25]]), validation=0.2, test=0.3)
    assert (again.games, again.duplicates) == (read.games, 25)
    for one, other in zip(read.parts, again.parts, strict=True):
        assert _whole_games(one) == _whole_games(other)
    results = [_whole_games(part) for part in read.parts]
    assert not (results[0] & results[1] | results[0] & results[2] | results[1] & results[2])


def _whole_games(samples: PolicySamples) -> set[bytes]:
    table = np.column_stack([samples.rows, samples.labels.astype(np.uint64)])
    return {table[samples.games == game].tobytes() for game in np.unique(samples.games)}


def test_moves_of_losers_are_left_out_of_training_alone(file: Path, games: list[Game]) -> None:
    everything, some = (read_recorded(file, validation=0.3, test=0.3, losers=losers) for losers in (True, False))
    for part in (Split.VALIDATION, Split.TEST):
        np.testing.assert_array_equal(everything.parts[part].rows, some.parts[part].rows)
    alone = read_recorded(file, validation=0, test=0, losers=False).parts[0]
    for number, game in enumerate(games):
        loser = {"1-0": 1, "0-1": 0}.get(game.result)
        sides = [(game.start.side + ply) % 2 for ply in range(len(game.moves))]
        assert np.count_nonzero(alone.games == number) == sum(side != loser for side in sides)


def test_damaged_games_are_counted(games: list[Game], tmp_path: Path) -> None:
    path = _write(tmp_path / "damaged.pdn", [*games[:3], games[0]])
    with path.open("a") as file:
        file.write('[Event "x"]\n\n1. 11-15 23-19 2. 1-32 1-0\n\n[Event "y"]\n\n*\n')
    read = read_recorded(path, validation=0, test=0)
    words = "3 games: 3 for training, 0 for validation, 0 for the test; left out: 1 duplicate, 1 damaged, 1 empty"
    assert read.words() == words
