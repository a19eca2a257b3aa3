"""Saving your own presets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evolve.config import preset_files, toml
from evolve.config.model import Config
from evolve.kinds import plugins
from evolve.run.files import RunError, together
from evolve.run.runs import checked_name


def save_preset(name: str, config: Config) -> Path:
    """Save a configuration as a preset, without its seed: each run of the preset draws a new one."""
    checked_name(name, "preset")
    if name in preset_files.preset_files():
        raise RunError(f"{name}: there is a shipped preset of this name; choose another name")
    path = preset_files.own_presets() / f"{name}.toml"
    if path.exists():
        raise RunError(f"{name}: there is already a preset of this name, whose file you can edit: {path}")
    sources = {plugin.sha256: plugin.source for plugin in plugins.loaded()}
    copies = tuple(f"{name}/{Path(file).name}" for file in config.plugins.files)
    config = replace(config, plugins=replace(config.plugins, files=copies))
    text = _documented_text(name, config)
    with together() as write:
        write(path, text.encode())
        for copy, sha in zip(copies, config.plugins.sha256, strict=True):
            write(path.parent / copy, sources[sha])
    return path


def _documented_text(name: str, config: Config) -> str:
    lines = toml.to_toml(config, {}).partition("\n\n# What this run was made with.")[0].splitlines()
    seed = next(number for number, line in enumerate(lines) if line.startswith("seed = "))
    title = f"# The preset {name}: all values that are active."
    return "\n".join([title, *lines[1 : seed - 1], *lines[seed + 1 :], ""])
