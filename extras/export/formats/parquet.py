"""A run as two tables in Parquet files: its log, and the individuals of its generations with their weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config.anchors import SCALE
from evolve.run.files import CONFIG, named
from game.regular_files import read_regular

if TYPE_CHECKING:
    import pyarrow as pa

    from evolve.run.folder import Run
    from evolve.run.generation_csv import Generation

TEXTS = {"run": "write the log of the run and its individuals as Parquet files into this folder"}
PACKAGES = ("pyarrow",)

LOG, INDIVIDUALS = "log.parquet", "individuals.parquet"

COUNTS = ("games", "wins", "draws", "losses", "points")


def of_run(
    run: Run,
    folder: Path,
    begin: Callable[[Path], Path],
    every: int = 1,
    progress: Callable[[int], None] = lambda number: None,
) -> list[Path]:
    """Write the tables of a run to temporary files, and return the names that they are to have.

    Each generation is a row group, so only one has to fit in memory, and a reader can skip the others.

    Args:
        run: the run; its configuration is in the metadata of both files.
        begin: returns the temporary file of a file, as in `evolve.run.files.together`.
        every: interval of the generations whose individuals are written; the newest is always written.

    Raises:
        RunError: a generation cannot be read.
        OSError: a file cannot be written.
    """
    import pyarrow as pa

    known = run.manifest()
    about = {
        "run": run.name,
        "scale": SCALE,
        "digest": known.digest(),
        "config": read_regular(run.path / CONFIG).decode(),
    }
    metadata = {f"crownhead.{name}": text for name, text in about.items()}
    log = pa.Table.from_pandas(run.log().reset_index(), preserve_index=False)
    folder.mkdir(parents=True, exist_ok=True)
    _write(begin, folder / LOG, log.schema.with_metadata((log.schema.metadata or {}) | metadata), [log])
    numbers = sorted({*range(0, known.newest + 1, every), known.newest})

    def tables() -> Iterable[pa.Table]:
        for number in numbers:
            yield table(number, run.read_generation(number, thinned=True))
            progress(number)

    _write(begin, folder / INDIVIDUALS, schema().with_metadata(metadata), tables())
    return [folder / LOG, folder / INDIVIDUALS]


def schema() -> pa.Schema:
    """Return the columns of the individuals.

    Thinned generations have `genome`, a digest, and no weights; values that a run does not have are null.
    """
    import pyarrow as pa

    floats = pa.list_(pa.float32())
    return pa.schema(
        [
            ("generation", pa.int32()),
            ("name", pa.string()),
            ("rank", pa.int64()),
            ("origin", pa.string()),
            ("parents", pa.list_(pa.string())),
            *((name, pa.int64()) for name in COUNTS),
            ("king", pa.float32()),
            ("genome", pa.string()),
            ("weights", floats),
            ("step_sizes", floats),
            ("state", floats),
        ]
    )


def table(number: int, rows: Generation) -> pa.Table:
    """Return the individuals of one generation, best first."""
    import pyarrow as pa

    count = len(rows.names)
    values: dict[str, Any] = {"generation": [number] * count, "name": rows.names, "rank": rows.ranks}
    values |= {"origin": rows.origins, "parents": rows.parents, "king": rows.kings, "genome": rows.genomes}
    if rows.counts is not None:
        values |= {name: rows.counts[:, at] for at, name in enumerate(COUNTS)}
    for name, numbers in (("weights", rows.weights), ("step_sizes", rows.steps), ("state", rows.state)):
        if numbers is not None and numbers.shape[1]:
            values[name] = list(numbers)
    columns = [
        pa.nulls(count, field.type) if values.get(field.name) is None else pa.array(values[field.name], field.type)
        for field in schema()
    ]
    return pa.Table.from_arrays(columns, schema=schema())


def _write(begin: Callable[[Path], Path], path: Path, columns: pa.Schema, tables: Iterable[pa.Table]) -> None:
    """Write tables to the temporary file of a file."""
    from pyarrow.parquet import ParquetWriter

    try:
        with ParquetWriter(begin(path), columns, compression="zstd") as writer:
            for each in tables:
                writer.write_table(each.cast(columns))
    except OSError as error:
        raise named(error, path) from error
