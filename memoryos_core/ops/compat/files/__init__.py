"""Brings the JSON files of the published MemoryOS (`users/<id>/*.json`, `assistants/<id>/*.json`) into a memory."""

from __future__ import annotations

from memoryos_core.ops.compat.files.importer import DEFAULT_ASSISTANT, PublishedFiles, find_published, import_published

__all__ = ["DEFAULT_ASSISTANT", "PublishedFiles", "find_published", "import_published"]
