"""Choosing an opponent on three shelves, a ballot, and two players to watch."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from evolve.config.anchors import shown_text
from evolve.run.runs import SHIPPED_RUNS
from evolve.strength.levels import LEVELS
from game.board import Position
from gui.geometry import Size
from gui.individuals.individual import NOT_KEPT
from gui.individuals.shelves import EXHIBITS, LEVEL, YOURS
from gui.model.game import GameModel
from gui.model.lines import Piece
from gui.model.pdn import to_pdn
from gui.model.seats import HUMAN, Seat
from gui.screens.dialogs.ballots import BallotPicker
from gui.screens.dialogs.files import Files
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from gui.screens.sessions.new import NewSession
from gui.services import PLAYERS
from gui.thinking.messages import Purpose
from tests.gui.chooser_helpers import choose, click_card, listed, titles
from tests.gui.counts import controls, words
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import RatedFolder
from tests.runs import make_run, plain_file

COUNTER, RANDOM = Seat("material", 2, None, "Counter"), Seat("random")


POPULATIONS = Path(__file__).parents[2] / "populations"


def test_levels_are_cards_with_shields_and_boards_that_show_their_style(opened: Opened) -> None:
    hands = opened(runs=POPULATIONS)
    hands.key("n")
    screen = listed(hands)
    names = ["Beginner", "Casual", "Club", "Strong", "Expert", "Master", "Champion", "At my rating"]
    assert screen.shelf == LEVEL and titles(hands) == names

    def boards() -> list[Mapping[int, Piece] | None]:
        return [screen.shelves.pieces(offer) for offer in screen.listed]

    assert all(boards()) and len({str(board) for board in boards()[:-1]}) == len(LEVELS)
    card = hands.widget("cards").card
    assert [card(number).line for number in (0, 4, 7)] == ["Overlooks many traps", "Keeps its back row", "Adapts"]
    kept = [square for square, piece in card(4).pieces.items() if piece == Piece(1, False) and square > 28]
    assert len(kept) == 3  # of its back row, although few pieces are left
    click_card(hands, "Club")
    how = "Plays like people, seldom distracted, and sees 3 moves ahead."
    assert hands.widget("details").text.splitlines() == [how, "You score about 20 %."]
    assert hands.widget("board").pieces == boards()[2] == card(2).pieces

    def emblems() -> set[object]:
        return {hands.widget("cards").card(number).emblem for number in range(6)}

    hands.until(lambda: None not in emblems(), 10.0)
    assert len(emblems()) == 6  # four of them share a network
    assert "Rating 1224 ± 27" in hands.widget("details").hint
    hands.key("+")
    assert hands.app.notice == "A level has its own depth and time."
    hands.key("4")
    assert screen.level == 3
    hands.key("up", "return")
    assert hands.game.model.seats[1].shown.startswith("Casual") and hands.app.services.settings.depth == 1
    hands.key("n")
    assert listed(hands).level == 1  # as it was chosen last
    hands.key("4", "=")
    assert screen.level == 1 and hands.widget("details").text.endswith("ahead.\nAs strong as you.")


@pytest.mark.parametrize("size", [(1280, 800), (800, 600), (500, 820)])
def test_opponents_have_few_controls_and_words_each_when_chosen(opened: Opened, tmp_path: Path, size: Size) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(SHIPPED_RUNS / "first", runs / "mine")
    make_run(runs, "alpha")
    shown, walked = (opened(runs=folder, size=size) for folder in (POPULATIONS, runs)), 0
    for hands, shelves in zip(shown, ("13", "2"), strict=True):
        hands.key("n")
        for shelf in shelves:
            hands.key(shelf)
            for number in range(len(listed(hands).listed)):
                listed(hands).choose(number)
                hands.until(lambda: not hands.app.services.personas.busy, 60.0)  # noqa: B023  # it is called at once
                hands.app.redraw()
                assert controls(hands) <= 15 and words(hands) <= 60, (size, titles(hands)[number])
                walked += 1
    assert walked > 25


def test_shelves_list_own_runs_newest_first_and_describe_exhibits(opened: Opened, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    os.utime(make_run(runs, "alpha").path / "manifest.csv", (1e9, 1e9))
    shutil.copytree(SHIPPED_RUNS / "first", runs / "mine")
    plain_file(tmp_path / "runs" / "club.csv", ["Anna", "Berta"])
    hands = opened()
    hands.key("n", "2")
    assert titles(hands)[:2] == ["mine", "alpha"] and titles(hands)[-1] == "club.csv"
    offers = {offer.title: offer for offer in listed(hands).listed}
    assert "Generation 112" in offers["mine"].line and offers["mine"].rating
    assert offers["club.csv"].line == "A file; its first player is Anna."
    hands.key("3")
    assert [one.icon for one in listed(hands).listed[-2:]] == ["men", "dice"] and titles(hands)[-1] == "Random moves"
    hands.click(hands.widget("shelves").parts()[1].centre)
    assert listed(hands).shelf == YOURS
    shipped = opened(runs=POPULATIONS)
    shipped.key("n", "3")
    lines = {offer.title: offer.line for offer in listed(shipped).listed}
    assert lines["Taught by games"] == "Recorded games, no search" and lines["Blondie24"]
    for title, sentence in (("Taught by games", "Keeps the board full"), ("Blondie24", "Plays short games")):
        click_card(shipped, title)
        assert sentence in shipped.widget("details").hint
    strongest = next(offer for offer in listed(shipped).listed if offer.title == "Crownhead")
    assert strongest.rating == shown_text(LEVELS[-1].rating), "its session did not rate it"
    shipped.key("2")
    assert "Crownhead 1" not in titles(shipped) and controls(hands) <= 15


def test_without_own_runs_the_shelf_leads_to_a_new_session(opened: Opened) -> None:
    hands = opened()
    hands.key("n", "2")
    assert titles(hands) == [] and "panel" not in hands.keys
    hands.click("do.evolve")
    assert isinstance(hands.app.screen, NewSession)


def test_the_first_opponent_of_a_shelf_is_chosen_and_a_search_leaves_the_choice(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    hands = opened(runs=POPULATIONS)
    hands.key("n", "3")
    screen = listed(hands)
    assert screen.offer is not None and screen.offer == screen.listed[0]
    hands.key("1")
    assert listed(hands).level == 1  # the most recent opponent, or the nearest level
    hands.key("/")
    hands.type("cowan-deep")  # the name of its folder
    click_card(hands, "Cowan's network")
    hands.key("escape")
    assert screen.shelf == EXHIBITS and screen.offer is not None and screen.offer.title == "Cowan's network"


def test_search_finds_displayed_names_and_champions_before_individuals(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    make_run(tmp_path / "runs", "beta")
    plain_file(tmp_path / "runs" / "club.csv", ["Anna", "Berta"])
    hands = opened()
    hands.key("n", "/")
    for text, result in (
        ("generation 1", ["Generation 1", "Generation 1"]),
        ("beta gen 0", ["Generation 0"]),
        ("Generation 0 of alpha", ["Generation 0"]),
        ("Generation 1 of beta", ["Generation 1"]),
        ("gen01_0000", ["Gen01_0000", "Gen01_0000"]),
        ("alpha gen01_0003", ["Gen01_0003"]),
        ("Gen01_0002 of beta", ["Gen01_0002"]),
        ("berta", ["Berta"]),
        ("random moves", ["Random moves"]),
        ("nobody", []),
    ):
        hands.type(text)
        assert sorted(titles(hands)) == result, text
        hands.key("ctrl+a", "backspace")
    hands.type("champion alpha")
    assert listed(hands).listed[0].line.startswith("Champion of alpha. Generation 2,"), "why it was found"
    hands.key("ctrl+a")
    hands.type("gen01_0003")
    assert titles(hands) == ["Gen01_0003", "Gen01_0003"]
    hands.key("return")
    first = listed(hands).chosen
    assert first is not None and first.name == "Gen01_0003"
    hands.key("escape")
    assert listed(hands).chosen == first
    hands.key("p")
    assert "Gen01_0003" in hands.game.model.seats[1].player


def test_an_individual_without_weights_says_so(opened: Opened) -> None:
    hands = opened(runs=POPULATIONS)
    hands.key("n", "/")
    hands.type("cowan-deep gen30_0001")
    offer = click_card(hands, "Gen30_0001")
    assert offer.line == offer.player.trouble == NOT_KEPT
    hands.key("p")
    assert hands.app.notice == NOT_KEPT and isinstance(hands.app.screen, Chooser)


def test_player_evolved_without_look_ahead_is_offered_so(opened: Opened, tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "alpha")
    (run.path / "config.toml").write_text("[record]\nformat = 1\n[search]\ndepth = 1\n")
    hands = opened()
    hands.key("n")
    choose(hands, "alpha")
    assert (hands.widget("depth").value, hands.widget("depth").shown) == (0, "1 (usual)")
    assert "doubt" not in hands.keys
    hands.key("+")
    assert (hands.widget("depth").value, hands.app.services.settings.depth) == (2, 2)
    doubt = hands.widget("doubt")
    assert doubt.text == "It evolved at depth 1: deeper it may play worse."
    assert (doubt.colour, doubt.icon) == (hands.app.look.theme.warning, "warning")
    hands.key("0")
    assert (hands.widget("depth").value, hands.app.services.settings.depth) == (0, 0)
    hands.key("+")
    choose(hands, "material")
    assert hands.widget("depth").value == 2
    assert "doubt" not in hands.keys


def test_a_depth_once_chosen_gives_way_to_that_of_evolution_again(opened: Opened, tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "alpha")
    (run.path / "config.toml").write_text("[record]\nformat = 1\n[search]\ndepth = 6\n")
    hands = opened()
    hands.key("n")
    choose(hands, "alpha")
    assert hands.widget("depth").shown == "6 (usual)"
    hands.key("-")
    assert (hands.widget("depth").shown, hands.app.services.settings.depth) == ("5", 5)
    hands.key(*"-----")
    hands.app.redraw()
    assert (hands.widget("depth").shown, hands.app.services.settings.depth) == ("6 (usual)", 0)
    assert hands.widget("depth").low == 0  # the left end, for the mouse
    choose(hands, "material")
    assert "evolved" not in hands.widget("depth").shown


def test_files_are_opened_played_and_removed(opened: Opened, tmp_path: Path) -> None:
    good, bad = plain_file(tmp_path / "good.csv", ["Anna"]), tmp_path / "bad.csv"
    bad.write_text("names,w0\nBerta,none\n")
    hands = opened()
    store = hands.app.services.store
    store.add_recent(PLAYERS, str(bad))  # by an older version
    hands.drop(bad)
    assert hands.app.notice.startswith(f"{bad}: line ") and store.recent(PLAYERS) == []
    hands.drop(plain_file(tmp_path / "wide.csv", ["Anna"], 300))
    assert "300 weights: no shipped network" in hands.app.notice
    hands.drop(good)
    assert "good.csv" in titles(hands) and store.recent(PLAYERS) == [str(good)]
    hands.key("p")
    assert "Anna" in hands.app.screen.title
    hands.key("n")
    click_card(hands, "good.csv")
    hands.key("delete")
    assert "good.csv" not in titles(hands) and store.recent(PLAYERS) == []
    hands.key("o")
    assert isinstance(hands.app.screen, Files)


def test_an_opened_player_is_chosen_whatever_else_is_listed(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    for last in ("random", "alpha@1:Gen01_0003"):
        hands = opened(opponent=last)
        hands.drop(plain_file(tmp_path / "friend.csv", ["Anna"]))
        assert set(titles(hands)) >= {"alpha", "friend.csv"}
        hands.key("p")
        assert "Anna" in hands.app.screen.title


def test_an_individual_is_searched_chosen_and_played(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    hands = opened()
    hands.key("n")
    listed(hands)
    hands.key("/")
    hands.type("gen01_0003")
    assert titles(hands) == ["Gen01_0003"]
    hands.key("return")
    hands.key("+", "+", "<colour>", "<less-time>")
    hands.click("play")
    play = hands.app.screen
    assert isinstance(play, Play)
    black, white = play.model.seats
    assert white.human
    assert (black.depth, black.seconds) == (6, 3.0)
    assert "Gen01_0003" in black.player
    strip = hands.widget("strip0")
    assert (strip.name, strip.line) == ("Gen01_0003 of alpha", "rank 4, depth 6")
    assert strip.hint.endswith("depth 6, 3 s")
    assert play.title == "Against Gen01_0003 of alpha"
    assert not hands.board.flipped
    request = hands.thinker.asked[-1]
    assert (request.purpose, str(request.player), request.depth) == (Purpose.MOVE, black.player, 6)
    hands.key("escape", "p")  # the same opponent again, without asking
    assert hands.game.model.seats[0].player == black.player


def test_the_last_opponent_is_chosen_wherever_it_is(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    hands = opened()
    hands.key("n")
    chooser = listed(hands)
    assert chooser.chosen is not None and chooser.chosen.player == "alpha"  # the default opponent
    hands.app.go_home()
    for player, shelf in (("random", EXHIBITS), ("alpha@1:Gen01_0003", YOURS)):
        hands.app.services.change_settings(opponent=player)
        hands.key("n")
        chooser = listed(hands)
        assert chooser.chosen is not None and (chooser.chosen.player, chooser.shelf) == (player, shelf)
        hands.app.go_home()


def test_an_empty_shelf_has_nothing_to_set_or_to_play(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    screen = listed(hands)
    screen.show(YOURS)
    hands.until(lambda: not screen.shelves.busy)
    hands.app.redraw()
    hands.wait(0.1)
    assert not screen.listed and not {"play", "depth", "colour", "begin"} & set(hands.keys)


def test_a_champion_shows_its_rating_and_one_by_few_games_that_of_its_curve(opened: Opened, tmp_path: Path) -> None:
    RatedFolder(tmp_path / "runs" / "few", [(-1000, -1200, -800, 0), (-582, -900, -300, 0)], 2)
    few = opened()
    few.key("n", "2")
    listed(few)
    card = few.widget("cards").card(0)
    assert card.figure == "709" == f"{card.plot.curves[0].values[-1]:.0f}"
    hands = opened(runs=POPULATIONS)
    hands.app.services.change_settings(opponent="crownhead-1")
    hands.key("n")
    chooser = listed(hands)
    assert chooser.offer is not None and chooser.offer.rating == "1534"
    details = hands.widget("details")
    assert (
        details.text.startswith("Avoids exchanges.\nYou score ") and "1534" not in details.text
    )  # which its card says
    assert "Rating 1534 (1433 to 1636), from games against fixed opponents.\nIs often first to" in details.hint


def test_a_game_from_a_drawn_opening_and_from_the_position_on_the_board(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, GameModel((HUMAN, COUNTER), Position.from_fen("W:W18:BK1"))))
    hands.key("n")
    choose(hands, "material")
    hands.key("<start>", "<start>", "p")
    assert hands.game.model.start == Position.from_fen("W:W18:BK1")
    hands.key("n")
    choose(hands, "material")
    hands.key("<start>", "p")
    assert len(hands.game.model.plies) == 3


def test_two_players_are_chosen_and_watched(opened: Opened) -> None:
    hands = opened()
    hands.key("<watch>")
    choose(hands, "material")
    assert (hands.widget("seat.Black").chosen, hands.widget("seat.White").name) == (True, "Choose White")
    hands.click("seat.White")
    choose(hands, "random")
    hands.key("-")
    assert (hands.widget("seat.White").chosen, hands.widget("seat.White").name) == (True, "Random moves")
    assert hands.widget("seat.Black").name == "Piece counter"
    hands.key("<black>")
    hands.wait(0.1)
    assert hands.widget("seat.Black").chosen and hands.widget("depth").shown.startswith("4"), "each has its own"
    cards = hands.widget("cards")
    shown = {(card.title, card.sides) for card in map(cards.card, range(cards.count)) if card.sides}
    assert shown == {("Piece counter", (0,)), ("Random moves", (1,))}
    hands.click("play")
    watching = hands.app.screen
    assert isinstance(watching, Play) and isinstance(watching.state, Watching)
    assert [seat.player for seat in watching.model.seats] == ["material", "random"]
    assert [seat.depth for seat in watching.model.seats] == [4, 3]
    for _ in range(3):
        hands.until(lambda: hands.thinker.present is not None)
        hands.answer()
    assert len(watching.model.plies) == 3


def watched(hands: Hands) -> Play:
    hands.app.open(Play(hands.app, GameModel((COUNTER, RANDOM))))
    hands.wait(0.1)
    assert isinstance(hands.app.screen, Play) and isinstance(hands.app.screen.state, Watching)
    return hands.app.screen


def test_pause_step_speed_and_looking_back(opened: Opened) -> None:
    hands = opened()
    screen = watched(hands)
    hands.answer()
    hands.key("space")
    assert hands.words[0] == "Paused"
    assert hands.thinker.present is None
    hands.key(".")
    hands.until(lambda: hands.thinker.present is not None)
    hands.answer()
    hands.wait(1)
    assert len(screen.model.plies) == 2
    assert hands.words[0] == "Paused"
    hands.key("+", "+", "+")
    assert screen.watch.seconds == 0
    hands.click("do.play")
    hands.wait(0.05)
    hands.answer()
    hands.key("home")
    assert hands.words[0] == "Before the first move"
    assert not screen.watch.playing
    hands.key("p")
    assert isinstance(hands.app.screen, Play)
    assert hands.game.model.plies == []
    assert hands.game.model.seats[0].human


def test_a_ballot_is_chosen_by_number_or_name_as_one_types(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    choose(hands, "material")
    hands.key("<ballot>")
    assert isinstance(hands.app.screen, BallotPicker)
    assert hands.widget("matches").count == 174 + 42
    hands.type("wild")
    hands.key("down", "down")
    number, name, line, played = hands.widget("matches").cells(1)
    assert (number, name.text, line.text, played.text) == ("16", "Wilderness II", "9-13 23-18 11-16", "by mail")
    assert "played by mail only.\nThe champion calls it 0.28 men better for White.\n" in hands.widget("facts").text
    hands.key("return")
    names, chosen = hands.widget("begin").names, hands.widget("begin").chosen
    assert names[chosen] == "Wilderness II, ballot 16"
    hands.key("<start>")
    assert hands.widget("begin").chosen == 0
    hands.key("<start>", "<start>", "p")
    model = hands.game.model
    assert [str(ply.move) for ply in model.plies] == ["9-13", "23-18", "11-16"]
    assert hands.widget("opening").text == "Wilderness II, ballot 16"
    assert '[Opening "Wilderness II (ballot 16: 9-13 23-18 11-16)"]' in to_pdn(model)


def test_a_ballot_is_chosen_by_mouse_or_not_at_all(opened: Opened) -> None:
    hands = opened()
    hands.key("<watch>")
    listed(hands)
    hands.widget("begin").pick(2)
    hands.type("no such thing")
    hands.key("return", "down")
    assert hands.app.notice == "No opening matches." and hands.widget("matches").count == 0
    hands.key("escape")
    assert hands.widget("begin").chosen == 0
    hands.key("<ballot>")
    hands.click_row("matches", 4, times=2)
    assert hands.widget("begin").names[hands.widget("begin").chosen] == "Dreaded Edinburgh, ballot 5"
    hands.widget("begin").pick(1)
    hands.widget("begin").pick(2)
    assert hands.widget("matches").selected == 4
    hands.click("cancel")
    assert hands.widget("begin").chosen == 1


def test_a_game_begins_with_a_classical_opening_of_any_length(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    choose(hands, "material")
    hands.key("<ballot>")
    hands.type("old fourteenth")
    number, name, line, played = hands.widget("matches").cells(0)
    assert (number, name.text, line.text, played.text) == ("", "Old Fourteenth", "11-15 23-19 8-11 22-17 4-8", "")
    hands.key("return")
    hands.key("<ballot>")
    assert hands.widget("facts").text.startswith(
        "Old Fourteenth: 11-15 23-19 8-11 22-17 4-8.\nThe champion calls it even.\nBest: "
    )
    hands.key("escape", "p")
    assert hands.widget("opening").text == "Old Fourteenth, ballot 126"
    assert hands.game.model.side == 1 and len(hands.game.model.plies) >= 5
