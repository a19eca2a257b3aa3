"""A data folder with pipes, devices and endless files: the window waits for none of them and reads none to its end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gui.storage.game_text import to_text
from gui.storage.kept_games import INDEX, LONGEST_LINE, KeptGames
from gui.storage.rated_games import NAME, RatedGamesFile
from gui.storage.settings import Settings
from tests.evolve.run.folder_helpers import in_time
from tests.gui.hands import Hands, Opened
from tests.gui.kept_games_helpers import game, many

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def endless(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)  # a sparse file


@pytest.fixture(params=[os.mkfifo, device, endless])
def odd(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    made: Callable[[Path], None] = request.param
    return made


def test_settings_that_are_no_file_are_reported(odd: Callable[[Path], None], tmp_path: Path) -> None:
    odd(tmp_path / "settings.json")
    results: list[Settings] = []
    assert in_time(lambda: results.append(Settings(tmp_path / "settings.json"))) is None
    assert "settings.json cannot be read: " in results[0].trouble


def test_rated_games_that_are_no_file_are_reported(odd: Callable[[Path], None], tmp_path: Path) -> None:
    odd(tmp_path / NAME)
    file = RatedGamesFile(tmp_path)
    assert in_time(file.refresh) is False
    assert f"{NAME} cannot be read: " in file.trouble
    if not (tmp_path / NAME).is_file():
        assert in_time(lambda: file.add({"game": "1"})) is False
        assert "Rated games cannot be saved in" in file.trouble and file.events == [{"game": "1"}]


def test_a_kept_game(odd: Callable[[Path], None], tmp_path: Path) -> None:
    many(tmp_path, 3)
    odd(tmp_path / "games" / "odd-1.json")
    kept = KeptGames(tmp_path)
    games = in_time(kept.read_all)
    assert isinstance(games, list) and len(games) == 3
    assert len(kept.damaged) == 1 and "odd-1.json cannot be read: " in kept.damaged[0]


def test_the_index_is_replaced(odd: Callable[[Path], None], tmp_path: Path) -> None:
    many(tmp_path, 3)
    index = tmp_path / "games" / INDEX
    odd(index)
    for _ in range(2):  # the second time from the new one
        kept = KeptGames(tmp_path)
        games = in_time(kept.read_all)
        assert isinstance(games, list) and len(games) == 3
        assert index.is_file() and not index.is_symlink()
        assert len(index.read_text().splitlines()) == 3
    os.truncate(index, 40 << 20)  # within its limit, but no line of it ends
    games = in_time(KeptGames(tmp_path).read_all)
    assert isinstance(games, list) and len(games) == 3


def test_the_window_opens_beside_all_of_them(odd: Callable[[Path], None], opened: Opened, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "games").mkdir(parents=True)
    for name in ("settings.json", NAME, f"games/{INDEX}", "games/odd-1.json", "measured_champions.json"):
        odd(data / name)
    hands: list[Hands] = []
    assert in_time(lambda: hands.append(opened())) is None
    hands[0].wait(1.0)


def test_absurd_lines_of_the_index_are_ignored(tmp_path: Path) -> None:
    many(tmp_path, 2)
    KeptGames(tmp_path).read_all()
    index = tmp_path / "games" / INDEX
    first, second = index.read_text().splitlines()
    values = json.loads(first)
    for at, absurd in (
        (-1, "[1e999,0]"),
        (-1, "[]"),
        (-1, "{}"),
        (4, "1" + "0" * 400),
        (4, "1e999"),
        (0, "1e999"),
        (10, "null"),
        (12, "[1]"),
    ):
        parts = [json.dumps(each) for each in values]
        parts[at] = absurd
        index.write_text(f"[{','.join(parts)}]\n{'x' * 2 * LONGEST_LINE}\n{second}\n")
        assert len(KeptGames(tmp_path).read_all()) == 2


def test_a_game_of_an_absurd_time_is_damaged(tmp_path: Path) -> None:
    many(tmp_path, 1)
    model = game(0, 1)
    model.resign(0)
    values = json.loads(to_text(model))
    for number, absurd in enumerate((10**400, -(10**400), 10**16)):
        (tmp_path / "games" / f"absurd-{number}.json").write_text(json.dumps(values | {"when": absurd}))
    kept = KeptGames(tmp_path)
    assert len(kept.read_all()) == 1 and len(kept.damaged) == 3
