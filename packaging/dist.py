"""The target `dist`: the program's own wheel and source archive, for pip and for registries."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import wheels


def build(options: argparse.Namespace) -> list[Path]:
    """Build both, and return their paths; the source archive is made in an environment of its own."""
    wheel = wheels.own(options.out)
    needs = tomllib.loads((wheels.TREE / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    with tempfile.TemporaryDirectory(prefix="crownhead-dist-") as folder:
        wheels.pip("install", "-qq", "--target", folder, *needs)
        command = [sys.executable, "-c", "import hatchling.build, sys; hatchling.build.build_sdist(sys.argv[1])"]
        environment = wheels.environment() | {"PYTHONPATH": folder}
        subprocess.run([*command, str(options.out.resolve())], check=True, cwd=wheels.TREE, env=environment)
    return [wheel, options.out / f"crownhead-{wheels.version()}.tar.gz"]
