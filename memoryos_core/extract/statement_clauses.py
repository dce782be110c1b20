"""English clauses without what surrounds a statement: greetings, address, small words, and a subject left out."""

from __future__ import annotations

import re
from functools import lru_cache

_LEAD = re.compile(
    r"""(?:
    (?:oh|ooh|well|yes|yeah|yea|yep|yup|no|nope|nah|ok|okay|sure|hm+|haha\w*|lol|wow|whoa|and|but|"
    r"so|also|plus|actually|honestly
    |you\sasked(?:,?\sso)?|absolutely|definitely|exactly|totally|right|anyway|besides|hey|hi|hello|g'day|alright|cool|"
    r"great|nice|awesome|perfect|thanks
    |thank\syou|thx|cheers|sorry|aww*|ah|btw|by\sthe\sway|of\scourse|you\sknow|i\smean|then|however|though
        |for\ssure|no\sworries
    |trust\sme|(?:no\s)?wait|correction|believe\sme|certainly|in\sfact|to\sbe\shonest|tbh|or|agreed|true|indeed
        |good|speaking\sof\swhich|guess\swhat|first\soff|unfortunately
    |fortunately|luckily|thankfully|sadly|finally|excellent|fantastic|wonderful|mate|bro|man|dude|"
    r"understood|congrats|congratulations)
    \s*[,!.…:-]+\s*
    | (?:and|but|plus|anyway|also|so(?=\s(?:i|we|my|our|the|that|it|you|so|please|can|could|how|what)\b)|well
        |yeah|yes|actually|oh|because|though|although|
        (?:since|as|considering(?:\sthat)?|given\sthat|while|hey|hi|ok|okay|thanks)(?=\s(?:i|i'm|i've|i'd|i'll|we
            |we're|we've|we'll|my|our)\b))\s+
    )+""",
    re.IGNORECASE | re.VERBOSE,
)


_EMOJI = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]+")


_GREETING = (
    r"(?:hey|hi|hello|oh|wow|yeah|yes|thanks|thank you|well|sure|ok|okay|no|aw+|cool|congrats|nice|great|sorry|"
    r"totally|haha|of course)"
)


_SINCE = re.compile(
    r"^(?:since (?:we|our|my) last [^,.]{0,40}|since we last [^,.]{0,40}|since we (?:talked|spoke|chatted|"
    r"met)[^,.]{0,20}|long time no \w+)[,!.]?\s*",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def _address(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of a name, or its short form, with which a speaker addresses the other at either end of a clause."""
    short = rf"{re.escape(name[:3])}{''.join(f'(?:{re.escape(c)}' for c in name[3:])}{')?' * len(name[3:])}(?:y|ie)?"
    head = re.compile(rf"(?:{_GREETING}[\s,!]+)?{short}\s?[,!.:-]+\s*", re.IGNORECASE)
    return head, re.compile(rf",?\s+{short}\s?([.!]*)$", re.IGNORECASE)


def trim(clause: str, other: str | None) -> str:
    """Return the clause without greetings, address and small words at its ends. `other` is the name of the hearer."""
    text = _EMOJI.sub(" ", clause).strip(" \"“”'()-–—,;")
    head, tail = _address(other[:40]) if other else (None, None)
    for _ in range(4):
        cut = (head.match(text) if head else None) or _LEAD.match(text) or _SINCE.match(text)
        if not cut or not cut.end():
            break
        text = text[cut.end() :]
    text = _TOLD.sub("", text)
    if tail:
        text = tail.sub(r"\1", text)
    return text.strip(' ,;"“”')


_TOLD = re.compile(
    r"^(?:please )?(?:remember|note|keep in mind|don't forget|fyi|for your information)(?: that|,|:)?\s+(?=(?:i|"
    r"i'm|i've|i'll|my|we|we're|our)\b)",
    re.IGNORECASE,
)


def without_own_name(clause: str, name: str) -> str:
    """Return the clause without the "I'm Tom" of a speaker whose name is known."""
    own = re.match(
        rf"(?:i'm|i am|this is|it's|my name is) {re.escape(name)}\b(?:[,;.!]|\s+and\b|$)\s*", clause, re.IGNORECASE
    )
    return re.sub(r"^\d{1,2}, (?=i\b)", "", clause[own.end() :], flags=re.IGNORECASE) if own else clause


_JOINTS = {"but": ", but ", "because": " because ", "since": " because ", "so": ", so "}


def joint_of(clause: str) -> str:
    """Return what joins a clause to the one before it."""
    return _JOINTS.get(clause.partition(" ")[0].lower(), ", and ")


_FELT = (
    "excited|happy|glad|proud|interested|thrilled|tired|stoked|ready|grateful|busy|obsessed|determined|inspired|"
    "pumped|nervous|hooked"
)


_NO_SUBJECT: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?:always |never |also |just )?been [a-z]", re.IGNORECASE), "I've "),
    (re.compile(rf"(?:so |really |super |just |still |always )*(?:{_FELT})\b(?! by)", re.IGNORECASE), "I'm "),
    (
        re.compile(
            r"(?:just |currently |also |still |now |already )*(?:gonna|loving|working|looking|thinking|planning|trying|"
            r"going|getting|running|targeting|using|"
            r"considering|aiming|preparing|hoping|learning|heading|saving|reading|taking|starting|moving|building)\b"
            r"(?! (?:\w+ ){0,5}(?:is|was|has|makes|made|helps|helped|gives|can|will|takes|brings|"
            r"[a-z]+s (?:me|us|my))\b)",
            re.IGNORECASE,
        ),
        "I'm ",
    ),
    (re.compile(r"(?:can't|couldn't) wait\b", re.IGNORECASE), "I "),
    (
        re.compile(
            r"(?:just |really |also )*(?:love|prefer|enjoy|hate|miss|need|want|plan)\b (?!is|was|it\b|"
            r"that\b|your|this)",
            re.IGNORECASE,
        ),
        "I ",
    ),
    (
        re.compile(
            r"(?:just |finally |already |recently |also |even |actually )*(?:got|went|had|took|made|found|"
            r"bought|saw|met|won|lost|came|started|"
            r"finished|decided|tried|joined|moved|signed|worked|played|visited|spent|ran|read|wrote|watched|"
            r"learned|learnt|planned|used|fixed|added|"
            r"completed|set|chose|created|attended|received|booked|scheduled|quit|sold|built|caught|grew|"
            r"married|adopted|passed|hired|ordered|hosted)\b"
            r"(?! (?:is|was|has|by)\b)",
            re.IGNORECASE,
        ),
        "I ",
    ),
)


_PROPOSAL = re.compile(
    r"let's (?:just |please |definitely |also )*"
    r"(?!go[.!]?$|see|do (?:it|this|that)|get (?:it|this|going|started|into|to)"
    r"|dive|talk|make|break|not |say|hope|keep |continue|chat|catch|hear|look )(?=[a-z])",
    re.IGNORECASE,
)


def with_subject(clause: str) -> str:
    """Return the clause with the "I" that was left out: "Just moved to Porto." becomes "I just moved to Porto."."""
    proposal = _PROPOSAL.match(clause)
    if proposal:
        return f"I want to {clause[proposal.end() :]}"
    for pattern, subject in _NO_SUBJECT:
        if pattern.match(clause):
            return subject + clause[:1].lower() + clause[1:]
    return clause
