"""Sounds as samples: strokes on wood, each a sum of fading sine waves with a knock of noise."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, replace
from itertools import pairwise

from game.generator import SplitMix64

RATE = 22_050
"""Samples per second."""

LOUDNESS, PEAK = 0.12, 0.8
"""Loudness of the loudest `WINDOW` of each sound (`_loudness`), and the largest sample, as shares of what 16 bits hold.
"""

WINDOW = 0.05  # seconds
KNOCK_SECONDS = 0.006
MOST_CAPTURED = 4
"""Captures of more men sound like one of this number."""

_BLOCK = (1.0, 1.0), (2.57, 0.4), (4.9, 0.15)
_BAR = (1.0, 1.0), (3.93, 0.22), (9.2, 0.05)
"""Frequencies, as multiples of the pitch, and amplitudes: of a piece on a board, and of a tuned bar as in a marimba."""


@dataclass(frozen=True)
class _Stroke:
    """A stroke after `at` seconds, which fades with a time constant of `decay` seconds, its higher waves sooner."""

    at: float
    pitch: float
    decay: float = 0.035
    waves: tuple[tuple[float, float], ...] = _BLOCK
    force: float = 1.0
    knock: float = 0.3  # amplitude of the noise


def _bars(step: float, *pitches: float, start: float = 0.0, last: float = 0.2) -> tuple[_Stroke, ...]:
    """Return strokes on tuned bars, `step` seconds apart, of which the last one fades slowest."""
    strokes = [_Stroke(start + step * at, pitch, 0.11, _BAR, knock=0.06) for at, pitch in enumerate(pitches)]
    return *strokes[:-1], replace(strokes[-1], decay=last)


def _captured(men: int) -> tuple[_Stroke, ...]:
    """Return a landing for each captured man, and the man being taken off."""
    places = [(0.11 * man, 250.0 * 1.17**man) for man in range(men)]
    landings = (_Stroke(at, pitch, 0.045) for at, pitch in places)
    return *landings, *(_Stroke(at + 0.05, pitch * 2.2, 0.02, force=0.35) for at, pitch in places)


_C, _D, _E, _G, _A, _HIGH_C = 261.6, 293.7, 329.6, 392.0, 440.0, 523.3
_SOUNDS = {
    "move": (_Stroke(0.0, 330.0),),
    **{f"capture-{men}": _captured(men) for men in range(1, MOST_CAPTURED + 1)},
    "crown": (_Stroke(0.0, 330.0), *_bars(0.11, _G, 2 * _E, start=0.09, last=0.14)),
    "refused": (_Stroke(0.0, 165.0, 0.05, knock=0.1), _Stroke(0.11, 147.0, 0.06, knock=0.1)),
    "won": _bars(0.12, _G, _HIGH_C, 2 * _E, last=0.25),
    "lost": _bars(0.16, _G, _E, _C, last=0.25),
    "drawn": _bars(0.16, _G, _G),
    "level": _bars(0.1, _HIGH_C, 2 * _E, 2 * _G, 2 * _HIGH_C, last=0.25),
    "rung": (*_bars(0.085, _C, _D, _E, _G, _A, _HIGH_C), *_bars(0.0, _HIGH_C, 2 * _E, start=0.6)),
}
NAMES = tuple(_SOUNDS)
"""Sounds: of moves and captures, of the end of a game; level and rung: a run beat a level, a person climbed a rung."""


def capture(men: int) -> str:
    return f"capture-{min(men, MOST_CAPTURED)}"


def samples(name: str, rate: int = RATE) -> bytes:
    """Return a sound as signed 16-bit samples in native byte order, on one channel."""
    strokes = _SOUNDS[name]
    length = int(rate * max(stroke.at + 4.5 * stroke.decay for stroke in strokes))
    wave = array("d", bytes(8 * length))
    noise = SplitMix64(1)
    for stroke in strokes:
        _add(wave, stroke, rate, noise)
    scale = 32_767 * min(LOUDNESS / _loudness(wave, rate), PEAK / max(map(abs, wave)))
    fade = max(rate // 100, 1)
    return array("h", (int(value * scale * min(1.0, (length - at) / fade)) for at, value in enumerate(wave))).tobytes()


def stereo(mono: bytes) -> bytes:
    single = array("h", mono)
    double = array("h", bytes(2 * len(mono)))
    double[0::2] = double[1::2] = single
    return double.tobytes()


def _loudness(wave: array[float], rate: int) -> float:
    """Return about how loud the loudest `WINDOW` is to the ear, for which low tones are weaker than those of 1 kHz.

    It is the root mean square of the wave (deaf to pitch) times that of its changes (twice for an octave), rooted.
    """
    window = int(rate * WINDOW)
    changes = array("d", (after - before for before, after in pairwise(wave)))
    per_change = rate / (math.tau * 1000)
    products = (
        math.prod(sum(value * value for value in values[at : at + window]) / window for values in (wave, changes))
        for at in range(0, len(wave), window // 2)
    )
    return math.sqrt(per_change * math.sqrt(max(products)))


def _add(wave: array[float], stroke: _Stroke, rate: int, noise: SplitMix64) -> None:
    first = int(stroke.at * rate)
    for multiple, amplitude in stroke.waves:
        decay, turn = stroke.decay / math.sqrt(multiple), math.tau * stroke.pitch * multiple / rate
        fading = math.exp(-1 / (decay * rate))
        # A fading sine wave is a recurrence of its last two samples, which needs neither sines nor exponentials.
        here, after = 0.0, stroke.force * amplitude * fading * math.sin(turn)
        once, twice = 2 * fading * math.cos(turn), -fading * fading
        for index in range(first, min(first + int(6 * decay * rate), len(wave))):
            wave[index] += here
            here, after = after, once * after + twice * here
    lasts, rises = int(KNOCK_SECONDS * rate), max(rate // 1000, 1)
    for index in range(lasts):
        loud = stroke.force * stroke.knock * (1 - index / lasts) ** 2 * min(1.0, index / rises)
        wave[first + index] += loud * (noise.below(2001) / 1000 - 1)
