"""Fixtures of tests of clusters."""

from __future__ import annotations

from pathlib import Path

import pytest

import main
from extras.cluster.tests.cluster_sessions import SESSION


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    assert main.main([*SESSION, f"--out={folder}", "--name=one", "--workers=1"]) == 0
    return folder / "one"
