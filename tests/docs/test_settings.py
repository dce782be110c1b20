"""The tables of docs/configuration.md are those that the docstrings and defaults make."""

from __future__ import annotations

import dataclasses
import importlib.util

import pytest

from memoryos_core import config
from tests.docs.pages import ROOT

_SPEC = importlib.util.spec_from_file_location("settings_tables", ROOT / "scripts" / "settings_tables.py")
assert _SPEC is not None
assert _SPEC.loader is not None
tables = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(tables)

SETTINGS = [value for name in config.__all__ if dataclasses.is_dataclass(value := getattr(config, name))]


def test_the_page_is_up_to_date() -> None:
    page = tables.PAGE.read_text("utf-8")
    assert tables.filled(page) == page, "run `make docs`, which writes the tables anew"


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda c: c.__name__)
def test_every_setting_is_documented(settings: type) -> None:
    names = {field.name for field in dataclasses.fields(settings)}
    assert set(tables.meanings(settings)) == names
    assert f"<!-- settings: {settings.__name__} -->" in tables.PAGE.read_text("utf-8")
