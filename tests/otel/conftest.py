"""What the tests of telemetry get."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.otel.telling import Told


@pytest.fixture
def told() -> Iterator[Told]:
    told = Told()
    yield told
    told.close()
