"""The end of a session: what its champion beats, ways to play, watch and understand it, and a game of its origin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evolve.run.status import State
from game.number_text import count_text, span_text
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, GAP, LARGE_CONTROL, ROOM, SMALL, TIGHT, TITLE
from gui.screens.play.game_parts import StatusText
from gui.sessions.boards import Replay
from gui.widgets.base import Command, Label, Widget
from gui.widgets.board import BoardMarks, BoardWidget
from gui.widgets.button import button_row

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun
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
    short = {name: long if whole else brief for name, (long, brief) in texts.items()}
    return button_row(commands, texts, columns, main=main, short=short)


def champion_status(screen: SessionScreen, rect: Rect) -> StatusText:
    """Return what the champions of a complete run beat, in place of its state."""
    run, verdict = screen.run, screen.run.verdict
    head = f"Generation {screen.newest:,} is the champion"
    text = f"{count_text(screen.newest + 1, 'generation')}, {run.work:,} {run.kind.work} in {span_text(run.seconds)}."
    if verdict is not None and verdict.opponent:
        number, does = (verdict.generation, "is rated above") if verdict.by < 0 else (verdict.by, "beats")
        beats = f"Generation {number:,} {does} {verdict.opponent}"
        if number == screen.newest:
            head = beats
        else:
            text = f"{beats}. {text}"
    return StatusText(key="status", rect=rect, head=head, text=text, icon="crown", tone="good")


class ThenAndNow:
    """Two recorded games, which are played once: one that generation 0 won beside one that the newest champion won."""

    def __init__(self, run: LiveRun) -> None:
        self.run = run
        self.boards = Replay(), Replay()
        self._shown: int | None = None

    @property
    def numbers(self) -> tuple[int, int]:
        return 0, self.run.newest

    @property
    def is_possible(self) -> bool:
        return self.run.newest > 0 and all(self.run.span_of(number)[2] for number in self.numbers)

    def tick(self, now: float, *, visible: bool) -> bool:
        """Let time pass; return whether the boards have changed. They begin anew when they become visible."""
        if not visible:
            self._shown = None
            return False
        run, anew = self.run, self._shown != self.run.newest
        changed = anew
        for board, number in zip(self.boards, self.numbers, strict=True):
            if anew:
                board.show(run.games_of(number), run.title_in_game, run.champions[number])
                board.go_along(0.0)
            if board.model is not None and not board.model.at_end:
                changed = board.tick(now) or changed
        self._shown = run.newest
        return changed

    def view(self, rect: Rect, look: Look) -> list[Widget]:
        widgets: list[Widget] = []
        for name, board, number, place in zip(
            ("then", "now"), self.boards, self.numbers, rect.columns(None, None, gap=look.px(ROOM)), strict=True
        ):
            head, line, square = place.rows(look.px(22), look.px(16), None, gap=look.px(TIGHT))
            caption = board.caption.partition("  ")[0].replace(f" of {self.run.name}", "")
            if look.fonts.size(caption, look.px(SMALL))[0] > line.w:
                caption = caption.replace("Generation ", "Gen. ")
            widgets += [
                Label(key=name, rect=head, text=f"Generation {number:,}", size=TITLE, bold=True, may_cut=True),
                Label(key=f"{name}.players", rect=line, text=caption, size=SMALL, colour=look.theme.muted, may_cut=True,
                      hint=board.caption),
                BoardWidget(key=f"{name}.board", rect=square, pieces=board.pieces, numbers=False, enabled=False,
                            marks=BoardMarks(last=board.last_move), hint=board.caption),
            ]  # fmt: skip
        return widgets
