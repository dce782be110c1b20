"""What lies ahead: the questions that ask for it, and the lines that answer them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from memoryos_core.rules.dates import Span, day_in_words
from memoryos_core.rules.dates.calendar import MONTH_NAMES
from memoryos_core.rules.knowledge.entries import Line, brief
from memoryos_core.rules.knowledge.times import next_time
from memoryos_core.rules.text.words import regex
from memoryos_core.values.facts import Fact

__all__ = ["agenda", "asks_for_plans"]

_LINES_SHOWN = 20

_PLANS = r"(?:plans?|appointments?|meetings?|events?|dates?|commitments|bookings?)"
_WHEN = (
    r"(?: (?:(?:on|at|for|in|over|this|next|the|coming|following|later|rest of|few) ){0,4}(?:today|tonight|tomorrow"
    r"|week|weekend|month|year|days|weeks|(?:mon|tues|wednes|thurs|fri|satur|sun)day|morning|afternoon|evening|"
    rf"(?:{'|'.join(MONTH_NAMES)})))"
)
_PLANNED = r"(?:coming up|planned|scheduled|booked(?: in)?|lined up|ahead(?: of me)?|going on|on)"
_LATER = (
    r"(?:nächste[nrsm]?|kommende[nrsm]?|diese[nrsm]?|am|an|heute|morgen|übermorgen|demnächst|bald|als nächstes|in|den"
    r"|tagen|wochen?|wochenende|monat|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)"
)
_ASKS_FOR_PLANS = regex(
    rf"\bwhat (?:else )?(?:have i got|do i have|have we got|do we have|i've got|i have)(?: {_PLANNED}|{_WHEN}){{1,2}}"
    r"[\s?.!]*$"
    rf"|\b(?:what's|what is|whats|anything|is there anything|have i got anything|do i have anything)(?: {_PLANNED})"
    rf"(?: for (?:me|us))?{_WHEN}?[\s?.!]*$"
    r"|\b(?:in|on) (?:my|our) (?:diary|calendar|schedule|agenda)\b"
    rf"|\bwhat (?:am i|are we) (?:doing|up to){_WHEN}|\b(?:am i|are we) (?:free|busy){_WHEN}"
    rf"|\bwhat are (?:my|our) (?:\w+ )?{_PLANS}\b|\b(?:my|our) (?:next|upcoming|coming) {_PLANS}\b"
    rf"|\b(?:which|what|any) (?:\w+ )?{_PLANS} (?:have i|do i have|have we|do we have|coming up)\b"
    rf"|\b(?:do i have|have i got) any {_PLANS}\b"
    rf"|\bwas (?:steht|habe ich|ist)(?: (?:bei mir|{_LATER})){{0,4}} (?:an|vor|geplant|los)[\s?.!]*$"
    rf"|\b(?:welche|habe ich|meine)(?: (?:anstehenden|{_LATER})){{0,4}} (?:termine|pläne)\b"
    r"|\bqu[ée] (?:tengo|hay|tenemos)(?: (?:planeado|programado|pendiente|previsto|para|el|la|los|este|esta|hoy|mañana"
    r"|próxim[oa]s?|semana|mes|días|fin|de|que|viene|lunes|martes|miércoles|jueves|viernes|sábado|domingo)){1,8}[\s?.!]*$"
    r"|\bqu[ée] (?:citas|planes|compromisos) (?:tengo|hay)\b|\b(?:mis próximas citas|en mi agenda)\b"
    r"|\bqu'est-ce que j'ai (?:de )?(?:prévu|demain|cette semaine|la semaine prochaine|ce week-end)"
    r"|\bquels? (?:sont mes|est mon) (?:\w+ )?(?:rendez-vous|projets)\b|\bmes prochains rendez-vous\b"
    r"|\b(?:cosa|che cosa) ho (?:in programma|domani|questa settimana|la (?:prossima settimana|settimana prossima))"
    r"|\bo que (?:eu )?tenho (?:marcado|planejado|amanhã|esta semana|na (?:próxima semana|semana que vem))"
    r"|\bwat (?:heb ik|staat er) (?:\w+ ){0,3}(?:gepland|op de agenda|op de planning)"
    r"|我(?:今天|明天|这周|下周|這週|下週|周末|这个月|下个月|接下来|最近)?有(?:什么|什麼|哪些)(?:安排|计划|計劃|活动|預約|预约|日程)"
    r"|(?:今日|明日|今週|来週|週末|今月|来月|今後|これから)の予定",
    re.IGNORECASE,
)


def asks_for_plans(question: str) -> bool:
    """Return whether a question asks what lies ahead: "What have I got coming up?", in nine languages."""
    return _ASKS_FOR_PLANS.search(question) is not None


def agenda(facts: Iterable[Fact], now: datetime, asked: Sequence[Span]) -> list[Line]:
    """Return lines about what lies ahead, soonest first: of the `asked` times where there is any, else of all."""
    coming = ((when, f) for f in facts if f.status == "current" and (when := next_time(f, now)) is not None)
    ahead = sorted(coming, key=lambda plan: (plan[0], plan[1].seq))
    within = [(when, f) for when, f in ahead if any(span.start <= when < span.end for span in asked)]
    return [Line(f"{day_in_words(when)}: {brief(f.text)}", (f,)) for when, f in (within or ahead)[:_LINES_SHOWN]]
