"""Searches in lists of individuals."""

from __future__ import annotations

from extras.individuals import query
from tests.cases import for_each


def test_columns_are_searched_by_their_headings() -> None:
    result = query.read("Won>20 lost<3 gen.=4 from=mine")
    assert [condition.column for condition in result.conditions] == ["wins", "losses", "generation", "source"]


def test_parts_of_texts() -> None:
    (condition,) = query.read("parents~gen14_0049").conditions
    assert condition.holds("Gen14_0049 Gen14_0003") and condition.holds("Gen14_0049")
    assert not condition.holds("Gen14_0048") and not condition.holds(None)
    assert query.read("parents~").trouble == "parents~: expected a text after it."
    assert query.read("points~2").trouble == "points holds numbers: compare it with =, < or >."


def test_near_names_of_columns() -> None:
    def trouble(text: str) -> str:
        return query.read(text).trouble

    assert trouble("pts>20") == "There is no column pts, did you mean points?"
    assert trouble("wons>20") == "There is no column wons, did you mean won?"
    assert trouble("parent~Gen14") == "There is no column parent, did you mean parents?"
    assert trouble("xyz>20") == "There is no column xyz."


@for_each(
    ("text", "misses"),
    [
        ("generation 40", 0),
        ("40", 0),
        ("generation 4", None),
        ("140", None),
        ("40 first", 0),
        ("Generation 40 of first", 1),
        ("3 first", 1),
        ("0173", 1),
        ("65", 1),
        ("1,622", 1),
        ("generation 40 points>60", 0),
        ("generation=40 rank=3", 0),
        ("generation 40 points>70", None),
        ("rank generation", None),
    ],
)
def test_search_finds_displayed_values(text: str, misses: int | None) -> None:
    result = query.read(text)
    values = {"generation": 40.0, "rank": 3.0, "games": 29.0, "wins": 19.0, "losses": 2.0, "points": 65.0}
    texts = ("first generation 40", "gen40_0173 gen40_0173 of first mutated 3 29 19 8 2 65 1622")
    assert not result.trouble
    assert result.misses(values.get, lambda: texts) == misses
