"""Making the player of a name: registered kinds of players, and resolvers for all other names.

Runs and CSV files belong to `evolve`, which registers a resolver by an explicit call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from extras import missing, modules
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.names import FORMS, OPTIONS_OF, SEARCH_OPTIONS, PlayerName, PlayerNameError, parse_name, read_settings
from game.players.player import Player


@dataclass(frozen=True)
class PlayerKind:
    """A kind of player that is named by one word, with options after commas.

    Attributes:
        make: a function that makes the player of a name; other processes import it by its qualified name.
        searches: whether its players can search, and so give scores of all moves.
        about: a description in a sentence or two.
    """

    target: str
    make: Callable[[PlayerName], Player]
    options: tuple[str, ...] = SEARCH_OPTIONS
    searches: bool = True
    title: str = ""
    about: str = ""


def material_player(name: PlayerName) -> MaterialPlayer:
    """Make the player ``material``; with a seed it chooses at random among equal moves."""
    settings = read_settings(_alone(name))
    drawing = settings.seed is not None
    return MaterialPlayer(name.text, settings.seed or 0, drawing, settings.limits, settings.style)


def random_player(name: PlayerName) -> RandomPlayer:
    return RandomPlayer(name.text, read_settings(_alone(name)).seed or 0)


def _alone(name: PlayerName) -> PlayerName:
    if name.member is not None:
        raise PlayerNameError(f"player {name.text!r}: {name.target} has no individuals")
    return name


_BUILT_IN = (
    PlayerKind(
        "material",
        material_player,
        title="Piece counter",
        about="Counts pieces: a man 100, a king 150. It looks as deep as you allow.",
    ),
    PlayerKind(
        "random",
        random_player,
        ("seed",),
        searches=False,
        title="Random moves",
        about="Plays any legal move, all equally likely. Depth makes no difference.",
    ),
    *(PlayerKind(kind.TARGET, kind.make, kind.OPTIONS, kind.SEARCHES) for kind in modules("players")),
)
KINDS = {kind.target: kind for kind in _BUILT_IN}
"""All kinds, by their word."""

Resolver = Callable[[PlayerName], Player | None]
_resolvers: dict[str, Resolver] = {each.__name__: each.resolve for each in modules("files")}


def register_player(kind: PlayerKind) -> None:
    """Register a kind of player for commands, ladders and the window. Its word can then no longer name a run.

    A kind that was registered before under the same word is replaced.
    """
    KINDS[kind.target] = kind
    OPTIONS_OF[kind.target] = kind.options


def list_added_kinds() -> tuple[PlayerKind, ...]:
    """Return all kinds that are not built in, so that another process can register them, too."""
    return tuple(kind for kind in KINDS.values() if kind not in _BUILT_IN)


def register_resolver(source: str, resolver: Resolver) -> None:
    """Add a resolver for names that belong to no kind; it returns None for names that it does not know."""
    _resolvers[source] = resolver


def searches(name: PlayerName) -> bool:
    return name.target not in KINDS or KINDS[name.target].searches


def player(name: str | PlayerName) -> Player:
    """Return the player of a name.

    Raises:
        PlayerNameError: no player has this name, or an option is not valid.
        InputError: the file or run of this name cannot be used.
    """
    if isinstance(name, str):
        name = parse_name(name)
    if name.target in KINDS:
        return KINDS[name.target].make(name)
    read_settings(name)  # report invalid options before reading files
    if absent := missing(name.target.partition(":")[0], "players."):
        raise PlayerNameError(f"player {name.text!r}: {absent}")
    for resolver in _resolvers.values():
        resolved = resolver(name)
        if resolved is not None:
            return resolved
    raise PlayerNameError(f"player {name.text!r}: no player has this name; expected {FORMS}")
