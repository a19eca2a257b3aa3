"""The pane beside the shelves: the chosen opponent, how strong it is and how it plays, and the game against it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_text
from evolve.config.model import kind_of
from evolve.run.runs import Runs
from evolve.strength.levels import AT_RATING
from game.errors import capital, sentence
from gui.geometry import Rect
from gui.individuals.personas import brief
from gui.individuals.shelves import Offer
from gui.look.canvas import Look
from gui.look.theme import CONTROL, EDGE, GAP, LARGE_CONTROL, ROOM, TIGHT, TITLE
from gui.rating.rating import chance_words
from gui.screens.individuals import options
from gui.screens.play.game_files import begin
from gui.storage.settings import COLOURS
from gui.widgets.base import Command, Label, Widget, by_id
from gui.widgets.board import BoardWidget
from gui.widgets.button import Segments, button, button_row

if TYPE_CHECKING:
    from evolve.config.model import RunKind
    from gui.screens.individuals.chooser import Chooser

WIDE = 330
"""Width from which the pane has a wide margin."""
ABOUT, LEAST_BOARD = 124, 84
"""Height of the name of the chosen opponent and the lines below it, above a board; and the least height of a board."""
EQUAL = "As strong as you."


class OpponentPane:
    """The chosen opponent of the shelves, and the game against it."""

    title = "Opponents"

    def __init__(self, screen: Chooser, beginning: options.OpeningChoice) -> None:
        self.screen, self.app, self.beginning = screen, screen.app, beginning
        self.strength = options.StrengthChoice(
            screen.app.services, lambda: "" if screen.chosen is None else screen.chosen.player
        )
        self._kinds: dict[str, RunKind] = {}

    def commands(self) -> list[Command]:
        why = self.screen.why_not()
        return [
            Command(id="play", name="Play", keys=("p", "return"), run=self.play, about="Begin the game", icon="play",
                    enabled=not why, why=why),
            Command(id="colour", name="Colour", keys=(), run=self._next_colour,
                    about="Play Black, White, or a random colour"),
        ]  # fmt: skip

    def _colour(self, number: int) -> None:
        self.app.services.change_settings(colour=COLOURS[number])

    def _next_colour(self) -> None:
        self._colour((COLOURS.index(self.app.services.settings.colour) + 1) % len(COLOURS))

    def activate(self) -> None:
        """React to a double click on a card, or to Enter."""
        self.play()

    def play(self) -> None:
        screen, services = self.screen, self.app.services
        offer, row, colour = screen.offer, screen.chosen, services.settings.colour
        if offer is not None and offer.command is not None:
            offer.command.run()
        elif row is None or row.trouble:
            self.app.say(screen.why_not(), "warning")
        elif screen.level >= 0:
            services.choose_level(screen.level)
            begin(self.app, services.opponents.recommend(), colour, self.beginning.game)
        else:
            seat = services.opponents.seat_of(row)
            services.change_settings(opponent=row.player, opponent_title=row.title)
            if services.opponents.depth_of(row.player) != seat.depth:  # the level that is suggested before any choice
                services.change_settings(depth=seat.depth)
            begin(self.app, seat, colour, self.beginning.game)

    def sides(self, offer: Offer) -> tuple[int, ...]:
        """Return the sides for which an opponent was chosen already."""
        return ()

    def view(self, rect: Rect, look: Look) -> list[Widget]:
        screen, px, commands = self.screen, look.px, by_id(self.screen.commands())
        inner, wide = rect.inset(px(EDGE if rect.w >= px(WIDE) else ROOM), px(ROOM)), rect.w > rect.h
        offer = screen.offer
        if offer is not None and offer.command is not None:
            crests = [(each.title, screen.persona(each).emblem) for each in screen.led_to(offer)]
            return options.leads_to(offer.command, crests, inner, look)
        shown = 1 if screen.level >= 0 and self.beginning.is_usual else 2  # the palette offers other beginnings, too
        if wide:
            text, last, play = inner.rows(None, px(CONTROL), px(LARGE_CONTROL), gap=px(GAP))
            mine, *start = last.columns(*[None] * shown, gap=px(ROOM))
        else:
            text, mine, *start, play = inner.rows(None, *[px(CONTROL)] * shown, px(LARGE_CONTROL), gap=px(GAP))
        label, colour = mine.columns(px(64), None, gap=px(TIGHT))
        return [
            *self.about(text, look, self._buttons(commands), wide=wide),
            Label(key="colour.label", rect=label, text="You play", bold=True),
            Segments(key="colour", rect=colour, names=("Black", "White", "Random"), pick=self._colour,
                     chosen=COLOURS.index(self.app.services.settings.colour),
                     hint=f"{screen.side_name(0)} moves first, {screen.side_name(1)} second"),
            *map(self.beginning.choice, start),
            button(commands["play"], "play", play, kind="main", size=TITLE),
        ]  # fmt: skip

    def _buttons(self, known: Mapping[str, Command]) -> list[Command]:
        """Return what can be done with the chosen opponent."""
        added = [each for each in self.screen.player_commands() if each.enabled and not each.group]
        if self.screen.run is None:
            return added
        evolution = [] if self.screen.is_exhibit else [known["run"]]  # that of an exhibit is over
        return [*evolution, *([known["run-group"]] if self.screen.run_commands() else added)]

    def about(self, rect: Rect, look: Look, commands: list[Command], *, wide: bool) -> list[Widget]:
        """Return what the chosen opponent is, buttons of commands, and how it is to play."""
        px, text, widgets, spare, offer = look.px, rect, list[Widget](), 0, self.screen.offer
        if self.screen.level < 0:  # a level has its own depth and time
            if wide:
                text, limits = text.rows(None, px(50), gap=px(GAP))
                depth, time = limits.columns(None, None, gap=px(EDGE))
            else:
                text, depth, time = text.rows(None, px(50), px(50), gap=px(GAP))
            widgets = self._thinks(depth, time)
        if commands:
            text, line = text.rows(None, px(CONTROL), gap=px(GAP))
            places = line.columns(*[None] * len(commands), gap=px(GAP))
            widgets += button_row(by_id(commands), by_id(commands), places, shortcut="")
        pieces = None if offer is None else self.screen.pieces(offer)
        if pieces is not None and text.h >= px(LEAST_BOARD if wide else ABOUT + LEAST_BOARD):
            above = text.rows(px(ABOUT), None)[0]
            high = max(widget.rect.bottom for widget in self._details(above, look)) - text.y
            text, board = text.columns(None, text.h, gap=px(ROOM)) if wide else text.rows(high, None, gap=px(GAP))
            side = min(board.h, board.w)
            spare = 0 if wide else board.h - side
            text, board = Rect(text.x, text.y, text.w, text.h + spare), board.rows(None, side)[1]
            widgets.append(BoardWidget(key="board", rect=board, pieces=pieces, numbers=False, enabled=False,
                                       hint="From one of its games"))  # fmt: skip
        return [*self._details(text, look, spare), *widgets]

    def _details(self, rect: Rect, look: Look, spare: int = 0) -> list[Widget]:
        """Return the name of the chosen opponent, and in few words how strong it is and how it plays."""
        screen, services, offer = self.screen, self.app.services, self.screen.offer
        chosen, persona, level = screen.chosen, screen.persona(offer), screen.level
        name = "" if chosen is None or offer is None else offer.title
        if chosen is not None and level < 0 and not screen.is_exhibit:
            name = services.opponents.name_of(chosen)
        lines, hint = list[str](), ""
        if chosen is not None:
            chosen = chosen._replace(rating=chosen.rating or persona.rating)
            of_run, of_level = screen.run, services.opponents.level_at(level)
            named = level >= 0 or (offer is not None and offer.rating)  # on its card
            strength = "" if chosen.rating is None or named else f"Rated {shown_text(chosen.rating[0])}."
            style = f"{capital(of_level.play)}." if level >= 0 else brief(persona.sentence)
            as_rated = level >= 0 or self.strength.plies == services.opponents.evolved_depth(chosen.player)
            chance = chance_words(services.career.rating_value, chosen.rating[0]) if chosen.rating and as_rated else ""
            equal = 0 <= level < AT_RATING and of_level is services.opponents.suitable_level
            chance = "" if screen.watch else EQUAL if equal else chance
            tags = f"Tags: {', '.join(of_run.tags)}" if of_run is not None and of_run.tags else ""
            note = "" if of_run is None else of_run.note
            lines = [*filter(None, (" ".join(filter(None, (strength, style))), chance, tags, note))]
            about = [*options.lines_of(chosen), persona.sentence, chance, tags, note]
            hint = options.about_level(of_level) if level >= 0 else "\n".join(filter(None, about))
            if offer is not None and of_run is not None:
                lines = lines or [sentence(offer.line)]
        return options.details(chosen, name, self._doubt, rect, look, (), lines, persona.emblem, hint, spare)

    @property
    def _doubt(self) -> str:
        chosen = self.screen.chosen
        if chosen is None or self.screen.level >= 0 or self.strength.plies <= 1 or not self._kind.breeds:
            return ""
        at_one = self.app.services.opponents.evolved_depth(chosen.player) == 1
        return "It evolved at depth 1: deeper it may play worse." if at_one else ""

    @property
    def _kind(self) -> RunKind:
        """The kind of the chosen player's run; an evolution if it belongs to no run."""
        chosen = self.screen.chosen
        name = "" if chosen is None or chosen.generation is None else chosen.source
        if name not in self._kinds:
            from evolve.run.folder import Run

            kind = Run(Runs(self.app.services.runs).path(name)).kind if name else None
            self._kinds[name] = kind or kind_of({})
        return self._kinds[name]

    def _thinks(self, depth: Rect, time: Rect) -> list[Widget]:
        """Return the controls for the search limits; a policy has none."""
        row = self.screen.chosen
        if row is not None and row.player and self.app.services.opponents.is_policy(row.player):
            text = "Plays without search."
            return [Label(key="policy", rect=depth, text=text, wrap=True, may_cut=True)]
        return self.strength.sliders(depth, time)
