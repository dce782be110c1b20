"""Opened memories: how one is found again, and what ends with it."""

from __future__ import annotations

from memoryos_core.api.memory import IN_PROCESS, reopen, when_closed

__all__ = ["IN_PROCESS", "reopen", "when_closed"]
