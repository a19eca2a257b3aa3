"""The dialog that resumes a run, above the session screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import APART, CONTROL, EDGE, GAP, SMALL, TITLE
from gui.screens.screen import Screen
from gui.sessions.resuming import FIELDS, Resuming
from gui.widgets.base import Command, Label, Panel, Widget
from gui.widgets.button import button
from gui.widgets.field import Field

if TYPE_CHECKING:
    from gui.app import App

TITLES = {"from": "From generation", "generations": "Last generation", "workers": "Workers"}
HINTS = {
    "generations": "Where the run ends",
    "workers": "Processes that play, or a cluster (tcp://…)",
}


class SessionResume(Screen):
    """The dialog that resumes a run; Enter leaves everything as it was.

    Args:
        form: its fields.
        done: called with the form once nothing is wrong with it.
    """

    overlay = True

    def __init__(self, app: App, name: str, form: Resuming, done: Callable[[Resuming], object]) -> None:
        super().__init__(app)
        self.title = f"Resume {name}"
        self.form = form
        self._done = done
        self._wrong: dict[str, str] = {}
        self.ui.focus = "generations"

    def commands(self) -> Sequence[Command]:
        """Return the two answers."""
        return (
            Command(id="begin", name="Resume", keys=("return", "ctrl+return"), run=self._enter,
                    about="Start a session that goes on with the run", icon="play"),
            Command(id="cancel", name="Cancel", keys=("escape",), run=self.app.back, about="Leave the run as it is"),
        )  # fmt: skip

    def _enter(self) -> None:
        self._wrong = self.form.wrong
        if self._wrong:
            self.ui.focus = next(name for name in FIELDS if name in self._wrong)
            return
        self.app.back()
        self._done(self.form)

    def _change(self, name: str, text: str) -> None:
        self.form.values[name] = text
        # A generation that was thinned is reported at once; other numbers may still be incomplete.
        self._wrong = (
            {"from": self.form.wrong["from"]} if self.form.restart is not None and "from" in self.form.wrong else {}
        )

    def view(self, size: Size, look: Look) -> list[Widget]:
        """Return a card with the fields, and what will happen."""
        px, form, theme = look.px, self.form, look.theme
        wide = min(px(520), size[0] - px(24))
        high, gap, line = px(CONTROL), px(8), px(17)
        card = Rect(0, 0, *size).centre_within(wide, px(84) + 3 * (high + line + 2 * gap) + px(44) + px(48))
        inner = card.inset(px(APART), px(EDGE))
        head, *rows, told, actions = inner.rows(px(CONTROL), *[high, line] * len(FIELDS), None, px(CONTROL), gap=gap)
        ghosts = {
            "from": f"{form.newest:,}, the newest" if form.newest >= 0 else "the start",
            "generations": f"{form.last:,}, as before" if form.last >= 0 else "as before",
            "workers": "one per core",
        }
        hints = {"from": form.hint, **HINTS}
        widgets: list[Widget] = [
            Panel(key="card", rect=card, radius=12),
            Label(key="head", rect=head, text=self.title, size=TITLE, bold=True, may_cut=True),
        ]
        for name, place, below in zip(FIELDS, rows[::2], rows[1::2], strict=True):
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
            Label(key="told", rect=told, text=form.summary, wrap=True, icon="warning" if gives_up else "info",
                  colour=theme.warning if gives_up else theme.text, may_cut=True)
        )  # fmt: skip
        go_on, cancel = self.commands()
        first, second = actions.columns(None, None, gap=px(GAP))
        return [*widgets, button(go_on, "take", first, kind="main"), button(cancel, "cancel", second)]
