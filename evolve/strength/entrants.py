"""Who plays on a ladder: one name for each player, however it was written, and nobody twice.

The games of a pairing depend on its names. With one name for one player they do not depend on how somebody wrote it,
and nobody plays against itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evolve.run.folder import divided, find_run
from game.players.external import ExternalPlayer
from game.players.material import MaterialPlayer
from game.players.names import parse_name
from game.players.network import NetworkPlayer
from game.players.protocol import PLAIN, Player, looks_ahead
from game.players.random import RandomPlayer
from game.search.limits import Limits, SearchOptions


@dataclass(frozen=True)
class Entrants:
    """The players of a ladder.

    Attributes:
        players: all different, under the names of the ladder.
        renamed: names that were given for them but are not theirs, each with the name that the player has here.
    """

    players: tuple[Player, ...]
    renamed: tuple[tuple[str, str], ...]


def unique_entrants(runs: Path, players: Sequence[Player]) -> Entrants:
    """Each player once, with one name for it whatever it was called.

    Args:
        runs: folder of runs, which run folders within do not need to name.
        players: under the names that people have written; the same one may be there more than once.
    """
    found: dict[Hashable, Player] = {}
    renamed: dict[str, str] = {}
    for player in players:
        who = identity(player)
        if who not in found:
            found[who] = _named(player, canonical_name(runs, player))
        if player.name != found[who].name:
            renamed[player.name] = found[who].name
    return Entrants(tuple(found.values()), tuple(renamed.items()))


def identity(player: Player) -> Hashable:
    """What a player is apart from its name: equal for two that play alike."""
    if isinstance(player, RandomPlayer):
        return "random", player.seed
    if isinstance(player, MaterialPlayer):
        return "material", player.limits, _plain(player.style), player.seed if player.draws_ties else None
    if isinstance(player, NetworkPlayer):
        king = player.spec.king if player.king is None else player.king
        style = _plain(player.style) if looks_ahead(player) else PLAIN  # a table only matters to a search
        return player.spec, player.weights.tobytes(), king, player.limits, style
    return player.contract if isinstance(player, ExternalPlayer) else player.name


def canonical_name(runs: Path, player: Player) -> str:
    """One way of writing the name of a player: options in one order, without those that change nothing."""
    if isinstance(player, RandomPlayer):
        return f"random,seed={player.seed}" if player.seed else "random"
    if isinstance(player, MaterialPlayer):
        seed = f",seed={player.seed}" if player.draws_ties else ""
        return f"material{_options(player.limits, player.style, PLAIN)}{seed}"
    if isinstance(player, NetworkPlayer):
        name = parse_name(player.name)
        member = "" if name.member is None else f":{quoted(name.member)}"
        limits, style = player.usual
        options = ""
        if (player.limits, _plain(player.style)) != (limits, _plain(style)):
            without = replace(style, quiescence=False, blondie=False)
            left_out = without if player.limits.depth == 1 and limits.depth != 1 else style
            options = _options(player.limits, player.style, left_out)
        return f"{quoted(_short(runs, name.target))}{member}{options}"
    return player.name


def quoted(text: str) -> str:
    """A part of a player name, in quotes if it has characters that mean something."""
    if not any(letter in " ,:\"'" for letter in text):
        return text
    quote = "'" if '"' in text else '"'
    return f"{quote}{text}{quote}"


def _plain(style: SearchOptions) -> SearchOptions:
    """The style without what another of its parts includes."""
    return replace(style, quiescence=False) if style.blondie else style


def _options(limits: Limits, style: SearchOptions, left_out: SearchOptions) -> str:
    """Options that say this; of the style what a name means that leaves it out."""
    parts = [f"depth={limits.depth}"] if limits.depth is not None else []
    parts += [f"nodes={limits.nodes}"] if limits.nodes is not None else []
    parts += [f"time={limits.seconds:g}"] if limits.seconds is not None else []
    if style.blondie != left_out.blondie:
        parts += [f"blondie={'yes' if style.blondie else 'no'}"]
    if not style.blondie and style.quiescence != left_out.quiescence:
        parts += [f"quiescence={'yes' if style.quiescence else 'no'}"]
    return "".join(f",{part}" for part in parts)


def _short(runs: Path, target: str) -> str:
    """A run by its name rather than its path, if it lies in the folder of runs."""
    where, number = divided(runs, target)
    run = find_run(runs, where)
    if run is None or run.path.resolve().parent != runs.resolve():
        return target
    name = run.path.resolve().name
    return name if number is None else f"{name}@{int(number)}"


def _named(player: Player, name: str) -> Player:
    if isinstance(player, RandomPlayer | MaterialPlayer | NetworkPlayer):
        return replace(player, name=name)
    return player
