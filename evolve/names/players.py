"""Players and networks by name: individuals of runs, CSV files, anchors."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from evolve.config import preset_files, toml
from evolve.config.model import Config
from evolve.run import champions, generation_csv
from evolve.run.append_only import whole_number
from evolve.run.conditions import PlayConditions
from evolve.run.files import MEMORY, DamagedRunError, RunError
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation
from evolve.run.manifest import rereads
from evolve.run.runs import RATED_TABLES, SHIPPED_RUNS, Runs, is_as_shipped
from game.errors import InputError, near_names
from game.installation import INSTALLED
from game.networks import named
from game.networks.named import NAMED, by_width
from game.networks.spec import NetworkError, Spec
from game.players.names import FORMS, RESERVED, TABLES, PlayerName, PlayerNameError, parse_name
from game.players.network import player_of
from game.players.people import read_memory
from game.players.player import Player
from game.regular_files import read_regular
from game.search.interface import ONE_PLY, PLAIN, Limits, SearchOptions


def find_network(runs: Path, text: str) -> Spec:
    """Find a network by its name.

    Args:
        text: name of a shipped network, name or path of a run, path of a TOML file, or name of a preset or its
            network.
    """
    if text in NAMED:
        return NAMED[text]
    run = Run.find(runs, text) if text else None
    if run is not None:
        return run.network()
    if text.lower().endswith(".toml"):
        return named.find_network(text)
    presets = _networks_of_presets()
    by_name = {spec.name: spec for spec in presets.values()} | presets
    if text in by_name:
        return by_name[text]
    near = near_names(text, sorted({*NAMED, *by_name, *Runs(runs).names()}))
    raise NetworkError(
        f"network {text!r}: expected {', '.join(NAMED)}, a run (under {runs}, or the path of its folder), a preset "
        f"({', '.join(preset_files.listed_preset_names('evolve'))}) or a TOML file that ends in .toml{near}"
    )


def _networks_of_presets() -> dict[str, Spec]:
    return {name: toml.load(name).network for name in preset_files.preset_names()}


def resolve(runs: Path, network: Spec | None, name: PlayerName) -> Player:
    """Make the player that a name refers to.

    Args:
        network: network for CSV files whose names do not choose one (``network=NAME``); by default a shipped network
            with as many weights as the file, or the only one of a preset.
        name: such as ``RUN@15:Gen15_0111,depth=4`` or ``file.csv:NAME``. A file in the folder of runs is also found
            without its extension, unless a run has this name. Settings that the name omits default to those of the
            generation when it evolved, plus tablebases unless the run's preset is in `evolve.run.conditions.FAITHFUL`.
            Players from files outside runs search one ply deep.

    Raises:
        PlayerNameError: no such run or file (similar names are listed), no number after the @, or an option that does
            not fit the network.
        NetworkError: no such network.
        RunError: no such generation, or its weights were not kept.
        GenerationError: a file cannot be read, or has no individual of this name.
    """
    network_option = {key: value for key, value in name.options.items() if key == "network"}
    if network_option:
        network = find_network(runs, network_option["network"])
    rows, spec, defaults, search, memory = _rows(runs, network, name)
    row = rows.row_of(name.member)
    source = PlayerName.of(_short(runs, name.target), name.member, network_option)
    king = None if rows.kings is None else float(rows.kings[row])
    return player_of(name, spec, rows.weights[row], king, source, defaults, search, memory)


def _short(runs: Path, target: str) -> str:
    where, number = Runs(runs).split_generation(target)
    run = Run.find(runs, where)
    if run is None:
        return target
    name = Runs(runs).player_name(run.path)
    if os.path.isabs(name) and where != run.path.name:
        return target
    return name if number is None else f"{name}@{int(number)}"


Members = tuple[Generation, Spec, tuple[Limits, SearchOptions], str, Any]
"""Individuals, their network, their default limits and style, their default kind of search (empty: by network), and the
memory of a policy taught by people (None: they have none)."""


def _rows(runs: Path, network: Spec | None, name: PlayerName) -> Members:
    csv_file = Runs(runs).file(name.target)
    if name.target.lower().endswith(TABLES):
        if csv_file is not None and not os.path.exists(name.target):
            return _from_file(csv_file, network)
        near = near_names(name.target[: -len(".csv")], Runs(runs).file_names(), ".csv")
        if near and not os.path.exists(name.target):
            raise PlayerNameError(f"player {name.text!r}: no such file, nor one in {runs}{near}")
        return _from_file(Path(name.target), network)
    target, number = Runs(runs).split_generation(name.target)
    run = Run.find(runs, target)
    if run is not None and "network" in name.options:
        raise PlayerNameError(f"player {name.text!r}: network=... is only for CSV files; a run has its own network")
    if run is not None:
        return members_of(run, number, name)
    if csv_file is not None:
        return _from_file(csv_file, network)
    if number is not None and Runs(runs).file(target) is not None:
        raise PlayerNameError(f"player {name.text!r}: {target} is a CSV file, which has no generations (@)")
    near = near_names(target, [*Runs(runs).names(), *Runs(runs).file_names(), *RESERVED])
    raise PlayerNameError(
        f"player {name.text!r}: no run {target!r} under {runs}, and no run folder{near}; expected {FORMS}"
    )


def _from_file(path: Path, network: Spec | None) -> Members:
    run, number = Run.of_file(path)
    defaults, search, memory = (ONE_PLY, PLAIN), "", None
    if run is not None:
        config = run.config(number)
        network, defaults = network or config.network, _conditions(run, config, number)
        search, memory = config.kind.search, _memory(run, config)
    if network is not None:
        return generation_csv.read(path, width=network.weights), network, defaults, search, memory
    rows = generation_csv.read(path)
    weights = rows.weights.shape[1]
    try:
        return rows, by_width(weights), defaults, search, memory
    except NetworkError as error:
        of_presets = {spec for spec in _networks_of_presets().values() if spec.weights == weights}
        if len(of_presets) > 1:
            of_presets = {spec for spec in of_presets if spec.evolving_king == (rows.kings is not None)}
        if len(of_presets) == 1:
            return rows, of_presets.pop(), defaults, search, memory
        raise RunError(f"{path}: {error}; name its network with network=FILE") from error


@rereads
def members_of(run: Run, number: str | None, name: PlayerName) -> Members:
    """Return the individuals of a generation of a run whose weights were kept, and how they play.

    Raises:
        PlayerNameError: the number is not one.
        RunError: there is no such generation, or it lost the weights of this individual.
    """
    if number is not None and whole_number(number.encode()) < 0:
        raise PlayerNameError(f"player {name.text!r}: expected a generation after @, got {number[:40]!r}")
    generation, data = run.read_bytes(None if number is None else int(number))
    rows = generation_csv.parse(data, str(run.generation_path(generation)), thinned=True)
    rows = run.with_weights(generation, rows)
    if rows.genomes is not None:
        rows = _champion(run, generation, rows, name.member)
    config = run.config(generation)
    conditions = _conditions(run, config, generation)
    return rows, config.network, conditions, config.kind.search, _memory(run, config)


def _memory(run: Run, config: Config) -> Any:
    """Return the memory of a policy taught by people; None if its run, such as one of an earlier version, has none."""
    heads, path = config.network.heads, run.path / MEMORY
    if heads is None or heads.policy != "people" or not path.exists():
        return None
    try:
        return read_memory(read_regular(path))
    except OSError as error:
        raise DamagedRunError(f"{path}: cannot be read: {error.strerror}") from error
    except InputError as error:
        raise DamagedRunError(f"{path}: damaged, {error}; without this file its players remember no games") from error


def _conditions(run: Run, config: Config, generation: int) -> PlayConditions:
    """Return the defaults of an individual's play against others; those of `RATED_TABLES` keep their tables."""
    how, bits = PlayConditions.default(config, generation), RATED_TABLES.get(run.name)
    return how if bits is None else how._replace(style=replace(how.style, table_bits=bits, table=0, corrections=False))


def _champion(run: Run, number: int, rows: Generation, member: str | None) -> Generation:
    """Return the champion of a thinned generation, the only individual whose weights were kept."""
    known = run.manifest()
    if rows.row_of(member) != rows.row_of(None):
        raise run.thinned(known, number, f"the weights of {member}")
    best = rows.row_of(None)
    columns = {key: [values[best]] for key, values in rows.columns.items()}
    return replace(champions.champion_of(run, known, number, rows), columns=columns)


def frozen_player(name: str) -> Player:
    """Return a player of one of `FROZEN_SHA256` as it was shipped, whatever the folder of runs contains.

    Raises:
        DamagedRunError: the shipped run is missing or was changed.
    """
    run = parse_name(name).target.partition("@")[0]
    folder = SHIPPED_RUNS / run
    if not is_as_shipped(folder, run):
        remedy = "install the program again" if INSTALLED else f"git checkout -- populations/{run}"
        raise DamagedRunError(
            f"{name}: expected the run {run} as it was shipped, but config.toml or manifest.csv in "
            f"{folder} is missing or was changed; restore it ({remedy}), or do without this player"
        )
    return resolve(folder.parent, None, parse_name(name))
