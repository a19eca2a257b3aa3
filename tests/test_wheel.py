"""The wheel, and the locks: the same versions in all of them, with hashes, and all modules beside others."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_NAMES
from game import installation
from tests.laplace import CONFIG, LAPLACE
from tests.processes import completed

ROOT = Path(__file__).parents[1]


def _project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return dict(tomllib.load(file)["project"])


def _requirements(path: Path) -> dict[str, list[Requirement]]:
    """Return the lines of a lock, or of its source, by package name."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split(" --hash=")[0].strip() for line in text.splitlines()]
    return _by_name(line for line in lines if line and not line.startswith(("#", "-")))


def _by_name(lines: Iterable[str]) -> dict[str, list[Requirement]]:
    named: dict[str, list[Requirement]] = {}
    for requirement in map(Requirement, lines):
        named.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return named


EXTRAS = ("learning", "cluster", "figures", "export", "cast")


@pytest.mark.parametrize("extra", [None, *EXTRAS])
def test_ranges_contain_locked_versions(extra: str | None) -> None:
    project, folder = _project(), ROOT / "requirements"
    ranges = _by_name(project["dependencies"] if extra is None else project["optional-dependencies"][extra])
    locked = _requirements(ROOT / "requirements.txt" if extra is None else folder / f"{extra}.txt")
    assert set(ranges) == set(_requirements(folder / f"{extra or 'program'}.in"))
    for package, allowed in ranges.items():
        pins = [next(iter(each.specifier)) for each in locked[package]]
        assert all(pin.operator == "==" for pin in pins), package
        for one in allowed:
            assert {each.operator for each in one.specifier} == {">=", "<"}, package
            assert all(one.specifier.contains(pin.version) for pin in pins), package
    assert set(project["optional-dependencies"]) == set(EXTRAS)


def test_all_shipped_runs_are_in_the_wheel() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        artifacts = tomllib.load(file)["tool"]["hatch"]["build"]["artifacts"]
    assert artifacts == ["/populations/blondie24-840.*", *(f"/populations/{name}/**" for name in SHIPPED_NAMES)]


def test_scripts_can_be_started() -> None:
    import main

    project = _project()
    assert project["scripts"] == {"crownhead": "crownhead.main:console"}
    assert project["gui-scripts"] == {"crownhead-window": "crownhead.main:console"}
    assert callable(main.console)


class Installed:
    """A wheel, built and unpacked, and the folder of a user who has a main.py and a package `game`."""

    def __init__(self, folder: Path) -> None:
        self.site, self.data, self.project = (folder / name for name in ("site", "data", "project"))
        build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
        subprocess.run([sys.executable, "-c", build, str(folder)], cwd=ROOT, check=True, capture_output=True)
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.site)
        (self.project / "game").mkdir(parents=True)
        for name in ("main.py", "game/__init__.py"):
            (self.project / name).write_text("raise SystemExit('not Crownhead')")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python in that folder, with the wheel on its path."""
        variables = {"PYTHONPATH": str(self.site), "CROWNHEAD_DATA_DIR": str(self.data)}
        command = [sys.executable, *arguments]
        return completed(command, cwd=self.project, env=os.environ | variables)

    def crownhead(self, *arguments: str) -> str:
        done = self.run("-m", "crownhead", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    yield Installed(folder)
    shutil.rmtree(folder)


IMPORT_ALL = """
import importlib, pkgutil, sys
import crownhead
for module in pkgutil.walk_packages(crownhead.__path__, "crownhead."):
    if not module.name.startswith("crownhead.populations") and module.name != "crownhead.__main__":
        importlib.import_module(module.name)
tops = {name.partition(".")[0] for name in sys.modules}
assert not tops & {"game", "evolve", "gui", "extras", "main", "tests"}, tops
from crownhead.evolve.config import toml
from crownhead.evolve.kinds.methods import Method
from crownhead.evolve.config.model import run_kind
from crownhead import main
from crownhead.game.installation import module_name
for method in Method.kinds.values():
    kind = run_kind(method)
    for place in filter(None, (kind.session, kind.report, getattr(method, "learner", ""))):
        module, name = place.split(":")
        getattr(importlib.import_module(module_name(module)), name)
"""


@pytest.mark.check
def test_all_modules_load_beside_others_of_their_names(installed: Installed) -> None:
    done = installed.run("-c", IMPORT_ALL)
    assert (done.returncode, done.stderr) == (0, "")
    assert installed.crownhead("--version") == f"crownhead {installation.VERSION}\n"


@pytest.mark.check
def test_run_of_a_checkout_resumes_to_the_same_bytes(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import main

    monkeypatch.chdir(tmp_path)
    Path("ops.py").write_text(LAPLACE)
    Path("mine.toml").write_text(CONFIG)
    begin = ["evolve", "--config=mine.toml", "--plugin=ops.py", "--workers=1", "--seed=1", "--generations=1"]
    begin += ["--set=population.parents=3", "--set=population.mutants=1", "--set=founders.method=uniform"]
    begin += ['--set=stages=[{kind="round-robin"}]', "--set=rating.every=1", "--set=rating.games=20"]
    assert main.main([*begin, "--out=.", "--name=mine"]) == 0
    resume = ["evolve", "--workers=2", "--generations=3", "--plugin=mine/plugins/ops.py", "--resume"]
    methods = ("spawn", "forkserver") if sys.platform != "win32" else ("spawn",)
    for method in methods:
        shutil.copytree("mine", installed.data / "populations" / method)
        copy = str(tmp_path / "mine/plugins/ops.py")
        installed.crownhead(*resume[:3], f"--set=workers.start_method={method}", f"--plugin={copy}", "--resume", method)
    assert main.main([*resume, "./mine"]) == 0
    digest = Run(Path("mine")).manifest().digest()
    assert {Run(installed.data / "populations" / each).manifest().digest() for each in methods} == {digest}
    assert sorted(path.name for path in installed.project.rglob("*") if path.suffix != ".pyc") == [
        *("__init__.py", "game", "main.py")
    ]


LOCKS = ("requirements.txt", *(f"requirements/{extra}.txt" for extra in EXTRAS), "requirements/dev.txt")
BESIDE = {"requirements/docs.txt": {"sphinx", "myst-parser"}, "requirements/release.txt": {"twine"}}
"""Locks of what is installed beside that for tests, and some of their packages."""


def versions(lock: str) -> dict[tuple[str, str], str]:
    """Return the versions of each package, and the Python versions for which they hold."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    results = {}
    for name, version, marker in re.findall(r"^(\S+)==(\S+)(?: ; ([^\\\n]+?))? \\\n    --hash=sha256:", text, re.M):
        pythons = re.findall(r"python_full_version [<>=]+ '[\d.]+'", marker)
        results[name, " ".join(pythons)] = version
    assert len(results) == len(re.findall(r"^\S+==", text, re.M))
    return results


@pytest.mark.parametrize("lock", LOCKS[:-1])
def test_the_lock_for_tests_agrees(lock: str) -> None:
    mine, tests = versions(lock), versions(LOCKS[-1])
    assert len(mine) > 7
    assert {key: tests.get(key) for key in mine} == mine


@pytest.mark.parametrize("lock", BESIDE)
def test_a_lock_can_be_installed_beside_that_for_tests(lock: str) -> None:
    mine, tests = versions(lock), versions(LOCKS[-1])
    shared = mine.keys() & tests.keys()
    assert shared and {name for name, _ in mine} > BESIDE[lock]
    assert {key: mine[key] for key in shared} == {key: tests[key] for key in shared}


@pytest.mark.parametrize("lock", [*LOCKS, *BESIDE])
def test_a_lock_names_no_machine(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not re.search(r"://|--index|--find-links|^\s*#.*\s/", text, re.M)
