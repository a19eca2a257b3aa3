"""What messages and pages propose to install: packages that the program is known to use, or its checkout.

The name of the program is on no registry, so whoever took it there could run code on the machine of a person who
follows a message that names it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import main
from game import installation
from game.installation import VERSION
from main import VERBS
from tests.called import call_program
from tests.cases import for_each
from tests.commands_page import verb_parsers

ROOT = Path(__file__).parents[1]

COMMAND = re.compile(
    r"(?<![\w/.-])(?:uvx|(?:pip[\d.]*|pipx|uv|conda|mamba|poetry|pdm|pixi|rye) "
    r"(?:[a-z-]+ )*?(?:install|add|inject|run|upgrade|sync))\b(?P<rest>[^`|#)\n]*)"
)
"""A command line of a tool that may fetch packages, in a text of any kind."""

TAKES_A_VALUE = {"-r", "-c", "-e", "-p", "--python", "--requirement", "--constraint", "--with", "--spec"}

UNUSED = {"jupyterlab"}
"""Packages that commands name although no part of the program needs them."""


def fetched(command: re.Match[str]) -> list[str]:
    """Return the names of packages that a command line fetches from a registry."""
    words = [word.strip("'\"\\,.:;") for word in re.split(r" && |; ", command["rest"])[0].split()]
    if "--no-index" in words:
        return []
    if "--from" in words:  # uvx: the package of the program that follows
        words = words[words.index("--from") + 1 :][:1] if command["rest"].split()[1] not in (".", "'.'") else []
    if " inject" in command[0][: command.start("rest") - command.start()]:
        words = words[1:]  # without the environment of pipx
    options = [
        word.startswith("-") or before in TAKES_A_VALUE for before, word in zip(["", *words], words, strict=False)
    ]
    names = [word for word, option in zip(words, options, strict=True) if word and not option]
    return [re.split(r"[\[=<>~!;@ ]", name)[0] for name in names if not name.startswith(("/", "~", "{", "%", "$", "["))]


def proposals_of_the_program(text: str) -> list[str]:
    """Return what a text proposes that would fetch the program itself from a registry."""
    results = [match[0] for match in COMMAND.finditer(text) if "crownhead" in map(str.lower, fetched(match))]
    bare = re.finditer(r"(?i)crownhead\[[a-z]|\binstall(?:ing)? (?:the package )?`?crownhead\b", text)
    return results + [match[0] for match in bare]


def texts() -> Iterator[tuple[str, str]]:
    """Yield the name and text of each file that a person may read, or whose messages one may."""
    kinds = {".py", ".md", ".toml", ".in", ".js", ".html"}
    for folder in ("crownhead", "game", "evolve", "gui", "docs", "."):
        for path in sorted((ROOT / folder).glob("*" if folder == "." else "**/*")):
            if path.suffix in kinds and not path.is_relative_to(ROOT / "docs/site"):
                # A message may go on in the next string.
                yield path.name, re.sub(r"\"\s*\n\s*f?\"", "", path.read_text(encoding="utf-8"))


def known_packages() -> set[str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    lines = [*project["dependencies"], *(line for lines in project["optional-dependencies"].values() for line in lines)]
    return {Requirement(line).name for line in lines} | UNUSED


def test_no_text_proposes_to_fetch_the_program() -> None:
    assert [(name, result) for name, text in texts() for result in proposals_of_the_program(text)] == []


def test_commands_fetch_only_known_packages() -> None:
    known = known_packages()
    seen = [(name, match[0], fetched(match)) for name, text in texts() for match in COMMAND.finditer(text)]
    assert len(seen) > 10
    assert [one for one in seen if not set(one[2]) <= known] == []


def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return dict(tomllib.load(file)["project"])


EXTRAS = project()["optional-dependencies"]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the program take itself for an installed one, whose metadata are those of pyproject.toml."""
    lines = [*project()["dependencies"]]
    for extra, needed in EXTRAS.items():
        lines += [f"{line}{' and' if ';' in line else ';'} extra == '{extra}'" for line in needed]
    verb_parsers()  # some texts are made when their module is first imported, and would stay those of an installation
    monkeypatch.setattr(installation, "INSTALLED", True)
    monkeypatch.setattr(metadata, "requires", lambda name: lines)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("extra", sorted(EXTRAS))
@pytest.mark.parametrize("tool", ["pipx", "pip", "uv"])
def test_a_missing_extra_names_its_packages(
    extra: str, tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    if tool == "pipx":
        (tmp_path / "pipx_metadata.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "pip", None if tool == "uv" else pytest)
    need, _, command = installation.missing_extra("it needs something", extra).partition(": ")
    words = shlex.split(command)
    start = {
        "pipx": ["pipx", "inject", tmp_path.name],
        "pip": [sys.executable, "-m", "pip", "install"],
        "uv": ["uv", "pip", "install", "--python", sys.executable],
    }[tool]
    assert need == "it needs something" and words[: len(start)] == start
    wanted = [Requirement(line) for line in EXTRAS[extra]]
    here = [one for one in wanted if one.marker is None or one.marker.evaluate()]
    assert list(map(Requirement, words[len(start) :])) == [Requirement(f"{one.name}{one.specifier}") for one in here]
    assert not proposals_of_the_program(command) and "requirements" not in command


@pytest.mark.usefixtures("installed")
def test_messages_without_metadata_name_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", missing)
    text = installation.missing_extra("train needs jax and optax", "learning")
    assert text == "train needs jax and optax: install the program again from its checkout, with its extra learning"
    error = ModuleNotFoundError("No module named 'PIL.x'", name="PIL.x")
    assert installation.environment_problem(error) == (
        "the package PIL is not installed: install the program again from its checkout, in a separate environment"
    )


LACKING = (
    ("learning", "jax", "train --preset zero"),
    ("cast", "ribs", "evolve --preset cast"),
    ("export", "tensorboardX", "export first --tensorboard curves"),
    ("export", "onnx", "export first --onnx FOLDER/a.onnx"),
    ("figures", "matplotlib", "inspect first --html FOLDER/a.html"),
    ("figures", "matplotlib", "inspect first --plots FOLDER"),
    ("cluster", "distributed", "match random random --games 2 --cluster tcp://127.0.0.1:1"),
    ("cluster", "dask", "cluster start"),
)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("extra", "package", "arguments"),
    [
        pytest.param(extra, package, arguments, marks=pytest.mark.needs("reports" if extra == "figures" else extra))
        for extra, package, arguments in LACKING
    ],
)
def test_commands_name_the_packages_that_they_lack(
    extra: str,
    package: str,
    arguments: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pdn").write_text('[Result "1-0"]\n\n1. 9-13 1-0\n')
    called = call_program(capfd, *arguments.replace("FOLDER", str(tmp_path)).split())
    assert called.code == 2 and " needs " in called.err and called.err.count("\n") == 1
    names = {Requirement(line).name for line in EXTRAS[extra]}
    proposed = {re.split("[<>=]", word)[0] for word in shlex.split(called.err.rpartition(": ")[2])}
    assert "install" in proposed and proposed & known_packages() >= names - {"importlib-metadata"}
    assert not proposals_of_the_program(called.err) and "requirements" not in called.err


@for_each("verb", ["", *(verb.name for verb in VERBS)])
def test_help_proposes_no_file_of_the_checkout(verb: str, capfd: pytest.CaptureFixture[str]) -> None:
    called = call_program(capfd, *f"{verb} --help".split())
    assert called.code == 0 and "requirements" not in called.out and not proposals_of_the_program(called.out)


PROGRAM = str(Path(__file__).parents[1] / "main.py")


@pytest.mark.parametrize("flag", ["-I", "-P"])
def test_python_may_leave_out_the_folder_of_the_program(flag: str, tmp_path: Path) -> None:
    words = [sys.executable, flag, PROGRAM, "--version"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"crownhead {VERSION}\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("arguments", [["--help"], ["match", "--help"], ["--version"]])
def test_help_that_cannot_be_written_is_an_error_that_names_the_output(arguments: list[str]) -> None:
    with open("/dev/full", "w", encoding="ascii") as full:
        words = [sys.executable, PROGRAM, *arguments]
        environment = os.environ | {"PYTHONUNBUFFERED": ""}
        done = subprocess.run(words, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (main.DISK, "main.py: standard output: No space left on device\n")
