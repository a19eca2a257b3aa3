"""How much players move and err like the people of recorded games that `people` was not trained on.

    python -m tests.measurements.people FILE.pdn PLAYER... [--positions N]
        [--first-choice | --finders | --given-away N | --lost]

For each player: the chance that it makes the move that was played; the mean loss of a move in expected score, by the
champion; and the distance of its losses from those of people who lose as much in a game (Kolmogorov and Smirnov), from
the test games of the preset. After the players comes what people have of this among themselves, and a control: for each
loss a piece counter of two plies, some of whose moves are random.
`--first-choice` says how often the likeliest move at the strength of the person to move, without look-ahead, was the
one that was played: by network and memory and by the network alone, also in games that the memory knows well.
`--finders` compares, in positions with a move that loses `BAD` or more, the share of people that a player expects to
find another move with the share that did.
`--given-away` counts the men and kings that a side gives away in N games of each player against itself and in every
sixtieth game of the file: by a ply and captures, beside its best move, and how many `LATER` plies do not regain.
`--lost` says how often a player loses, by its next move, an ending of the file that is drawn by tables of `ENDING`
pieces, and steps into one of `TRAPS`, where a game of the file reached it; both beside the people of these games.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evolve.names.registration import register
from evolve.run.runs import PEOPLE_RUN, SHIPPED_RUNS
from evolve.strength.means import clustered
from extras.learning.losses import step_losses
from extras.learning.methods import file_digest
from extras.learning.people import distance, losses_played, player_losses, with_weakness
from extras.learning.policy import PolicySamples, Split, read_recorded
from extras.recorded.check import read_records
from game import plain
from game.ballots import deck
from game.board import Position
from game.endgame.table_file import Tables
from game.endgame.tables import complete_tables
from game.errors import InputError, describe
from game.generator import SplitMix64
from game.match import GameRecord, play
from game.moves import Move, parse_move
from game.networks.evaluator import rows_seen
from game.pdn.game import Game
from game.players.names import STRONGEST
from game.players.people import KING, PeoplePlayer, board_keys
from game.players.player import Player
from game.players.policy import first_step
from game.players.registry import player
from game.rules import BLACK

NINTHS = 9
LATER = 7
BAD = 0.1
ENDING = 6
TRAPS = (
    "9-13 24-20 10-15 22-18", "9-13 24-20 11-15 22-18", "11-15 24-20 15-19 23x16 12x19 22-18 10-15",
    "9-13 23-18 5-9 26-23 12-16", "10-14 23-19 11-16 26-23 9-13 24-20", "11-15 22-18 15x22 25x18 8-11 18-14",
    "10-14 24-20 14-18 23x14 9x18 22x15 11x18 21-17 5-9", "11-15 23-18 12-16 18x11 8x15 24-20 9-13",
)  # fmt: skip
"""Openings, the last move of which loses a man or more by a shot of two to four moves."""
Floats = NDArray[np.float64]
Pitfall = tuple[Position, Collection[Move], Move]
"""A position, its moves that lose, and the one that was played."""


def by_first_step(likely: list[tuple[Move, float]]) -> Floats:
    return np.bincount([first_step(move, BLACK) for move, _ in likely], [chance for _, chance in likely], 128)


def likely_moves(one: Player, position: Position, seed: int = 0) -> list[tuple[Move, float]]:
    """Return moves with their chances: all of a player that draws them, or else its choice."""
    likely = None if one.deterministic else one.likelihoods(position)
    return likely or [(one.choose(position, (), SplitMix64(seed)).move, 1.0)]


def taught(name: str) -> PeoplePlayer:
    one = player(name)
    if not isinstance(one, PeoplePlayer):
        raise InputError(f"{name}: expected a player that people have taught, such as {PEOPLE_RUN}")
    return one


class HeldOut:
    """Positions of the test games, with what each first step costs, and the mean loss of the person to move."""

    def __init__(self, file: str, positions: int, split: Split = Split.TEST) -> None:
        read = read_recorded(file, validation=0.1, test=0.1)
        rows = [part.with_choice().rows for part in read.parts]
        if not all(map(len, rows)):
            raise InputError(f"{file}: it has too few games with a choice of moves to hold some out")
        losses = step_losses(file, file_digest(file, "file"), np.concatenate(rows))
        sizes = [int(part.with_choice().choices.sum()) for part in read.parts]
        by_split = np.split(losses, np.cumsum(sizes)[:-1])
        parts, _ = with_weakness(read.parts, by_split)
        part, of_test = parts[split], by_split[split]
        chosen: PolicySamples = part.with_choice()
        means, players = (each[part.choices > 1] for each in player_losses(part, of_test))
        self.all_played = losses_played(chosen, of_test)
        order = np.argsort(means, kind="stable")  # a person's positions stay together
        self.people = [self.all_played[each] for each in np.array_split(order, NINTHS)]
        self.halves = [self.all_played[players % 4 // 2 == half] for half in (0, 1)]
        picked = np.sort(np.random.default_rng(1).permutation(len(chosen))[:positions])
        ends = np.cumsum(chosen.choices, dtype=np.int64)
        self.chosen = chosen.select(picked)
        self.steps = [np.flatnonzero(legal) for legal in np.unpackbits(self.chosen.legal, axis=1)]
        self.losses = [of_test[ends[each] - chosen.choices[each] : ends[each]] for each in picked]

    def chances(self, one: Player) -> list[Floats]:
        results = []
        for number, (row, steps) in enumerate(zip(self.chosen.rows.tolist(), self.steps, strict=True)):
            results.append(by_first_step(likely_moves(one, Position(*row, BLACK), number))[steps])
        return results

    def first_choices(self, name: str) -> str:
        """Return in words which share of the moves played were the first choice of a player that errs like people."""
        players = [taught(f"{name},strength={STRONGEST - weakness}") for weakness in range(NINTHS)]
        right, remembered = list[list[bool]](), list[bool]()
        chosen = self.chosen
        for row, weakness, label in zip(chosen.rows.tolist(), chosen.weakness, chosen.labels, strict=True):
            one, position = players[weakness], Position(*row, BLACK)
            both = (one, replace(one, memory=None))
            right.append([int(by_first_step(made.habits(position)).argmax()) == label for made in both])
            key = board_keys(rows_seen([position]))[0]
            remembered.append(one.memory is not None and bool((one.memory["board"] == key).any()))
        hits, known, games = np.array(right), np.array(remembered), self.chosen.games
        often = np.bincount(games, known) > np.bincount(games) / 2
        lines, often = [f"{name}: {known.mean():.1%} of boards remembered"], often[games]
        for words, which in (
            ("all games", known | True),
            ("more than half of their boards remembered", often),
            ("others", ~often),
        ):
            measured, where = clustered(hits[which, 0], games[which]), len(np.unique(games[which]))
            shares = f"{hits[which, 0].mean():.2%} ({measured.low:.2%} to {measured.high:.2%})"
            alone = f"the network alone {hits[which, 1].mean():.2%}"
            lines.append(f"{words}: {which.sum():,} positions of {where:,} games, {shares}, {alone}")
        return "\n".join(lines)

    def finders(self, name: str) -> Iterator[str]:
        """Yield rows of a table: the share that finds a good move, as a player expects and as it was."""
        one, expected, did = taught(name), list[float](), list[bool]()
        rows = self.chosen.rows.tolist()
        for row, steps, losses, label in zip(rows, self.steps, self.losses, self.chosen.labels, strict=True):
            position, good = Position(*row, BLACK), set(steps[losses < BAD].tolist())
            if len(good) < len(steps):
                made = [move for move in plain.legal_moves(position) if first_step(move, BLACK) in good]
                expected.append(one.finders(position, made))
                did.append(label in good)
        said, found = np.array(expected), np.array(did)
        for low, high in (*itertools.pairwise((0, 0.6, 0.8, 0.9, 1.01)), (0, 1.01)):
            here = (said >= low) & (said < high)
            shares = f"{100 * said[here].mean():.1f} | {100 * found[here].mean():.1f}"
            yield f"| {low:.0%} to {min(high, 1):.0%} | {here.sum():,} | {shares} |"

    def row(self, name: str, chances: list[Floats]) -> tuple[str, float]:
        agreed = [
            chance[steps == label][0]
            for chance, steps, label in zip(chances, self.steps, self.chosen.labels, strict=True)
        ]
        flat, losses = np.concatenate(chances), np.concatenate(self.losses)
        loss = float((flat * losses).sum() / len(chances))
        like = min(self.people, key=lambda played: abs(float(played.mean()) - loss))
        apart = distance(like, losses, flat.astype(np.float32))
        return f"| {name} | {100 * np.mean(agreed):.1f} | {loss:.4f} | {like.mean():.4f} | {apart:.3f} |", loss


def given_away(name: str, games: Iterable[GameRecord | Game]) -> str:
    """Return the men and kings that a side gives away in a game of these, and how many are not regained."""
    judge, sides, men, kings, lost = player(PEOPLE_RUN), 0, 0, 0, 0
    assert isinstance(judge, PeoplePlayer)
    for game in games:
        position, sides = game.start, sides + 2
        for move in game.moves:
            given = judge.lost_men(position, 1)[move]
            men, kings = men + (1 <= given < KING), kings + (given >= KING)
            lost += given >= 1 and judge.lost_men(position, LATER)[move] >= 1
            position = plain.apply(position, move)
    return f"| {name} | {sides // 2} | {men / sides:.2f} | {kings / sides:.2f} | {lost / sides:.2f} |"


def lost_endings(game: Game, tables: Tables) -> Iterator[Pitfall]:
    """Yield the drawn endings of a game in which a move loses, with such moves and the one that was played."""
    position = game.start
    for move in game.moves:
        verdict = tables.probe(position)
        if verdict is not None and not verdict.value:
            values = {each: after and after.value for each, after in tables.moves(position)}
            losing = {each for each, value in values.items() if value == -1}
            if losing:
                yield position, losing, move
        position = plain.apply(position, move)


def traps() -> dict[Position, Move]:
    """Return the positions before `TRAPS`, with the moves into them."""
    result = dict[Position, Move]()
    for line in TRAPS:
        position = Position.start()
        *before, last = line.split()
        for text in before:
            position = plain.apply(position, parse_move(position, text))
        result[position] = parse_move(position, last)
    return result


def lost(file: str, names: list[str]) -> Iterator[str]:
    """Yield rows of a table: how often players, and the people of a file, lose drawn endings and step into traps."""
    tables, known = complete_tables(ENDING, "--lost"), traps()
    endings, shots = list[Pitfall](), list[Pitfall]()
    for game in filter(None, (record.game for record in read_records(file))):
        endings += lost_endings(game, tables)
        before = itertools.accumulate(game.moves, plain.apply, initial=game.start)
        played = zip(before, game.moves, strict=False)
        shots += [(position, {known[position]}, move) for position, move in played if position in known]
    if not endings or not shots:
        raise InputError(f"{file}: expected games with drawn endings that a move loses, and with known traps")
    yield f"| player | {len(endings):,} drawn endings lost, % | {len(shots):,} traps stepped into, % |\n|---|---:|---:|"
    for name in names:
        one, chances = player(name), dict[Position, float]()
        for position, bad, _ in endings + shots:
            if position not in chances:
                chances[position] = sum(chance for move, chance in likely_moves(one, position) if move in bad)
        yield shares(f"`{name}`", *([chances[position] for position, *_ in each] for each in (endings, shots)))
    yield shares("people", *([move in bad for _, bad, move in each] for each in (endings, shots)))


def shares(name: str, *columns: list[float] | list[bool]) -> str:
    return f"| {name} | " + " | ".join(f"{100 * np.mean(each):.1f}" for each in columns) + " |"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.people")
    parser.add_argument("file")
    parser.add_argument("players", nargs="+")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--runs", default=SHIPPED_RUNS)
    parser.add_argument("--first-choice", action="store_true")
    parser.add_argument("--given-away", type=int, metavar="N")
    parser.add_argument("--finders", action="store_true")
    parser.add_argument("--lost", action="store_true")
    options = parser.parse_args(arguments)
    try:
        measure(options)
    except (InputError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {describe(error)}\n")


def measure(options: argparse.Namespace) -> None:
    """Print the figures that the options ask for.

    Raises:
        InputError: a number, player or file cannot be used.
    """
    register(options.runs)
    if min(options.positions, 1 if options.given_away is None else options.given_away) < 1:
        raise InputError("--positions, --given-away: expected a number above 0")
    for name in options.players:
        player(name)  # so that a wrong name is refused before hours of work
    if options.lost:
        for row in lost(options.file, options.players):
            print(row, flush=True)
        return
    if options.given_away:
        recorded = [each.game for each in read_records(options.file) if each.number % 60 == 0 and each.game is not None]
        if not recorded:
            raise InputError(f"{options.file}: expected 60 games or more")
        print("| player | games | men | kings | not regained |\n|---|---:|---:|---:|---:|")
        for name in options.players:
            one, ballots = player(name), [deck()[5 * seed % len(deck())] for seed in range(options.given_away)]
            games = [play(one, one, opening=ballot.line, seed=seed) for seed, ballot in enumerate(ballots)]
            print(given_away(f"`{name}`", games), flush=True)
        print(given_away("people", recorded))
        return
    held_out = HeldOut(options.file, options.positions)
    if options.first_choice:
        for name in options.players:
            print(held_out.first_choices(name))
        return
    if options.finders:
        for name in options.players:
            print(f"| `{name}` says | positions | said, % | found by the people, % |\n|---|---:|---:|---:|")
            print("\n".join(held_out.finders(name)))
        return
    print("| player | chance of the move played, % | loss a move | people who lose most alike | distance |")
    print("|---|---:|---:|---:|---:|")
    counter = held_out.chances(player("material,depth=2,quiescence=yes"))
    evenly = [np.full(len(steps), 1 / len(steps)) for steps in held_out.steps]
    (_, low), (_, high) = held_out.row("", counter), held_out.row("", evenly)
    alone = replace(taught(PEOPLE_RUN), memory=None)  # without strength, look-ahead and power
    bare = [by_first_step(alone.habits(Position(*row, BLACK))) for row in held_out.chosen.rows.tolist()]
    bare = [chances[steps] for chances, steps in zip(bare, held_out.steps, strict=True)]
    print(held_out.row(f"the network of `{PEOPLE_RUN}` alone", bare)[0])
    for name in options.players:
        text, loss = held_out.row(f"`{name}`", held_out.chances(player(name)))
        print(text, flush=True)
        share = min(max((loss - low) / (high - low), 0), 1)
        mixed = [(1 - share) * one + share * other for one, other in zip(counter, evenly, strict=True)]
        print(held_out.row(f"piece counter, {share:.0%} random", mixed)[0], flush=True)
    first, second = held_out.halves
    print(f"people: loss a move {held_out.all_played.mean():.4f}; ", end="")
    apart = distance(first, second.astype(np.float16), np.ones(len(second), np.float32))
    print(f"half of the games from the other half {apart:.3f}")


if __name__ == "__main__":
    main()
