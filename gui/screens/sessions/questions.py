"""Dialogs about a run: consent to run its code, and its last generation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from game.errors import InputError, sentence
from game.number_text import count_text
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, EDGE, GAP
from gui.screens.dialogs.dialog import Dialog, Popup, Prompt
from gui.sessions.form import whole
from gui.widgets.base import Panel, Widget
from gui.widgets.table import Column, Table

if TYPE_CHECKING:
    from evolve.config.plugin_gate import Listed
    from gui.app import App


def ask_last(app: App, name: str, newest: int, done: Callable[[int], object]) -> None:
    from evolve.config.search import MAX_GENERATIONS

    def take(text: str) -> str:
        last = whole(text.strip(), newest + 1, MAX_GENERATIONS)
        if last is None:
            return f"Expected a whole number from {newest + 1:,} to {MAX_GENERATIONS:,}."
        app.back()
        done(last)
        return ""

    text = f"The run is complete to generation {newest:,}. How far should it go?"
    app.open(Prompt(app, f"Evolve {name} on", text, take, value=str(2 * newest or 15), take="Begin"))


def with_own_code(app: App, source: Path | str, begin: Callable[[list[str]], object]) -> None:
    """Call `begin` for a run or preset: at once if it has no code, otherwise only if the user agrees to run it."""
    from evolve.config.plugin_gate import listed
    from evolve.config.preset_files import preset_file
    from evolve.run.files import CONFIG

    try:
        code = listed(preset_file(source)[0] if isinstance(source, str) else source / CONFIG)
    except InputError as error:
        app.say(sentence(str(error)), "warning")
        return
    if code:
        app.open(code_dialog(app, source, code, begin))
    else:
        begin([])


def code_dialog(app: App, source: Path | str, code: Sequence[Listed], begin: Callable[[list[str]], object]) -> Dialog:
    name, kind = (source, "preset") if isinstance(source, str) else (source.name, "run")
    run = partial(begin, [f"--plugin={path.resolve()}" for path, _ in code])

    def show() -> None:
        app.open(code_dialog(app, source, code, begin))
        app.open(CodePopup(app, code))

    answers = (("Run it", "ctrl+return", run), ("Show the code", "c", show), ("Cancel", "escape", lambda: None))
    text = (
        f"{name} contains code of its own, which would run with all your permissions. Read it first. "
        f"If you decline, nothing starts, and the {kind} stays as it is."
    )
    files = "".join(f"\n{path}, {count_text(len(plugin.source.splitlines()), 'line')}" for path, plugin in code)
    return Dialog(app, f"Run the code of {name}?", f"{text}\n{files}", answers, "danger")


class CodePopup(Popup):
    """Files of code; long lines go on in the next row, so that nothing is hidden."""

    title = "The code"

    def __init__(self, app: App, code: Sequence[Listed]) -> None:
        super().__init__(app)
        texts = [f"{path}\n\n{plugin.source.decode(errors='replace')}\n" for path, plugin in code]
        self._lines = "\n".join(texts).expandtabs(4).splitlines()
        self.ui.focus = "code"

    def view(self, size: Size, look: Look) -> list[Widget]:
        card = Rect(0, 0, *size).inset(look.px(EDGE))
        head, body = card.inset(look.px(EDGE)).rows(look.px(CONTROL), None, gap=look.px(GAP))
        wide = max(body.w // look.px(9), 1)
        rows = [line[at : at + wide] for line in self._lines for at in range(0, len(line) or 1, wide)]
        return [
            Panel(key="card", rect=card, radius=12),
            *self.head(head, look),
            Table(key="code", rect=body, columns=[Column("Code")], headed=False, count=len(rows),
                  cells=lambda row: [rows[row]]),
        ]  # fmt: skip
