"""A verb from outside the package, and signals that end a verb."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import main
from evolve.commands.options import exit_at_signals
from tests.processes import running

DOUBLE = """
import argparse

from evolve.commands.options import add_json, print_result
from game.errors import InputError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", type=int, metavar="NUMBER", help="what is doubled")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    if options.number < 0:
        raise InputError(f"NUMBER: expected 0 or more, got {options.number}")
    print_result(options, lambda: {"double": 2 * options.number}, lambda: f"twice is {2 * options.number}")
    return 1 // options.number and 0
"""
VERBS = (*main.VERBS, main.Verb("double", "verb_from_outside", "twice a number"))


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "verb_from_outside.py").write_text(DOUBLE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "verb_from_outside", raising=False)


@pytest.mark.addition(
    "verb",
    "a module in `evolve/commands/` with `EXAMPLES`, `arguments(parser)` and `run(options)` (in `gui/commands/` if it "
    "needs packages of the window), and its line in `VERBS` of `main.py`",
)
@pytest.mark.parametrize(
    ("arguments", "code", "out", "err"),
    [
        (["4"], 0, "twice is 8\n", ""),
        (["4", "--json"], 0, '{"double": 8}\n', ""),
        (["-3"], 2, "", "main.py: NUMBER: expected 0 or more, got -3\n"),
        (["0"], 70, "twice is 0\n", "main.py: a fault of the program: ZeroDivisionError: "),
    ],
)
def test_an_added_verb_runs_with_its_exit_code(
    arguments: list[str], code: int, out: str, err: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["double", *arguments], VERBS) == code
    shown = capsys.readouterr()
    assert shown.out == out
    assert shown.err.startswith(err)
    assert shown.err.count("\n") == bool(err)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "the following arguments are required: NUMBER"),
        (["x"], "argument NUMBER: invalid int value: 'x'"),
        (["1", "--jsun"], ""),
    ],
)
def test_wrong_options_of_an_added_verb_are_refused(
    arguments: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main.main(["double", *arguments], VERBS)
    assert end.value.code == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert error in shown.err


def test_help_lists_an_added_verb_without_loading_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main.main(["--help"], VERBS)
    assert re.search(r"\n    double +twice a number\n", capsys.readouterr().out)
    assert "verb_from_outside" not in sys.modules  # the list needs no module
    with pytest.raises(SystemExit):
        main.main(["double", "--help"], VERBS)
    assert "what is doubled" in capsys.readouterr().out
    assert "verb_from_outside" in sys.modules


def test_each_verb_has_its_module() -> None:
    names = [verb.name for verb in main.CORE]
    assert " ".join(names) == ("play watch move evolve match inspect")
    assert all(verb.module.endswith(f".commands.{verb.name}") for verb in main.CORE)
    files = {path.stem for top in ("evolve", "gui") for path in Path(main.__file__).parent.glob(f"{top}/commands/*.py")}
    assert files - {"__init__", "parsers", "home", "options"} == set(names)


ROOT = Path(__file__).parents[3]


@pytest.mark.usefixtures("usual_signals")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between processes")
@pytest.mark.needs("bench")
def test_ctrl_c_ends_a_count_that_takes_hours() -> None:
    starter = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from evolve.commands import options as i; "
        "from game.board import Position; from extras.bench.counting import perft; perft(Position.start(), 2); "
        "import contextlib; stack = contextlib.ExitStack(); stack.enter_context(i.end_at_ctrl_c()); "
        "print('counting', flush=True); perft(Position.start(), 30)"
    )
    with running([sys.executable, "-c", starter], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"counting\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT


@pytest.mark.usefixtures("usual_signals")
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGHUP")
def test_a_second_hangup_does_not_interrupt_the_end() -> None:
    done = []
    with pytest.raises(SystemExit) as ended, exit_at_signals():
        try:
            signal.raise_signal(signal.SIGHUP)
        finally:
            signal.raise_signal(signal.SIGHUP)
            done.append("kept")
    assert ended.value.code == 128 + signal.SIGHUP and done == ["kept"]
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL
