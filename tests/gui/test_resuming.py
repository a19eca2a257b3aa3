"""The form that resumes a run: from which generation, how far, and with how many processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from evolve.run.status import State
from gui.sessions.form import Resuming
from gui.sessions.template import find_unthinned, join_spans
from tests.gui.hands import Opened
from tests.gui.session_folder import SessionFolder, Starts
from tests.synthetic import make_run


def test_resume_offers_possible_generations() -> None:
    form = Resuming.of(7, 7)
    assert (form.values["generations"], form.wrong) == ("14", {})
    form.values["generations"] = ""
    assert form.wrong == {"generations": "The run is complete to generation 7. How far should it go?"}
    form.values["from"] = "5"
    assert (form.wrong, form.restart) == ({}, 5)
    form.values["generations"] = "6"
    assert (form.wrong, form.number("generations")) == ({}, 6)
    form.values |= {"from": "8", "generations": "7", "workers": "0"}
    assert sorted(form.wrong) == ["from", "generations", "workers"]
    form.values |= {"from": "7", "generations": "8", "workers": ""}
    assert (form.wrong, form.restart) == ({}, None)


def test_resume_before_the_first_generation() -> None:
    form = Resuming.of(-1, 9, "2")
    assert (form.wrong, form.restart, form.values["workers"]) == ({}, None, "2")
    form.values["from"] = "0"
    assert form.wrong == {"from": "There is no generation yet."}


def test_run_resumes_only_from_generations_with_weights(tmp_path: Path) -> None:
    run = make_run(tmp_path, "rare", 12)
    known = run.manifest()
    for number in (1, 2, 3, 4, 6, 7, 8, 9):
        known = known.with_thinned(number, "0" * 64)
    known.write(run.path)
    whole = find_unthinned(run.path)
    assert whole == [0, 5, 10, 11, 12]
    form = Resuming.of(12, 12, whole=whole)
    assert form.hint == "Possible: 0, 5 and 10 to 12"
    form.values["from"] = "7"
    assert form.wrong == {"from": "Generation 7 has no weights. Possible: 0, 5 and 10 to 12."}
    form.values["from"] = "5"
    assert (form.wrong, form.restart) == ({}, 5)
    assert Resuming.of(12, 12, whole=range(13)).hint == Resuming.of(12, 12).hint == "Later generations are set aside"
    assert find_unthinned(tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([4], "4"),
        ([3, 4, 5], "3 to 5"),
        ([0, 5, 6, 10], "0, 5 to 6 and 10"),
        (range(0, 2001, 200), "0, 200, 400, …, 1,800 and 2,000"),
    ],
)
def test_spans_of_numbers(numbers: Sequence[int], text: str) -> None:
    assert join_spans(numbers) == text


def test_a_session_that_has_stopped_is_not_starting_while_its_process_ends(
    opened: Opened, starts: Starts, tmp_path: Path
) -> None:
    starts.process.running, starts.process.pid = True, 77
    hands = opened()
    hands.key("g", "ctrl+return")
    folder = SessionFolder(tmp_path / "runs" / "first-1", 2)
    folder.say(State.RUNNING, pid=77)
    hands.wait(1.0)
    with folder.locked():
        folder.say(State.STOPPED, pid=77)
        hands.wait(1.0)
        assert hands.words[0] == "Stopped"
        assert not hands.widget("do.resume").enabled
    starts.process.running = False
    hands.wait(1.0)
    assert hands.words[0] == "Stopped"
    assert hands.widget("do.resume").enabled
