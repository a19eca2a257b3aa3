"""CSV files with names and weights alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def bare(path: Path, names: list[str], width: int = 247) -> Path:
    weights = np.random.Generator(np.random.Philox(5)).uniform(-1, 1, (len(names), width)).astype(np.float32)
    lines = [",".join(["names", *(f"w{index}" for index in range(width))])]
    lines += [",".join([name, *map(str, row)]) for name, row in zip(names, weights, strict=True)]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path
