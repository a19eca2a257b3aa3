"""How fast this machine is, by loops that always do the same.

The reference is one core of a 4.5 GHz AMD Zen 5 (AVX-512). Its value was not measured but follows from the loop: a
chain of 64-bit multiplications (3 cycles each on AMD's Zen, Intel's Core and Apple's M processors) and exclusive ors
(1 cycle), each waiting for the one before, takes 4 cycles a step. So steps a second times 4 is the clock that the
program really got, less whatever other programs took of the core, and on the reference machine it is 4.5 GHz.

Goals are scaled by that clock alone. The other two loops are told beside it, since a machine may have a fast clock and
narrow vectors, or a slow Python: multiply-adds of vectors (at most 2 x 16 x 2 operations a cycle with AVX-512, so 288
GFLOP/s on the reference machine; half of it with AVX2), and the chain in plain Python.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field

import numpy as np

from game import timing_kernels

REFERENCE = "one core of a 4.5 GHz AMD Zen 5 (AVX-512)"
REFERENCE_GHZ = 4.5
REFERENCE_GFLOPS = REFERENCE_GHZ * 2 * 16 * 2

_FACTOR, _MASK = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9
_64_BITS = (1 << 64) - 1


@dataclass
class Calibration:
    """Samples of the loops.

    Attributes:
        seconds: about how long each loop runs.
        clock: GHz.
        alone: the same by the time of this thread alone, whatever other programs took of the core.
        vectors: GFLOP/s of fused multiply-adds.
        python: million steps a second in plain Python.
    """

    seconds: float = 0.1
    clock: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    vectors: list[float] = field(default_factory=list)
    python: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._memory = np.full(32, 1e-3, np.float32)
        timing_kernels.integer_chain(1, np.uint64(_FACTOR), np.uint64(_MASK))
        timing_kernels.vector_sums(1, self._memory.ctypes.data)

    def sample(self) -> None:
        """Run each loop once."""
        steps = round(self.seconds * REFERENCE_GHZ * 1e9 / timing_kernels.CHAIN_CYCLES)
        started, before = time.perf_counter(), time.thread_time()
        timing_kernels.integer_chain(steps, np.uint64(_FACTOR), np.uint64(_MASK))
        seconds, own = time.perf_counter() - started, time.thread_time() - before
        self.clock.append(steps * timing_kernels.CHAIN_CYCLES / seconds / 1e9)
        self.alone.append(steps * timing_kernels.CHAIN_CYCLES / (own or seconds) / 1e9)
        operations = timing_kernels.CHAINS * 16 * 2
        steps = round(self.seconds * REFERENCE_GFLOPS * 1e9 / operations)
        started = time.perf_counter()
        timing_kernels.vector_sums(steps, self._memory.ctypes.data)
        self.vectors.append(steps * operations / (time.perf_counter() - started) / 1e9)
        steps = round(self.seconds * 10e6)
        started = time.perf_counter()
        python_chain(steps)
        self.python.append(steps / (time.perf_counter() - started) / 1e6)

    @property
    def speed(self) -> float:
        """The clock of this machine as a part of the reference machine's."""
        return statistics.median(self.clock) / REFERENCE_GHZ

    @property
    def speed_alone(self) -> float:
        """The same for figures by the time of a thread alone."""
        return statistics.median(self.alone) / REFERENCE_GHZ

    def as_json(self) -> dict[str, object]:
        """All loops as plain data."""
        loops = {
            "clock_ghz": self.clock,
            "clock_alone_ghz": self.alone,
            "vectors_gflops": self.vectors,
            "python_million_steps": self.python,
        }
        found: dict[str, object] = {
            name: {"median": statistics.median(samples), "low": min(samples), "high": max(samples)}
            for name, samples in loops.items()
        }
        return found | {
            "reference": REFERENCE,
            "reference_clock_ghz": REFERENCE_GHZ,
            "reference_vectors_gflops": REFERENCE_GFLOPS,
            "speed": self.speed,
            "speed_alone": self.speed_alone,
        }


def python_chain(steps: int) -> int:
    """`game.timing_kernels.integer_chain` in plain Python."""
    word = _FACTOR
    for _ in range(steps):
        word = ((word * _FACTOR) & _64_BITS) ^ _MASK
    return word
