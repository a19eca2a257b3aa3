"""The section of new sessions with a form: a preset, and all of its values to change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.runs import SHIPPED_RUNS
from extras.form.foresight import Foresight, options_of
from extras.form.plan import Plan, make_plan, preset_names, preset_title
from extras.form.values_panel import ValuesPanel
from game.errors import sentence
from game.number_text import count_text
from gui.events import Drop, Event, Key
from gui.evolving.arena import Spectacle
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import APART, CONTROL, EDGE, GAP, LARGE_CONTROL, ROOM, SMALL, TIGHT
from gui.runs.live_run import LiveRun
from gui.screens.entries import SectionEntry
from gui.screens.evolution import race_plot
from gui.screens.screen import Screen
from gui.screens.sessions.start import begin_session
from gui.sessions.form import MOST_MINUTES, Form, free_name, whole
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import Button, button
from gui.widgets.field import Dropdown, Field

if TYPE_CHECKING:
    from gui.storage.settings import Settings

ROWS = {
    "name": ("Name", "Name of the run and of its folder", ""),
    "generations": ("Last generation", "With 15, generations 0 to 15 are made", "as in the preset"),
    "minutes": ("Minutes", "Ends after about this time, or at the last generation", "as long as it takes"),
    "seed": ("Seed", "The same seed and values give the same run", "random"),
    "network": ("Network", "cnn-247, blondie-1741, anaconda-5046 or a TOML file", "the preset’s"),
    "games": ("Games", "A PDN file of recorded games: choose one, or drop it here", "a file of recorded games"),
    "workers": ("Workers", "Processes that play", "one per core"),
}
"""The title, the meaning and the ghost of each field."""
PACE = 0.1
LINE, END, CURVE, BESIDE, TITLE_WIDTH = 20, 72, 200, 900, 140
"""Heights of a line, of the end of the form, and the least one of a curve; widths for fields beside all values, and of
the title of a section."""
NO_GAMES = "It learns from recorded games: choose a PDN file."
WAITS = "Playing a few games to estimate the time…"


KEPT = ("preset", "generations", "minutes", "workers", "network", "games")
"""Fields that are saved for the next form; not the name, which is taken by then, nor the seed, which would repeat the
run."""


def last_form(store: Settings) -> Form:
    form = Form()
    preset = form.values["preset"]
    for name in KEPT:
        form.values[name] = store.get(f"session_{name}", form.values[name])
    for line in store.get("session_settings", "").splitlines():
        key, _, value = line.partition("=")
        form.settings[key] = value
    if form.values["preset"] not in preset_names():
        form.values["preset"] = preset
    return form


def keep_form(form: Form, store: Settings) -> None:
    for name in KEPT:
        store.set(f"session_{name}", form.values[name])
    store.set("session_settings", "\n".join(form.lines))


class FormSection(SectionEntry):
    """A preset and folded sections, each of which says its values in a sentence."""

    id, name = "everything", "All settings"

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        self.ui, self.form = screen.ui, last_form(self.app.services.store)
        self.wrong: dict[str, str] = {}
        shown = next(iter(self.form.settings), "population.parents")
        self.values = ValuesPanel(self.ui, self.start, self.app.services.clipboard, shown)
        self._free = ("", "")
        self.foresight = Foresight()
        screen.to_close.append(self.foresight.close)
        self._written: object = None
        self.section, self.unfolded = "", False
        self.choose(self.form.values["preset"])

    def choose(self, preset: str) -> None:
        """Choose a preset, which may be that of a published system."""
        names = preset_names()
        self.presets = names if preset in names else [preset, *names]
        self._pick(self.presets.index(preset))

    def begin(self) -> None:
        self.ui.focus = "preset"

    def _sections(self) -> dict[str, tuple[str, str, tuple[str, ...]]]:
        """Return the title, the values in a sentence, and the fields of each section."""
        form, plan = self.form, self._plan(self.form.lines)
        values = {name: text.strip() for name, text in form.values.items()}
        minutes = whole(values["minutes"], 1, MOST_MINUTES)
        end = f"about {count_text(minutes, 'minute')}" if minutes else f"generations 0 to {plan.last:,}"
        seed = f"seed {values['seed']}" if values["seed"] else "a random seed"
        source = "games" if form.games_key else "network"
        workers = f"{values['workers']} workers" if values["workers"] else "one process per core"
        parts = values["name"] or self._name(), end, seed, Path(values[source]).name, workers
        changed = ", ".join(line.replace("=", " = ", 1) for line in form.lines)
        return {
            "run": ("Details", f"{', '.join(filter(None, parts))}.",
                    ("name", "generations", "minutes", "seed", source, "workers")),
            "values": ("All values", f"Changed: {changed}." if changed else "Unchanged.", ()),
        }  # fmt: skip

    @property
    def pace(self) -> float:
        return PACE if self.foresight.busy else super().pace

    def tick(self, now: float) -> bool:
        form, reads = self.form, bool(self._shipped.run.read_log().lines) or self._shipped.tick(now)
        written = (dict(form.values), dict(form.settings))
        if written != self._written:
            self._written = written
            if self.wrong:  # what was corrected may have been the fault of another field, too
                self.wrong = form.check(self.app.services.runs).wrong
            arguments = options_of(form, self.app.services.runs)
            if arguments is None:
                self.foresight.forget()
            else:
                self.foresight.ask(arguments, form.kind.verb, now)
        return self.foresight.step(now) or reads

    def handle(self, event: Event) -> bool:
        """Take a dropped file of games; ↑ and ↓ choose among the keys that match a search."""
        if isinstance(event, Drop) and event.path.lower().endswith(".pdn") and self.form.games_key:
            self._change("games", event.path)
            return True
        if isinstance(event, Key) and self.ui.focus == "find" and event.name in ("up", "down"):
            return self.values.move(1 if event.name == "down" else -1)
        return False

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
            self.ui.focus = "preset"

    def _open_section(self, name: str) -> None:
        if name == "values":
            self._fold()
        else:
            self.section = "" if self.section == name else name

    def _choose_games(self) -> None:
        from gui.screens.dialogs.files import Files

        self.app.open(Files.to_open(self.app, self._take_games))

    def _take_games(self, path: Path) -> str:
        if not path.is_file():
            return f"{path.name} is not a file of games."
        self._change("games", str(path))
        return ""

    def commands(self) -> Sequence[Command]:
        why = NO_GAMES if self.form.games_key and not self.form.values["games"].strip() else ""
        why = f"{count_text(len(self.wrong), 'field')} to correct." if self.wrong else why
        return [
            *([Command(id="choose-games", name="Choose a file", keys=("ctrl+o",), run=self._choose_games,
                       about="Choose the file of recorded games", icon="open")] if self.form.games_key else []),
            Command(id="begin", name="Begin", keys=("ctrl+return", "return"), run=self.start,
                    about="Start the session and watch it", icon="evolution", why=why, enabled=not why),
            Command(id="search", name="Find a key", keys=("ctrl+f",), run=self._find,
                    about="Find a key by a part of its name or meaning", icon="search"),
            Command(id="values", name="All values", keys=(), run=self._fold, chosen=self.unfolded,
                    about="Show or hide all values of the configuration", icon="list"),
            Command(id="preset", name="Reset", keys=(), run=self._clear,
                    about="Reset all fields to the preset’s values", icon="rematch"),
        ]  # fmt: skip

    def _clear(self) -> None:
        preset = self.form.values["preset"]
        self.form, self.wrong = Form(), {}
        self.form.values["preset"] = preset

    def start(self) -> None:
        """Check the form; start the session, or show the errors beside the fields."""
        keep_form(self.form, self.app.services.store)
        self.wrong = self.form.check(self.app.services.runs).wrong
        if self.wrong:
            self._focus_error()
        else:
            begin_session(self.app, self.form)

    def _focus_error(self) -> None:
        sections = self._sections()
        places = {field: section for section, (_, _, fields) in sections.items() for field in fields}
        first = next((field for field in ("preset", *places) if field in self.wrong), "value")
        self.section, self.ui.focus = places.get(first, self.section), first
        settings = [key for key in self.form.settings if key in self.wrong and key not in places]
        if settings:
            self.values.shown, self.values.sought, self.unfolded = settings[0], "", True

    def _change(self, name: str, text: str) -> None:
        self.form.values[name] = text
        self.wrong.pop(name, None)

    def _pick(self, number: int) -> None:
        self._change("preset", self.presets[number])
        self.wrong, self.section = {}, ""
        self._shipped = Spectacle(LiveRun(SHIPPED_RUNS / self.presets[number]))

    def _name(self) -> str:
        preset = self.form.values["preset"]
        if self._free[0] != preset:
            self._free = (preset, free_name(self.app.services.runs, preset))
        return self._free[1]

    def _plan(self, settings: Sequence[str]) -> Plan:
        last = whole(self.form.values["generations"].strip(), 0, 10**9)
        return make_plan(self.form.values["preset"], tuple(settings), last)

    def view(self, area: Rect, look: Look) -> list[Widget]:
        px = look.px
        area = area.centre_within(min(area.w, px(1240 if self.unfolded else 820)), area.h)
        if not self.unfolded:
            return self._left(area, look)
        left, right = area.columns(None, area.w * 56 // 100, gap=px(APART))
        if area.w >= px(BESIDE):
            fields = self._left(left, look)
        else:  # the values take the place of the fields
            top, right, below = area.rows(px(CONTROL), None, px(END), gap=px(GAP))
            fields = [*self._head("values", top, look), *self._end(below, look)]
        return [*fields, *self.values.view(right, look, self.form, self.wrong)]

    def _end(self, area: Rect, look: Look) -> list[Widget]:
        """Return what the session takes, or what is missing, above the button that begins it."""
        px, commands, form, estimate = look.px, by_id(self.commands()), self.form, self.foresight
        changed = bool(form.settings) or any(text for name, text in form.values.items() if name != "preset")
        line, place = area.rows(0 if self.wrong else px(LINE), px(LARGE_CONTROL), gap=px(GAP))
        place, *rest = place.columns(None, *[px(120)] * changed, gap=px(GAP))
        widgets: list[Widget] = [button(commands["preset"], "clear", at) for at in rest]
        if self.wrong:
            return [button(commands["begin"], "faults", place, text=commands["begin"].reason, icon="warning",
                           kind="danger", enabled=True, run=self._focus_error), *widgets]  # fmt: skip
        first = "choose-games" if form.games_key and not form.values["games"].strip() else "begin"
        waits = estimate.trouble or (WAITS if estimate.busy else "")
        text = NO_GAMES if first == "choose-games" else sentence(estimate.brief[0]) if estimate.brief else waits
        hint = " ".join(map(sentence, estimate.words))
        return [
            Label(key="foreseen", rect=line, text=text, hint=hint, may_cut=True),
            button(commands[first], first, place, kind="main"),
            *widgets,
        ]

    def _head(self, name: str, place: Rect, look: Look) -> list[Widget]:
        """Return the button that opens or folds a section, and the values of the section beside it."""
        title, words, _ = self._sections()[name]
        opened = self.unfolded if name == "values" else name == self.section
        head, place = place.columns(look.px(TITLE_WIDTH), None, gap=look.px(ROOM))
        place = place.columns(None, look.px(ROOM))[0]
        said = words.rstrip(".").split(", ")
        text = look.first_fitting([f"{', '.join(said[:n])}." for n in range(len(said), 0, -1)], place.w)
        return [
            Button(key=f"section.{name}", rect=head, run=partial(self._open_section, name), text=title, hint=words,
                   icon="up" if opened else "down", kind="quiet", align="left"),
            Label(key=f"{name}.words", rect=place, text=text, may_cut=True, hint=words, colour=look.theme.muted),
        ]  # fmt: skip

    def _left(self, area: Rect, look: Look) -> list[Widget]:
        px, sections, wrong = look.px, self._sections(), self.wrong
        box, area, end = area.rows(px(CONTROL), None, px(END), gap=px(GAP))
        widgets: list[Widget] = [
            Dropdown(
                key="preset", rect=box, pick=self._pick, names=[preset_title(name) for name in self.presets],
                chosen=self.presets.index(self.form.values["preset"]), text="Preset",
                hint=wrong.get("preset", "") or sentence(self._plan(self.form.lines).words),
            ),
        ]  # fmt: skip
        if text := wrong.get("preset", ""):
            message, area = area.rows(min(look.tall(text, area.w), px(2 * LINE)), None, gap=px(GAP))
            widgets.append(Label(key="preset.note", rect=message, text=text, hint=text, may_cut=True, wrap=True,
                                 colour=look.theme.danger))  # fmt: skip
        fields = sections[self.section][2] if self.section else ()
        # In a low window, what is wrong with a field is only in its tooltip.
        head, gap, note = px(CONTROL), px(GAP), px(16) if area.w >= px(440) else px(31)
        faults = len(wrong.keys() & set(fields)) * note
        if area.h < (len(sections) + len(fields)) * (head + gap) + faults:
            gap, note = px(TIGHT), 0
            head = min(head, (area.h - len(fields) * (head + gap)) // len(sections) - gap)
        for name, (_, _, names) in sections.items():
            shown = names if name == self.section else ()
            card, (top, area) = area, area.rows(head, None)
            parts = self._head(name, top, look)
            for field in shown:
                row, below, area = area.rows(px(CONTROL), note * (field in wrong), None)
                parts += self._row(field, row.inset(px(ROOM), 0), below, look)
                area = area.rows(gap, None)[1]
            widgets += [Panel(key=f"{name}.card", rect=card.rows(area.y - card.y, None)[0]), *parts]
            area = area.rows(gap, None)[1]
        end, rest = Rect(end.x, area.y, end.w, end.bottom - area.y).rows(px(END), None, gap=px(EDGE))
        return [*widgets, *self._end(end, look), *self._reached(rest, look)]

    def _reached(self, area: Rect, look: Look) -> list[Widget]:
        """Return the curve of the shipped run of the preset, if there is one and it has room."""
        spectacle, px = self._shipped, look.px
        if spectacle.race is None or area.h < px(CURVE):
            return []
        place, preset = area.rows(min(area.h, area.w * 3 // 4), None)[0], self.form.values["preset"]
        plot = race_plot(spectacle, spectacle.race, place.inset(px(EDGE), px(ROOM)))
        return [
            Panel(key="reached.card", rect=place),
            replace(plot, key="reached", title=f"Rating that “{preset}” has reached", says=None, mark=-1),
        ]

    def _row(self, name: str, row: Rect, below: Rect, look: Look) -> list[Widget]:
        px, (title, hint, ghost) = look.px, ROWS[name]
        label, place = row.columns(min(px(130), row.w * 40 // 100), None, gap=px(GAP))
        box, value, wrong = place, self.form.values[name], self.wrong.get(name, "")
        widgets: list[Widget] = [Label(key=f"{name}.label", rect=label, text=title, bold=True)]
        if name == "games":
            box, choose = place.columns(None, min(px(104), place.w * 4 // 10), gap=px(GAP))
            widgets.append(button(by_id(self.commands())["choose-games"], "do.choose-games", choose))
        widgets.append(
            Field(key=name, rect=box, value=value, change=partial(self._change, name), hint=wrong or hint,
                  ghost=self._name() if name == "name" else ghost, wrong=bool(wrong), enter=self.start,
                  clipboard=self.app.services.clipboard)
        )  # fmt: skip
        if below.h:
            widgets.append(
                Label(key=f"{name}.note", rect=Rect(place.x, below.y, place.w, below.h), text=wrong, size=SMALL,
                      colour=look.theme.danger, wrap=True, may_cut=True)
            )  # fmt: skip
        return widgets
