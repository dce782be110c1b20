"""Tell when a fact holds, and whether what it tells happens ahead or lies behind."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from memoryos_core.rules.dates import find_dates
from memoryos_core.rules.dates.calendar import NUMBERS, number
from memoryos_core.rules.dates.other_languages import MONTH_WORDS, WEEKDAY_WORDS
from memoryos_core.rules.dates.recurrence import find_recurrence
from memoryos_core.rules.dates.tense import tells_deed
from memoryos_core.rules.knowledge.corrections import values_in
from memoryos_core.rules.knowledge.moments import called_off_for
from memoryos_core.rules.text.words import matches, regex
from memoryos_core.values.facts import Fact

__all__ = ["held_at", "is_behind", "last_heir", "next_time", "once_held"]

_EVERY_YEAR = regex(
    r"\b(?:birthday|anniversary|every year|each year|yearly|annually|geburtstag|hochzeitstag|jahrestag|jedes jahr"
    r"|anniversaire|chaque année|tous les ans|cumpleaños|aniversario|cada año|todos los años)\b"
    rf"|\b(?:every|each|jeden) (?:[0-3]?\d(?:st|nd|rd|th|\.)? (?:of )?)?(?:{MONTH_WORDS})(?!\w)",
    re.IGNORECASE,
)
_NO_MORE = regex(
    r"\b(?:was|were|had|did|used to|no longer|not|never|stopped|quit|any ?more|cancell?ed|called off)\b|n['\u2019]t\b"
    r"|days (?:are|is) (?:now |all )?(?:free|off|out|clear|open|quiet|fine|good|busy)\b",
    re.IGNORECASE,
)
# What somebody expects us at, so that its weekdays alone are dates: "has swimming on Mondays", "choir is Mondays".
_HELD_TEXT = (
    r"(?:appointments?|therapy|therapist|physio\w*|dialysis|chemo\w*|radiotherapy|clinic|counselling|lessons?|class|classes"
    r"|course|rehearsals?|practice|training|club|choir|band|swimming|ballet|football|karate|judo|piano|guitar|violin|tutor\w*"
    r"|meetings?|stand-?ups?|retros?|shifts?|sessions?|seminars?|lectures?|tutorials?|group)"
)
_HELD = regex(
    rf"\b(?:has|have|had|got|attends?|teach(?:es)?|runs?|goes to|go to|sees?) (?:[\w'-]+ ){{0,3}}?{_HELD_TEXT}\b"
    rf"|\b{_HELD_TEXT}(?: [\w-]+)? (?:is|are|meets?|runs?|takes place) (?:\w+ ){{0,2}}(?:on )?"
    rf"(?:{WEEKDAY_WORDS}|every|each)",
    re.IGNORECASE,
)
_UNREAL = regex(
    r"\b(?:could|would|should|may|might|wants?|rather|hates?|miss(?:es|ed)?|dreads?|looking|thinking|instead|skips?|over|ended"
    r"|if|wish(?:es)?|full|closed|only|badly|quiet|favou?rite)\b|'d\b",
    re.IGNORECASE,
)
_UNTIL = regex(r"\b(?:until|till|through to|bis)\b", re.IGNORECASE)
_CLOCK = regex(r"(?P<hour>[01]?\d|2[0-3])(?:(?::|\.(?=\d\d ?[ap]m))(?P<minute>[0-5]\d))? ?(?P<half>am|pm|uhr|uur|h)?")
# An hour elsewhere is another one here: "at 9am EST", "at 3pm Tokyo time".
_ELSEWHERE = regex(
    r" ?\(?(?:[ECMP][SD]T|ET|PT|CES?T|EES?T|WES?T|BST|IST|JST|KST|SGT|HKT|A[CEW]?[SD]T|NZ[SD]?T|SAST|MSK|WAT|EAT|PKT"
    r"|[Ee]astern|[Pp]acific|(?:[Cc]entral|[Mm]ountain|their|[A-Z][a-z]+(?: [A-Z][a-z]+)?) [Tt]ime)\b"
)
_SURELY_MORNING, _NOON = 9, 12
# What is open by day only: there "at 8:30" and "at 11" are of the morning, and "at 3" is of the afternoon.
_BY_DAY = regex(
    r"\b(?:appointments?|appts?|dentist|doctors?|dr|gp|nurse|surgeon|surgery|operation|op|clinic|hospital|midwife|physio"
    r"|optician|vets?|consultant|scan|mri|x-?ray|ultrasound|biopsy|blood tests?|screening|assessment|check-?up|jab"
    r"|vaccination|interview|meeting|solicitor|notary|court|hearing|bank|council|mot|exams?|finals|test|signs?|signing|completion|[a-z]+ology|specsavers"
    r"|viewing|inspection|accountant|register office)\b",
    re.IGNORECASE,
)
_BY_NIGHT = regex(
    r"\b(?:tonight|evenings?|night|dinner|drinks|pub|party|concert|gig|show|film|movie|theatre|late|[ap]m|a&e"
    r"|emergency)\b",
    re.IGNORECASE,
)
# Nobody gives a party at three in the morning, but a train may leave then.
_OF_AFTERNOON = regex(
    r"\b(?:party|parties|birthday|wedding|funeral|christening|lunch|brunch|tea|coffee|barbecue|bbq|picnic|gig|concert"
    r"|match|class|lesson|rehearsal|recital|matinee|hairdressers?|haircut|barbers?|massage|manicure|facial|seeing"
    r"|workshop|seminar|lecture|tutorial|play ?date|school|nursery|photo ?shoot|appraisal|review|open day|fitting)\b",
    re.IGNORECASE,
)
_AT_ANY_HOUR = regex(
    r"\b(?:flight|fly|flies|flying|plane|train|ferry|boat|coach|bus|taxi|airport|alarm|wake|up at|shift|feeds?|club"
    r"|lands?|leaves?|leaving|night|late|closes|opens?|until|till|a\.?m|call with|sunrise|dawn|early|fajr|suhoor|sehri"
    r"|milking|bakery|market|fishing|hik(?:e|ing)|stars?|morning|meteors?|f1|grand prix|turn|prayers?|vigil|stream"
    r"|watch|australia|new zealand|japan|usa?|america)\b",
    re.IGNORECASE,
)
# The same in other languages, where hours are told as 24.
IS_BY_DAY_ELSEWHERE = regex(
    r"\b(?:(?:\w*(?:arzt|ärztin|termin|untersuchung|prüfung|gespräch)|friseur|frisör|physio\w*|krankengymnastik|massage"
    r"|blutabnahme|optiker|zulassungsstelle|bürgeramt|elternabend|hebamme|operation|dentiste|m[ée]decin|docteur|rdv"
    r"|rendez-vous|kiné|véto|vétérinaire|coiffeur|écho(?:graphie)?|entretien|opticien|sage-femme|prise de sang|examen"
    r"|dentista|médico|cita|revisión|tutoría|entrevista|veterinari[oa]|peluquer[íi]a|fisio\w*|ecografía|análisis|oculista"
    r"|medico|visita|colloquio|ecografia|esame|parrucchiere|appuntamento|consulta|exame|cabeleireir[oa]|reunião|reunión"
    r"|riunione|réunion|besprechung|tandarts|huisarts|kapper|afspraak|gesprek))(?!\w)",
    re.IGNORECASE,
)
_HOUR_ELSEWHERE = regex(
    r"(?P<hour>[01]?\d|2[0-3])(?:(?:[:.]| ?h ?)(?P<minute>[0-5]\d))?(?P<mark> ?(?:h|uhr|uur|heures?|horas?|ore))?",
    re.IGNORECASE,
)
_HALF_TO = regex(r"halb (?P<hour>eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)", re.IGNORECASE)
_HALVES = ("eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf")
_FIRST_BY_DAY, _LAST_BY_DAY = 8, 5
_SPOKEN = regex(
    rf"(?P<by>half|quarter|ten|five|twenty) (?:(?<=half )|(?P<way>past|to) )(?P<hour>\d{{1,2}}|{'|'.join(NUMBERS)})"
)
_MINUTES = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20}
# "At 10.20" and "3 October 10.30" have hours, "the ticket is 17.50" has a price.
_BEFORE_HOUR = regex(rf"(?:\bat|\d(?:st|nd|rd|th)?,?|(?<!\w)(?:{MONTH_WORDS}|{WEEKDAY_WORDS}),?) \Z", re.IGNORECASE)
_OF_PRICE = regex(
    r" ?(?:a|an|per|each|euros?|pounds?|quid|dollars?|percent|kgs?|kilos?|grams?|g|lbs?|km|miles?|metres?|m"
    r"|lit(?:re|er)s?|for (?:the )?(?:parking|tickets?|entry|fare|bus|taxi|petrol|lunch))\b| ?[%€£$]",
    re.IGNORECASE,
)
# "At One Canada Square", "at 3 Mill Lane": a number without minutes is of a house.
_OF_HOUSE = regex(
    rf" (?!(?i:{MONTH_WORDS}|{WEEKDAY_WORDS}|in|on|at|with|for|and|to|sharp|dr|mr|mrs|ms|mum|dad)\b)"
    r"(?:[A-Z][a-z]+|(?:[\w'\u2019]+ ){1,2}(?:street|st|lane|road|rd|avenue|ave|square|drive|close|place|way)\b)"
)
_LONGEST = 400  # characters
_ALTERNATE = 2  # weeks
_STANDING = frozenset(("current", "superseded", "retired"))


def held_at(fact: Fact, moment: datetime) -> bool:
    """Return whether a fact held at a moment, as far as was said by then or later."""
    if fact.status not in _STANDING or fact.valid_from > moment:
        return False
    return fact.valid_until is None or fact.valid_until > moment


def last_heir(fact: Fact, by_id: dict[str, Fact]) -> Fact | None:
    """Return the fact that stands at the end of what replaced this one; None when nothing did."""
    seen: set[str] = set()
    heir = None
    while fact.superseded_by is not None and fact.superseded_by in by_id and fact.id not in seen:
        seen.add(fact.id)
        fact = heir = by_id[fact.superseded_by]
    return heir


def once_held(fact: Fact) -> bool:
    """Return whether a fact ever held: one that was corrected did not."""
    return (
        fact.valid_until is None
        or fact.valid_until > fact.valid_from
        or (fact.origin == "rules" and fact.status == "superseded")
    )


def next_time(fact: Fact, now: datetime, others: Iterable[Fact] = ()) -> datetime | None:
    """Return when what a fact tells happens next, None when it does not: its event lies behind, or it has none.

    What comes back every year, such as a birthday, comes next on its day of this year or the next, and what comes back
    by weeks or months on the next of its days that none of `others` calls off. The hour is that which the fact names.
    """
    when, today = fact.event_time, _day_of(now)
    coming = _next_of_many(fact, today)
    off = [span for other in others for span in called_off_for(fact, other)] if coming is not None else []
    while coming is not None and any(start <= coming < end for start, end in off):
        coming = _next_of_many(fact, coming + timedelta(days=1))
    if coming is not None:
        return _at_hour(coming, fact.text)
    if when is None or _is_done(fact, today):
        return None
    if when >= today:
        later = (other for other in others if other.valid_from >= fact.valid_from and other.id != fact.id)
        is_off = any(start <= when < end for other in later for start, end in called_off_for(fact, other))
        return None if is_off else _at_hour(when, fact.text)
    if not matches(_EVERY_YEAR, fact.text) or _is_of_a_week(fact):
        return None
    for year in (now.year, now.year + 1):
        on = 28 if (when.month, when.day) == (2, 29) else when.day
        again = when.replace(year=year, day=on)
        if again >= today:
            return again
    return None


def _is_of_a_week(fact: Fact) -> bool:
    """Return whether nobody knows on which day of a week an event was: "my birthday was last week"."""
    named = (span.end - span.start for span in find_dates(fact.text, fact.valid_from) if span.start == fact.event_time)
    return any(timedelta(days=1, hours=1) < length < timedelta(days=28) for length in named)


def _is_done(fact: Fact, today: datetime) -> bool:
    """Return whether a fact tells what was done on the day on which it was told, today: "dad died this morning"."""
    when = fact.event_time
    if when is None or when.date() != today.date() or fact.valid_from.date() != today.date():
        return False
    return any(
        span.start == when and tells_deed(fact.text, span.text) for span in find_dates(fact.text, fact.valid_from)
    )


def _next_of_many(fact: Fact, today: datetime) -> datetime | None:
    """Return the next day of what comes back by weeks or months; None for a habit, or where nobody knows of which week.

    What is told of weekdays with neither a date nor an hour, and is no appointment by its name, is a habit. Where
    nobody said in which of two weeks it is, they are counted from the first such day after it was told.
    """
    text, begin = fact.text[:_LONGEST], fact.event_time
    recurrence = find_recurrence(text)
    if recurrence is None or _NO_MORE.search(text):
        return None
    is_fixed = recurrence.of_month or begin is not None or (_HELD.search(text) and not _UNREAL.search(text))
    if not is_fixed and not any(value.kind == "time" for value in values_in(text)):
        return None
    last = begin if _UNTIL.search(text) else None
    begin = None if last is not None else begin
    if begin is None and recurrence.weeks == _ALTERNATE and recurrence.weekdays:
        begin = _day_of(fact.valid_from)
    try:
        coming = recurrence.next_day(today, begin)
    except (ValueError, OverflowError):  # beyond the calendar
        return None
    return coming if last is None or coming is None or coming <= last else None


def hour_in(text: str) -> tuple[int, int] | None:
    """Return the one hour and minute that a text names; None for several, and for what may be of morning or evening.

    An hour of another time zone is not one of this one.
    """
    found = [value for value in values_in(text) if value.kind == "time"]
    if len(found) != 1 or _ELSEWHERE.match(text, found[0].end):
        return None
    said, before = found[0].text.lower(), text[: found[0].start]
    if ' said: "' in before and (told := _hour_elsewhere(said, text)) is not None:
        return told
    if (said in NUMBERS or said.isdigit()) and _OF_HOUSE.match(text, found[0].end):
        return None
    is_by_day = _BY_DAY.search(text) is not None and not _BY_NIGHT.search(text)
    if spoken := _SPOKEN.match(text.lower(), found[0].start):  # of "at ten past two" only "ten" is found
        return _read_spoken(spoken) if is_by_day else None
    if _BEFORE_HOUR.search(before) and not _OF_PRICE.match(text, found[0].end):
        said = said.replace(".", ":")
    hour = _read_hour(str(NUMBERS.get(said, said)), is_by_day=is_by_day)
    if hour is None and _OF_AFTERNOON.search(text) and not _AT_ANY_HOUR.search(text):
        hour = _read_hour(str(NUMBERS.get(said, said)), is_by_day=True)
        return hour if hour is not None and hour[0] > _NOON else None
    return hour


def _hour_elsewhere(said: str, text: str) -> tuple[int, int] | None:
    """Return the hour and minute of a time in a quotation of another language; None for what may be of the evening."""
    is_by_day = IS_BY_DAY_ELSEWHERE.search(text) is not None
    if half := _HALF_TO.fullmatch(said):
        return _by_day(_HALVES.index(half["hour"]) or 12, 30) if is_by_day else None
    told = _HOUR_ELSEWHERE.fullmatch(said)
    if told is None or not (is_by_day or told["minute"] or told["mark"]) or said.endswith(("am", "pm")):
        return None
    hour, minute = int(told["hour"]), int(told["minute"] or 0)
    is_early = is_by_day and told["minute"] is None and told["mark"] is None and 1 <= hour <= _LAST_BY_DAY
    return hour + _NOON * is_early, minute


def _read_hour(said: str, *, is_by_day: bool) -> tuple[int, int] | None:
    """Return the hour and minute of a time; None for "at 7:30", which may be in the evening, unless it is by day."""
    told = _CLOCK.fullmatch("12:00" if said in ("noon", "midday") else said.replace(" o'clock", ""))
    if told is None:
        return None
    hour, half, minute = int(told["hour"]), told["half"], int(told["minute"] or 0)
    if half in ("am", "pm"):
        return hour % _NOON + _NOON * (half == "pm"), minute
    if half is not None or (told["minute"] and (hour >= _SURELY_MORNING or told["hour"].startswith("0"))):
        return hour, minute
    return _by_day(hour, minute) if is_by_day else None


def _read_spoken(told: re.Match[str]) -> tuple[int, int] | None:
    """Return the hour and minute of "half past nine" or "ten to three", by day."""
    hour, minute = number(told["hour"]), _MINUTES[told["by"]]
    return _by_day(hour, minute) if told["way"] != "to" else _by_day((hour - 2) % _NOON + 1, 60 - minute)


def _by_day(hour: int, minute: int) -> tuple[int, int] | None:
    """Return an hour as it is by day; None for what is early and late, too."""
    if _FIRST_BY_DAY <= hour <= _NOON:
        return hour, minute
    return (hour + _NOON, minute) if 1 <= hour <= _LAST_BY_DAY else None


def _at_hour(when: datetime, text: str) -> datetime:
    hour = hour_in(text) if when == _day_of(when) else None
    return when if hour is None else when.replace(hour=hour[0], minute=hour[1])


def _day_of(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def is_behind(fact: Fact, now: datetime) -> bool:
    """Return whether what a fact told as lying ahead has passed: the last day that it names is over."""
    when = fact.event_time
    if when is None or next_time(fact, now) is not None:
        return False
    # The year of a bare "12 January" is that of the event, so only the length of what is named counts.
    named = (span.end - span.start for span in find_dates(fact.text, when))
    last = when + max(named, default=timedelta(days=1))
    # A plan may be for a month that has begun; other statements name it as the beginning of what lasts.
    ahead = last if fact.kind == "plan" else when
    return fact.valid_from < ahead and last <= now
