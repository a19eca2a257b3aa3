"""In a checkout, `crownhead.game` and the other packages are the same module objects as `game` and the others.

So `crownhead.game.board` works in a checkout as in an installed wheel, and no module is imported twice. A wheel, in
which these packages are below `crownhead`, does not contain this file.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

TREE = Path(__file__).resolve().parents[1]
PACKAGES = ("evolve", "extras", "game", "gui")
ABOVE = "crownhead."


class Finder:
    """Finds `crownhead.game.board` as the module `game.board`, and looks for `game` in the checkout first.

    It does not derive from `importlib.abc.MetaPathFinder` and `Loader`, since importing them would take too long.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of this checkout; None for any other."""
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
                f"crownhead: another module {top!r} was imported before the one in {TREE}; "
                "import crownhead first, or install it"
            )
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name == name:
                return None
            raise
        own, package = module.__spec__, hasattr(module, "__path__")
        return ModuleSpec(fullname, self, loader_state=own, is_package=package)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module that `find_spec` has imported."""
        return sys.modules[spec.name.removeprefix(ABOVE)]

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec; its code has already run."""
        spec = module.__spec__
        if getattr(spec, "loader", None) is self:  # set by importlib
            module.__spec__ = spec.loader_state if spec else None


sys.meta_path.insert(0, Finder())
