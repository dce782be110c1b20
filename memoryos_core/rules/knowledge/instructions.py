"""Standing instructions: what a user asked for in all answers to come, or in a case that the instruction names.

A later one about the same aspect (language, length, emojis, …) replaces an earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryos_core.rules.knowledge.aspects import ANSWERS, SPELLING, close_topic
from memoryos_core.rules.knowledge.manners import ANNOYS, HATED, MANNERS, NEVER, TOLD
from memoryos_core.rules.text.words import fold_case, regex, sentences, terms
from memoryos_core.values.facts import Fact

_ALWAYS = regex(
    r"\b(?:always|never|(?:from now|later) on|whenever|(?:every|each) time|in (?:the )?future|call (?:me|them)"
    r"|immer|nie|niemals|ab jetzt|toujours|jamais|désormais|siempre|nunca|sempre)\b|总是|永远|いつも|決して",
    re.IGNORECASE,
)
_MANNER = regex(
    r"\b(?:answers?|reply|replies|respond|responses?|speak|talk|address|keep|use"
    r"|to (?:be|stop|skip|avoid|leave out|give|correct|sign off|get|cut|spare|cut out|no longer|do without|put|add"
    r"|include|show|tell|list))\b",
    re.IGNORECASE,
)
_WORDS_OF_A_MANNER = 20
_QUOTED = regex(r".{1,60} said: \"(?P<said>.+)", re.DOTALL)
_ENGLISH = regex(r"\b(?:the|you|your|when|please|to|don't|answers?|this|that|my|for|with)\b", re.IGNORECASE)
_INSTRUCTION = regex(
    r"^(?:(?:The user|[A-Z]\w+(?: (?-i:[A-Z])\w+)?)(?: said)?:? ?[\"“]?)?(?:please,? )?"
    r"(?:from now on,? |in (?:the )?future,? )?"
    r"(?:always|never|don't|do not|make sure|be sure|remember to|use|avoid|answer|reply|respond|call me|address me)\b"
    r"|\b(?:wants|asked|asks|prefers|would like|expects|told) (?:you|the assistant|answers|replies|responses)\b"
    r"|\b(?:wants|asked|asks|would like)\b.{0,40}\b(?:always|never|whenever|every time)\b",
    re.IGNORECASE,
)
# What every prompt is of is no case: "when they write", "if the assistant gives them options".
_CASE_OF = (
    r"\b(?:(?:when|whenever|if) (?!they (?:write|type|speak)(?: to the assistant)?[.!]"
    r"|(?:you|the assistant) gives? (?:me|them) (?:options|choices|suggestions|ideas|answers|advice)\b)"
)
_WHEN = regex(rf"{_CASE_OF})(?P<case>[^.;]{{3,}})", re.IGNORECASE)
_CONDITION = regex(rf"{_CASE_OF}|(?:about|for|(?<!now )(?<!later )on)\s+)(?P<case>[^.;]{{3,}})", re.IGNORECASE)
# "Stop suggesting bars for meetings": what it is for is what is forbidden, not a case.
_FORBIDS = regex(r"\bto (?:never|stop|quit|no longer|do without) ", re.IGNORECASE)


# A manner of answering, as a message says it that says nothing else.
_ORDER = regex(
    r"(?:(?:(?:ground|house|some|my) )?rules?: )?"
    r"(?:(?:and|n|also|just|please|pls|ok|okay|hey|hi|so|but|actuall?y|always|from now on|k|cool|oh|btw|tbh|by the way"
    r"|kindly|if i (?:may|might)(?: (?:make|ask)[^,.]{1,30})?)[,!.]? )*"
    r"(?:(?-i:[A-Z][a-z]{2,12}), )?"
    r"(?:(?:can|could|would|will) you (?:please |just |maybe |try to |(?P<always>always ))*"
    r"|i(?:'d| would)? (?:want|like|prefer|need) you to |i(?:'d| would) appreciate it if you(?:'d| would| could)? )?"
    rf"(?P<order>{'|'.join(MANNERS)})"
    rf"(?: with me| in your {ANSWERS}| when you answer)?(?:,? (?:please|pls|thanks|tho|though|now|any ?more|again"
    r"|by the way|okay|ok|ever|at all))*"
    # What it is for is a statement of its own.
    r"(?:(?:, because|,| because| -| –|(?<=\bpls)|(?<=\bplease)|(?<=\bby the way)|(?<=\bnow)|(?<=\bokay)|(?<=\bagain)"
    r"|(?<=\byou like)|(?<=\byou want))"
    r" (?P<rest>(?:i|i'm|i've|my|we|we're|(?:just |finally )?got (?:an?|my(?:self)?))\b[^?]{2,160}?)"
    r"|(?:, because|,| because| -| –) (?!(?:it|that)(?:'s| is| was) (?:for|an?|the|my|our)\b)(?:(?:it|it's|they"
    r"|that|that's|looks?|makes?)\b|the [\w ]{3,25} (?:is|are|was|were)\b|(?-i:[A-Z])[\w-]+(?:'s| is| has| was)\b)"
    r"[^?]{2,100}?)?"
    r"[.!?]*",
    re.IGNORECASE,
)
_DISLIKED = regex(rf"(?:i (?:really )?{HATED}|{ANNOYS}|no time)[.!]*", re.IGNORECASE)
_FOR_NOW = regex(
    r"\b(?:driving|late|got to go|battery|have a call|minutes|in a (?:hurry|rush|meeting)|busy|right now|at the moment"
    r"|today|tonight|on the (?:train|phone)"
    r"|i(?:'m| am) (?!(?:learning|studying|trying|training|getting|using)\b)[a-z]+ing)\b",
    re.IGNORECASE,
)
_OF_ONE = regex(
    r"^(?!.*\b(?:always|never|from now on|every|whenever)\b).*\b(?:for|in|on|to|with) (?:this|that|these|those)"
    r" (?!chat|conversation|app|thread|channel|way|kind|sort|style|tone|case)[a-z]"
    r"|.* in (?:this|that|these|those|it)[.!]*$",
    re.IGNORECASE,
)
_AND = regex(
    rf",? (?=no (?:[a-z]+ ){{1,2}}(?:ever|at all)\b)"
    rf"|,? and (?=(?:be|stay|stop|quit|skip|leave|cut|spare|{NEVER}|no|use|give|keep|answer|reply) )",
    re.IGNORECASE,
)
# "No waffle, British spelling": one by one where they are no list of one kind.
_NEXT = regex(rf", (?=no |{SPELLING} )", re.IGNORECASE)
_LONGEST_ORDER = 240  # characters
# Signs that a wish is not of the answer at hand alone.
_LASTING = fold_case(
    r"\b(?:always|from now on|when(?:ever)? you|in your (?:answers|replies)|any ?more|these days|call me|measurements"
    r"|lowercase|i read (?:these|this|them)|every (?:small |little )?mistake)\b"
    r"|\byou (?:can|may|do not|don't|dont)\b.*\b(?:now|again)\b|\b(?:are|is) (?:fine|ok|okay|allowed)\b.* now\b",
)
# In a message with a task these may be of that task.
_IN_PASSING = regex(r"\b(?:by the way|btw|tbh)\b", re.IGNORECASE)
_IS_TASK = regex(
    r"(?:(?:please|now|and|so|also|can you|could you|help me) )*(?:write|draft|make|create|translate|convert|list"
    r"|summari[sz]e|give|plan|find|explain|describe|rewrite|edit|fix|review|compare|check)\b|.*\?$",
    re.IGNORECASE,
)
_OF_SELF = regex(r"(?:i|i'm|i've|my|we|we're|our)\b", re.IGNORECASE)
_SO = regex(
    r",? so (?=you (?:can|may|do not|don't)\b)"
    r"|,? (?:(?:and|but|so) )?(?=(?:you can |you may |please |just ){1,2}call me (?-i:[A-Z]))"
    r"| and (?=when you (?:answer|reply)\b)",
    re.IGNORECASE,
)


def as_standing(text: str) -> str:
    """Return a message with what it says of all answers to come as orders, which begin with "From now on".

    "Be brief." behind a task is of that task; a message of its own means what follows, and so does a sentence that
    says so: "by the way", "when you answer", "you can … now".
    """
    if len(text) <= _LONGEST_ORDER:
        told = [sentence for sentence in sentences(text) if not _DISLIKED.fullmatch(sentence)]
        # What the speaker says of themselves behind an order stays as it is.
        told, own = _split(told, [not _OWN.match(sentence) or bool(_ORDER.fullmatch(sentence)) for sentence in told])
        parts = (part for sentence in told for part in _AND.split(sentence))
        found = [_ORDER.fullmatch(one) for part in parts for one in _one_by_one(part)]
        if found and not any(order is None or _is_for_now(order) for order in found):
            return " ".join((*(_from_now_on(order) for order in found if order is not None), *own))
    return _with_lasting(text)


def _one_by_one(part: str) -> list[str]:
    """Return the orders of a list, or the part as it is where one order says all of it."""
    return [part] if _ORDER.fullmatch(part) else _NEXT.split(part)


def _with_lasting(text: str) -> str:
    """Return a text with its sentences that say how all answers should be as orders, the rest as it was."""
    told, out, end = sentences(text), list[str](), 0
    for number, sentence in enumerate(told):
        at = text.find(sentence, end)
        closed = close_topic(sentence, told[number - 1 : number])
        lasting = _lasting_in(sentence, told) if closed is None else f"From now on, {closed}."
        if at < 0 or lasting is None:
            continue
        out += [text[end:at], lasting]
        end = at + len(sentence)
    return "".join((*out, text[end:]))


def _lasting_in(sentence: str, told: Sequence[str]) -> str | None:
    """Return a sentence with what it says of all answers as an order; None where it says nothing of them."""
    before, so, behind = sentence.partition(found[0]) if (found := _SO.search(sentence)) else ("", "", sentence)
    passing = _IN_PASSING.search(sentence) and not any(_IS_TASK.match(other) for other in told if other != sentence)
    may_last = _OF_SELF.match(before) if so else passing or _LASTING.search(sentence)
    order = _ORDER.fullmatch(behind) if may_last and len(behind) <= _LONGEST_ORDER else None
    if order is None or _is_for_now(order):
        return None
    return f"{before}. {_from_now_on(order)}" if so else _from_now_on(order)


def _from_now_on(order: re.Match[str]) -> str:
    return f"From now on, {_plain(order)}.{_rest(order)}"


def _split(told: Sequence[str], is_order: Sequence[bool]) -> tuple[list[str], list[str]]:
    """Return the sentences before the first that is no order, and the others; all as orders where one of those is."""
    at = is_order.index(False) if False in is_order else len(told)
    return (list(told), []) if True in is_order[at:] else (list(told[:at]), list(told[at:]))


_POINTS_BACK = regex(r"\b(?:it|them|that|those|there|this|these(?! days))\b", re.IGNORECASE)
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
    if kept := order["keep"]:
        return "use normal words" if kept.lower() in ("plain", "simple") else "give longer answers"
    if spelling := order["spelling"]:
        return f"use {spelling.replace('US', 'American').replace('UK', 'British')}"
    for group, told in TOLD.items():
        if said := order[group]:
            return told.format(said if group in ("open", "speak") else said[:1].lower() + said[1:])
    said = order["order"].strip()
    return said[:1].lower() + said[1:]


def is_of_one(order: str) -> bool:
    """Return whether an order is for one thing at hand: "use British spelling for this letter"."""
    return _OF_ONE.match(order) is not None


def _is_foreign(fact: Fact) -> bool:
    quoted = _QUOTED.match(fact.text)
    return quoted is not None and not _ENGLISH.search(quoted["said"])


def is_standing(fact: Fact) -> bool:
    """Return whether a fact is an instruction for all answers to come, and not for the one task at hand."""
    if fact.kind != "instruction":
        return fact.origin != "rules" and bool(_INSTRUCTION.search(fact.text[:400]))
    is_short = fact.text.count(" ") < _WORDS_OF_A_MANNER
    # In other languages only a manner of answering is read as an instruction.
    return bool(_ALWAYS.search(fact.text)) or (is_short and bool(_MANNER.search(fact.text))) or _is_foreign(fact)


def concerns(instruction: str, asked: frozenset[str]) -> bool:
    """Return whether an instruction is for this question: for any, or for the case that it names."""
    case = (_WHEN if _FORBIDS.search(instruction) else _CONDITION).search(instruction)
    return case is None or not asked.isdisjoint(terms(case["case"]))
