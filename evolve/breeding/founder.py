"""The founder of a run that continues the evolution of a player: an individual of another run.

A new run records the digest of its weights and how it was obtained; so a run that is begun again, or that was
interrupted before generation 0, refuses a founder that has changed. Later generations do not need the founder.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from evolve.breeding.individual import Individual
from evolve.config.model import Config
from evolve.names.players import members_of
from evolve.run.folder import LOOP, Run
from evolve.run.generation_csv import genome_digest
from evolve.run.runs import Runs, near_names
from game.errors import InputError
from game.players.names import PlayerName, parse_name
from game.toml_file import quote_value


def begun(config: Config, runs: Path) -> Config:
    """Return the configuration with the founder's generation, the digest of its weights, and how it was obtained.

    Args:
        config: the configuration of a new run whose founder is a player.
        runs: folder of runs in which the founder is looked up by name, then in the default folder. Runs outside the
            default folder are recorded by their path, so that a session finds them from anywhere.

    Raises:
        InputError: there is no such individual, its network differs, or its weights are not those that the
            configuration expects.
    """
    run, number, name = _find(config, Runs(runs), Runs())
    genome = genome_digest(np.asarray(_read(config, run, number, name)))
    generation = run.manifest().newest if number is None else int(number)
    before = "" if LOOP in run.check_format() else run.config(generation).obtained
    player = PlayerName.of(f"{Runs().player_name(run.path)}@{generation}", name.member)
    founders = replace(config.founders, player=player.text, genome=genome, obtained=before or "in an unknown way")
    return replace(config, founders=founders)


def founder_of(config: Config) -> Individual:
    """Return the founder of a run.

    Raises:
        InputError: there is no such individual, its network differs, or its weights have changed since the run began.
    """
    return _read(config, *_find(config, Runs()))


def _find(config: Config, *folders: Runs) -> tuple[Run, str | None, PlayerName]:
    """Return the run of the founder, the number of its generation as written (None: the newest), and its name."""
    text = config.founders.player
    name = parse_name(text) if text else PlayerName.of(text)
    for runs in folders if name.target and not name.options else ():
        target, number = runs.split_generation(name.target)
        run = Run.find(runs.folder, target)
        if run is not None:
            return run, number, name
    raise InputError(
        "founders.player: expected an individual of a run, such as RUN, RUN@15 or RUN@15:NAME, without options, got "
        f"{quote_value(text)}{near_names(name.target, folders[0].names())}"
    )


def _read(config: Config, run: Run, number: str | None, name: PlayerName) -> Individual:
    try:
        rows, network, *_ = members_of(run, number, name)
        row = rows.row_of(name.member)
    except InputError as error:
        raise InputError(f"founders.player: {error}") from error
    if replace(network, name=config.network.name) != config.network:
        raise InputError(
            f"founders.player: expected a player with the network of the configuration, {config.network.name} of "
            f"{config.network.weights:,} weights; {name.text} has {network.name} of {network.weights:,}: choose "
            f"another player, or its network by --network {run.cli_name}"
        )
    genome, expected = genome_digest(rows.weights[row]), config.founders.genome
    if expected and genome != expected:
        raise InputError(
            f"founders.player: the weights of {name.text} have changed: expected the digest {expected}, got {genome}; "
            'restore them, or begin another run with --set founders.genome=""'
        )
    king = network.king if rows.kings is None else float(rows.kings[row])
    return Individual(rows.weights[row], "Gen00_0000", king=king)
