"""A program for tests that speaks the Hub protocol, or does something else; it plays the last legal move.

python hub_program.py MODE [FILE]: the lines that it receives are added to the file.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from game import plain
from game.board import Position
from game.moves import Move

VARIANTS = {"other": "normal frisian", "american": "normal american"}
ANSWERS = {"illegal": "done move=1-32", "nothing": "done", "garbage": '=== "" ="x" done=move'}


def say(line: str) -> None:
    print(line, flush=True)


def text_of(move: Move) -> str:
    """Return a move in Hub's notation, with the captured pieces in falling order, which is as good as any."""
    numbers = [move.path[0], move.path[-1], *sorted(move.captured, reverse=True)]
    return ("x" if move.captured else "-").join(map(str, numbers))


def read(line: str) -> Position:
    letters = re.findall(r"pos=(\w+)", line)[0]
    where = {kind: [n for n in range(1, 33) if letters[n] in kind] for kind in ("bB", "wW", "BW")}
    position = Position.from_squares(where["bB"], where["wW"], where["BW"], int(letters[0] == "W"))
    for word in re.findall(r'moves="?([^"]*)', line + '"')[0].split() if "moves=" in line else []:
        meant = sorted(map(int, re.split("[-x]", word)))
        position = next(
            after
            for move, after in plain.successors(position)
            if sorted([move.path[0], move.path[-1], *move.captured]) == meant
        )
    return position


def main(mode: str, notes: str) -> None:
    position, ready = Position.start(), False
    for line in sys.stdin:
        words = line.split()
        if notes:
            with open(notes, "a", encoding="utf-8") as file:
                file.write(line)
        if words[0] == "hub":
            say('id name="A draughts program" version=1 author="Some One" country=None')
            if mode != "no-variant":
                offered = VARIANTS.get(mode, "normal english")
                say(f'param name=variant value={offered.split()[0]} type=enum values="{offered}"')
            say("param name=book value=true type=bool")
            say("wait")
        elif words[0] == "init":
            if mode == "hang-at-init":
                time.sleep(600)
            ready = True
            say("loading the book")
            say("ready")
        elif words[0] == "pos":
            position = read(line)
        elif line == "go think\n":
            assert ready
            if mode == "hang":
                say('error message="it hurts"')
                continue
            best = plain.successors(position)[-1][0]
            say(f'info depth=3 mean-depth=2.5 score=0.25 nodes=17 time=0.1 nps=0.1 pv="{text_of(best)} 1-32"')
            say(ANSWERS.get(mode, f"done move={text_of(best)}"))
        elif words[0] == "quit":
            return
        elif words[0] not in ("set-param", "level", "new-game") and mode != "silent":
            say('error message="bad command"')


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
