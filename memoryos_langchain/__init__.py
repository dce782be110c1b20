"""MemoryOS for LangChain: translates and delegates; all policy stays in `memoryos_core`."""

from __future__ import annotations

__all__: list[str] = []
