"""UCT in plain Python over a small interface of rules, with the rules of tic-tac-toe and of checkers."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from game import moves
from game.board import Position
from game.generator import SplitMix64
from game.rules import DrawRules
from tests.naive_search import Line, line_of
from tests.naive_tree import WON, log_of

State = TypeVar("State")


class Rules(Protocol[State]):
    """A game of two sides that take turns, whose states are any values."""

    def after(self, state: State) -> list[State]:
        """Return the states after each legal move, in a fixed order."""
        ...

    def drawn(self, state: State, searching: bool) -> bool:
        """Return whether a state with legal moves is drawn, in the tree or in a game from a leaf."""
        ...

    def lost(self, state: State) -> bool:
        """Return whether the side to move has lost, in a state without legal moves; else it is drawn."""
        ...


@dataclass(eq=False)
class Node(Generic[State]):
    state: State
    parent: Node[State] | None = None
    children: list[Node[State]] | None = None
    total: float = 0.0
    visits: int = 0
    proof: int = 0

    @property
    def to_parent(self) -> float:
        return (-1.0 if self.proof > 0 else 1.0) if self.proof else -self.total / self.visits


@dataclass
class Uct(Generic[State]):
    """A search; `choose` returns the index of a move of a game from a leaf: at random, unless given."""

    rules: Rules[State]
    choose: Callable[[State, list[State], SplitMix64], int] = lambda state, after, draws: draws.below(len(after))
    spread: float = 2.0
    played: int = field(default=0, init=False)

    def search(self, state: State, positions: int, seed: int = 0, visits: int = 1_000_000) -> Node[State]:
        self.root, self.draws, self.played = Node(state), SplitMix64(seed), 0
        while self.played < positions and not self.root.proof and self.root.visits < visits:
            leaf = self.find_leaf()
            self.played += not leaf.children
            self.back_up(leaf, float(self.play(leaf.state)) if leaf.children else 0.0)
        return self.root

    def find_leaf(self) -> Node[State]:
        node = self.root
        while True:
            if node.children is None:
                self.open(node)
            assert node.children is not None
            if not node.children or (len(node.children) > 1 and not node.visits):
                return node
            node = node.children[0] if len(node.children) == 1 else self.select(node)

    def open(self, node: Node[State]) -> None:
        after = self.rules.after(node.state)
        if not after and self.rules.lost(node.state):
            node.proof = -WON
        drawn = bool(after) and node is not self.root and self.rules.drawn(node.state, searching=True)
        node.children = [] if drawn else [Node(each, node) for each in after]

    def select(self, node: Node[State]) -> Node[State]:
        free = [child for child in node.children or () if not child.proof]
        new = [child for child in free if not child.visits]
        spread = math.sqrt(log_of(node.visits))

        def bound(child: Node[State]) -> float:
            return child.to_parent + self.spread * spread / math.sqrt(child.visits)

        return new[0] if new else max(free, key=bound)

    def play(self, state: State) -> int:
        """Play a game to its end; return its result to the side to move at first."""
        sign = 1
        while True:
            self.played += 1
            after = self.rules.after(state)
            if not after:
                return -sign if self.rules.lost(state) else 0
            if self.rules.drawn(state, searching=False):
                return 0
            state = after[self.choose(state, after, self.draws) if len(after) > 1 else 0]
            sign = -sign

    @staticmethod
    def back_up(leaf: Node[State], value: float) -> None:
        node: Node[State] | None = leaf
        while node is not None:
            proofs = [child.proof for child in node.children or ()]
            if not node.proof and any(proofs):
                least = min(proof for proof in proofs if proof)
                node.proof = -least - 1 if least < 0 else 1 - least if all(proofs) else 0
            if node.proof:
                value = 1.0 if node.proof > 0 else -1.0
            node.visits += 1
            node.total += value
            node, value = node.parent, -value


def best_child(root: Node[State], rule: str, security: float = 1.0) -> Node[State]:
    """Return the child to play by one of the rules max, robust and secure; proved results come first."""
    children = root.children or []
    if any(child.proof < 0 for child in children) or all(child.proof > 0 for child in children):
        return min((child for child in children if child.proof), key=lambda child: child.proof)
    free = [child for child in children if child.visits and not child.proof] or children
    if rule == "robust":
        return max(free, key=lambda child: child.visits)
    return max(free, key=lambda child: child.to_parent - (rule == "secure") * security / math.sqrt(child.visits))


Board = tuple[int, ...]
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class TicTacToe:
    """Tic-tac-toe: nine squares, 1 for the side to move and -1 for the other."""

    def after(self, state: Board) -> list[Board]:
        if self.lost(state):
            return []
        boards = ((*state[:square], 1, *state[square + 1 :]) for square in range(9) if not state[square])
        return [tuple(-each for each in board) for board in boards]

    def drawn(self, state: Board, searching: bool) -> bool:
        return False

    def lost(self, state: Board) -> bool:
        return any(all(state[square] == -1 for square in line) for line in LINES)

    @functools.cache  # noqa: B019 (there is one object, and few boards)
    def value(self, state: Board) -> int:
        """The value to the side to move, by minimax."""
        return max((-self.value(each) for each in self.after(state)), default=-int(self.lost(state)))


@dataclass
class Checkers:
    """The rules of checkers for lines; games from leaves are not drawn by repetition."""

    rules: DrawRules

    def after(self, state: Line) -> list[Line]:
        return [state.after(board, self.rules) for _, board in moves.successors(state.position)]

    def drawn(self, state: Line, searching: bool) -> bool:
        again = searching and bool(self.rules.repetition) and state.position in state.reversible[:-1]
        quiet = bool(self.rules.quiet_plies) and state.quiet >= self.rules.quiet_plies
        return again or quiet or bool(self.rules.max_plies and state.plies >= self.rules.max_plies)

    def lost(self, state: Line) -> bool:
        return True

    def start(self, position: Position, history: Sequence[Position]) -> Line:
        return line_of(position, history, self.rules)
