"""What a person writes into the fields of a form: numbers, and who is to play."""

from __future__ import annotations

MAX_WORKERS = 1024


def whole(text: str, low: int, high: int) -> int | None:
    """A whole number that a person wrote; None if it is none, or none from `low` to `high`."""
    digits = text.isascii() and text.isdigit() and len(text) <= 20
    return int(text) if digits and low <= int(text) <= high else None


def sentence(text: str) -> str:
    """A text as a sentence, with capital and full stop; an empty text stays empty."""
    if not text:
        return ""
    return text[:1].upper() + end_sentence(text[1:])


def end_sentence(text: str) -> str:
    """A text with the stop of a sentence, if it has none."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def is_cluster(workers: str) -> bool:
    """Whether the field of the workers holds the address of a cluster, or is meant to."""
    return "://" in workers


def workers_option(workers: str) -> str:
    """The option of the command line for a field that is not empty."""
    return f"--{'cluster' if is_cluster(workers) else 'workers'}={workers}"


def wrong_workers(workers: str) -> str:
    """What is wrong with the field, in a sentence; empty if nothing is."""
    if is_cluster(workers):
        from evolve.workers.cluster.address import Cluster, check_cluster_extra
        from game.errors import InputError

        try:
            Cluster.parse(workers)
            check_cluster_extra("a cluster")
        except InputError as error:
            return sentence(str(error).removeprefix("--cluster: "))
    elif workers and whole(workers, 1, MAX_WORKERS) is None:
        return f"A whole number from 1 to {MAX_WORKERS:,}, please, or a cluster such as tcp://127.0.0.1:8786."
    return ""
