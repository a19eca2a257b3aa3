"""A person's own presets: files in a folder of theirs, which `--preset` and the window find by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evolve.config import toml
from evolve.config.model import Config
from evolve.kinds import plugins
from evolve.run.errors import RunError
from evolve.run.files import write_atomically
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
