"""Values that several tests of tablebases share."""

from __future__ import annotations

import pytest

from game.endgame.build import Values, build_values


@pytest.fixture(scope="session")
def known() -> Values:
    """Return the values of all positions of up to 4 pieces."""
    return build_values(4, threads=1)
