"""Code that a run or a preset brings: the plugins that it lists. Read to be named, and not run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evolve.config import toml
from evolve.kinds import plugins
from evolve.run.errors import RunError
from evolve.run.folder import Run


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
