"""The kind of run in which a cast evolves: a map of players of different characters. It does not load pyribs."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from evolve.config.model import RunKind
from evolve.kinds.methods import LogCurve
from evolve.run.log import LOG_COLUMNS, RATED_COLUMNS
from evolve.run.runs import Runs
from extras.cast.kinds import Cells, FieldStage
from extras.cast.members import score_of
from extras.cast.trait_maps import TraitMap
from game.errors import InputError, one_line
from game.traits import FEW_GAMES

if TYPE_CHECKING:
    from evolve.config.model import Config
    from evolve.run.generation_csv import Generation
    from game.players.player import Player

POINTS = {"win": 2, "draw": 1, "loss": 0, "each": "game", "sharing": False}
"""The only points with which the order of members by points is that of their scores, in which a draw is a half."""
COLUMNS = ("cells", "sum_scores", "best_score", "median_score", "replaced")
"""Columns of the log: cells held, the sum of the scores of their holders (the QD score), the best and the median score,
and the number of cells with a new holder. Scores are those of `extras.cast.members.score_of`."""
ADAPTED = 4
"""Vectors with as many numbers as weights in the state of the adapted mutants: mean, two paths, variances."""


class CastRuns(RunKind):
    noun: ClassVar[str] = "Evolution of a cast"
    report: ClassVar[str] = "extras.cast.report:CastReport"
    varies: ClassVar[bool] = False
    members: ClassVar[str] = "cells"
    session: ClassVar[str] = "extras.cast.session:CastSession"
    forecast: ClassVar[str] = "extras.cast.forecast:FieldForecast"
    thinned: ClassVar[str] = "names, results, traits and the champion"
    texts: ClassVar[dict[str, str]] = {
        "population.parents": "members that are drawn from the map in each generation, to make mutants of them",
        "population.mutants": "mutants of each of them; the last ones are made around a mean instead (adapted)",
    }
    kept: ClassVar[tuple[str, ...]] = (
        *("population.selection", "population.traits", "population.adapted"),
        *("stages.0.opponents", "stages.0.genomes"),
        *("founders.method", "founders.genome", "founders.obtained"),
    )
    extra: ClassVar[str] = "cast"
    packages: ClassVar[tuple[str, ...]] = ("ribs",)
    need: ClassVar[str] = "a cast (evolve --preset cast) needs pyribs"

    def brief(self, config: Config) -> str:
        cells, size, names = map_of(config).cells, mutants_of(config), len(field_of(config).names)
        return f"A map of {cells:,} characters; {size:,} mutants a generation, against a field of {names}"

    def individuals(self, config: Config) -> int:
        return map_of(config).cells

    def bred_from(self, config: Config) -> int:
        return 1  # any number of cells may be held

    def state_size(self, config: Config) -> int:
        return ADAPTED * config.network.weights + 2 if adapted_of(config) else 0

    def problems(self, config: Config) -> list[str]:
        problems = []
        try:
            map_of(config)
        except InputError as error:
            problems.append(f"population.traits: {error}")
        if len(config.stages) != 1 or not isinstance(config.stages[0], FieldStage):
            problems.append('stages: expected a single one of kind "field" with population.selection = "cells"')
        elif not field_of(config).names:
            problems.append("stages.0.opponents: expected one or more players, separated by semicolons")
        elif field_of(config).ballots < (least := math.ceil(FEW_GAMES / (2 * len(field_of(config).names)))):
            problems.append(
                f"stages.0.ballots: expected {least} or more against this number of opponents, since a mutant has a "
                f"cell only after {FEW_GAMES} games"
            )
        elif not config.stages[0].counts:
            problems.append("stages.0.counts: expected true, since all games of a member count")
        problems += [
            f'points.{key}: expected {str(value).lower()} with population.selection = "cells", where a score is the '
            "share of the points"
            for key, value in POINTS.items()
            if getattr(config.points, key) != value and (key != "each" or config.games.a_pairing == 2)
        ]
        if config.population.recombine:
            problems.append('population.recombine: expected false with population.selection = "cells"')
        if not config.population.mutants:
            problems.append("population.mutants: expected 1 or more, since only mutants join the map")
        if config.founders.method not in ("uniform", "player"):
            method = config.founders.method
            problems.append(f"founders.method: expected uniform or player for a map of traits, got {method}")
        if config.games.a_pairing != 2:
            problems.append("games.openings: expected ballots with both colours (games.swap = true)")
        if config.network.evolving_king:
            problems.append("network: expected one whose king has a fixed value (evolving_king = false)")
        return problems

    def begun(self, config: Config, runs: Path) -> Config:
        self.check_installed()
        config = super().begun(config, runs)
        field, digests = field_of(config), tuple(map(_digest, opponents_of(config)))
        if field.genomes not in ((), digests):
            raise InputError("stages.0.genomes: the weights of an opponent have changed; begin with an empty list")
        return replace(config, stages=(replace(field, genomes=digests),))

    def to_begin(self, config: Config) -> Config:
        return replace(config, stages=(replace(field_of(config), genomes=()),))

    def log_columns(self) -> tuple[str, ...]:
        return (*LOG_COLUMNS[: -len(RATED_COLUMNS) - 1], *COLUMNS, *RATED_COLUMNS, LOG_COLUMNS[-1])

    def progress_columns(self) -> tuple[str, ...]:
        return COLUMNS

    def curves(self) -> tuple[LogCurve, ...]:
        return (
            LogCurve("cells held", (("cells", "cells"),)),
            LogCurve("sum of scores", (("sum_scores", "sum"),)),
            LogCurve("scores", (("best_score", "best"), ("median_score", "median")), percent=True),
            LogCurve("new holders", (("replaced", "new"),)),
        )


def rules_of(config: Config) -> Cells:
    selection = config.population.selection
    assert isinstance(selection, Cells)
    return selection


def map_of(config: Config) -> TraitMap:
    """Return the map of a run.

    Raises:
        InputError: the configuration describes none.
    """
    return TraitMap.parse(rules_of(config).traits)


def field_of(config: Config) -> FieldStage:
    (stage,) = config.stages
    assert isinstance(stage, FieldStage)
    return stage


def mutants_of(config: Config) -> int:
    return config.population.parents * config.population.mutants


def adapted_of(config: Config) -> int:
    """Return the number of mutants of a generation that are drawn around a mean whose steps adapt."""
    return round(rules_of(config).adapted * mutants_of(config))


def opponents_of(config: Config) -> list[Player]:
    """Return the field of a run.

    Raises:
        InputError: an opponent does not exist, or can play only outside compiled games.
    """
    from evolve.names.players import resolve
    from game.players.names import parse_name
    from game.players.registry import KINDS, player

    opponents = []
    for text in field_of(config).names:
        try:
            name = parse_name(text)
            # Games must not depend on the tablebases that happen to be installed.
            if "tablebase" in name.allowed:
                name = replace(name.with_options(tablebase=name.options.get("tablebase", "no")), text=text)
            opponent = player(name) if name.target in KINDS else resolve(Runs().folder, None, name)
        except InputError as error:
            raise InputError(f"stages.0.opponents: {error}") from error
        if opponent.compiled is None or name.target == "random":
            raise InputError(
                f"stages.0.opponents: {one_line(text)}: expected a player that counts pieces or evaluates boards by a "
                "network, limited by depth or nodes, without a book"
            )
        opponents.append(opponent)
    return opponents


def check_field(config: Config) -> list[Player]:
    """Return the field of a run that has begun.

    Raises:
        InputError: an opponent does not exist, or its weights have changed since the run began.
    """
    opponents, field = opponents_of(config), field_of(config)
    for name, expected, player in zip(field.names, field.genomes, opponents, strict=True):
        if expected != _digest(player):
            raise InputError(
                f"stages.0.opponents: the weights of {one_line(name)} have changed since the run began; restore them, "
                "or begin another run"
            )
    return opponents


def _digest(player: Player) -> str:
    from evolve.run.generation_csv import genome_digest

    return "" if player.network is None else genome_digest(player.network[1])


def numbers(rows: Generation, replaced: int) -> dict[str, float | int]:
    assert rows.counts is not None
    known = [score_of(counts) for counts in rows.counts.tolist()]
    values = (len(known), round(sum(known), 6), round(max(known), 6), round(statistics.median(known), 6), replaced)
    return dict(zip(COLUMNS, values, strict=True))
