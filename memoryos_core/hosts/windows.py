"""A recall and the messages beside it, fitted to what a prompt has room for."""

from __future__ import annotations

from memoryos_core.rules.paging.pages import whole
from memoryos_core.rules.ranking.rendering import add_notice
from memoryos_core.rules.ranking.shortening import shorten_recall, without_shown

__all__ = ["add_notice", "shorten_recall", "whole", "without_shown"]
