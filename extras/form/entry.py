"""The ways from the screen of new sessions to published systems and to the form with everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from extras.form.plan import about_preset, preset_purpose, published_names
from extras.form.screen import SessionStart
from game.errors import sentence
from gui.geometry import Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP
from gui.screens.dialogs.picker import Picker
from gui.screens.entries import Entry
from gui.widgets.base import Command, Label, Widget, by_id
from gui.widgets.button import button
from gui.widgets.table import Cell, Column

if TYPE_CHECKING:
    from gui.app import App

GROUP = "Other sessions"


class FormEntry(Entry):
    def commands(self) -> Sequence[Command]:
        app = self.app
        return [
            Command(id="published", name="Published systems", keys=(), run=lambda: app.open(Published(app)),
                    about="Repeat what others have published", group=GROUP),
            Command(id="everything", name="Everything", keys=(), run=lambda: app.replace(SessionStart(app)),
                    about="Choose a preset and change any value", group=GROUP),
        ]  # fmt: skip


class Published(Picker):
    """The presets of published systems, each with what it is."""

    title = "Published systems"
    verb = "Evolve it"

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._texts = {name: f"{name} {about_preset(name)}".lower() for name in published_names()}

    @property
    def matches(self) -> list[str]:
        return [name for name, text in self._texts.items() if self.has_words(text)]

    def accept(self, match: str) -> None:
        self.app.replace(SessionStart(self.app, match))

    def view(self, size: Size, look: Look) -> list[Widget]:
        names = self.matches
        px, commands = look.px, by_id(self.commands())
        widgets, body, foot = self.card(size, look, 900, 528, px(60 + GAP + CONTROL), "A name or a year")
        about, row = foot.rows(None, px(CONTROL), gap=px(GAP))
        take, cancel = row.columns(None, None, gap=px(GAP))
        chosen = names[self.row] if names else ""

        def cells(row: int) -> list[Cell]:
            system, _, who = preset_purpose(names[row]).partition(" (")
            return [Cell(system, bold=True), Cell(who.removesuffix(")") or "Crownhead", look.theme.muted)]

        return [
            *widgets,
            self.table(body, [Column("System"), Column("By", 260, "right")], cells, headed=False, framed=False),
            Label(key="about", rect=about, text=sentence(about_preset(chosen)), wrap=True, may_cut=True),
            button(commands["take"], "take", take, kind="main", icon="evolution"),
            button(commands["cancel"], "cancel", cancel),
        ]  # fmt: skip
