"""Tell apart what only looks like a statement of the speaker: others' words, tales, stays, pets that are gone."""

from __future__ import annotations

import re

from memoryos_core.rules.text.words import regex

# Who says it is in front: "meine Mutter sagt, ich bin Lehrer", "mi hermano dice que soy médico".
_OTHERS_WORDS = regex(
    r"\b(?:sagt(?:en?)?|meint(?:en?)?|behauptet(?:en?)?|schreibt|schrieb(?:en)?|glaubt(?:en?)?|denkt|dachten?|findet"
    r"|erzählt(?:en?)?|heißt (?:der|die|das|es)|ruft|rief"
    r"|dit|disent|disait|écrit|pense(?!\s?-je)|croit|croient|raconte|prétend|trouve que"
    r"|dicen?|dij(?:o|eron)|decía|escrib(?:e|ió)|piensan?|creen?|cuenta"
    r"|dicono|diceva|dissero?|scriv(?:e|ono)|pensano?|cred(?:e|ono)|racconta"
    r"|di(?:z|zem|zia)|disseram|escreve[um]?|acham?|conta que)\b[^.!?]{0,40}$",
    re.IGNORECASE,
)
# A tale, a game or a ranking is meant: "ich bin Pilot in dem Spiel".
_IN_A_TALE = regex(
    r"\b(?:in|im|dans|en|nel|nella|no|na|num|numa|beim?|au|del|de)\s(?:\w{1,6}\s)?(?:rollenspiel|spiel|roman|film"
    r"|theaterstück|buch|geschichte|traum|ranking|jeu|pièce|histoire|rêve|classement|juego|novela|película|obra|sueño"
    r"|gioco|romanzo|storia|sogno|classifica|jogo|romance|filme|livro|peça|sonho|livre|libro)\b",
    re.IGNORECASE,
)
# A stay, no home: "im Sommer wohne ich in Italien", "j'habite à l'hôtel".
_FOR_A_TIME = regex(
    r"\b(?:im (?:sommer|winter|herbst|frühling|frühjahr|urlaub|hotel)|(?:nächste|kommende|diese)[nrsm]? \w+|morgen"
    r"|übermorgen|am wochenende|unter der woche|wochentags|bald|vorübergehend|bei freunden"
    r"|en (?:été|hiver|automne|vacances)|au printemps|(?:la|le) \w+ prochaine?|demain|le week-end|en semaine"
    r"|bientôt|temporairement|à l'hôtel|chez des amis"
    r"|en (?:verano|invierno|otoño|primavera)|(?:la|el) (?:próxim[oa] \w+|\w+ que viene)|mañana"
    r"|los fines de semana|entre semana|pronto|un hotel"
    r"|(?:in|d'|d'in)\s?(?:estate|inverno|autunno|primavera|vacanza|albergo|hotel)|(?:la|il) (?:prossim[oa] \w+"
    r"|\w+ prossim[oa])|domani|nel fine settimana"
    r"|no (?:verão|inverno|outono)|na primavera|(?:na|no) (?:próxim[oa] \w+|\w+ que vem)|amanhã"
    r"|nos fins de semana|airbnb)(?!\w)",
    re.IGNORECASE,
)
_GONE = (
    r"\b(?:gestorben|verstorben|tot|weggelaufen|entlaufen|eingeschläfert|überfahren|verkauft|verschenkt|abgegeben|starb"
    r"|(?:lebt|wohnt) (?:jetzt |nun )?bei|mort[eoa]?|décédée?|enfuie?|disparue?|perdue?|vendue?"
    r"|murió|muert[oa]|ha muerto|falleció|se escapó|se perdió|desapareció|vendimos|vendí"
    r"|scappat[oa]|scompars[oa]|morreu|faleceu|fugiu|desapareceu|sumiu)\b"
)
_IS_GONE = regex(_GONE, re.IGNORECASE)
_IS_GONE_ITSELF = regex(rf"\s(?:[^\s,.;]+\s){{0,3}}?{_GONE}", re.IGNORECASE)


def tells_of_self(part: str, attribute: str, start: int, end: int) -> bool:
    """Return whether what a part of a sentence tells at a place holds of its speaker now."""
    if _OTHERS_WORDS.search(part[:start]) or _IN_A_TALE.search(part):
        return False
    if attribute == "home":
        return _FOR_A_TIME.search(part) is None
    return attribute != "pet" or _IS_GONE.search(part) is None or is_gone(part[end:])


def is_gone(behind: str) -> bool:
    """Return whether what stands behind the name of a pet says that it died or ran away."""
    return _IS_GONE_ITSELF.match(behind) is not None
