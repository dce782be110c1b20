"""Dates in German, French, Spanish, Portuguese, Italian and Dutch, told in English words or in digits.

What counts from the present becomes a day in digits here, since English has one reader for each of its own forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from memoryos_core.rules.dates import calendar, chinese_japanese
from memoryos_core.rules.dates.calendar import MONTH_NAMES
from memoryos_core.rules.text.words import regex


@dataclass(frozen=True, slots=True)
class _Language:
    """The words of dates in one language. `months` and `weekdays` are in order, and alternatives stand with a "|".

    `days`: the day before yesterday, yesterday, today, tomorrow, the day after. `units`: day, week, month, year.
    `coming` and `last` stand before or behind what they tell of. `ahead` and `ago` hold a number and a unit. `habit`
    stands before a weekday that is no day. `done` tells that the sentence is about the past. `alone` stands in front of
    a weekday that is named with nothing else: in Portuguese "segunda" is "second", too. `many` is a noun in the plural.
    """

    months: str
    weekdays: str
    days: tuple[str, str, str, str, str]
    units: tuple[str, str, str, str]
    numbers: str
    coming: str
    last: str
    this: str
    ahead: str
    ago: str
    habit: str
    done: str
    alone: str = ""
    many: str = r"\w+[sx]"


_LANGUAGES: dict[str, _Language] = {
    "de": _Language(
        "januar|jänner|jan\\. februar|feb\\. märz april|apr\\. mai juni juli august|aug\\. september|sept\\. "
        "oktober|okt\\. november|nov\\. dezember|dez\\.",
        "montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
        ("vorgestern", "gestern", "heute", r"(?<!heute )(?<!jeden )(?<!am )(?<!guten )morgen(?! früh)", "übermorgen"),
        ("tage?n?", "wochen?", "monate?n?", "jahre?n?"),
        "eine?[mnr]? zwei drei vier fünf sechs sieben acht neun zehn",
        r"(?:nächste|kommende)[nrsm]?", r"letzte[nrsm]?|vergangene[nrsm]?", r"diese[nrsm]?",
        "in {}", "vor {}", r"jede[nr]|immer",
        r"war(?:en)?|hatten?|wurden?|ging(?:en)?|kam(?:en)?|(?:habe?n?|hat|bin|ist|sind)\b.{0,80}\b"
        r"(?!verabredet|vereinbart|reserviert|gebucht|geplant|eingeladen|bestellt|bekommen)(?:\w{0,8}ge(?!gen\b"
         r"|nug\b|burtstag)\w{2,16}(?:t|en)|(?:be|ver|er|ent)\w{2,14}(?:t|en))",
        many=r"(?-i:[A-ZÄÖÜ])\w+",
    ),
    "fr": _Language(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        ("avant-hier", "hier", "aujourd'hui", "demain", "après-demain"),
        ("jours?", "semaines?", "mois", "ans?|années?"),
        "une? deux trois quatre cinq six sept huit neuf dix",
        r"prochaine?|qui vient", r"derni(?:er|ère)|passée?", r"ce(?:tte|t)?",
        "dans {}", "il y a {}", r"tous les|chaque|le(?=\s\w+\s(?:matin|soir)s)",
        r"étai[st]|avai[st]|étaient|(?:ai|as|a|avons|ont|suis|est|sommes|sont)\s(?:\w+\s){0,2}?(?!prévu|réservé|pris"
         r"|\w+di\b|qui\b|aussi\b"
        r"|ici\b|midi\b|un?\b)\w{1,14}(?:é|ée|és|ées|i|u|it)",
    ),
    "es": _Language(
        "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre",
        "lunes martes miércoles|miercoles jueves viernes sábado|sabado domingo",
        ("anteayer|antier", "ayer", "hoy", "(?<!la )(?<!de )(?<!por la )mañana", "pasado mañana"),
        ("días?", "semanas?", "mes(?:es)?", "años?"),
        "una?|un dos tres cuatro cinco seis siete ocho nueve diez",
        r"próxim[oa]|que viene|que entra", r"pasad[oa]|últim[oa]", r"est[ea]",
        "dentro de {}", "hace {}", r"los|cada|todos\slos",
        r"fui|fue|fuimos|estuv\w+|tuv\w+|era|había|(?:he|ha|hemos|han)\s\w{2,14}(?:ado|ido|cho|sto|rto)|(?!café"
         r"|bebé|qué\b)(?!aquí|ahí|así|allí)\w{2,14}(?:[^r\W]é|í|aron|ieron)",
    ),
    "pt": _Language(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "segunda(?:-feira)? terça(?:-feira)? quarta(?:-feira)? quinta(?:-feira)? sexta(?:-feira)? sábado domingo",
        ("anteontem", "ontem", "hoje", "(?<!de )amanhã", "depois de amanhã"),
        ("dias?", "semanas?", "m[êe]s(?:es)?", "anos?"),
        "uma?|um duas|dois três quatro cinco seis sete oito nove dez",
        r"próxim[oa]|que\svem", r"passad[oa]|últim[oa]", r"est[ea]",
        r"(?:daqui\sa|dentro\sde) {}", "há {}(?: atrás)?|{} atrás", r"toda|todas\sas|todo",
        r"foi|fui|fomos|estava|esteve|tinha|era|\w{2,14}(?:aram|eram|iram)",
        alone=r"(?=\w+-feira|sábado|domingo|\w+\s(?:às|à\stard|à\snoit|de\smanh))",
    ),
    "it": _Language(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "lunedì|lunedi martedì|martedi mercoledì|mercoledi giovedì|giovedi venerdì|venerdi sabato domenica",
        ("l'altro ieri|altroieri", "ieri", "oggi", "domani", "dopodomani"),
        ("giorn[oi]", "settiman[ae]", "mes[ei]", "ann[oi]"),
        "un[oa]?|un' due tre quattro cinque sei sette otto nove dieci",
        r"prossim[oa]|che\sviene", r"scors[oa]|passat[oa]", r"quest[oa]",
        "(?:tra|fra) {}", "{} fa", r"ogni|tutti\si|il(?=\s\w+\smattina\b)",
        r"ero|era|erano|avevo|aveva|(?:ho|ha|abbiamo|hanno|sono|è|siamo)\s(?:\w+\s){0,2}?(?!sabato|prenotat"
         r"|fissat)\w{1,14}(?:at[oaie]|ut[oaie]|it[oaie]|isto|tto|eso)",
        many=r"(?!(?:vi|conv|contien|t)ene\b|parte\b|(?:nasc|esc)e\b)\w+[ie]",
    ),
    "nl": _Language(
        "januari februari maart april mei juni juli augustus september oktober november december",
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        ("eergisteren", "gisteren", "vandaag", "(?<!elke )(?<!van )morgen", "overmorgen"),
        ("dag(?:en)?", "we[ek]k?(?:en)?", "maand(?:en)?", "ja[ar]{1,2}(?:en)?"),
        "een twee drie vier vijf zes zeven acht negen tien",
        r"volgende?|komende|aanstaande", r"vorige?|afgelopen", r"deze|dit",
        "over {}", "{} geleden", r"elke|iedere",
        r"was|waren|had(?:den)?|ging(?:en)?|(?:heb|heeft|hebben|ben|is|zijn)\b.{0,80}\bge\w{2,16}(?:d|t|en)",
        many=r"\w+(?:s|en)",
    ),
}  # fmt: skip
_OUTER_FIRST = (0, 4, 1, 2, 3)  # "pasado mañana" holds "mañana"
_DAYS = ("the day before yesterday", "yesterday", "today", "tomorrow", "the day after tomorrow")
_UNITS = ("day", "week", "month", "year")
_WORDS = dict(enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1))


def _at_ends(days: tuple[str, ...]) -> Iterator[str]:
    return (days[place] for place in _OUTER_FIRST)


def _list(text: str, values: tuple[str, ...]) -> dict[str, str]:
    """Return the value of each word of a list, in order."""
    return {word: value for words, value in zip(text.split(), values, strict=True) for word in words.split("|")}


def _any(words: dict[str, str]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


def _find(words: Mapping[str, str], said: str) -> str:
    """Return what a word stands for, whatever case of its letters was found: "FREİTAG", "Auguſt"."""
    for word, value in words.items():
        if re.fullmatch(word, said, re.IGNORECASE):
            return value
    raise LookupError


def _replace(pattern: re.Pattern[str], reading: Callable[[re.Match[str]], str], text: str) -> str:
    """Replace what is found by what it reads as; a word that no list holds stays as it was said."""

    def put_in_english(found: re.Match[str]) -> str:
        try:
            return reading(found)
        except LookupError:
            return found[0]

    return pattern.sub(put_in_english, text)


_NO_HOUR = (
    r"(?![.,:/-]?\d|\s?(?:uhr|uur|h|heures?|horas?|ore|euros?|€|%|gäste|leute|person[aeè]\w*|kinder|ami[cegs]\w*|invit\w+"
    r"|ospiti|convid\w+|gasten|vrienden|mensen|niñ[oa]s|enfants|bambini|crianças)(?!\w))"
)
# A day without its month, and what may stand behind it: "am 29. um 9:30", "tengo entrevista el 29".
_DAY_ALONE = regex(
    rf"(?<!\w)(?:am\s(?P<n>[0-3]?\d)\.(?![\d])(?!\s(?-i:[A-ZÄÖÜ]))|(?:le|el|il|(?:no\s)?d[ií]a)\s(?P<m>[0-3]?\d){_NO_HOUR}"
    r"(?:(?=\s(?:à\s\d|a\slas?\s|alle\s|às\s|j'ai|on\sa\s|c'est|tengo|hay\s|ho\s|abbiamo|c'è|tenho))(?P<told>)"
    r"|(?=\s*(?:[,;!)\"]|\.?$)|\s(?:es\s|é\s|même|stess|mism|y\s|et\s|e\s|pour|para|per))))",
    re.IGNORECASE,
)
_IN = regex(r"(?<!\w)(?:im|in|en|em|ad?|nel|i)\s\Z", re.IGNORECASE)


# Behind the number of a day, and no noun in the plural: "samedi 27 nous partons", "zaterdag 27 een feest".
_BEHIND_DAY = (
    r"dans|chez|sans|vers|depuis|après|[nv]ous|[mtsnvlcd]es|mis|[nv]os|[dl][ao]s|às|[ao]s|un[oa]s|nuestr[oa]s|suis"
    r"|vais|fais|dois|pars|mais|pas|plus|puis|antes|entonces|\w+[aei]mos|(?:d?[ae]|ne|su)lle|[dn]?e?i|[dns]?ai|gli|e|[lcsmt][ei]|vi"
    r"|che|come|anche|insieme|\w+iamo|vorrei|dovrei|poi|miei|tuoi|tutti|een|en|is|was|als|samen|dus|thuis|moeten|gaan|willen"
    r"|hebben|komen|mijn|in|on"
)


class _Reader:
    """The patterns of one language, and what they stand for."""

    def __init__(self, language: _Language) -> None:
        self._months = _list(language.months, MONTH_NAMES)
        self._weekdays = _list(language.weekdays, tuple(calendar.WEEKDAYS))
        self._units = dict(zip(language.units, _UNITS, strict=True))
        self._numbers = _list(language.numbers, tuple(map(str, _WORDS)))
        number, unit = rf"(?P<n>\d{{1,3}}|{_any(self._numbers)})", rf"(?P<unit>{'|'.join(language.units)})"
        amount, day = rf"{number}\s{unit}", _any(self._weekdays)
        step = rf"(?P<coming>{language.coming})|(?P<last>{language.last})|(?P<this>{language.this})"
        behind = rf"(?P<coming>{language.coming})|(?P<last>{language.last})"
        self._date = self._compile(
            rf"(?:(\d{{1,2}})(?:\.|er|º|°|o)?\s(?:de\s)?)?(?<!\w)({_any(self._months)})(?!\w)"
            r"(?:\s(?:de\s|del\s)?(\d{4})(?!\d))?"
        )
        self._range = regex(
            rf"(?<!\w)(?:{_any(self._months)})(?:\s(?:de\s)?\d{{4}})?\s(?:a|ad|al|até|hasta)\s\Z", re.IGNORECASE
        )
        self._digits = regex(r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?![\d./-])")
        self._dotted = regex(
            r"(?:(?<![\d.])(?=\d\d?\.\d\d?\.(?!\d))|(?:(?<=\b[dl]e )|(?<=\b[aei]l )|(?<=\bdu )|(?<=\bdia )|(?<=\bdía ))"
            r"(?=\d\d?/\d\d?(?![\d/.]))(?!\d/\d\s(?:du|d[aeo]s?|dell?\w*)\b(?!\s\d)))(\d{1,2})[./](\d{1,2})\.?"
        )
        self._ahead = self._amounts(language.ahead, amount)
        self._ago = self._amounts(language.ago, amount)
        self._steps = [
            self._compile(rf"(?:{step})\s(?P<week>{language.units[1]})\s(?:am\s|op\s)?(?P<day>{day})"),
            self._compile(rf"(?:{step})\s(?:(?P<day>{day})|(?P<unit>{'|'.join(language.units)}))"),
            self._compile(rf"(?:(?P<day>{day})|(?P<unit>{'|'.join(language.units)}))\s(?:{behind})"),
        ]
        self._weekday = self._compile(rf"(?:(?P<habit>{language.habit})\s)?{language.alone}(?P<day>{day})")
        self._numbered = self._compile(
            rf"(?P<day>{day}),?\s(?P<the>de[nmr]\s|le\s|el\s|il\s|día\s|dia\s|o\s)?(?P<n>\d{{1,2}})(?:\.|º)?{_NO_HOUR}"
            rf"(?(the)|(?:(?<=[.º])|(?!\s(?:km|kg|min)(?!\w))(?P<many>(?=\s(?!(?:{_BEHIND_DAY})(?!\w)){language.many}(?!\w)))?))"
        )
        self._days = [
            (self._compile(word), english)
            for word, english in zip(_at_ends(language.days), _at_ends(_DAYS), strict=True)
        ]
        self._done = self._compile(language.done)
        units = "|".join(language.units)
        self._since = self._compile(  # not "seit Wochen am 8. November"
            rf"(?:seit|sinds|depuis|desde)\s(?:(?!{units})\w{{1,9}}\s){{0,2}}?(?:\d{{1,4}}|{_any(self._months)}|{day})"
            r"(?!.{1,40}\s(?:hasta|até)\s)"
        )

    @staticmethod
    def _compile(text: str) -> re.Pattern[str]:
        return regex(rf"(?<!\w)(?:{text})(?!\w)", re.IGNORECASE)

    def _amounts(self, templates: str, amount: str) -> list[re.Pattern[str]]:
        if templates.startswith("("):  # the alternatives are of the words before
            return [self._compile(templates.replace("{}", amount).replace(" ", r"\s"))]
        return [self._compile(one.replace("{}", amount).replace(" ", r"\s")) for one in templates.split("|")]

    def is_done(self, text: str) -> bool:
        """Return whether a sentence tells of the past."""
        return self._done.search(text) is not None or self.tells_beginning(text)

    def tells_beginning(self, text: str) -> bool:
        """Return whether a sentence says since when something has been so."""
        return self._since.search(text) is not None

    def translate(self, text: str, now: datetime, *, ahead: bool) -> str:
        """Return the text with its dates in English words and in digits."""
        out = self._digits.sub(lambda found: f"{found[4]}-{int(found[3]):02}-{int(found[1]):02}", text)
        out = self._dotted.sub(_dotted_date, out)
        for pattern in self._ahead:
            out = _replace(pattern, partial(self._day_ahead, now), out)
        for pattern in self._ago:
            out = _replace(pattern, self._amount_ago, out)
        for word, english in self._days:
            out = word.sub(english, out)
        for pattern in self._steps:
            out = _replace(pattern, partial(self._step, now), out)
        dated = _replace(self._date, self._month, out)
        if dated == out:  # "Freitag, der 12. Juni" is one date
            dated = _replace(self._numbered, partial(self._day_alone, now, ahead=ahead), out)
        if dated == out:
            dated = _replace(self._weekday, partial(self._near, now, ahead=ahead), out)
        return _replace(_DAY_ALONE, partial(self._day_alone, now), dated) if ahead and dated == out else dated

    def _day_alone(self, now: datetime, found: re.Match[str], *, ahead: bool = True) -> str:
        """Return the next or the last day of a month with a number, and on a weekday if there is one: "samedi 27"."""
        named = found.groupdict()
        weekday = calendar.WEEKDAYS[_find(self._weekdays, named["day"])] if named.get("day") else None
        day = calendar.find_day(now, int(named["n"] or named["m"]), weekday, ahead=ahead)
        is_count = named.get("many") is not None and abs(day - now) > timedelta(days=31)  # "lunes 22 exámenes"
        if is_count or (weekday is None and named["told"] is None and calendar.is_of_no_day(found)):
            raise LookupError
        return _in_digits(day)

    def _month(self, found: re.Match[str]) -> str:
        day, month, year = found.groups()
        # "April" may be a name, and "May" a verb, unless "in" stands before it; "de enero a marzo" is one time.
        before = found.string[max(0, found.start() - _BEFORE) : found.start()]
        is_bare = day is None and year is None and _IN.search(before) and not self._range.search(before)
        return " ".join(filter(None, ("in" if is_bare else "", day, _find(self._months, month), year)))

    def _amount(self, found: re.Match[str]) -> int:
        said = found["n"]
        return int(said) if said.isdecimal() else int(_find(self._numbers, said))

    def _amount_ago(self, found: re.Match[str]) -> str:
        return f"{self._amount(found)} {_find(self._units, found['unit'])}s ago"

    def _day_ahead(self, now: datetime, found: re.Match[str]) -> str:
        return _in_digits(calendar.count_on(now, _find(self._units, found["unit"]), self._amount(found)))

    def _step(self, now: datetime, found: re.Match[str]) -> str:
        groups = found.groupdict()
        step = 1 if groups["coming"] else -1 if groups["last"] else 0
        if groups["day"] is None:
            return f"{('last', 'this', 'next')[step + 1]} {_find(self._units, groups['unit'])}"
        number = calendar.WEEKDAYS[_find(self._weekdays, groups["day"])]
        if groups.get("week"):
            return _in_digits(calendar.units(now, "week", step)[0] + timedelta(days=number))
        return _in_digits(calendar.weekday(now, number, step)[0])

    def _near(self, now: datetime, found: re.Match[str], *, ahead: bool) -> str:
        if found["habit"]:
            return found[0]
        number = calendar.WEEKDAYS[_find(self._weekdays, found["day"])]
        return _in_digits(calendar.weekday(now, number, 1 if ahead else -1)[0])


LANGUAGES = tuple(_LANGUAGES)
_READERS = {code: _Reader(language) for code, language in _LANGUAGES.items()}
_BEFORE = 40  # characters


def _dotted_date(found: re.Match[str]) -> str:
    day, month = int(found[1]), int(found[2])
    return f"{day} {MONTH_NAMES[month - 1]}" if 1 <= month <= len(MONTH_NAMES) else found[0]


def _in_digits(day: datetime) -> str:
    return f"{day:%Y-%m-%d}"


def in_english(text: str, language: str, now: datetime, *, ahead: bool) -> str:
    """Return a statement with the dates of its language as the readers of English dates know them.

    Chinese and Japanese have readers of their own; only what lies so many days ahead becomes a day in digits. `ahead`:
    a weekday is the coming one.
    """
    if language in ("zh", "ja"):
        return chinese_japanese.with_days_ahead(text, now)
    reader = _READERS.get(language)
    return text if reader is None else reader.translate(text, now, ahead=ahead)


def tells_beginning(text: str, language: str) -> bool:
    """Return whether a statement in another language says since when something has been so."""
    reader = _READERS.get(language)
    return reader is not None and reader.tells_beginning(text)


def tells_past(text: str, language: str) -> bool:
    """Return whether a statement in another language tells of something that is over."""
    if calendar.tells_effect(text):
        return False
    if language in ("zh", "ja"):
        return chinese_japanese.tells_done(text)
    reader = _READERS.get(language)
    return reader is not None and reader.is_done(text)


_ALL_MONTHS = {
    **{name.lower(): number for number, name in enumerate(MONTH_NAMES, 1)},
    **{
        word.lower(): number
        for language in _LANGUAGES.values()
        for number, listed in enumerate(language.months.split(), 1)
        for word in listed.split("|")
    },
    **{f"{short}\\.?": number for short, number in calendar.MONTHS.items()},
    "sept\\.?": 9,
}
_ALL_WEEKDAYS = {
    **calendar.WEEKDAYS,
    **{
        word.lower(): number
        for language in _LANGUAGES.values()
        for number, listed in enumerate(language.weekdays.split())
        for word in listed.split("|")
    },
}
MONTH_WORDS, WEEKDAY_WORDS = (
    "|".join(sorted(words, key=lambda word: (-len(word), word))) for words in (_ALL_MONTHS, _ALL_WEEKDAYS)
)
"""Patterns of the names of months and weekdays in English and in these languages."""


def month_of(word: str) -> int:
    """Return the number of a month by its name in any of these languages."""
    return _number_of(_ALL_MONTHS, word)


def weekday_of(word: str) -> int:
    """Return the number of a weekday by its name in any of these languages, Monday being 0."""
    return _number_of(_ALL_WEEKDAYS, word)


def _number_of(named: Mapping[str, int], word: str) -> int:
    return next(number for name, number in named.items() if re.fullmatch(name, word, re.IGNORECASE))
