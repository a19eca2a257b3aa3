"""The speaker of the window, which plays sounds by name."""

from __future__ import annotations

import contextlib
import logging
import threading
from typing import Any, ClassVar

from extras.sounds import waves
from gui.system import Speaker, quiet
from gui.toolkit import pygame

log = logging.getLogger(__name__)

VOLUME = 0.6


class WindowSpeaker(Speaker):
    """Plays sounds by name, once the audio device has been opened; silent without one.

    Opening a device can take seconds and making the sounds tenths of a second, so a thread does both.
    """

    audible: ClassVar[bool] = True

    def __init__(self) -> None:
        self._sounds: dict[str, Any] = {}
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._open, name="sounds", daemon=True)
            self._thread.start()

    def play(self, name: str) -> None:
        kind, _, men = name.partition("-")
        sound = self._sounds.get(waves.capture(int(men)) if men else kind)
        if sound is not None:
            with contextlib.suppress(pygame.error):
                sound.play()

    def _open(self) -> None:
        try:
            with quiet():
                pygame.mixer.init(waves.RATE, -16, 2, 512)
            rate, _, channels = pygame.mixer.get_init()
            for name in waves.NAMES:
                data = waves.samples(name, rate)
                made = pygame.mixer.Sound(buffer=waves.stereo(data) if channels == 2 else data)
                made.set_volume(VOLUME)
                self._sounds[name] = made
        except Exception as error:  # whatever it is, the game continues without sounds
            log.info("no sounds: %s", error)
            self._sounds = {}
