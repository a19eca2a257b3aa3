"""The names that people write for players: a target and options after commas.

``random``, ``material,depth=1``, ``cowan-1@15:Gen15_0111``, ``"a file, with a comma.csv":NAME``,
``external:"COMMAND, WITH ANYTHING",time=1``.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from game.endgame.slices import LEAST_PIECES, MOST_BUILT, MOST_PIECES
from game.errors import InputError
from game.search.layout import MAX_DEPTH
from game.search.limits import MAX_SECONDS, ONE_PLY, PLAIN, SELECTIVE, Limits, SearchOptions

FORMS = (
    "random, material, RUN, RUN@GENERATION, RUN@GENERATION:NAME, file.csv, file.csv:NAME (without .csv if it lies in "
    "the folder of runs) or external:COMMAND"
)
"""What the name of a player may be, as errors say it."""

SEARCH_OPTIONS = ("depth", "nodes", "time", "quiescence", "blondie", "selective", *SELECTIVE, "tablebase", "seed")
INDIVIDUAL_OPTIONS = (*SEARCH_OPTIONS, "network", "sampling")
EXTERNAL_OPTIONS = ("depth", "nodes", "time", "start", "timeout")

OPTIONS_OF: dict[str, tuple[str, ...]] = {"random": ("seed",), "material": SEARCH_OPTIONS, "external": EXTERNAL_OPTIONS}
"""Options by target, of those that are no run and no file; `game.players.registry.register_player` adds its own."""

RESERVED = OPTIONS_OF.keys()
"""Targets that can never be the name of a run."""


def list_options() -> tuple[str, ...]:
    """All that any player has."""
    return tuple(dict.fromkeys((*INDIVIDUAL_OPTIONS, *itertools.chain(*OPTIONS_OF.values()))))


class PlayerNameError(InputError):
    """A player name that names nobody; the text says what is near or allowed."""


@dataclass(frozen=True)
class PlayerName:
    """A player name taken apart: two are equal that mean the same, however they are written.

    Attributes:
        text: as written.
        target: the part before the first free colon or comma, without quotes.
        member: the part after a colon (an individual); None if there is none.
        options: values by option name, as written.
    """

    text: str = field(compare=False)
    target: str
    member: str | None = None
    options: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of(cls, target: str, member: str | None = None, options: Mapping[str, str] | None = None) -> PlayerName:
        """A name of parts, written so that `parse_name` gives them back."""
        options = dict(options or {})
        parts = "".join(f",{key}={quote(value)}" for key, value in options.items())
        return cls(quote(target) + ("" if member is None else f":{quote(member)}") + parts, target, member, options)

    @property
    def allowed(self) -> tuple[str, ...]:
        """The options that this kind of player has."""
        return OPTIONS_OF.get(self.target, INDIVIDUAL_OPTIONS)

    def with_options(self, **values: object) -> PlayerName:
        """The same player with other options; None takes one away."""
        options = {key: value for key, value in self.options.items() if key not in values}
        for key, value in values.items():
            if value is not None:
                options[key] = write_number(value) if isinstance(value, float) else str(value)
        return self.of(self.target, self.member, options)


def _hint(key: str, known: Sequence[str]) -> str:
    """What an option that does not exist may have been meant to be."""
    near = difflib.get_close_matches(key, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


_SPECIAL = set(",:'\"")


def quote(text: str) -> str:
    """A part of a player name, in quotes if it has characters that mean something."""
    if text and not any(letter in _SPECIAL or letter.isspace() for letter in text):
        return text
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    parts = re.findall('"+|[^"]+', text)
    return "".join(f"'{part}'" if part[0] == '"' else f'"{part}"' for part in parts)


def parse_name(text: str) -> PlayerName:
    """Take a player name apart; quotes (' or ") protect commas, colons and spaces.

    Raises:
        PlayerNameError: empty, an open quote, or an option that does not exist.
    """
    parts = _split(text)
    target, member = parts[0]
    if not target:
        raise PlayerNameError(f"player {text!r}: expected {FORMS}")
    options, known = dict[str, str](), list_options()
    for part, rest in parts[1:]:
        key, equals, value = (part + ("" if rest is None else f":{rest}")).partition("=")
        key = key.strip()
        if key in known and not equals:
            raise PlayerNameError(f"player {text!r}: {key}: expected a value, as in {key}=...")
        if key not in known:
            raise PlayerNameError(f"player {text!r}: {part!r} is no option ({', '.join(known)}){_hint(key, known)}")
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


def _whole(text: str) -> int | None:
    # Python refuses to read numbers of thousands of digits, with an error of its own.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 100 else None


@dataclass(frozen=True, slots=True)
class PlayerSettings:
    """What the options of a name say.

    Attributes:
        limits: what ends a search.
        style: how it looks.
        seed: None if none is given.
        sampling: whether a policy draws its moves.
    """

    limits: Limits
    style: SearchOptions
    seed: int | None
    sampling: bool = False


def read_settings(
    name: PlayerName,
    limits: Limits = ONE_PLY,
    style: SearchOptions = PLAIN,
) -> PlayerSettings:
    """What the options of a name say.

    Limits that are given replace all the usual ones: a search of so many nodes is ended by nothing else. Of the style
    only what is given changes; but ``depth=1`` is one ply and no more, unless it is the usual depth.

    Args:
        name: of anybody.
        limits: the usual ones, if the name gives none.
        style: likewise.

    Raises:
        PlayerNameError: an option that this kind of player does not have, or a value that is not possible.
    """
    for key in name.options:
        if key not in name.allowed:
            has = f"(it has {', '.join(name.allowed)}){_hint(key, name.allowed)}"
            raise PlayerNameError(f"player {name.text!r}: {name.target[:40]} has no option {key} {has}")

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

    def switch(key: str, usual: bool) -> bool:
        text = name.options.get(key, "yes" if usual else "no")
        if text not in ("yes", "no"):
            raise wrong(key, "yes or no")
        return text == "yes"

    def tablebase(usual: int) -> int:
        text = name.options.get("tablebase")
        if text is None:
            return usual
        if text == "yes":
            return MOST_PIECES
        number = 0 if text == "no" else _whole(text)
        if number is None or (number and not LEAST_PIECES <= number <= MOST_BUILT):
            raise wrong("tablebase", f"yes, no, or the most pieces to look up, {LEAST_PIECES} to {MOST_BUILT}")
        return number

    given = whole("depth", MAX_DEPTH), whole("nodes", 10**15), read_seconds(name, "time") or None
    usual = _left_out(given[0], limits, style)
    whole_name = "selective" in name.options
    parts = {each: switch("selective", False) if whole_name else getattr(usual, each) for each in SELECTIVE}
    try:
        style = replace(
            style,
            quiescence=switch("quiescence", usual.quiescence),
            blondie=switch("blondie", usual.blondie),
            tablebase=tablebase(usual.tablebase),
            **{each: switch(each, on) for each, on in parts.items()},
        )
    except InputError as error:
        raise (
            error if isinstance(error, PlayerNameError) else PlayerNameError(f"player {name.text!r}: {error}")
        ) from None
    limits = limits if given == (None, None, None) else Limits(*given)
    return PlayerSettings(limits, style, _seed(name), switch("sampling", False))


def _left_out(depth: int | None, limits: Limits, style: SearchOptions) -> SearchOptions:
    """The style of a name that gives this depth and no style; usual are those limits and that style."""
    if depth == 1 and limits.depth != 1:
        return replace(style, quiescence=False, blondie=False, tablebase=0, **dict.fromkeys(SELECTIVE, False))
    return style


def write_search(
    limits: Limits, style: SearchOptions, usual_limits: Limits = ONE_PLY, usual_style: SearchOptions = PLAIN
) -> str:
    """The options, after a comma each, from which `read_settings` gives these limits and this style."""
    left_out = _left_out(limits.depth, usual_limits, usual_style)
    parts = [f"depth={limits.depth}"] if limits.depth is not None else []
    parts += [f"nodes={limits.nodes}"] if limits.nodes is not None else []
    parts += [f"time={write_number(limits.seconds)}"] if limits.seconds is not None else []
    if style.blondie != left_out.blondie:
        parts.append(f"blondie={'yes' if style.blondie else 'no'}")
    if not (style.blondie or style.threats) and style.quiescence != left_out.quiescence:
        parts.append(f"quiescence={'yes' if style.quiescence else 'no'}")
    changed = {name: getattr(style, name) for name in SELECTIVE if getattr(style, name) != getattr(left_out, name)}
    if len(changed) == len(SELECTIVE) and len(set(changed.values())) == 1:
        changed = {"selective": style.threats}
    parts += [f"{name}={'yes' if on else 'no'}" for name, on in changed.items()]
    if style.tablebase != left_out.tablebase:
        said = {0: "no", MOST_PIECES: "yes"}.get(style.tablebase, style.tablebase)
        parts.append(f"tablebase={said}")
    return "".join(f",{part}" for part in parts)


def write_number(number: float) -> str:
    """A number as short as it can be read back."""
    return next(text for text in (f"{number:g}", repr(number)) if float(text) == number)


def read_seconds(name: PlayerName, key: str, default: float = 0.0) -> float:
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


def _seed(name: PlayerName) -> int | None:
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
