"""The imports of the program's modules, read from their text."""

from __future__ import annotations

import ast
import functools
import gc
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.sources import ROOT

Sources = dict[str, str]


def sources_below(*tops: str) -> Sources:
    """Return the text of every module below these folders, by its dotted name; a package has the name of its folder."""
    return texts_of(path for top in tops for path in sorted((ROOT / top).rglob("*.py")))


def texts_of(paths: Iterable[Path], root: Path = ROOT) -> Sources:
    results = {}
    for path in paths:
        parts = path.relative_to(root).with_suffix("").parts
        results[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text(encoding="utf-8")
    return results


def imports_of(name: str, sources: Sources, *, types: bool = False) -> Iterator[str]:
    """Return the dotted names that a module imports anywhere; `from package import x` gives package.x for a module x.

    Imports for type checkers alone are left out, since nothing depends on them while the program runs, unless `types`.
    """
    for node in _import_nodes(sources[name], types=types):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            base = node.module or ""
            if node.level:
                is_package = any(other.startswith(f"{name}.") for other in sources)
                parts = name.split(".")
                parts = parts[: len(parts) - node.level + is_package]
                base = ".".join([*parts, base] if base else parts)
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                yield whole if whole in sources else base


@functools.cache
def parsed(source: str) -> ast.Module:
    gc.disable()  # none of the many nodes is garbage, and looking for some takes longer than parsing
    try:
        return ast.parse(source)
    finally:
        gc.enable()


@functools.cache
def _import_nodes(source: str, *, types: bool = False) -> list[ast.Import | ast.ImportFrom]:
    return list(_imports_in(parsed(source).body, types=types)) if "import" in source else []


def _imports_in(statements: Sequence[ast.AST], *, types: bool = False) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports among statements and inside them; those under `if TYPE_CHECKING` only with `types`."""
    for node in statements:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            if types or block != "body" or not isinstance(node, ast.If) or dotted(node.test) != "TYPE_CHECKING":
                yield from _imports_in(getattr(node, block, ()), types=types)


def dotted(node: ast.AST) -> str:
    """Return the text of a dotted name; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return f"{before}.{node.attr}" if (before := dotted(node.value)) else ""
    return node.id if isinstance(node, ast.Name) else ""


def is_below(name: str, tops: tuple[str, ...]) -> bool:
    return any(name == top or name.startswith(f"{top}.") for top in tops)
