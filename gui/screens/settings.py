"""The settings: changes take effect at once, and a small board shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from gui.geometry import Size
from gui.look.canvas import Look, largest_wish, smallest_wish
from gui.look.theme import APART, BOARDS, CONTROL, EDGE, PIECES, THEMES
from gui.model.lines import Piece
from gui.screens.screen import Screen, below_header
from gui.storage.settings import BOTTOMS, LEAST_SCALE, MOST_SCALE
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.board import BoardMarks, BoardWidget
from gui.widgets.button import Segments, Slider, Toggle

SWITCHES = (
    ("numbers", "Square numbers", "1"),
    ("dots", "Dots where a piece can go", "2"),
    ("must_marks", "Rings where you must capture", "3"),
    ("confirm", "Confirm each move", "8"),
    ("evaluation_bar", "Chances beside the board", "b"),
    ("sounds", "Sounds", ""),
    ("fullscreen", "Full screen", "f11"),
)
CHOICES: dict[str, tuple[str, dict[str, str]]] = {
    "theme": ("Theme", {name: theme.title for name, theme in THEMES.items()}),
    "animation": ("Animation", {"off": "At once", "fast": "Fast", "normal": "Normal", "slow": "Slow"}),
    "board": ("Board", {name: colours.title for name, colours in BOARDS.items()}),
    "pieces": ("Pieces", {name: title for name, (title, _) in PIECES.items()}),
    "bottom": ("Side at the bottom", BOTTOMS),
}
"""Titles of the settings with several values, and those of their values."""

SAMPLE = {square: Piece(0, square == 6) for square in (1, 6, 10, 20)}
SAMPLE |= {square: Piece(1, square == 22) for square in (14, 22, 27, 32)}


class SettingsScreen(Screen):
    title = "Settings"

    def commands(self) -> Sequence[Command]:
        settings, common = self.app.services.settings, by_id(self.app.commands())
        switches = [
            Command(id=name.replace("_", "-"), name=text, keys=(key,) if key else (), run=partial(self._switch, name),
                    chosen=getattr(settings, name))
            for name, text, key in self._switches if name not in common
        ]  # fmt: skip
        return [
            Command(id="larger", name="Larger text", keys=("+",), run=common["larger"].run,
                    about="Make everything larger"),
            Command(id="smaller", name="Smaller text", keys=("-",), run=common["smaller"].run,
                    about="Make everything smaller"),
            *(Command(id=name, name=CHOICES[name][0], keys=(key,), run=partial(self._next, name), about="Next value")
              for name, key in zip(("animation", "board", "pieces", "bottom"), "4567", strict=True)),
            *switches,
        ]  # fmt: skip

    @property
    def _switches(self) -> list[tuple[str, str, str]]:
        audible = self.app.services.speaker.audible
        return [switch for switch in SWITCHES if audible or switch[0] != "sounds"]

    def _chosen(self, name: str) -> int:
        return list(CHOICES[name][1]).index(getattr(self.app.services.settings, name))

    def _next(self, name: str) -> None:
        self._pick(name, (self._chosen(name) + 1) % len(CHOICES[name][1]))

    def _pick(self, name: str, number: int) -> None:
        self.app.change_settings(**{name: list(CHOICES[name][1])[number]})

    def _switch(self, name: str) -> None:
        common = by_id(self.app.commands())
        if name in common:
            common[name].run()
        else:
            self.app.change_settings(**{name: not getattr(self.app.services.settings, name)})

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, settings = look.px, self.app.services.settings
        known = by_id((*self.app.commands(), *self.commands()))
        widgets = self.header(size, look)
        area = below_header(size, look)
        card = area.centre_within(px(1040), px(660))
        widgets.append(Panel(key="card", rect=card))
        inner = card.inset(px(APART), px(EDGE))
        left, right = inner.columns(max(inner.w // 2 - px(15), px(326)), None, gap=px(APART))
        choice, label, gap = px(CONTROL), px(24), px(7)
        least = math.floor(max(LEAST_SCALE, smallest_wish(size)) * 20 + 1e-9)
        most = math.ceil(min(MOST_SCALE, largest_wish(size)) * 20 - 1e-9)
        count = len(self._switches)
        switch = min(px(44) - gap, (left.h - 2 * (label + choice) - px(50) - gap * (count + 5)) // count)
        parts = left.rows(label, choice, label, choice, px(50), *[switch] * count, None, gap=gap)
        widgets.append(
            Slider(
                key="scale", rect=parts[4], text="Size of everything", bold=True, low=least, high=most,
                value=min(max(round(settings.scale * 20), least), most),
                change=lambda steps: self.app.change_settings(scale=steps / 20),
                shortcut=f"{known['larger'].key} {known['smaller'].key}".strip(),
                shown=_size_text(settings.scale, size), hint="Limited so that everything fits in the window",
            )
        )  # fmt: skip
        for (name, text, _), place in zip(self._switches, parts[5:-1], strict=True):
            widgets.append(
                Toggle(key=name, rect=place, text=text, on=getattr(settings, name),
                       shortcut=known[name.replace("_", "-")].key, run=partial(self._switch, name))
            )  # fmt: skip
        colours = 3 * (label + choice + 2 * gap)
        board, *rows, note = right.rows(min(right.w, right.h - choice - colours), *[label, choice] * 3, None, gap=gap)
        for name, head, below in zip(CHOICES, (*parts[:4:2], *rows[::2]), (*parts[1:4:2], *rows[1::2]), strict=True):
            title, values = CHOICES[name]
            widgets += [
                Label(key=f"{name}.label", rect=head, text=title, shortcut=known[name].key, bold=True),
                Segments(key=name, rect=below, names=[*values.values()], chosen=self._chosen(name),
                         pick=partial(self._pick, name)),
            ]  # fmt: skip
        dots, rings = settings.dots, settings.must_marks
        marks = BoardMarks(
            last=(31, 27) if dots else (), selected=10 if dots else 0, targets=(17,) if dots else (),
            must=() if not rings else (20,) if dots else (10, 20),
        )  # fmt: skip
        widgets.append(
            BoardWidget(key="sample", rect=board, pieces=SAMPLE, numbers=settings.numbers, marks=marks, enabled=False,
                        flipped=settings.flipped(False))
        )  # fmt: skip
        if trouble := self.app.services.trouble:
            widgets.append(Label(key="trouble", rect=note, text=trouble, wrap=True, icon="warning",
                                 colour=look.theme.warning, may_cut=True))  # fmt: skip
        return widgets


def _size_text(scale: float, size: Size) -> str:
    """Return the chosen size, and its effect in this window if that differs."""
    here, asked = min(max(scale, smallest_wish(size)), largest_wish(size)), f"{scale * 100:.0f} %"
    return asked if abs(here - scale) < 1e-9 else f"{asked}, here {here * 100:.0f} %"
