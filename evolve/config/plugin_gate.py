"""The gate for plugins: which of those that a file or run lists may be loaded.

The file may come from a stranger, so a plugin that it lists is loaded only if the command line names it, too. Nothing
else in the file can allow that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evolve.config.preset_files import ConfigError, read_toml
from evolve.kinds import plugins
from game.toml_file import quote_value

Listed = tuple[Path, plugins.Plugin]
"""A plugin that a file lists, and its path."""


def take_plugins(path: Path | None, values: dict[str, Any], own: Sequence[Path] | None) -> dict[str, Any]:
    """Remove the table ``[plugins]`` from values and load the plugins `own`; return the table for the configuration.

    Args:
        own: the plugins named on the command line; None to load none.

    Raises:
        ConfigError: a plugin cannot be read or loaded, or the command line does not name it.
    """
    try:
        needed = [] if path is None else listed(path, values)
        taken = [plugin for _, plugin in needed]
        if own is not None:
            asked = [plugins.read_plugin(each) for each in own]
            check_asked(str(path), [(each, plugin.sha256) for each, plugin in needed], asked)
            known = {plugin.sha256 for plugin in taken}
            taken += [plugin for plugin in asked if plugin.sha256 not in known]
            plugins.load(taken)
    except plugins.PluginError as error:
        raise ConfigError([str(error)]) from error
    values.pop("plugins", None)
    names = {"files": [plugin.name for plugin in taken], "sha256": [plugin.sha256 for plugin in taken]}
    return names if taken else {}


def listed(path: Path, values: Mapping[str, Any] | None = None) -> list[Listed]:
    """Return the paths and plugins that the file of a preset or of a run lists; most list none.

    Args:
        values: its values, if they have already been read.

    Raises:
        ConfigError: the file or a plugin cannot be read, or a plugin is not the one that the file lists.
    """
    values = read_toml(path) if values is None else values
    table = values.get("plugins", {})
    files = table.get("files", []) if isinstance(table, dict) else None
    if not isinstance(files, list) or not all(isinstance(each, str) for each in files):
        raise ConfigError([f"plugins: expected files, a list of names, got {quote_value(table)}"])
    more = [key for key in table if key not in ("files", "sha256")]
    if more:
        raise ConfigError([f"plugins.{more[0]}: unknown key, allowed: plugins.files, plugins.sha256"])
    folder = path.parent / (plugins.FOLDER if "record" in values else "")
    if "record" in values and (elsewhere := [each for each in files if Path(each).name != each]):
        raise ConfigError([f"plugins.files: expected names of files in {folder}, got {quote_value(elsewhere[0])}"])
    results = [(folder / each, plugins.read_plugin(folder / each)) for each in files]
    known = table.get("sha256", [])
    if not isinstance(known, list):
        raise ConfigError([f"plugins.sha256: expected a list, got {quote_value(known)}"])
    for (_, plugin), sha in zip(results, known, strict=False):
        if plugin.sha256 != sha:
            expected = f"expected {quote_value(sha)}, got {plugin.sha256}"
            raise ConfigError([f"plugins.sha256: {plugin.name} is not the file it was: {expected}"])
    return results


def check_asked(lister: str, needed: Sequence[tuple[Path, str]], asked: Sequence[plugins.Plugin]) -> None:
    """Check that the command line names all plugins that a run or file lists.

    Raises:
        ConfigError: a plugin is not named, or is a different file with the same name.
    """
    lines = []
    for path, sha in needed:
        if sha in [plugin.sha256 for plugin in asked]:
            continue
        name = path.name
        others = [plugin for plugin in asked if plugin.name == name]
        if others:
            lines.append(
                f"plugin {name}: not the file that {lister} lists: its SHA-256 is {others[0].sha256[:16]}..., expected "
                f"{sha[:16]}...; a copy is in {path.parent}"
            )
        else:
            lines.append(
                f"{lister}: contains code, {name} (SHA-256 {sha[:16]}...), which runs only if you name it: "
                f"read it, then add {plugins.options_of([path])}"
            )
    if lines:
        raise ConfigError(lines)
