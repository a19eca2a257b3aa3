"""The ten numbers of a board, and the tree of first boards, beside naive twins."""

from __future__ import annotations

from random import Random

import numpy as np

from extras.learning.metrics import labels, metrics, tree, turned
from game.board import Position
from tests import naive


def naive_metrics(board: naive.Board) -> list[int]:
    """By the words of the article, on eight rows of eight, row 0 being the own back row; Black's pieces are own."""
    other = board.mirror()

    def is_own(seen: naive.Board, row: int, column: int) -> bool:
        return seen.rows[row][column] in "bB"

    def is_other(seen: naive.Board, row: int, column: int) -> bool:
        return seen.rows[row][column] in "wW"

    def pieces(seen: naive.Board, letters: str, rows: range = range(8)) -> int:
        return sum(seen.rows[row].count(letter) for row in rows for letter in letters)

    def mobility(seen: naive.Board) -> int:
        return len(naive.turns(naive.Board(seen.rows, "B")))

    def caps(seen: naive.Board) -> int:
        inner = [(r, c) for r in range(1, 7) for c in range(1, 7) if is_other(seen, r, c)]
        return sum(not any(is_other(seen, r + i, c + j) for i in (1, -1) for j in (1, -1)) for r, c in inner)

    def uncaps(seen: naive.Board) -> int:
        count = 0
        for r in range(8):
            for c in range(8):
                if not is_own(seen, r, c):
                    continue
                if r in (0, 7) or c in (0, 7):
                    count += 1
                    continue
                up, down = [is_own(seen, r + 1, c + j) for j in (1, -1)], [is_own(seen, r - 1, c + j) for j in (1, -1)]
                count += all(up) or all(down) or (up[0] and down[0]) or (up[1] and down[1])
        return count

    def won() -> int:
        if not pieces(board, "wW"):
            return 1
        if not pieces(board, "bB") or not mobility(board):
            return -1
        return 0 if mobility(other) else 1

    return [
        12 - pieces(board, "wW"),
        mobility(board) - mobility(other),
        pieces(board, "b") - pieces(board, "w"),
        pieces(board, "B") - pieces(board, "W"),
        caps(board) - caps(other),
        12 - uncaps(board) - caps(other),
        uncaps(board) - uncaps(other),
        pieces(board, "bB", range(3, 5)) - pieces(board, "wW", range(3, 5)),
        pieces(board, "bB", range(5, 8)) - pieces(other, "bB", range(5, 8)),
        won(),
    ]


def row_of(fen: str) -> list[int]:
    position = Position.from_fen(fen)
    return [position.black, position.white, position.kings]


def random_boards(count: int) -> list[naive.Board]:
    """Boards of any numbers of pieces, also none of a side."""
    random = Random(7)
    results = []
    for _ in range(count):
        places = random.sample(list(naive.SQUARES), random.randint(1, 24))
        pieces: dict[naive.Place, str] = {}
        for place in places:
            letter = random.choice("bbbwwwBW")
            row_of_kings = {"b": 7, "w": 0}.get(letter)
            if sum(piece.lower() == letter.lower() for piece in pieces.values()) < 12 and place[0] != row_of_kings:
                pieces[place] = letter
        results.append(naive.Board.from_pieces(pieces, "B"))
    return results


def test_metrics_equal_those_of_the_naive_twin() -> None:
    boards = random_boards(300)
    rows = np.array([row_of(board.fen()) for board in boards], np.uint64)
    expected = [naive_metrics(board) for board in boards]
    assert metrics(rows).tolist() == expected
    assert {numbers[-1] for numbers in expected} == {-1, 0, 1}
    mirrored = np.array([row_of(board.mirror().fen()) for board in boards], np.uint64)
    assert turned(rows).tolist() == mirrored.tolist()


def test_tree_is_that_of_the_rules() -> None:
    result = tree(1827 + 100)
    # Plies 1 to 4 have 7, 49, 302 and 1,469 boards, every order of moves counted; all are of the side that moved.
    level = [naive.Board.from_fen(naive.START)]
    expected = []
    for _ in range(3):
        after = [turn.after for board in level for turn in naive.turns(board)]
        expected += [row_of(board.fen()) if board.side == "W" else row_of(board.mirror().fen()) for board in after]
        level = after
    assert len(expected) == 7 + 49 + 302
    assert sorted(result[: len(expected)].tolist()) == sorted(expected)
    pieces = np.bitwise_count(result[:, :2])
    assert pieces[: 7 + 49].min() == 12 and result[:, 2].max() == 0
    assert len(tree(3)) == 3 and len(np.unique(labels(metrics(result)))) == 2
