"""The same verbs, awaitable: every call runs in a small pool of its memory. The only package that knows event loops."""

from __future__ import annotations

from memoryos_core.api.aio.memory import AsyncMemoryOS
from memoryos_core.api.aio.pool import off_loop
from memoryos_core.api.aio.user import AsyncGovernance, AsyncNotes, AsyncTimeline, AsyncUserMemory

__all__ = ["AsyncGovernance", "AsyncMemoryOS", "AsyncNotes", "AsyncTimeline", "AsyncUserMemory", "off_loop"]
