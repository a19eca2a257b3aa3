"""A run as a ladder: champions from generation 0 to the newest, and their ratings. No pygame.

A champion that no session has rated can be measured: a process of ``main.py ladder`` plays a few games against
anchors of known ratings, as a session does, without tablebases, as in rated games.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.run.runs import FROZEN_RUN
from evolve.strength.elo import RatingEstimate, rate_against
from game.errors import InputError
from game.number_text import count_text
from game.players.names import PlayerName, parse_name
from game.search.interface import Limits
from gui.climb.rating import Opponent, rung_numbers
from gui.individuals import opponents
from gui.individuals.opponents import LEVELS, RANDOM, RANDOM_MARGIN
from gui.model.seats import MOST_DEPTH, individual, title_of
from gui.runs.live_run import LiveRun
from gui.runs.sources import Source
from gui.storage.whole_files import in_words, read_bytes, write_whole

if TYPE_CHECKING:
    from gui.sessions.launch import Launched

NAME = "measured_champions.json"
GAMES = 10
"""Games against each anchor, as in a session."""


class Measuring:
    """Ratings of champions that were measured here, by a key that is the same for the same genome.

    Args:
        folder: where they are kept.
        command: the command to start, before its options; empty for this program.

    Attributes:
        trouble: why the last champion could not be measured or its rating not be kept; empty if all is well.
        present: key of the champion that is being measured; empty if none is.
        stamp: changes with the ratings.
    """

    def __init__(self, folder: Path, command: Sequence[str] = ()) -> None:
        self.trouble = self.present = ""
        self.stamp = 0
        self._path = folder / NAME
        self._command = command
        self._known: dict[str, Any] | None = None
        self._player = ""
        self._process: Launched | None = None

    def find(self, key: str) -> tuple[float, float, float] | None:
        """Return the rating of a champion with the ends of its interval; None if it was not measured."""
        if self._known is None:
            self._known = self._read()
        values = self._known.get(key)
        if not isinstance(values, list) or len(values) != 3 or any(type(each) not in (int, float) for each in values):
            return None
        value, low, high = map(float, values)
        return value, low, high

    def begin(self, key: str, player: str, runs: Path) -> None:
        """Start a process that measures a player, unless another one is being measured."""
        if self.present:
            return
        from gui.sessions import launch

        self.present, self.trouble, self._player = key, "", player
        options = ["ladder", player, "--games", f"{GAMES}", "--workers", "1", "--runs", str(runs), "--json"]
        try:
            self._process = launch.ask([*(self._command or (sys.executable, str(launch.MAIN))), *options])
        except OSError as error:
            self.trouble = f"It could not be measured. {in_words(error)}."

    def step(self) -> bool:
        """Keep a new result; return whether anything changed."""
        if not self.present or (self._process is not None and self._process.running):
            return False
        key, process = self.present, self._process
        self.present, self._process = "", None
        self.stamp += 1
        if process is not None:
            output = process.output
            try:
                if process.trouble:
                    raise InputError(process.trouble)
                self._keep(key, rating_of(json.loads(output), self._player))
            except ValueError as error:  # an `InputError`, or no JSON
                self.trouble = f"It could not be measured. {error}"
        return True

    def close(self) -> None:
        """End the present measurement."""
        if self._process is not None:
            self._process.end()

    def _keep(self, key: str, rating: RatingEstimate) -> None:
        # Another window may have added ratings.
        self._known = self._read() | {key: [rating.value, rating.low, rating.high]}
        try:
            write_whole(self._path, json.dumps(self._known, indent=1).encode() + b"\n")
        except OSError as error:
            self.trouble = f"The rating cannot be kept in {self._path.parent}: {in_words(error)}."

    def _read(self) -> dict[str, Any]:
        try:
            values = json.loads(read_bytes(self._path) or b"{}")
        except (OSError, ValueError, RecursionError):
            return {}  # it can be measured again
        return values if isinstance(values, dict) else {}


def rating_of(ladder: dict[str, Any], player: str) -> RatingEstimate:
    """Compute the rating of the only player of a ladder that is no anchor, from its matches against the anchors.

    Raises:
        InputError: it won or lost all games, so its rating has no bound.
    """
    from evolve.config.anchors import CHAIN, RATINGS

    known = []
    for match in ladder["pairings"]:
        names, counts = (match["a"], match["b"]), match["pentanomial"]
        if names[1] in RATINGS and names[0] not in RATINGS:
            known.append((RATINGS[names[1]], counts))
        elif names[0] in RATINGS and names[1] not in RATINGS:
            known.append((RATINGS[names[0]], counts[::-1]))
    rating = rate_against(known)
    if not abs(rating.value) < float("inf"):
        raise InputError(f"{player} {'won' if rating.value > 0 else 'lost'} all games against {len(CHAIN)} opponents.")
    return rating


# A run as a ladder ------------------------------------------------------------------------------------------------

ALONE = "tablebase=no"
DEFAULT_DEPTH = 1
"""Depth of a champion whose run does not say with which depth it evolved."""

RANDOM_MOVES = Opponent("random", 1, "Random moves", "Random", RANDOM, RANDOM - RANDOM_MARGIN, RANDOM + RANDOM_MARGIN)
"""An opponent for people who cannot beat Beginner yet."""


class ChampionLadder:
    """The champions of a run as opponents, as far as its files are read.

    Args:
        run: the run.
        evolved: returns the search limits with which a player evolved.
        measuring: ratings of champions that were measured here.

    Attributes:
        name: of the run.
        generations: the contents of its growing files.
    """

    def __init__(self, run: Source, evolved: Callable[[str], Limits | None], measuring: Measuring) -> None:
        self.name, self.target, self.run = run.name, run.target, run
        self.generations = LiveRun(run.path)
        self._evolved, self._measuring = evolved, measuring
        self._stamp = -1
        self._players: dict[int, tuple[str, int]] = {}
        self._rungs: list[Opponent] = []

    @classmethod
    def read(cls, run: Source, evolved: Callable[[str], Limits | None], measuring: Measuring) -> ChampionLadder:
        """Read a run to its end."""
        lineage = cls(run, evolved, measuring)
        lineage.step()
        while lineage.generations.busy:
            lineage.step()
        return lineage

    @property
    def rungs(self) -> list[Opponent]:
        """Champions, the earliest first."""
        return self._rungs

    def step(self) -> bool:
        """Read on; returns whether there was anything new."""
        changed = self.generations.read()
        if changed or self._stamp != self._measuring.stamp:
            self._stamp, changed = self._measuring.stamp, True
            numbers = rung_numbers(self.generations.newest)
            self._rungs = [self.champion(number) for number in numbers if self.generations.has_champion(number)]
        return changed

    def champion(self, number: int) -> Opponent:
        """Return the champion of a generation as it played when it was rated.

        It searches with the limits with which it evolved, and without tablebases. Its rating is that of the log, or the
        one that was measured here.
        """
        if number not in self._players:
            self._players[number] = self._player(individual(f"{self.target}@{number}"))
        player, depth = self._players[number]
        title = title_of("", self.name, number, 1)
        return Opponent(player, depth, title, f"generation {number:,}", *self.rating(number), self.name, number)

    def rating(self, number: int) -> tuple[float | None, float | None, float | None]:
        """Return the rating of a champion with the ends of its 95 % interval, each None if it is not known."""
        columns = self.generations.interval("rating")
        if columns is None or not all(math.isfinite(column[number]) for column in columns):
            return self._measuring.find(self.key_of(number)) or (None, None, None)
        value, low, high = (column[number] for column in columns)
        return value, low, high

    def key_of(self, number: int) -> str:
        """Return a text that is the same for the same champion: its run, generation and checksum of the manifest."""
        checksum = self.run.checksums(number)[-1] if number < len(self.run.files) else ""
        return f"{self.name}@{number} {checksum[:16]} {ALONE}"

    def measured_player(self, number: int) -> str:
        """Return the player to measure: the champion with the limits with which it evolved, as sessions rate it."""
        return self._alone(parse_name(individual(f"{self.target}@{number}"))).text

    def _alone(self, name: PlayerName) -> PlayerName:
        """Return a name without tablebases, as sessions rate; a policy never uses them."""
        return name if opponents.is_policy(self.run.path.parent, name.text) else name.with_options(tablebase="no")

    def _player(self, player: str) -> tuple[str, int]:
        limits = self._evolved(player)
        if limits is None:
            return player, DEFAULT_DEPTH
        name = self._alone(parse_name(player))
        if limits.nodes is not None:
            name = name.with_options(nodes=limits.nodes)
        return name.text, min(limits.depth or MOST_DEPTH, MOST_DEPTH)


def level_opponents(newest: int) -> list[Opponent]:
    """Return random moves and the measured levels, from weak to strong; `newest` is the generation of the last."""
    ladder = [RANDOM_MOVES]
    for level in LEVELS:
        title = title_of("", FROZEN_RUN, newest if level.generation is None else level.generation, 1)
        value, margin = float(level.rating), float(level.margin)
        ends = value - margin, value + margin
        ladder.append(Opponent(level.player, level.depth, title, level.name, value, *ends))
    return ladder


def does_less(opponent: Opponent, newest: int) -> str:
    """Return what an opponent does less than the strongest of its kind; `newest` is the last generation of its run."""
    if not opponent.run:
        less = {level.name: level.less for level in LEVELS} | {RANDOM_MOVES.name: "plays any legal move"}
        return less.get(opponent.name, "")
    plies = "1 ply" if opponent.depth == 1 else f"{opponent.depth} plies"
    fewer = newest - opponent.generation
    if fewer <= 0:
        return f"the newest generation, looks {plies} without tablebases, as it evolved"
    return f"{count_text(fewer, 'generation')} fewer than the newest, looks {plies} without tablebases, as it evolved"
