"""How a chosen opponent is to play: what is known of it, what speaks against that, sliders for depth and time."""

from __future__ import annotations

from collections.abc import Callable

from game.players.registry import KINDS
from gui.geometry import Rect
from gui.individuals.rows import Kind, Row
from gui.individuals.strengths import STRENGTHS, explained, measured, strength_of
from gui.look.canvas import Look
from gui.look.theme import Theme
from gui.model.seats import MOST_DEPTH
from gui.preferences import Preferences
from gui.screens.individuals.panes import facts_of
from gui.widgets.base import Label, Widget
from gui.widgets.button import Segments, Slider
from gui.widgets.dropdown import Dropdown

SECONDS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0, 0.0)
"""Limits to choose from; 0 is no limit."""
AS_EVOLVED = 0
"""The depth that stands for the one with which the chosen player evolved: the left end of the slider."""


def details(row: Row | None, doubt: str, rect: Rect, look: Look) -> list[Widget]:
    """All that is known of one, and what speaks against how it is to play, or that it is played at all."""
    theme, px = look.theme, look.px
    if row is None:
        text = "Choose somebody from the list: by a click, or by the arrow keys."
        return [Label(key="details", rect=rect, text=text, wrap=True, colour=theme.muted)]
    head, body = rect.rows(px(28), None, gap=px(4))
    damaged = row.kind is Kind.DAMAGED
    icon, colour = ("warning", theme.warning) if damaged else ("", theme.muted)
    name = row.title.partition(" (")[0] if row.player else row.name
    widgets: list[Widget] = [
        Label(key="details.name", rect=head, text=name, size=17, bold=True, may_cut=True, icon=icon)
    ]
    trouble = "" if damaged else row.trouble or doubt
    if trouble:
        lines = len(look.fonts.wrap(trouble, body.w - px(23), px(13)))
        body, warning = body.rows(None, min(lines * look.fonts.height(px(13)), body.h), gap=px(4))
        widgets.append(
            Label(key="doubt", rect=warning, text=trouble, wrap=True, colour=theme.warning, size=13, icon="warning",
                  may_cut=True)
        )  # fmt: skip
    text = row.trouble if damaged else "\n".join(_told(row))
    return [*widgets, Label(key="details", rect=body, text=text, wrap=True, colour=colour, size=13, may_cut=True)]


def _told(row: Row) -> list[str]:
    if row.kind is Kind.BUILT_IN:
        return [KINDS[row.player].about if row.player in KINDS else ""]
    lines = [f"From {row.source}"] if row.source else []
    if row.generation is not None:
        name = f"{row.name}, generation" if row.rank == 1 else "Generation"
        lines.append(f"{name} {row.generation}" + ("" if row.rank is None else f", rank {row.rank}"))
    return [*lines, *facts_of(row)]


def time_index(settings: Preferences) -> int:
    """Which of `SECONDS` is chosen."""
    return SECONDS.index(settings.seconds) if settings.seconds in SECONDS else SECONDS.index(5.0)


def limits(
    plies: int,
    evolved: bool,
    settings: Preferences,
    depth: Rect,
    time: Rect,
    set_depth: Callable[[int], object],
    set_time: Callable[[int], object],
) -> list[Widget]:
    """Sliders for the depth, in plies or `AS_EVOLVED`, and for the time, an index into `SECONDS`.

    `evolved` is whether it is known with which depth the chosen player evolved.
    """
    seconds = settings.seconds
    shown = "1, no look-ahead" if plies == 1 else f"{plies} plies"
    as_evolved = evolved and settings.depth == AS_EVOLVED
    return [
        Slider(
            key="depth",
            rect=depth,
            text="Depth",
            shortcut="+ −",
            value=AS_EVOLVED if as_evolved else plies,
            low=AS_EVOLVED,
            high=MOST_DEPTH,
            change=set_depth,
            shown=f"as evolved: {shown}" if as_evolved else shown,
            hint="How many moves, its own and yours, every line is searched; at the left end as far as it evolved",
        ),
        Slider(
            key="time",
            rect=time,
            text="Time per move",
            shortcut="< >",
            value=time_index(settings),
            low=0,
            high=len(SECONDS) - 1,
            change=set_time,
            shown=f"at most {seconds:g} s" if seconds else "no limit",
            hint="After this time it plays the best move found so far",
        ),
    ]


def choices_of_policy(sampling: bool, pick: Callable[[int], object], rect: Rect) -> list[Widget]:
    """How a policy plays, in place of limits of a search: its first choice, or one drawn by probability."""
    label, rest = rect.rows(rect.h // 2, None)
    return [
        Label(key="sampling.label", rect=label, text="It does not search. It plays", bold=True, may_cut=True),
        Segments(key="sampling", rect=rest, names=("First choice", "By chance"), chosen=int(sampling), pick=pick,
                 hint="The move that it finds likeliest, or one drawn by its probabilities"),
    ]  # fmt: skip


def strengths(
    player: str, plies: int, pick: Callable[[int], object], choices: Rect, line: Rect, theme: Theme
) -> list[Widget]:
    """Strengths to choose from, and what was measured of the chosen one."""
    chosen = strength_of(player, plies)
    return [
        Dropdown(
            key="strength",
            rect=choices,
            names=[each.name for each in STRENGTHS],
            chosen=chosen,
            pick=pick,
            text="Strength",
            hint=f"{explained(chosen)}  (4)",
        ),
        Label(key="measured", rect=line, text=measured(chosen), size=12, colour=theme.muted, may_cut=True),
    ]
