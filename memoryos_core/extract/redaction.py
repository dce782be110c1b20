"""Secrets are taken out of all that is learnt: our own few forms, and those that `detect-secrets` keeps (ADR 0017)."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import Protocol, cast

from memoryos_core.ports.forks import Lock
from memoryos_core.rules.safety.secrets import Finder, Span, may_hold, redact, spans
from memoryos_core.values.dialogue import Message, Page

logger = logging.getLogger(__name__)

# Those that know a service's tokens by their form. Left out: what looks for randomness or for the word "secret" in
# source code, public addresses, and what our own forms read better in prose.
_PLUGINS = (
    ("aws", "AWSKeyDetector", "AWS key"),
    ("azure_storage_key", "AzureStorageKeyDetector", "Azure key"),
    ("cloudant", "CloudantDetector", "Cloudant key"),
    ("discord", "DiscordBotTokenDetector", "Discord token"),
    ("github_token", "GitHubTokenDetector", "GitHub token"),
    ("gitlab_token", "GitLabTokenDetector", "GitLab token"),
    ("ibm_cloud_iam", "IbmCloudIamDetector", "IBM key"),
    ("ibm_cos_hmac", "IbmCosHmacDetector", "IBM key"),
    ("jwt", "JwtTokenDetector", "JSON web token"),
    ("mailchimp", "MailchimpDetector", "Mailchimp key"),
    ("npm", "NpmDetector", "npm token"),
    ("openai", "OpenAIDetector", "OpenAI key"),
    ("pypi_token", "PypiTokenDetector", "PyPI token"),
    ("sendgrid", "SendGridDetector", "SendGrid key"),
    ("slack", "SlackDetector", "Slack token"),
    ("softlayer", "SoftlayerDetector", "SoftLayer key"),
    ("square_oauth", "SquareOAuthDetector", "Square key"),
    ("stripe", "StripeDetector", "Stripe key"),
    ("telegram_token", "TelegramBotTokenDetector", "Telegram token"),
    ("twilio", "TwilioKeyDetector", "Twilio key"),
)
# Shorter matches would also be replaced where they stand as a part of words.
_LEAST_CHARS = 12
# What is learnt from is the first 4,000 characters of a message; a key that they cut in two is to be seen whole.
_READ_CHARS = 8000
# The plugins are made for lines of source code: some take time with the cube of a run of white space, most with the
# square of the text. So they get no such runs, and some text at a time; their secrets are shorter than the overlap.
_RUN = re.compile(r"(\s)\s{3,}")
_WINDOW_CHARS, _OVERLAP_CHARS = 2000, 400


class _Plugin(Protocol):
    def analyze_string(self, string: str) -> Iterable[str]: ...


class Redactor:
    """Takes secrets out of texts; with `enabled` False it takes out none. Thread-safe; loads with the first text."""

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled
        self._lock = Lock()
        self._finders: tuple[Finder, ...] | None = None

    def text(self, text: str) -> str:
        """The text without its secrets, each replaced by what it was."""
        return redact(text, self._load_finders()) if self._enabled and may_hold(text) else text

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

    def _load_finders(self) -> tuple[Finder, ...]:
        with self._lock:
            if self._finders is None:
                self._finders = (spans, *_detector())
            return self._finders


def _detector() -> Iterator[Finder]:
    try:
        yield _Detector()
    except ImportError:
        # Declared, yet some take it out: what is known by its form is found all the same.
        logger.warning("detect-secrets is not installed: only the most common kinds of secrets are redacted")


class _Detector:
    """The plugins of detect-secrets on a string: no file is read and no token is tried out."""

    def __init__(self) -> None:
        self._plugins = tuple(
            (cast("_Plugin", getattr(import_module(f"detect_secrets.plugins.{module}"), name)()), kind)
            for module, name, kind in _PLUGINS
        )

    def __call__(self, text: str) -> Iterator[Span]:
        found = {
            (secret, kind): None
            for window in _windows(_RUN.sub(r"\1", text))
            for plugin, kind in self._plugins
            for secret in plugin.analyze_string(window)
            if len(secret) >= _LEAST_CHARS
        }
        for secret, kind in found:
            yield from _everywhere(text, secret, kind)


def _windows(text: str) -> Iterator[str]:
    for at in range(0, max(len(text) - _OVERLAP_CHARS, 1), _WINDOW_CHARS - _OVERLAP_CHARS):
        yield text[at : at + _WINDOW_CHARS]


def _everywhere(text: str, secret: str, kind: str) -> Iterator[Span]:
    at = text.find(secret)
    while at >= 0:
        yield Span(at, at + len(secret), kind)
        at = text.find(secret, at + len(secret))
