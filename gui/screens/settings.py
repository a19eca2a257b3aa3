"""The settings: changes take effect at once, and a small board shows them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from gui.geometry import Size
from gui.look.canvas import Look, largest_wish, smallest_wish
from gui.look.theme import APART, BOARDS, CONTROL, EDGE, PIECES, THEMES
from gui.model.lines import Piece
from gui.screens.screen import Screen, below_header
from gui.storage.settings import ANIMATIONS, BOTTOMS, LEAST_SCALE, MOST_SCALE
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
SAMPLE = {1: Piece(0, False), 6: Piece(0, True), 10: Piece(0, False), 14: Piece(1, False), 22: Piece(1, True)} | {
    27: Piece(1, False),
    32: Piece(1, False),
    20: Piece(0, False),
}


class SettingsScreen(Screen):
    title = "Settings"

    def commands(self) -> Sequence[Command]:
        settings, common = self.app.services.settings, by_id(self.app.commands())
        switches = [
            Command(id=name.replace("_", "-"), name=text, keys=(key,) if key else (), run=partial(self._switch, name),
                    chosen=getattr(settings, name))
            for name, text, key in SWITCHES if name not in common
        ]  # fmt: skip
        return [
            Command(id="larger", name="Larger text", keys=("+",), run=common["larger"].run,
                    about="Make everything larger"),
            Command(id="smaller", name="Smaller text", keys=("-",), run=common["smaller"].run,
                    about="Make everything smaller"),
            Command(id="animation", name="Animation", keys=("4",), run=self._next_animation,
                    about="Switch to the next animation speed"),
            Command(id="board", name="Board", keys=("5",), run=partial(self._next, "board", BOARDS),
                    about="Switch to the next colours of the board"),
            Command(id="pieces", name="Pieces", keys=("6",), run=partial(self._next, "pieces", PIECES),
                    about="Switch to the next colours of the pieces"),
            Command(id="bottom", name="At the bottom", keys=("7",), run=partial(self._next, "bottom", BOTTOMS),
                    about="Switch to the next side at the bottom of the board"),
            *switches,
        ]  # fmt: skip

    def _next(self, name: str, choices: Mapping[str, object]) -> None:
        names = list(choices)
        here = names.index(getattr(self.app.services.settings, name))
        self._pick(name, choices, (here + 1) % len(names))

    def _pick(self, name: str, choices: Mapping[str, object], number: int) -> None:
        self.app.change_settings(**{name: list(choices)[number]})

    def _switch(self, name: str) -> None:
        common = by_id(self.app.commands())
        if name in common:
            common[name].run()
        else:
            self.app.change_settings(**{name: not getattr(self.app.services.settings, name)})

    def _next_animation(self) -> None:
        names = list(ANIMATIONS)
        here = names.index(self.app.services.settings.animation)
        self._animate((here + 1) % len(names))

    def _animate(self, number: int) -> None:
        self.app.change_settings(animation=list(ANIMATIONS)[number])

    def _theme(self, number: int) -> None:
        self.app.change_settings(theme=list(THEMES)[number])

    def _scale(self, percent: int) -> None:
        self.app.change_settings(scale=percent * 5 / 100)

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, settings = look.px, self.app.services.settings
        known = by_id((*self.app.commands(), *self.commands()))
        widgets = self.header(size, look)
        area = below_header(size, look)
        card = area.centre_within(px(1040), px(660))
        widgets.append(Panel(key="card", rect=card))
        inner = card.inset(px(APART), px(EDGE))
        left, right = inner.columns(max(inner.w // 2 - px(15), px(326)), None, gap=px(APART))
        line, gap = px(CONTROL), px(7)
        choice, label = px(CONTROL), px(24)
        least = math.floor(max(LEAST_SCALE, smallest_wish(size)) * 20 + 1e-9)
        most = math.ceil(min(MOST_SCALE, largest_wish(size)) * 20 - 1e-9)
        parts = left.rows(label, choice, label, choice, px(50), *[None] * len(SWITCHES), gap=gap)
        widgets += [
            Label(key="theme.label", rect=parts[0], text="Theme", shortcut=known["theme"].key, bold=True),
            Segments(key="theme", rect=parts[1], names=[theme.title for theme in THEMES.values()],
                     chosen=list(THEMES).index(look.theme.name), pick=self._theme),
            Label(key="animation.label", rect=parts[2], text="Animation", shortcut=known["animation"].key, bold=True),
            Segments(key="animation", rect=parts[3], names=["At once", "Fast", "Normal", "Slow"],
                     chosen=list(ANIMATIONS).index(settings.animation), pick=self._animate),
            Slider(
                key="scale", rect=parts[4], text="Size of everything", bold=True,
                shortcut=f"{known['larger'].key} {known['smaller'].key}".strip(),
                value=min(max(round(settings.scale * 20), least), most), low=least, high=most, change=self._scale,
                shown=_size_text(settings.scale, size),
                hint="Limited so that everything fits in the window",
            ),
        ]  # fmt: skip
        for (name, text, _), place in zip(SWITCHES, parts[5:], strict=True):
            widgets.append(
                Toggle(key=name, rect=place, text=text, on=getattr(settings, name),
                       shortcut=known[name.replace("_", "-")].key, run=partial(self._switch, name))
            )  # fmt: skip
        colours = 3 * (label + choice + 2 * gap)
        board, *rows, note = right.rows(min(right.w, right.h - line - colours), *[label, choice] * 3, None, gap=gap)
        widgets += [
            Label(key="board.label", rect=rows[0], text="Board", shortcut=known["board"].key, bold=True),
            Segments(key="board", rect=rows[1], names=[colour.title for colour in BOARDS.values()],
                     chosen=list(BOARDS).index(settings.board), pick=partial(self._pick, "board", BOARDS)),
            Label(key="pieces.label", rect=rows[2], text="Pieces", shortcut=known["pieces"].key, bold=True),
            Segments(key="pieces", rect=rows[3], names=[title for title, _ in PIECES.values()],
                     chosen=list(PIECES).index(settings.pieces), pick=partial(self._pick, "pieces", PIECES)),
            Label(key="bottom.label", rect=rows[4], text="Side at the bottom", shortcut=known["bottom"].key, bold=True),
            Segments(key="bottom", rect=rows[5], names=list(BOTTOMS.values()),
                     chosen=list(BOTTOMS).index(settings.bottom), pick=partial(self._pick, "bottom", BOTTOMS)),
        ]  # fmt: skip
        marks = BoardMarks(
            last=(31, 27) if settings.dots else (),
            selected=10 if settings.dots else 0,
            targets=(17,) if settings.dots else (),
            must=(10, 20) if settings.must_marks and not settings.dots else (20,) if settings.must_marks else (),
        )
        sample = BoardWidget(
            key="sample",
            rect=board,
            pieces=SAMPLE,
            numbers=settings.numbers,
            marks=marks,
            enabled=False,
            flipped=settings.flipped(False),
        )
        widgets.append(sample)
        trouble = self.app.services.trouble
        if trouble:
            widgets.append(
                Label(
                    key="trouble", rect=note, text=trouble, wrap=True, icon="warning",
                    colour=look.theme.warning, may_cut=True,
                )
            )  # fmt: skip
        return widgets


def _size_text(scale: float, size: Size) -> str:
    """Return the chosen size, and its effect in this window if that differs."""
    here, asked = min(max(scale, smallest_wish(size)), largest_wish(size)), f"{scale * 100:.0f} %"
    return asked if abs(here - scale) < 1e-9 else f"{asked}, here {here * 100:.0f} %"
