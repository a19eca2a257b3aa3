"""The settings: changes take effect at once, and a small board shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from gui.geometry import Rect, Size
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
    "bottom": ("Side at the bottom", BOTTOMS),
    "board": ("Board", {name: colours.title for name, colours in BOARDS.items()}),
    "pieces": ("Pieces", {name: title for name, (title, _) in PIECES.items()}),
}
"""Titles of the settings with several values, and those of their values."""
LEFT = 3
"""Number of these in the left column; the others are below the board, which shows them."""
LABEL, SIZE, TOGGLE, BETWEEN = 24, 50, 38, 6
"""Heights of a label, of the size and of a switch, and the gap between them."""

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
        settings = self.app.services.settings
        widgets = self.header(size, look)
        area = below_header(size, look)
        tall = area.h > area.w
        card = area.centre_within(area.w if tall else look.px(1040), area.h if tall else look.px(660))
        widgets.append(Panel(key="card", rect=card))
        board, choices, scale, switches, note = self._places(card.inset(look.px(APART), look.px(EDGE)), look, tall=tall)
        least = math.floor(max(LEAST_SCALE, smallest_wish(size)) * 20 + 1e-9)
        most = math.ceil(min(MOST_SCALE, largest_wish(size)) * 20 - 1e-9)
        widgets.append(
            Slider(
                key="scale", rect=scale, text="Size of everything", bold=True, low=least, high=most,
                value=min(max(round(settings.scale * 20), least), most),
                change=lambda steps: self.app.change_settings(scale=steps / 20),
                shown=_size_text(settings.scale, size), hint="Limited so that everything fits in the window",
            )
        )  # fmt: skip
        for (name, text, _), place in zip(self._switches, switches, strict=True):
            widgets.append(
                Toggle(key=name, rect=place, text=text, on=getattr(settings, name), run=partial(self._switch, name))
            )
        for name, (head, below) in zip(CHOICES, choices, strict=True):
            title, values = CHOICES[name]
            widgets += [
                Label(key=f"{name}.label", rect=head, text=title, bold=True),
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

    def _places(
        self, inner: Rect, look: Look, *, tall: bool
    ) -> tuple[Rect, list[tuple[Rect, Rect]], Rect, list[Rect], Rect]:
        """Return the places of the board, of label and values of each choice, of the size, the switches and a note.

        They are in two columns, or on a tall screen one below the other with the switches in two columns.
        """
        px, count = look.px, len(self._switches)
        choice, label, size, gap = px(CONTROL), px(LABEL), px(SIZE), px(BETWEEN)
        rows = -(-count // 2) if tall else count
        if tall:
            first, second = [label, choice] * len(CHOICES), list[int]()
            others = sum(first) + size + rows * px(TOGGLE) + gap * (len(first) + rows + 1)
            board, left = inner.rows(min(inner.w, inner.h - others), None, gap=gap)
            right = Rect(inner.x, inner.bottom, inner.w, 0)
        else:
            left, right = inner.columns(max(inner.w // 2 - px(15), px(326)), None, gap=px(APART))
            first, second = [label, choice] * LEFT, [label, choice] * (len(CHOICES) - LEFT)
            board, right = right.rows(min(right.w, right.h - sum(second) - gap * len(second)), None, gap=gap)
        free = left.h - sum(first) - size - gap * (len(first) + rows)
        *parts, scale, below = left.rows(*first, size, None, gap=gap)
        lines = below.rows(*[min(px(TOGGLE), free // rows)] * rows, None, gap=gap)[:rows]
        switches = [place for line in lines for place in line.columns(None, None)] if tall else lines
        *more, note = right.rows(*second, None, gap=gap)
        heads = [*parts[::2], *more[::2]]
        return board, list(zip(heads, [*parts[1::2], *more[1::2]], strict=True)), scale, switches[:count], note


def _size_text(scale: float, size: Size) -> str:
    here, asked = min(max(scale, smallest_wish(size)), largest_wish(size)), f"{scale * 100:.0f} %"
    return asked if abs(here - scale) < 1e-9 else f"{asked}, here {here * 100:.0f} %"
