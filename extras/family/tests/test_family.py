"""The family of an opponent: its rows, what changed in its play, and its page by mouse and keyboard."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from evolve.report.ancestry import Pedigree
from evolve.run.append_only import CHAMPIONS
from evolve.run.folder import Run
from extras.family import reading
from extras.family.play import APART, changes_of_play
from extras.family.reading import Family, FamilyReader, row_text
from extras.family.rows import LEAST_SHARE, MOST_TURNS, deviations, turning_points
from extras.family.screen import FamilyScreen
from game import plain
from gui.evolving.games import Change
from gui.individuals.individual import NOT_KEPT, ListedPlayer
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from gui.thinking.messages import SideResult
from tests.family_run import make_family_run
from tests.growing_run import BRED, Writer, at_every_access
from tests.gui.hands import FRAME, Hands, Opened
from tests.runs import make_run, plain_file

SHIPPED = Path("populations").resolve()


def family_of(folder: Path, player: str = "family") -> Family:
    return FamilyReader(folder, ListedPlayer.of_player(player)).read()


def test_rows_hold_the_ancestors_that_gave_most(tmp_path: Path) -> None:
    run = make_family_run(tmp_path, "family", 30, survive=0.3)
    family = family_of(tmp_path)
    assert family.rows[0].members[0].share == 1
    numbers = [row.generation for row in family.rows]
    assert numbers[0] == 30 and numbers[-1] == 0
    assert len(numbers) < 12
    steps = [newer - older for newer, older in pairwise(numbers)]
    assert steps[0] <= 3 < max(steps)
    levels = Pedigree(run, 30, 4).shares(30, [family.root[1]])[0]
    for row in family.rows:
        large = {name: share for name, share in levels[30 - row.generation].items() if share > LEAST_SHARE}
        assert {member.name: member.share for member in row.members} == large
    for row, below in pairwise(family.rows):
        parts = [(to, share) for member in row.members for to, share in member.links]
        for at, member in enumerate(below.members):
            assert 0 < sum(share for to, share in parts if to == at) <= member.share + 1e-9
    assert all(member.links == () for member in family.rows[-1].members)


def test_generations_in_which_nothing_changes_are_left_out(tmp_path: Path) -> None:
    make_family_run(tmp_path, "family", 12, survive=0.0, quiet=range(9, 12))
    assert {9, 10, 11}.isdisjoint(row.generation for row in family_of(tmp_path).rows)


def test_keys_lead_along_the_lines_that_gave_most(tmp_path: Path) -> None:
    make_family_run(tmp_path, "family", 20, survive=0.3)
    family = family_of(tmp_path)
    place = family.root
    for row, below in pairwise(family.rows):
        links = next(member for member in row.members if member.place == place).links
        place = family.move(place, "down")
        assert place == below.members[max(links, key=lambda link: link[1])[0]].place
    assert family.move(place, "down") == place
    assert family.member(family.move(place, "up")) in family.rows[-2].members
    places = [member.place for member in family.rows[-1].members]
    assert [family.move(place, "right") for place in places] == [*places[1:], places[-1]]
    assert [family.move(place, "left") for place in places] == [places[0], *places[:-1]]
    assert family.move(family.root, "end") in places
    assert family.move(place, "home") == family.move((99, "nobody"), "down") == family.root


def test_a_path_turns_where_its_direction_changes() -> None:
    along = [(float(at), 0.0) for at in range(11)]
    corner = np.array([*along, *((10.0, float(up)) for up in range(1, 11))])
    assert turning_points(corner) == {10: 90}
    assert turning_points(np.array(along)) == turning_points(np.zeros((5, 3))) == {}
    zigzag = np.array([(float(at), 20.0 * (at % 2)) for at in range(40)])
    assert len(turning_points(zigzag)) == MOST_TURNS
    strays = deviations(corner)
    assert strays[0] == pytest.approx(0) and strays[-1] == pytest.approx(0)
    assert max(map(abs, strays)) == abs(strays[10]) == 1
    assert deviations(np.zeros((4, 2))) == [0.0] * 4


def test_the_path_of_a_mean_has_its_turning_points_as_rows() -> None:
    family = family_of(SHIPPED, "first")
    numbers = [row.generation for row in family.rows]
    assert numbers[0] == 112 and numbers[-1] == 0
    assert all(len(row.members) == 1 and row.members[0].name.endswith("_0000") for row in family.rows)
    assert all(row.turn > 20 for row in family.rows[1:-1]) and len(numbers) == MOST_TURNS + 2
    assert row_text(family, 1) == ""
    assert row_text(family, len(numbers) - 1) == "It began here."
    assert len(family.path) == 113
    mutant = family_of(SHIPPED, "crownhead-1@100:Gen100_0007")
    assert [row.members[0].name for row in mutant.rows[:2]] == ["Gen100_0007", "Gen100_0000"]
    assert family_of(SHIPPED, "first@0").rows[0].members[0].links == ()


def test_changes_of_play_come_from_recorded_games(tmp_path: Path) -> None:
    text = (SHIPPED / "first" / CHAMPIONS).read_text(encoding="utf-8")
    (tmp_path / CHAMPIONS).write_text(text[: text.index("[Event", text.index('[Round "42.1"]'))], encoding="utf-8")
    members = [(number, (f"Gen{number:02}_0000",)) for number in range(43)]
    changes = changes_of_play(tmp_path, members, [42, 0], True)
    more = {*changes} - {0, 42}
    assert more and all(APART <= number <= 42 - APART and changes[number] for number in more)
    assert changes_of_play(tmp_path, members, [42, 22, 0], False)[42].text.startswith("Now more pieces")
    assert changes_of_play(tmp_path, [], [42, 0], True) == {}
    assert changes_of_play(tmp_path / "nowhere", members, [42, 0], True) == {}
    family = family_of(SHIPPED, "first@42")
    reader = FamilyReader(SHIPPED, ListedPlayer.of_player("first@42"))
    family = reader.with_changes(reader.read(), changes)
    assert more < {row.generation for row in family.rows}
    assert family.row_of(family.root) == 0


def test_words_explain_shares(tmp_path: Path) -> None:
    make_family_run(tmp_path, "family", 6, survive=0.0)
    text = family_of(tmp_path).meaning
    assert text.startswith("It descends from ") and "more than 5 % of it, counted weight by weight." in text
    assert "as one half from each parent" in family_of(SHIPPED, "cowan-deep").meaning
    assert family_of(tmp_path, "family@0").meaning.startswith("A founder has no parents")


def test_family_of_the_chosen_player_is_shown(tmp_path: Path) -> None:
    run = make_family_run(tmp_path, "family", 3)
    best = [Pedigree(run, 3, 4).head(number)[0].name for number in range(4)]
    find = lambda player: reading.locate(tmp_path, ListedPlayer.of_player(player))[:3]  # noqa: E731
    assert find("family") == (run.path, 3, best[3])
    assert find("family@1,depth=3") == (run.path, 1, best[1])
    assert find("family@2:Gen02_0003") == (run.path, 2, "Gen02_0003")
    assert find(str(run.generation_path(1))) == (run.path, 1, best[1])
    assert reading.locate(tmp_path, ListedPlayer(run.path, 2, ""))[:3] == (run.path, 2, best[2])
    with pytest.raises(reading.NoFamilyError, match=reading.GONE):
        reading.locate(tmp_path, ListedPlayer(tmp_path / "vanished", 2, ""))
    for player, why in (
        ("material", reading.WRITTEN),
        ("random", reading.WRITTEN),
        ("external:some engine", reading.FOREIGN),
        ("family@9", "Its run has no generation 9: the newest is 3."),
        (str(plain_file(tmp_path / "alone.csv", ["a", "b"])), reading.ALONE),
        ("nowhere", reading.GONE),
    ):
        with pytest.raises(reading.NoFamilyError, match=why):
            find(player)


def test_branch_names_the_run_of_its_ancestors(tmp_path: Path) -> None:
    run = make_family_run(tmp_path, "family", 4)
    config = run.path / "config.toml"
    text = config.read_text(encoding="utf-8").replace("[record]\n", '[record]\nbranched_from = "alpha@2"\n')
    config.write_text(text, "utf-8")
    assert family_of(tmp_path).meaning.endswith("Up to generation 2, its ancestors are those of alpha.")


def test_a_session_may_save_at_any_moment_while_a_family_is_read(tmp_path: Path) -> None:
    template = Writer.new(tmp_path / "template", 9, BRED).run

    def read(run: Run) -> None:
        FamilyReader(run.path.parent, ListedPlayer(run.path, 7, "Gen07_0000")).read()

    results = list(at_every_access(template, tmp_path / "copies", read, lambda run: Writer(run).save(3), 4))
    assert results and [error for _, error in results if error is not None] == []


def page(hands: Hands) -> FamilyScreen:
    screen = hands.app.screen
    assert isinstance(screen, FamilyScreen)
    return screen


def shown(hands: Hands) -> FamilyScreen:
    screen = page(hands)
    background = hands.app.services.background
    hands.until(lambda: screen.trouble or (screen.details is not None and not background.wants(screen)), 3000.0)
    hands.wait(FRAME)
    return screen


def ship(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(SHIPPED / "crownhead-2", tmp_path / "runs" / "crownhead-2")
    monkeypatch.setattr("evolve.run.runs.SHIPPED_RUNS", (tmp_path / "runs").resolve())


@pytest.fixture
def crowned(opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hands:
    ship(tmp_path, monkeypatch)
    hands = opened()
    model = GameModel((HUMAN, Seat("crownhead-2", 2, title="Generation 6 of crownhead-2")))
    model.play(plain.legal_moves(model.last)[0])
    hands.app.open(Play(hands.app, model))
    hands.wait(0.1)
    return hands


def test_from_the_board_to_a_game_against_an_ancestor_by_keys(crowned: Hands) -> None:
    hands = crowned
    hands.key("<family>")
    screen = shown(hands)
    assert screen.title == "Family of Generation 6 of crownhead-2"
    assert screen.place == (6, "Gen06_0000")
    hands.key("return")
    assert hands.app.notice == "This is its family: choose another individual first."
    hands.key("down", "return")
    inner = shown(hands)
    assert inner is not screen and inner.title == f"Family of Generation {screen.place[0]} of crownhead-2"
    hands.key("escape")
    assert page(hands) is screen
    hands.key("end")
    shown(hands)
    assert screen.place == (0, "Gen00_0000")
    assert reading.row_text(screen.family, len(screen.family.rows) - 1) == "It began here."
    assert hands.widget("board").hint and len(hands.widget("board").pieces) == 24  # its game begins
    hands.key("o")
    board = hands.app.screen
    assert isinstance(board, Play)
    assert "Gen00_0000" in {seat.shown for seat in board.model.seats}
    assert hands.app.notice == "Your game waits on the first screen."
    first = [seat.shown for seat in board.model.seats]
    hands.key("escape", "o")
    again = hands.app.screen
    assert isinstance(again, Play) and [seat.shown for seat in again.model.seats] == first[::-1]
    hands.key("escape")
    assert page(hands) is screen
    hands.click("do.watch")
    board = hands.app.screen
    assert isinstance(board, Play) and isinstance(board.state, Watching)
    assert [seat.player for seat in board.model.seats] == ["crownhead-2@0", "crownhead-2@6"]
    hands.key("escape", "p")
    board = hands.app.screen
    assert isinstance(board, Play)
    assert "crownhead-2@0" in {seat.player for seat in board.model.seats}
    assert hands.app.services.settings.opponent == "crownhead-2@0"
    hands.key("escape")
    assert page(hands) is screen  # the family is still there; the game before it waits on the first screen
    hands.key("escape")
    assert len(hands.app.services.kept.read_all()) == 1


def test_champions_have_their_shields_on_the_tree(opened: Opened) -> None:
    hands = opened(runs=SHIPPED)
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("first@42")))
    shown(hands)
    tree = hands.widget("tree")
    shields = [row.members[0] for row in tree.family.rows]
    hands.until(lambda: None not in map(tree.emblem, shields), 10.0)
    assert tree.emblem(shields[0]) != tree.emblem(shields[-1])


def test_members_of_any_rank_have_their_shields(opened: Opened) -> None:
    hands = opened(runs=SHIPPED)
    player = "cowan-deep@60:Gen60_0010"
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player(player)))
    screen = shown(hands)
    assert screen.member is not None and screen.member.fact is not None and screen.member.fact.rank == 2
    hands.until(lambda: hands.widget("emblem").emblem is not None, 10.0)
    emblem = hands.app.services.personas.emblem(player)
    assert hands.widget("tree").emblem(screen.member) == hands.widget("emblem").emblem == emblem is not None


def test_captions_stand_beside_the_rows_of_a_tree_and_leave_the_boxes_free(opened: Opened) -> None:
    hands = opened(runs=SHIPPED)
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("cowan-deep")))
    screen = shown(hands)
    assert not any(hands.widget("tree").captions)
    request = hands.thinker.asked_work[-1]
    new = {39: Change(5.0, "keeps the board full", ""), 26: Change(4.0, "more exchanges", "")}
    hands.thinker.done[request] = SideResult(request, new)
    hands.until(lambda: not screen.busy)
    rows = [row.generation for row in screen.family.rows] if screen.family is not None else []
    said = {number: text for number, text in zip(rows, hands.widget("tree").captions, strict=True) if text}
    assert said == {39: "now keeps the board full", 26: "now more exchanges"}
    for size in ((1280, 800), (800, 600), (500, 820)):
        hands.resize(size)
        rect, boxes = hands.widget("tree").rect, screen.ui.memory["tree"].boxes
        assert min(box.x for box in boxes.values()) >= rect.x + min(rect.w // 5, 150)


def test_changes_of_play_are_added_when_they_are_known(opened: Opened) -> None:
    hands = opened(runs=SHIPPED)
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("first@42")))
    screen = shown(hands)
    assert screen.family is not None
    assert not any(row.change for row in screen.family.rows)
    hands.key("down")
    place = screen.place
    request = hands.thinker.asked_work[-1]
    assert request.function is changes_of_play
    new = {42: Change(5.0, "", "Now plays short games."), 30: Change(4.0, "", "Now advances early.")}
    hands.thinker.done[request] = SideResult(request, new)
    hands.until(lambda: not screen.busy)
    assert {row.generation: row.change for row in screen.family.rows if row.change} == new
    assert screen.place == place


def test_a_member_without_weights_lets_the_champion_play(opened: Opened) -> None:
    hands = opened(runs=SHIPPED)
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("cowan-deep")))
    screen = shown(hands)
    tree = hands.widget("tree")
    place = screen.ui.memory["tree"].boxes[(58, "Gen58_0071")]
    hands.click(place.centre)
    shown(hands)
    assert screen.place == (58, "Gen58_0071") and "50 % of generation 60" in hands.widget("told").text
    assert NOT_KEPT in hands.widget("told").text
    assert hands.widget("do.play").text == "Play the champion instead"
    hands.click((tree.rect.right - 60, place.centre[1]))  # beside the boxes: the member that gave most
    assert screen.place[0] == 58
    hands.resize((800, 400))
    hands.key("end")
    assert screen.place[0] == 0
    scroll = screen.ui.memory["tree"]
    assert scroll.top > 0
    hands.wheel("tree", 20)
    assert scroll.top == 0
    hands.click(scroll.boxes[60, "Gen60_0040"].centre)
    assert screen.place == (60, "Gen60_0040")
    hands.key("p")
    assert isinstance(hands.app.screen, Play)


def test_a_written_player_has_no_family_and_can_be_played(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("material")))
    shown(hands)
    assert hands.widget("trouble").text == reading.WRITTEN and hands.widget("nothing").text == "Piece counter"
    assert "do.example" not in hands.keys
    make_family_run(tmp_path / "runs", "family", 3)
    for _ in hands.app.services.sources.look(0.0):
        hands.app.redraw()
    hands.click("do.example")
    assert isinstance(hands.app.screen, FamilyScreen)
    hands.until(lambda: hands.app.screen.title.startswith("Family of "))
    hands.key("escape")
    hands.click("do.play")
    assert isinstance(hands.app.screen, Play)


def test_of_two_programs_one_is_chosen(opened: Opened, tmp_path: Path) -> None:
    make_family_run(tmp_path / "runs", "family", 3)
    hands = opened()
    hands.app.open(Play(hands.app, GameModel((Seat("family@2"), Seat("family@3")))))
    hands.key("<family>", "2")
    assert shown(hands).place[0] == 3
    hands.key("escape")
    hands.key("<family>", "1")
    assert shown(hands).place[0] == 2


def test_family_from_the_list(opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ship(tmp_path, monkeypatch)
    hands = opened()
    hands.key("n")
    chooser = hands.app.screen
    assert isinstance(chooser, Chooser)
    hands.until(lambda: not chooser.shelves.busy and chooser.chosen is not None, 3000.0)
    hands.key("<family>")
    assert shown(hands).place == (6, "Gen06_0000")  # the network of the level


def test_damaged_generation_is_reported(opened: Opened, tmp_path: Path) -> None:
    run = make_family_run(tmp_path / "runs", "family", 6)
    run.generation_path(3).write_text("name,rank\n", encoding="utf-8")
    hands = opened()
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("family")))
    screen = shown(hands)
    assert screen.family is not None and "generation_0003.csv" in hands.widget("meaning").text
    hands.key("end")
    shown(hands)
    assert "the file of its generation has no row for it" in hands.widget("told").text
    run.generation_path(6).unlink()
    hands.key("escape")
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("family")))
    assert "generation_0006.csv" in shown(hands).trouble


def test_drawing_reads_no_files(opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path / "runs", "alpha", 3)
    threads: list[str] = []

    def recorded(work: Callable[..., object]) -> Callable[..., object]:
        def do(*given: object, **more: object) -> object:
            threads.append(threading.current_thread().name)
            return work(*given, **more)

        return do

    monkeypatch.setattr(FamilyReader, "read", recorded(FamilyReader.read))
    monkeypatch.setattr(reading, "read_details", recorded(reading.read_details))
    monkeypatch.setattr("extras.family.screen.read_details", reading.read_details)
    hands = opened()
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("alpha")))
    screen = shown(hands)
    hands.key("down", "end", "home")
    shown(hands)
    assert len(threads) >= 2
    assert set(threads) == {"background"}
    assert screen.details is not None
