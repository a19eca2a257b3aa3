"""Code that a run brings: copies of the plugins that it was begun with. Told by name, and not run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evolve.kinds import plugins
from evolve.run.errors import RunError
from evolve.run.folder import RunFolder


@dataclass(frozen=True)
class OwnCode:
    """A file of Python that a run needs.

    Attributes:
        path: of the copy in the run.
        sha256: of the bytes with which the run was begun, and of the copy.
    """

    path: Path
    sha256: str


def own_code(run: RunFolder) -> list[OwnCode]:
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
