"""A person's own operators: files that a configuration names, copied into the run, and never loaded unasked."""

from __future__ import annotations

import hashlib
import multiprocessing
import random
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.kinds import plugins
from evolve.run.folder import Run
from game.removed import removed
from tests.called import evolve_cowan
from tests.laplace import CONFIG, LAPLACE

TINY = ["population.parents=3", "population.mutants=1", "rating.every=0", "founders.method=uniform"]
MINE = ("--config", "mine.toml", "--plugin", "ops.py")
ROUND_ROBIN = 'stages=[{kind="round-robin"}]'


@pytest.fixture(autouse=True)
def none_stay_loaded() -> Iterator[None]:
    yield
    plugins.load([])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ops.py").write_text(LAPLACE)
    (tmp_path / "mine.toml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evolve(*options: str, workers: int = 1) -> int:
    given = [f"--set={setting}" for setting in (*TINY, ROUND_ROBIN)]
    new = [] if "--resume" in options or "--branch" in options else [*given, "--seed", "1", "--generations", "2"]
    return main.main(evolve_cowan("--out", "runs", f"--workers={workers}", *new, *options))


def digest(name: str) -> str:
    return Run(Path("runs") / name).manifest().digest()


def test_run_keeps_its_plugin_for_resumes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evolve(*MINE, "--name", "mine") == 0
    sha = hashlib.sha256(LAPLACE.encode()).hexdigest()
    values = tomllib.loads((here / "runs/mine/config.toml").read_text())
    assert values["plugins"] == {"files": ["ops.py"], "sha256": [sha]}
    assert values["variation"]["mutation"] == "laplace"
    assert values["record"]["begun"]["plugins.sha256.0"] == sha
    assert (here / "runs/mine/plugins/ops.py").read_text() == LAPLACE
    # Nobody asked for it by name.
    capsys.readouterr()
    assert evolve("--resume", "mine", "--generations", "3") == main.MISTAKE
    output = capsys.readouterr().err
    assert f"mine: contains code, ops.py (SHA-256 {sha[:16]}...), which runs only if you name it" in output
    assert "add --plugin runs/mine/plugins/ops.py" in output
    # Another file of that name.
    (here / "ops.py").write_text(LAPLACE + "\n")
    assert evolve("--resume", "mine", "--generations", "3", "--plugin", "ops.py") == main.MISTAKE
    assert "plugin ops.py: not the file that mine lists" in capsys.readouterr().err
    # The copy, on whichever way.
    assert evolve("--resume", "mine", "--generations", "3", "--plugin", "runs/mine/plugins/ops.py") == 0
    (here / "ops.py").write_text(LAPLACE)
    assert evolve(*MINE, "--name", "whole", "--generations", "3") == 0
    assert digest("mine") == digest("whole")
    assert evolve("--branch", "mine@1", "--seed", "2", "--name", "other", "--plugin", "ops.py") == 0
    assert (here / "runs/other/plugins/ops.py").read_text() == LAPLACE
    assert evolve("--branch", "mine@1", "--seed", "2", "--name", "third") == main.MISTAKE


@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.check)])
def test_results_do_not_depend_on_workers(here: Path, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    assert evolve(*MINE, "--name", "one") == 0
    start = f"--set=workers.start_method={method}"
    assert evolve(*MINE, "--name", "two", start, workers=2) == 0
    assert digest("one") == digest("two")


@pytest.mark.needs("progress")
def test_reading_a_run_runs_none_of_its_code(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trap = LAPLACE + "\nopen('ran', 'a').close()\n"
    (here / "ops.py").write_text(trap)
    assert evolve(*MINE, "--name", "mine") == 0
    (here / "ran").unlink()
    plugins.load([])
    config = Run(here / "runs/mine").config()
    assert config.variation.mutation.kind == "laplace"
    assert Run(here / "runs/mine").changes_by_hand(config) == ""
    for words in (
        ["inspect", "mine", "--runs", "runs"],
        ["inspect", "mine@1", "--runs", "runs", "--json"],
        ["match", "mine", "mine@0", "--games", "2", "--runs", "runs"],
        ["inspect", "mine", "--runs", "runs", "--games", "2", "--earlier", "0"],
        ["evolve", "--resume", "mine", "--out", "runs"],
        ["evolve", "--config", "runs/mine/config.toml", "--out", "runs"],
        ["evolve", "--preset", "cowan", "--set", "variation.mutation=laplace", "--out", "runs"],
    ):
        code = main.main(words)
        assert code == (main.MISTAKE if words[0] == "evolve" else 0), words
    assert not (here / "ran").exists()
    output = capsys.readouterr().err
    assert "variation.mutation: expected uniform or normal or self-adaptive or deap:NAME, got 'laplace'" in output
    plugin = "runs/mine/plugins/ops.py"
    assert evolve("--config", "runs/mine/config.toml", "--plugin", plugin, "--name", "again") == 0
    assert digest("again") == digest("mine")


def test_a_file_registers_every_family(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "ops.py").write_text(
        LAPLACE
        + '''
from deap import tools
from evolve.kinds.deap_operators import global_generators
from evolve.kinds.objectives import objectives
from evolve.kinds.selection import Selection
from evolve.kinds.stages import RankingStage
from evolve.kinds.variation import Exchange, Recombination
from evolve.session.reporters import Reporter


class Half(Exchange, kind="half"):
    """Half of the weights are exchanged."""

    def kept(self, weights, generator):
        return np.arange(weights) < weights // 2


@dataclass(frozen=True)
class Middle(Recombination, kind="middle"):
    """Children are moved toward each other."""
    share: float = number(0.1, 0.0, 1.0, "how far")

    def recombine(self, first, second, generator):
        first[:], second[:] = first + self.share * (second - first), second + self.share * (first - second)
        return first, second


class Tournament(Selection, kind="tournament"):
    """DEAP's selTournament."""

    def select(self, individuals, count, generator):
        with global_generators(generator):
            return tools.selTournament(list(individuals), count, tournsize=2)


class Ring(RankingStage, kind="ring"):
    """Each plays the next."""

    def pairs(self, field):
        return np.stack([field.players, np.roll(field.players, 1)], axis=1)


@objectives("wins")
def wins(population, games):
    """Mean result."""
    return games.each(games.results)


class Notes(Reporter, kind="notes"):
    """Writes the champion's name into a file."""

    def __init__(self, run):
        self.path = run / "names.txt"

    def on_generation(self, report):
        with self.path.open("a") as file:
            print(report.champion, file=file)
        if report.generation == 2:
            raise RuntimeError("enough")
'''
    )
    state, theirs = random.getstate(), np.random.get_state()[1].tolist()
    own = ("population.selection=tournament", "variation.recombination=half", "variation.mutation=laplace")
    chosen = [f"--set={each}" for each in (*own, "fitness.kind=wins", 'stages=[{kind="ring"}]')]
    assert evolve("--plugin", "ops.py", *chosen, "--name", "all", "--generations", "3") == 0
    assert random.getstate() == state
    assert np.random.get_state()[1].tolist() == theirs
    run = here / "runs/all"
    log = [line.split(",") for line in (run / "log.csv").read_text().splitlines()[1:]]
    assert (run / "names.txt").read_text().split() == [line[1] for line in log[:3]]
    assert "reporter notes: RuntimeError: enough; it receives no more events" in capsys.readouterr().err
    assert evolve("--plugin", "ops.py", *chosen, "--name", "parts", "--generations", "1") == 0
    assert evolve("--resume", "parts", "--generations", "3", "--plugin", "ops.py") == 0
    assert digest("parts") == digest("all")
    origins = [line.split(",")[2:4] for line in (run / "generation_0002.csv").read_text().splitlines()[1:]]
    survivors = [parent for origin, parent in origins if origin == "survivor"]
    assert len(survivors) == 3
    ranks = [line.split(",")[0] for line in (run / "generation_0001.csv").read_text().splitlines()[1:]]
    assert sorted(survivors) != sorted(ranks[:3])  # drawn in tournaments, so not just the first three
    middle = [f"--set={each}" for each in ("variation.recombination=middle", "variation.share=0.5")]
    assert evolve("--plugin", "ops.py", *middle, "--name", "middle") == 0


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("genome[:] += np.random.normal(size=len(genome))", "draws from a global generator"),
        ("genome[:] += id(object()) % 97 + len(calls); calls.append(1)", "not repeatable"),
        ("genome[:] += generator.normal(size=3)", "ops.py, line 16: ValueError: operands could not be broadcast"),
        ("raise SystemExit(3)", "ops.py, line 16: SystemExit: 3"),
        ("genome[:] = np.nan", "expected the genomes that were given, with finite float32 weights"),
        ("return genome", "expected a list or tuple of 1 of the given genomes, got Individual"),
        ("return", "expected a list or tuple of 1 of the given genomes, got NoneType"),
    ],
)
def test_unrepeatable_plugins_are_refused_before_a_run_begins(
    here: Path, body: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "genome[:] += generator.laplace(0.0, self.scale, len(genome)).astype(np.float32)"
    (here / "ops.py").write_text("calls = []\n" + LAPLACE.replace(line, body))
    assert evolve(*MINE, "--name", "mine") == main.MISTAKE
    output = capsys.readouterr().err
    assert "variation.mutation = laplace" in output and text in output
    assert not (here / "runs/mine").exists()


def test_wrong_arguments_of_an_operator_are_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "ops.py").write_text(LAPLACE.replace("genome, generator, generation=0", "genome, indpb"))
    assert evolve(*MINE, "--name", "mine") == main.MISTAKE
    assert "expected the arguments genome, generator, generation" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ('raise KeyError("late")', "laplace (plugin ops.py): ops.py, line 16: KeyError: 'late'"),
        ("return genome", "laplace (plugin ops.py): expected a list or tuple of 1 of the given genomes"),
        ("genome[:] = np.nan", "plugins: Gen02_0003 (mutated) has weights that are not finite numbers"),
        ("return (genome[1:],)", "Gen02_0003 (mutated) has 246 weights, expected 247"),
    ],
)
def test_later_failure_of_a_plugin_is_reported_without_damage(
    here: Path, fault: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "        genome[:] += generator.laplace"
    (here / "ops.py").write_text(LAPLACE.replace(line, f"        if generation == 2:\n            {fault}\n{line}"))
    assert evolve(*MINE, "--name", "mine", "--set=population.recombine=false") == main.MISTAKE
    output = capsys.readouterr().err
    assert "generation 2: " in output and text in output
    ways = output.rpartition("; ")[2].strip()
    assert ways == (
        f"generation 1 is kept, continue with evolve --resume {here}/runs/mine --plugin runs/mine/plugins/ops.py, or "
        f"with a corrected file: evolve --branch {here}/runs/mine@1 --plugin FILE"
    )
    assert Run(Path("runs/mine")).manifest().newest == 1
    assert len((here / "runs/mine/log.csv").read_text().splitlines()) == 3
    assert evolve("--resume", "mine", "--plugin", "runs/mine/plugins/ops.py") == main.MISTAKE
    assert capsys.readouterr().err.endswith(f"; {ways}\n")


@pytest.mark.parametrize(
    ("fault", "code", "text"),
    [
        ("field.players[99]", main.MISTAKE, "late (plugin ops.py): ops.py, line 11: IndexError: index 99"),
        ("pass", main.FAULT, "a fault of the program: ZeroDivisionError"),
    ],
)
def test_failed_stage_is_distinguished_from_failed_games(
    here: Path, monkeypatch: pytest.MonkeyPatch, fault: str, code: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "ops.py").write_text(
        f"""
import numpy as np
from evolve.kinds.stages import RankingStage
calls = []


class Late(RankingStage, kind="late"):
    def pairs(self, field):
        calls.append(1)
        if len(calls) > 4:  # tried twice, then generations 0 and 1
            {fault}
        return np.stack([field.players, np.roll(field.players, 1)], axis=1)
"""
    )
    if code == main.FAULT:
        from evolve.tournament.arena import TournamentArena

        play, played = TournamentArena.play, list[int]()

        def fail(self: TournamentArena, *arguments: object, **options: object) -> object:
            played.append(1)
            return 1 // 0 if len(played) == 3 else play(self, *arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(TournamentArena, "play", fail)
    assert evolve("--plugin", "ops.py", '--set=stages=[{kind="late"}]', "--name", "mine") == code
    output = capsys.readouterr().err
    assert text in output and ("generation 2: " in output) == (code == main.MISTAKE)


def test_branch_continues_with_a_corrected_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "        genome[:] += generator.laplace"
    fault = "        assert generation != 2\n"
    (here / "ops.py").write_text(LAPLACE.replace(line, fault + line))
    assert evolve(*MINE, "--name", "mine") == main.MISTAKE
    (here / "ops.py").write_text(LAPLACE)
    (here / "more.py").write_text(LAPLACE.replace("laplace", "more"))
    capsys.readouterr()
    for wrong, result in ((["more.py"], "contains code"), (["ops.py", "more.py"], "has no plugin of this name")):
        words = [f"--plugin={each}" for each in wrong]
        assert evolve("--branch", "mine@1", "--name", "mended", *words) == main.MISTAKE
        assert result in capsys.readouterr().err
    assert evolve("--branch", "mine@1", "--name", "mended", "--plugin", "ops.py") == 0
    assert (here / "runs/mended/plugins/ops.py").read_text() == LAPLACE
    assert evolve(*MINE, "--name", "whole") == 0
    assert digest("mended") == digest("whole")  # of the same seed
    assert evolve("--resume", "mended", "--generations", "3", "--plugin", "ops.py") == 0
    again = "--branch", "mine@1", "--seed=1", "--plugin", "runs/mended/plugins/ops.py", "--generations=3"
    assert evolve(*again, "--name", "again") == 0
    assert digest("again") == digest("mended")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("import nothing_of_this_name", "plugin ops.py: ops.py, line 1: ModuleNotFoundError: No module named"),
        ("x = (", "plugin ops.py: ops.py, line 1: '(' was never closed"),
        ("import sys; sys.exit(4)", "plugin ops.py: ops.py, line 1: SystemExit: 4"),
        ("\0", "plugin ops.py: source code string cannot contain null bytes"),
        ("x = 1", "plugin ops.py: registers no kind (of "),
        ("from evolve.kinds.fitness import fitness", f"plugin ops.py: {removed('import', 'evolve.kinds.fitness')}"),
        (
            "from crownhead.evolve.kinds.deap_operators import DeapMutation",
            f"plugin ops.py: {removed('import', 'evolve.kinds.deap_operators')}",
        ),
        (LAPLACE.replace('kind="laplace"', 'kind="uniform"'), "kind 'uniform' is already defined by Uniform"),
        (LAPLACE.replace("@dataclass(frozen=True)", ""), "Laplace has keys, so it needs @dataclass(frozen=True)"),
        (None, "ops.py: cannot be read: No such file or directory"),
    ],
)
def test_unloadable_file_is_reported(
    here: Path, source: str | None, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "ops.py").unlink() if source is None else (here / "ops.py").write_text(source)
    assert evolve(*MINE, "--name", "mine") == main.MISTAKE
    assert text in capsys.readouterr().err
    assert not (here / "runs").exists()
    (here / "ops.py").write_text(LAPLACE)  # and nothing is left of it
    assert evolve(*MINE, "--name", "mine") == 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--set", "plugins.files=ops.py"], "cannot be set, since kinds are loaded before values are read; use"),
        (["--plugin", "ops.txt"], "plugin ops.txt: expected a Python file, name.py"),
        (["--plugin", "ops.py", "--plugin", "other/ops.py"], "plugin ops.py: two files have this name"),
        (["--config", "bad.toml"], "plugins: expected files, a list of names"),
        (["--config", "sha.toml"], "plugins.sha256: ops.py is not the file it was"),
    ],
)
def test_wrong_words_are_reported(
    here: Path, options: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "other").mkdir()
    (here / "other/ops.py").write_text(LAPLACE)
    (here / "bad.toml").write_text("[plugins]\nfiles = 3\n")
    (here / "sha.toml").write_text(CONFIG.replace("[plugins]", '[plugins]\nsha256 = ["00"]'))
    assert evolve("--name", "mine", *options) == main.MISTAKE
    assert text in capsys.readouterr().err
