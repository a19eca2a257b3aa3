"""A network that judges positions with few pieces in a search, in the place of the search's own evaluation."""

from __future__ import annotations

import struct

import numpy as np

from game.errors import InputError
from game.networks import kernels as network_kernels
from game.networks.evaluator import Evaluator
from game.search import layout as at


class Endings:
    """A network for positions with few pieces, with its memory, for one search at a time.

    Leaves without a pending capture that have at most `pieces` pieces, and are not in the tablebases of the search,
    have the value P(win) - P(loss), multiplied by `factor`.

    Args:
        evaluator: a network whose outputs are win, draw and loss.
        pieces: the largest number of pieces.
        factor: the value of a certain win, in the units of the search's own evaluation.

    Raises:
        InputError: the network has other outputs.
    """

    def __init__(self, evaluator: Evaluator, pieces: int, factor: float) -> None:
        spec, program = evaluator.program.spec, evaluator.program
        if spec.heads is None or spec.heads.value != "wdl" or program.columns[:3] != (0, 1, 2):
            raise InputError(f"{spec.name}: expected a network whose outputs are win, draw and loss")
        self.evaluator = evaluator
        self.words = np.zeros(at.ENDINGS_WORDS, np.int64)
        self._rows = np.zeros((at.BATCH, 3), np.uint64)
        stride = program.scratch // (2 * network_kernels.TOGETHER)
        self._outputs = np.zeros((network_kernels.TOGETHER, stride), np.float32)
        writer, self._network, self._scratch = evaluator.writer()
        w = self.words
        w[at.ENDINGS_PIECES], w[at.ENDINGS_WRITER], w[at.ENDINGS_NETWORK] = pieces, writer, self._network.ctypes.data
        w[at.ENDINGS_FACTOR] = struct.unpack("<i", struct.pack("<f", factor))[0]
        w[at.ENDINGS_ROWS], w[at.ENDINGS_OUTPUTS] = self._rows.ctypes.data, self._outputs.ctypes.data
        w[at.ENDINGS_STRIDE] = 4 * stride

    @property
    def asked(self) -> int:
        """The number of evaluations by this network."""
        return int(self.words[at.ENDINGS_ASKED])

    def stand_before(self, words: tuple[int, ...]) -> tuple[int, ...]:
        """Return the words of a `Binding` with this network before its evaluator; margins of material become floats."""
        from game.search.endings_kernels import evaluator

        changed = dict(zip(at.BINDING, words, strict=True))
        self.words[at.ENDINGS_OWN] = changed[at.EVALUATOR]
        if changed[at.EVALUATOR_KIND] == at.MATERIAL:
            for word in (at.MARGIN_UP, at.MARGIN_DOWN):
                changed[word] = struct.unpack("<i", struct.pack("<f", changed[word]))[0]
        changed |= {at.EVALUATOR_KIND: at.NETWORK, at.EVALUATOR: evaluator.address}
        return tuple(changed[word] for word in at.BINDING)
