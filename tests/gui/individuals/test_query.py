"""What a person types to find individuals."""

from __future__ import annotations

from gui.individuals import query
from gui.individuals.rows import COLUMNS, TEXTS
from gui.screens.individuals import panes


def test_columns_are_also_found_by_the_words_that_head_them() -> None:
    found = query.read("Won>20 lost<3 gen.=4 from=mine", COLUMNS, TEXTS)
    assert [condition.column for condition in found.conditions] == ["wins", "losses", "generation", "source"]
    heads = {word.lower().rstrip("."): column for column, word in panes.TITLES.items()}
    assert {word: column for word, column in heads.items() if word != column} == query.TITLES


def test_parts_of_texts() -> None:
    (condition,) = query.read("parents~gen14_0049", COLUMNS, TEXTS).conditions
    assert condition.holds("Gen14_0049 Gen14_0003") and condition.holds("Gen14_0049")
    assert not condition.holds("Gen14_0048") and not condition.holds(None)
    assert query.read("parents~", COLUMNS, TEXTS).trouble == "parents~: expected a text behind it."
    assert query.read("points~2", COLUMNS, TEXTS).trouble == "points holds numbers: compare it with =, < or >."


def test_near_names_of_columns() -> None:
    def trouble(text: str) -> str:
        return query.read(text, COLUMNS, TEXTS).trouble

    assert trouble("pts>20") == "There is no column pts, did you mean points?"
    assert trouble("wons>20") == "There is no column wons, did you mean won?"
    assert trouble("parent~Gen14") == "There is no column parent, did you mean parents?"
    assert trouble("xyz>20") == "There is no column xyz."
