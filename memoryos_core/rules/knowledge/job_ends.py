"""Ends of a job that are told without the firm: "ich hab gekündigt", "me han despedido"."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

__all__ = ["ANY_JOB", "ends_another_thing", "ends_own_job"]

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
