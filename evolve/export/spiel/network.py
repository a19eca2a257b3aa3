"""Values of positions by a network, with the same bits as the compiled kernel (`game/networks/kernels.py`).

Part of an exported agent, so it imports only numpy; `evolve/export/page/network.js` does the same in JavaScript.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

LANES = 16
HEAD_WORDS, TILE_WORDS = 16, 9
WINDOWS, CELLS = 9, 6561


def rotate(word: int) -> int:
    """Return the board rotated by 180 degrees: square s becomes 33 - s."""
    return int(f"{word:032b}"[::-1], 2)


def unpack(text: str, kind: str) -> NDArray[Any]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), kind)


def fma(a: Any, b: Any, c: Any) -> Floats:
    """Return a * b + c, rounded once to float32.

    The product of two float32 is exact in float64, and their sum is rounded to 53 bits. Rounding this once more to 24
    bits is wrong only if the float64 is halfway between two float32, but the exact sum is not; its error decides then.
    """
    product = np.multiply(a, b, dtype=np.float64)
    total = product + c
    near: Floats = total.astype(np.float32)
    halfway = total.view(np.int64) & 0x1FFFFFFF == 0x10000000
    if halfway.any():
        distance = total - near
        other = near + 2 * distance
        part = total - product
        error = product - (total - part) + (c - part)  # exact: Knuth's two-sum
        swap = halfway & (error != 0) & ((error > 0) == (other > near))
        near = np.where(swap, other, near).astype(np.float32)
    return near


def exp_minus(x: Floats) -> Floats:
    """Return e**-x with x clamped to [-28, 28], by the steps of the program."""
    one = np.float32
    clamped = np.clip(x, one(-28), one(28))
    shifted = fma(clamped, one(-1.4426950408889634), one(12582912))
    n = shifted - one(12582912)
    r = fma(n, one(2.12194440054690583e-4), fma(n, one(-0.693359375), -clamped))
    series = np.full_like(x, one(1 / 720))
    for term in (1 / 120, 1 / 24, 1 / 6, 1 / 2, 1, 1):
        series = fma(series, r, one(term))
    result: Floats = (series.view(np.int32) + (shifted.view(np.int32) << 23)).view(np.float32)  # times 2**n
    return result


def activate(x: Floats, number: int) -> Floats:
    """Apply an activation to sums of shape (positions, vectors, LANES); three vectors are computed together."""
    one = np.float32(1)
    if number == 3:
        return np.maximum(x, np.float32(0))
    if number == 4:
        steps = np.floor(np.maximum(x, np.float32(0)) * np.float32(128) + np.float32(0.5))
        clipped: Floats = np.minimum(steps, np.float32(127)) / np.float32(128)
        return clipped
    if number == 0:
        return x
    below = one + exp_minus(x if number == 1 else x + x)
    if x.shape[1] != 3:
        return one / below if number == 1 else np.float32(2) / below - one
    a, b, c = below[:, 0], below[:, 1], below[:, 2]
    ab = a * b
    inverse = one / (ab * c)
    inverse_ab = inverse * c
    inverses = np.stack([inverse_ab * b, inverse_ab * a, inverse * ab], axis=1)
    return inverses if number == 1 else fma(np.float32(2), inverses, np.float32(-1))


class Network:
    """The network, as the program of its layers and their prepared parameters."""

    def __init__(self, data: dict[str, Any]) -> None:
        plan, taps = data["plan"], unpack(data["taps"], "<i4")
        self.params: Floats = unpack(data["params"], "<f4")
        self.king = np.float32(data["king"])
        self.first_activation, self.adds_pieces = plan[1], plan[6] != 0
        self.output_half, self.memory = 1 - plan[7], plan[5] // 4
        view, theirs, self.width = plan[9] // 4, plan[8] // 4, plan[10] * LANES
        self.by_mover = view != 0
        self.tables = -1 if plan[11] < 0 else plan[11] // 4
        self.phases, self.has_layers = plan[12], plan[13] != 0
        self.patterns = -1 if plan[14] < 0 else plan[14] // 4
        self.ternary = taps[plan[15] // 4 :]
        # For each view, rows for own men, the opponent's men, own kings and its kings on 32 squares; their sums are
        # exact.
        self.rows, self.biases = [], []
        sign = -1.0 if theirs == 0 else 1.0  # one table serves both sides: the opponent's pieces are subtracted
        kings = plan[2] // 4
        for number in range(2 if self.by_mover else 1):
            kinds = ((0, 1.0), (theirs, sign), (kings, 1.0), (kings + theirs, sign))
            self.rows.append(
                np.array(
                    [
                        factor * self.params[at : at + self.width].astype(np.float64)
                        for table, factor in kinds
                        for square in range(32)
                        for at in [number * view + table + (square + square // 8) * plan[0] * LANES]
                    ]
                ).reshape(128, self.width)
            )
            first = plan[3] // 4 + number * view
            self.biases.append(self.params[first : first + self.width].astype(np.float64))
        self.tiles = []
        for at in range(HEAD_WORDS, HEAD_WORDS + TILE_WORDS * plan[4], TILE_WORDS):
            odd, vectors, low, high, weights, bias, output, activation, residual = plan[at : at + TILE_WORDS]
            inputs, lanes = taps[low // 4 : high // 4] // 4, vectors * LANES
            block = self.params[weights // 4 : weights // 4 + len(inputs) * lanes].reshape(len(inputs), lanes)
            biases = self.params[bias // 4 : bias // 4 + lanes]
            self.tiles.append((odd, vectors, inputs, block, biases, output // 4, activation, residual))

    def values(self, boards: list[tuple[int, int, int]], view: int) -> Floats:
        """Return the values of positions to the side that sees them.

        Args:
            boards: pieces of side 0, of side 1, and kings.
            view: the side that sees them, 0 or 1.
        """
        words = np.array(boards, np.int64)
        black, white, kings = words[:, 0], words[:, 1], words[:, 2]
        kinds = np.stack([black & ~kings, white & ~kings, black & kings, white & kings], axis=1)
        there = (kinds[:, :, None] >> np.arange(32) & 1).astype(np.float64)
        counts = there.sum(axis=2)
        sums = (there.reshape(-1, 128) @ self.rows[view] + self.biases[view]).astype(np.float32)
        if view:
            counts = counts[:, [1, 0, 3, 2]]
        pieces = counts.sum(axis=1)
        place = ((self.phases - 1) * (24 - pieces) / 24).astype(np.float32)
        phase = np.clip(place.astype(np.int64), 0, max(self.phases - 2, 0))
        share = place - phase.astype(np.float32)
        beside = np.zeros(len(words), np.float32)
        if self.adds_pieces:
            men, royal = (counts[:, 0] - counts[:, 1]), (counts[:, 2] - counts[:, 3])
            beside = men.astype(np.float32) + self.king * royal.astype(np.float32)
        if self.tables >= 0:
            beside = beside + self.blend(sums[:, self.tables :], phase, share)
        if self.patterns >= 0:
            beside = beside + self.pattern_values(kinds, view, phase, share)
        if not self.has_layers:
            return beside
        value = self.blend(self.run_layers(sums), phase, share)
        return value + beside if self.adds_pieces or self.tables >= 0 or self.patterns >= 0 else value

    def blend(self, values: Floats, phase: NDArray[np.int64], share: Floats) -> Floats:
        """Return values for the number of pieces, between those of two phases; or P(win) - P(loss)."""
        if self.phases == 1:
            return values[:, 0]
        if self.phases == 0:
            most = values[:, :3].max(axis=1)
            win, draw, loss = (exp_minus(most - values[:, result]) for result in range(3))
            return (win - loss) / (win + draw + loss)
        rows = np.arange(len(values))
        first = values[rows, phase]
        return first + share * (values[rows, phase + 1] - first)

    def pattern_values(self, kinds: NDArray[np.int64], view: int, phase: NDArray[np.int64], share: Floats) -> Floats:
        """Return the sums of the values of all patterns of men, as the side `view` sees the board."""
        own, opponent = kinds[:, 0], kinds[:, 1]
        if view:
            own, opponent = (np.array([rotate(int(word)) for word in words], np.int64) for words in (opponent, own))
        first = np.zeros(len(kinds), np.float32)
        second = first.copy()
        after = 1 if self.phases > 1 else 0
        for window in range(WINDOWS):
            corner = 8 * (window // 3) + window % 3
            cell = self.cells(own >> corner) + 2 * self.cells(opponent >> corner)
            at = self.patterns + phase + self.phases * (window * CELLS + cell)
            first = first + self.params[at]
            second = second + self.params[at + after]
        return first + share * (second - first)

    def cells(self, seen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return numbers in base 3 whose digits are 1 for squares of a window with a man: two in each of four rows."""
        digits = seen & 3 | seen >> 2 & 12 | seen >> 4 & 48 | seen >> 6 & 192
        found: NDArray[np.int64] = self.ternary[digits].astype(np.int64)
        return found

    def run_layers(self, sums: Floats) -> Floats:
        """Return the outputs of the last layer."""
        halves = [np.zeros((len(sums), self.memory), np.float32) for _ in range(2)]
        done = 0
        while done < self.width:
            vectors = 3 if done + 3 * LANES <= self.width else 1
            part = sums[:, done : done + vectors * LANES].reshape(-1, vectors, LANES)
            halves[0][:, done : done + vectors * LANES] = activate(part, self.first_activation).reshape(len(sums), -1)
            done += vectors * LANES
        for odd, vectors, inputs, weights, biases, output, activation, residual in self.tiles:
            source, target = halves[1 - odd][:, inputs], halves[odd]
            totals = [np.broadcast_to(biases, (len(sums), len(biases))), np.zeros((len(sums), len(biases)), np.float32)]
            for tap in range(len(inputs)):
                chain = tap & 1 if vectors == 1 else 0  # one vector has two chains of additions
                totals[chain] = fma(source[:, tap, None], weights[tap], totals[chain])
            total = totals[0] + totals[1] if vectors == 1 else totals[0]
            there = slice(output, output + len(biases))
            if residual:
                total = total + target[:, there]
            target[:, there] = activate(total.reshape(-1, vectors, LANES), activation).reshape(len(sums), -1)
        outputs: Floats = halves[self.output_half]
        return outputs
