"""How the program is there: as a checkout, or installed from a wheel. And where a person's own data are."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path

from game.errors import InputError

TREE = Path(__file__).resolve().parents[1]
"""The folder with main.py and the packages: the checkout, or where the packages of an environment are."""

INSTALLED = any(TREE.glob("crownhead-*.dist-info"))
"""Whether an installer has put it there, who also takes it away: nothing of a person's own belongs into that folder."""

PROGRAM = "crownhead" if INSTALLED else "main.py"
"""What it calls itself before what it has to say."""

COMMAND = "crownhead" if INSTALLED else "python main.py"
"""What a person types before a verb."""

DATA_VARIABLE = "CROWNHEAD_DATA_DIR"


def data_folder() -> Path:
    """The folder of this person's data, which need not exist yet; the environment may choose another."""
    chosen = os.environ.get(DATA_VARIABLE)
    if chosen:
        return Path(chosen)
    import platformdirs

    return platformdirs.user_data_path("crownhead", appauthor=False)


class MissingExtraError(InputError):
    """What only a part of the program needs is not installed."""


def missing_extra(need: str, extra: str) -> str:
    """What a person reads where packages of an extra are missing: what needs them, and how they are installed."""
    lock = f"python -m pip install --require-hashes -r requirements-{extra}.txt"
    return f"{need}: {f'install crownhead[{extra}]' if INSTALLED else lock}"


def has_extra(packages: Sequence[str]) -> bool:
    """Whether the packages of an extra are installed; loads none of them."""
    return all(importlib.util.find_spec(name) is not None for name in packages)


def check_extra(need: str, extra: str, packages: Sequence[str]) -> None:
    """Refuse to begin without the packages of an extra; loads none of them.

    Args:
        need: what needs what, such as ``train needs jax and optax``.
        extra: its name in pyproject.toml.
        packages: those that are imported.

    Raises:
        MissingExtraError: one is not installed.
    """
    if not has_extra(packages):
        raise MissingExtraError(missing_extra(need, extra))
