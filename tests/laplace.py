"""A plugin for tests: a mutation that no other module has."""

LAPLACE = '''
from dataclasses import dataclass
import numpy as np
from evolve.kinds.kind import number
from evolve.kinds.variation import Mutation


@dataclass(frozen=True)
class Laplace(Mutation, kind="laplace"):
    """Add a number of the Laplace distribution to every weight."""

    scale: float = number(0.05, 0.0, 10.0, "its spread")

    def mutate(self, genome, generator, generation=0):
        genome[:] += generator.laplace(0.0, self.scale, len(genome)).astype(np.float32)
        return (genome,)
'''

CONFIG = """
[plugins]
files = ["ops.py"]

[variation]
mutation = "laplace"
scale = 0.1
"""
