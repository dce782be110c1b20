from __future__ import annotations

import gc

import pytest

from memoryos_core.ports.optional_imports import collector_paused


def fail_to_import() -> None:
    with collector_paused():
        assert not gc.isenabled()
        raise ImportError


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_goes_on_as_it_was_before_an_import(enabled: bool) -> None:
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with pytest.raises(ImportError):
            fail_to_import()
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()
