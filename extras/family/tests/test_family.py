"""The family of an opponent: its lines, moving along them, and its page by mouse and keyboard, wherever it opens."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evolve.report.ancestry import Descent, Pedigree, descend
from extras.family import family as family_module
from extras.family.family import FamilyReader
from extras.family.screen import FamilyScreen
from extras.family.tree import LineKind, Tree, TreeLine
from extras.family.tree_widget import FamilyTree, Scrolled
from game import plain
from gui.individuals.individual import ListedPlayer
from gui.look.canvas import Canvas
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from tests.family_run import make_family_run
from tests.gui.hands import FRAME, Hands, Opened
from tests.gui.scenes.scenes import picture
from tests.runs import make_run, plain_file

SHIPPED = Path("populations")


def descent_of(folder: Path, generations: int, **more: Any) -> Descent:
    run = make_family_run(folder, "family", generations, **more)
    pedigree = Pedigree(run, generations, 4)
    return descend(pedigree, generations, pedigree.head(generations)[0].name)


# Lines ------------------------------------------------------------------------------------------------------------


def test_unchanged_generations_are_one_line(tmp_path: Path) -> None:
    descent = descent_of(tmp_path, 12, survive=0.0, quiet=range(3, 9))
    tree = Tree(descent, ())
    (same,) = (line for line in tree.lines if line.kind is LineKind.SAME)
    assert (same.last, same.generation) == (3, 8)
    assert same.text == "3 to 8: nothing changed"
    assert [line.generation for line in tree.lines if line.members] == [12, 11, 10, 9, 2, 1, 0]
    whole = Tree(descent, (), whole=True)
    assert [line.generation for line in whole.lines] == list(range(12, -1, -1))

    def reach(tree: Tree, name: str, generation: int) -> set[str]:
        """Return the names in generation 2 from which an individual descends."""
        places = {(generation, name)}
        while next(iter(places))[0] > 2:
            places = {below for place in places for below in tree.below(place)}
        return {name for _, name in places}

    for member in next(line for line in tree.lines if line.generation == 9).members:
        assert reach(tree, member.name, 9) == reach(whole, member.name, 9)


def test_ways_along_a_family(tmp_path: Path) -> None:
    descent = descent_of(tmp_path, 9, survive=0.3)
    tree = Tree(descent, (), whole=True)
    for line in tree.lines[:-1]:
        for member in line.members:
            place = line.generation, member.name
            below = tree.below(place)
            assert [name for _, name in below] == list(member.parents)
            assert all(place in tree.above(parent) for parent in below)
            assert tree.move(place, "down") in below
            assert tree.move(place, "up") in [*tree.above(place), place]
    row = next(line for line in tree.lines if len(line.members) > 2)
    names = [each.name for each in row.members]
    assert [tree.move((row.generation, name), "right")[1] for name in names] == [*names[1:], names[-1]]
    assert [tree.move((row.generation, name), "left")[1] for name in names] == [names[0], *names[:-1]]
    assert tree.move(tree.root, "end")[0] == 0
    assert tree.move(tree.move(tree.root, "end"), "home") == tree.root
    assert tree.move(tree.root, "pagedown", 4)[0] == 5
    assert tree.move((99, "nobody"), "down") == tree.root


def test_children_stand_above(tmp_path: Path) -> None:
    run = make_family_run(tmp_path, "family", 5)
    pedigree = Pedigree(run, 5, 4)
    name = pedigree.head(4)[0].name
    children = pedigree.children(4, name)
    tree = Tree(descend(pedigree, 4, name), children)
    first = tree.lines[0]
    assert first.kind is LineKind.CHILDREN
    assert [each.name for each in first.members] == [each.name for each in children]
    assert tree.move(tree.move(tree.root, "up"), "down") == tree.root
    assert tree.root == (4, name)


def test_lost_line_is_reported(tmp_path: Path) -> None:
    run = make_family_run(tmp_path, "family", 5)
    text = run.generation_path(2).read_text(encoding="utf-8").splitlines()
    run.generation_path(2).write_text(f"{text[0]}\n{text[-1]}\n", encoding="utf-8")
    pedigree = Pedigree(run, 5, 4)
    tree = Tree(descend(pedigree, 5, pedigree.head(5)[0].name), (), whole=True)
    assert tree.lines[-1] == TreeLine(LineKind.END, 1, 1, text=tree.lines[-1].text)
    assert "the files do not contain them" in tree.lines[-1].text


def test_words_explain_shares(tmp_path: Path) -> None:
    def text(name: str, member: int = 0) -> str:
        from evolve.run.folder import Run

        run = Run(SHIPPED / name)
        newest = run.manifest().newest
        pedigree = Pedigree(run, newest, 65)
        return family_module.method_text(descend(pedigree, newest, pedigree.head(newest)[member].name))

    assert text("crownhead-1") == family_module.MEAN
    assert text("crownhead-2") == family_module.MOVED.format(kind="genes")
    assert text("cowan-deep") == family_module.EXPECTED
    descent = descent_of(tmp_path, 6, survive=0.0)
    assert family_module.method_text(descent) == family_module.DRAWN
    assert family_module.founders_text(descent).startswith("It descends from")
    root = descent.rows[0][0]
    assert family_module.share_text(descent, 6, root, root.name) == ""
    parent = max(descent.rows[1], key=lambda each: each.share)
    assert f"% of the weights of {root.name} go back to it." in family_module.share_text(descent, 5, parent, root.name)
    assert family_module.tree_text(descent, "alpha@12").endswith(
        "up to generation 12 its ancestors are those of alpha."
    )
    assert family_module.tree_text(descent, meaning="A line.") == "A line."
    assert family_module.method_text(descent_of(tmp_path / "one", 0)) == family_module.FOUNDER
    line = descent_of(tmp_path / "line", 6, recombine=False)
    assert family_module.method_text(line) == family_module.LINE
    assert family_module.founders_text(line) == "It has one founder."


def test_family_of_the_chosen_player_is_shown(tmp_path: Path) -> None:
    run = make_family_run(tmp_path, "family", 3)
    best = [Pedigree(run, 3, 4).head(number)[0].name for number in range(4)]
    find = lambda player: family_module.locate(tmp_path, ListedPlayer.of_player(player))[:3]  # noqa: E731
    assert find("family") == (run.path, 3, best[3])
    assert find("family@1,depth=3") == (run.path, 1, best[1])
    assert find("family@2:Gen02_0003") == (run.path, 2, "Gen02_0003")
    assert find(str(run.generation_path(1))) == (run.path, 1, best[1])
    assert family_module.locate(tmp_path, ListedPlayer(run.path, 2, ""))[:3] == (run.path, 2, best[2])
    with pytest.raises(family_module.NoFamilyError, match=family_module.GONE):
        family_module.locate(tmp_path, ListedPlayer(tmp_path / "vanished", 2, ""))
    for player, why in (
        ("material", family_module.WRITTEN),
        ("random", family_module.WRITTEN),
        ("external:some engine", family_module.FOREIGN),
        ("family@9", "Its run has no generation 9: the newest is 3."),
        (str(plain_file(tmp_path / "alone.csv", ["a", "b"])), family_module.ALONE),
        ("nowhere", family_module.GONE),
    ):
        with pytest.raises(family_module.NoFamilyError, match=why):
            find(player)


def test_branch_names_the_run_of_its_ancestors(tmp_path: Path) -> None:
    run = make_family_run(tmp_path, "family", 4)
    config = run.path / "config.toml"
    config.write_text(
        config.read_text(encoding="utf-8").replace("[record]\n", '[record]\nbranched_from = "alpha@2"\n'), "utf-8"
    )
    family = FamilyReader(tmp_path, ListedPlayer.of_player("family")).read()
    assert family.branched == "alpha@2"
    assert family.trees[1].lines[0].generation == 4
    assert len(family.trees[0].lines) <= len(family.trees[1].lines)


# The page ---------------------------------------------------------------------------------------------------------


def page(hands: Hands) -> FamilyScreen:
    screen = hands.app.screen
    assert isinstance(screen, FamilyScreen)
    return screen


def shown(hands: Hands) -> FamilyScreen:
    screen = page(hands)
    hands.until(
        lambda: screen.trouble or (screen.details is not None and not hands.app.services.background.wants(screen)),
        3000.0,
    )
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
    assert hands.app.said == "This is its family: choose another individual first."
    hands.key("down", "return")
    assert shown(hands).title == "Family of Generation 5 of crownhead-2"
    hands.key("backspace")
    hands.until(lambda: screen.title == "Family of Generation 6 of crownhead-2")
    hands.key("home", *5 * ["down"])
    shown(hands)
    assert screen.place == (1, "Gen01_0000")
    assert "Rating" in hands.widget("told").text
    assert hands.widget("weights").pictures
    games = hands.widget("games")
    assert games.count == 36
    assert games.cells(0)[0].startswith(("Black against ", "White against "))
    hands.key("o")
    board = hands.app.screen
    assert isinstance(board, Play)
    assert "Gen01_0000" in {seat.shown for seat in board.model.seats}
    assert hands.app.said == "Your game waits on the first screen."
    hands.key("escape")
    assert page(hands) is screen
    hands.key("p")
    board = hands.app.screen
    assert isinstance(board, Play)
    assert "crownhead-2@1" in {seat.player for seat in board.model.seats}
    assert hands.app.services.settings.opponent == "crownhead-2@1"
    hands.key("escape")
    assert page(hands) is screen  # the family is still there; the game before it waits on the first screen
    hands.key("escape")
    assert len(hands.app.services.kept.read_all()) == 1


def test_founders_and_their_shares(crowned: Hands) -> None:
    hands = crowned
    hands.key("<family>")
    screen = shown(hands)
    hands.key("<page>", "<page>")
    table = hands.widget("founders")
    assert [table.cells(row)[2] for row in range(3)] == ["33.3 %"] * 3
    assert hands.widget("told").text == f"It descends from 3 founders. {family_module.MOVED.format(kind='genes')}"
    hands.click_row("founders", 1)
    assert screen.place[0] == 0
    hands.key("<page>")
    shown(hands)
    assert hands.widget("one").text == f"{screen.place[1]} of crownhead-2"


def test_changes_of_likes_are_shown_from_box_to_box(opened: Opened) -> None:
    """Each weight of the pictures is the individual's own minus its parent's; the oldest mean has no parent."""
    hands = opened(runs=SHIPPED.resolve())
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("crownhead-1")))
    screen = shown(hands)
    hands.key("<page>")
    hands.until(lambda: bool(hands.widget("weights").pictures))
    assert screen.details is not None and screen.details.portrait is not None and screen.parent is not None
    assert hands.widget("told").text.startswith(f"Compared with its parent {screen.parent[1]} of generation 99: blue")
    own, changed = screen.details.portrait.pictures[0], hands.widget("weights").pictures[0]
    hands.key("down")
    shown(hands)
    assert screen.details.portrait is not None
    before = screen.details.portrait.pictures[0]
    for mine, other, change in zip(own.rows, before.rows, changed.rows, strict=True):
        for a, b, c in zip(mine, other, change, strict=True):
            assert (a is None and c is None) or c == pytest.approx(a - b)
    hands.key("end")
    shown(hands)
    assert hands.widget("weights").empty == screen.changes[1] != ""


def test_more_than_have_room_are_counted_and_led_to(opened: Opened, tmp_path: Path) -> None:
    hands = opened(runs=SHIPPED.resolve())
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("crownhead-1")))
    screen = shown(hands)
    hands.key("down")
    shown(hands)
    tree = hands.widget("tree")
    assert isinstance(tree, FamilyTree)
    scroll = screen.ui.memory["tree"]
    boxes = [place for place in scroll.boxes if place[0] == 99]
    hidden = boxes[-1]
    hands.click(scroll.boxes[hidden].centre)
    assert screen.place == hidden
    assert screen.tree is not None
    names = [each.name for each in screen.tree.lines[1].members]
    at = names.index(hidden[1])
    hands.key(*["right"] * 20)
    assert screen.place == (99, names[at + 20])
    hands.key("end")
    assert screen.place[0] == 0
    assert any(place == screen.place for place in scroll.boxes)
    hands.wheel("tree", 3)
    assert not any(place == screen.place for place in scroll.boxes)
    thumb = tree.thumb(scroll)
    assert thumb is not None
    hands.drag(thumb.centre, (thumb.centre[0], tree.rect.y))
    assert scroll.top == 0


def test_names_in_a_family_are_whole(display: None) -> None:
    app = picture("family", (640, 480))
    tree = next(widget for widget in app.view() if isinstance(widget, FamilyTree))
    tree.draw(Canvas(app.surface, app.look), app.screen.ui)
    names = {face.name for face in app.screen.ui.recall(tree, Scrolled).faces}
    assert names and all(re.fullmatch(r"Gen[0-9]+_[0-9]+|Generation [0-9]+", name) for name in names)


def test_player_without_family_shows_the_next_step(opened: Opened) -> None:
    hands = opened()
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("material")))
    shown(hands)
    text = hands.widget("trouble").text
    assert text.startswith(family_module.WRITTEN)
    assert "choose one as an opponent" in text
    hands.key("p")
    assert isinstance(hands.app.screen, FamilyScreen)
    hands.click("do.choose")
    assert isinstance(hands.app.screen, Chooser)


def test_of_two_programs_one_is_chosen(opened: Opened, tmp_path: Path) -> None:
    make_family_run(tmp_path / "runs", "family", 3)
    hands = opened()
    hands.app.open(Watching(hands.app, GameModel((Seat("family@2"), Seat("family@3")))))
    hands.key("<family>", "2")
    assert shown(hands).place[0] == 3
    hands.key("escape")
    hands.click("strip0.family")
    assert shown(hands).place[0] == 2


def test_family_from_the_list(opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ship(tmp_path, monkeypatch)
    hands = opened()
    hands.key("n")
    chooser = hands.app.screen
    assert isinstance(chooser, Chooser)
    hands.until(lambda: not chooser.shelves.busy and chooser.chosen is not None, 3000.0)
    hands.click("do.family")
    assert shown(hands).place == (0, "Gen00_0000")


def test_damaged_generation_ends_the_tree_with_a_message(opened: Opened, tmp_path: Path) -> None:
    run = make_family_run(tmp_path / "runs", "family", 6)
    run.generation_path(3).write_text("name,rank\n", encoding="utf-8")
    hands = opened()
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("family")))
    screen = shown(hands)
    assert screen.tree is not None
    assert "generation_0003.csv" in screen.tree.lines[-1].text
    hands.key("end")
    shown(hands)
    assert "the file of its generation has no row for it" in hands.widget("told").text
    assert not hands.widget("do.play").enabled
    hands.key("escape")
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("family@2")))  # the next one is the damaged one
    tree = shown(hands).tree
    assert tree is not None
    assert tree.lines[0].kind is LineKind.MEMBERS
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
    monkeypatch.setattr(family_module, "read_details", recorded(family_module.read_details))
    monkeypatch.setattr("extras.family.screen.read_details", family_module.read_details)
    hands = opened()
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("alpha")))
    screen = shown(hands)
    hands.key("down", "end", "home")
    shown(hands)
    assert len(threads) >= 2
    assert set(threads) == {"background"}
    assert screen.details is not None


def test_of_a_long_tree_only_visible_lines_are_drawn(opened: Opened, tmp_path: Path) -> None:
    make_family_run(tmp_path / "runs", "long", 240, parents=5, survive=0.7)
    hands = opened()
    hands.app.open(FamilyScreen(hands.app, ListedPlayer.of_player("long")))
    screen = shown(hands)
    assert screen.tree is not None
    assert len(screen.tree.lines) > 80
    assert sum(line.kind is LineKind.SAME for line in screen.tree.lines) > 2
    hands.key("a")
    assert len(screen.tree.lines) == 241
    hands.key("pagedown", "pagedown", "end")
    assert screen.place[0] == 0
    scroll = screen.ui.memory["tree"]
    assert 0 < len(scroll.boxes) < 100
