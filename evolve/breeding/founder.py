"""The individual of another run with which a run begins: the founder of an evolution, or the teacher of a network.

A new run records the digest of its weights and how it was obtained; so a run that is begun again, or that was
interrupted before generation 0, refuses an individual that has changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.names.players import members_of
from evolve.run.folder import LOOP, Run
from evolve.run.generation_csv import genome_digest
from evolve.run.runs import Runs
from game.errors import InputError, near_names
from game.networks.spec import Spec
from game.players.names import PlayerName, parse_name
from game.toml_file import quote_value


class Identity(NamedTuple):
    """An individual of another run: its name with its generation, the digest of its weights, how it was obtained."""

    player: str
    genome: str
    obtained: str


@dataclass(frozen=True)
class EarlierIndividual:
    """An individual of another run, as a configuration names it.

    Attributes:
        section, key: where its name is configured, for error messages, such as ``founders``.
        key: the key in this section that has its name.
        player: its name, such as ``RUN@15:NAME``.
        genome: the expected digest of its weights; empty if any weights will do.
        narrower: whether layers of its network may have fewer units.
    """

    section: str
    key: str
    player: str
    network: Spec
    genome: str
    narrower: bool = False

    def identify(self, runs: Path) -> Identity:
        """Find it in its run.

        Args:
            runs: folder of runs in which it is looked up by name, then in the default folder. The name of a run outside
                the default folder is its path, so that a session finds it from anywhere.
        """
        run, number, name = self._find(Runs(runs), Runs())
        genome = genome_digest(np.asarray(self._read(run, number, name)[0]))
        generation = run.manifest().newest if number is None else int(number)
        before = "" if LOOP in run.check_format() else run.config(generation).obtained
        player = PlayerName.of(f"{Runs().player_name(run.path)}@{generation}", name.member)
        return Identity(player.text, genome, before or "in an unknown way")

    def read(self) -> Individual:
        return self.read_with_network()[0]

    def read_with_network(self) -> tuple[Individual, Spec]:
        return self._read(*self._find(Runs()))

    def _find(self, *folders: Runs) -> tuple[Run, str | None, PlayerName]:
        name = parse_name(self.player) if self.player else PlayerName.of(self.player)
        for runs in folders if name.target and not name.options else ():
            target, number = runs.split_generation(name.target)
            run = Run.find(runs.folder, target)
            if run is not None:
                return run, number, name
        raise InputError(
            f"{self.section}.{self.key}: expected an individual of a run, such as RUN, RUN@15 or RUN@15:NAME, without "
            f"options, got {quote_value(self.player)}{near_names(name.target, folders[0].names())}"
        )

    def _read(self, run: Run, number: str | None, name: PlayerName) -> tuple[Individual, Spec]:
        what = f"{self.section}.{self.key}"
        try:
            rows, network, *_ = members_of(run, number, name)
            row = rows.row_of(name.member)
        except InputError as error:
            raise InputError(f"{what}: {error}") from error
        same = replace(network, name=self.network.name) == self.network
        if not same and not (self.narrower and self.network.widens(network)):
            lacks = self.network.values and not network.values
            other = f", or its network by --network {run.cli_name}"
            raise InputError(
                f"{what}: expected a player with the network of the configuration, {self.network.name} of "
                f"{self.network.weights:,} weights{' (or fewer units in its dense layers)' * self.narrower}; "
                f"{name.text} has {network.name} of {network.weights:,}{', without a value' * lacks}: "
                f"choose another player{'' if lacks else other}"
            )
        genome = genome_digest(rows.weights[row])
        if self.genome and genome != self.genome:
            raise InputError(
                f"{what}: the weights of {name.text} have changed: expected the digest {self.genome}, got {genome}; "
                f'restore them, or begin another run with --set {self.section}.genome=""'
            )
        king = network.king if rows.kings is None else float(rows.kings[row])
        return Individual(rows.weights[row], "Gen00_0000", king=king), network


def begun(config: Config, runs: Path) -> Config:
    """Return the configuration of a new run with a record of its founder (see `EarlierIndividual.identify`)."""
    player, genome, obtained = _founder(config).identify(runs)
    return replace(config, founders=replace(config.founders, player=player, genome=genome, obtained=obtained))


def founder_of(config: Config) -> Individual:
    return _founder(config).read()


def _founder(config: Config) -> EarlierIndividual:
    founders = config.founders
    return EarlierIndividual("founders", "player", founders.player, config.network, founders.genome)
