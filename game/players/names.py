"""Names of players: a target, and options after commas, such as ``cowan-1@15:Gen15_0111,depth=4``."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from extras import missing, modules
from game.endgame.slices import LEAST_PIECES, MOST_BUILT, MOST_PIECES
from game.errors import InputError, did_you_mean
from game.installation import cores
from game.removed import removed
from game.rules import MAX_MOVES
from game.search.interface import MAX_SECONDS, ONE_PLY, PLAIN, SELECTIVE, TABLE_SIZES, Limits, SearchOptions
from game.search.layout import MAX_DEPTH

TABLES = (".csv", ".tsv", ".txt")
"""Endings of files of individuals."""

_FORMS = (
    "random, material, RUN, RUN@GENERATION, RUN@GENERATION:NAME, RUN:back-row=4,centre=1 (cells of a map), "
    "file.csv or file.csv:NAME (.csv may be omitted in the folder of runs)"
)
FORMS = ", ".join([_FORMS, *(kind.FORM for kind in (*modules("players"), *modules("files")))])
"""The forms of player names, for error messages."""

SEARCH_OPTIONS = (
    *("depth", "nodes", "time", "quiescence", "blondie", "selective", *SELECTIVE),
    *("corrections", "table", "tablebase", "threads", "book", "seed"),
)
CHOICES: dict[str, tuple[str, ...]] = {}
for _kind in (*modules("players"), *modules("searches")):
    CHOICES |= _kind.CHOICES
"""The values of options that extras add."""

ADDED_SEARCHES = {each.SEARCH: each for each in modules("searches")}
INDIVIDUAL_OPTIONS = (
    *SEARCH_OPTIONS,
    *("network", "sampling", "search", "strength"),
    *(key for each in ADDED_SEARCHES.values() for key in each.CHOICES),
)

STRONGEST = 9
"""The highest ``strength`` of a policy taught by people (`game.players.people`)."""

SEARCHES = ("alphabeta", "tree", "policy", "glance", *ADDED_SEARCHES)
"""Values of ``search``: by the value head, by both heads, the first choice of the policy, or what extras add."""

OPTIONS_OF: dict[str, tuple[str, ...]] = {"random": ("seed",), "material": SEARCH_OPTIONS}
OPTIONS_OF |= {kind.TARGET: kind.OPTIONS for kind in modules("players")}
"""Options by target, except for runs and files; `game.players.registry.register_player` adds to it."""

RESERVED = OPTIONS_OF.keys()
"""Targets of player names that cannot be names of runs."""


def list_options() -> tuple[str, ...]:
    return tuple(dict.fromkeys((*INDIVIDUAL_OPTIONS, *itertools.chain(*OPTIONS_OF.values()))))


class PlayerNameError(InputError):
    """A name that no player has; the message lists similar or allowed names."""


@dataclass(frozen=True)
class PlayerName:
    """A parsed player name. Names with the same meaning are equal, whatever their spelling.

    Attributes:
        target: the part before the first unquoted colon or comma, without quotes.
        member: the part after a colon (an individual); None if there is none.
    """

    text: str = field(compare=False)
    target: str
    member: str | None = None
    options: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of(cls, target: str, member: str | None = None, options: Mapping[str, str] | None = None) -> PlayerName:
        """Make a name from its parts; `parse_name` reverses this."""
        options = dict(options or {})
        parts = "".join(f",{key}={quote(value)}" for key, value in options.items())
        return cls(quote(target) + ("" if member is None else f":{quote(member)}") + parts, target, member, options)

    @property
    def allowed(self) -> tuple[str, ...]:
        return OPTIONS_OF.get(self.target, INDIVIDUAL_OPTIONS)

    def with_options(self, **values: object) -> PlayerName:
        """Return the name with changed options; None removes one."""
        options = {key: value for key, value in self.options.items() if key not in values}
        for key, value in values.items():
            if value is not None:
                options[key] = write_number(value) if isinstance(value, float) else str(value)
        return self.of(self.target, self.member, options)


_SPECIAL = set(",:'\"")


def quote(text: str) -> str:
    """Return a part of a player name, quoted if it contains special characters."""
    if text and not any(letter in _SPECIAL or letter.isspace() for letter in text):
        return text
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    parts = re.findall('"+|[^"]+', text)
    return "".join(f"'{part}'" if part[0] == '"' else f'"{part}"' for part in parts)


def parse_name(text: str) -> PlayerName:
    """Parse a player name; quotes (' or ") protect commas, colons and spaces.

    A member with an equals sign is a cell of a map, such as ``back-row=4,centre=1``. Traits come before the options,
    and only the run knows them, so words that are no options belong to the cell.

    Raises:
        PlayerNameError: the name is empty, a quote is not closed, or an option does not exist.
    """
    parts = _split(text)
    target, member = parts[0]
    if not target:
        raise PlayerNameError(f"player {text!r}: expected {FORMS}")
    options, known = dict[str, str](), list_options()
    for part, rest in parts[1:]:
        key, equals, value = (part + ("" if rest is None else f":{rest}")).partition("=")
        key = key.strip()
        if key not in known and not options and member is not None and "=" in member:
            member = f"{member},{key}{equals}{value.strip()}"
            continue
        if key in known and not equals:
            raise PlayerNameError(f"player {text!r}: {key}: expected a value, as in {key}=...")
        if key not in known and not removed("option", key):  # saved games may name players by removed options
            raise PlayerNameError(
                f"player {text!r}: {part!r} is not an option ({', '.join(known)}){did_you_mean(key, known)}"
            )
        if key in options:
            raise PlayerNameError(f"player {text!r}: option {key} is given twice")
        options[key] = value.strip()
    return PlayerName(text, target, member, options)


def _split(text: str) -> list[tuple[str, str | None]]:
    parts: list[tuple[str, str | None]] = []
    head, tail, quote = "", None, ""
    for letter in text.strip():
        if quote:
            if letter == quote:
                quote = ""
                continue
        elif letter in "\"'":
            quote = letter
            continue
        elif letter == ",":
            parts.append((head, tail))
            head, tail = "", None
            continue
        elif letter == ":" and tail is None:
            tail = ""
            continue
        if tail is None:
            head += letter
        else:
            tail += letter
    if quote:
        raise PlayerNameError(f"player {text!r}: the quote {quote} is not closed")
    parts.append((head, tail))
    return parts


def _read_whole(text: str) -> int | None:
    # Python raises an error for numbers with thousands of digits.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 100 else None


def _read_number(text: str, most: float) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 < number <= most else None


def _read_seconds(text: str) -> float | None:
    return _read_number(text, MAX_SECONDS)


def _read_table(text: str) -> int | None:
    number = _read_whole(text)
    return number if number in TABLE_SIZES else None


def _read_pieces(text: str) -> int | None:
    number = {"yes": MOST_PIECES, "no": 0}.get(text, _read_whole(text))
    return number if text in ("yes", "no") or (number and LEAST_PIECES <= number <= MOST_BUILT) else None


@dataclass(frozen=True, slots=True)
class Sampling:
    """A way to draw the moves of a policy; by default none is drawn, and its first choice is played.

    Attributes:
        best: the number of most probable moves among which it draws, by their probabilities.
        epsilon: the chance of a move that is drawn from all legal ones, each equally likely.

    Source: Larson, Deep reinforcement learning for checkers: pretraining a policy (2016).
    """

    best: int = 1
    epsilon: float = 0.0

    @property
    def deterministic(self) -> bool:
        return self == FIRST_CHOICE

    @property
    def text(self) -> str:
        if self.epsilon:
            return f"epsilon-{write_number(self.epsilon)}"
        return {1: "no", MAX_MOVES: "yes"}.get(self.best, f"best-{self.best}")


FIRST_CHOICE = Sampling()


def _read_sampling(text: str) -> Sampling | None:
    if text in ("yes", "no"):
        return Sampling(MAX_MOVES if text == "yes" else 1)
    how, _, number = text.partition("-")
    if how == "best":
        best = _read_whole(number)
        return Sampling(best) if best is not None and 2 <= best <= MAX_MOVES else None
    epsilon = _read_number(number, 1) if how == "epsilon" else None
    return None if epsilon is None else Sampling(epsilon=epsilon)


_Reader = tuple[Callable[[str], Any], str]
"""A function from text to value (None if it is not valid), and a description of valid values."""


def _whole_from(low: int, high: int, limit: str) -> _Reader:
    def read(text: str) -> int | None:
        number = _read_whole(text)
        return number if number is not None and low <= number <= high else None

    return read, f"a whole number from {low} to {limit}"


def _one_of(values: tuple[str, ...]) -> _Reader:
    return dict(zip(values, values, strict=True)).get, ", ".join(values[:-1]) + f" or {values[-1]}"


_SWITCH: _Reader = ({"yes": True, "no": False}.get, "yes or no")
_SECONDS: _Reader = (_read_seconds, f"seconds above 0, to {MAX_SECONDS:,}")
_READERS: dict[str, _Reader] = {
    "depth": _whole_from(1, MAX_DEPTH, str(MAX_DEPTH)),
    "nodes": _whole_from(1, 10**15, f"{10**15:,}"),
    "time": _SECONDS,
    **dict.fromkeys(("quiescence", "blondie", "selective", *SELECTIVE, "corrections", "book"), _SWITCH),
    "table": (_read_table, f"megabytes, a power of 2 from 1 to {TABLE_SIZES[-1]:,}"),
    "tablebase": (_read_pieces, f"yes, no, or the largest number of pieces, {LEAST_PIECES} to {MOST_BUILT}"),
    "threads": _whole_from(1, cores(), f"{cores()}, the cores of this machine"),
    "sampling": (_read_sampling, "yes, no, best-N (N from 2 to 192), or epsilon-E (E above 0, to 1)"),
    "strength": (lambda text: _read_number(text, STRONGEST), f"a number above 0, to {STRONGEST}"),
    "seed": _whole_from(0, 2**63 - 1, "2**63 - 1"),
    **{key: _one_of(values) for key, values in ({"search": SEARCHES} | CHOICES).items()},
    "start": _SECONDS,
    "timeout": _SECONDS,
}


def read_option(name: PlayerName, key: str, default: Any = None) -> Any:
    """Return the value of an option, or `default` if the name does not have it.

    Raises:
        PlayerNameError: the value is not valid.
    """
    if key not in name.options:
        return default
    read, expected = _READERS[key]
    value = read(name.options[key])
    if value is None:
        why = (
            removed("option", f"{key}={name.options[key]}")
            or missing(name.options[key], f"{key}.")
            or f"{key}={name.options[key][:40]}: expected {expected}"
        )
        raise PlayerNameError(f"player {name.text!r}: {why}")
    return value


@dataclass(frozen=True, slots=True)
class PlayerSettings:
    """The options of a name.

    Attributes:
        seed: the seed; None if the name has none.
        sampling: how a policy draws its moves.
    """

    limits: Limits
    style: SearchOptions
    seed: int | None
    sampling: Sampling = FIRST_CHOICE


def read_settings(name: PlayerName, limits: Limits = ONE_PLY, style: SearchOptions = PLAIN) -> PlayerSettings:
    """Read the options of a name.

    If the name has limits, they replace all default limits: with only ``nodes=1000``, only nodes end a search. Each
    search option replaces its own default; but ``depth=1`` also turns off all default options, unless 1 is the default
    depth.

    Raises:
        PlayerNameError: this kind of player does not have an option, or a value is not valid.
    """
    for key in name.options:
        if key not in name.allowed:
            has = f"(it has {', '.join(name.allowed)}){did_you_mean(key, name.allowed)}"
            why = removed("option", key) or f"{name.target[:40]} has no option {key} {has}"
            raise PlayerNameError(f"player {name.text!r}: {why}")
    values = {key: read_option(name, key) for key in name.options if key in INDIVIDUAL_OPTIONS and key in _READERS}
    given = values.pop("depth", None), values.pop("nodes", None), values.pop("time", None)
    seed, sampling = values.pop("seed", None), values.pop("sampling", FIRST_CHOICE)
    for key in ("search", "strength", *CHOICES):
        values.pop(key, None)
    if "selective" in values:
        values = dict.fromkeys(SELECTIVE, values.pop("selective")) | values
    try:
        style = replace(_default_style(given[0], limits, style), **values)
    except InputError as error:
        raise PlayerNameError(f"player {name.text!r}: {error}") from None
    limits = limits if given == (None, None, None) else Limits(*given)
    if style.threads > 1 and not limits.ended_by_time:
        why = f"threads={style.threads}: only time ends a search in threads, so use time= without nodes="
        raise PlayerNameError(f"player {name.text!r}: {why}")
    return PlayerSettings(limits, style, seed, sampling)


def _default_style(depth: int | None, limits: Limits, style: SearchOptions) -> SearchOptions:
    if depth == 1 and limits.depth != 1:
        return replace(style, quiescence=False, blondie=False, tablebase=0, **dict.fromkeys(SELECTIVE, False))
    return style


def write_search(
    limits: Limits, style: SearchOptions, default_limits: Limits = ONE_PLY, default_style: SearchOptions = PLAIN
) -> str:
    """Return options, each after a comma, from which `read_settings` reads these limits and this style."""
    default = _default_style(limits.depth, default_limits, default_style)
    parts = [f"depth={limits.depth}"] if limits.depth is not None else []
    parts += [f"nodes={limits.nodes}"] if limits.nodes is not None else []
    parts += [f"time={write_number(limits.seconds)}"] if limits.seconds is not None else []
    if style.blondie != default.blondie:
        parts.append(f"blondie={'yes' if style.blondie else 'no'}")
    if not (style.blondie or style.threats) and style.quiescence != default.quiescence:
        parts.append(f"quiescence={'yes' if style.quiescence else 'no'}")
    changed = {name: getattr(style, name) for name in SELECTIVE if getattr(style, name) != getattr(default, name)}
    if len(changed) == len(SELECTIVE) and len(set(changed.values())) == 1:
        changed = {"selective": style.threats}
    parts += [f"{name}={'yes' if on else 'no'}" for name, on in changed.items()]
    if style.corrections != default.corrections:
        parts.append(f"corrections={'yes' if style.corrections else 'no'}")
    if style.table > 0 and style.table != default.table:
        parts.append(f"table={style.table}")
    parts += [f"threads={style.threads}"] if style.threads != default.threads else []
    parts += [f"book={'yes' if style.book else 'no'}"] if style.book != default.book else []
    if style.tablebase != default.tablebase:
        value = {0: "no", MOST_PIECES: "yes"}.get(style.tablebase, style.tablebase)
        parts.append(f"tablebase={value}")
    return "".join(f",{part}" for part in parts)


def write_number(number: float) -> str:
    """Return the shortest text that reads back as the same number."""
    return next(text for text in (f"{number:g}", repr(number)) if float(text) == number)
