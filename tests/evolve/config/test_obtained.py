"""How the networks of each preset come about, in one set of words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.config import preset_files, toml
from evolve.config.check import parse
from evolve.config.model import Config
from evolve.config.sections import Founders, Plugins

GAMES, GRADIENT = "by games alone", "with a gradient"
OBTAINED = dict.fromkeys(("cowan", "cowan-ballots", "cowan-deep", "blondie24", "blondie24-1999", "league"), GAMES) | {
    "crownhead-1": GAMES,
    "first": GAMES,
    "living": GAMES,
    "cast": GAMES,
    "q-learning": f"{GAMES}, {GRADIENT}",
    "q-learning-published": f"{GAMES}, {GRADIENT}",
    "zero": f"by tree search, {GRADIENT}",
    "crownhead": f"by tree search and own searches, {GRADIENT}",
    "zero-published": f"by tree search, {GRADIENT}",
    "policy": f"from recorded games, {GRADIENT}",
    "endgame": f"from tablebases, {GRADIENT}",
    "endgame-diagonal": f"from tablebases, {GRADIENT}",
}


def test_a_method_whose_code_is_not_here_does_not_say_how_networks_are_obtained() -> None:
    errors: list[str] = []
    config = parse({"learning": {"method": "elsewhere", "visits": 3}}, errors, unknown=True)
    assert config is not None and not errors and config.obtained == "" and config.kind.search == "tree"


def test_every_preset_is_here() -> None:
    assert {*preset_files.shipped_preset_names()} == set(OBTAINED)


@pytest.mark.parametrize("preset", OBTAINED)
def test_presets_report_how_players_are_obtained(preset: str) -> None:
    settings = ["learning.games='games.pdn'"] if preset == "policy" else []
    assert toml.load(preset, settings=settings).obtained == OBTAINED[preset]


@pytest.mark.parametrize(
    ("settings", "how"),
    [
        (["learning.teacher="], f"by own searches, {GRADIENT}"),
        (["learning.teacher=", "learning.stages.0.first=2"], f"by tree search and own searches, {GRADIENT}"),
    ],
)
def test_searches_without_a_teacher(settings: list[str], how: str) -> None:
    """Without a teacher, and with games by alpha-beta from the first generation on, no tree is ever searched."""
    assert toml.load("crownhead", settings=settings).obtained == how


def test_origin_is_unknown_if_a_plugin_decides() -> None:
    config = toml.load("cowan")
    assert replace(config, plugins=Plugins(files=("ops.py",))).obtained == ""


@pytest.mark.parametrize(
    ("founder", "obtained"),
    [
        ("by own searches, with a gradient", "by own searches, with a gradient, then by games alone"),
        ("by tree search, then by games alone", "by tree search, then by games alone"),
        ("", "as its founder was, then by games alone"),
    ],
)
def test_origin_of_a_founder_is_included(founder: str, obtained: str) -> None:
    assert Config(founders=Founders(method="player", obtained=founder)).obtained == obtained
    assert Config(founders=Founders(method="bred", obtained=founder)).obtained == GAMES
