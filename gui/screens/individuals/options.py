"""How a chosen opponent is to play: what is known of it, what speaks against that, sliders for depth and time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evolve.run.runs import FROZEN_RUN
from game.number_text import whole_text
from game.players.registry import KINDS
from gui.geometry import Rect
from gui.individuals.rows import Kind, Row
from gui.individuals.strengths import RANDOM, STRENGTHS, Strength
from gui.look.canvas import Look
from gui.look.measures import BODY, GAP, SMALL, TIGHT, TITLE
from gui.model.seats import MOST_DEPTH
from gui.preferences import Preferences
from gui.screens.individuals.panes import facts_of
from gui.widgets.base import Label, Widget
from gui.widgets.button import Segments, Slider, button
from gui.widgets.commands import Command
from gui.widgets.table import HEAD, ROW, Cell, Column, Table

SECONDS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0, 0.0)
"""Limits to choose from; 0 is no limit."""
AS_EVOLVED = 0
"""The depth that stands for the one with which the chosen player evolved: the left end of the slider."""


SCALE = (
    "100 Elo more win 64 % of the points; a ply is one move of one side. "
    f"A piece counter that looks 8 plies ahead is 0, random moves are {whole_text(RANDOM)}."
)
"""What the ratings mean."""


def details(row: Row | None, doubt: str, rect: Rect, look: Look, family: Command) -> list[Widget]:
    """All that is known of one, what speaks against how it is to play, or that it is played at all, and its family."""
    theme, px = look.theme, look.px
    if row is None:
        text = "Choose somebody from the list: by a click, or by the arrow keys."
        return [Label(key="details", rect=rect, text=text, wrap=True, colour=theme.muted)]
    head, body = rect.rows(px(28), None, gap=px(TIGHT))
    damaged = row.kind is Kind.DAMAGED
    icon, colour = ("warning", theme.warning) if damaged else ("", theme.muted)
    name = row.title.partition(" (")[0] if row.player else row.name
    head, corner = head.columns(None, px(28), gap=px(GAP))
    widgets: list[Widget] = [
        button(family, "do.family", corner, kind="quiet", icon_only=True),
        Label(key="details.name", rect=head, text=name, size=TITLE, bold=True, may_cut=True, icon=icon),
    ]
    trouble = "" if damaged else row.trouble or doubt
    if trouble:
        lines = len(look.fonts.wrap(trouble, body.w - px(23), px(BODY)))
        body, warning = body.rows(None, min(lines * look.fonts.height(px(BODY)), body.h), gap=px(TIGHT))
        widgets.append(
            Label(key="doubt", rect=warning, text=trouble, wrap=True, colour=theme.warning, icon="warning",
                  may_cut=True)
        )  # fmt: skip
    text = row.trouble if damaged else "\n".join(_told(row))
    return [*widgets, Label(key="details", rect=body, text=text, wrap=True, colour=colour, may_cut=True)]


def _told(row: Row) -> list[str]:
    if row.kind is Kind.BUILT_IN:
        return [KINDS[row.player].about if row.player in KINDS else ""]
    lines = [f"From {row.source}"] if row.source else []
    if row.generation is not None:
        name = f"{row.name}, generation" if row.rank == 1 else "Generation"
        lines.append(
            f"{name} {row.generation}" + ("" if row.rank is None or row.origin == "learnt" else f", rank {row.rank}")
        )
    return [*lines, *facts_of(row)]


def time_index(settings: Preferences) -> int:
    """Which of `SECONDS` is chosen."""
    return SECONDS.index(settings.seconds) if settings.seconds in SECONDS else SECONDS.index(5.0)


def limits(
    plies: int,
    began: str,
    settings: Preferences,
    depth: Rect,
    time: Rect,
    set_depth: Callable[[int], object],
    set_time: Callable[[int], object],
) -> list[Widget]:
    """Sliders for the depth, in plies or `AS_EVOLVED`, and for the time, an index into `SECONDS`.

    `began` says how the chosen player came to a depth of its own; empty if none is known.
    """
    seconds = settings.seconds
    shown = "1, no look-ahead" if plies == 1 else f"{plies} plies"
    as_evolved = bool(began) and settings.depth == AS_EVOLVED
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
            shown=f"{began}: {shown}" if as_evolved else shown,
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


def strength_details(one: Strength, rect: Rect, look: Look, family: Command) -> list[Widget]:
    """What is known of a strength, and its family."""
    head, body = rect.rows(look.px(28), None, gap=look.px(TIGHT))
    head, corner = head.columns(None, look.px(28), gap=look.px(GAP))
    text = f"{whole_text(one.rating)} ± {one.margin} Elo: {one.less}.\nThe champion of {FROZEN_RUN}, {one.about}."
    return [
        button(family, "do.family", corner, kind="quiet", icon_only=True),
        Label(key="details.name", rect=head, text=one.name, size=TITLE, bold=True, may_cut=True),
        Label(key="details", rect=body, text=text, wrap=True, colour=look.theme.muted, may_cut=True),
    ]


def strengths_height(width: int, look: Look) -> int:
    """Height of the list of strengths with what its ratings mean below."""
    lines = len(look.fonts.wrap(SCALE, width, look.px(SMALL)))
    return look.px(HEAD + (ROW + 1) * len(STRENGTHS) + GAP) + lines * look.fonts.height(look.px(SMALL)) + look.px(GAP)


def strength_list(
    chosen: int, pick: Callable[[int], object], play: Callable[[int], object], rect: Rect, look: Look
) -> list[Widget]:
    """The strengths with their ratings and what they do less, the strongest first, and what the ratings mean."""
    px, last = look.px, len(STRENGTHS) - 1
    lines = len(look.fonts.wrap(SCALE, rect.w, px(SMALL))) * look.fonts.height(px(SMALL))
    table, line = rect.rows(None, lines, gap=px(GAP))
    wide = rect.w >= px(500)

    def cells(row: int) -> Sequence[str | Cell]:
        one, muted = STRENGTHS[last - row], look.theme.muted
        margin = [Cell(f"± {one.margin}", muted)] if wide else []
        return Cell(one.name, bold=last - row == chosen), whole_text(one.rating), *margin, Cell(one.less, muted)

    columns = (Column("Strength", 100), Column("Elo", 64, "right"), *([Column("95 %", 70)] if wide else []),
               Column("What it does less"))  # fmt: skip
    return [
        Table(
            key="strengths", rect=table, columns=columns, count=len(STRENGTHS), cells=cells,
            selected=-1 if chosen < 0 else last - chosen, select=lambda row: pick(last - row),
            activate=lambda row: play(last - row), hint="Enter or a double click plays",
        ),
        Label(key="scale", rect=line, text=SCALE, size=SMALL, colour=look.theme.muted, wrap=True),
    ]  # fmt: skip
