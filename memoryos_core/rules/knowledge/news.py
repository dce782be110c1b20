"""Words of a change, an end or a correction: whether a statement is news, and of what."""

from __future__ import annotations

import re
from functools import lru_cache

from memoryos_core.rules.knowledge.domains import (
    BEGUN,
    CHANGE,
    CORRECTION,
    ENDED,
    LONGEST,
    RECENT,
    REVISED,
    counts_others,
    domains_of,
    kinds_of,
    without_values,
    words_of_domains,
)
from memoryos_core.rules.knowledge.phrases import normalise
from memoryos_core.rules.text.words import matches, regex, terms

FROM_TO = regex(
    r"\b(?:switch(?:ed|es|ing)?|chang(?:ed|es|ing)|mov(?:ed|es|ing)|went|migrated|convert(?:ed|ing))"
    r" (?:(?:me|us|him|her|them|the user|(?-i:[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)?)) )?(?:over )?from"
    r" (?P<old>.{2,60}?) to "
    r"|\b(?:replac(?:ed|es|ing)) (?!by |with )(?P<old2>[\w' -]{2,60}?) (?:with|by) "
    r"|\b(?:instead of|in place of|anstelle von|statt|au lieu de?|en lugar de|en vez de) (?P<old3>[\w' -]{2,60})"
    r"|\b(?:swapped|traded|exchanged|ditched|dropped|left|gave up) (?:my |the |our )?(?P<old5>[\w' -]{2,40}?) for "
    r"|\b(?:von|de) (?P<old4>[\w-]{2,40}) (?:auf|zu|à|a) [\w-]+ (?:gewechselt|umgestiegen)",
    re.IGNORECASE,
)
_CORRECTS = regex(
    r"(?:[^\"“]{1,60} said: [\"“])?(?:(?:oh|ah|hm+|sorry|hang on|hold on|actually|no),? )*"
    r"(?:no,? wait|wait,? (?:no\b|i (?:mixed|misread|got|meant|was wrong))|no,? (?:looking|i (?:mixed|misread|meant))"
    r"|(?:looking at the|scratch that|correction[:,]|my (?:mistake|bad)\b|(?:i )?(?:misread|misspoke))"
    r"|i meant\b|typo\b|oops,? (?!sorry)"
    r"|i (?:mixed (?:it|that|them|those) |mixed those two )up|i read the wrong|let me correct|perdón|quise decir"
    r"|ich meinte|korrektur[:,]|je voulais dire)",
    re.IGNORECASE,
)
_DIED = regex(
    r"\b([A-ZÀ-Þ][\w'-]+) (?:(?:has|just|sadly|suddenly) )?(?:died|passed away|ran away|was put (?:down|to sleep)"
    r"|had to be"
    r" put (?:down|to sleep))\b|\bhad to (?:put|have) ([A-ZÀ-Þ][\w'-]+) (?:down|put down|put to sleep)\b"
)
_TAKEN_BACK = regex(
    r"\b(?:take (?:it|that|this)(?: all)? back(?! to\b)|took (?:it|that) all back|changed my (?:mind|opinion)"
    r"|stand corrected|was wrong about|grown on me)\b",
    re.IGNORECASE,
)
_TURN = regex(
    r"\b(?:switched|swapped|changed|moved|relocated|replaced|upgraded|traded|converted|ended up|instead|handed over)\b",
    re.IGNORECASE,
)
REPLACED_BY = regex(r"\b(?:replaced|superseded|followed) by (?P<heir>[^.;,]{2,60})", re.IGNORECASE)
_AS_WELL = regex(r"\b(?:also|as well|in addition|additionally|auch|aussi|également|también|además)\b", re.IGNORECASE)
# Who asks for help with something says nothing new of it.
_WONDERS = regex(
    r"\b(?:is|am|are) (?:(?:trying|struggling) to (?:understand|figure out|see|know|decide) "
    r"|(?:curious|wondering|not sure) )(?:how|why|what|whether|if|which)\b",
    re.IGNORECASE,
)
NEVER = regex(r"\bnever\b", re.IGNORECASE)
_BROAD_TEXT = "meeting money health travel party sport hobby contact stage device language"
# Parts of life that many sentences touch: a word of them and a word of change are not enough.
BROAD = frozenset(_BROAD_TEXT.split())
_PLAIN_TEXT = "now instead longer more use new live work the user said say get go like"
PLAIN = frozenset(_PLAIN_TEXT.split())
_QUIT_DOING = regex(r"\bquit (?=\w+ing\b)", re.IGNORECASE)
_PAIR = 2
_TINY = 5
_SIGNALS = (CHANGE, ENDED, CORRECTION, RECENT, REVISED, FROM_TO, NEVER, *BEGUN.values())


@lru_cache(maxsize=16_384)
def word_bag(text: str) -> frozenset[str]:
    """Return the index terms of a text as a set."""
    return frozenset(terms(text))


@lru_cache(maxsize=16_384)
def is_news(new: str) -> bool:
    """Return whether a statement has any word by which another one could end."""
    return any(pattern.search(text) for text in {new, normalise(new)} for pattern in _SIGNALS)


def tells_death(old: str, new: str) -> bool:
    """Return whether `new` says that somebody died, or ran away, whom `old` names: "Bruno died on Friday"."""
    return any(
        re.search(rf"\b{re.escape(name)}\b", old)
        for found in _DIED.findall(new[:LONGEST])
        for name in filter(None, found)
    )


def takes_back(text: str) -> bool:
    """Return whether a sentence begins like a correction of what was just said, or takes a judgement back."""
    return is_correction(text) or _TAKEN_BACK.search(text[:LONGEST]) is not None


def is_correction(text: str) -> bool:
    """Return whether a sentence begins like a correction of what was just said: "no wait", "scratch that"."""
    return _CORRECTS.match(normalise(text)) is not None


def is_bare_correction(text: str) -> bool:
    """Return whether a correction has so few words besides its value that only what was just said tells its matter."""
    return is_correction(text) and len(word_bag(without_values(CORRECTION.sub(" ", normalise(text)))) - PLAIN) <= _TINY


def tells_end(text: str) -> bool:
    """Return whether a sentence says that something ended, or that something began which ends what was before."""
    return any(pattern.search(text) for pattern in (ENDED, *BEGUN.values()))


def is_news_of(old: str, new: str) -> bool:
    """Return whether news of an end or a turn is about the part of life of `old`.

    One of them has two words of it; both have, where many sentences touch it. Who is spoken of is not looked at.
    """
    if not (tells_end(new) or _TURN.search(new)):
        return False
    before, after = words_of_domains(old), words_of_domains(new)
    return any(
        (min if domain in BROAD else max)(n, after[domain]) >= _PAIR for domain, n in before.items() if domain in after
    )


def is_same_kind(old: str, new: str) -> bool:
    """Return whether both statements hold a date, a time or a number; a bare number may be an amount of money."""
    before, after = kinds_of(old), kinds_of(new)
    if "money" in before and "number" in after and "money" in domains_of(new):
        return True
    return bool(before & after) and not counts_others(old, new)


def life_of(text: str) -> frozenset[str]:
    """Return the parts of life that news is about: "quit smoking" is about no job."""
    return domains_of(_QUIT_DOING.sub("stopped ", text))


def only_wonders(text: str) -> bool:
    """Return whether a text asks how or why something is, and has told no news before."""
    found = _WONDERS.search(text) if matches(_WONDERS, text) else None
    return found is not None and not is_news(text[: found.start()])


def is_one_of_several(text: str) -> bool:
    """Return whether a text says of itself that it tells what somebody has or does beside something else."""
    return matches(_AS_WELL, text)


def is_over_or_turned(text: str) -> bool:
    """Return whether news tells an end, or that something was turned into something else."""
    return matches(ENDED, text) or tells_end(text) or matches(_TURN, text)


def names_heir(old: str, new: str) -> bool:
    """Return whether the old statement itself names what came after it: "replaced by oil heating"."""
    heir = REPLACED_BY.search(old) if matches(REPLACED_BY, old) else None
    wanted = word_bag(heir["heir"]) if heir is not None else frozenset[str]()
    return 2 * len(wanted & word_bag(new)) > len(wanted)


@lru_cache(maxsize=16_384)
def is_open(old: str) -> bool:
    """Return whether a statement says by itself what could end it: "never", or what came after."""
    return matches(NEVER, old) or matches(REPLACED_BY, old)


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_SELF = r"^(?:The user|[\w-]+) "
_NAMED = r"(?-i:[A-ZÀ-Þ])[\w-]+"
_ENDS = r"(?=[.,!]|$| (?:in|on|last|this|next|after|yesterday|today|now|from|at the end|any)\b)"
_GAVE_UP = _pattern(
    rf"{_SELF}(?:has |have |had )?(?:gave up|given up|quit|stopped|cut out)"
    rf" (?P<what>[\w -]{{3,30}}?){_ENDS}"
)
_AGAIN = _pattern(
    rf"{_SELF}(?:is |am |has |have )(?:now |just |already )?(?:started )?(?P<what>[\w-]+ing(?: [\w-]+){{0,2}}) again\b"
    rf"|{_SELF}(?:is|am) back (?:on|to) (?P<more>[\w-]+(?: [\w-]+)?){_ENDS}"
)
_CONSUMES = word_bag("drinking eating using taking doing having playing going started")

# What was so, and the news that ends it: what both call "what" is the same. Each is about the one that it begins with.
_OUTCOMES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        _pattern(r"\b(?:is|are|am) (?:expecting\b.{0,40}\b(?:baby|child|son|daughter|twins|girl|boy)|pregnant)\b"),
        _pattern(
            r"\b(?:child|baby|son|daughter|boy|girl|twins)\b.{0,20}\b(?:was|were) born\b|\bgave birth\b"
            r"|\bhad (?:the|our|their|a) baby\b|\bmiscarr(?:ied|iage)\b"
        ),
    ),
    (
        _pattern(
            r"\b(?:trip|going|travell?ing|flying|flight|holiday|vacation|moving|move|fly|travel)\b.{0,40}?"
            rf"\bto (?P<what>{_NAMED})"
        ),
        _pattern(
            rf"{_SELF}(?:(?:is|am|are) (?:not|no longer)|isn't|aren't) (?:going|travell?ing|flying|moving|coming) to"
            rf" (?P<what>{_NAMED}){_ENDS}"
        ),
    ),
    (
        _pattern(rf"\b(?:trip|going|travell?ing|flying|holiday|vacation|move)\b.{{0,40}}?\bto (?P<what>{_NAMED})"),
        _pattern(rf"^(?P<what>{_NAMED}) (?:never happened|didn't happen|fell thr(?:ough|u))\b"),
    ),
    (
        _pattern(rf"{_SELF}(?:is|am) (?:\w+ )?single\b"),
        _pattern(
            rf"{_SELF}(?:has (?:now )?(?:got )?an? (?:new )?(?:girl|boy)friend\b|got (?:engaged|married)\b"
            rf"|is (?:now )?(?:engaged|married|dating (?:someone|{_NAMED}))\b)"
        ),
    ),
    (
        _pattern(rf"\b(?:dating|seeing) {_NAMED}"),
        _pattern(rf"{_SELF}(?:is |has )?(?:started |now )?(?:seeing|dating) (?:someone|somebody) (?:new|else)\b"),
    ),
    (
        _pattern(r"\b(?:saving(?: up)? for|shopping for|wants? to buy) (?:an? |the |their )?(?:new )?(?P<what>[\w-]+)"),
        _pattern(
            rf"{_SELF}(?:has |have |finally |just )*bought (?:an?|the|their) (?:new |used )?(?P<what>[\w-]+){_ENDS}"
        ),
    ),
    (
        _pattern(
            rf"{_SELF}(?:has|have) (?:an? )?(?:broken|sprained|injured|bad|sore|fractured|dodgy|torn)"
            r" (?P<what>[a-z]+)\b"
        ),
        _pattern(
            r"^(?:The user|[\w-]+)'s (?P<what>[a-z]+) (?:is|are|has|have)(?: (?:all|completely|now|fully))?"
            r" (?:healed|(?:fine|better|good|ok|okay|back to normal) (?:again|now))\b"
        ),
    ),
    (
        _pattern(r"^(?P<what>.{2,60}?) (?:stays|lives) with (?:them|me|us|the user)\b"),
        _pattern(
            r"^(?P<what>.{2,60}?) (?:is |has |now )*(?:staying|living|stays|lives|moved in) with"
            r" (?!them\b|me\b|us\b|the user\b).*\bnow\b"
        ),
    ),
    (
        _pattern(r"^(?P<what>.{2,60}?) (?:works? nights|(?:works?|is|am|are) (?:on )?(?:the )?night shifts?)\b"),
        _pattern(
            r"^(?P<what>.{2,60}?) (?:is |has |now |finally |got |on |works? |moved to )+"
            r"(?:day shifts?|days(?! and))\b"
        ),
    ),
    (
        _pattern(r"^(?P<what>.{2,60}?) (?:has|lives|works|stays|takes|needs) "),
        _pattern(
            r"^(?P<what>.{2,60}?) (?:has |have |had |just |sadly |recently )*(?:passed away|died)\b"
            r"(?! (?:when|in (?:the|a|an)\b|as|years))"
        ),
    ),
    (
        _pattern(
            r"\b(?:boyfriend|girlfriend|bf|gf|partner|fianc\w+|dating|seeing|going out with|together with)"
            rf"(?: \w+){{0,3}}? (?P<what>{_NAMED})"
        ),
        _pattern(rf"^(?:So )?(?P<what>{_NAMED}) (?:dumped|left) (?:me|them|us|the user|{_NAMED})(?=[.!,]|$)"),
    ),
    (
        _pattern(
            r"\b(?:boyfriend|girlfriend|bf|gf|partner|fianc\w+|dating|seeing|going out with|together with)"
            rf"(?: \w+){{0,3}}? (?P<what>{_NAMED})"
        ),
        _pattern(
            rf"{_SELF}(?:has |have )?(?:finished|split(?: up)?|broke up|broken up) with (?P<what>{_NAMED}){_ENDS}"
        ),
    ),
    (
        _pattern(
            rf"{_SELF}.{{0,40}}?\b(?:works?|working|runs?|employed|manager|engineer|nurse)\b.{{0,40}}?"
            rf"\b(?:at|for) (?P<what>{_NAMED})"
        ),
        _pattern(
            rf"{_SELF}(?:has |have |just |finally |recently )*(?:left|quit|resigned from"
            rf"|(?:got|was) (?:laid off|fired|let go) (?:by|from)) (?P<what>{_NAMED}){_ENDS}"
        ),
    ),
    (
        _pattern(
            rf"{_SELF}(?:is |am )?(?:training|preparing|applying) for (?:the |an? )?"
            r"(?P<what>[\w ]{3,40}?)(?=$|[.,]| (?:in|on)\b)"
        ),
        _pattern(r"\bno (?P<what>[\w ]{3,30}) for (?:me|them|us|the user)\b"),
    ),
)
_ONE_WORD = {"mum": "mother", "mom": "mother", "mummy": "mother", "dad": "father", "daddy": "father"}
_OTHERS = _pattern(
    r"\b(sister|brother|friend|cousin|colleague|boss|neighbou?r|aunt|uncle|niece|nephew|in-law|ex|dog|cat)s?\b"
)
_NAME_IN = regex(r"(?<=[a-z,] )[A-ZÀ-Þ][\w-]+")


@lru_cache(maxsize=16_384)
def _given_up(old: str) -> frozenset[str]:
    """Return the words of what somebody gave up; empty for any other statement."""
    found = _GAVE_UP.match(old)
    return word_bag(found["what"]) if found is not None else frozenset()


@lru_cache(maxsize=16_384)
def _taken_up(new: str) -> frozenset[str]:
    """Return the words of what somebody does again; empty for any other statement."""
    found = _AGAIN.match(new)
    return word_bag(found["what"] or found["more"]) if found is not None else frozenset()


def resumes(old: str, new: str) -> bool:
    """Return whether what was given up goes on: "gave up coffee", "drinking coffee again"."""
    left, taken = _given_up(old), _taken_up(new)
    return bool(left) and left <= taken and taken - left <= _CONSUMES and _begin_alike(old, new)


@lru_cache(maxsize=16_384)
def _outcomes_in(new: str) -> tuple[tuple[re.Pattern[str], str | None, str], ...]:
    """Return what could have been so of which the news tells the outcome, what the news calls it, and where."""
    found = ((held, told.search(new)) for held, told in _OUTCOMES)
    return tuple((held, m.groupdict().get("what"), new[: m.end()]) for held, m in found if m is not None)


@lru_cache(maxsize=16_384)
def _others_in(text: str) -> frozenset[str]:
    return frozenset(who.lower() for who in _OTHERS.findall(text))


@lru_cache(maxsize=16_384)
def _bag(text: str) -> frozenset[str]:
    said = " ".join(_ONE_WORD.get(word.lower(), word) for word in text.replace("'s", " ").split())
    return word_bag(said)


def has_outcome(old: str, new: str) -> bool:
    """Return whether the news is what the older statement was about to come to: expecting a child, and it was born."""
    for held, told, said in _outcomes_in(new):
        found = held.search(old)
        if found is None:
            continue
        what = found.groupdict().get("what")
        if told is None or what is None:
            if _begin_alike(old, said):
                return True
            continue
        # Where both name a place, a thing or a person, that says what is meant: "half marathon" of "CPC half marathon".
        same = _bag(what) == _bag(told) or (len(_bag(told)) > 1 and _bag(told) < _bag(what))
        told_of_it = not what.istitle() or said.removeprefix("So ").startswith(told) or _first(old) == _first(said)
        if same and told_of_it and (not what.istitle() or _others_in(old) == _others_in(said)):
            return True
    return False


def _begin_alike(old: str, new: str) -> bool:
    """Return whether two statements begin with the same word, name the same other people, and no other names."""
    one, two = set(_NAME_IN.findall(old)), set(_NAME_IN.findall(new))
    return (
        _first(old) == _first(new)
        and _others_in(old) == _others_in(new)
        and (not one or not two or not one.isdisjoint(two))
    )


def _first(text: str) -> str:
    return text.partition(" ")[0].removesuffix("'s").lower()
