"""What was found wrong with files of individuals, remembered until they change."""

from __future__ import annotations

from pathlib import Path

from evolve.run.files import Signature, signature
from evolve.run.row_index import RowIndex


class Damages:
    """Damage by file, as whoever read the file last found it."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[Signature | None, str]] = {}

    def of(self, path: Path) -> str:
        """What is wrong with a file; empty if nothing is, or nobody has looked."""
        return self._known.get(path, (None, ""))[1]

    def in_folder(self, folder: Path) -> str:
        """What is wrong with the first damaged file of a folder, with its name; empty if nothing is."""
        damaged = (f"{path.name}: damaged, {text}" for path, (_, text) in self._known.items()
                   if text and path.parent == folder)  # fmt: skip
        return next(damaged, "")

    def are_known(self, path: Path) -> bool:
        """Whether the file was read as it is now."""
        now = signature(path)
        return now is not None and self._known.get(path, (None, ""))[0] == now

    def note(self, index: RowIndex) -> bool:
        """Remember what reading a file has shown; returns whether that is new."""
        before = self.of(index.path)
        self._known[index.path] = index.signature, index.damage
        return before != index.damage
