"""What the session screen tells of the run itself: what differs from its preset, how it is repeated, tags and note."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, SMALL
from gui.screens.dialogs.dialog import Prompt
from gui.screens.sessions.session_view import SessionView
from gui.sessions.about import RunFacts
from gui.widgets.base import Label, Widget
from gui.widgets.button import button
from gui.widgets.commands import Command, by_id
from gui.widgets.table import ROW, Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App

GROUP = "The run"
NO_COMMAND = "No command repeats it: it takes more than one, or nobody knows from what it was made."
NOT_YET = "A command repeats generations, and none is complete yet."
UNREAD = "The run has not been read yet."
LINES = 3
"""Of the command that repeats a run, where there is room."""

LEAST_ROWS = 3
"""Of the table above it."""


def ask_tags(app: App, name: str, tags: Sequence[str], done: Callable[[str], str]) -> None:
    """Let a person write other tags of a run; `done` gives what is wrong with them."""
    text = "Words with commas between, by which it is found. An empty line takes them away."
    app.open(Prompt(app, f"Tags of {name}", text, done, value=", ".join(tags), ghost="slow, wide", take="Keep"))


def ask_note(app: App, name: str, note: str, done: Callable[[str], str]) -> None:
    """Let a person write a note on a run; `done` gives what is wrong with it."""
    text = "Kept beside the run. An empty line takes it away."
    app.open(Prompt(app, f"Note on {name}", text, done, value=note, take="Keep"))


def about_commands(screen: SessionView) -> list[Command]:
    """What can be done with what is told of the run."""
    about, name = screen.about, screen.followed.name
    facts, known = about.facts or RunFacts(), about.facts is not None and not about.facts.trouble
    why = about.facts.trouble if about.facts is not None else UNREAD
    return [
        Command(id="copy", name="Copy", keys=("ctrl+c",), icon="copy",
                run=lambda: copy_text(screen, facts.command, "The command that repeats this run is copied."),
                about="Copy the command that repeats this run", enabled=bool(facts.command), group=GROUP,
                why=(NO_COMMAND if facts.newest >= 0 else NOT_YET) if known else why),
        Command(id="tags", name="Tags", keys=("k",), icon="tag", about="Words by which this run is found",
                run=lambda: ask_tags(screen.app, name, facts.tags, partial(about.notes.tag, about.path)),
                enabled=known, why=why, group=GROUP),
        Command(id="note", name="Note", keys=("e",), icon="write", about="Write a note about this run",
                run=lambda: ask_note(screen.app, name, facts.note, partial(about.notes.write, about.path)),
                enabled=known, why=why, group=GROUP),
    ]  # fmt: skip


def copy_text(screen: SessionView, text: str, done: str) -> None:
    """Put a text onto the clipboard, and say so."""
    trouble = screen.app.services.clipboard.copy(text)
    screen.app.say(trouble or done, "warning" if trouble else "check")


def about_panel(screen: SessionView, rect: Rect, look: Look) -> list[Widget]:
    """A table of what is known, the command that repeats the run, buttons."""
    px, theme, facts = look.px, look.theme, screen.about.facts
    shown = RunFacts() if facts is None else facts
    said = shown.command or (NO_COMMAND if shown.newest >= 0 else NOT_YET)
    step = look.fonts.height(px(SMALL))
    lines = min(len(look.fonts.wrap(said, rect.w, px(SMALL))), LINES)
    while lines > 1 and rect.h - lines * step - px(CONTROL) - 2 * px(GAP) < (LEAST_ROWS + 1) * px(ROW):
        lines -= 1
    table, told, row = rect.rows(None, lines * step, px(CONTROL), gap=px(GAP))
    rows = _rows(shown)

    def cells(number: int) -> Sequence[str | Cell]:
        name, here, before = rows[number]
        return Cell(name, theme.muted), here, *([Cell(before, theme.muted)] if differs else [])

    differs = bool(shown.differences)
    found = by_id(screen.commands())
    places = row.columns(None, None, None, gap=px(GAP))
    names = ("copy", "tags", "note")
    return [
        Table(
            key="about", rect=table, count=0 if facts is None or facts.trouble else len(rows), cells=cells, size=SMALL,
            columns=(Column("", 132), Column("Here"), *([Column(shown.before, 96, may_cut=True)] if differs else [])),
            selected=min(screen.about_row, len(rows) - 1), select=screen.show_fact, headed=differs,
            activate=lambda row: copy_text(screen, rows[row][1], f"Copied: {rows[row][0]}."),
            empty="The run is being read…" if facts is None else facts.trouble,
            hint="What differs from its preset, and what else is known of it. Enter copies a value",
        ),
        Label(key="repeat", rect=told, text="" if facts is None else said, size=SMALL, colour=theme.muted,
              wrap=True, may_cut=True),
        *(button(found[name], f"do.{name}", place) for name, place in zip(names, places, strict=True)),
    ]  # fmt: skip


def _rows(facts: RunFacts) -> list[tuple[str, str, str]]:
    """Name, what it is here, and what it was before."""
    if facts.differences is None:
        differences = [("what differs", "not known here", "")]
    else:
        differences = list(facts.differences) or [("what differs", f"nothing from {facts.before}", "")]
    return [
        ("preset", facts.preset, ""),
        *([("branch of", facts.before, "")] if facts.before != facts.preset else []),
        ("seed", facts.seed, ""),
        *([("obtained", facts.obtained, "")] if facts.obtained else []),
        *([("digest", facts.digest, "")] if facts.digest else []),
        *([("tags", ", ".join(facts.tags), "")] if facts.tags else []),
        *([("note", facts.note, "")] if facts.note else []),
        *differences,
    ]
