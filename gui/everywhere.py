"""What can be done on every screen, and the choices that concern the whole window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gui.look.theme import THEMES
from gui.widgets.commands import Command

if TYPE_CHECKING:
    from gui.app import App

SCALES = (0.75, 0.85, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0)
GROUP = "Everywhere"


class Everywhere:
    """Commands of all screens.

    Attributes:
        show_fullscreen: what the real window does when full screen is switched on or off.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self.show_fullscreen: Callable[[bool], object] = lambda on: None

    def commands(self) -> Sequence[Command]:
        """All of them; a screen's own keys come first."""
        command = partial(Command, group=GROUP)
        speaker = "sound" if self._app.services.settings.sounds else "mute"
        larger = ("ctrl++", "ctrl+=", "ctrl+shift+=")
        return (
            command(id="back", name="Back", keys=("escape",), run=self.back,
                    about="Go back, or cancel what was begun", icon="back"),
            command(id="keys", name="Keys", keys=("?", "f1"), run=self.help, about="All keys of this screen",
                    icon="help"),
            command(id="settings", name="Settings", keys=("ctrl+,", "f2"), run=self.settings,
                    about="Theme, size, sounds and more", icon="settings"),
            command(id="sounds", name="Sounds", keys=("ctrl+m",), run=self.toggle_sounds, about="Sounds on or off",
                    icon=speaker),
            command(id="theme", name="Next theme", keys=("ctrl+t",), run=self.next_theme,
                    about="Light, dark, high contrast"),
            command(id="larger", name="Larger", keys=larger, run=partial(self.rescale, 1), about="Everything larger"),
            command(id="smaller", name="Smaller", keys=("ctrl+-",), run=partial(self.rescale, -1),
                    about="Everything smaller"),
            command(id="fullscreen", name="Full screen", keys=("f11",), run=self.toggle_fullscreen,
                    about="Full screen or window"),
            command(id="quit", name="Quit", keys=("ctrl+q",), run=self._app.quit,
                    about="Close the window; a game in progress is kept"),
        )  # fmt: skip

    def back(self) -> None:
        """Take back the last thing begun on the screen, or leave it."""
        if not self._app.screen.escape():
            self._app.back()

    def help(self) -> None:
        """Show all keys."""
        from gui.screens.keys import Keys

        if not isinstance(self._app.screen, Keys):
            self._app.open(Keys(self._app, self._app.screen))

    def settings(self) -> None:
        """Show the settings."""
        from gui.screens.settings import SettingsScreen

        if not any(isinstance(screen, SettingsScreen) for screen in self._app.stack):
            self._app.open(SettingsScreen(self._app))

    def toggle_sounds(self) -> None:
        """Sounds on or off."""
        on = not self._app.services.settings.sounds
        self._app.change_settings(sounds=on)
        self._app.say("Sounds on" if on else "Sounds off", "check")
        self._app.services.play("move")

    def next_theme(self) -> None:
        """Another theme."""
        names = list(THEMES)
        here = names.index(self._app.look.theme.name)
        self._app.change_settings(theme=names[(here + 1) % len(names)])

    def rescale(self, step: int) -> None:
        """Everything larger or smaller."""
        wanted = self._app.services.settings.scale
        here = min(range(len(SCALES)), key=lambda n: abs(SCALES[n] - wanted))
        self._app.change_settings(scale=SCALES[min(max(here + step, 0), len(SCALES) - 1)])

    def toggle_fullscreen(self) -> None:
        """Full screen or a window."""
        on = not self._app.services.settings.fullscreen
        self._app.change_settings(fullscreen=on)
        self.show_fullscreen(on)
