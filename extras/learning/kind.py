"""The kind of run in which one network learns, and the packages that it needs, none of which it loads."""

from __future__ import annotations

from typing import ClassVar

from evolve.session.network_run import NetworkRuns


class LearningRuns(NetworkRuns):
    session: ClassVar[str] = "extras.learning.session:LearningSession"
    report: ClassVar[str] = "extras.learning.report:LearningReport"
    extra: ClassVar[str] = "learning"
    packages: ClassVar[tuple[str, ...]] = ("jax", "jaxlib", "optax")
    need: ClassVar[str] = "train needs jax and optax"
