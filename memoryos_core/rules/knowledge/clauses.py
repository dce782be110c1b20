"""Split a statement into clauses, each with the person it is about and whether it holds now."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from memoryos_core.rules.knowledge.domains import domains_of
from memoryos_core.rules.knowledge.patterns import opens_phrase
from memoryos_core.rules.knowledge.phrases import KIN, normalise
from memoryos_core.rules.text.words import at_start, fold_case, regex

USER = "user"
UNRESOLVED = "?"
"""The subject of a clause about a "he" or a thing whose name is not known."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a statement with one verb.

    `subject` is "user", a name, a relation such as "sister", "?" for an unresolved "he", or "" for a thing. `kin` is
    the relation that the text names beside the name. `rest` is what stands behind the subject.
    """

    text: str
    subject: str
    rest: str
    kin: str = ""
    possessive: bool = False
    holds: bool = True
    future: bool = False


_KIN_OTHER = (
    r"(?i:(?:schwieger|stief|groß|halb|belle-|beau-|grand-|petite-|petit-|demi-)?(?:schwester|bruder|mutter|vater"
    r"|tante|onkel|freundin|freund|tochter|sohn|mann|frau|kollegin|kollege|cousine|cousin|oma|opa"
    r"|sœur|soeur|frère|mère|père|oncle|amie|ami|fille|fils|mari|femme|collègue)"
    r"|hermana|hermano|madre|padre|tía|tío|amiga|amigo|hija|hijo|marido|esposa|esposo|prima|primo|colega|novia|novio"
    r"|abuela|abuelo|suegra|suegro|cuñada|cuñado|nuera|yerno)"
)
_NAME = r"[A-ZÀ-Þ](?:[\w-]|'(?!s\b))*\w(?: [A-ZÀ-Þ](?:[\w-]|'(?!s\b))*\w){0,2}"
_TITLE = at_start(r"^(?:mr|mrs|ms|miss|dr|prof|herr|frau|sir|señora?|madame|monsieur)\.? ", re.IGNORECASE)
_MY = (
    r"(?:[Mm]y|[Oo]ur|[Tt]he [Uu]ser's|[Tt]he(?= (?:kids|children|twins)\b)|[Mm]eine?|[Uu]nsere?|[Mm]on|[Mm]a|[Mm]es"
    r"|[Nn]otre|[Mm]i|[Nn]uestr[oa])"
)
_ME = (
    r"(?:[Tt]he [Uu]ser|(?:[Tt]he )?(?:two|both) of us"
    r"|I|[Ww]e|[Ii]ch|[Ww]ir|[Jj]e|[Nn]ous|[Yy]o|[Nn]osotr[oa]s)(?!['’]s)"
)
_SUBJECT = regex(
    # The letters that begin any of them: what begins with another one is told at once.
    r"\b(?=[A-ZÀ-Þbehijmnostuwyé])(?:"
    rf"(?P<us>\b(?:{_NAME}|[Hh]e|[Ss]he) & I\b)"
    rf"|\b(?P<my>{_MY}) (?:\w+ ){{0,1}}?(?P<kin>{KIN}|{_KIN_OTHER})(?![\w-])(?! (?:is|are) (?:now )?[A-Z])(?:,?"
    rf" (?P<kin_name>{_NAME}))?(?P<kin_has>'s?)?,?|\b(?P<me>{_ME})\b"
    r"|\b(?P<own>(?:[Mm]y|[Oo]ur|[Tt]he [Uu]ser's|[Mm]eine?|[Uu]nsere?|[Mm]on|[Mm]a|[Mm]es|[Nn]otre|[Mm]i"
    r"|[Nn]uestr[oa]))\b|(?P<j>\b[Jj]')"
    r"|\b(?P<he>[Hh]e|[Ss]he|[Hh]is|[Hh]ers?|[Tt]heirs|[Ee]r|[Ii]l|[Ee]lle|[Éé]l|[Ee]lla)\b"
    rf"|(?P<name>\b(?!(?:Now|Then|Also|Today|Yesterday|Recently|Currently|Finally|So|But|And)\b){_NAME})(?P<name_has>'s?(?=\s))?"
    r")"
)
_KIN_OF_USER = regex(
    rf"(?:\w+ )??(?P<kin>{KIN}|{_KIN_OTHER})(?![\w-])(?! (?:is|are) (?:now )?[A-Z])(?:,? (?P<kin_name>{_NAME}))?"
    r"(?P<kin_has>'s?)?,?"
)
# Words that begin a sentence with a capital letter and name nobody.
_OPENERS_TEXT = """
    the a an this that these those it they there here in on at by for from to of with without as after before since
    until while when where if because although though and but or so then now yes no not never always please sorry wait
    actually well also just only still every each all some any many most more two three four five someone somebody
    everyone nobody what who which how why my our your his her their its last next today tomorrow yesterday recently
    currently finally maybe perhaps correction oops hi hello hey okay ok thanks great good first second third another
    new having being using update monday tuesday wednesday thursday friday saturday sunday january february march april
    may june july august september october november december der die das ein eine und aber ab seit jetzt heute nun le la
    les un une et mais depuis maintenant aujourd el los las y pero ahora desde hoy ya antes früher perdón perdon pardon
    désolé entschuldigung nein non guess me no am um im dial call note remember use uses likes prefers wants works lives
    has previously formerly switched decided evaluating somebody anyone instead let let's make keep stop don't
    do i'm i've sold bought finished started quit left stopped got ditched dropped swapped traded gave moved cancelled
    canceled scrapped forget picked signed passed stepped renamed booked never sadly unfortunately luckily thankfully
    honestly basically obviously apparently hopefully lately usually normally originally eventually personally
    generally sometimes often anyway besides plus
    vivo trabajo como tengo soy estoy bin arbeite wohne you your nach bei mit auf für à en au aux chez con por para
"""
_OPENERS = frozenset(_OPENERS_TEXT.split())
_FRAME = regex(
    r"^(?P<who>[^:\"“«„]{1,60}?) (?:said|says|wrote|mentioned|told [^:\"“«„]{1,30})(?:[^:\"“«„]{0,80}): ?"
    r"[\"“«„](?P<said>.+)[\"”»“]\.?$",
    re.DOTALL,
)
_TOGETHER = regex(r"\b([A-ZÀ-Þ][\w'-]+|[Hh]e|[Ss]he) and I\b")
_DROPPED = regex(
    r"(?:(?:ahora|ya no|hoy|también) )?(?:vivo|vivimos|trabajo|trabajamos|tengo|tenemos|soy|somos|estoy|me (?:llamo"
    r"|he|mud\w+|cas\w+)"
    r"|nos (?:hemos|mud\w+)|como|bebo|fumo|uso|hablo|juego|prefiero)\b",
    re.IGNORECASE,
)
_THEY = regex(
    r"(?:now |then |since [\w ]{1,20}? |for [\w ]{1,20}? )?[Tt]hey (?=(?:are|have|live|work|eat|use|drive|take|play"
    r"|study|go|do|prefer)\b)"
)
_QUOTED = regex(r"[\"“«„][^\"”»“«„]{1,400}[\"”»“]")
_BREAK = regex(
    r"(?<=[.!?;:])(?<!\b[A-Z]\.)(?<!\b[DMSJ][rst]\.)(?<!\bMrs\.)\s+(?![a-z])|(?<=[;:])\s+|\n|\s+[-–—]\s+|,? but |,?"
    r" aber |,? mais |,? pero |,? so (?=(?:the|my|our|their) [\w-]+ (?:is|are) )"
    r"|, (?=(?:living|renting|sharing|working|studying|staying) (?!room\b)[^,.;]*\b(?:now|currently|at the moment)\b)"
    r"|, or (?=(?:he|she|they) (?:did|was|were)\b)"
    r"|, (?=(?:used to|started|joined|bought|moved(?! (?:on|in|at|last|here|this) )|switched|doing an?"
    r"|(?:adopted|rescued) (?:an?|the|another)|got an? [\w-]+ (?:called|named))\b)|,"
    r" (?:and|so|und|et) |, (?:y )?(?!(?:I|we|they) (?:just |only )?moved (?:here )?(?:on|in|at|last) )"
    r"(?=(?:(?:now|then) )?(?:I|we|he|she|they|it|there|my|our"
    r"|the user's [\w-]+ (?:is|has|does|did|can|will|got)|ich|wir|je|nous|il|elle)\b|j')"
    r"| and (?=(?:I|we|my|our|is|are|am|have|has|live|lives|work|works|moved|drive|drives|eat|eats|use|uses"
    r"|now|yesterday|today)\b)"
    r"| and (?=(?:their|his|her) (?:[\w-]+ ){1,2}(?:is|are|has|have|was|were|got|lives?|works?)\b)"
    r"| and (?=[A-ZÀ-Þ][\w'-]+ (?:is|are) (?:now )?(?:my|our|the user's) )"
)
_UNREAL_TEXT = (
    r"\b(?:IF|would|could|might|maybe|perhaps|possibly|wish(?:es)?|unless|suppose|imagine|hop(?:e|es|ed|ing)"
    r" (?:to|that|they)"
    r"|want(?:s|ed)? to|dream(?:s|ing)? (?:of|about)|dream(?:t|ed) \w|so \w+(?: user)? dreamt|think(?:s|ing)?"
    r" (?:of|about)|consider(?:s|ed|ing)?"
    r"|in (?:\w+|the user's) (?:dream|nightmare)s?(?=[,.!]|$| (?:the user|i|we|they)\b)"
    r"|(?:jok(?:es|ed)|lied|pretend(?:s|ed|ing)?) (?:that|about|to|i|we|the user)"
    r"|^in (?:the|an?|my|this) (?:novel|film|movie|story|series|musical|(?:video|computer) game)"
    r"(?=,| (?:the user|i|we)\b)|(?:nobody|no one|never) (?:said|says|told)"
    r"|geträumt|träumte|wäre|hätte|beinahe|presque|failli|rêvé|soñé|casi"
    r"|should|almost|nearly|fell through|pretend|wonder(?:s|ing)?|thought about|debating|evaluating|as if|tempted"
    r"|wenn|falls|vielleicht|würde|könnte|möchte|peut-être|voudrais|aimerais|quizás|tal vez|quisiera|gustaría)\b"
)
_UNREAL = fold_case(_UNREAL_TEXT.replace("IF", "(?-i:[Ii]f)"), _UNREAL_TEXT.replace("IF", "if"))
_PAST = fold_case(
    r"\b(?:used to|formerly|previously|back (?:in|when)|years ago|months ago|decades ago|as a (?:child|kid|teenager"
    r"|boy|girl)"
    r"|in (?:my|his|her) (?:teens|twenties|thirties|forties|childhood|youth)|when (?:i|we|he|she|they|the user) "
    r"(?:was|were|lived|worked|had|studied)|before (?:i|we) moved|once (?:lived|worked|had|was|drove|owned)|grew up"
    r"|growing up"
    r"|(?:my|his|her) (?:first(?! (?:day|week|month|year|shift|lesson))|old|former|previous)|früher|damals|ehemals"
    r"|autrefois|à l'époque|antes)\b",
)
# "In the house we bought back in '84" tells when a thing was got, not that somebody lived in it once.
_OF_A_THING = regex(
    r"(?<=\bthe )(?:same )?[\w-]+ (?:that )?(?:I|we|they|he|she) (?:bought|built|rented|inherited|got|found) [^,;]*$"
)
_FUTURE = regex(
    r"\b(?:will|going to|gonna|plan(?:s|ning)? (?:to|on)|about to|intend(?:s)? to|(?:am|is|are) moving|next (?:year"
    r"|month|week)"
    r"|werde|wird|vais|va|voy a|va a)\b",
    re.IGNORECASE,
)
_INTERJECTION = at_start(
    r"^(?:(?:no,? wait|wait|no|sorry|actually|correction|oops|oh|well|yes|ok|okay|perdón|pardon|désolé|entschuldigung"
    r"|nein|non|(?:it )?turn(?:s|ed) out(?: that)?|apparently)\b[,:]? *)+",
    re.IGNORECASE,
)
_NO_SUBJECT_TEXT = "in at to from of on by below above behind near under for with the called named is as a"
_NO_SUBJECT_BEHIND = frozenset(_NO_SUBJECT_TEXT.split())
_VERB_NEXT = regex(
    r"\s*(?:,|and\b|also|now|just|still|never|always|really|already|currently|can|could|will|would|may|might|must|had"
    r"|did|went"
    r"|got|made|took|lost|found|won|sold|left|quit|gave|came|ran|wrote|told|bought|began|became|broke|met|saw|felt"
    r"|kept|spent|thought|taught|built|grew|knew|led|put|read|set|[a-zà-ÿ]+(?:s|ed|t|e|a|o)\b)"
)
_RELATED = regex(
    r"(?:the|an?|all|every) (?!\w+ (?:says?|said|thinks?|thought|reckons?|told) )[\w'-]+(?: [\w'-]+)? $", re.IGNORECASE
)
_PART_OF = regex(
    r"(?:the|an?|all|both|every|one) (?:[\w'-]+ ){1,3}"
    r"(?:of|in|at|on|below|above|near|next to|behind|under|over|from|for|with) $",
    re.IGNORECASE,
)
_THING = regex(r"(?:the|an?) ", re.IGNORECASE)
_RELATIVE = regex(r"(?:the|an?) .*\b(?:of|that|which|where|who|in|by|from|to|for)\b", re.IGNORECASE)
_SAYS = regex(
    r"\b(?:says?|said|told|tells?|sings?|sang|quotes?|quoted|line|lyrics|wrote|character|film|movie|song|book|novel"
    r"|play)\b[^:]{0,60}:$",
    re.IGNORECASE,
)


def person(name: str, names: Collection[str] = ()) -> str:
    """Return the stable form of a person's name: lower case without a title; "user" for the user's own names."""
    plain = _TITLE.sub("", name.strip()).lower().removesuffix("'s").removesuffix("'")
    if plain in {"the user", "user", "i"} or any(plain == own.lower() for own in names):
        return USER
    return plain


def is_told_by_another(text: str, names: tuple[str, ...]) -> bool:
    """Return whether a statement is the words of another person than the user: 'The user's cousin wrote: "…"'."""
    frame = _FRAME.match(normalise(text)) if '"' in text or "“" in text else None
    return frame is not None and person(frame["who"], names) != USER


@lru_cache(maxsize=16_384)
def clauses_of(text: str, names: tuple[str, ...] = ()) -> tuple[Clause, ...]:
    """Return the clauses of a statement, in order. "I" is the speaker whom a frame such as 'Tom said: "…"' names."""
    speaker = USER
    plain = normalise(text)
    frame = _FRAME.match(plain)
    if frame is not None:
        speaker = person(frame["who"], names)
        plain = frame["said"]
    for own in ("the user", *names):
        plain = plain.replace(f" and {own} ", " and I ")
    plain = _TOGETHER.sub(r"\1 & I", _QUOTED.sub(_unquote, plain))
    out: list[Clause] = []
    quoted = False
    for raw in _BREAK.split(plain):
        piece = raw.strip(" ,")
        if not piece:
            continue
        before = out[-1] if out else None
        if len(out) > 1 and not out[-1].subject and _THEY.match(piece):
            before = out[-2]  # "Ann sold it. It was too big, so they have …"
        clause = _read_clause(piece, speaker, names, before)
        if quoted:
            clause = _silence(clause)
        quoted = bool(_SAYS.search(piece)) and clause.subject != USER
        out.append(clause)
    return tuple(out)


def _unquote(match: re.Match[str]) -> str:
    """Blank a quotation; a name in quotation marks is no quotation."""
    said = match[0][1:-1]
    return f" {said} " if said.count(" ") <= 1 else " … "


def _silence(clause: Clause) -> Clause:
    return Clause(clause.text, clause.subject, clause.rest, clause.kin, clause.possessive, holds=False)


# "Losing my job was a bummer" tells of the losing, and not of the job.
_ACT = regex(
    r"(?:los|leav|quitt|chang|gett|find|start|keep|hav|lov|hat|miss|visit|mov|sell|buy|giv|tak|mak|us|runn|build|clean|fix"
    r"|tell|help|teach|watch|meet|see|driv|wash|walk|feed|pay|plann|cutt|stopp|finish|end|break|chas|follow|open|repair|do)"
    r"ing (?:the user's|my|our|their|[\w-]+'s) ",
    re.IGNORECASE,
)


# A base form goes on with what the clause before only imagines: "I'd quit and live in Goa", "we might sell and move".
_GOES_ON = regex(r"(?:live|work|move|drive|eat|use|have|study|be|get)\b", re.IGNORECASE)


def _read_clause(piece: str, speaker: str, names: tuple[str, ...], before: Clause | None) -> Clause:
    told = _OF_A_THING.sub("", piece)
    unreal = piece.endswith("?") or _UNREAL.search(told) is not None or _PAST.search(told) is not None
    unreal = unreal or _ACT.match(told) is not None
    unreal = unreal or (before is not None and not before.holds and _GOES_ON.match(told) is not None)
    text = piece.rstrip(".!?;:, ")
    text = _INTERJECTION.sub("", text) or text
    subject, rest, kin, possessive = _find_subject(text, speaker, names, before)
    return Clause(text, subject, rest, kin, possessive, not unreal, _FUTURE.search(text) is not None)


_INTRODUCES = regex(
    rf"\b(?:[Aa]n?|one|[Mm]y|[Oo]ur|their|[\w-]+'s) (?:\w+ )?(?:{KIN})(?:,| called| named| is| is called)+"
    rf" (?P<name>{_NAME})$"
)
_Subject = tuple[str, str, str, bool]
"""The subject, the text behind it, the relation that it is named with, and whether something of it is meant."""


def _find_subject(text: str, speaker: str, names: tuple[str, ...], before: Clause | None) -> _Subject:
    if _DROPPED.match(text):
        return speaker, text, "", False
    if before is not None and before.subject == USER and (they := _THEY.match(text)):
        return USER, text[they.end() :], "", False  # the user, told in the third person
    for match in _SUBJECT.finditer(text):
        if found := _subject_at(match, text, speaker, names, before):
            return found
    return _implied_subject(text, speaker, before)


def _subject_at(
    match: re.Match[str], text: str, speaker: str, names: tuple[str, ...], before: Clause | None
) -> _Subject | None:
    rest = text[match.end() :].lstrip()
    if match["kin"]:
        return _kin_subject(match, rest, names)
    if (match["own"] or match["me"]) and (part := _part_subject(match, text)):
        return part
    if match["own"]:
        return USER if "ser" in match["own"] else speaker, rest, "", True
    if match["he"]:
        # "He" is the person of the clause before, when there is one.
        other = before.subject if before is not None and before.subject not in {"", USER} else _find_introduced(before)
        return other, rest, "", match["he"].lower() in {"his", "her"} and bool(rest)
    if match["name"]:
        return _name_subject(match, text, rest, names)
    return USER if (match["me"] or "").lower() == "the user" else speaker, rest, "", False


def _find_introduced(before: Clause | None) -> str:
    """Return whom the clause before introduces at its end: "I have a daughter, Zosia", "my neighbour is called Ed"."""
    found = _INTRODUCES.search(before.text) if before is not None else None
    return person(found["name"]) if found is not None else UNRESOLVED


def _part_subject(match: re.Match[str], text: str) -> _Subject | None:
    """Return the subject of "the tyres of my car" and of "the company I work for": the tyres, the company."""
    before = text[: match.start()]
    if match["me"]:
        return (UNRESOLVED, text, "", False) if _RELATED.match(before) else None
    return ("", text, "", False) if _PART_OF.match(before) else None


def _name_subject(match: re.Match[str], text: str, rest: str, names: tuple[str, ...]) -> _Subject | None:
    found = _named_subject(match, text, names)
    if found == USER and match["name_has"] and (kin := _KIN_OF_USER.match(rest)):
        return _kin_subject(kin, rest[kin.end() :].lstrip(), names)
    if found and match["name_has"] and (kin := _KIN_OF_USER.match(rest)) and kin["kin_name"]:
        return person(kin["kin_name"], names), rest[kin.end() :].lstrip(), "", bool(kin["kin_has"])  # not Poppy
    return (found, rest, "", bool(match["name_has"])) if found else None


def _kin_subject(match: re.Match[str], rest: str, names: tuple[str, ...]) -> _Subject:
    kin = match["kin"].lower().split()[-1]
    named = person(match["kin_name"], names) if match["kin_name"] else kin
    # The daughter of Grace who is called Grace, too.
    return kin if named == USER else named, rest, kin, bool(match["kin_has"])


def _implied_subject(text: str, speaker: str, before: Clause | None) -> _Subject:
    """The subject of a clause that names none."""
    if before is not None and not before.subject and _THING.match(before.text) and opens_phrase(text):
        return UNRESOLVED, text, "", False  # "the bakery closed and moved": it is the bakery that moved
    is_third = opens_phrase(text) or text.startswith(("is ", "has "))
    if before is not None and before.possessive and not before.kin and is_third:
        return UNRESOLVED, text, "", False  # "my physio has a dog and lives in Hull": the physio
    if (
        before is not None
        and before.subject
        and re.match(
            r"(?:is|are|am|have|has|lives?|living|works?|moves?|drives?|eats?|uses?|now|renting|sharing|studying|started|joined"
            r"|bought|moved|switched)\b",
            text,
        )
    ):
        return before.subject, text, before.kin, False
    if (before is None or before.subject in {"", USER}) and opens_phrase(text):
        return speaker, text, "", False  # "Vivo en Sevilla", "Uses Vim": a fact without a subject is the user's
    return speaker if re.search(r"\b(?:me|us|mine)\b", text) else "", text, "", False


def _named_subject(match: re.Match[str], text: str, names: tuple[str, ...]) -> str:
    """The person or thing that a capitalised word names when a verb follows it; "" for a sentence's first word."""
    first = match["name"].split(" ")[0]
    if first.lower() in _OPENERS and match.start() == 0:
        return ""
    # A name behind a preposition is no subject: "In Oslo …", "the author of Emma …".
    behind = text[: match.start()].rstrip().rsplit(" ", 1)[-1].lower()
    if _RELATIVE.match(text[: match.start()]) or behind in _NO_SUBJECT_BEHIND:
        return ""
    if match.start() == 0 and " " not in match["name"] and not match["name_has"]:
        if domains_of(first):
            return ""  # "Airline cancelled on me": a common noun at the beginning of a sentence
        # "Answer me" is no name: a verb must follow a sentence's first word.
        return person(first, names) if _VERB_NEXT.match(text, match.end()) else ""
    if match["name_has"] or re.match(r"\s*(?:,|and\b|[a-zà-ÿ0-9]+)", text[match.end() :]):
        return person(match["name"], names)
    return ""


def is_same_person(earlier: str, later: str, old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether two subjects are one, where `old` has the `earlier` and `new` the `later`."""
    if earlier == later:
        return True
    if {earlier, later} <= {"", USER}:
        return True
    if later in {"", UNRESOLVED}:
        return bool(earlier) and earlier in normalise(new).lower()
    # "Sister" and "Imogen" are one where one statement names both.
    kin = {c.kin: c.subject for c in (*clauses_of(old, names), *clauses_of(new, names)) if c.kin}
    return kin.get(earlier) == later or kin.get(later) == earlier
