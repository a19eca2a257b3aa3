"""Runs of the preset `policy` by the command line: the same bytes with one worker and two, and the file of games."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import main
from evolve.run.folder import Run
from extras.learning.tests.own_games import write_own_games
from tests.evolve.tiny_sessions import Played, results

pytest.importorskip("optax")

NETWORK = Path(__file__).parents[3] / "docs" / "examples" / "policy-small.toml"
SETTINGS = ("learning.samples=1000", "learning.validation=0.1", "learning.test=0.1", "rating.every=2", "rating.games=2")

Train = Callable[..., Played]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_own_games(tmp_path_factory.mktemp("games") / "games.pdn", 60)


@pytest.fixture
def train(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Train:
    def call(*options: str) -> Played:
        capfd.readouterr()
        settings = [] if any(option.startswith("--resume") for option in options) else SETTINGS
        named = [f"--set={each}" for each in settings]
        code = main.main(["train", f"--out={tmp_path}", "--json", *named, *options])
        return Played(code, *capfd.readouterr())

    return call


@pytest.mark.check
def test_runs_of_policy_resume_with_the_same_games(train: Train, file: Path, tmp_path: Path) -> None:
    begin = ("--preset=policy", f"--network={NETWORK}", "--seed=1", "--set=workers.start_method=fork")
    games = Path(shutil.copy(file, tmp_path / "games.pdn"))
    straight = train(*begin, f"--games={games}", "--name=one", "--generations=2", "--workers=2").json
    train(*begin, f"--games={games}", "--name=two", "--generations=1", "--workers=1")

    good = games.read_bytes()
    games.write_bytes(good + b'[Event "one more"]\n[Result "1-0"]\n\n1. 11-15 23-19 1-0\n')
    result = train("--resume=two", "--generations=2", "--workers=1")
    assert result.code == 2
    (line,) = [line for line in result.err.splitlines() if line.startswith("main.py: ")]
    assert "games.pdn" in line and "chang" in line
    games.unlink()
    (line,) = [line for line in train("--resume=two").err.splitlines() if line.startswith("main.py: ")]
    assert line.endswith("games.pdn: No such file or directory; if it has moved, give its new path: --games FILE")
    games.write_bytes(good)
    before = (tmp_path / "two" / "config.toml").read_bytes()
    other = tmp_path / "other.pdn"
    for content in (None, good + b"\n"):  # a file that is refused is not remembered
        if content is not None:
            other.write_bytes(content)
        assert train("--resume=two", "--generations=2", f"--games={other}").code == 2
        assert (tmp_path / "two" / "config.toml").read_bytes() == before
    assert train("--resume=two", "--generations=2", "--workers=1").json["digest"] == straight["digest"]
    # What is measured by the test in the last generation that was asked for is there once more: in generation 1.
    one, two = (results(tmp_path / name) for name in ("one", "two"))
    assert {name for name in one if one[name] != two[name]} <= {"log.csv"}
    learnt = [Run(tmp_path / name).read_generation(2).weights.tobytes() for name in ("one", "two")]
    assert learnt[0] == learnt[1]


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "no such file"), (b"", "no game"), (b"\x00\x01\x02" * 99, "not a text file")],
    ids=["missing", "empty", "binary"],
)
def test_file_without_usable_games_leaves_no_run(
    train: Train, tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "wrong.pdn"
    if content is not None:
        path.write_bytes(content)
    result = train("--preset=policy", f"--games={path}", "--name=one")
    assert result.code == 2
    (line,) = [line for line in result.err.splitlines() if line.startswith("main.py: ")]
    assert words in line.lower(), line
    assert not (tmp_path / "one").exists()
