"""Turns of a life that are told without the words of what they end: a debt paid off, a bank changed, a job left.

Each turn says what was so and what ends it. Both are of the user, or name the same person or thing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.news import word_bag
from memoryos_core.rules.knowledge.plans import names_in, others_in
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.knowledge.turn_pairs import DOUBT, POST, TURNS, Turn
from memoryos_core.rules.text.words import regex

__all__ = ["ends_all_like_it", "ends_turn", "keeps_the_rest", "keys_of_turns", "may_turn"]

_LONGEST = 400  # characters of a statement that are read


@dataclass(frozen=True, slots=True)
class _Told:
    turn: Turn
    what: frozenset[str] | None
    verb: str
    of: frozenset[str]


# Who is back has not left for good: "he quit in March but came back".
_CAME_BACK = regex(
    r"\b(?:(?:is|are|was|'s|'re|be|came|comes|coming|will be) (?:now |already )?back\b|(?:took|taken|take) \w+(?: \w+)?"
    r" back\b|back (?:in |at work |on )?(?:tomorrow|on \w+day|next \w+)|next one|rehired|reinstated)",
    re.IGNORECASE,
)
_PLAIN = word_bag("the a my our their his her its all now mr mrs ms miss dr co ltd inc limited group plc")
_WHATS = ("what", "last", "post", "name", "goods", "done", "bill", "aged", "pet")


def _bag(text: str) -> frozenset[str]:
    return word_bag(text.replace("'s", " ").replace("’s", " ")) - _PLAIN


def _what(found: re.Match[str]) -> frozenset[str] | None:
    groups = found.groupdict()
    said = next((groups[name] for name in _WHATS if groups.get(name)), None)
    return None if said is None else _bag(said)


def _of(found: re.Match[str]) -> frozenset[str]:
    groups = found.groupdict()
    return _bag(f"{groups.get('of') or ''} {groups.get('club') or ''}")


@lru_cache(maxsize=16_384)
def _turns_in(new: str) -> tuple[_Told, ...]:
    """Return the turns that a statement tells."""
    said = new[:_LONGEST]
    out: list[_Told] = []
    for turn in TURNS:
        found = turn.told.search(said)
        if found is None or DOUBT.search(said[: found.end()]) or _CAME_BACK.search(said, found.end()):
            continue
        what, of = _what(found), _of(found)
        named = any(name in turn.told.groupindex for name in _WHATS)
        if not (named and not what) and not ("club" in turn.told.groupindex and not of):
            out.append(_Told(turn, what, (found.groupdict().get("verb") or "").lower()[:3], of))
    return tuple(out)


def may_turn(new: str) -> bool:
    """Return whether `ends_turn` may be true of this statement and any older one."""
    return bool(_turns_in(new))


def ends_turn(old: str, new: str) -> bool:
    """Return whether the older statement is what a turn in the new one ends."""
    return any(_is_ended(old[:_LONGEST], told) for told in _turns_in(new))


def _is_ended(old: str, told: _Told) -> bool:
    for found in told.turn.held.finditer(old):
        what, of = _what(found), _of(found)
        verb = (found.groupdict().get("verb") or "").lower()[:3]
        if told.what is not None and not (
            told.what == what or (told.turn.within and told.what <= (what or frozenset()))
        ):
            continue
        if (of and told.of and of.isdisjoint(told.of)) or (verb and told.verb and verb != told.verb):
            continue
        beside = _is_one_of_two(found, told) or ("of" in told.turn.held.groupindex and _tells_two_posts(old))
        return not (beside or _tells_more(old, told.what or _bag(found[0])))
    return False


_PARTS = regex(r"[;:,] (?:and )?|(?<=\w\w\w)[.!] | and | but ")
_OF_A_PEOPLE = regex(r"\w{3,}(?:ian|ish|ese)$")
_FEW_WORDS = regex(r"[\w'-]*(?: [\w'-]+){0,4}[.! ]*")


def _tells_more(old: str, what: frozenset[str]) -> bool:
    """Return whether a statement tells a home, or names another person or thing, beside what has ended."""
    if any(slot.subject == USER and slot.attribute in _LASTING for slot in slots_of(old)):
        return True
    others = (part for part in _PARTS.split(f"{old[:1].lower()}{old[1:]}") if what.isdisjoint(word_bag(part)))
    return any(others_in(part) or any(not _OF_A_PEOPLE.match(name) for name in names_in(part)) for part in others)


_POSTS = regex(rf"\b(?:(?:deputy|vice|assistant)[ -])?{POST}\b", re.IGNORECASE)
_LASTING = frozenset(("home", "name", "age", "relationship", "allergy", "condition", "origin"))


def _is_one_of_two(found: re.Match[str], told: _Told) -> bool:
    """Return whether what has ended is one of two of its kind: "the under 9s and the under 12s"."""
    said = found.groupdict().get("what") if told.turn.within else None
    one, joint, other = (said or "").partition(" and ")
    if not joint or told.what is None:
        return False
    rest = [part for part in (one, other) if not told.what <= _bag(part)]
    return len(rest) == 1 and _FEW_WORDS.fullmatch(rest[0]) is not None


def _tells_two_posts(old: str) -> bool:
    return len({post.lower() for post in _POSTS.findall(old)}) > 1


@lru_cache(maxsize=16_384)
def keys_of_turns(text: str) -> frozenset[str]:
    """Return what a statement shares with those that it ends, or that end it, without a word in common."""
    ends = {told.turn for told in _turns_in(text)}
    return frozenset(
        f"~turn {number}"
        for number, turn in enumerate(TURNS)
        if turn.told.groupindex.keys().isdisjoint(_WHATS)
        and (turn in ends or turn.held.search(text[:_LONGEST]) is not None)
    )


_READS_TWO = regex(
    r"\bis (?:\w+ )?reading (?P<one>[^.,;]{2,50}?) and (?P<other>[^.,;]{2,50}?)(?=[.,;]|$)", re.IGNORECASE
)
_FINISHED = regex(
    r"\bfinished (?:reading )?(?P<what>[\w' -]{2,40}?)(?=[.,;!]|$| (?:last|yesterday|today|now|finally"
    r"|and (?:started|now|they|it|loved))\b)",
    re.IGNORECASE,
)
_WORKS_WITH = regex(r"\bworks? with (?P<who>[A-ZÀ-Þ][\w'-]*) (?:at|for|in)\b")
_LEFT_WHOM = regex(r"\bleft (?P<who>[A-ZÀ-Þ][\w'-]*)")


def keeps_the_rest(old: str, new: str) -> bool:
    """Return whether only a part of what was so has ended: one of two books, a person and not the job with them."""
    done, left = _find_parts_over(new)
    both = _READS_TWO.search(old[:_LONGEST]) if done is not None else None
    if both is not None and done is not None:
        return done in (_bag(both["one"]), _bag(both["other"]))
    company = _WORKS_WITH.search(old[:_LONGEST]) if left is not None else None
    return company is not None and company["who"] == left


@lru_cache(maxsize=1_024)
def _find_parts_over(new: str) -> tuple[frozenset[str] | None, str | None]:
    """Return the words of what was finished, and the name of whom the user left; most statements tell of neither."""
    done, left = _FINISHED.search(new[:_LONGEST]), _LEFT_WHOM.search(new[:_LONGEST])
    return _bag(done["what"]) if done is not None else None, left["who"] if left is not None else None


def ends_all_like_it(new: str) -> bool:
    """Return whether a turn ends each statement of what it names: a job, a pet, a bank."""
    return any(not told.turn.within for told in _turns_in(new))
