"""The tense of the sentence of a date: without a year it is the next one where the sentence is about what will be."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

__all__ = [
    "AHEAD",
    "ARRANGED",
    "ASKS",
    "announced_in",
    "is_coming",
    "is_done",
    "is_over",
    "is_to_come",
    "sentence_around",
    "tells_deed",
    "will_be",
]

AHEAD = "shall"
"""A word that makes what a sentence names lie ahead, put around it by who knows that it does."""

# Statements of what is to come. In a question "will she go in June" may well ask for a June long past.
_TO_COME = regex(
    r"\b(?:will|shall|gonna|going to|won['\u2019]t)\b|['\u2019]ll\b|打算|计划|計劃|将要|將要|就要|予定|つもり",
    re.ASCII | re.IGNORECASE,
)
_ENDS = regex(r"[.!?。！？\n]")
_AROUND = 80

# A word between a verb and its date: none that begins another clause or tells of the past.
_WORD = (
    r"(?!(?:who|which|that|what|when|where|i|we|he|she|they|and|but|was|were|had|did|born|taken|bought|found|lost|met"
    r"|made|left|gone|been|done|dated|about|of|from|because|since|after|over|regarding|for|during|with|like|as|than|our"
    r"|your|[a-z]+ed)\b)[\w'\u2019-]+\s"
)
_SET = r"(?:scheduled|booked|planned|fixed|arranged|expected|closed)\s"
_STEM = "start|begin|leave|fly|move|return|finish|travel|depart|arrive|open|marry|graduate|retire"
_THIRD = (
    "starts|begins|leaves|flies|moves|returns|finishes|travels|departs|arrives|opens|marries|graduates|retires|ends"
    r"|expires|closes|comes|goes|runs|falls|takes\splace|kicks\soff"
)
_ON = (
    r"(?:(?:due\s)?(?:on|at|by|for|until|till?|in|before)\s)?(?:the\s)?"
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s(?:the\s)?)?\Z"
)
# What somebody has or is down for has its date ahead: "got a job interview", "signed up for a race", "got tickets to".
_FOR = rf"(?:{_WORD}){{0,5}}?(?:(?:for|to|with|at|in)\s(?:{_WORD}){{1,5}}?)?"
_IS_IN_FOR = (
    rf"(?:\b(?:have|has)|['\u2019](?:ve|s))\s(?:(?:also|now|already|just|still)\s)?got\s{_FOR}"
    r"|(?:\b(?:am|is|are|have|has)|['\u2019](?:m|re|s|ve))\s(?:(?:also|now|already|just|all)\s)?(?:been\s)?"
    r"(?:signed\sup|registered|entered|enrolled|invited|booked\sin|put\s(?:my\s)?name\sdown|down)"
    rf"\s(?:for|to|into|in|on)\s(?:{_WORD}){{1,6}}?"
    rf"|\b(?:got|have|has|bought|booked)\s(?:{_WORD}){{0,3}}?(?:tickets?|seats?)\s(?:for|to)\s(?:{_WORD}){{1,5}}?"
    r"|\b(?:starting|beginning|commencing)\s"
)
# The verb of the date itself is in the present, whatever else the sentence tells: "I got a job, I start on 1 June".
_PRESENT = regex(
    rf"(?:\b(?:is|are|i\sam|i['\u2019]m|(?:we|they)['\u2019]re|(?:it|he|she|that)['\u2019]s)\s"
    rf"(?:(?:now|only|already|still|not)\s)?(?:[a-z]{{2,14}}ing\s(?:{_WORD}){{0,3}}?|{_WORD}|{_SET})?"
    rf"|{_IS_IN_FOR}|(?<!the\s)(?<!\bmy\s)\b(?:{_THIRD})\s(?:{_WORD}){{0,4}}?"
    rf"|(?<!did\s)(?<!didn't\s)\b(?:i|we|they|he|she)\s(?:(?:then|only|also|both|[a-z]{{3,12}}ly)\s)?(?:{_STEM})\s"
    rf"(?:{_WORD}){{0,4}}?){_ON}",
    re.ASCII | re.IGNORECASE,
)
# "The day my dad died is 4 June", "the last time I saw him is …": the date is of something done. "Today is 3 June" is
# of no coming year.
_OF_A_DEED = regex(
    r"\blast\stime\b|\btoday\b|\b(?:days?|dates?|time|night|moment)\s(?:(?:that|when|on\swhich)\s)?"
    r"(?:i|we|you|he|she|they|my|our|his|her|their|the|(?-i:[A-Z])\w*)\b",
    re.ASCII | re.IGNORECASE,
)
_SINCE = regex(r"\bsince\s(?:\w+\s)?\Z|\Asince\b", re.IGNORECASE)
ASKS = regex(
    r"\s*(?:what|when|who|whose|where|which|why|how|is|are|am|was|were|do|does|did|has|have)\b",
    re.ASCII | re.IGNORECASE,
)
_PARTS = regex(r"[,;:] | (?:and|but|so) ", re.IGNORECASE)
_DONE = regex(
    r"\b(?:went|was|were|had|did|got|made|took|saw|met|came|won(?!['\u2019])|lost|bought|found|gave|ran|drove|flew|left|felt|fell"
    r"|broke|began|held|sold|spent|ha(?:s|ve) (?:just )?(?:come|gone)"
    r"|(?!need\b|indeed\b|feed\b|speed\b|bleed\b|proceed\b|hundred\b)[a-z]{2,14}ed)\b",
    re.IGNORECASE,
)
# What was done for a time ahead: "booked a week in May and will sail", "wanted to leave in May but will stay".
ARRANGED = regex(
    r"\b(?:(?<!\bas )(?<!\bthan )(?:booked|scheduled|arranged|planned|agreed)|reserved|signed|registered|invited"
    r"|moved(?! (?:house|home|in|out|away|here)\b)|postponed|rescheduled|decided|tickets?|due|(?:going|want(?:ed|s)?"
    r"|need(?:ed|s)?|hop(?:ed|es|ing)|have|has|had|trying|supposed|meant|able|excited|got) to)\b",
    re.IGNORECASE,
)
_NAMES_TIME = regex(
    r"\b(?:yesterday|ago|(?:last|this|past)\s\w+|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march"
    r"|april|may|june|july|august|september|october|november|december|summer|winter|autumn|spring|christmas|easter"
    r"|\d{1,2}(?:st|nd|rd|th)?)\b",
    re.IGNORECASE,
)


def is_over(clause: str) -> bool:
    """Return whether each part of a clause that names a time tells of the past, whatever is to come of it."""
    timed = [part for part in _PARTS.split(clause) if _NAMES_TIME.search(part)]
    return bool(timed) and all(map(_tells_past, timed))


def _tells_past(part: str) -> bool:
    return not (ARRANGED.search(part) or _TO_COME.search(part)) and _DONE.search(part) is not None


# What was done then, and to nobody's knowledge for a later day: "died in April", not "the clinic gave me 3 April".
_HAPPENED = regex(
    r"\b(?:went|was|were|had|did|made|took|saw|met|came|won(?!['\u2019])|lost|bought|sold|ran|drove|flew|left|felt|fell"
    r"|broke|began|grew|born|passed|quit|got (?:[a-z]+ed|home|back|rid|through|the|my|his|her|their|our|\w+ off)"
    r"|(?:found|gave)(?! (?:\w+ ){0,2}?(?:an? |the )?(?:\w+ ){0,2}(?:date|day|slot|appointment|time)s?\b)"
    r"|(?!need|wed|red|bed|confirmed|approved|offered|announced|promised|proposed|suggested|allocated|assigned|picked"
    r"|requested|wanted|named|called|asked|expected|hoped|ordered|cancell?ed|excited|married)[a-z]{2,14}ed"
    r"|(?<!be )(?<!get )(?<!getting )married)\b",
    re.IGNORECASE,
)
_NOT_YET = regex(
    r"\b(?:is|are|am|ha(?:s|ve)(?! (?:[a-z]{2,8}ly )?(?:[a-z]{2,12}ed|been|gone|left|lost|sold|had|broken|born)\b)"
    r"|gets?|getting|having|being|be|needs?|can|could|must|should|would|might|ready|tickets?|before|until|till?)\b"
    r"|['\u2019](?:m|re|ve)\b|['\u2019]s (?:[a-z]{2,12}ing|due|booked|scheduled|planned|got|at|on|in)\b",
    re.IGNORECASE,
)
_WHEN_IT_WAS = regex(
    r"(?:in|on|at|during|over|around|early|late|mid|this|last|today|tonight|yesterday)\b", re.IGNORECASE
)
_JUST_BEFORE = regex(r"\b(?:in|on|at|during|over|around|early|late|mid)[ -](?:the )?\Z", re.IGNORECASE)


def tells_deed(text: str, date: str) -> bool:
    """Return whether the part of a text that has a date plainly tells what was done then: "gran died in April"."""
    before, _, after = text.partition(date)
    part = _PARTS.split(before)[-1]
    if not (_WHEN_IT_WAS.match(date) or _JUST_BEFORE.search(part)) or ARRANGED.search(part):
        return False
    told = f"{part}{date}{_PARTS.split(after)[0]}"
    return not (_TO_COME.search(told) or _NOT_YET.search(told)) and _HAPPENED.search(told) is not None


def is_to_come(match: re.Match[str]) -> bool:
    """Return whether the sentence of a date states something in the future, and is no question."""
    before, after = sentence_around(match)
    if after is None:
        return False
    if _TO_COME.search(f"{before} {after}") is not None:
        part = f"{_PARTS.split(before)[-1]}{match[0]}{_PARTS.split(after)[0]}"
        return AHEAD in before or AHEAD in after or not _tells_past(part)
    if _SINCE.match(match[0]) or _SINCE.search(before):
        return False  # "I'm sick since Monday"
    return _PRESENT.search(before) is not None and not _OF_A_DEED.search(before) and not ASKS.match(before)


def will_be(text: str, date: str) -> bool:
    """Return whether the part of a text that has a date tells in itself what will be: "I shall leave on 3 May"."""
    before, _, after = text.partition(date)
    part = f"{_PARTS.split(before)[-1]}{date}{_PARTS.split(after)[0]}"
    return _TO_COME.search(part) is not None and not _tells_past(part)


# What stands in front of the day lies ahead, whatever is told behind it: "she is coming on 3 May, as she promised".
_COMING = regex(
    r"(?:(?<!\bwho )(?<!\bwhich )(?<!\bthat )\b(?:am|is|are) (?:\w+ )?(?:to [a-z]+|(?:coming|going|flying|leaving"
    r"|moving|starting|arriving|returning|visiting|getting)) [^.;?]{0,60}?"
    r"|\bthought of \w+ing [^.;?]{0,60}?\b(?:for|to) [^.;?]{0,40}?"
    r"|\b(?:received|had|got) (?:notice|an? (?:date|invitation|call-?up)|word) (?:of|for|to) (?:an?|my|the|our)"
    r" [^.;?]{0,20}?(?:operation|surgery|appointment|scan|examination|exam|procedure|hearing|interview|inspection"
    r"|visit|wedding|treatment)\b[^.;?]{0,60}?)"
    r"\bon (?:\w+day,? )?(?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? [a-z]{3,9}|[a-z]{3,9} \d)",
    re.IGNORECASE,
)


def is_coming(clause: str) -> bool:
    """Return whether the words in front of a day say that it lies ahead."""
    found = _COMING.search(clause)
    return found is not None and re.search(r"\b(?:was|were|had|(?<!at )last|ago)\b", found[0].partition(" ")[2]) is None


# ------------------------------------------------------------------------------------ what the clause of a date says

_JOINTS = regex(
    r"(?:[,;:]| [-\u2013]) (?:(?:and|but|so) )?| (?:and|but|so|because|as|although|though|while|who|which|that|when) ",
    re.IGNORECASE,
)
_STOPS = (":", ";", "-", "\u2013")  # what stands in front of them has another verb
_PARTICIPLE = (
    r"(?:(?!need\b)[a-z]{2,14}ed|been|had|seen|gone|done|left|lost|sold|broken|bought|made|met|taken|found|begun|born|built"
    r"|come|cut|paid|put|quit|read|sent|set|spent|told|kept|held|heard|given|written|won)\b"
)
_ADVERB = r"(?:(?:then|only|also|both|still|now|already|just|next|[a-z]{3,12}ly)\s)?"
_DO = (
    r"see|meet|have|need|start|begin|finish|leave|fly|move|go|come|visit|arrive|return|travel|sit|take|teach|sing|play"
    r"|perform|open|marry|graduate|retire|help|collect|pick|host|speak|depart|land|get|are"
)
# Forms that are no nouns, and those that may be: "two visits on 3 May".
_DOES = r"comes|goes|sees|begins|gets|takes|meets|expires|arrives|marries|departs|retires|graduates|teaches|needs"
_MAY_DO = r"starts?|turns|visits|moves|opens|returns|finishes|leaves|flies|plays|helps|lands|runs|ends|falls|closes"
_NO_NOUN = "".join(
    rf"(?<!\b{word}\s)" for word in ("the", "my", "our", "his", "her", "a", "two", "three", "of", "many", "some", "no")
)
_IS_PRESENT = regex(
    rf"\b(?:i|we|they|you)\s{_ADVERB}(?:{_DO})\s(?!{_PARTICIPLE})|^(?:have|begin|start|see|meet|fly|leave)\s(?!{_PARTICIPLE})"
    rf"|\b(?:has|(?:have|has|['\u2019]ve|['\u2019]s|ive)\s{_ADVERB}got)\s(?!{_PARTICIPLE})|{_NO_NOUN}\b(?:{_DOES})\b"
    r"|\b(?:the|my|our|his|her)\s(?:\w+\s)?(?!has\b)[a-z]{2,12}s\s(?:come|start|arrive|leave|fly|begin|move|visit|marry|return)\b"
    rf"|(?:\b(?:am|is|are)|['\u2019](?:m|re|s))\s{_ADVERB}[a-z]{{2,12}}ing\b"
    r"|[a-z]['\u2019]s\s(?:due\s)?(?:on|from)\s(?:the\s)?\Z",
    re.IGNORECASE,
)
_MAY_BE_PRESENT = regex(rf"{_NO_NOUN}\b(?:{_MAY_DO})\b", re.IGNORECASE)
# What somebody must do, or was told to: "I was asked to come on 3 May", "I'm supposed to be there on 3 May".
_IS_TO = regex(
    rf"(?:\b(?:am|is|are)|['\u2019](?:m|re|s))\s{_ADVERB}(?:supposed|meant|due|expected|scheduled|allowed|invited|asked"
    r"|told)\sto\s[a-z]"
    r"|\b(?:have|has|need|needs|(?:['\u2019](?:ve|s)|have|has) got|want|wants|hope|hopes|plan|plans)\sto\s[a-z]"
    rf"|(?:\b(?:have|has)|['\u2019](?:ve|s))\s{_ADVERB}(?:got\s)?(?!{_PARTICIPLE}|[a-z]+ly\b)(?:[\w'\u2019-]+\s){{1,6}}?"
    r"(?:booked(?:\sin)?|scheduled|arranged|planned|reserved|lined\sup|pencilled\sin)\s(?:[^,;.!?]{0,40}\s)?(?:(?:on|for)\s)?"
    r"(?:the\s)?\Z",
    re.IGNORECASE,
)
_WAS_TOLD_TO = regex(
    r"\b(?:was|were|(?P<perfect>been)|got)\s(?:just\s)?(?:told|asked|invited|called|summoned|instructed)"
    r"\s(?:\w+\s)?to\s[a-z]",
    re.IGNORECASE,
)
_GIVEN = regex(
    r"\b(?:given|gave|offered|allocated|assigned|sent|got|noted|marked|saved)\s(?:(?:me|us|him|her|them|mum|mom|dad)\s)?"
    r"(?:(?:an?|the|my|your|another)\s(?:[\w'\u2019-]+\s){0,2}(?:date|slot|appointment|appt|day|interview|viewing)"
    r"\s(?:(?:with|at|in)\s[^,;.]{1,40}?\s)?(?:on|for|of)\s)?(?:the\s)?\Z",
    re.IGNORECASE,
)
_TAKEN_FOR = regex(
    r"\b(?:hired|rented|booked|reserved|ordered|bought|arranged|organi[sz]ed|asked|called|invited|pencilled|got|signed"
    r"|lined|taken|made)\s[^.?!]{0,60}?\bfor\s(?:the\s)?\Z",
    re.IGNORECASE,
)
_TAKEN_FROM = regex(
    r"\b(?:got|gotten|signed|rented|leased|hired|taken|took|accepted|promoted|made|appointed|given|offered|found|booked"
    r"|secured|landed|called|transferred|(?P<perfect>(?:have|has)(?!\s(?:had|been)\b)))\s[^.?!]{0,80}?\b(?:from|effective|as\sof|with\seffect\sfrom)\s(?:the\s)?\Z",
    re.IGNORECASE,
)
# "My boss has asked me to a meeting on the 23rd": whoever is invited goes there then.
_INVITED = regex(
    rf"(?:(?P<perfect>\b(?:has|have)|['\u2019](?:s|ve))\s{_ADVERB})?\b(?:invited|asked|called|summoned|talked)\s"
    r"(?:me|us|him|her|them|my\s[a-z]+|our\s[a-z]+|(?-i:[A-Z])[a-z]+)\s(?:(?:over|round|out|along|up)\s)?"
    r"(?:to|into)\s(?!marry\b|be\b|stop\b|leave\b)[^,;]{1,60}\Z",
    re.IGNORECASE,
)
# "Maya's got her brace fitted on the 28th" may be of either.
_GOT_DONE = regex(
    rf"(?:\b(?:has|have)|['\u2019](?:s|ve))\s{_ADVERB}got\s(?:my|our|his|her|their|the|an?)\s(?:[\w'\u2019-]+\s){{1,3}}?"
    rf"{_PARTICIPLE}[^,;]{{0,40}}\Z",
    re.IGNORECASE,
)
# What one is down for, or has a room for, is then: "I signed up for the race on 11 May", "booked Rome 3 May".
# What has no day of its own is not: "I signed up for the gym on 11 May".
_DOWN_FOR = regex(
    r"(?P<down>)\b(?<!had\s)(?:(?:signed\s(?:\w+\s){0,3}?up|registered|enrolled|volunteered|auditioned"
    r"|(?:put|got)\s[^.?!]{0,30}?(?:\bnames?\sdown|\bin|\ba\s(?:place|spot)))\s(?:for|to|into|in|on|at)"
    r"\s(?=[^.?!]{0,60}[a-z])(?![^.?!]{0,60}\b(?:gym|membership|newsletter|trial|account|app|service|website|site|netflix|insurance"
    r"|broadband|list|doctor|gp|surgery|uni|university|college|them|it)\b)"
    r"|entered\s(?=[^.?!]{0,40}(?:\b(?:race|run|half|triathlon|competition|contest|tournament|show|championships?|cup"
    r"|league|event|swim|ride|quiz|fair|festival|ultra|relay|bake-?off)|marathon|\dk)\b)"
    r"|(?:booked|reserved)\s(?!in\s))[^.;?!]{0,60}\Z",
    re.IGNORECASE,
)
# "I told them I'd decide by 20 October", "I promised to send it by 20 March".
_PROMISED = regex(
    r"\b(?:(?:promised|agreed|offered|committed|arranged|pledged|vowed|swore|volunteered)\s(?:(?!not\b)[\w'\u2019]+\s){0,3}?to\s[a-z]"
    r"|(?:said|told|promised|agreed|swore|vowed|confirmed|assured|texted|wrote|emailed|reckoned|announced)\s"
    r"(?:[\w'\u2019]+\s){0,4}?[a-z]+(?:\swould|['\u2019]d)\s(?!have\b|(?!come\b)" + _PARTICIPLE + r"))[^.;?!]{0,60}\Z",
    re.IGNORECASE,
)
_CAME_OF_IT = regex(r"\b(?:ran|went|finished|missed|did|didn|never|loved|enjoyed|flew|stayed|won|came)\b", re.I)
_OF_THEN = regex(
    r"\b(?:letter|e-?mail|photos?|pictures?|pics?|receipt|bill|invoice|notes?|texts?|message|report|results?|copy|minutes"
    r"|memor(?:y|ies)|scars?|bruises?|videos?|recordings?|fine|hangover|card|postcard|call|screenshots?|entry|article"
    r"|paper)\b[^,;]{0,40}\b(?:from|of)\s(?:the\s)?\Z|\b(?:since|of|about|dated|after|before)\s(?:the\s)?\Z",
    re.IGNORECASE,
)
_SINCE_THEN = regex(r"\bsince\b[^,;]*\Z", re.IGNORECASE)  # "I have pain since the operation on 20 April"
_EVENT = regex(
    r"\b(?:exams?|tests?|appts?|appointments?|deadline|party|wedding|interview|meeting|scan|mri|x-?ray|ultrasound|biopsy"
    r"|check-?up|clinic|jab|op|operation|surgery|dentist|vets?|doctors?|physio|midwife|optician|flight|train|concert|gig|match"
    r"|race|viva|mot|viewing|hearing|delivery|graduation|ceremony|funeral|christening|completion|handover|audition"
    r"|assessment|screening|review|follow-?up|(?:last|first|final) (?:day|shift|rehearsal|class|lesson|session"
    r"|lecture|game|show|night|week)|rehearsal|trial shift|start(?: date)?)\b[^.;!?]*\Z",
    re.IGNORECASE,
)
_SOON = regex(r"(?:moving|starting|beginning|commencing|completing|flying)\b", re.IGNORECASE)
_ADJECTIVE = regex(
    rf"\b(?:my|the|an?|his|her|our|their|is|are|am|feel|so|very|too|get|gets|getting|be|being)\s{_ADVERB}[a-z]{{2,14}}ed\b"
    r"|['\u2019](?:m|re|s)\s[a-z]{2,14}ed\b",
    re.IGNORECASE,
)
_WAS_SO = regex(r"\b(?:went|was|were|had|did|took|felt|over|passed|failed|came|ran|got|saw)\b", re.IGNORECASE)
_IT_WAS_SO = regex(
    r"\W*(?:(?:and|but|which|it|that|all|everything|i) ){0,2}(?:went|was|were|had|did|took|felt|over|passed|failed)\b",
    re.IGNORECASE,
)
_STOP = regex(r"[.!?。！？\n](?!\d)")
_ASIDE = regex(r", (?:who|which) [^,]*,", re.IGNORECASE)
# "90 was silly, 88 by September is OK": the verb stands behind the date.
_BY_THEN = regex(
    r"^(?:(?!was\b|were\b|had\b)[\w'\u2019.-]+\s){0,4}(?:by|before|until|till?)\s(?:the\s)?\Z", re.IGNORECASE
)
_IS_THEN = regex(r"\s(?:is|are|would be|will be|works|suits|sounds)\s(?!when\b)", re.IGNORECASE)
_REASON = regex(r"[,;]? (?:because|since|as|after|before|cos|cause)\b", re.IGNORECASE)
_FIXED = regex(r"(?:since|last|yesterday|ago)\b", re.IGNORECASE)
_NEARER, _FAR_ENOUGH = 0.5, 0.25


def announced_in(text: str, date: str, *, gone: float = 1.0) -> str | None:
    """Return the clause of a date where it says itself that the date lies ahead, whatever the rest of the text tells.

    "I see him on 14 July and that's me finished": the verb that stands nearest in front of the date counts. `gone`: the
    part of the way from the last such day to the coming one that has gone by; what was done is for the nearer one.
    """
    before, _, after = text.partition(date)
    before, after = _STOP.split(before)[-1], _STOP.split(after)[0]
    if _FIXED.match(date) or _OF_THEN.search(before + _preposition(date)):
        return None
    before, after = _ASIDE.sub(",", before), _REASON.split(after)[0]
    begin = [joint.end() for joint in _JOINTS.finditer(before)]
    own = before[begin[-1] :] if begin else ""
    if begin and _PREPOSITION.fullmatch(own) and tells_deed(f"{own}{date}{after}", date):
        return None  # "I need to tell you, on 20 April I quit smoking"
    if _BY_THEN.search((own or before) + _preposition(date)) and _IS_THEN.match(after):
        return f"{own or before}{date}{_JOINTS.split(after)[0]}"
    for start in (*reversed(begin), 0):
        part, joint = before[start:], before[:start].rstrip().removesuffix(" and").removesuffix(" but")[-1:]
        found = _announces(part, date, after, gone, is_apart=start == 0 or not joint.isalnum())
        if found is not None or (joint in _STOPS and part):  # "flights booked: 5 December" is one clause
            behind = _JOINTS.split(after)[0]
            return f"{part}{date}{behind}" if found else None
    return None


def _announces(part: str, date: str, after: str, gone: float, *, is_apart: bool) -> bool | None:
    """Return whether the words between a joint and a date say that it lies ahead; None where they have no verb."""
    said = part + _preposition(date)
    if _SINCE_THEN.search(said):
        return False
    if _IS_TO.search(said) or _GIVEN.search(said):
        return not _WAS_SO.search(after)
    promised = (_WAS_TOLD_TO, _TAKEN_FROM, _TAKEN_FOR, _INVITED, _GOT_DONE, _DOWN_FOR, _PROMISED)
    if done := next((found for pattern in promised if (found := pattern.search(said))), None):
        named = done.groupdict()
        came_of_it = (_CAME_OF_IT if "down" in named else _WAS_SO).search(after)
        is_plain = "down" in named or named.get("perfect") is not None
        return gone > (_FAR_ENOUGH if is_plain else _NEARER) and came_of_it is None
    present = [*_IS_PRESENT.finditer(said)]
    past = [*_DONE.finditer(_ADJECTIVE.sub(_blank, said))]
    if not past:
        present += _MAY_BE_PRESENT.finditer(said)
    if present or past:
        return bool(present) and (not past or past[-1].start() < max(one.start() for one in present))
    if is_apart and (_SOON.match(part) or _EVENT.search(part)):
        return not _IT_WAS_SO.match(after)
    return None


_PREPOSITION = regex(r"(?:(?:on|for|from|by|at|in|to|is|due|until|till?)\s)?(?:the\s)?", re.IGNORECASE)


def _preposition(date: str) -> str:
    found = _PREPOSITION.match(date)
    return "" if found is None else found[0]


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def is_done(match: re.Match[str]) -> bool:
    """Return whether the sentence of a date names something done, and is no question: not "I get paid on the 25th"."""
    before, after = sentence_around(match)
    return after is not None and _DONE.search(f"{before} {after}") is not None


def sentence_around(match: re.Match[str]) -> tuple[str, str | None]:
    """Return what stands before and behind a date in its sentence; None for the end of a question."""
    before = _ENDS.split(match.string[max(match.start() - _AROUND, 0) : match.start()])[-1]
    after = match.string[match.end() : match.end() + _AROUND]
    end = _ENDS.search(after)
    if end is None:
        return before, after
    return before, None if end[0] in "?？" else after[: end.start()]
