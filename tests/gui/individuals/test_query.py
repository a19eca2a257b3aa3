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
