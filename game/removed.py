"""Names that earlier versions had, each with what to use instead.

The name is written as it was used: ``pdn who`` is an action of a verb, ``analyse --gauge`` an option of one. Whatever
looks up names asks `removed` before it reports an unknown one.
"""

from __future__ import annotations

REMOVED = {
    "cluster --dashboard": "read the logs whose paths `cluster start` prints",
    "cluster scheduler": "use `cluster start --workers 0`",
    "pdn who": "analyse --pdn FILE --traits reports the traits of the players in a file of games",
}


def removed(*words: str) -> str | None:
    """Return a line about a removed name that says what to use instead, or None if the name was never there."""
    name = " ".join(words)
    return f"{name} was removed: {REMOVED[name]}" if name in REMOVED else None
