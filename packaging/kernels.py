"""Compiles the code of the program in advance, run by the Python of the archive: ``kernels.py FOLDER``.

The program itself compiles what it uses, for the group of processors that this one belongs to; then the same code is
compiled for the other groups, without being run.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMMANDS = (
    *("move crownhead,depth=2", "move material", "move crownhead-1,tablebase=yes,depth=2", "move policy", "move zero"),
    *("perft 4", "perft 3 --distinct", "analyse crownhead --depth 2", "tablebase probe --fen W:WK15,20:BK28,12"),
    *("match first random {one}", "match crownhead material {one}", "match first crownhead-1 {one}"),
    *("match cast,nodes=50 cowan-deep,nodes=50 {one}", "ladder first {one} --limit nodes=50", "inspect first {one}"),
    *("analyse --pdn {pdn} --depth 2", "analyse --pdn {pdn} --traits", "pdn check {pdn}"),
)
"""Commands that use most of the compiled code, besides what `complete` loads."""
ONE = "--games 2 --workers 1"
"""Numba numbers the functions of a process: with two of them, the same code would have other names in each build."""
PDN = '[Event "?"]\n[Result "*"]\n\n1. 11-15 23-19 2. 8-11 22-17 *\n'


def complete() -> None:
    """Load what the window, games and sessions of each preset use."""
    from crownhead.evolve.config import toml
    from crownhead.evolve.config.preset_files import preset_names
    from crownhead.evolve.session.compiled_code import load_all
    from crownhead.game import shared_code
    from crownhead.gui.thinking.thoughts import WarmUp

    shared_code.complete()
    for stage in WarmUp().stages:
        stage()
    for name in preset_names():
        load_all(toml.load(name))


def compile_like(folder: Path) -> None:
    """Compile all functions whose code is in a folder, for the processors that the environment names."""
    from numba.core import serialize

    from crownhead.game import shared_code
    from crownhead.game.compiled import kernel_cache
    from crownhead.game.networks.integer_kernels import AVAILABLE

    for path in sorted(folder.glob("*.nbc")):
        key, code = serialize.loads(path.read_bytes()[4:])
        if "integer_" in code[1].modname and not AVAILABLE:
            continue  # these processors have no such instructions, and the program computes with floats
        function = importlib.import_module(code[1].modname)
        for name in code[1].qualname.split("."):
            function = getattr(function, name)
        function = getattr(function, "_for_python", function)
        function.compile(*(() if hasattr(function, "address") else (key[0],)))
    mark = shared_code._mark()
    assert mark is not None and kernel_cache.CACHE_FOLDER is not None
    mark.touch()


def run(*arguments: str, **variables: str) -> None:
    """Run this Python.

    Raises:
        CalledProcessError: it failed, and has said why.
    """
    own = ("NUMBA_", "PYTHON", "CROWNHEAD_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    kept["PYTHONHASHSEED"] = "0"  # the order of sets reaches the code
    command = [sys.executable, "-P", *arguments]
    subprocess.run(command, check=True, env=kept | variables, stdout=subprocess.DEVNULL)


def main(folder: Path) -> None:
    """Fill a folder with one of compiled code for each group of processors."""
    from llvmlite.binding import get_host_cpu_features

    from crownhead.game.compiled.kernel_cache import LEVELS, level_of

    here = level_of(get_host_cpu_features())
    if here is None:
        sys.exit(f"expected a processor of one of the groups {', '.join(LEVELS)}")
    own = {"CROWNHEAD_CACHE_DIR": str(folder / here), "CROWNHEAD_DATA_DIR": str(folder / "data")}
    pdn = folder / "game.pdn"
    pdn.write_text(PDN, encoding="ascii")
    run(__file__, str(folder), "complete", **own)
    for command in COMMANDS:
        run("-m", "crownhead", *command.format(pdn=pdn, one=ONE).split(" "), **own)

    def compile_for(level: str) -> None:
        variables = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": LEVELS[level]}
        run(__file__, str(folder / here / "kernels"), "like", CROWNHEAD_CACHE_DIR=str(folder / level), **variables)

    with ThreadPoolExecutor() as pool:
        list(pool.map(compile_for, LEVELS.keys() - {here}))


if __name__ == "__main__":
    what = sys.argv[2:]
    with contextlib.suppress(KeyboardInterrupt):
        complete() if what == ["complete"] else compile_like(Path(sys.argv[1])) if what else main(Path(sys.argv[1]))
