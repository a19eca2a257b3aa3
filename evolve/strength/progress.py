"""The progress of a run: matches of its last champion against the best of earlier generations and simple players.

In CheckersAI (David Cowan, 2022), the last champion played two games against each of the best 16 of generations 0, 5
and 10. Here it plays many different games, and the scores have intervals. All players use the search of the run, since
a network that evolved with a search plays badly without it, and vice versa.

In a run around a mean (`population.mean`), the champion is the mean. It would beat the individuals of earlier
generations, which are random changes of their mean, even without progress. It therefore plays the mean of each earlier
generation instead of 16 individuals, with the same total number of games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.run.champions import read_champions
from evolve.run.conditions import PlayConditions
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation
from evolve.run.manifest import rereads
from evolve.strength import effort
from evolve.strength.elo import Estimate
from evolve.strength.match import MatchResult, Score, check, play_match
from evolve.strength.means import cluster_interval
from evolve.workers.pool import Interrupted, Pool
from game.errors import InputError
from game.generator import derive_seed
from game.networks.spec import Spec
from game.players.basic import RandomPlayer
from game.players.player import Player
from game.terminal import fit_columns

BEST = 16
USUAL = (0, 5, 10)


@dataclass(frozen=True)
class ProgressRow:
    """The champion against one group of opponents; counts are from the champion's point of view.

    Attributes:
        opponents: a description of the opponents.
        matches: one for each opponent.
        nodes: nodes per move of the champion and the first opponent.
    """

    opponents: str
    matches: tuple[MatchResult, ...]
    nodes: effort.Effort = (None, None)

    @property
    def counts(self) -> tuple[int, int, int]:
        wins, draws, losses = (
            sum(column) for column in zip(*((c.wins, c.draws, c.losses) for c in self.matches), strict=True)
        )
        return wins, draws, losses

    @property
    def distinct_games(self) -> int:
        """Number of different games in all matches: opponents that are near copies repeat some games."""
        return len(frozenset().union(*(c.digests for c in self.matches)))

    @property
    def estimate(self) -> Estimate:
        """Score and Elo with their 95 % intervals, from all pairs; pairs on the same ballot are not independent."""
        if len(self.matches) == 1:
            return self.matches[0].estimate
        points = [pair for played in self.matches for pair in played.pair_points]
        return cluster_interval(points, [ballot for played in self.matches for ballot in played.ballots])


def measure(
    run: Run,
    generations: Sequence[int] | None,
    games: int | None,
    *,
    seed: int,
    kind: str,
    how: PlayConditions | None = None,
    pool: Pool | None = None,
    progress: Callable[[ProgressRow], None] = lambda row: None,
    on_games: Callable[[str, str], None] = lambda games, opponents: None,
) -> list[ProgressRow]:
    """Play the last champion against the best 16 (or the mean) of each generation, then `random` and `material`.

    Args:
        run: the run.
        generations: numbers of earlier generations; None for `usual`.
        games: even number of games against each opponent; None for `effort.usual_games`, and 16 times as many against
            a mean.
        seed: seed of all matches.
        kind: kind of openings.
        how: limits and options of all searches, by default those of the newest generation.
        pool: plays the games; None to play them in this process. It does not affect results.
        progress: called with each row when it is ready.
        on_games: called regularly with texts for the number of games so far and the opponents.

    Raises:
        Interrupted: by `Pool.interruption`; `progress` has received the finished rows.
        InputError: there is no such generation, or arguments of a match are invalid.
        TaskFailure: workers were lost repeatedly.
    """
    how, spec = how or run.conditions(), run.network()
    usual_games = effort.usual_games(how) if games is None else games
    check(usual_games, kind)
    config = run.config()
    means = config.population.mean
    known = run.manifest()
    newest = known.newest
    if generations is None:
        generations = usual(known.whole)
    wrong = [number for number in generations if not 0 <= number <= newest]
    if wrong:
        raise InputError(f"--generations: {run.name} has no generation {wrong[0]}; complete generations: 0 to {newest}")
    champion = champion_player(run, how)
    material = effort.material_player(how)
    if means:
        groups = [(f"mean of generation {number}", [_mean(run, number, spec, how)]) for number in generations]
    elif config.individuals == 1:
        groups = [(f"generation {number}", [_mean(run, number, spec, how)]) for number in generations]
    else:
        groups = [(f"best {BEST} of generation {number}", _best(run, number, spec, how)) for number in generations]
    groups += [(player.name, [player]) for player in (RandomPlayer(), material)]
    rows = []
    for number, (name, opponents) in enumerate(groups):
        count = usual_games * (BEST if means and games is None and number < len(generations) else 1)
        played: list[MatchResult] = []

        total = count * len(opponents)
        for index, opponent in enumerate(opponents):

            def tell(score: Score, name: str = name, before: int = count * index, total: int = total) -> None:
                on_games(f"{before + score.games:,} of {total:,} games", f"against {name}")

            match_seed = derive_seed(seed, number, index)
            played.append(play_match(champion, opponent, count, kind=kind, seed=match_seed, pool=pool, progress=tell))
            if played[-1].stopped:
                raise Interrupted
        nodes = effort.of_match(champion, opponents[0], played[0])
        rows.append(ProgressRow(name, tuple(played), nodes))
        progress(rows[-1])
    return rows


@rereads
def champion_player(run: Run, how: PlayConditions) -> Player:
    """Return the last champion of a run as a player with this search.

    Raises:
        InputError: its file cannot be read.
    """
    newest = run.manifest().newest
    rows = run.read_generation(newest)
    return _player(run, newest, rows, rows.row_of(None), run.network(), how)


def usual(whole: Sequence[int]) -> list[int]:
    """Return generations 0, 5 and 10 if they have all weights, else the first, a middle and the last one that do.

    Args:
        whole: numbers of the generations that have all weights, in order. The newest is last, and is not used in the
            second case unless it is the only one.
    """
    if set(USUAL) <= set(whole):
        return list(USUAL)
    before = whole[:-1] or whole
    return sorted({before[0], before[len(before) // 2], before[-1]}) if before else []


def _best(run: Run, generation: int, spec: Spec, how: PlayConditions) -> list[Player]:
    rows = run.read_generation(generation)
    order = range(len(rows.names)) if rows.ranks is None else rows.ranks.argsort()
    return [_player(run, generation, rows, int(row), spec, how) for row in order[:BEST]]


def _mean(run: Run, generation: int, spec: Spec, how: PlayConditions) -> Player:
    (mean,) = read_champions(run.path, [generation])
    return effort.network_player(f"{run.name}@{generation}", mean.weights, spec, mean.king, how)


def _player(run: Run, generation: int, rows: Generation, row: int, spec: Spec, how: PlayConditions) -> Player:
    king = None if rows.kings is None else float(rows.kings[row])
    name = f"{run.name}@{generation}:{rows.names[row]}"
    return effort.network_player(name, rows.weights[row], spec, king, how)


def as_json(row: ProgressRow) -> dict[str, Any]:
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
        "nodes": {"champion": row.nodes[0], "opponents": row.nodes[1]},
    }


MEANS = "The last mean plays earlier means: it would beat individuals, which are random changes of a mean, in any case."

FOOT = "All players look only at the positions after their own moves, as with depth=1."


def foot(run: Run, how: PlayConditions, rows: Sequence[ProgressRow]) -> list[str]:
    material, lines = effort.material_player(how), [FOOT]
    config = run.config()
    means = config.population.mean
    if material.looks_ahead():
        games = "" if means else f"; {rows[-1].matches[0].games:,} games against each opponent"
        lines = [
            f"All players but random look {material.describe_search()}, as in the games of this run{games}.",
            "Nodes a move: positions visited, the champion's first, averaged over one pair of games.",
        ]
    return [MEANS, *lines] if means else lines


def width(how: PlayConditions) -> int:
    return max(28, len(effort.material_player(how).name))


LESSER = ("different", "W / D / L", "nodes a move", "games")
"""Columns that a narrow terminal leaves out, in this order."""


def headings(width: int, *, ahead: bool = False, columns: int | None = None) -> str:
    """Return the headings of the rows.

    Args:
        width: width of the column of opponents.
        ahead: whether players look ahead.
        columns: width of the terminal; None for any width.
    """
    forms = _forms(width, ahead=ahead, columns=columns)
    return "".join(form.format(name) for name, form in forms.items()).rstrip()


def _forms(width: int, *, ahead: bool, columns: int | None) -> dict[str, str]:
    forms = {
        "opponents": f"{{:<{width}}}",
        "games": " {:>6}",
        "different": " {:>9}",
        "W / D / L": "   {:>20}",
        "score": "  {:>7}",
        "95 % interval": "  {:<17}",
    }
    if ahead:
        forms["nodes a move"] = " {}"
    widths = {name: len(form.format("")) for name, form in forms.items()} | {"nodes a move": 13 * ahead}
    return {name: forms[name] for name in fit_columns(widths, columns, LESSER) if name in forms}


def line(row: ProgressRow, width: int, *, ahead: bool = False, columns: int | None = None) -> str:
    """Format a row under `headings`; the champion's nodes per move come first."""
    wins, draws, losses = row.counts
    e = row.estimate
    cells = {
        "opponents": row.opponents,
        "games": f"{wins + draws + losses:,}",
        "different": f"{row.distinct_games:,}",
        "W / D / L": f"{wins:,} / {draws:,} / {losses:,}",
        "score": f"{100 * e.score:.1f} %",
        "95 % interval": f"{100 * e.low:.1f} % to {100 * e.high:.1f} %",
        "nodes a move": " / ".join(map(effort.text, row.nodes)),
    }
    forms = _forms(width, ahead=ahead, columns=columns)
    return "".join(form.format(cells[name]) for name, form in forms.items()).rstrip()
