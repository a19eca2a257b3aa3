"""Where individuals are looked for: runs with what they are doing, CSV files on their own, and all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.run.file_stamp import signature
from gui.individuals.rows import Scope, View
from gui.individuals.runs import RunInfo, Runs

LIVE = ("running", "paused", "stopping")


@dataclass(frozen=True)
class Source:
    """A run or a file.

    Attributes:
        name: of it.
        path: its folder, or the file.
        info: what is known of a run; None for a file.
        state: running, paused, stopping, stopped, complete or damaged; empty for a file that is sound or not read yet.
        trouble: what is wrong with it; empty if nothing is.
        goal: the last generation that is to come; -1 if nobody says.
        lies: whether it is a file that lies in the folder of runs; it is always in the list.
        scope: of a list of many files; None for a run or a file.
    """

    name: str
    path: Path
    info: RunInfo | None = None
    state: str = ""
    trouble: str = ""
    goal: int = -1
    lies: bool = False
    scope: Scope | None = None

    @property
    def is_file(self) -> bool:
        """Whether it is a file on its own."""
        return self.info is None and self.scope is None

    @property
    def live(self) -> bool:
        """Whether a session works on it."""
        return self.state in LIVE

    @property
    def newest(self) -> int:
        """Its newest complete generation; -1 if there is none."""
        return -1 if self.info is None else self.info.newest

    def checksums(self, generation: int) -> tuple[str, ...]:
        """Those that a generation may have."""
        return self.info.files[generation][1] if self.info is not None else ()

    def file(self, generation: int) -> Path:
        """Where a generation is; the file itself if it is no run."""
        return self.path if self.info is None else self.path / self.info.files[generation][0]


OF_MANY_FILES = tuple(
    Source(name, Path(name), scope=scope)
    for name, scope in (("Champions and others", Scope()), ("Everybody", Scope(View.ALL)))
)


def look(runs: Runs, files: Sequence[Path], before: Sequence[Source]) -> list[Source]:
    """All sources there are now; those that were known stay where they are, new ones come first.

    Args:
        runs: of a folder; CSV files that lie in it come last.
        files: others that a person opened.
        before: what was found the last time.
    """
    before = [source for source in before if source.scope is None]
    found = {name: _run(runs, name) for name in runs.names()}
    known = [source.name for source in before if source.info is not None and source.name in found]
    new = sorted(found.keys() - set(known), key=lambda name: (-_changed(found[name]), name))
    ordered = [*new, *known]
    kept = {source.path: source for source in before if source.info is None}
    lying = [path for path in runs.lying_files() if path.is_file()]
    opened = [_file(path, kept.get(path)) for path in files if path not in lying]
    return [
        *(found[name] for name in ordered),
        *opened,
        *(_file(path, kept.get(path), lies=True) for path in lying),
    ]


def _changed(source: Source) -> int:
    return 0 if source.info is None else source.info.changed


def _run(runs: Runs, name: str) -> Source:
    from evolve.run.folder import RunFolder

    info = runs.info(name)
    if info.damage:
        return Source(name, info.path, info, "damaged", info.damage)
    try:
        state, said = RunFolder(info.path).state()
    except OSError as error:
        return Source(name, info.path, info, "damaged", f"status.json: cannot be read: {error.strerror}")
    return Source(name, info.path, info, str(state), goal=said.generations if said else -1)


def _file(path: Path, known: Source | None, *, lies: bool = False) -> Source:
    there = signature(path) is not None
    trouble = "" if there else f"{path}: no such file"
    if known is not None and there and known.trouble and known.trouble != f"{path}: no such file":
        return known
    return Source(path.name, path, state="" if there else "damaged", trouble=trouble, lies=lies)
