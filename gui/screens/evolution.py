"""The panel of a run that evolves, for any screen: a sentence, the race to the levels, an arena, and weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from game.networks.emblem import Emblem
from gui.evolving.arena import LiveArena, Spectacle
from gui.evolving.race import HIGH, LOW, Race, headline, moment_text, race_of
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import BODY, GAP, ROOM, SMALL, TIGHT
from gui.model.ending import SIDE_NAME
from gui.widgets.arena import ArenaBoards
from gui.widgets.base import Label, Widget
from gui.widgets.emblem import EmblemWidget
from gui.widgets.plot import Curve, Plot, RacePlot, ReferenceLine

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun

HEAD, NARROW_HEAD, CHANGE = 20, 38, 18
"""Heights of the sentence above the race, also in a narrow panel, and of the one about a change in its play."""

NARROW = 620
"""Width below which the sentence may need two lines."""

RACE, ARENA = 136, 88
"""Minimum heights of the parts; without room for both, there are no games."""

LARGE, LEAST_LARGE, SHIELD = 208, 120, 24
"""The largest and the least size of the champion's board, and that of the shield below it."""

GAMES = "A game that is over shows the colour that won. The next generation slides in from the winners"
CHANGED = "In the champions' games of the last 16 generations, compared with the 16 before"
CHOICE = "Click or press ← → to choose a generation"
BEATEN = "A level is marked when a champion has beaten it in games against it"
RATED = "A level is marked when the rating of a champion is surely above it, with a ring if later ones fell back"
MEANING = "The rating of each champion."
ESTIMATED = f"An estimate by few games, the mean of the last generations. {BEATEN}"


def evolution_panel(spectacle: Spectacle, rect: Rect, look: Look, text: str) -> list[Widget]:
    """Return a sentence, the race and the games, one below the other; nothing for a run without a race."""
    race, gap = spectacle.race, look.px(GAP)
    if race is None:
        return []
    head, rest = rect.rows(head_height(rect.w, look, text), None, gap=gap)
    title = "Estimated rating" if race.estimated and race.values else "Rating"
    if rest.h >= look.px(RACE + ARENA) + gap:
        place, boards = rest.rows(None, max(rest.h * 3 // 10, look.px(ARENA)), gap=gap)
    elif rest.w > 3 * rest.h:
        place, boards, title = *rest.columns(None, rest.w * 2 // 5, gap=look.px(ROOM)), ""
    else:
        place, boards = rest, Rect(0, 0, 0, 0)
    plot = replace(race_plot(spectacle, race, place), title=title, says=None)
    games = arena_widgets(spectacle, boards, look) if boards.h else []
    return [*headline_labels(spectacle, race, head, look, text), plot, *games]


def arena_widgets(spectacle: Spectacle, rect: Rect, look: Look, emblem: Emblem | None = None) -> list[Widget]:
    """Return the boards with a line above them that says whose games they play, and the champion's as the largest."""
    arena, first, widgets = spectacle.arena, None, list[Widget]()
    head, boards = rect.rows(look.px(CHANGE), None, gap=look.px(TIGHT))
    large = min(look.px(LARGE), boards.w * 2 // 5, boards.h - look.px(GAP + SHIELD))
    if arena.champion is not None and large >= look.px(LEAST_LARGE):
        left, boards = boards.columns(large, None, gap=look.px(ROOM))
        first, below = left.rows(left.w, look.px(SHIELD), gap=look.px(GAP))
        shield, name = below.columns(look.px(SHIELD), None, gap=look.px(GAP))
        side_name = SIDE_NAME[arena.champion]
        text = look.first_fitting([f"{spectacle.run.kind.leader}: {side_name}", side_name], name.w - look.px(GAP))
        widgets = [
            EmblemWidget(key="champion.emblem", rect=shield, emblem=emblem),
            Label(key="champion.side", rect=name, text=text, bold=True, may_cut=True),
        ]
    return [
        *widgets,
        Label(key="players", rect=head, text=_whose(arena), size=SMALL, colour=look.theme.muted, may_cut=True),
        ArenaBoards(
            key="arena", rect=boards, boards=arena.boards, before=arena.before, sliding=arena.sliding,
            first=first, empty=arena.trouble or "One moment…", hint=GAMES,
        ),
    ]  # fmt: skip


def _whose(arena: LiveArena) -> str:
    shown = arena.shown
    if shown is None or not shown.games:
        return ""
    return f"{'Recorded games up to' if shown.recorded else 'Games of'} generation {shown.generation:,}"


def head_height(width: int, look: Look, text: str = "") -> int:
    """Return the height of the sentences above the race: that of a text of one line, if it is given and fits."""
    fits = look.wide(text, BODY, bold=True) <= width if text else width >= look.px(NARROW)
    return look.px((HEAD if fits else NARROW_HEAD) + CHANGE)


def headline_labels(spectacle: Spectacle, race: Race, rect: Rect, look: Look, text: str | None = None) -> list[Label]:
    """Return what was just beaten, or else a sentence, by default how far the run has come; and what changed."""
    moment, theme, games = spectacle.moment, look.theme, spectacle.arena.shown
    if moment is not None:
        text = f"{moment_text(moment.line)}!"
    elif text is None:
        text = headline(race, spectacle.generation, *spectacle.past)
    step, change = look.fonts.height(look.px(BODY), bold=True), games.change if games is not None else ""
    room = max((rect.h - look.px(CHANGE)) // step, 1)
    lines = min(len(look.fonts.wrap(text, rect.w, look.px(BODY), bold=True)), room) if text else 0
    above, below = rect.rows(lines * step, look.px(CHANGE))
    hint = f"{change} {CHANGED}" if change else ""
    change = change and f"{change.partition(' (')[0].rstrip('.')}."
    return [
        Label(key="headline", rect=above, text=text, bold=True, wrap=True, may_cut=True,
              colour=theme.good if moment else theme.text),
        Label(key="change", rect=below, text=change, size=SMALL, colour=theme.muted, may_cut=True, hint=hint),
    ]  # fmt: skip


def race_plot(spectacle: Spectacle, race: Race, rect: Rect, pick: Callable[[int], object] | None = None) -> RacePlot:
    run, moment = spectacle.run, spectacle.moment
    means = ESTIMATED if race.estimated else f"{MEANING} {BEATEN if race.tested else RATED}"
    hint = f"{means}. {CHOICE}" if pick else means
    return levels_plot(
        race, _curves(run, race), key="rating", rect=rect, mark=spectacle.generation, pick=pick, hint=hint,
        says=partial(_value_text, race, spectacle.generation),
        title=f"Race to the levels{', estimated' if race.estimated and race.values else ''}",
        flash=spectacle.flash,
        flashing=race.lines.index(moment.line) if moment is not None and moment.line in race.lines else -1,
    )  # fmt: skip


def levels_plot(race: Race, curves: Sequence[Curve], **more: Any) -> RacePlot:
    """Return the plot of a race, on axes that are the same for all runs."""
    return RacePlot(
        curves=curves, low=LOW, high=HIGH, least=race.length, across="Generation",
        levels=tuple(ReferenceLine(line.rating, line.name) for line in race.lines),
        beaten=tuple(map(race.passed, race.lines)), lost=tuple(map(race.lost, race.lines)), **more,
    )  # fmt: skip


def small_plot(run: LiveRun) -> Plot | None:
    """Return the curve of a run with the levels next to its end, without axes; None while there is none."""
    race = race_of(run)
    value = None if race is None else race.value_at(run.newest)
    if race is None or value is None or run.newest < 1:
        return None
    below, above = ([line for line in race.lines if (line.rating > value) == higher] for higher in (False, True))
    near, curves = [ReferenceLine(line.rating, line.name) for line in (*below[-1:], *above[:1])], _curves(run, race)
    ends = [end for curve in curves for end in curve.ends or ()] + [line.value for line in near]
    return Plot(key="small.plot", rect=Rect(0, 0, 0, 0), curves=curves, low=min(ends), high=max(ends), axes=False,
                least=race.length, levels=near)  # fmt: skip


def _curves(run: LiveRun, race: Race) -> tuple[Curve]:
    return run.kept("race curve", lambda: (_curve(race),))


def _curve(race: Race) -> Curve:
    sparse = not race.estimated or None in race.values
    return Curve(race.values, 0, low=race.low, high=race.high, sparse=sparse, estimated=race.estimated)


def _value_text(race: Race, shown: int, at: int) -> str:
    """Return the rating of a generation; if the one on display has none, it is of an earlier or later one."""
    value, about = race.value_text(at), "about " * race.estimated
    if value and not race.value_text(shown):
        return f"Rated at {at:,}: {about}{value}"
    return value and f"Generation {at:,}: {about}{value}"
