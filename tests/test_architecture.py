"""The imports that modules may have, the modules loaded at each start, and forbidden habits; each rule can fail."""

from __future__ import annotations

import ast
import functools
import json
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import pytest

from extras import Extra, installed
from game.compiled import jit
from game.imports import PACKAGES
from tests.cases import for_each
from tests.import_graph import Sources, dotted, imports_of, is_below, parsed, sources_below, texts_of
from tests.processes import completed
from tests.sources import ROOT, is_compiled_source, source_files

_LADDERS = {
    "game": """
        rules errors imports installation removed number_text notation terminal regular_files toml_file child
        compiled generator bitboard bits board endings kernels
        moves plain ballots pdn openings networks endgame search
        players match analysis likes batch traits_kernels traits shared_code scores
        review
    """,
    "evolve": """
        streams kinds config run workers names tournament breeding strength report session inspection
        commands
    """,
    "gui": """
        geometry toolkit events files system background look thinking model storage runs
        individuals sessions evolving rating widgets pictures services notices screens opening
        navigation global_commands app display window entry_points commands
    """,
}
LADDERS = {package: rooms.split() for package, rooms in _LADDERS.items()}
"""Rooms (modules and packages) of each package: a room imports only from earlier ones and, if a package, from itself.
"""

WINDOW_MAY_IMPORT = (
    "evolve.run",
    "evolve.config",
    "evolve.report",
    "evolve.names.registration",
    "evolve.strength.elo",
    "evolve.strength.levels",
    "evolve.strength.verdict",
    "evolve.commands.options",
)
"""The packages of evolution that the window may import: the run folder is the interface, and it knows little else.

`evolve.config.toml` finds mistakes in a form before a session is started, in the words of the command line.
`evolve.run.status` has the status of a session and the requests to it. `evolve.commands.options` has the options that
verbs share. `evolve.strength.elo` and `evolve.strength.levels` compute ratings and compare them with levels, in plain
Python; `evolve.strength.verdict` puts into words what a run beats.
"""

MAX_LINES = 620


@pytest.fixture(scope="module")
def program() -> Sources:
    return texts_of(source_files())


def _ladder_faults(sources: Sources) -> list[str]:
    faults = []
    for name in sources:
        top, *rest = name.split(".")
        if rest and top in LADDERS and rest[0] not in LADDERS[top]:
            faults.append(f"{name}: give it a place in LADDERS (tests/test_architecture.py)")
            continue
        for imported in imports_of(name, sources):
            if is_below(imported, (*PACKAGES, "main", "tests")) and not _allowed(name, imported):
                faults.append(f"{name} must not import {imported}")
    return faults


MAY_IMPORT_BESIDES = {"gui.evolving.games": ("evolve.tournament.again",)}
"""What some modules of `gui` may import besides, and the window may not: what the thinking process does to play the
games of a tournament again.
"""

ABOVE = {
    "main": PACKAGES,
    "extras": ("game", "evolve", "gui"),
    "gui": ("game", *WINDOW_MAY_IMPORT),
    "evolve": ("game",),
    "game": (),
}
"""The packages that each package may import. Any of them may ask `extras`, which names none, for what extras add."""


def _allowed(name: str, imported: str) -> bool:
    top, *importer = name.split(".")
    if top == "extras" and importer and is_below(imported, (top,)):
        extra = installed().get(importer[0], Extra())
        others = (importer[0], *extra.needs, *extra.uses)
        return imported == top or is_below(imported, tuple(f"extras.{other}" for other in others))
    if not is_below(imported, (top,)):
        return imported == "extras" or is_below(imported, (*ABOVE[top], *MAY_IMPORT_BESIDES.get(name, ())))
    target = imported.split(".")[1:]
    if not importer or not target or target[0] not in LADDERS[top]:
        return False
    below = LADDERS[top].index(target[0]) < LADDERS[top].index(importer[0])
    return below or (target[0] == importer[0] and len(importer) > 1)


def test_modules_import_only_lower_floors(program: Sources) -> None:
    assert _ladder_faults(program) == []


@for_each(
    ("name", "source", "fault"),
    [
        ("game.rules", "from game import board", "game.rules must not import game.board"),
        ("game.board", "def f():\n    from game.moves import Move", "game.board must not import game.moves"),
        ("game.board", "if True:\n    import game.moves as m", "game.board must not import game.moves"),
        ("game.board", "from . import moves", "game.board must not import game.moves"),
        ("game.board", "from .moves import Move", "game.board must not import game.moves"),
        ("game.networks.cnn", "from .. import players", "game.networks.cnn must not import game.players"),
        ("game.networks.cnn", "from ..batch.games import x", "game.networks.cnn must not import game.batch.games"),
        ("game.moves", "import evolve.config.model", "game.moves must not import evolve.config.model"),
        ("game.moves", "import main", "game.moves must not import main"),
        ("game.moves", "from tests import naive", "game.moves must not import tests"),
        ("game.board", "from game import nowhere", "game.board must not import game"),
        ("evolve.tournament.arena", "from gui import model", "evolve.tournament.arena must not import gui"),
        ("evolve.run.log", "from evolve import session", "evolve.run.log must not import evolve.session"),
        ("gui.widgets.board", "from gui.screens import play", "gui.widgets.board must not import gui.screens"),
        ("evolve.surprise", "", "evolve.surprise: give it a place in LADDERS (tests/test_architecture.py)"),
        ("gui.model", "from evolve import session", "gui.model must not import evolve.session"),
        ("gui.model", "from evolve.session.loop import run", "gui.model must not import evolve.session.loop"),
        ("gui.model", "import evolve", "gui.model must not import evolve"),
        ("main", "import tests.naive", "main must not import tests.naive"),
        ("gui.app", "from extras.climb import card", "gui.app must not import extras.climb"),
        ("extras.one.part", "from extras.other import part", "extras.one.part must not import extras.other"),
        ("game.surprise", "", "game.surprise: give it a place in LADDERS (tests/test_architecture.py)"),
    ],
)
def test_ladder_finds_a_forbidden_import(name: str, source: str, fault: str) -> None:
    there = {"game.board": "", "game.moves": "", "game.players": "", "game.batch.games": "", "evolve.session": ""}
    assert _ladder_faults(there | {name: source}) == [fault]


def _arrow_counts(imported: str) -> bool:
    """Return whether an import for types alone counts: all do but names of the window and of screens."""
    return not (is_below(imported, ("gui.app", "gui.screens")) or re.fullmatch(r"extras\.\w+\.screen", imported))


def _circle(sources: Sources, folder: str = "", *, types: bool = False) -> list[str]:
    """Return modules, or rooms of a folder, that import each other in a circle; empty if there is none.

    With `types`, imports for types alone count, too, as far as `_arrow_counts` says.
    """
    depth = folder.count(".") + 2 if folder else None
    arrows: dict[str, set[str]] = {}
    for name in sources:
        plain = set(imports_of(name, sources))
        for imported in imports_of(name, sources, types=types) if is_below(name, (folder,)) or not folder else ():
            if imported not in sources or (folder and not is_below(imported, (folder,))):
                continue
            if imported not in plain and not _arrow_counts(imported):
                continue
            one, other = (".".join(each.split(".")[:depth]) for each in (name, imported))
            if one != other and not is_below(one, (other,)):
                arrows.setdefault(one, set()).add(other)
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def _folders(sources: Sources) -> set[str]:
    """Return the packages that contain modules or packages."""
    return {name.rsplit(".", 1)[0] for name in sources if "." in name}


def test_imports_have_no_cycles(program: Sources) -> None:
    assert _circle(program) == []
    assert {folder: _circle(program, folder) for folder in sorted(_folders(program))} == {
        folder: [] for folder in sorted(_folders(program))
    }


def test_imports_for_types_have_no_cycles_but_those_of_screens(program: Sources) -> None:
    assert _circle(program, types=True) == []
    there = {"game.a": "from game import b", "game.b": "if TYPE_CHECKING:\n    from game.a import y"}
    assert _circle(there) == [] and set(_circle(there, types=True)) == {"game.a", "game.b"}


def test_cycle_of_modules_is_detected() -> None:
    there = {"game": "", "game.a": "from game import b", "game.b": "def f():\n    from game.c import x"}
    assert _circle(there | {"game.c": ""}) == []
    assert _circle(there | {"game.c": "if TYPE_CHECKING:\n    from game.a import y"}) == []
    circle = _circle(there | {"game.c": "if TYPE_CHECKING:\n    pass\nelse:\n    from game.a import y"})
    assert sorted(set(circle)) == ["game.a", "game.b", "game.c"] and circle[0] == circle[-1]


def test_cycle_of_rooms_without_cycle_of_modules_is_detected() -> None:
    there = {"gui.screens.play.board": "from gui.screens.sessions import live", "gui.screens.sessions.live": ""}
    assert _folders(there) == {"gui.screens.play", "gui.screens.sessions"}
    assert _circle(there, "gui.screens") == []
    there |= {"gui.screens.sessions.form": "import gui.screens.play.words", "gui.screens.play.words": ""}
    assert _circle(there) == _circle(there, "gui.screens.play") == _circle(there, "gui") == []
    assert set(_circle(there, "gui.screens")) == {"gui.screens.play", "gui.screens.sessions"}


NUMBA_IMPORTERS = ("game.compiled.jit", "game.compiled.kernel_cache")


def _compiled_faults(sources: Sources) -> list[str]:
    """Return imports that are not allowed for compiled modules.

    Compiled code is cached by a hash of all that it imports, so it must not import code that changes for other reasons.
    """
    faults = []
    for name in sources:
        imported = set(imports_of(name, sources))
        file = name.split(".")[-1] + ".py"
        compiled = name.startswith(("game.", "extras.")) and file.endswith(jit.COMPILED_ENDINGS)
        if name not in NUMBA_IMPORTERS and any(is_below(other, ("numba", "llvmlite")) for other in imported):
            faults.append(f"{name}: only {' and '.join(NUMBA_IMPORTERS)} may import Numba")
        if "game.compiled.jit" in imported and not compiled and _is_decorated(sources[name]):
            faults.append(
                f"{name}: compiled code belongs in files of game or extras ending in {', '.join(jit.COMPILED_ENDINGS)}"
            )
        for other in sorted(imported) if compiled else []:
            if is_below(other, (*PACKAGES, "main")) and not is_compiled_source(other.split(".")[-1] + ".py"):
                faults.append(f"{name}: {other} has no compiled code (READ_BY_COMPILED)")
    return faults


def _is_decorated(source: str) -> bool:
    return any(isinstance(node, ast.FunctionDef) and node.decorator_list for node in ast.walk(parsed(source)))


def test_compiled_code_imports_compiled_code_alone(program: Sources) -> None:
    assert _compiled_faults(program) == []


PICKLES = ("cloudpickle", "dill", "joblib", "marshal", "pickle", "shelve")
FOR_TESTS = ("_pytest", "pytest", "unittest")
GENERATORS = ("BitGenerator", "Generator", "PCG64", "PCG64DXSM", "Philox", "SeedSequence", "default_rng")


GLOBAL_GENERATORS = "evolve.kinds.deap_operators"
"""The module that seeds and restores the global generators, because operators of DEAP use no others."""


def _habit_faults(name: str, sources: Sources) -> Iterator[str]:
    """Yield uses of global or unseeded random numbers, pickles, mocks and print."""
    tree = parsed(sources[name])
    for imported in imports_of(name, sources):
        if is_below(imported, (*PICKLES, *FOR_TESTS)):
            yield f"{name}: {imported}"
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            allowed = {"random": ("Random",), "numpy.random": GENERATORS}.get(node.module or "")
            yield from (f"{name}: {node.module}.{a.name}" for a in node.names if allowed and a.name not in allowed)
        elif isinstance(node, ast.Attribute):
            text = dotted(node)
            if name == GLOBAL_GENERATORS:
                continue
            if text.startswith("random.") and text.split(".")[1] != "Random":
                yield f"{name}: {text}"
            for module in ("np.random.", "numpy.random."):
                if text.startswith(module) and text.split(".")[2] not in GENERATORS:
                    yield f"{name}: {text}"
            if node.attr in ("read_pickle", "to_pickle"):
                yield f"{name}: {text or node.attr}"
        elif isinstance(node, ast.Call):
            called = dotted(node.func) or getattr(node.func, "attr", "")
            if called.split(".")[-1] in ("default_rng", "Random", "SeedSequence") and not (node.args or node.keywords):
                yield f"{name}: {called} without a seed"
            if any(k.arg == "allow_pickle" and ast.unparse(k.value) != "False" for k in node.keywords):
                yield f"{name}: allow_pickle"
            if called == "print" and name.startswith("game."):
                yield f"{name}: print"


def test_modules_keep_the_habits_of_the_code(program: Sources) -> None:
    assert [fault for name in program for fault in _habit_faults(name, program)] == []


@for_each(
    ("source", "fault"),
    [
        ("import random\nrandom.seed(1)", "random.seed"),
        ("import random\nx = random.choice", "random.choice"),
        ("from random import shuffle", "random.shuffle"),
        ("import random\nrandom.Random()", "random.Random without a seed"),
        ("import numpy as np\nnp.random.seed(1)", "np.random.seed"),
        ("import numpy as np\nnp.random.default_rng()", "np.random.default_rng without a seed"),
        ("from numpy.random import randint", "numpy.random.randint"),
        ("import pickle", "pickle"),
        ("def f():\n    from pickle import loads", "pickle"),
        ("frame.to_pickle('x')", "frame.to_pickle"),
        ("from unittest import mock", "unittest"),
        ("np.load('x', allow_pickle=True)", "allow_pickle"),
        ("print(1)", "print"),
    ],
)
def test_check_of_habits_can_fail(source: str, fault: str) -> None:
    assert f"game.x: {fault}" in list(_habit_faults("game.x", {"game.x": source}))


def test_package_files_are_empty() -> None:
    files = [path for path in source_files() if path.name == "__init__.py" and not path.is_relative_to(ROOT / "extras")]
    assert files
    assert [str(path) for path in files if path.read_text(encoding="utf-8").strip()] == []


def test_no_module_is_too_long(program: Sources) -> None:
    lengths = {name: text.count("\n") for name, text in (program | sources_below("tests", "extras")).items()}
    scripts = source_files(ending=".js")[1:]
    lengths |= {str(path): path.read_text(encoding="utf-8").count("\n") for path in scripts}
    assert scripts or "export" not in installed()
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}


def _bound_twice(source: str) -> list[str]:
    """Return the names that a module binds twice at its top; the second binding silently replaces the first."""
    names = []
    for node in parsed(source).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names += [] if any(dotted(each) == "overload" for each in node.decorator_list) else [node.name]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return sorted({name for name in names if names.count(name) > 1})


def test_no_module_binds_a_name_twice(program: Sources) -> None:
    assert {name: twice for name, text in program.items() if (twice := _bound_twice(text))} == {}
    assert _bound_twice("A = 1\nB, C = 2, 3\ndef f(): A = 2\nclass A: ...\nC: int = 4") == ["A", "C"]


def _imported_tests(sources: Sources) -> list[str]:
    """Return test modules that import another test module; shared helpers are in separate modules."""
    tests = {name for name in sources if name.split(".")[-1].startswith("test_")}
    words = {name.split(".")[-1] for name in tests}
    suspects = [name for name in sorted(tests) if words.intersection(re.findall(r"\btest_\w+", sources[name]))]
    return [f"{name}: {other}" for name in suspects for other in imports_of(name, sources) if other in tests]


def test_no_test_module_imports_another() -> None:
    assert _imported_tests(sources_below("tests")) == []
    there = {"tests.test_a": "from tests.test_b import x", "tests.test_b": "", "tests.c": "import tests.test_b"}
    assert _imported_tests(there) == ["tests.test_a: tests.test_b"]


EXTRA = ("jax", "optax")
"""Packages that only training needs; no other code may import them."""
CLUSTER_EXTRA = ("cryptography", "dask", "distributed")
"""Packages that only sessions on a cluster need; code that may import them does so when there is a cluster."""
CAST_EXTRA = ("ribs", "sklearn")
"""Packages that only the evolution of a cast needs."""
HEAVY = ("deap", "llvmlite", "numba", "numpy", "pandas", "pygame", *EXTRA, *CLUSTER_EXTRA, *CAST_EXTRA)


@functools.cache
def _loaded(code: str) -> frozenset[str]:
    """Return the heavy packages that a fresh interpreter has loaded after running this code."""
    report = f"\nimport json, sys\nprint(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    done = completed([sys.executable, "-c", code + report], cwd=ROOT, check=True, timeout=120)
    return frozenset(json.loads(done.stdout.splitlines()[-1]))


def test_game_loads_no_modules_of_evolution_or_windows() -> None:
    modules = sorted(sources_below("game"))
    assert _loaded("import " + ", ".join(modules)).isdisjoint({"deap", "pandas", "pygame"})


def test_squares_moves_and_openings_load_without_numba() -> None:
    assert _loaded("import game.board, game.moves, game.openings, game.rules") == set()


def _need_the_extra(sources: Sources) -> set[str]:
    """Return the modules that import a package, at their top or in a function, or import such modules."""
    results = {name for name in sources if any(is_below(other, EXTRA) for other in imports_of(name, sources))}
    imported = {name: frozenset(imports_of(name, sources)) for name in sources}
    while more := {name for name in sources if name not in results and results & imported[name]}:
        results |= more
    return results


@pytest.mark.needs("learning")
def test_only_training_needs_its_extra(program: Sources) -> None:
    """`train` finds learners by name, so nothing else imports them; nothing at all loads what a cluster needs."""
    result = _need_the_extra(program)
    assert "extras.learning.forward" in result
    assert {name for name in result if not name.startswith("extras.learning.")} == set()
    assert result.isdisjoint({"extras.learning.own_games", "extras.learning.zero_games"})  # what workers load
    others = sorted(name for name in program if name not in result)
    assert _loaded("import " + ", ".join(others)).isdisjoint({*EXTRA, *CLUSTER_EXTRA})


def test_a_trained_network_plays_without_the_packages_of_training() -> None:
    code = """
import main
assert main.main(["move", "zero,nodes=16"]) == 0
print()
"""
    loaded = _loaded(code)
    assert "numba" in loaded and loaded.isdisjoint(EXTRA)


@pytest.mark.needs("cluster")
def test_only_a_cluster_needs_its_extra(program: Sources) -> None:
    results = {name for name in program if any(is_below(other, CLUSTER_EXTRA) for other in imports_of(name, program))}
    assert "extras.cluster.workers" in results
    assert {name for name in results if not name.startswith("extras.cluster.")} == set()


@pytest.mark.needs("cast")
def test_only_mutants_of_a_cast_need_its_extra(program: Sources) -> None:
    results = {name for name in program if any(is_below(other, CAST_EXTRA) for other in imports_of(name, program))}
    assert results == {"extras.cast.mutants"}
    assert _loaded("import extras.cast.mutants, extras.cast.session").isdisjoint(CAST_EXTRA)


@pytest.mark.needs("tablebase")
def test_only_one_room_and_one_verb_build_tablebases(program: Sources) -> None:
    building = {"game.endgame.build", "game.endgame.build_kernels", "game.endgame.verify_kernels"}
    importers = {name for name in program if building.intersection(imports_of(name, program))}
    verb = {"extras.tablebase.command", "extras.tablebase.sides"}
    assert importers == {"game.endgame.tables", "game.endgame.build", *verb}


EXTRAS = {
    "evolve.kinds.optimisers": (
        *("evolve.breeding.loop", "evolve.config.sections", "evolve.report.ancestry"),
        *("extras.prediction.cma", "extras.prediction.prediction"),
    )
}
"""The modules that may import an extra; all other code uses what the extra has registered."""


def _extra_faults(sources: Sources) -> list[str]:
    return [
        f"{name} must not import {extra}"
        for extra, allowed in EXTRAS.items()
        for name in sources
        if name not in allowed and not is_below(name, (extra,))
        if any(is_below(imported, (extra,)) for imported in imports_of(name, sources))
    ]


@pytest.mark.needs()
def test_few_modules_name_an_extra(program: Sources) -> None:
    assert _extra_faults(program) == []
    needless = [
        (extra, name)
        for extra, allowed in EXTRAS.items()
        for name in allowed
        if name not in program or not any(is_below(imported, (extra,)) for imported in imports_of(name, program))
    ]
    assert needless == []


def test_window_imports_are_light(program: Sources) -> None:
    there = [name for name in program if is_below(name, WINDOW_MAY_IMPORT)]
    assert "evolve.report.overview" in there
    assert _loaded("import " + ", ".join(["sys", *there])).isdisjoint({"deap", "numba", "pandas"})


def test_growing_files_of_a_run_are_read_without_numpy() -> None:
    assert _loaded("import evolve.run.log, evolve.run.champions, gui.runs.live_run") == set()


def test_help_is_light() -> None:
    code = """
import contextlib, io, sys, main
verbs = main.build_parser()._subparsers._group_actions[0].choices
assert "match" in verbs
for arguments in [[], *([verb] for verb in verbs)]:
    with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.suppress(SystemExit):
        main.main([*arguments, "--help"])
    assert "usage" in shown.getvalue()
    assert arguments or not [name for name in sys.modules if name.split(".")[0] in ("evolve", "gui")]
"""
    assert _loaded(code) == set()
