"""The table of additions in CONTRIBUTING.md, made from marked tests: ``python -m tests.additions`` writes it.

Each of these tests makes such an addition, from outside where that is possible, or fails for one that is incomplete.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- additions -->\n", "<!-- end of additions -->\n"


def additions() -> Iterator[tuple[str, str, str]]:
    """Yield each addition, where it goes, and the file of its test, in alphabetical order."""
    results = []
    for path in (*(ROOT / "tests").rglob("test_*.py"), *ROOT.glob("extras/*/tests/test_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body if "pytest.mark.addition" in text else ():  # parsing all takes seconds
            for call in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.addition":
                    addition, where = (ast.literal_eval(argument) for argument in call.args)
                    marked = any(ast.unparse(each) == "pytest.mark.check" for each in node.decorator_list)
                    name = f"`{path.relative_to(ROOT).as_posix()}`"
                    results.append((addition, where, f"{name} (`-m check`)" if marked else name))
    yield from sorted(results)


def page() -> str:
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    rows = [f"| {addition} | {where} | {test} |\n" for addition, where, test in additions()]
    table = "".join(["| addition | where | its test |\n", "|---|---|---|\n", *rows])
    return f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
