"""Your own presets and plugins: saving presets, and finding the plugins that a run or preset needs."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evolve.config import plugin_gate, preset_files, toml
from evolve.config.model import Config
from evolve.config.values import to_values
from evolve.kinds import plugins
from evolve.run.files import RunError, together, write_new
from evolve.run.folder import Run
from evolve.run.runs import checked_name
from game.errors import InputError
from game.regular_files import read_regular
from game.toml_file import MAX_BYTES


def save_preset(name: str, config: Config, source: Path | None = None) -> Path:
    """Save a configuration as a preset, without its seed: each run of the preset draws a new one.

    A configuration that comes from your own file (a preset, or `source`) is saved as a copy of this file in which only
    values that differ are changed, so comments, order and omissions are kept.

    Raises:
        RunError: the name is not valid or already taken, or a plugin of the configuration is not loaded.
        OSError: it cannot be written.
    """
    checked_name(name, "preset")
    if name in preset_files.shipped_preset_names():
        raise RunError(f"{name}: there is a shipped preset of this name; choose another name")
    path = preset_files.own_presets() / f"{name}.toml"
    if path.exists() and name != config.preset:
        raise RunError(f"{name}: there is already a preset of this name: {path}")
    sources = {plugin.sha256: plugin.source for plugin in plugins.loaded()}
    for file, sha in zip(config.plugins.files, config.plugins.sha256, strict=True):
        if sha not in sources:  # in the window, which does not load plugins
            raise RunError(
                f"preset {name}: its plugin {file} is not loaded here; save it with {config.verb} --config FILE "
                f"--plugin FILE --save-preset {name}"
            )
    copies = tuple(f"{name}/{Path(file).name}" for file in config.plugins.files)
    config = replace(config, plugins=replace(config.plugins, files=copies))
    text = _edited_text(name, config, source) or _documented_text(name, config)
    with together() as begin:
        for copy, sha in zip(copies, config.plugins.sha256, strict=True):
            write_new(begin(path.parent / copy), [sources[sha]], path.parent / copy)
        write_new(begin(path), [text.encode()], path)
    return path


def _documented_text(name: str, config: Config) -> str:
    lines = toml.to_toml(config, {}).partition("\n\n# What this run was made with.")[0].splitlines()
    seed = next(number for number, line in enumerate(lines) if line.startswith("seed = "))
    return "\n".join([_title(name), *lines[1 : seed - 1], *lines[seed + 1 :], ""])


def _title(name: str) -> str:
    return f"# The preset {name}: all values that are active."


def _edited_text(name: str, config: Config, source: Path | None) -> str:
    """Return the text of the file that a configuration comes from, with the values of the configuration.

    Return an empty string if there is no such file, it belongs to a run, or the result would have other values.
    """
    import tomlkit

    own = config.preset in preset_files.own_preset_names()
    path = preset_files.own_presets() / f"{config.preset}.toml" if own else source
    if path is None or (own and source is not None):
        return ""
    document = tomlkit.parse(read_regular(path, MAX_BYTES, links=True).decode("utf-8-sig"))
    if "record" in document:
        return ""
    if not own:
        document["preset"] = config.preset
    before = toml.load(config.preset, None if own else path, own=None)
    _update(document, _preset_values(config), _preset_values(before))
    text = tomlkit.dumps(document).replace(_title(config.preset), _title(name), 1)
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / "trial.toml"
        trial.write_text(text, encoding="utf-8")
        try:
            same = _preset_values(toml.load(None, trial, own=None)) == _preset_values(config)
        except InputError:
            same = False
    return text if same else ""


def _preset_values(config: Config) -> dict[str, Any]:
    return {key: value for key, value in to_values(config).items() if key not in ("preset", "seed")}


def _update(table: Any, values: dict[str, Any], before: dict[str, Any]) -> None:
    import tomlkit

    for key in [key for key in table if key not in values and key != "preset"]:
        del table[key]
    for key, value in values.items():
        if value == before.get(key):
            continue
        if isinstance(value, dict) and key != "network":  # networks are always replaced as a whole
            _update(table.setdefault(key, tomlkit.table()), value, before.get(key, {}))
        else:
            table[key] = list(value) if isinstance(value, tuple) else value


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
