"""Memory that is available, also in a container."""

from __future__ import annotations

from pathlib import Path

import pytest

from game import installation

MB = 1 << 20


@pytest.mark.parametrize(("folder", "limit", "taken", "given_up"), [
    (".", "memory.max", "memory.current", "inactive_file"),
    ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
])  # fmt: skip
def test_the_limit_of_a_container_counts(
    folder: str, limit: str, taken: str, given_up: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "_GROUP", tmp_path)
    whole = installation.free_memory()
    group = tmp_path / folder
    group.mkdir(exist_ok=True)
    (group / limit).write_text(f"{100 * MB}\n")
    (group / taken).write_text(f"{95 * MB}\n")
    (group / "memory.stat").write_text(f"anon 1\n{given_up} {3 * MB}\n")
    assert installation.free_memory() == 8 * MB
    (group / taken).write_text(f"{120 * MB}\n")
    assert installation.free_memory() == 0
    (group / limit).write_text("max\n")
    assert (installation.free_memory() is None) == (whole is None)
