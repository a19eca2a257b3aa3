"""Headers of C, compiled and compared with the kernel, position by position."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve.export.c_header import c_header, prefix_of
from game.errors import InputError
from game.networks.spec import Spec
from tests.evolve.export import exported
from tests.evolve.export.exported import NAMES, NETWORKS, SHARE, differs

COMPILER = shutil.which("cc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler (cc)")

Genome = NDArray[np.float32]


def call(name: str, spec: Spec) -> str:
    """A function that other programs see, for all rows of words at once."""
    value = f"values[i] = {name}_evaluate(w[0], w[1], w[2], w[3]);" if spec.values else ""
    heads = f"{name}_outputs(w[0], w[1], w[2], w[3], outputs + {spec.outputs} * i);" if spec.heads else ""
    return f"""
void run_{name}(int count, const uint32_t *words, float *values, float *outputs)
{{
    (void)values, (void)outputs;
    for (int i = 0; i < count; i++) {{
        const uint32_t *w = words + 4 * i;
        {value} {heads}
    }}
}}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """All networks in one program, and the first with a weight that was changed."""
    folder = tmp_path_factory.mktemp("c")
    changed = NETWORKS[0][1].copy()
    changed[3] += 0.01
    source = "".join(
        c_header(f"n{number}", NAMES[number % len(NETWORKS)], (spec, genome, exported.king_of(spec)))
        + call(f"n{number}", spec)
        for number, (spec, genome) in enumerate([*NETWORKS, (NETWORKS[0][0], changed)])
    )
    (folder / "all.c").write_text(source, encoding="utf-8")
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1"]
    made = folder / "all.so"
    command = [str(COMPILER), *strict, "-shared", "-fPIC", "-o", str(made), str(folder / "all.c"), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    return ctypes.CDLL(str(made))


def run(library: ctypes.CDLL, number: int, spec: Spec) -> tuple[Genome, Genome]:
    words = np.ascontiguousarray(exported.WORDS)
    values, outputs = np.zeros(len(words), np.float32), np.zeros((len(words), spec.outputs), np.float32)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (words, values, outputs)]
    library[f"run_n{number}"](ctypes.c_int(len(words)), *pointers)
    return values, outputs


@pytest.mark.parametrize("number", range(len(NETWORKS)), ids=NAMES)
def test_the_same_as_the_kernel(library: ctypes.CDLL, number: int) -> None:
    spec, genome = NETWORKS[number]
    values, outputs = run(library, number, spec)
    if spec.values:
        assert differs(values, exported.kernel_scores(spec, genome)) < SHARE
    if spec.heads:
        assert differs(outputs, exported.kernel_outputs(spec, genome)) < SHARE


def test_a_changed_weight_is_seen(library: ctypes.CDLL) -> None:
    spec, genome = NETWORKS[0]
    values, _ = run(library, len(NETWORKS), spec)
    assert differs(values, exported.kernel_scores(spec, genome)) > SHARE


def test_names(tmp_path: Path) -> None:
    assert [prefix_of(stem) for stem in ("champion", "Gen 15-a", "15")] == ["champion", "Gen_15_a", "player_15"]
    spec, genome = NETWORKS[0]
    text = c_header("best", "mine@3:*/ x", (spec, genome, None))
    assert "float best_evaluate(uint32_t own_men" in text and "#ifndef best_H" in text and "*/ x" not in text


def test_weights_that_are_no_numbers() -> None:
    spec, genome = NETWORKS[0]
    with pytest.raises(InputError, match="not finite numbers"):
        c_header("a", "mine", (spec, np.full_like(genome, np.nan), None))
