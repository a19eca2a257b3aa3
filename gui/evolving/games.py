"""Work of the thinking process about a generation: games of its tournament, and how its champions' play changed.

The games are those that the session played, move by move. Where they cannot be repeated, because weights are gone or
the run has code of its own, the recorded games of its champions take their place.
"""

from __future__ import annotations

import io
import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evolve.run.append_only import CHAMPIONS
from evolve.run.folder import Run
from game.errors import InputError
from game.regular_files import open_regular

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evolve.run.generation_csv import Generation
    from game.board import Position
    from game.moves import Move
    from game.traits import TraitMean

MOST = 32
"""Maximum number of games of a generation."""

LOOK_BACK = 16
"""Number of generations whose champions' games are compared with those of as many generations before."""

SURE = 3.0
"""Least difference that is reported, in standard errors; of 700 differences that are chance, two are larger."""

ATTEMPTS = 3
"""Number of attempts at reading the newest generation, while a session replaces it."""

MOST_BYTES = 1 << 20
"""Maximum number of bytes of recorded games that are read."""


@dataclass(frozen=True, slots=True)
class SmallGame:
    """A game for a small board.

    Attributes:
        players: names of Black and White.
        parents: names of the parents of both.
        result: 1 if Black won, -1 if White won, 0 for a draw or an unknown result.
        positions: black pieces, white pieces and kings of each position, as on a `game.board.Position`, in turn.
    """

    players: tuple[str, str]
    parents: frozenset[str]
    result: int
    positions: array[int]

    def __len__(self) -> int:
        return len(self.positions) // 3

    def at(self, number: int) -> tuple[int, int, int]:
        """Return a position; after the end, the last one."""
        first = 3 * min(max(number, 0), len(self) - 1)
        black, white, kings = self.positions[first : first + 3]
        return black, white, kings

    @property
    def winner(self) -> str:
        """The name of the winner; empty if there is none."""
        return self.players[self.result < 0] if self.result else ""


@dataclass(frozen=True, slots=True)
class ShownGames:
    """The games of a generation.

    Attributes:
        recorded: whether they are recorded games of champions, since those of the tournament cannot be repeated.
        change: what has changed in the play of the champions, in a sentence; empty if nothing has for sure.
    """

    generation: int
    games: tuple[SmallGame, ...]
    recorded: bool
    change: str


def generation_games(
    path: Path, generation: int, champions: tuple[str, ...], span: tuple[int, int], newest: bool = False
) -> ShownGames:
    """Return games of a generation; the thinking process calls this (`gui.thinking.messages.SideWork`).

    Args:
        path: the folder of the run.
        champions: names of the last champions, of `generation` and those before it.
        span: the bytes with their games in the file of recorded games.
        newest: whether a newer generation will do, since a session may keep the weights of the newest alone.
    """
    recorded = list(recorded_games(path, span))
    first = generation - len(champions) + 1
    new = play_change(*_traits(recorded, first, champions)) if len(champions) > LOOK_BACK else None
    change = "" if new is None else new.text
    for _ in range(ATTEMPTS if newest else 1):
        try:
            number = max(Run(path).manifest().newest, generation) if newest else generation
            games = _tournament_games(Run(path), number)
        except (InputError, OSError):
            continue
        if games:  # the mean of a population plays in none of them, but in recorded games
            best = champions[-1] if champions and number == generation else ""
            own = [each for each in recorded if each[0] == number and best in each[1]]
            own = [] if any(best in game.players for game in games) else own
            return ShownGames(number, (*_shown(own[:1]), *games)[:MOST], False, change)
    return ShownGames(generation, _shown(recorded[-MOST:][::-1]), True, change)


def _shown(recorded: Sequence[Recorded]) -> tuple[SmallGame, ...]:
    return tuple(_small(players, result, start, moves) for _, players, result, start, moves in recorded)


def _tournament_games(run: Run, generation: int) -> tuple[SmallGame, ...]:
    """Return games of a tournament; none if code for them is missing, since compiling would slow down moves."""
    from evolve.tournament.again import GameAgain, play_again
    from game.compiled import compiling

    played: list[tuple[Generation, list[GameAgain]]] = []
    if not compiling.is_there(lambda: played.append(play_again(run, generation, MOST))):
        return ()
    games, ((rows, again),) = [], played
    for game in again:
        players = rows.names[game.black], rows.names[game.white]
        parents = (rows.parents[row] for row in (game.black, game.white)) if rows.parents else ()
        record = game.record
        games.append(_small(players, record.result, record.start, record.moves, *parents))
    return tuple(games)


def _small(
    players: tuple[str, str], result: int, start: Position, played: Sequence[Move], *parents: Sequence[str]
) -> SmallGame:
    from game import moves

    positions, position = array("Q", (start.black, start.white, start.kings)), start
    for move in played:
        position = moves.apply(position, move)
        positions.extend((position.black, position.white, position.kings))
    return SmallGame(players, frozenset(name for names in parents for name in names), result, positions)


Recorded = tuple[int, tuple[str, str], int, "Position", tuple["Move", ...]]
"""Generation, names of Black and White, result, first position and moves of a recorded game."""


def recorded_games(path: Path, span: tuple[int, int]) -> Iterator[Recorded]:
    """Yield the recorded games of the champions of a run between two offsets of its file, `MOST_BYTES` at most."""
    from evolve.run.append_only import round_generation
    from game import moves
    from game.pdn.game import raw_games
    from game.pdn.meaning import follow

    start, end = span
    try:
        with open_regular(path / CHAMPIONS) as file:
            file.seek(max(start, end - MOST_BYTES))
            text = file.read(end - file.tell()).decode("utf-8", "replace")
    except OSError:
        return
    for raw in raw_games(io.StringIO(text[max(text.find("[Event "), 0) :])):
        number = round_generation(f'[Round "{raw.tags.get("Round", "")}"]'.encode())
        if raw.start is None or number < 0:
            continue
        played = tuple(move for _, move, _ in follow(raw.start, raw.written, moves.successors).plies)
        result = {"1-0": 1, "0-1": -1}.get(raw.tags.get("Result", ""), 0)
        yield number, (raw.tags.get("Black", ""), raw.tags.get("White", "")), result, raw.start, played


def _traits(
    recorded: Sequence[Recorded], first: int, champions: Sequence[str]
) -> tuple[tuple[TraitMean, ...], tuple[TraitMean, ...]]:
    """Return the mean traits of the champions in the games of the older half and of the newer half of generations."""
    from game.traits import means, measure_moves

    halves: tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]] = ([], [])
    for number, players, _, start, played in recorded:
        champion = champions[number - first] if 0 <= number - first < len(champions) else ""
        if champion in players:
            newer = number > first + len(champions) - 1 - LOOK_BACK
            halves[newer].append(measure_moves(played, start)[players.index(champion)])
    return means(halves[0]), means(halves[1])


class Change(NamedTuple):
    """News of play, in words such as ``fewer exchanges`` and as a sentence; `sure` is in standard errors."""

    sure: float
    words: str
    text: str


def play_change(earlier: Sequence[TraitMean], later: Sequence[TraitMean]) -> Change | None:
    """Return the trait that changed most; None if no difference is more than chance."""
    from game.traits import FEW_GAMES, OUTER, TRAITS

    best: Change | None = None
    for trait, before, now in zip(TRAITS, earlier, later, strict=True):
        if min(before.games, now.games) < FEW_GAMES:
            continue
        apart = now.value - before.value
        sure = abs(apart) / (trait.noise * math.sqrt(1 / before.games + 1 / now.games))
        if sure < (SURE if best is None else best.sure):
            continue
        place = (now.value - trait.low) / (trait.high - trait.low)
        words = trait.much if apart > 0 else trait.little
        if not (place > 1 - OUTER and apart > 0) and not (place < OUTER and apart < 0):
            words = trait.more if apart > 0 else trait.less
        values = f"{trait.say(now.value)} {trait.unit}, {trait.say(before.value)} before"
        best = Change(sure, words, f"Now {words} ({values}).")
    return best
