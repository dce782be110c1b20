"""The statements of one slot, current and former: whether they are worth a line of a prompt, and what asks for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache

from memoryos_core.rules.dates import Span, are_near, day_in_words
from memoryos_core.rules.dates.calendar import MONTH_NAMES
from memoryos_core.rules.knowledge.asides import only_fills_gap
from memoryos_core.rules.knowledge.beginnings import began, begins
from memoryos_core.rules.knowledge.cancellations import calls_off
from memoryos_core.rules.knowledge.clauses import UNRESOLVED, USER
from memoryos_core.rules.knowledge.news import word_bag
from memoryos_core.rules.knowledge.other_languages import ASKING
from memoryos_core.rules.knowledge.pets import without_unnamed
from memoryos_core.rules.knowledge.relations import role_of
from memoryos_core.rules.knowledge.slots import Slot, label_of
from memoryos_core.rules.knowledge.times import is_behind, next_time
from memoryos_core.rules.text.words import regex, terms, with_marks
from memoryos_core.values.facts import Fact, Profile, ProfileField

FOOD, AVOIDS = "food", "avoids"
FIRST = ("name", "home")
# What describes a person beside the fields of the profile, in this order.
_DESCRIBED_TEXT = """called age origin occupation employer school studies relationship diet allergy condition
    medication pet vehicle language hobby avoids"""
DESCRIBED = tuple(_DESCRIBED_TEXT.split())
# Who is next to a person: told among the fields, by name. Of a partner there is one at a time.
PARTNERS = ("husband", "wife", "partner", "girlfriend", "boyfriend", "fiancé", "fiancée", "fiance", "fiancee")
NEXT_TO_A_PERSON = (*PARTNERS, "son", "daughter", "child", "birthday")
_FIELDS = frozenset((*FIRST, *DESCRIBED, "phone", "email", "wedding", "birthday", "deadline"))
_CALLED = word_bag("has called named")  # they tell nothing beside a name
_EVENTS = frozenset(("wedding", "deadline"))
OF_A_PERSON = _FIELDS - _EVENTS | {FOOD, "favourite", "likes", "dislikes"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line about what is known: its facts, the current one first, and the current values of its slot."""

    text: str
    facts: tuple[Fact, ...]
    score: float = 0.0
    values: tuple[str, ...] = ()


@dataclass(slots=True)
class Topic:
    """The statements of one slot, or of one line of replaced statements."""

    slot: Slot | None
    current: list[Fact] = field(default_factory=list[Fact])
    former: list[Fact] = field(default_factory=list[Fact])
    terms: set[str] = field(default_factory=set[str])
    cues: set[str] = field(default_factory=set[str])
    """The words of questions that ask for the values which the statements replaced, or that the values matter for."""
    domains: set[str] = field(default_factory=set[str])
    """The parts of life that the current statements are about: a question about one asks for what changed there."""
    is_avoided: bool = False
    """True where a current statement denies a value: what somebody does not eat."""
    line: Line | None = None  # made when it is first asked for
    is_role: bool = field(init=False)
    """True where the values are names of those who have a role: who the user's sister is."""

    def __post_init__(self) -> None:
        slot = self.slot
        self.is_role = slot is not None and slot.subject == USER and role_of(slot.attribute) is not None


_LONGEST_VALUE = 120


def brief(text: str) -> str:
    """Return a text for a line, cut at a word where it is long."""
    said = " ".join(text.split()).rstrip(".")
    return said if len(said) <= _LONGEST_VALUE else f"{said[:_LONGEST_VALUE].rsplit(' ', 1)[0]}…"


Slots = Callable[[Fact], tuple[Slot, ...]]


def mark_of(fact: Fact, by_id: Mapping[str, Fact], heir: Fact, slots_in: Slots) -> tuple[str, bool]:
    """Return what stands after a quotation of what is over: "(until 10 June 2025; now: Porto)", and whether it turned.

    It turned where what ended it gives no other value of the same slot.
    """
    slots = {(s.subject, s.attribute) for s in slots_in(fact)}
    ended_by = by_id.get(fact.superseded_by or "", heir)
    until = fact.valid_until or heir.valid_from
    filled = [s.value for s in slots_in(ended_by) if (s.subject, s.attribute) in slots]
    starts = [began(ended_by, value) or begins(ended_by, value) for value in filled]
    day = next((start[1] for start in starts if start is not None and start[0] > fact.valid_from), day_in_words(until))
    over = f"until {day}" if until > fact.valid_from else "replaced by a correction"
    if heir.status != "current":
        return f"({over})", False
    values = [s.value for s in slots_in(heir) if (s.subject, s.attribute) in slots and not s.negated]
    then = "then" if any(begins(heir, value) for value in values) else "now"
    return f"({over}; {then}: {brief(', '.join(values) or heir.text)})", not values


def name_ended(mark: str, slots: Collection[Slot], said: str) -> str:
    """Return a mark that begins with what ended, by the slots that the statement filled: "(occupation until …)"."""
    names = (_name_of(slot, said) for slot in slots if not slot.negated and slot.subject != UNRESOLVED)
    named = ", ".join(dict.fromkeys(names))
    return f"({brief(named)} {mark[1:]}" if named else mark


def _name_of(slot: Slot, said: str) -> str:
    """Return the name of a slot within a sentence, with the value where it may have several."""
    label = slot.attribute if slot.subject in ("", USER) else label_of(slot, said)
    return f"{label} {slot.value}" if slot.many else label


def sentence_of(fact: Fact, said: Sequence[str]) -> str:
    """Return the sentence that shares most of its words with the fact; a fact may tell it in the third person."""
    stated = word_bag(fact.text)
    return max(said, key=lambda s: len(stated & word_bag(s)) / (1 + len(stated | word_bag(s))), default="")


def told_beside(other: Fact, fact: Fact, said: str) -> bool:
    """Return whether a message has words of another fact that one does not have."""
    own = word_bag(other.text) - word_bag(fact.text) - _CALLED
    return bool(own) and 2 * len(own & word_bag(said)) >= len(own)


def with_newer_fields(lines: Iterable[Line], profile: Profile) -> list[Line]:
    """Return the lines, with the value of the profile where that was told later than theirs and shares no word."""
    field_of = {field.name: field for field in profile.fields}
    out: list[Line] = []
    for line in lines:
        label = line.text.partition(":")[0]
        newer = field_of.get(label.casefold())
        if newer is not None and line.values and line.facts[0].valid_from < newer.since:
            said = frozenset(terms(newer.value))
            if said and all(said.isdisjoint(terms(value)) for value in line.values):
                told = f"since {day_in_words(newer.since)}; before: {', '.join(line.values)}"
                line = replace(line, text=f"{label}: {brief(newer.value)} ({told})", values=(brief(newer.value),))
        out.append(line)
    return out


def state_fields(known: Profile, facts: Iterable[Fact], slots_in: Slots) -> tuple[ProfileField, ...]:
    """Return what facts say of a person beside the fields of the known profile: home, diet, allergies, a pet."""
    names = (*FIRST, *DESCRIBED, *NEXT_TO_A_PERSON)
    stated: dict[str, dict[str, Fact]] = {name: {} for name in names if known.get(name) is None}
    for fact in sorted((f for f in facts if f.status == "current"), key=lambda f: (f.valid_from, f.seq)):
        for slot in slots_in(fact):
            name = AVOIDS if slot.negated and slot.attribute == FOOD else slot.attribute
            if slot.subject == USER and name in stated and (name == AVOIDS or not slot.negated):
                values = stated[name]
                if not slot.many or name in PARTNERS:
                    values.clear()
                values.setdefault(brief(slot.value), fact)
    return tuple(
        ProfileField(
            name,
            ", ".join(without_unnamed({value: fact.id for value, fact in values.items()})),
            max(f.valid_from for f in values.values()),
            _sources(values.values()),
        )
        for name, values in stated.items()
        if values
    )


def _sources(facts: Iterable[Fact]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(page_id for fact in facts for page_id in fact.page_ids))


def amend_field(field: ProfileField, facts: Iterable[Fact], slots_in: Slots) -> ProfileField | None:
    """Return a field of the profile as the facts have it, with its new value or not at all where it was replaced."""
    stated = [(f, s) for f in facts for s in slots_in(f) if (s.subject, s.attribute) == (USER, field.name)]
    held = [(f, s) for f, s in stated if f.status == "current" and not s.negated]
    if any(word_bag(s.value) == word_bag(field.value) for _, s in held):
        return field
    later = [(f, s) for f, s in held if f.valid_from > field.since and not only_fills_gap(f.text)]
    if later:
        fact, slot = max(later, key=lambda pair: (pair[0].valid_from, pair[0].seq))
        return ProfileField(field.name, slot.value, fact.valid_from, fact.page_ids)
    over = (s for f, s in stated if f.status in ("superseded", "retired"))
    return None if any(word_bag(s.value) == word_bag(field.value) for s in over) else field


def hold_announced(profile: Profile, facts: Sequence[Fact], slots_in: Slots, now: datetime) -> Profile:
    """Return the profile with what still holds in place of what is only announced: the old job until the new begins."""
    fields = {field.name: field for field in profile.fields}
    told = [f for f in facts if f.status == "current"] if fields else []
    gone = {(s.attribute, s.value.lower()) for f in told for s in slots_in(f) if s.subject == USER and s.negated}
    for fact in told:
        for slot in slots_in(fact) if fact.event_time is not None else ():
            field = fields.get(slot.attribute) if slot.subject == USER and not slot.negated else None
            start = begins(fact, slot.value) if field is not None and field.value == slot.value else None
            if field is None or start is None or start[0] <= now:
                continue
            fields = {name: f for name, f in fields.items() if name != "age" or slot.attribute != "age"}  # not yet
            for old in (f for f in facts if f.superseded_by == fact.id or _ended_meanwhile(f, fact)):
                held = [s.value for s in slots_in(old) if (s.subject, s.attribute) == (USER, slot.attribute)]
                if held and (slot.attribute, held[0].lower()) in gone:
                    fields.pop(slot.attribute, None)  # over before the next begins
                elif held:
                    fields[slot.attribute] = ProfileField(field.name, held[0], old.valid_from, old.page_ids)
    return replace(profile, fields=tuple(fields.values()))


def _ended_meanwhile(old: Fact, announced: Fact) -> bool:
    """Return whether an older fact ended at the news of what is announced, or since."""
    until = old.valid_until if old.status == "superseded" else None
    return until is not None and old.valid_from <= announced.valid_from <= until


def place_in_portrait(slot: Slot | None) -> int:
    """Return where a line stands in a portrait: what describes the user first, then what others changed."""
    places = (*FIRST, *DESCRIBED)
    if slot is None or slot.subject != USER:
        return len(places) + 1
    is_filed = slot.attribute.endswith((" number", " reference"))  # it describes nobody
    return places.index(slot.attribute) if slot.attribute in places else len(places) + 2 * is_filed


def is_worth_a_line(topic: Topic) -> bool:
    """Return whether a line tells more than the page that says it: a change, or a field of a person."""
    if topic.former or topic.slot is None:
        return bool(topic.former)
    name = topic.slot.attribute
    is_told = name.startswith(("favourite ", "late ")) or name.endswith((" number", " reference"))
    return is_told or name in _FIELDS or topic.is_role or (name == FOOD and topic.is_avoided)


def is_over(topic: Topic, now: datetime) -> bool:
    """Return whether a topic is of an event that has passed."""
    return topic.slot is not None and topic.slot.attribute in _EVENTS and all(is_behind(f, now) for f in topic.current)


_CJK = regex("[\u3040-\u30ff\u3400-\u9fff]")


def _terms_of(listed: str) -> frozenset[str]:
    """Return the index terms of a list; of a Chinese or Japanese word only the whole, since a letter is in many."""
    found: set[str] = set()
    for word in listed.split():
        found.update((word,) if _CJK.search(word) else terms(word))
    return frozenset(found)


# The words of a question that ask for an attribute without naming it.
_MEALS = "eat food dinner lunch breakfast cook meal recipe restaurant menu dish snack bake picnic"
_CUES = {
    "home": "live home house city town country address flat apartment move neighbourhood based",
    "occupation": "work job profession career employer occupation",
    "employer": "work job company employer",
    "studies": "study degree university course major",
    "name": "name call",
    "called": "name call",
    "age": "old age birthday born",
    "diet": f"{_MEALS} diet vegetarian vegan",
    "allergy": f"{_MEALS} allergy allergic ingredient",
    "condition": "health condition illness diagnosis disease diagnosed",
    "medication": "medication medicine pill tablet dose prescription",
    "dish": f"{_MEALS} favourite",
    "food": f"{_MEALS} favourite",
    "relationship": "married single partner spouse husband wife girlfriend boyfriend date relationship",
    "pet": "pet cat dog animal",
    "brother": "sibling",
    "sister": "sibling",
    "daughter": "child children kid kids",
    "son": "child children kid kids",
    "manager": "manager boss supervisor report",
    "boss": "manager boss supervisor report",
    "doctor": "doctor gp physician",
    "gp": "doctor gp physician",
    "landlord": "landlord rent",
    "vehicle": "car vehicle drive van bike motorbike",
}
CUED_TERMS = frozenset(terms(" ".join(_CUES.values())))


@lru_cache(maxsize=4096)
def cues_of(attribute: str) -> frozenset[str]:
    """Return the terms of questions that ask for an attribute without its name."""
    named = (attribute, *attribute.split())
    elsewhere = (_terms_of(ASKING[name]) for name in named if name in ASKING)
    return frozenset(terms(" ".join(said for name, said in _CUES.items() if name in named))).union(*elsewhere)


# Whoever the speaker names as theirs: "ma sœur", "meine Schwester", "我妹妹".
_THEIRS = regex(
    r"\b(?:mein(?:e[mnrs]?)?\s(?:\w+\s)?(?:schwester|bruders?|mutter|vaters?|mama|papa|tochter|sohn(?:es)?|frau"
    r"|mann(?:es)?"
    r"|freund(?:in|es)?|oma|opa|tante|onkels?|cousine?|kolleg(?:e|in)|chef(?:in)?|eltern|kinder)"
    r"|m(?:a|on|es)\s(?:s(?:œ|oe)ur|frère|mère|père|fille|fils|femme|mari|amie?s?|tante|oncle|collègue|parents|enfants)"
    r"|mis?\s(?:herman[oa]s?|madre|padre|hij[oa]s?|mujer|marido|espos[oa]|amig[oa]s?|tí[oa]|jef[ea]|abuel[oa])"
    r"|mi[oa]\s(?:sorella|fratello|madre|padre|figli[oa]|moglie|marito|amic[oa]|zi[oa]|nonn[oa]|capo)"
    r"|(?:minha|meu)\s(?:irmã|irmão|mãe|pai|filh[oa]|mulher|marido|espos[oa]|amig[oa]|ti[oa]|avó|avô|chefe))\b"
    r"|我的?(?:妹妹?|姐姐?|哥哥?|弟弟?|妈妈?|爸爸?|母亲|父亲|儿子|女儿|老婆|老公|妻子|丈夫|朋友|同事|男友|女友)|(?:妹|姉|兄|弟|母|父|息子|娘|妻|夫|友達|同僚)(?:は|が|の)",
    re.IGNORECASE,
)


def names_theirs(said: str) -> bool:
    """Return whether words of another language than English name somebody whom the speaker calls theirs."""
    return _THEIRS.search(said) is not None


_WHO = regex(
    r"\bwho(?:'s|\u2019s)?\b|\bnames?\b|\bcalled\b|\b(?:do|have) (?:i|we) (?:have|got)\b|\b(?:i|we) have (?:an?|any)\b"
    r"|\bhei(?:ß|ss)t\b|\bs'appelle|\bllama\b|\bchiama\b|\bchama\b|\bwer ist\b|\bqui est\b|\bqui[ée]n es\b|\bchi è"
    r"|\bquem é",
    re.IGNORECASE,
)


def asks_about_holder(topic: Topic, question: str) -> bool:
    """Return whether a topic only tells who has a role, and a question asks something else: where the cousin lives."""
    return topic.is_role and not topic.former and _WHO.search(question) is None


# ------------------------------------------------------------------------------------------------ what lies ahead

_LINES_SHOWN = 20

_PLANS = r"(?:plans?|appointments?|meetings?|events?|dates?|commitments|bookings?)"
_WHEN = (
    r"(?: (?:(?:on|at|for|in|over|this|next|the|coming|following|later|rest of|few|couple of|two|three"
    r"|four|five|six|ten|\d{1,2}) ){0,4}(?:today|tonight|tomorrow|week|weekend|month|year"
    r"|days|weeks|months|fortnight|(?:mon|tues|wednes|thurs|fri|satur|sun)day|morning|afternoon|evening|"
    rf"(?:{'|'.join(MONTH_NAMES)}))(?: (?:and|or) (?:the )?next(?: week| month| one)?)?)"
)
_PLANNED = (
    r"(?:coming up|planned|scheduled|booked(?: in)?|lined up|ahead(?: of me)?|going on|on"
    r"|to (?:remember|attend|be at|go to))"
)
_LATER = (
    r"(?:nächste[nrsm]?|kommende[nrsm]?|diese[nrsm]?|am|an|heute|morgen|übermorgen|demnächst|bald|als nächstes|in|den"
    r"|zwei|drei|vier|paar|bei mir|so|alles"
    r"|tagen|wochen?|wochenende|monat|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)"
)
ASKS_FOR_PLANS = with_marks(
    "i got|i have|we got|we have|i've got|what's|what is|whats|anything|diary|calendar|schedule|agenda|am i|are we"
    "|are my|are our|next|coming|have i|have we|any |steht|habe ich|was ist|mein|termine|tengo| hay|tenemos|j'ai"
    "|hab ich|ho in| ho|tenho|são|mi aspetta"
    "|sont mes|est mon|mes prochains|cosa ho|tenho|heb ik|staat er",
    rf"\bwhat (?:else )?(?:have i got|do i have|have we got|do we have|i've got|i have)(?: {_PLANNED}|{_WHEN}){{1,2}}"
    r"[\s?.!]*$"
    rf"|\b(?:what's|what is|whats|anything|is there anything|have i got anything|do i have anything)(?: {_PLANNED})"
    rf"(?: for (?:me|us))?{_WHEN}?[\s?.!]*$"
    r"|\b(?:in|on) (?:my|our) (?:diary|calendar|schedule|agenda)\b"
    rf"|\bwhat (?:am i|are we) (?:doing|up to){_WHEN}|\b(?:am i|are we) (?:free|busy){_WHEN}"
    rf"|\bwhat are (?:my|our) (?:\w+ )?{_PLANS}\b|\b(?:my|our) (?:own )?(?:next|upcoming|coming) {_PLANS}\b"
    rf"|\b(?:what's|what is|anything|is there anything) happening{_WHEN}[\s?.!]*$|^\W*any {_PLANS}{_WHEN}[\s?.!]*$"
    rf"|\b(?:which|what|any) (?:\w+ )?{_PLANS} (?:have i|do i have|have we|do we have|coming up)\b"
    rf"|\b(?:do i have|have i got) any {_PLANS}\b"
    r"|(?<!\w)meine?n? nächste[rn]? (?:\w*termin|treffen|verabredung)\b"
    rf"|\bwas (?:steht|habe? ich|ist)(?: (?:bei mir|{_LATER})){{0,7}} (?:an|vor|geplant|los)[\s?.!]*$"
    rf"|\b(?:welche|habe? ich|meine)(?: (?:anstehenden|{_LATER})){{0,4}} (?:termine|pläne)\b"
    r"|\bqu[ée] (?:tengo|hay|tenemos)(?: (?:planeado|programado|pendiente|previsto|para|el|la|los|las|este|esta|hoy"
    r"|mañana"
    r"|próxim[oa]s?|dos|tres|cuatro|en|semanas?|mes(?:es)?|días|fin|de|que|viene|lunes|martes|miércoles|jueves|viernes"
    r"|sábado"
    r"|domingo)){1,8}[\s?.!]*$"
    r"|\bqu[ée] (?:citas|planes|compromisos) (?:tengo|hay)\b|\b(?:mis próximas citas|en mi agenda)\b"
    r"|\bqu'est-ce que j'ai (?:de )?(?:prévu|demain|cette semaine|la semaine prochaine|ce week-end)"
    r"|\bj'ai quoi (?:de |en )?(?:prévu|demain|cette semaine|la semaine prochaine|ce week-end|ce mois|dans les)"
    r"|\b(?:cosa|che cosa|che) ho in (?:agenda|calendario)\b|\b(?:quali|che) (?:appuntamenti|impegni) ho\b"
    r"|\b(?:cosa|che cosa) (?:mi aspetta|ho) (?:nell[ae] prossim[ae]|la prossima|questo|domani|nei prossimi)"
    r"|\bo que (?:eu )?tenho (?:nas|nos|na|no|para) (?:próxim[oa]s?|duas|esta|semana|fim)"
    r"|\b(?:que|quais) (?:consultas|compromissos|planos) (?:tenho|são)\b"
    r"|\bquels? (?:sont mes|est mon) (?:\w+ )?(?:rendez-vous|projets)\b|\bmes prochains rendez-vous\b"
    r"|\b(?:cosa|che cosa) ho (?:in programma|domani|questa settimana|la (?:prossima settimana|settimana prossima))"
    r"|\bo que (?:eu )?tenho (?:marcado|planejado|amanhã|esta semana|na (?:próxima semana|semana que vem))"
    r"|\bwat (?:heb ik|staat er) (?:\w+ ){0,3}(?:gepland|op de agenda|op de planning)"
    r"|我(?:今天|明天|这周|下周|這週|下週|周末|这个月|下个月|接下来|最近)?有(?:什么|什麼|哪些)(?:安排|计划|計劃|活动|預約|预约|日程)"
    r"|(?:今日|明日|今週|来週|週末|今月|来月|今後|これから)の予定",
)
"""What asks for all that lies ahead: "What have I got coming up?", in nine languages."""


def agenda(facts: Iterable[Fact], now: datetime, asked: Sequence[Span]) -> list[Line]:
    """Return lines about what lies ahead, soonest first, each once: of the `asked` times if there is any, or all."""
    current = [fact for fact in facts if fact.status == "current"]
    off = [fact for fact in current if calls_off(fact.text)]

    def coming(since: datetime) -> list[tuple[datetime, Fact]]:
        times = ((when, fact) for fact in current if (when := next_time(fact, since, off)) is not None)
        return sorted(times, key=lambda one: (one[0], one[1].seq))

    within = [one for span in asked for one in coming(max(now, span.start)) if one[0] < span.end]
    ahead = {(when, fact.id): fact for when, fact in within or ([] if are_near(asked, now) else coming(now))}
    return [Line(f"{day_in_words(when)}: {brief(f.text)}", (f,)) for (when, _), f in [*ahead.items()][:_LINES_SHOWN]]
