"""Aspects of answers that an instruction settles, such as language, length or emojis: a later one replaces an earlier.

The words for them are here, as `instructions` finds them in what a user says.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from memoryos_core.rules.text.words import regex

LANGUAGES = (
    r"(?:English|French|German|Spanish|Italian|Portuguese|Dutch|Polish|Russian|Turkish|Arabic|Hindi|Chinese|Mandarin"
    r"|Japanese|Korean|Swedish|Danish|Norwegian|Finnish|Greek|Czech|Ukrainian)"
)
# Not "more specific", "formal" or "honest": that is said of a draft at hand, or of one answer.
TONE = r"(?:brief|briefer|concise|short|shorter|succinct|terse|direct|blunt|critical|to the point)"
DEGREE = r"(?:(?:a )?(?:bit |little |lot )?(?:more|less) |very |really |fairly |nice and |as )?"
# What decorates an answer, and what only fills it. A draft has an introduction and tables, too: they are not skipped.
FILLER = (
    r"(?:emojis?|smileys|emoticons|disclaimers?|caveats?|pleasantries|small ?talk|preambles?|apologies|jargon|fluff"
    r"|exclamation marks?|filler|flattery|compliments|jokes|puns|slang|swearing|lectures?|sugar-?coating|clich[eé]s?)"
)
ORNAMENT = rf"(?:{FILLER}|bullet ?points?|bullets|lists|tables|markdown|headings|hashtags)"
SEVERAL = rf"{ORNAMENT}(?:(?:,? and(?: no)?|, no|,| or) {ORNAMENT})*"
ANSWERS = r"(?:answers|replies|responses)"
A_MESSAGE = r"(?:answers?|replies|reply|responses?|messages?|sentences)"
LENGTHS = rf"(?:short|shorter|brief|concise|one-line|long|longer|detailed|full) {ANSWERS}(?: only)?"
# What a text is made of, in a form that somebody likes or not.
FORM = r"(?:normal|proper|plain|full|whole|real) (?:paragraphs|prose)"
HARD_WORDS = r"(?:(?:difficult|technical|hard|big|normal|harder|longer|proper) words|technical (?:terms|language))"
COUNT = r"(?:\d+|one|two|three|four|five|six|a (?:few|couple(?: of)?))(?: (?:or|to) (?:\d+|two|three|four|five|six))?"

_WANTED = regex(
    r"(?:The user|[A-ZÀ-Þ][\w' .-]{0,60}?) (?:wants the assistant to|said: \") ?(?:from now on,? )?"
    r"(?P<order>[^\"]+?)[.\"!]*$",
    re.IGNORECASE,
)
_PARTS = regex(r" and (?=(?:always|never|be|stop|use|answer|reply|give|skip|keep)\b)", re.IGNORECASE)
# Each is the whole of an order: "use emojis in headings" or "write comments in English" settles less.
_USES = regex(
    r"(?P<no>never |stop |quit )?(?:feel free to |always )?(?:use|using|add|adding|answer in|reply in|give) (?:an? )?"
    rf"(?P<what>{SEVERAL})(?: again| only)?",
    re.IGNORECASE,
)
_SPEAKS = regex(
    r"(?:always |only )*(?:answer|reply|respond|speak|talk|write)(?: to them)?(?: only)? (?:in )?"
    rf"(?P<language>{LANGUAGES})(?: only)?",
    re.IGNORECASE,
)
_IS_SHORT = regex(
    rf"(?:always )?(?:be|stay|keep it|keep things|keep the assistant's {ANSWERS}) (?P<less>{DEGREE})"
    r"(?P<tone>brief|briefer|concise|short|shorter|succinct|terse|to the point)"
    r"|(?:always |feel free to )?(?:give|write) "
    rf"(?:(?P<long>long|longer|detailed|more detailed|full)|short|shorter|brief|concise|one-line) {ANSWERS}(?: only)?"
    r"(?: again)?"
    rf"|keep (?:it|things|the assistant's (?:{ANSWERS}|messages)|{ANSWERS}) (?:to|under|within|below)"
    rf" (?:just )?{COUNT} (?:lines|sentences|words|paragraphs)(?: unless they ask(?: for more)?)?"
    r"|feel free to (?P<more>go|be) (?:longer|more detailed)",
    re.IGNORECASE,
)
# Two values of an aspect, each with the orders that ask for it.
_CHOICES: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    (
        "words",
        "easy",
        regex(
            r"(?:always )?(?:use|write in|write to them with) (?:easy|simple|plain|clear) (?:words|english|language)\b"
            r".*"
        ),
    ),
    ("words", "hard", regex(rf"(?:feel free to )?use (?:the )?{HARD_WORDS}(?: with them)?")),
    (
        "correction",
        "no",
        regex(r"(?:stop|never) correct(?:ing)? their (?:\w+ )?(?:mistakes|english|grammar|spelling)", re.IGNORECASE),
    ),
    (
        "correction",
        "all",
        regex(
            r"(?:always )?correct (?:them )?their (?:\w+ )?(?:mistakes|errors|english|grammar|spelling)\b.*",
            re.IGNORECASE,
        ),
    ),
    (
        "correction",
        "big",
        regex(r"(?:only )?correct (?:only )?the (?:big|large|important) (?:ones|mistakes|errors)(?: only)?"),
    ),
    ("explanation", "no", regex(r"give code only\b.*")),
    ("explanation", "yes", regex(r"(?:add|include|give|write)(?: them)? an? (?:[\w-]+ )?explanation\b.*")),
    ("bulletpoint", "no", regex(rf"(?:feel free to )?(?:write|answer|reply)(?: to them)?(?: in)? {FORM}")),
)
_UNITS = regex(r"(?:always )?use (metric|imperial)(?: units?| system)?", re.IGNORECASE)
_CALLS = regex(r"(?P<no>never |stop |quit )?(?:call|calling) them (?P<name>[\w' -]{1,40})", re.IGNORECASE)


@lru_cache(maxsize=4096)
def aspects_of(text: str) -> frozenset[tuple[str, str]]:
    """Return the aspects of answers that an instruction settles, each with its value; none for what it does not know.

    An instruction that is limited in any way settles nothing in general: "when they ask about wine", "in headings".
    """
    wanted = _WANTED.match(text)
    if wanted is None:
        return frozenset()
    found: set[tuple[str, str]] = set()
    for order in _PARTS.split(wanted["order"]):
        settled = _aspects_in(order.strip())
        if not settled:
            return frozenset()
        found |= settled
    return frozenset(found)


def _aspects_in(order: str) -> set[tuple[str, str]]:
    if uses := _USES.fullmatch(order):
        value = "no" if uses["no"] else "yes"
        return {(_singular(name.lower()), value) for name in _ORNAMENTS_IN.findall(uses["what"])}
    if speaks := _SPEAKS.fullmatch(order):
        return {("language", speaks["language"].lower())}
    if length := _IS_SHORT.fullmatch(order):
        is_long = bool(length["long"] or length["more"]) or "less" in (length["less"] or "").lower()
        return {("length", "long" if is_long else "short")}
    if units := _UNITS.fullmatch(order):
        return {("units", units[1].lower())}
    if calls := _CALLS.fullmatch(order):
        return {("name", "" if calls["no"] else calls["name"].lower())}
    return {(aspect, value) for aspect, value, pattern in _CHOICES if pattern.fullmatch(order)}


_ORNAMENTS_IN = regex(rf"\b{ORNAMENT}\b", re.IGNORECASE)


def _singular(name: str) -> str:
    return name.replace("-", "").replace(" ", "").removesuffix("s")


def compare_orders(old: str, new: str) -> Literal["replaces", "repeats", "unrelated"] | None:
    """Return what a later instruction does to an earlier one; None where the aspects of one of them are not known.

    One of several aspects ends nothing: the others still hold.
    """
    before, after = aspects_of(old), aspects_of(new)
    if not before or not after:
        return None
    if before <= after:
        return "repeats"
    settled = {aspect for aspect, _ in after}
    return "replaces" if all(aspect in settled for aspect, _ in before) else "unrelated"
