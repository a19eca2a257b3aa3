"""Values and functions of `test_strangers` that other tests use, too."""

from __future__ import annotations

import threading
from collections.abc import Callable


def in_time(action: Callable[[], object]) -> object:
    """What an action returns or raises; a test must not wait for a pipe for ever."""
    results: list[object] = []

    def work() -> None:
        try:
            results.append(action())
        except Exception as error:
            results.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(240)  # that long on a loaded machine
    assert results, "it waits"
    return results[0]
