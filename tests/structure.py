"""Figures about the structure and the language of the program: ``python -m tests.structure [FOLDER]``.

They say how much code there is, how many classes mean the same thing, and how often habits occur that make code hard to
read. The counts follow fixed rules, so that two commits can be compared; FOLDER is a checkout, by default this one.
"""

from __future__ import annotations

import ast
import gc
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.import_graph import Sources, dotted, imports_of, parsed, texts_of
from tests.sources import source_files

LEARNING = "extras/learning/"

QUESTION = re.compile(r"(What|Whether|How|Who|Whom|Whose|Where|Those)\b")
"""A question word at the beginning of a docstring, which should begin with a verb or a noun instead."""

EXTRAS = "extras/"

RUN_WORDS = {"run", "generation", "generations", "newest", "manifest"}
"""Words in the names of a class or its attributes, of which one says that a path leads to a run."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _files(root: Path) -> list[Path]:
    return [*source_files(root), *sorted((root / "crownhead").rglob("*.py"))]


def modules(root: Path) -> dict[str, ast.Module]:
    """Return the syntax tree of each module of the program, by its path below the checkout."""
    paths = _files(root)
    gc.disable()  # none of the many nodes is garbage, and looking for some takes longer than parsing
    try:
        return {path.relative_to(root).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    finally:
        gc.enable()


def _nodes(trees: dict[str, ast.Module], kind: type | tuple[type, ...]) -> Iterator[ast.AST]:
    return (node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, kind))


def questions(trees: dict[str, ast.Module]) -> int:
    """Count docstrings of modules, classes and functions that begin with a question word."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = (ast.get_docstring(node) or "" for node in _nodes(trees, documented))  # type: ignore[arg-type]
    return sum(bool(QUESTION.match(text)) for text in texts)


def _is_pass_through(function: Function) -> bool:
    """Return whether a function only calls another one with its own arguments, in their order."""
    body = function.body[bool(ast.get_docstring(function)) :]
    if len(body) != 1 or not isinstance(body[0], (ast.Return, ast.Expr)) or not isinstance(body[0].value, ast.Call):
        return False
    call, own = body[0].value, function.args
    names = [each.arg for each in (*own.posonlyargs, *own.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    given = [each.id if isinstance(each, ast.Name) else "" for each in call.args]
    given += [each.value.id if isinstance(each.value, ast.Name) else "" for each in call.keywords]
    return given == names + [each.arg for each in own.kwonlyargs]


def pass_throughs(trees: dict[str, ast.Module]) -> int:
    """Count functions that only call another one with their own arguments."""
    return sum(_is_pass_through(node) for node in _nodes(trees, (ast.FunctionDef,)))  # type: ignore[arg-type]


def _members(node: ast.ClassDef) -> set[str]:
    """Return the names that a class defines, attributes of `__init__` and of its body included."""
    names = set()
    for each in ast.walk(node):
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(each.name)
        elif isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            names.add(each.attr)
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            names.add(each.target.id)
    return {name for name in names if not name.startswith("__")}


def _attributes(node: ast.ClassDef) -> dict[str, str]:
    """Return the type of each attribute in the body or `__init__` of a class; empty if no annotation gives it."""
    types = {}
    for each in ast.walk(ast.Module(node.body, [])):
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, (ast.Name, ast.Attribute)):
            types[dotted(each.target).removeprefix("self.")] = ast.unparse(each.annotation)
        elif isinstance(each, ast.FunctionDef) and each.name == "__init__":
            own = (*each.args.posonlyargs, *each.args.args, *each.args.kwonlyargs)
            given = {argument.arg: ast.unparse(argument.annotation) for argument in own if argument.annotation}
            for target, value in re.findall(r"\bself\.(\w+) = (\w+)$", _single_assignments(each), re.MULTILINE):
                types.setdefault(target, given.get(value, ""))
    return types


def _single_assignments(function: ast.FunctionDef) -> str:
    """Return the assignments of a function, one a line; ``a, b = c, d`` becomes two."""
    lines = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                lines += [
                    f"{ast.unparse(one)} = {ast.unparse(other)}"
                    for one, other in zip(target.elts, value.elts, strict=True)
                ]
            else:
                lines.append(ast.unparse(node))
    return "\n".join(lines)


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+", name)}


def run_classes(trees: dict[str, ast.Module]) -> list[str]:
    """Return the names of the classes that hold the path of a run.

    An attribute is a `Path`, and it, the class or another attribute has one of `RUN_WORDS` in its name.
    """
    return [node.name for node in _nodes(trees, ast.ClassDef) if _holds_run(node)]  # type: ignore[attr-defined,arg-type]


def _holds_run(node: ast.ClassDef) -> bool:
    types = _attributes(node)
    words = _words(node.name).union(*map(_words, types)) & RUN_WORDS
    return bool(words) and any(type_ in ("Path", "Path | None") for type_ in types.values())


def individual_classes(trees: dict[str, ast.Module]) -> list[str]:
    """Return the names of the classes that hold the name of an individual, and its generation or run."""
    return [node.name for node in _nodes(trees, ast.ClassDef) if _holds_individual(node)]  # type: ignore[attr-defined,arg-type]


def _holds_individual(node: ast.ClassDef) -> bool:
    types = _attributes(node)
    owner = [types.get("generation", ""), types.get("run", "")]
    return types.get("name") == "str" and any(re.match(r"(int|str|Path|Run)\b", type_) for type_ in owner)


def arrows(sources: Sources, *, strings: bool) -> int:
    """Count pairs of modules of which one imports the other, or has its dotted name in a string.

    Such strings name modules that are imported only when they are needed. Imports for types alone do not count.
    """
    pairs = {(name, other) for name in sources for other in imports_of(name, sources)}
    for name, source in sources.items() if strings else ():
        texts = (node.value for node in ast.walk(parsed(source)) if isinstance(node, ast.Constant))
        pairs |= {(name, text.partition(":")[0]) for text in texts if isinstance(text, str) and "." in text}
    return sum(name != other and other in sources for name, other in pairs)


def lonely_protocols(trees: dict[str, ast.Module]) -> list[str]:
    """Return the names of protocols that at most one class of the program implements."""
    classes: list[ast.ClassDef] = list(_nodes(trees, ast.ClassDef))  # type: ignore[arg-type]
    by_name = {node.name: node for node in classes}

    def all_members(node: ast.ClassDef) -> set[str]:
        bases = [by_name[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in by_name]
        return _members(node).union(*(all_members(base) for base in bases if base is not node))

    protocols = [node for node in classes if any("Protocol" in ast.unparse(base) for base in node.bases)]
    others = [all_members(node) for node in classes if node not in protocols]
    return [node.name for node in protocols if sum(all_members(node) <= members for members in others) <= 1]


def _names(tree: ast.Module) -> Iterator[str]:
    """Yield the names and the strings of a module, without its docstrings."""
    documents = {ast.get_docstring(node, clean=False) for node in ast.walk(tree)
                 if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in documents:
            yield node.value


def knows_learning(trees: dict[str, ast.Module]) -> list[str]:
    """Return the modules outside the room of learning whose code names learning."""
    return [
        path
        for path, tree in trees.items()
        if not path.startswith(LEARNING) and any(re.search(r"(?i)\blearns\b|learning", name) for name in _names(tree))
    ]


def repeated_names(trees: dict[str, ast.Module]) -> list[str]:
    """Return the names that two or more public top-level classes have."""
    names = [node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef)]
    return sorted({name for name in names if names.count(name) > 1 and not name.startswith("_")})


def help_seconds(root: Path) -> float:
    """Return the CPU seconds that ``--help`` takes, the smallest of five measurements."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "main.py", "--help"], cwd=root, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(5))


def figures(root: Path) -> dict[str, str]:
    """Return each figure as text, by its name; two numbers are those of the core and of the extras."""
    trees = modules(root)
    extras = {path: tree for path, tree in trees.items() if path.startswith(EXTRAS)}
    parts = {path: tree for path, tree in trees.items() if path not in extras}, extras
    lengths = {path: len((root / path).read_text(encoding="utf-8").splitlines()) for path in trees}
    sources = texts_of(_files(root), root)
    tests_of_core, tests_of_extras = (
        sum(len(path.read_text(encoding="utf-8").splitlines()) for each in where for path in root.glob(each))
        for where in (("tests/**/*.py",), ("extras/conftest.py", "extras/*/tests/**/*.py"))
    )
    lonely, learning, twice = lonely_protocols(trees), knows_learning(trees), repeated_names(trees)

    def both(count: Callable[[dict[str, ast.Module]], int]) -> str:
        return " + ".join(f"{count(part):,}" for part in parts)

    return {
        "product lines": both(lambda part: sum(lengths[path] for path in part)),
        "modules": both(lambda part: sum(bool(tree.body) for tree in part.values())),
        "test lines": f"{tests_of_core:,} + {tests_of_extras:,}",
        "pairs of modules that import": f"{arrows(sources, strings=False):,}",
        "pairs of modules that import or name": f"{arrows(sources, strings=True):,}",
        "classes that hold a run's path": both(lambda part: len(run_classes(part))),
        "classes that hold an individual's name": both(lambda part: len(individual_classes(part))),
        "protocols with at most one implementation": f"{len(lonely)}: {', '.join(lonely)}",
        "modules outside learning that name learning": f"{len(learning)}",
        "docstrings that begin with a question word": both(questions),
        "pass-through functions": both(pass_throughs),
        "public class names that stand twice": f"{len(twice)}: {', '.join(twice)}",
        "--help, CPU seconds": f"{help_seconds(root):.3f}",
    }


if __name__ == "__main__":
    for name, value in figures(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[1]).items():
        print(f"{name}: {value}")
