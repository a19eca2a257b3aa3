"""F13 and F14: code of which only half is kept, and installations where nothing can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.faults.harness import ROOT, TINY, Bench, Ended, Process, differences
from tests.faults.report import Report, Row

PERFT = ("perft", 4, "--json")
NODES = '"nodes": 1469'
WARNING = "no writable cache folder"


def installed(folder: Path) -> Path:
    """A copy of the program, without its tests."""
    for package in ("evolve", "extras", "game"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    shutil.copy(ROOT / "main.py", folder)
    return folder


def _without_places() -> dict[str, str]:
    """The environment of somebody without a home."""
    dropped = ("HOME", "TMPDIR", "TEMP", "TMP", "CROWNHEAD_CACHE_DIR", "NUMBA_CACHE_DIR")
    return {key: value for key, value in os.environ.items() if key not in dropped and not key.startswith("XDG_")}


# F13 --------------------------------------------------------------------------------------------------------------


def half_kept_code(report: Report, bench: Bench) -> None:
    """F13."""
    work = bench.work / "F13"
    tree = installed(work / "tree")
    environment = dict(os.environ) | {"CROWNHEAD_CACHE_DIR": str(work / "cache")}

    def perft() -> Ended:
        return Process([sys.executable, "main.py", *map(str, PERFT)], cwd=tree, env=environment).end()

    with report.row("F13", "kill -9 while code is compiled and kept: the next start gives the same results") as row:
        draw = bench.draw("F13")
        full = perft().seconds
        for turn in range(bench.times(3, 1)):
            environment["CROWNHEAD_CACHE_DIR"] = str(work / f"cache-{turn}")
            process = Process([sys.executable, "main.py", *map(str, PERFT)], cwd=tree, env=environment)
            time.sleep(draw.uniform(full, 4 * full))
            process.signal(9)
            process.end()
            again = perft()
            row.check(NODES in again.out and again.clean, f"after a kill: {again.out or again.summary()}")


# F14 --------------------------------------------------------------------------------------------------------------

READ_ONLY = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -o remount,ro,bind /
for place in /tmp /var/tmp; do
    if ! mkdir "$place/crownhead-probe" 2>/dev/null; then continue; fi
    rmdir "$place/crownhead-probe"
    echo "$place is still writable" >&2
    exit 99
done
shift
exec "$@"
"""


def nowhere_to_write(report: Report, bench: Bench) -> None:
    """F14."""
    work = bench.work / "F14"
    tree = installed(work / "tree")
    runs = work / "runs"
    runs.mkdir()
    reference = bench.reference("--generations", 3, settings=TINY).folder
    for path in (tree, *tree.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    command = [
        sys.executable,
        str(tree / "main.py"),
        "evolve",
        "--preset=cowan",
        "--json",
        "--seed",
        "1",
        "--workers",
        "2",
    ]
    command += ["--generations", "3", "--out", str(runs)]
    command += [word for setting in TINY for word in ("--set", setting)]
    temporary = work / "temporary"
    temporary.mkdir()
    file = work / "file"
    file.touch()
    environment = _without_places() | {"HOME": str(file / "home"), "TMPDIR": str(temporary)}
    with report.row(
        "F14", "a tree without write permission, a home that cannot be: runs, one warning, same digest"
    ) as row:
        for name in ("first", "again"):
            ended = Process([*_powerless(), *command, "--name", name], cwd=tree, env=environment).end()
            _warned_once(row, ended, runs / name, reference, f"compiled code is kept in {temporary}")
    with report.row(
        "F14", "everything read-only but the folder of runs, no home, no temporary folder: the same"
    ) as row:
        if os.geteuid() != 0 or shutil.which("unshare") is None or not _may_unshare():
            report.skip("F14", "everything read-only", "only root may mount")
        else:
            shell = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", str(runs)]
            ended = Process([*shell, *command, "--name", "third"], cwd=tree, env=_without_places()).end()
            _warned_once(row, ended, runs / "third", reference, "code is compiled again at each start")
    for path in (tree, *tree.rglob("*")):
        path.chmod(0o755)


def _powerless() -> list[str]:
    """What takes the right to write everywhere from root, if this is root."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return []
    return ["setpriv", "--inh-caps=-all", "--bounding-set=-all"]


def _may_unshare() -> bool:
    return subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0


def _warned_once(row: Row, ended: Ended, folder: Path, reference: Path, words: str) -> None:
    warnings = [line for line in ended.err.splitlines() if WARNING in line]
    wrong = ended.summary() if ended.code or not ended.clean else differences(folder, reference)
    row.check(not wrong and len(warnings) == 1 and words in warnings[0], f"{wrong}; warnings: {warnings}")
