"""The question whether the code of a run or preset may be executed, asked once for each session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gui.screens.dialogs.dialog import Dialog
from gui.sessions.fields import sentence

if TYPE_CHECKING:
    from evolve.run.own_presets import OwnCode
    from gui.app import App

SHOWN = 16
"""Digits of a SHA-256, as many as on the command line."""


def with_own_code(app: App, source: Path | str, begin: Callable[[list[str]], object]) -> None:
    """Begin something with a run or preset: at once if it has no code of its own, else after consent to each file.

    Args:
        app: the window.
        source: the folder of a run, or the name of a preset.
        begin: called with the options that name the files.
    """
    from evolve.run.folder import Run
    from evolve.run.own_presets import code_of_preset, own_code
    from game.errors import InputError

    try:
        code = code_of_preset(source) if isinstance(source, str) else own_code(Run(source))
    except InputError as error:
        app.say(sentence(str(error)), "warning")
        return
    if code:
        app.open(code_dialog(app, source, code, begin))
    else:
        begin([])


def code_dialog(app: App, source: Path | str, code: Sequence[OwnCode], begin: Callable[[list[str]], object]) -> Dialog:
    """Return the question whether to run files, each with its name and the beginning of its SHA-256."""
    name, kind = (source, "preset") if isinstance(source, str) else (source.name, "run")
    options = [f"--plugin={each.path.resolve()}" for each in code]
    answers = (("Run it", "y", partial(begin, options)), ("Leave it", "escape", lambda: None))
    return Dialog(app, f"Run the code of {name}?", _question(name, kind, code), answers, "danger")


def _question(name: str, kind: str, code: Sequence[OwnCode]) -> str:
    files = " and ".join(f"{each.path.name} (SHA-256 {each.sha256[:SHOWN]}…)" for each in code)
    it = "It" if len(code) == 1 else "They"
    return (
        f"{name} contains code of its own, {files}. {it} would run with all your rights: read it first, in "
        f"{code[0].path.parent}. If you decline, nothing starts, and the {kind} stays as it is."
    )
