"""CPU seconds that each kernel takes to compile at the first start: ``python -m tests.measurements.compilation``."""

from __future__ import annotations

import os
import tempfile
import time


def main() -> None:
    """Compile all that a session of the default preset plays, in this process, and print a table in Markdown."""
    with tempfile.TemporaryDirectory(prefix="crownhead-bench-") as folder:
        os.environ["CROWNHEAD_CACHE_DIR"] = folder  # read when Numba is imported, so that comes after it
        from evolve.config import toml
        from evolve.session.compiled_code import load_steps
        from game.compiled import compiling

        rows = {}
        for what, load in load_steps(toml.load(toml.DEFAULT_PRESET)).items():
            started = time.process_time()
            load()
            rows[what] = time.process_time() - started
        kernels = sorted(compiling.seconds.items(), key=lambda row: -row[1])
    for title, table in ("step", rows.items()), ("kernel", kernels):
        print(f"| {title} | CPU s |\n|---|---|")
        print(*(f"| {name} | {seconds:.2f} |" for name, seconds in table), sep="\n")
        print(f"| all | {sum(seconds for _, seconds in table):.2f} |\n")


if __name__ == "__main__":
    main()
