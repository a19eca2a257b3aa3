"""A player of Crownhead as a bot for OpenSpiel's checkers, over the engine protocol (docs/engine.md).

Both programs have the same moves, but other draws: OpenSpiel ends a game after 40 actions in a row without a capture,
even if men move, and has no draw by repetition. The engine is given these rules, so its search knows them. In OpenSpiel
each jump is an action of its own: the engine chooses a whole turn, whose path the next actions continue.
"""

import subprocess
import sys
from pathlib import Path

import pyspiel

PROGRAM = [sys.executable, str(Path(__file__).parents[2] / "main.py")]


def squares(name: str) -> list[int]:
    """Return the squares, 1 to 32, of an action such as a3b4. Player 0, who is Black, begins on rows 1 to 3."""
    return [4 * int(row) - "abcdefgh".index(column) // 2 for column, row in (name[:2], name[2:4])]


class Crownhead(pyspiel.Bot):
    """A player for both sides; `go` sets its limits, as in "go depth 6"."""

    def __init__(self, player: str, go: str = "go", program: list[str] = PROGRAM) -> None:
        super().__init__()
        command, pipe = [*program, "engine", player], subprocess.PIPE
        self.engine = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
        self.go = go
        self.restart()

    def restart(self) -> None:
        """Begin a new game."""
        self.asked, self.plan = None, []
        print("newgame repetition 0 quiet_plies 40 men_reset 0", file=self.engine.stdin, flush=True)

    def restart_at(self, state: pyspiel.State) -> None:
        """Begin a new game in any state."""
        self.restart()

    def step(self, state: pyspiel.State) -> int:
        """Return the player's action in a state."""
        turns, mover = [], None
        for each in state.full_history():
            start, end = squares(state.action_to_string(each.player, each.action))
            turns += [[start]] * (each.player != mover)
            turns[-1], mover = [*turns[-1], end], each.player
        begun = turns.pop() if mover == state.current_player() else []
        if turns != self.asked:
            moves = [("x" if abs(turn[0] - turn[1]) > 5 else "-").join(map(str, turn)) for turn in turns]
            print("position startpos moves", *moves, f"\n{self.go}", file=self.engine.stdin, flush=True)
            answer = next((line for line in self.engine.stdout if line.startswith(("bestmove", "error"))), "no answer")
            if not answer.startswith("bestmove"):
                raise RuntimeError(f"{self.engine.args}: {answer}")
            self.asked, self.plan = turns, list(map(int, answer.split()[1].replace("-", "x").split("x")))
        at = max(len(begun) - 1, 0)
        actions = {tuple(squares(state.action_to_string(each))): each for each in state.legal_actions()}
        # If another player has begun the turn with a different jump, any jump continues it.
        planned = tuple(self.plan[at : at + 2]) if self.plan[: len(begun)] == begun else ()
        return actions.get(planned, state.legal_actions()[0])
