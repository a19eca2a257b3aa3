"""The player of a side: a person, or a program with limits for its searches."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from evolve.strength.levels import LEVELS, level_of
from game.errors import InputError
from game.number_text import count_text
from game.players.names import TABLES, PlayerName, parse_name
from game.players.registry import KINDS

MOST_DEPTH = 12
_OF_RUN, _GENERATION = re.compile(r"Gen[0-9]+_[0-9]+"), re.compile(r"\bgeneration ([0-9]{1,9})\b")
LEAST_SECONDS, MOST_SECONDS = 0.1, 600.0


class SeatError(InputError):
    """An invalid depth or time."""


@dataclass(frozen=True, slots=True)
class Seat:
    """The player of one side, with its limits.

    Attributes:
        player: a player name without limits, such as ``material`` or ``RUN@15:NAME``; None for a person.
        depth: plies of full width, 1 to `MOST_DEPTH`.
        seconds: time limit per move; None for no limit.
        title: displayed instead of the name, such as ``Generation 40 of first-1``
            (`gui.model.seats.title_of`); empty for the name itself. Levels and built-in players have titles of
            their own.
        name: the parsed form of `player`; computed.

    Raises:
        InputError: the name is invalid, or a value is out of range.
    """

    player: str | None = None
    depth: int = 1
    seconds: float | None = None
    title: str = ""
    name: PlayerName | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= MOST_DEPTH:
            raise SeatError(f"depth: expected 1 to {MOST_DEPTH} plies, got {self.depth}")
        if self.seconds is not None and not LEAST_SECONDS <= self.seconds <= MOST_SECONDS:
            raise SeatError(f"time: expected {LEAST_SECONDS:g} to {MOST_SECONDS:g} seconds, got {self.seconds:g}")
        if self.player is not None and not self.player.strip():
            raise SeatError("player: expected a name, got nothing")
        if self.player is not None and (self.name is None or self.name.text != self.player):
            object.__setattr__(self, "name", parse_name(self.player))
        level = level_of(self.player or "", self.depth)
        if level >= 0:
            object.__setattr__(self, "title", LEVELS[level].title)
        elif self.name is not None and self.title in ("", self.player, self.name.target):
            object.__setattr__(self, "title", _built_in_title(self.name))

    @property
    def human(self) -> bool:
        return self.player is None

    @property
    def shown(self) -> str:
        return self.title or self.player or "You"

    @property
    def brief(self) -> str:
        return self.shown if self.human else self.shown.partition(" (")[0]

    @property
    def detail(self) -> str:
        """The small text beside the short name: the rest of the title, and the depth."""
        rest = self.shown[len(self.brief) :].removeprefix(" (").removesuffix(")")
        return ", ".join(filter(None, (rest, self.depth_text)))

    @property
    def depth_text(self) -> str:
        """The depth, or the number of positions that limits it, in words; empty for players that do not search."""
        if self.name is None or "depth" not in self.name.allowed:
            return ""
        if "sampling" in self.name.options:  # a policy, which does not search
            how = self.name.options["sampling"]
            return {"yes": "by chance", "no": "first choice"}.get(how, how.replace("-", " "))
        nodes = self.name.options.get("nodes", "")
        if nodes.isdecimal() and self.depth == MOST_DEPTH:
            return count_text(int(nodes), "position")
        return f"depth {self.depth}"

    @property
    def limits(self) -> str:
        """Depth and time in words; empty for a person, and for players that do not search."""
        depth = self.depth_text
        if self.name is None or "sampling" in self.name.options or self.seconds is None or not depth:
            return depth
        return f"{depth}, {self.seconds:g} s"


def names_of(seats: tuple[Seat, Seat]) -> tuple[str, str]:
    """Return the names of both players, short unless they would be the same."""
    black, white = seats
    return (black.brief, white.brief) if black.brief != white.brief else (black.shown, white.shown)


def _built_in_title(name: PlayerName) -> str:
    kind = KINDS.get(name.target)
    if kind is None or not kind.title:
        return ""
    options = ", ".join(f"{option}={value}" for option, value in name.options.items())
    return f"{kind.title} ({options})" if options else kind.title


HUMAN = Seat()
"""A person."""


def with_person(opponent: Seat, colour: str) -> tuple[Seat, Seat]:
    """Return the seats of Black and White for a person of this colour; any text but a colour lets chance decide."""
    black = {"black": True, "white": False}.get(colour, secrets.randbelow(2) == 0)
    return (HUMAN, opponent) if black else (opponent, HUMAN)


def seat_for(name: PlayerName, default_depth: int = 1, default_seconds: float | None = None, title: str = "") -> Seat:
    """Return the seat of a player named in command-line syntax, such as ``RUN@15:NAME,depth=6,time=2``.

    Args:
        name: the player; if it sets a time or nodes but no depth, the depth is not limited.
        default_depth, default_seconds: used if the name sets none of these limits.

    Raises:
        InputError: the name of the player, its depth or its time is invalid.
    """
    depth, seconds, nodes = (name.options.get(key) for key in ("depth", "time", "nodes"))
    unlimited = MOST_DEPTH if seconds or nodes is not None else default_depth
    rest = name.with_options(depth=None, time=None)
    try:
        default = None if nodes is not None else default_seconds
        wanted = default if seconds is None else float(seconds)
        return Seat(rest.text, unlimited if depth is None else int(depth), wanted, title, rest)
    except SeatError:
        raise
    except ValueError as error:
        raise SeatError(f"player {name.text!r}: depth and time must be numbers") from error


def individual(target: str, member: str | None = None) -> str:
    """Return the player name of a member of a run, generation (``RUN@15``) or file, by default its best."""
    return PlayerName.of(target, member).text


def title_of(name: str, source: str, generation: int | None = None, rank: int | None = None) -> str:
    """Return the title of an individual in a game: its short name, and the rest in brackets.

    The best of a generation is named after it, ``Generation 100 of alpha``; others keep their names, ``Gen15_0111 of
    alpha (rank 4)``.
    """
    if generation is None or source.lower().endswith(TABLES):
        return f"{name} ({source})" if source else name
    if rank == 1:
        return f"Generation {generation} of {source}"
    place = "" if rank is None else f" (rank {rank})"
    return f"{name} of {source}{place}"


def title_in_game(name: str, event: str, run: str, champions: Sequence[str]) -> str:
    """Return the title of a player in a game that a run recorded.

    Args:
        event: the event of the game, which contains the generation.
    """
    if _OF_RUN.fullmatch(name) is None:
        return name
    number = int(match[1]) if (match := _GENERATION.search(event)) else len(champions)
    best = number < len(champions) and champions[number] == name
    return title_of(name, run, number, 1 if best else None)


def several(names: Sequence[str], most: int = 4) -> str:
    """Return names joined in words; the end of a long list is replaced by a count."""
    more = [f"{len(names) - most + 1:,} more"] if len(names) > most else []
    items = [*(names[: most - 1] if more else names), *more]
    return " and ".join([*([", ".join(items[:-1])] if items[1:] else []), *items[-1:]])
