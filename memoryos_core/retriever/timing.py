"""How long each stage of a recall took."""

from __future__ import annotations

import time


class Timings:
    """Milliseconds by stage; a stage that comes again adds to its own."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """The stage that has just ended."""
        now = time.perf_counter()
        self.laps[name] = round(self.laps.get(name, 0.0) + (now - self._last) * 1e3, 3)
        self._last = now
