"""Tree search in plain Python, written from docs/search.md: one object for each position, recursion, lists.

It takes positions, legal moves and the network's outputs from the readable face of the program. Numbers are Python
floats; what the compiled search keeps as float32 is rounded at the same places, so that both can be compared visit by
visit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from game import moves
from game.board import Position
from game.generator import GAMMA, MASK, mix
from game.moves import Move
from game.networks.evaluator import Evaluator, rows_seen
from game.players.policy import first_step
from game.rules import WCDF, DrawRules
from tests.naive_search import Line, line_of

WON, BY_TABLE = 20_000, 10_000
LN_2 = 0.6931471805599453
float32 = np.float32


def fma(a: np.float32, b: np.float32, c: np.float32) -> np.float32:
    """A float32 rounded once: the product is exact in a float64; its sum is rounded to odd before the last rounding."""
    product, addend = float(a) * float(b), float(c)
    total = product + addend
    part = total - product
    error = (product - (total - part)) + (addend - part)
    if error != 0.0 and int(np.float64(total).view(np.int64)) % 2 == 0:
        total = math.nextafter(total, math.inf if error > 0 else -math.inf)
    return float32(total)


def exp_minus(x: float) -> np.float32:
    """The program's exponential: e**-x for x from -28 to 28."""
    clamped = float32(min(max(x, -28.0), 28.0))
    magic = float32(12582912.0)
    shifted = fma(clamped, float32(-1.4426950408889634), magic)
    n = shifted - magic
    r = fma(n, float32(2.12194440054690583e-4), fma(n, float32(-0.693359375), -clamped))
    series = float32(1 / 720)
    for each in (1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0, 1.0):
        series = fma(series, r, float32(each))
    return float32(math.ldexp(float(series), int(n)))


def log_of(word: int) -> float:
    """The natural logarithm of a whole number, by the series of the inverse hyperbolic tangent."""
    bits = word.bit_length()
    mantissa, exponent = float((word << 64 - bits) >> 11) * 2.0**-53, float(bits)
    if mantissa * 1.4142135623730951 < 1.0:
        mantissa, exponent = 2 * mantissa, exponent - 1
    s = (mantissa - 1) / (mantissa + 1)
    series = 0.0
    for odd in range(21, 0, -2):
        series = series * (s * s) + 1 / odd
    return exponent * LN_2 + 2 * s * series


def exponential(seed: int, index: int) -> float:
    return max(64 * LN_2 - log_of(mix((seed + (index + 1) * GAMMA) & MASK) | 1), 2.0**-52)


def gumbel(seed: int, index: int) -> float:
    return 52 * LN_2 - log_of(int(exponential(seed, index) * 2.0**52))


@dataclass(eq=False)
class Node:
    """A position; `children` is None before its first visit, and empty if the line ends there."""

    line: Line
    parent: Node | None = None
    move: Move | None = None
    prior: float = 1.0
    children: list[Node] | None = None
    value: float = 0.0
    total: float = 0.0
    visits: int = 0
    pending: int = 0
    proof: int = 0

    @property
    def count(self) -> int:
        return self.visits + self.pending

    @property
    def to_parent(self) -> float:
        if self.proof:
            return -1.0 if self.proof > 0 else 1.0
        return -self.total / self.visits


@dataclass
class NaiveTree:
    """The search of one tree.

    Attributes:
        evaluator: a network with both heads.
        rules: the draw rules.
        gumbel: whether to select by Gumbel instead of PUCT.
        candidates: with `gumbel`, the number of moves that the root considers.
        together: leaves that are evaluated together, at most.
        known: value of a position by tables to its side to move; None if they do not cover it.
        noise: seed of the noise at the root; 0 for none.
        even: whether half of the visits are shared equally by the moves of the root.
    """

    evaluator: Evaluator
    rules: DrawRules = WCDF
    gumbel: bool = False
    candidates: int = 16
    together: int = 8
    known: Callable[[Position], int | None] = lambda position: None
    noise: int = 0
    even: bool = False

    def search(self, position: Position, history: Sequence[Position] = (), *, visits: int) -> Node:
        """Return the root after `visits` visits after its own."""
        self.visits, self.judged = visits, 0
        self.root = Node(line_of(position, history, self.rules))
        while True:
            leaves: list[Node] = []
            most = min(self.together, 1 + self.root.visits // 16)
            while len(leaves) < most and not self.root.proof and self.root.count < visits + 1:
                leaf = self.find_leaf()
                if leaf is None:
                    break
                for node in ancestors(leaf):
                    node.pending += 1
                if leaf.children:
                    leaves.append(leaf)
                else:
                    self.back_up(leaf, 0.0)
            if not leaves:
                return self.root
            for leaf in leaves:
                self.evaluate(leaf)
                self.back_up(leaf, leaf.value)

    def find_leaf(self) -> Node | None:
        """A leaf that the network has to evaluate, or at which the line ends; None if it waits already."""
        node = self.root
        while True:
            if node.children is None:
                self.open(node)
                if len(node.children or ()) > 1:
                    return node
            elif len(node.children) > 1 and not node.visits:
                return None
            if not node.children:
                return node
            node = self.select(node)

    def open(self, node: Node) -> None:
        position, node.children = node.line.position, []
        after = moves.successors(position)
        if not after:
            node.proof = -WON
            return
        if node is not self.root:
            line = node.line
            again = bool(self.rules.repetition) and position in line.reversible[:-1]
            quiet = bool(self.rules.quiet_plies) and line.quiet >= self.rules.quiet_plies
            if again or quiet or (self.rules.max_plies and line.plies >= self.rules.max_plies):
                return
            value = self.known(position)
            if value is not None:
                node.proof = value * BY_TABLE
                return
        node.children = [Node(node.line.after(board, self.rules), node, move) for move, board in after]

    def select(self, node: Node) -> Node:
        children = node.children
        assert children
        if len(children) == 1:
            return children[0]
        free = [child for child in children if not child.proof]
        least = min(free, key=lambda child: child.count)
        if node is self.root and self.even and 2 * len(children) * least.count < node.count:
            return least
        if not self.gumbel:
            unvisited, root = node.total / node.visits - 0.1, 1.5 * math.sqrt(node.count)

            def bound(child: Node) -> float:
                value = child.to_parent if child.visits else unvisited
                return value + root * float(child.prior) / (1 + child.count)

            return max(free, key=bound)
        if node is self.root:
            scheduled = self.schedule(min(self.candidates, len(children)))[node.count - 1]
            scores = dict(zip(children, self.scores(), strict=True))
            return max([child for child in free if child.count == scheduled] or free, key=lambda child: scores[child])
        shares, done = self.improved(node), sum(child.count for child in children)
        lag = {c: share - c.count / (1 + done) for c, share in zip(children, shares, strict=True)}
        return max(free, key=lambda child: lag[child])

    def schedule(self, candidates: int) -> list[int]:
        """For each visit, the visits that the selected child has: played through, candidate by candidate."""
        visits, order = [0] * candidates, list[int]()
        rounds = math.ceil(math.log2(candidates)) if candidates > 1 else 1
        left = candidates
        while len(order) < self.visits:
            for _ in range(max(1, self.visits // (rounds * left))):
                for candidate in range(left):
                    order.append(visits[candidate])
                    visits[candidate] += 1
            left = max(left // 2, min(2, candidates))
        return order[: self.visits]

    def completed(self, node: Node) -> tuple[list[float], float]:
        """The values of all children to the side of a node, and the weight of values against logits."""
        assert node.children
        visited = [child for child in node.children if child.visits]
        mixed = node.value
        if visited:
            visits, priors, values = 0.0, 0.0, 0.0
            for child in visited:
                visits += child.visits
                priors += float(child.prior)
                values += float(child.prior) * child.to_parent
            mixed = (node.value + visits * (values / priors)) / (1 + visits)
        values_of_all = [child.to_parent if child.visits else mixed for child in node.children]
        return values_of_all, (50.0 + max(child.count for child in node.children)) * 0.5

    def scores(self) -> list[float]:
        """Gumbel number + logit + weight * value of each move of the root."""
        values, weight = self.completed(self.root)
        return [score + weight * value for score, value in zip(self.first_scores, values, strict=True)]

    def improved(self, node: Node) -> list[float]:
        assert node.children
        values, weight = self.completed(node)
        best = max(values)
        sizes = [exp_minus(float32(weight * (best - value))) for value in values]
        shares = [size * float32(child.prior) for size, child in zip(sizes, node.children, strict=True)]
        total = 0.0
        for share in shares:
            total += float(share)
        return [float(share) / total for share in shares]

    def evaluate(self, leaf: Node) -> None:
        self.judged += 1
        position, children = leaf.line.position, leaf.children
        assert children
        outputs = self.evaluator.output_rows(rows_seen([position]))[0]
        value, policy = outputs[:-128], outputs[-128:]
        steps = [first_step(child.move, position.side) for child in children if child.move]
        logits = [policy[step] for step in steps]
        sizes = [exp_minus(max(logits) - logit) for logit in logits]
        total = 0.0
        for step in dict.fromkeys(steps):
            total += float(sizes[steps.index(step)])
        for child, size, step in zip(children, sizes, steps, strict=True):
            child.prior = float32(float(size) / (total * steps.count(step)))
        if leaf is self.root:
            drawn = [exponential(self.noise, index) for index in range(len(children))]
            self.first_scores = [
                float(logit) - log_of(steps.count(step)) + (gumbel(self.noise, index) if self.noise else 0.0)
                for index, (logit, step) in enumerate(zip(logits, steps, strict=True))
            ]
            if self.noise and not self.gumbel:
                sum_drawn = 0.0
                for each in drawn:
                    sum_drawn += each
                for child, each in zip(children, drawn, strict=True):
                    child.prior = float32((1 - 0.25) * float(child.prior) + 0.25 * (each / sum_drawn))
        if len(value) == 3:
            win, draw, loss = (exp_minus(max(value) - each) for each in value)
            leaf.value = float((win - loss) / (win + draw + loss))
        else:
            leaf.value = float(float32(2) / (float32(1) + exp_minus(value[0] + value[0])) - float32(1))

    def back_up(self, leaf: Node, value: float) -> None:
        for node in ancestors(leaf):
            children = node.children or []
            if not node.proof and node is not leaf and any(child.proof for child in children):
                least = min(child.proof for child in children if child.proof)
                if least < 0:
                    node.proof = -least - 1
                elif all(child.proof for child in children):
                    node.proof = 1 - least
            if node.proof:
                value = 1.0 if node.proof > 0 else -1.0
            node.pending -= 1
            node.visits += 1
            node.total += value
            value = -value

    def best(self, node: Node) -> Node:
        children = node.children
        assert children
        if len(children) == 1:
            return children[0]
        if any(child.proof < 0 for child in children) or all(child.proof > 0 for child in children):
            return min((child for child in children if child.proof), key=lambda child: (child.proof, -child.prior))
        free = [child for child in children if not child.proof]
        most = [child for child in free if child.visits == max(each.visits for each in free)]
        if node is self.root and self.gumbel:
            scores = dict(zip(children, self.scores(), strict=True))
            return max(most, key=lambda child: scores[child])
        return max(most, key=lambda child: child.prior)


def ancestors(node: Node | None) -> list[Node]:
    line = []
    while node is not None:
        line.append(node)
        node = node.parent
    return line
