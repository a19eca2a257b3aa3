"""A game against a program or between two people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from evolve.strength.levels import LEVELS, level_of
from game.ballots import PLIES
from game.errors import capital
from game.number_text import moves_text
from game.review.judged import Review, good_moves, read_review
from game.rules import BLACK
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, TIGHT
from gui.model.ending import SIDE_NAME, Ending
from gui.model.game import GameModel
from gui.model.seats import HUMAN
from gui.screens.dialogs.dialog import Dialog
from gui.screens.play import game_files, rated
from gui.screens.play.analysis_panel import Finders
from gui.screens.play.game_parts import StatusText, Strip, thinking_text, title_area
from gui.screens.play.game_screen import FRAME_SECONDS, GameScreen
from gui.screens.play.game_state import GameState
from gui.screens.play.layout import GameLayout
from gui.storage.autosave import Kept
from gui.storage.settings import PANELS, Preferences, hidden
from gui.widgets.base import Command, Label, Widget, by_id
from gui.widgets.button import button_row

if TYPE_CHECKING:
    from game.board import Position
    from gui.app import App
    from gui.screens.play.games import GamesScreen


IN_VARIATION = "Press Esc to return, P to play from here."
EARLIER = "Press End to return, P to play from here."
RECORDED = "Press → for the next move."
CONFIRM = "Click the square again to play it."

GAME, FILES = "The game", "Files"
IN_ROW, IN_PAIRS = 3, 4
"""The number of buttons in a row; four stand in two rows."""
BUTTONS = ("undo", "hint", "menu", "draw", "resign", "flip", "move-now")
BUTTONS_TO_CONFIRM = ("confirm", "take-back", "menu", *BUTTONS[IN_ROW:])
BUTTONS_AT_END = ("rematch", "review", "new-game", "menu")
BUTTONS_WITH_OTHER = ("other", "rematch", "review", "menu")
BUTTONS_RECORDED = ("review", "play-on", "save", "menu")
GAMES = ("previous-game", "next-game")
LADDER = 196
"""Maximum height of the ladder after a climbed rung."""
SHORT = {"play-on": "From here", "draw": "", "resign": "", "flip": "", "move-now": ""}
"""Shorter names on buttons; an empty one leaves the icon alone."""


class Play(GameScreen):
    """A game, or a recorded one.

    Args:
        make_state: what is special about it; by default that it is watched, if two programs play.
    """

    title = "Game"
    needed = ("play", "undo", "hint", "review", "rematch", "previous", "next", "analysis", "flip")
    takes = ("game", "play")

    def __init__(
        self,
        app: App,
        model: GameModel,
        *,
        flipped: bool | None = None,
        recorded: bool = False,
        kept: Kept | None = None,
        source: GamesScreen | None = None,
        make_state: Callable[[Play], GameState] | None = None,
    ) -> None:
        self._source = source
        settings = app.services.settings
        if flipped is None:
            flipped = settings.flipped(model.seats[BLACK].human)
        self._bottom = settings.bottom
        self.rated = rated.RatedGame(app.services.career, model)
        self._recorded = model.stamp if recorded else None
        self._rates = self.rated.counts
        super().__init__(app, model, flipped=flipped, file="" if source is None else source.games.file)
        self._kept = kept
        self._finders, self._hinted = Finders(app, person=True), ""
        self._hinted_for: Position | None = None
        self._take_review(None if kept is None else kept.extra.get("review"))
        self._enter(make_state)

    def _enter(self, make_state: Callable[[Play], GameState] | None = None) -> None:
        """Begin with a state, by default an ordinary one, or that of watching if two programs play."""
        self.watch = None
        if make_state is not None:
            self.state = make_state(self)
        elif self.two_programs and self._recorded != self.model.stamp:
            from gui.screens.play.watching import Watching

            self.state = Watching(self)
        else:
            self.state = GameState()
        self._switch_analysis()
        self._name()

    def _name(self) -> None:
        opponent = next((seat for seat in self.model.seats if not seat.human), None)
        if self.state.title:
            self.title = self.state.title
        elif opponent is not None and not self.two_programs:
            self.title = f"Against {opponent.brief}"
        else:
            names = [seat.title or name for seat, name in zip(self.model.seats, SIDE_NAME, strict=True)]
            self.title = f"{names[0]} against {names[1]}" if names != list(SIDE_NAME) else "Two players"

    @property
    def closed(self) -> str:
        return rated.RULES if self.rated.counts else ""

    @property
    def settings(self) -> Preferences:
        """The display settings; a rated game hides everything that judges positions."""
        return hidden(super().settings) if self.rated.counts else super().settings

    @property
    def confirms(self) -> bool:
        return self.settings.confirm

    def on_open(self) -> None:
        super().on_open()
        if self._bottom != self.settings.bottom:
            self._bottom = self.settings.bottom
            self.flipped = self.settings.flipped(self.model.seats[BLACK].human)

    @property
    def two_players(self) -> bool:
        return all(seat.human for seat in self.model.seats)

    @property
    def two_programs(self) -> bool:
        return not any(seat.human for seat in self.model.seats)

    def commands(self) -> Sequence[Command]:
        possible = bool(self.model.plies) and (self.model.over or self.read_only)
        review = self.review_command(possible=possible)
        return self.state.commands([
            *self._actions(),
            review,
            *self.steps(),
            *self._games(),
            *self.variations(),
            *self.views(),
            *self._more(),
        ])  # fmt: skip

    def _games(self) -> list[Command]:
        source = self._source
        if source is None:
            return []
        return [
            Command(id=id, name=name, keys=(key,), run=partial(source.turn, step), icon=icon, group=GAME,
                    about=f"Show the {name.lower()} of the list; this is {source.place}", enabled=source.has(step),
                    why="There is no further game in the list.")
            for id, name, key, icon, step in ((GAMES[0], "Previous game", "pageup", "up", -1),
                                              (GAMES[1], "Next game", "pagedown", "down", 1))
        ]  # fmt: skip

    def open_review(self) -> None:
        """Open the review of the game; in a file, it leads on to that of the next game."""
        source = self._source
        onward = partial(source.turn, 1, review=True) if source is not None and source.has(1) else None
        self._open_review(onward)

    def _actions(self) -> list[Command]:
        model, table = self.model, self.table
        going, mine = not model.over and not model.branches, model.person_to_move
        person = any(seat.human for seat in model.seats)

        over = "The game is over." if model.over else "" if going else "This is a variation."
        turn = over or ("" if mine else "It is not your move.")
        alone = "" if person else "No person plays in this game."
        offered = over or alone or "A draw has already been offered since the last move."
        on = over if model.branches else "The game is not over yet: press “Resign” to resign."
        command, hopping = partial(Command, group=GAME), bool(model.turn.hopping)
        return [
            command(id="undo", name="Take back" if hopping else "Undo", keys=("u", "ctrl+z"), icon="undo",
                    run=self.escape if hopping else self.undo,
                    about="Take back a jump" if hopping else "Take back your last move and the reply",
                    enabled=hopping or (model.can_undo and not self.closed),
                    why=self.closed or "There is nothing to take back."),
            command(id="redo", name="Redo", keys=("ctrl+y",), run=self.redo,
                    about="Replay the move that was taken back", icon="redo", enabled=model.can_redo,
                    why="No move has been taken back."),
            command(id="hint", name="Hint", keys=("h",), run=self.hint, about="Show a good move", icon="hint",
                    enabled=going and mine and not self.closed, why=self.closed or turn),
            command(id="type", name="Type a move", keys=("t",), run=self.type_move, about="Type a move, such as 11-15",
                    icon="write", enabled=going and mine, why=turn),
            command(id="move-now", name="Move now", keys=(".",), run=table.move_now,
                    about="Make the program play its best move so far", icon="bolt",
                    enabled=table.thinking is not None and not self.rated.counts,
                    why=over or (rated.WAITS if self.rated.counts else "No program is thinking.")),
            command(id="draw", name="Draw", keys=(), run=self.offer_draw, about="Offer a draw", icon="draw",
                    enabled=person and table.may_offer_draw(), why=offered),
            command(id="resign", name="Resign", keys=(), run=self.resign, about="Resign the game",
                    icon="flag", enabled=going and person, why=over or alone),
            command(id="rematch", name="Rematch", keys=("r",), run=partial(self.rematch, False),
                    about="Play the same opponent again", icon="rematch", enabled=model.over, why=on),
            command(id="swap", name="Swap sides", keys=("x",), run=partial(self.rematch, True),
                    about="Play again with colours swapped", icon="swap", enabled=model.over and not self.rated.game,
                    why=on if not model.over else "In rated games colours alternate: the next game swaps them."),
            *self._other_commands(),
            *([command(id="confirm", name="Play it", keys=("return",), run=lambda: self._touch(model.turn.path[-1]),
                       about="Play the move that waits", icon="check"),
               command(id="take-back", name="Take back", keys=(), run=model.turn.cancel, icon="undo",
                       about="Put the piece back (Esc)")] if model.turn.complete else []),
        ]  # fmt: skip

    def _more(self) -> list[Command]:
        model, app = self.model, self.app
        back = not model.at_end or bool(model.branches) or (model.over and model.can_undo)
        command = partial(Command, group=FILES)
        return [
            Command(id="new-game", name="New game", keys=("n",), run=self.new_game,
                    about="Choose an opponent", icon="plus", group=GAME),
            Command(id="play-on", name="Play from here", keys=("p",), run=self.play_on,
                    about="Go on from here; another move makes the later ones a variation", icon="resume",
                    enabled=back and not self.closed, group=GAME,
                    why=self.closed or "This is the latest position: go back first."),
            *self.copies(FILES),
            command(id="open", name="Open a file", keys=("o", "ctrl+o"), run=lambda: game_files.open_file(app),
                    about="Open a file of games or players", icon="open"),
            command(id="paste", name="Paste", keys=("ctrl+v",), run=lambda: game_files.paste(app),
                    about="Paste a game or a position", icon="paste"),
            Command(id="menu", name="Menu", keys=("f10",), run=self.menu, about="Open the menu of more commands",
                    icon="menu", group=GAME),
        ]  # fmt: skip

    def undo(self) -> None:
        self.flight = None
        self.hinting = False
        self.refused = None
        self.table.undo()

    def redo(self) -> None:
        self.flight = None
        self.hinting = False
        self.table.redo()

    def hint(self) -> None:
        self.go_to(10**9)
        self.model.turn.cancel()
        self.hinting = True
        self.table.hint()

    def _hint_words(self) -> str:
        """Return how many people as strong as the person find a good move, once a hint is complete; else nothing."""
        analysis = self.table.analysis
        if not self.hinting or analysis is None or not analysis.final:
            return ""
        if self._hinted and analysis.position == self._hinted_for:  # this is asked before each frame
            return self._hinted
        self._hinted_for = analysis.position
        good = good_moves(analysis.position, analysis.finding, analysis.games)
        return self._finders.words(self._finders.share(analysis.position, good), "a good move here")

    def offer_draw(self) -> None:
        """Let the other person answer; a program is only asked after a question, since it may agree at once."""
        if not self.two_players:
            self._ask("Offer a draw?", "The game ends if your opponent accepts.", self.table.offer_draw)
            return
        if not self.table.offer_draw() or self.table.offer is None:
            return
        text = f"{SIDE_NAME[self.table.offer]} offers a draw."
        answers = (
            ("Accept", "ctrl+return", lambda: self.table.answer_draw(True)),
            ("Decline", "escape", lambda: self.table.answer_draw(False)),
        )
        self.app.open(Dialog(self.app, "Accept a draw?", text, answers))

    def resign(self) -> None:
        self._ask("Resign?", f"The game counts as lost{' for your rating' * self.rated.counts}.", self.table.resign)

    def _ask(self, question: str, text: str, run: Callable[[], object]) -> None:
        answers = ((question.rstrip("?"), "return", run), ("Keep playing", "escape", lambda: None))
        self.app.open(Dialog(self.app, question, text, answers, "danger"))

    def rematch(self, swap: bool) -> None:
        """Begin another game between the same players, with colours swapped if asked for or if the game was rated."""
        if not self.model.over:
            return
        if self.rated.game:
            self.rated.rematch(self.app, self.begin_again)
        else:
            self.begin_again(self.model.rematch(swap=swap))

    def _other_commands(self) -> list[Command]:
        """Return the command that plays a suitable other opponent: a stronger one after a win, or an easier one."""
        name = self._other_name
        if not name:
            return []
        return [Command(id="other", name=f"Try {name}", keys=("l",), run=self._play_other, icon="ladder", group=GAME,
                        about=f"Play against {name}")]  # fmt: skip

    @property
    def _other_name(self) -> str:
        if self.rated.suggested is not None:
            return self.rated.suggested.name
        return "" if self._other_level is None else LEVELS[self._other_level].name

    @property
    def _other_level(self) -> int | None:
        """The next level after a win against a level that was not rated, the one below after a loss; or None."""
        person, ending = self._person, self.model.ending
        if ending is None or ending.winner is None or person is None or self.rated.game or self.read_only:
            return None
        opponent = self.model.seats[1 - person]
        level = level_of(opponent.player or "", opponent.depth)
        other = level + (1 if ending.winner == person else -1)
        return other if level >= 0 and 0 <= other < len(LEVELS) else None

    def _play_other(self) -> None:
        other, level = self.rated.suggested, self._other_level
        if other is not None:
            rated.begin_rated(self.app, other, self.begin_again)
        elif level is not None:
            services, black = self.app.services, self.model.seats[BLACK].human
            services.choose_level(level)
            opponent = services.opponents.recommend()
            self.begin_again(GameModel((HUMAN, opponent) if black else (opponent, HUMAN)).vary())

    @property
    def _person(self) -> int | None:
        people = [seat.human and not seat.title for seat in self.model.seats]
        return None if people[0] == people[1] else people.index(True)

    def begin_again(self, model: GameModel, *, keep: bool = True, leave: bool = False) -> None:
        """Begin another game in the place of this one.

        Args:
            keep: whether this game is kept.
            leave: whether its state ends, too.
        """
        self.rated = rated.RatedGame(self.app.services.career, model)
        if keep and self._saves:
            self.app.services.leave_game(self.model, self._extra)
        self._recorded = None
        self.flight, self.refused, self.hinting = None, None, False
        self.table.begin(model)
        if leave or (self.two_programs and self.watch is None):
            self._enter()
        self.state.begin()
        self._switch_analysis()
        self._name()
        if not self.two_players:
            self.flipped = self.settings.flipped(model.seats[BLACK].human)

    def play_on(self) -> None:
        """Continue from the visible position; the later moves can be redone, and are kept as a variation."""
        self.flight = None
        self.model.play_on_from_here()
        if self.two_programs and self.watch is None:
            self._enter()

    def new_game(self) -> None:
        self.app.open(self.app.screens.chooser(self.app, position=self.model.shown))

    @property
    def takes_moves_of_both(self) -> bool:
        """True if two people are at the end of their game."""
        return self.two_players and self.model.at_end and not self.model.over and not self.read_only

    def escape(self) -> bool:
        """Do as on every board, but leave a recorded game wherever it is."""
        leaves = self.read_only and not self.model.branches and not self.model.turn.path
        return not leaves and super().escape()

    def _take_review(self, values: object) -> None:
        plies = self.model.plies
        if isinstance(values, dict):
            positions = [self.model.position_at(cursor) for cursor in range(len(plies) + 1)]
            review = read_review(values, positions, [ply.move for ply in plies], self.model.result)
            if review is not None:
                super().keep_review(review, values)

    def keep_review(self, review: Review, values: dict[str, Any]) -> None:
        super().keep_review(review, values)
        if self._kept is None or not self.read_only:
            self.keep()
        elif trouble := self.app.services.autosave.amend(self._kept.path, review=values):
            self.app.say(trouble, "warning")

    @property
    def _saves(self) -> bool:
        return not self.read_only

    @property
    def read_only(self) -> bool:
        return self.state.read_only or self._recorded == self.model.stamp

    def tick(self, now: float, dt: float) -> bool:
        changed = super().tick(now, dt)
        changed = self.rated.step(self.app) or changed
        before, self._hinted = self._hinted, self._hint_words()
        changed = changed or self._hinted != before
        if self._rates != self.rated.counts:  # show again what a rated game hides
            self._rates = self.rated.counts
            self._switch_analysis()
        return changed

    def on_game_over(self) -> None:
        self.hinting, self.refused = False, None
        self.rated.step(self.app)
        super().on_game_over()

    @property
    def sound_of_end(self) -> str:
        if self.rated.climbed:
            return "rung"
        ending, person = self.model.ending, self._person
        return "lost" if ending and person is not None and ending.winner == 1 - person else super().sound_of_end

    @property
    def pace(self) -> float:
        return FRAME_SECONDS if self.rated.moves else super().pace

    def _tools(self, rect: Rect, look: Look) -> list[Widget]:
        widgets = super()._tools(rect, look)
        if self._source is not None and self.read_only:
            text, place = capital(self._source.place), title_area(widgets[:3], rect, look)
            wide = min(look.wide(text) + look.px(GAP), place.w - 2 * (rect.h + look.px(TIGHT)))
            place, *ends, _ = place.columns(wide, rect.h, rect.h, None, gap=look.px(TIGHT))
            widgets.append(Label(key="place", rect=place, text=text, colour=look.theme.muted, may_cut=True))
            widgets += button_row(by_id(self._games()), GAMES, ends, icon_only=True, kind="quiet")
        return widgets

    def strip(self, side: int, rect: Rect) -> Strip:
        strip = super().strip(side, rect)
        if self.model.seats[side].human and self.model.at_end:  # the status says it
            strip = replace(strip, to_move=False)
        rating, line = self.rated.describe(side)
        return self.state.strip(replace(strip, rating=rating or strip.rating, line=line or strip.line))

    def _panel(self, body: Rect, look: Look) -> list[Widget]:
        """Show a rung that the game climbed, or a beaten level, with the moves below or beside it."""
        if (panel := self.state.panel(body, look)) is not None:
            return panel
        up = self.rated.climbed or self.rated.beaten
        rungs = self.rated.rungs if up and self.settings.panel == PANELS[0] else []
        if not rungs or not self.model.at_end or self._person is None:
            return super()._panel(body, look)
        if body.w > 2 * body.h:
            place, body = body.columns(None, None, gap=look.px(GAP))
        else:
            place, body = body.rows(min(look.px(LADDER), body.h // 2), None, gap=look.px(GAP))
        return [self.rated.climb(place, self._person), *super()._panel(body, look)]

    def _words(self) -> tuple[str, str, str, str]:
        model, table = self.model, self.table
        if self.refused is not None:
            return "Not possible", self.refused[1], "warning", "warning"
        if model.branches:
            return f"Variation: {model.place}", model.comment or IN_VARIATION, "tree", "normal"
        if not model.at_end:
            result = f"{model.ending.headline}. " if model.ending is not None and not model.cursor else ""
            earlier = f"{result}{RECORDED}" if self.read_only else EARLIER
            return model.place, model.comment or earlier, "eye", "normal"
        if self.read_only and model.comment:
            return model.ending.headline if model.ending is not None else model.place, model.comment, "eye", "normal"
        if model.ending is not None:
            winner = model.ending.winner
            lost = winner is not None and self._person == 1 - winner
            icon = "draw" if winner is None else "flag" if lost else "crown"
            tone = "normal" if lost else "good" if self._person is None or winner is None else "won"
            return self._headline(model.ending), self._said_at_end[0], icon, tone
        if table.status:
            return "One moment", table.status, "info", "normal"
        if table.offer is not None:
            return "Draw offered", "Waiting for the answer…", "draw", "normal"
        thinking = table.thinking
        if thinking is not None:
            return f"{SIDE_NAME[thinking.side]} is thinking", thinking_text(thinking), "bolt", "normal"
        return self._words_for_person()

    def _headline(self, ending: Ending) -> str:
        head = ending.headline
        if ending.winner is not None and self._person is not None:
            head = "You won" if ending.winner == self._person else "You lost"
        plies = len(self.model.plies)
        return f"{head} after {moves_text(plies)}" if plies else head

    @property
    def _said_at_end(self) -> tuple[str, str]:
        """The reason for the result and what comes next, and the latter alone."""
        assert self.model.ending is not None
        following = self.rated.outcome
        if self._other_level is not None:
            following = f"Try {self._other_name}?"
        return f"{self.model.ending.reason(self._person)} {following}".strip(), following

    def _status(self, rect: Rect, look: Look) -> StatusText:
        status = super()._status(rect, look)
        ending = self.model.ending
        if ending is not None and self.model.at_end and self.refused is None and self._person is not None:
            status = replace(status, king=ending.winner)
        if self.model.ending is None or not self.model.at_end or self.refused is not None:
            return status
        whole, following = self._said_at_end
        if not status.text.startswith(whole):  # a comment on the game
            return status
        texts = filter(None, (status.text, whole, following))
        return replace(status.with_text(look, *texts), hint=status.hint or whole)

    def _words_for_person(self) -> tuple[str, str, str, str]:
        model = self.model
        if model.turn.complete:
            return "Play this move?", CONFIRM, "next", "normal"
        if self._hinted:
            return "Your move", self._hinted, "hint", "normal"
        if model.turn.hopping:
            return "Keep jumping", "Click the next square, or Esc to take it back.", "next", "normal"
        side = self.side_name(model.side)
        head = f"{side} to move" if self.two_players else "Your move"
        if model.turn.must_capture:
            which = "the ringed piece" if len(model.turn.must_capture) == 1 else "a ringed piece"
            ringed = f" Play {which}." if self.app.services.settings.must_marks else ""
            return head, f"You must jump.{ringed}", "warning", "warning"
        if self.rated.counts and len(model.plies) <= PLIES + 1:
            return head, f"You play {side}. {rated.RULES}", "play", "good"
        if len(model.plies) < 2:
            return head, "Click or drag a piece.", "play", "good"
        last = "" if self.state.title else f"{SIDE_NAME[1 - model.side]}: {model.plies[-1].move}."
        return head, last, "play", "good"

    @property
    def _shown_buttons(self) -> tuple[Sequence[str], str]:
        """The ids of the commands on the buttons, and that of the main one."""
        if self.state.buttons is not None:
            return self.state.buttons
        if self.read_only and (self._source is not None or not self.model.over):
            return BUTTONS_RECORDED, "review"
        if self.model.turn.complete:
            return BUTTONS_TO_CONFIRM, "confirm"
        at_end = BUTTONS_WITH_OTHER if self._other_name else BUTTONS_AT_END
        names: Sequence[str] = at_end if self.model.over else BUTTONS
        if self.read_only and self._person is None:
            return names, "review"
        won = self.model.ending is not None and self.model.ending.winner == self._person
        return names, "other" if won and self._other_name else "rematch"  # on to a stronger opponent

    @property
    def on_buttons(self) -> Collection[str]:
        return self._shown_buttons[0]

    def layout(self, size: Size, look: Look) -> GameLayout:
        return self.state.layout(size, look.px, steps=self.read_only)

    def buttons(self, rect: Rect, look: Look) -> list[Widget]:
        if (controls := self.state.controls(rect, look)) is not None:
            return controls
        commands, (names, main) = by_id(self.commands()), self._shown_buttons
        gap, first = look.px(GAP), 2 if len(names) == IN_PAIRS else IN_ROW
        in_rows = [names] if rect.h < look.px(2 * CONTROL) else [names[:first], names[first:]]
        return [
            each
            for row, ids in zip(rect.rows(*[None] * len(in_rows), gap=gap), in_rows, strict=True)
            for each in button_row(commands, ids, row.columns(*[None] * len(ids), gap=gap), main=main, short=SHORT)
        ]
