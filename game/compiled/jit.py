"""Typed decorators for compiled functions.

Compiled functions are in files whose names end as in COMPILED_ENDINGS; they read constants only from those files and
from few others (tests/sources.py lists them). `game.compiled.kernel_cache` keeps the machine code.

This module depends on internals of Numba, most of them to shorten compilation. The tests in tests/game/compiled name
each of them, and say what to do when a new version of Numba changes one.
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
from numba.core.types import functions
from numba.core.types.misc import unliteral
from numba.extending import models, register_model

from game.compiled import compiling
from game.compiled.kernel_cache import keep

F = TypeVar("F", bound=Callable[..., object])

COMPILED_ENDINGS = ("kernels.py", "vectors.py", "bits.py")
"""Endings of the names of files with compiled functions."""

Word = Any
"""A uint64 in compiled code. Never mix it with `Int`: in Numba, uint64 + int64 is a float64."""
Int = Any
"""An int64 in compiled code."""
Float = Any
"""A float32 in compiled code."""
Double = Any
"""A float64 in compiled code."""
Array = Any
"""A C-contiguous array; the docstring of each kernel gives dtype and shape."""


def _features() -> frozenset[str]:
    """Return the features of the processor for which code is compiled, such as ``avx2``."""
    features = numba.config.CPU_FEATURES
    features = binding.get_host_cpu_features().flatten() if features is None else features
    return frozenset(feature[1:] for feature in features.split(",") if feature.startswith("+"))


WIDE_VECTORS = "avx512f" in _features()
"""True if code is compiled for a processor with 32 registers of 512 bits (AVX-512).

A kernel may do independent computations in an order that depends on this, but its results must be the same. The kernel
cache keeps the code for each processor separately.
"""

DOT = next((name for name in ("avx512vnni", "avx2") if name in _features()), "")
"""The instructions of this processor for sums of products of bytes; empty if it has neither of these two sets."""

binding.initialize_native_asmparser()  # for instructions that LLVM does not choose itself

__all__ = [
    "DOT", "WIDE_VECTORS", "callback", "compiled", "inlined", "intrinsic", "ir", "models", "part", "register_model",
    "types", "variant",
]  # fmt: skip


class _Compilations(event.Listener):  # type: ignore[misc]
    """Reports each kernel that Numba compiles. Kernels loaded from the cache cause no event."""

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        compiling.begin(function.__name__, function.__module__)

    def on_end(self, event: Any) -> None:
        compiling.end()


event.register("numba:compile", _Compilations())


class _OwnTypes(typeinfer.TypeInferer):  # type: ignore[misc]
    """Type inference that infers the result of a recursive function once instead of at each recursive call."""

    _returned: Any = None

    def return_types_from_partial(self) -> Any:
        # The answer is None until a `return` without recursion has a type. All such kernels
        # return int64, so int64 is final.
        if self._returned != types.int64:
            self._returned = super().return_types_from_partial()
        return self._returned


typeinfer.TypeInferer = _OwnTypes

_resolve: Any = functions.BaseFunction.get_call_type
_resolved: dict[tuple[Any, Any], Any] = {}


def _get_call_type(function: Any, context: Any, operands: Any, keywords: Any) -> Any:
    """Resolve an operator once for the types of its operands, where Numba would try all templates at each use.

    Overloads and intrinsics are left to Numba: their implementation depends on the options of the caller.
    """
    known = None if keywords else _resolved.get((function, operands))
    if known is None:
        known = _resolve(function, context, operands, keywords)
        if not keywords and function.get_impl_key(known) is function.typing_key:
            _resolved[function, operands] = known
    return known


functions.BaseFunction.get_call_type = _get_call_type  # type: ignore[assignment, method-assign]


class _Compiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's compiler without the passes for features that no kernel uses (parallel loops, object mode, ...)."""

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
    """Compile a kernel when it is first called, and cache the code. It runs without the GIL and never raises.

    Fast math is off: results must be the same bits on every machine.
    """
    made = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, pipeline_class=_Compiler)(function)
    return cast(F, keep(made, function))


class _InlinedLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """LLVM code that is only linked into its callers: not optimised separately, and never turned into machine code."""

    def _optimize_functions(self, module: Any) -> None:
        # Optimising before inlining does not shorten compilation, and loops that are rotated without knowledge of
        # their caller may run slower. So set the data layout, as Numba does, and nothing else.
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        # Inline the functions that this one calls, so that its callers link and copy one short function.
        passes, builder = self._codegen._module_pass_manager(opt=0, loop_vectorize=False, slp_vectorize=False)
        passes.run(self._final_module, builder)
        self._finalized = True


_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None}


class _InlinedCompiler(_Compiler):
    """Numba's compiler without the wrappers for calls from Python and C."""

    def __init__(self, typing: Any, target: Any, _library: Any, arguments: Any, result: Any, flags: Any, types: Any):
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        library = _InlinedLibrary(target.codegen(), "inlined")
        super().__init__(typing, target, library, arguments, result, flags, types)


class _Inlined(registry.CPUDispatcher):  # type: ignore[misc]
    """A function that is typed and lowered once, whatever constants it is given; LLVM folds them after inlining."""

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
    """Compile a function only as a part of its callers, inlined into each of them.

    Constant arguments specialise the inlined code. The function itself becomes machine code, and is cached, only if
    Python calls it.
    """
    return cast(F, _Inlined(function, {}, {**_OPTIONS, "forceinline": True}, pipeline_class=_InlinedCompiler))


def part(function: F) -> F:
    """Compile a function as a part of its callers, but let LLVM decide where to inline it. It may be recursive.

    Use it where few compiled functions call it: each of them optimises it and contains its machine code.
    """
    return cast(F, _Inlined(function, {}, _OPTIONS, pipeline_class=_InlinedCompiler))


def variant(function: Any, **constants: object) -> Any:
    """Return a copy of a `part` in which constants of its module have other values.

    Recursive calls in the copy call the copy. It has a name of its own, because Numba derives symbols from a function's
    name and a counter that restarts in each process: of two equal symbols the linker would keep only one.
    """
    source = function.py_func
    names = {**source.__globals__, **constants}
    copy = FunctionType(source.__code__, names, source.__name__, source.__defaults__)
    copy.__name__ = copy.__qualname__ = "_".join((source.__name__, "with", *constants))
    names[source.__name__] = made = part(copy)
    return made


def intrinsic(signature: Any) -> Callable[[Any], Any]:
    """Make a generator of LLVM instructions callable from compiled code.

    The generator gets LLVM's builder and the values of the arguments, and returns the value of the call.
    """

    def decorate(function: Any) -> Any:
        def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            value = function(builder, *arguments)
            return target.get_dummy_value() if signature.return_type == types.void else value

        @functools.wraps(function)  # Numba takes the names of the arguments from it
        def typed(_context: Any, *_: Any) -> Any:
            return signature, generate

        return extending.intrinsic(typed)

    return decorate


class _Callback(ccallback.CFunc):
    """Numba's C callback, compiled when its address is first read, with a report to `compiling`."""

    _wrapper_address: int | None
    _pyfunc: FunctionType

    @property
    def address(self) -> int:
        if self._wrapper_address is None:
            self.compile()
        assert self._wrapper_address is not None
        return self._wrapper_address

    def _compile_uncached(self) -> Any:
        compiling.begin(self.__name__, self._pyfunc.__module__)
        try:
            return super()._compile_uncached()  # type: ignore[misc]
        finally:
            compiling.end()


def callback(words: int) -> Callable[[F], Any]:
    """Compile a function that other compiled code calls by its `address` (`game.bits.call`).

    Such a function is compiled once instead of inside each of its callers, and its callers need not import it. It is
    compiled, or loaded from the cache, when `address` is first read. It runs without the GIL, never raises, and returns
    an int64.

    Args:
        words: the number of its arguments, all int64.
    """
    signature = types.int64(*[types.int64] * words)

    def decorate(function: F) -> Any:
        made = _Callback(function, sigutils.normalize_signature(signature), {}, {"error_model": "numpy"}, _Compiler)
        return keep(made, function)

    return decorate
