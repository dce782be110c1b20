"""What a release says of itself: its version, its date, its lock, its workflow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_changelog_begins_with_this_version_and_its_date() -> None:
    version = re.search(r'(?m)^version = "([^"]+)"', PROJECT)
    assert version is not None
    log = (ROOT / "CHANGELOG.md").read_text("utf-8")
    sections = [found for found in re.findall(r"(?m)^## (.+)$", log) if found != "[Unreleased]"]
    assert re.fullmatch(rf"\[{re.escape(version[1])}\] - \d{{4}}-\d\d-\d\d", sections[0])


def test_the_lock_names_everything_that_setup_installs() -> None:
    lock = (ROOT / ".ci" / "lock.txt").read_text("utf-8")
    locked = {normal(name) for name in re.findall(r"(?m)^([A-Za-z0-9._-]+)==", lock)}
    # Every quoted requirement of the dependencies, extras and groups, but for those of `peers`: CI installs none of it.
    needs = PROJECT.partition("dependencies = [")[2].partition("[tool.hatch")[0]
    names = {normal(name) for name in re.findall(r'"([A-Za-z][A-Za-z0-9._-]*)(?:\[[a-z,]+\])?(?:[<>=]=?[^"]*)"', needs)}
    assert len(names) > 40
    assert names - locked == {"mem0ai", "pyarrow", "google-adk"}
    assert "\ngoogle-adk==" in (ROOT / ".ci" / "lock-adk.txt").read_text("utf-8")  # an environment of its own


def test_the_workflow_runs_what_ci_runs_on_every_python() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert "run: bash .ci/run" in workflow
    assert re.findall(r'"(3\.\d+)"', workflow) == re.findall(r"Python :: (3\.\d+)", PROJECT)


@pytest.mark.parametrize("target", ["setup", "check", "test-min", "test"])
def test_ci_runs_every_target(target: str) -> None:
    assert f"step {target}" in (ROOT / ".ci" / "run").read_text("utf-8")
    assert re.search(rf"(?m)^{target}:", MAKEFILE)


def test_check_builds_the_archives() -> None:
    assert "dist" in (re.findall(r"(?m)^check:(.*?)##", MAKEFILE)[0]).split()
