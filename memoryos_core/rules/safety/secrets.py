"""Keys, tokens, passwords and card numbers in a text, by the forms that their providers document (ADR 0017).

They are taken out of all that is learnt.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from operator import is_

from memoryos_core.rules.text.words import regex
from memoryos_core.values.dialogue import Message, Page

# ruff: noqa: E501 - a form is read on one line


@dataclass(frozen=True, slots=True)
class Span:
    """The place of a secret in a text, and its kind."""

    start: int
    end: int
    kind: str


_MARKER = regex(r"(\[redacted: [^\[\]\n]{1,40}\])")
# A secret is a run of printable ASCII of some length, with a sign or a digit; other texts are not searched further.
_NUMBERS = regex(r"[0-9][ \u00a0\u202f-]?[0-9]{3}")
_RUN_CHARS = 16
_RUN = regex(rf"[!-~]{{{_RUN_CHARS}}}")
# Asked of a folded text: without regard to case it would take ten times as long.
_TALKS_OF_ONE = regex(
    r"passw|kennwort|passphrase|pass ?code|pwd|pin\b|secret|token|ap(?:ı|i\u0307?).?key|密码|密碼|パスワード|contraseña|mot de passe"
)
_CARD = regex(r"(?<![\w.-])(?:[0-9][ \u00a0\u202f-]?){12,18}[0-9](?![\w-])")
_CARD_DIGITS = range(13, 20)
# Each begins a word. They are tried in one pass, so none has a group of its own.
_TOKENS: tuple[tuple[str, str], ...] = (
    ("AWS key", r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("GitHub token", r"(?:gh[opusr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    (
        "GitLab token",
        r"gl(?:pat|dt|ft|soat|rt|cbt|ptt|agent|imt|oas|ffct)-[A-Za-z0-9_-]{20,64}(?:\.[0-9a-z]{2,12}){0,2}|GR1348941[A-Za-z0-9_-]{20}",
    ),
    ("Slack token", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,250}|xapp-[0-9]-[A-Za-z0-9-]{10,250}"),
    ("Stripe key", r"(?:sk|rk|whsec)_(?:live_|test_)?[0-9A-Za-z]{16,250}"),
    ("API key", r"sk-[A-Za-z0-9_-]{20,250}|(?:gsk_|pplx-|xai-|r8_)[A-Za-z0-9]{32,100}"),
    ("Google key", r"AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,250}|GOCSPX-[0-9A-Za-z_-]{28}"),
    ("Hugging Face token", r"hf_[A-Za-z0-9]{30,60}\b"),
    ("npm token", r"npm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", r"pypi-[A-Za-z0-9_-]{50,250}"),
    ("SendGrid key", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}"),
    ("Mailgun key", r"key-[0-9a-f]{32}\b"),
    ("Mailchimp key", r"[0-9a-f]{32}-us[0-9]{1,2}\b"),
    ("Twilio key", r"(?:AC|SK)[0-9a-f]{32}\b"),
    ("Square key", r"sq0(?:atp|csp|idp)-[0-9A-Za-z_-]{22,43}"),
    ("Shopify token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    ("Discord token", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}"),
    ("Azure key", r"(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{42,86}={1,2}"),
    ("DigitalOcean token", r"do[opr]_v1_[0-9a-f]{64}\b"),
    ("Databricks token", r"dapi[0-9a-f]{32}(?:-[0-9])?\b"),
    ("Docker token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,60}"),
    ("Vault token", r"hv[sbr]\.[A-Za-z0-9_-]{24,250}"),
    ("Atlassian token", r"AT(?:ATT|CTT)3[A-Za-z0-9_=-]{60,250}"),
    ("Grafana token", r"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,250}"),
    ("Linear key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}\b"),
    ("Notion token", r"ntn_[A-Za-z0-9]{40,60}\b"),
    ("Figma token", r"figd_[A-Za-z0-9_-]{38,60}"),
    ("New Relic key", r"NRAK-[A-Z0-9]{27}\b"),
    ("Postman key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}\b"),
    ("age key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}\b"),
    ("JSON web token", r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,4000}"),
)
_FORMS: tuple[tuple[str, str], ...] = (
    (
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-(?!----)){0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\n){1,4}[A-Za-z0-9+/=]{16,100}){0,400})",
    ),
    (
        "webhook address",
        r"https://(?:hooks\.slack\.com/(?:services|workflows)|(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks)/[A-Za-z0-9/_-]{20,250}",
    ),
    ("npm token", r":_authToken=(?P<secret>[A-Za-z0-9_-]{20,200})"),
    ("Telegram token", r"(?<![0-9])[0-9]{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    ("bearer token", r"(?i:\bbearer) (?P<secret>(?=[A-Za-z._~+/-]{0,200}[0-9])[A-Za-z0-9._~+/-]{20,4000}={0,2})"),
    ("password in a URL", r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s:/@\[\]]{0,100}:(?P<secret>[^\s@/]{1,200})@"),
)
_NAMED = (
    r"passwords?|passwd|passphrase|pwd|pass ?code|api[ _-]?(?:key|token)|access[ _-]?(?:key|token)|auth[ _-]?token"
    r"|secret(?:[ _-]?(?:access[ _-]?)?key)?|client[ _-]?secret|private[ _-]?key|token"
    r"|contraseña|passwort|mot de passe|密码|密碼|パスワード"
)
# "my password is hunter2", 'API_KEY = "…"': the text after the name, when it does not look like a word.
_ASSIGNED = regex(
    rf"(?i:(?<![a-z])(?P<name>{_NAMED})(?![a-z]))[\"'`]?(?: (?i:for) [^\s:=]{{1,40}}(?: [^\s:=]{{1,40}})?)?"
    r"(?:\s{0,3}[:=：]{1,2}>?\s{0,3}|\s{1,3}(?i:is|was|es|ist|lautet|est)\s{1,3}|[是は]\s?)"
    r"[\"'`“「]?(?P<secret>[^\s\"'`”」\[\]，。、]{4,250})"
)
# "Password for the new backup server is hunter2!", "I changed the password of my NAS to hunter2!": more words stand
# between the name and the value, none of them of another clause ("… and my flight is LX1234").
_PLAIN_NAMED = (
    r"passwords?|passwd|passphrase|pwd|pass ?code|(?:api|access|auth)[ _-]?(?:key|token)|client[ _-]?secret|private[ _-]?key"
    r"|contraseña|passwort|kennwort|mot de passe"
)
_NEXT_WORD = (
    r" (?!(?:and|but|or|so|because|while|when|where|which|who|that|is|was|are|were|i|we|he|she|they|works|worked|expire[ds]"
    r"|changed|leaked|failed|fails|needs|has|had|will|must|und|aber|ist|war|et|mais|est|y|pero|es)\b)"
    r"[^\s:=,;!?.]{1,40}(?:\.[^\s:=,;!?.]{1,40}){0,3}"
)
_OF_WHAT = rf"(?: (?:for|to|of|on|at|in|from|für|zum|zur|vom|von|pour|de|du|des|para|del)(?:{_NEXT_WORD}){{1,7}}?)"
_VALUE = r"[\"'`“]?(?P<secret>[^\s\"'`”]{4,250})"
_PLAINLY = (
    regex(
        rf"(?i:(?<![a-z])(?P<name>{_PLAIN_NAMED}){_OF_WHAT}?(?:\s{{1,3}}(?:is|was|es|ist|lautet|est)"
        rf"(?:\s(?:now|still|again|jetzt|ahora|maintenant))?:?\s{{1,3}}|\s?[:=]\s{{0,3}})){_VALUE}"
    ),
    regex(
        rf"(?i:\b(?:chang|set|reset|updat)[a-z]{{0,3}}(?: [a-z']{{1,15}}){{0,3}}? (?P<name>{_PLAIN_NAMED}){_OF_WHAT}?"
        rf" to(?: be)?\s{{1,3}}){_VALUE}"
    ),
)
_TRAILING = ".,;:!?)}>"
_SIGN = regex(r"[0-9]")
_LETTER = regex(r"[A-Za-z@#$%^&*!_+~-]")
_LEAST_SECRET = 6
# "password = Column(String(128))" is source code, not a password.
_CODE = "("
# A value of an unknown provider stands alone, mixes cases and digits, and is as irregular as a key. Addresses, names with
# hyphens or underscores, and hashes, which have no capitals, are no such values.
_RANDOM = regex(r"(?<![\w+/=.:@#?&%-])(?P<secret>[A-Za-z0-9+/]{32,200}={0,2})(?![\w+/=@-]|\.\w)", re.ASCII)
_LEAST_BITS = 4.2
_LEAST_DIGITS = 3


@lru_cache(maxsize=1)
def _token_patterns() -> tuple[re.Pattern[str], tuple[tuple[str, re.Pattern[str]], ...]]:
    tokens = "|".join(f"({form})" for _, form in _TOKENS)
    # ASCII: otherwise a Chinese letter before or behind a token hides its edge.
    return regex(rf"\b(?:{tokens})", re.ASCII), tuple((kind, regex(form)) for kind, form in _FORMS)


def spans(text: str) -> Iterator[Span]:
    """Return the places of secrets that have a known form; they may overlap."""
    tokens, forms = _token_patterns()
    for found in tokens.finditer(text):
        yield Span(found.start(), found.end(), _TOKENS[(found.lastindex or 1) - 1][0])
    for kind, form in forms:
        for found in form.finditer(text):
            yield _span(found, kind)
    yield from _assignments(text)
    for found in _RANDOM.finditer(text):
        if is_random(found["secret"]):
            yield _span(found, "random string")
    for found in _CARD.finditer(text):
        if is_card(found.group()):
            yield Span(found.start(), found.end(), "card number")


def _assignments(text: str) -> Iterator[Span]:
    for found in chain(_ASSIGNED.finditer(text), *(pattern.finditer(text) for pattern in _PLAINLY)):
        name, secret = found["name"].lower(), found["secret"].rstrip(_TRAILING)
        if len(secret) >= _LEAST_SECRET and _CODE not in secret and _SIGN.search(secret) and _LETTER.search(secret):
            kind = "key" if "key" in name else "token" if "token" in name else "password"
            yield Span(found.start("secret"), found.start("secret") + len(secret), kind)


def is_random(text: str) -> bool:
    """Return whether a string looks drawn by chance: capitals, small letters, digits, and few repetitions."""
    counts = Counter(text)
    digits = sum(counts[digit] for digit in "0123456789")
    if digits < _LEAST_DIGITS or text.upper() == text or text.lower() == text:
        return False
    # Shannon's, in bits a character.
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) >= _LEAST_BITS


def is_card(text: str) -> bool:
    """Return whether the digits could be a card number: right length, known first digit and a valid check digit."""
    digits = [int(c) for c in text if c.isdigit()]
    if len(digits) not in _CARD_DIGITS or digits[0] not in (2, 3, 4, 5, 6) or len(set(digits)) == 1:
        return False
    doubled = (d * 2 - 9 if d > 4 else d * 2 for d in digits[-2::-2])  # noqa: PLR2004 - Luhn
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def may_hold(text: str) -> bool:
    """Return whether a text is worth searching for secrets; most texts are not."""
    return (
        _NUMBERS.search(text) is not None
        or (max(map(len, text.split()), default=0) >= _RUN_CHARS and _RUN.search(text) is not None)
        or _TALKS_OF_ONE.search(text.casefold()) is not None
        or "-----BEGIN" in text
    )


def redact(text: str) -> str:
    """The text with each secret replaced by what it was. Markers that are there already are left alone."""
    while may_hold(text):
        pieces = _MARKER.split(text)
        # Every second piece is a marker. The text beside it is searched again, until nothing is found.
        pieces[::2] = [_redact_text(piece) for piece in pieces[::2]]
        changed = "".join(pieces)
        if changed == text:
            break
        text = changed
    return text


def _redact_text(text: str) -> str:
    if not may_hold(text):
        return text
    out: list[str] = []
    end = 0
    for span in sorted(spans(text), key=lambda s: (s.start, -s.end)):
        if span.start >= end:
            out += (text[end : span.start], f"[redacted: {span.kind}]")
        end = max(end, span.end)
    return "".join((*out, text[end:]))


def _span(found: re.Match[str], kind: str) -> Span:
    name = "secret" if "secret" in found.re.groupindex else 0
    return Span(found.start(name), found.end(name), kind)


# What is learnt from is the first 4,000 characters of a message; a key that they cut in two is to be seen whole.
_READ_CHARS = 8000
_MOST_CLEAN = 8192  # texts known to hold no secret, about half a megabyte of digests


class Redactor:
    """Takes secrets out of texts; with `enabled` False it takes out none.

    A page is read by several steps: that a text holds no secret is remembered, by its digest.
    """

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled
        self._clean: set[bytes] = set()

    def text(self, text: str) -> str:
        """The text without its secrets, each replaced by what it was."""
        if not self._enabled:
            return text
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest in self._clean:
            return text
        redacted = redact(text)
        if redacted == text:
            if len(self._clean) >= _MOST_CLEAN:
                self._clean.clear()
            self._clean.add(digest)
        return redacted

    def beginning(self, text: str) -> str:
        """As much of a text as is learnt from, without its secrets."""
        return self.text(text[:_READ_CHARS]) if self._enabled else text

    def page(self, page: Page) -> Page:
        """The page as it is learnt from: the beginning of each message, without secrets."""
        if not self._enabled:
            return page
        messages = tuple(map(self._message, page.messages))
        return page if all(map(is_, messages, page.messages)) else replace(page, messages=messages)

    def _message(self, message: Message) -> Message:
        name = self.text(message.name) if message.name else message.name
        text = self.beginning(message.text)
        if text == message.text and name == message.name:
            return message
        return replace(message, text=text, name=name)
