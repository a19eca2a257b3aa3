"""The chosen opponent and its game: facts, warnings, sliders for depth and time, and where the game begins."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from evolve.config.anchors import SHOWN_ZERO, shown_interval, shown_text
from evolve.strength.levels import LEVELS, RANDOM, Level
from game.ballots import NamedOpening, deck
from game.board import Position
from game.networks.emblem import Emblem
from game.number_text import results_text
from game.players.registry import KINDS
from gui.geometry import Rect
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.look.canvas import Look
from gui.look.theme import BODY, GAP, HEADING, LARGE_CONTROL, ROOM, TIGHT, TITLE
from gui.model.game import GameModel
from gui.model.seats import MOST_DEPTH, Seat, several
from gui.screens.dialogs.ballots import BallotPicker
from gui.screens.entries import beside_name
from gui.storage.settings import Preferences
from gui.widgets.base import Command, Label, Widget
from gui.widgets.button import Slider, button
from gui.widgets.emblem import SHAPE, EmblemWidget
from gui.widgets.field import Dropdown

if TYPE_CHECKING:
    from gui.app import App
    from gui.services import Services


SECONDS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0, 0.0)
"""The time limits on offer; 0 means no limit."""
CRESTS = 6
"""The maximum number of emblems of the opponents that a command leads to."""
LEAST_EMBLEM, MOST_EMBLEM, LEAST_ABOVE = 28, 190, 80
"""Heights of the emblem of the chosen opponent, the last of one above its name."""
AS_EVOLVED = 0
"""The left end of the slider: the depth at which the chosen player evolved."""


SCALE = (
    "A player rated 100 higher wins 64 % of the points. Moves ahead are those of both sides. "
    f"Random moves are rated {shown_text(RANDOM)}, a counter of pieces that searches 8 moves ahead {SHOWN_ZERO}."
)


def about_level(level: Level) -> str:
    """Return whom a level suits, its rating, and the meaning of ratings."""
    return f"For {level.suits}. Rating {shown_text(level.rating)} ± {level.margin}. {SCALE}"


def details(
    individual: ListedPlayer | None,
    name: str,
    doubt: str,
    rect: Rect,
    look: Look,
    commands: Sequence[Command],
    lines: Sequence[str] = (),
    emblem: Emblem | None = None,
    hint: str = "",
    spare: int = 0,
) -> list[Widget]:
    """Return facts about an opponent, a warning if it may play worse or not at all, and buttons.

    Args:
        lines: in place of the facts.
        hint: the tooltip, but for a damaged file.
        spare: the height in pixels of the screen by which an emblem may be larger.
    """
    theme, px = look.theme, look.px
    if individual is None:
        text = "Choose an opponent, with a click or the arrow keys."
        return [Label(key="details", rect=rect, text=text, wrap=True, colour=theme.muted)]
    above = emblem is not None and spare >= px(LEAST_ABOVE)  # a large one stands above its name
    gap = px(GAP) * above  # which is not for the lines, either
    shield, rect = rect.rows(min(spare - gap, px(MOST_EMBLEM)) if above else 0, None, gap=gap)
    beside = round((rect.w - px(GAP) - look.wide(name, TITLE, bold=True)) / SHAPE)  # the name needs its room
    most = min(px(MOST_EMBLEM), max(beside, px(LEAST_EMBLEM)))
    head, body = rect.rows(
        min(px(LEAST_EMBLEM) + spare * (emblem is not None and not above), most), None, gap=px(TIGHT)
    )
    damaged = individual.kind is EntryKind.DAMAGED
    icon, colour = ("warning", theme.warning) if damaged else ("", theme.muted)
    name = name if individual.player else individual.name
    head, widgets = beside_name(commands, head, look)
    if emblem is not None:
        if not above:
            shield, head = head.columns(round(head.h * SHAPE), None, gap=px(GAP))
        widgets.append(EmblemWidget(key="details.emblem", rect=shield, emblem=emblem))
    size = HEADING if spare and look.wide(name, HEADING, bold=True) <= head.w else TITLE
    align = "centre" if above else "left"
    widgets.append(Label(key="details.name", rect=head, text=name, size=size, bold=True, align=align,
                         may_cut=True, icon=icon))  # fmt: skip
    trouble = "" if damaged else individual.trouble or doubt
    if trouble:
        body, warning = body.rows(None, min(look.tall(trouble, body.w - px(23)), body.h), gap=px(TIGHT))
        widgets.append(
            Label(key="doubt", rect=warning, text=trouble, wrap=True, colour=theme.warning, icon="warning",
                  may_cut=True)
        )  # fmt: skip
    facts = [individual.trouble] if damaged else lines_of(individual)
    brief = facts[:1] if individual.kind is EntryKind.BUILT_IN else facts
    text, rest = fitting_lines(facts if damaged else lines or brief, body, look)
    hint = rest if damaged else hint
    body = Rect(body.x, body.y, body.w, min(look.tall(text, body.w), body.h))
    return [*widgets, Label(key="details", rect=body, text=text, wrap=True, colour=colour, may_cut=True, hint=hint,
                             align=align)]  # fmt: skip


def leads_to(command: Command, crests: Sequence[tuple[str, Emblem | None]], rect: Rect, look: Look) -> list[Widget]:
    """Return the button of a command in place of an opponent, and some opponents that it leads to."""
    head, shields, place = rect.rows(look.px(HEADING + TIGHT), None, look.px(LARGE_CONTROL), gap=look.px(ROOM))
    across = 3 if rect.w > rect.h else 2
    widgets: list[Widget] = [
        Label(key="leads.head", rect=head, text=f"{command.about}, such as", size=TITLE, bold=True, may_cut=True),
        button(command, "play", place, kind="main", size=TITLE, text=f"Show the {command.name.lower()}"),
    ]
    for (name, crest), at in zip(crests, shields.grid(across, -(-len(crests) // across), look.px(ROOM)), strict=False):
        shield, line = at.rows(None, look.px(BODY + TIGHT), gap=look.px(TIGHT))
        widgets += [
            EmblemWidget(key=f"crest.{name}", rect=shield, emblem=crest),
            Label(key=f"name.{name}", rect=line, text=name.removeprefix("The "), align="centre", may_cut=True),
        ]
    return widgets


def lines_of(individual: ListedPlayer) -> list[str]:
    if individual.kind is EntryKind.BUILT_IN:
        about = KINDS[individual.player].about if individual.player in KINDS else ""
        return about.replace(". ", ".\n").splitlines()
    line = f"From {individual.source}" if individual.source else ""
    if individual.generation is not None:
        name = f"{individual.name}, generation" if individual.rank == 1 and individual.name else "Generation"
        rank = f", rank {individual.rank}" if (individual.rank or 1) > 1 else ""
        line = f"{name} {individual.generation}{line.replace('From', ' of', 1)}{rank}"
    return [*filter(None, [line]), *facts_of(individual)]


def time_index(settings: Preferences) -> int:
    return SECONDS.index(settings.seconds) if settings.seconds in SECONDS else SECONDS.index(5.0)


class StrengthChoice:
    """A choice of strength: depth and time, which are chosen apart from the player."""

    def __init__(self, services: Services, player: Callable[[], str]) -> None:
        self._services, self._player = services, player

    @property
    def plies(self) -> int:
        """The search depth; until one is chosen, the depth at which the player evolved."""
        return self._services.opponents.depth_of(self._player())

    @property
    def is_known(self) -> bool:
        return bool(self._player()) and self._services.opponents.evolved_depth(self._player()) is not None

    def set_depth(self, depth: int) -> None:
        self._services.change_settings(depth=depth)

    def set_time(self, at: int) -> None:
        self._services.change_settings(seconds=SECONDS[at])

    def _deepen(self, step: int) -> None:
        self.set_depth(min(max(self.plies + step, AS_EVOLVED), MOST_DEPTH))

    def _more_time(self, step: int) -> None:
        self.set_time(min(max(time_index(self._services.settings) + step, 0), len(SECONDS) - 1))

    def commands(self) -> list[Command]:
        return [
            Command(id="deeper", name="Deeper", keys=("+",), run=partial(self._deepen, 1),
                    about="Increase its depth by one"),
            Command(id="shallower", name="Shallower", keys=("-",), run=partial(self._deepen, -1),
                    about="Reduce its depth by one"),
            Command(id="as-evolved", name="As evolved", keys=("0",), run=partial(self.set_depth, AS_EVOLVED),
                    about="Use the depth with which the chosen player evolved"),
            Command(id="more-time", name="More time", keys=(), run=partial(self._more_time, 1),
                    about="Give it more time per move"),
            Command(id="less-time", name="Less time", keys=(), run=partial(self._more_time, -1),
                    about="Give it less time per move"),
        ]  # fmt: skip

    def sliders(self, depth: Rect, time: Rect | None) -> list[Widget]:
        """Return sliders for the depth, in plies or `AS_EVOLVED`, and for the time, an index into `SECONDS`.

        Without a place for the time, only the first is returned.
        """
        settings, plies = self._services.settings, self.plies
        as_evolved = self.is_known and settings.depth == AS_EVOLVED
        return [
            Slider(key="depth", rect=depth, text="Depth", value=AS_EVOLVED if as_evolved else plies,
                   low=AS_EVOLVED, high=MOST_DEPTH, change=self.set_depth,
                   shown=f"{plies} (usual)" if as_evolved else f"{plies}",
                   hint="How many moves ahead it searches, its own and yours. At the left end: the usual depth, with "
                   "which it evolved or learnt  (+ −)"),
            *([] if time is None else [
                Slider(key="time", rect=time, text="Time", value=time_index(settings), low=0, high=len(SECONDS) - 1,
                       change=self.set_time, shown=f"{settings.seconds:g} s" if settings.seconds else "no limit",
                       hint="After this time for a move, it plays the best one found so far")]),
        ]  # fmt: skip


def facts_of(individual: ListedPlayer) -> list[str]:
    lines, origin = [], individual.origin
    parents = several(individual.parents)
    if individual.is_mean:
        count = len(individual.parents)
        lines.append(f"The mean of {count} parents. It comes first in its generation, whatever its results.")
    elif origin == "learnt":
        lines.append(f"Continued learning from {parents}." if parents else "Learnt from scratch.")
    elif origin:
        lines.append(origin.capitalize() + (f" from {parents}" if parents else ""))
    if individual.rating is not None:
        lines.append(rating_of(individual))
    results = individual.results
    if results and not individual.is_mean and (results[0] or origin not in ("learnt", "founder")):
        lines.append(results_text(results))
    return lines


def rating_of(individual: ListedPlayer) -> str:
    if individual.rating is None:
        return ""
    value, low, high = individual.rating
    of_level = (each for each in LEVELS if (each.player, each.interval) == (individual.player, individual.rating))
    level = next(of_level, None)
    depth = "" if level is None else f" at depth {level.depth}"
    interval = f" ({ends})" if (ends := shown_interval(low, high)) else ""
    return f"Rating {shown_text(value)}{interval}{depth}, from games against fixed opponents."


def fitting_lines(lines: Sequence[str], rect: Rect, look: Look) -> tuple[str, str]:
    """Return the first lines, as many as fit into a place, and all of them as a hint; no hint if all fit."""
    shown = list(lines)
    while len(shown) > 1 and look.tall("\n".join(shown), rect.w) > rect.h:
        del shown[-1]
    first, semicolon, _ = "".join(shown[:1]).partition(";")
    if semicolon and look.tall("\n".join(shown), rect.w) > rect.h:
        shown = [f"{first}."]
    return "\n".join(shown), "" if shown == list(lines) else "\n".join(lines)


BEGINNINGS = {
    "start": "Usual start",
    "random": "A random three-move ballot",
    "position": "The position on the board",
    "ballot": "An opening by name or number…",
}


class OpeningChoice:
    """The choice of where a game begins.

    Args:
        position: the position on the board; None if there is none.
        game: the game in which it stands, which is continued; None for a new one.
        from_here: whether `position` is chosen at first.
    """

    def __init__(self, app: App, position: Position | None, game: GameModel | None, *, from_here: bool) -> None:
        self._app, self._position, self._played = app, position, game
        self._way = "position" if from_here else "start"
        self._ballot: NamedOpening | None = None

    def game(self, seats: tuple[Seat, Seat]) -> GameModel:
        if self._way == "position" and self._position is not None:
            return GameModel(seats, self._position) if self._played is None else self._played.branch(seats)
        ballot = secrets.choice(deck()) if self._way == "random" else self._ballot if self._way == "ballot" else None
        return GameModel.of_moves(Position.start(), ballot.line if ballot else (), seats)

    def commands(self) -> list[Command]:
        return [
            Command(id="start", name="Start", keys=(), run=self._next, about="Choose where the game begins"),
            Command(id="ballot", name="An opening", keys=(), run=self._pick_ballot,
                    about="Begin with a ballot or a classical opening, by number, name or moves"),
        ]  # fmt: skip

    @property
    def is_usual(self) -> bool:
        return self._way == "start"

    @property
    def _ways(self) -> list[str]:
        return [name for name in BEGINNINGS if name != "position" or self._position is not None]

    def _next(self) -> None:
        ways = [name for name in self._ways if name != "ballot" or self._ballot is not None]
        self._way = ways[(ways.index(self._way) + 1) % len(ways)]

    def _pick_ballot(self) -> None:
        flipped = self._app.services.settings.colour != "white"
        self._app.open(BallotPicker(self._app, self._ballot, self._take_ballot, flipped=flipped))

    def _take_ballot(self, ballot: NamedOpening) -> None:
        self._way, self._ballot = "ballot", ballot

    def _set(self, number: int) -> None:
        if self._ways[number] == "ballot":
            self._pick_ballot()
        else:
            self._way = self._ways[number]

    def choice(self, rect: Rect) -> Widget:
        names = BEGINNINGS | ({} if self._ballot is None else {"ballot": self._ballot.title})
        ways = self._ways
        return Dropdown(key="begin", rect=rect, names=[names[way] for way in ways], chosen=ways.index(self._way),
                        pick=self._set, hint="Where the game begins. An opening by name or number")  # fmt: skip
