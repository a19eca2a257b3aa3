"""No pipe, device or endless file that a person names or a configuration lists makes a command wait or read on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import main
from tests.evolve.run.folder_helpers import in_time
from tests.needed import marks_of

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")


COMMANDS = (
    "train --preset policy --games FILE --out out",
    "train --preset policy --games FILE --out out --estimate",
    "evolve --config FILE --out out",
    "evolve --config listed.toml --out out",
    "evolve --config listed.toml --out out --estimate",
    "evolve --plugin FILE --out out",
    "evolve --network FILE --out out",
    "evolve --preset piped --out out",
    "network FILE",
    "pdn check FILE",
    "analyse --pdn FILE",
    "match random random --games 2 --pdn FILE",
    "move FILE",
    "inspect FILE",
)


@pytest.mark.parametrize("words", [pytest.param(each, marks=marks_of(each.split()[0])) for each in COMMANDS])
@pytest.mark.parametrize("kind", ["pipe", "device", "endless"])
def test_a_command_ends_in_a_line(
    kind: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    endings = {"--plugin": ".py", "--config": ".toml", "--network": ".toml", "network": ".toml", "move": ".csv"}
    ending = next((each for word, each in endings.items() if f"{word} FILE" in words), ".pdn")
    ending = ".csv" if words.startswith("inspect") else ending
    presets = tmp_path / "data" / "presets"
    presets.mkdir(parents=True)
    for path in (tmp_path / f"file{ending}", tmp_path / "ops.py", presets / "piped.toml"):
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "device":
            path.symlink_to("/dev/zero")
        else:
            path.touch()
            os.truncate(path, 1 << 40)  # all hole
    (tmp_path / "listed.toml").write_text('[plugins]\nfiles = ["ops.py"]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path / "data"))
    codes: list[int] = []
    command = words.replace("FILE", f"file{ending}").split()
    assert in_time(lambda: codes.append(main.main(command))) is None
    output = capsys.readouterr().err
    assert codes == [main.MISTAKE], output
    assert output.strip().count("\n") == 0
    assert not (tmp_path / "out").exists()
