"""Data kept between starts: never half written, never a reason to stop, and no window overwrites another's game."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.run.files import signature, signature_of
from game import installation, plain
from gui.model.game import GameModel
from gui.storage import whole_files
from gui.storage.autosave import SAVE_EVERY, Autosave
from gui.storage.game_text import SavedGameError, from_text, to_text
from gui.storage.settings import Settings
from tests.gui.kept_games_helpers import kept_games, played, resume

ROOT = Path(__file__).parents[2]


def same(one: GameModel, other: GameModel) -> bool:
    def state(model: GameModel) -> tuple[Any, ...]:
        moves = [(ply.before, ply.move, ply.after, ply.notes) for ply in model.plies]
        messages = [ply.thought and (ply.thought.text, ply.thought.share, ply.thought.depth) for ply in model.plies]
        facts = attrgetter("seats", "rules", "tags", "cursor", "ending", "start", "notes")
        return moves, messages, facts(model)

    return state(one) == state(other)


def forbidding(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = whole_files.replacing

    def refuse(path: Path, **options: Any) -> contextlib.AbstractContextManager[IO[bytes]]:
        if folder in path.parents:
            raise PermissionError(13, "Permission denied", str(path))
        return original(path, **options)

    monkeypatch.setattr(whole_files, "replacing", refuse)


def test_settings_are_kept(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "new" / "folder")
    assert settings.get("theme", "light") == "light" and settings.trouble == ""
    settings.set("theme", "dark")
    settings.set("scale", 1.5)
    settings.set("mute", True)
    settings.add_recent("files", "a.pdn")
    assert settings.save()
    again = Settings(tmp_path / "new" / "folder")
    assert (again.get("theme", "light"), again.get("scale", 1.0), again.get("mute", False)) == ("dark", 1.5, True)
    assert again.recent("files") == ["a.pdn"]


def test_values_of_another_kind_are_the_default(tmp_path: Path) -> None:
    values = {"theme": 7, "scale": "big", "mute": 1, "depth": True, "speed": 2, "time": float("inf"), "colour": "green"}
    (tmp_path / "settings.json").write_text(json.dumps(values | {"files": ["a", 3, None]}), encoding="utf-8")
    settings = Settings(tmp_path)
    assert settings.get("theme", "light") == "light"
    assert settings.get("scale", 1.0) == 1.0
    assert settings.get("mute", False) is False
    assert settings.get("depth", 4) == 4
    assert settings.get("speed", 1.0) == 2.0
    assert settings.get("time", 1.0) == 1.0
    assert settings.get("colour", "black", ("black", "white")) == "black"
    assert settings.recent("files") == ["a"] and settings.recent("theme") == []


def test_two_windows_keep_their_own_changes(tmp_path: Path) -> None:
    one, other = Settings(tmp_path), Settings(tmp_path)
    one.set("theme", "dark")
    one.save()
    other.set("scale", 2.0)
    other.save()
    again = Settings(tmp_path)
    assert (again.get("theme", "light"), again.get("scale", 1.0)) == ("dark", 2.0)


def test_unchanged_settings_are_not_written(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    settings.set("theme", "dark")
    settings.save()
    (tmp_path / "settings.json").unlink()
    settings.set("theme", "dark")
    assert settings.save()
    assert not (tmp_path / "settings.json").exists()


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\x00\xff", b"null", b"[" * 100_000, b'{"a": 1}garbage'])
def test_damaged_settings_are_set_aside(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "settings.json").write_bytes(data)
    settings = Settings(tmp_path)
    assert settings.get("theme", "light") == "light"
    assert "was damaged and set aside" in settings.trouble
    assert (tmp_path / "settings.json.damaged").read_bytes() == data
    settings.set("theme", "dark")
    assert settings.save() and settings.trouble == ""
    assert Settings(tmp_path).get("theme", "light") == "dark"


def test_settings_that_cannot_be_read_or_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forbidding(tmp_path, monkeypatch)
    settings = Settings(tmp_path)
    settings.set("theme", "dark")
    assert not settings.save()
    assert settings.trouble == f"Settings cannot be saved in {tmp_path}: Permission denied."
    assert settings.get("theme", "light") == "dark"  # for this window
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "settings.json").mkdir()
    assert "cannot be read" in Settings(tmp_path).trouble
    (tmp_path / "file").touch()
    settings = Settings(tmp_path / "file" / "below")
    settings.set("theme", "dark")
    assert not settings.save() and "cannot be saved" in settings.trouble


def test_data_folder_follows_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(installation.DATA_VARIABLE, str(tmp_path))
    assert installation.data_folder() == tmp_path
    monkeypatch.delenv(installation.DATA_VARIABLE)
    assert "crownhead" in str(installation.data_folder())


@given(st.integers(0, 1000), st.integers(0, 120), st.integers(0, 120))
def test_a_game_comes_back_as_it_was(seed: int, plies: int, cursor: int) -> None:
    model = played(seed, plies)
    if seed % 3 == 0 and not model.over:
        model.resign(seed % 2)
    model.go_to(cursor)
    again, extra = from_text(to_text(model, {"flipped": True}))
    assert same(model, again) and extra == {"flipped": True}
    assert again.number != model.number


def test_the_seed_of_a_game_is_kept() -> None:
    model = GameModel(seed=12345)
    assert from_text(to_text(model))[0].seed == 12345
    values = json.loads(to_text(model))
    for strange in (-1, 2**64, 1.5, "7", None):
        with pytest.raises(SavedGameError):
            from_text(json.dumps(values | {"seed": strange}))
    del values["seed"]  # as earlier versions saved games
    assert from_text(json.dumps(values))[0].seed == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60)
@given(st.data())
def test_any_change_of_a_saved_game_is_a_sound_game_or_an_error(data: st.DataObject) -> None:
    values = json.loads(to_text(played(3, 6)))
    place: Any = values
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(place[key], list | dict) and place[key] and data.draw(st.booleans()):
            place = place[key]
            continue
        place[key] = data.draw(JSON)
        break
    try:
        model, extra = from_text(json.dumps(values))
    except SavedGameError:
        return
    position = model.start
    for ply in model.plies:
        position = plain.apply(position, ply.move)
    assert position == model.last and isinstance(extra, dict)
    assert from_text(to_text(model, extra))[0].plies == model.plies


@given(st.binary(max_size=50) | st.text(max_size=50))
def test_any_text_is_no_saved_game(text: bytes | str) -> None:
    with pytest.raises(SavedGameError):
        from_text(text)


def test_a_killed_window_leaves_its_game(tmp_path: Path) -> None:
    code = f"""
import os
from pathlib import Path
from gui.storage.autosave import Autosave
from tests.gui.kept_games_helpers import played
Autosave(Path({str(tmp_path)!r})).save(played(1))
os._exit(9)
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=120)
    kept = resume(Autosave(tmp_path), tmp_path)
    assert kept is not None and same(kept.model, played(1))


def test_windows_do_not_take_each_others_games(tmp_path: Path) -> None:
    one, other = Autosave(tmp_path), Autosave(tmp_path)
    one.save(played(1))
    assert resume(other, tmp_path) is None and kept_games(tmp_path) == []
    other.save(played(2))
    third = Autosave(tmp_path)
    assert resume(third, tmp_path) is None
    other.release()
    kept = resume(third, tmp_path)
    assert kept is not None and same(kept.model, played(2))
    third.save(played(3))  # in its place
    third.release()
    one.release()
    games = kept_games(tmp_path)
    assert len(games) == 2 and same(games[0].model, played(3)) and same(games[1].model, played(1))


def test_the_newest_game_is_taken_up_and_another_on_request(tmp_path: Path) -> None:
    for seed in (1, 2, 3):
        autosave = Autosave(tmp_path)
        autosave.save(played(seed))
        autosave.release()
    for at, path in enumerate(sorted((tmp_path / "games").glob("*.json"))):
        os.utime(path, ns=(at, at))
    autosave = Autosave(tmp_path)
    kept = resume(autosave, tmp_path)
    assert kept is not None and same(kept.model, played(3))
    others = kept_games(tmp_path)
    assert [same(game.model, played(seed)) for game, seed in zip(others, (2, 1), strict=True)] == [True, True]
    taken = autosave.take(others[1].path)
    assert taken is not None and same(taken.model, played(1))
    assert len(kept_games(tmp_path)) == 2


def test_a_game_that_is_over_makes_room(tmp_path: Path) -> None:
    autosave = Autosave(tmp_path)
    autosave.save(played(1))
    autosave.clear()
    assert list((tmp_path / "games").glob("*.json")) == []
    autosave.save(played(2))
    autosave.release()
    assert len(kept_games(tmp_path)) == 1


def test_it_is_saved_when_it_changed_and_not_too_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = []
    autosave = Autosave(tmp_path)
    original = Autosave.save
    monkeypatch.setattr(Autosave, "save", lambda self, *given: (saved.append(1), original(self, *given))[1])
    model = GameModel()
    autosave.update(model, 0.0)
    assert saved == [] and not (tmp_path / "games").exists()  # nothing to lose yet
    model.play(plain.legal_moves(model.last)[0])
    autosave.update(model, 0.1)
    autosave.update(model, 10.0)
    assert len(saved) == 1
    model.play(plain.legal_moves(model.last)[0])
    autosave.update(model, 10.1)
    model.undo()
    autosave.update(model, 10.2)
    assert len(saved) == 2
    autosave.update(model, 10.1 + SAVE_EVERY)
    assert len(saved) == 3
    autosave.update(model, 99.0, {"flipped": True})
    assert len(saved) == 4


@pytest.mark.parametrize("data", [b"", b"{}", b"\x00", b"[" * 100_000, b'{"format": 1}'])
def test_damaged_games_are_set_aside_and_the_next_is_taken(tmp_path: Path, data: bytes) -> None:
    autosave = Autosave(tmp_path)
    autosave.save(played(1))
    autosave.release()
    bad = tmp_path / "games" / "zzz.json"
    bad.write_bytes(data)
    autosave = Autosave(tmp_path)
    kept = resume(autosave, tmp_path)
    assert kept is not None and same(kept.model, played(1))
    assert "was damaged and set aside" in autosave.trouble
    assert (tmp_path / "games" / "zzz.json.damaged").read_bytes() == data


def test_a_disk_without_locks_keeps_games_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Autosave, "_locked", lambda self, path: None)
    autosave = Autosave(tmp_path)
    assert autosave.save(played(1)) and autosave.trouble == ""
    autosave.release()
    assert len(list((tmp_path / "games").glob("*.json"))) == 1


def test_a_disk_that_is_full_keeps_the_last_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    autosave = Autosave(tmp_path)
    autosave.save(played(1))

    def full(number: int, data: memoryview) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    assert not autosave.save(played(2))
    monkeypatch.undo()
    autosave.release()
    kept = resume(Autosave(tmp_path), tmp_path)
    assert kept is not None and same(kept.model, played(1))
    assert [path.name for path in (tmp_path / "games").iterdir() if path.suffix == ".tmp"] == []


def test_a_file_in_the_place_of_another_is_noticed_even_with_its_length_and_time(tmp_path: Path) -> None:
    path, other = tmp_path / "manifest.csv", tmp_path / "other"
    assert signature(path) is None
    path.write_text("one")
    other.write_text("two")
    for each in (path, other):
        os.utime(each, ns=(7, 7))
    before = signature(path)
    assert before is not None and before == signature_of(path) and before[1:] == (3, 7)
    os.replace(other, path)
    assert signature_of(path)[1:] == (3, 7) and signature(path) != before
    with pytest.raises(OSError, match="other"):
        signature_of(other)


def test_a_game_is_deleted_unless_another_window_has_it_open(tmp_path: Path) -> None:
    here, there = Autosave(tmp_path), Autosave(tmp_path)
    assert here.save(GameModel())
    (path,) = (tmp_path / "games").glob("*.json")
    assert there.delete(path) == "This game is open in another window." and path.exists()
    assert here.delete(path) == "This game is open in another window." and path.exists()
    here.release()
    assert there.delete(path) == "" and not path.exists()
