"""MemoryOS: short-term, mid-term and long-term personal memory for LLM agents, with heat deciding what moves.

Importing this package opens nothing, starts nothing and reaches no network.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from memoryos_core.api.aio import AsyncGovernance, AsyncMemoryOS, AsyncNotes, AsyncTimeline, AsyncUserMemory
from memoryos_core.api.audit_heads import AuditKey, ShippedHeads
from memoryos_core.api.governance import Governance
from memoryos_core.api.knowledge import Timeline
from memoryos_core.api.memory import MemoryOS
from memoryos_core.api.notes import Notes
from memoryos_core.api.user import UserMemory
from memoryos_core.config import (
    GenerationConfig,
    HeatConfig,
    LongTermConfig,
    MemoryConfig,
    MidTermConfig,
    RecallConfig,
    RetentionPolicy,
    SafetyConfig,
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
    OutcomeUnknownError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreKeyError,
    StoreUnreachableError,
    StoreUnwritableError,
    UnsupportedError,
)
from memoryos_core.values.audit import Activity, AuditEntry, AuditReport, AuditSummary, Grant, LoggedRecall
from memoryos_core.values.chat import ChatReply, ChatRequest, Prompt
from memoryos_core.values.commands import NoteWrite
from memoryos_core.values.dialogue import Hit, Message, Page, Recall, Scope, Segment, Topic
from memoryos_core.values.encryption_keys import Keys
from memoryos_core.values.facts import Fact, Profile, ProfileField, Trait
from memoryos_core.values.notes import Note
from memoryos_core.values.reports import (
    ConsolidationReport,
    FactCount,
    ForgetReceipt,
    MonthCount,
    RestoreReport,
    SessionSpan,
    Stats,
    Usage,
)

__all__ = [
    "AccessError",
    "Activity",
    "AsyncGovernance",
    "AsyncMemoryOS",
    "AsyncNotes",
    "AsyncTimeline",
    "AsyncUserMemory",
    "AuditEntry",
    "AuditKey",
    "AuditReport",
    "AuditSummary",
    "ChatReply",
    "ChatRequest",
    "ClosedError",
    "ConfigError",
    "ConflictError",
    "ConsolidationReport",
    "EmbedderMismatchError",
    "Fact",
    "FactCount",
    "ForgetReceipt",
    "GenerationConfig",
    "Governance",
    "Grant",
    "HeatConfig",
    "Hit",
    "InvalidInputError",
    "Keys",
    "LoggedRecall",
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
    "MonthCount",
    "NotFoundError",
    "Note",
    "NoteWrite",
    "Notes",
    "OutcomeUnknownError",
    "Page",
    "Profile",
    "ProfileField",
    "Prompt",
    "Recall",
    "RecallConfig",
    "RestoreReport",
    "RetentionPolicy",
    "SafetyConfig",
    "Scope",
    "Segment",
    "SessionSpan",
    "ShippedHeads",
    "ShortTermConfig",
    "Stats",
    "StoreBusyError",
    "StoreCorruptError",
    "StoreError",
    "StoreKeyError",
    "StoreUnreachableError",
    "StoreUnwritableError",
    "Timeline",
    "Topic",
    "Trait",
    "UnsupportedError",
    "Usage",
    "UserMemory",
    "WorkerConfig",
]

__version__: str
"""The version of the installed distribution, read when it is first asked for."""

if not TYPE_CHECKING:  # a checker that saw this would take any name for one of ours

    def __getattr__(name: str) -> str:
        """Return the version. Raises AttributeError for any other name that is not there."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found = _import_module("importlib.metadata").version("memoryos-tiered")
        return found
