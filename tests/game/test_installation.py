"""Memory that is available, also in a container, and packages that do not fit."""

from __future__ import annotations

from importlib import metadata
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


def test_packages_that_fit_have_no_part_in_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = f"numba=={metadata.version('numba')} \\\n    --hash=sha256:0\nnowhere==1.0 ; sys_platform == 'win32'\n"
    numpy = f"numpy==1.0 ; python_full_version < '3'\nnumpy=={metadata.version('numpy')} ; python_version >= '3'\n"
    (tmp_path / "requirements.txt").write_text(f"# -r all\n{numpy}{lock}numpy==2.0 ; python_full_version < '3.9.2'\n")
    monkeypatch.setattr(installation, "TREE", tmp_path)
    assert installation.environment_problem(AttributeError("x")) == ""
    (tmp_path / "requirements.txt").unlink()
    assert installation.environment_problem(AttributeError("x")) == ""


def test_a_package_of_another_version_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "requirements.txt").write_text("numba==0.1.2 \\\n    --hash=sha256:0\n")
    monkeypatch.setattr(installation, "TREE", tmp_path)
    assert installation.environment_problem(AttributeError("x")) == (
        f"numba {metadata.version('numba')} is installed, ==0.1.2 is expected: "
        "python -m pip install --require-hashes -r requirements.txt"
    )


def test_a_wheel_names_its_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    ranges = ["numba<0.69,>=0.63", "pygame<3,>=2; python_version < '3.14'", "pandas<1; extra == 'x'"]
    monkeypatch.setattr(installation, "INSTALLED", True)
    monkeypatch.setattr(metadata, "requires", lambda name: ranges)
    monkeypatch.setattr(metadata, "version", {"numba": "0.68.1", "pygame": "2.6.1", "pandas": "3.1.1"}.__getitem__)
    assert installation.environment_problem(TypeError()) == ""
    monkeypatch.setattr(metadata, "version", {"numba": "0.70.0rc1", "pygame": "2.6.1"}.__getitem__)
    assert installation.environment_problem(TypeError()) == (
        "numba 0.70.0rc1 is installed, <0.69,>=0.63 is expected: "
        "install the program again from its checkout, in a separate environment"
    )


def test_a_package_that_is_missing_is_named() -> None:
    result = installation.environment_problem(ModuleNotFoundError("No module named 'rich.x'", name="rich.x"))
    assert result.startswith("the package rich is not installed: python -m pip install")
    assert installation.environment_problem(ModuleNotFoundError("", name="game.nowhere")) == ""
