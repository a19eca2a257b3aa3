"""Evolution: a generation is bred, plays its tournament, and is ranked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from deap import base

from evolve.breeding import hall_of_fame
from evolve.breeding.generations import founders, make_toolbox, next_generation, parents_of
from evolve.breeding.individual import Individual
from evolve.config.model import Config
from evolve.kinds import plugins
from evolve.run.manifest import Manifest
from evolve.session import create, saving
from evolve.session.frame import Made, Session
from evolve.streams import Draw, stream
from evolve.tournament import champion_games, tournament
from evolve.tournament.arena import Arena
from evolve.tournament.tournament import Ranking
from evolve.workers.processes import SharedRows, Workers


class Evolution(Session):
    """A run whose generations come from each other by breeding and tournaments."""

    _arena: Arena | None = None
    _toolbox: base.Toolbox

    @property
    def places(self) -> int:
        """Founders play for their places in twos, or champions play, too."""
        size = self.config.population.size
        return size + max(size, self.config.champions)

    def begin(self, manifest: Manifest, workers: Workers, shared: SharedRows) -> None:
        """Read the parents of the next generation, and the champions that may play in it."""
        self._toolbox = make_toolbox(self.config, workers)
        self._toolbox.register("follow", self.follow)
        on_games = self.reporter.on_games
        self._arena = Arena(self.config, self._toolbox.map, len(workers), shared, on_games, crew=workers)
        self._toolbox.register("evaluate", evaluate, config=self.config, arena=self._arena)
        self._parents = create.parents(self.run_folder, manifest, self.config)
        self._hall = hall_of_fame.HallOfFame(genomes=self.config.champions > 0)
        if self.config.champions and manifest.newest >= 0:
            for champion in hall_of_fame.champions(self.run_folder, manifest):
                self._hall.add(champion)
        elif self._parents:
            self._hall.add(self._parents[0])  # nobody plays the others, and to read them takes a while

    def make(self, generation: int) -> Made:
        """Breed, play, rank."""
        arena, toolbox, config = self._arena, self._toolbox, self.config
        assert arena is not None
        if generation == 0:
            if config.predicts:
                self.reporter.on_message(f"learning to predict results of {config.founders.games:,} own games")
            population = founders(config, arena, toolbox)
        else:
            parents = parents_of(self._parents, generation, config, toolbox)
            population = next_generation(parents, generation, config, toolbox)
        if config.plugins.files:
            _check_genomes(population, config.network.weights)
        champions = self._hall.draw(config.champions, stream(config.seed, generation, Draw.CHAMPIONS))
        ranking: Ranking = toolbox.evaluate(population, generation, champions)
        self._parents = [population[index] for index in ranking.order[: config.bred_from]]
        champion = self._parents[0]
        since = self._hall.find(champion)
        self._hall.add(champion)
        rows = saving.rows_of(population, ranking, with_kings=config.network.evolving_king)
        names = [each.name for each in champions]
        games = champion_games.games_text(arena, ranking, rows, generation, config, names)
        record = partial(saving.log_record, generation, rows, arena.counts, ranking)
        return Made(rows, champion, record, games, since)

    @property
    def games_in_hand(self) -> int:
        """Those of the arena."""
        return self._arena.counts.games if self._arena else 0

    def settle(self) -> None:
        """The arena counts anew."""
        if self._arena is not None:
            self._arena.reset()


def _check_genomes(population: Sequence[Individual], weights: int) -> None:
    """Refuse what no file of a run can hold, and only operators of a person's own make."""
    for one in population:
        if one.shape != (weights,):
            raise plugins.PluginError(f"plugins: {one.name} ({one.origin}) has {one.size} weights, expected {weights}")
        if not np.isfinite(one).all():
            raise plugins.PluginError(f"plugins: {one.name} ({one.origin}) has weights that are not finite numbers")


def evaluate(
    population: list[Individual], generation: int, champions: Sequence[Individual] = (), *, config: Config, arena: Arena
) -> Ranking:
    """Play the tournament of a generation; the fitness of each individual becomes its rank.

    Args:
        population: the individuals.
        generation: its number.
        champions: champions of earlier generations, for the stages that ask for them.
        config: population, stages, games and points.
        arena: plays the games.
    """
    players = [*population, *champions]
    kings = np.array([individual.king for individual in players], np.float32)
    arena.put(players, kings)

    def play(pairs: Any, key: tuple[int, ...], keep: bool) -> Any:
        return arena.play(pairs, (generation, Draw.BALLOTS, key), keep=keep)

    generator = stream(config.seed, generation, Draw.TOURNAMENT)
    ranking = tournament.run(config, generator, play, len(champions), players)
    for rank, index in enumerate(ranking.order, 1):
        population[index].fitness.values = (float(rank),)
        population[index].points = int(ranking.tally.points[index])
    return ranking


evolve = Evolution.run
