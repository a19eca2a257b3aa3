"""The data of a page of games."""

from __future__ import annotations

import json
import re
from typing import Any


def data_of(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="game">(.*?)</script>', page, re.S)
    return json.loads(text)
