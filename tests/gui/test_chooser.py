"""Choosing an opponent, a ballot, and two players to watch."""

from __future__ import annotations

from pathlib import Path

from game.board import Position
from gui.model.game import GameModel
from gui.model.pdn import to_pdn
from gui.model.seats import HUMAN, Seat
from gui.screens.dialogs.ballots import BallotPicker
from gui.screens.dialogs.files import Files
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from gui.services import PLAYERS
from gui.thinking.messages import Purpose
from tests.gui.chooser_helpers import listed, row_of
from tests.gui.hands import Hands, Opened
from tests.runs import make_run, plain_file

COUNTER, RANDOM = Seat("material", 2, None, "Counter"), Seat("random")


def test_another_depth_does_not_rename_a_row(opened: Opened) -> None:
    hands = opened(runs=Path(__file__).parents[2] / "populations", opponent="crownhead-2", depth=4)
    hands.key("n", "a")
    screen = listed(hands)
    row = next(n for n, each in enumerate(hands.app.services.library.rows) if each.player == "crownhead-2")
    screen.choose_row(row)

    def name() -> str:
        hands.app.redraw()
        cell = hands.widget("rows").cells(row)[0]
        return str(getattr(cell, "text", cell))

    assert name() == "Expert"
    hands.key("+", "+", "+", "+")
    assert hands.app.services.settings.depth == 8 and name() == "Expert"


# Opponents --------------------------------------------------------------------------------------------------------


def test_player_evolved_without_look_ahead_is_offered_so(opened: Opened, tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "alpha")
    (run.path / "config.toml").write_text("[record]\nformat = 1\n[search]\ndepth = 1\n")
    hands = opened()
    hands.key("n")
    listed(hands).choose_row(0)
    hands.app.redraw()
    assert (hands.widget("depth").value, hands.widget("depth").shown) == (0, "as evolved: 1")
    assert "doubt" not in hands.keys
    hands.key("+")
    assert (hands.widget("depth").value, hands.app.services.settings.depth) == (2, 2)
    doubt = hands.widget("doubt")
    assert doubt.text == "It evolved at depth 1: deeper it may play worse."
    assert (doubt.colour, doubt.icon) == (hands.app.look.theme.warning, "warning")
    hands.key("0")
    assert (hands.widget("depth").value, hands.app.services.settings.depth) == (0, 0)
    hands.key("+")
    listed(hands).choose_row(row_of(hands, "material"))
    hands.app.redraw()
    assert hands.widget("depth").value == 2
    assert "doubt" not in hands.keys


def test_a_depth_once_chosen_gives_way_to_that_of_evolution_again(opened: Opened, tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "alpha")
    (run.path / "config.toml").write_text("[record]\nformat = 1\n[search]\ndepth = 6\n")
    hands = opened()
    hands.key("n")
    listed(hands).choose_row(0)
    hands.app.redraw()
    assert hands.widget("depth").shown == "as evolved: 6"
    hands.key("-")
    assert (hands.widget("depth").shown, hands.app.services.settings.depth) == ("5", 5)
    hands.key(*"-----")
    hands.app.redraw()
    assert (hands.widget("depth").shown, hands.app.services.settings.depth) == ("as evolved: 6", 0)
    assert hands.widget("depth").low == 0  # the left end, for the mouse
    listed(hands).choose_row(row_of(hands, "material"))
    hands.app.redraw()
    assert "evolved" not in hands.widget("depth").shown


def test_files_are_added_by_the_mouse_too(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    hands.click("do.open")
    assert isinstance(hands.app.screen, Files)


def test_an_individual_is_searched_chosen_and_played(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    hands = opened()
    hands.key("n")
    listed(hands)
    hands.key("/")
    hands.type("gen01_0003")
    listed(hands)
    assert [row.name for row in hands.app.services.library.rows] == ["Gen01_0003"]
    hands.key("return", "down")
    hands.key("+", "+", "<colour>", "<less-time>")
    hands.click("play")
    play = hands.app.screen
    assert isinstance(play, Play)
    black, white = play.model.seats
    assert white.human
    assert (black.depth, black.seconds) == (6, 3.0)
    assert "Gen01_0003" in black.player
    strip = hands.widget("strip0")
    assert (strip.name, strip.limits) == ("Gen01_0003 of alpha", "rank 4, depth 6")
    assert strip.hint.endswith("depth 6, 3 s")
    assert play.title == "Against Gen01_0003 of alpha"
    assert not hands.board.flipped
    request = hands.thinker.asked[-1]
    assert (request.purpose, str(request.player), request.depth) == (Purpose.MOVE, black.player, 6)
    hands.key("escape", "p")  # the same opponent again, without asking
    assert hands.game.model.seats[0].player == black.player


def test_lists_of_runs_generations_and_all_players(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    hands = opened()
    hands.key("n")
    chooser = listed(hands)
    library = chooser.browser.library
    runs = hands.widget("runs")
    assert [runs.cells(row)[0].text for row in range(runs.count)] == ["Champions and others", "All", "alpha"]
    hands.click_row("runs", 1)
    listed(hands)
    assert len(library.rows) == 2 + 3 * 12
    hands.click_row("runs", 2)
    listed(hands)
    assert [row.name for row in library.rows] == [f"Gen0{n}_0000" for n in (2, 1, 0)]
    generations = hands.widget("generations")
    assert [generations.cells(row)[0].text for row in (1, 3)] == ["2", "0"] and generations.selected == 0
    hands.click_row("generations", 2)
    listed(hands)
    assert chooser.browser.generation == 1 and len(library.rows) == 12
    rows = hands.widget("rows")
    for x in (rows.rect.x + 30, rows.rect.right - 40):  # by name, then by points
        hands.click((x, rows.rect.y + 10))
    listed(hands)
    assert library.sorted_by == ("points", True)
    assert library.rows[0].rank == 12
    hands.click((rows.rect.right - 40, rows.rect.y + 10))
    assert library.sorted_by == ("points", False)
    hands.click((rows.rect.right - 40, rows.rect.y + 10))
    assert library.sorted_by[0] == ""
    hands.key("/")
    hands.type("rank>3")
    listed(hands)
    assert len(library.rows) == 9
    hands.key("return")
    one = chooser.chosen
    assert one is not None and one.player == f"alpha@1:{one.name}"
    hands.key("p")
    assert isinstance(hands.app.screen, Play) and hands.app.screen.model.seats[1].player == one.player


def test_damaged_file_shows_its_reason_beside_intact_rows(opened: Opened, tmp_path: Path) -> None:
    good = plain_file(tmp_path / "good.csv", ["Anna"])
    bad = tmp_path / "bad.csv"
    bad.write_text("names,w0\nBerta,none\n")
    hands = opened()
    hands.drop(bad)
    chooser = listed(hands)
    assert chooser.browser.source is not None and chooser.browser.source.path == bad
    assert hands.widget("details").text.startswith(f"{bad}: line ")
    assert [row.name for row in chooser.browser.library.rows] == ["bad.csv"]
    hands.key("p")
    assert isinstance(hands.app.screen, Chooser)
    hands.drop(good)
    listed(hands)
    hands.click_row("rows", 0, times=2)
    assert isinstance(hands.app.screen, Play)
    assert "Anna" in hands.app.screen.title


def test_damaged_files_are_not_remembered_and_removed_by_a_key(opened: Opened, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("names,w0\nBerta,none\n")
    hands = opened()
    hands.app.services.store.add_recent(PLAYERS, str(bad))  # by an older version
    hands.drop(bad)
    chooser = listed(hands)
    hands.wait(0.1)
    assert hands.app.services.store.recent(PLAYERS) == []
    chooser.browser.choose_source(chooser.browser.sources[0])
    listed(hands)
    hands.click_row("rows", row_of(hands, "bad.csv"))
    assert hands.widget("details").text.startswith(f"{bad}: line ")
    hands.key("<playable>")  # only those that can be played
    listed(hands)
    assert [row.name for row in chooser.browser.library.rows] == ["Piece counter", "Random moves"]
    hands.key("<playable>")
    listed(hands)
    hands.key("delete")
    listed(hands)
    assert [row.name for row in chooser.browser.library.rows] == ["Piece counter", "Random moves"]
    assert [source.name for source in chooser.browser.sources] == ["Champions and others", "All"]
    hands.key("delete")
    assert hands.app.said == "Only files that you opened can be removed."


def test_the_last_opponent_is_chosen_wherever_it_is(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    hands = opened()
    hands.key("n")
    chooser = listed(hands)
    assert chooser.chosen is not None and chooser.chosen.player == "alpha"  # the default opponent
    hands.app.go_home()
    for player, name, generation in (("random", "Random moves", -1), ("alpha@1:Gen01_0003", "Gen01_0003", 1)):
        hands.app.services.change_settings(opponent=player)
        hands.key("n")
        chooser = listed(hands)
        assert chooser.chosen is not None and (chooser.chosen.player, chooser.chosen.name) == (player, name)
        assert chooser.browser.generation == generation
        hands.app.go_home()


def test_a_champion_that_is_a_mean_shows_its_rating(opened: Opened) -> None:
    hands = opened(runs=Path("populations"))
    hands.app.services.change_settings(opponent="crownhead-1")
    hands.key("n")
    chooser = listed(hands)
    row = chooser.chosen
    assert row is not None and row.is_mean and row.results is None
    text = hands.widget("details").text
    assert "Rating 1534 (1433 to 1636), from games against fixed opponents." in text
    assert "The mean of 65 parents" in text and "won" not in text
    assert [column.title for column in hands.widget("rows").columns][:4] == ["Name", "Rating", "From", "Gen."]
    number = next(n for n, each in enumerate(hands.app.services.library.rows) if each.source == "crownhead-1")
    assert hands.widget("rows").cells(number)[0].text == "Generation 100 of crownhead-1"


def test_a_game_from_a_drawn_opening_and_from_the_position_on_the_board(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, GameModel((HUMAN, COUNTER), Position.from_fen("W:W18:BK1"))))
    hands.key("n")
    listed(hands)
    hands.click_row("rows", row_of(hands, "material"))
    hands.key("<start>", "<start>", "p")
    assert hands.game.model.start == Position.from_fen("W:W18:BK1")
    hands.key("n")
    listed(hands)
    hands.click_row("rows", row_of(hands, "material"))
    hands.key("<start>", "p")
    assert len(hands.game.model.plies) == 3


# Watching ---------------------------------------------------------------------------------------------------------


def test_two_players_are_chosen_and_watched(opened: Opened) -> None:
    hands = opened()
    hands.key("<watch>")
    listed(hands)
    hands.click_row("rows", row_of(hands, "material"))
    hands.click("black")
    hands.click_row("rows", row_of(hands, "random"))
    hands.key("-")
    hands.click("white")
    assert hands.widget("seat.White").text.startswith("White: Random moves")
    hands.click("play")
    watching = hands.app.screen
    assert isinstance(watching, Watching)
    assert [seat.player for seat in watching.model.seats] == ["material", "random"]
    assert [seat.depth for seat in watching.model.seats] == [4, 3]
    for _ in range(3):
        hands.until(lambda: hands.thinker.present is not None)
        hands.answer()
    assert len(watching.model.plies) == 3
    hands.app.go_home()
    hands.key("<watch>")  # the same two are chosen again
    assert [hands.widget(f"seat.{side}").text for side in ("Black", "White")] == [
        "Black: Piece counter, depth 4, 5 s", "White: Random moves",
    ]  # fmt: skip
    assert hands.widget("play").enabled


def watched(hands: Hands) -> Watching:
    hands.app.open(Watching(hands.app, GameModel((COUNTER, RANDOM))))
    hands.wait(0.1)
    assert isinstance(hands.app.screen, Watching)
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


# As everywhere in the list ----------------------------------------------------------------------------------------


def test_unknown_network_is_reported_before_a_game(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.drop(plain_file(tmp_path / "wide.csv", ["Anna"], 300))
    chooser = listed(hands)
    assert chooser.chosen is not None and chooser.chosen.name == "wide.csv"
    assert "300 weights: no shipped network" in hands.widget("details").text
    hands.key("p")
    assert isinstance(hands.app.screen, Chooser)
    assert "300 weights" in hands.app.said


def test_a_ballot_is_chosen_by_number_or_name_as_one_types(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    listed(hands)
    hands.click_row("rows", row_of(hands, "material"))
    hands.key("<ballot>")
    assert isinstance(hands.app.screen, BallotPicker)
    assert hands.widget("ballots").count == 174 + 42
    hands.type("wild")
    hands.key("down", "down")
    number, name, line, played = hands.widget("ballots").cells(1)
    assert (number, name.text, line.text, played.text) == ("16", "Wilderness II", "9-13 23-18 11-16", "by mail")
    assert "played by mail only" in hands.widget("facts").text
    hands.key("return")
    names, chosen = hands.widget("begin").names, hands.widget("begin").chosen
    assert names[chosen] == "Wilderness II, ballot 16"
    hands.key("<start>")
    assert hands.widget("begin").chosen == 0
    hands.key("<start>", "<start>", "p")
    model = hands.game.model
    assert [str(ply.move) for ply in model.plies] == ["9-13", "23-18", "11-16"]
    assert hands.widget("opening").text == "Opening: Wilderness II, ballot 16"
    assert '[Opening "Wilderness II (ballot 16: 9-13 23-18 11-16)"]' in to_pdn(model)


def test_a_ballot_is_chosen_by_mouse_or_not_at_all(opened: Opened) -> None:
    hands = opened()
    hands.key("<watch>")
    listed(hands)
    hands.widget("begin").pick(2)
    hands.type("no such thing")
    hands.key("return", "down")
    assert hands.app.said == "No opening matches." and hands.widget("ballots").count == 0
    hands.key("escape")
    assert hands.widget("begin").chosen == 0
    hands.key("<ballot>")
    hands.click_row("ballots", 4, times=2)
    assert hands.widget("begin").names[hands.widget("begin").chosen] == "Dreaded Edinburgh, ballot 5"
    hands.widget("begin").pick(1)
    hands.widget("begin").pick(2)
    assert hands.widget("ballots").selected == 4
    hands.click("cancel")
    assert hands.widget("begin").chosen == 1


def test_a_game_begins_with_a_classical_opening_of_any_length(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    listed(hands)
    hands.click_row("rows", row_of(hands, "material"))
    hands.key("<ballot>")
    hands.type("old fourteenth")
    number, name, line, played = hands.widget("ballots").cells(0)
    assert (number, name.text, line.text, played.text) == ("", "Old Fourteenth", "11-15 23-19 8-11 22-17 4-8", "")
    hands.key("return")
    hands.key("<ballot>")
    assert hands.widget("facts").text == "Old Fourteenth: 11-15 23-19 8-11 22-17 4-8."
    hands.key("escape", "p")
    assert hands.widget("opening").text == "Opening: Old Fourteenth, ballot 126"
    assert hands.game.model.side == 1 and len(hands.game.model.plies) >= 5
