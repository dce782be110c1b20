"""Dates in English: patterns, the words that a text needs before they are tried, and their readers."""

from __future__ import annotations

import re
from datetime import datetime

from memoryos_core.rules.dates import calendar, readers
from memoryos_core.rules.dates.readers import Reader
from memoryos_core.rules.dates.tense import AHEAD
from memoryos_core.rules.text.ordinals import DAY_WORDS, SPELLED_DAYS
from memoryos_core.rules.text.words import regex

_GAP = r"[ \t\n]{1,3}"
_MONTHS = "|".join([*calendar.MONTH_NAMES, "sept", *calendar.MONTHS])
_MONTH = rf"(?P<month>{_MONTHS})(?![a-z])\.?"
_DAY = (
    r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
    r"(?: ?[-\u2013] ?(?P<until>[0-9]{1,2})(?:st|nd|rd|th)?)?(?![0-9a-z:%])"
)
_SPELLED_DAY = rf"(?P<day>{DAY_WORDS})"
_YEAR = r"(?P<year>[12][0-9]{3})(?![0-9])"
_OF_YEAR = rf"(?:of{_GAP})?(?:{_YEAR}|(?P<of_year>last|this|next){_GAP}year\b)"
_STEP = r"\b(?P<step>last|this|next|previous|past|coming)"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)\b"
_IN = r"(?P<in>in|since|during|of|by|until|till?|before|after|around|early|late|mid)"
_OVER = rf"\b(?:in|over|during|through|throughout|since|until|till?|before|after|all|around){_GAP}(?:the{_GAP})?"
_FEAST = (
    r"(?P<holiday>new years?['\u2019]?s?(?:{gap}(?:eve|day))?|(?:christmas|xmas)(?:{gap}(?:eve|day))?"
    r"|valentine['\u2019]?s{gap}day|boxing{gap}day|halloween|thanksgiving)\b"
).replace("{gap}", _GAP)
_FEAST_DAY = (
    r"(?P<holiday>new years?['\u2019]?s?{gap}(?:eve|day)|christmas{gap}(?:eve|day)|valentine['\u2019]?s{gap}day"
    r"|boxing{gap}day)\b"
).replace("{gap}", _GAP)
_WORDS = r"[0-9]{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_START = r"(?<![0-9a-z.,-])"
_N = rf"{_START}(?P<n>(?:a{_GAP})?(?:few|several|couple(?:{_GAP}of)?)|{_WORDS})"
_LEAST = rf"{_START}(?P<least>{_WORDS})"
_DAYS_IN_ORDER = "|".join(calendar.WEEKDAYS)
_UNIT = rf"(?P<unit>hour|day|week|fortnight|month|year|{_DAYS_IN_ORDER})"
_WEEKDAY = rf"(?P<weekday>{_DAYS_IN_ORDER})"
_CLOCK = rf"(?:[0-9]{{1,2}}(?:[:.][0-9]{{2}}|(?:{_GAP})?[ap]m)(?![0-9])|half{_GAP}|quarter{_GAP}|noon\b|midday\b)"
# "On Monday, 8 May" is one date, "on Friday nights" is no date, "on the Sunday before Easter" is read elsewhere.
_NOT_A_DATE = (
    rf"(?!,?{_GAP}(?:the{_GAP})?(?:(?!{_CLOCK})[0-9]|(?:{_MONTHS})\b|before\b|after\b"
    r"|(?:morning|afternoon|evening|night)s\b))"
)
_PART = r"(?P<part>morning|afternoon|evening|night)\b"
# "I earn 2000 a month", "cobro 2026 al mes": an amount of money or of things, whatever it looks like.
_IS_YEAR = regex(
    r"\b(?:in|since|from|until|till?|by|before|after|of|around|year|back in|seit|im jahr|bis|vor|nach|ab|en|depuis"
    r"|avant|après|de|desde|hasta|antes de|nel|dal|del|fino al|em|até|do|sinds|tot)\s\Z",
    re.IGNORECASE,
)
_PAID_BEFORE = regex(
    r"(?:\b(?:earn(?:s|ed|ing)?|pay(?:s|ing)?|paid|costs?|owes?|owed|charged?|borrowed|lent|worth"
    r"|gave (?:me|us)|offered(?: me| us)?"
    r"|verdiene?n?|kostet|kosten|koste"
    r"|paie|paye|payons|pay[ée]s?|gagne|touche|co[uû]te|dois"
    r"|pago|pagamos|pagué|pagamo|paghiamo|pagato|cobro|gano|gané|cuesta|debo|guadagno|costa|ganho|recebo|custa"
    r"|betaal|verdien|kost"
    r"|(?:rent|salary|wage|pay|loan|mortgage|price|bill|deposit|fee|miete|gehalt|lohn|preis|rente|loyer|salaire|prix"
    r"|sueldo|salario|alquiler|precio|renta|stipendio|affitto|prezzo|salário|ordenado|renda|aluguel|preço|huur|salaris)"
    r"(?: (?:is|now|at|of|ist|jetzt|beträgt|liegt bei|est|était|maintenant|es|era|ahora|è|ora|é|agora))+"
    r"|(?:went|goes|go|going|put) up to|down to|raised to)"
    r"(?: (?:me|us|about|around|only|just|over|nearly|roughly|almost|exactly|etwa|ungefähr|nur|rund|fast|environ|unos"
    r"|casi|circa|quase|net))*|[£$€])\s?\Z",
    re.IGNORECASE,
)
# What is done with a year, too: "we spent 2022 in Oslo", "I have 2027 planned"; an amount is for something.
_HAD_BEFORE = regex(
    r"\b(?:saved?|spent|spend|got|(?:i|we|they) (?:make|made)|i have|i(?:'ve)? need|we need|zahle?n?|bezahle?n?"
    r"|kriege?n?|bekomme?n?|spare?n?|(?:rent|salary|wage|pay|loan|mortgage|price|bill|deposit|fee) was"
    r"|(?:miete|gehalt|lohn|preis|rente) war)(?: (?:me|us|about|only|just|over|nearly|etwa|nur|rund|fast))*\s\Z",
    re.IGNORECASE,
)
_HAD_BEHIND = regex(
    r"\s*(?:[.;:!?)]|,(?!\s(?:(?:my|our|the) (?:\w+ )?year|mostly|mainly|partly|largely)\b)|\Z)|\s(?:(?:for"
    r"|from|but|before|now|then|left|saved|each|altogether|für|von|aber|und|and|on|of|already|last|this|next|yesterday|today|by|more"
    r"|in (?:total|the bank|savings|cash|debt|tips)|to (?:fix|pay|buy|get|spend|spare|live|cover|start|move))\b"
    r"(?!\s(?:crutches|tour|(?:\w+\s)?leave|(?:an?|the|our|his|her)\s(?:\w+\s)?(?:farm|island|coast|sea|road"
    r"|river|lake|ward|continent|beach)|my own|myself|ourselves|all|a while|to my|(?:19|20)\d\d)\b))",
    re.IGNORECASE,
)
_PAID_BEHIND = regex(
    r"\s(?:(?:a|per|each|pro|al|à la|à|im|par|por|ao|je)\s(?:month|year|week|day|monat|jahr|woche|mois|an|semaine|mes"
    r"|año|semana|mese|anno|mês|ano|maand|jaar)\b|(?:euros?|pounds?|quid|dollars|bucks|€|francs|netto|brutto|bruto|neto"
    r"|lordi|netti|in rent|(?:warm|kalt)?miete|gehalt|lohn|rente|de (?:loyer|salaire|c[oô]té|renta|alquiler|sueldo"
    r"|renda"
    r"|aluguel|salário)|di (?:affitto|stipendio)|(?:he|she|they) (?:gave|paid|offered) (?:me|us|him|her|for it)"
    r"|(?:hat|haben) (?:er|sie|ich|wir)(?: mir| uns)? (?:ge|be)?(?:zahlt|geben|kriegt|kommen|boten)"
    r"|(?:me|nos) (?:han|ha) (?:dado|pagado)|me (?:dieron|dio|pagan)|mi hanno dato|gekregen|betaald|followers"
    r"|subscribers|kalorien|schritte|pasos|passi)(?!\w))",
    re.IGNORECASE,
)
_BEFORE_YEAR, _BEHIND_YEAR = 60, 40  # characters


def read_bare_year(match: re.Match[str], now: datetime) -> calendar.Range | None:
    """Return the year that a number is; None for an amount."""
    before = match.string[max(0, match.start() - _BEFORE_YEAR) : match.start()]
    behind = match.string[match.end() : match.end() + _BEHIND_YEAR]
    is_paid = _PAID_BEFORE.search(before) or _PAID_BEHIND.match(behind)
    is_paid = is_paid or (_HAD_BEFORE.search(before) and _HAD_BEHIND.match(behind))
    if is_paid and not _IS_YEAR.search(before):
        return None
    return readers.read_year(match, now)


_COUNTED = "people|dollars|euros|calories|steps|miles|km|meters|metres|feet|words|points|times|percent|kg|hours"

# Behind a day without its month: no noun, as in "on the 14th floor", nor one behind another number, "the 1st and 3rd
# Friday".
BEHIND_DAY = (
    rf"(?:{_CLOCK}|(?:at|in|for|with|to|from|and|but|so|because|as|instead|now|then|too|if|when|where|which|after"
    r"|by|till?|until|around|i|we|he|she|they|it|its|my|our|his|her|their|the|there|this|that|please|or|not|is|was|will"
    r"|has)\b)"
)
_ORDINAL_DAY = (
    rf"(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)(?!,?{_GAP}(?:(?:no|and|or|not|to|sorry),?{_GAP})?(?:the{_GAP})?"
    rf"[0-9]{{1,2}}(?:st|nd|rd|th){_GAP}(?!{BEHIND_DAY}|of\b|{_MONTHS})[a-z])"
    rf"(?=[ \t\n]{{0,3}}(?:[.,;:!?)]|\Z)|{_GAP}{BEHIND_DAY})"
)
_SHORT_DATE = (
    r"(?P<a>[0-9]{1,2})/(?P<b>[0-9]{1,2})(?:/(?P<short_year>2[0-9]))?"
    rf"(?![0-9/%\"]|\.[0-9]|{_GAP}(?:inch|cup|miles?|odds|vision|of)\b)"
)

# What a text must have, one of these words or a digit ("0"), before a pattern is tried: most texts have none.
_DIGIT = frozenset("0")
_ORDINALS = frozenset(word for spelled in SPELLED_DAYS for word in spelled.split())
_MONTH_WORDS = frozenset(_MONTHS.lower().split("|"))
_SEASON_WORDS = frozenset(calendar.SEASONS)
_DAYS = frozenset(calendar.WEEKDAYS)
_FEASTS = frozenset({"new", "christmas", "xmas", "valentine", "valentines", "boxing", "halloween", "thanksgiving"})
_STEPS = frozenset(calendar.STEPS)
_AGO = frozenset({"ago", "back"})

# In order: text that one pattern has matched is hidden from the later ones, even if it gave no date.
PATTERNS: tuple[tuple[frozenset[str], str, Reader], ...] = (
    (
        _DIGIT,
        r"(?<![0-9./-])(?P<year>[12][0-9]{3})(?P<sep>[-/.])(?P<month>[0-9]{1,2})(?P=sep)"
        r"(?P<day>[0-9]{1,2})(?![0-9])",
        readers.read_day,
    ),
    (
        _DIGIT,
        rf"(?<![0-9./-])(?P<a>[0-9]{{1,2}})(?P<sep>[-/.])(?P<b>[0-9]{{1,2}})(?P=sep){_YEAR}",
        readers.read_numeric,
    ),
    (_DIGIT, r"(?<![0-9./-])(?P<year>[12][0-9]{3})-(?P<month>0[1-9]|1[0-2])(?![0-9-])", readers.read_month),
    (
        _DIGIT,
        rf"(?<![0-9a-z.,:/$-]){_DAY}{_GAP}(?:of{_GAP})?{_MONTH}(?:,?{_GAP}{_OF_YEAR})?",
        readers.read_day,
    ),
    (_DIGIT, rf"\b{_MONTH}{_GAP}(?:the{_GAP})?{_DAY}(?:,?{_GAP}{_OF_YEAR})?", readers.read_day),
    # "The first may come", "may first": verbs.
    (
        _ORDINALS,
        rf"\b{_SPELLED_DAY}{_GAP}(?:of{_GAP}|(?!may\b|march\b)){_MONTH}(?:,?{_GAP}{_OF_YEAR})?",
        readers.read_day,
    ),
    (
        _ORDINALS,
        rf"\b{_MONTH}{_GAP}(?:the{_GAP}|(?<!may )(?<!march )){_SPELLED_DAY}(?:,?{_GAP}{_OF_YEAR})?",
        readers.read_day,
    ),
    (
        _MONTH_WORDS,
        rf"\b(?P<in>from|between){_GAP}{_MONTH}{_GAP}(?:and|to|till?|until|through){_GAP}"
        rf"(?P<until_month>{_MONTHS})(?![a-z])\.?(?:,?{_GAP}{_OF_YEAR})?",
        readers.read_month,
    ),
    (
        _MONTH_WORDS,
        rf"\b{_MONTH}{_GAP}(?:and|or|to){_GAP}(?P<until_month>{_MONTHS})(?![a-z])\.?,?{_GAP}{_OF_YEAR}",
        readers.read_month,
    ),
    (_MONTH_WORDS, rf"\b{_MONTH},?{_GAP}{_OF_YEAR}", readers.read_month),
    (_MONTH_WORDS, rf"{_STEP}{_GAP}{_MONTH}", readers.read_month),
    (
        _STEPS,
        rf"\b(?:the{_GAP})?(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th){_GAP}of{_GAP}(?P<step>last|this|next){_GAP}month\b",
        readers.read_month_day,
    ),
    (
        _DAYS,
        rf"\b{_WEEKDAY}(?:{_GAP}(?:week|(?:at|in|with){_GAP}(?:an?{_GAP})?[a-z]{{2,15}}))?,?{_GAP}(?:the{_GAP})?"
        rf"{_ORDINAL_DAY}",
        readers.read_day_alone,
    ),
    (
        _DIGIT,
        rf"\b(?:(?P<moved>to|for)|on|by|until|till?|before|after|since|due|is|now"
        rf"|(?:week|day|month|time|date|one)s?{_GAP}(?:later|earlier|on)(?:{_GAP}now)?,?){_GAP}the{_GAP}{_ORDINAL_DAY}",
        readers.read_day_alone,
    ),
    (_DIGIT, rf"(?<=['\u2019]s )the{_GAP}{_ORDINAL_DAY}", readers.read_day_alone),
    (
        _DIGIT,
        rf"\b(?:{_WEEKDAY},?|on|by|until|till?|is|for|due){_GAP}(?:the{_GAP})?{_SHORT_DATE}",
        readers.read_short_numeric,
    ),
    (
        _DAYS,
        rf"(?:\b(?:on{_GAP})?{_WEEKDAY}{_GAP}(?:in{_GAP}a{_GAP})?week\b(?!{_GAP}(?:ago|before|after|later|[0-9]))"
        rf"|\ba{_GAP}week{_GAP}(?:on|from){_GAP}(?P<from>{_DAYS_IN_ORDER})\b)",
        readers.read_weekday_week,
    ),
    (_SEASON_WORDS, rf"\b{_SEASON},?{_GAP}{_OF_YEAR}", readers.read_season),
    (_SEASON_WORDS, rf"{_STEP}{_GAP}{_SEASON}", readers.read_season),
    (_SEASON_WORDS, rf"{_OVER}{_SEASON}", readers.read_season),
    (_FEASTS, rf"\b{_FEAST},?{_GAP}{_OF_YEAR}", readers.read_holiday),
    (_FEASTS, rf"{_STEP}{_GAP}{_FEAST}", readers.read_holiday),
    (
        _FEASTS,
        rf"\b(?:on|at|over|for|around|during|before|after|since|by|until|till?){_GAP}{_FEAST}",
        readers.read_holiday,
    ),
    (_FEASTS, rf"\b{_FEAST_DAY}", readers.read_holiday),
    (_DAYS, rf"\b{_WEEKDAY}{_GAP}(?:of{_GAP})?(?P<step>last|this|next){_GAP}week\b", readers.read_weekday),
    (_DAYS, rf"\b(?P<step>last|this|next){_GAP}week{_GAP}(?:on{_GAP})?{_WEEKDAY}\b", readers.read_weekday),
    (
        frozenset({"beginning", "start", "middle", "end"}),
        rf"\b(?:at|in|by|near|towards?|around|since|until|from){_GAP}the{_GAP}(?:very{_GAP})?"
        rf"(?P<third>beginning|start|middle|end){_GAP}of{_GAP}(?:the|(?P<step>this|last|next)){_GAP}"
        r"(?P<unit>week|month|year)\b",
        readers.read_third,
    ),
    (
        _STEPS,
        rf"\b(?:in|over|during|within){_GAP}the{_GAP}last{_GAP}(?P<unit>week|month|year)\b",
        readers.read_past,
    ),
    (
        frozenset({"earlier", "later"}),
        rf"\b(?P<part>earlier|later){_GAP}this{_GAP}(?P<unit>week|month|year)\b",
        readers.read_part_of_year,
    ),
    (
        _STEPS,
        rf"{_STEP}{_GAP}(?P<unit>week(?:end)?|month|year|{_DAYS_IN_ORDER})\b",
        readers.read_step,
    ),
    (
        frozenset({"weekend"}),
        rf"\b(?:(?:over|at|on|during){_GAP}the{_GAP}weekend|(?<=how was )(?:the|my|our){_GAP}weekend)\b",
        readers.read_weekend,
    ),
    (_STEPS, rf"\b(?:last|past|previous){_GAP}{_N}{_GAP}(?P<unit>day|week|month|year)s?\b", readers.read_past),
    (_AGO, rf"\bhalf{_GAP}a{_GAP}year{_GAP}(?:ago|back)\b", readers.read_half_a_year),
    (
        _AGO,
        rf"{_LEAST}(?:{_GAP}(?:or|to){_GAP}| ?[-\u2013] ?)(?P<n>{_WORDS}){_GAP}{_UNIT}s?{_GAP}(?:ago|back)\b",
        readers.read_ago,
    ),
    (_AGO, rf"{_LEAST}{_GAP}{_UNIT}{_GAP}or{_GAP}(?P<n>two){_GAP}(?:ago|back)\b", readers.read_ago),
    (_AGO, rf"{_N}{_GAP}{_UNIT}s?{_GAP}(?:ago|back)\b", readers.read_ago),
    (_STEPS | {"yesterday"}, rf"\b(?P<step>this|yesterday|last){_GAP}{_PART}", readers.read_day_part),
    (frozenset({"tonight"}), r"\btonight\b", readers.read_day_part),
    (
        frozenset({"yesterday", "today", "tomorrow"}),
        rf"\b(?:the{_GAP}day{_GAP}(?:before{_GAP}yesterday|after{_GAP}tomorrow)|yesterday|today|tomorrow)\b",
        readers.read_day_word,
    ),
    (
        _STEPS,
        rf"\bthe{_GAP}(?P<unit>night|day|week(?:end)?|month|year){_GAP}before{_GAP}last\b(?!{_GAP}[a-z0-9])",
        readers.read_before_last,
    ),
    (
        _DAYS,
        rf"\b(?:on|since|until|till?|by|before|after){_GAP}{_WEEKDAY}\b(?:{_GAP}{_PART})?{_NOT_A_DATE}",
        readers.read_weekday,
    ),
    (_DAYS, rf"(?<!every )(?<!each )\b{_WEEKDAY}{_GAP}{_PART}", readers.read_weekday),
    (
        _DAYS,
        rf"\b(?:to|for){_GAP}{_WEEKDAY}\b{_NOT_A_DATE}(?!{_GAP}(?-i:[A-Z])|,?{_GAP}(?:(?:and"
        rf"|or){_GAP})?(?:{_DAYS_IN_ORDER}))",
        readers.read_moved_weekday,
    ),
    (
        _DAYS,
        rf"(?<!every )(?<!each )\b{_WEEKDAY}(?={_GAP}(?:{_CLOCK}|at{_GAP}(?:[0-9]|{_CLOCK})))",
        readers.read_weekday,
    ),
    (_DAYS, rf"(?<=[a-z] ){_WEEKDAY}(?=[ \t\n]{{0,3}}(?:[?.!]|, {AHEAD}|\Z))", readers.read_last_weekday),
    (_MONTH_WORDS, rf"\b(?:{_IN}[ \t\n-]{{1,3}})?{_MONTH}", readers.read_month),
    (
        _DIGIT,
        r"(?<![0-9a-z.,:/$€£#_-])(?P<year>(?:19|20)[0-9]{2})(?:(?P<decade>s)|[-\u2013](?P<until>(?:19|20)"
        rf"[0-9]{{2}}))?(?![0-9a-z:%/_年]|[.,-][0-9]|{_GAP}(?:{_COUNTED})\b)",
        read_bare_year,
    ),
)
# Words before a date that move away from it: "two weeks before 8 May", "the Sunday after Christmas".
MOVED = rf"(?:\bthe|{_N}){_GAP}(?P<unit>day|week(?:end)?|month|year|{_DAYS_IN_ORDER})s?{_GAP}" + (
    rf"(?P<way>before|after){_GAP}(?:the{_GAP})?\Z"
)
