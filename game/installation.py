"""How the program is there: as a checkout, or installed from a wheel. And where a person's own data are."""

from __future__ import annotations

import os
from pathlib import Path

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
