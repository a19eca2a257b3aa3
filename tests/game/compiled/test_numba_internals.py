"""The internals of Numba that `game.compiled` uses, and what to do when a new version of Numba changes one of them.

Everything below is undocumented, so any release may change it. After raising the version in pyproject.toml:

1. Run this test. It names each function whose code differs, says why `game.compiled` depends on it, and how to get by
   without it. Compare the new code with the old, adapt `game.compiled`, and enter the new fingerprint.
2. Run the other tests of this room, those of the kernels, and `main.py bench --signature`: the number must not change.
3. Compare `main.py bench --only search` and the time of a first start with the old version.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core import base, caching, ccallback, codegen, compiler, dispatcher, event, serialize, typed_passes
from numba.core.runtime import rtsys
from numba.core.types.functions import BaseFunction
from numba.core.typing import templates

from game.compiled import jit, kernel_cache


@dataclass(frozen=True)
class Internal:
    """Functions of Numba that one part of `game.compiled` overrides, imitates or calls."""

    fingerprints: dict[Any, str]
    """Functions, and the beginning of a hash of the code that `game.compiled` was written for."""
    used_by: str
    purpose: str
    without: str
    """How to get by without them, if they cannot be adapted to."""


SLOWER = "compilation takes longer, machine code stays the same"

_type_inferer: Any = jit._OwnTypes.__base__  # Numba's own, which jit replaces
_passes = compiler.DefaultPassBuilder
_library, _dispatcher, _cached = codegen.CPUCodeLibrary, dispatcher._DispatcherBase, caching.CompileResultCacheImpl
INTERNALS = (
    Internal(
        {event.Listener.notify: "a766d895", event.register: "5dfc3934", dispatcher.Dispatcher.compile: "5ff4bb1e"},
        "jit._Compilations",
        "Dispatcher.compile triggers the event numba:compile, with its dispatcher, for what is not in the cache",
        "call compiling.begin and end around _FunctionCompiler.compile; without reports nothing else fails",
    ),
    Internal(
        {_type_inferer.return_types_from_partial: "11930f4a"},
        "jit._OwnTypes",
        "it infers the result of a recursive call by typing the whole function again",
        f"delete _OwnTypes: {SLOWER}",
    ),
    Internal(
        {
            jit._resolve: "5d7d8034",
            BaseFunction.get_impl_key: "3fa8d7b0",
            templates._OverloadFunctionTemplate.get_impl_key: "70301198",
        },
        "jit._get_call_type",
        "the type of an operator depends on nothing but the types of its operands, and its key is the operator itself",
        f"delete _get_call_type: {SLOWER}",
    ),
    Internal(
        {
            _passes.define_nopython_pipeline: "db1ab3be",
            _passes.define_untyped_pipeline: "57ea5687",
            _passes.define_typed_pipeline: "9aba541d",
            _passes.define_nopython_lowering_pipeline: "9b6189a2",
        },
        "jit._Compiler",
        "its passes are a part of these, in their order; a pass added by Numba may be needed",
        f"derive _Compiler from compiler.Compiler without define_pipelines: {SLOWER}",
    ),
    Internal(
        {compiler.CompilerBase.__init__: "616320bc", typed_passes.BaseNativeLowering.run_pass: "300028cb"},
        "jit._InlinedCompiler",
        "it passes a library of its own, and the lowering returns early if flags.no_compile is set",
        "make `inlined` and `part` njit functions with forceinline=True and False: a compilation takes several times "
        "as long, and `variant` must copy compiled functions",
    ),
    Internal(
        {
            _library.finalize: "38cb6017",
            _library._optimize_functions: "9d7d6a3c",
            _library._get_module_for_linking: "b63169de",
            codegen.CPUCodegen._module_pass_manager: "31b01e48",
        },
        "jit._InlinedLibrary",
        "it imitates finalize without optimising and without adding the module to the execution engine",
        f"use codegen.JITCodeLibrary: {SLOWER}, but compare the speed of the search",
    ),
    Internal(
        {
            _dispatcher.get_call_template: "d82eb1c9",
            _dispatcher.add_overload: "29012b51",
            _dispatcher.get_overload: "c880566d",
            base.BaseContext.insert_user_function: "5601e392",
        },
        "jit._Inlined",
        "it types arguments without their literal values, and keeps results that have no entry point",
        "as for _InlinedCompiler",
    ),
    Internal(
        {
            ccallback.CFunc.__init__: "a4d7a8be",
            ccallback.CFunc.compile: "25a7a505",
            ccallback.CFunc._compile_uncached: "7b46a23a",
        },
        "jit._Callback",
        "it compiles when the address is first read, and reports that; `compile` asks the cache",
        "compile with numba.cfunc when the module is imported: a start loads code that it may not need",
    ),
    Internal(
        {
            caching.Cache._index_key: "8e434c8b",
            _cached.reduce: "564299a1",
            _cached.rebuild: "9396b82a",
            _cached.check_cachable: "c64d0f71",
            serialize.dumps: "945c8169",
        },
        "kernel_cache.KernelCache",
        "it imitates check_cachable, and stores what `reduce` returns; the key must contain signature and processor",
        "let kernel_cache.keep call made.enable_caching(), and clear the cache after each change of a kernel; "
        "raise kernel_cache.FORMAT if the stored values change",
    ),
    Internal(
        {
            caching.Cache.load_overload: "8a59b5fb",
            compiler.CompilerBase.__init__: "616320bc",
            type(rtsys).initialize: "c67e2b04",
        },
        "kernel_cache.KernelCache.load_overload and add_runtime_symbols",
        "code is loaded without `refresh`, which imports a third of Numba and compiles its runtime; the compiler calls "
        "it before it compiles. Loaded code only needs the symbols that `initialize` adds",
        "call target_context.refresh() instead of add_runtime_symbols: a start takes 0.2 s longer",
    ),
)


def _fingerprint(function: Any) -> str:
    """Return a hash of the code of a function that ignores comments and layout."""
    code = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    return hashlib.sha256(ast.unparse(code).encode()).hexdigest()[:8]


def check(internal: Internal) -> None:
    changed = {
        f.__qualname__: _fingerprint(f) for f, known in internal.fingerprints.items() if _fingerprint(f) != known
    }
    assert not changed, (
        f"Numba {numba.__version__} changed {', '.join(changed)}.\n"
        f"game.compiled.{internal.used_by} depends on it: {internal.purpose}.\n"
        f"If it cannot be adapted: {internal.without}.\n"
        f"If the kernels, `bench --signature` and the speed are as before, enter {changed}."
    )


def test_internals_are_those_that_the_room_was_written_for() -> None:
    for internal in INTERNALS:
        check(internal)


def test_every_part_of_numba_that_the_room_imports_is_covered() -> None:
    imported: set[str] = set()
    for module in (jit, kernel_cache):
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "numba.core":
                imported |= {alias.name for alias in node.names}
    covered = {function.__module__.split(".")[-1] for each in INTERNALS for function in each.fingerprints}
    covered |= {"compiler_machinery", "untyped_passes"}  # the passes of jit._Compiler
    assert imported - covered == {"registry", "sigutils", "types"}


def test_a_changed_internal_is_reported() -> None:
    with pytest.raises(AssertionError, match=r"(?s)changed Listener\.notify.*depends on it: why.*adapted: this way"):
        check(Internal({event.Listener.notify: "0"}, "jit.x", "why", "this way"))
