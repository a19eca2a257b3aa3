"""A ladder made of one run: the champions of generation 0, 1, 2, 5, 10, ... and the newest. No pygame."""

from __future__ import annotations

import math
from collections.abc import Callable

from evolve.run.runs import FROZEN_RUN
from game.number_text import count_text
from game.players.names import PlayerName, parse_name
from game.search.limits import Limits
from gui.climb.measuring import Measuring
from gui.climb.rating import Opponent, rung_numbers
from gui.individuals import first_frame
from gui.individuals.sources import Source
from gui.individuals.strengths import RANDOM, RANDOM_MARGIN, STRENGTHS
from gui.model.names import individual, title_of
from gui.model.seats import MOST_DEPTH
from gui.sessions.generations import Generations

ALONE = "tablebase=no"
USUAL_DEPTH = 1
"""Of generations of which no run tells how far they looked ahead."""

RANDOM_MOVES = Opponent("random", 1, "Random moves", "Random", RANDOM, RANDOM - RANDOM_MARGIN, RANDOM + RANDOM_MARGIN)
"""An opponent for people who do not win against Beginner yet."""


class Lineage:
    """The rungs of a run, as far as its files were read.

    Args:
        run: the run.
        evolved: what ended the searches of a player while it evolved.
        measuring: ratings of champions that were measured here.

    Attributes:
        name: of the run.
        generations: what its growing files hold.
    """

    def __init__(self, run: Source, evolved: Callable[[str], Limits | None], measuring: Measuring) -> None:
        self.name, self.target, self.run = run.name, run.target, run
        self.generations = Generations(run.path)
        self._evolved, self._measuring = evolved, measuring
        self._stamp = -1
        self._players: dict[int, tuple[str, int]] = {}
        self._rungs: list[Opponent] = []

    @classmethod
    def read(cls, run: Source, evolved: Callable[[str], Limits | None], measuring: Measuring) -> Lineage:
        """A run, read to its end."""
        lineage = cls(run, evolved, measuring)
        lineage.step()
        while lineage.generations.busy:
            lineage.step()
        return lineage

    @property
    def rungs(self) -> list[Opponent]:
        """The champions, the earliest first."""
        return self._rungs

    def step(self) -> bool:
        """Read on; returns whether anything was new."""
        changed = self.generations.step()
        if changed or self._stamp != self._measuring.stamp:
            self._stamp, changed = self._measuring.stamp, True
            numbers = rung_numbers(self.generations.newest)
            self._rungs = [self.champion(number) for number in numbers if self.generations.has_champion(number)]
        return changed

    def champion(self, number: int) -> Opponent:
        """The champion of a generation, as it played when it was rated: as far ahead as while it evolved, by itself.

        Its rating is that of the log, or the one that was measured here; neither had tablebases.
        """
        if number not in self._players:
            self._players[number] = self._player(individual(f"{self.target}@{number}"))
        player, depth = self._players[number]
        title = title_of("", self.name, number, 1)
        return Opponent(player, depth, title, f"generation {number:,}", *self.rating(number), self.name, number)

    def rating(self, number: int) -> tuple[float | None, float | None, float | None]:
        """Of the champion of a generation, with the ends of its 95 % interval; None where nobody has measured it."""
        columns = self.generations.interval("rating")
        if columns is None or not all(math.isfinite(column[number]) for column in columns):
            return self._measuring.find(self.key_of(number)) or (None, None, None)
        value, low, high = (column[number] for column in columns)
        return value, low, high

    def key_of(self, number: int) -> str:
        """A text that is the same for the same champion: its run, generation and what the manifest vouches for."""
        vouched = self.run.checksums(number)[-1] if number < len(self.run.files) else ""
        return f"{self.name}@{number} {vouched[:16]} {ALONE}"

    def measured_player(self, number: int) -> str:
        """What to measure as the log would rate it: with the limits with which it evolved."""
        return self._alone(parse_name(individual(f"{self.target}@{number}"))).text

    def _alone(self, name: PlayerName) -> PlayerName:
        """Without tablebases, as sessions rate; a policy never asks them."""
        return name if first_frame.is_policy(self.run.path.parent, name.text) else name.with_options(tablebase="no")

    def _player(self, player: str) -> tuple[str, int]:
        limits = self._evolved(player)
        if limits is None:
            return player, USUAL_DEPTH
        name = self._alone(parse_name(player))
        if limits.nodes is not None:
            name = name.with_options(nodes=limits.nodes)
        return name.text, min(limits.depth or MOST_DEPTH, MOST_DEPTH)


def strength_opponents(newest: int) -> list[Opponent]:
    """Return random moves and the measured strengths, from weak to strong; `newest` is the generation of the last."""
    found = [RANDOM_MOVES]
    for one in STRENGTHS:
        title = title_of("", FROZEN_RUN, newest if one.generation is None else one.generation, 1)
        value, margin = float(one.rating), float(one.margin)
        found.append(Opponent(one.player, one.depth, title, one.name, value, value - margin, value + margin))
    return found


def does_less(opponent: Opponent, newest: int) -> str:
    """What an opponent does less than the strongest of its kind, in words; `newest` generation of its run."""
    if opponent.player == RANDOM_MOVES.player:
        return "plays any legal move"
    if not opponent.run:
        return next((one.less for one in STRENGTHS if one.name == opponent.name), "")
    plies = "1 ply" if opponent.depth == 1 else f"{opponent.depth} plies"
    fewer = newest - opponent.generation
    if fewer <= 0:
        return f"the newest generation, looks {plies} without tablebases, as it evolved"
    return f"{count_text(fewer, 'generation')} fewer than the newest, looks {plies} without tablebases, as it evolved"
