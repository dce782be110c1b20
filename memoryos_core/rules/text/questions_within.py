"""Questions that stand in one sentence with a statement, with a mark or without."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

# Without a mark: "I got an iPhone 15, any settings I should change", "what's a good meal, I'm allergic to nuts".
_ASKED_BEHIND = regex(
    r"^(?!.*\b(?:what|how)\b.*,)[^,]*(?:,[^,]*)*?(,\s+)(?="
    r"(?:any (?:\w+ (?:i|we|you|for)|(?:ideas|tips|suggestions|advice|thoughts)(?: please)?[.!]*$)"
    r"|what(?:'s|s)?(?! (?:with|an?)\b)"
    r"|how(?:'s|s)?|can you|could you|should (?:i|we)|is there|are there|do you|does it|will it)\b)",
    re.IGNORECASE,
)
_STATED_BEHIND = regex(
    r"^(?:what(?:'s| is| are| can| should| do)|how (?:do|can|much|many|should|long)|where (?:can|do|is|should)|can you"
    r"|could you|should i|is there|are there|do you)\b[^,]*(,\s+)(?=(?:and |but )?(?:i'm|i am|i've|i have|we're|we have"
    r"|my [\w ]{1,30}? (?:is|are|has|was|turns|wants|needs|likes|loves|hates|can't|doesn't))\b)",
    re.IGNORECASE,
)


# With no comma, either: "our cat ate a ribbon do I need to worry".
_ASKED_PLAINLY = regex(
    r"^(?!.*(?:,|\b(?:how|what|when|where|why|which|who|whether|nor|neither|so|never|only|than|as|if|hardly)\b))"
    r"(?:[\w'%.-]+ ){3,24}?[\w'%.-]+(\s)(?=(?:(?:do|should|can|could|shall|must) (?:i|we)"
    r"|(?:can|could) (?:he|she|they|it)"
    r"|(?:is|was) (?:it|that|this) (?:ok|okay|normal|bad|legal|safe|true|right|allowed|fine)) ?\b[\w' ]*$)",
    re.IGNORECASE,
)


def question_apart(sentence: str) -> list[str]:
    """Return a short sentence as what it states and what it asks, where it does both."""
    cut = (_STATED_BEHIND.match(sentence) or _ASKED_BEHIND.match(sentence)) if "," in sentence else None
    cut = cut or _ASKED_PLAINLY.match(sentence)
    return [sentence] if cut is None else [sentence[: cut.start(1)], sentence[cut.end(1) :]]


# What stands before such a question is told, if it is a sentence about the speaker: "I moved to Bergen, any tips?".
_ASKED_LAST = regex(
    r"^((?:(?:so|and|but|also|well|hey|hi),? )*(?!(?:i|we)(?:'\w+)? (?:want to know|need|wonder|think|guess|know|asked"
    r"|talked|was told|heard|read)\b)(?:(?:i|we)(?:'\w+)?|(?:my|our) (?:[\w',-]+ ){1,4}?(?:is|are|has|have|was|loves"
    r"|likes|needs|wants|works|lives|goes|starts|takes|plays|turns|got|had))\b[^?]{4,}?),\s+"
    r"(?:which|whose|when|any|is|isn't|are|aren't)\s[^,]*\?$",
    re.IGNORECASE,
)


def before_question(sentence: str) -> str:
    """Return a sentence without the question that it ends with, where what stands before is told."""
    asked = _ASKED_LAST.match(sentence)
    return sentence if asked is None else asked[1]
