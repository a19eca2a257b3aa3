"""TOML of a stranger: limits that hold before it is parsed, every refusal in one line."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve.config import toml
from game.errors import InputError
from game.networks import named
from game.toml_file import TomlError, parse_toml, quote_key, quote_value, read_toml
from gui.individuals import opponents
from tests.cases import for_each

BOMBS = {
    "a key of 200 kB": ("a." * 100_000 + "a = 1", "more than 65,536 bytes"),
    "a key of 1,000 parts": ("seed" + ".a" * 1000 + " = 1", "line 1: 1,000 dots, at most 50"),
    "a table of 20,000 parts": ("\n[a" + ".a" * 20_000 + "]", "line 2: 20,000 dots, at most 50"),
    "500 lists in lists": ("x = " + "[" * 500, "line 1: 500 open brackets, at most 50"),
    "500 tables in tables": ("x = " + "{a=" * 500, "line 1: 500 open brackets, at most 50"),
    "a bracket a line": ("x = " + "[\n" * 20_000, "brackets nested too deeply"),
    "a number of thousands of digits": ("x = " + "1" * 5000, "Exceeds the limit"),
}
READERS: list[Callable[[Path], object]] = [
    read_toml,
    toml.from_toml,
    lambda path: toml.load(None, path),
    named.from_file,
]


@for_each("read", READERS)
@for_each(("text", "refusal"), BOMBS.values())
def test_bombs_are_refused_in_one_line(text: str, refusal: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read(path)
    assert str(raised.value).startswith(f"{path}: not a TOML file: {refusal}")
    assert len(str(raised.value).splitlines()) == 1


@pytest.mark.parametrize(("text", "refusal"), BOMBS.values(), ids=BOMBS)
def test_the_window_asks_a_run_with_a_bomb_for_its_depth(
    text: str, refusal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python's reader, which would take its time, never sees what is beyond the limits."""
    parsed: list[str] = []
    loads = tomllib.loads
    monkeypatch.setattr(tomllib, "loads", lambda text: parsed.append(text) or loads(text))
    (tmp_path / "bomb").mkdir()
    (tmp_path / "bomb" / "config.toml").write_text(text, encoding="utf-8")
    assert opponents.evolved_limits(tmp_path, "bomb") is None
    assert bool(parsed) == (refusal[0] in "bE")


@pytest.mark.parametrize("path", ["seed", "preset", "population.parents", "stages", "network.name", "nothing"])
def test_nested_values_are_reported_in_one_line(path: str, tmp_path: Path) -> None:
    for text in (f"[{path}{'.a' * 45}]\n{'.'.join('a' * 50)} = 1\n", f"{path} = " + "[\n" * 200 + "1" + "]\n" * 200):
        file = tmp_path / "some.toml"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as raised:
            toml.load(None, file)
        assert len(str(raised.value).splitlines()) == 1
    with pytest.raises(InputError) as raised:
        toml.load(None, None, [f"{path}{'.a' * 1000}=1"])
    assert len(str(raised.value).splitlines()) == 1


def test_a_value_too_deep_to_be_printed() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert quote_value(deep) == "values that are nested too deeply"
    while deep:  # Python would free them one in another
        (deep,) = deep  # type: ignore[assignment]


def test_memory_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(text: str) -> None:
        raise MemoryError

    monkeypatch.setattr("tomllib.loads", full)
    with pytest.raises(TomlError, match="too large for the memory of this machine"):
        parse_toml("a = 1")


ESCAPES = "\x1b]0;PWNED\x07\u202e\x9b2J"


def test_keys_never_reach_the_terminal_as_they_are(tmp_path: Path) -> None:
    key = '"\\u001b]0;PWNED\\u0007\\u202e\\u009b2J"'
    file = tmp_path / "some.toml"
    texts = (f"{key} = 1\n", f"[population]\n{key} = 1\n", f"[[stages]]\n{key} = 1\n", f"[network]\n{key} = 1\n")
    for text in texts:
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as raised:
            toml.load(None, file)
        assert str(raised.value).isprintable()
        assert r"\x1b]0;PWNED" in str(raised.value)
    file.write_text(f"name = 'x'\ninput = 'board'\nlayers = []\n{key} = 1\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        named.from_file(file)
    assert str(raised.value).removeprefix(f"{file}: ").isprintable()
    with pytest.raises(InputError) as raised:
        toml.load(None, None, [f"{ESCAPES}=1"])
    assert str(raised.value).isprintable()
    assert quote_key("x" * 1000) == "x" * 100 + "..."
