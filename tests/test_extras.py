"""Extras register themselves, and the program works without each of them: folders are deleted in copies of the tree."""

from __future__ import annotations

import argparse
import functools
import importlib
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

import extras
import main
from evolve.kinds.kind import Kind, load_added
from evolve.run.files import SWEEP
from evolve.run.folder import Run
from tests.commands_page import actions_of
from tests.processes import completed
from tests.sources import ROOT, source_files

AREAS = {
    "analysis": "tests/game/test_analysis.py",
    "bench": "tests/game/test_moves.py",
    "cast": "tests/game/test_traits.py tests/gui/test_chooser.py",
    "climb": "tests/gui/test_rated_games.py",
    "cluster": "tests/evolve/workers",
    "desktop": "tests/gui/test_game_files.py",
    "drills": "tests/gui/test_review.py",
    "engine": "tests/game/test_openings.py",
    "external": "tests/game/test_match.py",
    "explorer": "tests/gui/test_play.py tests/gui/test_game_search.py",
    "export": "tests/gui/test_game_files.py",
    "form": "tests/gui/test_session_form.py",
    "family": "tests/gui/test_chooser.py",
    "individuals": "tests/gui/test_own_runs.py",
    "keeping": "tests/evolve/inspection/test_run_list.py",
    "ladder": "tests/evolve/strength/test_elo.py",
    "learning": "tests/evolve/run/test_manifest.py",
    "notebooks": "tests/test_counted_nouns.py",
    "origin": "tests/evolve/inspection/test_inspect.py",
    "prediction": "tests/evolve/breeding/test_generations.py",
    "progress": "tests/evolve/inspection/test_run_list.py",
    "recorded": "tests/gui/test_variations.py",
    "reports": "tests/evolve/inspection/test_inspect.py",
    "rollouts": "tests/game/search/test_tree_search.py",
    "setup": "tests/gui/test_turn.py",
    "sounds": "tests/gui/test_screens.py",
    "spreadsheets": "tests/evolve/run/test_manifest.py",
    "sweeps": "tests/evolve/session/test_control.py",
    "tablebase": "tests/game/endgame/test_open_tables.py",
    "text": "tests/gui/test_entry_points.py",
    "traits": "tests/game/test_traits.py",
    "warnings": "tests/evolve/report/test_overview.py",
    "weights": "tests/gui/test_sessions.py",
}
"""Tests of the core beside each extra."""


PLAYERS = ("zero", "crownhead,nodes=500", "cast:back-row=4,centre=1")
"""Shipped players that extras have made."""
MADE = {"cast": ("evolve", "cast"), "learning": ("train", "endgame")}
"""A verb that continues runs of an extra, and a shipped run that it has made."""
NAMES = (
    *("main.py", "pyproject.toml", "README.md", "requirements.txt", "crownhead", "evolve", "game", "gui", "extras"),
    *("tests", "docs", "populations", "packaging", "requirements", ".github"),
)
"""What a copy of the program has."""
GAME = "tests/gui/test_play.py::test_a_game_is_lost_through_the_widgets"
"""A game in the window, by posted events."""
POSITION = "W:W18,24,K10:B12,K22"
SHORT = ("main.py", "evolve", "--generations=2", "--seed=1", "--workers=1")
"""The first command of the README with so few generations that every run of the tests has time for it."""


@functools.cache
def program(*arguments: str) -> str:
    command = [sys.executable, "main.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


class Copy:
    def __init__(self, folder: Path, without: tuple[str, ...]) -> None:
        self.folder, self.without = folder, without
        for name in NAMES:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("site"))  # with its bytecode
            else:
                shutil.copy(ROOT / name, folder / name)
        for name in without:
            shutil.rmtree(folder / "extras" / name)

    def run(self, *arguments: str, code: int = 0) -> str:
        """Return the output of a command, which must end with this exit code."""
        environment = os.environ | {"SDL_VIDEODRIVER": "dummy"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else each process would compile everything again
        done = completed([sys.executable, *arguments], cwd=self.folder, env=environment)
        assert done.returncode == code, (self.without, arguments, done.stdout[-3000:], done.stderr[-3000:])
        return done.stderr if code else done.stdout

    def program(self, *arguments: str) -> str:
        return self.run("main.py", *arguments)

    def tests(self, *arguments: str) -> None:
        self.run("-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *arguments)

    def calls(self, *commands: tuple[int, str]) -> list[str]:
        """Return the outputs of commands, which end with these exit codes, in one process: most only load code."""
        arguments = [text.split() for _, text in commands]
        results = json.loads(self.run("-c", CALLS, json.dumps(arguments)).splitlines()[-1])
        for command, (code, out, err) in zip(commands, results, strict=True):
            assert code == command[0], (self.without, command, out[-3000:], err[-3000:])
        return [err if code else out for code, out, err in results]


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    shutil.rmtree(tmp_path)


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    return set(parser._option_string_actions).union(*map(options_of, actions_of(parser).values()))


def own_options(extra: extras.Extra) -> set[str]:
    """Return the options that an extra adds to verbs of the core."""
    modules, added = {verb.name: verb.module for verb in main.VERBS}, set()
    for verb, module in extra.options:
        parser = argparse.ArgumentParser()
        if verb:
            importlib.import_module(modules[verb]).arguments(parser)
        known = options_of(parser)
        importlib.import_module(module).arguments(parser)
        added |= options_of(parser) - known
    parser = argparse.ArgumentParser(add_help=False)
    for module in (*extra.machines, *extra.several):
        importlib.import_module(module).add(parser)
    return added | options_of(parser)


AMBIGUOUS = frozenset(
    "cells cowan-deep crownhead engine external network pdn policy predicted searches tablebase".split()  # noqa: SIM905
)
"""Names that are also words of the core or of a shipped run: only as the value of a key or option they are meant."""

HELP = """
import main
from tests.commands_page import actions_of, declare_all

def print_help(parser):
    print(parser.format_help())
    for action in actions_of(parser).values():
        print_help(action)

parser = main.build_parser()
declare_all(parser)
print_help(parser)
"""


CALLS = """
import contextlib, io, json, sys
import main

results = []
for arguments in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            code = main.main(arguments)
        except SystemExit as end:
            code = end.code
    results.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(results))
"""


def named_in(text: str, names: Iterable[str]) -> set[str]:
    """Return the names of these that a text has as words; of an ambiguous one, as a value of a key or of an option."""
    use = r"(?:=|--preset |['\"])"
    words = {name: re.sub(r"^(kinds|presets|players|founders|inspect)\.", "", name) for name in names}
    patterns = {name: use if word in AMBIGUOUS else r"(?<![\w-])" for name, word in words.items()}
    return {name for name, before in patterns.items() if re.search(rf"{before}{re.escape(words[name])}(?![\w-])", text)}


def first_command() -> list[str]:
    """Return the first command of the README, without what makes its environment."""
    block = (ROOT / "README.md").read_text(encoding="utf-8").partition("<!-- command: run -->\n```sh\n")[2]
    python, *words = block.partition("\n")[0].rpartition(" && ")[2].split()
    assert python == ".venv/bin/python"
    return words


def check_copy(copy: Copy, evolving: Sequence[str] = SHORT) -> None:
    """Check that a copy names nothing of the extras that it lacks, and evolves, resumes, inspects and plays.

    Args:
        evolving: the command that evolves the run that is then resumed, inspected and played with.
    """
    without = {name for name, extra in extras.installed().items() if {name, *extra.needs} & set(copy.without)}
    lacking = {verb.name for name in without for verb in extras.installed()[name].verbs}
    gone = [(name, extras.installed()[name]) for name in without & set(copy.without)]
    asked = [
        (name, *each)
        for name, one in gone
        for each in itertools.product(dict(one.options).keys() - lacking, own_options(one))
    ]
    text, *refusals = copy.calls((0, "--help"), *((2, f"{verb} {option}") for _, verb, option in asked))
    verbs = {line.split()[0] for line in text.splitlines() if line.startswith("    ")}
    assert {verb.name for verb in main.VERBS} - lacking <= verbs and not lacking & verbs
    for (name, _, option), line in zip(asked, refusals, strict=True):
        assert f"{option} needs the extra {name}" in line
    out, runs = f"--out={copy.folder / 'runs'}", f"--runs={copy.folder / 'runs'}"
    shipped = set((copy.folder / "populations").iterdir())
    assert "digest " in copy.run(*evolving)
    (evolved,) = set((copy.folder / "populations").iterdir()) - shipped
    (copy.folder / "runs").mkdir()
    evolved.rename(copy.folder / "runs" / "one")
    further = Run(copy.folder / "runs" / "one").manifest().newest + 1
    made = {name: MADE[name] for name in MADE.keys() & without}
    for _, run in made.values():
        shutil.copytree(ROOT / "populations" / run, copy.folder / "runs" / run)
    *_, listed = copy.calls(
        (0, f"evolve --resume=one --generations={further} --workers=1 {out}"),
        (0, f"match one material,depth=2 --games=2 --workers=1 {runs}"),
        (0, f"inspect --json {runs}"),
    )
    assert {"one", *(run for _, run in made.values())} <= {Path(run["name"]).name for run in json.loads(listed)["runs"]}
    for name, (verb, run) in made.items():
        text, values, line = copy.calls(
            (0, f"inspect {run} --games=0 {runs}"),
            (0, f"inspect {run} --games=0 --json {runs}"),
            (2, f"{verb} --resume={run} --generations=999 {out}"),
        )
        assert "done, generation" in text and json.loads(values)["kind"] == "run"
        home = next(each for each in (name, *extras.installed()[name].needs) if each in copy.without)
        assert f"needs the extra {home}: its folder extras/{home} is not here" in line
    copy.tests(GAME)


def test_extras_are_folders_with_a_docstring_and_a_page() -> None:
    for name, extra in extras.installed().items():
        folder = ROOT / "extras" / name
        assert (folder / "__init__.py").read_text(encoding="utf-8").startswith('"""'), name
        assert list(folder.glob("*.md")) and list(folder.glob("tests/test_*.py")), name
        assert {*extra.needs, *extra.uses} <= set(extras.installed()), name


def test_every_extra_has_tests_of_the_core_beside_it() -> None:
    assert AREAS.keys() == extras.HOMES.keys() >= extras.installed().keys()
    assert [path for paths in AREAS.values() for path in paths.split() if not (ROOT / path).exists()] == []


def test_names_of_the_extras_are_listed_for_messages() -> None:
    load_added()
    for name, extra in extras.installed().items():
        kinds = [kind for family in Kind.families for kind in family.kinds.values()]
        own = {
            f"kinds.{kind.kind}"
            for kind in kinds
            if kind.__module__.startswith(f"extras.{name}.") and "tests" not in kind.__module__
        }
        presets = {f"presets.{path.stem}" for path in (ROOT / "extras" / name / "presets").rglob("*.toml")}
        verbs = {verb.name for verb in extra.verbs}
        actions = {ending for ending, each in extras.formats("game").items() if each.__name__ in extra.formats}
        files = {SWEEP, "inspect.comparison"} if extra.several else set()
        players = {f"players.{importlib.import_module(module).TARGET}" for module in extra.players}
        players |= {f"search.{importlib.import_module(module).SEARCH}" for module in extra.searches}
        players |= {"founders.predicted"} if extra.founders else set()
        names = files | players | own | presets | {f"crownhead.{each}" for each, _ in extra.python}
        wrong = set(extras.HOMES[name].split()) ^ (names | verbs | actions | own_options(extra))
        assert not wrong, f"add to HOMES[{name!r}] in extras/__init__.py, or take away: {wrong}"


@pytest.mark.needs("learning")
def test_names_of_an_extra_that_is_not_here_name_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert extras.missing("train") is None and extras.missing("nothing") is None and extras.missing("policy") is None
    monkeypatch.setattr(extras, "installed", dict)
    assert extras.missing("train") == "train needs the extra learning: its folder extras/learning is not here"
    with pytest.raises(SystemExit, match="2"):
        main.main(["play", "--text"])
    line = "main.py: --text needs the extra text: its folder extras/text is not here\n"
    assert capsys.readouterr() == ("", line)
    assert main.main(["evolve", "--preset", "html"]) == main.MISTAKE
    assert "preset: unknown preset 'html', there are" in capsys.readouterr().err


def test_the_core_names_no_extra() -> None:
    core = [path for path in source_files() if path.relative_to(ROOT).parts[0] != "extras"]
    files = [*(ROOT / "crownhead").glob("*.py"), *core]
    named = re.compile(rf"\bextras[./]({'|'.join(extras.HOMES)})\b")
    texts = [path.read_text(encoding="utf-8") for path in files]
    at = files.index(ROOT / "crownhead" / "__init__.py")
    texts[at] = texts[at].partition("__all__ =")[2]  # above are names for type checkers
    assert [
        (path, result.group()) for path, text in zip(files, texts, strict=True) for result in named.finditer(text)
    ] == []


def test_the_help_of_the_core_names_nothing_of_extras(folders: Path) -> None:
    names = {name for line in extras.HOMES.values() for name in line.split()}
    text = "--preset crownhead, main.py train, first --html; crownhead,depth=6 searches in cells"
    assert named_in(text, names) == {"presets.crownhead", "train", "--html"}
    text = Copy(folders, tuple(extras.installed())).run("-c", HELP)
    assert "evolve --seed 7" in text and named_in(text, names) == set()


@pytest.mark.addition(
    "extra",
    "a folder below `extras/` with its modules, page and tests, and an `Extra` in its `__init__.py` that names the "
    "modules of what it adds; only `HOMES` of `extras/__init__.py`, for messages without the folder, lists its names",
)
def test_a_folder_is_an_extra(folders: Path) -> None:
    copy = Copy(folders, ())
    folder = copy.folder / "extras" / "greeting"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        '"""A greeting."""\n\nfrom extras import Extra, Verb\n\n'
        'EXTRA = Extra(verbs=(Verb("greet", "extras.greeting.command", "print a greeting", "Play"),))\n'
    )
    (folder / "command.py").write_text(
        '"""The verb ``greet``."""\n\nEXAMPLES = (("", "say hello"),)\n\n\ndef arguments(parser): ...\n\n\n'
        'def run(options):\n    print("hello")\n    return 0\n'
    )
    assert copy.program("greet") == "hello\n"
    assert re.search(r"\n    greet +print a greeting\n", copy.program("--help"))
    (folder / "__init__.py").write_text("EXTRA = nothing")
    line = "main.py: the extra greeting cannot be loaded: NameError: name 'nothing' is not defined; "
    assert copy.run("main.py", "--help", code=main.FAULT).startswith(line)
    shutil.rmtree(folder)
    assert "greet" not in copy.program("--help")


@pytest.mark.check
def test_two_extras_by_lot_can_be_deleted(folders: Path) -> None:
    names = random.SystemRandom().sample(sorted(extras.installed()), min(2, len(extras.installed())))
    print("without", *names)  # shown if the test fails, which `test_the_core_works_without_extras` can repeat
    check_copy(Copy(folders, tuple(names)))


@pytest.mark.check
@pytest.mark.parametrize(
    "without", [*((name,) for name in extras.installed()), tuple(extras.installed())], ids="-".join
)
def test_the_core_works_without_extras(without: tuple[str, ...], folders: Path) -> None:
    copy = Copy(folders, without)
    check_copy(copy, first_command())
    for player in PLAYERS:
        assert copy.program("move", player, "--fen", POSITION) == program("move", player, "--fen", POSITION), player
    tests = {*(file for name in without for file in AREAS[name].split()), "tests/evolve/session/test_resume.py"}
    copy.tests(*sorted(tests))
    if len(without) > 1:
        copy.tests("--collect-only", "tests")
