"""Plugins: Python files with kinds of your own, which a configuration lists (``[plugins] files = ["ops.py"]``).

Plugins are code, and a configuration may come from a stranger. So only a session loads them, and only those that its
command line names (``--plugin``). Everything else reads such kinds without their code (`unloaded`).
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import shlex
import sys
import traceback
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from evolve.kinds.kind import Kind
from game.errors import InputError
from game.installation import TREE
from game.regular_files import read_regular

FOLDER = "plugins"
"""Of a run folder, where copies of the files are."""
MODULE = "crownhead_plugin_"
"""How the names of their modules begin."""
MAX_BYTES = 1 << 20
KINDS = Path(__file__).parent
FAULTS = Exception, SystemExit
"""What the code of a file may raise by mistake; Control-C is none."""
F = TypeVar("F", bound=Callable[..., Any])


class PluginError(InputError):
    """A file that cannot be loaded, or is not the one that was meant."""


@dataclass(frozen=True)
class Plugin:
    """A file.

    Attributes:
        name: of the file, without its folder.
        sha256: of its bytes.
        source: its bytes.
    """

    name: str
    sha256: str
    source: bytes

    @property
    def module(self) -> str:
        """Name of its module."""
        return MODULE + self.sha256[:12]


_kinds: dict[str, list[tuple[type[Kind], str, type[Any]]]] = {}
"""What each file that was ever loaded has registered: family, name, class; by its SHA-256."""
_loaded: list[Plugin] = []


def read_plugin(path: Path) -> Plugin:
    """A file, not loaded yet.

    Raises:
        PluginError: it cannot be read, or is no file of Python.
    """
    if path.suffix != ".py":
        raise PluginError(f"plugin {path}: expected a file of Python, name.py")
    try:
        source = read_regular(path, MAX_BYTES, links=True)
    except OSError as error:
        raise PluginError(f"plugin {path}: cannot be read: {error.strerror}") from error
    return Plugin(path.name, hashlib.sha256(source).hexdigest(), source)


def named_in(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and SHA-256 of the files that plain values of a configuration have, as far as they are that."""
    table = values.get("plugins")
    lists = [table.get(key) for key in ("files", "sha256")] if isinstance(table, Mapping) else []
    if len(lists) != 2 or not all(isinstance(each, list | tuple) for each in lists):
        return []
    return [(str(name), str(sha)) for name, sha in zip(*lists, strict=False)]


def are_loaded(values: Mapping[str, Any]) -> bool:
    """Whether all files that plain values of a configuration name are loaded."""
    return {sha for _, sha in named_in(values)} <= {plugin.sha256 for plugin in _loaded}


def options_of(paths: Iterable[Path]) -> str:
    """Return the options that name files: ``--plugin PATH`` for each."""
    return " ".join(f"--plugin {shlex.quote(str(path))}" for path in paths)


def copies(run: Path, names: Iterable[str]) -> list[Path]:
    """Return the paths of the copies that a run folder has of its plugins."""
    return [run / FOLDER / name for name in names]


def loaded() -> tuple[Plugin, ...]:
    """The files whose kinds there are now."""
    return tuple(_loaded)


def is_own(kind: type[Any]) -> bool:
    """Whether a class comes from such a file."""
    return kind.__module__.startswith(MODULE)


def kinds_of(family: type[Kind]) -> list[type[Any]]:
    """The kinds of a family that such files have registered."""
    return [kind for kind in family.kinds.values() if is_own(kind)]


def load(plugins: Sequence[Plugin]) -> None:
    """Make the kinds of these files part of their families, and those of all others not.

    Raises:
        PluginError: two files of one name, one that fails or registers nothing, or a name that is taken.
    """
    names = [plugin.name for plugin in plugins]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PluginError(f"plugin {twice[0]}: two files of this name")
    for plugin in _loaded:
        for family, name, _ in _kinds[plugin.sha256]:
            family.kinds.pop(name, None)
    _loaded.clear()
    for plugin in plugins:
        if plugin.sha256 in _kinds:
            for family, name, kind in _kinds[plugin.sha256]:
                if name in family.kinds:
                    raise PluginError(f"plugin {plugin.name}: there is a kind {name!r} already")
                family.kinds[name] = kind
        else:
            _kinds[plugin.sha256] = _registered_by(plugin)
        _loaded.append(plugin)


def _registered_by(plugin: Plugin) -> list[tuple[type[Kind], str, type[Any]]]:
    """Run a file; returns the kinds that it has registered."""
    before = {family: dict(family.kinds) for family in Kind.families}
    module = types.ModuleType(plugin.module)
    module.__file__ = plugin.name
    sys.modules[plugin.module] = module
    try:
        exec(compile(plugin.source, plugin.name, "exec"), vars(module))
        added = [
            (family, name, kind)
            for family in Kind.families
            for name, kind in family.kinds.items()
            if name not in before.get(family, {})
        ]
        if not added:
            families = ", ".join(family.__name__ for family in Kind.families)
            raise PluginError(f"plugin {plugin.name}: registers nothing (kinds of {families})")
    except BaseException as error:
        for family, kinds in before.items():
            family.kinds.clear()
            family.kinds.update(kinds)
        del sys.modules[plugin.module]
        if isinstance(error, PluginError) or not isinstance(error, FAULTS):
            raise
        raise PluginError(f"plugin {plugin.name}: {told(error, [plugin.name])}") from error
    return added


def told(error: BaseException, names: Sequence[str]) -> str:
    """An error of the code of plugins, with file and line: of theirs, else of the library that they have called.

    Args:
        error: what was raised.
        names: of their files.
    """
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{error.filename}, line {error.lineno}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    frame = next((each for each in reversed(frames) if each.filename in names), frames[-1])
    if frame.filename not in names and _is_ours(frame):
        return str(error)  # raised by those who called it, about what it has given
    text = f": {error}" if str(error) else ""
    return f"{Path(frame.filename).name}, line {frame.lineno}: {type(error).__name__}{text}"


def named(kind: Kind, key: str, call: F, genomes: int = 0) -> F:
    """What calls an operator; errors of one that a loaded file brings are told by its key, its kind and that file.

    Args:
        kind: the operator.
        key: that chooses it in a configuration.
        call: calls it. What it calls of the program outside the kinds, such as games, has its own errors.
        genomes: how many genomes it has to return in a list or tuple; 0 if it returns something else.
    """
    file = next((plugin.name for plugin in _loaded if plugin.module == type(kind).__module__), None)
    if file is None:
        return call
    from evolve.kinds.variation import Genome  # not above: whoever only lists runs would wait for it

    @told_by_name(f"{key} = {kind.kind} (plugin {file})")
    def checked(*arguments: Any, **options: Any) -> Any:
        made = call(*arguments, **options)
        if genomes and [isinstance(one, Genome) for one in made] != [True] * genomes:
            raise ValueError(f"expected genomes that were given, {genomes} in a list or tuple")
        return made

    return cast("F", checked)


@contextlib.contextmanager
def told_by_name(operator: str = "") -> Iterator[None]:
    """Let an error in the code of a loaded file be one of that file; what comes through it from the program stays.

    Args:
        operator: the operator of a file that is called here, in words. Libraries that it calls have errors of its own,
            such as DEAP, and so have the classes that it derives from.

    Raises:
        PluginError: with file and line.
    """
    try:
        yield
    except PluginError:
        raise
    except FAULTS as error:
        names = [plugin.name for plugin in _loaded]
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _counts(frame, names)]
        theirs = frames[-1].filename in names if frames else bool(operator)
        if not theirs:
            raise
        subject = f"{operator}:" if operator else "plugin"
        raise PluginError(f"{subject} {told(error, names)}") from error


def _counts(frame: traceback.FrameSummary, names: Sequence[str]) -> bool:
    """Whether a call is one of the files or of the program, rather than of a library or of the classes of kinds."""
    return frame.filename in names or (_is_ours(frame) and not Path(frame.filename).is_relative_to(KINDS))


def _is_ours(frame: traceback.FrameSummary) -> bool:
    return any(Path(frame.filename).is_relative_to(TREE / each) for each in ("evolve", "game"))


class Unloaded:
    """Marks a kind of a plugin that was not loaded. It cannot play or breed."""


def unloaded(family: type[Kind], name: str, values: Mapping[str, Any]) -> type[Any]:
    """A kind that has these keys and values, and does nothing."""
    keys: list[Any] = [
        (key, Any, field(default=tuple(value) if isinstance(value, list) else value, metadata=_rule(value)))
        for key, value in values.items()
        if not isinstance(value, dict)
    ]
    namespace = {"kind": name, "__doc__": f"{name}, of a plugin that is not loaded."}
    made: Any = make_dataclass("Unloaded", keys, bases=(family, Unloaded), namespace=namespace, frozen=True)
    made.__abstractmethods__ = frozenset()
    return made  # type: ignore[no-any-return]


def _rule(value: Any) -> dict[str, Any]:
    rule = {"type": tuple if isinstance(value, list) else type(value), "text": "of a plugin that is not loaded"}
    return rule | ({"low": -math.inf, "high": math.inf} if rule["type"] in (int, float) else {})
