"""Players and networks by their names: files, runs, and presets; and what a name leaves out is as it evolved."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.config import toml
from evolve.names import players
from evolve.names.players import resolve
from evolve.names.registration import register
from evolve.run import generation_csv
from evolve.run.columns import GenerationError
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.runs import Runs
from game.errors import InputError
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CHECKERSAI_247, CNN_247, from_file
from game.players.names import FORMS, PlayerNameError, parse_name
from game.players.network import NetworkPlayer
from game.players.registry import player
from game.search import interface
from game.search.interface import Limits, SearchOptions
from tests.evolve.run.folder_helpers import weights_of
from tests.runs import run_player
from tests.synthetic import make_run

NAMES = ["Ann", "Bob"]


def file_of(path: Path, seed: int) -> bytes:
    """Two individuals of cnn-247 in a file; the weights of the first."""
    weights = np.random.default_rng(seed).uniform(-1, 1, (2, CNN_247.weights)).astype(np.float32)
    columns = ",".join(["names", *(f"w{index}" for index in range(CNN_247.weights))])
    rows = [",".join([name, *map(repr, row.tolist())]) for name, row in zip(NAMES, weights, strict=True)]
    path.write_text("\n".join([columns, *rows, ""]), encoding="utf-8")
    return generation_csv.read(path).weights[0].tobytes()


@pytest.fixture
def folder(one: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The run ``one``, the files ``pair.csv`` and ``my, own.csv``; we are somewhere else."""
    here = one.parent
    file_of(here / "pair.csv", 1)
    file_of(here / "my, own.csv", 2)
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    register(here)
    return here


def test_files_by_their_bare_names(folder: Path) -> None:
    assert Runs(folder).file_names() == ["my, own", "pair"]
    rows = generation_csv.read(folder / "pair.csv").weights
    for text, row in (("pair", 0), ("pair:Bob", 1), ("pair,depth=2", 0), ("pair.csv", 0), ("pair.csv:Bob", 1)):
        assert weights_of(text) == rows[row].tobytes(), text
    assert weights_of('"my, own":Ann') == generation_csv.read(folder / "my, own.csv").weights[0].tobytes()
    limits = player("pair:Ann,depth=3,quiescence=yes")
    assert isinstance(limits, NetworkPlayer)
    assert (limits.limits.depth, limits.style.quiescence) == (3, True)


@pytest.mark.needs("spreadsheets")
def test_a_generation_that_a_spreadsheet_has_saved_again_plays_the_same_moves(folder: Path) -> None:
    """The same bits, whatever the separator, the decimal mark and the columns."""
    rows = generation_csv.read(folder / "pair.csv")
    cells = [f"{at};{name};" + ";".join(map(str, rows.weights[at])) for at, name in enumerate(rows.names)]
    columns = ";name;" + ";".join(f"w{at}" for at in range(rows.weights.shape[1]))
    text = "\n".join([columns, *cells, ""]).replace(".", ",")
    (folder / "again.csv").write_text(text, encoding="utf-16")
    for name in (f"again:{rows.names[1]}", "again.csv"):
        assert weights_of(name) == rows.weights[1 if ":" in name else 0].tobytes()


def test_a_path_goes_before_a_file_in_the_folder_and_a_run_before_both(folder: Path) -> None:
    here = file_of(folder / "elsewhere" / "pair.csv", 3)
    lying = generation_csv.read(folder / "pair.csv").weights[0].tobytes()
    assert weights_of("pair.csv") == here
    assert weights_of("pair") == lying != here
    of_run = weights_of("one")
    file_of(folder / "one.csv", 4)
    assert weights_of("one") == of_run
    assert weights_of("one@1") != of_run
    assert weights_of("one.csv") != of_run


def test_the_network_of_a_file_in_the_folder(folder: Path) -> None:
    (folder / "small.csv").write_text("name,w0,w1\na,1,2\n")
    with pytest.raises(InputError, match=r"small\.csv: 2 weights: no shipped network has this number"):
        player("small")
    register(folder, ANACONDA_5046)
    with pytest.raises(GenerationError, match=r"247 weight columns, expected 5046"):
        player("pair")


def test_a_file_with_as_many_weights_as_the_network_of_a_preset_has_this_network(folder: Path) -> None:
    spec = toml.load("first").network
    names, weights = (",".join(template.format(index) for index in range(spec.weights)) for template in ("w{}", "{}"))
    (folder / "found.csv").write_text(f"name,king,{names}\na,1.5,{weights}\n")
    named = player("found")
    assert isinstance(named, NetworkPlayer)
    assert (named.spec, named.king) == (spec, 1.5)


def test_name_selects_the_network_of_a_file(folder: Path) -> None:
    """As CheckersAI's own files need it, whose networks saw own pieces negative; the name keeps it."""
    plain, signed = player("pair:Bob"), player("pair:Bob,depth=2,network=checkersai-247")
    assert isinstance(plain, NetworkPlayer)
    assert isinstance(signed, NetworkPlayer)
    assert (plain.spec, signed.spec) == (CNN_247, CHECKERSAI_247)
    assert signed.canonical_name == "pair:Bob,network=checkersai-247,depth=2"
    assert player(signed.canonical_name).identity == signed.identity != plain.identity
    register(folder, ANACONDA_5046)
    of_run = player("pair:Bob,network=one")
    assert isinstance(of_run, NetworkPlayer)
    assert of_run.spec == Run(folder / "one").network()
    for text, error in (
        ("pair,network=nothing", "network 'nothing': expected cnn-247, "),
        ("one,network=cnn-247", "player 'one,network=cnn-247': network=... is only for CSV files"),
        ("material,network=cnn-247", "material has no option network"),
    ):
        with pytest.raises(InputError) as raised:
            player(text)
        assert error in str(raised.value)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("pare", "no run 'pare' under {folder}, and no run folder; near: pair; expected {forms}"),
        ("par.csv", "player 'par.csv': no such file, nor one in {folder}; near: pair.csv"),
        ("pair@3", "player 'pair@3': pair is a CSV file, which has no generations (@)"),
        ("elsewhere/pair", "no run 'elsewhere/pair' under {folder}, and no run folder; expected {forms}"),
        ("../pair", "no run '../pair' under {folder}, and no run folder; near: pair; expected {forms}"),
        ("on", "; near: one"),
        ("MATERIAL", "; near: material"),
    ],
)
def test_unknown_names_are_refused(text: str, error: str, folder: Path) -> None:
    with pytest.raises(PlayerNameError) as raised:
        player(text)
    assert error.format(folder=folder, forms=FORMS) in str(raised.value)
    with pytest.raises(GenerationError, match="no individual is called 'Bobby'; near: Bob"):
        player("pair:Bobby")


EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "larger-cnn.toml"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name, network in (("one", "blondie-1741"), ("league", "cnn-247"), ("cnn-247", "blondie-1741")):
        make_run(folder, name, 0, network=network)
    return folder


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("anaconda-5046", ANACONDA_5046),
        ("cnn-247", CNN_247),  # what is shipped goes before a run
        ("one", BLONDIE_1741),
        ("league", CNN_247),  # and a run before a preset
        ("blondie24-1999", BLONDIE_1741),
        ("crownhead-1", toml.load("crownhead-1").network),
        ("crownhead-33", toml.load("crownhead-1").network),
        (str(EXAMPLE), from_file(EXAMPLE)),
    ],
)
def test_a_network_has_the_name_of_a_preset_or_run(name: str, expected: object, runs: Path) -> None:
    assert players.find_network(runs, name) == expected


@pytest.mark.needs("weights")
def test_by_the_path_of_a_run(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["network", str(runs / "one"), f"--runs={tmp_path}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "blondie-1741"


def test_a_run_of_a_newer_program(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "one", tmp_path / "new")
    path = tmp_path / "new" / "config.toml"
    path.write_text(path.read_text().replace("\nformat = 1\n", "\nformat = 2\n"))
    with pytest.raises(RunError, match="written by a newer program"):
        players.find_network(tmp_path, "new")


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
