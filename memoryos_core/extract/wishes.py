"""Wishes for all answers that the tagger finds, told in the words of their speaker, and what takes one back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memoryos_core.extract.findings import FoundFact
from memoryos_core.extract.marks import OF_HEALTH, Told, may_lift
from memoryos_core.extract.statement_kinds import is_of_the_moment
from memoryos_core.extract.tagging import is_wish
from memoryos_core.rules.knowledge.instructions import (
    ask_for_all,
    call_by,
    is_of_one,
    is_of_wish,
    lifts,
    take_back_for_all,
)
from memoryos_core.rules.text.names import is_name
from memoryos_core.rules.text.words import regex, terms
from memoryos_core.values.dialogue import Page


def wishes_marked(
    page: Page, messages: Sequence[tuple[str, Sequence[str]]], name: str, told: Told
) -> Iterator[FoundFact]:
    """Yield what the user's messages of a page ask for in all answers, and what they take back.

    Each message comes with those of its sentences that are the speaker's own. `name` says what the user is called.
    """
    said = ((text, *pair) for text, kept in messages for pair in zip(("", *kept), kept, strict=False))
    for text, before, sentence in said:
        if not _FEWEST_OF_A_WISH <= sentence.count(" ") < _MOST_OF_A_WISH:
            continue
        if (called := _name_asked_for(sentence, before, text)) is not None:
            yield FoundFact("user", call_by(name, called), (page.id,), kind="instruction")
        elif is_wish(sentence, text):
            is_wanted = not (_is_order(sentence, told.stated) or (_COMPLAINS.match(sentence) and sentence != text))
            wish = _without_health(sentence, told) if is_wanted else None
            if wish:
                yield FoundFact(
                    "user", ask_for_all(name, _with_matter(before, wish, told)), (page.id,), kind="instruction"
                )
        elif may_lift(sentence, text):
            yield from _read_lift(sentence, page, name, told)


def _read_lift(sentence: str, page: Page, name: str, told: Told) -> Iterator[FoundFact]:
    """Yield what a sentence takes back, if it is known, and the wish behind it: "…, but no emojis"."""
    back = take_back_for_all(name, sentence)
    if any(lifts(known, back) for known in (*told.known, *told.stated)):
        yield FoundFact("user", back, (page.id,), kind="change")
    if (rest := _BEHIND_LIFT.search(sentence)) and is_wish(rest["wish"], rest["wish"]):
        yield FoundFact("user", ask_for_all(name, rest["wish"]), (page.id,), kind="instruction")


def _name_asked_for(sentence: str, before: str, text: str) -> str | None:
    """Return the name by which somebody wants to be called: "Craig is fine" where it is of what they are called."""
    called = _CALLED.search(sentence)
    if called is not None and (is_wish(sentence, text) or _RATHER.match(sentence)):
        return called["name"]
    fine = _IS_FINE.search(sentence)
    if fine is None or not _OF_CALLING.search(f"{before} {sentence}") or not is_name(fine["name"]):
        return None
    return f"{fine['name'][:1].upper()}{fine['name'][1:]}"


_BEHIND_LIFT = regex(r", but (?P<wish>.+)", re.IGNORECASE)
# "You keep calling me Mr Pritchard": what is wished instead, the next sentence says.
_COMPLAINS = regex(r"you(?:'ve| have)? (?:keep|kept|always|just|gone|been)\b", re.IGNORECASE)
_IS_FINE = regex(
    r"\b(?P<name>(?!(?:evening|morning|afternoon|noon|night|later|e?mail|text|tomorrow|today|once|twice|\w+day)\b)"
    r"[^\W\d_]{2,15}) is (?:just )?(?:fine|quite enough|enough|plenty)\b",
    re.IGNORECASE,
)
_OF_CALLING = regex(
    r"\b(?:being called|quit with the|you (?:\w+ )?(?:call(?:ed|ing)?|address(?:ed|ing)?) me)\b|^call me\b",
    re.IGNORECASE,
)


def beside_wishes(sentences: Sequence[str], text: str) -> Iterator[str]:
    """Yield what sentences of a text say beside wishes; what their speaker is no example of says nothing."""
    before = ""
    for sentence in sentences:
        if not (_NO_SUCH_THING.fullmatch(sentence) and before and is_wish(before, text)):
            yield _beside_wish(sentence, text)
        before = sentence


_NO_SUCH_THING = regex(r"i'm not (?:an? |your )[\w -]+[.!]*", re.IGNORECASE)


def _beside_wish(sentence: str, text: str) -> str:
    """Return what a sentence says beside a wish: "I'm dyslexic." of "Be brief, I'm dyslexic."; else all of it."""
    clauses = _CLAUSES.split(sentence)
    kept = [clause for clause in clauses if not is_wish(clause, text)]
    if not 0 < len(kept) < len(clauses) or _OF_SPEAKER.match(kept[0]) is None:
        return sentence
    rest = ", ".join(kept).rstrip(" .!")
    return f"{rest[0].upper()}{rest[1:]}."


_OF_SPEAKER = regex(r"(?:i|my|we|our)\b", re.IGNORECASE)


def _without_health(sentence: str, told: Told) -> str | None:
    """Return a wish without the clauses that say what its speaker may not have: it would outlive that."""
    values = [slot.value.casefold() for slot in told.slots() if slot.attribute in OF_HEALTH]
    clauses = _CLAUSES.split(sentence)
    kept = [clause for clause in clauses if not any(value in clause.casefold() for value in values)]
    if len(kept) == len(clauses):
        return sentence
    wish = ", ".join(kept)
    return wish if kept and is_wish(wish, wish) else None


def _with_matter(before: str, wish: str, told: Told) -> str:
    """Return a wish with the sentence before it where that alone says what it is about."""
    is_needed = before and _OF_WHAT.search(wish) is not None and _without_health(before, told) == before
    return f"{before} {wish}" if is_needed else wish


# "I don't want to talk about him": of whom, the sentence before it says.
_OF_WHAT = regex(
    r"\b(?:mention(?:ing)?|bring(?:ing)?|discuss|(?:talk|speak|ask)(?:ing)? (?:of|about))"
    r"(?: up)? (?:it|that|this|him|her|them|any of it)\b",
    re.IGNORECASE,
)
_CALLED = regex(
    r"(?:\b(?i:to be called|(?:may|can) (?:just )?call me|you called me|address me as)"
    r"|^(?i:(?:please|just|do|and) )*(?i:call me)) "
    r"(?P<name>(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)"
    r"(?:(?:Dr|Mr|Mrs|Ms|Miss|Prof)\.? )?[A-ZÀ-Þ][\w'-]+)"
    r"(?=[.,!]|$| (?i:now|please|from now on|instead|like every\w+)\b)"
)
_RATHER = regex(r"i(?:'d| would) (?:prefer|rather|like) ", re.IGNORECASE)
_CLAUSES = regex(r", (?:and |so |but )?| (?:because|since) | so (?=(?:don't|never|no|please|give|stop|keep|use)\b)")


def _is_order(sentence: str, stated: Sequence[str]) -> bool:
    """Return whether rules read a sentence as an order, or as a wish of this moment or of one thing."""
    said = frozenset(terms(sentence))
    orders = (frozenset(terms(text)) - _OF_AN_ORDER for text in stated if is_of_wish(text))
    if _OF_A_TASK.match(sentence):
        return True
    is_told = any(len(said & order) >= _MOST_OF_IT * len(order) for order in orders if order)
    return is_told or is_of_the_moment(sentence) or is_of_one(sentence)


_FEWEST_OF_A_WISH, _MOST_OF_A_WISH = 1, 30
# "I'm trying to …, and I want to make sure that …" says what a question is for.
_OF_A_TASK = regex(
    r"(?:please )?call me (?:later|back|tomorrow|when|if|before|after|in|on|at|crazy|mad|silly|old)\b|"
    r"(?:(?:and|but|so|also|ok|okay|cool),? )*(?:i(?:'m| am) (?:\w+ )?(?:trying|working|looking|planning|using)"
    r"|i(?:'d| would) like you to (?:make|write|draft|plan|find|build|create|translate|list)"
    r"|i want to (?:make sure|ensure|learn|know|understand)|(?:do|should|does) i\b)",
    re.IGNORECASE,
)
_OF_AN_ORDER, _MOST_OF_IT = frozenset(terms("the user wants the assistant to their they")), 0.6
