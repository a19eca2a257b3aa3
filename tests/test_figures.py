"""The figures on pages that invite are those of the files that commands wrote."""

from __future__ import annotations

import json
import re

import pytest

from tests import figures
from tests.cases import for_each


@for_each("page", figures.PAGES)
def test_figures_of_pages_are_those_of_their_files(page: str) -> None:
    text = (figures.ROOT / page).read_text(encoding="utf-8")
    assert text == figures.page(text), "run python -m tests.figures"
    assert figures.unmarked(text) == [], "name the source of a figure in a comment"


def test_wrong_and_unmarked_figures_are_noticed() -> None:
    text = "| 9<!-- first.weights --> | (1 to 2)<!-- guinn.interval --> |\n<!-- first.report -->\n```\nold\n```\n"
    new = figures.page(text)
    assert new.startswith("| 93<!-- first.weights --> | (23 to 82)<!-- guinn.interval --> |\n") and "old" not in new
    assert figures.page(new) == new and figures.unmarked(new) == []
    sentence = "It is +12 Elo, 1,024 games, `5`, [six](7.md), with 95 % of 8.5."
    assert figures.unmarked(sentence) == ["+12", "1,024", "8.5"]


def test_the_film_lasts_as_long_as_its_caption_says() -> None:
    image = pytest.importorskip("PIL.Image")
    facts, lasts = figures.figures("film"), 0
    with image.open(figures.FILM.with_suffix(".gif")) as film:
        for frame in range(film.n_frames):
            film.seek(frame)
            lasts += film.info["duration"]
    assert 10_000 <= lasts <= 20_500 and abs(lasts - 1000 * int(facts["seconds"])) <= 1000
    readme = (figures.ROOT / "README.md").read_text(encoding="utf-8")
    assert facts["black"].startswith("material") and facts["white"].startswith("living")
    assert "White evolves" in readme and "Black counts pieces" in readme


def test_each_match_was_played_between_the_players_of_today() -> None:
    played = json.loads(figures.PLAYED.read_text(encoding="utf-8"))
    assert list(played) == list(figures.MATCHES)
    for name, (player, opponent, games) in figures.MATCHES.items():
        assert (played[name]["players"], played[name]["games"]) == ({"a": player, "b": opponent}, games)


@pytest.mark.check
def test_a_match_gives_the_same_counts_again() -> None:
    played = json.loads(figures.PLAYED.read_text(encoding="utf-8"))
    assert figures.play("Casual") == played["Casual"]


def test_the_address_is_that_of_the_project() -> None:
    clone = re.findall(r"git clone (\S+?)`", (figures.ROOT / "README.md").read_text(encoding="utf-8"))
    assert clone == [figures.figures("project")["url"]]
