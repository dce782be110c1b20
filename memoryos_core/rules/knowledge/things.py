"""Tell whether the news is about the thing that an earlier statement is about, and whether it has a limit.

"The tyres of my car are new" is about tyres; "I stopped drinking coffee after five" ends no coffee in the morning.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memoryos_core.rules.knowledge.clauses import USER, Clause
from memoryos_core.rules.knowledge.domains import BEGUN, ENDED, domains_of
from memoryos_core.rules.knowledge.measures import kinds_of, without_values
from memoryos_core.rules.knowledge.news import BROAD, PLAIN, is_same_kind, word_bag
from memoryos_core.rules.knowledge.pets import has_other_wheels
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.text.words import matches, regex

__all__ = [
    "changes_thing",
    "is_limited",
    "is_of_another_turn",
    "is_of_other_thing",
    "names_other_of_kind",
    "only_moves",
    "parts_with_tool",
]

_OWNER = (
    r"(?:my|our|the user's|the|an?|his|her|their|its|this|that|one of (?:the|my|our)|[\w-]+'s|mein(?:e[mnrs]?)?"
    r"|unser(?:e[mnrs]?)?"
    r"|der|die|das|dem|den|des|les?|la|mon|ma|mes|notre|nos|el|los|las|mis?|nuestr[oa]s?)"
)
_END_OF_NOUN = (
    r"(?:of|in|at|on|to|for|with|by|from|below|above|near|next|about|under|over|into|until|behind|after|before|and|or"
    r"|but|that|which|who|where|is|are|was|were|has|have|had|will|can|could|does|did|do|now|not|no|just|also|still"
    r"|finally|recently|last|this|yesterday|today|got|gets|goes|went|gave|made|came|ran|fell|broke|left|lost|sold"
    r"|bought|began|became|took|found|met|put|quit|said|says|starts?|stops?|leaves?|costs?|runs?|closes?|opens?"
    r"|moves?|changes?|eats?|sleeps?|meets?|back|forward|away|again|completely|entirely"
    r"|von|vom|im|am|auf|zu|zum|mit|für|bei|wurde|wird|ist|sind|hat|jetzt|nun|de|du|à|au|en|dans|pour|avec|est|sont"
    r"|a|maintenant|del|al|con|por|para|es|son|ha|se|ahora|\w+[^e\W]ed)"
)
_NOUN = rf"(?P<noun>[\w'-]+(?: (?!{_END_OF_NOUN}\b)[\w'-]+){{0,4}})"
_SUBJECT = regex(
    rf"(?:(?:and|so|but|then|today|yesterday|now),? )?(?P<owner>{_OWNER}) (?!{_END_OF_NOUN}\b){_NOUN}", re.IGNORECASE
)
_WHOLE = regex(
    r" (?:of|in|below|above|near|next to|behind|under|on|von|vom|de|du|dans|en) (?:my|our|(?:the )?[\w-]+'s|ma|mon|mi)"
    r" [\w-]+"
    r"| (?:mein|unser)e[rs] [\w-]+",
    re.IGNORECASE,
)
_TURNED = (
    r"chang(?:ed|ing)|moved|cancell?ed|replaced|swapped|sold|raised|lowered|(?:re)?painted|dyed|postponed|rescheduled"
    r"|put (?:off|up|down|back)|lost|closed|left|quit"
    r"|stopped (?:taking|seeing|using|reading|watching|playing|eating|drinking|wearing|visiting|attending)"
    r"|verschoben|gewechselt|verkauft|changé|vendu|cambiado|cambié|vendí|vendido"
)
_OF_VERB = rf" (?:(?:all|both) )?(?P<owner>{_OWNER}|new(?= \w+s\b)) (?!{_END_OF_NOUN}\b){_NOUN}"
_OBJECTS = (
    regex(rf"\b(?:{_TURNED}){_OF_VERB}", re.IGNORECASE),
    regex(rf"\b(?:got|bought|finished|broke|washed|cleaned|fixed|repaired){_OF_VERB}", re.IGNORECASE),
)
_COLOURED = regex(r"\b(?:(?:re)?painted|dyed)\b", re.IGNORECASE)
# What a thing has, with the kind of its value: "the gym raised its fee" is news of a statement that holds money.
_ASPECT_KINDS = {
    "money": "price cost fee fees rate charge",
    "date": "date",
    "weekday": "day",
    "time": "time hour hours",
    "number": "number size version",
    "": "name colour color place brand model mind opinion life things one ones job jobs way plan plans",
}
_ASPECTS = {stem: kind for kind, nouns in _ASPECT_KINDS.items() for stem in word_bag(nouns)}
_PLAIN_BEFORE = word_bag(
    "next last old own big small little whole weekly monthly daily yearly current first second third one two three"
    " changed moved cancelled replaced swapped sold raised lowered painted dyed postponed rescheduled lost left has"
    " have quit good great nice dear favourite"
)
_IS_NAMED = regex(
    r"^(?P<head>[\w'-]+(?: [\w'-]+)?) (?:is|are|ist|est|es) (?:an? |now |eine? |une? |una? )*(?-i:[A-ZÀ-Þ])"
)
_GIVEN_UP = regex(r"\b(?:replaced|swapped|exchanged|traded|switched|left|quit)\b", re.IGNORECASE)
_DOES = regex(
    r"\b(?:play|sing|like|love|enjoy|hate|speak|learn|study|watch|read|practi[sc]e|teach)(?:s|es|ing)?\b", re.IGNORECASE
)
_PARTED = regex(r"\b(?:sold|bought|lost|threw|gave away|given away|got rid|stolen?|broke)\b", re.IGNORECASE)
_NARROWED = regex(
    r" (?P<limit>(?:after|before|past) (?:\d[\d:.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon"
    r"|midnight|lunch|dinner|dark|work|sunset|bed(?:time)?)(?! (?:days|weeks|months|years))\b[^,.;]*"
    r"|(?:in|during) (?:the |my |our |their )?(?:mornings?|evenings?|afternoons?|nights?|mornings|week|public|bed"
    r"|winter|summer|meetings|office|classroom|bedroom|kitchen|living room|garden|lab|shop)\b[^,.;]*"
    r"|at (?:night|weekends|work|home|school|lunch|dinner|breakfast|parties|(?:that|this|the|an?|my|our|their) [\w' -]+"
    r"|(?-i:[A-Z]\w+)(?<!Easter)(?<!Christmas))"
    r"|on (?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekdays|weekends|weeknights|school nights"
    r"|(?:my|his|her|their) (?!own)\w+|empty \w+)"
    r"|for (?:breakfast|lunch|dinner|dessert)|with (?:that|this|the|my|our|his|her|their|(?-i:[A-Z])) ?[\w' -]*"
    r"|outside\b"
    r"|when(?:ever)? [^,.;]+|while [^,.;]+|(?:nach|vor) (?:fünf|sechs|sieben|acht|neun|zehn|\d+)\b|am abend|abends"
    r"|morgens|nachts|le (?:soir|matin|week-end)|la nuit|après \d+|por la (?:noche|tarde|mañana)|los (?:lunes|martes"
    r"|miércoles|jueves|viernes|sábados|domingos)|en (?:casa|el trabajo))",
    re.IGNORECASE,
)


# Parts of life with several things at a time, the words that name any of them, and the words for one kind.
_SIDE_BY_SIDE = frozenset(
    (
        *("hobby", "sport", "gym", "language", "garden", "stage", "health", "pet", "alcohol"),
        *("caffeine", "colour", "contact", "study", "streaming", "meeting", "money", "travel"),
    )
)
_GENERAL = word_bag(
    "pet animal rescue pill pills tablet tablets medication medicine prescription dose alcohol drink sober teetotal"
    " caffeine language instrument sport training workout speak talk colour date trip travel holiday vacation book"
    " booked appointment meeting pay cost price rate membership"
)
_KINDS_TEXT = {
    "dog": "puppy beagle greyhound terrier poodle labrador retriever shepherd",
    "cat": "kitten tabby",
    "horse": "pony",
    "coffee": "espresso latte cappuccino",
    "run": "marathon jog",
    "spirits": "vodka gin whisky",
    "beer": "pint",
    "climb": "bouldering climbing",
}
_KIND_OF = {word: next(iter(word_bag(kind))) for kind, words in _KINDS_TEXT.items() for word in word_bag(words)}


_RUNS_IT = regex(
    r"\bruns? (?:(?:an?|the|my|our) (?!(?:\w+ ){0,2}(?:marathon|races?|miles?|loop|laps?|half|track)\b)"
    r"|on (?!\w+days?\b)|(?-i:[A-Z]))",
    re.IGNORECASE,
)
_RUNS_NO_MORE = regex(
    r"\b(?:stopped|quit|g[ai]ven? up|no longer) run(?:s|ning)?"
    r"(?=$|[,.;!]| (?:because|after|since|as|due|last|for good)\b)",
    re.IGNORECASE,
)
_MINE = regex(r"(?:my|our|the user's|mein|meine|mon|ma|mi)\b", re.IGNORECASE)
_END_OF_HEAD = regex(
    r"\s(?:(?:is|are|was|were|has|have|had|will|can|does|did|do|says?|now|went|broke|got|goes|gave|made|came|ran|fell"
    r"|costs?|still"
    r"|just|also)\b|\w+(?:ed|es)\b)"
)
_NAMES = regex(r"(?<=\w )[A-ZÀ-Þ][\w'-]+")
# A child that moved out is a child still.
_BORN = regex(r"\b(?:kid|child|son|daughter|sister|brother|twin|cousin|niece|nephew)s? (?:is )?(?:called|named)\b")
_LEAVES = regex(r"\b(?:moved|left|flown)\b")
_FOR_NOW = regex(r"\b(?:for (?:today|tonight|the (?:day|moment)))\b", re.IGNORECASE)
_COMPLEMENT = regex(
    r"(?P<head>\w+) (?:(?P<of>with|of|for|about) (?P<any>[\w'-]+(?: [A-Z][\w'-]+)?)"
    r"|(?P<in>in|at|from) (?P<some>[a-z][\w'-]+))"
)
_HABIT_ENDED = regex(
    r"\b(?:no longer|any ?more|any longer|no more|stopped|gave up|given up|quit|nicht mehr|mehr$|plus\b|arrêté|ya no"
    r"|dejado?|dejé)\b",
    re.IGNORECASE,
)

_MOVES = regex(r"\bmoved (?:the|my|our|the user's) (?P<what>[\w-]+)", re.IGNORECASE)
_THINGS = frozenset(("vehicle", "device", "bedroom"))
_HOUSEHOLD = frozenset(("house", "home", "flat", "apartment", "place", "family", "household", "lot"))
_WHERE = regex(r"\b(?:in|at|on|behind|outside|near|under|next to)\b", re.IGNORECASE)


def is_limited(old: str, end: str) -> bool:
    """Return whether an end is for today, a habit's for a time or place that `old` does not name, or leaves a home."""
    if matches(_FOR_NOW, end) or (matches(_BORN, old) and matches(_LEAVES, end)):
        return True
    if not matches(_HABIT_ENDED, end):
        return False
    known = word_bag(old)
    return any(not word_bag(match["limit"]) & known for match in _NARROWED.finditer(f" {end}"))


def is_of_other_thing(old: str, first: Clause, clause: Clause) -> bool:
    """Return whether a clause of news is about another thing than `old`, of which `first` tells how things are.

    The thing is what was changed, or else the subject, unless that is a person.
    """
    if parts_with_tool(first, clause.text):
        return True
    if _has_other_complement(old, clause.text) or _is_told_apart(first, clause):
        return True
    changed, subject = _things_of(clause)
    if any(_is_another(head, old, clause.text) for head in (*changed, subject) if head):
        return True
    if changed and not any(_is_in(head, old) for head in changed):
        return True
    return bool(subject) and _is_by_the_way(old, first, clause)


def is_of_another(clause: Clause, old: str) -> bool:
    """Return whether a clause is about a thing of the user that `old` does not name: "my other bill went up"."""
    return bool(clause.possessive and not clause.kin and not _own_thing(clause.text, clause.rest) <= word_bag(old))


@lru_cache(maxsize=16_384)
def _own_thing(text: str, rest: str) -> frozenset[str]:
    head = _END_OF_HEAD.split(rest, maxsplit=1)[0] if _MINE.match(text) else ""
    return frozenset[str]() if re.match(r"(?:first|second|new)\b", head) else word_bag(head)


_TURN = regex(
    r"\b(?P<turn>first|second|third|fourth|fifth|final|last|next|previous|other|initial|original) (?:[\w-]+ ){0,2}?"
    r"(?P<noun>[a-z-]{3,})\b",
    re.IGNORECASE,
)
_SAME_TURN = {"last": "final", "initial": "first", "original": "first"}


def is_of_another_turn(old: str, new: str) -> bool:
    """Return whether both name a thing as one of a row, and each another one: the first draft, the final draft."""
    before, after = _turns_in(old), _turns_in(new)
    return any(before[noun] != after[noun] for noun in before.keys() & after.keys())


@lru_cache(maxsize=16_384)
def _turns_in(text: str) -> dict[str, str]:
    found = list(_TURN.finditer(text))
    nouns = ((m["turn"].lower(), word) for m in found for word in m[0].lower().split()[1:])
    return {noun: _SAME_TURN.get(turn, turn) for turn, noun in nouns}


def names_other_of_kind(old: str, new: str, near: frozenset[str]) -> bool:
    """Return whether `new` names one of several things that are had side by side, and `old` names another.

    `near` are the parts of life of both: who gave up the cello collects stamps still.
    """
    if "vehicle" in near and has_other_wheels(old, new):
        return True
    if not near or not near <= _SIDE_BY_SIDE:
        return False
    told, held = (_kinds_named(text, near) for text in (new, old))
    if "travel" in near:
        told |= word_bag(" ".join(_NAMES.findall(without_values(new))))
        held |= word_bag(old)
    return bool(told) and not told & held


@lru_cache(maxsize=16_384)
def _kinds_named(text: str, near: frozenset[str]) -> frozenset[str]:
    words = {word for word in word_bag(text) if domains_of(word) & near}
    return frozenset(_KIND_OF.get(word, word) for word in words) - _GENERAL


def parts_with_tool(first: Clause, new: str) -> bool:
    """Return whether a thing goes that somebody does something with: who sells the piano may play another one.

    The same with a word of two senses: who stops running has the bakery that they run.
    """
    if matches(_RUNS_IT, first.text) and matches(_RUNS_NO_MORE, new):
        return True
    if not matches(_PARTED, new):
        return False
    does = _DOES.search(first.text)
    # "Sold my guitar; I am learning the drums" tells what is done instead.
    return does is not None and not word_bag(does[0]) & word_bag(new)


def _is_another(head: str, old: str, new: str) -> bool:
    """Return whether the word before a thing tells two apart: the vet appointment, the dentist appointment."""
    before, after = _describing(head, old), _describing(head, new)
    return bool(before and after) and not before & after


@lru_cache(maxsize=16_384)
def _describing(head: str, text: str) -> frozenset[str]:
    found = re.search(rf"(?<![\w'-])([\w-]+) {re.escape(head)}\b", text, re.IGNORECASE)
    return word_bag(found[1]) - PLAIN - _PLAIN_BEFORE if found is not None else frozenset()


def _is_part(old: str, head: str, text: str) -> bool:
    """Return whether a thing that `old` does not name belongs to one that it names: the plugin of the editor.

    News may be told without any word of what it changes: "the puffers went in the bin".
    """
    match = _SUBJECT.match(text)
    whole = _WHOLE.match(text, match.end()) if match is not None else None
    described = word_bag(" ".join(m[0] for m in (match, whole) if m is not None)) - word_bag(head) - PLAIN
    if described & word_bag(old):
        return True
    if matches(ENDED, text) or any(matches(begun, text) for begun in BEGUN.values()):
        return False
    if kinds_of(text) and not kinds_of(old):
        return True  # "the rent went up to 950" is no news of where somebody lives
    return whole is not None or not domains_of(head) & domains_of(old)


def _is_by_the_way(old: str, first: Clause, clause: Clause) -> bool:
    """Return whether a thing only has to do with what `old` tells: the gym that a person goes to."""
    changed, subject = _things_of(clause)
    if not _is_said(subject, old):
        return _is_part(old, subject, clause.text)
    does = bool(first.subject) and not first.possessive
    return does and not (changed or matches(ENDED, clause.text) or is_same_kind(old, clause.text))


def changes_thing(old: str, new: str) -> bool:
    """Return whether `new` says of a thing that `old` names by its word that somebody changed or left it."""
    said = word_bag(old)
    heads = (_head(match["noun"], coloured=matches(_COLOURED, new)) for match in _OBJECTS[0].finditer(new))
    return any(head and word_bag(head) <= said for head in heads)


def _has_other_complement(old: str, new: str) -> bool:
    """Return whether both name a thing with another addition: "the meeting with Ana", "the meeting with Bruno"."""
    before = _complements(old)
    after = _complements(new) if before else {}
    return any(key in after and not before[key] & after[key] for key in before)


@lru_cache(maxsize=16_384)
def _complements(text: str) -> dict[tuple[str, str], frozenset[str]]:
    out: dict[tuple[str, str], frozenset[str]] = {}
    for match in _COMPLEMENT.finditer(without_values(text)):
        added = word_bag(match["any"] or match["some"])
        for head in word_bag(match["head"]) if added else ():
            out[head, match["of"] or match["in"]] = added
    return out


def _is_told_apart(first: Clause, clause: Clause) -> bool:
    """Return whether somebody whose name is told only does something: "my boss is Eva", "my boss is on holiday"."""
    named = _IS_NAMED.match(first.rest) if first.possessive else None
    if named is None or matches(ENDED, clause.text) or matches(_GIVEN_UP, clause.text):
        return False
    head = named["head"].rsplit(" ", 1)[-1].lower()
    subject = clause.kin if clause.kin and not clause.possessive else _subject_of(clause)
    return head == subject.lower()


@lru_cache(maxsize=16_384)
def _things_of(clause: Clause) -> tuple[tuple[str, ...], str]:
    """Return the nouns of what a clause changes, and that of its subject when it is a thing."""
    coloured = matches(_COLOURED, clause.text)
    changed: tuple[str, ...] = ()
    for pattern in _OBJECTS:
        changed = changed or tuple(_head(m["noun"], coloured=coloured) for m in pattern.finditer(clause.text))
    return tuple(filter(None, changed)), _subject_of(clause)


def _subject_of(clause: Clause) -> str:
    if not clause.possessive and (clause.kin or clause.text.startswith("The user only ")):  # "only" is no thing
        return ""
    match = _SUBJECT.match(clause.text)
    if clause.possessive and clause.subject != USER:
        match = _SUBJECT.match(f"the {clause.rest}")
    return _head(match["noun"]) if match is not None else ""


def _head(noun: str, *, coloured: bool = False) -> str:
    """Return the noun that the others only describe, the last one."""
    words = [word for word in noun.split() if word_bag(word) - PLAIN]
    if coloured and len(words) > 1 and "colour" in domains_of(words[-1]):
        words.pop()
    return words[-1] if words else ""


def _is_in(head: str, old: str) -> bool:
    """Return whether a statement speaks of a thing: by its word, or by the part of life that it alone belongs to."""
    return _is_said(head, old) or bool((domains_of(head) & domains_of(old)) - BROAD)


def _is_said(head: str, old: str) -> bool:
    """Return whether a statement holds the word of a thing, or the kind of value that it is."""
    stems = word_bag(head)
    kinds = {_ASPECTS[stem] for stem in stems if stem in _ASPECTS}
    return stems <= word_bag(old) or "" in kinds or bool(kinds & kinds_of(old))


_PASSING = regex(
    r"\bthe assistant(?:'s| is)(?: now| just| still)? \w+ing\b"
    r"|^(?!.*\b(?:again|no longer|any ?more|instead|from now on|every|on \w+days?)\b).*"
    r"(?:\b(?:is|are|was) (?:now |just )?having (?:an? |some )?(?:coffee|tea|drink|beer|breakfast|lunch|dinner|nap)\b"
    r"|\b(?:gonna|going to|about to|having|eating|drinking|making|grabbing) (?:\w+ )?(?:an?|some|my|the|their) [^.;]*"
    r"\b(?:right now|in a (?:minute|moment|bit)|later today|tonight)\b)",
    re.IGNORECASE,
)


def is_passing(text: str) -> bool:
    """Return whether the assistant is only busy, or the user about to have something: neither changes what they are."""
    return matches(_PASSING, text)


def only_moves(old: str, text: str) -> bool:
    """Return whether a thing is only put somewhere else, and `old` does not say where it is: "moved the car"."""
    if not matches(_MOVES, text):
        return False
    moved = _MOVES.search(text)
    if (
        moved is not None
        and moved["what"].lower() not in _HOUSEHOLD
        and any(s.attribute == "home" for s in slots_of(old))
    ):
        return True
    return moved is not None and bool(domains_of(moved["what"]) & _THINGS) and not matches(_WHERE, old)
