"""Texts of the fields of a form: numbers, sentences, workers."""

from __future__ import annotations

MAX_WORKERS = 1024


def whole(text: str, low: int, high: int) -> int | None:
    """Return a text as a whole number from `low` to `high`; None if it is not one."""
    digits = text.isascii() and text.isdigit() and len(text) <= 20
    return int(text) if digits and low <= int(text) <= high else None


def sentence(text: str) -> str:
    """Return a text as a sentence, with capital and full stop; an empty text stays empty."""
    if not text:
        return ""
    return text[:1].upper() + end_sentence(text[1:])


def end_sentence(text: str) -> str:
    """Return a text that ends like a sentence."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def is_cluster(workers: str) -> bool:
    """Return whether the field for workers contains the address of a cluster, right or wrong."""
    return "://" in workers


def workers_option(workers: str) -> str:
    """Return the option of the command line for a field that is not empty."""
    return f"--{'cluster' if is_cluster(workers) else 'workers'}={workers}"


def wrong_workers(workers: str) -> str:
    """Return what is wrong with the field for workers, in a sentence; empty if nothing is."""
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
