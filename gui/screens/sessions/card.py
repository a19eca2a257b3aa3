"""A session that works or waits, as a card on the first screen: its name, how far it has come, and its curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.status import State
from game.errors import capital
from game.networks.emblem import Emblem
from gui.evolving.arena import Spectacle
from gui.geometry import Rect
from gui.look.canvas import Canvas
from gui.look.theme import BODY, GAP, HEADING, ROOM, SMALL, TITLE
from gui.model.seats import individual
from gui.runs.session_state import SessionState, describe_session
from gui.screens.evolution import small_plot
from gui.widgets.base import Command, Ui, Widget, draw_share
from gui.widgets.button import Pressed, button
from gui.widgets.emblem import draw_emblem
from gui.widgets.plot import Plot

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun
    from gui.runs.sources import Sources

WIDE = 340
"""Minimum width of the inside of a card with the curve beside its name."""

LOOK_SECONDS = 1.0


class SessionCard:
    """The session on the card: one that works, else one that is paused, else the last one, until its page was opened.

    Only its log is read, a part at a time; its state comes from the list of runs.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._spectacle: Spectacle | None = None
        self._look_at = self._now = 0.0
        self.busy = False

    @property
    def run(self) -> LiveRun | None:
        """The run of the session; None if there is none, or while its log is being read for the first time."""
        run = None if self._spectacle is None else self._spectacle.run
        return None if run is None or (self.busy and run.newest < 0) else run

    def opened(self) -> None:
        """Forget a session that has ended, since its page was opened."""
        if self.run is not None and not self.run.going:
            self._spectacle = None

    def step(self, now: float) -> bool:
        """Look for a session and read some of its log; return whether anything changed."""
        self._now = now
        if now < self._look_at and not self.busy:
            return False
        self._look_at = now + LOOK_SECONDS
        changed = self._choose()
        if self._spectacle is None:
            self.busy = False
            return changed
        news = self._spectacle.run.read_log()
        changed, self.busy = changed or self.busy, news.more
        if self.busy:
            return changed
        return self._spectacle.tick(now) or changed or news.anew or bool(news.lines)

    def _choose(self) -> bool:
        """Choose the session; return whether it is another one, or in another state."""
        sources = self._sources
        here = None if self._spectacle is None else self._spectacle.run.path
        live = [source for source in sources.runs if source.live]
        order = {source.path: (source.state == State.PAUSED, source.path != here) for source in live}
        path = min(order, key=order.__getitem__, default=here)
        if path not in {source.path for source in sources.runs}:
            path = None  # its folder is gone
        if path != here:
            self._spectacle = None if path is None else Spectacle(sources.live(path))
        state = None if self._spectacle is None else (path, self._spectacle.run.state)
        before, self._state = self._state, state
        return before != state

    _state: tuple[Path | None, str] | None = None

    def view(
        self, rect: Rect, command: Command, emblem: Callable[[str], Emblem | None], *, whole: bool
    ) -> list[Widget]:
        """Return the whole card, or a button with the number of the generation.

        Args:
            emblem: returns the emblem of a player, for the newest champion.
        """
        spectacle, run = self._spectacle, self.run
        if spectacle is None or run is None:
            return []
        state = describe_session(run, self._now)
        if not whole:
            name = f"Generation {run.newest:,}" if run.newest >= 0 else run.title
            return [button(command, "do.session", rect, text=name)]
        return [
            CardButton(
                key="do.session", rect=rect, run=command.run, hint=command.hint, state=state,
                name=run.title, text=_text(spectacle, state), plot=small_plot(run), share=run.share,
                emblem=None if run.newest < 0 else emblem(individual(f"{run.player_name}@{run.newest}")),
            )
        ]  # fmt: skip


def _text(spectacle: Spectacle, state: SessionState) -> str:
    """Return how far a run has come and what it beats; before, what it does."""
    run, race, beaten = spectacle.run, spectacle.race, ""
    if run.newest < 0:
        return f"{state.text.partition(';')[0].rstrip('.')}."
    if state.head == "Paused":
        beaten = "\nOpen to resume."
    elif race is not None and (standing := race.standing(run.newest)):
        beaten = f"\n{capital(standing.partition(';')[0].rpartition(', ')[2])}."
    elif run.verdict is not None and run.verdict.by >= 0:
        beaten = f"\nBeaten: {run.verdict.opponent}."
    return f"Generation {run.newest:,}{f' of {run.last:,}' if run.last >= 0 else ''}.{beaten}"


@dataclass(frozen=True, kw_only=True)
class CardButton(Pressed):
    """A card that is pressed as a whole: a name with its state, a text, and a small curve."""

    state: SessionState
    name: str
    text: str
    plot: Plot | None
    emblem: Emblem | None = None
    share: float | None = None

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme, px = canvas.theme, canvas.px
        canvas.box(self.rect, theme.control_hover if ui.hot(self) else theme.panel, theme.line, 10)
        ui.ring(canvas, self, 10)
        inner = self.rect.inset(px(ROOM))
        head, rest = inner.rows(px(24), None, gap=px(GAP) // 2)
        if self.plot is not None:
            rest, curve = rest.columns(None, inner.w * 2 // 5, gap=px(ROOM))
            if inner.w >= px(WIDE):  # the curve has the whole height
                head, curve = Rect(head.x, head.y, rest.w, head.h), Rect(curve.x, inner.y, curve.w, inner.h)
            replace(self.plot, rect=curve).draw(canvas, Ui())
        side = px(TITLE)
        if self.emblem is None:
            canvas.icon(self.state.icon, Rect(head.x, head.y, side, head.h), theme.muted, TITLE)
        else:
            draw_emblem(canvas, Rect(head.x, head.y, side, head.h), self.emblem)
        title = Rect(head.x + side + px(GAP), head.y, head.w - side - px(GAP), head.h)
        text = f"{self.name}: {self.state.head.lower()}"
        canvas.text(text, title, size=canvas.fitting(text, title.w, HEADING, bold=True), bold=True, may_cut=True)
        size = BODY if canvas.look.tall(self.text, rest.w) <= rest.h else SMALL
        canvas.paragraph(self.text, rest, theme.text, size, may_cut=True)
        draw_share(canvas, self.rect, self.share)
