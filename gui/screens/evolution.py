"""The panel of a run that evolves, for any screen: a sentence, and the race to the levels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gui.evolving.race import HIGH, LOW, Race, headline, moment_text
from gui.evolving.spectacle import Spectacle
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import BODY, GAP
from gui.runs.live_run import LiveRun
from gui.runs.session_state import interval_text, rating_text
from gui.widgets.base import Label, Widget
from gui.widgets.plot import Curve, ReferenceLine
from gui.widgets.race import RacePlot

HEAD = 40
"""Height of the sentence above the race, in pixels of the design."""

CHOICE = "Click or press ← → to choose a generation"
MEANING = "The rating of each champion. A level is marked when a champion has beaten it in games against it"


def evolution_panel(
    spectacle: Spectacle, rect: Rect, look: Look, pick: Callable[[int], object] | None = None
) -> list[Widget]:
    """Return the widgets of the panel; empty for a run without a race.

    Args:
        spectacle: the state of the panel, which the screen ticks.
        pick: called with a generation that was chosen in the plot; None if none can be chosen.
    """
    race = spectacle.race
    if race is None:
        return []
    head, plot = rect.rows(look.px(HEAD), None, gap=look.px(GAP))
    return [headline_label(spectacle, race, head, look), race_plot(spectacle, race, plot, pick)]


def headline_label(spectacle: Spectacle, race: Race, rect: Rect, look: Look) -> Widget:
    """Return the sentence about the run: what was just beaten, or else how far it has come."""
    moment = spectacle.moment
    text = f"{moment_text(moment.line)}!" if moment else headline(race, spectacle.generation)
    colour = look.theme.good if moment else look.theme.text
    return Label(key="headline", rect=rect, text=text, size=BODY, bold=True, colour=colour, wrap=True, may_cut=True)


def race_plot(spectacle: Spectacle, race: Race, rect: Rect, pick: Callable[[int], object] | None = None) -> RacePlot:
    run, moment = spectacle.run, spectacle.moment
    hint = f"{MEANING}. {CHOICE}" if pick else MEANING
    return RacePlot(
        key="rating", rect=rect, curves=run.kept("race curve", lambda: (_curve(race),)), low=LOW, high=HIGH,
        least=race.length, title="Race to the levels", says=partial(_values_text, run, race),
        brief=partial(_brief_text, race), mark=spectacle.generation, pick=pick, hint=hint,
        levels=tuple(ReferenceLine(line.rating, line.name) for line in race.lines),
        beaten=tuple(line.beaten for line in race.lines), flash=spectacle.flash,
        flashing=race.lines.index(moment.line) if moment is not None and moment.line in race.lines else -1,
    )  # fmt: skip


def _curve(race: Race) -> Curve:
    return Curve(race.values, 0, low=race.low, high=race.high, sparse=not race.estimated or None in race.values)


def _values_text(run: LiveRun, race: Race, at: int) -> str:
    if race.estimated:
        return ", ".join(filter(None, (_brief_text(race, at), race.basis)))
    value, low, high = (column[at] for column in run.interval("rating") or ())
    ends = interval_text(low, high)
    return f"Generation {at:,}: {rating_text(value, low)}" + (f" ({ends})" if ends else "")


def _brief_text(race: Race, at: int) -> str:
    value = race.values[at]
    return "" if value is None else f"{at:,}: about {value:.0f}" if race.estimated else f"{at:,}: {value:.0f}"
