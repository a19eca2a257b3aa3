"""The program on its machine: checkout or wheel, folder of the user's data, extras, and the cores and memory to use."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from game.errors import InputError

VERSION = "0.1.0"

TREE = Path(__file__).resolve().parents[1]
"""The folder with main.py and the packages: the checkout, or the package `crownhead` of an environment."""

_ABOVE = __name__.rpartition("game.")[0]

INSTALLED = _ABOVE != ""
"""True if the program is a package `crownhead`, as a wheel makes it. An installer also removes its folder, so no user
data belong in it.
"""

START = (sys.executable, "-P", "-m", "crownhead") if INSTALLED else (sys.executable, str(TREE / "main.py"))
"""The words before a verb that start the program in another process; nothing is imported from its current folder."""

PROGRAM = "crownhead" if INSTALLED else "main.py"
"""The program's name at the start of its messages."""

COMMAND = "crownhead" if INSTALLED else "python main.py"
"""The command typed before a verb."""

DATA_VARIABLE = "CROWNHEAD_DATA_DIR"


def module_name(name: str) -> str:
    """Return the name under which a module or package of the program is imported here.

    Imports are rewritten when a wheel is built (`game.imports`), but texts are not.

    Args:
        name: as in a checkout, such as ``evolve.learning.methods``.
    """
    return _ABOVE + name


def data_folder() -> Path:
    """Return the folder of the user's data, which need not exist yet; an environment variable can override it."""
    chosen = os.environ.get(DATA_VARIABLE)
    if chosen:
        return Path(chosen)
    import platformdirs

    return platformdirs.user_data_path("crownhead", appauthor=False)


class MissingExtraError(InputError):
    """A package needed by an optional part of the program is not installed."""


def missing_extra(need: str, extra: str) -> str:
    """Return a message that names what needs an extra, and how to install it."""
    lock = f"python -m pip install --require-hashes -r requirements-{extra}.txt"
    return f"{need}: {f'install crownhead[{extra}]' if INSTALLED else lock}"


def has_extra(packages: Sequence[str]) -> bool:
    """Return whether the packages of an extra are installed, without loading them."""
    import importlib.util

    return all(importlib.util.find_spec(name) is not None for name in packages)


def check_extra(need: str, extra: str, packages: Sequence[str]) -> None:
    """Check that the packages of an extra are installed, without loading them.

    Args:
        need: a statement of the need, such as ``train needs jax and optax``.
        extra: its name in pyproject.toml.
        packages: the packages imported.

    Raises:
        MissingExtraError: a package is not installed.
    """
    if not has_extra(packages):
        raise MissingExtraError(missing_extra(need, extra))


_REQUIREMENT = re.compile(r"([\w.-]+) ?\(?([<>=][^;()\s]*)\)?")


def environment_problem(error: BaseException) -> str:
    """Describe in one line what is wrong with the installed packages if they may have caused an error, and the remedy.

    A checkout is made for the versions of requirements.txt, a wheel for the ranges in its metadata. Nothing is checked
    before an error occurs: that would take longer than many commands.
    """
    remedy = "python -m pip install --require-hashes -r requirements.txt"
    remedy = "install crownhead again, or into an environment of its own" if INSTALLED else remedy
    if isinstance(error, ModuleNotFoundError) and error.name:
        missing = error.name.partition(".")[0]
        return "" if (TREE / missing).exists() else f"the package {missing} is not installed: {remedy}"
    from importlib import metadata

    allowed: dict[str, list[str]] = {}  # some packages have several versions, each for some Pythons
    with contextlib.suppress(OSError, metadata.PackageNotFoundError):
        lock = TREE / "requirements.txt"
        lines = (metadata.requires("crownhead") or []) if INSTALLED else lock.read_text(encoding="utf-8").splitlines()
        for match in filter(None, (_REQUIREMENT.match(line) for line in lines if "extra ==" not in line)):
            allowed.setdefault(match[1], []).append(match[2])
    for name, ranges in allowed.items():
        with contextlib.suppress(metadata.PackageNotFoundError):  # it may be for other Pythons
            version = metadata.version(name)
            if not any(_is_within(version, each) for each in ranges):
                return f"{name} {version} is installed, {' or '.join(ranges)} is expected: {remedy}"
    return ""


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
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory() -> float | None:
    """Return the bytes of memory still available to processes, also under a container's limit; None if unknown."""
    sizes = []
    with contextlib.suppress(OSError, ValueError, KeyError):
        sizes.append(1024.0 * _numbers(Path("/proc/meminfo"))["MemAvailable:"])
    for limit, taken, parts, given_up in _LIMITS:
        with contextlib.suppress(OSError, ValueError, KeyError):  # there is none, or it says "max"
            free = int((_GROUP / limit).read_text(encoding="ascii")) - int((_GROUP / taken).read_text(encoding="ascii"))
            sizes.append(max(free + _numbers(_GROUP / parts)[given_up], 0.0))
    return min(sizes, default=None)


def _numbers(path: Path) -> dict[str, float]:
    lines = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return {words[0]: float(words[1]) for words in lines if len(words) > 1}
