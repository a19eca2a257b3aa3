"""How much players move and err like the people of recorded games that `people` was not trained on.

    python -m tests.measurements.people FILE.pdn PLAYER... [--positions N] [--first-choice] [--given-away N]

For each player: the chance that it makes the move that was played; the mean loss of a move in expected score, by the
champion; and the distance of its losses from those of people who lose as much in a game (Kolmogorov and Smirnov), from
the test games of the preset. After the players comes what people have of this among themselves, and a control: for each
loss a piece counter of two plies, some of whose moves are random.
`--first-choice` says how often the likeliest move at the strength of the person to move, without look-ahead, was the
one that was played: by network and memory and by the network alone, also in games that the memory knows well.
`--given-away` counts the men and kings that a side gives away in N games of each player against itself and in every
sixtieth game of the file: by a ply and captures, beside its best move, and how many `LATER` plies do not regain.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
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
from game.generator import SplitMix64
from game.match import GameRecord, play
from game.moves import Move
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
Floats = NDArray[np.float64]


def by_first_step(likely: list[tuple[Move, float]]) -> Floats:
    return np.bincount([first_step(move, BLACK) for move, _ in likely], [chance for _, chance in likely], 128)


class HeldOut:
    """Positions of the test games, with what each first step costs, and the mean loss of the person to move."""

    def __init__(self, file: str, positions: int, split: Split = Split.TEST) -> None:
        read = read_recorded(file, validation=0.1, test=0.1)
        rows = [part.with_choice().rows for part in read.parts]
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
            position = Position(*row, BLACK)
            likely = None if one.deterministic else one.likelihoods(position)
            likely = likely or [(one.choose(position, (), SplitMix64(number)).move, 1.0)]
            results.append(by_first_step(likely)[steps])
        return results

    def first_choices(self, name: str) -> str:
        """Return in words which share of the moves played were the first choice of a player that errs like people."""
        players = [player(f"{name},strength={STRONGEST - weakness}") for weakness in range(NINTHS)]
        assert all(isinstance(one, PeoplePlayer) for one in players)
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


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.people")
    parser.add_argument("file")
    parser.add_argument("players", nargs="+")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--runs", default=SHIPPED_RUNS)
    parser.add_argument("--first-choice", action="store_true")
    parser.add_argument("--given-away", type=int, metavar="N")
    options = parser.parse_args()
    register(options.runs)
    if options.given_away:
        print("| player | games | men | kings | not regained |\n|---|---:|---:|---:|---:|")
        for name in options.players:
            one, ballots = player(name), [deck()[5 * seed % len(deck())] for seed in range(options.given_away)]
            games = [play(one, one, opening=ballot.line, seed=seed) for seed, ballot in enumerate(ballots)]
            print(given_away(f"`{name}`", games), flush=True)
        recorded = (each.game for each in read_records(options.file) if each.number % 60 == 0)
        print(given_away("people", filter(None, recorded)))
        return
    held_out = HeldOut(options.file, options.positions)
    if options.first_choice:
        for name in options.players:
            print(held_out.first_choices(name))
        return
    print("| player | chance of the move played, % | loss a move | people who lose most alike | distance |")
    print("|---|---:|---:|---:|---:|")
    counter = held_out.chances(player("material,depth=2,quiescence=yes"))
    evenly = [np.full(len(steps), 1 / len(steps)) for steps in held_out.steps]
    (_, low), (_, high) = held_out.row("", counter), held_out.row("", evenly)
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
