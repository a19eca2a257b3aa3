"""A page with twenty short games, ten of people and ten of levels that err like them, for a reader to tell apart.

    python -m tests.measurements.blind FILE.pdn -o PAGE.html [--seed N]

The games are from a file of your own and are part of the page only. All twenty begin as a game of the file does, with
the same number of moves of people, and end after `PLIES`; a level plays on against itself. Names, results and
notes are left out, and the order is random. The solution is at the end of the page, folded.
"""

from __future__ import annotations

import argparse
import html
from pathlib import Path
from random import Random

from evolve.names.registration import register
from evolve.run.files import write_atomically
from evolve.run.runs import PEOPLE_RUN, SHIPPED_RUNS
from evolve.strength.levels import LEVELS
from extras.export.game_page import game_page
from extras.recorded.check import Source, read_records, source_name
from game import plain
from game.board import Position
from game.errors import InputError, describe
from game.generator import SplitMix64
from game.moves import Move
from game.pdn.game import Game
from game.players.registry import player

OF_EACH, PLIES, BEGUN = 10, 40, 6
"""Number of games of people and of levels, their plies, and the plies of people before a level plays on."""
LIKE_PEOPLE = tuple(level for level in LEVELS if level.run == PEOPLE_RUN)
FRAME = '<h2>Game {number}</h2>\n<iframe title="Game {number}" loading="lazy" srcdoc="{page}"></iframe>\n'
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>People or programs?</title>
<style>
body {{ font-family: sans-serif; max-width: 60rem; margin: auto }}
iframe {{ width: 100%; height: 62rem }}
</style>
<h1>People or programs?</h1>
<p>Half of these {count} games were played by people in tournaments, the others by levels of the program after
{begun} moves of people. All are cut after {plies} plies. Write down what you think of each, and then look.</p>
{games}<details><summary>Solution</summary><ol>{solution}</ol></details></html>
"""


def usable(source: Source) -> list[tuple[Move, ...]]:
    """Return the first moves of all games of a file that begin at the start and are long enough.

    Raises:
        InputError: there are too few of them.
    """
    games = [
        record.game.moves[:PLIES]
        for record in read_records(source)
        if record.game is not None and record.game.start == Position.start() and len(record.game.moves) >= PLIES
    ]
    if len(set(games)) < 2 * OF_EACH:
        needed = f"{2 * OF_EACH} different games of {PLIES} plies or more from the start"
        raise InputError(f"{source_name(source)}: expected {needed}, found {len(set(games))}")
    return sorted(set(games), key=lambda moves: [move.path for move in moves])


def played_on(begun: tuple[Move, ...], name: str, generator: SplitMix64) -> tuple[Move, ...]:
    """Return these moves and those that a player makes after them against itself."""
    one, positions, moves = player(name), [Position.start()], list(begun)
    while len(moves) < PLIES and plain.legal_moves(positions[-1]):
        if len(positions) > len(moves):
            choice = one.choose(positions[-1], positions[:-1], generator)
            assert choice is not None
            moves.append(choice.move)
        positions.append(plain.apply(positions[-1], moves[len(positions) - 1]))
    return tuple(moves)


def trial(source: Source, seed: int) -> str:
    random = Random(seed)
    chosen = random.sample(usable(source), 2 * OF_EACH)
    games = [(moves, "people") for moves in chosen[:OF_EACH]]
    for number, moves in enumerate(chosen[OF_EACH:]):
        level = LIKE_PEOPLE[number % len(LIKE_PEOPLE)]
        games.append((played_on(moves[:BEGUN], level.text, SplitMix64(seed * OF_EACH + number)), level.name))
    random.shuffle(games)
    frames = [
        FRAME.format(number=number, page=html.escape(game_page(Game((), Position.start(), moves, "*", ()))))
        for number, (moves, _) in enumerate(games, 1)
    ]
    solution = "".join(f"<li>{who}</li>" for _, who in games)
    return PAGE.format(count=len(games), begun=BEGUN, plies=PLIES, games="".join(frames), solution=solution)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.blind")
    parser.add_argument("file")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    register(SHIPPED_RUNS)
    try:
        write_atomically(options.out, trial(options.file, options.seed).encode(), durable=False)
    except (InputError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {describe(error)}\n")


if __name__ == "__main__":
    main()
