"""The characters of a run: cards on shelves by strength, the map as the second view, and the chosen one with a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_interval, shown_text
from evolve.run import manifest
from evolve.run.files import Stamp
from extras.cast.characters import ALL, FEW, FOR_YOU, MAP, Character, CharacterMap, Place, read_map
from extras.cast.map_widget import CharacterMapWidget
from game.errors import capital
from game.number_text import count_text
from gui.background import Trouble
from gui.geometry import Rect, Size
from gui.individuals.individual import NOT_KEPT
from gui.individuals.personas import brief
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, GAP, LARGE_CONTROL, ROOM, TITLE
from gui.model.game import GameModel
from gui.model.pdn import late_pieces
from gui.model.seats import Seat
from gui.screens.entries import beside_name, player_commands
from gui.screens.individuals import options
from gui.screens.play.game_files import begin
from gui.screens.screen import IDLE, Screen, below_header, nothing_there, replay_board
from gui.sessions.boards import Replay
from gui.widgets.base import Command, Label, Panel, ProgressBar, Widget, by_id
from gui.widgets.button import Segments, button
from gui.widgets.cards import Card, Cards
from gui.widgets.emblem import EmblemWidget
from gui.widgets.field import Dropdown

if TYPE_CHECKING:
    from game.networks.emblem import Emblem
    from gui.app import App

LOOK_SECONDS = 1.0
"""Seconds between two looks at the run, which a session may be continuing."""
PACE = 0.1
"""Seconds between steps while the small board plays."""
PANE, LEAST_PANE, LEAST_BOARD, SLIDER, EMBLEM, TALL_EMBLEM = 360, 270, 84, 50, 52, 112
"""Sizes in pixels of the design: default and minimum width of the right side, the smallest board, the height of the
slider, the least and the largest emblem of the chosen member."""
WIDE_CARD, WIDE_LINE, CARD, LOW_CARD, TALL_CARD, COLUMN = 250, 360, 76, 56, 128, 5
"""The width from which a card stands beside another one, without and with a line of text; its height, and the least
and the largest of a few cards, fewer than the last of which are one below the other."""
WIDE = 1.05
"""Minimum ratio of width to height for displaying the chosen member beside the cards, not below them."""
NONE = "Choose a character first."
ALONE = "There is no other character."
PIECES = "Pieces on the board"
SPARSE = 4
"""Number of squares of a map for each of a few members from which it has no map: it would be nearly empty."""
SHELVES = 5
"""Number of commands that show shelves and the map."""


class CharactersScreen(Screen):
    """The characters of a run, with one of them chosen.

    Args:
        paths: the runs that have maps.
        path: the one to show first.

    Attributes:
        trouble: why it cannot be read; empty if it can.
        shelf: the name of the visible shelf, or `MAP`; empty for the first shelf.
        axes: indexes of the two visible traits, across and up; the second is -1 if there is a single trait and no map.
        number: index of the chosen member; -1 if there is none.
    """

    title = "Characters"
    browses = True

    def __init__(self, app: App, paths: Sequence[Path], path: Path) -> None:
        super().__init__(app)
        self.map: CharacterMap | None = None
        self.trouble = self.shelf = ""
        self.axes = (0, -1)
        self.number = -1
        self._look_at = 0.0
        self.game = Replay()
        self.strength = options.StrengthChoice(app.services, self._player)
        self._paths, self._path = tuple(paths), path
        self._background = app.services.background
        self.to_close += [partial(self._background.cancel, self)]
        self.ui.focus = "cards"
        self._open(path)

    @property
    def chosen(self) -> Character | None:
        return None if self.map is None or self.number < 0 else self.map.members[self.number]

    def _player(self) -> str:
        return "" if self.chosen is None else self.chosen.player.player

    @property
    def shelves(self) -> dict[str, list[int]]:
        return {} if self.map is None else self.map.shelves(self.app.services.career.rating_value)

    @property
    def views(self) -> list[str]:
        """The names of the shelves and, unless it has one trait or is nearly empty, of the map."""
        shelves, known = self.shelves, self.map
        if known is None or not shelves or len(known.traits) == 1:
            return [*shelves]
        if ALL in shelves and SPARSE * len(known.members) < prod(known.sizes[:2]):
            return [*shelves]
        return [*shelves, MAP]

    @property
    def view_shown(self) -> str:
        return self.shelf if self.shelf in self.views else next(iter(self.views), MAP)

    @property
    def place(self) -> Place | None:
        """The place of the chosen member on the map."""
        return None if self.map is None or self.number < 0 else self.map.place(self.number, *self.axes)

    @property
    def pace(self) -> float:
        """Interval between steps in seconds, shorter while the small board plays."""
        return PACE if self.number >= 0 or self._background.wants(self) else IDLE

    def tick(self, now: float, dt: float) -> bool:
        changed = self._background.deliver()
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            if self._manifest.refresh() or (self.map is not None and not self.map.members):
                self._read()
        chosen = self.chosen
        self.game.show("" if chosen is None else chosen.game)
        return self.game.tick(now) or changed

    def _open(self, path: Path) -> None:
        self._path, self.map, self.trouble, self.number = path, None, "", -1
        self._manifest, self._look_at = Stamp(path / manifest.NAME), 0.0
        self._manifest.refresh()
        self._read()

    def _read(self) -> None:
        work = partial(read_map, self._path, self.app.services.runs)
        self._background.ask(self, "map", work, self._take)

    def _take(self, answer: CharacterMap | Trouble) -> None:
        """Show a map; the chosen cell and the traits stay if it is a newer map of the same run."""
        if isinstance(answer, Trouble):
            self.map, self.trouble, self.number = None, answer.text, -1
            return
        before, self.map, self.trouble = self.map, answer, answer.empty
        cells = {member.cell: number for number, member in enumerate(answer.members)}
        if before is None or before.traits != answer.traits:
            self.axes = (1, 0) if len(answer.traits) > 1 else (0, -1)
            self.number = -1
        elif self.number >= 0:
            self.number = cells.get(before.members[self.number].cell, -1)
        if self.number < 0 and answer.members:
            self.number = self.shelves[self.view_shown][0]

    def show(self, view: str) -> None:
        """Show a shelf, with its first member chosen unless the chosen one is on it, or the map."""
        self.shelf = view
        self.ui.focus = "map" if view == MAP else "cards"
        if view != MAP and self.number not in self.shelves[view]:
            self.number = self.shelves[view][0]

    def choose(self, place: Place) -> None:
        """Choose the strongest member at a place."""
        if self.map is not None:
            self.number = self.map.stacks(*self.axes)[place][0]

    def _choose_card(self, at: int) -> None:
        self.number = self.shelves[self.view_shown][at]

    def choose_axes(self, across: int, up: int) -> None:
        """Show two other traits, or the same ones exchanged; the same member stays chosen."""
        self.axes = (across, up) if across != up else self.axes[::-1]

    def _seat(self, number: int) -> Seat:
        assert self.map is not None
        member = self.map.members[number]
        return self.app.services.opponents.seat(member.player.player, f"{member.name} ({self.map.source.name})")

    def play(self) -> None:
        chosen, services = self.chosen, self.app.services
        if chosen is not None and chosen.player.player:
            seat = self._seat(self.number)
            services.change_settings(opponent=chosen.player.player, opponent_title=seat.title)
            begin(self.app, seat, services.settings.colour)

    def _watch(self) -> None:
        """Watch the chosen member (Black) play the one of the others that is nearest in strength."""
        assert self.map is not None
        seats = self._seat(self.number), self._seat(self.map.nearest(self.number))
        self.app.open(self.app.screens.play(self.app, GameModel(seats)))

    def _open_run(self) -> None:
        from gui.screens.sessions.session import SessionScreen

        self.app.open(SessionScreen(self.app, self._path))

    def commands(self) -> Sequence[Command]:
        chosen, views = self.chosen, self.views
        others = self.map is not None and len(self.map.members) > 1
        playable = chosen is not None and bool(chosen.player.player)
        why = NONE if chosen is None else NOT_KEPT
        return [
            Command(id="play", name="Play", keys=("p", "return"), run=self.play, icon="play", enabled=playable, why=why,
                    about="Begin a game against the chosen character"),
            Command(id="watch", name="Watch", keys=(), run=self._watch, icon="eye", enabled=playable and others,
                    why=why if not playable else ALONE, about="Watch it play another character of about its strength"),
            *(Command(id=f"shelf-{number}", name=view, keys=(str(number),), run=partial(self.show, view),
                      about="Show the map of two traits" if view == MAP else f"Show this shelf: {view.lower()}")
              for number, view in enumerate(views[:SHELVES], 1)),
            Command(id="run", name="Evolution", keys=(), run=self._open_run, icon="evolution",
                    about="Show how the run goes on"),
            *self.strength.commands(),
            *self._player_commands(),
        ]  # fmt: skip

    def _player_commands(self) -> list[Command]:
        return player_commands(self.app, [] if self.chosen is None else [self.chosen.player], NONE)

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, area = look.px, below_header(size, look)
        if self.map is None and not self.trouble:
            place = area.centre_within(min(px(420), area.w), px(28))
            return [
                *self.header(size, look),
                ProgressBar(key="progress", rect=place, share=None, text="Reading the characters"),
            ]
        if self.trouble:
            return [*self.header(size, look), *self._left(area, look)]
        if size[0] >= size[1] * WIDE:
            wide = max(min(px(PANE), area.w * 2 // 5), min(px(LEAST_PANE), area.w // 2))
            left, right = area.columns(None, wide, gap=px(ROOM))
        else:
            left, right = area.rows(None, area.h // 2, gap=px(ROOM))
        return [*self.header(size, look), *self._left(left, look), *self._right(right, look)]

    def _left(self, rect: Rect, look: Look) -> list[Widget]:
        px, known, widgets = look.px, self.map, list[Widget]()
        names = [path.name for path in self._paths]
        if len(names) > 1 or len(self.views) > 1:
            line, rect = rect.rows(px(CONTROL), None, gap=px(GAP))
            if len(names) > 1:
                line, run = line.columns(None, line.w // 4, gap=px(GAP))
                widgets.append(Dropdown(key="run", rect=run, names=names, chosen=self._paths.index(self._path),
                                        pick=lambda at: self._open(self._paths[at]), hint="The run"))  # fmt: skip
            if len(self.views) > 1:
                widgets.append(Segments(key="shelves", rect=line, names=self.views, tabs=True,
                                        chosen=self.views.index(self.view_shown),
                                        pick=lambda at: self.show(self.views[at])))  # fmt: skip
        if known is None or self.trouble:
            evolution = replace(by_id(self.commands())["run"], name="Watch it evolve")
            title = self._path.name if known is None else "No characters yet"
            return [*widgets, *nothing_there(rect, look, self.trouble, evolution, title=title, shields=5)]
        if known.troubles:
            rect, line = rect.rows(None, px(2 * BODY), gap=px(GAP))
            text = f"{known.troubles[0].partition(':')[0]}: {count_text(len(known.troubles), 'damaged character')}."
            widgets.append(Label(key="damage", rect=line, text=text, icon="warning", colour=look.theme.warning,
                                 may_cut=True, hint=" ".join(known.troubles)))  # fmt: skip
        return [*widgets, *(self._map(rect, look) if self.view_shown == MAP else self._cards(rect, look))]

    def _cards(self, rect: Rect, look: Look) -> list[Widget]:
        px, gap, known, numbers = look.px, look.px(GAP), self.map, self.shelves[self.view_shown]
        assert known is not None
        few = len(numbers) < FEW
        most_across = 1 if self.view_shown == FOR_YOU or len(numbers) < COLUMN else 2 if few else 3
        across = max(min(rect.w // px(WIDE_LINE if few else WIDE_CARD), most_across), 1)
        rows, most = -(-len(numbers) // across), px(TALL_CARD)
        height = min(max((rect.h - gap * (rows - 1)) // rows, px(LOW_CARD if few else CARD)), most)

        def card(at: int) -> Card:
            member = known.members[numbers[at]]
            strength = f"{'Scores ' * (few and not known.rated)}{known.strength_text(known.strength(numbers[at]))}"
            line, figure = (brief(member.sentence), strength) if few else (strength, "")
            pieces = late_pieces(member.game) if few else None
            return Card(member.name, line, figure, pieces, emblem=self._emblem(member))

        return [
            Cards(
                key="cards", rect=rect, count=len(numbers), card=card, across=across, height=height, gap=gap,
                arranged=(self._path, self.view_shown), select=self._choose_card, activate=lambda at: self.play(),
                selected=numbers.index(self.number) if self.number in numbers else -1,
            ),
        ]  # fmt: skip

    def _emblem(self, member: Character) -> Emblem | None:
        player = member.player.player
        return self.app.services.personas.persona(player).emblem if player else None

    def _map(self, rect: Rect, look: Look) -> list[Widget]:
        px, known = look.px, self.map
        assert known is not None
        line, body = rect.inset(px(GAP)).rows(px(CONTROL), None, gap=px(GAP))
        across, up = self.axes
        best = {place: numbers[0] for place, numbers in known.stacks(across, up).items()}
        if self.place is not None:
            best[self.place] = self.number
        return [
            Panel(key="map.panel", rect=rect),
            *self._traits(line),
            CharacterMapWidget(
                key="map", rect=body, size=(known.sizes[across], known.sizes[up]),
                squares={place: known.strength(number) for place, number in best.items()},
                emblems={place: self._emblem(known.members[number]) for place, number in best.items()},
                names={place: known.members[number].name.removeprefix("The ") for place, number in best.items()},
                chosen=self.place, choose=self.choose, activate=lambda place: self.play(),
                across=_axis(known.traits[across], "←", "→"),
                up=_axis(known.traits[up], "↓", "↑"),
                range=known.range,
                text=known.strength_text,
                hint="Each square is the strongest character with these traits. "
                "Arrow keys choose, Enter or a double click plays",
            ),
        ]  # fmt: skip

    def _traits(self, rect: Rect) -> list[Widget]:
        assert self.map is not None
        (across, up), known = self.axes, self.map
        names = [PIECES if name == "pieces" else capital(name.replace("-", " ")) for name in known.traits]
        left, right = rect.columns(None, None, gap=GAP)
        return [
            Dropdown(key="up", rect=left, names=names, chosen=up, text="↑",
                     hint=f"Upwards: {known.meanings[up]}",
                     pick=lambda trait: self.choose_axes(self.axes[0], trait)),
            Dropdown(key="across", rect=right, names=names, chosen=across, text="→",
                     hint=f"To the right: {known.meanings[across]}",
                     pick=lambda trait: self.choose_axes(trait, self.axes[1])),
        ]  # fmt: skip

    def _rating(self, member: Character) -> tuple[str, str]:
        results, rating = member.player.results, member.player.rating
        score = f"{100 * member.score:.0f} % of the points in {results[0] if results else 0} games of its run"
        if rating is None:
            return f"Scores {100 * member.score:.0f} % of points", f"{score}, which chose it and so flatter it"
        value, low, high = rating
        return f"Rating {shown_text(value)}", f"{shown_interval(low, high)}, as it plays against fixed opponents"

    def _right(self, rect: Rect, look: Look) -> list[Widget]:
        px, theme, commands, chosen = look.px, look.theme, by_id(self.commands()), self.chosen
        inner, gap, line = rect.inset(px(ROOM)), px(GAP), look.fonts.height(px(BODY))
        assert chosen is not None
        body, slider, last = inner.rows(None, px(SLIDER), px(LARGE_CONTROL), gap=px(ROOM))
        play, watch = last.columns(None, last.w // 3, gap=gap)
        sentence = chosen.sentence or "Too few games for a sentence."
        lines = len(look.fonts.wrap(sentence, inner.w, px(BODY))) * line
        side = min(max(body.h - lines - inner.w - 2 * px(ROOM), px(EMBLEM)), px(TALL_EMBLEM if chosen.game else EMBLEM))
        head, about, board = body.rows(side, min(lines, max(body.h - side, 0)), None, gap=px(ROOM))
        board = board.rows(min(board.h, board.w), None)[0]
        if board.h >= px(LEAST_BOARD):  # what is left is one space above the buttons
            slider = Rect(slider.x, board.bottom + px(ROOM), slider.w, slider.h)
        emblem, text = head.columns(side, None, gap=px(ROOM)) if chosen.game else (board.inset(px(ROOM)), head)
        name, figure = text.centre_within(text.w, px(TITLE + BODY + ROOM)).rows(None, line)
        rating, meaning = self._rating(chosen)
        name, buttons = beside_name(self._player_commands(), name, look)
        widgets: list[Widget] = [
            Panel(key="panel", rect=rect),
            *buttons,
            EmblemWidget(key="emblem", rect=emblem, emblem=self._emblem(chosen)),
            Label(key="one", rect=name, text=chosen.name, size=TITLE, bold=True, may_cut=True,
                  hint=chosen.player.title),
            Label(key="rating", rect=figure, text=rating, colour=theme.muted, may_cut=True, hint=meaning),
            Label(key="sentence", rect=about, text=sentence, wrap=True, may_cut=True,
                  hint=chosen.unlike),
            *self.strength.sliders(slider, None),
            button(commands["play"], "do.play", play, kind="main", size=TITLE),
            button(commands["watch"], "do.watch", watch),
        ]  # fmt: skip
        if board.h >= px(LEAST_BOARD) and chosen.game:
            widgets.append(replay_board(board, self.game, f"A game of {chosen.name}"))
        return widgets


def _axis(trait: str, low: str, high: str) -> tuple[str, str]:
    from game.traits import TRAITS

    result = next((each for each in TRAITS if each.name == trait), None)
    return (trait, "") if result is None else (f"{low} {result.little}", f"{result.much} {high}")
