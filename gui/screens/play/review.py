"""The review of a game: the screen on which a person looks for better moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from game.review.judged import Judged, Review
from game.rules import BLACK, WHITE
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import BODY, GAP, TIGHT, TITLE
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.model.game_review import AttemptResult, GameReview, Practice, PracticeStage
from gui.model.lines import Piece
from gui.model.table import Remark, TableEvent
from gui.model.turn import Completed, Touch
from gui.screens.play.analysis_panel import Finders
from gui.screens.play.game_parts import StatusText, Strip, title_area
from gui.screens.play.game_screen import GameScreen
from gui.screens.play.game_state import GameState
from gui.screens.play.layout import GameLayout, game_layout, with_graph
from gui.screens.play.moves_list import LEAST_MOVES, moves_panel
from gui.screens.play.review_panel import GO_TO, TAKE_BACK, chances_graph, mistakes_table, review_words
from gui.storage.settings import Preferences, hidden
from gui.widgets.base import Command, Label, Widget, by_id
from gui.widgets.board import BoardMarks
from gui.widgets.button import button_row
from gui.widgets.table import HEAD, ROW

if TYPE_CHECKING:
    from gui.app import App

LIST, FEW_MOVES = 260, 170
"""Heights of a list of moves: with a chart below it, and from which it is shown without one."""
MOST_MISTAKES = 5
"""Maximum number of visible rows of the list of mistakes; it scrolls."""
GROUP = "Mistakes"
BUTTONS = ("previous-mistake", "next-mistake", "answer"), ("again", "whose", "save")
"""Two rows; those that can do nothing leave their room to the others, but for the way on."""
SHORT = {"Next mistake": "Next", "Next game": "Next", "Next drill": "Next", "Show the answer": "Answer"}
SHORT |= {"Play from here": "From here", "Previous mistake": "Previous"}
WORDS, ICONS = 150, 120
"""Widths of buttons below which names are short, and below which the second row has icons alone."""

Keep = Callable[[Review, dict[str, Any]], object]
"""A function that is called with a complete review and the values to save."""


class ReviewState(GameState):
    """An ordinary review, about which nothing is special."""

    title = "Review"
    button_rows: tuple[Sequence[str], ...] = BUTTONS
    returns = True
    """True if Esc returns from a mistake to the game."""

    def settle(self, *, solved: bool) -> None:
        """React to an attempt, or to a look at the answer."""


class ReviewScreen(GameScreen):
    """The review of a game.

    Args:
        onward: opens the review of the next game; None if there is none.
        state: what is special about it.
    """

    title = "Review"

    def __init__(
        self,
        app: App,
        model: GameModel,
        *,
        flipped: bool = False,
        values: object = None,
        keep: Keep | None = None,
        onward: Callable[[], object] | None = None,
        state: ReviewState | None = None,
    ) -> None:
        self.state: ReviewState = state or ReviewState()
        self.title = self.state.title
        game = replace(model, plies=list(model.plies), undone=[])
        self.review = GameReview(game, app.services.opponents.analyst, values)
        self.practice = Practice(game, self.review, values)
        self.practice.side = self.practice.person
        super().__init__(app, game, flipped=flipped)
        self.table.paused = True
        self.table.review = self.review
        self._keep, self._stamp, self._stuck = keep, -1, False
        self._onward = onward
        self._finders = Finders(app, person=self.practice.person is not None)
        self._unknown = list[Judged]()  # mistakes whose share of people that find a better move is not known yet
        self._waiting = True  # until the person goes somewhere
        self._kept: object = values
        game.go_to(0)

    @property
    def model(self) -> GameModel:
        return self.practice.board

    @property
    def settings(self) -> Preferences:
        """The display settings without anything that reveals better moves."""
        return hidden(super().settings)

    def _switch_analysis(self) -> None:
        """Leave the analyst to the review: analysis would reveal better moves."""

    def tick(self, now: float, dt: float) -> bool:
        changed = super().tick(now, dt)
        if self.review.stamp != self._stamp:
            self._stamp, changed = self.review.stamp, True
            known = self.practice.finders
            self._unknown = [mark for mark in self.review.review.mistakes if mark.good and mark not in known]
            self.practice.hear()
            self._keep_review()
        if self._unknown:
            mark = self._unknown[0]
            share = self._finders.share(self.game.position_at(mark.ply - 1), mark.good)
            if share is not None:
                self.practice.finders[self._unknown.pop(0)] = share
                changed = True
                self._keep_review()
        return self._begin_first() or changed

    def react(self, event: TableEvent) -> None:
        """Display an event; a message means that the analyst failed."""
        self._stuck = self._stuck or isinstance(event, Remark)
        super().react(event)

    def _keep_review(self) -> None:
        if not self.review.finished or self._keep is None:
            return
        values = self.review.values(self.practice)
        if values != self._kept:
            self._kept = values
            self._keep(self.review.review, values)

    def commands(self) -> Sequence[Command]:
        practice = self.practice
        asked, any_left = practice.mistake is not None, practice.next() is not None
        none = "There are no mistakes." if self.review.finished else "No other mistake has been found yet."
        command = partial(Command, group=GROUP)
        last = asked and not any_left and self.review.finished
        sides = "both" if practice.side is None else "yours" if practice.side == practice.person else (
            SIDE_NAME[practice.side]
        )  # fmt: skip
        unseen = "Go to a mistake first (Space)."
        which = "the next" if asked else "a"
        about = "Return to the game and the summary" if last else f"Go to the position before {which} mistake"
        name = "Finish" if last else "Next mistake" if asked else "Find better moves"
        onward = self._goes_on
        if onward:
            name, about = "Next game", "Review the next game of the list"
        own = [
            command(id="next-mistake", name=name, keys=("pagedown", "space") if onward else ("space",),
                    run=self.next if not onward or self._onward is None else self._onward,
                    icon="check" if last and not onward else "next",
                    about=about, enabled=last or any_left or onward, why=none),
            command(id="previous-mistake", name="Previous mistake", keys=("backspace",), run=self.previous,
                    about="Go to the previous mistake", icon="previous", enabled=practice.previous() is not None,
                    why="There is no earlier mistake."),
            command(id="answer", name="Show the answer", keys=("h",), run=self.show_answer,
                    about="Show the best move and the line after it", icon="eye",
                    enabled=asked and not practice.complete,
                    why="The answer is already displayed." if asked else unseen),
            command(id="again", name="Try again", keys=("r",), run=self.again,
                    about="Return to the position before the mistake", icon="rematch",
                    enabled=asked and practice.stage is not PracticeStage.ASKED,
                    why="Try a move first." if asked else unseen),
            command(id="type", name="Type a move", keys=("t",), run=self.type_move, about="Type a move, such as 11-15",
                    icon="write", enabled=practice.stage is PracticeStage.ASKED, why=unseen),
            command(id="whose", name=f"Mistakes: {sides}", keys=(), run=self.change_side,
                    about="Look for better moves for both sides, for Black or for White", icon="person"),
            Command(id="flip", name="Flip", keys=("f",), run=self.flip, about="Turn the board around", icon="flip"),
            *self.steps(),
            *self.copies("Files"),
        ]  # fmt: skip
        return self.state.commands(own)

    def steps(self) -> list[Command]:
        commands = super().steps()
        if self.practice.mistake is None:
            return commands
        on = "The line ends here. Press Esc to return to the game."
        if self.practice.stage is PracticeStage.ASKED:
            on = "Try a better move first, or press H for the answer."
        back = self.model.cursor > self.practice.first
        return [
            replace(command, why=on) if command.name in ("Next", "Last")
            else replace(command, enabled=back, why="The mistake was made here. Press Esc to return to the game.")
            for command in commands
        ]  # fmt: skip

    @property
    def _goes_on(self) -> bool:
        """True if the next step is the review of the next game: this one is complete, and no mistake is left."""
        if self._onward is None or not self.review.finished or self.practice.mistake is not None:
            return False
        return self.practice.unsolved is None or self.practice.game.at_end

    def begin(self, mistake: Judged) -> None:
        self._waiting = False
        self._calm()
        self.practice.begin(mistake)

    def _begin_first(self) -> bool:
        """Begin with the first mistake, as soon as it is known and while the person has done nothing else."""
        first = self.practice.unsolved if self._waiting else None
        if first is None or not (self.review.finished or self.review.done >= first.ply):
            return False
        self.begin(first)
        return True

    def next(self) -> None:
        mistake = self.practice.next()
        self._waiting = False
        self._calm()
        if mistake is not None:
            self.practice.begin(mistake)
        else:
            self.practice.leave()
            self.practice.game.go_to(10**9)

    def previous(self) -> None:
        mistake = self.practice.previous()
        if mistake is not None:
            self._calm()
            self.practice.begin(mistake)

    def show_answer(self) -> None:
        self.state.settle(solved=False)
        self._calm()
        self.practice.again()
        before = self.model.pieces()
        self.practice.show_answer()
        if self.practice.tried is not None:
            self.fly(before, self.practice.tried.path)
        self._keep_review()

    def again(self) -> None:
        self._calm()
        self.practice.again()

    def change_side(self) -> None:
        order = (None, BLACK, WHITE)
        self.practice.side = order[(order.index(self.practice.side) + 1) % 3]
        mistake = self.practice.mistake
        if mistake is not None and self.practice.side not in (None, mistake.side):
            self._calm()
            self.practice.leave()

    def _calm(self) -> None:
        self.flight, self.refused = None, None

    def look_at(self, cursor: int) -> None:
        self._calm()
        self.practice.leave()
        self.go_to(cursor)

    def go_to(self, cursor: int) -> None:
        self._waiting = False
        super().go_to(max(cursor, self.practice.first))

    def escape(self) -> bool:
        if self.model.turn.path or self.model.turn.selected:
            return super().escape()
        if self.practice.mistake is None or not self.state.returns:
            return False
        self._calm()
        self.practice.leave()
        return True

    def _did(self, touch: Touch, before: Mapping[int, Piece], *, by_hand: bool = False) -> bool:
        chosen = super()._did(touch, before, by_hand=by_hand)
        if isinstance(touch, Completed):
            self.practice.take()
            if self.practice.verdict is AttemptResult.WRONG:
                self.app.services.play("refused")
            self._keep_review()
            self.state.settle(solved=self.practice.verdict is not AttemptResult.WRONG)
        return chosen

    def _touch(self, square: int) -> None:
        if self._may_try():
            super()._touch(square)

    def _grab(self, square: int) -> bool:
        return self._may_try() and super()._grab(square)

    def _may_try(self) -> bool:
        if self.practice.stage is PracticeStage.ASKED:
            return True
        if self.practice.mistake is not None:
            self.app.say(TAKE_BACK)
        elif self.practice.mistakes:
            self.app.say(GO_TO)
        return False

    def layout(self, size: Size, look: Look) -> GameLayout:
        return game_layout(size, look.px, rows=2)

    def _tools(self, rect: Rect, look: Look) -> list[Widget]:
        widgets = super()._tools(rect, look)
        place = title_area(widgets, rect, look)
        size = TITLE if look.wide(self.title, TITLE, bold=True) <= place.w else BODY
        return [*widgets, Label(key="title", rect=place, text=self.title, size=size, bold=True, may_cut=True)]

    def _status_area(self, rect: Rect, look: Look) -> list[Widget]:
        going = not self.review.finished and not self._stuck
        return [replace(self._status(rect, look), share=self.review.share if going else None)]

    def _panel(self, body: Rect, look: Look) -> list[Widget]:
        px, game, review = look.px, self.practice.game, self.review.review
        body, curve = with_graph(body, px, LIST)
        rows = min(len(self.practice.mistakes), MOST_MISTAKES) if self.practice.only is None else 0
        room = body.h - px(LEAST_MOVES + GAP)
        tall = min(px(HEAD + rows * ROW + TIGHT), max(room, px(HEAD + ROW + TIGHT))) if rows else 0
        moves, mistakes = body.rows(None, tall, gap=px(GAP) if rows else 0)
        few = curve is None and moves.h < px(FEW_MOVES)  # the chart says more than a row or two of moves
        curve = moves if few else curve
        return [
            *([] if few else moves_panel(game, self.look_at, look, moves, review)),
            *([mistakes_table(self.practice, self.begin, look.theme, mistakes)] if rows else []),
            *([chances_graph(game, review, self.look_at, curve)] if curve is not None else []),
        ]

    @property
    def game(self) -> GameModel:
        return self.practice.game

    @property
    def reviewing(self) -> Review:
        return self.review.review

    def strip(self, side: int, rect: Rect) -> Strip:
        to_move = self.practice.stage is PracticeStage.ASKED and self.model.side == side
        return replace(super().strip(side, rect), to_move=to_move)

    def _status(self, rect: Rect, look: Look) -> StatusText:
        if self.refused is not None:
            return StatusText(key="status", rect=rect, head="Not possible", text=self.refused[1], icon="warning",
                              tone="warning")  # fmt: skip
        head, texts, icon, tone = review_words(self.practice, self.review, self._finders, stuck=self._stuck)
        words = StatusText(key="status", rect=rect, head=head, text="", icon=icon, tone=tone, hint=texts[0])
        if self.practice.mistake in self.practice.finders and self.practice.stage is PracticeStage.ASKED:
            words = replace(words, hint=f"{texts[0]} {self._finders.basis}".rstrip())
        return self.state.status(words.with_text(look, *texts))

    def marks(self) -> BoardMarks:
        base, practice = super().marks(), self.practice
        mistake = practice.mistake
        if mistake is not None and practice.answered and self.model.cursor <= practice.first + 1 and not self.flight:
            base = replace(base, better=mistake.best.path, played=mistake.move.path)
        elif practice.verdict is AttemptResult.WRONG and self.model.cursor == practice.first + 1 and not self.flight:
            base = replace(base, played=next((move.path for move in practice.following), ()))  # the refutation
        tries = practice.stage in (PracticeStage.ASKED, PracticeStage.TRIED)
        return base if tries else replace(base, movable=(), must=())

    def buttons(self, rect: Rect, look: Look) -> list[Widget]:
        commands, widgets = by_id(self.commands()), list[Widget]()
        main = "" if self.practice.stage is PracticeStage.ASKED else "next-mistake"  # the task is on the board
        for row, listed in zip(rect.rows(None, None, gap=look.px(GAP)), self.state.button_rows, strict=True):
            names = [name for name in listed if commands[name].enabled or name == "next-mistake"]
            places = row.columns(*[None] * len(names), gap=look.px(GAP))
            words = {name: commands[name].name for name in names}
            short = {name: SHORT.get(text, text) for name, text in words.items()}
            if row.y > rect.y and places[0].w < look.px(ICONS):
                widgets += button_row(commands, names, places, icon_only=True)
            else:
                texts = short if places[0].w < look.px(WORDS) else words
                widgets += button_row(commands, names, places, main=main, short=texts)
        return widgets
