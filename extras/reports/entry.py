"""The command of a run's page that saves its film: a page on which the generations pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from extras.export.champion import WritingEntry
from gui.widgets.base import Command


class FilmEntry(WritingEntry):
    def commands(self) -> Sequence[Command]:
        return [Command(id="share", name="Share the film", keys=(), run=self._share, icon="save", group="Generations",
                        about="Save the run as a page with a slider over generations and champions to play against",
                        enabled=not self.why, why=self.why)]  # fmt: skip

    def _share(self) -> None:
        self.ask(f"{self.screen.run.name}.html", (".html",), self._page, "Share the film")

    def _page(self, path: Path) -> str:
        about = "a page with a slider over generations and champions to play against"
        return self.begin(path, about, "inspect", str(self.screen.run.path), "--games=0", f"--html={path}")
