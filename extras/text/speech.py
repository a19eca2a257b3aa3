"""Speech by the synthesiser of the system, a program that reads text from its standard input."""

from __future__ import annotations

import contextlib
import shutil
import subprocess

from game.errors import InputError

READ_ALOUD = (
    "Add-Type -AssemblyName System.Speech; "
    "(New-Object System.Speech.Synthesis.SpeechSynthesizer).Speak([Console]::In.ReadToEnd())"
)
SYNTHESISERS = {
    "spd-say": ("--wait", "--pipe-mode"),
    "espeak-ng": ("--stdin",),
    "say": ("-f", "-"),
    "powershell.exe": ("-NoProfile", "-Command", READ_ALOUD),
}
"""Programs and their arguments, the preferred one first; speech-dispatcher knows the voice that the user has chosen."""


class Speech:
    """A synthesiser that speaks one text at a time; a new text interrupts the previous one.

    Raises:
        InputError: there is no synthesiser on the search path.
    """

    def __init__(self) -> None:
        found = ((shutil.which(name), arguments) for name, arguments in SYNTHESISERS.items())
        self._command = next(([program, *arguments] for program, arguments in found if program), None)
        self._speaking: subprocess.Popen[str] | None = None
        if self._command is None:
            names = ", ".join(name.removesuffix(".exe") for name in SYNTHESISERS)
            raise InputError(f"speech: expected one of {names} on the search path, found none: install one of them")

    def say(self, text: str) -> None:
        """Begin to speak a text; a synthesiser that fails stays silent."""
        assert self._command is not None
        self.finish(0.0)
        with contextlib.suppress(OSError):
            self._speaking = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
            )
            assert self._speaking.stdin is not None
            with self._speaking.stdin as stream:
                stream.write(text)

    def finish(self, seconds: float = 10.0) -> None:
        """Let the last text be spoken, but end the synthesiser if it takes longer than this."""
        speaking, self._speaking = self._speaking, None
        if speaking is None:
            return
        try:
            speaking.wait(seconds)
        except subprocess.TimeoutExpired:
            speaking.kill()
            speaking.wait()
