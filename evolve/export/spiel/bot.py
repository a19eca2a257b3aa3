"""A bot of OpenSpiel that plays as the player of `DATA`; the last part of an exported agent."""

from __future__ import annotations

from typing import Any

from evolve.export.spiel.search import AgentPlayer, Position, generate

try:
    from pyspiel import Bot
except ImportError:  # `AgentPlayer` needs only numpy
    Bot = object

DATA: dict[str, Any] = {}
"""The player: name, network, limits and options of its search; filled in by the export."""


def square_of(name: str) -> int:
    """Return the number of a square, 1 to 32, from its name in OpenSpiel: player 0 begins on rows 1 to 3."""
    return 4 * (int(name[1]) - 1) + (7 - "abcdefgh".index(name[0])) // 2 + 1


def board_of(state: Any, side: int) -> Position:
    """Return the position of a state whose side to move is given."""
    words = {"o": 0, "8": 0, "+": 0, "*": 0}
    for line in str(state).splitlines()[:8]:
        for column, cell in enumerate(line[1:]):
            if cell in words:
                words[cell] |= 1 << square_of("abcdefgh"[column] + line[0]) - 1
    return words["o"] | words["8"], words["+"] | words["*"], words["8"] | words["*"], side


def game_of(state: Any) -> tuple[list[Position], tuple[int, ...]]:
    """Return the positions at the beginning of each turn so far, and the squares of a turn that has begun.

    In OpenSpiel each jump is an action of its own.
    """
    replayed = state.get_game().new_initial_state()
    positions, path = [board_of(replayed, 0)], tuple[int, ...]()
    for action in state.history():
        mover = replayed.current_player()
        name = replayed.action_to_string(mover, action)
        path = (*(path or (square_of(name[:2]),)), square_of(name[2:4]))
        replayed.apply_action(action)
        if replayed.current_player() != mover:
            positions.append(board_of(replayed, 1 - mover))
            path = ()
    return positions, path


class Agent(Bot):  # type: ignore[misc]
    """The player as a bot of OpenSpiel, for both sides.

    Args:
        depth: plies of its search.
        nodes: maximum number of positions of each search. Without both, its own limits are used.

    Attributes:
        score: the score of its last search, to the side to move.
    """

    def __init__(self, depth: int | None = None, nodes: int | None = None) -> None:
        super().__init__()
        self.player, self.depth, self.nodes = AgentPlayer(DATA), depth, nodes
        self.score = 0.0
        self.planned: tuple[list[Position], tuple[int, ...]] = ([], ())

    def restart(self) -> None:
        """Forget the game."""
        self.planned = ([], ())
        self.player.last = [None, None]

    def restart_at(self, state: Any) -> None:
        """Forget the game; the next one may begin with any state."""
        self.restart()

    def step(self, state: Any) -> int:
        """Return its action in a state."""
        positions, path = game_of(state)
        if self.planned[0] != positions:
            self.planned = positions, self.choose(positions)
        plan = self.planned[1]
        if plan[: len(path)] != path:  # another player has begun the turn
            plan = next(whole for whole in turns_of(positions[-1]) if whole[: len(path)] == path)
        at = max(len(path) - 1, 0)
        player = state.current_player()
        names: dict[int, str] = {action: state.action_to_string(player, action) for action in state.legal_actions()}
        return next(
            action for action, name in names.items() if (square_of(name[:2]), square_of(name[2:4])) == plan[at : at + 2]
        )

    def choose(self, positions: list[Position]) -> tuple[int, ...]:
        """Return its move in the last position of a game, as squares from start to end."""
        turns = turns_of(positions[-1])
        if len(turns) == 1:
            return turns[0]
        move, self.score, _ = self.player.search(positions, self.depth, self.nodes)
        return move


def turns_of(position: Position) -> list[tuple[int, ...]]:
    """Return all legal moves, as squares from start to end."""
    black, white, kings, side = position
    rows = generate(white, black, kings, 1) if side else generate(black, white, kings, 0)
    return [tuple(bit.bit_length() for bit in row.path) for row in rows]
