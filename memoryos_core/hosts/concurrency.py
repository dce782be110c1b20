"""Threads, event loops and forks for adapters."""

from __future__ import annotations

from memoryos_core.api.aio import off_loop
from memoryos_core.api.aio.pool import Pool
from memoryos_core.ports.forks import Event, Lock, renew_in_child
from memoryos_core.ports.models import Contained

__all__ = ["Contained", "Event", "Lock", "Pool", "off_loop", "renew_in_child"]
