"""The names that people write for players: a target and options after commas.

``random``, ``material,depth=1``, ``cowan-1@15:Gen15_0111``, ``"a file, with a comma.csv":NAME``,
``external:"COMMAND, WITH ANYTHING",time=1``.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from game.errors import InputError
from game.search.layout import MAX_DEPTH
from game.search.limits import MAX_SECONDS, Limits, SearchOptions

RESERVED = ("random", "material", "external")
"""Targets that can never be the name of a run."""

FORMS = (
    "random, material, RUN, RUN@GENERATION, RUN@GENERATION:NAME, file.csv, file.csv:NAME (without .csv if it lies in "
    "the folder of runs) or external:COMMAND"
)
"""What the name of a player may be, as errors say it."""

SEARCH_OPTIONS = ("depth", "nodes", "time", "quiescence", "blondie", "tablebase", "seed")
EXTERNAL_OPTIONS = ("depth", "nodes", "time", "start", "timeout")
OPTIONS = tuple(dict.fromkeys(SEARCH_OPTIONS + EXTERNAL_OPTIONS))


class PlayerNameError(InputError):
    """A player name that names nobody; the text says what is near or allowed."""


@dataclass(frozen=True)
class PlayerName:
    """A player name taken apart.

    Attributes:
        text: as written.
        target: the part before the first free colon or comma, without quotes.
        member: the part after a colon (an individual); None if there is none.
        options: values by option name, as written.
    """

    text: str
    target: str
    member: str | None
    options: Mapping[str, str]


def parse_name(text: str) -> PlayerName:
    """Take a player name apart; quotes (' or ") protect commas, colons and spaces.

    Raises:
        PlayerNameError: empty, an open quote, or an option that does not exist.
    """
    parts = _split(text)
    target, member = parts[0]
    if not target:
        raise PlayerNameError(f"player {text!r}: expected {FORMS}")
    options: dict[str, str] = {}
    for part, rest in parts[1:]:
        key, equals, value = (part + ("" if rest is None else f":{rest}")).partition("=")
        key = key.strip()
        if key in OPTIONS and not equals:
            raise PlayerNameError(f"player {text!r}: {key}: expected a value, as in {key}=...")
        if key not in OPTIONS:
            near = difflib.get_close_matches(key, OPTIONS, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise PlayerNameError(f"player {text!r}: {part!r} is no option ({', '.join(OPTIONS)}){hint}")
        if key in options:
            raise PlayerNameError(f"player {text!r}: option {key} is given twice")
        options[key] = value.strip()
    return PlayerName(text, target, member, options)


def _split(text: str) -> list[tuple[str, str | None]]:
    """Split at free commas, and each part at its first free colon."""
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


def check_options(name: PlayerName, allowed: tuple[str, ...]) -> None:
    """Refuse options that this kind of player does not have.

    Raises:
        PlayerNameError: there is one.
    """
    for key in name.options:
        if key not in allowed:
            raise PlayerNameError(
                f"player {name.text!r}: {name.target[:40]} has no option {key} (it has {', '.join(allowed)})"
            )


def _whole(text: str) -> int | None:
    # Python refuses to read numbers of thousands of digits, with an error of its own.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 100 else None


def search_options(
    name: PlayerName, usual: tuple[Limits, SearchOptions] = (Limits(depth=1), SearchOptions())
) -> tuple[Limits, SearchOptions]:
    """Limits and style from the options of a name.

    Limits that are given replace all the usual ones: a search of so many nodes is ended by nothing else. Of the style
    only what is given changes; but ``depth=1`` is one ply and no more, unless it is the usual depth.

    Args:
        name: the name.
        usual: limits and style of its player if it gives none.

    Raises:
        PlayerNameError: a value is not possible.
    """

    def wrong(key: str, expected: str) -> PlayerNameError:
        return PlayerNameError(f"player {name.text!r}: {key}={name.options[key]}: expected {expected}")

    def whole(key: str, most: int) -> int | None:
        text = name.options.get(key)
        if text is None:
            return None
        number = _whole(text)
        if number is None or not 1 <= number <= most:
            raise wrong(key, f"a whole number from 1 to {most:,}")
        return number

    def switch(key: str, usual: bool = False) -> bool:
        text = name.options.get(key, "yes" if usual else "no")
        if text not in ("yes", "no"):
            raise wrong(key, "yes or no")
        return text == "yes"

    if switch("tablebase"):
        raise PlayerNameError(f"player {name.text!r}: there are no endgame tablebases yet")
    depth, nodes, seconds = whole("depth", MAX_DEPTH), whole("nodes", 10**15), None
    if "time" in name.options:
        seconds = checked_seconds(name, "time")
    given = depth is not None or nodes is not None or seconds is not None
    limits, style = Limits(depth, nodes, seconds) if given else usual[0], usual[1]
    if depth == 1 and usual[0].depth != 1:
        style = replace(style, quiescence=False, blondie=False)
    return limits, replace(
        style, quiescence=switch("quiescence", style.quiescence), blondie=switch("blondie", style.blondie)
    )


def checked_seconds(name: PlayerName, key: str, default: float = 0.0) -> float:
    """The seconds that an option gives, else `default`.

    Raises:
        PlayerNameError: no number, or one out of range.
    """
    if key not in name.options:
        return default
    try:
        seconds = float(name.options[key])
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_SECONDS:
        expected = f"seconds above 0, to {MAX_SECONDS:,}"
        raise PlayerNameError(f"player {name.text!r}: {key}={name.options[key][:40]}: expected {expected}")
    return seconds


def checked_seed(name: PlayerName) -> int | None:
    """The seed, if one is given.

    Raises:
        PlayerNameError: no number, or one out of range.
    """
    if "seed" not in name.options:
        return None
    text = name.options["seed"]
    seed = _whole(text)
    if seed is None or seed >= 2**63:
        raise PlayerNameError(f"player {name.text!r}: seed={text}: expected a whole number from 0 to 2**63 - 1")
    return seed
