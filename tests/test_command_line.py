"""The command line: exit codes, errors of one line without a traceback, and the cost of --help."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import main
from evolve.config import preset_files, toml
from evolve.config.model import MAX_SEED
from evolve.config.preset_files import OTHERS, listed_preset_names
from evolve.config.search import MAX_GENERATIONS
from evolve.run.files import BusyError, DamagedRunError
from evolve.run.status import lock
from game import analysis
from game.networks.named import BLONDIE_1741
from game.networks.spec import Layer, Spec
from game.players.names import FORMS
from game.removed import REMOVED
from tests.called import Call, call_program, evolve_cowan, without_notice
from tests.cases import for_each
from tests.needed import marks_of
from tests.processes import completed

PRESETS = ", ".join(listed_preset_names("evolve"))
ALL_PRESETS = ", ".join(listed_preset_names()) + OTHERS

ROOT = Path(__file__).parents[1]
VERBS = tuple(verb.name for verb in main.VERBS)
SMALL = (
    *("--set=population.parents=2", "--set=population.recombine=false", "--set=population.mutants=0"),
    *('--set=stages=[{kind="round-robin"}]', "--set=founders.method=uniform", "--generations=0", "--workers=1"),
)
NOWHERE = "/nowhere/at/all"


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], own_names: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    monkeypatch.chdir(tmp_path)

    return partial(call_program, capfd)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a run of two individuals, complete up to generation 0."""
    folder = tmp_path_factory.mktemp("runs")
    assert main.main(evolve_cowan(f"--out={folder}", "--name=one", "--seed=1", *SMALL)) == 0
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("megabytes", [150, 200])
def test_lack_of_memory_is_one_line(megabytes: int, tmp_path: Path) -> None:
    code = "import resource, sys, main\n"
    code += f"resource.setrlimit(resource.RLIMIT_AS, ({megabytes} << 20, {megabytes} << 20))\n"
    code += f"sys.exit(main.main(['evolve', '--preset=first', '--seed=1', '--out={tmp_path}']))"
    done = python("-c", code)
    assert done.returncode == 2
    assert re.fullmatch(r"main\.py: out of memory: raise the limit .*\n", done.stderr), done.stderr


@pytest.mark.parametrize(
    ("name", "value"), [("NUMBA_DISABLE_JIT", "1"), ("NUMBA_NUM_THREADS", "0"), ("NUMBA_CPU_FEATURES", "foo")]
)
def test_code_that_may_not_be_compiled_is_one_line(name: str, value: str) -> None:
    done = python("main.py", "match", "random", "material", "--games=2", **{name: value})
    assert done.returncode == 2
    assert re.fullmatch(rf"main\.py: {name}[ :].*: unset (it|them)( \(.*\))?\n", done.stderr), done.stderr
    assert "fault" not in done.stderr


def test_a_variable_that_numba_cannot_read_is_reported_without_a_traceback() -> None:
    done = python("main.py", "move", "material,depth=2", NUMBA_NUM_THREADS="x")
    assert done.returncode == 0
    assert "'NUMBA_NUM_THREADS' is defined but" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("most", [12, 14])
def test_a_limit_of_open_files_is_one_line_with_a_remedy(most: int, tmp_path: Path) -> None:
    options = [*("evolve", "--preset=cowan", f"--out={tmp_path}"), *SMALL, "--workers=2"]
    code = f"import resource, sys, main\nresource.setrlimit(resource.RLIMIT_NOFILE, ({most}, {most}))\n"
    done = python("-c", f"{code}sys.exit(main.main({options!r}))")
    assert done.returncode == 2
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("main.py: "))
    assert re.fullmatch(r"main\.py: \w+ \d cannot be started: .*; raise the limit of open files .*", line), line


@pytest.mark.needs("spreadsheets")
def test_a_changed_file_of_a_run_is_damaged_but_can_be_played_as_a_file_with_a_note(template: Path, call: Call) -> None:
    path = template / "one" / "generation_0000.csv"
    written = path.read_text(encoding="utf-8")
    path.write_text(written.replace(",", ";"), encoding="utf-8")
    try:
        code, out, err = call("move", str(path), f"--runs={template}")
        refused = call("move", "one", f"--runs={template}")
    finally:
        path.write_text(written, encoding="utf-8")
    assert (code, bool(out)) == (0, True)
    assert f"{path}: its bytes are not what the session wrote, so it is read like any other table\n" in err
    assert refused.code == 2
    assert f"{path}: damaged, its bytes are not what the session wrote" in refused.err


def python(*arguments: str, folder: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    return completed([sys.executable, *arguments], cwd=folder, env=os.environ | environment, timeout=300)


SEED = f"--seed: expected 0 to {MAX_SEED}, got"
GENERATIONS = f"--generations: expected 0 to {MAX_GENERATIONS}, got"
LIST = "--earlier: expected numbers such as 0,5,10, got"

MISTAKES: dict[str, str] = {
    "evolv": "argument VERB: invalid choice: 'evolv'",
    "--evolve": "unrecognized arguments: --evolve (see main.py --help)",
    "play nobody": "player 'nobody': no run 'nobody'",
    "play --colour red": "argument --colour: invalid choice: 'red'",
    "perft": "main.py perft: the following arguments are required: DEPTH (see main.py perft --help)",
    "perft six": "main.py perft: argument DEPTH: invalid int value: 'six'",
    f"perft {'1' * 5000}": "main.py perft: argument DEPTH: invalid int value: '111",
    f"inspect {'n' * 20_000}": f"main.py: {'n' * 1000} ... ",
    "perft 31": "DEPTH: expected 0 to 30 plies, got 31",
    "perft 0 --divide": "--divide: expected a DEPTH of 1 or more",
    "perft 3 --fen B:W5:B5": "W5: there are two pieces on square 5",
    "evolve --preset cowann": f"preset: unknown preset 'cowann', there are {ALL_PRESETS}; did you mean cowan?",
    "evolve --seed": "main.py evolve: argument --seed: expected one argument",
    f"evolve --generations {MAX_GENERATIONS + 1}": f"{GENERATIONS} {MAX_GENERATIONS + 1}",
    "evolve --set seed": "--set seed: expected key=value, such as population.parents=8",
    "evolve --set population.parents=65536": "population.parents: expected at most 1 + population.mutants = 129",
    "evolve --preset cowan --set population.mutants=65536": "16,777,472 individuals of 247 weights take 30.9 GB",
    "evolve --config none.toml": "none.toml: cannot be read: No such file or directory",
    "evolve --network zzz": "network 'zzz': expected cnn-247, blondie-1741, anaconda-5046, checkersai-247, a run (",
    "evolve --name random": "run name 'random': reserved for a player (random, material",
    "evolve --from 3": "--from: only together with --resume",
    "evolve --resume none": "none: no run of this name under ",
    f"evolve --resume {NOWHERE}": f"{NOWHERE}: no run of this name under ",
    "evolve --resume one --out {runs} --name x": "--name: not together with --resume, the run keeps its own",
    "evolve --resume one --out {runs} --preset cowan": "--preset: not together with --resume, the run keeps its own",
    "evolve --resume one --out {runs} --set seed=1": "one: seed=1: a run keeps its configuration",
    "evolve --resume one --out {runs} --set workers.chunk=-1": "workers.chunk: expected a whole number",
    "evolve --name one --out {runs}": "one: this run already exists; continue it with evolve --resume {runs}/one",
    "match random one@9 --runs {runs}": "one: no generation 9; complete generations: 0 to 0",
    "match random external:nowhere": "external program 'nowhere': there is no such program",
    "evolve --search points.win=1,3": "main.py: evolve --search was removed: docs/examples/optuna_search.py searches",
    "export one --open-spiel one.py": "main.py: export --open-spiel was removed: docs/examples/open_spiel_bot.py is",
    "export one --c one.h": "main.py: export --c was removed: export --onnx FILE.onnx writes networks",
    "move random --fen B:W18:B": "B:W18:B: there is no legal move, the game is over",
    "move external:false": "external:false: it ended with code 1",
    "analyse": "expected PLAYER, as in analyse crownhead, or games, as in analyse --pdn FILE",
    "analyse random": "random: does not score moves",
    "analyse material --out x": "--out is for games: expected their file, as --pdn FILE",
    "analyse material --pdn nowhere.pdn": "nowhere.pdn: ",
    "analyse random --pdn x": "random: does not score moves, so it cannot judge positions",
    "analyse material --pdn x --fen B:W18:B": "--fen is for one position; the games of --pdn are reviewed with PLAYER",
    "inspect one --runs {runs} --earlier x": f"{LIST} 'x'",
    "pdn": "main.py pdn: the following arguments are required: ACTION",
    "pdn check none.pdn": "none.pdn: there is no such file",
    "pdn check .": ".: is a folder, expected a PDN file",
    "network nobody": "network 'nobody': expected cnn-247, blondie-1741, anaconda-5046, checkersai-247, a run (under ",
    "network crownheat": "; near: crownhead, crownhead-2, crownhead-1",
    "network nobody@3": f"a preset ({PRESETS}) or a TOML file",
}


def words_of(text: str) -> list[str]:
    """Return what may need an extra in a command: its verb, options and kinds of players."""
    return [*text.split(), *(f"players.{word.partition(':')[0]}" for word in text.split())]


@pytest.mark.parametrize(
    "text", [pytest.param(each, marks=marks_of(*words_of(each))) for each in MISTAKES], ids=range(len(MISTAKES))
)
def test_a_mistake_is_one_line_and_exit_code_2(text: str, call: Call, template: Path) -> None:
    arguments = [part.replace("''", "").replace("{runs}", str(template)) for part in text.split()]
    before = sorted(path.name for path in template.iterdir())
    output = call(*arguments)
    assert output.code == 2, output
    (line,) = output.err.splitlines()
    assert line.startswith("main.py")
    assert MISTAKES[text].replace("{runs}", str(template)) in line
    assert output.err.endswith("\n")
    assert "usage" not in line
    assert "Traceback" not in line
    assert sorted(path.name for path in template.iterdir()) == before  # and nothing was begun


def test_mistakes_are_reported_together(call: Call) -> None:
    output = call("evolve", "--preset=cowan", "--seed=-1", "--generations=-2", "--set=games.openings=x", "--set=qqq=1")
    assert output.code == 2
    assert [line.split(":")[1].strip() for line in output.err.splitlines()] == [
        "--seed",
        "--generations",
        "games.openings",
        "qqq",
    ]
    assert all(line.startswith("main.py: ") for line in output.err.splitlines())


@pytest.mark.parametrize(
    "arguments",
    [
        ["evolve", "--preset=cowan", "--\x1b[31m=1"],
        ["evolve", "--preset=cowan", "--set=\x1b[31m=1", "--set=games.\u202eopenings=1"],
        ["evolve", "--config=\x1b]0;title\x07"],
        ["move", "\x1b[2J"],
        ["match", "random", "\x1b[2J\n\u2066"],
        ["\x9b31m"],
    ],
)
def test_errors_contain_no_terminal_commands(arguments: list[str], call: Call) -> None:
    output = call(*arguments)
    assert output.code == 2
    assert all(line.isprintable() and line.startswith("main.py") for line in output.err.splitlines())
    assert re.search(r"\\x1b|\\u202e|\\x9b", output.err)


NETWORKS = {
    "'zzz'": "expected cnn-247, blondie-1741, anaconda-5046, checkersai-247 or a table, got 'zzz'",
    "{}": "name: is missing",
    "{name='x', input='board', layers=3}": "layers: expected a list, got 3",
    "{name='x', input='board', layers=[{kind=[1]}]}": (
        "layers.0.kind: expected convolution, dense, diagonal, subsquares, got [1]"
    ),
    "{name='x', input='board', layers=[{kind='dense', units=1}], extras=3}": "extras: expected a table, got 3",
    f"{{name='x', input='board', layers=[{{kind='dense', units=0x{'f' * 5000}}}]}}": (
        "layers.0.units: expected a whole number, got a number of thousands of digits"
    ),
}


@for_each(("value", "error"), NETWORKS.items())
def test_wrong_networks_are_refused(value: str, error: str, call: Call) -> None:
    output = call("evolve", "--preset=cowan", f"--set=network={value}")
    assert (output.code, output.err) == (2, f"main.py: network: {error}\n")


def test_a_network_is_a_shipped_one_or_a_table(tmp_path: Path) -> None:
    assert toml.load(None, None, ["network=blondie-1741"]).network == BLONDIE_1741
    path = tmp_path / "mine.toml"
    path.write_text(
        "[network]\nname = 'mine'\ninput = 'squares'\n[[network.layers]]\nkind = 'dense'\nunits = 1\n"
        "[network.extras]\nevolving_king = true\n"
    )
    config = toml.load(None, path)
    assert config.network == Spec("mine", "squares", (Layer("dense", 1),), evolving_king=True)
    path.write_text(toml.to_toml(config, {}))
    assert toml.from_toml(path) == config


BIG = "input = 'squares'\nlayers = [{kind='dense', units=700}, {kind='dense', units=900}, {kind='dense', units=1}]\n"


def test_a_network_that_needs_too_much_memory(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (tmp_path / "big.toml").write_text(f"name = 'big'\n{BIG}")
    (tmp_path / "run.toml").write_text(f"[network]\nname = 'big'\n{BIG}")
    for option, file in (("--network", "big.toml"), ("--config", "run.toml")):
        output = call("evolve", "--preset=cowan", f"--out={out}", "--generations=1", "--seed=1", option, file)
        assert output.code == 2
        (line,) = output.err.splitlines()
        assert re.match(r"main\.py: network: .* individuals of 654,901 weights take .* GB of memory, at most 4; ", line)
        assert not out.exists()


def test_a_network_goes_before_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(f"[network]\nname = 'big'\n{BIG}")
    with pytest.raises(preset_files.ConfigError, match="GB of memory"):
        toml.load(None, path)
    assert toml.load(None, path, instead={"network": BLONDIE_1741}).network == BLONDIE_1741


@pytest.mark.parametrize("option", ["--config", "--network"])
def test_a_file_that_is_no_toml(option: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_bytes(b"\0\1\2")
    output = call("evolve", "--preset=cowan", option, "bad.toml")
    assert output.code == 2
    assert output.err.startswith("main.py: bad.toml: not a TOML file: ")
    assert output.err.count("\n") == 1


@pytest.mark.needs("recorded")
def test_a_file_with_faults_is_a_mistake_but_no_error(call: Call) -> None:
    output = call("pdn", "check", str(ROOT / "tests" / "data" / "faulty.pdn"))
    assert output.code == 2
    assert "errors" in output.out
    assert output.err == ""


@pytest.mark.needs("bench")
def test_perft_prints_counts_and_moves(call: Call) -> None:
    output = call("perft", "4", "--json")
    assert (output.code, output.err) == (0, "")
    result = json.loads(output.out)
    assert (result["depth"], result["nodes"]) == (4, 1469)
    assert call("perft", "4").out.startswith("perft 4: 1,469 nodes in ")
    divided = json.loads(call("perft", "1", "--divide", "--json").out)
    assert (divided["nodes"], len(divided["moves"])) == (7, 7)


def test_exit_codes_are_as_documented() -> None:
    codes = (main.DONE, main.MISTAKE, main.FAULT, main.DISK, main.BUSY, main.INTERRUPTED)
    assert codes == (0, 2, 70, 74, 75, 130)


@pytest.mark.parametrize("below", ["", "/deeper"])
@pytest.mark.parametrize("options", [["--name=a"], []])
def test_a_file_in_place_of_the_folder_of_runs(below: str, options: list[str], call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    output = call("evolve", "--preset=cowan", f"--out={tmp_path}/file{below}", *options, *SMALL)
    assert output.code == 2
    (line,) = output.err.splitlines()
    which = f"{tmp_path}/file" if below else "it"
    assert line == f"main.py: {tmp_path}/file{below}: expected a folder, but {which} is a file"
    assert (tmp_path / "file").read_text() == "mine"


def test_a_run_that_is_busy(call: Call, template: Path) -> None:
    with lock(template / "one"):
        output = call("evolve", "--resume=one", f"--out={template}")
    assert output.code == 75
    assert output.err == f"main.py: {template / 'one'}: another process is working on this run\n"


def raising(error: BaseException) -> Callable[..., Any]:
    def broken(*_: Any, **__: Any) -> None:
        raise error

    return broken


FAULTS = [
    (KeyboardInterrupt(), 130, ""),
    (ZeroDivisionError("division\n by  zero"), 70, "a fault of the program: ZeroDivisionError: division by zero ("),
    (RuntimeError(), 70, "a fault of the program: RuntimeError: RuntimeError ("),
    (MemoryError("much"), 2, "out of memory: raise the limit (ulimit -v)"),
    (OSError(28, "No space left on device", "a file"), 74, "a file: No space left on device\n"),
    (OSError(27, "File too large", "a file"), 74, "a file: File too large; raise the limit of the size of"),
    (OSError(24, "Too many open files", "a file"), 2, "a file: Too many open files; raise the limit of open"),
    (OSError(11, "Resource temporarily unavailable"), 2, "Resource temporarily unavailable; raise the limit of"),
    (RuntimeError("can't start new thread"), 2, "can't start new thread; raise the limit of processes and threads (ul"),
    (BusyError("somebody is here"), 75, "somebody is here\n"),
    (DamagedRunError("x: damaged,\n y"), 2, "x: damaged, y\n"),
]


def test_a_package_that_is_not_installed(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "choose_move", raising(ModuleNotFoundError("No module named 'x'", name="x")))
    remedy = "python -m pip install --require-hashes -r requirements.txt"
    output = call("move", "random")
    assert (output.code, output.err) == (2, f"main.py: the package x is not installed: {remedy}\n")


def test_an_error_with_an_unsuitable_package_names_the_package_first(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "choose_move", raising(AttributeError("gone")))
    monkeypatch.setattr(main, "environment_problem", lambda error: "numba 0.1 is installed, ==0.2 is expected: remedy")
    output = call("move", "random")
    assert output.code == 2
    assert output.err.endswith("==0.2 is expected: remedy (it led to AttributeError: gone)\n")


@pytest.mark.parametrize(("error", "code", "text"), FAULTS, ids=range(len(FAULTS)))
def test_an_error_is_one_line_and_an_exit_code(
    error: BaseException, code: int, text: str, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "choose_move", raising(error))
    output = call("move", "random")
    assert output.code == code
    assert output.out == ""
    if text:
        (line,) = output.err.splitlines()
        assert output.err.startswith(f"main.py: {text}")
        assert "Traceback" not in line
    else:
        assert output.err == ""
    if code == 70:
        assert "(test_command_line.py:" in output.err  # the place in the code, for whoever fixes it


def test_founders_that_never_win(call: Call, tmp_path: Path, limit: Callable[..., None]) -> None:
    limit("evolve.breeding.founders", "MAX_DUELS", 3)
    options = [option for option in SMALL if "founders" not in option]
    output = call(
        "evolve", "--preset=cowan", f"--out={tmp_path}", "--name=a", "--seed=1", "--set=games.max_plies=4", *options
    )
    assert output.code == 2
    assert output.err.splitlines()[-1] == (
        "main.py: founders: 6 duels gave only 0 of 2 winners; set founders.method=uniform, or other founders.low and "
        "founders.high"
    )
    assert json.loads((tmp_path / "a" / "status.json").read_text())["state"] == "failed"


HELP = """
import sys
import main
try:
    main.main(sys.argv[1:])
except SystemExit as end:
    assert end.code == 0, end.code
print(sorted(name for name in ("numpy", "numba", "pandas", "deap", "pygame", "rich") if name in sys.modules))
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        *(pytest.param([verb, "--help"], marks=pytest.mark.check) for verb in VERBS),
        pytest.param(["pdn", "check", "--help"], marks=pytest.mark.needs("recorded")),
    ],
)
def test_help_imports_no_slow_modules(arguments: list[str]) -> None:
    result = python("-c", HELP, *arguments)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "[]"
    assert result.stdout.startswith("usage: main.py")
    assert result.stderr == ""


@pytest.mark.parametrize("verb", ["watch", "match"])
def test_help_lists_all_forms_of_players(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main.main([verb, "--help"])
    assert FORMS in " ".join(capsys.readouterr().out.split())


@for_each("name", [name for name in REMOVED if name.split()[0] in (*VERBS, *REMOVED)])
def test_removed_verbs_actions_and_options_name_their_replacement(name: str, call: Call) -> None:
    done = call(*name.split())
    assert (done.code, done.out, done.err) == (2, "", f"main.py: {name} was removed: {REMOVED[name]}\n")


def test_help_lists_the_verbs() -> None:
    text = python("main.py", "--help").stdout
    for verb in VERBS:
        assert f"\n    {verb} " in text


@pytest.mark.parametrize(
    ("arguments", "code"), [(["move", "random", "--json"], 0), (["match", "random", "nonsense"], 2)]
)
def test_a_process_from_any_folder(arguments: list[str], code: int, tmp_path: Path) -> None:
    result = python(str(ROOT / "main.py"), *arguments, folder=tmp_path)
    assert result.returncode == code
    assert len(without_notice(result.stderr).splitlines()) == (code != 0)
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_run_whose_name_the_terminal_cannot_show(tmp_path: Path) -> None:
    arguments = evolve_cowan(f"--out={tmp_path}", "--name=進化", "--seed=1", *SMALL)
    result = python("main.py", *arguments, PYTHONIOENCODING="ascii")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[0] == f"run          {tmp_path}/\\u9032\\u5316"
    assert (tmp_path / "進化" / "generation_0000.csv").exists()
