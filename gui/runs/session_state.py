"""The state of a session in words, and ratings as text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_text
from game.errors import sentence
from game.number_text import span_text

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun

ASKED = {
    "pause": "asked to pause",
    "resume": "asked to resume",
    "stop-after-generation": "asked to stop after this generation",
    "stop": "asked to stop now",
}
"""Texts for requests that the session has not accepted yet."""


ICONS = {
    "starting": "play", "running": "play", "paused": "pause", "stopping": "finish", "stopped": "stop",
    "failed": "warning", "done": "check", "interrupted": "warning",
}  # fmt: skip
"""Icons of the states of a run (`evolve.run.status.State`)."""


@dataclass(frozen=True)
class SessionState:
    head: str
    text: str
    icon: str
    tone: str = "normal"


def describe_session(run: LiveRun, now: float) -> SessionState:
    newest, status, quiet = run.newest, run.status, run.silence(now)
    complete = "no generation is complete yet" if newest < 0 else f"complete to generation {newest}"
    so_far = "" if newest < 0 else f"; {complete}"
    asked = " and ".join(ASKED[request] for request in run.requests)
    waiting = f" It was {asked}; no answer yet." if asked else ""
    if run.state == "starting":
        phase = status.phase if status is not None and status.phase else "the session is getting ready"
        once = " (only the first time)" if phase.startswith("compiling") else ""
        return SessionState("Starting", f"{phase[0].upper()}{phase[1:]}{once}{so_far}.{waiting}", "play")
    if run.state in ("running", "paused", "stopping") and status is not None:
        silent = f" No sign of life for {span_text(quiet)}: it is compiling or very busy." if quiet else ""
        tone = "warning" if quiet else "good"
        # The heartbeat is written once a second, the log once a generation; the later one is right.
        playing = max(status.generation, min(newest + 1, status.generations))
        if run.state == "running":
            left = "" if run.seconds_left is None else f", {span_text(run.seconds_left)} left"
            does = f"{run.work:,} {run.kind.work}{left}." if run.newest >= 0 else "The first generation plays."
            if status.work and playing == status.generation:
                does = f"Generation {playing}, {status.work}."
            does += f" Games are played on {status.cluster}." if status.cluster else ""
            return SessionState("Running", f"{does}{waiting}{silent}", "play", tone)
        if run.state == "paused":
            where = f"In generation {status.generation}" if newest < status.generation else f"After generation {newest}"
            text = f"{where}; nothing is lost.{waiting}{silent}"
            return SessionState("Paused", text, "pause", "warning")
        text = f"Generation {playing} is finished first.{waiting}{silent}"
        return SessionState("Stopping", text, "finish", "warning")
    if run.state == "done":
        verdict = f"; {run.verdict.text}" if run.verdict is not None and run.verdict.text else ""
        return SessionState("Done", f"All generations up to {newest} are complete{verdict}.", "check", "good")
    if run.state == "interrupted" and status is not None:
        ago = f" {span_text(quiet)} ago" if 0 < quiet < 10**8 else ""
        text = (
            f"Process {status.pid} ended without notice{ago}: it was killed, or the power failed. "
            f"{complete[0].upper()}{complete[1:]}."
        )
        return SessionState("Interrupted", text, "warning", "warning")
    left = f"It is {complete}." if newest >= 0 else "No generation is complete yet."
    if run.state == "failed" and status is not None:
        return SessionState("Failed", f"{sentence(status.reason) or 'An error ended it.'} {left}", "warning", "warning")
    if run.state == "stopped":
        why = f" Ended by {status.reason}." if status is not None and status.reason else ""
        return SessionState("Stopped", f"{left}{why}", "stop")
    return SessionState("Looking…", "", "search")


def rating_text(value: float, low: float) -> str:
    """Return a rating as text: a number, a lower bound if all games were won, or empty if unknown."""
    if math.isfinite(value):
        return shown_text(value)
    if math.isnan(value):
        return ""
    return "lost all" if value < 0 else f"> {shown_text(low)}" if math.isfinite(low) else "won all"
