"""The end of a session: what its champion beats, and ways to play, watch and understand it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from evolve.run.status import State
from game.number_text import count_text, span_text
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, GAP, LARGE_CONTROL
from gui.screens.play.game_parts import StatusText
from gui.widgets.base import Command, Widget
from gui.widgets.button import button

if TYPE_CHECKING:
    from gui.screens.sessions.session import SessionScreen

ENDS = (State.DONE, State.STOPPED)
"""States of a run whose page shows its champion in place of the progress."""


def has_finale(screen: SessionScreen) -> bool:
    run = screen.run
    return run.state in ENDS and screen.newest >= 0 and not (screen.begins or run.trouble or screen.launched_trouble)


def finale(screen: SessionScreen, rect: Rect, look: Look, commands: Mapping[str, Command]) -> list[Widget]:
    """Return the buttons of the champion; playing against it is the main purpose once all generations are complete."""
    place = rect.rows(look.px(LARGE_CONTROL), None)[0]
    watch = f"Watch it against generation {screen.other:,}"
    texts = {"play": ("Play it",) * 2, "watch": (watch, "Watch"), "why": ("Why it is good", "Why")}
    widths = [look.fonts.size(long, look.px(BODY))[0] for long, _ in texts.values()]
    room = (place.w - 2 * look.px(GAP) - sum(widths)) // len(texts)
    whole = room >= look.px(CONTROL)
    columns = place.columns(*[width + room if whole else None for width in widths], gap=look.px(GAP))
    main = "play" if screen.run.state == State.DONE else ""
    return [
        replace(
            button(commands[name], f"finale.{name}", column, kind="main" if name == main else "plain"),
            text=long if whole else brief,
        )
        for (name, (long, brief)), column in zip(texts.items(), columns, strict=True)
    ]


def champion_status(screen: SessionScreen, rect: Rect) -> StatusText:
    """Return what the champions of a complete run beat, in place of its state."""
    run, verdict = screen.run, screen.run.verdict
    head = f"Generation {screen.newest:,} is the champion"
    if verdict is not None and verdict.opponent:
        number, does = (verdict.generation, "is rated above") if verdict.by < 0 else (verdict.by, "beats")
        head = f"Generation {number:,} {does} {verdict.opponent}"
    text = f"{count_text(screen.newest + 1, 'generation')}, {run.work:,} {run.kind.work} in {span_text(run.seconds)}."
    return StatusText(key="status", rect=rect, head=head, text=text, icon="crown", tone="good")
