"""The window beside a session: lists, sheets and curves never call a growing run damaged, and find true damage."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import extras
from evolve.run.folder import Run
from gui.individuals import opponents
from gui.individuals.individual import EntryKind
from gui.runs.live_run import LiveRun
from gui.runs.sources import LOOK_EVERY, Sources
from tests.growing_readers import NEWEST
from tests.growing_run import BRED, Writer, at_every_access, learnt

TROUBLED = "damaged", "cannot be read", "not what the session wrote", "it ends at", "expected"


SELDOM = pytest.mark.check
"""A case takes some ten seconds of processor time; every run has those of a session that only saves and thins."""


@pytest.fixture(scope="module", params=["bred", pytest.param("learnt", marks=SELDOM)])
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that is complete to generation 9."""
    return Writer.new(tmp_path_factory.mktemp("template"), NEWEST, BRED if request.param == "bred" else learnt()).run


class Window:
    """The models of the window that read one run, as its screens use them; each look is one poll later."""

    def __init__(self, run: Run) -> None:
        self.run, self.now = run, 0.0

    @cached_property
    def library(self) -> Any:
        module = pytest.importorskip("extras.individuals.library", reason="the list of individuals is an extra")
        return module.Library(Sources(self.run.path.parent))

    @cached_property
    def live(self) -> LiveRun:
        return LiveRun(self.run.path)

    def champions(self) -> list[str]:
        return self._listed(-1)

    def generations(self) -> list[str]:
        return self._listed(self.library.source.newest if self.library.source else -1)

    def _listed(self, generation: int) -> list[str]:
        """Return what the list of individuals says is wrong with a run and the generation that is listed."""
        library = self.library
        if library.source is not None and library.generation < 0 <= generation:
            library.choose(library.source, generation)
        library.step(self.now, 1.0)
        while library.busy:
            library.step(self.now, 1.0)
        assert library.source is not None
        wrong = [row.trouble for row in library.individuals if row.kind is EntryKind.DAMAGED]
        return [library.source.trouble, *wrong]

    def curves(self) -> list[str]:
        live = self.live
        live.look_now()
        live.step(self.now)
        while live.busy:
            live.step(self.now)
        live.refresh(self.now)
        shown = [live.damage, live.trouble]
        if "weights" in extras.installed():
            shown.append(import_module("extras.weights.tab").pictures_of(live, live.newest)[1])
        return shown

    def opponents(self) -> list[str]:
        runs, name = self.run.path.parent, self.run.name
        return ["" if opponents.champion(runs, name) else "the champion cannot be read"]

    def wrong(self, reader: str) -> str:
        """Return what a reader says is wrong at its next poll; empty if nothing is."""
        self.now += 2 * LOOK_EVERY
        return "; ".join(filter(None, getattr(self, reader)()))


EVERY = pytest.mark.parametrize("every", [8, pytest.param(1, marks=SELDOM)])

READERS_OF_WINDOWS = ("champions", "generations", "curves", "opponents")


def readers(name: str) -> pytest.MarkDecorator:
    """Try a test with all readers in the whole check, and with one of them in every run."""
    return pytest.mark.parametrize(
        "reader", [pytest.param(each, marks=() if each == name else SELDOM) for each in READERS_OF_WINDOWS]
    )


def complaints(result: object) -> str:
    """Return what a reader says of a run that is not damaged; empty if it is true."""
    text = str(result)
    return "" if "was given up" in text or not any(word in text for word in TROUBLED) else text


def save_three(run: Run) -> None:
    Writer(run).save(3)


def go_back_and_save(run: Run) -> None:
    writer = Writer(run)
    writer.go_back(7)
    writer.save(3)


@pytest.mark.parametrize("change", [save_three, pytest.param(go_back_and_save, marks=SELDOM)])
@readers("curves")
@EVERY
def test_a_session_may_change_a_run_at_any_moment_while_the_window_reads_it(
    template: Run, tmp_path: Path, reader: str, change: Callable[[Run], None], every: int
) -> None:
    results = list(at_every_access(template, tmp_path, lambda run: Window(run).wrong(reader), change, every))
    assert results
    assert [text for result, _ in results if (text := complaints(result))] == []
    assert [error for _, error in results if error is not None] == []


@pytest.mark.parametrize("change", [save_three, pytest.param(go_back_and_save, marks=SELDOM)])
@readers("generations")
@EVERY
def test_the_window_may_look_at_any_moment_of_a_save(
    template: Run, tmp_path: Path, reader: str, change: Callable[[Run], None], every: int
) -> None:
    window: list[Window] = []

    def look(run: Run) -> str:
        window[:] = window if window and window[0].run == run else [Window(run)]
        return window[0].wrong(reader)

    results = list(at_every_access(template, tmp_path, change, look, every))
    assert len(results) > 10 / every
    assert [error for error, _ in results if error is not None] == []
    assert [text for _, result in results if (text := complaints(result))] == []


DAMAGED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "a byte of an old generation": ("generation_0005.csv", lambda data: data[:-20] + b"7" + data[-19:]),
    "a cut generation": ("generation_0009.csv", lambda data: data[: len(data) // 2]),
    "a row of the manifest": ("manifest.csv", lambda data: data.replace(b"\n3,", b"\n4,")),
    "a cut manifest": ("manifest.csv", lambda data: data[: len(data) // 2]),
    "a cut hall of fame": ("hall_of_fame.csv", lambda data: data[: len(data) // 2]),
    "a cut log": ("log.csv", lambda data: data[: len(data) // 2]),
}
FINDERS = {
    "a byte of an old generation": ("generations",),
    "a cut generation": ("generations",),
    "a row of the manifest": ("champions", "generations", "curves"),
    "a cut manifest": ("champions", "generations", "curves"),
    "a cut hall of fame": ("curves",),
    "a cut log": ("curves",),
}
"""The readers that must find each damage; those that read nothing of a file cannot."""


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_is_reported_from_the_next_poll_until_repaired(kind: str, tmp_path: Path) -> None:
    writer = Writer.new(tmp_path, NEWEST)
    window, (name, damage) = Window(writer.run), DAMAGED[kind]
    readers = FINDERS[kind]
    for reader in readers:
        assert window.wrong(reader) == ""
    if "old" in kind:
        assert window.library.source is not None
        window.library.choose(window.library.source, 5)
        assert window.wrong("generations") == ""
    path = writer.run.path / name
    sound = path.read_bytes()
    assert damage(sound) != sound
    path.write_bytes(damage(sound))
    for reader in readers:
        assert path.name.split(".")[0] in window.wrong(reader), reader
    path.write_bytes(sound)
    for reader in readers:
        assert window.wrong(reader) == "", reader
    if name not in ("manifest.csv", "generation_0009.csv"):  # a session writes these anew
        path.write_bytes(damage(sound))
        writer.save()
        for reader in readers:
            assert window.wrong(reader), reader
