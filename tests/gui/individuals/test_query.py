"""Searches in lists of individuals."""

from __future__ import annotations

from gui.individuals import query
from gui.individuals.columns import columns_of_many


def test_columns_are_also_found_by_the_words_that_head_them() -> None:
    found = query.read("Won>20 lost<3 gen.=4 from=mine", columns_of_many())
    assert [condition.column for condition in found.conditions] == ["wins", "losses", "generation", "source"]


def test_parts_of_texts() -> None:
    (condition,) = query.read("parents~gen14_0049", columns_of_many()).conditions
    assert condition.holds("Gen14_0049 Gen14_0003") and condition.holds("Gen14_0049")
    assert not condition.holds("Gen14_0048") and not condition.holds(None)
    assert query.read("parents~", columns_of_many()).trouble == "parents~: expected a text after it."
    assert query.read("points~2", columns_of_many()).trouble == "points holds numbers: compare it with =, < or >."


def test_near_names_of_columns() -> None:
    def trouble(text: str) -> str:
        return query.read(text, columns_of_many()).trouble

    assert trouble("pts>20") == "There is no column pts, did you mean points?"
    assert trouble("wons>20") == "There is no column wons, did you mean won?"
    assert trouble("parent~Gen14") == "There is no column parent, did you mean parents?"
    assert trouble("xyz>20") == "There is no column xyz."
