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


_GAVE_UP = regex(r"\b(?:gave up|given up|giving up|quit|stopped|cut out|kicked|(?:am|is|are) off)\b", re.IGNORECASE)
_AGAIN = regex(r"\b(?:again|back (?:on|to|at)|relapsed|resumed)\b", re.IGNORECASE)
_NEVER_AGAIN = regex(r"\b(?:never|not|no)\b|n't\b", re.IGNORECASE)
_FEW_WORDS = 4
"""Words behind "gave up" that name one thing; more tell a story."""


@lru_cache(maxsize=16_384)
def _given_up(old: str) -> frozenset[str]:
    """Return the words of what somebody gave up; empty for any other statement."""
    found = _GAVE_UP.search(old)
    return word_bag(old[found.end() :].partition(",")[0]) if found is not None else frozenset()


def resumes(old: str, new: str) -> bool:
    """Return whether what was given up goes on: "gave up coffee", "drinking coffee again"."""
    left = _given_up(old)
    if not left or not matches(_AGAIN, new) or matches(_NEVER_AGAIN, new):
        return False
    return bool(left & word_bag(new)) and len(left) <= _FEW_WORDS


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


# What was so, and the news that ends it. Words that both call "what" are the same; what the first alone calls so is
# named in the second.
_OUTCOMES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        _pattern(r"\b(?:is|are|am) (?:expecting\b.{0,40}\b(?:baby|child|son|daughter|twins|girl|boy)|pregnant)\b"),
        _pattern(r"\b(?:was born|were born|gave birth|had (?:the|our|their|a) baby|miscarr(?:ied|iage))\b"),
    ),
    (
        _pattern(
            r"\b(?:trip|going|travell?ing|flying|flight|holiday|vacation|moving|move|visit\w*|fly|travel)\b.{0,40}?"
            r"\bto (?P<what>(?-i:[A-Z])[\w-]+)"
        ),
        _pattern(
            r"\b(?:not|n't|no longer|never) (?:going|travell?ing|flying|moving|visiting|coming|go|fly|travel)\b"
            r"|\b(?:never happened|didn't happen|fell thr(?:ough|u)|got cancell?ed)\b"
        ),
    ),
    (
        _pattern(r"\b(?:is|am|are) single\b"),
        _pattern(
            r"\b(?:girlfriend now|boyfriend now|now has a (?:girl|boy)friend|started (?:dating|seeing)"
            r"|(?:is|am) (?:now )?(?:dating|seeing|engaged|married)|got (?:engaged|married))\b"
        ),
    ),
    (
        _pattern(r"\b(?:dating|seeing) (?-i:[A-Z])\w+"),
        _pattern(r"\b(?:seeing|dating) (?:someone|somebody) (?:new|else)\b"),
    ),
    (
        _pattern(
            r"\b(?:saving(?: up)? for|looking for|shopping for|wants? to buy|hoping to (?:buy|get))"
            r" (?:an? |the |their )?(?:new )?(?P<what>[\w-]+)"
        ),
        _pattern(r"\b(?:bought|purchased|picked up|found|got) (?:an?|the|their|my|our)\b"),
    ),
    (
        _pattern(r"\b(?:broken|sprained|injured|bad|sore|fractured|dodgy|torn) (?P<what>[a-z]+)\b"),
        _pattern(r"\b(?:healed|(?:fine|better|good|ok|okay|back to normal) (?:again|now))\b"),
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
            r"^(?P<what>.{2,60}?) (?:(?:is |has |now |finally |got |on |works? |moved to )+(?:day shifts?|days\b)"
            r"|(?:is |now )+off (?:the )?nights?\b)"
        ),
    ),
    (
        _pattern(r"^(?P<what>.{2,60}?) (?:has|lives|works|stays|takes|needs) "),
        _pattern(r"^(?P<what>.{2,60}?) (?:has |have |had |just |sadly |recently )*(?:passed away|died)\b"),
    ),
    (
        _pattern(
            r"\b(?:boyfriend|girlfriend|bf|gf|partner|fianc\w+|dating|seeing|going out with|together with)"
            r"(?: \w+){0,3}? (?P<what>(?-i:[A-Z])\w+)"
        ),
        _pattern(
            r"\b(?:dumped (?:me|them|us|the user|(?-i:[A-Z])\w+)|left (?:me|them|us|the user))(?=[.!,]|$)"
            r"|\bwith (?-i:[A-Z])\w+ .{0,30}\b(?:finished|over)\b"
            r"|\b(?:finished|split(?: up)?|broke up|done) with (?-i:[A-Z])"
        ),
    ),
    (
        _pattern(
            r"\b(?:works?|working|runs?|job|employed|manager|engineer|nurse)\b.{0,40}?"
            r"\b(?:at|for|with) (?P<what>(?-i:[A-Z])\w+)"
        ),
        _pattern(
            r"\b(?:quit|resigned from|laid off (?:by|from)|fired (?:by|from)|let go (?:by|from)) (?-i:[A-Z])"
            r"|\bleft (?-i:[A-Z])[\w&]*(?=[.!,]|$| (?:at the end|last|in|after|this)\b)"
        ),
    ),
    (
        _pattern(r"\b(?:training|preparing|applying) for (?:the |an? )?(?P<what>[\w ]{3,40}?)(?=$|[.,]| (?:in|on)\b)"),
        _pattern(r"\bno (?:more )?[\w ]{3,30} for (?:me|them|us|the user)\b"),
    ),
)
_ONE_WORD = {"mum": "mother", "mom": "mother", "mummy": "mother", "dad": "father", "daddy": "father"}
_OTHERS = _pattern(r"\b(sister|brother|friend|cousin|colleague|boss|neighbou?r|aunt|uncle|niece|nephew|in-law)s?\b")


@lru_cache(maxsize=16_384)
def _outcomes_in(new: str) -> tuple[tuple[re.Pattern[str], str | None], ...]:
    """Return what could have been so of which the news tells the outcome, and what the news calls it."""
    found = ((held, told.search(new)) for held, told in _OUTCOMES)
    return tuple((held, match.groupdict().get("what")) for held, match in found if match is not None)


@lru_cache(maxsize=16_384)
def _others_in(text: str) -> frozenset[str]:
    return frozenset(who.lower() for who in _OTHERS.findall(text))


@lru_cache(maxsize=16_384)
def _bag(text: str) -> frozenset[str]:
    said = " ".join(_ONE_WORD.get(word.lower(), word) for word in text.replace("'s", " ").split())
    return word_bag(said)


def has_outcome(old: str, new: str) -> bool:
    """Return whether the news is what the older statement was about to come to: expecting a child, and it was born.

    Both are about the same person: they begin with the same word, and name the same others.
    """
    for held, told in _outcomes_in(new):
        found = held.search(old)
        if found is None:
            continue
        what = found.groupdict().get("what")
        if told is not None and what is not None:
            if _bag(what) == _bag(told):
                return True
        elif what is not None and what.istitle() and _others_in(old) == _others_in(new):
            if _bag(what) <= _bag(new):  # a name says by itself who or what is meant
                return True
        elif _begin_alike(old, new) and (what is None or bool(_bag(what) & _bag(new))):
            return True
    return False


def _begin_alike(old: str, new: str) -> bool:
    first, second = (text.partition(" ")[0].removesuffix("'s").lower() for text in (old, new))
    return first == second and _others_in(old) == _others_in(new)
