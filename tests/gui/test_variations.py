"""Variations: played here or read from PDN, entered and left, kept in files, and shown in the list of moves."""

from __future__ import annotations

from random import Random

import pytest

from game import plain
from game.board import Position
from gui.model.game import GameModel
from gui.model.lines import DEEPEST, VariationError, find_broken, read_variation
from gui.model.pdn import read, to_pdn
from gui.model.seats import HUMAN, Seat
from gui.model.turn import Refusal, Refused
from gui.screens.play.play import Play
from gui.storage.game_text import from_text, to_text
from tests.gui.hands import Opened

NESTED = (
    "1. 11-15 {the usual one} (1. 10-15 {Kelso} 21-17 (1... 22-18 2. 15x22 $1 26x17) 2. 9-13) (1. 9-14! 22-18) "
    "1... 23-19 2. 8-11 22-17 (2... 22-18 3. 15x22 25x18) 3. 4-8 *"
)


def moves(model: GameModel) -> str:
    return " ".join(str(ply.move) for ply in model.plies)


def played(text: str, model: GameModel | None = None) -> GameModel:
    model = model or GameModel()
    for move in text.split():
        model.play(next(legal for legal in plain.legal_moves(model.last) if str(legal) == move))
    return model


def round_trip(model: GameModel) -> str:
    """Write a game and read it again, as PDN and as kept; return its PDN, which must remain the same."""
    text = to_pdn(model)
    assert to_pdn(read(text).model) == text == to_pdn(from_text(to_text(model))[0])
    return text.replace("\n", " ")


def test_another_move_keeps_the_old_line_as_a_variation() -> None:
    model = played("11-15 23-19 8-11 22-17")
    model.go_to(2)
    assert model.play_on_from_here()
    played("9-14", model)
    assert moves(model) == "11-15 23-19 9-14" and not model.can_redo
    assert "2. 9-14 (2. 8-11 22-17)" in round_trip(model)
    model.undo()
    played("9-13", model)  # a third line from the same position: the newest variation comes first
    assert "2. 9-13 (2. 9-14) (2. 8-11 22-17)" in round_trip(model)
    model.undo()
    played("8-11", model)  # back in the first line, whose other move can be redone
    assert "2. 8-11 (2. 9-13) (2. 9-14) *" in round_trip(model)
    assert model.redo() and moves(model) == "11-15 23-19 8-11 22-17"


def test_the_same_move_again_is_no_variation() -> None:
    model = played("11-15 23-19 8-11 22-17")
    model.go_to(1)
    model.play_on_from_here()
    played("23-19", model)
    assert model.can_redo and not model.variations(1)
    model.redo()
    assert moves(model) == "11-15 23-19 8-11 22-17"


def test_nested_variations_with_comments_are_read_entered_left_and_written_unchanged() -> None:
    model = read(NESTED).model
    assert NESTED in round_trip(model)
    before = to_pdn(model)
    model.go_to(0)
    assert model.next_variation() and moves(model) == "10-15 21-17 9-13" and model.comment == "Kelso"
    assert model.next_variation() and moves(model) == "9-14 22-18"
    assert model.next_variation() and moves(model).startswith("11-15 23-19") and model.cursor == 1
    assert model.next_variation() and moves(model) == "10-15 21-17 9-13"  # also on the move that it replaces
    model.go_to(2)
    assert model.next_variation() and moves(model) == "10-15 22-18 15x22 26x17" and model.cursor == 2
    model.go_to(0)
    assert not read("1. 11-15 23-19 (1... 22-18) 2. 8-11 *").model.next_variation()
    model.enter_variation(0, model.variations(0)[0][0])
    model.enter_variation(1, model.variations(1)[0][0])
    assert moves(model) == "10-15 22-18 15x22 26x17" and len(model.branches) == 2
    assert to_pdn(model) == before and to_text(model) == to_text(model.whole())
    model.go_to(1)
    assert moves(model) == "10-15 21-17 9-13" and len(model.branches) == 1
    model.go_to(0)
    assert not model.branches and to_pdn(model) == before and model.stamp == 0


def test_moves_played_in_a_variation_are_part_of_it() -> None:
    model = read("1. 11-15 (1. 10-15 21-17) 23-19 *").model
    model.enter_variation(0, model.variations(0)[0][0])
    model.go_to(99)
    played("9-13", model)
    assert "(1. 10-15 21-17 2. 9-13) 1... 23-19" in round_trip(model)
    model.go_to(1)
    model.play_on_from_here()  # the variation becomes the game
    assert not model.branches and moves(model) == "10-15" and model.can_redo
    assert "1. 10-15 (1. 11-15 23-19) *" in round_trip(model)
    assert read("1. 11-15 (1. 10-15) *").model.variations(0)


def test_comments_before_a_variation_are_kept() -> None:
    model = read("1. 11-15 ({first} 1. 10-15! {second} 21-17) 23-19 *").model
    assert "({first} 1. 10-15! {second} 21-17)" in round_trip(model)
    model.enter_variation(0, model.variations(0)[0][0])
    assert model.comment == "first second"
    model.go_to(99)
    played("9-13", model)
    assert "(1. 10-15! {first} {second} 1... 21-17 2. 9-13)" in round_trip(model)


def test_variation_without_moves_is_removed() -> None:
    model = read("1. 11-15 (1. 10-15 21-17) 23-19 *").model
    model.enter_variation(0, model.variations(0)[0][0])
    assert model.undo() and model.undo()
    assert moves(model) == "11-15 23-19" and "1. 11-15 23-19 *" in round_trip(model)


def test_in_a_game_with_a_program_a_variation_is_only_looked_at() -> None:
    model = GameModel((HUMAN, Seat("random")))
    played("11-15 23-19 8-11 22-17", model)
    model.undo()
    played("9-14", model)
    model.enter_variation(2, model.variations(2)[0][0])
    assert not (model.program_to_move or model.person_to_move or model.can_undo or model.can_redo)
    assert model.touch(4) == Refused(Refusal.VARIATION, 4)
    model.go_to(2)
    model.go_to(99)
    assert model.program_to_move and moves(model) == "11-15 23-19 9-14"


@pytest.mark.parametrize(
    ("variation", "why"),
    [
        ("10-16", "10-16 is not legal there"),
        ("10-15 nonsense", "'nonsense': expected a move"),
        ("no moves at all", "expected a move"),
        ("{only words}", "expected moves such as 11-15 23-19"),
        ("", "expected moves such as 11-15 23-19"),
    ],
)
def test_a_broken_variation_is_one_line_and_the_game_is_kept(variation: str, why: str) -> None:
    loaded = read(f"1. 11-15 ({variation}) 23-19 2. 8-11 *")
    assert moves(loaded.model) == "11-15 23-19 8-11" and loaded.trouble == ""
    assert loaded.warning.startswith("Kept as text, since it cannot be played: line 1: game 1, ply 1: variation ")
    assert why in loaded.warning and "\n" not in loaded.warning
    assert not loaded.model.variations(0) and f"({variation})" in round_trip(loaded.model)
    with pytest.raises(VariationError):
        read_variation(Position.start(), variation)


def test_variations_inside_each_other_have_a_limit() -> None:
    deep = "11-15 (" * (DEEPEST + 3) + "11-15" + ")" * (DEEPEST + 3)
    assert [why.partition(": ")[2] for why in find_broken(Position.start(), deep)] == [
        f"expected at most {DEEPEST} variations inside each other"
    ]


@pytest.mark.parametrize("seed", range(4))
def test_any_tree_is_the_same_after_writing_and_reading(seed: int) -> None:
    random, model = Random(seed), GameModel()
    for _ in range(60):
        deed = random.random()
        if deed < 0.6 and not model.over and model.at_end:
            model.play(random.choice(plain.legal_moves(model.last)))
        elif deed < 0.75:
            model.go_to(random.randrange(len(model.plies) + 1))
            model.play_on_from_here() if deed < 0.68 else model.next_variation()
        else:
            model.go_to(99)
        assert model.turn.position == model.last
    text = to_pdn(model)
    assert to_pdn(read(text).model) == text
    assert not read(text).warning
    while model.branches:
        model.leave_variation()
    assert to_pdn(model) == text


def test_the_list_shows_variations_which_keys_and_clicks_enter(opened: Opened) -> None:
    hands = opened()
    model = read(NESTED).model
    screen = Play(hands.app, model, flipped=False, recorded=True)
    hands.app.open(screen)

    def listed() -> list[tuple[str, ...]]:
        table = hands.widget("moves")
        return [tuple(getattr(cell, "text", cell) for cell in table.cells(row)) for row in range(table.count)]

    assert listed() == [
        ("1.", "11-15", "23-19"), ("", "10-15", "21-17 …"), ("", "9-14 !", "22-18"),
        ("2.", "8-11", "22-17"), ("", "…", "22-18 …"), ("3.", "4-8", ""),
    ]  # fmt: skip
    hands.key("home", "]")
    assert moves(model) == "10-15 21-17 9-13" and hands.words == ("Variation: Move 1 of 2, Black", "Kelso")
    hands.picture()
    assert listed()[1] == ("", "11-15", "23-19 …")  # the way back
    hands.key("]")
    assert moves(model) == "9-14 22-18"
    assert listed()[0] == ("1.", "9-14 !", "22-18")  # with the mark of the file
    hands.key("[")
    assert not model.branches and model.cursor == 0
    assert hands.words == ("Before the first move", "Press → for the next move.")
    hands.key("right", "]")  # the variations are listed below this move
    assert moves(model) == "10-15 21-17 9-13"
    hands.key("[")
    hands.click_row("moves", 4)
    assert moves(model) == "11-15 23-19 8-11 22-18 15x22 25x18" and model.cursor == 4
    hands.key("escape")
    assert not model.branches and model.cursor == 3
    assert screen.read_only  # looking changes nothing
