"""The same verbs, awaitable: every call runs in a small pool of its memory. The only package that knows event loops."""

from __future__ import annotations

from memoryos_core.aio.governance import AsyncGovernance
from memoryos_core.aio.memory import AsyncMemoryOS
from memoryos_core.aio.notes import AsyncNotes
from memoryos_core.aio.pool import off_loop
from memoryos_core.aio.user import AsyncUserMemory

__all__ = ["AsyncGovernance", "AsyncMemoryOS", "AsyncNotes", "AsyncUserMemory", "off_loop"]
