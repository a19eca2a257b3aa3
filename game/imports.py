"""Imports of the program's packages, in the spelling of a checkout (`game.board`) or a wheel (`crownhead.game.board`).

The build of a wheel runs this file by its path, before anything is installed, so it imports only the standard library.
"""

from __future__ import annotations

PACKAGE = "crownhead"
"""The package that contains the others in a wheel."""
PACKAGES = ("evolve", "extras", "game", "gui")


def in_wheel(source: str) -> str:
    """Return the source of a module with imports in the spelling of a wheel; lines and names stay the same.

    Text is only inserted, and only where the parser has found an import, so strings and comments do not change.

    Raises:
        SyntaxError: the source is not Python.
    """
    import ast

    lines = source.encode().splitlines(keepends=True)  # the parser counts bytes
    places: list[tuple[int, int, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and not node.level and _is_ours(node.module or ""):
            column = node.col_offset + len("from")
            spaced = lines[node.lineno - 1][column : column + 1] in (b" ", b"\t")  # otherwise a backslash follows
            places.append((node.lineno, column + spaced, f"{PACKAGE}." if spaced else f" {PACKAGE}."))
        elif isinstance(node, ast.Import):
            for alias in filter(lambda each: _is_ours(each.name), node.names):
                places.append((alias.lineno, alias.col_offset, f"{PACKAGE}."))
                if alias.asname is None:  # `import game.board` binds `game`
                    top, dot, _ = alias.name.partition(".")
                    bound = f", {PACKAGE}.{top} as {top}" if dot else f" as {top}"
                    places.append((alias.end_lineno or 0, alias.end_col_offset or 0, bound))
    for line, column, text in sorted(places, reverse=True):
        before = lines[line - 1]
        lines[line - 1] = before[:column] + text.encode() + before[column:]
    return b"".join(lines).decode()


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] in PACKAGES
