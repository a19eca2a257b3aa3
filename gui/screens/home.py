"""The first screen: a board on which the first move begins a game, and ways to play, study and evolve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config.anchors import shown_text
from evolve.strength.levels import LEVELS, level_of
from game.errors import capital
from gui.geometry import Rect, Size
from gui.look import shapes
from gui.look.canvas import Canvas, Look
from gui.look.theme import BODY, CONTROL, DISPLAY, GAP, LARGE_CONTROL, MAIN_CONTROL, ROOM, SMALL, TIGHT, TITLE
from gui.model.game import GameModel
from gui.model.kept_game import KeptGame
from gui.model.seats import with_person
from gui.model.turn import Completed, Refused, Selected, Touch
from gui.rating.rating import FEW_GAMES, choose_equal, level_opponents
from gui.screens.dialogs.dialog import Menu
from gui.screens.entries import entries, first_commands, with_added
from gui.screens.play import game_files
from gui.screens.play.layout import game_layout
from gui.screens.rating import BESIDE, LEAST_PICTURE, RATING, level_columns, rating_height, rating_labels, rating_plot
from gui.screens.screen import Screen
from gui.widgets.base import Command, Label, Ui, Widget, by_id
from gui.widgets.board import OUTSIDE, BoardMarks, BoardWidget
from gui.widgets.button import MainButton, button, button_row

if TYPE_CHECKING:
    from gui.app import App
    from gui.screens.sessions.card import SessionCard

STEP_SECONDS = 0.006

CARD = 92
LEAST_EMBLEM = 48
"""Minimum height of the name of the program with a line below it."""

CONTINUED = 82
"""Width that the text of a large button leaves free."""
STACKED = 72
"""Minimum width of buttons with their text below an icon."""

LOOK_SECONDS = 2.0
NO_GAMES = "There are no unfinished games."
READING = "Your games are still being read."
EVOLVING = "An opponent that learns"

GAMES = ("play", "equal", "level", "watch", "two-players", "all-games", "open")
STUDY = ("open", "paste")
EVOLVE = ("evolve", "play-evolving", "session", "all-runs")
GROUPS = ["play-group", "study-group", "evolve-group"]
STUDY_GROUP = "Study"


class TwoKings(Widget):
    """A king of each colour beside the name of the program."""

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        rect, px = self.rect, canvas.px
        side = min(px(56), rect.h, rect.w // 4)
        y = rect.y + (rect.h - side) // 2
        canvas.surface.blit(shapes.piece(side, True, canvas.theme.black), (rect.x, y))
        canvas.surface.blit(shapes.piece(side, True, canvas.theme.white), (rect.x + side * 5 // 8, y))
        x = rect.x + side * 5 // 8 + side + px(10)
        room, text = Rect(x, y, rect.right - x, side), "Play the players that you evolve."
        largest = DISPLAY if side >= px(LEAST_EMBLEM) else TITLE
        if largest == DISPLAY and canvas.width(text, SMALL) <= room.w:
            room, line = room.rows(side * 3 // 5, None)
            canvas.text(text, line, canvas.theme.muted, canvas.fitting(text, line.w, BODY))
        canvas.text("Crownhead", room, size=canvas.fitting("Crownhead", room.w, largest, bold=True), bold=True)


class Home(Screen):
    title = "Crownhead"
    needed = ("play", "continue", "choose", "play-evolving", "equal", "evolve", "all-games", "menu")

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._unfinished: KeptGame | None = None
        self._goes_on = False
        self._look_at = 0.0
        self._rating_read = self._games_read = False
        self._card: SessionCard | None = None
        self._model = GameModel()
        self._entries = entries("home", self)
        self._deal()
        self.ui.focus = "play"

    def _deal(self) -> None:
        opponent, colour = self.app.services.opponents.recommend(), self.app.services.settings.colour
        self._dealt = opponent, colour
        self._model = GameModel(with_person(opponent, colour)).vary()

    def on_open(self) -> None:
        """Set up another game, reread the games, which may have changed, and sort the runs by time again."""
        self._look_at, self._goes_on = 0.0, False
        self._deal()

    @property
    def pace(self) -> float:
        return 1 / 30 if self._busy else 1.0

    @property
    def _busy(self) -> bool:
        services = self.app.services
        reads = services.sources.busy or not services.kept.complete or self.app.frames == 0
        reads = reads or any(entry.busy for entry in self._entries)
        return reads or (self._card is not None and self._card.busy)

    def tick(self, now: float, dt: float) -> bool:
        """Read games and runs once the first frame has been drawn."""
        if self.app.frames == 0:
            return False
        services = self.app.services
        looks = now >= self._look_at or services.sources.busy
        changed = looks and services.sources.step(now, STEP_SECONDS)
        changed = services.career.step() or changed
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            services.kept.look_again()
            changed = self._find_unfinished() or changed
        changed = (services.kept.step(STEP_SECONDS) and self._find_unfinished()) or changed
        changed = any([entry.step() for entry in self._entries]) or changed
        changed = self._look_for_session(now) or changed
        read = self._rating_read, self._games_read
        self._rating_read, self._games_read = True, self._games_read or services.kept.complete
        changed = changed or read != (self._rating_read, self._games_read)
        if self._dealt != (services.opponents.recommend(), services.settings.colour) and not self._model.turn.path:
            self._deal()
            changed = True
        if self._goes_on and self.app.screen is self:
            self._continue()
        return changed

    def _find_unfinished(self) -> bool:
        """Find the newest unfinished game that is not open in another window; return whether it is another one."""
        before, kept, is_free = self._unfinished, self.app.services.kept, self.app.services.autosave.is_free
        self._unfinished = next((game for game in kept.games if not game.over and is_free(kept.path(game))), None)
        return before != self._unfinished

    def _look_for_session(self, now: float) -> bool:
        sources = self.app.services.sources
        if self._card is None and any(run.live for run in sources.runs):
            from gui.screens.sessions.card import SessionCard  # not needed for the first picture

            self._card = SessionCard(sources)
        return self._card is not None and self._card.step(now)

    @property
    def _side(self) -> int:
        return 0 if self._model.seats[0].human else 1

    def _did(self, touch: Touch) -> bool:
        """Open the game after its first move, or say why there is none; return whether a piece is chosen."""
        if isinstance(touch, Refused):
            self.app.say(touch.text, "warning")
            self.app.services.play("refused")
        elif isinstance(touch, Completed):
            self.app.services.play("move")
            self.app.open(self.app.screens.play(self.app, self._model))
        return isinstance(touch, Selected)

    def _touch(self, square: int) -> None:
        if not self._begun_by_program():
            self._did(self._model.touch(square, confirm=self.app.services.settings.confirm))

    def _grab(self, square: int) -> bool:
        return not self._begun_by_program() and self._did(self._model.drag(square))

    def _drop(self, square: int) -> None:
        if square != OUTSIDE:
            self._did(self._model.drop(square, confirm=self.app.services.settings.confirm))

    def _begun_by_program(self) -> bool:
        """Open the game if the program moves first; return whether it does."""
        if not self._model.person_to_move:
            self.app.open(self.app.screens.play(self.app, self._model))
        return not self._model.person_to_move

    def escape(self) -> bool:
        chosen = bool(self._model.turn.path)
        self._model.turn.cancel()
        return chosen

    def commands(self) -> Sequence[Command]:
        return with_added(self._own_commands(), self._entries)

    def _own_commands(self) -> list[Command]:
        app, kept = self.app, self.app.services.kept

        def choose(**which: Any) -> None:
            app.open(app.screens.chooser(app, **which))

        def two_players() -> None:
            app.open(app.screens.play(app, GameModel(), flipped=app.services.settings.flipped(False)))

        return [
            Command(id="play", name="Play", keys=("p", "return"), run=self._play, about="Start a game now",
                    icon="play"),
            Command(id="continue", name="Continue", keys=("c",), run=self._continue,
                    about="Continue your last unfinished game", icon="resume",
                    enabled=self._unfinished is not None or not kept.complete, why=NO_GAMES),
            Command(id="choose", name="Opponents", keys=("n",), run=choose,
                    about="Choose opponent, depth and colour", icon="person"),
            Command(id="play-evolving", name="Evolve as you play", keys=("y",), run=self._play_evolving,
                    about="Play against an opponent that evolves during the game", icon="evolution"),
            Command(id="session", name="The session", keys=(), run=self._open_session, icon="evolution",
                    about="Follow the session that works or waits", enabled=self._session is not None,
                    why="No session is running."),
            *([Command(id="level", name="Level", keys=("4",), icon="ladder", run=self._next_level,
                       about="Choose the next of seven levels, Beginner to Champion")]
              if self.app.services.opponents.has_levels else []),
            Command(id="equal", name="As strong as you", keys=("=",), run=self._play_equal,
                    about="Play a rated game against an opponent about as strong as you", icon="equal",
                    enabled=self.app.services.opponents.has_levels, why="The runs of the levels are missing."),
            Command(id="watch", name="Watch two players", keys=(), run=partial(choose, watch=True),
                    about="Watch two programs play each other", icon="eye"),
            Command(id="two-players", name="Two players", keys=("2",), run=two_players, icon="people",
                    about="Two people at one board"),
            Command(id="open", name="Open a file", keys=("o", "ctrl+o"), run=partial(game_files.open_file, app),
                    about="Open games (PDN), a position (FEN) or players (CSV)", icon="open"),
            Command(id="paste", name="Paste a game", keys=("ctrl+v",), run=partial(game_files.paste, app),
                    about="Paste a game (PDN) or a position (FEN)", icon="paste"),
            Command(id="evolve", name="New session", keys=("g",), about="Evolve players", icon="evolution",
                    run=lambda: app.open(app.screens.new_session(app))),
            Command(id="all-runs", name="Your runs", keys=(), run=self._your_runs,
                    about="Play what you have evolved, evolve on, tag, hide or delete runs", icon="list"),
            Command(id="menu", name="Menu", keys=("f10",), run=by_id(self.app.commands())["commands"].run, icon="menu",
                    about="All commands by name"),
            Command(id="all-games", name="All games", keys=("a",), run=self._all_games,
                    about="Search, continue or export your games", icon="list"),
            Command(id="play-group", name="Games", keys=(), icon="play",
                    run=partial(self._group, "Games", GAMES),
                    about="Other ways to play, and all your games"),
            Command(id="study-group", name="Study", keys=(), run=partial(self._group, STUDY_GROUP, STUDY),
                    about="Games and positions from files, and other ways to study", icon="board"),
            Command(id="evolve-group", name="Evolution", keys=(), icon="graph",
                    run=partial(self._group, "Evolution", EVOLVE),
                    about="Begin and follow evolution, and look at its results"),
        ]  # fmt: skip

    def _group(self, title: str, names: Sequence[str]) -> None:
        def commands() -> list[Command]:
            known = by_id(self.commands())
            added = [command for command in known.values() if command.group == title]
            return [*added, *(known[name] for name in names if name in known)]

        self.app.open(Menu(self.app, title, commands))

    def _your_runs(self) -> None:
        from gui.individuals.shelves import YOURS  # not needed for the first picture

        self.app.open(self.app.screens.chooser(self.app, shelf=YOURS))

    def _play(self) -> None:
        services = self.app.services
        game_files.begin(self.app, services.opponents.recommend(), services.settings.colour)

    def _play_evolving(self) -> None:
        from gui.screens.play.evolving import new_game

        self.app.open(new_game(self.app))

    @property
    def _session(self) -> Path | None:
        run = None if self._card is None else self._card.run
        return None if run is None else run.path

    def _open_session(self) -> None:
        from gui.screens.sessions.session import SessionScreen

        if self._card is not None and self._session is not None:
            self.app.open(SessionScreen(self.app, self._session))
            self._card.opened()

    def _next_level(self) -> None:
        self.app.services.choose_level((self.app.services.opponents.level + 1) % len(LEVELS))

    def _play_equal(self) -> None:
        from gui.screens.play.rated import begin_rated

        career = self.app.services.career
        career.ladder = level_opponents()
        opponent = choose_equal(career.rating_value, career.ladder, career.results)
        if opponent is not None:
            begin_rated(self.app, opponent, lambda model: self.app.open(self.app.screens.play(self.app, model)))

    def _continue(self) -> None:
        self._goes_on = self._unfinished is None and not self.app.services.kept.complete
        if self._unfinished is not None:
            self._look_at = 0.0
            game_files.show_kept(self.app, self._unfinished)
        else:
            self.app.say(READING if self._goes_on else NO_GAMES, "info" if self._goes_on else "warning")

    def _all_games(self) -> None:
        from gui.screens.play.games import GamesScreen

        self.app.open(GamesScreen(self.app))

    def view(self, size: Size, look: Look) -> list[Widget]:
        """Return the board, where games have it, and the controls beside it or, on a tall screen, below it."""
        layout, px = game_layout(size, look.px, tabs=True), look.px
        assert layout.tools is not None
        head, controls = layout.tools, layout.panel.around(layout.below)
        if layout.panel.y < layout.board.bottom:  # the panel is beside the board, below the tools
            controls = Rect(head.x, head.y, head.w, layout.below.bottom - head.y)
            controls = controls.around(layout.panel)
            head, controls = controls.rows(min(px(MAIN_CONTROL), controls.h // 10), None, gap=px(ROOM))
        else:
            _, controls = controls.rows(px(TIGHT), None, gap=px(TIGHT))
        text, wrap = self._invitation, layout.above.bottom > layout.board.y
        line = Label(key="board.line", rect=layout.above, text=text, bold=True, wrap=wrap, may_cut=not wrap,
                     hint=self._dealt[0].detail)  # fmt: skip
        within = line if wrap else None  # the strips of the players are in the panel
        own = [] if wrap else [line]
        return [*own, *self._board(layout.board), *self._controls(head, controls, look, within)]

    @property
    def _invitation(self) -> str:
        model = self._model
        first = "move a piece to begin" if model.person_to_move else "click the board to begin"
        first = "click the piece again to play this move" if model.turn.complete else first
        side = self.side_name(self._side)
        if self._unfinished is not None and not model.turn.path:  # which the green button continues
            return f"{capital(first.removesuffix(' to begin'))} to play {self._dealt[0].brief}."
        return f"You play {side}: {first}."

    def _board(self, area: Rect) -> list[Widget]:
        model, settings = self._model, self.app.services.settings
        turn = model.turn
        marks = BoardMarks(
            selected=turn.selected or 0,
            targets=turn.targets if settings.dots else (), finals=turn.finals if settings.dots else (),
            movable=turn.movable if model.person_to_move else (),
        )  # fmt: skip
        return [
            BoardWidget(
                key="board", rect=area, pieces=model.pieces(),
                flipped=settings.flipped(self._side == 0), numbers=settings.numbers, marks=marks,
                grab=self._grab, drop=self._drop, touch=self._touch,
            ),
        ]  # fmt: skip

    def _controls(self, head: Rect, area: Rect, look: Look, line: Label | None) -> list[Widget]:
        """Return at most ten controls: the two large choices, the session, and the ways to everything else.

        The name of the program, help and settings are in `head`.
        """
        px, services, commands = look.px, self.app.services, by_id(self.commands())
        cards = [px(CARD)] if self._session is not None else []
        names = [*(each.id for each in first_commands(self._entries)), "choose", *GROUPS]
        stacked = area.w >= px(STACKED) * len(names)
        in_rows = [names] if stacked else [names[: -len(GROUPS)], GROUPS]
        tall = [px(MAIN_CONTROL), *(cards or [px(MAIN_CONTROL)]), *[px(LARGE_CONTROL)] * len(in_rows)]
        roomy = sum(tall) + len(tall) * px(ROOM) <= area.h
        if not roomy:
            tall[1 : -len(in_rows)] = [px(CONTROL)]
        main, second, *places, rest = area.rows(*tall, None, gap=px(ROOM))
        corner = head.centre_within(head.w, px(CONTROL))
        buttons = self.header_buttons(corner, look, back=False)
        emblem = Rect(head.x, head.y, buttons[-1].rect.x - px(GAP) - head.x, head.h)
        waits = self._unfinished
        if waits is not None:
            texts = waits.players, waits.players.rpartition(" against ")[2]  # the name alone in a narrow panel
            command = commands["continue"]
            text = f"Continue\n{look.first_fitting(texts, main.w - px(CONTINUED))}"
        elif not self._games_read:  # one of them may be unfinished
            command, text = commands["play"], ""
        else:
            opponent = services.opponents.recommend()
            level = level_of(opponent.player or "", opponent.depth)
            about = shown_text(LEVELS[level].rating) if level >= 0 else opponent.detail
            command, text = commands["play"], f"Play\n{opponent.brief}, {about}"
        widgets: list[Widget] = [
            TwoKings(key="emblem", rect=emblem), *buttons,
            MainButton(key=command.id, rect=main, run=command.run, hint=command.hint, icon=command.icon,
                       shortcut=command.key, kind="main", text=text),
        ]  # fmt: skip
        evolving = commands["play-evolving"]
        if self._card is not None and cards:  # in its place
            widgets += self._card.view(second, commands["session"], services.personas.emblem, whole=roomy)
        elif roomy:
            widgets.append(
                MainButton(key="do.play-evolving", rect=second, run=evolving.run, hint=evolving.hint,
                           icon=evolving.icon, shortcut=evolving.key, text=f"{evolving.name}\n{EVOLVING}")
            )  # fmt: skip
        else:
            widgets.append(button(evolving, "do.play-evolving", second))
        look_of: dict[str, Any] = {"stacked": True} if stacked else {"icon": ""}
        for place, ids in zip(places, in_rows, strict=True):
            widgets += button_row(commands, ids, place.columns(*[None] * len(ids), gap=px(GAP)), **look_of)
        if line is not None:
            place, rest = rest.rows(look.tall(line.text, rest.w, bold=True), None, gap=px(ROOM))
            widgets.append(replace(line, rect=place))
        height = px(rating_height(services))
        if self._rating_read and rest.h >= height:
            head, picture = rest.rows(height, None, gap=px(ROOM))
            if picture.h < px(LEAST_PICTURE) and rest.h >= 2 * px(RATING):
                head, picture = rest.columns(px(BESIDE), None, gap=px(ROOM))
                head = head.rows(height, None)[0]
            widgets += rating_labels(services, head, look)
            if picture.h >= 2 * px(RATING):
                widgets.append(self._picture(picture.rows(None, min(picture.h, picture.w * 4 // 5))[1]))
        return widgets

    def _picture(self, rect: Rect) -> Widget:
        """Return the curve of the rating or, while it is a first guess, the levels."""
        career = self.app.services.career
        if len(career.results) >= FEW_GAMES or not self.app.services.opponents.has_levels:
            return rating_plot(career, rect)
        return level_columns(self.app, rect, self._side)
