"""The screen of characters: choosing on the map, what it shows of a member, and damaged or empty maps."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from evolve.run import status
from evolve.run.runs import SHIPPED_RUNS
from extras.cast.characters import MAP, NO_CHARACTER, THIRDS, CharacterMap, Place, read_map, runs_with_maps
from extras.cast.chooser import CharactersEntry
from extras.cast.map_widget import ARROWS, CharacterMapWidget
from extras.cast.screen import NONE, CharactersScreen
from game.traits import TRAITS
from gui.background import Trouble
from gui.geometry import Rect
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from gui.widgets.cards import CardScroll
from tests.cast_run import make_cast_run
from tests.gui.chooser_helpers import listed, titles
from tests.gui.hands import Hands, Opened
from tests.synthetic import make_run


def opened_map(hands: Hands) -> tuple[CharactersScreen, CharacterMap]:
    """Open the characters from the list of opponents, wait until they are read, and show the map."""
    hands.key("n", "3")
    hands.until(lambda: titles(hands)[0] == "Characters")
    hands.key("<characters>")
    screen = hands.app.screen
    assert isinstance(screen, CharactersScreen)
    hands.until(lambda: screen.map is not None)
    screen.show(MAP)
    hands.app.redraw()
    hands.wait(0.1)
    assert screen.map is not None
    return screen, screen.map


def test_a_few_characters_have_cards_and_no_empty_map(opened: Opened) -> None:
    hands = opened()
    make_cast_run(hands.app.services.runs, "styles", 6, "back-row=1.4:2.9:12,wing=-1:2:9")
    screen, _ = opened_map(hands)
    assert screen.views == ["All"] and not {"shelves", "map"} & set(hands.keys)
    assert hands.widget("cards").count == 6


def test_a_member_is_chosen_by_mouse_and_keys_and_played(opened: Opened) -> None:
    hands = opened(animation="off")
    make_cast_run(hands.app.services.runs, "styles", 125)
    screen, known = opened_map(hands)
    assert len(known.members) == 125 and screen.number == 0
    assert known.members[0].player.player.startswith("styles@0:Gen00_")
    widget = hands.widget("map")
    assert len(widget.squares) == 25
    place = next(place for place in widget.squares if place != screen.place)
    hands.app.draw()
    hands.click(screen.ui.memory["map"].cells[place].centre)
    assert screen.place == place
    here = known.stacks(*screen.axes)[place]
    assert known.strength(screen.number) == max(map(known.strength, here)) == widget.squares[place]
    hands.key("tab")  # the focus is now visible
    screen.ui.focus = "map"
    hands.key("left" if place[0] > 1 else "right")
    assert screen.place == (place[0] + (-1 if place[0] > 1 else 1), place[1])
    assert screen.chosen is not None
    player = screen.chosen.player.player
    hands.key("p")
    assert isinstance(hands.app.screen, Play)
    seat = next(seat for seat in hands.app.screen.model.seats if seat.player)
    assert (seat.player or "").startswith(player) and seat.depth == 3  # as evolved
    hands.key("escape")
    assert hands.app.screen is screen


def test_strength_and_character_are_chosen_apart(opened: Opened) -> None:
    hands = opened(animation="off")
    make_cast_run(hands.app.services.runs, "styles", 60)
    screen, _ = opened_map(hands)
    assert screen.strength.plies == 3 and hands.widget("depth").shown == "3 (usual)"
    hands.key("-")
    assert screen.strength.plies == 2 and screen.number == 0
    screen.show(screen.views[1])
    assert screen.number > 0 and screen.strength.plies == 2
    hands.key("p")
    assert isinstance(hands.app.screen, Play)
    assert {seat.depth for seat in hands.app.screen.model.seats if seat.player} == {2}


def test_a_member_is_watched_against_the_nearest_one(opened: Opened) -> None:
    hands = opened()
    make_cast_run(hands.app.services.runs, "styles", 60)
    screen, known = opened_map(hands)
    other = known.nearest(screen.number)
    assert other != screen.number
    hands.key("<watch>")
    assert isinstance(hands.app.screen, Play) and isinstance(hands.app.screen.state, Watching)
    names = [f"{known.members[number].name} (styles)" for number in (screen.number, other)]
    assert [seat.title for seat in hands.app.screen.model.seats] == names


def test_traits_are_chosen(opened: Opened) -> None:
    hands = opened()
    make_cast_run(hands.app.services.runs, "styles", 40)
    screen, known = opened_map(hands)
    seen = set()
    for _ in range(3):
        seen.add(screen.axes)
        widget = hands.widget("map")
        ends = [next(each for each in TRAITS if each.name == known.traits[axis]) for axis in screen.axes]
        assert widget.across == (f"← {ends[0].little}", f"{ends[0].much} →")
        assert widget.up == (f"↓ {ends[1].little}", f"{ends[1].much} ↑")
        cells = {(one.square[screen.axes[0]], one.square[screen.axes[1]]) for one in known.members}
        assert set(widget.squares) == cells and screen.number == 0
        screen.choose_axes(screen.axes[1], 3 - sum(screen.axes))
        hands.app.redraw()
    assert len(seen) == 3
    across, up = screen.axes
    assert {"Back row", "Pieces on the board"} <= set(hands.widget("across").names)
    hands.widget("across").pick(up)  # the two change places
    assert screen.axes == (up, across)


@pytest.mark.parametrize("traits", ["rim", "back-row=1:3:3,wing=-1:1:2"])
def test_maps_of_one_and_two_traits(traits: str, opened: Opened) -> None:
    hands = opened()
    make_cast_run(hands.app.services.runs, "styles", 4, traits)
    _, known = opened_map(hands)
    assert len(known.members) == 4 and ("map" in hands.keys) == ("," in traits)


def test_a_damaged_row_is_named_and_the_others_play(opened: Opened) -> None:
    hands = opened()
    make_cast_run(hands.app.services.runs, "styles", 5, "rim", broken="rim=9")
    _, known = opened_map(hands)
    assert len(known.members) == 4
    damage = hands.widget("damage")
    assert (damage.text, damage.hint) == ("generation_0000.csv: 1 damaged character.", known.troubles[0])
    assert (
        known.troubles[0].startswith("generation_0000.csv: row 2, Gen00_000")
        and "rim=9: no such cell" in known.troubles[0]
    )
    hands.key("p")
    assert isinstance(hands.app.screen, Play)


@pytest.mark.parametrize("broken", ["rim=x", "rim", "centre=1", "rim=0", ""])
def test_rows_are_read_or_reported(broken: str, tmp_path: Path) -> None:
    run = make_cast_run(tmp_path, "styles", 3, "rim", broken=broken)
    known = read_map(run.path, tmp_path)
    assert len(known.troubles) == bool(broken) and len(known.members) == 3 - bool(broken)


def test_characters_are_on_shelves_by_strength_with_the_nearest_first(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS, animation="off")
    screen = CharactersScreen(hands.app, [SHIPPED_RUNS / "cast"], SHIPPED_RUNS / "cast")
    hands.app.open(screen)
    hands.until(lambda: screen.map is not None)
    known, own = screen.map, hands.app.services.career.rating_value
    assert known is not None and screen.views == ["For you", "Strong", "Middle", "Gentle", "Map"]
    apart = [abs(known.strength(number) - own) for number in range(77)]
    assert sorted(apart)[:5] == [apart[number] for number in screen.shelves["For you"]]
    assert sorted(number for name in THIRDS for number in screen.shelves[name]) == list(range(77))
    order = [known.strength(number) for name in THIRDS for number in screen.shelves[name]]
    assert order == sorted(order, reverse=True)
    nearest = known.members[screen.number]
    assert (hands.widget("one").text, hands.widget("sentence").text) == (nearest.name, nearest.sentence)
    cards = hands.widget("cards")
    assert cards.count == 5 and cards.card(0).title == nearest.name
    whole = [part.lower() for part in nearest.sentence.removesuffix(".").split(", ")]
    assert cards.card(0).line.lower() == f"{min(whole, key=len)}."
    hands.key("2", "down")
    hands.wait(0.1)
    assert "nearest" not in hands.keys
    strong = known.members[screen.shelves["Strong"][screen.shelves["Strong"].index(screen.number)]]
    assert strong.name != nearest.name and hands.widget("rating").text.startswith("Rating 14")
    hands.key("5")
    assert hands.widget("map").emblems and hands.widget("one").text == strong.name
    hands.key("p")
    assert isinstance(hands.app.screen, Play)
    assert strong.name in {seat.brief for seat in hands.app.screen.model.seats}


def test_the_game_of_the_chosen_character_is_replayed(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    screen = CharactersScreen(hands.app, [SHIPPED_RUNS / "cast"], SHIPPED_RUNS / "cast")
    hands.app.open(screen)
    hands.until(lambda: screen.map is not None)
    hands.wait(0.2)
    before = hands.widget("board").pieces
    hands.wait(2.0)
    assert hands.widget("board").pieces != before
    shown = screen.game.model
    hands.key("down")
    hands.wait(0.2)
    assert screen.game.model is not shown


def test_characters_without_a_file_are_named_and_not_rated(opened: Opened) -> None:
    hands = opened()
    make_cast_run(hands.app.services.runs, "styles", 30)
    screen, known = opened_map(hands)
    assert not known.rated and screen.views == ["Strong", "Middle", "Gentle", "Map"]
    assert hands.widget("rating").text.startswith("Scores ") and "80 games" not in hands.widget("rating").hint
    assert len({member.name for member in known.members}) == 30
    assert "board" not in hands.keys and all(member.name.startswith("The ") for member in known.members)
    hands.key("p")
    assert isinstance(hands.app.screen, Play)
    assert f"{known.members[0].name} (styles)" in {seat.title for seat in hands.app.screen.model.seats}


def test_characters_are_found_by_name(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    hands.key("n")
    chooser = listed(hands)
    (entry,) = (entry for entry in chooser._exhibits if isinstance(entry, CharactersEntry))
    hands.until(lambda: bool(entry.offers()))
    hands.key("3")
    chooser.choose(0)
    hands.app.redraw()
    assert len([key for key in hands.keys if key.startswith("crest")]) == 6
    hands.until(lambda: len(set(hands.widget("cards").card(0).others) - {None}) == 3)
    hands.key("/")
    hands.type("lean fortress")
    hands.until(lambda: bool(chooser.shelves.results))
    assert titles(hands) == ["The Lean Fortress"]
    chooser.choose(0)
    hands.app.redraw()
    assert hands.widget("details.name").text == "The Lean Fortress"
    assert "Holds its back row" in hands.widget("details").text
    hands.click("play")
    assert isinstance(hands.app.screen, Play)
    assert "The Lean Fortress" in {seat.brief for seat in hands.app.screen.model.seats}
    hands.key("escape", "n", "/")
    hands.type("lean fortress")
    hands.wait(1.0)
    assert titles(hands) == ["The Lean Fortress"], "once, though it is listed as the last opponent"
    assert hands.widget("details").text.startswith("Holds its back row.")
    hands.key("ctrl+a")
    hands.type("the fortress")
    assert titles(hands)[0] == "The Fortress" and len(titles(hands)) > 1
    hands.key("ctrl+a")
    hands.type("characters many")
    assert titles(hands) == ["Characters"], "a card that opens a screen is found, too"
    listed(hands).activate(0)
    assert isinstance(hands.app.screen, CharactersScreen)


def test_empty_or_damaged_map_shows_the_reason(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    empty = make_cast_run(hands.app.services.runs, "empty", 0)
    broken = make_cast_run(hands.app.services.runs, "broken", 5)
    broken.generation_path(0).write_bytes(broken.generation_path(0).read_bytes()[:-9])
    screen = CharactersScreen(hands.app, [empty.path, broken.path], empty.path)
    hands.app.open(screen)
    hands.until(lambda: screen.map is not None)
    assert hands.widget("trouble").text == f"{NO_CHARACTER}."
    status.write(empty.path, status.now(status.State.RUNNING, os.getpid(), 0, 9, 312, left=600.0))
    hands.until(lambda: "312 games so far.\nIts session ends in 10 min." in hands.widget("trouble").text)
    assert hands.widget("do.run").enabled and "panel" not in hands.keys
    hands.key("p")
    assert hands.app.screen is screen and hands.app.notice == NONE
    hands.widget("run").pick(1)
    hands.until(lambda: bool(screen.trouble))
    assert f"{broken.generation_path(0).name}: damaged" in hands.widget("trouble").text


def test_a_new_generation_is_read_and_the_cell_stays_chosen(opened: Opened) -> None:
    hands = opened()
    run = make_cast_run(hands.app.services.runs, "styles", 60)
    screen, known = opened_map(hands)
    screen.show("Middle")
    assert screen.chosen is not None
    cell, weaker = screen.chosen.cell, known.members[-1].cell
    shutil.rmtree(run.path)
    make_cast_run(hands.app.services.runs, "styles", 125, seed=2)
    hands.until(lambda: screen.map is not None and len(screen.map.members) == 125)
    assert screen.chosen.cell == cell and weaker in {member.cell for member in screen.map.members}


def test_only_runs_with_maps_offer_them(opened: Opened, tmp_path: Path) -> None:
    plain = make_run(tmp_path / "other", "without", 0)
    cast = make_cast_run(tmp_path / "other", "styles", 1)
    spoilt = make_cast_run(tmp_path / "other", "spoilt", 1)
    (spoilt.path / "config.toml").write_text("nonsense", encoding="utf-8")
    assert runs_with_maps([plain.path, cast.path, spoilt.path, tmp_path / "missing"]) == [cast.path]
    hands = opened()
    make_run(hands.app.services.runs, "ordinary", 0)
    hands.key("n")
    screen = listed(hands)
    (entry,) = (entry for entry in screen._exhibits if isinstance(entry, CharactersEntry))
    hands.until(lambda: not hands.app.services.background.wants(entry))
    hands.key("3")
    assert "Characters" not in titles(hands)
    hands.key("<characters>")
    assert hands.app.notice.startswith("No run has a map of characters")
    entry.receive(Trouble("the folder is gone"))
    assert "Characters" not in titles(hands)


def test_every_square_is_reached_by_arrow_keys() -> None:
    draw = random.Random(1)
    for count in (1, 2, 5, 12, 25):
        places = draw.sample([(x, y) for x in range(1, 6) for y in range(1, 6)], count)
        squares = dict.fromkeys(places, 0.5)
        reached: set[Place] = set()
        edge = {places[0]}
        while edge:
            reached |= edge
            edge = {place for here in edge for key in ARROWS if (place := _next(squares, here, key)) is not None}
            edge -= reached
        assert reached == set(places)


def _next(squares: dict[Place, float], here: Place, key: str) -> Place | None:
    widget = CharacterMapWidget(
        key="map", rect=Rect(0, 0, 9, 9), size=(5, 5), squares=squares, chosen=here, choose=id, activate=id,
        across=("rim", ""), up=("wing", ""), range=(0.0, 1.0), text=str,
    )  # fmt: skip
    return widget.next(key)


def test_the_map_of_the_shipped_cast_is_whole() -> None:
    shown = read_map(SHIPPED_RUNS / "cast", SHIPPED_RUNS)
    assert len(shown.members) == 77 and not shown.troubles


def test_one_click_on_the_shelf_of_exhibits_opens_the_characters(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    hands.key("n", "3")
    number = titles(hands).index("Characters")
    assert number == 0 and hands.widget("play").text == "Show the characters"  # the first is chosen
    cards = hands.widget("cards")
    hands.click(cards.place(number, hands.app.screen.ui.recall(cards, CardScroll)).centre)
    assert hands.app.screen.title == "Characters"
