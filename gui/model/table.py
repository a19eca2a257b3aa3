"""The table: a game, and the players that think about it in another process.

A table makes one request at a time: a move when a program is to move, otherwise an analysis of the visible position if
analysis is on. Any change to the game makes earlier answers stale, and they are dropped.

All evaluations come from one player, the analyst, whoever is playing. The score that a program gives its own move is
displayed as the program's opinion, and decides whether the program accepts a draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from game.board import Position
from game.rules import BLACK, WHITE
from game.scores import EVEN, MEN, SearchInfo
from gui.model.analyses import Analyses, Analysis
from gui.model.ending import SIDE_NAME, Ending
from gui.model.game import GameModel
from gui.model.lines import Ply, Thought
from gui.model.seats import Seat
from gui.thinking.messages import Answer, Failed, Phase, ProcessNotice, Progress, Purpose, Reply, SearchRequest, Started

if TYPE_CHECKING:
    from gui.model.game_review import GameReview
    from gui.thinking.thinker import Thinker

FIRST_MOVE = 20
"""The number of the first move at which a program may agree to a draw."""

TURNS = 4
"""A program that was ahead on one of its last `TURNS` turns declines a draw."""


def is_too_early(model: GameModel) -> bool:
    """Return whether it is too early for any program to accept a draw."""
    return model.move_number < FIRST_MOVE


def refuse_draw(model: GameModel, side: int, share: float | None) -> str:
    """Return why the program of a side declines a draw, in words; empty if it accepts.

    Args:
        share: its evaluation of the position, from -1 to 1; None for that of its last move. Where it has none, pieces
            are counted instead.
    """
    if is_too_early(model):
        return f"programs accept no draw before move {FIRST_MOVE}"
    level, before = MEN.share(EVEN), [_share(ply) for ply in model.plies if ply.side == side][-TURNS:]
    if share is None:
        share = before[-1] if before else _material_share(model.last, side)
    if share > level:
        return "it likes its position"
    return "it was ahead a short while ago" if max(before, default=0.0) > level else ""


def _share(ply: Ply) -> float:
    share = None if ply.thought is None else ply.thought.share
    return _material_share(ply.before, ply.side) if share is None else share


def _material_share(position: Position, side: int) -> float:
    black, white = (
        word.bit_count() + (word & position.kings).bit_count() / 2 for word in (position.black, position.white)
    )
    return MEN.share(black - white if side == BLACK else white - black)


LEAST_SECONDS = 0.4
PATIENCE = 0.3
"""Maximum seconds that a move between two programs waits for the analysis of the position before it."""

_BUSY = {Phase.LOADING: "Loading the engine…", Phase.COMPILING: "Compiling the engine (only the first time)…"}


@dataclass(frozen=True, slots=True)
class Moved:
    """A program moved; `ply` is already part of the game, and `ply.move.path` is to be animated."""

    ply: Ply


@dataclass(frozen=True, slots=True)
class Remark:
    text: str


@dataclass(frozen=True, slots=True)
class Over:
    ending: Ending


TableEvent = Moved | Remark | Over


@dataclass(frozen=True, slots=True)
class Thinking:
    """A program's thinking about its move, for some seconds so far."""

    side: int
    seconds: float
    finding: SearchInfo | None


@dataclass(frozen=True, slots=True)
class _Key:
    """A request to the thinker; its answer is valid as long as the same request is wanted."""

    purpose: Purpose
    game: int
    stamp: int
    plies: int
    position: Position
    seat: Seat
    depth: int = 0  # overrides the seat's; 0 keeps it


class GameTable:
    """A game, and the players that think about it.

    Attributes:
        least: minimum seconds for a program's move.
        hold: while True, a program's move waits, as during an animation.
        paused: while True, programs do not move; analysis goes on.
        review: a review of the game, whose positions are analysed when nothing else is wanted.
    """

    def __init__(self, thinker: Thinker, model: GameModel | None = None) -> None:
        self.model = model or GameModel()
        self.least = LEAST_SECONDS
        self.hold = False
        self.paused = False
        self.review: GameReview | None = None
        self._thinker = thinker
        self._now = 0.0
        self._key: _Key | None = None  # the last request to the thinker, perhaps answered
        self._ticket = 0
        self._asked = 0.0  # when the move was requested
        self._answered = 0.0
        self._finding: SearchInfo | None = None
        self._done = False
        self._reply: tuple[_Key, SearchInfo] | None = None  # a move that is not due yet
        self._analyses = Analyses()
        self._tables_opened = 0
        self._analysing = False
        self._hint_for: tuple[int, int, int] | None = None
        self.offer: int | None = None
        self._events: list[TableEvent] = []
        self._ending: Ending | None = self.model.ending

    @property
    def status(self) -> str:
        """The reason why a program's answer takes long; empty if there is none."""
        if self._key is None or self._done:
            return ""
        phase, compiling = self._thinker.phase, self._thinker.compiling
        if phase is Phase.COMPILING and compiling is not None:
            return f"Compiling the engine, {compiling.number} of {compiling.count} (only the first time)…"
        return _BUSY.get(phase, "")

    @property
    def thinking(self) -> Thinking | None:
        key = self._move_key()
        if key is None:
            return None
        if self._reply is not None and self._reply[0] == key:
            return Thinking(key.position.side, self._answered - self._asked, self._reply[1])
        return Thinking(key.position.side, self._now - self._asked, self._finding) if key == self._key else None

    @property
    def analyst(self) -> Seat:
        return self._analyses.analyst

    @analyst.setter
    def analyst(self, seat: Seat) -> None:
        if seat != self._analyses.analyst:
            self._analyses.analyst = seat
            self._forget_analyses()

    @property
    def analysing(self) -> bool:
        return self._key is not None and self._key.purpose is Purpose.ANALYSIS and not self._done

    @property
    def analysis(self) -> Analysis | None:
        """The analysis of the position on the board; None if there is none yet, or analysis is off."""
        if not self._analysing and self._hint_for != self._place():
            return None
        return self.find_analysis(self.model.cursor)

    def find_analysis(self, cursor: int) -> Analysis | None:
        return self._analyses.find(self.model, cursor)

    def undo(self) -> bool:
        """Undo as `GameModel.undo` does, and withdraw any draw offer; a thinking program stops."""
        self.offer = None
        return self.model.undo()

    def redo(self) -> bool:
        self.offer = None
        return self.model.redo()

    def resign(self) -> None:
        self.model.resign(self._person())

    def move_now(self) -> None:
        if self.thinking is not None:
            self._thinker.move_now()

    def may_offer_draw(self) -> bool:
        seats = self.model.seats
        return (
            (seats[BLACK].human or seats[WHITE].human) and self.offer is None and self.model.may_offer(self._person())
        )

    def offer_draw(self) -> bool:
        """Offer a draw; a person decides through `answer_draw`.

        A program decides by its own evaluation: that of its last move, or with its next one if it is thinking.
        """
        if not self.may_offer_draw():
            return False
        self.offer = self._person()
        self.model.note_offer(self.offer)
        program = not self.model.seats[1 - self.offer].human
        if program and (is_too_early(self.model) or not self.model.program_to_move):
            self._decide_offer(self.offer, None)
        return True

    def answer_draw(self, accept: bool) -> None:
        if self.offer is not None:
            self.offer = None
            if accept:
                self.model.agree_draw()

    def analyse(self, on: bool) -> None:
        self._analysing, self._hint_for = on, None

    def hint(self) -> None:
        """Analyse the visible position for a hint, even if analysis is off, until another position is visible."""
        self._hint_for = self._place()

    def begin(self, model: GameModel) -> None:
        self.model = model
        self.paused = False
        self.offer = self._hint_for = None
        self._forget_analyses()
        self._ending = model.ending

    def update(self, now: float) -> list[TableEvent]:
        self._now = now
        for reply in self._thinker.poll(now):
            self._hear(reply)
        if self._thinker.tables_opened != self._tables_opened:
            self._tables_opened = self._thinker.tables_opened
            self._ask_tables()
        if self._key is not None and not self._done and self._thinker.last_ticket != self._ticket:
            self._key = None  # another table has made a request since
        self._move()
        self._ask()
        if self.model.ending != self._ending:
            self._ending = self.model.ending
            self.offer = None
            if self._ending is not None:
                self._events.append(Over(self._ending))
        events, self._events = self._events, []
        return events

    def _hear(self, reply: Reply) -> None:
        if isinstance(reply, ProcessNotice):
            self._events.append(Remark(reply.text))
        if isinstance(reply, (Phase, ProcessNotice)) or reply.ticket != self._ticket or self._key is None:
            return
        if isinstance(reply, (Progress, Answer)):
            self._finding = reply.finding
            self._done = isinstance(reply, Answer)
            if self._key.purpose is Purpose.ANALYSIS:
                key = self._key
                self._analyses.learn(key.plies, key.position, reply.finding, self._done, self.model.games)
                if self._done and self.review is not None:
                    self.review.learn(key.plies, key.position, reply.finding)
            elif self._done:
                self._reply, self._answered = (self._key, reply.finding), self._now
        elif isinstance(reply, Failed) and self._key == self._wanted():
            self._done, self._finding = True, None
            self._failed(self._key.purpose, reply.text)
        else:
            assert isinstance(reply, (Started, Failed))

    def _forget_analyses(self) -> None:
        self._analyses.forget()
        if self._key is not None and self._key.purpose is Purpose.ANALYSIS:
            self._key = None
            self._thinker.drop()

    def _ask_tables(self) -> None:
        """Reanalyse the positions that newly opened tablebases may cover."""
        self._analyses.forget_unjudged()
        if self.review is not None:
            self.review.on_tables()
        if self._done and self._key is not None and self._key.purpose is Purpose.ANALYSIS:
            self._key = None

    def _failed(self, purpose: Purpose, text: str) -> None:
        if purpose is Purpose.MOVE:
            self.model.fail(self.model.side, text)
        else:
            self._analysing, self._hint_for = False, None
            self._events.append(Remark(f"The position cannot be analysed: {text}"))

    def _move_key(self) -> _Key | None:
        """Return the request for the program's move that the game is waiting for; None if there is none."""
        model = self.model
        if not model.program_to_move or self.paused:
            return None
        return _Key(Purpose.MOVE, model.number, model.stamp, len(model.plies), model.last, model.seat)

    def _wanted(self) -> _Key | None:
        model = self.model
        move = self._move_key()
        if move is not None and (self._reply is None or self._reply[0] != move):
            return move
        if (self._analysing or self._hint_for == self._place()) and self._analyses.is_wanted(model):
            return _Key(Purpose.ANALYSIS, model.number, 0, model.cursor, model.shown, self.analyst)
        reviewed = self.review.next_place() if self.review is not None else None
        return None if reviewed is None else _Key(Purpose.ANALYSIS, model.number, 0, *reviewed)

    def _ask(self) -> None:
        wanted = self._wanted()
        if wanted == self._key:
            return
        if wanted is None and self._done:
            return
        self._key, self._finding, self._done = wanted, None, False
        if wanted is None:
            self._thinker.drop()
            return
        seat, history = wanted.seat, self.model.history[: wanted.plies]
        assert seat.name is not None
        self._ticket = self._thinker.ask(
            SearchRequest(
                wanted.purpose, wanted.game, seat.name, wanted.position, history, wanted.depth or seat.depth,
                seat.seconds, self.model.seed, self.model.rules,
            )
        )  # fmt: skip
        if wanted.purpose is Purpose.MOVE:
            self._asked = self._now

    def _move(self) -> None:
        key = self._move_key()
        if self._reply is None or self._reply[0] != key or self.hold or not self._is_due():
            return
        info = self._reply[1]
        if self.offer is not None and not self.model.seats[1 - self.offer].human:
            self._decide_offer(self.offer, info.share)
            if self.model.over:
                return
        self._reply = None
        self._events.append(Moved(self.model.play(info.move, Thought(info.share, info.depth, info.text))))

    def _is_due(self) -> bool:
        """Return whether a move may be played; between programs, the analyst first gets time for the position."""
        if self._now - self._asked < self.least:
            return False
        if not self._analysing or any(seat.human for seat in self.model.seats):
            return True
        return self._now - self._answered >= PATIENCE or (self.analysis is not None and self.analysis.final)

    def _decide_offer(self, person: int, share: float | None) -> None:
        """Answer the draw offer of a person for a program, given its evaluation as in `refuse_draw`."""
        side, self.offer = 1 - person, None
        why = refuse_draw(self.model, side, share)
        if not why:
            self._events.append(Remark(f"{SIDE_NAME[side]} accepts the draw."))
            self.model.agree_draw()
        else:
            self._events.append(Remark(f"{SIDE_NAME[side]} declines the draw: {why}."))

    def _person(self) -> int:
        model = self.model
        if model.seat.human or not model.seats[1 - model.side].human:
            return model.side
        return 1 - model.side

    def _place(self) -> tuple[int, int, int]:
        return self.model.number, self.model.stamp, self.model.cursor


SPEEDS = (4.0, 2.0, 1.0, 0.5, 0.25, 0.0)
"""Minimum seconds per move, slowest first."""

DEFAULT_SPEED = 2


class Watch:
    """The controls of a table where programs play each other, at one of `SPEEDS`."""

    def __init__(self, table: GameTable) -> None:
        self.table = table
        self.speed = DEFAULT_SPEED
        self._stepping = False
        self.playing = True

    @property
    def playing(self) -> bool:
        return self._playing

    @playing.setter
    def playing(self, on: bool) -> None:
        self._playing, self._stepping = on, False
        self._set()

    @property
    def seconds(self) -> float:
        return SPEEDS[self.speed]

    def toggle(self) -> None:
        self.playing = not self.playing

    def step(self) -> None:
        """Make one more move and pause."""
        self.playing = False
        if not self.table.redo():
            self._stepping = True
            self._set()

    def faster(self) -> None:
        self.speed = min(self.speed + 1, len(SPEEDS) - 1)
        self._set()

    def slower(self) -> None:
        self.speed = max(self.speed - 1, 0)
        self._set()

    def update(self, now: float) -> list[TableEvent]:
        events = self.table.update(now)
        if self._stepping and any(isinstance(event, Moved) for event in events):
            self.playing = False
        return events

    def _set(self) -> None:
        self.table.paused = not (self._playing or self._stepping)
        self.table.least = 0.0 if self._stepping else self.seconds
