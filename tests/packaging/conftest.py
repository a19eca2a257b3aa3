"""The modules of `packaging/`, which is no package: its programs import each other as neighbours."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "packaging"))
