"""The form that starts a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from game.errors import sentence
from game.number_text import span_text
from gui.events import Drop, Event, Key
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import APART, CONTROL, GAP, LARGE_CONTROL, ROOM, SMALL, TIGHT
from gui.screens.screen import Screen, below_header
from gui.screens.sessions.questions import with_own_code
from gui.screens.sessions.values_panel import ValuesPanel
from gui.sessions import launch
from gui.sessions.form import (
    DURATIONS,
    FIELDS,
    Checked,
    Form,
    preset_kind,
    preset_names,
    save_preset,
    whole,
    workers_hint,
)
from gui.sessions.launch import Foresight
from gui.sessions.plan import Plan, make_plan
from gui.widgets.base import Command, Label, Widget, by_id
from gui.widgets.button import Segments, Slider, button
from gui.widgets.field import Dropdown, Field

if TYPE_CHECKING:
    from evolve.kinds.methods import FormField
    from gui.app import App

ROWS = (
    ("name", "Name", "Name of the run and of its folder"),
    ("generations", "Last generation", "Counted from 0: with 15, generations 0 to 15 are made"),
    ("seed", "Seed", "The same seed and values give the same run"),
    ("workers", "Workers", ""),
    ("network", "Network", "cnn-247, blondie-1741, anaconda-5046 or a TOML file"),
)
GAMES = ("games", "Games", "A PDN file of recorded games: choose one, or drop it here")
"""The row that replaces the network in presets that learn from recorded games."""
GHOSTS = {
    "games": "a file of recorded games",
    "generations": "as in the preset",
    "seed": "random",
    "workers": "one per core",
    "network": "the preset’s",
}
PACE = 0.1
LEAST_BOX = 26
"""Minimum height of a field beside which hints are displayed, in pixels of the design."""
WAITS = "Playing a few games to estimate the time…"
DURATION_HINT = "Sets the preset and the last generation by an estimate"
NO_TIME = "The time cannot be estimated for these values: choose the last generation yourself."


class SessionStart(Screen):
    """A form: a preset, and values that differ from it."""

    title = "New session"
    browses = True

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.form = Form.last(app.services.store)
        self.presets = preset_names()
        self.wrong: dict[str, str] = {}
        shown = next(iter(self.form.settings), "population.parents")
        self.values = ValuesPanel(self.ui, self.begin, app.services.clipboard, shown)
        self._free = ("", "")
        self.foresight = Foresight()
        self.to_close.append(self.foresight.close)
        self._written: object = None
        self._begins = False
        self.unfolded = not self.form.own_keys.keys() >= self.form.settings.keys()  # what was changed is visible
        self.ui.focus = "preset"

    @property
    def _rows(self) -> tuple[tuple[str, str, str], ...]:
        own = ((key, field.title, field.hint) for key, field in self.form.own_keys.items())
        workers = {"workers": workers_hint()}
        rows = [(name, title, workers.get(name, hint)) for name, title, hint in ROWS[:-1]]
        return (*rows, GAMES if self.form.games_key else ROWS[-1], *own)

    @property
    def pace(self) -> float:
        return PACE if self.foresight.busy or self._estimates else super().pace

    def tick(self, now: float, dt: float) -> bool:
        form = self.form
        written = (dict(form.values), dict(form.settings), form.duration)
        if written != self._written:
            self._written = written
            arguments = form.foreseen()
            if arguments is None:
                self.foresight.forget()
                if form.duration >= 0:
                    form.duration = -1
                    self.app.say(NO_TIME, "warning")
            else:
                self.foresight.ask(arguments, form.kind.verb, now)
        changed = self.foresight.step(now)
        self._fit()
        if self._begins and not self._estimates:
            self._begins = False
            if self.form.duration >= 0:
                self.begin()
        return changed

    @property
    def _estimates(self) -> bool:
        return self.form.duration >= 0 and not self.foresight.words and not self.foresight.trouble

    def _fit(self) -> None:
        """Write the last generation that the estimate has chosen, if a time is chosen."""
        estimate, form = self.foresight, self.form
        if form.duration < 0 or not estimate.words:
            return
        if estimate.seconds is None:
            form.duration = -1
            self.app.say(NO_TIME, "warning")
        else:
            form.values["generations"] = str(estimate.generations)

    def handle(self, event: Event) -> bool:
        """Take a dropped file of games; ↑ and ↓ choose among the keys that match a search."""
        if isinstance(event, Drop) and event.path.lower().endswith(".pdn") and GAMES in self._rows:
            self._change("games", event.path)
            return True
        if isinstance(event, Key) and self.ui.focus == "find" and event.name in ("up", "down"):
            return self.values.move(1 if event.name == "down" else -1)
        return super().handle(event)

    def escape(self) -> bool:
        if not self.values.sought:
            return False
        self.values.seek("")
        return True

    def _find(self) -> None:
        self.unfolded = True
        self.ui.focus, self.ui.focus_shown = "find", True

    def _fold(self) -> None:
        self.unfolded = not self.unfolded
        if not self.unfolded:
            self.values.seek("")
            self.ui.focus = "name"

    def _choose_games(self) -> None:
        from gui.screens.dialogs.files import Files

        self.app.open(Files.to_open(self.app, self._take_games))

    def _take_games(self, path: Path) -> str:
        if not path.is_file():
            return f"{path.name} is not a file of games."
        self._change("games", str(path))
        return ""

    def commands(self) -> Sequence[Command]:
        takes = GAMES in self._rows
        return [
            *([Command(id="choose-games", name="Choose a file", keys=("ctrl+o",), run=self._choose_games,
                       about="Choose the file of recorded games", icon="open")] if takes else []),
            Command(id="begin", name="Begin", keys=("ctrl+return", "return"), run=self.begin,
                    about="Start the session and watch it", icon="play"),
            Command(id="search", name="Find a key", keys=("ctrl+f",), run=self._find,
                    about="Find a key by a part of its name or meaning", icon="search"),
            Command(id="values", name="All values", keys=(), run=self._fold, chosen=self.unfolded,
                    about="Show or hide all values of the configuration", icon="list"),
            Command(id="save-preset", name="Save as preset", keys=(), run=self._save_preset,
                    about="Save these values as a preset with the name of the run", icon="save"),
            Command(id="preset", name="Reset", keys=(), run=self._clear,
                    about="Reset all fields to the preset’s values", icon="rematch"),
        ]  # fmt: skip

    def _clear(self) -> None:
        self.form = Form(self.form.values | dict.fromkeys((row[0] for row in self._rows if row[0] in FIELDS), ""))
        self.wrong = {}

    def _save_preset(self) -> None:
        """Save a preset under the name in the field for the run, which must not be empty."""
        name = self.form.values["name"].strip()
        if not name:
            self.ui.focus = "name"
            self.app.say("Enter a name for the preset in the field “Name”.", "warning")
            return
        why = save_preset(self.form, name)
        if why:
            self.app.say(why, "warning")
            return
        self.presets = preset_names()
        self.form.values |= {"name": "", "preset": name}
        self.form.settings.clear()
        self.app.say(f"“{name}” is now a preset.")

    def begin(self) -> None:
        """Check the form; start the session, or show the errors beside the fields."""
        services = self.app.services
        checked = self.form.check(services.runs)
        self.form.keep(services.store)
        self.wrong = checked.wrong
        if self.wrong:
            self._focus_error(checked)
            return
        self._begins = self._estimates
        if self._begins:
            self.app.say("It begins as soon as the last generation is estimated.")
            return
        with_own_code(self.app, self.form.values["preset"], partial(self._start, checked))

    def _start(self, checked: Checked, more: list[str]) -> None:
        from gui.screens.sessions.session import SessionScreen

        services, arguments = self.app.services, (*checked.arguments, *more)
        try:
            services.runs.mkdir(parents=True, exist_ok=True)
            launched = launch.start(arguments, self.form.kind.verb)
        except OSError as error:
            self.app.say(f"The session cannot be started: {error.strerror}.", "warning")
            return
        self.app.replace(SessionScreen(self.app, services.runs / checked.name, launched))

    def _focus_error(self, checked: Checked) -> None:
        """Move the focus to the first field with an error."""
        own = self.form.own_keys
        fields = ("preset", *(row[0] for row in self._rows))
        settings = [key for key in self.form.settings if key in checked.wrong and key not in own]
        if settings:
            self.values.shown, self.values.sought, self.unfolded = settings[0], "", True
        self.ui.focus = next((name for name in fields if name in checked.wrong), "value")
        count = len(checked.wrong)
        self.app.say("One field must be corrected." if count == 1 else f"{count} fields must be corrected.", "warning")

    def _change(self, name: str, text: str) -> None:
        self._begins = False
        if name == "generations":
            self.form.duration = -1
        if name in FIELDS:
            self.form.values[name] = text
        else:
            self.form.change(name, text)
        self.wrong.pop(name, None)

    def _choose_duration(self, number: int) -> None:
        """Choose a time, with the preset that suits it."""
        self._pick(self.presets.index(DURATIONS[number].preset))
        self._change("generations", "")
        self.form.duration = number
        self.foresight.forget()  # it was for other values

    def _pick(self, number: int) -> None:
        self._change("preset", self.presets[number])
        self.wrong = {}

    def _name(self) -> str:
        preset = self.form.values["preset"]
        if self._free[0] != preset:
            self._free = (preset, self.form.free_name(self.app.services.runs))
        return self._free[1]

    def _plan(self, settings: Sequence[str]) -> Plan:
        last = whole(self.form.values["generations"].strip(), 0, 10**9)
        return make_plan(self.form.values["preset"], tuple(settings), last)

    # Widgets ------------------------------------------------------------------------------------------------------

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        area = below_header(size, look)
        area = area.centre_within(min(area.w, px(1240 if self.unfolded else 820)), area.h)
        main, begin = area.rows(None, px(LARGE_CONTROL), gap=px(ROOM))
        share = 0 if not self.unfolded else 56 if main.w >= px(900) else 50
        left, right = main.columns(None, main.w * share // 100, gap=px(APART if main.w >= px(900) else ROOM))
        commands = by_id(self.commands())
        place, clear, save, fold = begin.columns(None, None, None, None, gap=px(GAP))
        return [
            *self.header(size, look),
            *self._fields(left if self.unfolded else main, look),
            *(self.values.view(right, look, self.form, self.wrong) if self.unfolded else ()),
            button(commands["begin"], "begin", place, kind="main"),
            button(commands["preset"], "clear", clear),
            button(commands["save-preset"], "save-preset", save),
            button(commands["values"], "fold", fold),
        ]

    def _fields(self, area: Rect, look: Look) -> list[Widget]:
        px, tight = look.px, area.h < look.px(440)
        note = px(16) if area.w >= px(440) else px(31)
        count = len(self._rows)
        words = self.wrong.get("preset", "") or self._words
        lines = len(look.fonts.wrap(words, self._cut(area, look)[1].w, px(SMALL)))
        said = min(px(36 if area.h < px(370) else 50), lines * look.fonts.height(px(SMALL)) + px(4))
        boxes = count + 2
        each = (area.h - said - px(5) * 2 * boxes) // boxes
        tight = tight or each - note < px(LEAST_BOX)  # hints then appear only in tooltips
        note = 0 if tight else note
        high = min(px(CONTROL), each - note)
        time, below, area = area.rows(high, note, None, gap=px(TIGHT))
        widgets = self._times(time, None if tight else below, look)
        box, about, *rows = area.rows(high, said, *[high, note] * count, None, gap=px(TIGHT))
        label, place = self._cut(box, look)
        widgets += [
            *self._source(label, place),
            Label(key="about", rect=Rect(place.x, about.y, place.w, about.h), text=words, size=SMALL, wrap=True,
                  may_cut=True, colour=look.theme.danger if "preset" in self.wrong else look.theme.muted),
        ]  # fmt: skip
        for (name, title, hint), row, below in zip(self._rows, rows[::2], rows[1::2], strict=False):
            label, place = self._cut(row, look)
            box = place
            if name == "games":
                box, choose = place.columns(None, min(px(104), place.w * 4 // 10), gap=px(GAP))
                widgets.append(button(by_id(self.commands())["choose-games"], "do.choose-games", choose))
            widgets.append(Label(key=f"{name}.label", rect=label, text=title, bold=True))
            value = self.form.values[name] if name in FIELDS else self.form.settings.get(name, "")
            own = self.form.own_keys.get(name)
            if own is not None and own.steps:
                widgets.append(self._slider(name, box, own, value))
            else:
                widgets.append(self._field(name, box, value, hint, partial(self._change, name), self._ghost(name)))
            if not tight:
                widgets.append(self._said(name, Rect(place.x, below.y, place.w, below.h), hint, look))
        left = rows[2 * count]
        return [*widgets, *self._foreseen(Rect(area.x, left.y, area.w, left.h), look)]

    def _times(self, row: Rect, below: Rect | None, look: Look) -> list[Widget]:
        label, place = self._cut(row, look)
        words = self._duration_words
        names = [choice.title if place.w >= look.px(300) else choice.title.partition(":")[0] for choice in DURATIONS]
        widgets = [
            Label(key="duration.label", rect=label, text="Time", bold=True),
            Segments(key="duration", rect=place, names=names, chosen=self.form.duration, pick=self._choose_duration,
                     hint=words),
        ]  # fmt: skip
        if below is not None:
            widgets.append(self._said("duration", Rect(place.x, below.y, place.w, below.h), words, look))
        return widgets

    def _foreseen(self, area: Rect, look: Look) -> list[Widget]:
        estimate, size = self.foresight, look.px(SMALL)
        waits = estimate.trouble or (WAITS if estimate.busy else "")
        whole, brief = (
            " ".join(map(sentence, lines)) if lines else waits for lines in (estimate.words, estimate.brief)
        )
        head, text = area.rows(look.px(20), None, gap=look.px(TIGHT))
        if not whole or text.h < look.px(14):
            return []
        room, first = text.h // look.fonts.height(size), f"{brief.partition('. ')[0].rstrip('.')}."
        texts = (whole, brief, first, f"{first.partition(',')[0].rstrip('.')}.")
        shown = next((each for each in texts if len(look.fonts.wrap(each, text.w, size)) <= room), texts[-1])
        return [
            Label(key="foreseen.label", rect=head, text="What it takes", bold=True, may_cut=True),
            Label(key="foreseen", rect=text, text=shown, hint=whole, size=SMALL, wrap=True, may_cut=True,
                  colour=look.theme.muted),
        ]  # fmt: skip

    def _source(self, label: Rect, place: Rect) -> list[Widget]:
        return [
            Label(key="preset.label", rect=label, text="Preset", bold=True),
            Dropdown(
                key="preset", rect=place, pick=self._pick,
                names=[_preset_title(name) for name in self.presets],
                chosen=self.presets.index(self.form.values["preset"]),
                hint="All values that you do not change come from it",
            ),
        ]  # fmt: skip

    @property
    def _words(self) -> str:
        return self._plan(self.form.lines).words

    @property
    def _duration_words(self) -> str:
        if self.form.duration < 0:
            return DURATION_HINT
        if self.foresight.seconds is None:
            return WAITS if self.foresight.busy else self.foresight.trouble
        return f"Expected: about {span_text(max(self.foresight.seconds, 1))}. You can change every value below."

    def _ghost(self, name: str) -> str:
        if name == "name":
            return self._name()
        return GHOSTS[name] if name in FIELDS else self.form.ghost(name)

    @staticmethod
    def _cut(row: Rect, look: Look) -> tuple[Rect, Rect]:
        label, box = row.columns(min(look.px(130), row.w * 40 // 100), None, gap=look.px(GAP))
        return label, box

    def _field(self, key: str, rect: Rect, value: str, hint: str, change: Callable[[str], object], ghost: str) -> Field:
        wrong = self.wrong.get(key, "")
        return Field(
            key=key, rect=rect, value=value, change=change, hint=wrong or hint, ghost=ghost, wrong=bool(wrong),
            enter=self.begin, clipboard=self.app.services.clipboard,
        )  # fmt: skip

    def _slider(self, key: str, rect: Rect, field: FormField, value: str) -> Slider:
        """Return a slider between the steps of a key; a value between two steps is shown at the nearest."""
        shown, steps = value or self._ghost(key), field.steps
        number = whole(shown.strip(), 0, 10**9) or 0
        return Slider(
            key=key, rect=rect, text="", shown=shown, hint=self.wrong.get(key, "") or field.hint, low=0,
            high=len(steps) - 1, value=steps.index(min(steps, key=lambda step: abs(step - number))),
            change=lambda place: self._change(key, str(steps[place])),
        )  # fmt: skip

    def _said(self, name: str, rect: Rect, hint: str, look: Look) -> Label:
        wrong = self.wrong.get(name, "")
        colour = look.theme.danger if wrong else look.theme.muted
        return Label(
            key=f"{name}.said", rect=rect, text=wrong or hint, size=SMALL, colour=colour, wrap=True, may_cut=True
        )


def _preset_title(name: str) -> str:
    kind = preset_kind(name)
    return name if kind.breeds else f"{kind.noun}: {name}"
