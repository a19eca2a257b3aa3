"""Typed decorators: the door by which Numba comes in.

Numba's own cache does not notice edits in modules that a kernel imports, so compiled code is kept by
`game.kernel_cache`. Compiled code stands only in files whose names end as in COMPILED_ENDINGS, and reads constants only
from those and READ_BY_COMPILED (a test checks).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
from llvmlite import binding, ir
from numba import extending
from numba.core import (
    ccallback,
    codegen,
    compiler,
    compiler_machinery,
    event,
    registry,
    sigutils,
    typed_passes,
    typeinfer,
    types,
    untyped_passes,
)
from numba.core.types.misc import unliteral
from numba.extending import models, register_model

from game import compiling
from game.kernel_cache import keep

F = TypeVar("F", bound=Callable[..., object])

COMPILED_ENDINGS = ("kernels.py", "vectors.py", "bits.py")
"""Endings of the names of files that contain compiled code."""
READ_BY_COMPILED = ("bitboard.py", "slices.py", "layout.py", "rules.py", "windows.py", "generator.py", "jit.py")
"""Files whose constants compiled code may use."""


def is_compiled_source(name: str) -> bool:
    """Whether a file of this name contains compiled code or constants that compiled code uses."""
    return name in READ_BY_COMPILED or name.endswith(COMPILED_ENDINGS)


Word = Any
"""A uint64 in compiled code. Never mix it with `Int`: Numba makes the sum of the two a float."""
Int = Any
"""An int64 in compiled code."""
Float = Any
"""A float32 in compiled code."""
Array = Any
"""A C-contiguous array; the docstring of each kernel gives dtype and shape."""


def _wide_vectors() -> bool:
    features = numba.config.CPU_FEATURES
    return "+avx512f" in (binding.get_host_cpu_features().flatten() if features is None else features)


WIDE_VECTORS = _wide_vectors()
"""Whether code is compiled for a processor with 32 registers of 512 bits (AVX-512). This may decide the order in which
independent values are computed, never the values. Numba caches the code for each processor separately."""

__all__ = [
    "WIDE_VECTORS",
    "callback",
    "compiled",
    "inlined",
    "intrinsic",
    "ir",
    "models",
    "part",
    "register_model",
    "types",
    "variant",
]


class _Compilations(event.Listener):  # type: ignore[misc]
    """Numba reports each kernel here that it compiles, but not those that it loads from the cache."""

    def on_start(self, event: Any) -> None:
        compiling.begin(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        compiling.end()


event.register("numba:compile", _Compilations())


class _OwnTypes(typeinfer.TypeInferer):  # type: ignore[misc]
    """Types of a function that calls itself: that it returns an integer is found out once, not at each call."""

    _returned: Any = None

    def return_types_from_partial(self) -> Any:
        if self._returned != types.int64:
            self._returned = super().return_types_from_partial()
        return self._returned


typeinfer.TypeInferer = _OwnTypes


class _Compiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's compiler with the passes that kernels need; the others look for what kernels do not contain."""

    _PASSES = (
        untyped_passes.TranslateByteCode, untyped_passes.FixupArgs, untyped_passes.IRProcessing,
        untyped_passes.GenericRewrites, untyped_passes.ReconstructSSA, untyped_passes.DeadBranchPrune,
        typed_passes.NopythonTypeInference, typed_passes.PreLowerStripPhis, typed_passes.IRLegalization,
        typed_passes.NativeLowering, typed_passes.NoPythonBackend,
    )  # fmt: skip

    def define_pipelines(self) -> Any:
        passes = compiler_machinery.PassManager("kernel")
        for each in self._PASSES:
            passes.add_pass(each, each.__name__)
        passes.finalize()
        return [passes]


def compiled(function: F) -> F:
    """Compile a kernel on first use and cache the code. It runs without the interpreter lock and never raises.

    There is no fast math: results must be the same to the bit on every machine.
    """
    made = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, pipeline_class=_Compiler)(function)
    return cast(F, keep(made, function))


class _InlinedLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked into its callers and nowhere else: never optimised by itself, or made machine code."""

    def _optimize_functions(self, module: Any) -> None:
        # Not before it is inlined: that made nothing faster to compile, and loops that are turned around without their
        # caller may run slower.
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        # What it calls is inlined first, so that callers link and copy one short function.
        passes, builder = self._codegen._module_pass_manager(opt=0, loop_vectorize=False, slp_vectorize=False)
        passes.run(self._final_module, builder)
        self._finalized = True


_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None}


class _InlinedCompiler(_Compiler):
    """Numba's compiler, which leaves out what only calls from Python need."""

    def __init__(self, typing: Any, target: Any, _library: Any, arguments: Any, result: Any, flags: Any, types: Any):
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        library = _InlinedLibrary(target.codegen(), "inlined")
        super().__init__(typing, target, library, arguments, result, flags, types)


class _Inlined(registry.CPUDispatcher):  # type: ignore[misc]
    """A function that Numba types and lowers once for all constants: LLVM knows them when it inlines it."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(tuple(unliteral(each) for each in args), kws)

    def add_overload(self, result: Any) -> None:
        self.overloads[tuple(result.signature.args)] = result
        self.targetctx.insert_user_function(result.library, result.fndesc, [result.library])

    def get_overload(self, signature: Any) -> Any:
        return self.overloads[tuple(sigutils.normalize_signature(signature)[0])].library

    @functools.cached_property
    def _for_python(self) -> Any:
        return compiled(self.py_func)

    def __call__(self, *arguments: Any) -> Any:
        return self._for_python(*arguments)


def inlined(function: F) -> F:
    """As `compiled`, but inlined into each caller, where constant arguments specialise it.

    Nothing of it is kept or made machine code by itself, unless Python calls it, too.
    """
    return cast(F, _Inlined(function, {}, {**_OPTIONS, "forceinline": True}, pipeline_class=_InlinedCompiler))


def part(function: F) -> F:
    """As `inlined`, but each caller decides where it is inlined. It may call itself.

    For what few compiled functions call: each of them optimises it and makes machine code of it.
    """
    return cast(F, _Inlined(function, {}, _OPTIONS, pipeline_class=_InlinedCompiler))


def variant(function: Any, **constants: object) -> Any:
    """Return a copy of a `part` that is compiled with other values of constants of its module.

    A copy that calls itself calls the copy. Its name is its own: Numba makes the symbols of machine code of names and
    numbers that begin anew in each process, and of two symbols with one name the linker keeps one.
    """
    source = function.py_func
    names = {**source.__globals__, **constants}
    copy = FunctionType(source.__code__, names, source.__name__, source.__defaults__)
    copy.__name__ = copy.__qualname__ = "_".join((source.__name__, "with", *constants))
    names[source.__name__] = made = part(copy)
    return made


def intrinsic(function: Any) -> Any:
    """Make a function that emits LLVM instructions callable from compiled code."""
    return extending.intrinsic(function)


class _Callback(ccallback.CFunc):
    """Numba's C callback, compiled when its address is first needed, which also reports when that happens."""

    _wrapper_address: int | None

    @property
    def address(self) -> int:
        if self._wrapper_address is None:
            self.compile()
        assert self._wrapper_address is not None
        return self._wrapper_address

    def _compile_uncached(self) -> Any:
        compiling.begin(self.__name__)
        try:
            return super()._compile_uncached()  # type: ignore[misc]
        finally:
            compiling.end()


def callback(words: int) -> Callable[[F], Any]:
    """Compile a function of `words` int64 arguments that other compiled code calls by its `address` (`game.bits.call`).

    Such a function is compiled once instead of inside each of its callers, and callers need not import it. It is
    compiled, or loaded from the cache, when its `address` is first read. It runs without the interpreter lock, never
    raises, and returns an int64.
    """
    signature = types.int64(*[types.int64] * words)

    def decorate(function: F) -> Any:
        made = _Callback(function, sigutils.normalize_signature(signature), {}, {"error_model": "numpy"}, _Compiler)
        return keep(made, function)

    return decorate
