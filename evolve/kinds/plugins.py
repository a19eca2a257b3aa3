"""Plugins: Python files with kinds of your own, which a configuration lists (``[plugins] files = ["ops.py"]``).

Plugins are code, and a configuration may come from a stranger. So only sessions load plugins, and only those named on
the command line (``--plugin``). Everything else reads such kinds without their code (`unloaded`).
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import math
import shlex
import sys
import traceback
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, make_dataclass
from importlib.util import decode_source
from pathlib import Path
from typing import Any, TypeVar, cast

from evolve.kinds.kind import Kind
from extras import missing
from game.errors import InputError
from game.imports import in_wheel
from game.installation import INSTALLED, TREE
from game.regular_files import read_regular
from game.removed import removed

FOLDER = "plugins"
"""Name of the folder with copies of a run's plugins, in the run folder."""
MODULE = "crownhead_plugin_"
"""Prefix of the names of plugin modules."""
MAX_BYTES = 1 << 20
KINDS = Path(__file__).parent
FAULTS = Exception, SystemExit
"""Exceptions that a plugin may raise by mistake, unlike `KeyboardInterrupt`."""
F = TypeVar("F", bound=Callable[..., Any])


class PluginError(InputError):
    """A plugin fails or cannot be loaded, or is not the expected file."""


@dataclass(frozen=True)
class Plugin:
    name: str
    sha256: str
    source: bytes

    @property
    def module(self) -> str:
        return MODULE + self.sha256[:12]


_kinds: dict[str, list[tuple[type[Kind], str, type[Any]]]] = {}
"""Family, name and class of the kinds that plugins have registered in this process, by the plugin's SHA-256."""
_loaded: list[Plugin] = []


def read_plugin(path: Path) -> Plugin:
    if path.suffix != ".py":
        raise PluginError(f"plugin {path}: expected a Python file, name.py")
    try:
        source = read_regular(path, MAX_BYTES, links=True)
    except OSError as error:
        raise PluginError(f"plugin {path}: cannot be read: {error.strerror}") from error
    return Plugin(path.name, hashlib.sha256(source).hexdigest(), source)


def named_in(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the name and SHA-256 of each plugin listed in plain values of a configuration; empty if malformed."""
    table = values.get("plugins")
    lists = [table.get(key) for key in ("files", "sha256")] if isinstance(table, Mapping) else []
    if len(lists) != 2 or not all(isinstance(each, list | tuple) for each in lists):
        return []
    return [(str(name), str(sha)) for name, sha in zip(*lists, strict=False)]


def are_loaded(values: Mapping[str, Any]) -> bool:
    """Return whether all plugins listed by plain values of a configuration are loaded."""
    return {sha for _, sha in named_in(values)} <= {plugin.sha256 for plugin in _loaded}


def options_of(paths: Iterable[Path]) -> str:
    """Return the command-line options: ``--plugin PATH`` for each file."""
    return " ".join(f"--plugin {shlex.quote(str(path))}" for path in paths)


def copies(run: Path, names: Iterable[str]) -> list[Path]:
    return [run / FOLDER / name for name in names]


def loaded() -> tuple[Plugin, ...]:
    """Return the plugins whose kinds are available now."""
    return tuple(_loaded)


def is_own(kind: type[Any]) -> bool:
    return kind.__module__.startswith(MODULE)


def kinds_of(family: type[Kind]) -> list[type[Any]]:
    return [kind for kind in family.kinds.values() if is_own(kind)]


def load(plugins: Sequence[Plugin]) -> None:
    """Register the kinds of these plugins in their families, and remove those of all other plugins.

    Raises:
        PluginError: two files have the same name, a file fails or registers no kind, or a name is taken.
    """
    names = [plugin.name for plugin in plugins]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PluginError(f"plugin {twice[0]}: two files have this name")
    # A session may follow another one in the same process, with other plugins of the same kinds.
    for plugin in _loaded:
        for family, name, _ in _kinds[plugin.sha256]:
            family.kinds.pop(name, None)
    _loaded.clear()
    for plugin in plugins:
        if plugin.sha256 in _kinds:
            for family, name, kind in _kinds[plugin.sha256]:
                if name in family.kinds:
                    raise PluginError(f"plugin {plugin.name}: the kind {name!r} already exists")
                family.kinds[name] = kind
        else:
            _kinds[plugin.sha256] = _registered_by(plugin)
        _loaded.append(plugin)


def _registered_by(plugin: Plugin) -> list[tuple[type[Kind], str, type[Any]]]:
    before = {family: dict(family.kinds) for family in Kind.families}
    module = types.ModuleType(plugin.module)
    module.__file__ = plugin.name
    # In `sys.modules` under a name made of its hash, so that pickle finds its classes and two versions are two modules.
    sys.modules[plugin.module] = module
    try:
        exec(_compiled(plugin), vars(module))
        added = [
            (family, name, kind)
            for family in Kind.families
            for name, kind in family.kinds.items()
            if name not in before.get(family, {})
        ]
        if not added:
            families = ", ".join(family.__name__ for family in Kind.families)
            raise PluginError(f"plugin {plugin.name}: registers no kind (of {families})")
        if bare := [
            kind.__name__ for *_, kind in added if any(isinstance(each, Field) for each in vars(kind).values())
        ]:
            raise PluginError(f"plugin {plugin.name}: {bare[0]} has keys, so it needs @dataclass(frozen=True) above it")
    except BaseException as error:
        # Nothing of a plugin stays that has failed half-way.
        for family, kinds in before.items():
            family.kinds.clear()
            family.kinds.update(kinds)
        del sys.modules[plugin.module]
        if isinstance(error, PluginError) or not isinstance(error, FAULTS):
            raise
        raise PluginError(f"plugin {plugin.name}: {described(error, [plugin.name])}") from error
    return added


def _compiled(plugin: Plugin) -> types.CodeType:
    """Compile a plugin; in a wheel it may import packages as in a checkout (``from game.board import ...``)."""
    code: types.CodeType = compile(plugin.source, plugin.name, "exec")  # its errors name the file
    if INSTALLED:
        code = compile(in_wheel(decode_source(plugin.source)), plugin.name, "exec")
    return code


def described(error: BaseException, names: Sequence[str]) -> str:
    """Describe an error in a plugin, or in a library that it calls, with file and line."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{error.filename}, line {error.lineno}: {error.msg}"
    if isinstance(error, ImportError) and (gone := removed("import", (error.name or "").removeprefix("crownhead."))):
        return gone
    frames = traceback.extract_tb(error.__traceback__)
    frame = next((each for each in reversed(frames) if each.filename in names), frames[-1])
    if frame.filename not in names and _is_ours(frame):
        return str(error)  # raised by the caller, about the value that the plugin returned
    text = f": {error}" if str(error) else ""
    return f"{Path(frame.filename).name}, line {frame.lineno}: {type(error).__name__}{text}"


def named(kind: Kind, key: str, call: F, genomes: int = 0) -> F:
    """Return `call`, or if a plugin defines the operator, a wrapper whose errors name the key, kind and file.

    Args:
        genomes: number of genomes that `call` must return in a list or tuple; 0 if it returns something else.
    """
    file = next((plugin.name for plugin in _loaded if plugin.module == type(kind).__module__), None)
    if file is None:
        return call

    @plugin_errors(f"{key} = {kind.kind} (plugin {file})")
    def checked(*arguments: Any, **options: Any) -> Any:
        try:
            made = call(*arguments, **options)
        except TypeError:
            _check_arguments(kind, call, arguments, options)
            raise
        many = made if isinstance(made, list | tuple) else []
        if genomes and [hasattr(one, "king") for one in many] != [True] * genomes:
            raise ValueError(f"expected a list or tuple of {genomes} of the given genomes, got {type(made).__name__}")
        return made

    return cast("F", checked)


def _check_arguments(kind: Kind, call: Callable[..., Any], arguments: Any, options: Any) -> None:
    try:
        inspect.signature(call).bind(*arguments, **options)
    except TypeError as error:
        family = next(each for each in type(kind).__mro__ if not is_own(each))
        name = next((name for name in dir(family) if getattr(kind, name) == call), "")
        names = [parameter for parameter in inspect.signature(getattr(family, name)).parameters if parameter != "self"]
        raise ValueError(f"{error}: expected the arguments {', '.join(names)}") from error


@contextlib.contextmanager
def plugin_errors(operator: str = "") -> Iterator[None]:
    """Turn an error in the code of a plugin into a `PluginError`; errors of the program pass through unchanged.

    Args:
        operator: description of the plugin's operator that is called here, if any. Errors in its base classes and in
            libraries that it calls, such as DEAP, then count as its own.

    Raises:
        PluginError: the plugin has failed; the message names file and line.
    """
    try:
        yield
    except PluginError:
        raise
    except FAULTS as error:
        names = [plugin.name for plugin in _loaded]
        # The last frame of a plugin or of the program decides whose fault it is; those of libraries say nothing.
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _counts(frame, names)]
        theirs = frames[-1].filename in names if frames else bool(operator)
        if not theirs:
            raise
        subject = f"{operator}:" if operator else "plugin"
        raise PluginError(f"{subject} {described(error, names)}") from error


def _counts(frame: traceback.FrameSummary, names: Sequence[str]) -> bool:
    return frame.filename in names or (_is_ours(frame) and not Path(frame.filename).is_relative_to(KINDS))


def _is_ours(frame: traceback.FrameSummary) -> bool:
    return any(Path(frame.filename).is_relative_to(TREE / each) for each in ("evolve", "game"))


class Unloaded:
    """Mixin of kinds whose plugin is not loaded, and of removed ones; they can neither play nor breed."""


def unloaded(family: type[Kind], name: str, values: Mapping[str, Any]) -> type[Any]:
    """Return a stand-in for a kind whose code is not loaded: it has these keys and values, but no code."""
    keys: list[Any] = [
        (key, Any, field(default=tuple(value) if isinstance(value, list) else value, metadata=_rule(value)))
        for key, value in values.items()
        if not isinstance(value, dict)
    ]
    namespace = {
        "kind": name,
        "__doc__": missing(name, "kinds.") or f"{name}, whose code is not loaded.",
        **family.gone.get(name, {}),
    }
    made: Any = make_dataclass("Unloaded", keys, bases=(family, Unloaded), namespace=namespace, frozen=True)
    made.__abstractmethods__ = frozenset()
    return made  # type: ignore[no-any-return]


def _rule(value: Any) -> dict[str, Any]:
    rule: dict[str, Any] = {"type": tuple if isinstance(value, list) else type(value), "unread": True}
    rule["text"] = "of a kind whose code is not loaded"
    return rule | ({"low": -math.inf, "high": math.inf} if rule["type"] in (int, float) else {})
