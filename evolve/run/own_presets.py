"""Your own presets and plugins: saving presets, and finding the plugins that a run or preset needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from evolve.config import plugin_gate, preset_files, toml
from evolve.config.model import Config
from evolve.kinds import plugins
from evolve.run.files import RunError, together, write_new
from evolve.run.folder import Run
from evolve.run.runs import checked_name


def save_preset(name: str, config: Config) -> Path:
    """Save a configuration as a preset, without its seed: each run of the preset draws a new one.

    Raises:
        RunError: the name is not valid or already taken, or a plugin of the configuration is not loaded.
    """
    checked_name(name, "preset")
    if name in preset_files.shipped_preset_names():
        raise RunError(f"{name}: there is a shipped preset of this name; choose another name")
    path = preset_files.own_presets() / f"{name}.toml"
    if path.exists():
        raise RunError(f"{name}: there is already a preset of this name, whose file you can edit: {path}")
    sources = {plugin.sha256: plugin.source for plugin in plugins.loaded()}
    for file, sha in zip(config.plugins.files, config.plugins.sha256, strict=True):
        if sha not in sources:  # in the window, which does not load plugins
            raise RunError(
                f"preset {name}: its plugin {file} is not loaded here; save it with {config.verb} --config FILE "
                f"--plugin FILE --save-preset {name}"
            )
    copies = tuple(f"{name}/{Path(file).name}" for file in config.plugins.files)
    config = replace(config, plugins=replace(config.plugins, files=copies))
    text = _documented_text(name, config)
    with together() as begin:
        for copy, sha in zip(copies, config.plugins.sha256, strict=True):
            write_new(begin(path.parent / copy), [sources[sha]], path.parent / copy)
        write_new(begin(path), [text.encode()], path)
    return path


def _documented_text(name: str, config: Config) -> str:
    lines = toml.to_toml(config, {}).partition("\n\n# What this run was made with.")[0].splitlines()
    seed = next(number for number, line in enumerate(lines) if line.startswith("seed = "))
    title = f"# The preset {name}: all values that are active."
    return "\n".join([title, *lines[1 : seed - 1], *lines[seed + 1 :], ""])


@dataclass(frozen=True)
class OwnCode:
    """A Python file that a run or a preset needs.

    Attributes:
        sha256: SHA-256 of the file, unchanged since the run began.
    """

    path: Path
    sha256: str


def own_code(run: Run) -> list[OwnCode]:
    """Return the plugins of a run, which the user must name to resume it; most runs have none.

    Raises:
        RunError: a copy differs from the file that the run began with.
        InputError: a copy or the configuration cannot be read.
    """
    needed = []
    for name, sha256 in plugins.named_in(run.tables()):
        path = run.path / plugins.FOLDER / name
        if Path(name).name != name or plugins.read_plugin(path).sha256 != sha256:
            raise RunError(f"{run.name}: the file {path} is not the one that the run began with")
        needed.append(OwnCode(path, sha256))
    return needed


def code_of_preset(name: str) -> list[OwnCode]:
    """Return the plugins that a preset lists; shipped presets have none.

    Raises:
        InputError: the preset or a plugin cannot be read.
    """
    return [OwnCode(path, plugin.sha256) for path, plugin in plugin_gate.preset_plugins(name)]
