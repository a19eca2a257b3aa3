"""Crownhead."""

from __future__ import annotations

from pathlib import Path

__version__ = "0.1.0"

if not Path(__file__).with_name("game").is_dir():
    from crownhead import checkout as checkout
