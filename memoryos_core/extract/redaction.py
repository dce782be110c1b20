"""Secrets are taken out of all that is learnt (ADR 0017)."""

from __future__ import annotations

from dataclasses import replace

from memoryos_core.rules.safety.secrets import redact
from memoryos_core.values.dialogue import Message, Page

# What is learnt from is the first 4,000 characters of a message; a key that they cut in two is to be seen whole.
_READ_CHARS = 8000


class Redactor:
    """Takes secrets out of texts; with `enabled` False it takes out none."""

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled

    def text(self, text: str) -> str:
        """The text without its secrets, each replaced by what it was."""
        return redact(text) if self._enabled else text

    def beginning(self, text: str) -> str:
        """As much of a text as is learnt from, without its secrets."""
        return self.text(text[:_READ_CHARS]) if self._enabled else text

    def page(self, page: Page) -> Page:
        """The page as it is learnt from: the beginning of each message, without secrets."""
        if not self._enabled:
            return page
        return replace(page, messages=tuple(map(self._message, page.messages)))

    def _message(self, message: Message) -> Message:
        name = self.text(message.name) if message.name else message.name
        return replace(message, text=self.beginning(message.text), name=name)
