"""What can be wrong with a run."""

from __future__ import annotations

from game.errors import BusyError, InputError

__all__ = ["BusyError", "DamagedRunError", "RunError"]


class RunError(InputError):
    """A run that cannot be used as asked; the text says why and what to do."""


class DamagedRunError(InputError):
    """A file of a run is not what the session wrote; the text names it and the way on."""
