"""Dialogs about a run: consent to run its code, how to resume it, its tags and its note."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from game.errors import InputError, sentence
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import APART, BODY, CONTROL, EDGE, GAP, SMALL, TITLE
from gui.screens.dialogs.dialog import Dialog, Prompt
from gui.screens.screen import Screen
from gui.sessions.form import RESUMED, Resuming, workers_hint
from gui.widgets.base import Command, Label, Panel, Widget
from gui.widgets.button import button
from gui.widgets.field import Field

if TYPE_CHECKING:
    from evolve.run.own_presets import OwnCode
    from gui.app import App

DIGITS = 16
"""Displayed digits of a SHA-256, as on the command line."""

TITLES = {"from": "From generation", "generations": "Last generation", "workers": "Workers"}


def ask_tags(app: App, name: str, tags: Sequence[str], done: Callable[[str], str]) -> None:
    """Ask for the tags of a run; `done` saves them, or returns an error message."""
    text = "Words to find it by, separated by commas. Leave empty to remove them."
    app.open(Prompt(app, f"Tags of {name}", text, done, value=", ".join(tags), ghost="slow, wide", take="Save"))


def ask_note(app: App, name: str, note: str, done: Callable[[str], str]) -> None:
    """Ask for the note on a run; `done` saves it, or returns an error message."""
    text = "Saved with the run. Leave empty to remove it."
    app.open(Prompt(app, f"Note on {name}", text, done, value=note, take="Save"))


def with_own_code(app: App, source: Path | str, begin: Callable[[list[str]], object]) -> None:
    """Call `begin` for a run or preset: at once if it has no code, otherwise only if the user agrees to run it."""
    from evolve.run.folder import Run
    from evolve.run.own_presets import code_of_preset, own_code

    try:
        code = code_of_preset(source) if isinstance(source, str) else own_code(Run(source))
    except InputError as error:
        app.say(sentence(str(error)), "warning")
        return
    if code:
        app.open(code_dialog(app, source, code, begin))
    else:
        begin([])


def code_dialog(app: App, source: Path | str, code: Sequence[OwnCode], begin: Callable[[list[str]], object]) -> Dialog:
    name, kind = (source, "preset") if isinstance(source, str) else (source.name, "run")
    options = [f"--plugin={file.path.resolve()}" for file in code]
    answers = (("Run it", "ctrl+return", partial(begin, options)), ("Cancel", "escape", lambda: None))
    return Dialog(app, f"Run the code of {name}?", _question(name, kind, code), answers, "danger")


def _question(name: str, kind: str, code: Sequence[OwnCode]) -> str:
    files = " and ".join(f"{file.path.name} (SHA-256 {file.sha256[:DIGITS]}…)" for file in code)
    it = "It" if len(code) == 1 else "They"
    return (
        f"{name} contains code of its own, {files}. {it} would run with all your permissions: read it first, in "
        f"{code[0].path.parent}. If you decline, nothing starts, and the {kind} stays as it is."
    )


class SessionResume(Screen):
    """The dialog that resumes a run; fields that stay empty change nothing."""

    overlay = True

    def __init__(self, app: App, name: str, form: Resuming, done: Callable[[Resuming], object]) -> None:
        super().__init__(app)
        self.title = f"Resume {name}"
        self.form = form
        self._done = done
        self._wrong: dict[str, str] = {}
        self.ui.focus = "generations"

    def commands(self) -> Sequence[Command]:
        return (
            Command(id="begin", name="Begin", keys=("return", "ctrl+return"), run=self._enter,
                    about="Continue this run", icon="play"),
            Command(id="cancel", name="Cancel", keys=("escape",), run=self.app.back, about="Leave the run as it is"),
        )  # fmt: skip

    def _enter(self) -> None:
        self._wrong = self.form.wrong
        if self._wrong:
            self.ui.focus = next(name for name in RESUMED if name in self._wrong)
            return
        self.app.back()
        self._done(self.form)

    def _change(self, name: str, text: str) -> None:
        self.form.values[name] = text
        # A thinned generation is reported at once; other numbers may be half typed.
        self._wrong = (
            {"from": self.form.wrong["from"]} if self.form.restart is not None and "from" in self.form.wrong else {}
        )

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, form, theme = look.px, self.form, look.theme
        wide = min(px(520), size[0] - px(24))
        high, gap, line = px(CONTROL), px(8), px(17)
        words = len(look.fonts.wrap(form.summary, wide - 2 * px(APART) - px(32), px(BODY))) * look.fonts.height(
            px(BODY)
        )
        rest = 2 * (px(EDGE) + high) + len(RESUMED) * (high + line) + (2 * len(RESUMED) + 2) * gap
        card = Rect(0, 0, *size).centre_within(wide, rest + max(words, px(48)))
        inner = card.inset(px(APART), px(EDGE))
        head, *rows, summary, actions = inner.rows(
            px(CONTROL), *[high, line] * len(RESUMED), None, px(CONTROL), gap=gap
        )
        ghosts = {
            "from": f"{form.newest:,}, the newest" if form.newest >= 0 else "the start",
            "generations": f"{form.last:,}, as before" if form.last >= 0 else "as before",
            "workers": "one per core",
        }
        hints = {
            "from": form.hint,
            "generations": "The run ends with this generation",
            "workers": workers_hint(),
        }
        widgets: list[Widget] = [
            Panel(key="card", rect=card, radius=12),
            Label(key="head", rect=head, text=self.title, size=TITLE, bold=True, may_cut=True),
        ]
        for name, place, below in zip(RESUMED, rows[::2], rows[1::2], strict=True):
            label, box = place.columns(px(140), None, gap=px(GAP))
            wrong = self._wrong.get(name, "")
            widgets += [
                Label(key=f"{name}.label", rect=label, text=TITLES[name], bold=True),
                Field(
                    key=name, rect=box, value=form.values[name], change=partial(self._change, name),
                    hint=wrong or hints[name], ghost=ghosts[name], wrong=bool(wrong), enter=self._enter,
                    clipboard=self.app.services.clipboard,
                ),
                Label(
                    key=f"{name}.said", rect=Rect(box.x, below.y - gap // 2, box.w, below.h), text=wrong or hints[name],
                    size=SMALL, colour=theme.danger if wrong else theme.muted, may_cut=True,
                ),
            ]  # fmt: skip
        gives_up = form.restart is not None
        widgets.append(
            Label(key="told", rect=summary, text=form.summary, wrap=True, icon="warning" if gives_up else "info",
                  colour=theme.warning if gives_up else theme.text, may_cut=True)
        )  # fmt: skip
        resume, cancel = self.commands()
        first, second = actions.columns(None, None, gap=px(GAP))
        return [*widgets, button(resume, "take", first, kind="main"), button(cancel, "cancel", second)]
