"""The screen of characters: choosing on the map, what it shows of a member, and damaged or empty maps."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from evolve.run.runs import SHIPPED_RUNS
from extras.cast.characters import NEAR, CharacterMap, Place, read_map, runs_with_maps
from extras.cast.chooser import CharactersEntry
from extras.cast.map_widget import ARROWS, CharacterMapWidget
from extras.cast.screen import UNRATED, CharactersScreen
from gui.background import Trouble
from gui.geometry import Rect
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from tests.cast_run import make_cast_run
from tests.gui.chooser_helpers import click_card, listed, titles
from tests.gui.hands import Hands, Opened
from tests.synthetic import make_run


def opened_map(hands: Hands) -> tuple[CharactersScreen, CharacterMap]:
    """Open the map from the list of opponents, and wait until it is read."""
    hands.key("n", "3")
    hands.until(lambda: titles(hands)[0] == "Characters")
    click_card(hands, "Characters")
    hands.click("play")
    screen = hands.app.screen
    assert isinstance(screen, CharactersScreen)
    hands.until(lambda: screen.map is not None)
    hands.wait(0.1)
    assert screen.map is not None
    return screen, screen.map


@pytest.mark.parametrize("members", [1, 125])
def test_a_member_is_chosen_by_mouse_and_keys_and_played(members: int, opened: Opened) -> None:
    hands = opened(animation="off")
    make_cast_run(hands.app.services.runs, "styles", members)
    screen, known = opened_map(hands)
    assert len(known.members) == members and screen.number == 0
    assert known.members[0].player.player.startswith("styles@0:Gen00_")
    widget = hands.widget("map")
    assert len(widget.squares) == min(members, 25)
    if members > 1:
        place = next(place for place in widget.squares if place != screen.place)
        hands.app.draw()
        hands.click(screen.ui.memory["map"].cells[place].centre)
        assert screen.place == place
        best = max(known.members[number].score for number in screen.here)
        assert screen.chosen is not None and screen.chosen.score == best == widget.squares[place]
        before = screen.number
        hands.key("]")
        assert screen.place == place and screen.number in screen.here and screen.number != before
        hands.key("[")
        assert screen.number == before
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
    screen, known = opened_map(hands)
    assert screen.strength.plies == 3 and hands.widget("depth").shown == "as evolved: 3"
    hands.key("-")
    assert screen.strength.plies == 2 and screen.number == 0
    hands.key("=")
    score = known.members[0].score
    assert screen.number > 0 and abs(known.members[screen.number].score - score) <= NEAR
    assert screen.strength.plies == 2
    hands.key("p")
    assert isinstance(hands.app.screen, Play)
    assert {seat.depth for seat in hands.app.screen.model.seats if seat.player} == {2}


def test_distinguishing_traits_are_shown_first(opened: Opened) -> None:
    hands = opened()
    make_cast_run(hands.app.services.runs, "styles", 60)
    screen, known = opened_map(hands)
    assert len({member.unlike for member in known.members}) > 40
    for number in (next(at for at, one in enumerate(known.members) if bool(one.unlike) == apart) for apart in (1, 0)):
        screen.number = number
        hands.app.redraw()
        facts = hands.widget("facts")
        begins = known.members[number].unlike or f"{100 * known.members[number].score:.1f}"
        assert facts.text.startswith(begins)


def test_two_members_are_watched(opened: Opened) -> None:
    hands = opened()
    make_cast_run(hands.app.services.runs, "styles", 60)
    screen, known = opened_map(hands)
    hands.key("<watch>")
    assert screen.first == 0 and hands.widget("do.watch").chosen
    hands.key("<watch>")  # a member does not play itself
    assert screen.first == -1
    hands.key("<watch>", "=")
    second = screen.number
    hands.key("<watch>")
    assert isinstance(hands.app.screen, Watching)
    names = [known.members[number].player.player for number in (0, second)]
    assert [seat.player for seat in hands.app.screen.model.seats] == names


def test_traits_are_chosen(opened: Opened) -> None:
    hands = opened()
    make_cast_run(hands.app.services.runs, "styles", 40)
    screen, known = opened_map(hands)
    seen = set()
    for _ in range(6):
        seen.add(screen.axes)
        widget = hands.widget("map")
        assert (widget.across, widget.up) == tuple(known.traits[axis] for axis in screen.axes)
        cells = {(one.square[screen.axes[0]], one.square[screen.axes[1]]) for one in known.members}
        assert set(widget.squares) == cells and screen.number == 0
        hands.key("<page>")
    assert len(seen) == 6
    across, up = screen.axes
    hands.widget("across").pick(up)  # the two change places
    assert screen.axes == (up, across)


def test_members_around_centres_are_placed_by_their_traits(opened: Opened) -> None:
    hands = opened()
    run = make_cast_run(hands.app.services.runs, "styles", 30, "back-row=1:3:3,wing=-1:1:2", centres=32)
    screen, known = opened_map(hands)
    widget = hands.widget("map")
    assert len(known.members) == 30 and widget.size == (2, 3) and len(widget.squares) == 6
    rows = run.read_generation(0)
    for row, member in enumerate(known.members):
        row_number = 1 + (float(rows.columns["back-row"][row]) - 1) // (2 / 3)
        assert member.cell == rows.columns["cell"][row] and known.place(row, 0, 1)[0] == row_number
    here = screen.here
    assert (
        len(here) > 1
        and hands.widget("here").text == f"1 of {len(here)} here: {known.members[0].cell.replace('=', ' ')}"
    )
    hands.key("]")
    assert screen.number == here[1] and f"2 of {len(here)} here" in hands.widget("here").text
    broken = make_cast_run(run.path.parent / "other", "broken", 3, "rim", centres=4, broken="cell=5")
    assert read_map(broken.path, broken.path.parent).troubles == (
        "Row 2, Gen00_0002, is damaged: cell=5: no such cell",
    )


@pytest.mark.parametrize("traits", ["rim", "back-row=1:3:3,wing=-1:1:2"])
def test_maps_of_one_and_two_traits(traits: str, opened: Opened) -> None:
    hands = opened()
    make_cast_run(hands.app.services.runs, "styles", 4, traits)
    _, known = opened_map(hands)
    assert len(hands.widget("map").squares) == len(known.members) == 4
    assert "do.next" not in hands.keys and ("across" in hands.keys) == ("," in traits)
    hands.key("]")
    assert "one member in this square" in hands.app.said


def test_a_damaged_row_is_named_and_the_others_play(opened: Opened) -> None:
    hands = opened()
    make_cast_run(hands.app.services.runs, "styles", 5, "rim", broken="rim=9")
    _, known = opened_map(hands)
    assert len(known.members) == 4
    assert hands.widget("damage").text == known.troubles[0]
    assert known.troubles[0].startswith("Row 2, Gen00_000") and "rim=9: no such cell" in known.troubles[0]
    hands.key("p")
    assert isinstance(hands.app.screen, Play)


@pytest.mark.parametrize("broken", ["rim=x", "rim", "centre=1", "rim=0", ""])
def test_rows_are_read_or_reported(broken: str, tmp_path: Path) -> None:
    run = make_cast_run(tmp_path, "styles", 3, "rim", broken=broken)
    known = read_map(run.path, tmp_path)
    assert len(known.troubles) == bool(broken) and len(known.members) == 3 - bool(broken)


def test_the_best_member_is_rated_by_the_log_and_the_others_are_not(opened: Opened) -> None:
    hands = opened()
    run = make_cast_run(hands.app.services.runs, "styles", 5, "rim")
    columns = run.config().kind.log_columns()
    values = dict.fromkeys(columns, "0") | {"champion": "Gen00_0000", "rating": "-234.6"}
    values |= {"rating_low": "-304.9", "rating_high": "-163.1"}
    (run.path / "log.csv").write_text(f"{','.join(columns)}\n{','.join(values.values())}\n", encoding="utf-8")
    screen, known = opened_map(hands)
    assert [member.player.rating is not None for member in known.members] == [True] + [False] * 4
    facts = hands.widget("facts")
    assert "Rating 1265 (1195 to 1337), from games against fixed opponents." in f"{facts.text}{facts.hint}"
    screen.choose((known.members[1].square[0], 1))
    hands.app.redraw()
    facts = hands.widget("facts")
    assert f"{UNRATED}; that of generation 0 has 1265 (1195 to 1337)." in f"{facts.text}{facts.hint}"
    (run.path / "log.csv").write_text("generation,champion\n", encoding="utf-8")  # damaged: there is no rating
    known = read_map(run.path, run.path.parent)
    assert known.rated is None and {member.player.rating for member in known.members} == {None}


def test_empty_or_damaged_map_shows_the_reason(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    empty = make_cast_run(hands.app.services.runs, "empty", 0)
    broken = make_cast_run(hands.app.services.runs, "broken", 5)
    broken.generation_path(0).write_bytes(broken.generation_path(0).read_bytes()[:-9])
    screen = CharactersScreen(hands.app, [empty.path, broken.path], empty.path)
    hands.app.open(screen)
    hands.until(lambda: screen.map is not None)
    assert hands.widget("trouble").text.strip() == "No generation yet."
    hands.key("p")
    assert hands.app.screen is screen and hands.app.said == "Choose a member first."
    hands.key("<next-run>")
    hands.until(lambda: bool(screen.trouble))
    assert f"{broken.generation_path(0).name}: damaged" in hands.widget("trouble").text


def test_a_new_generation_is_read_and_the_cell_stays_chosen(opened: Opened) -> None:
    hands = opened()
    run = make_cast_run(hands.app.services.runs, "styles", 60)
    screen, known = opened_map(hands)
    hands.key("=")
    assert screen.chosen is not None
    cell, weaker = screen.chosen.cell, known.members[-1].cell
    game = screen.games.model
    shutil.rmtree(run.path)
    make_cast_run(hands.app.services.runs, "styles", 125, seed=2)
    hands.until(lambda: screen.map is not None and len(screen.map.members) == 125)
    assert screen.chosen.cell == cell and weaker in {member.cell for member in screen.map.members}
    hands.wait(0.2)
    assert screen.games.model is not game


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
    assert hands.app.said.startswith("No run has a map of characters")
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
        across="rim", up="wing", low=0.0, high=1.0,
    )  # fmt: skip
    return widget.next(key)


def test_the_map_of_the_shipped_cast_is_whole() -> None:
    shown = read_map(SHIPPED_RUNS / "cast", SHIPPED_RUNS)
    assert len(shown.members) == 77 and not shown.troubles
