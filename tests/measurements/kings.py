"""Endings with kings and 6 to 10 pieces: the share of proved losses that players call lost.

    python -m tests.measurements.kings [PLAYER ...]

prints it for each player and number of nodes, with tables of up to four pieces, by default for the champion.

    python -m tests.measurements.kings GAMES.pdn ... > tests/measurements/kings.tsv

proves positions with tables of up to six pieces, of games and then by lot. The games of the committed ones are those of
`tests.measurements.proofs`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from random import Random

from evolve.names.registration import register
from evolve.run.runs import CHAMPION_RUN, SHIPPED_RUNS
from extras.recorded.check import read_records
from game import plain
from game.board import Position
from game.players.registry import player
from game.review.chances import count_pieces
from game.search.interface import Limits
from game.search.proof import Prover

FILE = Path(__file__).with_name("kings.tsv")
PROOF_NODES = 500_000
MOST, OF_GAMES, COUNT = 200, 600, 1000
"""The most positions with each number of pieces of a source, and how many are of games, and in all."""
NODES = 1_000, 20_000, 100_000
LOST = -0.6
"""The expected result, from -1 to 1, at a chance of 20 %."""


def suits(position: Position) -> bool:
    """Return whether both sides have kings and no capture, their numbers differ by at most 1, and a move is legal."""
    pieces = position.black, position.white
    if abs(pieces[0].bit_count() - pieces[1].bit_count()) > 1 or not all(each & position.kings for each in pieces):
        return False
    turned = Position(*pieces, position.kings, 1 - position.side)
    captures = any(move.captured for each in (position, turned) for move in plain.legal_moves(each))
    return not captures and bool(plain.legal_moves(position))


def of_games(files: list[str], random: Random) -> Iterator[Position]:
    """Yield a position with each number of pieces from each game, by lot."""
    for game in (record.game for file in files for record in read_records(file) if record.game):
        positions = list(accumulate(game.moves, plain.apply, initial=game.start))
        for pieces in range(6, 11):
            those = [each for each in positions if count_pieces(each) == pieces and suits(each)]
            yield from random.sample(those, min(len(those), 1))


def by_lot(random: Random) -> Iterator[Position]:
    """Yield random positions of 6 to 8 pieces; with more, few can be proved."""
    while True:
        count = random.randrange(6, 9)
        squares = random.sample(range(1, 33), count)
        black = (count + random.randrange(2)) // 2
        kings = random.sample(squares, random.randrange(1, count + 1))
        men = {*squares} - {*kings}
        if men & {*squares[:black]} & {29, 30, 31, 32} or men & {*squares[black:]} & {1, 2, 3, 4}:
            continue
        position = Position.from_squares(squares[:black], squares[black:], kings, random.randrange(2))
        if suits(position):
            yield position


def proved(files: list[str]) -> Iterator[str]:
    """Yield positions with their results for the side to move, 1, 0 or -1, and where they are from."""
    random, prover, counts = Random(1), Prover(nodes=PROOF_NODES), Counter[tuple[str, int]]()
    seen, sources = set[Position](), (("game", OF_GAMES, of_games(files, random)), ("lot", COUNT, by_lot(random)))
    for source, enough, positions in sources:
        for position in positions:
            kind = source, count_pieces(position)
            if counts[kind] == MOST or position in seen:
                continue
            seen.add(position)
            prover.forget()
            least, most = prover.bounds(position)
            if least == most:
                counts[kind] += 1
                yield f"{position.fen()}\t{least}\t{source}"
            if counts.total() == enough:
                break


def called_lost(name: str, nodes: int, value: int, every: int = 1) -> float:
    """Return to which share of the positions with a proved result a search gives a chance below 20 %, in per cent."""
    register(SHIPPED_RUNS)
    rows = [line.split("\t") for line in FILE.read_text().splitlines()][::every]
    searching = player(f"{name},tablebase=4,nodes={nodes}").searching
    assert searching is not None
    searcher, limits = searching.searcher(), Limits(nodes=nodes)
    scores = [searcher.search(Position.from_fen(fen), limits=limits).score for fen, of, _ in rows if int(of) == value]
    return 100 * sum(score < LOST for score in scores) / len(scores)


def main(arguments: list[str]) -> None:
    if arguments and arguments[0].endswith(".pdn"):
        for line in proved(arguments):
            print(line, flush=True)
        return
    print("| player | nodes | losses called lost, % | draws called lost, % |\n|---|---:|---:|---:|")
    for name in arguments or [CHAMPION_RUN]:
        for nodes in NODES:
            lost, drawn = (called_lost(name, nodes, value) for value in (-1, 0))
            print(f"| `{name}` | {nodes:,} | {lost:.1f} | {drawn:.1f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
