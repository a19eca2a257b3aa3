"""Actions on a run among the opponents of the window: tag it, note, hide and delete it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from evolve.run import notes
from evolve.run.folder import Run
from extras.keeping.removal import finish_removals, remove_run, size_of, why_kept
from game.number_text import count_text, size_text
from gui.background import Background, Trouble
from gui.runs.sources import Source
from gui.screens.dialogs.dialog import Dialog, Prompt
from gui.screens.entries import RUN_GROUP, Entry
from gui.screens.individuals.chooser import CHOOSE, Chooser
from gui.services import Services
from gui.widgets.base import Command

GOES_ON = "A session is running: stop it first."

WRITE_SECONDS = 6.0
"""Maximum seconds that the closing window waits for notes, whose file another program may lock."""


class Writer(Background):
    """The thread that writes, so that reading does not wait for it."""

    def close(self) -> None:
        self.finish(WRITE_SECONDS)


def writer(services: Services) -> Writer:
    return Writer()


class RunActions(Entry):
    """The commands for the chosen run.

    Changes are written in the background, because another program may lock the notes file for seconds.
    """

    screen: Chooser

    def __init__(self, screen: Chooser) -> None:
        super().__init__(screen)
        self._writer = self.app.services.shared(writer)
        self._count = 0
        self._changed = False
        self._ask("leftovers", partial(finish_removals, self.app.services.runs))

    @property
    def busy(self) -> bool:
        return self._writer.wants(self)

    def step(self) -> bool:
        self._writer.deliver()
        changed, self._changed = self._changed, False
        if changed:
            self.app.services.sources.look_soon()
        return changed

    def commands(self) -> list[Command]:
        run = self.screen.run
        why = "" if run is not None else CHOOSE
        kept = CHOOSE if run is None else why_kept(run.path) or (GOES_ON if run.live else "")

        def command(
            id_: str, name: str, do: Callable[[Source], object], icon: str, about: str, why: str, *keys: str
        ) -> Command:
            def act() -> None:
                if run is not None:
                    do(run)

            return Command(id=id_, name=name, keys=keys, run=act, icon=icon, about=about, enabled=not why, why=why,
                           group=RUN_GROUP)  # fmt: skip

        return [
            command("tags", "Tags", self._tag, "tag", "Tag it with words to search for", why),
            command("note", "Note", self._write, "write", "Write a note about it", why),
            command("archive", "Show again" if run is not None and run.archived else "Hide", self._archive, "archive",
                    "Hide it from lists, or list it again", why),
            command("delete", "Delete", self._measure, "delete", "Delete it, after confirmation", kept, "delete"),
        ]  # fmt: skip

    def _tag(self, run: Source) -> None:
        def tag(text: str) -> str:
            try:
                tags = notes.checked_tags(text)
            except notes.NotesError as error:
                return str(error)
            self._keep(run.path, tags=tags)
            return ""

        text, tags = "Words to find it by, separated by commas. Leave empty to remove them.", ", ".join(run.tags)
        self.app.open(Prompt(self.app, f"Tags of {run.name}", text, tag, value=tags, ghost="slow, wide", take="Save"))

    def _write(self, run: Source) -> None:
        def write(text: str) -> str:
            if len(text) > notes.MAX_TEXT:
                return f"A note has at most {notes.MAX_TEXT:,} characters."
            self._keep(run.path, text=text)
            return ""

        text = "Saved with the run. Leave empty to remove it."
        self.app.open(Prompt(self.app, f"Note on {run.name}", text, write, value=run.note, take="Save"))

    def _archive(self, run: Source) -> None:
        self._keep(run.path, archived=not run.archived)
        done = "listed again." if run.archived else "hidden. A search for “hidden” lists it."
        self.app.say(f"{run.name}: {done}")

    def _keep(self, path: Path, **changes: Any) -> None:
        self._ask("Not saved: ", partial(notes.note_run, Run(path), **changes))

    def _measure(self, run: Source) -> None:
        self._ask("", partial(size_of, run.path), partial(self._confirm, run))

    def _confirm(self, run: Source, size: int) -> None:
        if self.app.screen is not self.screen:
            return
        holds = count_text(run.newest + 1, "generation") if run.newest >= 0 else "no complete generation"
        text = f"{holds}, {size_text(size)} in {run.path}. This cannot be undone; “Hide” only removes it from lists."
        # Enter does not delete: a run may have taken days.
        delete = partial(self._ask, "", partial(remove_run, run.path))
        answers = ("Delete", "ctrl+return", delete), ("Keep", "escape", lambda: None)
        self.app.open(Dialog(self.app, f"Delete {run.name}?", text, answers, "danger"))

    def _ask(self, trouble: str, work: Callable[[], Any], receive: Callable[[Any], object] | None = None) -> None:
        """Do work in the background; a fault is reported after the words `trouble`."""

        def on_answer(answer: Any) -> None:
            if isinstance(answer, Trouble):
                self.app.say(f"{trouble}{answer.text}", "warning")
            elif receive is not None:
                receive(answer)
            self._changed = True

        self._count += 1  # a unique name, so that no change replaces a pending one
        self._writer.ask(self, f"{self._count}", work, on_answer)
