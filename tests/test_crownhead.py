"""The package `crownhead` of a checkout: its modules are those without the prefix, also in texts and pickles."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import main
from evolve.kinds import plugins
from evolve.run.folder import Run
from evolve.strength.elo import RatingEstimate
from game import imports, installation
from tests.laplace import LAPLACE
from tests.sources import source_files
from tests.synthetic import make_run

ROOT = Path(__file__).parents[1]


def python(code: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, *(("-c", code) if code else ())]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


SAME = """
import sys
before = list(sys.path)
import crownhead.evolve.run.files as new, crownhead.game
from crownhead.game import board, moves
import evolve.run.files as old, game, game.board
assert new is old and crownhead.game is game and board is game.board is crownhead.game.board
assert [module.__spec__.name for module in (old, game, board)] == ["evolve.run.files", "game", "game.board"]
import importlib, pickle
assert importlib.import_module("crownhead.game.moves") is moves
assert b"crownhead" not in pickle.dumps(board.Position.start())
assert sys.path == before
for name in ("crownhead.nowhere", "crownhead.game.nowhere", "crownhead.tests"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        assert error.name == name
    else:
        raise AssertionError(name)
"""


@pytest.mark.parametrize("first", ["", "import game.board, evolve\n"])
def test_modules_are_the_same(first: str, tmp_path: Path) -> None:
    assert python(first + SAME, tmp_path).stderr == ""


def test_packages_of_the_same_names_do_not_matter(tmp_path: Path) -> None:
    for top in ("game", "evolve"):
        (tmp_path / top).mkdir()
        (tmp_path / top / "__init__.py").write_text("raise SystemExit('not Crownhead')")
    (tmp_path / "main.py").write_text("raise SystemExit('not Crownhead')")
    assert python("import crownhead\n" + SAME, tmp_path).stderr == ""
    done = python("", tmp_path, "-m", "crownhead", "--version")
    assert (done.stdout, done.stderr) == (f"crownhead {installation.VERSION}\n", "")


def test_a_package_that_was_imported_before_is_named(tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text("")
    last = python("import game\nimport crownhead.game.board", tmp_path).stderr.splitlines()[-1]
    assert last.startswith("ImportError: crownhead: another module 'game' was imported before")


LOADED = """
import sys
before = set(sys.modules)
import crownhead
assert sorted(crownhead.__all__) == [name for name in dir(crownhead) if name in crownhead.__all__]
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""


def test_the_import_is_light(tmp_path: Path) -> None:
    done = python(LOADED, tmp_path)
    loaded = set(done.stdout.split())
    assert done.stderr == "" and "crownhead" in loaded
    assert loaded - {"crownhead"} <= set(sys.stdlib_module_names)


def test_public_names_are_those_of_their_modules() -> None:
    import crownhead

    assert crownhead.__version__ == installation.VERSION
    for name in ("match", "open_run", "player"):
        assert name in crownhead.__all__ and getattr(crownhead, name).__doc__
    with pytest.raises(AttributeError, match="has no attribute 'nowhere'"):
        _ = crownhead.nowhere  # type: ignore[attr-defined]


def test_players_by_name_play_the_match_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    import crownhead
    from game.players.names import PlayerNameError

    result = crownhead.match("material", crownhead.player("random"), 20, seed=7)
    assert main.main(["match", "material", "random", "--games", "20", "--seed", "7", "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert (result.wins, result.draws, result.losses) == tuple(output[name] for name in ("wins", "draws", "losses"))
    with pytest.raises(PlayerNameError, match="nobody"):
        crownhead.match("nobody", "random")


def test_results_describe_themselves_in_one_line(tmp_path: Path) -> None:
    import crownhead

    result = crownhead.match("material", "random", 2, seed=1)
    won = replace(result, pair_points=(2.0,) * 4, black=(4, 0, 0), white=(4, 0, 0))
    assert repr(won) == "MatchResult(+8 =0 -0, 100.0 %, above +84 Elo)"
    middle = replace(result, pair_points=(2.0, 1.5, 1.0, 0.5) * 5, black=(8, 4, 8), white=(10, 6, 4))
    assert repr(middle) == "MatchResult(+18 =10 -12, 62.5 %, +89 Elo (3 to 187))"
    assert repr(middle.estimate) == "Estimate(62.5 %, +89 Elo (3 to 187))"
    assert repr(RatingEstimate(129.9, 110.0, 246.4)) == "RatingEstimate(+130 Elo (110 to 246))"
    run = make_run(tmp_path, "mine", 4, rated=True)
    text = r"Run\(mine: .*generation 4, champion \S+, digest [0-9a-f]{16}, rating \d+ in generation 4\)"
    assert re.fullmatch(text, repr(run))
    assert repr(Run(tmp_path / "none")).startswith("Run(none: no generation")
    (run.path / "log.csv").write_text("x")
    assert repr(Run(run.path)) == f"Run({str(run.path)!r})"


@pytest.fixture
def in_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "INSTALLED", True)


@pytest.mark.parametrize("source", [LAPLACE, imports.in_wheel(LAPLACE)], ids=["old", "new"])
@pytest.mark.parametrize("wheel", [False, True])
def test_plugins_have_either_spelling(
    source: str, wheel: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ("crownhead." in source) == (source is not LAPLACE)
    monkeypatch.setattr(plugins, "INSTALLED", wheel)
    (tmp_path / "ops.py").write_text(source)
    try:
        plugins.load([plugins.read_plugin(tmp_path / "ops.py")])
        (kind,) = [kind for family in plugins.Kind.families for kind in plugins.kinds_of(family)]
        assert kind.__mro__[1].__module__ == "evolve.kinds.variation"
    finally:
        plugins.load([])


@pytest.mark.usefixtures("in_wheel")
@pytest.mark.parametrize(("source", "problem"), [
    (b"import game\nx = (", "ops.py, line 2: '(' was never closed"),
    (b"# coding: nonsense\n", "unknown encoding: nonsense"),
    (b"import game.nowhere\n", "ops.py, line 1: ModuleNotFoundError: No module named 'crownhead.game.nowhere'"),
])  # fmt: skip
def test_faults_of_plugins_have_their_lines(source: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "ops.py").write_bytes(source)
    with pytest.raises(plugins.PluginError, match=re.escape(problem)):
        plugins.load([plugins.read_plugin(tmp_path / "ops.py")])


RESOLVED_LATER = {"Verb", "run_kind", "learner", "session", "report", "founder", "forecast"}
"""Names that hold module names in texts, which `module_name` completes where they are used."""

BEGINS_AS_A_MODULE = re.compile(rf"""["'](?:{"|".join(imports.PACKAGES)})\.""")


def _unresolved(source: str, modules: set[str]) -> list[str]:
    """Return texts that name a module without `game.installation.module_name`."""
    if not BEGINS_AS_A_MODULE.search(source):  # parsing all sources takes seconds
        return []
    tree = ast.parse(source)
    resolved: set[ast.AST] = set()
    for node in ast.walk(tree):
        names = {"module_name", *RESOLVED_LATER}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Extra":
            resolved.update(ast.walk(node))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            resolved.update(node.args)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in names:
            resolved.update(filter(None, [node.value]))
        elif isinstance(node, ast.FunctionDef) and node.name in names:
            resolved.update(each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value)
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in resolved
        if node.value.partition(":")[0] in modules
    ]


def test_texts_name_modules_by_one_function() -> None:
    paths = source_files()
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths}
    modules = {name.removesuffix(".__init__") for name in modules if "." in name} - set(imports.PACKAGES)
    faults = {path: texts for path in paths if (texts := _unresolved(path.read_text(encoding="utf-8"), modules))}
    assert faults == {}
    assert _unresolved("import_module('game.board')", modules) == ["game.board"]
    assert _unresolved("x = 'evolve.config.model:RunKind'", modules) == ["evolve.config.model:RunKind"]
    assert _unresolved("import_module(module_name('game.board'))", modules) == []
