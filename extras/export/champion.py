"""The command of a run's page that saves a champion as a file, and the processes that write such files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from extras import formats
from gui.model.seats import individual
from gui.screens.dialogs.files import Files
from gui.screens.entries import Entry
from gui.screens.sessions.session import NO_GENERATION, SessionScreen
from gui.sessions import launch
from gui.sessions.launch import Launched
from gui.storage.whole_files import in_words
from gui.widgets.base import Command


class WritingEntry(Entry):
    """A command of a run's page that writes files in processes of their own."""

    screen: SessionScreen

    def __init__(self, screen: SessionScreen) -> None:
        super().__init__(screen)
        self._writers: list[tuple[Launched, str]] = []  # and what is said once they have ended

    @property
    def why(self) -> str:
        """The reason why there is nothing to write; empty if there is a generation."""
        return "" if self.screen.generation >= 0 else NO_GENERATION

    def begin(self, path: Path, about: str, verb: str, *arguments: str) -> str:
        """Begin to write a file; return an error message, or an empty string."""
        try:
            writer = launch.start(arguments, verb)
        except OSError as error:
            return f"{path.name} cannot be written: {in_words(error)}."
        self._writers.append((writer, f"Saved as {path}, {about}"))
        self.app.say(f"Writing {path.name}")
        return ""

    def step(self) -> bool:
        ended = [each for each in self._writers if not each[0].running]
        for writer, saved in ended:
            self._writers.remove((writer, saved))
            self.app.say(writer.trouble or saved, "warning" if writer.trouble else "check")
        return bool(ended)


class ChampionEntry(WritingEntry):
    """The command that saves the displayed champion."""

    def __init__(self, screen: SessionScreen) -> None:
        super().__init__(screen)
        self._formats = {f".{name}": each.TEXTS["champion"] for name, each in formats("champion").items()}

    def commands(self) -> Sequence[Command]:
        return [Command(id="send", name="Share the champion", keys=("ctrl+s",), run=self._send, icon="save",
                        about=f"Save this champion as {' or '.join(self._formats.values())}", group="The champion",
                        enabled=not self.why, why=self.why)]  # fmt: skip

    def _send(self) -> None:
        generation, kinds = self.screen.generation, tuple(self._formats)
        name = f"{self.screen.run.name}-{generation}{kinds[0]}"
        self.app.open(Files.to_save(self.app, name, partial(self._export, generation), kinds, "Share the champion"))

    def _export(self, generation: int, path: Path) -> str:
        if path.suffix not in self._formats:
            return f"{path.name} cannot be written: expected a name that ends in {' or '.join(self._formats)}."
        player = individual(f"{self.screen.run.player_name}@{generation}")
        return self.begin(path, self._formats[path.suffix], "export", f"--{path.suffix[1:]}={path}", "--", player)
