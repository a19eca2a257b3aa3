"""Names of characters, and the file with their ratings and games."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import main
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS
from extras.cast.characters_file import NAME, CharacterRow, as_csv, find_row, read_characters
from extras.cast.members import MapRow, held_rows, map_in
from extras.cast.names import ADJECTIVES, NOUNS, name_members
from game.players.names import parse_name
from game.traits import NOTHING_SAID, TRAITS, TraitMean, measure_moves
from gui.individuals.personas import Personas
from gui.model.pdn import read
from gui.screens.play.play import Play
from tests.cast_run import make_cast_run
from tests.gui.hands import Opened

CAST = SHIPPED_RUNS / "cast"


def shipped() -> list[MapRow]:
    run = Run(CAST)
    return held_rows(run.read_generation(162), map_in(run.tables()))[0]


def drawn(count: int, seed: int) -> list[list[TraitMean]]:
    draw = random.Random(seed)
    return [
        [TraitMean(draw.gauss((trait.low + trait.high) / 2, trait.high - trait.low), 0.1, 48) for trait in TRAITS]
        for _ in range(count)
    ]


def test_names_are_unique_and_repeatable() -> None:
    for members in ([one.traits for one in shipped()], drawn(1, 1), drawn(2, 2), drawn(300, 3), []):
        names = name_members(members)
        assert len({name.text for name in names}) == len(names) == len(members)
        assert names == name_members(members)
    unknown = [[TraitMean(float("nan"), 0.0, 0)] * len(TRAITS)] * 3
    assert [name.text for name in name_members(unknown)] == ["The Newcomer", "The Newcomer 2", "The Newcomer 3"]


def test_names_are_true_to_the_traits() -> None:
    """A member has more of what its name says than the others, and no less than the middle of the range."""
    words = [word for pair in NOUNS.values() for nouns in pair for word in nouns] + [*sum(ADJECTIVES.values(), ())]
    assert len(set(words)) == len(words) and set(NOUNS) == set(ADJECTIVES) == {trait.name for trait in TRAITS}
    for members in ([one.traits for one in shipped()], drawn(100, 4)):
        for own, name in zip(members, name_members(members), strict=True):
            assert name.traits
            for index, much in name.traits:
                trait = TRAITS[index]
                mean = sum(each[index].value for each in members) / len(members)
                assert all((own[index].value > point) == much for point in (mean, (trait.low + trait.high) / 2))
                words = (*NOUNS[trait.name][much], ADJECTIVES[trait.name][much])
                assert any(word in name.text for word in words)


def test_shipped_characters_are_those_of_the_run() -> None:
    members, rows = shipped(), read_characters(CAST)
    names = name_members([one.traits for one in members])
    assert [row.name for row in rows] == [name.text for name in names] and len(rows) == 77
    assert [row.cell for row in rows] == [
        map_in(Run(CAST).tables()).name(one.cell).replace(",", " ") for one in members
    ]
    assert all(row.games == row.wins + row.draws + row.losses == 60 and row.depth == 3 for row in rows)
    assert all(row.rating_low < row.rating < row.rating_high for row in rows)
    assert not any(row.name.startswith("Gen") or not row.sentence for row in rows)
    assert not any(NOTHING_SAID in row.sentence.lower() for row in rows)
    assert len({row.tincture for row in rows}) >= 7, "colours tell main traits apart"
    assert all(20 <= len(row.game.split()) <= 120 and row.colour in ("black", "white") for row in rows)


def test_characters_are_rated_by_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The results depend on the games alone, so two processes write the same file."""
    run = make_cast_run(tmp_path, "styles", 3)
    common = ["inspect", "styles", "--characters", "--runs", str(tmp_path), "--games"]
    written = []
    for workers in ("1", "2"):
        assert main.main([*common, "12", "--workers", workers]) == 0
        written.append((run.path / NAME).read_bytes())
    assert written[0] == written[1] and "3 characters, 12 games each" in capsys.readouterr().out
    assert as_csv(list(read_characters(run.path))) == written[0]
    assert main.main([*common, "7"]) == 2
    assert "expected a multiple of 6 for 3 anchors, got 7" in capsys.readouterr().err
    for targets in (["first"], [], ["styles", "styles"], ["no-such-run"]):
        assert main.main(["inspect", *targets, "--characters"]) == 2
        assert "expected one run with a map" in capsys.readouterr().err


def test_a_damaged_file_of_characters_is_ignored(tmp_path: Path) -> None:
    run = make_cast_run(tmp_path, "styles", 3)
    assert read_characters(run.path) == ()
    whole = (CAST / NAME).read_text(encoding="utf-8")
    for text in ("", "member\n", whole.replace(",60,", ",x,", 1), whole[:-400] + "\0"):
        (run.path / NAME).write_text(text, encoding="utf-8")
        assert read_characters(run.path) == () or len(read_characters(run.path)) == 77


def row_of(text: str) -> CharacterRow | None:
    return find_row(SHIPPED_RUNS, parse_name(text))


def test_members_are_found_by_any_name_of_a_player() -> None:
    best = read_characters(CAST)[0]
    assert row_of("cast") == row_of("cast@162") == row_of(f"cast:{best.member},depth=5") == best
    result = row_of("cast:back-row=5,centre=1")
    assert result is not None and "back-row=5" in result.cell and "centre=1" in result.cell
    for other in ("cast@140", "cast:Gen161_0086", "cast:back-row=9", "first", "material", "nobody:x"):
        assert row_of(other) is None


def test_personas_of_a_cast_have_rating_as_they_play_and_the_colour_of_their_trait(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    services, row = hands.app.services, read_characters(CAST)[5]
    personas = Personas(SHIPPED_RUNS)
    known = personas.persona(f"cast:{row.member}", 3)
    assert (known.name, known.sentence, known.rating) == (row.name, row.sentence, row.interval)
    assert personas.persona(f"cast:{row.member}", 6).rating is None
    seat = services.opponents.seat(f"cast:{row.member}", "Gen162_0036 of cast (rank 6)")
    assert (seat.title, seat.brief) == (f"{row.name} (cast)", row.name) and services.persona(seat).name == row.name
    hands.until(lambda: services.persona(seat).emblem is not None)
    emblem = services.persona(seat).emblem
    assert emblem is not None and emblem.tincture == row.tincture % 8
    assert services.personas.emblem(seat.player or "") == emblem, "the same in every place"


def test_a_game_against_a_character_has_its_name(opened: Opened, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "cast"
    shutil.copytree(CAST, run)
    hands = opened(runs=run.parent, animation="off")
    row = read_characters(run)[2]
    hands.app.services.change_settings(opponent=f"{run}:{row.member}", opponent_title="an old title")
    hands.key("p")
    assert isinstance(hands.app.screen, Play)
    names = {seat.brief for seat in hands.app.screen.model.seats}
    assert row.name in names


def test_games_of_characters_bear_out_their_sentences_and_most_are_won() -> None:
    """In its game, a member is on the side of the middle of a trait's range that each clause of its sentence says."""
    won, clauses = 0, 0
    for row in read_characters(CAST):
        game = read(row.pdn)
        assert not game.trouble and len(game.model.plies) == len(row.game.split())
        measured = measure_moves([ply.move for ply in game.model.plies])[("black", "white").index(row.colour)]
        for clause in row.sentence.removesuffix(".").lower().split(", "):
            clause = clause.partition(" than ")[0]
            (at,) = (at for at, one in enumerate(TRAITS) if clause in (one.little, one.less, one.much, one.more))
            much, middle = clause in (TRAITS[at].much, TRAITS[at].more), TRAITS[at].middle
            assert (measured[at] > middle) == much, (row.name, clause)
            clauses += 1
        won += game.model.ending is not None and game.model.ending.winner == ("black", "white").index(row.colour)
    assert won > 50 and clauses == 184
