"""Players that err like people: a policy that was taught by people's moves, at the strength that one asks for.

A network of this kind has learnt how people move who lose little or much of their expected score with a move in a game.
What it is told of this are eight inputs that no real board has, men on squares where they would be kings: none for the
ninth of recorded players that lost least, all for the ninth that lost most. As they are the same in each position, a
strength changes only the biases of the first layer. In between, an input counts in part.

The chances of moves are raised to a power that grows with the strength. Without it, a player would lose two or
three times as much with a move as the people that it resembles, since it would draw what the network has not
understood, too. The recorded players are strong: strengths below 1 are an extrapolation, the share of moves to which
a player attends. In the others it is distracted: it moves as people do, but all the more readily into traps, where it
loses a man some plies later; it seldom leaves one to be taken at once. With a king of its own or more pieces it attends
to fewer moves, and plays more aimlessly, since the weak do not know how to win. So they play sensibly most of the time
and blunder now and then, instead of playing all moves badly. Only below strength 1/2 do chances become more equal in
all positions, and do they leave many men.

A run of such a policy may have a memory: boards of its training games, with the first steps that were played there and
how often. It is a sorted table of `ENTRY`, in which a board is a checksum, so one in 60,000 other boards is taken for
one of them. A distracted player forgets them, so it steps into known traps in openings.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import Any

from game.board import Position
from game.errors import InputError
from game.moves import Move
from game.networks.spec import Spec
from game.number_text import plies_text
from game.players.basic import MaterialPlayer
from game.players.names import (
    FIRST_CHOICE,
    STRONGEST,
    PlayerName,
    Sampling,
    parse_name,
    read_option,
    read_settings,
    write_number,
)
from game.players.player import searchers
from game.players.policy import POLICY_STEPS, PolicyPlayer, check_policy_options, first_step
from game.rules import MAX_MOVES, SQUARES
from game.search.interface import Limits, SearchOptions
from game.search.layout import MAN_VALUE

GHOSTS = (28, 29, 30, 31, 64, 65, 66, 67)
"""Inputs of the first layer: own men on the opponent's back row, and the opponent's men on one's own."""

ALL_MOVES = Sampling(MAX_MOVES)

CARE = 2.5
"""The odds of a move are divided by e to this for each man that it loses, as far as the player looks, before they are
raised to its power."""
DISTRACTION, TRAP = 3.2, 7
"""The odds of a move that loses a man within TRAP plies, but not at once, are multiplied by e to the first, if the
player is distracted; if it loses half a man, as when the other one is crowned, by e to half of that."""
HUNG, MORE = 1.0, 2.0
"""The odds of a move that loses a man at once are multiplied by e to the first, if a distracted player has an aim, and
below strength 1/2 by up to e to the second, from 1/3 down: those players would not be weaker otherwise."""
KING, KEPT, LEFT, WEAK = 1.5, 2.4, 1.0, 0.8
"""The men that a lost king counts. If the player is distracted, the odds of a move that loses as much are divided for
each man by e to the second times the square of its strength, less the third times what it lacks to the fourth: people
seldom overlook that, but the weak do."""
GIVEN_AWAY = 2.0
"""A move that is seen to lose so many men more than another one is never made, nor one that loses them at once and does
not regain them as far as the player looks."""
AIMLESS = 4
"""At ease, a player raises chances to its power times the share of moves to which it attends to this."""
FOUND, FOUND_BY = 1.96, 0.52
"""The log odds that people who attend find a good move are those of the network times the second, plus the first."""
OPINION = 2
"""The chances of the network count as so many moves beside those that the memory has of a board."""
ENTRY = [("board", "<u4"), ("step", "u1"), ("count", "u1")]
"""Fields of a memory: checksum of a board, a first step (`game.players.policy.first_step`), how often it was played."""
LEAST = 1e-12
"""Smaller chances count as this, so that a move is left even if a network is sure of one that gives pieces away."""


def at_strength(spec: Spec, weights: Any, strength: float) -> Any:
    """Return the weights of an ordinary policy that moves like people of a strength from 1 to `STRONGEST`."""
    import numpy as np

    part, bias = spec.layer_parts(0)
    shares = np.clip(STRONGEST - strength - np.arange(len(GHOSTS)), 0.0, 1.0)
    adjusted = np.array(weights, np.float32)
    bias.of(adjusted)[...] += (shares @ part.of(adjusted)[list(GHOSTS)]).astype(np.float32)
    return adjusted


def board_keys(rows: Any) -> list[int]:
    """Return the checksums of boards as the side to move sees them, uint64 of shape (boards, 3)."""
    return [zlib.crc32(row.tobytes()) for row in rows.astype("<u8")]


def at_ease(position: Position) -> bool:
    """Return whether the side to move has a king or more pieces, so that it only has to win."""
    return bool(position.own & position.kings) or position.own.bit_count() > position.opponent.bit_count()


def read_memory(data: bytes) -> Any:
    """Read a memory: an array of `ENTRY`, in the order of its boards.

    Raises:
        InputError: the bytes are something else.
    """
    import numpy as np

    entry = np.dtype(ENTRY)
    table = np.frombuffer(data, entry, len(data) // entry.itemsize)
    boards, steps = table["board"], table["step"]
    if len(data) % entry.itemsize or (boards[1:] < boards[:-1]).any() or (steps >= SQUARES * len(POLICY_STEPS)).any():
        raise InputError(f"expected entries of {entry.itemsize} bytes, sorted by board")
    return table


@dataclass(frozen=True)
class PeoplePlayer(PolicyPlayer):
    """A policy taught by people, at a strength.

    Attributes:
        strength: the ninth of recorded players that it resembles, 9 for the best; below 1 it extrapolates.
        plies: number of plies that it looks ahead for lost pieces.
        memory: boards of training games, as `read_memory` returns them; None if it remembers none.
    """

    strength: float = STRONGEST
    plies: int = 1
    memory: Any = None

    @property
    def identity(self) -> Hashable:
        return super().identity, self.strength, self.plies, None if self.memory is None else self.memory.tobytes()

    @property
    def canonical_name(self) -> str:
        source = self.source or parse_name(self.name)
        options = {key: value for key, value in source.options.items() if key in ("network", "search")}
        usual = FIRST_CHOICE
        if self.strength != STRONGEST or self.sampling == ALL_MOVES:
            options["strength"], usual = write_number(self.strength), ALL_MOVES
        options |= {"depth": str(self.plies)} if self.plies > 1 else {}
        options |= {"sampling": self.sampling.text} if self.sampling != usual else {}
        options |= {"seed": str(self.seed)} if self.seed and not self.deterministic else {}
        return PlayerName.of(source.target, source.member, options).text

    def describe(self) -> str:
        ahead = f"looks {plies_text(self.plies)} ahead for lost pieces"
        return f"{super().describe()} taught by people, strength {self.strength:g} of {STRONGEST}, {ahead}"

    @property
    def network(self) -> tuple[Spec, Any, float | None]:
        """The network that chooses: an ordinary policy at this strength."""
        return self.spec, at_strength(self.spec, self.weights, max(self.strength, 1.0)), None

    @property
    def power(self) -> float:
        """The power of chances: 3 up to strength 1, at which mean losses are those of the weakest ninth, 11 at 9."""
        return max(self.strength, 1.0) + 2

    def habits(self, position: Position, likely: list[tuple[Move, float]]) -> list[tuple[Move, float]]:
        """Return each legal move with the share of people of this strength that make it, by network and memory alone.

        The moves of a remembered board count beside the chances of the network, `likely`, whatever the strength.
        """
        if self.memory is None:
            return likely
        import numpy as np

        from game.networks.evaluator import rows_seen

        boards, key = self.memory["board"], np.uint32(board_keys(rows_seen([position]))[0])
        known = self.memory[np.searchsorted(boards, key) : np.searchsorted(boards, key, side="right")]
        played = dict(zip(known["step"].tolist(), known["count"].tolist(), strict=True))
        steps = [first_step(move, position.side) for move, _ in likely]
        total = OPINION + sum(played.get(step, 0) for step in set(steps))
        return [
            (move, (OPINION * chance + played.get(step, 0) / steps.count(step)) / total)
            for (move, chance), step in zip(likely, steps, strict=True)
        ]

    def likelihoods(self, position: Position) -> list[tuple[Move, float]]:
        return self.shares(position, self.power)

    def shares(self, position: Position, power: float = 1.0) -> list[tuple[Move, float]]:
        """Return each legal move with the share of people of this strength that make it, raised to a power."""
        share = self.attention(position)
        return [(move, share * seen + (1 - share) * missed) for move, seen, missed in self._moods(position, power)]

    def attention(self, position: Position) -> float:
        """Return the share of moves to which it attends: its strength below 1, and less at ease."""
        share = min(self.strength, 1.0)
        return max(2 * share - 1, 0.0) if at_ease(position) else share

    def finders(self, position: Position, good: Collection[Move]) -> float:
        """Return the share of people of this strength that make one of the moves which a stronger judge calls good.

        People who attend find them more often than the network expects, since it sees less than they do.
        """
        chances = [each[1:] for each in self._moods(position, 1.0) if each[0] in good]
        share, (seen, missed) = self.attention(position), map(math.fsum, zip(*chances, strict=True))
        seen = min(max(seen, LEAST), 1 - LEAST)
        seen = 1 / (1 + math.exp(FOUND_BY * math.log(1 / seen - 1) - FOUND))
        return share * seen + (1 - share) * missed

    def _moods(self, position: Position, power: float) -> list[tuple[Move, float, float]]:
        """Return each legal move with its chances for a player that attends, and for one that is distracted."""
        likely = super().likelihoods(position)
        if len(likely) == 1:
            return [(likely[0][0], 1.0, 1.0)]
        lost, at_once, later = (self.lost_men(position, plies) for plies in (self.plies, 1, TRAP))
        made = {move for move, men in lost.items() if men < GIVEN_AWAY and (at_once[move] < GIVEN_AWAY or men <= 0)}
        aim = min(2 * self.strength, 1.0) ** 2
        if at_ease(position):
            aim *= self.attention(position) ** AIMLESS
        kept = KEPT * min(self.strength, 1.0) ** 2 - LEFT * max(WEAK - self.strength, 0.0)
        hung, moods = HUNG * aim + MORE * min(max(3 - 6 * self.strength, 0.0), 1.0), list[list[float]]()
        for attends in (True, False):
            sizes = [0.0] * len(likely)
            for number, (move, chance) in enumerate(self.habits(position, likely) if attends else likely):
                men, now = lost[move], at_once[move]
                if attends or max(men, now) >= KING:
                    care = (CARE if attends else kept) * men
                else:
                    care = -hung if now >= 1 else -DISTRACTION * min(later[move], 1.0)
                if move in made:
                    sizes[number] = (max(chance, LEAST) ** aim * math.exp(-care)) ** power
            total = math.fsum(sizes)
            moods.append([size / total for size in sizes])
        return [(move, *each) for (move, _), *each in zip(likely, *moods, strict=True)]

    def lost_men(self, position: Position, plies: int) -> dict[Move, float]:
        """Return the men that each move loses against the best one, as far as a number of plies."""
        counting = MaterialPlayer(limits=Limits(plies), style=SearchOptions(quiescence=True))
        searcher = searchers.get(counting.search_key, counting.searcher)
        root = searcher.search(position, limits=counting.limits, all_scores=True).root
        best = max(score for _, score, *_ in root)
        return {move: (best - score) / MAN_VALUE for move, score, *_ in root}


def people_player(
    name: PlayerName, weights: Any, spec: Spec, source: PlayerName | None, memory: Any = None
) -> PeoplePlayer:
    """Make the player of a name that moves like people; with a strength, it draws its moves."""
    check_policy_options(name, spec, "seed", "depth", "strength")
    settings = read_settings(name)
    draws = "strength" in name.options and "sampling" not in name.options
    return PeoplePlayer(
        name.text, weights, spec, settings.seed or 0, ALL_MOVES if draws else settings.sampling, source,
        read_option(name, "strength", float(STRONGEST)), settings.limits.depth or 1, memory,
    )  # fmt: skip
