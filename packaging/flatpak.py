"""The target `flatpak`: what `flatpak-builder` needs to make a Flatpak without a network, as a ZIP.

The manifest lets the program itself add its menu entry, icons and file types (`crownhead desktop install`).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tomllib
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import interpreter
import wheels

RUNTIME, PYTHON = "24.08", "3.12"
"""Version of org.freedesktop.Platform, and of the Python in it."""
BUILD = (
    "pip3 install --no-index --find-links=. --prefix=/app crownhead",
    "XDG_DATA_HOME=/app/share XDG_CONFIG_HOME=/tmp SDL_VIDEODRIVER=dummy PATH=/app/bin:$PATH "
    f"PYTHONPATH=/app/lib/python{PYTHON}/site-packages crownhead desktop install",
    # Outside, no Python of the runtime can be named, nor what opened files before where it is built.
    "sed -i 's/^Exec=.*/Exec=crownhead play --open %f/; /^X-Crownhead-Pinned=/d' "
    "/app/share/applications/crownhead.desktop",
)
ACCESS = ("--share=ipc", "--socket=wayland", "--socket=fallback-x11", "--socket=pulseaudio", "--device=dri")


def build(options: argparse.Namespace) -> list[Path]:
    """Build the ZIP, and return its path."""
    with tempfile.TemporaryDirectory(prefix="crownhead-flatpak-") as folder:
        for_runtime = ("--platform", "manylinux_2_28_x86_64", "--platform", "manylinux2014_x86_64")
        result = wheels.download(Path(folder), *for_runtime, "--python-version", PYTHON, "--implementation", "cp")
        files = {f"wheels/{path.name}": path.read_bytes() for path in result}
    path = options.out / f"crownhead-{wheels.version()}-flatpak.zip"
    path.write_bytes(interpreter.zipped(files | described()))
    return [path]


def application(source: str) -> str:
    """Return the name of the application, which begins with the address of its sources, from right to left."""
    parts = urlsplit(source)
    host, (owner, *_) = parts.netloc.split("."), parts.path.strip("/").split("/")
    place = f"io.github.{owner}" if parts.netloc == "github.com" else ".".join(reversed(host))
    return f"{place}.Crownhead"


def described() -> dict[str, bytes]:
    """Return manifest and description, by name."""
    project = tomllib.loads((wheels.TREE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = project["urls"]["Source"]
    name, day = application(source), time.strftime("%Y-%m-%d", time.gmtime(wheels.epoch()))
    metadata = f"{name}.metainfo.xml"
    manifest = {
        "app-id": name,
        "runtime": "org.freedesktop.Platform",
        "runtime-version": RUNTIME,
        "sdk": "org.freedesktop.Sdk",
        "command": "crownhead",
        "finish-args": ACCESS,
        "rename-desktop-file": "crownhead.desktop",
        "rename-icon": "crownhead",
        "modules": [
            {
                "name": "crownhead",
                "buildsystem": "simple",
                "build-commands": [*BUILD, f"install -Dm644 {metadata} -t /app/share/metainfo"],
                "sources": [{"type": "dir", "path": "wheels"}, {"type": "file", "path": metadata}],
            }
        ],
    }
    text = f"""<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>{name}</id>
  <launchable type="desktop-id">{name}.desktop</launchable>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>{project["license"]}</project_license>
  <name>Crownhead</name>
  <summary>Play checkers against players that evolved</summary>
  <developer id="{name.removesuffix(".Crownhead")}"><name>The authors of Crownhead</name></developer>
  <description>
    <p>{escape(project["description"])}.</p>
    <ul>
      <li>Play at seven levels, or against an opponent that evolves while you play</li>
      <li>Evolve your own players, watch them improve, and see what each of them learnt</li>
      <li>Review your games, and practise with your own mistakes</li>
    </ul>
  </description>
  <url type="homepage">{escape(source)}</url>
  <content_rating type="oars-1.1"/>
  <provides><binary>crownhead</binary></provides>
  <releases><release version="{wheels.version()}" date="{day}"/></releases>
</component>
"""
    return {f"{name}.json": json.dumps(manifest, indent=2).encode(), metadata: text.encode()}
