"""Sounds and their speaker."""

from __future__ import annotations

import math
from array import array

import numpy as np
import pytest

from extras.sounds import waves
from extras.sounds.speaker import WindowSpeaker
from gui.toolkit import pygame


@pytest.mark.parametrize("name", waves.NAMES)
def test_sounds_are_short_soft_and_without_clicks(name: str) -> None:
    wave = array("h", waves.samples(name))
    seconds = len(wave) / waves.RATE
    assert 0.05 < seconds <= 1.5
    assert max(map(abs, wave)) <= waves.PEAK * 32_767 + 1
    assert abs(wave[0]) < 400 and abs(wave[-1]) < 400  # no click at either end
    assert abs(sum(wave) / len(wave)) < 200
    assert waves.samples(name) == wave.tobytes()
    assert len(waves.samples(name, 44_100)) == pytest.approx(2 * len(wave) * 2, rel=0.01)
    double = array("h", waves.stereo(wave.tobytes()))
    assert double[0::2] == double[1::2] == wave


def level_of_loudest(name: str) -> float:
    """Return how loud the loudest 50 ms are to the ear, in decibels: by the curve A of IEC 61672."""
    wave = np.frombuffer(waves.samples(name), np.int16) / 32_768
    squared = np.fft.rfftfreq(len(wave), 1 / waves.RATE) ** 2
    weights = 12_194**2 * squared**2 / (squared + 20.6**2) / (squared + 12_194**2)
    weights /= np.sqrt((squared + 107.7**2) * (squared + 737.9**2))
    power = np.cumsum(np.fft.irfft(np.fft.rfft(wave) * weights, len(wave)) ** 2)
    window = waves.RATE // 20
    return 10 * math.log10((power[window:] - power[:-window]).max() / window)


def test_sounds_are_equally_loud() -> None:
    levels = {name: level_of_loudest(name) for name in waves.NAMES}
    assert max(levels.values()) - min(levels.values()) < 4, levels


def test_captures_of_more_men_sound_longer() -> None:
    lengths = [len(waves.samples(waves.capture(men))) for men in range(1, 7)]
    assert lengths == sorted(lengths) and len(set(lengths)) == waves.MOST_CAPTURED


def test_without_an_audio_device_there_is_silence(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "nothing")
    speaker = WindowSpeaker()
    speaker.begin()
    assert speaker._thread is not None
    speaker._thread.join(60)
    speaker.play("move")
    assert capfd.readouterr() == ("", "")


def test_with_an_audio_device_every_sound_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    speaker = WindowSpeaker()
    speaker.begin()
    assert speaker._thread is not None
    speaker._thread.join(60)
    try:
        assert set(speaker._sounds) == set(waves.NAMES)
        speaker.play("move")
        speaker.play("no such sound")
    finally:
        pygame.mixer.quit()
