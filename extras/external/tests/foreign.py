"""A foreign program for tests, run by its path: it speaks the protocol of docs/engine.md, or does something else.

python foreign.py MODE [ARGUMENT]
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from game import plain
from game.board import Position
from game.moves import Move

SLEEP = "import time; time.sleep(600)"


def say(line: str) -> None:
    print(line, flush=True)


def read(words: list[str]) -> Position:
    end = words.index("moves") if "moves" in words else len(words)
    position = Position.start() if words[0] == "startpos" else Position.from_fen(words[1])
    for word in words[end + 1 :]:
        position = {str(move): after for move, after in plain.successors(position)}[word]
    return position


def best(position: Position) -> Move:
    return plain.successors(position)[-1][0]


def leave_child(marker: str) -> None:
    child = subprocess.Popen([sys.executable, "-c", SLEEP])
    with open(marker, "a", encoding="utf-8") as file:
        file.write(f"{os.getpid()} {child.pid}\n")


def main(mode: str, argument: str) -> None:
    if mode == "crash-at-start":
        sys.exit("it went wrong\nright here")
    if mode == "hang-at-start":
        time.sleep(600)
    if mode == "flood-at-start":
        while True:
            say("hello " * 10)
    if mode == "slow-start":
        time.sleep(float(argument))
    if mode in ("children", "children-crash"):
        leave_child(argument)
    say("a program of nobody, version 1")
    if mode == "supports":
        say(f"supports {argument}")
    position, asked, since = Position.start(), 0, 0
    for line in sys.stdin:
        words = line.split()
        if mode == "notes":
            with open(argument, "a", encoding="utf-8") as file:
                file.write(line)
        if words[0] == "newgame":
            if mode == "hang-at-newgame":
                time.sleep(600)
            if mode != "leaks":
                since = 0
        if words[0] == "isready" and mode != "no-readyok":
            say("readyok")
        if words[0] == "position":
            position = read(words[1:])
        if words[0] == "go":
            asked, since = asked + 1, since + 1
            if mode == "crash" and asked == int(argument):
                os.abort()
            if mode == "children-crash":
                sys.exit(3)
            if mode == "hang" and asked == int(argument):
                time.sleep(600)
            if mode == "close" and asked == int(argument):
                os.close(1)
                time.sleep(600)
            if mode == "errors":
                say("error of something before")
                say("error  go:\tno \x1b[31mmoves " + "x" * 1000)
                continue
            if mode == "flood":
                while True:
                    say("info string la la la")
            if mode == "long-line":
                sys.stdout.write("x" * 1_000_000)
            if mode == "flood-errors":
                for _ in range(100_000):
                    sys.stderr.write("no " * 30 + "\n")
            if mode == "echo":
                say(f"info string {line}")
            say(f"info depth 3 nodes {asked} nps 5 score 0.25 pv {best(position)} 1-32")
            if mode in ("remembers", "leaks"):  # what it plays depends on how often it was asked
                after = plain.successors(position)
                say(f"bestmove {after[since * since % len(after)][0]}")
                continue
            answer = {"illegal": "bestmove 1-32", "empty": "bestmove", "banana": "banana", "none": "bestmove none"}
            say(answer.get(mode, f"bestmove {best(position)} and so on"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
