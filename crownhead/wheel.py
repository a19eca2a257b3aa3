"""The build hook of a wheel, in which `main.py` and the packages are below one package `crownhead`."""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelBuild(BuildHookInterface):  # type: ignore[misc]
    """Rewrites the imports of each module for the wheel; pyproject.toml says where files go."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # a link to the checkout
            return
        in_wheel = runpy.run_path(str(Path(self.root, "game", "imports.py")))["in_wheel"]
        self._folder = tempfile.TemporaryDirectory(prefix="crownhead-wheel-")
        modules = {str(Path(self.root, "main.py")): "crownhead/main.py"}
        for file in self.build_config.builder.recurse_selected_project_files():
            if file.path.endswith(".py"):
                modules[file.path] = file.distribution_path
        for number, (path, place) in enumerate(modules.items()):
            made = Path(self._folder.name, f"{number}.py")
            made.write_bytes(in_wheel(Path(path).read_bytes().decode("utf-8")).encode("utf-8"))
            build_data["force_include"][str(made)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()
