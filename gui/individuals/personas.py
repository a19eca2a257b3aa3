"""Players as people see them: name, sentence, rating and emblem, the same wherever a player appears.

Nothing here waits: emblems are made in the background, and appear once they are known.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evolve.config.anchors import shown_text
from evolve.strength.levels import LEVELS, level_of
from extras import added, file_kind
from game.errors import InputError, capital
from game.installation import imported
from game.networks.emblem import TINCTURES
from game.players.names import RESERVED, PlayerName, parse_name
from gui.background import Background, Trouble

if TYPE_CHECKING:
    from game.networks.emblem import Emblem

T = TypeVar("T")

STYLES = {
    "blondie24-840.csv:Gen840_0015": "Plays short games, is seldom first to a king, keeps its men back.",
    "cowan-deep": "Is often first to a king, avoids exchanges, leaves the centre.",
    "crownhead": "Is often first to a king, plays short games, holds its back row.",
    "crownhead-1": "Is often first to a king, stays off the edges, avoids exchanges.",
    "crownhead-2": "Is often first to a king, avoids exchanges, keeps the board full.",
    "first": "Is often first to a king.",
    "people": "Is often first to a king, avoids exchanges, plays on the right wing.",
    "plain": "Is often first to a king, plays short games, holds its back row.",
    "policy": "Keeps the board full, plays short games, avoids exchanges.",
    "q-learning": "Is seldom first to a king, keeps the board full.",
    "search-free": "Avoids exchanges, keeps the board full, is often first to a king.",
    "zero": "Is often first to a king, avoids exchanges, plays short games.",
}
"""The style of each shipped champion: the sentence of ``inspect PLAYER --traits --games 100``."""


@dataclass(frozen=True)
class Persona:
    """A player as people see it.

    Attributes:
        name: what to call it; empty if it has no other name than its title.
        sentence: what it does; empty if unknown.
        rating: its rating as it plays and the ends of its 95 % interval; None if it is not rated, or plays otherwise.
        depth: the search depth with which it is rated; None if any.
        emblem: None until it is known, and for players without weights.
        tincture: number of the colour of its emblem; None for that of its run.
    """

    name: str = ""
    sentence: str = ""
    rating: tuple[float, float, float] | None = None
    depth: int | None = None
    emblem: Emblem | None = None
    tincture: int | None = None

    @property
    def rating_text(self) -> str:
        return "" if self.rating is None else shown_text(self.rating[0])


def brief(sentence: str) -> str:
    """Return the part of a player's sentence with the fewest letters, for places without room for all."""
    shortest = min(sentence.removesuffix(".").split(", "), key=len)
    return f"{capital(shortest.removeprefix('Is ').removeprefix('is '))}." if shortest else ""


class Personas:
    """The personas of all players.

    Extras know some of them: the functions that they name as ``persona`` (`extras.Extra.entries`) get the folder of the
    runs and the name of a player, and return a `Persona` without an emblem, or None.
    """

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._known: dict[str, Persona] = {}
        self._emblems: dict[str, Emblem | None] = {}
        self._beats: dict[str, str | None] = {}
        self._wanted: list[tuple[str, Callable[[Path, str], Any], dict[str, Any]]] = []
        self._background = Background()

    def persona(self, player: str | None, depth: int | None = None) -> Persona:
        """Return the persona of a player, or an empty one for a person and for players that nobody knows.

        Args:
            player: its name, as in `gui.model.seats.Seat.player`.
            depth: the depth with which it plays; None for the one with which it is rated.
        """
        if not player:
            return Persona()
        level = level_of(player, -1 if depth is None else depth)
        if level >= 0:
            known = Persona(LEVELS[level].name, f"{LEVELS[level].style}.", LEVELS[level].interval, depth)
        else:
            known = self._of_extras(player)
        if depth is not None and known.depth not in (None, depth):
            known = replace(known, rating=None)
        sentence = known.sentence or STYLES.get(Path(player).name) or self._read(player, beaten_by, self._beats) or ""
        return replace(known, emblem=self.emblem(player, depth), sentence=sentence)

    def _of_extras(self, player: str) -> Persona:
        if player not in self._known:
            self._known[player] = self._ask(player)
        return self._known[player]

    def _ask(self, player: str) -> Persona:
        with contextlib.suppress(InputError, OSError):
            name = parse_name(player)
            answers = (imported(named)(self._runs, name) for other, named in added("entries") if other == "persona")
            return next(filter(None, answers), Persona())
        return Persona()

    def title(self, player: str) -> str:
        """Return its title in games if an extra has a name for it, such as ``The Fortress (cast)``; else empty."""
        name = self._of_extras(player).name
        return f"{name} ({family(parse_name(player))})" if name else ""

    def emblem(self, player: str, depth: int | None = None) -> Emblem | None:
        """Return the emblem of a player; None until it is known, and for players without weights."""
        made, level = self._read(player, _emblem, self._emblems), level_of(player, -1 if depth is None else depth)
        # Levels that share a network differ in colour.
        tincture = None if made is None else level if level >= 0 else self._of_extras(player).tincture
        return made if made is None or tincture is None else replace(made, tincture=tincture % TINCTURES)

    def _read(self, player: str, work: Callable[[Path, str], T | None], known: dict[str, T | None]) -> T | None:
        """Return what is known of a player; if nothing is, ask for it."""
        if player not in known:
            known[player] = None
            self._wanted.append((player, work, known))
        return known[player]

    @property
    def busy(self) -> bool:
        return bool(self._wanted) or self._background.wants(self)

    def step(self) -> bool:
        """Begin to read what is missing, and take what has been read; return whether there is any.

        The window calls this between pictures, so nothing is read before the first one.
        """
        for player, work, known in self._wanted:
            name = f"{work.__name__} {player}"
            self._background.ask(self, name, partial(work, self._runs, player), partial(self._keep, known, player))
        self._wanted.clear()
        return self._background.deliver()

    @staticmethod
    def _keep(known: dict[str, Any], player: str, answer: Any) -> None:
        known[player] = None if isinstance(answer, Trouble) else answer

    def close(self, seconds: float) -> None:
        self._background.finish(seconds)


def _emblem(runs: Path, player: str) -> Emblem | None:
    from evolve.names.registration import resolve
    from game.networks.emblem import emblem_of
    from game.networks.first_layer import first_layer

    name = parse_name(player)
    if name.target in RESERVED:
        return None
    kind = file_kind(name.target)
    # Not by the registry: this runs in a thread, and the registry has one folder of runs for the whole process.
    made = resolve(name, runs) if kind is None else kind.resolve(name)
    weights = getattr(made, "weights", None)
    return None if weights is None else emblem_of(first_layer(weights, getattr(made, "spec", None)), family(name))


def beaten_by(runs: Path, player: str) -> str:
    """Return in a sentence what a champion of a run beats; empty for other players, and if nothing is known."""
    from evolve.run.runs import Runs
    from gui.runs.live_run import LiveRun

    name = parse_name(player)
    target, _, number = name.target.partition("@")
    path = Runs(runs).path(target)
    if name.target in RESERVED or not path.is_dir():
        return ""
    run = LiveRun(path)
    run.refresh(0.0)
    while run.read_log().more:
        pass
    generation = int(number) if number.isdecimal() else run.newest
    if not 0 <= generation <= run.newest or name.member not in (None, run.champions[generation]):
        return ""
    return run.verdict_at(generation)


def family(name: PlayerName) -> str:
    """Return the run or file in the name of a player, without the generation."""
    return Path(name.target.partition("@")[0]).stem
