"""The book of the ballots: its file, the command that makes one, and players that use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from game import moves
from game.ballots import BOOK, MOST_BYTES, read_book
from game.board import Position
from game.errors import InputError
from game.generator import SplitMix64
from game.openings import openings
from game.players.registry import player
from game.rules import DrawRules
from tests.cases import for_each
from tests.measurements.book import BEHIND, make


def test_the_book_has_legal_moves_for_each_ballot_and_after_its_best_moves() -> None:
    book = read_book()
    for fen, entry in book.items():
        legal = {str(move) for move in moves.legal_moves(Position.from_fen(fen))}
        men = [score for _, score in entry.replies]
        assert entry.depth > 10 and men[0] > max(men) - BEHIND and {move for move, _ in entry.replies} <= legal
    ballots = {opening.position.fen() for opening in openings("three-move")}
    assert ballots <= set(book) and len(set(book) - ballots) > 300 and BOOK.stat().st_size < MOST_BYTES


def test_a_player_with_a_book_plays_its_best_moves_without_a_search() -> None:
    plain, reads = player("material,depth=2"), player("material,depth=2,book=yes")
    assert reads.canonical_name == "material,depth=2,book=yes" and "by the book" in reads.describe()
    assert reads.identity != plain.identity and reads.compiled is None is not plain.compiled
    for opening in openings("three-move")[::20]:
        choice = reads.choose(opening.position, (), SplitMix64(1))
        assert (str(choice.move), choice.nodes) == (read_book()[opening.position.fen()].replies[0][0], 0)
    start = Position.start()
    assert reads.choose(start, (), SplitMix64(1)) == plain.choose(start, (), SplitMix64(1))


def test_a_book_is_for_the_rules_of_its_searches() -> None:
    with pytest.raises(InputError, match=r"^book: .*book.tsv: expected one for DrawRules\(repetition=4, "):
        player("material,depth=2,book=yes").begin_game(DrawRules(repetition=4), 1)


@for_each(("before", "after"), [("+0.", "+9."), ("# Crownhead book 1", "# Crownhead book 2"), ("check ", "check é")])
def test_a_damaged_book_is_one_sentence(before: str, after: str, tmp_path: Path) -> None:
    path = tmp_path / "book.tsv"
    path.write_text(BOOK.read_text("ascii").replace(before, after, 1), "utf-8")
    with pytest.raises(InputError, match=r"^book: [^\n]*book.tsv: [^\n]*use book=no$"):
        read_book(path=path)


@pytest.mark.needs("recorded")
def test_making_a_book_goes_on_with_one_that_is_there(tmp_path: Path) -> None:
    path, ballots = tmp_path / "book.tsv", [opening.position for opening in openings("three-move")[:2]]
    make(path, ballots[:1], 50, (1, 0))
    first = read_book(path=path)
    assert len(first) == 2 and ballots[0].fen() in first
    read_book.cache_clear()
    make(path, ballots, 60, (0,))
    read_book.cache_clear()
    assert read_book(path=path).items() > first.items() and len(read_book(path=path)) == 3
