"""Reports on traits, from matches and from files."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

import main
from evolve.workers.pool import Pool
from extras.traits import report as traits
from game.errors import InputError
from game.players.basic import MaterialPlayer, RandomPlayer
from game.search.interface import Limits
from game.traits import TRAITS, TraitMean, sentence
from gui.individuals.personas import STYLES

GAME = '[Event "a"]\n[Black "Anna"]\n[White "Bert"]\n\n1. 11-15 22-18 2. 15x22 25x18 *\n'
SET_UP = '[Black "Anna"]\n[SetUp "1"]\n[FEN "B:W30:B1"]\n\n1. 1-5 *\n'


LOOKING = replace(MaterialPlayer(), limits=Limits(3))


def test_players_differ_and_workers_do_not_matter() -> None:
    players = [LOOKING, RandomPlayer("random", 0)]
    report = traits.of_players(players, [RandomPlayer("random", 1)], 40)
    with Pool(2) as pool:
        again = traits.of_players(players, [RandomPlayer("random", 1)], 40, pool=pool)
    assert report.plain() == again.plain()
    first_king = [player.traits[7].value for player in report.players]
    assert first_king[0] > first_king[1] + 25
    assert [player.games for player in report.players] == [40, 40]


def test_the_traits_of_a_player_are_those_of_its_own_moves() -> None:
    [player] = traits.of_players([LOOKING], [RandomPlayer("random", 1)], 20).players
    [other] = traits.of_players([RandomPlayer("random", 1)], [LOOKING], 20).players
    assert player.traits[7].value > other.traits[7].value + 50


@pytest.mark.check
def test_the_sentence_of_a_shipped_player_follows_from_its_traits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["inspect", "q-learning", "--traits", "--games", "100", "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)["players"][0]["traits"]
    assert sentence([TraitMean(**measured[trait.name]) for trait in TRAITS]) == STYLES["q-learning"]


def test_a_file_by_the_names_of_its_players() -> None:
    report = traits.of_file(io.StringIO(GAME * 3 + SET_UP))
    anna, bert = report.players
    assert (anna.name, anna.games, bert.name, bert.games, report.left_out) == ("Anna", 3, "Bert", 3, 1)
    assert (anna.traits[-1].value, anna.traits[-1].games) == (2.0, 3)
    assert all(mean.games == 0 for mean in anna.traits[:-1])
    values = report.plain()
    assert values["players"][0]["traits"]["back-row"] == {"value": None, "error": None, "games": 0}
    assert "Fewer than 8 games" in report.contents().sections[0].more


def test_a_file_without_games() -> None:
    with pytest.raises(InputError, match="no games found"):
        traits.of_file(io.StringIO(""))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("inspect --traits", "--traits: expected one or more players"),
        ("inspect crownhed --traits", "near: crownhead"),
        ("inspect random --traits --games 3", "expected an even number"),
        ("inspect random --traits --against nobody", "no run 'nobody'"),
        ("inspect random --against material", "--against: only together with --traits"),
        ("inspect one --earlier=0 --traits", "--earlier: not with --traits"),
        ("analyse --traits", "--traits is for games"),
        ("analyse crownhead --pdn games.pdn --traits", "PLAYER: not with --traits"),
        ("analyse --pdn games.pdn --traits --depth 0", "--depth: not with --traits"),
        ("analyse --pdn games.pdn --traits --out x.pdn", "--out: not with --traits"),
        ("analyse --pdn games.pdn --traits", "there is no such file"),
    ],
)
def test_wrong_input_is_one_line(
    words: str, text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "crownhed" not in words:
        monkeypatch.chdir(tmp_path)
    assert main.main(words.split()) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert printed.err.count("\n") == 1
    assert text in printed.err


def test_reports_have_all_traits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.pdn"
    file.write_text(GAME)
    assert main.main(["analyse", "--pdn", str(file), "--traits"]) == 0
    out = capsys.readouterr().out
    assert all(trait.name in out and trait.text.split(",")[0][:30] in out for trait in TRAITS)
    assert main.main(["inspect", "random", "material", "--traits", "--against=random", "--games=4", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [player["name"] for player in report["players"]] == ["random", "material"]
    file.write_text(GAME.replace("22-18", "22-19"))
    assert main.main(["analyse", "--pdn", str(file), "--traits"]) == 2
    assert "ply 2" in capsys.readouterr().err
