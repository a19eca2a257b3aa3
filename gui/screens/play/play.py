"""Play against a program, or two players at one board; and a board on which lines are tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from game.ballots import PLIES
from game.moves import Move
from game.review.judged import Review, read_review
from game.rules import BLACK
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, EDGE, GAP
from gui.model.game import SIDE_NAME, GameModel
from gui.model.table import LEAST_SECONDS
from gui.screens.dialogs.dialog import Dialog, Menu
from gui.screens.play import game_files
from gui.screens.play.game_parts import Banner, StatusText, Strip, thinking_text
from gui.screens.play.play_board import PlayBoard
from gui.screens.play.rated import ANALYSED, HINTED, LOOKED_UP, PLAYED_ON, TAKEN_BACK, TELLS, WAITS, RatedGame
from gui.storage.autosave import Kept
from gui.storage.settings import Preferences, hidden
from gui.widgets.base import Command, Widget, by_id
from gui.widgets.button import button

if TYPE_CHECKING:
    from gui.app import App

SEEN_SECONDS = 1.2
"""Of a program's move that is seen to be thought about, at least."""

GAME, FILES = "The game", "Files"
BUTTONS = ("undo", "redo", "hint", "draw", "resign", "move-now", "flip", "new-game", "menu")
BUTTONS_AT_END = ("undo", "redo", "save", "rematch", "swap", "review", "flip", "new-game", "menu")
BUTTONS_RECORDED = ("undo", "redo", "hint", "review", "save", "copy", "flip", "new-game", "menu")
SHORT = {"save": "Save", "copy": "Copy"}


class Play(PlayBoard):
    """A game of a person against a program, or of two people."""

    title = "Play"

    def __init__(
        self,
        app: App,
        model: GameModel,
        *,
        flipped: bool | None = None,
        recorded: bool = False,
        kept: Kept | None = None,
    ) -> None:
        if flipped is None:  # a person sits at the bottom
            flipped = model.seats[BLACK].human
        self.rated = RatedGame(app.services.career, model)
        self._recorded = model.stamp if recorded else None
        self._rates = self.rated.counts
        super().__init__(app, model, flipped=flipped)
        self._banner = model.over and not recorded
        self._kept = kept
        self._take_review(None if kept is None else kept.extra.get("review"))
        self._name()

    def _name(self) -> None:
        opponent = next((seat for seat in self.model.seats if not seat.human), None)
        if opponent is not None:
            self.title = f"Against {opponent.brief}"
        else:
            names = [seat.title or name for seat, name in zip(self.model.seats, SIDE_NAME, strict=True)]
            self.title = f"{names[0]} against {names[1]}" if names != list(SIDE_NAME) else "Two players"

    @property
    def settings(self) -> Preferences:
        """While a rated game counts, nothing that judges positions is shown."""
        chosen = super().settings
        return hidden(chosen) if self.rated.counts else chosen

    @property
    def asks_analyst(self) -> bool:
        """Not while a program plays against a person, who would be told what to move."""
        return self.model.over or self.two_players or self._only_shown

    def _switch_analysis(self) -> None:
        """Give time to see the expected line, where programs are watched while they think."""
        super()._switch_analysis()
        self.table.least = SEEN_SECONDS if self.settings.see_thinking else LEAST_SECONDS

    @property
    def two_players(self) -> bool:
        """True if both players are people."""
        return all(seat.human for seat in self.model.seats)

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        """All of the play screen."""
        possible = bool(self.model.plies) and (self.model.over or self._only_shown)
        review = self.review_command(possible=possible)
        return [*self._actions(), review, *self.steps(), *self.views(), *self._more()]

    def _actions(self) -> list[Command]:
        model, table = self.model, self.table
        going, mine = not model.over, model.person_to_move
        person = any(seat.human for seat in model.seats)

        over = "The game is over." if model.over else ""
        turn = over or ("" if mine else "It is not your move.")
        alone = "" if person else "Nobody here plays this game."
        offered = over or alone or "A draw was offered already since the last move."
        on = "The game is not over yet: Shift+R resigns it."
        command = partial(Command, group=GAME)
        return [
            command(id="undo", name="Undo", keys=("u", "ctrl+z"),
                    run=partial(self.rated.guard, self.app, TAKEN_BACK, self.undo),
                    about="Take back your last move and the answer", icon="undo", enabled=model.can_undo,
                    why="There is nothing to take back."),
            command(id="redo", name="Redo", keys=("y", "ctrl+y"), run=self.redo,
                    about="Play again what was taken back", icon="redo", enabled=model.can_redo,
                    why="Nothing was taken back."),
            command(id="hint", name="Hint", keys=("h",), run=partial(self.rated.guard, self.app, HINTED, self.hint),
                    about="Show a good move", icon="hint", enabled=going and mine, why=turn),
            command(id="type", name="Type a move", keys=("t",), run=self.type_move, about="Type a move, as in 11-15",
                    icon="write", enabled=going and mine, why=turn),
            command(id="move-now", name="Move now", keys=("m",), run=table.move_now,
                    about="Let the program play the best it knows", icon="bolt",
                    enabled=bool(table.thinking) and not self.rated.counts,
                    why=over or (WAITS if self.rated.counts else "No program is thinking.")),
            command(id="draw", name="Draw", keys=("d",), run=self.offer_draw, about="Offer a draw", icon="draw",
                    enabled=person and table.may_offer_draw(), why=offered),
            command(id="resign", name="Resign", keys=("shift+r",), run=self.resign, about="Give up the game",
                    icon="flag", enabled=going and person, why=over or alone),
            command(id="rematch", name="Rematch", keys=("r",), run=partial(self.rematch, False),
                    about="The same game again", icon="rematch", enabled=not going, why=on),
            command(id="swap", name="Swap sides", keys=("x",), run=partial(self.rematch, True),
                    about="A rematch with colours swapped", icon="swap", enabled=not going and not self.rated.game,
                    why=on if going else "In rated games colours take turns: a rematch swaps them."),
        ]  # fmt: skip

    def _more(self) -> list[Command]:
        model, app = self.model, self.app
        back = not model.at_end or (model.over and model.can_undo)
        command = partial(Command, group=FILES)
        return [
            Command(id="new-game", name="New game", keys=("n", "ctrl+n"), run=self.new_game,
                    about="Choose an opponent", icon="plus", group=GAME),
            Command(id="play-on", name="Play on from here", keys=("p",), run=self.play_on,
                    about="Give up what follows this position", icon="resume", enabled=back, group=GAME,
                    why="This is the latest position: go back first."),
            Command(id="set-up", name="Set up a position", keys=("e",), run=self.set_up,
                    about="Place the pieces as you like", icon="board", group=GAME),
            command(id="save", name="Save the game", keys=("s", "ctrl+s"),
                    run=lambda: game_files.save_game(app, self.model, review=self.reviewing),
                    about="Write a PDN file, or the position: name it .fen", icon="save"),
            command(id="open", name="Open a file", keys=("o", "ctrl+o"), run=lambda: game_files.open_file(app),
                    about="Games or players", icon="open"),
            command(id="copy", name="Copy the game", keys=("c", "ctrl+c"),
                    run=lambda: game_files.copy_game(app, self.model, self.reviewing), about="Copy as PDN",
                    icon="copy"),
            command(id="copy-position", name="Copy the position", keys=("shift+c",),
                    run=lambda: game_files.copy_position(app, self.model.shown), about="Copy the position as FEN",
                    icon="copy"),
            command(id="paste", name="Paste", keys=("ctrl+v", "shift+v"), run=lambda: game_files.paste(app),
                    about="A game or a position", icon="paste"),
            Command(id="menu", name="Menu", keys=(".", "f10"), run=self.menu, about="More that can be done",
                    icon="menu", group=GAME),
        ]  # fmt: skip

    def menu(self) -> None:
        """Show what has no button of its own."""
        hidden = ("menu", "flip")
        self.app.open(Menu(self.app, "Menu", lambda: [c for c in [*self._more(), *self.views()] if c.id not in hidden]))

    def undo(self) -> None:
        """Take back."""
        self.flight = None
        self._banner = self.hinting = False
        self.refused = None
        self.table.undo()

    def redo(self) -> None:
        """Play again what was taken back."""
        self.flight = None
        self.hinting = False
        self.table.redo()

    def hint(self) -> None:
        """Ask for a good move."""
        self.go_to(10**9)
        self.model.cancel()
        self.hinting = True
        self.table.hint()

    def offer_draw(self) -> None:
        """Offer a draw; between two persons the other one is asked."""
        if not self.table.offer_draw() or not self.two_players or self.table.offer is None:
            return
        text = f"{SIDE_NAME[self.table.offer]} offers a draw."
        answers = (
            ("Accept", "y", lambda: self.table.answer_draw(True)),
            ("Decline", "n", lambda: self.table.answer_draw(False)),
        )
        self.app.open(Dialog(self.app, "A draw?", text, answers))

    def resign(self) -> None:
        """Give up, after a question."""
        text = "The game counts as lost" + (" for your rating." if self.rated.counts else ". Undo takes it back.")
        answers = (("Resign", "return", self.table.resign), ("Play on", "escape", lambda: None))
        self.app.open(Dialog(self.app, "Resign?", text, answers, "danger"))

    def rematch(self, swap: bool) -> None:
        """The same game again."""
        if not self.model.over:
            return
        if self.rated.game:
            self.rated.rematch(self.app, self._begin_again)
        else:
            self._begin_again(self.model.rematch(swap=swap))

    def _begin_again(self, model: GameModel) -> None:
        self.rated = RatedGame(self.app.services.career, model)
        if not self._only_shown:
            self.app.services.leave_game(self.model, self._extra)
        self._recorded = None
        self.flight, self.refused, self._banner, self.hinting = None, None, False, False
        self.table.begin(model)
        self._switch_analysis()
        if not self.two_players:
            self.flipped = model.seats[BLACK].human

    def play_on(self) -> None:
        """Go on from the position that is shown; more than a move and its answer is given up after a question only."""
        lost = len(self.model.plies) - self.model.cursor
        if self.rated.counts:
            self.rated.guard(self.app, PLAYED_ON, self._play_on)
            return
        if lost <= 2 or self._only_shown:
            self._play_on()
            return
        text = f"The {lost} moves and answers after this position are given up."
        answers = (("Play on", "return", self._play_on), ("Keep them", "escape", lambda: None))
        self.app.open(Dialog(self.app, "Play on from here?", text, answers, "danger"))

    def _play_on(self) -> None:
        self.flight = None
        self._banner = False
        self.model.play_on_from_here()

    def new_game(self) -> None:
        """Choose an opponent."""
        self.app.open(self.app.screens.chooser(position=self.model.shown))

    def set_up(self) -> None:
        """Change the position by hand."""
        from gui.screens.play.set_up import SetUp

        self.app.open(SetUp(self.app, self.model.shown, self.model.seats))

    def escape(self) -> bool:
        """Esc: first the banner, then as at every board."""
        if self._banner and self.model.over:
            self._banner = False
            return True
        return super().escape()

    def follow(self, move: Move) -> None:
        """Two players who stand at the end of their game play the move; otherwise as at every board."""
        if self.two_players and self.model.at_end and not self.model.over and not self._only_shown:
            self.play_text(str(move))
        else:
            super().follow(move)

    # Keeping ------------------------------------------------------------------------------------------------------

    @property
    def _extra(self) -> dict[str, object]:
        values = self.review_values
        return {"screen": "play", "flipped": self.flipped} | ({} if values is None else {"review": values})

    def _take_review(self, values: object) -> None:
        """Take a review that was kept with the game, if it is one of it."""
        plies = self.model.plies
        if isinstance(values, dict):
            positions = [self.model.position_at(cursor) for cursor in range(len(plies) + 1)]
            review = read_review(values, positions, [ply.move for ply in plies], self.model.result)
            if review is not None:
                super().keep_review(review, values)

    def keep_review(self, review: Review, values: dict[str, Any]) -> None:
        """Go to a position, and save the cursor in the file of the game."""
        super().keep_review(review, values)
        if self._kept is None or not self._only_shown:
            self.keep()
        elif trouble := self.app.services.autosave.amend(self._kept.path, review=values):
            self.app.say(trouble, "warning")

    def keep(self) -> bool:
        """Keep the game for the next start; returns whether that worked."""
        return not self._only_shown and self.app.services.keep_game(self.model, self._extra)

    @property
    def _only_shown(self) -> bool:
        """True if this is a recorded game without new moves."""
        return self._recorded == self.model.stamp

    def tick(self, now: float, dt: float) -> bool:
        """Let time pass, and save changes of the game."""
        changed = super().tick(now, dt)
        if not self._only_shown:
            self.save_if_changed(now, self._extra)
        changed = self.rated.step(self.app) or changed
        if self._rates != self.rated.counts:  # what a person wants to see may be seen again
            self._rates = self.rated.counts
            self._switch_analysis()
        return changed

    def _toggle(self, name: str) -> None:
        on = not getattr(self.settings, name)
        switch = partial(self._switch, name, on)
        if on:
            self.rated.guard(self.app, LOOKED_UP if name == "explorer" else ANALYSED, switch)
        else:
            switch()

    def on_game_over(self) -> None:
        """Show the banner."""
        self._banner, self.hinting, self.refused = True, False, None
        super().on_game_over()

    def on_close(self) -> None:
        """Nothing is thought about any more; the game waits to be continued."""
        self.app.services.thinker.drop()
        if not self._only_shown:
            self.app.services.leave_game(self.model, self._extra)

    # The picture --------------------------------------------------------------------------------------------------

    def view(self, size: Size, look: Look) -> list[Widget]:
        """Return the widgets of a game; at its end with a banner over the board."""
        widgets = super().view(size, look)
        ending = self.model.ending
        if ending is None or not self._banner or not self.model.at_end or self.flight is not None:
            return widgets
        px = look.px
        board = self.layout(size, look).board
        wide = min(px(500), board.w - px(16))
        # What went wrong with a program may take more lines than two.
        reason = f"{ending.reason} {self.rated.outcome}".strip()
        more = max(len(look.fonts.wrap(reason, wide - px(120), px(BODY))) - 2, 0) * look.fonts.height(px(BODY))
        card = board.centre_within(wide, min(px(176) + more, board.h - px(16)))
        inner = card.inset(px(EDGE), px(EDGE))
        _, row = inner.rows(None, px(CONTROL), gap=px(GAP))
        found = by_id(self.commands())
        close = Command(id="close", name="Close", keys=("escape",), run=self.escape, about="Show the board",
                        icon="close")  # fmt: skip
        widgets.append(Banner(key="banner", rect=card, head=ending.headline, text=reason, winner=ending.winner))
        for name, place in zip(("review", "rematch", "swap"), row.columns(None, None, None, gap=px(GAP)), strict=True):
            widgets.append(button(found[name], f"banner.{name}", place, kind="main" if name == "review" else "plain"))
        corner = card.inset(px(GAP)).corner(px(32))
        widgets.append(button(close, "banner.close", corner, kind="quiet", icon_only=True))
        return widgets

    def strip(self, side: int, rect: Rect) -> Strip:
        """As at every board; besides, whether the game is rated."""
        strip, told = super().strip(side, rect), self.rated.describe(side)
        return replace(strip, limits=", ".join(filter(None, (strip.limits, told)))) if told else strip

    def status(self, rect: Rect) -> StatusText:
        """Return the state of the game, in words."""
        head, text, icon, tone = self._words()
        return StatusText(key="status", rect=rect, head=head, text=text, icon=icon, tone=tone)

    def _words(self) -> tuple[str, str, str, str]:
        model, table = self.model, self.table
        if self.refused is not None:
            return "Not possible", self.refused[1], "warning", "warning"
        if not model.at_end:
            text = "End goes back to the game, P plays on from here."
            return model.place, text, "eye", "normal"
        if model.ending is not None:
            icon = "draw" if model.ending.winner is None else "crown"
            return model.ending.headline, f"{model.ending.reason} {self.rated.outcome}".strip(), icon, "good"
        if table.status:
            return "One moment", table.status, "info", "normal"
        if table.offer is not None:
            return "Draw offered", "Waiting for the answer…", "draw", "normal"
        thinking = table.thinking
        if thinking is not None:
            return f"{SIDE_NAME[thinking.side]} is thinking", thinking_text(thinking), "bolt", "normal"
        return self._words_for_person()

    def _words_for_person(self) -> tuple[str, str, str, str]:
        model = self.model
        if model.turn.hopping:
            return "Go on jumping", "Touch the next square. Esc takes the jumps back.", "next", "normal"
        side = SIDE_NAME[model.side]
        head = f"{side} to move" if self.two_players else "Your move"
        if model.turn.must_capture:
            which = "the ringed piece" if len(model.turn.must_capture) == 1 else "a ringed piece"
            ringed = f" Play {which}." if self.app.services.settings.must_marks else ""
            return head, f"You must jump.{ringed}", "warning", "warning"
        if self.rated.counts and len(model.plies) <= PLIES + 1:
            return head, f"You play {side}. {TELLS}", "play", "good"
        if model.plies:
            return head, "" if self.two_players else f"You play {side}.", "play", "good"
        return head, f"You play {side}: click or drag a piece.", "play", "good"

    def buttons(self, rect: Rect, look: Look) -> list[Widget]:
        """Three rows of three; after the game the ways on take the place of what is over."""
        found = by_id(self.commands())
        widgets: list[Widget] = []
        names = BUTTONS_AT_END if self.model.over else BUTTONS_RECORDED if self._only_shown else BUTTONS
        for name, place in zip(names, rect.grid(3, 3, look.px(GAP)), strict=True):
            main = name == "rematch" and not self._banner  # which has one of its own
            made = button(found[name], f"do.{name}", place, kind="main" if main else "plain")
            widgets.append(replace(made, text=SHORT.get(name, made.text)))
        return widgets


LEFT_AWAY = ("draw", "resign", "move-now", "rematch", "swap", "play-on")
"""Commands of a game that make no sense where nobody plays."""

EXPLORING_BUTTONS = ("undo", "redo", "hint", "flip", "copy", "save", "set-up", "new-game", "menu")
EXPLORING_SHORT = {"set-up": "Set up", "save": "Save", "copy": "Copy", "new-game": "Play on"}


class Exploring(Play):
    """Lines of the explorer and of one's own."""

    def _name(self) -> None:
        self.title = "Explore"

    @property
    def _only_shown(self) -> bool:
        """Nothing is kept."""
        return True

    def commands(self) -> Sequence[Command]:
        """Return the commands of a game that apply to lines."""
        return [command for command in super().commands() if command.id not in LEFT_AWAY]

    def follow(self, move: Move) -> None:
        """Play a move from the position that is shown; what followed is brought again by Redo."""
        self._leave_line()
        self.play_text(str(move))

    def _leave_line(self) -> None:
        """A move from an earlier position begins another line."""
        if not self.model.at_end:
            self._play_on()

    def _touch(self, square: int) -> None:
        self._leave_line()
        super()._touch(square)

    def _grab(self, square: int) -> bool:
        self._leave_line()
        return super()._grab(square)

    def new_game(self) -> None:
        """Choose whom to play on against from the position that is shown."""
        branch = self.model.branch()
        self.app.open(self.app.screens.chooser(position=branch.last, game=branch, from_here=True))

    def escape(self) -> bool:
        """Esc: a piece in the hand, unfinished hops; an old position does not keep one here."""
        self._banner = False
        return self.model.at_end and super().escape()

    def status(self, rect: Rect) -> StatusText:
        """Return the side to move, and that nothing is saved."""
        found = super().status(rect)
        if self.refused is not None or self.model.turn.hopping or (self.model.over and self.model.at_end):
            return found
        head = f"Exploring: {SIDE_NAME[self.model.shown.side]} to move"
        return replace(found, head=head, text="Nothing of this is kept. Esc goes back.", icon="tree", tone="normal")

    def buttons(self, rect: Rect, look: Look) -> list[Widget]:
        """Three rows of three."""
        found = by_id(self.commands())
        return [
            replace(button(found[name], f"do.{name}", place), text=EXPLORING_SHORT.get(name, found[name].name))
            for name, place in zip(EXPLORING_BUTTONS, rect.grid(3, 3, look.px(GAP)), strict=True)
        ]
