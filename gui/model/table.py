"""The table: a game, and players that think about it in another process. What the play screen drives.

It asks for a move when a program is to move, for a judgement when a draw is offered, else for an analysis if that is
switched on; one of them at a time. Whatever changes the game makes earlier answers stale, and they are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from game import plain
from game.board import Position
from game.players.registry import searches
from game.rules import BLACK, WHITE
from gui.model.endings import SIDE_NAME, Ending
from gui.model.game import GameModel
from gui.model.ply import Ply, Thought
from gui.model.seats import Seat
from gui.model.turn import Touch
from gui.thinking.messages import (
    Answer,
    Failed,
    Phase,
    Progress,
    Purpose,
    Reply,
    SearchInfo,
    SearchRequest,
    Started,
    Told,
)

LEAST_SECONDS = 0.4
ANALYST = Seat("material", 12, 10.0)
DRAW_SHARE = 0.0
"""A program agrees on a draw if it thinks that it stands no better than this."""

_BUSY = {Phase.LOADING: "Loading the engine…", Phase.COMPILING: "Compiling the engine (only the first time)…"}


class Thinks(Protocol):
    """What a table needs of a `gui.thinking.thinker.Thinker`."""

    @property
    def phase(self) -> Phase:
        """What its process is doing as a whole."""
        ...

    def ask(self, request: SearchRequest) -> int:
        """Think about this; returns its ticket."""
        ...

    def move_now(self) -> None:
        """Answer with the best so far."""
        ...

    def drop(self) -> None:
        """Forget what was asked."""
        ...

    def poll(self, now: float) -> list[Reply]:
        """What came since the last time."""
        ...


@dataclass(frozen=True, slots=True)
class Moved:
    """A program moved; `ply` stands in the game already, `ply.move.path` is what to animate."""

    ply: Ply


@dataclass(frozen=True, slots=True)
class Said:
    """Something that a person should read, in one sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class Over:
    """The game ended, by whatever was done or thought since the last `update`."""

    ending: Ending


TableEvent = Moved | Said | Over


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a program is thinking about its move.

    Attributes:
        side: whose move it is.
        seconds: how long it has been thinking.
        finding: what it knows so far; None before its first depth.
    """

    side: int
    seconds: float
    finding: SearchInfo | None


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of the position that is shown.

    Attributes:
        side: to move there; scores are seen by it.
        finding: depth, scores of all moves, best line.
        final: whether nothing more comes.
    """

    side: int
    finding: SearchInfo
    final: bool

    @property
    def black_share(self) -> float | None:
        """How Black stands, from -1 to 1."""
        share = self.finding.share
        return None if share is None else share if self.side == BLACK else -share


@dataclass(frozen=True, slots=True)
class _Key:
    """What the thinker is asked; an answer counts as long as the same is wanted."""

    purpose: Purpose
    game: int
    stamp: int
    plies: int
    position: Position
    seat: Seat


class GameTable:
    """A game, and the players that think about it.

    Attributes:
        model: the game.
        least: seconds that a program's move takes at least.
        hold: while True a program's move waits, as during an animation.
        paused: while True programs do not move; analysis goes on.
        analyst: who analyses; None for the program that plays, or `ANALYST` if none does.
        seed: of players that draw numbers.
    """

    def __init__(self, thinker: Thinks, model: GameModel | None = None, *, seed: int = 0) -> None:
        self.model = model or GameModel()
        self.least = LEAST_SECONDS
        self.hold = False
        self.paused = False
        self.analyst: Seat | None = None
        self.seed = seed
        self._thinker = thinker
        self._now = 0.0
        self._key: _Key | None = None  # what the thinker was asked last, or has answered
        self._ticket = 0
        self._asked = 0.0
        self._finding: SearchInfo | None = None
        self._done = False
        self._analysing = False
        self._hint_for: tuple[int, int, int] | None = None
        self._offer: int | None = None
        self._events: list[TableEvent] = []
        self._ending: Ending | None = self.model.ending

    # What is going on ---------------------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """Why a program's answer may take longer than usual; empty if there is no such reason."""
        return _BUSY.get(self._thinker.phase, "") if self._key is not None and not self._done else ""

    @property
    def thinking(self) -> Thinking | None:
        """What a program is thinking about its move; None if none is."""
        if self._key is None or self._key.purpose is not Purpose.MOVE or self._key != self._wanted():
            return None
        return Thinking(self.model.side, self._now - self._asked, self._finding)

    @property
    def analysis(self) -> Analysis | None:
        """The analysis of the position on the board; None if there is none yet, or analysis is off."""
        if self._key is None or self._key.purpose is not Purpose.ANALYSIS or self._finding is None:
            return None
        if self._key != self._analysis_key():
            return None
        return Analysis(self.model.shown.side, self._finding, self._done)

    @property
    def offer(self) -> int | None:
        """The side that has offered a draw which is not answered yet."""
        return self._offer

    # What a person does -------------------------------------------------------------------------------------------

    def touch(self, square: int) -> Touch:
        """See `GameModel.touch`."""
        return self.model.touch(square)

    def drag(self, square: int) -> Touch:
        """See `GameModel.drag`."""
        return self.model.drag(square)

    def drop(self, square: int) -> Touch:
        """See `GameModel.drop`."""
        return self.model.drop(square)

    def type_move(self, text: str) -> Touch:
        """See `GameModel.type_move`."""
        return self.model.type_move(text)

    def cancel(self) -> Touch:
        """See `GameModel.cancel`."""
        return self.model.cancel()

    def undo(self) -> bool:
        """See `GameModel.undo`; a program that thinks stops."""
        self._offer = None
        return self.model.undo()

    def redo(self) -> bool:
        """See `GameModel.redo`."""
        self._offer = None
        return self.model.redo()

    def resign(self) -> None:
        """A person gives up; with two persons the one to move."""
        self.model.resign(self._person())

    def move_now(self) -> None:
        """Let the program that thinks play the best move it knows."""
        if self.thinking is not None:
            self._thinker.move_now()

    def may_offer_draw(self) -> bool:
        """Whether a person may offer a draw now."""
        seats = self.model.seats
        return (
            (seats[BLACK].human or seats[WHITE].human) and self._offer is None and self.model.may_offer(self._person())
        )

    def offer_draw(self) -> bool:
        """A person offers a draw: a program answers by what it thinks of its position, a person by `answer_draw`.

        False if that is not possible now.
        """
        if not self.may_offer_draw():
            return False
        self._offer = self._person()
        self.model.note_offer(self._offer)
        return True

    def answer_draw(self, accept: bool) -> None:
        """A person answers the other's offer."""
        if self._offer is not None:
            self._offer = None
            if accept:
                self.model.agree_draw()

    def analyse(self, on: bool) -> None:
        """Switch the analysis of the position that is shown on or off."""
        self._analysing = on
        self._hint_for = None

    def hint(self) -> None:
        """Analyse the position that is shown until another one is; the best move comes first in `analysis`."""
        self._hint_for = self._place()

    def begin(self, model: GameModel) -> None:
        """Put another game on the table."""
        self.model = model
        self.paused = False
        self._offer = self._hint_for = None
        self._ending = model.ending

    # Once a frame -------------------------------------------------------------------------------------------------

    def update(self, now: float) -> list[TableEvent]:
        """Hear what was thought, let programs move, ask for what is wanted next.

        Args:
            now: seconds of a clock that does not go back.
        """
        self._now = now
        for reply in self._thinker.poll(now):
            self._hear(reply)
        self._move()
        self._ask()
        if self.model.ending != self._ending:
            self._ending = self.model.ending
            self._offer = None
            if self._ending is not None:
                self._events.append(Over(self._ending))
        events, self._events = self._events, []
        return events

    def _hear(self, reply: Reply) -> None:
        if isinstance(reply, Told):
            self._events.append(Said(reply.text))
        if isinstance(reply, (Phase, Told)) or reply.ticket != self._ticket or self._key is None:
            return
        if isinstance(reply, (Progress, Answer)):
            self._finding = reply.finding
            self._done = isinstance(reply, Answer)
        elif isinstance(reply, Failed) and self._key == self._wanted():
            self._done, self._finding = True, None
            self._failed(self._key.purpose, reply.text)
        else:
            assert isinstance(reply, (Started, Failed))

    def _failed(self, purpose: Purpose, text: str) -> None:
        if purpose is Purpose.MOVE:
            self.model.fail(self.model.side, text)
        elif purpose is Purpose.JUDGEMENT:
            self._offer = None
            self._events.append(Said(f"The offer of a draw was not answered: {text}"))
        else:
            self._analysing, self._hint_for = False, None
            self._events.append(Said(f"The position cannot be analysed: {text}"))

    def _wanted(self) -> _Key | None:
        """What there is to think about now."""
        model = self.model
        if model.program_to_move and not self.paused:
            return _Key(Purpose.MOVE, model.number, model.stamp, len(model.plies), model.last, model.seat)
        if self._offer is not None and not model.over:
            seat = model.seats[1 - self._offer]
            if not seat.human:
                return _Key(Purpose.JUDGEMENT, model.number, model.stamp, len(model.plies), model.last, seat)
        if self._analysing or self._hint_for == self._place():
            return self._analysis_key()
        return None

    def _analysis_key(self) -> _Key | None:
        model = self.model
        if not plain.legal_moves(model.shown):
            return None
        return _Key(Purpose.ANALYSIS, model.number, 0, model.cursor, model.shown, self.analyst or self._programs_mind())

    def _programs_mind(self) -> Seat:
        """The player of the game that has an opinion, given more depth."""
        seats = self.model.seats
        for seat in (seats[1 - self.model.side], seats[self.model.side]):
            if seat.name is not None and searches(seat.name):
                return replace(seat, depth=ANALYST.depth, seconds=ANALYST.seconds)
        return ANALYST

    def _ask(self) -> None:
        wanted = self._wanted()
        if wanted == self._key:
            return
        self._key, self._finding, self._done = wanted, None, False
        if wanted is None:
            self._thinker.drop()
            return
        seat, history = wanted.seat, self.model.history[: wanted.plies]
        assert seat.name is not None
        self._ticket = self._thinker.ask(
            SearchRequest(
                wanted.purpose,
                wanted.game,
                seat.name,
                wanted.position,
                history,
                seat.depth,
                seat.seconds,
                self.seed,
                self.model.rules,
            )
        )
        self._asked = self._now

    def _move(self) -> None:
        """Carry out the answer to the current request, once it is due."""
        if self._key is None or not self._done or self._finding is None or self._key != self._wanted():
            return
        purpose, found = self._key.purpose, self._finding
        if purpose is Purpose.JUDGEMENT:
            self._judge(found, -1)
        elif purpose is Purpose.MOVE and not self.hold and self._now - self._asked >= self.least:
            if self._offer is not None and not self.model.seats[1 - self._offer].human:
                self._judge(found, 1)
                if self.model.over:
                    return
            thought = Thought(found.score, found.share, found.depth, found.nodes, found.seconds, found.pv, found.text)
            self._events.append(Moved(self.model.play(found.move, thought)))

    def _judge(self, found: SearchInfo, sign: int) -> None:
        """Answer an offer by a finding seen by the program (sign 1) or by the person (-1)."""
        assert self._offer is not None
        side = 1 - self._offer
        self._offer = None
        share = _material_share(self.model, side) if found.share is None else sign * found.share
        if share <= DRAW_SHARE:
            self._events.append(Said(f"{SIDE_NAME[side]} accepts the draw."))
            self.model.agree_draw()
        else:
            self._events.append(Said(f"{SIDE_NAME[side]} declines the draw: it likes its position."))

    def _person(self) -> int:
        """The side for which a person speaks."""
        model = self.model
        if model.seat.human or not model.seats[1 - model.side].human:
            return model.side
        return 1 - model.side

    def _place(self) -> tuple[int, int, int]:
        return self.model.number, self.model.stamp, self.model.cursor


def _material_share(model: GameModel, side: int) -> float:
    """The balance of pieces, for players without evaluation: a king counts as one and a half men."""
    position = model.last
    black, white = (
        2 * word.bit_count() + (word & position.kings).bit_count() for word in (position.black, position.white)
    )
    return float(black - white if side == BLACK else white - black)
