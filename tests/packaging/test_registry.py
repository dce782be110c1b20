"""The entry for the MCP registry: the fields that its schema (2025-12-11) documents, and the project it speaks of.

The registry reads the README of the package on the index to find out that entry and package have one owner.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
ENTRY: dict[str, Any] = json.loads((ROOT / "server.json").read_text("utf-8"))
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
(PACKAGE,) = ENTRY["packages"]
ARGUMENTS = [*PACKAGE["runtimeArguments"], *PACKAGE["packageArguments"]]

_INPUT = {"description", "isRequired", "format", "value", "isSecret", "default", "placeholder", "choices", "variables"}
FIELDS = {
    "entry": {"$schema", "name", "title", "description", "version", "repository", "websiteUrl", "icons", "packages"},
    "package": {
        *("registryType", "registryBaseUrl", "identifier", "version", "fileSha256", "runtimeHint", "transport"),
        *("runtimeArguments", "packageArguments", "environmentVariables"),
    },
    "named": {"type", "name", "isRepeated", *_INPUT},
    "positional": {"type", "valueHint", "isRepeated", *_INPUT},
    "variable": {"name", *_INPUT},
}


def project(name: str) -> str:
    found = re.search(rf'(?m)^{name} = "([^"]+)"', PROJECT)
    assert found is not None
    return found[1]


def test_the_entry_has_the_fields_that_are_needed_and_no_others() -> None:
    assert ENTRY["$schema"].endswith("/schemas/2025-12-11/server.schema.json")
    assert {"$schema", "name", "description", "version"} <= ENTRY.keys() <= FIELDS["entry"]
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", ENTRY["name"])
    assert 3 <= len(ENTRY["name"]) <= 200
    assert 1 <= len(ENTRY["description"]) <= 100
    assert 1 <= len(ENTRY["title"]) <= 100


def test_the_package_is_ours_in_this_version() -> None:
    needed = {"registryType", "identifier", "version", "transport", "runtimeHint"}
    assert needed <= PACKAGE.keys() <= FIELDS["package"]
    assert (PACKAGE["registryType"], PACKAGE["registryBaseUrl"]) == ("pypi", "https://pypi.org")
    assert PACKAGE["identifier"] == project("name")
    assert ENTRY["version"] == PACKAGE["version"] == project("version")
    assert PACKAGE["transport"] == {"type": "stdio"}
    assert f'\n{PACKAGE["identifier"]} = "memoryos_command:main"' in PROJECT  # what clients run


@pytest.mark.parametrize("argument", ARGUMENTS, ids=lambda a: a.get("name") or a.get("valueHint") or a["value"])
def test_an_argument_is_written_as_the_registry_reads_it(argument: dict[str, Any]) -> None:
    assert argument.keys() <= FIELDS[argument["type"]]
    if argument["type"] == "named":
        assert argument["name"].startswith("--")
    else:
        assert {"value", "valueHint"} & argument.keys()


def test_a_secret_is_asked_for_as_one() -> None:
    (key,) = PACKAGE["environmentVariables"]
    assert key.keys() <= FIELDS["variable"]
    assert (key["name"], key["isSecret"]) == ("MEMORYOS_KEY", True)


def test_the_extra_is_that_of_the_server_in_this_version() -> None:
    (extra,) = PACKAGE["runtimeArguments"]
    assert (extra["name"], extra["value"]) == ("--with", f"{project('name')}[mcp]=={project('version')}")


def test_the_readme_names_the_entry_where_the_registry_looks() -> None:
    assert project("readme") == "README.md"
    marks = re.findall(r"<!-- mcp-name: (\S+) -->", (ROOT / "README.md").read_text("utf-8"))
    assert marks == [ENTRY["name"]]
