"""The members of a cast: names by their cells, maps of traits, and the report."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.run.cells import row_of
from evolve.run.columns import GenerationError
from extras.cast.differences import differences, differences_text
from extras.cast.report import ReportedMember, sections
from extras.cast.trait_maps import Axis, TraitMap
from game.errors import InputError
from game.players.names import PlayerNameError, parse_name
from game.traits import TRAITS, TraitMean, means, sentence
from tests.cases import for_each
from tests.cast_run import make_cast_run
from tests.game.test_traits import means_of

CELLS = ["back-row=4 pieces=3 centre=1", "back-row=4 pieces=1 centre=1", "back-row=2 pieces=2 centre=2"]


@pytest.mark.parametrize(
    ("name", "row"),
    [("back-row=4,centre=1", 0), ("pieces=1", 1), ("centre=2, back-row=2", 2), ("centre=1,pieces=1,back-row=4", 1)],
)
def test_a_cell_means_the_best_member_in_it(name: str, row: int) -> None:
    assert row_of(CELLS, name) == row


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("back-rwo=4", "'back-rwo': expected a cell of this map .*or an option .*; did you mean back-row?"),
        ("back-row=4,dpeth=2", "'dpeth': expected .*; did you mean depth?"),
        ("depth=2,back-row=4", "depth: options come after the cells of a name"),
        ("back-row=4,back-row=4", "back-row: given twice"),
        ("back-row=0", "back-row: expected the number of a cell, up to 4, got '0'"),
        ("back-row=2,centre=1", "no member has the cell back-row=2,centre=1; nearest: back-row=2,centre=2; back"),
    ],
)
def test_a_wrong_cell_names_the_nearest(name: str, message: str) -> None:
    with pytest.raises(GenerationError, match=message):
        row_of(CELLS, name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cast:Gen162_0999", "no individual is called 'Gen162_0999'; near: Gen162_0109 (back-row=5,pieces=2,centre=5)"),
        ("cast:back-row", "no individual is called 'back-row'; names are like Gen162_0086 (back-row=4,pieces=3,cen"),
        ("first:back-row=3", "no individual is called 'back-row=3'; only members of a cast have cells; names are like"),
    ],
)
def test_a_member_that_does_not_exist_is_one_line(name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["match", name, "random", "--games=2"], ["inspect", name, "--games=0"]):
        assert main.main(arguments) == 2
        printed = capsys.readouterr()
        (line,) = printed.err.splitlines()
        assert message in line and not printed.out


def test_traits_come_before_options() -> None:
    name = parse_name("cast@60:back-row=4,centre=1,depth=2,quiescence=no")
    assert (name.target, name.member) == ("cast@60", "back-row=4,centre=1")
    assert name.options == {"depth": "2", "quiescence": "no"}
    assert parse_name(name.of(name.target, name.member, name.options).text) == name
    with pytest.raises(PlayerNameError, match="'centre=1' is not an option"):
        parse_name("cast:back-row=4,depth=2,centre=1")
    with pytest.raises(PlayerNameError, match="'centre=1' is not an option"):
        parse_name("cast:Gen60_0017,centre=1")


def map_of(text: str, *cells: tuple[int, ...]) -> tuple[list[ReportedMember], TraitMap]:
    """Return members with scores of 50 %, 60 %, ..., the best first, and their map."""
    traits, cells_of = (TraitMean(1.5, math.nan, 10),) * len(TRAITS), TraitMap.parse(text)
    members = [
        ReportedMember(f"Gen01_{place:04d}", cells_of.name(cell), cell, traits, 0.5 + place / 10, 10, "", ())
        for place, cell in enumerate(cells)
    ]
    return members[::-1], cells_of


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("rim", [(2,), (5,)]),
        ("rim,wing=-1:1:2", [(1, 1), (2, 2)]),
        ("back-row,pieces,centre", [(4, 3, 1), (4, 3, 2), (5, 1, 1)]),
        ("back-row=1:3:2,pieces=1:2:1,centre=0:1:3,rim=1:2:3", [(1, 1, 3, 2)]),
    ],
)
def test_the_map_is_a_table(text: str, cells: list[tuple[int, ...]]) -> None:
    members, known_map = map_of(text, *cells)
    drawn, listed = sections(members, known_map, "run@1")
    assert drawn.table is not None and listed.table is not None
    entries = [entry for row in drawn.table.rows for entry in row[2:] if entry != "-"]
    assert sum(int(entry.split("(")[1].rstrip(")")) for entry in entries) == len(cells)
    assert {len(row) for row in drawn.table.rows} == {len(drawn.table.headings)}
    assert f"{len(cells)} of {known_map.cells} cells" in drawn.more
    assert [row[0] for row in listed.table.rows] == [f"Gen01_{place:04d}" for place in range(len(cells))][::-1]
    assert [row[4] for row in listed.table.rows] == [known_map.name(cell) for cell in reversed(cells)]
    assert {row[5] for row in listed.table.rows} == {sentence((TraitMean(1.5, math.nan, 10),) * len(TRAITS))}


def test_reports_contain_how_a_member_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_cast_run(tmp_path, "styles", 40)
    assert main.main(["inspect", f"{run.path}@0", "--games=0", "--json"]) == 0
    members = json.loads(capsys.readouterr().out)["ranking"]
    most = {name: [member["traits"][name] for member in members] for name in members[0]["traits"]}
    for member in members:
        for one in member["unlike"]:
            values, value = most[one["trait"]], member["traits"][one["trait"]]
            assert one["value"] == value and one["others"] == 39 and abs(one["deviations"]) >= 1
            assert one["beyond"] == sum(each < value if one["deviations"] > 0 else each > value for each in values)
    apart = next(member for member in members if len(member["unlike"]) == 2)
    first, second = ("all" if one["beyond"] == 39 else f"{one['beyond']} of" for one in apart["unlike"])
    assert main.main(["inspect", f"{run.path}:{apart['cell']}", "--games=0"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert re.search(rf"unlike others .* than {first} 39 others .* than {second} 39 others", text)


@pytest.mark.check
def test_the_page_of_a_cast_begins_with_shields_on_its_map(tmp_path: Path) -> None:
    assert main.main(["inspect", "cast", "--games=0", f"--html={tmp_path / 'page.html'}"]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    places = [page.index(each) for each in ("<h2>Map</h2>", 'id="race"', "<h2>The best 10 members</h2>", 'id="curves"')]
    assert places == sorted(places)
    assert page.count('<i class="shield" style="background-image: url(&quot;data:image/svg+xml') == 24 + 10
    curves = {
        curve["title"]: curve["texts"] for curve in json.loads(re.split('id="run">|</script>', page)[1])["curves"]
    }
    assert curves["Cells held"][-1] == "77" and curves["Rating of champions"][-1] == "1404 Elo, measured after the run"


NAMES = [trait.name for trait in TRAITS]


def test_cells_have_equal_widths_and_the_ends_take_values_beyond() -> None:
    axis = Axis.parse("back-row=1:3:4")
    assert [axis.cell(value) for value in (0.0, 1.0, 1.49, 1.5, 2.99, 3.0, 9.0)] == [1, 1, 1, 2, 4, 4, 4]
    plain_axis = Axis.parse("back-row")
    trait = TRAITS[plain_axis.trait]
    assert (plain_axis.low, plain_axis.high, plain_axis.cells) == (trait.low, trait.high, 5)
    assert Axis.parse("wing=-1:1:2").cell(-0.1) == 1
    assert Axis.parse("wing=-.5:1.:3") == Axis.parse("wing=-0.5:1.0000000:3")


def test_a_player_is_placed_by_games_that_count() -> None:
    cells = TraitMap.parse("back-row=1:3:4,centre=0:1:5,length")
    assert cells.cells == 100
    full = [np.array([2.2] * len(TRAITS))] * 8
    assert cells.place(means(full)) == (3, 5, 1)
    assert cells.name((3, 5, 1)) == "back-row=3,centre=5,length=1"
    assert cells.place(means([*full[:7], np.full(len(TRAITS), math.nan)])) is None


@for_each(
    ("text", "message"),
    [
        ("centre,backrow", "did you mean back-row"),
        ("", "no such trait"),
        ("back-row,wing,back-row", "back-row: given twice"),
        ("back-row,wing,rim,length,centre", "at most 4 traits, got 5"),
        ("back-row=2:2:5", "cells of a positive width"),
        ("back-row=1:3:0", "cells of a positive width"),
        ("back-row=1:3", "cells of a positive width"),
        ("back-row=1:3:64,wing=0:1:65", "at most 4,096 cells, got 4,160"),
    ],
)
def test_a_wrong_map(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TraitMap.parse(text)


def test_differences_by_hand() -> None:
    players = [
        means_of(games=100, back_row=1, wing=2),
        means_of(games=100, back_row=2),
        means_of(games=100, back_row=3),
    ]
    (lone, nothing, full) = differences(players)
    wing, row = lone  # wing: 2, 0.5, 0.5; its mean is 1, its standard deviation sqrt(0.75)
    assert (TRAITS[wing.trait].name, wing.value, wing.mean, wing.beyond, wing.others) == ("wing", 2, 1, 2, 2)
    assert wing.deviations == pytest.approx(1 / math.sqrt(0.75))
    assert (TRAITS[row.trait].name, row.deviations, row.beyond) == ("back-row", -1, 2)
    text = "Further to the left than all 2 others (+2.00); fewer men on its back row than all 2 others (1.00)."
    assert differences_text(lone) == text
    assert nothing == () and differences_text(nothing) == ""
    assert differences_text(full) == "More men on its back row than all 2 others (3.00)."
    fourth = [*players, means_of(games=100, back_row=3, exchanges=40)]  # an equal one is not exceeded
    assert differences_text(differences(fourth)[3]) == "More exchanges than all 3 others (40 %)."
    both = [means_of(games=100, back_row=value) for value in (1, 1, 2, 2, 2, 3, 3)]
    assert differences_text(differences(both)[6]) == "More men on its back row than 5 of 6 others (3.00)."


def test_only_differences_that_are_more_than_chance_count() -> None:
    assert differences([means_of()] * 3) == [()] * 3  # equal
    values = (2.0, 2.05, 2.05, 2.1)  # three standard errors of 100 games are 0.16
    assert differences([means_of(games=100, back_row=value) for value in values]) == [()] * 4
    assert [len(own) for own in differences([means_of(games=10_000, back_row=value) for value in values])] == [
        1,
        0,
        0,
        1,
    ]
    assert differences([means_of(games=7, back_row=value) for value in (1, 2, 3)]) == [()] * 3
    assert differences([means_of(back_row=value) for value in (1, 3)]) == [()] * 2  # too few players
    unknown = [means_of(back_row=1), means_of(back_row=2), [TraitMean(math.nan, math.nan, 0)] * len(TRAITS)]
    assert differences(unknown) == [()] * 3


def test_a_phrase_is_for_the_outer_cells() -> None:
    axis = Axis.parse("back-row")
    for value in (1.69, 1.71, 2.59, 2.61):
        phrase = sentence(means_of(back_row=value)) != "Has no trait that stands out."
        assert (axis.cell(value) in (1, 5)) == phrase
