"""The player behind a name.

Targets of names (`game.players.names`) that are no built-in player are asked of the registered resolvers: runs and CSV
files belong to `evolve.run.folder`, which registers by an explicit call.
"""

from __future__ import annotations

from collections.abc import Callable

from game.players.external import external_player
from game.players.material import MaterialPlayer
from game.players.names import (
    FORMS,
    RESERVED,
    SEARCH_OPTIONS,
    PlayerName,
    PlayerNameError,
    check_options,
    checked_seed,
    parse_name,
    search_options,
)
from game.players.protocol import Player
from game.players.random import RandomPlayer

Resolver = Callable[[PlayerName], Player | None]
_resolvers: dict[str, Resolver] = {}


def register_resolver(source: str, resolver: Resolver) -> None:
    """Ask `resolver` too when a name is no built-in player; it returns None for names that are not its own.

    A second one for the same `source` takes the place of the first.
    """
    _resolvers[source] = resolver


def player(text: str) -> Player:
    """The player behind a name.

    Raises:
        PlayerNameError: nobody has this name, or an option is not possible.
        InputError: a resolver found the file or run, but it cannot be used.
    """
    name = parse_name(text)
    if name.target == "external":
        return external_player(name)
    check_options(name, ("seed",) if name.target == "random" else SEARCH_OPTIONS)
    seed = checked_seed(name)
    limits, style = search_options(name)
    if name.target in RESERVED:
        if name.member is not None:
            raise PlayerNameError(f"player {text!r}: {name.target} has no individuals")
        if name.target == "random":
            return RandomPlayer(text, seed or 0)
        return MaterialPlayer(text, seed or 0, seed is not None, limits, style)
    for resolver in _resolvers.values():
        found = resolver(name)
        if found is not None:
            return found
    raise PlayerNameError(f"player {text!r}: nobody has this name; expected {FORMS}")
