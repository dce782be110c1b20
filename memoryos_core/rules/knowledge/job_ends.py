"""Ends of a job that are told without the firm: "ich hab gekündigt", "me han despedido"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from memoryos_core.rules.dates.calendar import MONTH_NAMES, WEEKDAYS
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.knowledge.relations import FAMILY
from memoryos_core.rules.text.introductions import TRADE
from memoryos_core.rules.text.words import regex

__all__ = [
    "ANY_JOB",
    "GOT_THE_JOB",
    "NO_JOB",
    "OF_SPEAKER",
    "ends_another_thing",
    "ends_other_job",
    "ends_own_job",
    "job_in",
    "jobs_told",
    "next_job",
]

ANY_JOB = regex(
    r"gekündigt|entlassen|gefeuert|rausgeworfen|démissionnée?|virée?r?|virer|licenciée?r?|licencier|despedid[oa]"
    r"|despidieron|echad[oa]"
    r"|echaron|dimitido|renunciado"
    r"|licenziat[oa]|dimess[oa]|demitid[oa]|despedi-me|demiti-me",
    re.IGNORECASE,
)
# Contracts are cancelled, patients discharged, guests thrown out and members leave, too.
_OF_MORE_THAN_JOBS = regex(
    r"gekündigt|entlassen|rausgeworfen|virée?|démissionnée?|echad[oa]|echaron|dimess[oa]", re.IGNORECASE
)
_WORK = regex(
    r"\b(?:\w*arbeit\w*|jobs?|chef\w*|firma|stelle|büro|boulot|travail\w*|patronn?e?|boîte|entreprise|trabaj\w*|empresa"
    r"|jef[ea]|curro|lavor\w*|capo|azienda|ditta|trabalh\w*|emprego|empleo|impiego|emploi)\b",
    re.IGNORECASE,
)
# What one gives up, too, and where one is discharged or thrown out: the work beside it is when or where it was.
_OF_A_THING = regex(
    r"\b(?:handy\w*|vertrag|abo\w*|\w*studio|\w*versicherung\w*|wohnung|miete|verein\w*|krankenhaus\w*|klinik\w*|station"
    r"|bank|club\w*|bar|kneipe|disco\w*|abonnement|abono|gym|gimnasio|salle|asso\w*|bureau|syndicat|piso|palestra)\b",
    re.IGNORECASE,
)
_DENIED = regex(r"\b(?:nicht|nie|kein\w*|no|nunca|jamás|non|mai|não|ne|n'\w*|pas|jamais|niet)\b", re.IGNORECASE)
_ELSE = regex(
    r"\s*(?:worden|lassen)?"
    r"(?:\s(?:ayer|anoche|hoy|hier|ieri|oggi|ontem|hoje|la (?:semana pasada|semaine dernière|settimana scorsa)))?"
    r"\s*(?:[.,;:!?(…]|$|(?:und|aber|weil|et|mais|car|parce|y|pero|porque|e|ma|perché|mas)\b)",
    re.IGNORECASE,
)
_WORD = regex(r"[^\W\d_]+")
_IDLE_TEXT = """
    ich habe hab bin wurde worden und aber leider gestern heute vorgestern übrigens also puh oh ja nun jetzt nämlich
    endlich früh schlechte nachrichten tatsächlich gerade eben auch schon hey hallo hi
    j je ai été on m a me suis fait hier et mais malheureusement enfin finalement bon ben maintenant aujourd hui
    mauvaise nouvelle malas noticias mala noticia brutte notizie brutta notizia
    han he sido fui ayer hoy y pero por desgracia pues al final ya ahora hola
    mi sono stato stata hanno ieri oggi e ma purtroppo alla fine ora adesso ciao
    eu ontem hoje mas infelizmente agora
"""
_IDLE = frozenset(_IDLE_TEXT.split())


def ends_own_job(sentence: str) -> bool:
    """Return whether a sentence that tells the end of a job names nothing else that may have ended.

    "Das Studio ist zu teuer, ich habe gekündigt" and "j'ai été viré du groupe" end no job.
    """
    end = ANY_JOB.search(sentence)
    if end is None or _DENIED.search(sentence, _begin(sentence, end.start()), end.start()):
        return False
    before, behind = sentence[: end.start()], sentence[end.end() :]
    if _OF_MORE_THAN_JOBS.fullmatch(end[0]) is not None and _OF_A_THING.search(before) is not None:
        return False
    if _WORK.search(before) is None and not _IDLE.issuperset(_WORD.findall(before.lower())):
        return False
    return _ELSE.match(behind) is not None or _WORK.search(behind[:40]) is not None


def _begin(text: str, stands: int) -> int:
    """Return where the sentence begins in which a word stands."""
    return max(text.rfind(stop, 0, stands) for stop in (". ", "! ", "? ")) + 1


def ends_another_thing(before: str, sentence: str) -> bool:
    """Return whether a sentence may tell the end of what the one before it speaks of: "Netflix ist teuer."."""
    end = ANY_JOB.search(sentence)
    if end is None or _OF_MORE_THAN_JOBS.fullmatch(end[0]) is None or _WORD.search(sentence, end.end()):
        return False
    return " " in before and ends_own_job(sentence) and not ends_own_job(f"{before} {sentence}")


# ------------------------------------------------------------------------------------------------ told in passing


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


# Of whom a fragment tells: "I rang mum about her flat. Rent's 1200 now." is of another.
OF_SPEAKER = _pattern(
    rf"^$|^(?!.*\b(?:{KIN}|{FAMILY}|mates?|friends?|grandad|s?he|his|her|him|they|them|their)\b"
    r"|.+(?<!at)(?<!in)(?<!to)(?<!from) (?-i:[A-ZÀ-Þ][a-zà-ÿ]{2,})).*\b(?:i|i'm|i've|we|we're|we've|me|us)\b"
)
NO_JOB = _pattern(
    r"\b(?:interview|back then|used to|when i (?:was|worked)|years ago|apply|applied|applying|dream|would|imagine"
    r"|if i"
    r"|quit|quitting|left|leave|leaving|lost|former|old job|start(?:ed|ing)? at|ex-|volunteer\w*|unpaid|charity"
    r"|befriending|as a (?:teen|teenager|kid|child|student)|in the (?:\d0s|[a-z]+ties)|(?:back )?in (?:19|20)\d\d"
    r"|taught me|on the side)\b"
)
# "So I'm at Kember and Jones now, Mondays and Tuesdays 8 till 4": pay or what one does there, else it is a visit.
_NOW_WORKS = _pattern(
    r"^(?:(?:so|and|but|anyway|ok|btw),? )*i(?:'m| am) (?:now )?at (?:the )?(?P<where>(?!(?:work|home|school|uni"
    r"|college|university|yoga|pilates|choir|band|gym|pub|bar|club|class|church|football|parkrun|festival|airport|station"
    r"|cinema|hospital|doctors?|dentist)\b)(?!\w+'s\b)[\w&'-]+(?: (?:and |& )?[\w&'-]+){0,2}?) now(?P<how>[^?]*)$"
)
_AT_WORK = _pattern(
    r"^[,;.]? (?:(?:and|on|for|with|doing|working|getting|earning|they pay me|paid|it's|only|about|just) )*(?:(?:[a-z]+"
    r" )?shifts\b|[£$€]?[1-9]\d(?:\.\d\d)? ?(?:(?:quid|bucks|pounds|dollars|euros) )?(?:(?:an|per) (?:hour|hr)\b"
    r"|hours a week\b|/hr?\b)|full[- ]time|part[- ]time|(?:mon|tues?|wed(?:nes)?|thurs?|fri|sat(?:ur)?|sun)(?:days?)?"
    r" ?(?:and|to|\+|&) ?\w+,? \d{1,2}(?::\d\d)?(?: ?[ap]m)? ?(?:-|to|till?) ?\d)"
    r"|^,? as an? (?:[a-z]+ )?(?:barista|cashier|manager|supervisor|porter|picker|nurse|chef|baker|driver|assistant)\b"
)
# What "is over in June" is to come, "has finished today" tells of a shift, and one has a contract for a telephone, too.
_JOB_OVER = _pattern(
    r"\b(?<!if )(?<!when )(?<!once )(?<!until )my (?:(?:job|placement|internship|stint|time working) (?:at|with)"
    r"|contract at) (?P<where>(?:the )?[\w&'-]+(?: [\w&'-]+){0,2}?)(?:'s| is| has| was)? (?:just |now )?(?:finished"
    r"|ended|over|came to an end)(?=[.!;]*$| (?:last (?:week|month|\w+day)|on \w+day|yesterday|now|because)\b)"
)
_LOST_JOB = _pattern(
    r"^(?:(?:so|and|well|ugh|omg|anyway|also),? )*(?:(?:they|(?:my|the) (?:boss|manager|work))(?:'ve| have| has|'s)?"
    r" (?:just |finally )?(?:(?:fired|sacked) me(?! (?:up|last|this|on|yesterday|today))"
    r"|let me go(?=[.!]*$| from work| last (?:week|month)[.!]*$)|laid me off|made me redundant)"
    r"|i(?:'ve been| have been| got| was| just got)(?: just)? (?:fired|sacked|laid off"
    r"|made redundant))(?=[.,!;]|$| (?:today|yesterday|last|this|so|and|on|because|after|from work|again)\b)"
    r"(?!.*\b(?:(?:in|since) (?:19|20)\d\d|ago|last year|years|once|how i|game|before i|until|film|play|dream\w*)\b)"
)
# Who lets one go may be the police or a ward: what was spoken of before is the job, not when or where it was.
_OF_WORK = _pattern(
    r"^$|^(?!.*\b(?:stop|held|guard|security|police|customs|border|hospital|ward|clinic|search|detain|arrest|badge))"
    r".*\b(?:my (?:new )?job|boss|manager|redundan\w*|contract|company|firm|work(?='s| is\b| was\b)|at work(?=\W*$))\b"
)
_FIRST_SHIFT = _pattern(
    r"^(?:(?:so|and|also|ok),? )*(?:had |did |done |survived )?(?:my )?first shift at (?:the )?"
    r"(?P<where>(?-i:[A-Z])[\w&'-]*(?: (?-i:[A-Z&])[\w&'-]*){0,3})(?!.*\b(?:ago|for|when|back|in \d{4}|years|poor"
    rf"|her|his|(?:my|our) (?:{FAMILY})|\w+'s)\b)"
)
_FIRM = r"(?-i:[A-ZÀ-Þ])[\w&.'-]*(?: (?:of |and |& )?(?-i:[A-ZÀ-Þ])[\w&'-]*){0,3}"
_MONTH = rf"(?:{'|'.join(MONTH_NAMES)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
_STARTS = (
    r"(?:i |i'll |i'm )?(?:from|start(?:s|ing)?|beginning|as of)(?: on| in)? (?P<day>(?:the )?"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?\b)?"
    rf"|(?:next )?(?:week|month|{'|'.join(WEEKDAYS)})\b))"
)
_NEWS = r"(?:(?:and|so|oh|yes|yay|well|hey|big news|good news|guess what|update)[,:!.]* )*"
# "I got the job!", "I said yes!", "I've signed with Siemens"
GOT_THE_JOB = _pattern(
    rf"{_NEWS}(?:(?:i(?:'ve| have)? )?(?:just |finally )?"
    r"(?:(?:(?:got|landed|found)(?!.* offer)|accepted|took|taken|signed)"
    r" (?:the|that|an?|another|my|their)(?: new)? (?:job|role|position|post|offer|contract|promotion)"
    r"(?! (?:interview|application)\b)|(?:got|took|taken|accepted) it|accepted|said yes(?: to (?:it|them|the \w+))?"
    rf"|signed)(?: (?:with|at|from) (?P<firm>{_FIRM})|(?: [a-z]+){{0,3}})?|new (?:job|role)(?: alert)?)[.!]*"
)
_NEXT_JOB = _pattern(
    rf"(?:(?P<firm>{_FIRM}), )?(?:as )?(?:an? |the )?(?P<what>(?:[a-z&/+#-]+ ){{0,3}}?{TRADE})"
    rf"(?:,? (?:at|with|for) (?:the )?(?P<where>{_FIRM})|(?P<small>(?: at)? [a-z][\w&' -]{{2,30}}(?=, )))?"
    rf"(?:, [^,;]{{1,12}}(?=,))?,? {_STARTS}"
)
_NAMES_JOB = _pattern(r"\b(?:job|role|position|post|offer|contract|promotion)\b")
_A_MONTH = _pattern(_MONTH)
# What is not said of the speaker's own job: "Tom's first day", "first week at uni".
_OF_ANOTHER = _pattern(
    r"\b(?:poor (?-i:[A-Z])\w*|he|she|they|his|her|ago|years|when|back|in (?:19|20)\d\d|for (?!a\b|the\b|now\b)\w+"
    rf"|my (?:\w+ )?(?:{FAMILY}|kids?|child)|(?<!user')(?<!it')(?<!that')(?<=\w')s(?! first\b))\b"
)
_NO_FIRM = r"(?!(?:[\w'-]+ )*(?:School|College|University|Uni|Academy|Nursery|Camp|Festival|Parcs?|Con)\b)"
_MY = (
    r"(?:\b(?:my|the user's) |^(?:(?:finished|survived|done with|had) )?(?:my |the user's )?|^the user finished their )"
)
_OPENS = _pattern(r"(?:finished|survived|done with|had|first|last)\b")
_FIRST_DAY = _pattern(
    r"(?:\b(?:my|the user's) first (?:day|week|shift|month)|^the user finished their first (?:week|month|shift))"
    rf"(?: of work)? at (?:the )?(?P<value>{_NO_FIRM}{_FIRM})"
)
_FIRST_AS = _pattern(
    rf"{_MY}first (?:day|week|month|shift) as (?:an? |the )?(?P<value>(?!juror)(?:[a-z-]+ ){{0,3}}?{TRADE})"
    r"(?=[.,!;]|$| (?:is )?(?:done|over|today|yesterday|at|with|was|is|went|and)\b)"
)
_LAST_DAY = _pattern(
    r"\b(?:today|yesterday|\w+day)(?: \w+)? (?:was|is) (?:my|the user's) last (?:day|shift|week) (?:at|with) (?:the )?"
    rf"(?P<value>{_FIRM})"
    rf"|{_MY}last (?:day|shift|week) (?:at|with) (?:the )?(?P<firm>{_FIRM})"
    r" (?:is )?(?:done|over|today|yesterday|finished|was)\b"
    rf"|^(?P<other>{_FIRM}) (?:(?:has|have|just) )*(?:laid off|let|fired|sacked|cut|axed|made) [^.;]{{0,60}}?"
    r"(?:,|\band|\bincluding)(?: that)?(?: includes| including)? (?:me|the user)"
    r"(?=[.!,;]|$| (?:included|too|as well|among)\b)"
)
_TELLS_END = _pattern(
    rf"\b(?:notice|resign\w*|quit|last (?:day|shift|week)|finished|laid off|redundant|sacked|fired|job|contract)\b"
    rf"[^.;]{{0,20}}? (?:at|from|with|to|by) (?:the )?(?P<where>{_FIRM})|\b(?:left|quit|leaving) (?P<firm>{_FIRM})"
)
_NOTICE = _pattern(r"\b(?:hand(?:ed|ing)?|gave|give|giving|put) (?:\w+ ){0,3}notice\b|\bresign(?:ed|ing)\b")
_OF_HOME = _pattern(
    r"\bnotice (?:today |yesterday )?(?:to|on|for) (?:my|our|their|the) (?:[\w-]+ )?(?:land\w+|letting|flat|house|room"
    r"|gym|tenant)"
)
_TO_COME = _pattern(
    rf"\b(?:starts?|starting|will (?:start|work|join)|(?:is|am) joining)\b|\bworks? [^.;]{{0,60}} from"
    rf" (?:the )?(?:\d|{_MONTH})"
)


def job_in(text: str) -> tuple[str, str, bool] | None:
    """Return "employer" or "occupation", its value, and whether it is over, where a first or a last day tells it."""
    if (over := _LAST_DAY.search(text)) is not None:
        return "employer", over["value"] or over["firm"] or over["other"], True
    for attribute, pattern in (("employer", _FIRST_DAY), ("occupation", _FIRST_AS)):
        if (began := pattern.search(text)) is not None and _OF_ANOTHER.search(text) is None:
            return attribute, began["value"].rstrip("."), False
    return None


def ends_other_job(old: str, employers: Collection[str], new: str) -> bool:
    """Return whether news ends a job at a firm that `old` does not name, or the one before that which is to come.

    `employers` are those of `old`. A flat is given up by a notice, too.
    """
    named = [found["where"] or found["firm"] for found in _TELLS_END.finditer(new)] if employers else []
    if named:
        known = {word.lower() for word in _WORD.findall(" ".join(employers))}
        return not any(word.lower() in known for firm in named for word in _WORD.findall(firm))
    return _NOTICE.search(new) is not None and (_TO_COME.search(old) or _OF_HOME.search(new)) is not None


def next_job(told: str, before: str) -> Iterator[str]:
    """Yield what somebody will work as, where and from when, as plain statements.

    `before` is the sentence that says that they got it: "I said yes! Team lead from 1 May."
    """
    head, mark, rest = told.partition(": ")
    told, before = (rest, head) if mark and GOT_THE_JOB.fullmatch(head) else (told, before)
    got = GOT_THE_JOB.fullmatch(before)
    job = _NEXT_JOB.match(told) if got is not None else None
    if got is None or job is None or not (_NAMES_JOB.search(before) or _A_MONTH.search(job["day"])):
        return  # "I got it! Plumber, from Monday." may be of anything
    what, day = job["what"], job["day"]
    what = what if what[:2].isupper() else f"{what[:1].lower()}{what[1:]}"
    yield f"I work as a {what} from {day}."
    small = " ".join(word.capitalize() for word in (job["small"] or "").removeprefix(" at").split())
    if where := job["where"] or job["firm"] or got["firm"] or small:
        yield f"I work at {where} from {day}."


def jobs_told(told: str, before: str) -> Iterator[str]:
    """Yield where the speaker works now, and where no more, told in short words."""
    now = _NOW_WORKS.match(told)
    if now is not None and _AT_WORK.search(now["how"]):
        yield f"I work at {' '.join(w if w in ('and', 'of') else w[:1].upper() + w[1:] for w in now['where'].split())}."
    if (over := _JOB_OVER.search(told)) is not None and not NO_JOB.search(told):
        yield f"I no longer work at {over['where']}."
    if _LOST_JOB.match(told) and ("let me go" not in told.lower() or _OF_WORK.search(before)):
        yield "I lost my job."
    if OF_SPEAKER.search(before) is None:
        return
    if (first := _FIRST_SHIFT.match(told)) is not None:
        yield f"I work at {first['where'].rstrip('.')}."
    elif (job := job_in(told) if _OPENS.match(told) else None) is not None and (job[2] or job[0] == "occupation"):
        works = "no longer work" if job[2] else "work"
        yield f"I {works} as a {job[1]}." if job[0] == "occupation" else f"I {works} at {job[1]}."
