"""In a checkout, `crownhead.game` and the other packages are the same module objects as `game`, `evolve` and `gui`.

So users write `crownhead.game.board` wherever the program is, and no module is imported twice. A wheel, in which these
packages are below `crownhead`, does not have this file.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

TREE = Path(__file__).resolve().parents[1]
PACKAGES = ("evolve", "game", "gui")
ABOVE = "crownhead."


class Finder(MetaPathFinder, Loader):
    """Finds `crownhead.game.board` as the module `game.board`, and `game` in the checkout before any other place."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in PACKAGES:
            return PathFinder.find_spec(fullname, [str(TREE)])
        if fullname == f"{ABOVE}main":
            return spec_from_file_location(fullname, TREE / "main.py")
        name = fullname.removeprefix(ABOVE)
        top = name.partition(".")[0]
        if name == fullname or top not in PACKAGES:
            return None
        if str(TREE / top) not in getattr(importlib.import_module(top), "__path__", ()):
            raise ImportError(
                f"crownhead: another module {top!r} was imported before that of {TREE}; "
                "import crownhead first, or install it"
            )
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name == name:
                return None
            raise
        return ModuleSpec(fullname, self, loader_state=module.__spec__, is_package=hasattr(module, "__path__"))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return sys.modules[spec.name.removeprefix(ABOVE)]

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None and module.__spec__.loader is self:  # importlib has put it there
            module.__spec__ = module.__spec__.loader_state


sys.meta_path.insert(0, Finder())
