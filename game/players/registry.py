"""The kinds of players that have a name of their own, and the player behind any name.

Names that are of no such kind are asked of the registered resolvers: runs and CSV files belong to `evolve`, which
registers by an explicit call. Loads neither numpy nor Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from game.players.material import MaterialPlayer
from game.players.names import (
    EXTERNAL_OPTIONS,
    FORMS,
    OPTIONS_OF,
    SEARCH_OPTIONS,
    PlayerName,
    PlayerNameError,
    parse_name,
    read_settings,
)
from game.players.protocol import Player
from game.players.random import RandomPlayer


@dataclass(frozen=True)
class PlayerKind:
    """Players that are named by one word, with options after commas.

    Attributes:
        target: the word.
        make: the player of a name; importable by its qualified name, for processes that think.
        options: those that it takes.
        searches: whether its players can be asked for a search, so for the scores of all moves.
        title: what a list says of it; no list shows it if this is empty.
        about: the same in a sentence or two.
    """

    target: str
    make: Callable[[PlayerName], Player]
    options: tuple[str, ...] = SEARCH_OPTIONS
    searches: bool = True
    title: str = ""
    about: str = ""


def material_player(name: PlayerName) -> MaterialPlayer:
    """``material``; with a seed it draws among equal moves."""
    settings = read_settings(_alone(name))
    drawing = settings.seed is not None
    return MaterialPlayer(name.text, settings.seed or 0, drawing, settings.limits, settings.style)


def random_player(name: PlayerName) -> RandomPlayer:
    """``random``."""
    return RandomPlayer(name.text, read_settings(_alone(name)).seed or 0)


def external_player(name: PlayerName) -> Player:
    """``external:COMMAND``."""
    from game.players import external  # it brings what starts programs, which no first picture waits for

    return external.external_player(name)


def _alone(name: PlayerName) -> PlayerName:
    if name.member is not None:
        raise PlayerNameError(f"player {name.text!r}: {name.target} has no individuals")
    return name


_BUILT_IN = (
    PlayerKind(
        "material",
        material_player,
        title="counts pieces",
        about="Counts pieces: a man 100, a king 150. It looks as deep as you allow.",
    ),
    PlayerKind(
        "random",
        random_player,
        ("seed",),
        searches=False,
        title="any legal move",
        about="Plays any legal move, all equally likely. Depth makes no difference.",
    ),
    PlayerKind("external", external_player, EXTERNAL_OPTIONS, searches=False),
)
KINDS = {kind.target: kind for kind in _BUILT_IN}
"""All kinds, by their word."""

Resolver = Callable[[PlayerName], Player | None]
_resolvers: dict[str, Resolver] = {}


def register_player(kind: PlayerKind) -> None:
    """Let a word mean players of this kind: in commands, ladders and the window. No run can have that name then.

    A second kind with the same word takes the place of the first.
    """
    KINDS[kind.target] = kind
    OPTIONS_OF[kind.target] = kind.options


def list_added_kinds() -> tuple[PlayerKind, ...]:
    """The kinds that were registered, for another process to register them too."""
    return tuple(kind for kind in KINDS.values() if kind not in _BUILT_IN)


def register_resolver(source: str, resolver: Resolver) -> None:
    """Ask `resolver` too when a name is of no kind; it returns None for names that are not its own.

    A second one for the same `source` takes the place of the first.
    """
    _resolvers[source] = resolver


def searches(name: PlayerName) -> bool:
    """Whether the player of a name can be asked for a search."""
    return name.target not in KINDS or KINDS[name.target].searches


def player(name: str | PlayerName) -> Player:
    """The player behind a name.

    Raises:
        PlayerNameError: nobody has this name, or an option is not possible.
        InputError: a resolver found the file or run, but it cannot be used.
    """
    if isinstance(name, str):
        name = parse_name(name)
    if name.target in KINDS:
        return KINDS[name.target].make(name)
    read_settings(name)  # what cannot be is told before files are read
    for resolver in _resolvers.values():
        found = resolver(name)
        if found is not None:
            return found
    raise PlayerNameError(f"player {name.text!r}: nobody has this name; expected {FORMS}")
