"""Properties: no bytes get anything but documented errors out of a loader (F15), and a run folder stays whole.

First garbage and mutated files for every loader; then runs that go back, are torn, damaged or left by a kill.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.config.toml import from_toml, load, to_toml
from evolve.names.registration import register
from evolve.run import append_only, generation_csv, manifest, status
from evolve.run.columns import GenerationError
from evolve.run.files import DamagedRunError
from evolve.run.folder import Run
from evolve.run.generation_csv import to_csv
from evolve.run.log import read_log
from evolve.run.manifest import Manifest, generation_name
from evolve.session import create
from game.board import FenError, Position
from game.errors import InputError
from game.networks import named
from game.networks.named import BLONDIE_1741
from game.networks.spec import NetworkError, Spec
from game.players import registry
from game.players.names import PlayerNameError, parse_name
from tests.evolve.run import folder_helpers
from tests.evolve.run.folder_helpers import contents
from tests.game.pdn.pdn_texts import records
from tests.runs import random_rows as rows

pytestmark = pytest.mark.usefixtures("own_names")

additions = partial(folder_helpers.additions, width=5)
made = partial(folder_helpers.made, width=5)
GROWING = append_only.NAMES
DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here survives a loss of power, so nothing waits for the disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return made(tmp_path, 3)


def load_generation(data: bytes, folder: Path) -> object:
    return generation_csv.parse(data, "file.csv")


def load_manifest(data: bytes, folder: Path) -> object:
    (folder / manifest.NAME).write_bytes(data)
    return manifest.read(folder)


def load_config(data: bytes, folder: Path) -> object:
    (folder / "config.toml").write_bytes(data)
    with contextlib.suppress(ConfigError):
        load(None, folder / "config.toml")
    return from_toml(folder / "config.toml")


def load_setting(data: bytes, folder: Path) -> object:
    return load(None, None, [data.decode("utf-8", "surrogateescape")])


def load_record(data: bytes, folder: Path) -> object:
    (folder / "config.toml").write_bytes(data)
    return Run(folder).check_format()


def load_network(data: bytes, folder: Path) -> object:
    (folder / "network.toml").write_bytes(data)
    return named.from_file(folder / "network.toml")


def load_status(data: bytes, folder: Path) -> object:
    (folder / status.NAME).write_bytes(data)
    return status.read(folder)


def load_name(data: bytes, folder: Path) -> object:
    return parse_name(data.decode("utf-8", "surrogateescape"))


def load_player(data: bytes, folder: Path) -> object:
    register(folder / "runs")
    return registry.player(data.decode("utf-8", "surrogateescape"))


def load_fen(data: bytes, folder: Path) -> object:
    return Position.from_fen(data.decode("utf-8", "surrogateescape"))


def load_pdn(data: bytes, folder: Path) -> object:
    return records(data)


def load_log(data: bytes, folder: Path) -> object:
    """The growing files of a run, cut to its last generation and summed up."""
    Manifest().with_entry("0" * 64).write(folder)
    for name in GROWING:
        (folder / name).write_bytes(data)
    Run(folder).rewind(0)
    return read_log(Run(folder), 0)


Loader = Callable[[bytes, Path], object]
LOADERS: dict[Loader, tuple[type[Exception], ...]] = {
    load_generation: (GenerationError,),
    load_manifest: (),
    load_config: (ConfigError,),
    load_setting: (ConfigError,),
    load_record: (InputError,),
    load_network: (NetworkError,),
    load_status: (),
    load_name: (PlayerNameError,),
    load_player: (InputError,),
    load_fen: (FenError,),
    load_pdn: (),
    load_log: (DamagedRunError,),
}


def samples() -> dict[Loader, list[bytes]]:
    hall = b"".join(additions(generation)[append_only.HALL_OF_FAME] for generation in range(3))
    plain = b'names,w0,w1\nGen15_0000,0.25,-1e-05\n"Gen15_0001",1,2\n'
    config = to_toml(Config(), create.record(Config())).encode()
    other = to_toml(Config(network=Spec("x", "squares", BLONDIE_1741.layers)), create.record(Config())).encode()
    return {
        load_generation: [to_csv(rows(1)), hall, plain, b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")],
        load_manifest: [Manifest().with_entry("0" * 64).text().encode()],
        load_config: [config, other],
        load_setting: [b"population.parents=16", b"stages.0.ties=swap", b"games.quiet_plies=60"],
        load_record: [config],
        load_network: [named.to_toml(BLONDIE_1741).replace("blondie-1741", "mine").encode()],
        load_status: [
            b'{"state": "paused", "pid": 1, "heartbeat": 1.5, "generation": 2, "generations": 3, "games": 4}'
        ],
        load_name: [b'"a file, with a comma.csv":NAME,depth=1,seed=7', b"cowan-1@15:Gen15_0111"],
        load_player: [b"random,seed=5", b"one@3:Gen03_0001,depth=1", b"material", b"file.csv:a"],
        load_fen: [b"B:W18,24,27-30,K10:B12,K22", b"W:WK1:B."],
        load_pdn: [(DATA / "annotated.pdn").read_bytes()[:5000], (DATA / "faulty.pdn").read_bytes()[:5000]],
        load_log: [additions(0)[name] + additions(1)[name] for name in GROWING],
    }


SAMPLES = samples()


def survives(loader: Loader, data: bytes, folder: Path) -> None:
    try:
        loader(data, folder)
    except LOADERS[loader] as error:
        assert str(error)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("loaders")


def test_every_loader_has_right_files_and_takes_them(folder: Path) -> None:
    assert set(LOADERS) == set(SAMPLES)
    for loader, texts in SAMPLES.items():
        if loader not in (load_player, load_log):
            for data in texts:
                loader(data, folder)


@pytest.mark.parametrize("loader", LOADERS, ids=lambda loader: loader.__name__)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(data=st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_garbage_is_refused_with_a_documented_error(loader: Loader, data: bytes, folder: Path) -> None:
    survives(loader, data, folder)


def mutated(data: bytes, random: Random) -> bytes:
    text = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 5, 20))):
        place, size = random.randrange(len(text) + 1), random.choice((1, 1, 2, 10, 100))
        part = bytes(text[place : place + size])
        match random.randrange(7):
            case 0:
                text[place : place + 1] = bytes([random.randrange(256)])
            case 1:
                del text[place : place + size]
            case 2:
                text[place:place] = part
            case 3:
                text[place:place] = random.choice(
                    (b"\0", b"\n", b"\r", b'"', b",", b"=", b"nan", b"[" * 50, b"\xff", b"9" * 400)
                )
            case 4:
                del text[place:]
            case 5:
                text[place : place + size] = part[::-1]
            case _:
                other = random.choice(random.choice(list(SAMPLES.values())))
                text[place : place + size] = other[place : place + 2 * size]
    return bytes(text)


@pytest.mark.parametrize("loader", LOADERS, ids=lambda loader: loader.__name__)
def test_mutated_files_are_refused_with_a_documented_error(loader: Loader, folder: Path) -> None:
    random = Random(15)
    for _ in range(40):
        survives(loader, mutated(random.choice(SAMPLES[loader]), random), folder)


@pytest.mark.parametrize("loader", LOADERS, ids=lambda loader: loader.__name__)
@pytest.mark.parametrize(
    "data", [b"", b"\0", b"[" * 5_000, b"{" * 5_000, b"1" * 5_000, b",\n" * 2_000, b'"', b"\xff\xfe"]
)
def test_monstrous_files_are_refused_with_a_documented_error(loader: Loader, data: bytes, folder: Path) -> None:
    survives(loader, data, folder)
    for right in SAMPLES[loader]:
        survives(loader, right + data, folder)
        survives(loader, data + right, folder)


@pytest.mark.parametrize("generation", [-1, 0, 1, 2, 3])
def test_going_back_gives_the_run_as_it_was(generation: int, tmp_path: Path) -> None:
    run, twin = made(tmp_path / "a", 3), made(tmp_path / "b", generation)
    after = run.rewind(generation)
    assert after == run.manifest() == twin.manifest()
    result = {
        name: data for name, data in contents(run).items() if name not in {f"{each}.given-up" for each in GROWING}
    }
    for number in range(generation + 1, 4):
        assert result.pop(f"{generation_name(number)}.given-up") == to_csv(rows(number))
    expected = contents(twin)
    if generation < 0:  # empty files are as good as none
        expected |= {name: b"" for name in GROWING} | {manifest.NAME: Manifest().text().encode()}
    assert result == expected


@pytest.mark.parametrize("file", GROWING)
def test_growing_files_are_cut_but_not_rewritten(file: str, run: Run) -> None:
    """A reader that has the file open goes on reading the same file."""
    path = run.path / file
    before, node = path.read_bytes(), path.stat().st_ino
    run.rewind(1)
    assert path.stat().st_ino == node
    assert before.startswith(path.read_bytes())
    assert path.read_bytes() == additions(0)[file] + additions(1)[file]


@pytest.mark.parametrize("file", GROWING)
def test_torn_last_lines_are_cut(file: str, tmp_path: Path) -> None:
    """A kill may leave any part of an addition, even one that reads as an earlier generation: 1 of 11."""
    run = made(tmp_path, 10)
    path = run.path / file
    whole, addition = path.read_bytes(), additions(11)[file]
    for size in range(len(addition) + 1):
        path.write_bytes(whole + addition[:size])
        run.rewind(10)
        assert path.read_bytes() == whole, size


def test_only_whole_games_are_kept(run: Run) -> None:
    path = run.path / append_only.CHAMPIONS
    whole = path.read_bytes()
    ends = [0, *(end for end in range(len(whole) + 1) if whole[:end].endswith(b"*\n\n"))]
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        run.rewind(3)
        assert path.stat().st_size == max(end for end in ends if end <= size)


def test_leftovers_of_a_kill_are_taken_away(run: Run) -> None:
    before = contents(run)
    run.generation_path(4).write_bytes(b"half")
    (run.path / ".generation_0004.csv.tmp").write_bytes(b"half")
    (run.path / "notes.txt").write_text("mine")
    assert run.rewind(3) == run.manifest()
    assert contents(run) == before | {"notes.txt": b"mine"}


def test_generations_behind_a_damaged_manifest_are_kept_aside(run: Run) -> None:
    path = run.path / manifest.NAME
    path.write_bytes(path.read_bytes().replace(b"\n2,generation", b"\n2,generatiom"))
    assert run.manifest().newest == 1
    run.rewind(1)
    assert run.manifest().damage is None
    for generation in (2, 3):
        aside = run.path / f"{generation_name(generation)}.given-up"
        assert aside.read_bytes() == to_csv(rows(generation))
