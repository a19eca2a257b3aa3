"""The network behind a name, for those who only want to know what it is: a shipped one, a file, a run or a preset."""

from __future__ import annotations

from pathlib import Path

from evolve.config import toml
from evolve.run.folder import Run
from evolve.run.runs import Runs, near_names
from game.networks import network_file
from game.networks.shipped import NAMED
from game.networks.spec import NetworkError, Spec


def find_network(runs: Path, text: str) -> Spec:
    """The network that a person means.

    Args:
        runs: folder of runs.
        text: name of a shipped network, path of a TOML file, name or path of a run, name of a preset, or that of its
            network.

    Raises:
        NetworkError: none of these, or a file that describes no network.
        RunError: a run of a newer format.
        ConfigError: the configuration of the run is wrong.
    """
    if text in NAMED:
        return NAMED[text]
    run = Run.find(runs, text) if text else None
    if run is not None:
        return run.network()
    if text.lower().endswith(".toml"):
        return network_file.find_network(text)
    presets = {name: toml.load(name).network for name in toml.preset_names()}
    by_name = {spec.name: spec for spec in presets.values()} | presets
    if text in by_name:
        return by_name[text]
    near = near_names(text, sorted({*NAMED, *by_name, *Runs(runs).names()}))
    raise NetworkError(
        f"network {text!r}: expected {', '.join(NAMED)}, a run (under {runs}, or the path of its folder), a preset "
        f"({', '.join(presets)}) or a TOML file that ends in .toml{near}"
    )
