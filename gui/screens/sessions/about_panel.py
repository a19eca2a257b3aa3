"""The tab of the session screen about the run itself: differences from its preset, tags, note, how to repeat it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, SMALL
from gui.runs.run_facts import RunFacts
from gui.screens.dialogs.dialog import Prompt
from gui.widgets.base import Command, Label, Widget
from gui.widgets.button import button
from gui.widgets.table import ROW, Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App
    from gui.screens.sessions.session import SessionScreen

GROUP = "The run"
NO_COMMAND = "No single command repeats it: it would take several, or its origin is unknown."
NOT_YET = "No generation is complete yet, so there is nothing to repeat."
UNREAD = "The run has not been read yet."
LINES = 3
"""Most lines of the command that repeats a run."""

LEAST_ROWS = 3
"""Least rows of the table above it."""


def ask_tags(app: App, name: str, tags: Sequence[str], done: Callable[[str], str]) -> None:
    """Ask for the tags of a run; `done` takes them and returns what is wrong with them."""
    text = "Words to find it by, separated by commas. An empty line removes them."
    app.open(Prompt(app, f"Tags of {name}", text, done, value=", ".join(tags), ghost="slow, wide", take="Keep"))


def ask_note(app: App, name: str, note: str, done: Callable[[str], str]) -> None:
    """Ask for the note on a run; `done` takes it and returns what is wrong with it."""
    text = "Kept beside the run. An empty line removes it."
    app.open(Prompt(app, f"Note on {name}", text, done, value=note, take="Keep"))


def about_commands(screen: SessionScreen) -> list[Command]:
    """Return the commands for the facts about the run, its tags and its note."""
    run = screen.run
    facts, known = run.facts or RunFacts(), run.facts is not None and not run.facts.trouble
    why = run.facts.trouble if run.facts is not None else UNREAD
    return [
        Command(id="copy", name="Copy", keys=("ctrl+c",), icon="copy",
                run=lambda: copy_text(screen, facts.command, "The command that repeats this run is copied."),
                about="Copy the command that repeats this run", enabled=bool(facts.command), group=GROUP,
                why=(NO_COMMAND if facts.newest >= 0 else NOT_YET) if known else why),
        Command(id="tags", name="Tags", keys=("k",), icon="tag", about="Words to find this run by",
                run=lambda: ask_tags(screen.app, run.name, facts.tags, partial(run.notes.tag, run.path)),
                enabled=known, why=why, group=GROUP),
        Command(id="note", name="Note", keys=("e",), icon="write", about="Write a note about this run",
                run=lambda: ask_note(screen.app, run.name, facts.note, partial(run.notes.write, run.path)),
                enabled=known, why=why, group=GROUP),
    ]  # fmt: skip


def copy_text(screen: SessionScreen, text: str, done: str) -> None:
    """Copy a text to the clipboard, and say so."""
    trouble = screen.app.services.clipboard.copy(text)
    screen.app.say(trouble or done, "warning" if trouble else "check")


def about_panel(screen: SessionScreen, rect: Rect, look: Look, commands: Mapping[str, Command]) -> list[Widget]:
    """Return a table of the facts, the command that repeats the run, and buttons."""
    px, theme, facts = look.px, look.theme, screen.run.facts
    shown = RunFacts() if facts is None else facts
    repeat = shown.command or (NO_COMMAND if shown.newest >= 0 else NOT_YET)
    step = look.fonts.height(px(SMALL))
    lines = min(len(look.fonts.wrap(repeat, rect.w, px(SMALL))), LINES)
    while lines > 1 and rect.h - lines * step - px(CONTROL) - 2 * px(GAP) < (LEAST_ROWS + 1) * px(ROW):
        lines -= 1
    table, below, row = rect.rows(None, lines * step, px(CONTROL), gap=px(GAP))
    rows = _rows(shown)

    def cells(number: int) -> Sequence[str | Cell]:
        name, here, before = rows[number]
        return Cell(name, theme.muted), here, *([Cell(before, theme.muted)] if differs else [])

    differs = bool(shown.differences)
    places = row.columns(None, None, None, gap=px(GAP))
    names = ("copy", "tags", "note")
    return [
        Table(
            key="about", rect=table, count=0 if facts is None or facts.trouble else len(rows), cells=cells, size=SMALL,
            columns=(Column("", 132), Column("Here"), *([Column(shown.before, 96, may_cut=True)] if differs else [])),
            selected=min(screen.about_row, len(rows) - 1), select=screen.show_fact, headed=differs,
            activate=lambda row: copy_text(screen, rows[row][1], f"Copied: {rows[row][0]}."),
            empty="The run is being read…" if facts is None else facts.trouble,
            hint="Differences from its preset, and other facts. Enter copies a value",
        ),
        Label(key="repeat", rect=below, text="" if facts is None else repeat, size=SMALL, colour=theme.muted,
              wrap=True, may_cut=True),
        *(button(commands[name], f"do.{name}", place) for name, place in zip(names, places, strict=True)),
    ]  # fmt: skip


def _rows(facts: RunFacts) -> list[tuple[str, str, str]]:
    """Return name, value here and value before of each fact."""
    if facts.differences is None:
        differences = [("differences", "unknown", "")]
    else:
        differences = list(facts.differences) or [("differences", f"none from {facts.before}", "")]
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
