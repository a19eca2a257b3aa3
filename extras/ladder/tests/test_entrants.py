"""Ladders: one name for one player, however it is written, and nobody against itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.config import anchors
from evolve.names.registration import register
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS
from extras.ladder.ladder import anchor_players, unique_entrants
from game.networks.named import BLONDIE_1741, CNN_247
from game.players.network import NetworkPlayer
from game.players.registry import player
from tests.called import SMALL, evolve_cowan
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("own_names")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("some runs")
    for name in ("one", "two"):
        seed = f"--seed={1 if name == 'one' else 2}"
        assert main.main(evolve_cowan(f"--out={folder}", f"--name={name}", "--generations=2", seed, *SMALL)) == 0
    return folder


@for_each(
    ("text", "name"),
    [
        ("random,seed=0", "random"),
        ("random,seed=7", "random,seed=7"),
        ("material", "material,depth=1"),
        ("material,depth=4,quiescence=no", "material,depth=4"),
        ("material, quiescence=yes , depth=04", "material,depth=4,quiescence=yes"),
        ("material,tablebase=yes,depth=4", "material,depth=4,tablebase=yes"),
        ("material,tablebase=no,blondie=no,nodes=500", "material,nodes=500"),
        ("material,blondie=yes,quiescence=yes,depth=2", "material,depth=2,blondie=yes"),
        ("material,threats=yes,quiescence=yes,keeps_table=no,depth=2", "material,depth=2,threats=yes"),
        ("material,selective=yes,nodes=9", "material,nodes=9,selective=yes"),
        (
            "material,selective=yes,twofold=no,depth=2",
            "material,depth=2,threats=yes,keeps_table=yes,reductions=yes,pruning=yes",
        ),
        ("'material',seed=3,depth=2", "material,depth=2,seed=3"),
        ("material,seed=0", "material,depth=1,seed=0"),  # one that draws lots: another player
        ("external:'python3 -S, x',depth=3", "external:'python3 -S, x',depth=3"),
    ],
)
def test_names_of_built_in_players(text: str, name: str, tmp_path: Path) -> None:
    assert player(text).canonical_name == name
    assert player(name).identity == player(text).identity  # the name means the player


def test_anchors_have_their_names() -> None:
    assert tuple(each.canonical_name for each in anchor_players(anchors.ANCHORS)) == anchors.ANCHORS


def test_anchor_keeps_its_name_beside_aliases() -> None:
    register(SHIPPED_RUNS)
    name, other = anchors.FROZEN[0], "crownhead-2@6,nodes=20000,tablebase=4"
    players, renamed = unique_entrants([player(other)], anchor_players([name]))
    assert [each.name for each in players] == [name]
    assert dict(renamed) == {other: name}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("one", "one"),
        ("{runs}/one", "one"),
        ("'{runs}/one/../one'@1", "one@1"),
        ("one@01,depth=1", "one@1"),
        ("one@2,quiescence=yes", "one@2,depth=1,quiescence=yes"),
        ("one@2,depth=2,selective=no,twofold=yes", "one@2,depth=2,twofold=yes"),
        ("one:{individual},depth=4,blondie=no", "one:{individual},depth=4"),
        ("'{runs}/one/generation_0002.csv',nodes=9", '"{runs}/one/generation_0002.csv",nodes=9'),
    ],
)
def test_names_of_individuals(text: str, name: str, runs: Path) -> None:
    register(runs)
    individual = Run.open("one", runs).read_generation(2).names[0]
    text, name = (each.format(runs=runs, individual=individual) for each in (text, name))
    quoted = text if text.startswith(("'", "one")) else f'"{text}"'
    assert player(quoted).canonical_name == name
    assert player(name).identity == player(quoted).identity


def test_paths_elsewhere_stay(runs: Path, tmp_path: Path) -> None:
    register(tmp_path)
    assert player(f"'{runs}/one'").canonical_name == f'"{runs}/one"'


def test_entrants_differ_by_behaviour() -> None:
    weights = np.zeros(CNN_247.weights, np.float32)
    one = NetworkPlayer("one", weights)
    assert one.identity == NetworkPlayer("other", weights.copy(), 5, king=CNN_247.king).identity
    others = [
        NetworkPlayer("one", weights + np.float32(1)),
        NetworkPlayer("one", weights, king=1.5),
        NetworkPlayer("one", weights, limits=player("material,depth=2").limits),  # type: ignore[attr-defined]
        NetworkPlayer("one", np.zeros(BLONDIE_1741.weights, np.float32), spec=BLONDIE_1741),
        *map(player, ("random", "random,seed=1", "material", "material,seed=0", "material,seed=1", "external:python3")),
        player("external:python3,depth=2"),
    ]
    assert len({each.identity for each in [one, *others]}) == len(others) + 1


def test_entrants_are_unique(tmp_path: Path) -> None:
    texts = ["material", "random", "material,depth=4,quiescence=no", "random,seed=0", "material,depth=4", "random"]
    players, renamed = unique_entrants([*map(player, texts), *map(player, anchors.CHAIN)])
    names = ["material,depth=1", "random", "material,depth=4", "material,depth=2", "material,depth=6", anchors.ZERO]
    assert [each.name for each in players] == names
    assert dict(renamed) == {
        "material": "material,depth=1",
        "material,depth=4,quiescence=no": "material,depth=4",
        "random,seed=0": "random",
    }


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert main.main(["ladder", *arguments, "--games=4", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def timeless(result: dict[str, Any]) -> dict[str, Any]:
    return {**result, "seconds": 0, "renamed": {}}


def test_the_command_rates_each_player_once_by_its_shortest_name(
    capsys: pytest.CaptureFixture[str], runs: Path
) -> None:
    options = (f"--runs={runs}", "--anchors=random;material,depth=2")
    path = f'"{runs}/one"@2'
    output = call(capsys, "one", "material,depth=2,quiescence=no", path, "one@2,depth=1", "two", *options)
    assert {row["player"] for row in output["players"]} == {"material,depth=2", "one", "two", "random"}
    assert len(output["pairings"]) == 6
    assert output["zero"] == "one"
    assert output["renamed"] == {
        "material,depth=2,quiescence=no": "material,depth=2",
        path: "one",
        "one@2,depth=1": "one",
    }
    # However they are written, they play the same games.
    again = call(capsys, "one", "material,depth=2", "two", *options)
    assert timeless(again) == timeless(output)
    assert main.main(["ladder", "material", "material,depth=2", "--anchors=none", "--games=2"]) == 0
    assert "\nmaterial is listed as material,depth=1, the same player\n" in capsys.readouterr().out + "\n"


def test_one_player_by_two_names_is_no_ladder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["ladder", "material", "material,depth=1", "--anchors=none", "--games=2"]) == 2
    assert capsys.readouterr().err == "main.py: a ladder needs two players or more\n"
