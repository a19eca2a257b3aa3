"""The window runs no code of a run or preset by itself: all commands of all screens on them, and what these start."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import extras
import main
from evolve.config.toml import to_toml
from evolve.kinds import plugins
from gui.individuals.shelves import YOURS
from gui.screens.dialogs.dialog import Dialog
from gui.screens.individuals.chooser import Chooser
from gui.screens.screen import Screen
from gui.screens.sessions.new import NewSession
from gui.screens.sessions.session import SessionScreen
from gui.sessions import form
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import Foreseen, Starts
from tests.laplace import LAPLACE
from tests.synthetic import make_run

TRAP = LAPLACE + "\nfrom pathlib import Path\nPath('ran').touch()\n"
SHA256 = hashlib.sha256(TRAP.encode()).hexdigest()
PRESET = '[plugins]\nfiles = ["ops.py"]\n[variation]\nmutation = "laplace"\n'


@pytest.fixture(
    params=[
        "with a record",
        *(pytest.param(f"without one{more}", marks=pytest.mark.check) for more in ("", ", with a SHA-256")),
    ]
)
def hands(
    request: pytest.FixtureRequest, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hands]:
    """Open a window on a hostile run and preset; if their code runs, it leaves a file in the working folder."""
    run = make_run(tmp_path / "runs", "hostile", 3)
    text = to_toml(
        replace(run.config(), plugins=replace(run.config().plugins, files=("ops.py",), sha256=(SHA256,))), {"format": 1}
    ).replace('"uniform"', '"laplace"')
    if request.param != "with a record":
        text = text[: text.index("# What this run was made with.")].replace('["ops.py"]', '["plugins/ops.py"]')
        text = text if request.param.endswith("SHA-256") else text.replace(f'sha256 = ["{SHA256}"]', "")
    (run.path / "config.toml").write_text(text)
    presets = tmp_path / "data" / "presets"
    for folder in (run.path / "plugins", presets):
        folder.mkdir(parents=True)
        (folder / "ops.py").write_text(TRAP)
    (presets / "mine.toml").write_text(PRESET)
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    plugins.load([])
    monkeypatch.setattr(plugins, "_kinds", {})
    forget_forms()
    yield opened()
    forget_forms()


def forget_forms() -> None:
    form.preset_kind.cache_clear()
    form.read_config.cache_clear()
    if "form" in extras.installed():
        import_module("extras.form.plan").make_plan.cache_clear()


def screens(hands: Hands, run: Path) -> dict[str, Callable[[], Screen]]:
    app = hands.app
    forms = {"start": lambda: start_form(hands), "preset": lambda: of_preset(hands)}
    return {
        "run": lambda: SessionScreen(app, run),
        "runs": lambda: Chooser(app, shelf=YOURS),
        "chooser": lambda: Chooser(app),
        "watch": lambda: Chooser(app, watch=True),
        **(forms if "form" in extras.installed() else {}),
    }


def start_form(hands: Hands) -> Any:
    module = pytest.importorskip("extras.form.screen", reason="the form that begins a session is an extra")
    screen = NewSession(hands.app)
    screen.show(next(section for section in screen.sections if isinstance(section, module.FormSection)))
    return screen


def of_preset(hands: Hands) -> Any:
    screen = start_form(hands)
    screen.section.choose("mine")
    screen.section._change("name", "new")
    return screen


def test_commands_of_the_window_run_only_agreed_code(
    hands: Hands, starts: Starts, foreseen: Foreseen, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, app = tmp_path / "runs" / "hostile", hands.app
    for name, make in screens(hands, run).items():
        try:
            first = make()
        except Exception as error:
            assert "laplace" in str(error), name  # its values cannot be used, so no form opens
            continue
        app.open(first)
        hands.wait(0.5)
        for command in [each.id for each in app.screen.commands()]:
            app.open(make())
            hands.wait(0.5)
            results = [each for each in app.screen.commands() if each.id == command and each.enabled]
            if not results:
                continue
            results[0].run()
            hands.wait(0.2)
            if not isinstance(app.screen, Dialog):
                hands.key("return")  # what stands there for Enter; of the question about code, nothing
            assert not (tmp_path / "ran").exists(), (name, command)
            assert plugins.loaded() == (), (name, command)
    assert run.exists()
    asked = [["evolve", *each] for each in starts.calls]
    asked += [[*each, "--estimate", f"--out={tmp_path / 'out'}"] for each in foreseen.asked]
    assert not [words for words in asked if any(word.startswith("--plugin") for word in words)]
    for words in asked:
        if any("hostile" in word.partition("=")[2] and word.startswith("--config") for word in words):
            assert main.main(words) == main.MISTAKE
            assert "runs only if you name it" in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("hands", ["with a record"], indirect=True)
def test_code_of_a_preset_needs_consent_by_name(hands: Hands, starts: Starts, tmp_path: Path) -> None:
    hands.app.open(of_preset(hands))
    hands.wait(0.5)
    hands.key("ctrl+return")
    assert isinstance(hands.app.screen, Dialog)
    text = hands.widget("text").text
    assert "ops.py" in text and "19 lines" in text and "the preset stays as it is" in text
    hands.key("return")
    assert starts.calls == []  # Enter agrees to nothing
    hands.key("ctrl+return")
    path = tmp_path / "data" / "presets" / "ops.py"
    assert starts.calls[0][-1] == f"--plugin={path}" and "--preset=mine" in starts.calls[0]
    assert not (tmp_path / "ran").exists()
