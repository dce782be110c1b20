"""Aspects of answers that an instruction settles, such as language, length or emojis: a later one replaces an earlier.

The topics that a user closes are here, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from memoryos_core.rules.knowledge.instructions import CODES
from memoryos_core.rules.knowledge.orders_by_language import aspects_in
from memoryos_core.rules.text.words import regex, terms

LANGUAGES = (
    r"(?:English|French|German|Spanish|Italian|Portuguese|Dutch|Polish|Russian|Turkish|Arabic|Hindi|Chinese|Mandarin"
    r"|Japanese|Korean|Swedish|Danish|Norwegian|Finnish|Greek|Czech|Ukrainian)"
)
DEGREE = (
    r"(?:(?:a )?(?:bit |little |lot )?(?:more|less) |(?:very|really|fairly|nice and|as|so|super|extra|pretty|quite) )?"
)
KIND = (
    r"(?:(?:a )?(?:bit |little |lot )?(?:kind(?:er)?|gentler?|nicer?|soft(?:er)?|warm(?:er)?|sweet(?:er)?)"
    r"|(?:more )?(?:encouraging|supportive|gentle))"
)
# What decorates an answer, and what only fills it. A draft has an introduction and tables, too: they are not skipped.
FILLER = (
    r"(?:emojis?|smileys|emoticons|(?:(?:little|wee|silly) )?smiley faces"
    r"|(?:little|wee|tiny|silly|yellow) (?:pictures|faces|icons)"
    r"|disclaimers?|caveats?|pleasantries|small ?talk|preambles?|apologies|jargon|fluff|waffle"
    r"|exclamation marks?|filler|flattery|compliments|jokes|puns|slang|swearing|lectures?|sugar-?coating|clich[eé]s?"
    r"|pep ?talks?|cheerleading|motivational (?:quotes|talk)|platitudes)"
)
ORNAMENT = rf"(?:{FILLER}|bullet ?points?|bullets|lists|tables|markdown|headings|hashtags)"
SEVERAL = rf"{ORNAMENT}(?:(?:,? and(?: no)?|, no|,| or) {ORNAMENT})*"
ANSWERS = r"(?:answers|replies|responses)"
STYLE = r"(?:casual|formal|friendly|informal|professional|polite)"
SPELLING = r"(?:British|American|UK|US|Canadian|Australian)"
# What a text is made of, in a form that somebody likes or not.
FORM = r"(?:normal|proper|plain|full|whole|real) (?:paragraphs|prose|sentences)"
HARD_WORDS = r"(?:(?:difficult|technical|hard|big|normal|harder|longer|proper) words|technical (?:terms|language))"
COUNT = (
    r"(?:\d+|one|two|three|four|five|six|a (?:few|couple(?: of)?))"
    r"(?:(?: (?:or|to) |[-–])(?:\d+|two|three|four|five|six))?"
)
AT_MOST = (
    rf",? (?:(?:like|say|so|about|max|maximum|at most) )*{COUNT} (?:lines|sentences|words|paragraphs)"
    r"(?: max(?:imum)?| at (?:the )?most| or (?:less|fewer|so)| tops)?"
)
EASE = r"(?:ease up|ease off|go (?:a (?:bit|little) )?easi?(?:er|y)|lighten up|soften up)"
# Where in an answer something stands: it goes, wherever it is.
AT_A_PLACE = (
    r" (?:at|in|from) the (?:very )?(?:top|start|beginning|end|bottom|close|front)"
    r"(?: of (?:your |every |each |the |all )?(?:answers?|replies|reply|responses?|messages?))?"
)

_WANTED = regex(
    r"(?:The user|[A-ZÀ-Þ][\w' .-]{0,60}?) (?:wants the assistant to|said: \") ?(?:from now on,? )?"
    # Its last character is told apart from what closes it: each is read once, however long the text.
    r"(?P<order>[^\"]*[^\".!\s])[.\"!\s]*$",
    re.IGNORECASE,
)
_PARTS = regex(r" and (?=(?:always|never|be|stop|use|answer|reply|give|skip|keep)\b)", re.IGNORECASE)
# Each is the whole of an order: "use emojis in headings" or "write comments in English" settles less.
_USES = regex(
    r"(?P<no>never |stop |quit )?(?:feel free to |always )?"
    r"(?:use|using|add|adding|answer in|reply in|(?:give|send)(?: them)?|include|with)"
    r" (?:an? |any |the |those |these )?"
    rf"(?P<what>{SEVERAL})(?: only)?",
    re.IGNORECASE,
)
_SPEAKS = regex(
    r"(?:always |only )*(?:answer|reply|respond|speak|talk|write)(?: to them)?(?: only)? (?:in )?"
    rf"(?P<language>{LANGUAGES})(?: only)?",
    re.IGNORECASE,
)
_IS_SHORT = regex(
    rf"(?:always )?(?:be|stay|keep it|keep things|keep (?:the |the assistant's |all )?{ANSWERS}) (?P<less>{DEGREE})"
    rf"(?P<tone>brief|briefer|concise|short|shorter|succinct|terse|to the point)(?:{AT_MOST})?"
    r"|(?P<no>never )?(?:always |feel free to )?(?:give|write|send|do|use)(?: them)? "
    rf"(?:(?P<long>long|longer|detailed|more detailed|full)|short|shorter|brief|concise|one-line) {ANSWERS}(?: only)?"
    r"|(?:answer|reply|respond|write)(?: to them)? (?:briefly|concisely)"
    rf"|keep (?:it|things|the assistant's (?:{ANSWERS}|messages)|{ANSWERS}) (?:to|under|within|below)"
    rf" (?:just )?{COUNT} (?:lines|sentences|words|paragraphs)(?: unless they ask(?: for more)?)?"
    r"|feel free to (?P<more>go|be|write|answer|reply|respond|talk) (?:longer|more|at length|in (?:more|full) detail)"
    r"(?: detailed)?|(?:always )?(?P<most>give them more) details?",
    re.IGNORECASE,
)
_CAPITALS = r"(?:capitals|capital letters|caps|upper ?case)"
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
    ("words", "hard", regex(rf"(?:feel free to )?use (?:(?:the )?{HARD_WORDS}(?: with them)?|any (?:words|terms))")),
    (
        "correction",
        "no",
        regex(
            r"(?:stop|never) (?:correct(?:ing)? (?:them|their (?:\w+ )?(?:mistakes|english|grammar|spelling))"
            r"|with the (?:notes|corrections|comments|remarks)\b.*)",
            re.IGNORECASE,
        ),
    ),
    (
        "correction",
        "all",
        regex(
            r"(?:always )?correct (?!.* only\b)(?:(?:them )?their (?:\w+ )?(?:mistakes|errors|english|grammar|spelling)"
            r"|them)\b.*",
            re.IGNORECASE,
        ),
    ),
    ("correction", "some", regex(r"correct them only (?:when|if|in|on|for) .*", re.IGNORECASE)),
    (
        "correction",
        "big",
        regex(r"(?:only )?correct (?:only )?the (?:big|large|important) (?:ones|mistakes|errors)(?: only)?"),
    ),
    (
        "case",
        "lower",
        regex(rf"(?:never|stop) us(?:e|ing) {_CAPITALS}\b.*|(?:always )?(?:use|(?:write|reply) in) lower ?case\b.*"),
    ),
    ("case", "any", regex(rf"(?:always )?use {_CAPITALS}\b.*")),
    ("explanation", "no", regex(r"give code only\b.*")),
    ("explanation", "yes", regex(r"(?:add|include|give|write)(?: them)? an? (?:[\w-]+ )?explanation\b.*")),
    (
        "manner",
        "blunt",
        regex(rf"(?:be|stay) {DEGREE}(?:direct|blunt|critical|harsh|strict|tough|brutal)(?: with them)?"),
    ),
    (
        "manner",
        "kind",
        regex(rf"(?:feel free to )?(?:{EASE}\b.*|be {KIND}(?: (?:with|to|on) them)?)", re.IGNORECASE),
    ),
    (
        "bulletpoint",
        "no",
        regex(
            rf"(?:feel free to )?(?:write|answer|reply|keep (?:the |the assistant's )?{ANSWERS})(?: to them)?(?: in)?"
            rf" {FORM}"
        ),
    ),
)
_USING = r"(?:always )?(?:use|give)(?: only)? (?:(?:figures|everything|distances|temperatures|weights) in )?"
# One word says the value.
_NAMED: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("units", regex(r"(?:always )?use (?P<style>metric|imperial)(?: units?| system)?(?P<use>)", re.IGNORECASE)),
    ("distance", regex(rf"{_USING}(?P<style>km|kilomet(?:re|er)s|miles)(?: only)?(?P<use>)", re.IGNORECASE)),
    ("temperature", regex(rf"{_USING}(?P<style>celsius|fahrenheit|kelvin)(?: only)?(?P<use>)", re.IGNORECASE)),
    (
        "code",
        regex(
            rf"(?:always )?(?:assume|use|give them) (?P<style>{CODES})(?: by default| (?:when|if) they ask for code)"
            r"(?P<use>)"
        ),
    ),
    ("spelling", regex(rf"(?:always )?use (?P<style>{SPELLING}) (?:spelling|English)(?P<use>)")),
    (
        "tone",
        regex(
            rf"(?:always )?(?:keep (?:it|things|the tone)|(?:feel free to )?be|(?:speak|talk|write)(?: to them)?)"
            rf" (?P<style>{STYLE})(?:ly)?(?: with them| to them)?|use (?P<use>{STYLE}) language",
            re.IGNORECASE,
        ),
    ),
)
_NEVER_CODE = regex(rf"never use (?P<style>{CODES})")
_CALLS = regex(
    r"(?P<no>never |stop |quit )?(?:call(?:ing)? them(?: by)?|(?:address(?:ing)?|refer(?:ring)? to) them (?:as|by))"
    r" (?P<name>(?!(?:back|when|if|later|before|after|at|on|in|until)\b)[\w' -]{1,40})",
    re.IGNORECASE,
)
# What one order does, and whether it forbids it or says that it is no longer wanted.
_ACT = regex(
    r"(?P<off>(?:no longer|stop|quit|never) )?(?P<free>feel free to )?(?:always |please |just )*"
    r"(?P<act>[a-z]+)(?P<rest> .+)?",
    re.IGNORECASE,
)
_TOUCHES = regex(
    r"(?:bring up|mention|discuss|(?:talk|speak|chat|joke|ask)(?: to them| them)? about)(?P<topic> .+)", re.IGNORECASE
)
_OF_THEM = regex(r"\btheir\b", re.IGNORECASE)
_OVER, _NOT = "no longer ", "not "
# Of "adding" older stemmers make "ad".
_AT_A_PLACE = regex(rf"{AT_A_PLACE}$", re.IGNORECASE)
_MAKING = frozenset(
    ("add", "ad", "put", "includ", "write", "give", "insert", "begin", "start", "end", "finish", "open", "clos")
)
_LEAVING = frozenset(("avoid", "skip", "drop", "omit"))


@lru_cache(maxsize=4096)
def aspects_of(text: str) -> frozenset[tuple[str, str]]:
    """Return the aspects of answers that an instruction settles, each with its value; none for what it does not know.

    An instruction that is limited in any way settles nothing in general: "when they ask about wine", "in headings".
    """
    wanted = _WANTED.match(text)
    if wanted is None:
        return frozenset()
    if foreign := aspects_in(wanted["order"]):
        return foreign
    found: set[tuple[str, str]] = set()
    for order in _PARTS.split(wanted["order"]):
        settled = _aspects_in(order.strip())
        if not settled:
            return frozenset()
        found |= settled
    return frozenset(found)


# From the first of them on only: trying each anew would take the square of their number.
_AGAIN = regex(
    r"(?<! again)(?<! now)(?<! anymore)(?<! any more)(?<! any longer)(?<! from now on)"
    r"(?: (?:again|now|any ?more|any longer|from now on))+$",
    re.IGNORECASE,
)
_FORGETS = "forget what they said about "


def _aspects_in(order: str) -> set[tuple[str, str]]:
    order = _AGAIN.sub("", order)
    if order.startswith((_FORGETS, _OVER)):
        return _aspects_over(order)
    if uses := _USES.fullmatch(order):
        value = "no" if uses["no"] else "yes"
        return {(_singular(name.lower()), value) for name in _ORNAMENTS_IN.findall(uses["what"])}
    if length := _IS_SHORT.fullmatch(order):
        is_long = bool(length["long"] or length["more"] or length["most"]) or "less" in (length["less"] or "").lower()
        return {("length", "long" if is_long != bool(length["no"]) else "short")}
    if calls := _CALLS.fullmatch(order):
        return {("name", "" if calls["no"] else calls["name"].lower())}
    order = order.removeprefix("feel free to ")
    if speaks := _SPEAKS.fullmatch(order):
        return {("language", speaks["language"].lower())}
    named = {
        (aspect, (found["style"] or found["use"]).lower())
        for aspect, pattern in _NAMED
        if (found := pattern.fullmatch(order))
    }
    refuses = _NEVER_CODE.fullmatch(order)
    named |= {("code", f"{_NOT}{refuses['style'].lower()}")} if refuses else set()
    return named | {(aspect, value) for aspect, value, pattern in _CHOICES if pattern.fullmatch(order)}


def _aspects_over(order: str) -> set[tuple[str, str]]:
    """Return the aspects of which an order only says that an earlier one is over, or that one value is."""
    if order.startswith(_FORGETS):
        return {(_singular(name.lower()), "") for name in _ORNAMENTS_IN.findall(order)}
    return {(aspect, f"{_NOT}{value}") for aspect, value in _aspects_in(order.removeprefix(_OVER))}


_LITTLE_PICTURES = ("smileys", "emoticons", "faces", "pictures", "icons")
_ORNAMENTS_IN = regex(rf"\b{ORNAMENT}\b", re.IGNORECASE)


def _singular(name: str) -> str:
    if name.endswith(_LITTLE_PICTURES):
        return "emoji"
    return "bulletpoint" if name == "bullets" else name.replace("-", "").replace(" ", "").removesuffix("s")


def is_order(text: str) -> bool:
    """Return whether `compare_orders` may know what a later instruction does to this one, or this to an earlier."""
    return _act_in(text) is not None or bool(aspects_of(text))


def compare_orders(old: str, new: str) -> Literal["replaces", "repeats", "unrelated"] | None:
    """Return what a later instruction does to an earlier one; None where one of them is no instruction.

    One of several aspects ends nothing: the others still hold.
    """
    before, after = aspects_of(old), aspects_of(new)
    if not before or not after:
        held, told = _act_in(old), _act_in(new)
        if held is None or told is None:
            return None
        if told.act == held.act and _is_instead(new, held.matter):
            return "replaces"
        return "replaces" if told.takes_back(held) else None if held == told else "unrelated"
    if before <= after:
        return "repeats"
    return "replaces" if all(_settles(after, *one) for one in before) else "unrelated"


_INSTEAD = regex(r" (?:instead of|rather than|and not) (?P<before>[^.,;]{2,40})", re.IGNORECASE)


def _is_instead(new: str, held: frozenset[str]) -> bool:
    """Return whether an order names what it stands for: "examples in Rust instead of Go" of "examples in Go"."""
    found = _INSTEAD.search(new)
    if found is None:
        return False
    before, what = frozenset(terms(found["before"])), frozenset(terms(new[: found.start()]))
    return bool(before) and before <= held and not (held & what).isdisjoint(held - before)


def _settles(after: frozenset[tuple[str, str]], aspect: str, value: str) -> bool:
    """Return whether one of these values takes the place of another: "no longer in French" only that of French."""
    return any(name == aspect and (not other.startswith(_NOT) or other == f"{_NOT}{value}") for name, other in after)


@dataclass(frozen=True, slots=True)
class _Act:
    """The act and the matter of an order whose aspect is not known; `act` is empty where any act is meant.

    `off`: it is not to be done. `free`: it may be done; with `off`, nothing is said of it any more. `named`: the matter
    without what it is for, where two words or more name it. `own`: it is of the user, as "their mother".
    """

    act: str
    matter: frozenset[str]
    off: bool
    free: bool
    named: frozenset[str] = field(default=frozenset(), compare=False)
    own: bool = field(default=False, compare=False)

    def takes_back(self, held: _Act) -> bool:
        """Return whether an order held says the opposite: what forbids all of it forbids a part, too.

        What allows all of it lifts no ban on a part: "recipes" lifts none on recipes with peanuts.
        """
        is_same = self.off == held.off and not (self.off and self.free)
        if is_same or not self.matter or (self.act != held.act and "" not in {self.act, held.act}):
            return False
        if self.off:
            return self.matter <= held.matter
        if not self.free:
            return self.matter == held.matter
        return self.matter in (held.matter, held.named) and self.own == held.own


@lru_cache(maxsize=4096)
def _act_in(text: str) -> _Act | None:
    wanted = _WANTED.match(text) if " wants the assistant to " in text else None
    order = _AGAIN.sub("", wanted["order"].strip()) if wanted is not None else ""
    if order.startswith(_FORGETS):
        return _Act("", frozenset(terms(order.removeprefix(_FORGETS))), off=True, free=True)
    found = _ACT.fullmatch(order)
    if found is None:
        return None
    told, rest = found["act"].lower(), found["rest"] or ""
    if touched := _TOUCHES.match(f"{told}{rest}"):
        told, rest = "mention", touched["topic"]
    elif told == "comment":
        told, rest = "use", "comments"
    rest = _AT_A_PLACE.sub("", rest)
    act, off, matter = (terms(told) or [""])[0], found["off"] is not None, frozenset(terms(rest))
    what = rest.partition(" for ")[0]
    named, own = frozenset(terms(what)), _OF_THEM.search(what) is not None
    named = named if len(named) > 1 else matter
    if act in _LEAVING:
        return _Act("", matter, off=not off, free=off, named=named, own=own)
    return _Act("use" if act in _MAKING else act, matter, off, free=found["free"] is not None, named=named, own=own)
