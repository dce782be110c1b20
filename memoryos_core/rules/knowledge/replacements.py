"""Find what a statement says is over, or gives another value, by naming it: "sold the Volvo", "raised the rent to 910".

No part of life is looked at here. The value that ends, or the matter that changes, stands in both statements.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memoryos_core.rules.knowledge.clauses import UNRESOLVED, USER, Clause, clauses_of, is_same_person
from memoryos_core.rules.knowledge.domains import ADDITION, CHANGE
from memoryos_core.rules.knowledge.drugs import DRUG
from memoryos_core.rules.knowledge.measures import counts_others, kinds_of, without_values
from memoryos_core.rules.knowledge.phrases import normalise
from memoryos_core.rules.knowledge.relations import ROLE
from memoryos_core.rules.knowledge.things import is_limited, parts_with_tool
from memoryos_core.rules.text.words import matches, regex, terms, with_marks

__all__ = ["may_name_replaced", "names_over", "names_replaced"]

_NOUN_ENDS = (
    r"on|in|at|to|for|from|with|by|of|and|or|but|so|because|since|after|before|until|when|while|where|which|who|that"
    r"|as|is|are|was|were|has|have|had|last|this|next|today|yesterday|again|now|already|any|completely|entirely"
    r"|altogether|early|late|there|here|up|down|out|off|over|back|forward|away|instead|then|anymore"
)
_WORDS = rf"(?!(?:{_NOUN_ENDS})\b)[\w'-]+(?: (?!(?:{_NOUN_ENDS})\b)[\w'-]+){{0,3}}"
_THE = r"(?:(?:the|my|our|that|this|his|her|their|the user's|its|old|all|every|any) ){0,2}"
# What somebody parts with. "Left" and "finished" need a name, since "left the house" ends no house.
_PARTED = (
    r"(?:had to )?(?:pull|back|drop)(?:ed)? out of|bailed on|(?:thrown|threw|jacked|packed|chucked) in"
    r"|(?:gave|given) up on|had to (?:give up|cancel|sell|drop|quit|rehome)|(?:came|come|gone|taken|am|is|are|been) off"
    rf" (?=(?:(?:the|my|his|her|their) )?(?:{DRUG}|pills|tablets|meds|sugar|dairy|alcohol|booze|caffeine)\b)"
    r"|(?:am|is|are) not (?:going|coming|doing|running|taking|playing|attending|travelling|flying)(?: (?:to|on|for"
    r"|with))?"
    r"|rehomed"
    r"|sold(?: off)?|got rid of|gave (?:up|away)|(?<!not )(?<!never )giv(?:en|ing) (?:up|away)|threw (?:out|away)"
    r"|(?:do(?:es)? not|no longer|never) (?:\w+ ){1,2}?(?:to |with |at |for |in )?|(?<!never )(?<!not )quit"
    r"|(?:am |are |is )?(?:done|through|finished) with|gone off|can ?not stand|ditched|scrapped|shelved|abandoned"
    r"|dropped|(?<!not )calling off|(?:moved|took|weaned) (?:me|the user) off|forget(?: about)?|cancelled|canceled"
    r"|wiped|binned|broke up with|split (?:up )?(?:with|from)|divorced|mov(?:ed|ing) (?:out of|away from|on from)"
    r"|sold up in|handed in (?:my|our|his|her|their) notice (?:at|to)|re(?:signed|tired) from|never going back to"
    r"|stopped \w+ing(?: to| with| for| at)?|swapped(?! (?:me|us|them|the user) )|traded(?: in)?|replaced"
    r"|can not (?:make|do|come on|manage)|decided against|clos(?:ed|ing) (?:down )?(?=the |my |our )"
    r"|moved (?:\w+ ){1,3}out of|gone (?:right |completely |totally )off"
    r"|nobody (?:\w+ ){1,2}?(?:me |us )?|no (?:more|longer any)"
)
_ONLY_IF_OVER = regex(r"\b(?:(?:(?:do(?:es)?|am|is|are) not|no longer|never|nobody) |no (?:more|longer any)$)", re.I)
_NO_MORE = regex(
    r"\b(?:no longer|any ?more|any longer|these days|never again|going back|after all|no more .{2,40} for (?:me|us"
    r"|the user))\b",
    re.IGNORECASE,
)
_GONE_OBJECT = regex(rf"\b(?P<verb>{_PARTED})\s*{_THE}(?P<what>{_WORDS})", re.IGNORECASE)
_GIVEN = regex(
    r"\bhad to (?:put (?P<put>(?-i:[A-ZÀ-Þ])[\w'-]+) down|have (?P<asleep>(?-i:[A-ZÀ-Þ])[\w'-]+) put (?:down|to"
    r" sleep))\b"
    r"|\b(?:gave|given) (?P<gave>(?!up\b|away\b|me\b|it\b|them\b|him\b|her\b)[\w-]+(?: [\w-]+)?) (?:away|up)\b"
    rf"|\bgave (?:the|my|our|their|his|her|the user's) (?:old )?(?P<what>{_WORDS}) to\b"
    r"|\bstop(?:ped)? (?P<doing>\w+ing)(?=[,.;]|$| and| but| so| because)"
    r"|\bleft (?:the|my|our|their|his|her|the user's) (?P<joined>[\w-]+(?: [\w-]+)?) (?:club|team|choir|band|group"
    r"|class|course|society|gym|party)\b"
    r"|\blet (?:the|my|our|their|his|her|the user's) (?P<lapsed>[\w-]+(?: [\w-]+){0,2}?) (?:run out|lapse|expire|go)\b"
    r"|(?:^|[.;:,] )(?:the|my) (?P<fronted>[\w-]+) (?:I|the user) (?:sold|gave (?:up|away|to [\w ]{2,30}))(?=[.,;!]|$)"
    r"|\b(?:handed|passed)(?: over)? (?:the|my|our|their|his|her|the user's) (?P<handed>[\w-]+)(?: [\w-]+){0,2}?"
    r" (?:over |on )?to\b|\bsince (?:my|our|his|her|their|the user's) last (?P<last>[\w-]+)"
    r"|\b(?:have|has) not been (?:to|at|in) (?:the |any )?(?P<unvisited>[\w-]+) (?:in|for) (?:a|an|\w+) ?\w*"
    r"\b(?:year|month|week|age)s?\b"
    r"|\b(?:been|for|after) (?:\w+ ){1,2}(?:days|weeks|months|years) without (?:an? |any |the )?(?P<without>[\w-]+)",
    re.IGNORECASE,
)
_LEFT = regex(
    r"\b(?<!not )(?:left|leaving|quit|[Ff]inished(?: reading| watching| playing| with| at)?|[Ww]rapped up) (?:the )?"
    r"(?P<what>[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+){0,2})\b(?! (?:at|in|on|with|alone|behind|part)\b)"
    rf"(?!(?:'s)?(?<='s) (?!(?:{_NOUN_ENDS}|recently|two|three|a|some)\b)[a-z]|'(?!s)|\w)"
    r"(?! for (?!good\b|ever\b|a new\b|[A-Z]))"
)
# Who or what is over as the subject; the first need no successor to say so.
_OVER = (
    r"and (?:I|we|the user) (?:broke up|called it quits|split(?: up)?|separated|parted(?: ways)?|got divorced|divorced"
    r"|(?:are|is|were) (?:over(?! the\b)|done|through|history))(?=$|[,.;!]| (?:in|last|after|for good|recently|ages"
    r"|and|but|so|because|when|yesterday|a)\b(?! (?:pizza|bill|rent)))"
    r"|(?:has |have )?(?:finally |just |suddenly |recently )?(?:died(?! laugh)|passed away|shut down|gone bust|folded"
    r"|closed(?: down)?|moved out(?=$|[,.;!]| (?:last|in|on|and|so|but|yesterday|this|today|after|already|a)\b))"
    r"|(?:is|are) (?:no more|dead|history|gone for good|discontinued)|(?:was|were|got) (?:discontinued|scrapped"
    r"|demolished|axed|stolen|written off)|(?:is|are) off(?=[,.;]|$)|(?:is|are|was) off the table|fell through"
    r"|(?:is|are|was|were|got) (?:cancelled|canceled|called off|washed out|rained off|nicked|pinched)(?! (?:today"
    r"|tonight|tomorrow|this|on|for)\b)"
    r"|(?:is|are) gone(?=[,.;!]|$)|(?:is|are|went) in the (?:bin|trash)|never again(?=[,.;!]|$)"
    r"|(?:is|are) not happening|did not work out|(?:came|come|has come|have come) (?:off|out)|went to the"
    r" (?:scrap\w*|dump|tip|knacker\w*)"
    r"|(?:is|are|was|were|got) (?:all )?(?:wrapped up|finished(?! (?:with|\w+ing)\b)|completed|paid off|cleared"
    r"(?! for\b))|(?:ran|has run|have run|run) out(?! of)"
)
_AWAY = (
    r"(?:has |have |just |recently )*(?:retired|left|quit|resigned|moved (?:on|away|abroad)|went on (?:\w+ )?leave"
    r"|is on (?:\w+ )?leave|stepped down|(?:took|found|got) (?:another|a new) (?:job|post|position)(?! (?:title|done))"
    r"|(?:was|got|is|has got) too (?:loud|noisy|far|expensive|dear|costly|pricey|small|big|crowded|full|slow"
    r"|wet|cold|hot)|was (?:fired|sold|replaced|promoted|transferred)|(?:is|are) gone|can not make)"
)
# At the start of a clause: "the cafe at the Lido closed" closes no Lido.
_GONE_SUBJECT = with_marks(
    "broke|split|separated|parted|divorced|over|done|through|history|died|passed|shut|bust|folded|closed|moved|no more"
    "|dead|for good|discontinued|scrapped|demolished|axed|stolen|off|fell|cancel|washed|nicked|pinched|gone| in the "
    "|never|happening|work out|went| out|wrapped|finished|completed|cleared"
    "|retired|left|quit|resigned|leave|stepped|another| new |too|fired|sold|replaced|promoted|transferred|not make",
    rf"(?:^|[.;:,!?] |\b(?:and|but|so|because|since|that) ){_THE}(?P<what>{_WORDS})"
    rf" (?:(?P<over>{_OVER})|(?P<away>{_AWAY}))\b",
)
_IS_OVER = regex(r"(?<=\w)'s (?=(?:in the bin|gone|dead|cancelled|history|no more|paid off)(?:[.,;!]|$))", re.I)
_SUCCESSOR = regex(
    r"\b(?:(?:got|bought|gave (?:[\w'-]+ ){0,1}[\w'-]+) (?:an?|another)|now|instead|these days|nowadays|new|since"
    r" then|from now on|took over|takes over|replaces|until"
    r"|took (?:his|her|their|its) (?:place|room|seat|job|desk|shift)"
    r"|from (?:next|this|today|tomorrow|here))\b",
    re.IGNORECASE,
)
# Something is given another value: "raised my dose to 40 mg", "renamed the shop to Lumen".
_TURNS = (
    r"chang(?:ed?|ing)|rais(?:ed?|ing)|lower(?:ed|ing)?|increas(?:ed?|ing)|decreas(?:ed?|ing)|reduc(?:ed?|ing)|upped"
    r"|cut|put|mov(?:ed?|ing)|push(?:ed|ing)?|postpon(?:ed?|ing)|delay(?:ed|ing)?|brought|bumped|shift(?:ed|ing)?"
    r"|switch(?:ed|ing)?|reset|renew(?:ed|ing)?|renam(?:ed?|ing)|extend(?:ed|ing)?|shorten(?:ed|ing)?|resched\w+"
    r"|updat(?:ed?|ing)"
)
_WAYS = (
    r"(?:(?:back|up|down|forward|out|over) )?(?:from [^,;]{1,40}? )?"
    r"(?:,? (?:and |so )?(?:it|that) (?:is|runs|lasts|goes) (?:\w+ )?)?"
)
_TURN_MARKS = "|".join(re.findall(r"(?:^|\|)([a-z]{3,})(?![a-z)])", _TURNS))  # without endings
_TURNED_OBJECT = with_marks(
    _TURN_MARKS,
    rf"\b(?P<verb>{_TURNS}) (?P<owner>the |my |our |the user's |(?-i:(?=[A-ZÀ-Þ])))(?P<what>{_WORDS}) ?{_WAYS}(?:to"
    rf"|until|till)"
    r" (?P<value>[^,;.!?]{1,60})",
)
_TURNED_SUBJECT = with_marks(
    f"{_TURN_MARKS}|went|gone|rose|risen|fell|fallen|dropped|grew|grown",
    rf"(?:^|[,;:.!?] )(?P<owner>the |my |our |the user's )?(?P<what>{_WORDS})"
    rf" (?:(?:has|have|had|was|were|is|are|got|been|just|now) )*"
    rf"(?:{_TURNS}|(?:went|gone)(?= (?:(?:back|up|down|forward|out|over|from)\b|to [^ ]{{0,3}}\d))"
    rf"|rose|risen|fell|fallen|dropped|grew|grown) {_WAYS}(?:to|until|till)"
    r" (?P<value>[^,;.!?]{1,60})",
)
# "Had to change the trip to Porto, it will be in May now."
_TURNED_THEN = with_marks(
    _TURN_MARKS,
    rf"\b(?:{_TURNS}) (?:the |my |our |the user's )(?P<what>{_WORDS}(?: (?:to|with|in|for) (?-i:[A-ZÀ-Þ])[\w'-]+)?)"
    r"[,;.]? (?:and |so )?(?:now )?(?:its|(?:it|that) (?:is|will be))(?: now)? (?P<value>(?:(?:in|on|at) "
    r"|(?=\d))[^,;.!?]{1,40})",
)
# Verbs that give another name; "moved the car to the garage" makes it no other car.
_RENAMES = regex(r"chang|renam|switch|reset", re.IGNORECASE)
_TURNED = (_TURNED_OBJECT, _TURNED_THEN, _TURNED_SUBJECT)
# Words behind which a value stands, that do not say what it is of.
_ASPECT = frozenset(
    terms("time day date price cost fee name topic subject colour color number size level dose title new current job")
)
_JOURNEY = frozenset(terms("trip holiday vacation journey visit flight"))  # of a place that is named beside it
_PLAIN = frozenset(terms("now instead longer more use new live work the user said say get go like is called one"))
# "Switched banks", "changed dentists": another one of what the user has.
_SWITCHED = regex(r"\b(?:switched|changed|swapped|moved|switching|changing) (?P<what>[a-z-]+s)\b(?! (?:in|on|of)\b)")
_CALLED = regex(
    r"\b(?:call(?:ed|ing)?|nam(?:ed?|ing)|renam(?:ed?|ing)) (?:the|my|our|the user's)"
    r" (?P<what>[a-z][\w'-]*(?: [a-z][\w'-]*)?) (?P<value>[A-ZÀ-Þ][\w'-]+)"
)
_LETTER = regex(r"[^\W\d_]")
_VAGUE = frozenset(terms("idea plan plans thing things project goal dream stuff business thought whole user"))
_WISH = regex(r"\b(?:want|wants|plan|plans|planning|hope|hopes|aim|aiming|intend|dream|thinking) \w+", re.IGNORECASE)
_NUMBER = (
    "one two three four five six seven eight nine ten eleven twelve thirteen first second third fourth fifth sixth"
    " seventh eighth ninth tenth eleventh twelfth 1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th 11th 12th"
)
_STEP = (
    r"(?P<unit>year|grade|class|form|level|stage|page|chapter|episode|season|module|unit|lesson|semester|term)"
    rf" (?P<number>\d+|[ABC][12]|{_NUMBER.replace(' ', '|')})\b"
)
_ORDINAL_TEXT = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_NTH = regex(
    rf"\b({_ORDINAL_TEXT.replace(' ', '|')}|\d+(?:st|nd|rd|th)) (grade|year|form|class|semester|term)\b", re.IGNORECASE
)
_IS_AT = regex(rf"\b(?:am|is|are) (?:\w+ )?(?:on|in|at) {_STEP}", re.IGNORECASE)
_GETS_TO = regex(
    r"\b(?:moved (?:up |on )?(?:in)?to|reached|started|starts|got to|(?:am|is|are) (?:\w+ )?(?:on|in|at|up to))"
    rf" {_STEP}",
    re.IGNORECASE,
)
_IS = regex(r"(?<![\w-])(?:is|are|was|were|ends?|starts?)(?![\w-])")
_ANEW = regex(
    r"\b(?:re-?booked|re-?scheduled|changed|moved|new|now|instead|as of|corrected|updated|personal best)\b",
    re.IGNORECASE,
)
_COUNT = rf"(?P<number>\d+|{'|'.join(_NUMBER.split()[:13])}) (?P<noun>[a-z][a-z-]+)"
_OWNS = regex(rf"\b(?:have|has|own|owns|keep|keeps)(?: got)? {_COUNT}", re.IGNORECASE)
_TOTAL = regex(
    r"\b(?:that is|that makes|makes it|which makes|now (?:have|has|own|owns)|(?:have|has)(?: got)? now|(?:have|has) got"
    rf"|up to) {_COUNT}",
    re.IGNORECASE,
)
_LEFT_OVER = regex(rf"\b(?:have|has|are|is)(?: only| just)? {_COUNT} left\b", re.IGNORECASE)
_LIKES = regex(r"\W*(?:(?:really|also|still|just|always) )*(?:lov|lik|enjoy|ador|hat|dislik)(?:es?|s)? ", re.IGNORECASE)
_PARTNERS_TEXT = "boyfriend girlfriend partner husband wife fiance fiancé fiancee fiancée"
_PARTNERS = frozenset(_PARTNERS_TEXT.split())
_AGED = regex(
    rf"\b(?:is|am|are) (?P<number>\d+|{_NUMBER.replace(' ', '|')})(?: years? old| months? old)?(?=[,.;]|$)", re.I
)
_AGES = regex(
    rf"\bturned (?P<number>\d+|{_NUMBER.replace(' ', '|')})\b(?! (?:to|into|of|people|pages))"
    r"|\b(?P<nth>\d+)(?:st|nd|rd|th) birthday\b(?! (?:is|will|party))",
    re.IGNORECASE,
)
_CELEBRATED = frozenset(terms("celebrated had has just finally"))
# "We have a new landlord".
_NEW_ONE = regex(
    rf"\b(?:have|has|got|found|hired|is|are|am|with|see|sees) (?:my |our |the user's )?(?:an? )?(?:new|different"
    rf"|another) (?:\w+ )?(?P<what>{ROLE})\b(?! (?:called|at|in|for|from) (?:the|another)\b)",
    re.IGNORECASE,
)
_SIGNS = (_ANEW, _AGES, _NEW_ONE, _TOTAL, _LEFT_OVER, _GETS_TO, _NTH)
_SHORT, _ENOUGH = 9, 2


def may_name_replaced(new: str, names: tuple[str, ...]) -> bool:
    """Return whether `names_replaced` may be true of this statement and any other."""
    return _may_name(_as_the_user(new, names))


@lru_cache(maxsize=1_024)
def _as_the_user(new: str, names: tuple[str, ...]) -> str:
    # "Ines and Tom broke up", "Tom left Shell": neither is Tom over, nor what is his.
    for name in filter(new.__contains__, names):
        new = re.sub(rf"(?<![\w'-]){re.escape(name)} (?=[a-z])", "the user ", new)
    return new


def names_replaced(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `new` names what `old` states as over or replaced, or gives its matter another value."""
    new = _as_the_user(new, names)
    if not _may_name(new) or _things_over(old):
        return False
    first = next((c for c in clauses_of(old, names) if c.holds or _WISH.search(c.text)), None)
    if first is None:
        return False
    about_same = [c for c in clauses_of(new, names) if is_same_person(first.subject, c.subject, old, new, names)]
    if _leaves(first, _things_over(new), about_same) and not (
        is_limited(old, new) or parts_with_tool(first, normalise(new))
    ):
        return True
    return first.holds and (
        _turns(old, first, _new_values(new))
        or bool(about_same and (_counts(old, new) or _steps_on(old, new) or _restates(old, new, names)))
        or _is_new_one(first, new)
        or _ages(old, new)
    )


def names_over(text: str) -> bool:
    """Return whether a statement names something as over: "Yaw moved out", "Rome is off"."""
    return bool(_things_over(text))


@lru_cache(maxsize=16_384)
def _may_name(text: str) -> bool:
    """Return whether a statement has any word by which it could name what is over; most have none."""
    plain = normalise(text)
    return bool(_things_over(text) or _new_values(text)) or any(p.search(plain) for p in _SIGNS)


@lru_cache(maxsize=16_384)
def _bag(text: str) -> frozenset[str]:
    return frozenset(terms(text)) - _PLAIN


@lru_cache(maxsize=16_384)
def _things_over(text: str) -> tuple[tuple[frozenset[str], bool], ...]:
    """Return the words of each thing that a statement says is over, and whether the user is who parted with it."""
    plain = _IS_OVER.sub(" is ", normalise(text))
    out: list[tuple[frozenset[str], bool]] = []
    is_over = _NO_MORE.search(plain) is not None
    objects = (m for m in _GONE_OBJECT.finditer(plain) if is_over or not _ONLY_IF_OVER.match(m["verb"]))
    # Anybody may call off "Krakow"; "her wedding" is not the user's.
    out += [(_bag(m["what"]), m["verb"][:4].lower() != "call" or not m["what"][0].isupper()) for m in objects]
    out += [(_bag(match["what"]), True) for match in _LEFT.finditer(plain)]
    # "It has been three months without a cigarette" has no subject of its own.
    out += [
        (_bag(next(filter(None, match.groups()))), not (match["without"] or match["put"] or match["asleep"]))
        for match in _GIVEN.finditer(plain)
    ]
    for match in _GONE_SUBJECT.finditer(plain):
        # "The cake is gone" ends no cake that is ordered; "Moti is gone" does.
        lost = match["over"] and (match["what"][0].isupper() or not match["over"].lower().endswith(" gone"))
        if lost or (match["away"] and _SUCCESSOR.search(plain)):
            out.append((_bag(match["what"]), False))
    return tuple((named, own) for what, own in out if any(map(_LETTER.search, named := what - _VAGUE)))


@lru_cache(maxsize=16_384)
def _new_values(text: str) -> tuple[tuple[frozenset[str], str], ...]:
    """Return the words of each matter that a statement gives another value, and that value behind "in"."""
    plain = normalise(text)
    # A month is a value here, "to November", and with "in" it is known as a date.
    turned = [(m, f"in {m['value']}") for pattern in _TURNED for m in pattern.finditer(plain)]
    # "Ruth went to Porto" gives nothing another value; "the rent went up to 910" does.
    values = [(m, value) for m, value in turned if kinds_of(value) or _RENAMES.match(m.groupdict().get("verb", ""))]
    out = [(_bag(m["what"]), value) for m, value in values]
    out += [(_bag(m["what"]), m["value"]) for m in _CALLED.finditer(plain) if CHANGE.search(plain)]
    out += [(_bag(m["what"]), "") for m in _SWITCHED.finditer(plain)]
    return tuple(out)


def _leaves(first: Clause, gone: tuple[tuple[frozenset[str], bool], ...], about_same: list[Clause]) -> bool:
    """Return whether something that is over is the value of what held: all its words stand behind the subject."""
    value = _value_of(first)
    if first.kin in _PARTNERS:
        value |= _bag(first.subject)
    # "My bike is a PCX": the bike got stolen.
    head = (
        _bag(_IS.split(first.rest, maxsplit=1)[0]) if first.possessive and _IS.search(first.rest) else frozenset[str]()
    )
    lasts = _LIKES.match(first.rest) is not None  # who loves coffee does so when there is none left
    ended = [(what, own) for what, own in gone if own or not lasts]
    return any((what <= value and (about_same or not own)) or (what <= head and not own) for what, own in ended)


@lru_cache(maxsize=16_384)
def _value_of(first: Clause) -> frozenset[str]:
    """Return the words of the value that a clause gives: what stands behind the verb."""
    parts = _IS.split(first.rest, maxsplit=1)
    text = parts[1] if first.possessive and len(parts) > 1 else first.rest
    return _bag(text) - _bag(f"{first.subject} {first.kin}")


def _turns(old: str, first: Clause, turned: tuple[tuple[frozenset[str], str], ...]) -> bool:
    """Return whether the matter of a clause is given another value: one of its kind, or another name."""
    if first.subject not in {"", USER, UNRESOLVED}:
        return False
    said, kinds = _bag(old) - _bag(first.kin), kinds_of(old)
    has_head = first.possessive and _IS.search(first.rest) is not None
    head = _bag(_IS.split(first.rest, maxsplit=1)[0] if has_head else "")
    for what, value in turned:
        matter = (named := what - _ASPECT - _VAGUE) - _JOURNEY or named
        if not matter or not matter <= said:
            continue
        if kinds_of(value):
            if kinds & kinds_of(value) and not _bag(value) <= said and not counts_others(old, value):
                return True
        elif not kinds and matter <= head:
            return True
    return False


def _restates(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether both say the same of the same, each with a value of its own of one kind."""
    if not kinds_of(old) & kinds_of(new) - {"number"} or matches(ADDITION, new) or not matches(_ANEW, normalise(new)):
        return False
    one, two = _bag(without_values(old)), _bag(without_values(CHANGE.sub(" ", new)))
    values = [_bag(old) - one, _bag(new) - two]
    shared = (one & two) - _bag(" ".join(names))
    close = len(shared) >= _ENOUGH and 2 * len(shared) >= len(one)
    return close and len(one) <= _SHORT and values[0] != values[1]


def _steps_on(old: str, new: str) -> bool:
    """Return whether somebody gets to another step of the same: from year four to year five, from page 40 to 95."""
    after = _steps(_GETS_TO, new)
    return bool(after) and any(after.get(unit, number) != number for unit, number in _steps(_IS_AT, old).items())


@lru_cache(maxsize=16_384)
def _steps(pattern: re.Pattern[str], text: str) -> dict[str, str]:
    """Return the steps that a text names, by what they are steps of; "fifth grade" is read as "grade fifth"."""
    found = pattern.finditer(_NTH.sub(r"\2 \1", normalise(text)))
    return {m["unit"].lower(): m["number"].lower() for m in found}


def _counts(old: str, new: str) -> bool:
    """Return whether `new` counts anew what somebody has: "that is three sheep now"."""
    plain = normalise(new)
    patterns = [pattern for pattern in (_TOTAL, _LEFT_OVER) if matches(pattern, plain)]
    owned = {_bag(m["noun"]): m["number"].lower() for m in _OWNS.finditer(normalise(old))} if patterns else {}
    total = {_bag(m["noun"]): m["number"].lower() for pattern in patterns for m in pattern.finditer(plain)}
    return any(noun and total.get(noun, number) != number for noun, number in owned.items())


def _is_new_one(first: Clause, new: str) -> bool:
    """Return whether somebody else has the role that a clause of the user's tells the holder of: "a new landlord"."""
    if not first.possessive or first.subject not in {"", USER, UNRESOLVED} or not matches(_NEW_ONE, normalise(new)):
        return False
    head = _bag(_IS.split(first.rest, maxsplit=1)[0]) | _bag(first.kin)
    return any(_bag(found["what"]) <= head for found in _NEW_ONE.finditer(normalise(new)))


def _ages(old: str, new: str) -> bool:
    """Return whether somebody is older than was said: "turned three", "the 92nd birthday"."""
    plain = normalise(new)
    after = _AGES.search(plain) if matches(_AGES, plain) else None
    before = None if after is None else _AGED.search(normalise(old))
    if before is None or after is None:
        return False
    who = _bag(plain[: after.start()]) - _CELEBRATED
    return bool(who) and who <= _bag(old) and before["number"].lower() != (after["number"] or after["nth"]).lower()
