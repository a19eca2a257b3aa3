"""The form that begins a session."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.screens.screen import Screen, Window, below_header
from gui.sessions import launch
from gui.sessions.form import MOST_SETTINGS, Checked, Form, preset_names, preset_words
from gui.widgets.base import Label, Panel, Widget
from gui.widgets.button import button
from gui.widgets.commands import Command, by_id
from gui.widgets.dropdown import Dropdown
from gui.widgets.field import Field

ROWS = (
    ("name", "Name", "Of the folder that holds everything"),
    ("generations", "Last generation", "The first is 0"),
    ("seed", "Seed", "The same seed gives the same run"),
    ("workers", "Workers", "Processes that play; no result depends on it"),
    ("network", "Network", "cnn-247, blondie-1741, anaconda-5046 or a TOML file"),
)
GHOSTS = {"generations": "as in the preset", "seed": "random", "workers": "one per core", "network": "the preset’s"}


class SessionStart(Screen):
    """Which preset, what differs from it, and begin."""

    title = "New evolution session"
    browses = True

    def __init__(self, app: Window) -> None:
        super().__init__(app)
        self.form = Form.last(app.services.store)
        self.presets = preset_names()
        self.wrong: dict[str, str] = {}
        self._about: dict[str, str] = {}
        self._free = ("", "")
        self.ui.focus = "preset"

    def commands(self) -> Sequence[Command]:
        """Begin, or start anew."""
        return [
            Command(id="begin", name="Begin", keys=("ctrl+return", "return"), run=self.begin,
                    about="Start the session and watch it", icon="play"),
            Command(id="preset", name="As in the preset", keys=("ctrl+r",), run=self._clear, about="Empty all fields",
                    icon="undo"),
        ]  # fmt: skip

    def _clear(self) -> None:
        self.form = Form(self.form.values | dict.fromkeys((row[0] for row in ROWS), ""))
        self.wrong = {}

    def begin(self) -> None:
        """Look everything through; start the session if nothing is wrong, else show it beside the fields."""
        from gui.screens.sessions.session import SessionScreen

        services = self.app.services
        checked = self.form.check(services.runs)
        self.form.keep(services.store)
        self.wrong = checked.wrong
        if self.wrong:
            self._lead(checked)
            return
        try:
            services.runs.mkdir(parents=True, exist_ok=True)
            launched = launch.start(checked.arguments)
        except OSError as error:
            self.app.say(f"No session can be started: {error.strerror}.", "warning")
            return
        self.app.replace(SessionScreen(self.app, services.runs / checked.name, launched))

    def _lead(self, checked: Checked) -> None:
        """The keyboard goes to the first field that is wrong."""
        order = ("preset", *(row[0] for row in ROWS), *(f"setting{n}" for n in range(MOST_SETTINGS)))
        self.ui.focus = next(name for name in order if name in checked.wrong)
        count = len(checked.wrong)
        self.app.say("One field has to be mended." if count == 1 else f"{count} fields have to be mended.", "warning")

    def _change(self, name: str, text: str) -> None:
        self.form.values[name] = text
        self.wrong.pop(name, None)

    def _set(self, number: int, text: str) -> None:
        self.form.settings[number] = text
        self.wrong.pop(f"setting{number}", None)

    def _pick(self, number: int) -> None:
        self._change("preset", self.presets[number])

    def _preset_words(self) -> str:
        preset = self.form.values["preset"]
        if preset not in self._about:
            self._about[preset] = preset_words(preset)
        return self._about[preset]

    def _name(self) -> str:
        """The name that an empty field means."""
        from gui.sessions.form import free_name

        preset = self.form.values["preset"]
        if self._free[0] != preset:
            self._free = (preset, free_name(self.app.services.runs, preset))
        return self._free[1]

    def view(self, size: Size, look: Look) -> list[Widget]:
        """Fields in a column, what is wrong with each at its right."""
        px = look.px
        area = below_header(size, look, 16)
        area = area.centre_within(min(area.w, px(1060)), area.h)
        high = min(px(38), (area.h - px(170)) // (len(ROWS) + MOST_SETTINGS + 2))
        preset, about, *rows, head, first, second, third, fourth, begin = area.rows(
            high, px(32), *[high] * len(ROWS), px(28), *[high] * MOST_SETTINGS, px(52), gap=px(7)
        )
        widgets = self.header(size, look)
        label, box, said = self._cut(preset, look)
        chosen = self.form.values["preset"]
        widgets += [
            Label(key="preset.label", rect=label, text="Preset", bold=True),
            Dropdown(
                key="preset", rect=box, names=self.presets, chosen=self.presets.index(chosen), pick=self._pick,
                hint="Where all values come from that you leave as they are",
            ),
            self._wrong("preset", said),
        ]  # fmt: skip
        words = Rect(box.x, about.y, about.right - box.x, about.h)
        widgets.append(Label(key="about", rect=words, text=self._preset_words(), size=13, colour=look.theme.muted,
                             wrap=True, may_cut=True))  # fmt: skip
        for (name, title, hint), row in zip(ROWS, rows, strict=True):
            widgets += self._field(name, title, hint, row, look)
        widgets.append(
            Label(
                key="settings",
                rect=head,
                text="Single values as in a run’s config.toml, such as population.parents = 8",
                bold=True,
                may_cut=True,
            )
        )
        for number, row in enumerate((first, second, third, fourth)):
            widgets += self._setting(number, row, look)
        found = by_id(self.commands())
        _, begin = begin.rows(px(8), None)
        place, clear, _ = begin.columns(px(220), px(220), None, gap=px(10))
        widgets.append(button(found["begin"], "begin", place, kind="main"))
        widgets.append(button(found["preset"], "clear", clear))
        return widgets

    @staticmethod
    def _cut(row: Rect, look: Look) -> tuple[Rect, Rect, Rect]:
        label, box, said = row.columns(look.px(150), (row.w - look.px(150)) * 45 // 100, None, gap=look.px(12))
        return label, box, said

    def _field(self, name: str, title: str, hint: str, row: Rect, look: Look) -> list[Widget]:
        label, box, said = self._cut(row, look)
        return [
            Label(key=f"{name}.label", rect=label, text=title, bold=True),
            Field(
                key=name, rect=box, value=self.form.values[name], change=partial(self._change, name),
                hint=self.wrong.get(name, hint),
                ghost=self._name() if name == "name" else GHOSTS[name], wrong=name in self.wrong, enter=self.begin,
                clipboard=self.app.services.clipboard,
            ),
            self._wrong(name, said),
        ]  # fmt: skip

    def _setting(self, number: int, row: Rect, look: Look) -> list[Widget]:
        name = f"setting{number}"
        label, box, said = self._cut(row, look)
        box = Rect(label.x, box.y, box.right - label.x, box.h)
        return [
            Field(
                key=name, rect=box, value=self.form.settings[number], change=partial(self._set, number),
                hint=self.wrong.get(name, "A key of the configuration, = and its value"),
                ghost="key = value", wrong=name in self.wrong,
                enter=self.begin, clipboard=self.app.services.clipboard,
            ),
            self._wrong(name, said),
        ]  # fmt: skip

    def _wrong(self, name: str, rect: Rect) -> Widget:
        text = self.wrong.get(name, "")
        if not text:
            return Panel(key=f"{name}.wrong", rect=Rect(rect.x, rect.y, 0, 0), border=False)
        fonts, size = self.app.look.fonts, self.app.look.px(12)
        lines = len(fonts.wrap(text, rect.w - self.app.look.px(22), size))
        rect = rect.centre_within(rect.w, min(lines * fonts.height(size), rect.h))
        return Label(key=f"{name}.wrong", rect=rect, text=text, size=12, colour=self.app.look.theme.danger, wrap=True,
                     icon="warning", may_cut=True)  # fmt: skip
