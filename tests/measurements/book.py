"""The book of the ballots (`game.ballots.read_book`), by searches of the champion.

    python -m tests.measurements.book game/data/book.tsv

searches every ballot and the positions after its best moves, six minutes of processor time, and goes on with a file
that is there. Positions with a single legal move are left out, since nobody asks a book about them.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.runs import SHIPPED_RUNS
from game import moves
from game.ballots import BOOK_HEADER, BookEntry, read_book
from game.board import Position
from game.openings import openings
from game.regular_files import replacing
from game.rules import WCDF
from game.search.interface import Limits

if TYPE_CHECKING:
    from extras.recorded.analyst import Analyst

NODES = 1_000_000
WIDTHS = (3, 2, 0)
"""The number of best moves of a ballot, and of the positions after these, after which the book goes on."""
BEHIND = 0.25
"""The most by which a move may be behind the best one, in men: as much as searches of different depths differ."""
MOST = 3
"""Number of moves that are written down."""


def entry(analyst: Analyst, position: Position, nodes: int) -> BookEntry:
    info = analyst.look(position, (), Limits(nodes=nodes))
    good = [line for line in info.lines if line.exact and line.score >= info.lines[0].score - BEHIND]
    return BookEntry(info.depth or 0, tuple((str(line.move), line.score) for line in good[:MOST]))


def make(path: Path, ballots: list[Position], nodes: int = NODES, widths: tuple[int, ...] = WIDTHS) -> None:
    from extras.recorded.analyst import open_analyst

    book, analyst = dict(read_book(path=path)) if path.exists() else {}, open_analyst(None, SHIPPED_RUNS)
    try:
        for width in widths:
            after = []
            for number, position in enumerate(ballots):
                print(f"{number:,} of {len(ballots):,} positions, {len(book):,} in all", file=sys.stderr)
                if position.fen() not in book:
                    book[position.fen()] = entry(analyst, position, nodes)
                for text, _ in book[position.fen()].replies[:width]:
                    follows = moves.apply(position, moves.parse_move(position, text))
                    while len(legal := moves.successors(follows)) == 1:
                        ((_, follows),) = legal
                    after += [follows] if legal else []
            ballots = list(dict.fromkeys(after))
    finally:
        write(path, f"by {analyst.name}, {nodes:,} positions each", book)


def write(path: Path, about: str, book: dict[str, BookEntry]) -> None:
    rows = ((fen, str(depth), " ".join(f"{move} {men:+.2f}" for move, men in of)) for fen, (depth, of) in book.items())
    lines = ("\t".join(row) for row in rows)
    body = "\n".join((f"# {about}", *lines, ""))
    with replacing(path, "x", encoding="ascii", newline="") as file:
        file.write(f"{BOOK_HEADER.format(WCDF)}, check {zlib.crc32(body.encode()):08x}\n{body}")


if __name__ == "__main__":
    make(Path(sys.argv[1]), [each.position for each in openings("three-move")])
