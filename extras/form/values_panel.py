"""All values of a new session: a table, a search for keys, and a field for the chosen value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from extras.form.plan import Value, make_plan
from game.errors import capital
from gui.events import key_text
from gui.geometry import Rect
from gui.look.canvas import Canvas, Look
from gui.look.theme import CONTROL, EDGE, GAP, TIGHT, TITLE
from gui.sessions.form import Form
from gui.system import Clipboard
from gui.widgets.base import Label, Panel, Ui, Widget
from gui.widgets.field import Field
from gui.widgets.table import HEAD, ROW, Cell, Column, Table

if TYPE_CHECKING:
    from evolve.config.check import ConfigKey

KEY, VALUE, WIDE = 170, 92, 600
"""Widths of two columns, and the one from which there is a third."""
LESS = re.compile(r"; | \(|, which|, with|\. |(?<=\w{6}): ")
"""The list leaves out of a meaning what follows one of these."""


class ValuesPanel:
    def __init__(self, ui: Ui, begin: Callable[[], object], clipboard: Clipboard, shown: str) -> None:
        self.shown, self.sought = shown, ""
        self._ui, self._begin, self._clipboard = ui, begin, clipboard
        self._listed: Sequence[str] = ()

    def seek(self, text: str) -> None:
        self.sought = text
        self._ui.memory.pop("settings", None)  # scroll to the best match

    def move(self, step: int) -> bool:
        if not self._listed or self.shown not in self._listed:
            return False
        at = self._listed.index(self.shown) + step
        self.shown = self._listed[min(max(at, 0), len(self._listed) - 1)]
        return True

    def take(self) -> None:
        """Edit the value of the chosen match."""
        self.sought = ""
        self._ui.focus = "value"

    def view(self, area: Rect, look: Look, form: Form, wrong: dict[str, str]) -> list[Widget]:
        """Return search, table, meaning and value of the chosen key.

        Args:
            wrong: errors by key; changing a value removes its error.
        """
        px, theme = look.px, look.theme
        effective = {value.key: value for value in make_plan(form.values["preset"], tuple(form.lines)).values}
        stages = len({key.split(".")[1] for key in effective if key.startswith("stages.")})
        known = {key.name: key for key in _known(stages)}
        self._list(form, effective, known)
        keys, chosen = self._listed, self.shown
        bad = _grouped(capital(wrong.get(chosen, "").removeprefix(f"{chosen}: ")))
        words = bad or _meaning(effective.get(chosen), known.get(chosen))
        head, area = area.rows(px(CONTROL), None, gap=px(GAP))
        high = px(TITLE + CONTROL + 2 * EDGE + 3 * GAP) + look.tall(words, area.w - 2 * px(EDGE))
        rows = max(min((area.h - high - px(HEAD + TIGHT + GAP)) // px(ROW), len(keys) or 2), 1)
        table, card, near = area.rows(px(HEAD + TIGHT) + rows * px(ROW), high, None, gap=px(GAP))
        title, text, place = card.inset(px(EDGE)).rows(px(TITLE + GAP), None, px(CONTROL), gap=px(GAP))

        def cells(key: str) -> Sequence[str | Cell]:
            written, active = form.settings.get(key, ""), effective.get(key)
            value = written or (active.text if active else "not used")
            words = LESS.split(_alternative(active.about if active else _idle(known.get(key)), value))[0]
            tone = theme.danger if key in wrong else None if active else theme.muted
            bold, sign = bool(written) and key not in wrong, "warning" if key in wrong else ""
            return [
                Cell(key, tone, sign, bold=bold),
                Cell(value, tone, bold=bold),
                Cell(words, draw=partial(_draw, words)),
            ][:across]

        across = 3 if area.w >= px(WIDE) else 2
        columns = [Column("Key", KEY if across > 2 else None), Column("Value", VALUE), Column("Meaning")][:across]
        preset = {value.key: value.text for value in make_plan(form.values["preset"]).values}
        group = f"{chosen.partition('.')[0]}."
        others = [key for key in effective if key.startswith(group) and key not in keys and self.sought]
        line, below = near.rows(px(CONTROL), None)
        fit = min(below.h // px(ROW), len(others))
        return [
            Field(key="find", rect=head, value=self.sought, change=self.seek, enter=self.take, ghost="Find a key",
                  icon="search", shortcut=key_text("ctrl+f"), clipboard=self._clipboard),
            Table(
                key="settings", rect=table, columns=columns, count=len(keys), cells=lambda row: cells(keys[row]),
                arranged=self.sought, selected=keys.index(chosen) if chosen in keys else -1,
                select=lambda row: self._show(keys[row]), activate=lambda row: self._edit(keys[row]),
                empty=self._why_empty, hint="Enter or a double click changes the value",
            ),
            Panel(key="value.card", rect=card),
            Label(key="value.label", rect=title, text=chosen, size=TITLE, bold=True, may_cut=True),
            Label(key="meaning", rect=text, wrap=True, may_cut=True, text=words, colour=theme.danger if bad else None),
            Field(
                key="value", rect=place, value=form.settings.get(chosen, ""), change=partial(_set, form, wrong, chosen),
                hint=bad or "Leave empty for the preset’s value", wrong=bool(bad), enter=self._begin,
                ghost=preset.get(chosen, ""), clipboard=self._clipboard,
            ),
            *([Label(key="near.label", rect=line, text=f"Beside it in {group[:-1]}", bold=True),
               Table(key="near", rect=below.rows(fit * px(ROW) + px(TIGHT), None)[0], columns=columns, headed=False,
                     count=fit, cells=lambda row: cells(others[row]), select=lambda row: self._show(others[row]),
                     keys=False)] if fit else []),
        ]  # fmt: skip

    def _list(self, form: Form, effective: dict[str, Value], known: dict[str, ConfigKey]) -> None:
        from evolve.config.check import matching_keys

        keys = [*effective, *(key for key in form.settings if key not in effective)]  # unknown and inactive keys last
        if self.sought.strip():
            listed = [known[key] for key in keys if key in known]
            sections = {key.partition(".")[0] for key in effective}
            others = [key for name, key in known.items() if name not in effective]
            others.sort(key=lambda key: key.name.partition(".")[0] not in sections)
            # One that is not used is found only if no other is.
            keys = [key.name for key in matching_keys(self.sought, listed) or matching_keys(self.sought, others)]
        self._listed = keys
        if self.shown not in keys and keys:
            self.shown = keys[0]

    @property
    def _why_empty(self) -> str:
        if not self.sought:
            return "This preset cannot be read. Choose another on the left."
        return f"There is no key “{self.sought.strip()}”."

    def _show(self, key: str) -> None:
        if key not in self._listed:
            self.seek(key)
        self.shown = key

    def _edit(self, key: str) -> None:
        self.shown, self._ui.focus = key, "value"


def _draw(words: str, canvas: Canvas, rect: Rect) -> None:
    """Draw a line in letters of one size, however long it is."""
    line = rect.centre_within(rect.w, canvas.line_height())
    canvas.paragraph(words, line, canvas.theme.muted, may_cut=True)


def _set(form: Form, wrong: dict[str, str], key: str, text: str) -> None:
    form.change(key, text)
    wrong.pop(key, None)


@cache
def _known(stages: int) -> tuple[ConfigKey, ...]:
    from evolve.config.check import known_keys

    return tuple(known_keys(stages))


def _idle(key: ConfigKey | None) -> str:
    """Return the text for a key that has no effect with the other values."""
    if key is None:
        return ""
    why = f"Used only with {' or '.join(key.kinds)}." if key.kinds else "It has no effect with the other values."
    return f"{capital(key.text)}. {why}"


def _alternative(words: str, value: str) -> str:
    """Return a meaning; of a list of alternatives, only that of the value is meant."""
    parts = [part.partition(": ") for part in words.split("; ")]
    if len(parts) > 1 and all(colon for _, colon, _ in parts):
        words = next((about for names, _, about in parts if value in names.lower().split(", ")), words)
    return capital(words)


def _meaning(value: Value | None, key: ConfigKey | None) -> str:
    """Return what a key means, and the values that it may have."""
    words = f"{(value.about if value is not None else _idle(key)).rstrip('.')}. "
    return words if key is None else f"{words}Allowed: {_grouped(key.allowed)}."


def _grouped(text: str) -> str:
    """Return a text with the digits of the largest values that it names in groups, as everywhere in the window."""
    return re.sub(r"(?<= to )(\d{4,})(\.0)?\b", lambda found: f"{int(found[1]):,}", text)
