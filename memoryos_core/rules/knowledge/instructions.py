"""Standing instructions: what a user asked for in all answers to come, or in a case that the instruction names.

A later one about the same aspect (language, length, emojis, …) replaces an earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from memoryos_core.rules.text.words import regex, sentences, terms
from memoryos_core.values.facts import Fact

_ALWAYS = regex(
    r"\b(?:always|never|(?:from now|later) on|whenever|(?:every|each) time|in (?:the )?future|call (?:me|them)"
    r"|immer|nie|niemals|toujours|jamais|siempre|nunca)\b|总是|永远|いつも|決して",
    re.IGNORECASE,
)
_MANNER = regex(
    r"\b(?:answers?|reply|replies|respond|responses?|speak|talk|address|keep|use"
    r"|to (?:be|stop|skip|avoid|leave out|give|correct|sign off|get|cut|spare|cut out))\b",
    re.IGNORECASE,
)
_WORDS_OF_A_MANNER = 12
_INSTRUCTION = regex(
    r"^(?:(?:The user|[A-Z]\w+)(?: said)?:? ?[\"“]?)?(?:please,? )?(?:from now on,? |in (?:the )?future,? )?"
    r"(?:always|never|don't|do not|make sure|be sure|remember to|use|avoid|answer|reply|respond|call me|address me)\b"
    r"|\b(?:wants|asked|asks|prefers|would like|expects|told) (?:you|the assistant|answers|replies|responses)\b"
    r"|\b(?:wants|asked|asks|would like)\b.{0,40}\b(?:always|never|whenever|every time)\b",
    re.IGNORECASE,
)
_CONDITION = regex(r"\b(?:when|whenever|if|about|for|on)\s+(?P<case>[^.;]{3,})", re.IGNORECASE)


_LANGUAGES = (
    r"(?:English|French|German|Spanish|Italian|Portuguese|Dutch|Polish|Russian|Turkish|Arabic|Hindi|Chinese|Mandarin"
    r"|Japanese|Korean|Swedish|Danish|Norwegian|Finnish|Greek|Czech|Ukrainian)"
)
# Not "more specific", "formal" or "honest": that is said of a draft at hand, or of one answer.
_TONE = r"(?:brief|briefer|concise|short|shorter|succinct|terse|direct|blunt|critical|to the point)"
_DEGREE = r"(?:(?:a )?(?:bit |little |lot )?(?:more|less) |very |really |fairly |nice and |as )?"
# What decorates an answer, and what only fills it. A draft has an introduction and tables, too: they are not skipped.
_FILLER = (
    r"(?:emojis?|smileys|emoticons|disclaimers?|caveats?|pleasantries|small ?talk|preambles?|apologies|jargon|fluff"
    r"|exclamation marks?|filler|flattery|compliments|jokes|puns|slang|swearing|lectures?|sugar-?coating|clich[eé]s?)"
)
_ORNAMENT = rf"(?:{_FILLER}|bullet ?points?|bullets|lists|tables|markdown|headings|hashtags)"
_SEVERAL = rf"{_ORNAMENT}(?:(?:,? and(?: no)?|, no|,| or) {_ORNAMENT})*"
_ANSWERS = r"(?:answers|replies|responses)"
_A_MESSAGE = r"(?:answers?|replies|reply|responses?|messages?|sentences)"
_LENGTHS = rf"(?:short|shorter|brief|concise|one-line|long|longer|detailed|full) {_ANSWERS}(?: only)?"
# What a text is made of, in a form that somebody likes or not.
_FORM = r"(?:normal|proper|plain|full|whole|real|longer?|big) (?:paragraphs|sentences|prose|text)"
_WORDS = r"(?:(?:difficult|technical|hard|big|normal|harder|longer|proper) words|technical (?:terms|language))"
_UNIT = (
    r"(?:fahrenheit|celsius|kelvin|metric|imperial|inches|feet|miles|yards|centimet(?:re|er)s|cm|millimet(?:re|er)s|mm"
    r"|met(?:re|er)s|kilomet(?:re|er)s|km|grams|kg|kilos|ounces|pounds|lbs|stone|cups|lit(?:re|er)s|euros|dollars)"
)
_COUNT = r"(?:\d+|one|two|three|four|five|six|a (?:few|couple(?: of)?))(?: (?:or|to) (?:\d+|two|three|four|five|six))?"
_MANY = r"(?:any |the |so many |too many |all these |more )?"
_NEVER = r"(?:don't|do not|never)"
_STOP = r"(?:stop|quit)"
_HATED = r"(?:hate|dislike|can't stand|don't like|don't need) (?:them|it|that|those)"
_ANNOYS = r"(?:they|it|that|this) (?:really |just )?(?:annoys?|bothers?|distracts?|irritates?) me"
_DOES = (
    r"(?:put|use|answer|reply|respond|write|give|show|explain|include|add|start|end|begin|list|quote|format|speak|talk"
    r"|call|remind|tell|suggest|recommend|summari[sz]e|convert|translate|mention)"
)
_MANNERS = (
    rf"(?:be|stay|keep it|keep things|keep your {_ANSWERS}) {_DEGREE}{_TONE}(?:(?: and|,) {_DEGREE}{_TONE})*",
    rf"{_STOP} (?:using|adding|giving me) {_MANY}{_SEVERAL}",
    rf"{_STOP} apologi[sz]ing(?: so much| all the time)?|stop saying sorry(?: in every answer| all the time)?",
    r"stop calling me (?-i:[A-Z])[\w-]{1,30}|stop repeating my questions?|get (?:straight )?to the point",
    rf"(?:stop|{_NEVER}) (?:start|end|begin|open|clos)(?:ing|e)? (?:your |every |each |an? |all )?{_A_MESSAGE} with"
    r" [^.,!?;]{2,60}",
    r"stop being (?:so )?(?:formal|polite|verbose|wordy|long-winded|chatty|cheerful|vague|dramatic|preachy|repetitive"
    r"|patroni[sz]ing|condescending|robotic)",
    rf"{_STOP} (?:lecturing|flattering|nagging|patroni[sz]ing) me(?: about [^.,!?;]{{3,40}})?",
    r"stop (?:asking me about|mentioning|bringing up|suggesting|recommending)"
    r" (?!(?:that|this|the|it|those|these|an?)\b)[a-z][^.,!?;]{2,50}",
    r"(?:skip|leave out|spare me|cut out|cut) (?:the |all |any |your )*"
    rf"{_FILLER}(?:(?: and|,| or) (?:the )?{_FILLER})*",
    rf"{_NEVER} (?:use|add|include|write|give me) {_MANY}{_SEVERAL}",
    rf"{_NEVER} (?:apologi[sz]e|lecture me|say sorry|sugar-?coat (?:it|things|anything)|flatter me)",
    r"use (?:more |some )?(?:emojis|bullet ?points|bullets)",
    rf"(?:answer|reply|respond|talk)(?: to me)?(?: only)? in (?-i:{_LANGUAGES})(?: only)?",
    r"(?:you (?:can|may)|feel free to|it's (?:ok|okay|fine) to)"
    rf" (?P<allowed>(?:use|write|add|include|give) (?:{_SEVERAL}|{_LENGTHS})(?: again)?)",
    rf"(?P<fine>{_ORNAMENT}|{_LENGTHS}) (?:are|is) (?:fine|ok|okay|welcome) again",
    rf"(?:no(?: more)?|(?:enough|stop) with the|enough of the) (?P<what>{_SEVERAL})(?: anymore| any more)?",
    rf"(?:drop|lose|ditch) the (?P<dropped>{_SEVERAL})",
    r"stop correcting my (?:[\w ]{0,20})?(?:mistakes|english|grammar|spelling)",
    rf"{_NEVER} (?:start|open|begin|end|close) with ['\"“‘][^'\"”’]{{2,40}}['\"”’](?: or anything [^.,!?;]{{2,20}})?",
    r"do explain (?:the |any )[\w ]{3,30}",
    rf"(?P<of>(?:fewer|less) {_SEVERAL})",
    rf"(?:(?:give(?: me)?|write) )?(?P<give>{_LENGTHS})",
    rf"keep (?:your |the |all )?(?:{_ANSWERS}|messages) (?:under|below|within|to|at most) \d+"
    r" (?:words|sentences|lines)(?: unless i ask(?: for more)?)?",
    rf"(?P<only>{_ORNAMENT}) only|(?:use|write in|speak in) (?:easy|simple|plain|clear) (?:words|english|language)",
    r"correct my (?:[\w ]{0,20})?(?:mistakes|english|grammar|spelling)(?: at the end of (?:each|every) answer)?",
    r"sign off as (?-i:[A-Z])[\w ]{1,30}",
    rf"{_NEVER} use (?:such |so |big |long |huge |endless )+(?:paragraphs|sentences|words)",
    r"(?:(?:give|show|put)(?: me)? )?"
    rf"(?P<unit>(?:(?:the|all) )?(?:temperatures?|distances?|weights?|units|measurements?|figures|prices) in {_UNIT})",
    rf"use {_UNIT}(?: and {_UNIT})?(?: (?:for|in) (?!this|that|the)[\w ]{{3,30}})?",
    rf"keep (?:it|things|your {_ANSWERS}) (?:to|under|within|below) (?:just )?{_COUNT}"
    r" (?:lines|sentences|words|paragraphs)",
    rf"(?:write|answer|reply)(?: to me)? in {_FORM}",
    r"(?:write|use|type)(?: everything| it all| all)? (?:in )?lowercase(?: and emojis)?(?: when [^.,!?;]{3,40})?",
    r"(?P<case>when(?:ever)? you (?:give|write|make|answer|explain|compare|suggest|plan|send|show|recommend|reply)\b"
    rf"[^,.!?;]{{0,40}}?),? (?:please |just |always )*(?P<does>(?:keep|{_DOES})\b[^.,!?;]{{4,80}}?)",
    rf"(?<=you )always {_DOES} (?!(?:it|that|this|them|these|those|him|her)\b)[^.,!?;]{{4,80}}",
    r"(?P<code>code only)(?:,? (?:please|pls))?"
    r"(?:,? no (?:explanations?|comments)(?: unless i ask(?: for (?:it|one))?)?)?",
    r"(?:only )?correct (?:only )?(?:the |my )?(?:big|large|serious|important|main) (?:ones|mistakes|errors)(?: only)?",
    r"(?P<big>you (?:do not|don't) (?:need|have) to correct (?:every|all|each) (?:small |little |single )?"
    r"(?:mistakes?|errors?)(?: any ?more| now)*(?:,? only the (?:big|large|important) ones)?)",
    rf"(?:you (?:can|may) )?(?P<long>use (?:the )?{_WORDS}|write {_FORM})(?: with me)?",
    r"(?:you can |you may )?(?P<more>(?:go|be) (?:longer|more detailed)(?: (?:when|for|if|with) [^.,!?;]{3,40})?)",
    rf"(?:you can |you may )?(?:write|give)(?: me)? (?P<lengthy>(?:longer|more detailed|full) {_ANSWERS})",
    r"(?:you can |you may )?(?P<line>(?:add|include|give me|write) an? (?:one-line |short |brief |little )?"
    r"(?:explanation|summary) (?:after|before|below|behind|with) (?:the|your|each|every) (?:code|answers?|snippets?))",
    r"you (?:do not|don't) (?:need|have) to keep (?:it|things) (?:so |too )?(?P<keep>short|brief|plain|simple)"
    r"|no need to keep (?:it|things) (?:so |too )?(?P<kept>short|brief|plain|simple)",
    r"(?:you can )?forget (?:about )?the (?P<limit>\d+)[- ]words? (?:thing|limit|rule|business)",
    r"(?:you can )?(?P<guess>stop making me guess(?: first)?)",
    r"(?:you (?:may|can)(?: as well)? |you (?:should|might) )?"
    r"(?P<call>call me (?!(?:back|when|if|later|a|an|at|on)\b)(?-i:(?:M(?:r|rs|s|iss)\.? |Dr\.? )?[A-Z])[\w'-]{1,30})"
    r"(?: after all| instead)?(?:,? (?:by the way,? )?(?:and not|rather than|not) [^.!?;]{2,40})?",
)
# A manner of answering, as a message says it that says nothing else.
_ORDER = regex(
    r"(?:(?:and|n|also|just|please|pls|ok|okay|hey|hi|so|but|actuall?y|always|from now on|k|cool|oh|btw|tbh|by the way"
    r"|kindly|if i (?:may|might)(?: (?:make|ask)[^,.]{1,30})?)[,!.]? )*"
    r"(?:(?-i:[A-Z][a-z]{2,12}), )?"
    r"(?:(?:can|could|would|will) you (?:please |just |maybe |try to )*"
    r"|i(?:'d| would)? (?:want|like|prefer|need) you to |i(?:'d| would) appreciate it if you(?:'d| would| could)? )?"
    rf"(?P<order>{'|'.join(_MANNERS)})"
    rf"(?: with me| in your {_ANSWERS}| when you answer)?(?:,? (?:please|pls|thanks|tho|though|now|any ?more|again"
    r"|by the way|okay|ok))*"
    # What it is for is a statement of its own.
    r"(?:(?:, because|,| because| -| –|(?<=\bpls)|(?<=\bplease)|(?<=\bby the way)|(?<=\bnow)|(?<=\bokay)) (?:"
    r"(?P<rest>(?:i|i'm|i've|my|we|we're)\b[^?]{2,160}?)"
    r"|(?!(?:it|that)'s (?:for|an?|the|my|our)\b)(?:(?:it|it's|they|that|that's|looks?|makes?)\b"
    r"|the [\w ]{3,25} (?:is|are|was|were)\b"
    r"|(?-i:[A-Z])[\w-]+(?:'s| is| has| was)\b)[^?]{2,100}?))?"
    r"[.!?]*",
    re.IGNORECASE,
)
_DISLIKED = regex(rf"(?:i (?:really )?{_HATED}|{_ANNOYS}|no time)[.!]*", re.IGNORECASE)
_FOR_NOW = regex(
    r"\b(?:driving|late|got to go|battery|have a call|minutes|in a (?:hurry|rush|meeting)|busy|right now|at the moment"
    r"|today|tonight|on the (?:train|phone))\b",
    re.IGNORECASE,
)
_AND = regex(
    rf",? and (?=(?:be|stay|stop|quit|skip|leave|cut|spare|{_NEVER}|no|use|give|keep|answer|reply) )", re.IGNORECASE
)
# What an order without a verb wants.
_TOLD = {
    "what": "never use {}",
    "dropped": "never use {}",
    "only": "use {} only",
    "unit": "give {}",
    "of": "use {}",
    "allowed": "feel free to {}",
    "code": "give {}",
    "big": "correct only the big mistakes",
    "long": "feel free to {}",
    "more": "feel free to {}",
    "lengthy": "give {}",
    "line": "{}",
    "limit": "give longer answers",
    "guess": "{}",
    "call": "{}",
    "give": "give {}",
}
_LONGEST_ORDER = 240  # characters
# Signs that a wish is not of the answer at hand alone.
_LASTING = regex(
    r"\b(?:always|from now on|when(?:ever)? you (?:answer|reply|compare|explain|write|give|suggest|make|plan)"
    r"|in your (?:answers|replies)|any ?more|by the way|btw|tbh|no need to|you can|you may|call me|forget the"
    r"|you (?:do not|don't) (?:need|have) to|measurements|lowercase|i read (?:these|this|them))\b",
    re.IGNORECASE,
)
_SO = regex(r",? so (?=you (?:can|may|do not|don't)\b)| and (?=when you (?:answer|reply)\b)", re.IGNORECASE)


def as_standing(text: str) -> str:
    """Return a message with what it says of all answers to come as orders, which begin with "From now on".

    "Be brief." behind a task is of that task; a message of its own means what follows, and so does a sentence that
    says so: "by the way", "when you answer", "you can … now".
    """
    if len(text) <= _LONGEST_ORDER:
        told = [sentence for sentence in sentences(text) if not _DISLIKED.fullmatch(sentence)]
        # What the speaker says of themselves behind an order stays as it is.
        told, own = _split(told, [not _OWN.match(sentence) or bool(_ORDER.fullmatch(sentence)) for sentence in told])
        found = [_ORDER.fullmatch(part) for sentence in told for part in _AND.split(sentence)]
        if found and not any(order is None or _is_for_now(order) for order in found):
            return " ".join((*(_from_now_on(order) for order in found if order is not None), *own))
    return _with_lasting(text)


def _with_lasting(text: str) -> str:
    """Return a text with its sentences that say how all answers should be as orders."""
    told = [part for s in (sentences(text) if _LASTING.search(text) else ()) for part in _SO.split(s)]
    found = {part: _ORDER.fullmatch(part) for part in told if _LASTING.search(part)}
    orders = {part: order for part, order in found.items() if order is not None and not _is_for_now(order)}
    return " ".join(_from_now_on(orders[s]) if s in orders else _closed(s) for s in told) if orders else text


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", ":", ";")) else f"{sentence}."


def _from_now_on(order: re.Match[str]) -> str:
    return f"From now on, {_plain(order)}.{_rest(order)}"


def _split(told: Sequence[str], is_order: Sequence[bool]) -> tuple[list[str], list[str]]:
    """Return the sentences before the first that is no order, and the others; all as orders where one of those is."""
    at = is_order.index(False) if False in is_order else len(told)
    return (list(told), []) if True in is_order[at:] else (list(told[:at]), list(told[at:]))


_POINTS_BACK = regex(r"\b(?:it|them|that|those|there|this|these)\b", re.IGNORECASE)
_OWN = regex(r"(?:i|i'm|i've|my|we|we're|our)\b(?! (?:want|need|would like|'d like) you\b)", re.IGNORECASE)


def _is_for_now(order: re.Match[str]) -> bool:
    """Return whether what an order is for passes, or cannot be told without the order."""
    rest = order["rest"] or ""
    if _DISLIKED.fullmatch(rest):
        return False
    points_back = _POINTS_BACK.search(rest) is not None and not _LASTING.search(order[0])
    return points_back or _FOR_NOW.search(order[0]) is not None


def _rest(order: re.Match[str]) -> str:
    """Return what is told of the speaker behind an order, as a sentence, where it can be told alone."""
    rest = order["rest"]
    told = rest and not (_DISLIKED.fullmatch(rest) or _POINTS_BACK.search(rest))
    return f" {rest[:1].upper()}{rest[1:]}." if told else ""


def _plain(order: re.Match[str]) -> str:
    """Return the order without what surrounds it."""
    if fine := order["fine"]:
        verb = "give" if fine.endswith(("answers", "replies", "responses")) else "use"
        return f"feel free to {verb} {fine.lower()} again"
    if does := order["does"]:
        case = order["case"].lower()
        return does if case in ("when you answer", "when you reply") else f"{does} {case}"
    if kept := order["keep"] or order["kept"]:
        return "give longer answers" if kept.lower() in ("short", "brief") else "use normal words"
    for group, told in _TOLD.items():
        if said := order[group]:
            return told.format(said[:1].lower() + said[1:])
    said = order["order"].strip()
    return said[:1].lower() + said[1:]


def is_standing(fact: Fact) -> bool:
    """Return whether a fact is an instruction for all answers to come, and not for the one task at hand."""
    if fact.kind != "instruction":
        return fact.origin != "rules" and bool(_INSTRUCTION.search(fact.text[:400]))
    return bool(_ALWAYS.search(fact.text)) or (
        fact.text.count(" ") < _WORDS_OF_A_MANNER and bool(_MANNER.search(fact.text))
    )


def concerns(instruction: str, asked: frozenset[str]) -> bool:
    """Return whether an instruction is for this question: for any, or for the case that it names."""
    case = _CONDITION.search(instruction)
    return case is None or not asked.isdisjoint(terms(case["case"]))


_WANTED = regex(
    r"(?:The user|[A-ZÀ-Þ][\w' .-]{0,60}?) (?:wants the assistant to|said: \") ?(?:from now on,? )?"
    r"(?P<order>[^\"]+?)[.\"!]*$",
    re.IGNORECASE,
)
_PARTS = regex(r" and (?=(?:always|never|be|stop|use|answer|reply|give|skip|keep)\b)", re.IGNORECASE)
# Each is the whole of an order: "use emojis in headings" or "write comments in English" settles less.
_USES = regex(
    r"(?P<no>never |stop |quit )?(?:feel free to |always )?(?:use|using|add|adding|answer in|reply in|give) (?:an? )?"
    rf"(?P<what>{_SEVERAL})(?: again| only)?",
    re.IGNORECASE,
)
_SPEAKS = regex(
    r"(?:always |only )*(?:answer|reply|respond|speak|talk|write)(?: to them)?(?: only)? (?:in )?"
    rf"(?P<language>{_LANGUAGES})(?: only)?",
    re.IGNORECASE,
)
_IS_SHORT = regex(
    rf"(?:always )?(?:be|stay|keep it|keep things|keep the assistant's {_ANSWERS}) (?P<less>{_DEGREE})"
    r"(?P<tone>brief|briefer|concise|short|shorter|succinct|terse|to the point)"
    r"|(?:always |feel free to )?(?:give|write) "
    rf"(?:(?P<long>long|longer|detailed|more detailed|full)|short|shorter|brief|concise|one-line) {_ANSWERS}(?: only)?"
    r"(?: again)?"
    rf"|keep (?:it|things|the assistant's (?:{_ANSWERS}|messages)|{_ANSWERS}) (?:to|under|within|below)"
    rf" (?:just )?{_COUNT} (?:lines|sentences|words|paragraphs)(?: unless they ask(?: for more)?)?"
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
    ("words", "hard", regex(rf"(?:feel free to )?use (?:the )?{_WORDS}(?: with them)?")),
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
    ("bulletpoint", "no", regex(rf"(?:feel free to )?(?:write|answer|reply)(?: to them)?(?: in)? {_FORM}")),
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
        return {(_singular(name.lower()), value) for name in _ORNAMENTS.findall(uses["what"])}
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


_ORNAMENTS = regex(rf"\b{_ORNAMENT}\b", re.IGNORECASE)


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
