"""What the name of a run leaves out is as that generation evolved; files of their own and `material` look one ply."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evolve.names.players import resolve
from evolve.names.registration import register
from evolve.run.folder import Run
from game.players.names import PlayerNameError, parse_name
from game.players.network import NetworkPlayer
from game.search import interface
from game.search.interface import Limits, SearchOptions
from tests.runs import run_player

QUIET = SearchOptions(quiescence=True, table_bits=9)
PLAIN = SearchOptions(table_bits=9)
BLONDIE = SearchOptions(blondie=True, equal_depth=True)


def searching(one: Path, search: str) -> Path:
    """The folder of runs, where ``one`` evolved by this search."""
    config = one / "config.toml"
    before, rest = config.read_text().split("[search]\n")
    config.write_text(f"{before}[search]\n{search}\n[points]{rest.partition('[points]')[2]}")
    return one.parent


def known(runs: Path, name: str) -> NetworkPlayer:
    result = resolve(runs, None, parse_name(name))
    assert isinstance(result, NetworkPlayer)
    return result


@pytest.mark.parametrize(
    ("name", "limits", "style"),
    [
        ("one", Limits(5), QUIET),
        ("one@1", Limits(3), QUIET),
        ("one@0:{member}", Limits(1), QUIET),
        ("{runs}/one/generation_0001.csv", Limits(3), QUIET),
        ("one,depth=6", Limits(6), QUIET),
        ("one,nodes=20000", Limits(None, 20_000), QUIET),
        ("one,time=2", Limits(seconds=2.0), QUIET),
        ("one,quiescence=no", Limits(5), PLAIN),
        ("one,depth=1", Limits(1), PLAIN),
        ("one,depth=1,quiescence=yes", Limits(1), QUIET),
        ("one@0,depth=1", Limits(1), QUIET),
        ("copy.csv", Limits(1), interface.PLAIN),
        ("copy,depth=2", Limits(2), interface.PLAIN),
    ],
)
def test_name_without_options_takes_those_of_its_run(
    one: Path, name: str, limits: Limits, style: SearchOptions
) -> None:
    search = "depth = 1\nquiescence = true\ntable_bits = 9\ndeepen_every = 1"
    runs = searching(one, search)
    shutil.copy(one / "generation_0001.csv", runs / "copy.csv")
    member = Run(one).read_generation(0).names[1]
    result = known(runs, name.format(runs=runs, member=member))
    assert (result.limits, result.style) == (limits, style)


def test_nodes_and_blondie24s_rules_are_as_evolved_too(one: Path) -> None:
    runs = searching(one, "depth = 4\nnodes = 700\nblondie = true\nequal_depth = true\ntable_bits = 18")
    assert (known(runs, "one").limits, known(runs, "one").style) == (Limits(4, 700), BLONDIE)
    for name, limits, style in (
        ("one,depth=6", Limits(6), BLONDIE),
        ("one,depth=1", Limits(1), SearchOptions(equal_depth=True)),
        ("one,blondie=no,quiescence=yes", Limits(4, 700), SearchOptions(quiescence=True, equal_depth=True)),
    ):
        assert (known(runs, name).limits, known(runs, name).style) == (limits, style), name
    assert not known(runs, "one,depth=1").looks_ahead()


def test_a_run_folder_gives_the_same_players(one: Path) -> None:
    searching(one, "depth = 3\nquiescence = true\ntable_bits = 9")
    for options, limits, style in (
        ({}, Limits(3), QUIET),
        ({"depth": 1}, Limits(1), PLAIN),
        ({"nodes": 50}, Limits(None, 50), QUIET),
    ):
        result = run_player(Run(one), 2, **options)
        assert isinstance(result, NetworkPlayer)
        assert (result.limits, result.style) == (limits, style)
    options: dict[str, object]
    for options, words in (
        ({"quiescense": "yes"}, "no option quiescense .*; did you mean quiescence?"),
        ({"foo": 1}, "no option foo "),
        ({"quiescence": True}, "quiescence=True: expected yes or no"),
    ):
        with pytest.raises(PlayerNameError, match=words):
            run_player(Run(one), 2, **options)


@pytest.mark.parametrize(
    ("search", "name", "canonical"),
    [
        ("depth = 4\nquiescence = true", "one,depth=4", "one"),
        ("depth = 4\nquiescence = true", "one,depth=4,quiescence=yes", "one"),
        ("depth = 4\nquiescence = true", "one@1,quiescence=no", "one@1,depth=4,quiescence=no"),
        ("depth = 4\nquiescence = true", "one,nodes=9", "one,nodes=9"),
        ("depth = 4\nquiescence = true", "one,depth=1", "one,depth=1"),
        ("depth = 4\nquiescence = true", "one,depth=1,quiescence=yes", "one,depth=1,quiescence=yes"),
        ("depth = 4\nblondie = true", "one,quiescence=yes", "one"),
        ("depth = 4\nblondie = true", "one,blondie=no", "one,depth=4,blondie=no"),
        ("depth = 4\nblondie = true", "one,depth=1,blondie=yes", "one,depth=1,blondie=yes"),
        ("depth = 1", "one,depth=1,quiescence=no", "one"),
    ],
)
def test_the_short_name_of_a_player_means_the_same_player(one: Path, search: str, name: str, canonical: str) -> None:
    runs = searching(one, search)
    result = known(runs, name)
    assert result.canonical_name == canonical
    again = known(runs, canonical)
    assert (again.limits, again.style.blondie) == (result.limits, result.style.blondie)
    assert again.style.blondie or again.style == result.style


def test_the_window_and_the_verbs_mean_the_same_player(one: Path) -> None:
    from game.board import Position
    from game.players.names import PlayerName
    from gui.thinking.messages import Purpose, SearchRequest
    from gui.thinking.thoughts import Players

    runs = searching(one, "depth = 3\nquiescence = true\ntable_bits = 9")
    players = Players(runs)
    for depth in (1, 3, 5):
        request = SearchRequest(Purpose.MOVE, 1, PlayerName.of("one"), Position.start(), depth=depth)
        asked, meant = players.find(request), known(runs, f"one,depth={depth}")
        assert (asked.limits, asked.style) == (meant.limits, meant.style)
    register(runs)
