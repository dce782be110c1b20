"""Write an English clause with the "I" that its speaker left out: "Moved to Porto." is "I moved to Porto."."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

__all__ = ["with_subject"]

_FELT = (
    "excited|happy|glad|proud|interested|thrilled|tired|stoked|ready|grateful|busy|obsessed|determined|inspired|"
    "pumped|nervous|hooked"
)


_NO_SUBJECT: tuple[tuple[re.Pattern[str], str], ...] = (
    (regex(r"(?:always |never |also |just )?been [a-z]", re.IGNORECASE), "I've "),
    (
        regex(
            rf"(?:so |really |super |just |still |always )*(?:{_FELT})(?=$|[,.!]| (?:to|about|that|with|for|of|at"
            rf"|because|and|now|today|as)\b)(?! (?:mum|mom|dad) of)",
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (
        regex(
            r"(?:just |currently |also |still |now |already )*(?:gonna|loving|working|looking|thinking|planning|trying|"
            r"going|getting|running|targeting|using|"
            r"considering|aiming|preparing|hoping|learning|heading|saving|reading|taking|starting|moving|building"
            r"|renting|sharing|training)\b"
            r"(?! (?:\w+ ){0,5}(?:is|was|are|were|broke|has|makes|made|helps|helped|gives|can|will|takes|brings|"
            r"[a-z]+s (?:me|us|my))\b)",
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (
        regex(
            r"(?:not|no longer) (?:an? )?(?:vegetarian|vegan|single|married|engaged|allergic|working|living|going|doing"
            r"|coming|taking|playing|running|eating|drinking|seeing|studying|learning)\b",
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (regex(r"(?:gone|become|turned into) (?:an? )?(?:vegan|vegetarian|keto|part-time|freelance)\b", re.I), "I've "),
    (
        regex(
            r"(?:(?:live|stay|study|rent|share|drive|own) (?:in|near|with|an?)\b|work (?:as an?|for|at)\b)"
            r"(?! (?:concert|a hard|a joke)\b)(?! (?:\w+ ){0,5}(?:is|was|has|takes|can|will)\b)",
            re.IGNORECASE,
        ),
        "I ",
    ),
    (
        # "2nd year at uni, doing law"
        regex(
            r"(?:\d(?:st|nd|rd|th)|first|second|third|fourth|final|last) year (?:at|in|of (?=my|an?|uni|med|law"
            r"|nursing)) ?(?=[a-z])(?!.*\bhere$)",
            re.I,
        ),
        "I'm in my ",
    ),
    (regex(r"no more (?!than |and )[a-z]", re.IGNORECASE), "I want "),
    (
        regex(
            r"(?:can't|couldn't) wait\b|(?:can't|don't|never) (?:eat|drink|stand|smoke)\b|haven't [a-z]+", re.IGNORECASE
        ),
        "I ",
    ),
    (
        regex(
            r"(?:just |really |also )*(?:love|prefer|enjoy|hate|miss(?! (?-i:[A-Z]))|need|want|plan)\b (?!is|was|it\b|"
            r"that\b|your|this|for\b|(?:\w+ ){1,3}(?:is|are|was)\b)",
            re.IGNORECASE,
        ),
        "I ",
    ),
    (
        regex(
            r"(?:just |finally |already |recently |also |even |actually )*(?:got|went|had|took|made|found|"
            r"bought|saw|met|won|lost|came|started|"
            r"finished|decided|tried|joined|moved|signed|worked|played|visited|spent|ran|read|wrote|watched|"
            r"learned|learnt|planned|used|fixed|added|"
            r"completed|set|chose|created|attended|received|booked|scheduled|quit|sold|built|caught|grew|"
            r"married|adopted|passed|hired|ordered|hosted|relocated|turned(?= \d)|switched|swapped|dropped|gave up"
            r"|packed in|came off|pulled out"
            r"|broke up|left|traded|cancelled|handed in)\b"
            r"(?! (?:is|was|has|by|i|we|he|she|they|at birth)\b)(?! \w+ (?:is|are) )",
            re.IGNORECASE,
        ),
        "I ",
    ),
)


_PROPOSAL = regex(
    r"let's (?:just |please |definitely |also )*"
    r"(?!go[.!]?$|see|do (?:it|this|that)|get (?:it|this|going|started|into|to)"
    r"|dive|talk|make|break|not |say|hope|keep |continue|chat|catch|hear|look )(?=[a-z])",
    re.IGNORECASE,
)


# "In Porto, we moved there in May" says that we moved to Porto.
_THERE = regex(
    r"^in ((?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+)*),? (i|we)(?:'ve| have)? (?:just )?(moved|live|work)"
    r" there\b",
    re.IGNORECASE,
)


def _with_place(found: re.Match[str]) -> str:
    place, who, verb = found.groups()
    return f"{who} {verb} {'to' if verb.lower() == 'moved' else 'in'} {place}"


def with_subject(clause: str) -> str:
    """Return the clause with the "I" that was left out: "Just moved to Porto." becomes "I just moved to Porto."."""
    clause = _THERE.sub(_with_place, clause)
    proposal = _PROPOSAL.match(clause)
    if proposal:
        return f"I want to {clause[proposal.end() :]}"
    for pattern, subject in _NO_SUBJECT:
        if pattern.match(clause):
            return subject + clause[:1].lower() + clause[1:]
    return clause
