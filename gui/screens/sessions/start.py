"""The beginning of a session: its values are checked, and a process is started."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gui.screens.sessions.questions import with_own_code
from gui.sessions import launch
from gui.sessions.form import CheckedForm, Form, take_name

if TYPE_CHECKING:
    from gui.app import App


def begin_session(app: App, form: Form) -> None:
    """Check a form, and begin its session if nothing is wrong; the session's screen replaces the present one."""
    checked = form.check(app.services.runs)
    if not checked.wrong and not form.values["name"].strip():
        name = take_name(app.services.runs, form.values["preset"])
        checked = replace(form, values=form.values | {"name": name}).check(app.services.runs)
    if checked.wrong:
        app.say(next(iter(checked.wrong.values())), "warning")
    else:
        with_own_code(app, form.values["preset"], partial(_launch, app, form, checked))


def _launch(app: App, form: Form, checked: CheckedForm, more: list[str]) -> None:
    from gui.screens.sessions.session import SessionScreen

    runs = app.services.runs
    try:
        runs.mkdir(parents=True, exist_ok=True)
        launched = launch.start((*checked.arguments, *more), form.kind.verb)
    except OSError as error:
        app.say(f"The session cannot be started: {error.strerror}.", "warning")
        return
    app.replace(SessionScreen(app, runs / checked.name, launched))
