"""The figures about structure and language: each count on code with one such case, and on this program."""

from __future__ import annotations

import ast
from pathlib import Path

from tests import structure


def trees(*sources: str) -> dict[str, ast.Module]:
    return {f"game/{number}.py": ast.parse(source) for number, source in enumerate(sources)}


def test_docstrings_that_begin_with_a_question_word_are_counted() -> None:
    source = (
        '"""What it is."""\nclass A:\n    """Whether."""\n    def f(self):\n        """Return whether it is so."""\n'
    )
    assert structure.questions(trees(source)) == 2


def test_pass_throughs_are_counted() -> None:
    one = "class A:\n    def f(self, a, *, b):\n        '''Text.'''\n        return self.x.f(a, b=b)\n"
    other = "def g(a, b):\n    return h(b, a)\ndef k(a):\n    print(a)\n    return h(a)\n"
    assert structure.pass_throughs(trees(one, other)) == 1


def test_protocols_with_one_implementation_are_listed() -> None:
    source = "class P(Protocol):\n    a: int\n    def f(self): ...\nclass A:\n    a = 1\n"
    one = "class One:\n    def __init__(self):\n        self.a = 1\n    def f(self): ...\n"
    assert structure.lonely_protocols(trees(source, one)) == ["P"]
    assert structure.lonely_protocols(trees(source, one, one)) == []


def test_modules_that_name_learning_are_listed() -> None:
    known = trees("if config.learns: ...", "from extras import learning", "'''Learning.'''\nx = 1", "a = 'learning.x'")
    assert structure.knows_learning(known) == ["game/0.py", "game/1.py", "game/3.py"]


def test_names_of_classes_that_stand_twice_are_listed() -> None:
    assert structure.repeated_names(
        trees("class A: ...\nclass B: ...", "class A: ...\nclass _C: ...", "class _C: ...")
    ) == ["A"]


def test_classes_that_hold_the_path_of_a_run_are_listed() -> None:
    by_field = "class LiveThing:\n    path: Path\n    newest: int\n"
    by_parameter = (
        "class Run:\n    def __init__(self, path: Path, other: int):\n        self._path, self.a = path, other\n"
    )
    others = "class File:\n    path: Path\nclass Log:\n    run: int\nclass Files:\n    runs: list[Path]\n"
    assert structure.run_classes(trees(by_field, by_parameter, others)) == ["LiveThing", "Run"]


def test_classes_that_hold_the_name_of_an_individual_are_listed() -> None:
    source = "class Row:\n    name: str\n    generation: int\nclass Key:\n    name: str\n    run: Callable[[], int]\n"
    assert structure.individual_classes(trees(source)) == ["Row"]


def test_pairs_of_modules_count_with_and_without_names_in_strings() -> None:
    sources = {"game.a": "from game import b\nimport json", "game.b": "A = 'game.a:run', 'game.b', 'no.module'"}
    sources["game.c"] = "if TYPE_CHECKING:\n    import game.a"
    assert structure.arrows(sources, strings=False) == 1
    assert structure.arrows(sources, strings=True) == 2


def test_all_figures_of_a_checkout(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    (tmp_path / "main.py").write_text("import game\n", encoding="utf-8")
    (tmp_path / "game" / "__init__.py").touch()
    run = 'class Run:\n    """Whose."""\n\n    def f(self, a):\n        return self.learns.f(a)\n'
    (tmp_path / "game" / "run.py").write_text(
        f"{run}class Row(Protocol):\n    a: int\nclass Row: ...\n", encoding="utf-8"
    )
    (tmp_path / "crownhead").mkdir()
    (tmp_path / "crownhead" / "wheel.py").write_text("import game.run\nA = 'game.run:Run'\n", encoding="utf-8")
    (tmp_path / "extras").mkdir()
    (tmp_path / "extras" / "one.py").write_text("A = 'game.run:Run'\n", encoding="utf-8")
    result = structure.figures(tmp_path)
    assert float(result.pop("--help, CPU seconds")) > 0
    assert list(result.values()) == [
        *("11 + 1", "3 + 1", "0 + 0", "2", "3", "0 + 0", "0 + 0", "1: Row", "1", "1 + 0", "1 + 0", "1: Row")
    ]
