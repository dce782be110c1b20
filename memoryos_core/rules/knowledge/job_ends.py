"""Ends of a job that are told without the firm: "ich hab gekündigt", "me han despedido"."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

__all__ = ["ANY_JOB", "FIRST_DAY", "ends_another_thing", "ends_own_job"]

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
_DENIED = regex(r"\b(?:nicht|nie|kein\w*|no|nunca|jamás|non|mai|não|ne|n'\w*|pas|jamais|niet)\b", re.IGNORECASE)
_ELSE = regex(
    r"\s*(?:worden|lassen)?\s*(?:[.,;:!?(…]|$|(?:und|aber|weil|et|mais|car|parce|y|pero|porque|e|ma|perché|mas)\b)",
    re.IGNORECASE,
)
_WORD = regex(r"[^\W\d_]+")
_IDLE_TEXT = """
    ich habe hab bin wurde worden und aber leider gestern heute vorgestern übrigens also puh oh ja nun jetzt nämlich
    endlich tatsächlich gerade eben auch schon hey hallo hi
    j je ai été on m a me suis fait hier et mais malheureusement enfin finalement bon ben maintenant aujourd hui
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
    if end is None or _DENIED.search(sentence, 0, end.start()):
        return False
    before, behind = sentence[: end.start()], sentence[end.end() :]
    if _WORK.search(before) is None and not _IDLE.issuperset(_WORD.findall(before.lower())):
        return False
    return _ELSE.match(behind) is not None or _WORK.search(behind[:40]) is not None


def ends_another_thing(before: str, sentence: str) -> bool:
    """Return whether a sentence may tell the end of what the one before it speaks of: "Netflix ist teuer."."""
    end = ANY_JOB.search(sentence)
    if end is None or _OF_MORE_THAN_JOBS.fullmatch(end[0]) is None or _WORD.search(sentence, end.end()):
        return False
    return " " in before and _WORK.search(before) is None and ends_own_job(sentence)


# Not the first day at a school.
FIRST_DAY = regex(
    r"\b(?:[Mm]y|[Tt]he user's) first (?:day|week|shift)(?: of work)? at (?:the )?"
    r"(?P<value>(?!(?:[\w'-]+ )*(?:School|College|University|Uni|Academy)\b)[A-ZÀ-Þ][\w&.'-]*(?: [A-Z&][\w&.'-]*){0,3})"
)
