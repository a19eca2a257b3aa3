"""The command of a run's page that saves its film: a page on which the generations pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gui.screens.dialogs.files import Files
from gui.screens.entries import Entry
from gui.screens.sessions.session import NO_GENERATION, SessionScreen
from gui.sessions import launch
from gui.sessions.launch import Launched
from gui.storage.whole_files import in_words
from gui.widgets.base import Command

ENDING = ".html"
ABOUT = "a page with a slider over generations and champions to play against"


class FilmEntry(Entry):
    """The command that saves the film of a run, in a process of its own."""

    screen: SessionScreen

    def __init__(self, screen: SessionScreen) -> None:
        super().__init__(screen)
        self._writers: list[tuple[Launched, str]] = []  # and what is said once they have ended

    def commands(self) -> Sequence[Command]:
        return [Command(id="share", name="Share the film", keys=(), run=self._share, icon="save", group="Generations",
                        about=f"Save the run as {ABOUT}", enabled=self.screen.generation >= 0,
                        why=NO_GENERATION)]  # fmt: skip

    def _share(self) -> None:
        name = f"{self.screen.run.name}{ENDING}"
        self.app.open(Files.to_save(self.app, name, self._begin, (ENDING,), "Share the film"))

    def _begin(self, path: Path) -> str:
        if path.suffix != ENDING:
            return f"{path.name} cannot be written: expected a name that ends in {ENDING}."
        try:
            writer = launch.start((str(self.screen.run.path), "--games=0", f"--html={path}"), "inspect")
        except OSError as error:
            return f"{path.name} cannot be written: {in_words(error)}."
        self._writers.append((writer, f"Saved as {path}, {ABOUT}"))
        self.app.say(f"Writing {path.name}")
        return ""

    def step(self) -> bool:
        ended = [each for each in self._writers if not each[0].running]
        for writer, saved in ended:
            self._writers.remove((writer, saved))
            self.app.say(writer.trouble or saved, "warning" if writer.trouble else "check")
        return bool(ended)
