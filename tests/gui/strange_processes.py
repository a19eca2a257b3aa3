"""Targets of thinking processes that misbehave; a spawned process finds them in this module by name."""

from __future__ import annotations

import os
import time
from multiprocessing.connection import Connection

from game import plain
from game.scores import SearchInfo
from gui.thinking.messages import Answer, End, Phase, Ping, Pong, Started, Think


def dies_at_once(connection: Connection, runs: str) -> None:
    os._exit(3)


def dies_when_asked(connection: Connection, runs: str) -> None:
    connection.send(Phase.READY)
    while True:
        if isinstance(connection.recv(), Think):
            os._exit(4)


def dies_the_first_time(connection: Connection, runs: str) -> None:
    """Die the first time; a file in the folder of runs records that it happened."""
    mark = os.path.join(runs, "died")
    connection.send(Phase.READY)
    while True:
        message = connection.recv()
        if isinstance(message, Think):
            if not os.path.exists(mark):
                open(mark, "w").close()
                os._exit(5)
            answer(connection, message)


def never_answers(connection: Connection, runs: str) -> None:
    """Report that the process is alive, but think for ever."""
    connection.send(Phase.READY)
    while True:
        message = connection.recv()
        if isinstance(message, Ping):
            connection.send(Pong())
        elif isinstance(message, Think):
            connection.send(Started(message.ticket))


def never_listens(connection: Connection, runs: str) -> None:
    connection.send(Phase.READY)
    time.sleep(600)


def answers_late(connection: Connection, runs: str) -> None:
    connection.send(Phase.READY)
    while True:
        message = connection.recv()
        if isinstance(message, Think):
            connection.send(Started(message.ticket))
            time.sleep(0.05)
            answer(connection, message)
            answer(connection, message)
        elif isinstance(message, End):
            continue


def answer(connection: Connection, message: Think) -> None:
    move = plain.legal_moves(message.request.position)[0]
    connection.send(Answer(message.ticket, SearchInfo(move, text=str(message.ticket))))
