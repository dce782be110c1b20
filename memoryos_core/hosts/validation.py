"""Checks of the arguments that a caller of an adapter hands in. Each raises InvalidInputError."""

from __future__ import annotations

from memoryos_core.rules.validation import count, flag, identifier, moment, share, text, tiers, whole_number

__all__ = ["count", "flag", "identifier", "moment", "share", "text", "tiers", "whole_number"]
