"""Players as people see them, the worth of each piece on the board, and what the numbers mean."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from evolve.strength.levels import LEVELS
from game import plain
from game.board import Position
from game.likes import Likes, likes
from game.networks.emblem import LEVELS as SHADES
from game.networks.emblem import METALS as LIGHTS
from game.networks.emblem import TINCTURES as COLOURS
from game.networks.emblem import emblem_of
from game.networks.first_layer import first_layer
from game.networks.named import CNN_247
from game.networks.spec import Spec
from game.players.basic import MaterialPlayer, RandomPlayer
from gui.geometry import Rect
from gui.individuals.personas import Persona, Personas, beaten_by
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import METALS, THEMES, TINCTURES, contrast
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.play.play import Play
from gui.screens.play.rated import RULES
from gui.thinking.messages import SideResult, SideWork
from gui.widgets.emblem import draw_emblem
from tests.gui.hands import Hands, Opened
from tests.gui.rated_helpers import begun

OPPONENT = Seat("material", 4, 2.0, "Counter")
OTHER = Seat("random", 1, None, "Chance")


def table(hands: Hands, seats: tuple[Seat, Seat] = (HUMAN, OPPONENT), plies: int = 0) -> Hands:
    model = GameModel(seats)
    for _ in range(plies):
        model.play(plain.legal_moves(model.last)[0])
    hands.app.open(Play(hands.app, model))
    hands.wait(0.1)
    return hands


def asked(hands: Hands) -> SideWork:
    return hands.thinker.asked_likes[-1]


def player(hands: Hands) -> str:
    return str(asked(hands).arguments[1])


def position(hands: Hands) -> Position:
    asked_for: Position = asked(hands).arguments[2]
    return asked_for


def tell(hands: Hands, result: Likes | None = None, trouble: str = "") -> None:
    """Let the fake answer the last request with the likes of the piece counter."""
    if result is None and not trouble:
        result = likes(MaterialPlayer(), position(hands))
    hands.thinker.done[asked(hands)] = SideResult(asked(hands), result, trouble)
    hands.wait(0.1)


def worth(hands: Hands) -> dict[int, str]:
    return {square: text for square, (text, _) in hands.board.marks.worth.items()}


@pytest.mark.parametrize("mouse", [False, True])
def test_pieces_show_their_worth(opened: Opened, mouse: bool) -> None:
    hands = table(opened())
    assert not hands.thinker.asked_likes
    if mouse:
        hands.click("do.menu")
        hands.click("menu.worth")
    else:
        hands.key("i")
    assert hands.app.services.settings.worth
    assert "One moment…" in hands.words[1] and worth(hands) == {}
    assert (position(hands), player(hands)) == (hands.game.model.shown, "material")
    tell(hands)
    assert worth(hands) == dict.fromkeys(hands.board.pieces, "")
    assert hands.widget("do.worth").hint == "Worth in men: 1 if unmarked, says Counter."
    hands.click("do.worth")
    assert worth(hands) == {} and not hands.app.services.settings.worth


def test_no_piece_is_worth_a_zero_with_a_sign_and_men_are_named_where_they_are_counted(opened: Opened) -> None:
    hands = table(opened(worth=True))
    tell(hands, Likes("Some network", {1: 0.001, 2: -0.004, 21: 1.0, 22: -1.0}))
    assert worth(hands) == {1: "0.0", 2: "0.0", 21: "−1.0", 22: ""}
    hands.touch(11, 15)
    tell(hands, Likes("Some network", {1: 0.001, 2: -0.25, 21: -1.0}, men=False))
    assert worth(hands) == {1: "0 %", 2: "−25 %", 21: "100 %"}
    assert hands.widget("do.worth").hint == "Worth at most 100 %, says Counter."


def test_they_follow_the_game_and_give_way_to_hands_and_flights(opened: Opened) -> None:
    hands = table(opened(worth=True, animation="slow"), plies=2)
    tell(hands)
    assert len(worth(hands)) == 24
    hands.key("left")
    assert hands.board.marks.worth == {}  # for another position, and requested at once
    assert position(hands) == hands.game.model.shown
    tell(hands)
    assert len(worth(hands)) == 24
    hands.key("right")
    assert hands.game.flight is not None and worth(hands) == {}
    hands.settle()
    assert len(worth(hands)) == 24  # known from before
    assert len(hands.thinker.asked_likes) <= 3


def test_a_hint_hides_the_numbers_and_their_sentence(opened: Opened) -> None:
    hands = table(opened(worth=True))
    tell(hands)
    hands.key("h")
    hands.wait(0.1)
    hands.thinker.answer(2)
    hands.wait(0.1)
    assert hands.board.marks.hint and worth(hands) == {} and "do.worth" not in hands.keys


def test_without_a_worth_of_pieces_there_is_a_reason(opened: Opened) -> None:
    hands = table(opened(worth=True))
    hands = table(hands, (OTHER, HUMAN))
    assert player(hands) == "random"
    tell(hands, likes(RandomPlayer(), position(hands)))
    assert worth(hands) == {}
    assert hands.widget("status").hint == "Chooses at random; all moves, pieces and squares are equal to it."
    hands = table(hands, (HUMAN, OPPONENT), plies=2)
    tell(hands, trouble="nobody: no such player")
    assert hands.widget("status").hint == "nobody: no such player"


def test_it_is_that_of_the_first_program_or_of_the_analyst(opened: Opened) -> None:
    hands = table(opened(worth=True), (OPPONENT, OTHER), plies=4)
    assert player(hands) == "material"
    hands.app.open(Play(hands.app, GameModel(), recorded=True))
    hands.wait(0.1)
    assert player(hands) == str(hands.game.table.analyst.name)


def test_a_rated_game_shows_it_only_when_it_is_over(opened: Opened) -> None:
    hands = begun(opened, worth=True)
    hands.key("i")
    assert hands.app.notice == RULES and not hands.thinker.asked_likes
    hands.key("<resign>", "return")
    hands.wait(0.5)
    assert hands.thinker.asked_likes


RUNS = Path("populations")
PIECES_65 = Spec("pieces-65", "pieces", (), king=1.5, piece_difference=True, tables=True)


def made(personas: Personas, *players: str) -> None:
    """Wait until the emblems of players are known."""
    for player in players:
        personas.emblem(player)
    while personas.busy:
        personas.step()
        time.sleep(0.01)


def test_persona_of_a_level_has_its_name_and_rating_at_its_depth() -> None:
    personas, level = Personas(RUNS), LEVELS[4]
    known = personas.persona(level.player, level.depth)
    assert (known.name, known.rating, known.rating_text) == ("Expert", level.interval, "1787")
    assert personas.persona(level.player, level.depth + 1).rating is None
    assert personas.persona(None) == Persona()
    assert personas.persona("no-such-run:Gen1_0001") == Persona()
    assert personas.persona("material,") == Persona()


def test_emblems_tell_individuals_apart_and_share_the_colour_of_their_run() -> None:
    personas = Personas(RUNS)
    players = "first@0", "first@16", "first", "crownhead", "crownhead-1", "cowan-deep", "zero"
    assert [personas.emblem(player) for player in players] == [None] * len(players), "nothing waits for weights"
    made(personas, *players, "first@112", "material", "no-such-run")
    emblems = [personas.emblem(player) for player in players]
    assert len({each.fields for each in emblems if each is not None}) == len(players)
    assert len({each.tincture for each in emblems[:3] if each is not None}) == 1
    assert len({each.metal for each in emblems[:3] if each is not None}) > 1, "they look unlike each other"
    assert personas.emblem("first@112") == personas.emblem("first")
    assert (personas.emblem("material"), personas.emblem("no-such-run")) == (None, None)
    personas.close(5)


def test_emblem_is_the_worth_of_men_by_part_of_the_board() -> None:
    weights = [0.0] * PIECES_65.weights
    plain = emblem_of(first_layer(weights, PIECES_65), "run")
    assert plain is not None and plain.fields == ((0,) * 4,) * 4
    weights[0] = weights[1] = 1.0  # two squares of its own back row
    raised = emblem_of(first_layer(weights, PIECES_65), "run")
    assert raised is not None and raised.fields == (*((0,) * 4,) * 3, (SHADES - 1, SHADES - 1, 0, 0))
    assert emblem_of([], "run") is None
    kernel = emblem_of(first_layer([float(at) for at in range(CNN_247.weights)], CNN_247), "run")
    assert kernel is not None and {shade for row in kernel.fields for shade in row} == set(range(SHADES))


def test_emblem_is_drawn_in_every_theme_and_size(display: None) -> None:
    from gui.toolkit import pygame

    assert (len(TINCTURES), len(METALS)) == (COLOURS, LIGHTS)
    assert all(contrast(dark, light) > 4.5 for dark in TINCTURES for light in METALS)
    emblem = emblem_of(first_layer([float(at % 7) for at in range(PIECES_65.weights)], PIECES_65), "run")
    for theme in THEMES.values():
        for side in (0, 1, 2, 16, 90):
            surface = pygame.Surface((100, 100))
            surface.fill(theme.panel)
            canvas = Canvas(surface, Look(theme, 1.0, Fonts()))
            for each in (None, emblem):
                draw_emblem(canvas, Rect(5, 5, side, side), each)
            outside = surface.get_at((2, 2)), surface.get_at((98, 98))
            assert all(colour[:3] == theme.panel for colour in outside)
            if side >= 16:
                seen = {tuple(surface.get_at((5 + x, 5 + side // 3)))[:3] for x in range(side)}
                assert len(seen) > 3, "shades beside each other"


def test_the_edge_of_a_plain_shield_is_no_darker_than_the_shield(display: None) -> None:
    from gui.toolkit import pygame

    theme, surface = THEMES["light"], pygame.Surface((100, 100))
    surface.fill(theme.panel)
    draw_emblem(Canvas(surface, Look(theme, 1.0, Fonts())), Rect(5, 5, 90, 90), None)
    assert min(surface.get_at((x, y))[:3] for x in range(100) for y in range(100)) == theme.line


def test_emblem_needs_no_compiled_code() -> None:
    code = (
        "import sys; from gui.individuals.personas import *; p = Personas(Path('populations')); p.emblem('first');"
        "list(iter(lambda: (p.step(), p.busy)[1], False));"
        "sys.exit(p.emblem('first') is None or 'numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_champion_of_a_run_says_what_the_run_beats() -> None:
    players = ("first@64", "first", "zero", "first@0", "first:Gen000_0001", "random", "no-such-run", "crownhead")
    texts = [beaten_by(RUNS, player) for player in players]
    assert texts[:3] == ["Beats Club.", "Generation 64 beat Club.", "Rated above Strong."]
    assert texts[4:] == ["", "", "", ""]
