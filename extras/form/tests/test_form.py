"""The form that begins a session, by posted events: its keys, and its estimate of time and size."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from evolve.config import toml
from evolve.config.preset_files import listed_preset_names
from evolve.config.toml import load
from extras.form.foresight import QUIET_SECONDS
from extras.form.plan import make_plan, preset_names, preset_title, published_names
from extras.form.published import MEASURED, reached_by
from extras.form.screen import keep_form, last_form
from extras.form.tests.scenes import form_of
from gui.geometry import Size
from gui.look.canvas import Canvas
from gui.screens.home import Home
from gui.screens.sessions.session import SessionScreen
from gui.sessions import launch
from gui.sessions.form import Form, free_name, preset_kind
from gui.storage.settings import Settings
from gui.toolkit import pygame
from tests.gui.counts import controls, words
from tests.gui.hands import Hands, Opened
from tests.gui.scenes.scenes import picture
from tests.gui.session_folder import Foreseen, Starts


def test_a_published_system_is_found_by_its_author(opened: Opened, starts: Starts) -> None:
    hands = opened()
    hands.key("g", "<published>")
    table = hands.widget("systems")
    assert [column.title for column in table.columns] == ["System", "Year", "Time", "Reached"]
    years = [table.cells(row)[1] for row in range(table.count)]
    assert years[:-3] == sorted(years[:-3]) and years[-3:] == ["–"] * 3, "Crownhead's own come last"
    hands.key("3", "2", "/")  # numbers choose tabs until the search is asked for
    hands.type("kendall")
    assert hands.widget("system.by").text == "Al-Khateeb and Kendall, 2009"
    hands.click(hands.widget("take").rect.centre)
    assert hands.widget("preset").names[hands.widget("preset").chosen].startswith("league: Blondie24 in a league")
    hands.key("ctrl+return")
    assert starts.calls[0][2:] == ("--preset=league",)


def test_a_published_system_has_its_rating_and_time() -> None:
    assert set(MEASURED) == set(published_names())
    assert [reached_by(name) for name in ("cowan", "blondie24", "league", "endgame", "zero-published")] == [
        "Random moves", "Club", "Strong", "97 % right", "–",
    ]  # fmt: skip
    page = (Path(__file__).parents[3] / "docs" / "log" / "results.md").read_text(encoding="utf-8")
    tables = {name: f"`{name}`, seed 1" for name in ("blondie24-1999", "blondie24", "league")}
    for name, head in (tables | {"crownhead-1": "seed 1 | seed 2 | seed 3 | seed 4 |"}).items():
        table, last = page[page.index(f"| generation | {head}") :], max(MEASURED[name].ratings)
        row = next(line for line in table.splitlines() if line.startswith(f"| {last} |"))
        seeds = [int(cell.split()[0]) for cell in row.strip("|").split("|")[1:]]
        assert MEASURED[name].ratings[last] == round(sum(seeds) / len(seeds)), name


def test_a_session_is_begun_by_the_keyboard_alone(opened: Opened, tmp_path: Path, starts: Starts) -> None:
    hands = opened()
    hands.key("g", "<everything>")
    for wanted in ("section.run", "name"):
        for _ in range(9):
            hands.key(*["tab"] * (hands.app.screen.ui.focus != wanted))
        hands.key(*["return"] * (wanted == "section.run"))
    hands.type("mine")
    hands.key("tab")
    hands.type("4")
    hands.key("return")
    screen = hands.app.screen
    assert isinstance(screen, SessionScreen)
    assert screen.run.path == tmp_path / "runs" / "mine"
    runs = tmp_path / "runs"
    assert starts.calls == [(f"--out={runs}", "--name=mine", "--preset=first", "--generations=4")]
    hands.key("escape", "g", "<everything>")
    assert "generations 0 to 4," in hands.widget("run.words").text and "mine" not in hands.widget("run.words").text


def test_mistakes_stand_beside_their_fields(opened: Opened, starts: Starts) -> None:
    hands = opened()
    hands.key("g", "<everything>")
    hands.click("section.run")
    hands.click("generations")
    hands.type("many")
    hands.click("section.values")
    hands.click("value")
    hands.type("1")
    hands.key("ctrl+return")
    assert starts.calls == []
    assert "whole number" in hands.widget("generations.note").text
    assert "2 to 65,536" in hands.widget("meaning").text
    assert hands.widget("value").wrong
    assert hands.app.screen.ui.focus == "generations"
    hands.key("ctrl+a")
    hands.type("3")
    assert not hands.widget("generations").wrong and hands.widget("value").wrong
    assert "begin" not in hands.keys
    hands.click("faults")
    assert hands.app.screen.ui.focus == "value"
    hands.click("value")
    hands.type("6")
    hands.until(lambda: "begin" in hands.keys)  # 16 parents


def test_a_picture_of_the_form_reads_no_preset_again(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = opened()
    hands.key("g", "<everything>", "<values>")
    hands.click("value")
    hands.type("8")
    loaded: list[str] = []
    monkeypatch.setattr(toml, "load", lambda *arguments: loaded.append(arguments[0]))
    for _ in range(3):
        hands.app.redraw()
        hands.app.draw()
    assert loaded == []


@pytest.fixture
def form(opened: Opened) -> Hands:
    hands = opened()
    hands.key("g", "<everything>", "<values>")
    return hands


def rows(hands: Hands) -> list[str]:
    table = hands.widget("settings")
    return [table.cells(row)[0].text for row in range(table.count)]


def test_keys_are_offered_while_typing_and_one_is_changed(form: Hands, starts: Starts) -> None:
    every = rows(form)
    form.key("ctrl+f")
    form.type("optimiser.ra")
    assert rows(form) == ["optimiser.rate"]
    assert "a number from" in form.widget("meaning").text
    form.key("return")
    assert form.app.screen.ui.focus == "value"
    assert rows(form) == every  # back in their order
    form.type("0.3")
    form.key("return")
    assert starts.calls[0][-1] == "--set=optimiser.rate=0.3"


def test_a_key_that_is_not_there(form: Hands) -> None:
    form.key("ctrl+f")
    form.type("zzzzzz")
    assert form.widget("settings").empty == "There is no key “zzzzzz”."


def test_inactive_key_explains_when_it_applies(form: Hands) -> None:
    form.key("ctrl+f")
    form.type("variation.step")
    table = form.widget("settings")
    assert table.cells(0)[1].text == "not used"
    assert "Used only with" in form.widget("meaning").text


def test_a_key_that_is_not_used_is_found_only_if_no_other_is(form: Hands) -> None:
    form.key("ctrl+f")
    form.type("step_low")
    assert rows(form) == ["optimiser.step_low"]
    near = form.widget("near")
    beside = [near.cells(row)[0].text for row in range(near.count)]
    assert beside == ["optimiser.kind", "optimiser.step", "optimiser.halving", "optimiser.rate"]
    near.select(1)
    form.app.redraw()
    assert form.widget("value.label").text == "optimiser.step"


def test_arrows_choose_among_matches_and_escape_clears_them(form: Hands) -> None:
    form.key("ctrl+f")
    form.type("games.")
    first, second = rows(form)[:2]
    assert form.widget("value.label").text == first
    form.key("down")
    assert form.widget("value.label").text == second
    form.key("up", "up")
    assert form.widget("value.label").text == first
    form.key("escape")
    assert form.widget("find").value == ""
    form.key("escape")
    assert isinstance(form.app.screen, Home)


def test_every_key_has_words_about_its_meaning(form: Hands) -> None:
    table = form.widget("settings")
    assert [column.title for column in table.columns] == ["Key", "Value", "Meaning"]
    assert all(table.cells(row)[2].text for row in range(table.count))


def test_the_last_values_are_there_again(tmp_path: Path) -> None:
    """Except the name, which is taken by now, and the seed, which would make the next run the same to the byte."""
    form = Form(settings={"population.parents": "8"})
    form.values |= {"name": "one", "seed": "7", "generations": "4", "preset": "plain"}
    store = Settings(tmp_path)
    keep_form(form, store)
    store.save()
    again = last_form(Settings(tmp_path))
    assert again.values == form.values | {"name": "", "seed": ""}
    assert again.settings == form.settings


@pytest.mark.parametrize("size", [(1280, 800), (800, 600), (500, 820)])
def test_the_form_begins_folded_with_few_controls_and_words(opened: Opened, size: Size) -> None:
    hands = opened(size=size)
    for name in (*preset_names(), *published_names()):
        form = form_of(hands.app)
        form.choose(name)
        hands.wait(1.5)
        assert controls(hands) <= 8 and words(hands) <= 60, name
        assert not {"name", "games", "network", "settings"} & set(hands.keys)
        said = [hands.widget(key).text for key in ("run.words", "values.words")]
        assert re.match(rf"{name}-\d, generations 0 to \d+, a random seed(, one process per core)?\.", said[0])
        assert said[1] == "Unchanged."
        hands.app.go_home()
    hands.key("g", "<published>")
    for number in range(hands.widget("systems").count):
        hands.widget("systems").select(number)
        hands.app.redraw()
        assert controls(hands) <= 8 and words(hands) <= 60, number
    form = form_of(hands.app)
    form.form.settings["games.swap"] = "true"
    assert "Changed: games.swap = true." in [getattr(each, "text", "") for each in hands.app.view()]
    hands.click("section.run")
    assert {"name", "network", "workers"} <= set(hands.keys)


def test_presets_are_described_in_words_and_values(tmp_path: Path) -> None:
    assert preset_names() == listed_preset_names()
    for name in preset_names():
        purpose = preset_title(name).removeprefix(f"{name}: ")
        assert 2 <= len(purpose.split()) <= 9 and not set(purpose) & set("`/")
        plan = make_plan(name)
        message = "players a generation" if preset_kind(name).breeds else "One network of"
        assert ("mutants a generation" if name == "cast" else message) in plan.words
        values = {value.key: value.text for value in plan.values}
        load(name, None, [f"{key}={text}" for key, text in values.items() if not key.endswith(("kind", "method"))])
    (tmp_path / "cowan-1").mkdir()
    assert free_name(tmp_path, "cowan") == "cowan-2"


def test_values_of_a_plan_follow_changed_settings() -> None:
    plan = make_plan("cowan", ("variation.mutation=normal", "population.mutants=7", "stages.0.rounds=4"), 3)
    keys = {value.key: value.text for value in plan.values}
    assert "2,048 players" in plan.words and plan.last == 3
    assert keys["population.mutants"] == "7" and "variation.low" not in keys
    assert make_plan("cowan", ("population.parents=x",)) == make_plan("cowan")  # reported when the session is to start


ASK = launch.foresee


def test_estimate_begins_after_typing_ends(opened: Opened, foreseen: Foreseen) -> None:
    hands = opened()
    hands.key("g", "<everything>")
    hands.wait(QUIET_SECONDS + 0.3)
    assert foreseen.asked == [("evolve", "--preset=first", "--estimate", "--json")]
    assert "About 12 min on this machine" in hands.widget("foreseen").hint
    assert "85 MB of memory." in hands.widget("foreseen").hint
    hands.click("section.run")
    hands.click("generations")
    for letter in "123":
        hands.type(letter)
        hands.wait(QUIET_SECONDS / 3)
    assert len(foreseen.asked) == 1
    assert "12 min" not in hands.widget("foreseen").text  # the estimate for other values
    hands.wait(QUIET_SECONDS)
    assert foreseen.asked[1:] == [("evolve", "--preset=first", "--generations=123", "--estimate", "--json")]


def test_earlier_estimates_are_dropped(opened: Opened, foreseen: Foreseen) -> None:
    foreseen.running = True
    hands = opened()
    hands.key("g", "<everything>")
    hands.wait(QUIET_SECONDS + 0.3)
    assert "Playing a few games" in hands.widget("foreseen").text
    hands.click("section.run")
    hands.click("generations")
    hands.type("8")
    hands.wait(0.2)
    assert foreseen.ended == 1
    hands.wait(QUIET_SECONDS)
    assert foreseen.asked[-1][2] == "--generations=8"
    hands.key("escape", "escape")
    assert foreseen.ended == 2


def test_a_time_is_estimated_with_its_last_generation(opened: Opened, foreseen: Foreseen, starts: Starts) -> None:
    hands = opened()
    hands.key("g", "<everything>")
    hands.click("section.run")
    hands.click("minutes")
    hands.type("30")
    hands.wait(QUIET_SECONDS + 0.3)
    assert foreseen.asked == [("evolve", "--preset=first", "--minutes=30", "--estimate", "--json")]
    assert "about 30 minutes" in hands.widget("run.words").text
    hands.key("ctrl+return")
    assert starts.calls[0][2:] == ("--preset=first", "--minutes=30")


def test_a_time_is_refused_where_it_cannot_be_estimated(opened: Opened, starts: Starts) -> None:
    hands = opened()
    hands.key("g", "<everything>")
    hands.app.screen.section.form.values |= {"preset": "cowan-deep", "minutes": "30"}
    hands.key("ctrl+return")
    assert starts.calls == []
    assert "choose the last generation" in hands.widget("minutes.note").text


@pytest.mark.check
def test_a_real_process_answers(opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = ASK(["--preset=cowan", "--generations=1", f"--out={tmp_path}", "--estimate", "--json"], "evolve")
    end = time.monotonic() + 240
    while asked.running:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert asked.trouble == ""
    assert json.loads(asked.output)["words"]


@pytest.mark.parametrize("size", [(640, 480), (800, 600)])
def test_it_is_read_to_its_end_in_a_small_window(size: tuple[int, int], display: None) -> None:
    """It has fewer words there, and the tooltip has all of them."""
    app = picture("session-find", size)
    result = {widget.key: widget for widget in app.view()}
    canvas = Canvas(pygame.Surface(size), app.look)
    for key in ("section.values", "foreseen"):
        result[key].draw(canvas, app.screen.ui)
    assert canvas.elided == []
    foreseen = result["foreseen"]
    assert "3.2 ms each" in foreseen.hint
    assert "3.2" not in foreseen.text
    assert foreseen.text.startswith(foreseen.hint[:11])
