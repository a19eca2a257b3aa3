"""Actions on a run of a list: open its page, tag it, note, archive and delete it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from game.number_text import count_text, size_text
from gui.background import Trouble
from gui.runs.sources import Source
from gui.screens.dialogs.dialog import Dialog
from gui.screens.sessions.questions import ask_note, ask_tags
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.screens.screen import Screen

CHOOSE = "Choose a run first."
GOES_ON = "A session is running: stop it first."


class RunActions:
    """The commands for the chosen run.

    Changes are written in the background, because another program may lock the notes file for seconds.

    Args:
        chosen: returns the chosen run of the screen; None if there is none.
    """

    def __init__(self, screen: Screen, chosen: Callable[[], Source | None]) -> None:
        from evolve.run.runs import Runs

        app = screen.app
        self._screen, self._app, self._chosen = screen, app, chosen
        self._count = 0
        self._changed = False
        self._ask("leftovers", Runs(app.services.runs).finish_removals)

    @property
    def busy(self) -> bool:
        return self._app.services.writes.wants(self)

    def step(self) -> bool:
        """Take answers; return whether a run has changed."""
        self._app.services.writes.deliver()
        changed, self._changed = self._changed, False
        if changed:
            self._app.services.sources.look_soon()
        return changed

    def commands(self) -> list[Command]:
        run = self._chosen()
        why = "" if run is not None else CHOOSE

        def command(
            id_: str, name: str, do: Callable[[Source], object], icon: str, about: str, why: str, *keys: str
        ) -> Command:
            def act() -> None:
                if run is not None:
                    do(run)

            return Command(id=id_, name=name, keys=keys, run=act, icon=icon, about=about, enabled=not why, why=why,
                           group="The run")  # fmt: skip

        return [
            command("run", "Evolve on", self._open, "evolution", "Open its page: progress, champions and Resume", why),
            command("tags", "Tags", self._tag, "tag", "Tag it with words to search for", why),
            command("note", "Note", self._write, "write", "Write a note about it", why),
            command("archive", "Restore" if run is not None and run.archived else "Archive", self._archive, "archive",
                    "Hide it from lists, or list it again", why),
            command("delete", "Delete", self._measure, "delete", "Delete it, after confirmation", self._why_kept(run),
                    "delete"),
        ]  # fmt: skip

    @staticmethod
    def _why_kept(run: Source | None) -> str:
        """Return the reason why the run cannot be deleted now; empty if it can."""
        from evolve.run.runs import why_kept

        return CHOOSE if run is None else why_kept(run.path) or (GOES_ON if run.live else "")

    def _open(self, run: Source) -> None:
        from gui.screens.sessions.session import SessionScreen

        self._app.open(SessionScreen(self._app, run.path))

    def _tag(self, run: Source) -> None:
        from evolve.run import notes

        def tag(text: str) -> str:
            try:
                tags = notes.checked_tags(text)
            except notes.NotesError as error:
                return str(error)
            self._keep(run.path, tags=tags)
            return ""

        ask_tags(self._app, run.name, run.tags, tag)

    def _write(self, run: Source) -> None:
        from evolve.run import notes

        def write(text: str) -> str:
            if len(text) > notes.MAX_TEXT:
                return f"A note has at most {notes.MAX_TEXT:,} characters."
            self._keep(run.path, text=text)
            return ""

        ask_note(self._app, run.name, run.note, write)

    def _archive(self, run: Source) -> None:
        self._keep(run.path, archived=not run.archived)
        done = "restored." if run.archived else "archived. A search for “archived” lists it."
        self._app.say(f"{run.name}: {done}")

    def _keep(self, path: Path, **changes: Any) -> None:
        from evolve.run import notes
        from evolve.run.folder import Run

        self._ask("Not saved: ", partial(notes.note_run, Run(path), **changes))

    def _measure(self, run: Source) -> None:
        """Count the bytes of a run, and then ask whether it is to be deleted."""
        from evolve.run.runs import size_of

        self._ask("", partial(size_of, run.path), partial(self._confirm, run))

    def _confirm(self, run: Source, size: int) -> None:
        from evolve.run.runs import remove_run

        if self._app.screen is not self._screen:
            return
        holds = count_text(run.newest + 1, "generation") if run.newest >= 0 else "no complete generation"
        text = f"{holds}, {size_text(size)} in {run.path}. This cannot be undone; archiving only hides the run."
        # Enter does not delete: a run may have taken days.
        delete = partial(self._ask, "", partial(remove_run, run.path))
        answers = ("Delete", "ctrl+return", delete), ("Keep", "escape", lambda: None)
        self._app.open(Dialog(self._app, f"Delete {run.name}?", text, answers, "danger"))

    def _ask(self, trouble: str, work: Callable[[], Any], receive: Callable[[Any], object] | None = None) -> None:
        """Do work in the background; a fault is reported after the words `trouble`."""

        def on_answer(answer: Any) -> None:
            if isinstance(answer, Trouble):
                self._app.say(f"{trouble}{answer.text}", "warning")
            elif receive is not None:
                receive(answer)
            self._changed = True

        self._count += 1  # a unique name, so that no change replaces a pending one
        self._app.services.writes.ask(self, f"{self._count}", work, on_answer)
