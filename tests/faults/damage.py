"""Damage: a byte changed, or a file cut, in what is on disk: refused by name, and the generation before is offered."""

from __future__ import annotations

import random
import re
from pathlib import Path

from evolve.run import manifest
from evolve.run.files import DamagedRunError
from evolve.run.folder import Run
from evolve.session import create
from game.errors import InputError
from tests.faults.saves import is_like, save_next

OFFER = re.compile(r"evolve --resume (\S+) --from (-?\d+)")
PLAY = re.compile(r"play (\S+)@(\d+)")


def flipped(path: Path, draw: random.Random) -> str:
    """Change one bit of one byte of a file; returns where."""
    data = bytearray(path.read_bytes())
    at, bit = draw.randrange(len(data)), draw.randrange(8)
    data[at] ^= 1 << bit
    path.write_bytes(data)
    return f"{path.name} byte {at} bit {bit}"


def cut(path: Path, draw: random.Random) -> str:
    """Cut a file somewhere; returns where."""
    size = draw.randrange(path.stat().st_size)
    with path.open("r+b") as file:
        file.truncate(size)
    return f"{path.name} cut to {size} bytes"


def refused(folder: Path, whole: Path, file: str) -> str:
    """What is wrong with how a damaged run of four small generations is dealt with; empty if nothing is.

    Resume refuses and names the file; so does whoever wants the damaged generation; what was offered instead works
    and ends in the files of the undisturbed run; and every generation that loads at all has its old bytes.
    """
    run, undisturbed = Run(folder), Run(whole)
    try:
        run.check(run.manifest())
        return "nobody noticed"
    except DamagedRunError as error:
        text = str(error)
    offer = OFFER.search(text)
    damaged = int(file.removeprefix("generation_").removesuffix(".csv")) if file.startswith("generation_") else 4
    if file not in text or offer is None:
        return f"told as {text!r}"
    for generation in range(4):
        try:
            rows = run.read_generation(generation)
        except InputError as error:
            if generation < damaged and file != manifest.NAME:
                return f"generation {generation} is refused too: {error}"
        else:
            expected = undisturbed.read_generation(generation)
            if generation == damaged or rows.names != expected.names or (rows.weights != expected.weights).any():
                return f"generation {generation} was loaded silently"
    before = int(offer[2])
    play = PLAY.search(text)
    if before >= damaged or (before >= 0 and (play is None or play[2] != offer[2])):
        return f"offers {before}: {text!r}"
    run.rewind(create.check_files_up_to(run, run.manifest(), before).newest)
    for _ in range(before, 3):
        save_next(folder)
    for path in folder.glob("*.given-up"):
        path.unlink()
    return is_like(folder, whole, 3)
