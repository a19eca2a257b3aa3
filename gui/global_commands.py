"""Commands of every screen, and settings of the whole window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gui.look.canvas import largest_wish, smallest_wish
from gui.look.theme import THEMES
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.app import App

SCALES = (0.75, 0.85, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0)
GROUP = "Everywhere"


class GlobalCommands:
    def __init__(self, window: App) -> None:
        self._window = window
        self.show_fullscreen: Callable[[bool], object] = lambda on: None

    def commands(self) -> Sequence[Command]:
        command = partial(Command, group=GROUP)
        services = self._window.services
        sounds = command(id="sounds", name="Sounds", keys=("m",), run=self.toggle_sounds, about="Sounds on or off",
                         icon="sound" if services.settings.sounds else "mute")  # fmt: skip
        larger = ("ctrl++", "ctrl+=", "ctrl+shift+=")
        return (
            command(id="back", name="Back", keys=("escape",), run=self.back,
                    about="Go back, or cancel", icon="back"),
            command(id="commands", name="Commands", keys=("ctrl+p",), run=self.palette, icon="search",
                    about="All commands by name, with their keys"),
            command(id="help", name="Help", keys=("?", "f1"), run=self.help, icon="help",
                    about="The rules, and the keys of this screen"),
            command(id="settings", name="Settings", keys=("ctrl+,", "f2"), run=self.settings,
                    about="Theme, size, sounds and more", icon="settings"),
            *([sounds] if services.speaker.audible else []),
            command(id="theme", name="Next theme", keys=(), run=self.next_theme,
                    about="Light, dark, high contrast"),
            command(id="larger", name="Larger", keys=larger, run=partial(self.rescale, 1), about="Everything larger"),
            command(id="smaller", name="Smaller", keys=("ctrl+-",), run=partial(self.rescale, -1),
                    about="Everything smaller"),
            command(id="fullscreen", name="Full screen", keys=("f11",), run=self.toggle_fullscreen,
                    about="Full screen or window"),
            command(id="quit", name="Quit", keys=("ctrl+q",), run=self._window.quit,
                    about="Close the window; a game in progress is kept"),
        )  # fmt: skip

    def back(self) -> None:
        """Cancel the last unfinished action on the screen, or leave the screen."""
        if not self._window.screen.escape():
            self._window.back()

    def palette(self) -> None:
        from gui.screens.dialogs.picker import Palette

        if not self._window.screen.overlay:
            self._window.open(Palette(self._window, self._window.screen))

    def help(self) -> None:
        from gui.screens.dialogs.picker import HelpCard

        if not self._window.screen.overlay:
            self._window.open(HelpCard(self._window, self._window.screen))

    def settings(self) -> None:
        from gui.screens.settings import SettingsScreen

        if not any(isinstance(screen, SettingsScreen) for screen in self._window.stack):
            self._window.open(SettingsScreen(self._window))

    def toggle_sounds(self) -> None:
        on = not self._window.services.settings.sounds
        self._window.change_settings(sounds=on)
        self._window.say("Sounds on" if on else "Sounds off", "check")
        self._window.services.play("move")

    def next_theme(self) -> None:
        names = list(THEMES)
        current = names.index(self._window.look.theme.name)
        self._window.change_settings(theme=names[(current + 1) % len(names)])

    def rescale(self, step: int) -> None:
        """Make everything larger or smaller, by the smallest step that has an effect in a window of this size."""
        size = self._window.surface.get_size()
        least, most = smallest_wish(size), largest_wish(size)
        current = min(max(self._window.services.settings.scale, least), most)
        further = [scale for scale in SCALES if (scale - current) * step > 1e-9]
        if not further or (current >= most if step > 0 else current <= least):
            self._window.say(f"Everything is as {'large' if step > 0 else 'small'} as it gets in this window.")
        else:
            self._window.change_settings(scale=min(further, key=lambda scale: abs(scale - current)))

    def toggle_fullscreen(self) -> None:
        on = not self._window.services.settings.fullscreen
        self._window.change_settings(fullscreen=on)
        self.show_fullscreen(on)
