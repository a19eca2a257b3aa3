"""The sounds of the window, synthesised from sine waves and a little noise."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass

from game.generator import SplitMix64

RATE = 22_050
"""Samples per second."""

PEAK = 0.55
"""The loudest sample, as a share of the largest that 16 bits hold."""


@dataclass(frozen=True)
class _Tone:
    """A stroke after `at` seconds: partials (Hz, amplitude) that decay with a time constant of `decay` seconds."""

    at: float
    decay: float
    partials: tuple[tuple[float, float], ...]
    knock: float = 0.0  # amplitude of the noise, which lasts for 12 ms


def _wood(at: float, pitch: float, decay: float = 0.035, knock: float = 0.35) -> _Tone:
    return _Tone(at, decay, ((pitch, 1.0), (pitch * 2.76, 0.35), (pitch * 5.4, 0.12)), knock)


def _bell(at: float, pitch: float, decay: float = 0.1) -> _Tone:
    return _Tone(at, decay, ((pitch, 1.0), (pitch * 2, 0.3), (pitch * 3.01, 0.12)))


_SOUNDS = {
    "move": (_wood(0.0, 410.0),),
    "capture": (_wood(0.0, 350.0), _wood(0.075, 520.0)),
    "crown": (_bell(0.0, 659.3), _bell(0.09, 830.6), _bell(0.18, 987.8, 0.13)),
    "refused": (_wood(0.0, 150.0, 0.05, 0.1), _wood(0.11, 132.0, 0.06, 0.1)),
    "over": (_bell(0.0, 392.0, 0.14), _bell(0.14, 523.3, 0.14), _bell(0.28, 659.3, 0.2)),
    "level": (_bell(0.0, 523.3), _bell(0.1, 659.3), _bell(0.2, 784.0), _bell(0.3, 1046.5, 0.25)),
}
NAMES = tuple(_SOUNDS)
"""Sounds: move, capture, crown, refused, over, level (a level was beaten)."""


def samples(name: str, rate: int = RATE) -> bytes:
    """Return a sound as signed 16-bit samples in native byte order, on one channel."""
    tones = _SOUNDS[name]
    length = int(rate * max(tone.at + 4.5 * tone.decay for tone in tones))
    wave = array("d", bytes(8 * length))
    noise = SplitMix64(1)
    for tone in tones:
        _add(wave, tone, rate, lambda: noise.below(2001) / 1000 - 1)
    loudest = max(map(abs, wave))
    fade = max(rate // 100, 1)
    scale = PEAK * 32_767 / loudest
    return array("h", (int(value * scale * min(1.0, (length - at) / fade)) for at, value in enumerate(wave))).tobytes()


def stereo(mono: bytes) -> bytes:
    single = array("h", mono)
    double = array("h", bytes(2 * len(mono)))
    double[0::2] = double[1::2] = single
    return double.tobytes()


def _add(wave: array[float], tone: _Tone, rate: int, noise: Callable[[], float]) -> None:
    first = int(tone.at * rate)
    attack = max(rate // 500, 1)
    for index in range(len(wave) - first):
        time = index / rate
        envelope = math.exp(-time / tone.decay)
        if envelope < 1e-4:
            return
        value = sum(share * math.sin(math.tau * pitch * time) for pitch, share in tone.partials)
        if tone.knock and time < 0.012:
            value += tone.knock * noise() * (1 - time / 0.012)
        wave[first + index] += value * envelope * min(1.0, index / attack)


class Sounds:
    """A silent speaker; `gui.system.Speaker` plays sounds."""

    def begin(self) -> None:
        """Prepare in the background."""

    def play(self, name: str) -> None:
        """Play one of `NAMES`, if the device is ready."""
