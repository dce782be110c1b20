"""Keys, tokens, passwords and card numbers in a text, by their form: the few that need no other package (ADR 0017).

`redact` puts "[redacted: AWS key]" in the place of each. Redacting again changes nothing.
"""

from __future__ import annotations

# ruff: noqa: E501 - a form is read on one line
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Span:
    """The place of a secret in a text, and its kind."""

    start: int
    end: int
    kind: str


Finder: TypeAlias = Callable[[str], Iterable[Span]]

_MARKER = re.compile(r"(\[redacted: [^\[\]\n]{1,40}\])")
# A secret is a run of printable ASCII of some length, with a sign or a digit; other texts are not searched further.
_MAY_BE = re.compile(
    r"-----BEGIN|[0-9][ \u00a0\u202f-]?[0-9]{3}|[!-~]{16}|(?i:passw|passphrase|pwd|pin\b|secret|token|api.?key|密码|密碼|パスワード|contraseña|passwort|mot de passe)"
)
_CARD = re.compile(r"(?<![\w.-])(?:[0-9][ \u00a0\u202f-]?){12,18}[0-9](?![\w-])")
_CARD_DIGITS = range(13, 20)
_FORMS: tuple[tuple[str, str], ...] = (
    (
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-(?!----)){0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\n){1,4}[A-Za-z0-9+/=]{16,100}){0,400})",
    ),
    ("AWS key", r"\b(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("GitHub token", r"\b(?:gh[opusr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    ("GitLab token", r"\bgl(?:pat|dt|ft|soat|rt|cbt|ptt)-[A-Za-z0-9_-]{20,64}"),
    ("Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,250}|https://hooks\.slack\.com/services/[A-Za-z0-9/_-]{20,250}"),
    ("Stripe key", r"\b(?:sk|rk|whsec)_(?:live_|test_)?[0-9A-Za-z]{16,250}"),
    ("API key", r"\bsk-[A-Za-z0-9_-]{20,250}"),
    ("Google key", r"\bAIza[0-9A-Za-z_-]{35}|\bya29\.[0-9A-Za-z_-]{20,250}"),
    ("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,60}\b"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", r"\bpypi-[A-Za-z0-9_-]{50,250}"),
    ("SendGrid key", r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}"),
    ("JSON web token", r"\beyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,4000}"),
    ("bearer token", r"(?i:\bbearer) (?P<secret>(?=[A-Za-z._~+/-]{0,200}[0-9])[A-Za-z0-9._~+/-]{20,4000}={0,2})"),
    ("password in a URL", r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s:/@\[\]]{0,100}:(?P<secret>[^\s@/]{1,200})@"),
)
_NAMED = (
    r"passwords?|passwd|passphrase|pwd|pass ?code|api[ _-]?(?:key|token)|access[ _-]?(?:key|token)|auth[ _-]?token"
    r"|secret(?:[ _-]?(?:access[ _-]?)?key)?|client[ _-]?secret|private[ _-]?key|token"
    r"|contraseña|passwort|mot de passe|密码|密碼|パスワード"
)
# "my password is hunter2", 'API_KEY = "…"': the text after the name, when it does not look like a word.
_ASSIGNED = re.compile(
    rf"(?i:(?<![a-z])(?P<name>{_NAMED})(?![a-z]))[\"'`]?(?: (?i:for) [^\s:=]{{1,40}}(?: [^\s:=]{{1,40}})?)?"
    r"(?:\s{0,3}[:=：]{1,2}>?\s{0,3}|\s{1,3}(?i:is|was|es|ist|lautet|est)\s{1,3}|[是は]\s?)"
    r"[\"'`“「]?(?P<secret>[^\s\"'`”」\[\]，。、]{4,250})"
)
_TRAILING = ".,;:!?)}>"
_SIGN = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z@#$%^&*!_+~-]")
_LEAST_SECRET = 6
# "password = Column(String(128))" is source code, not a password.
_CODE = "("


@lru_cache(maxsize=1)
def _forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(form)) for kind, form in _FORMS)


def spans(text: str) -> Iterator[Span]:
    """Return the places of secrets that have a known form; they may overlap."""
    for kind, form in _forms():
        for found in form.finditer(text):
            yield _span(found, kind)
    for found in _ASSIGNED.finditer(text):
        secret = found["secret"].rstrip(_TRAILING)
        if len(secret) >= _LEAST_SECRET and _CODE not in secret and _SIGN.search(secret) and _LETTER.search(secret):
            kind = (
                "key" if "key" in found["name"].lower() else "token" if "token" in found["name"].lower() else "password"
            )
            yield Span(found.start("secret"), found.start("secret") + len(secret), kind)
    for found in _CARD.finditer(text):
        if is_card(found.group()):
            yield Span(found.start(), found.end(), "card number")


def is_card(text: str) -> bool:
    """Return whether the digits could be a card number: right length, known first digit and a valid check digit."""
    digits = [int(c) for c in text if c.isdigit()]
    if len(digits) not in _CARD_DIGITS or digits[0] not in (2, 3, 4, 5, 6) or len(set(digits)) == 1:
        return False
    doubled = (d * 2 - 9 if d > 4 else d * 2 for d in digits[-2::-2])  # noqa: PLR2004 - Luhn
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def may_hold(text: str) -> bool:
    """Return whether a text is worth searching for secrets; most texts are not."""
    return _MAY_BE.search(text) is not None


def redact(text: str, finders: Iterable[Finder] = (spans,)) -> str:
    """The text with each secret replaced by what it was. Markers that are there already are left alone."""
    finders = tuple(finders)
    while may_hold(text):
        pieces = _MARKER.split(text)
        # Every second piece is a marker. The text beside it is searched again, until nothing is found.
        pieces[::2] = [_redact_text(piece, finders) for piece in pieces[::2]]
        changed = "".join(pieces)
        if changed == text:
            break
        text = changed
    return text


def _redact_text(text: str, finders: Iterable[Finder]) -> str:
    if not may_hold(text):
        return text
    out: list[str] = []
    end = 0
    for span in sorted((s for find in finders for s in find(text)), key=lambda s: (s.start, -s.end)):
        if span.start >= end:
            out += (text[end : span.start], f"[redacted: {span.kind}]")
        end = max(end, span.end)
    return "".join((*out, text[end:]))


def _span(found: re.Match[str], kind: str) -> Span:
    name = "secret" if "secret" in found.re.groupindex else 0
    return Span(found.start(name), found.end(name), kind)
