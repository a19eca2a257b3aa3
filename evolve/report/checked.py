"""Warnings about runs and individuals, which extras give (``checks`` of `extras.Extra`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One warning: the observation, its meaning, and a possible remedy."""

    kind: str
    text: str


@dataclass(frozen=True)
class Checked:
    """The warnings about a subject.

    Attributes:
        looked: names of the checks that were performed.
        missed: sentences about checks that could not be performed.
    """

    findings: Sequence[Finding] = ()
    looked: Sequence[str] = ()
    missed: str = ""
