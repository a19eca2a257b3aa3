"""Whether a run really got stronger: its last champion against the best of earlier generations, and plain players.

The measure is that of CheckersAI (David Cowan, 2022), which let its last champion play the best 16 of generations 0, 5
and 10; but with many different games instead of two, and with intervals.
All sides look as far as individuals of the run did: what was evolved with a search says little without one, and what
was evolved without says little with one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolve.config.toml import from_toml
from evolve.run.folder import CONFIG, RunFolder
from evolve.run.generation_csv import Generation
from evolve.strength.elo import PAIR_POINTS, Estimate, score_interval
from evolve.strength.match import DEFAULT_GAMES, MatchResult, check, play_match
from evolve.workers.pool import Pool
from game.errors import InputError
from game.generator import derive_seed
from game.networks.spec import Spec
from game.players.material import MaterialPlayer
from game.players.network import NetworkPlayer
from game.players.protocol import Player
from game.players.random import RandomPlayer
from game.search.limits import Limits, SearchOptions

DEEP_GAMES = ((4, 100), (6, 20), (8, 6))
"""Games against each opponent up to these depths, unless another number is given. At 70 games a second and core, which
5,046 weights reach at depth 4, against 48 networks it is some 40 seconds on two cores."""

DEEPEST_GAMES = 2
BEST = 16
USUAL = (0, 5, 10)


@dataclass(frozen=True)
class Row:
    """The champion against one group of opponents; counts are from the champion's view.

    Attributes:
        opponents: who they are, in words.
        matches: one for each of them.
    """

    opponents: str
    matches: tuple[MatchResult, ...]

    @property
    def counts(self) -> tuple[int, int, int]:
        """Wins, draws, losses."""
        wins, draws, losses = (
            sum(each) for each in zip(*((c.wins, c.draws, c.losses) for c in self.matches), strict=True)
        )
        return wins, draws, losses

    @property
    def distinct_games(self) -> int:
        """Different sequences of moves over all matches: opponents who are nearly alike play some games twice."""
        return len(frozenset().union(*(c.digests for c in self.matches)))

    @property
    def estimate(self) -> Estimate:
        """Score and Elo with their 95 % intervals, from all pairs."""
        pairs = [c.pentanomial for c in self.matches]
        return score_interval(tuple(sum(each[index] for each in pairs) for index in range(len(PAIR_POINTS))))


@dataclass(frozen=True)
class Look:
    """How individuals of a run play, and so everybody who is measured.

    Attributes:
        network: what judges the board.
        limits: what ends their searches.
        style: how they look.
    """

    network: Spec
    limits: Limits
    style: SearchOptions

    @classmethod
    def of(cls, run: RunFolder) -> Look:
        """As in the games of the newest complete generation.

        Raises:
            RunError: no run, or one of a newer format.
            ConfigError: its configuration is wrong.
        """
        run.check_format()
        config = from_toml(run.path / CONFIG)
        return cls(config.network, config.search.limits(max(run.manifest().newest, 0)), config.search.style())

    @property
    def ahead(self) -> bool:
        """Whether anybody needs a search."""
        return self._material.looks_ahead()

    @property
    def games(self) -> int:
        """Against each opponent, if nobody says how many: fewer where they take longer."""
        if not self.ahead:
            return DEFAULT_GAMES
        return next((games for depth, games in DEEP_GAMES if (self.limits.depth or 0) <= depth), DEEPEST_GAMES)

    @property
    def material(self) -> MaterialPlayer:
        """A piece count that looks as far, as its name says it."""
        return replace(self._material, name=self._material.canonical_name)

    @property
    def _material(self) -> MaterialPlayer:
        # Not with the small table that a run may have: by its name it is to be had in matches, too.
        return MaterialPlayer(limits=self.limits, style=SearchOptions(self.style.quiescence, self.style.blondie))

    @property
    def width(self) -> int:
        """Of the column of opponents."""
        return max(28, len(self.material.name))

    def foot(self, games: int) -> str:
        """How the games of a table were played, in words; `games` against each opponent."""
        if not self.ahead:
            return FOOT
        return (
            f"All but random judge the board {self.material.describe_search()}, as in the games of this run; "
            f"{games:,} games against each opponent."
        )

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        style = {"quiescence": self.style.quiescence, "blondie": self.style.blondie}
        return {"depth": self.limits.depth, "nodes": self.limits.nodes, **style}


def measure(
    run: RunFolder,
    generations: Sequence[int] | None,
    games: int,
    *,
    seed: int,
    kind: str,
    look: Look | None = None,
    pool: Pool | None = None,
    progress: Callable[[Row], None] = lambda row: None,
) -> list[Row]:
    """Play the last champion against the best 16 of each generation, then against `random` and `material`.

    Args:
        run: the run.
        generations: numbers of earlier generations; `usual` ones if None.
        games: against each opponent; even.
        seed: of all matches.
        kind: of openings.
        look: how far everybody looks, by default as in the run.
        pool: plays the games; this process alone if None. No result depends on it.
        progress: called with each row as it is ready.

    Raises:
        InputError: no such generation, or what a match refuses.
        TaskFailure: workers were lost again and again.
    """
    check(games, kind)
    look = look or Look.of(run)
    known = run.manifest()
    newest = known.newest
    if generations is None:
        generations = usual(known.whole)
    wrong = [number for number in generations if not 0 <= number <= newest]
    if wrong:
        raise InputError(f"--generations: {run.name} has no generation {wrong[0]}, complete are 0 to {newest}")
    rows = run.read_generation()
    champion = _player(run, newest, rows, rows.row_of(None), look)
    plain: list[tuple[str, list[Player]]] = [(each.name, [each]) for each in (RandomPlayer(), look.material)]
    groups = [(f"best {BEST} of generation {number}", _best(run, number, look)) for number in generations] + plain
    found = []
    for number, (name, opponents) in enumerate(groups):
        played = [
            play_match(champion, opponent, games, kind=kind, seed=derive_seed(seed, number, index), pool=pool)
            for index, opponent in enumerate(opponents)
        ]
        found.append(Row(name, tuple(played)))
        progress(found[-1])
    return found


def usual(whole: Sequence[int]) -> list[int]:
    """Generations 0, 5 and 10 if all their weights were kept, else the first, middle and last of which that is so.

    Args:
        whole: generations with all weights, in order, the newest at the end; that is left out then.
    """
    if set(USUAL) <= set(whole):
        return list(USUAL)
    before = whole[:-1] or whole
    return sorted({before[0], before[len(before) // 2], before[-1]}) if before else []


def _best(run: RunFolder, generation: int, look: Look) -> list[Player]:
    rows = run.read_generation(generation)
    order = range(len(rows.names)) if rows.ranks is None else rows.ranks.argsort()
    return [_player(run, generation, rows, int(row), look) for row in order[:BEST]]


def _player(run: RunFolder, generation: int, rows: Generation, row: int, look: Look) -> Player:
    king = None if rows.kings is None else float(rows.kings[row])
    name = f"{run.name}@{generation}:{rows.names[row]}"
    return NetworkPlayer(name, rows.weights[row], 0, look.network, king, look.limits, look.style)


def as_json(row: Row) -> dict[str, Any]:
    """A row as plain values."""
    wins, draws, losses = row.counts
    estimate = row.estimate
    return {
        "opponents": row.opponents,
        "games": wins + draws + losses,
        "distinct_games": row.distinct_games,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "score": estimate.score,
        "score_low": estimate.low,
        "score_high": estimate.high,
    }


FOOT = "All of them look at the positions after their own moves and no further, as at depth=1."


def headings(width: int) -> str:
    """Above the rows; `width` is that of the column of opponents."""
    return f"{'opponents':<{width}} {'games':>6} {'different':>9}   {'W / D / L':>20}   {'score':>7}   95 % interval"


def line(row: Row, width: int) -> str:
    """A row as text under `headings`."""
    wins, draws, losses = row.counts
    e = row.estimate
    counts = f"{wins:,} / {draws:,} / {losses:,}"
    return (
        f"{row.opponents:<{width}} {wins + draws + losses:>6,} {row.distinct_games:>9,}   {counts:>20}   "
        f"{100 * e.score:>5.1f} %   {100 * e.low:.1f} % to {100 * e.high:.1f} %"
    )
