"""Champions as opponents of rated games, and the measurement of their ratings. No pygame.

A champion that no session has rated can be measured: a process of ``main.py ladder`` plays a few games against
anchors, whose ratings are known. It plays as in a session, but without tablebases, as in rated games.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.strength.elo import RatingEstimate, rate_against
from game.errors import InputError
from game.installation import START
from game.players.names import PlayerName, parse_name
from gui.individuals import opponents
from gui.model.seats import MOST_DEPTH, individual, title_of
from gui.rating.rating import Opponent
from gui.runs.live_run import LiveRun
from gui.storage.whole_files import in_words, read_bytes, write_whole

if TYPE_CHECKING:
    from gui.sessions.launch import Launched

NAME = "measured_champions.json"
ALONE = "tablebase=no"

GAMES = 10
"""Games against each anchor, as in a session."""

DEFAULT_DEPTH = 1
"""Depth of a champion whose run does not say with which depth it evolved."""


class MeasuredRatings:
    """Measured ratings, by keys from `key_of`, in a file of a data folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._known: dict[str, Any] | None = None

    def rating(self, run: LiveRun, number: int) -> tuple[float, float, float] | None:
        """Return the rating of a champion with the ends of its 95 % interval; None if it is not known.

        The rating comes from a measurement, or else from the log.
        """
        return self.find(key_of(run, number)) or run.rating(number)

    def find(self, key: str) -> tuple[float, float, float] | None:
        """Return the measured rating for a key, with the ends of its interval; None if there is none."""
        if self._known is None:
            self._known = self._read()
        values = self._known.get(key)
        if not isinstance(values, list) or len(values) != 3 or any(type(value) not in (int, float) for value in values):
            return None
        value, low, high = map(float, values)
        return value, low, high

    def keep(self, key: str, rating: RatingEstimate) -> str:
        """Keep a rating; return why it cannot be saved, or an empty string."""
        # Another window may have added ratings.
        self._known = self._read() | {key: [rating.value, rating.low, rating.high]}
        try:
            write_whole(self._path, json.dumps(self._known, indent=1).encode() + b"\n")
        except OSError as error:
            return f"The rating cannot be kept in {self._path.parent}: {in_words(error)}."
        return ""

    def _read(self) -> dict[str, Any]:
        try:
            values = json.loads(read_bytes(self._path) or b"{}")
        except (OSError, ValueError, RecursionError):
            return {}  # it can be measured again
        return values if isinstance(values, dict) else {}


def key_of(run: LiveRun, number: int) -> str:
    """Return a text that identifies a champion: its run, its generation and the checksum of the manifest."""
    checksum = run.entries[number].first if number < len(run.entries) else ""
    return f"{run.player_name}@{number} {checksum[:16]} {ALONE}"


class Measuring:
    """Champions as opponents, with the ratings from their sessions, or else the ratings measured here.

    Args:
        measured: the ratings that were measured before.
        command: the command to start, before its options; empty for this program.

    Attributes:
        trouble: why the last champion could not be measured, or its rating could not be saved; empty if neither failed.
        present: key of the champion that is being measured; empty if none is.
        stamp: changes whenever the ratings change.
    """

    def __init__(self, measured: MeasuredRatings, runs: Path, command: Sequence[str] = ()) -> None:
        self.trouble = self.present = ""
        self.stamp = 0
        self.measured = measured
        self._runs, self._command = runs, command
        self._players: dict[str, tuple[str, int]] = {}
        self._player = ""
        self._process: Launched | None = None

    def champion(self, run: LiveRun, number: int) -> Opponent:
        """Return the champion of a generation as it played when it was rated.

        It searches with the limits of its run, and without tablebases.
        """
        name = run.player_name
        player, depth = self.as_rated(individual(f"{name}@{number}"))
        title, (value, low, high) = (
            title_of("", name, number, 1),
            self.measured.rating(run, number) or (None, None, None),
        )
        return Opponent(player, depth, title, f"generation {number:,}", value, low, high, name, number)

    def as_rated(self, player: str) -> tuple[str, int]:
        """Return the name and depth with which a champion played when it was rated: by alpha-beta if it has a value."""
        if player not in self._players:
            name, depth = parse_name(player), DEFAULT_DEPTH
            if opponents.search_of(self._runs, player) == "tree":
                name = name.with_options(search="alphabeta")
            limits = opponents.evolved_limits(self._runs, name.text)
            if limits is not None:
                name, depth = self._alone(name), min(limits.depth or MOST_DEPTH, MOST_DEPTH)
                name = name if limits.nodes is None else name.with_options(nodes=limits.nodes)
            self._players[player] = name.text, depth
        return self._players[player]

    def _alone(self, name: PlayerName) -> PlayerName:
        """Return a name without tablebases, as sessions rate; a policy never uses them."""
        return name if opponents.is_policy(self._runs, name.text) else name.with_options(tablebase="no")

    def measured_player(self, run: LiveRun, number: int) -> str:
        """Return the player to measure: the champion with the limits of its run, as sessions rate it."""
        return self._alone(parse_name(individual(f"{run.player_name}@{number}"))).text

    def begin(self, key: str, player: str) -> None:
        """Start a process that measures a player, unless another one is being measured."""
        if self.present:
            return
        from gui.sessions import launch

        self.present, self.trouble, self._player = key, "", player
        options = ["ladder", player, "--games", f"{GAMES}", "--workers", "1", "--runs", str(self._runs), "--json"]
        try:
            self._process = launch.ask([*(self._command or START), *options])
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
                self.trouble = self.measured.keep(key, rating_of(json.loads(output), self._player))
            except ValueError as error:  # an `InputError`, or no JSON
                self.trouble = f"It could not be measured. {error}"
        return True

    def close(self) -> None:
        if self._process is not None:
            self._process.end()


def rating_of(ladder: dict[str, Any], player: str) -> RatingEstimate:
    """Compute the rating of a ladder's only player that is not an anchor, from its matches against the anchors.

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
