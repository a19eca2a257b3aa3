"""The characters of a run: its map of traits as coloured squares, and the chosen member with a game of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_interval, shown_text
from evolve.run import manifest
from evolve.run.files import Stamp
from extras.cast.characters import Character, CharacterMap, Place, read_map
from extras.cast.map_widget import CharacterMapWidget
from game.number_text import count_text, percent_text
from gui.background import Trouble
from gui.geometry import Rect, Size
from gui.individuals.individual import NOT_KEPT
from gui.key_table import key_for, with_key
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, GAP, LARGE_CONTROL, ROOM, SMALL, TITLE
from gui.model.seats import Seat
from gui.screens.individuals import options
from gui.screens.individuals.facts import fitting_lines, rating_of
from gui.screens.play.game_files import begin, watch
from gui.screens.screen import IDLE, Screen, below_header
from gui.sessions.boards import LiveGames
from gui.widgets.base import Command, Label, Panel, ProgressBar, Widget, by_id
from gui.widgets.board import BoardMarks, BoardWidget
from gui.widgets.button import button
from gui.widgets.field import Dropdown

if TYPE_CHECKING:
    from gui.app import App

LOOK_SECONDS = 1.0
"""Seconds between two looks at the run, which a session may be continuing."""
PACE = 0.1
"""Seconds between steps while the small board plays."""
PANE, LEAST_PANE, LEAST_BOARD, BOARD, SLIDER = 360, 270, 84, 150, 50
"""Sizes in pixels of the design: default and minimum width of the right side, the smallest board, the board that is
preferred to a third line of facts, the height of a slider."""
WIDE = 1.05
"""Minimum ratio of width to height for displaying the chosen member beside the map, not below it."""
NONE = "Choose a member first."
ALONE = "There is no other member."
UNRATED = "Not rated: a run rates only the best member of some generations"


class CharactersScreen(Screen):
    """The map of a run, with one of its members chosen.

    Args:
        paths: the runs that have maps.
        path: the one to show first.

    Attributes:
        map: the map; None until it is read.
        trouble: why it cannot be read; empty if it can.
        axes: indexes of the two visible traits, across and up; the second is -1 if the map has a single trait.
        number: index of the chosen member; -1 if there is none.
        first: index of the member that is to play the next one chosen; -1 if there is none.
        games: the game of the chosen member on the small board.
        strength: how strong members play.
    """

    title = "Characters"
    browses = True

    def __init__(self, app: App, paths: Sequence[Path], path: Path) -> None:
        super().__init__(app)
        self.map: CharacterMap | None = None
        self.trouble = ""
        self.axes = (0, -1)
        self.number = self.first = -1
        self._look_at = 0.0
        self.games = LiveGames(app.services.thinker, self._live_seat)
        self.strength = options.StrengthChoice(app.services, self._player)
        self._paths, self._path = tuple(paths), path
        self._background = app.services.background
        self.to_close += [partial(self._background.cancel, self), self.games.rest]
        self.ui.focus = "map"
        self._open(path)

    @property
    def chosen(self) -> Character | None:
        return None if self.map is None or self.number < 0 else self.map.members[self.number]

    def _player(self) -> str:
        return "" if self.chosen is None else self.chosen.player.player

    @property
    def place(self) -> Place | None:
        """The place of the chosen member on the map."""
        return None if self.map is None or self.number < 0 else self.map.place(self.number, *self.axes)

    @property
    def here(self) -> list[int]:
        """The members at the place of the chosen one, best first."""
        return [] if self.map is None or self.place is None else self.map.stacks(*self.axes)[self.place]

    # Time ---------------------------------------------------------------------------------------------------------

    @property
    def pace(self) -> float:
        """Interval between steps in seconds, shorter while the small board plays."""
        return PACE if self.number >= 0 or self._background.wants(self) else IDLE

    def on_open(self) -> None:
        """Let the game on the small board ask for its move again; other screens may have used the thinking process."""
        self.games.rest()

    def tick(self, now: float, dt: float) -> bool:
        """Accept the map, and play on."""
        changed = self._background.deliver()
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            if self._manifest.refresh():
                self._read()
        chosen = self.chosen
        playable = chosen is not None and bool(chosen.player.player)
        changed = self.games.show(self.number if playable else -1, now) or changed
        changed = self.games.tick(now) or changed
        for text in self.games.said:
            self.app.say(text, "warning")
        self.games.said.clear()
        return changed

    def _open(self, path: Path) -> None:
        """Show another run."""
        self._path, self.map, self.trouble, self.number, self.first = path, None, "", -1, -1
        self._manifest, self._look_at = Stamp(path / manifest.NAME), 0.0
        self._manifest.refresh()
        self._read()

    def _read(self) -> None:
        work = partial(read_map, self._path, self.app.services.runs)
        self._background.ask(self, "map", work, self._take)

    def _take(self, answer: CharacterMap | Trouble) -> None:
        """Show a map; the chosen cell and the traits stay if it is a newer map of the same run."""
        self.games.show(-1, 0.0)  # the same number may now be another member
        if isinstance(answer, Trouble):
            self.map, self.trouble, self.number, self.first = None, answer.text, -1, -1
            return
        before, self.map, self.trouble = self.map, answer, answer.empty
        self.title = f"Characters of {answer.source.name}"
        cells = {member.cell: number for number, member in enumerate(answer.members)}
        if before is None or before.traits != answer.traits:
            self.axes = (1, 0) if len(answer.traits) > 1 else (0, -1)
            self.number = self.first = -1
        else:
            self.number, self.first = (
                -1 if number < 0 else cells.get(before.members[number].cell, -1) for number in (self.number, self.first)
            )
        if self.number < 0 and answer.members:
            self.number = 0

    def _live_seat(self, number: int) -> Seat:
        assert self.map is not None
        player = self.map.members[number].player
        return Seat(player.player, title=player.name)

    # Actions ------------------------------------------------------------------------------------------------------

    def choose(self, place: Place) -> None:
        """Choose the best member at a place."""
        if self.map is not None:
            self.number = self.map.stacks(*self.axes)[place][0]

    def step(self, step: int) -> None:
        """Choose the next member at the same place; after the last one, the first."""
        here = self.here
        self.number = here[(here.index(self.number) + step) % len(here)]

    def choose_axes(self, across: int, up: int) -> None:
        """Show two other traits; the same member stays chosen."""
        self.axes = across, up

    def _choose_across(self, trait: int) -> None:
        across, up = self.axes
        self.choose_axes(trait, across if trait == up else up)

    def _choose_up(self, trait: int) -> None:
        across, up = self.axes
        self.choose_axes(up if trait == across else across, trait)

    def _next_axes(self) -> None:
        assert self.map is not None
        pairs = list(permutations(range(len(self.map.traits)), 2))
        self.choose_axes(*pairs[(pairs.index(self.axes) + 1) % len(pairs)])

    def _next_run(self) -> None:
        self._open(self._paths[(self._paths.index(self._path) + 1) % len(self._paths)])

    def play(self) -> None:
        """Begin a game against the chosen member."""
        chosen, services = self.chosen, self.app.services
        if chosen is not None and chosen.player.player:
            services.change_settings(opponent=chosen.player.player, opponent_title=chosen.player.title)
            begin(self.app, services.opponents.seat_of(chosen.player), services.settings.colour)

    def _watch(self) -> None:
        """Remember the chosen member, or watch the remembered one (Black) play it (White)."""
        assert self.map is not None
        if self.first < 0:
            self.first = self.number
            name = self.map.members[self.first].player.name
            self.app.say(f"Choose an opponent of {name}, then {key_for('', 'watch', 'Watch')} again.", "eye")
        elif self.first == self.number:
            self.first = -1
        else:
            first, self.first = self.first, -1
            watch(self.app, self.map.members[first].player, self.map.members[self.number].player)

    def _alike(self) -> None:
        assert self.map is not None
        self.number = self.map.alike(self.number)

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        """Return the commands of the chosen member and of the map."""
        chosen, here = self.chosen, self.here
        traits = () if self.map is None else self.map.traits
        others = self.map is not None and len(self.map.members) > 1
        playable = chosen is not None and bool(chosen.player.player)
        why = NONE if chosen is None else NOT_KEPT
        first = self.first >= 0
        return [
            Command(id="play", name="Play", keys=("p", "return"), run=self.play, icon="play", enabled=playable, why=why,
                    about="Begin a game against the chosen member"),
            Command(id="watch", name="Watch against this one" if first else "Watch against another", keys=(),
                    run=self._watch, icon="eye", chosen=first, enabled=playable and others,
                    why=why if not playable else ALONE,
                    about="Watch it play: press once, choose its opponent, and press again"),
            Command(id="alike", name="Another of this strength", keys=("=",), run=self._alike, icon="equal",
                    about="Choose another member that is about as strong", enabled=chosen is not None and others,
                    why=NONE if chosen is None else ALONE),
            Command(id="previous", name="Previous member here", keys=("[",), run=partial(self.step, -1),
                    icon="previous", enabled=len(here) > 1, about="Choose the previous member in this square",
                    why="There is one member in this square." if here else NONE),
            Command(id="next", name="Next member here", keys=("]",), run=partial(self.step, 1), icon="next",
                    enabled=len(here) > 1, about="Choose the next member in this square",
                    why="There is one member in this square." if here else NONE),
            Command(id="page", name="Next traits", keys=(), run=self._next_axes, enabled=len(traits) > 1,
                    about="Show the map over the next two traits", why="The map has a single trait."),
            Command(id="next-run", name="Next run", keys=(), run=self._next_run, icon="evolution",
                    about="Show the map of the next run", enabled=len(self._paths) > 1,
                    why="No other run has a map."),
            *self.strength.commands(),
        ]  # fmt: skip

    # Widgets ------------------------------------------------------------------------------------------------------

    def view(self, size: Size, look: Look) -> list[Widget]:
        """Return the map on the left and the chosen member on the right."""
        px, area = look.px, below_header(size, look)
        if self.map is None and not self.trouble:
            place = area.centre_within(min(px(420), area.w), px(28))
            return [
                *self.header(size, look),
                ProgressBar(key="progress", rect=place, share=None, text="Reading the map"),
            ]
        if size[0] >= size[1] * WIDE:
            wide = max(min(px(PANE), area.w * 2 // 5), min(px(LEAST_PANE), area.w // 2))
            left, right = area.columns(None, wide, gap=px(ROOM))
        else:
            left, right = area.rows(None, area.h // 2, gap=px(ROOM))
        return [*self.header(size, look), *self._left(left, look), *self._right(right, look)]

    def _left(self, rect: Rect, look: Look) -> list[Widget]:
        px, known = look.px, self.map
        inner = rect.inset(px(ROOM), px(GAP))
        widgets: list[Widget] = [Panel(key="map.panel", rect=rect)]
        top, body = inner.rows(px(CONTROL), None, gap=px(GAP))
        choices = self._choices(top)
        widgets += choices
        if not choices:
            body = inner
        if known is None or self.trouble:
            return [*widgets, Label(key="trouble", rect=body, text=self._all_troubles, wrap=True, may_cut=True,
                                    hint=self._all_troubles)]  # fmt: skip
        if known.troubles:
            body, line = body.rows(None, px(2 * BODY), gap=px(GAP))
            text = " ".join(known.troubles)
            widgets.append(Label(key="damage", rect=line, text=text, icon="warning", colour=look.theme.warning,
                                 may_cut=True, hint=text))  # fmt: skip
        if len(known.traits) > 2 or known.centres:
            body, foot = body.rows(None, px(CONTROL), gap=px(GAP))
            widgets += self._foot(foot)
        across, up = self.axes
        low, high = known.scores
        squares = {place: known.members[numbers[0]].score for place, numbers in known.stacks(across, up).items()}
        return [
            *widgets,
            CharacterMapWidget(
                key="map", rect=body, size=(known.sizes[across], known.sizes[up] if up >= 0 else 1), squares=squares,
                chosen=self.place, choose=self.choose, activate=lambda place: self.play(),
                across=known.traits[across], up=known.traits[up] if up >= 0 else "", low=low, high=high,
                hint="Each square is a character: the number is the share of points of its best member. "
                "Arrow keys choose, Enter or a double click plays",
            ),
        ]  # fmt: skip

    @property
    def _all_troubles(self) -> str:
        damaged = () if self.map is None else self.map.troubles
        return "\n".join([self.trouble, *damaged])

    def _choices(self, rect: Rect) -> list[Widget]:
        """Return the choice of the run, if there are several, and of the two traits."""
        known = self.map
        traits = () if known is None else known.traits
        runs: list[Widget] = []
        names = [path.name for path in self._paths]
        count = (len(names) > 1) + (2 if len(traits) > 1 else 0)
        places = rect.columns(*[None] * max(count, 1), gap=GAP)
        if len(names) > 1:
            runs = [Dropdown(key="run", rect=places.pop(0), names=names, chosen=self._paths.index(self._path),
                             pick=lambda at: self._open(self._paths[at]),
                             hint=with_key("The run", key_for("shift+g", "next-run")))]  # fmt: skip
        if known is None or len(traits) < 2:
            return runs
        across, up = self.axes
        key = key_for("", "page")
        return [
            *runs,
            Dropdown(key="up", rect=places[0], names=traits, chosen=up, pick=self._choose_up, text="↑",
                     hint=with_key(f"Upwards: {known.meanings[up]}", key)),
            Dropdown(key="across", rect=places[1], names=traits, chosen=across, pick=self._choose_across, text="→",
                     hint=with_key(f"To the right: {known.meanings[across]}", key)),
        ]  # fmt: skip

    def _foot(self, rect: Rect) -> list[Widget]:
        """Return the steps through the members of the chosen square."""
        assert self.map is not None
        commands, here = by_id(self.commands()), self.here
        before, text, after = rect.columns(rect.h, None, rect.h, gap=GAP)
        square = () if self.chosen is None else self.chosen.square
        others = [f"{self.map.traits[at]} {number}" for at, number in enumerate(square) if at not in self.axes]
        if self.chosen is not None and self.map.centres:
            others.append(self.chosen.cell.replace("=", " "))
        count = f"{here.index(self.number) + 1} of {len(here)} here" if here else ""
        return [
            button(commands["previous"], "do.previous", before, icon_only=True),
            Label(key="here", rect=text, text=": ".join(filter(None, [count, ", ".join(others)])), align="centre",
                  size=SMALL, may_cut=True),
            button(commands["next"], "do.next", after, icon_only=True),
        ]  # fmt: skip

    def _unrated(self) -> str:
        """Say that the chosen member is not rated, and the rating of the newest best member that is."""
        if self.map is None or self.map.rated is None:
            return f"{UNRATED}."
        generation, rating = self.map.rated
        value, low, high = rating
        return f"{UNRATED}; that of generation {generation} has {shown_text(value)} ({shown_interval(low, high)})."

    def _right(self, rect: Rect, look: Look) -> list[Widget]:
        px, theme, commands, chosen = look.px, look.theme, by_id(self.commands()), self.chosen
        inner, gap, line = rect.inset(px(ROOM), px(GAP)), px(GAP), look.fonts.height(px(BODY))
        panel = Panel(key="panel", rect=rect)
        if chosen is None:
            text = "Here you will see the chosen member: its character, its strength, and a game of it."
            return [panel, Label(key="nothing", rect=inner, text=text, wrap=True, colour=theme.muted, may_cut=True)]
        body, *places = inner.rows(None, px(LARGE_CONTROL), px(CONTROL), px(CONTROL), gap=gap)
        sentence = len(look.fonts.wrap(chosen.sentence or "?", inner.w, px(BODY), bold=True)) * line
        needed = px(TITLE + GAP) + sentence + 2 * line + 3 * gap + px(SLIDER)
        both = body.h - needed >= px(SLIDER + LEAST_BOARD) + 2 * gap
        sliders = [px(SLIDER)] * (2 if both else 1)
        body, *sliders_at = body.rows(None, *sliders, gap=gap)
        head, about, rest = body.rows(px(TITLE + GAP), sentence, None, gap=gap)
        games = chosen.player.results[0] if chosen.player.results else 0
        score = f"{percent_text(chosen.score)} of the points in {count_text(games, 'game')} of its run"
        known = [chosen.unlike] if chosen.unlike else []
        known += [f"{score}; these games chose it, so they flatter it.", rating_of(chosen.player) or self._unrated()]
        facts, board = rest, None
        with_board = (rest.h - gap - px(LEAST_BOARD)) // line >= 2
        if with_board:
            facts, _ = rest.rows(max((rest.h - gap - px(BOARD)) // line, 2) * line, None, gap=gap)
        text, hint = fitting_lines(known, facts, look)
        if with_board:
            lines = min(len(look.fonts.wrap(text, inner.w, px(BODY))), facts.h // line)
            facts, board = rest.rows(lines * line, None, gap=gap)
        traits = ", ".join(f"{name} {value}" for name, value in chosen.traits)
        widgets: list[Widget] = [
            panel,
            Label(key="one", rect=head, text=chosen.player.brief, size=TITLE, bold=True, may_cut=True,
                  hint=chosen.player.title),
            Label(key="sentence", rect=about, text=chosen.sentence or "Too few games for a sentence.", bold=True,
                  wrap=True, may_cut=True, hint=f"{chosen.sentence} {traits}"),
            Label(key="facts", rect=facts, text=text, wrap=True, colour=theme.muted, may_cut=True, hint=hint),
            *self.strength.sliders(sliders_at[0], sliders_at[1] if both else None),
            button(commands["play"], "do.play", places[0], kind="main", size=TITLE),
            button(commands["watch"], "do.watch", places[1]),
            button(commands["alike"], "do.alike", places[2]),
        ]  # fmt: skip
        if board is not None:
            widgets.append(
                BoardWidget(key="board", rect=board, pieces=self.games.pieces, numbers=False, enabled=False,
                            marks=BoardMarks(last=self.games.last_move), hint=self.games.caption)
            )  # fmt: skip
        return widgets
