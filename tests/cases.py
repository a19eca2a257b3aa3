"""Many quick cases in one test: a case of pytest costs milliseconds in each worker, before it tests anything."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

Test = Callable[..., None]


def for_each(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test for each case, in order; the error names the case that failed.

    The arguments are those of `pytest.mark.parametrize`. Fixtures are shared by all cases.
    """
    known = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [(case,) if len(known) == 1 else tuple(case) for case in cases]
    assert rows

    def decorate(test: Test) -> Test:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            for row in rows:
                case = dict(zip(known, row, strict=True))
                try:
                    test(**fixtures, **case)
                except BaseException as error:
                    words = ", ".join(f"{name}={value!r}" for name, value in case.items())
                    error.add_note(f"the case: {words:.500}")
                    raise

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in known]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate
