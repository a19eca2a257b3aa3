"""The program's environment: checkout or wheel, the user's data folder, extras, and the available cores and memory."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from game.errors import InputError

TYPE_CHECKING = False  # as in `typing`, whose import takes a tenth of the time of --help
if TYPE_CHECKING:
    from typing import Any

VERSION = "0.1.0"

TREE = Path(__file__).resolve().parents[1]
"""The folder with main.py and the packages: the checkout, or the package `crownhead` of an environment."""

_ABOVE = __name__.rpartition("game.")[0]

INSTALLED = _ABOVE != ""
"""True if the program runs from an installed package `crownhead` instead of a checkout. Uninstalling deletes the folder
of the package, so it must not contain user data.
"""

START = (sys.executable, "-P", "-m", "crownhead") if INSTALLED else (sys.executable, str(TREE / "main.py"))
"""The start of a command line that runs the program in another process; a verb follows.

The process imports nothing from its current folder.
"""

STARTER = "CROWNHEAD_STARTER"
"""The environment variable in which a window gives its process id to the sessions that it starts."""

PROGRAM = "crownhead" if INSTALLED else "main.py"
"""The program's name at the start of its messages."""

COMMAND = "crownhead" if INSTALLED else "python main.py"
"""The command typed before a verb."""

DATA_VARIABLE = "CROWNHEAD_DATA_DIR"


def module_name(name: str) -> str:
    """Return the name under which a module or package of the program is imported in this installation.

    Building a wheel rewrites imports (`game.imports`), but not names of modules in strings.
    """
    return _ABOVE + name


@functools.cache
def imported(name: str) -> Any:
    """Import and return what a name such as ``evolve.session.evolution:Evolution`` means, as in a checkout."""
    module, attribute = name.split(":")
    return getattr(importlib.import_module(module_name(module)), attribute)


def data_folder() -> Path:
    """Return the folder of the user's data, which need not exist yet; an environment variable can override it."""
    chosen = os.environ.get(DATA_VARIABLE)
    if chosen:
        return Path(chosen)
    import platformdirs

    return platformdirs.user_data_path("crownhead", appauthor=False)


class MissingExtraError(InputError):
    """A package needed by an optional part of the program is not installed."""


_AGAIN = "install the program again from its checkout"


def install_command(*requirements: str) -> str:
    """Return a command line that installs packages into the environment of this process.

    It names those packages and never the program, whose name anybody could take on a registry.
    """
    import shlex
    from importlib.util import find_spec

    environment = Path(sys.prefix)
    if not INSTALLED:
        tool = "python -m pip install"
    elif (environment / "pipx_metadata.json").is_file():
        tool = f"pipx inject {shlex.quote(environment.name)}"
    elif find_spec("pip") is None:  # environments that uv makes have none
        tool = f"uv pip install --python {shlex.quote(sys.executable)}"
    else:
        tool = f"{shlex.quote(sys.executable)} -m pip install"
    return " ".join((tool, *map(shlex.quote, requirements)))


def missing_extra(need: str, extra: str) -> str:
    """Return a message that names what needs an extra, and how to install it."""
    from importlib import metadata

    if not INSTALLED:
        return f"{need}: python -m pip install --require-hashes -r requirements/{extra}.txt"
    packages = []
    with contextlib.suppress(metadata.PackageNotFoundError):
        marked = re.compile(rf"extra *== *['\"]{extra}['\"]")
        lines = (line for line in metadata.requires("crownhead") or [] if marked.search(line) and _applies(line))
        packages = [match[1] + match[2] for match in map(_REQUIREMENT.match, lines) if match]
    return f"{need}: {install_command(*packages) if packages else f'{_AGAIN}, with its extra {extra}'}"


def has_extra(packages: Sequence[str]) -> bool:
    """Return whether the packages of an extra are installed, without loading them."""
    import importlib.util

    return all(importlib.util.find_spec(name) is not None for name in packages)


def check_extra(need: str, extra: str, packages: Sequence[str]) -> None:
    """Check that the packages of an extra are installed, without loading them.

    Args:
        extra: its name in pyproject.toml.

    Raises:
        MissingExtraError: a package is not installed.
    """
    if not has_extra(packages):
        raise MissingExtraError(missing_extra(need, extra))


_REQUIREMENT = re.compile(r"([\w.-]+) ?\(?([<>=][^;()\s]*)\)?")
_PYTHON = re.compile(r"python_(?:full_)?version *(<|>=) *['\"]([\d.]+)")


def environment_problem(error: BaseException) -> str:
    """Return one line about the cause of an error outside the program, and the remedy; "" if there is none.

    Such a cause is a missing or unsuitable package, or a variable with which Numba does not compile.

    A checkout expects the versions in requirements.txt, a wheel the ranges in its metadata.
    """
    import traceback

    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return "NUMBA_DISABLE_JIT is set in the environment, but the program plays with compiled code: unset it"
    places = [] if error.__traceback__ is None else traceback.extract_tb(error.__traceback__)
    numba = sorted(name for name in os.environ if name.startswith("NUMBA_"))
    if numba and any("numba" in Path(place.filename).parts for place in places):
        return f"{', '.join(numba)} set in the environment may keep code from being compiled: unset them"
    remedy = "python -m pip install --require-hashes -r requirements.txt"
    remedy = f"{_AGAIN}, in a separate environment" if INSTALLED else remedy
    if isinstance(error, ModuleNotFoundError) and error.name:
        missing = error.name.partition(".")[0]
        return "" if (TREE / missing).exists() else f"the package {missing} is not installed: {remedy}"
    from importlib import metadata

    allowed: dict[str, str] = {}
    with contextlib.suppress(OSError, metadata.PackageNotFoundError):
        lock = TREE / "requirements.txt"
        lines = (metadata.requires("crownhead") or []) if INSTALLED else lock.read_text(encoding="utf-8").splitlines()
        own = [line for line in lines if "extra ==" not in line and _applies(line)]
        for match in filter(None, map(_REQUIREMENT.match, own)):
            allowed[match[1]] = match[2]
    for name, versions in allowed.items():
        with contextlib.suppress(metadata.PackageNotFoundError):  # not installed: perhaps for other systems
            version = metadata.version(name)
            if not _is_within(version, versions):
                return f"{name} {version} is installed, {versions} is expected: {remedy}"
    return ""


def _applies(requirement: str) -> bool:
    """Return whether a line of requirements is for this version of Python."""
    return all(
        (sys.version_info >= _release(number)) == (sign == ">=") for sign, number in _PYTHON.findall(requirement)
    )


def _is_within(version: str, allowed: str) -> bool:
    number = _release(version)
    for limit in allowed.split(","):
        bound = _release(limit)
        if limit.startswith("==") and version != limit[2:]:
            return False
        if (limit.startswith(">=") and number < bound) or (limit.startswith("<") and number >= bound):
            return False
    return True


def _release(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version.partition("+")[0])))


_GROUP = Path("/sys/fs/cgroup")
_LIMITS = (
    ("memory.max", "memory.current", "memory.stat", "inactive_file"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_inactive_file"),
)
"""Files of control groups, versions 2 and 1: the limit, the usage, and the statistics with the reclaimable part."""


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory() -> float | None:
    """Return the bytes of memory still available, within the limit of a container if there is one; None if unknown."""
    sizes = []
    with contextlib.suppress(OSError, ValueError, KeyError):
        sizes.append(1024.0 * _numbers(Path("/proc/meminfo"))["MemAvailable:"])
    for limit, taken, parts, given_up in _LIMITS:
        with contextlib.suppress(OSError, ValueError, KeyError):  # no such control group, or its limit is "max"
            free = int((_GROUP / limit).read_text(encoding="ascii")) - int((_GROUP / taken).read_text(encoding="ascii"))
            sizes.append(max(free + _numbers(_GROUP / parts)[given_up], 0.0))
    return min(sizes, default=None)


def _numbers(path: Path) -> dict[str, float]:
    lines = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return {words[0]: float(words[1]) for words in lines if len(words) > 1}
