"""Presets and plugins of your own: how presets are saved, and which plugins a run or preset needs.

Presets are files in the folder of a person's data, which ``--preset`` and the window find by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from evolve.config import toml
from evolve.config.model import Config
from evolve.kinds import plugins
from evolve.run.files import RunError, write_atomically
from evolve.run.folder import Run
from evolve.run.names import checked_name


def save_preset(name: str, config: Config) -> Path:
    """Keep a configuration as a preset; its seed stays behind, so that each run of it is another.

    Its plugins are copied into a folder beside the file that has the name of the preset.

    Args:
        name: of the preset.
        config: all its values are kept, those of its own preset, too.

    Returns:
        The file.

    Raises:
        RunError: the name cannot be one, is that of a shipped preset, or of one that is there already; or a plugin of
            the configuration is not loaded.
        OSError: it cannot be written.
    """
    checked_name(name, "preset")
    if name in (*toml.preset_names(), *toml.learning_preset_names()):
        raise RunError(f"{name}: a preset that comes with the program has this name")
    path = toml.own_presets() / f"{name}.toml"
    if path.exists():
        raise RunError(f"{name}: there is a preset of this name already: {path}")
    sources = {plugin.sha256: plugin.source for plugin in plugins.loaded()}
    for file, sha in zip(config.plugins.files, config.plugins.sha256, strict=True):
        if sha not in sources:  # in the window, which loads none
            raise RunError(
                f"preset {name}: its plugin {file} is not loaded here; save it by {config.verb} --config FILE "
                f"--plugin FILE --save-preset {name}"
            )
    copies = tuple(f"{name}/{Path(file).name}" for file in config.plugins.files)
    for copy, sha in zip(copies, config.plugins.sha256, strict=True):
        (path.parent / name).mkdir(parents=True, exist_ok=True)
        write_atomically(path.parent / copy, sources[sha])
    config = replace(config, plugins=replace(config.plugins, files=copies))
    lines = toml.to_toml(config, {}).partition("\n\n# What this run was made with.")[0].splitlines()
    text = [f"# The preset {name}: all values that are in force.", *_without_seed(lines[1:])]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, ("\n".join(text) + "\n").encode())
    return path


def _without_seed(lines: list[str]) -> list[str]:
    """Lines without the seed and what explains it."""
    at = next(number for number, line in enumerate(lines) if line.startswith("seed = "))
    return lines[: at - 1] + lines[at + 1 :]


@dataclass(frozen=True)
class OwnCode:
    """A file of Python that a run or a preset needs.

    Attributes:
        path: of the file; of a run, its copy.
        sha256: of its bytes; of a run, also of those with which it was begun.
    """

    path: Path
    sha256: str


def own_code(run: Run) -> list[OwnCode]:
    """The files that have to be asked for by name before a session can go on with a run; none of most runs.

    Raises:
        RunError: a copy is not the file that the run was begun with.
        InputError: a copy or the configuration cannot be read.
    """
    found = []
    for name, sha256 in plugins.named_in(run.tables()):
        path = run.path / plugins.FOLDER / name
        if Path(name).name != name or plugins.read_plugin(path).sha256 != sha256:
            raise RunError(f"{run.name}: the file {path} is not the one that the run was begun with")
        found.append(OwnCode(path, sha256))
    return found


def code_of_preset(name: str) -> list[OwnCode]:
    """Return the plugins that a preset lists; none of a shipped one.

    Raises:
        InputError: the preset or a plugin cannot be read.
    """
    return [OwnCode(path, plugin.sha256) for path, plugin in toml.preset_plugins(name)]
