"""The base of all screens: state, commands, and a view made of widgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from gui.events import Event
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, EDGE, GAP, HEADING, LARGE_CONTROL, ROOM, TITLE, with_colour
from gui.model.ending import SIDE_NAME
from gui.sessions.boards import Replay
from gui.widgets.base import Command, Label, Panel, ProgressBar, Ui, Widget, by_id
from gui.widgets.board import BoardMarks, BoardWidget
from gui.widgets.button import button
from gui.widgets.emblem import EmblemWidget
from gui.widgets.field import Field

if TYPE_CHECKING:
    from gui.app import App

IDLE = 1.0
"""Seconds between two ticks of a screen on which nothing moves."""

HEADER, NOTHING, NOTHING_ICON, DRAWN = 52, 480, 76, 64


class Screen:
    """One screen, or a dialog above another screen.

    Attributes:
        needed: ids of the commands whose keys the help names first, before those that come first on the screen.
        browses: whether the screen lists runs, players or games; closing a game that began here returns to it.
        to_close: functions to call when the screen is removed.
    """

    title = ""
    overlay = False
    needed: ClassVar[tuple[str, ...]] = ()
    browses = False

    def __init__(self, app: App) -> None:
        self.app = app
        self.ui = Ui()
        self.to_close: list[Callable[[], object]] = []
        self.broken = False

    def commands(self) -> Sequence[Command]:
        """Return the commands of this screen in its present state."""
        return ()

    def from_elsewhere(self) -> Sequence[Command]:
        """Return the commands that make sense before the screen is opened, for the palette of other screens."""
        return ()

    def view(self, size: Size, look: Look) -> list[Widget]:
        """Return the widgets of the screen, without changing anything."""
        return []

    def handle(self, event: Event) -> bool:
        """React to an event that no widget or command handled; return whether it had an effect."""
        return False

    def tick(self, now: float, dt: float) -> bool:
        """Let time pass; return whether something changed."""
        return False

    @property
    def pace(self) -> float:
        """Seconds until `tick` is to be called again."""
        return IDLE

    def on_open(self) -> None:
        """React to becoming the top screen, for the first time or again."""

    def on_close(self) -> None:
        """Close what the screen has opened (`to_close`)."""
        for close in self.to_close:
            close()

    def keep(self) -> bool:
        """Save unsaved work after a fault; return whether anything was saved."""
        return False

    def escape(self) -> bool:
        """Undo the last step on Esc; return False if there is nothing to undo, which closes the screen."""
        return False

    def search_command(self, about: str = "Search the list") -> Command:
        return Command(id="search", name="Search", keys=("/", "ctrl+f"), run=self.to_search, about=about, icon="search")

    def to_search(self) -> None:
        self.ui.focus, self.ui.focus_shown = "search", True

    def key(self, name: str) -> bool:
        """Run the command of a key, or say why it is disabled; return whether the key has a command."""
        matches = [command for command in self.commands() if name in command.keys]
        command = next((command for command in matches if command.enabled), matches[0] if matches else None)
        if command is None:
            return False
        if command.enabled:
            command.run()
        else:
            self.app.say(command.reason, "warning")
        return True

    def side_name(self, side: int) -> str:
        """Return ``Black`` or ``White``, with the colour of the pieces if the user has chosen another one."""
        return with_colour(SIDE_NAME[side], side, self.app.services.settings.pieces)

    def header(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        bar = Rect(0, 0, size[0], px(HEADER))
        widgets: list[Widget] = [Panel(key="header", rect=bar, border=False, radius=0)]
        widgets.append(Panel(key="header.line", rect=Rect(0, bar.h - 1, size[0], 1), colour=look.theme.line, radius=0))
        buttons = self.header_buttons(bar.inset(px(ROOM), (bar.h - px(CONTROL)) // 2), look)
        x, right = buttons[0].rect.right + px(8), buttons[-1].rect.x - px(4)
        title = Rect(x, 0, right - x, bar.h)
        buttons.append(Label(key="title", rect=title, text=self.title, size=TITLE, bold=True, may_cut=True))
        return [*widgets, *buttons]

    def header_buttons(self, rect: Rect, look: Look, *, back: bool = True) -> list[Widget]:
        """Return the buttons of the header: back at the left, help and settings at the right."""
        side, common = rect.h, by_id(self.app.commands())
        widgets: list[Widget] = []
        if back:
            place = Rect(rect.x, rect.y, side, side)
            widgets.append(button(common["back"], "back", place, kind="quiet", icon_only=True))
        for number, name in enumerate(("help", "settings"), 1):
            place = Rect(rect.right - number * side - (number - 1) * look.px(4), rect.y, side, side)
            widgets.append(button(common[name], f"header.{name}", place, kind="quiet", icon_only=True))
        return widgets

    def search_field(self, rect: Rect, value: str, change: Callable[[str], object], about: str, **more: Any) -> Field:
        """Return the field that searches a list; `about` says what it finds, where there is room."""
        ghost = f"{about}\nSearch\n"
        return Field(key="search", rect=rect, value=value, change=change, icon="search", ghost=ghost, shortcut="/",
                     clipboard=self.app.services.clipboard, **more)  # fmt: skip


def below_header(size: Size, look: Look) -> Rect:
    top = look.px(HEADER)
    return Rect(0, top, size[0], max(size[1] - top, 0)).inset(look.px(EDGE))


def with_pane(area: Rect, look: Look, wide: int, high: int) -> list[Rect]:
    """Divide an area into a list and its pane, which is below it in a narrow window.

    Args:
        wide, high: maximum width and height of the pane.
    """
    if area.w >= area.h:
        return area.columns(None, min(look.px(wide), area.w * 2 // 5), gap=look.px(ROOM))
    return area.rows(None, min(look.px(high), area.h // 2), gap=look.px(ROOM))


def replay_board(rect: Rect, game: Replay, hint: str = "") -> BoardWidget:
    """Return the board on which recorded games play, at the top of a place."""
    place, marks = rect.rows(min(rect.w, rect.h), None)[0], BoardMarks(last=game.last_move)
    return BoardWidget(
        key="board", rect=place, pieces=game.pieces, numbers=False, enabled=False, marks=marks, hint=hint
    )


def nothing_there(
    area: Rect, look: Look, why: str, *commands: Command, title: str = "", icon: str = "", shields: int = 0
) -> list[Widget]:
    """Return what a screen shows if it has nothing to show: a picture, the reason, and commands, the main one first."""
    px, edge = look.px, look.px(EDGE)
    across = min(area.w, px(NOTHING))
    high = px(HEADING + GAP) * bool(title), look.tall(why, across - 2 * edge), edge, px(LARGE_CONTROL)
    drawn = px(NOTHING_ICON) * bool(icon or shields)
    panel = area.centre_within(across, min(area.h, drawn + sum(high) + 2 * edge))
    panel = panel.move(0, -(panel.y - area.y) // 3)
    picture, head, text, _, row = panel.inset(edge, edge).rows(drawn, *high)
    places = picture.rows(None, px(ROOM))[0].columns(*[None] * shields)
    icon_area = picture.centre_within(px(DRAWN + 4), 0 if shields else picture.h)
    return [
        Panel(key="nothing.panel", rect=panel),
        Label(key="nothing.icon", rect=icon_area, text="", icon=icon, size=DRAWN, colour=look.theme.muted),
        *(EmblemWidget(key=f"nothing.{at}", rect=place, emblem=None) for at, place in enumerate(places)),
        Label(key="nothing", rect=head, text=title, size=HEADING, bold=True, may_cut=True, align="centre"),
        Label(key="trouble", rect=text, text=why, wrap=True, may_cut=True, hint=why, align="centre"),
        *(button(command, f"do.{command.id}", place, kind="plain" if at else "main", size=TITLE)
          for at, (command, place) in enumerate(zip(commands, row.columns(*[None] * len(commands), gap=px(GAP)),
                                                    strict=True))),
    ]  # fmt: skip


def count_or_progress(rect: Rect, look: Look, count: str, share: float | None, trouble: str = "") -> Widget:
    """Return how many rows a list has, or what is wrong with it; while it is being read, the share done."""
    if share is not None:
        bar = rect.centre_within(rect.w, look.px(22))
        return ProgressBar(key="reading", rect=bar, share=share, text=f"Reading: {count}")
    colour = look.theme.warning if trouble else look.theme.muted
    return Label(key="count", rect=rect, text=trouble or count, colour=colour, may_cut=True)
