"""Read prose as clauses: sentences without code, requests, and clauses without what surrounds a statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memoryos_core.extract.quotations import cut_outside, find_dream, quotes_in, with_whole_quotes
from memoryos_core.extract.statement_kinds import is_supposed, is_talk, kind_of
from memoryos_core.extract.statement_subjects import FAMILY
from memoryos_core.rules.text.questions_within import before_question, question_apart
from memoryos_core.rules.text.words import at_start, regex, sentences, with_marks

READ_CHARS = 16_000
"""What is read of one message; a pasted megabyte is a document, not a statement."""
_SENTENCE_CHARS, _ITEMS_OF_A_LIST, _WORDS_OF_A_LIST = 1200, 6, 40

_ITEM = regex(r"\s*(?:[-*+•‣·–]|\(?\d{1,2}[.)]|[a-z][.)])\s+")
_HEADING = regex(r"\s*#{1,6}\s|\s*\|.*\||(?=.*\d{4}-\d\d-\d\d)(?:[^|]*\s\|\s){3}|\s*[-=_*]{3,}\s*$|\s*>")
_STAGE = regex(r"\[[^\[\]\n]{0,300}\]|<[a-zA-Z/!][^<>\n]{0,300}>")
_LINK = regex(r"\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_CODE = regex(
    r"""
    \s*(?:[)\]}]+[,;]?\s*$ | \$|>>>|//|\#!|/\*|\*/|@\w
    | (?:import|from\s[\w.]+\simport|def|class|return|const|let|var|function|async|await|public|private
        |static|void|if\s?\(|for\s?\(|while\s?\(|else\b|try:|except|elif|print\(|console\.|npm|pip|git|cd|sudo
        |curl|docker|SELECT|INSERT|CREATE|UPDATE|DELETE|FROM|WHERE|JOIN)\s.*[=({:;\\/.\[<]
    | [\w.\[\]"']{1,60}\s?(?:=|\+=|:=)\s?\S | [\w.]{1,60}\([^()]{0,200}\)\s*:?\s*$
        | "[\w-]{1,40}"\s?: | <[/!a-zA-Z]
    | (?:for\s[\w\s,()]{1,60}\sin|while|if|elif|with)\s[^:]{1,200}:\s*(?:\S+\(.*)?$
    | [├└│])
    """,
    re.VERBOSE,
)
_MARKS = regex(r"\*\*|__|`+|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_PROSE_LETTERS = 0.72
_SIGN = regex(r"[^\w\s'\".,?!，。、！？]|_")


def _is_code(line: str) -> bool:
    sample = line[:400]
    if "=>" in sample or sample.rstrip().endswith((";", "{", "}")) or _CODE.match(sample):
        return True
    return len(sample) - len(_SIGN.findall(sample)) < len(sample) * _PROSE_LETTERS


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Return the lines of prose; True with those that are items of a list."""
    for part in text[:READ_CHARS].replace("\u2019", "'").split("```")[::2]:
        for line in part.split("\n"):
            if not line.strip() or _HEADING.match(line):
                continue
            item = _ITEM.match(line)
            plain = line[item.end() :] if item else line
            plain = " ".join(_without_markup(plain).split())
            if plain and not _is_code(plain):
                yield plain, item is not None


def _without_markup(line: str) -> str:
    """Return a line without links, emphasis and stage directions; most lines have no sign of one."""
    line = _LINK.sub(r"\1", line) if "](" in line else line
    line = _MARKS.sub("", line) if "*" in line or "`" in line or "__" in line else line
    return _STAGE.sub(" ", line) if "[" in line or "<" in line else line


_ABBREVIATED = regex(r"\b(?:approx|incl|esp|Prof|Mt)\.$")


def sentences_of(text: str) -> list[str]:
    """Return the sentences of the prose; a sentence that opens a list holds the list's first items."""
    out: list[str] = []
    items = room = 0
    for line, is_item in _lines(text):
        if is_item and room > 0 and items < _ITEMS_OF_A_LIST:
            room -= line.count(" ") + 1
            out[-1] = f"{out[-1]}{' ' if items == 0 else '; '}{line.rstrip('.;')}"
            items += 1
            continue
        if is_item and items:
            continue
        for sentence in with_whole_quotes(sentences(line)):
            if out and (_ABBREVIATED.search(out[-1][-12:]) or (out[-1].endswith(" no.") and sentence[:1].isdigit())):
                out[-1] += f" {sentence}"
            elif len(sentence) <= _SENTENCE_CHARS:
                out.append(sentence)
        items, room = 0, _WORDS_OF_A_LIST if out and line.endswith(":") else 0
    return out


_PERSON = r"(?:i|we|my|our)(?:'(?:m|ve|d|ll|re))?"
_ASKING = (
    r"(?:can|could|would|will|do|did|should|how|what|where|why|who|please|here's|let's|let\sme|does|am\si|was|were"
    r"|have\syou|has)"
)
_JOINT = regex(
    rf"""
    \s*[;—–]\s+ | \s+-\s+ | \s*\.{{3}}\s+ | \s*…\s+
    | ,\s+(?=(?:(?:and|but|so|because|since|as|considering|given|while|although|though|also|then|plus|however
        |or)\s+){{0,2}}
        (?:{_PERSON}|{_ASKING})\b(?!'t))
    | \s+(?=(?:but|because|since|considering|so|and)\s+(?:i|we)(?:'(?:m|ve|d|ll|re))?\s)
    | \s+(?=and\s+(?:my|our)\s(?:\w+\s)?(?:{FAMILY})\s(?:[\w'-]+\s)?(?:is|lives|works|has|was|does|goes|studies)\s)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_STATING = regex(r"(?:since|because|as|considering|given|but|and|while|so) (?:that )?(?:i|i'm|i've|we|my|our)\b", re.I)
_WORDS_OF_A_SHORT_SENTENCE, _SENTENCES_OF_A_TEXT = 16, 8
_I_FIRST = regex(r"(?:(?:i|we)(?:'(?:m|ve|d|ll|re))?|my name is)\s", re.IGNORECASE)  # not "My wife and I like it"
# "…, but Ann and I parted", "the house Ann and I bought": the two are one subject.
_NAME_AND_I = with_marks(
    " and i ",
    r"(\b(?:but|so|because|when|then) |, |\b(?:in|at|of|from) (?:the|our|that) [a-z-]+ (?:that )?(?!\w+(?:day|ber)\b))"
    r"((?-i:[A-ZÀ-Þ])[\w-]+) and I (?=[a-z])",
)
_AND_I = regex(r",?\s+(?=and (?:i|we)(?:'(?:m|ve|d|ll|re))?\s)", re.IGNORECASE)
# "Two things to remember when you help me: I've been …", but not "Bob from work: I live …", who speaks of himself.
_OPENING = regex(
    r"(?=[^:]{0,90}\b(?:things?|notes?|remember|in mind|reminder|correction)\b)"
    r"(?![^:]{0,90}\b(?:said|says?|told|tells?|asked|asks?|wrote|writes?|texted|replied|quote|reads?|from|by)\b)"
    r"(?:[\w'’-]+,? ){2,15}[\w'’-]+:\s+(?=(?:i|i'm|i've|i'd|my|we|we're|we've|no\smore)\s)",
    re.IGNORECASE,
)


_LASTING = r"(?:from now on|going forward)"
# Of a manner of answering, and not "Can you tell me what costs more from now on?".
_LASTING_REQUEST = regex(
    rf"(?=.*\b{_LASTING}\b)(?:(?:and|also|so|hey|{_LASTING}),? )*(?:can|could|would|will) you (?:please |just |maybe )*"
    r"(?P<order>(?:always|never|call|address|answer|reply|respond|write|talk|speak|keep|use|avoid|stop) [^?]+?)"
    rf"(?:,? {_LASTING})?(?:,? please)?\?$",
    re.IGNORECASE,
)
# "Since I'm vegan I cook at home": two statements, the first of which is the reason.
_REASON = at_start(
    r"^(?:(?:yeah|yes|well|so|and|but|also|oh),? )?since ((?:i|we)(?:'m|'re| am| are| live| work| don't| can't| love"
    r"| like| hate| have(?! (?:been|lived|known|moved|had|worked)\b)) [^,.;]{3,70}?),?"
    r" ((?:i|we)(?:'m|'re|'ll|'d)? (?!have\b|was\b|were\b))",
    re.IGNORECASE,
)
_ASIDE = at_start(
    r"^(?:by the way|btw|(?:on|in) (?:another|a different|a side|other|a personal|a lighter) (?:note|news)"
    r"|in the meantime(?: though)?|on top of that|speaking of which),? +(?=\S)",
    re.IGNORECASE,
)


def clauses_of(sentence: str) -> list[str]:
    """Return the clauses of an English sentence, each with its own subject; a short one is cut at "and I" alone.

    What another person says, and a dream, stay whole: "and we lived in Rome" alone would be told as true.
    """
    if find_dream(sentence):
        return [sentence]
    if quotes := quotes_in(sentence):
        return cut_outside(sentence, quotes, clauses_of)
    sentence = _NAME_AND_I.sub(r"\1I and \2 ", _REASON.sub(r"\1, so \2", _ASIDE.sub("", sentence, count=1)))
    if lasting := _LASTING_REQUEST.match(sentence):
        return [f"From now on, {lasting['order']}"]
    if opening := _OPENING.match(sentence):
        sentence = sentence[opening.end() :]
    sentence = before_question(sentence)
    if sentence.count(" ") < _WORDS_OF_A_SHORT_SENTENCE and not sentence.endswith(("?", ":")):
        parts = question_apart(sentence)
        return [c for part in parts for c in (_AND_I.split(part) if _I_FIRST.match(part) else [part])]
    clauses = [clause for part in _JOINT.split(sentence) if (clause := part.strip(" ,"))]
    if clauses and clauses[-1].endswith("?") and is_supposed(clauses[0]):
        del clauses[0]
    if len(clauses) > 1 and clauses[-1].endswith("?") and _STATING.match(clauses[-1]):
        # "Can you suggest a dinner, since I prefer vegetarian food?"
        clauses[-1] = clauses[-1].rstrip("?")
    return clauses


_OWN = regex(rf"\b(?:{_PERSON}|me|mine|us|you|your)\b", re.IGNORECASE)


def is_pasted(read: list[str]) -> bool:
    """Return whether sentences are a text of others: many, of which none speaks of the speaker or to the hearer."""
    return len(read) >= _SENTENCES_OF_A_TEXT and not any(map(_OWN.search, read))


def _compile(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE | re.VERBOSE)


_REMINDER = _compile(
    r"""^(?:please\s|can\syou\s|could\syou\s)?(?:remind\sme|don't\slet\sme\sforget)\s(?P<what>(?:to|about|that|on
        |of|in|at)\s.{3,300})$"""
)


def reminder_in(clause: str) -> str | None:
    """Return what the speaker wants to be reminded of: "to call Ana" of "Remind me to call Ana."."""
    found = _REMINDER.match(clause)
    return found.group("what") if found else None


_ROLE = _compile(
    r"""^(?:from\snow\son,?\s|please\s|now\s)*(?:you\sare|you're|you\swill\sbe|your\sname\sis|i'll\scall\syou
        |act\sas|pretend\sto\sbe|play\sthe\srole\sof)\s
    (?:going\sto\sbe\s)?((?:an?\s|my\s|the\s(?!one\b|best\b)|(?-i:[A-Z]))[^,;]{2,120}?)
    (?:\sand\s(?:start|explain|give|help|tell|write|answer|do|create|make|provide|teach|ask|show|let|suggest)\s.*)?[.!]*$"""
)


_ORDER = _compile(
    r"""^(?:please,?\s|from\snow\son,?\s|in\s(?:the\s)?future,?\s|also,?\s|and\s|so,?\s|just\s|you\s(?:should|must)\s)*
    (?P<order>(?:always|never|don't|do\snot|call|address|refer\sto|answer|reply|respond|write|talk|speak|keep|make
        |use|be|stay|stop|skip|leave\sout|avoid|give|feel\sfree|no\slonger|forget\swhat|only|send|correct|sign|get|cut
        |add|put|include|show|explain|start|begin|end|ease|go|lighten|soften|finish|open|close|list|mention|quote
        |name|label|link|highlight|spell|convert|translate|suggest|recommend|tell|ask|remind|offer|format|check
        |round|assume|summari[sz]e|state|cite|spare|note|stick|quit)\s.{3,400})"""
)


_WISH = _compile(r"i(?:'d|\swould)?\s(?:\w+\s)?(?:want|like|need|expect)\syou\sto\s(?P<order>[a-z'].{3,400})")


def role_given(clause: str) -> str | None:
    """Return what the hearer is told to be, if the clause tells it."""
    found = _ROLE.match(clause)
    return found.group(1).replace("my ", "the user's ") if found and not is_talk(clause) else None


def order_given(clause: str) -> str | None:
    """Return what the hearer is to do: "always answer in French" of "Please always answer in French."."""
    found = _WISH.match(clause) or (_ORDER.match(clause) if kind_of(clause) == "instruction" else None)
    if not found:
        return None
    order = re.sub(r",? (?:please|pls|thanks)(?=[.!]*$)", "", found.group("order"))
    negated = re.match(r"(?:don't|do not)\s+(?:ever\s+)?", order, re.IGNORECASE)
    return f"never {order[negated.end() :]}" if negated else order


_PROMISE = _compile(
    r"""^(?:i(?:'ll|\swill|'ve|\shave)\s(?:also\s|now\s|just\s|already\s)*(?:remember|remind|note[d]?|keep|kept
        |save[d]?|send|sent|check|updat\w+|draft\w*|book\w*|schedul\w+|prepar\w+|add\w*|record\w*|log\w*|follow
        |monitor|track|suspend\w*|set|get|hold|make|made|create[d]?|adjust\w*|confirm\w*|finali[sz]e\w*|generat\w+|call|use|reschedul\w+|cancel\w*|initiat\w+)
    |my\s(?:full\s)?name(?:'s|\sis)|i(?:'m|\sam)\s(?:called|named)|i\swas\s(?:trained|built|made|created)
        |i\spromise)\b"""
)


# What was settled: "Your flight is booked for 3 May", "We've agreed on Porto".
_SURELY = r"(?:now\s|also\s|officially\s|all\s|already\s|successfully\s|both\s|just\s|been\s)*"
_SETTLED = _compile(
    rf"""\b(?:we|you)(?:'ve|\shave)?\s{_SURELY}(?:agreed|decided|selected|chosen|chose|settled\son|confirmed)\b
    |\b(?:is|are|has|have)\s{_SURELY}(?:confirmed|scheduled|booked|locked\s(?:in|down)|finali[sz]ed|set\sfor|postponed
        |paused|cancell?ed|rescheduled|on\shold|reserved|approved|moved\sto)\b"""
)
_OPEN = regex(
    r"\b(?:if|once|when|until|after|before|should|would|could|can|(?-i:may)|might|whether|not"
    r"|let's|unless)\b",
    re.IGNORECASE,
)


def is_promise(clause: str) -> bool:
    """Return whether an assistant speaks of itself, or says what was settled.

    It speaks of what it is called, has done or promises to do.
    """
    return bool(_PROMISE.match(clause)) or (_SETTLED.search(clause) is not None and not _OPEN.search(clause))


_ADVICE = _compile(
    r"""^(?:(?:just|please|so|and|but|always),?\s)*(?:(?:don't|do\snot|never)\s(?:be|let|quit|hesitate|lose|stress|stop|hold
        |miss|push|rush|overthink|sweat|underestimate)\b|remember\s?(?:to\b|,)|be\ssure\sto\b|make\ssure\s(?:to|you)\b)
    |^for\syour\b[^.!?]{0,60},\s(?:remember|try|use|make|consider|start|look)\b"""
)


_OF_SELF = regex(r"\b(?:i|me|my|mine|we|us|our)\b", re.IGNORECASE)


def is_advice(clause: str) -> bool:
    """Return whether the clause tells the hearer what to do: "Don't be afraid of the water"."""
    return _ADVICE.match(clause) is not None and _OF_SELF.search(clause) is None


_LEAD = regex(
    r"""(?:
    (?:oh|ooh|well|yes|yeah|yea|yep|yup|no|nope|nah|ok|okay|sure|hm+|haha\w*|lol|wow|whoa|and|but|"
    r"so|also|plus|actually|honestly
    |confession|(?:other|good|bad|big|great|sad)\snews|fun\sfact|you\sasked(?:,?\sso)?|absolutely|definitely
        |exactly|totally|right|anyway|besides|(?:hey|hi|hello)\sthere|hey|hi|hello|hiya|yo|sup|g'day|alright|cool|"
    r"great|nice|awesome|perfect|thanks
    |thank\syou|thx|cheers|sorry|aww*|ah|btw|by\sthe\sway|of\scourse|you\sknow(?:\swhat)?|i\smean|then|however|though
        |for\ssure|no\sworries
    |trust\sme|you(?:'ll|\swill|\swould)\snever\s(?:believe|guess)\s(?:it|this|what)|you\swon't\sbelieve\s(?:it|this|what)
    |hers|theirs|not\s(?:mine|hers|his)|as\sfor\s(?:me|myself)|i\shear\s(?:that|you|ya)|(?:no\s)?wait|correction|believe\sme|certainly|in\sfact|to\sbe\shonest|tbh|or|agreed|true|indeed
        |good|my\s(?:guy|man|friend|dear)|reckon|speaking\sof\swhich|guess\swhat|first\soff|unfortunately(?:\sno(?:t)?)?
    |fortunately|luckily|thankfully|sadly|finally|excellent|fantastic|wonderful|mate|bro|man|dude|"
    r"understood|congrats|congratulations)
    \s*[,!.…:-]+\s*
    | (?:now|next|first(?:ly)?|second|third|fourth|lastly|(?:one\s|an)?other\sthing|one\smore\sthing|update|news):\s+
    | (?:it\s)?turns\sout(?:\sthat)?,?\s+ | apparently,?\s+ | so\s+(?=[\w'-]+\sand\s(?:i|we)\b)
    | (?:and|but|plus|anyway|also|finally(?=\s\w+ed\b)|reckon(?=\s(?:i|we|my)\b)
        |so(?=\s(?:i|we|my|our|the|that|it|you|so|please|can
        |could|how|what|not|no)\b)|well
        |yeah|yes|actually|oh|because|though|although|
        (?:since|as|considering(?:\sthat)?|given\sthat|while|hey|hi|hello|yo|ok|okay|thanks)(?=\s(?:i|i'm|i've|i'd|i'll|we
            |we're|we've|we'll|my|our)\b))\s+
    )+""",
    re.IGNORECASE | re.VERBOSE,
)
_EMOJI = regex("[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]+")


_GREETING = (
    r"(?:hey|hi|hello|oh|wow|yeah|yes|thanks|thank you|well|sure|ok|okay|no|aw+|cool|congrats|nice|great|sorry|"
    r"totally|haha|of course)"
)

_SINCE = regex(
    r"^(?:since (?:we|our|my) last [^,.]{0,40}|since we last [^,.]{0,40}|since we (?:talked|spoke|chatted|"
    r"met)[^,.]{0,20}|long time no \w+)[,!.]?\s*",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def _address(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of a name, or its short form, with which a speaker addresses the other at either end of a clause."""
    short = rf"{re.escape(name[:3])}{''.join(f'(?:{re.escape(c)}' for c in name[3:])}{')?' * len(name[3:])}(?:y|ie)?"
    head = regex(rf"(?:{_GREETING}[\s,!]+)?{short}\s?[,!.:-]+\s*", re.IGNORECASE)
    return head, regex(rf",?\s+{short}\s?([.!]*)$", re.IGNORECASE)


def trim(clause: str, other: str | None) -> str:
    """Return the clause without greetings, address and small words at its ends. `other` is the name of the hearer."""
    text = _without_marks(_EMOJI.sub(" ", clause))
    head, tail = _address(other[:40]) if other else (None, None)
    for _ in range(4):
        cut = (head.match(text) if head else None) or _LEAD.match(text) or _SINCE.match(text)
        if not cut or not cut.end():
            break
        text = text[cut.end() :]
    text = _TOLD.sub("", text)
    if tail:
        text = tail.sub(r"\1", text)
    return _without_marks(text)


_PAIRS = {a + b: (regex(rf"(?<!\w)[{a}]"), regex(rf"[{b}](?!\w)")) for a, b in ('""', "“”", "''", "()")}


def _without_marks(text: str) -> str:
    """Return the text without dashes and commas at its ends, and without quotation marks that stand around all of it.

    A mark without its other one goes; both of a pair within the text stay.
    """
    text = text.strip(" -–—,;")
    for opening, closing in [marks for pair, marks in _PAIRS.items() if pair[0] in text or pair[1] in text]:
        at_start, at_end = opening.match(text), closing.search(text, max(0, len(text) - 1))
        if at_start and at_end and (opening.search(text, 1, len(text) - 1) or closing.search(text, 1, len(text) - 1)):
            continue  # "I'm vegan," she said, "and …": two pairs
        if at_start and (at_end or not closing.search(text, 1)):
            text = text[1:]
        if at_end and (at_start or not opening.search(text[:-1])):
            text = text[:-1]
    return text.strip(" -–—,;")


_TOLD = at_start(
    r"^(?:please )?(?:remember|note|keep in mind|don't forget|fyi|for your information)(?: that|,|:)?\s+(?=(?:i|"
    r"i'm|i've|i'll|my|we|we're|our)\b)",
    re.IGNORECASE,
)


def without_own_name(clause: str, name: str) -> str:
    """Return the clause without the "I'm Tom", "Tom here" or "Tom:" of a speaker whose name is known."""
    whole, first = re.escape(name), re.escape(name.partition(" ")[0])
    said = rf"(?:i'm|i am|this is|it's|my name(?: is|'s)) {whole}\b(?:[,;.!]|\s+and\b|$)\s*"
    said += rf"|(?:{whole}|{first})(?: (?:here|again|speaking))* ?(?:[.,:!] ?|[-–—] |$)"
    own = re.match(said, clause, re.IGNORECASE)
    return re.sub(r"^\d{1,2}, (?=i\b)", "", clause[own.end() :], flags=re.IGNORECASE) if own else clause


_JOINTS = {"but": ", but ", "because": " because ", "since": " because ", "so": ", so "}


# "As for my work," and "When it rains," go on without an "and".
_OPENS = regex(
    r"(?:(?:and|but|so) )?(?:as|for|when(?:ever)?|while|after|before|since|if|although|though|even though|because|once"
    r"|despite|during|until|within|in|on|at|with|by|from|to|given|instead)\b(?![^.]*,)",
    re.IGNORECASE,
)
_OPENS_ITSELF = ("i", "i'm", "i've", "i'd", "i'll", "we", "we're", "we've", "we'd", "we'll", "my", "our")


def joint_of(clause: str, before: str = "") -> str:
    """Return what joins a clause to the one before it."""
    first = clause.partition(" ")[0].lower()
    if first in _OPENS_ITSELF and _OPENS.match(before):
        return ", "
    return _JOINTS.get(first, ", and ")
