"""MemoryOS: short-term, mid-term and long-term personal memory for LLM agents, with heat deciding what moves.

Importing this package opens nothing, starts nothing and reaches no network.
"""

from __future__ import annotations

from memoryos_core.aio import AsyncMemoryOS, AsyncNotes, AsyncUserMemory
from memoryos_core.config import (
    GenerationConfig,
    HeatConfig,
    LongTermConfig,
    MemoryConfig,
    MidTermConfig,
    RecallConfig,
    ShortTermConfig,
    WorkerConfig,
)
from memoryos_core.errors import (
    AccessError,
    ClosedError,
    ConfigError,
    ConflictError,
    EmbedderMismatchError,
    InvalidInputError,
    MemoryOSError,
    MissingExtraError,
    ModelAnswerError,
    ModelBudgetError,
    ModelError,
    NotFoundError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreKeyError,
    StoreUnwritableError,
)
from memoryos_core.memory import MemoryOS
from memoryos_core.models import (
    Fact,
    Hit,
    Message,
    Note,
    Page,
    Profile,
    ProfileField,
    Recall,
    Scope,
    Segment,
    Trait,
)
from memoryos_core.moves import NoteWrite
from memoryos_core.notes import Notes
from memoryos_core.queries import ChatReply, ChatRequest, Prompt
from memoryos_core.reports import ConsolidationReport, ForgetReceipt, RestoreReport, Stats, Usage
from memoryos_core.user import UserMemory

__all__ = [
    "AccessError",
    "AsyncMemoryOS",
    "AsyncNotes",
    "AsyncUserMemory",
    "ChatReply",
    "ChatRequest",
    "ClosedError",
    "ConfigError",
    "ConflictError",
    "ConsolidationReport",
    "EmbedderMismatchError",
    "Fact",
    "ForgetReceipt",
    "GenerationConfig",
    "HeatConfig",
    "Hit",
    "InvalidInputError",
    "LongTermConfig",
    "MemoryConfig",
    "MemoryOS",
    "MemoryOSError",
    "Message",
    "MidTermConfig",
    "MissingExtraError",
    "ModelAnswerError",
    "ModelBudgetError",
    "ModelError",
    "NotFoundError",
    "Note",
    "NoteWrite",
    "Notes",
    "Page",
    "Profile",
    "ProfileField",
    "Prompt",
    "Recall",
    "RecallConfig",
    "RestoreReport",
    "Scope",
    "Segment",
    "ShortTermConfig",
    "Stats",
    "StoreBusyError",
    "StoreCorruptError",
    "StoreError",
    "StoreKeyError",
    "StoreUnwritableError",
    "Trait",
    "Usage",
    "UserMemory",
    "WorkerConfig",
]
