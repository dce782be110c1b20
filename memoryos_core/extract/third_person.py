"""English first-person statements in the third person: "I live in Lisbon" becomes "Tom lives in Lisbon".

Only what can be turned word by word is turned. Everything else is quoted: `Tom said: "…"`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from memoryos_core.extract.quotations import CLOSES, MARKS, OPENS, QUOTATION
from memoryos_core.rules.text.names import names_nobody
from memoryos_core.rules.text.words import regex

_COUNTRY, _NUMERAL = "US", "I"
_NUMBERED = frozenset(("book", "part", "phase", "volume", "chapter", "type", "class", "war", "act", "level"))
_TOKEN = regex(r"[^\W_]+(?:['-][^\W_]+)*|\s+|[^\w\s]|_")
_LIKELY_VERB = regex(r"[a-z]{2,15}\Z")
_FIRST_PERSON = regex(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|(?<!the )(?<!a )(?<!coal )(?<!gold )mine|myself|we|we're|us|our|ours|ourselves"
    r"|lets?'s)\b",
    re.I,
)

_SPEAKER = regex(
    r"\b(?:I|I'm|I've|I'd|I'll|[Mm]y|[Ww]e|[Ww]e're|[Ww]e've|[Oo]ur)\b"
)  # "me" and "i" are words elsewhere, too

_UNCHANGED_TEXT = """
    can could will would should shall must may might can't cannot couldn't won't wouldn't shouldn't mustn't had
    cannae dinnae wouldnae couldnae willnae
    hadn't did didn't was wasn't used ought became began bent bet bit bled blew bought bound broke brought broadcast
    built burnt burst came cast caught chose clung cost crept cut dealt drank drew dreamt drove dug ate fell fed
    felt fought found fled flew forbade forgot forgave froze gave got grew hung heard hid hit held hurt kept knew
    laid leapt learnt led left lent let lit lost made meant met mistook overcame overheard paid put quit ran rang
    read rebuilt redid rewrote rode rose said sang sat saw sent set sewed shook shone shot showed shrank shut slept
    slid sold sought spent spilt spoke spoilt split spread sprang stole stood struck stuck stung swam swept swore swung
    taught thought threw told took tore trod understood upset went wept withdrew woke won wore wound wrote
"""
_UNCHANGED = frozenset(_UNCHANGED_TEXT.split())
_IRREGULAR = {
    "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "go": "goes", "don't": "doesn't",
    "been": "has been", "gone": "has gone",
    "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't", "ain't": "isn't",
}  # fmt: skip
_NOT_PAST_TEXT = "need feed speed proceed succeed exceed breed bleed embed seed weed heed"
_NOT_PAST = frozenset(_NOT_PAST_TEXT.split())
_ADVERBS_TEXT = """
    also always just never lowkey highkey literally often still ever even now then really so too usually sometimes
    rather hardly almost no longer only quite pretty kinda soon already ever both all both once twice somehow first
    finally
"""
_ADVERBS = frozenset(_ADVERBS_TEXT.split())
_CONTRACTED = {"'m": "am", "'ve": "have", "'ll": "will", "'re": "are"}
_PAST_AFTER_HAD = regex(  # a participle, or what is had: "We'd a boat"
    r"(?:been|had|gone|done|seen|better|known|forgotten|(?![a-z]+eed)[a-z]+ed|said|told|got|bought|brought"
    r"|thought|found|made|taken|given|written|lost|left|met|heard|kept|felt|caught|sold|spent|taught|built|begun|chosen"
    r"|driven|eaten|fallen|grown|spoken|stolen|worn|broken|held|paid|sent|meant|slept|an?|no|the|my|our|some|\d+|two"
    r"|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|sixty)\Z"
)
_AUXILIARIES_TEXT = "am are is was were do does did have has had can could will would should may might must"
_AUXILIARIES = frozenset(_AUXILIARIES_TEXT.split())
_COMMON_TEXT = """
    accept add agree answer appreciate ask aim attend avoid bake believe bike bring build buy call care carry check
    choose clean climb collect compare connect consider cook create dance decide design dream draw drink drive eat
    encourage enjoy expect exercise explore express feel find focus follow get give go grow hang have hear help hike
    hope include inspire keep know learn like listen live look love make manage mean meet miss move need offer own
    paint perform plan play practice practise prefer promote provide read relax remember remind rent reply respond
    run save say see sell share sing sit skate sleep spend start stay stop study support swim take talk teach tell
    think travel trust try understand use value visit volunteer walk want watch wear wish work worry write
"""
_COMMON = frozenset(_COMMON_TEXT.split())


def third_form(verb: str) -> str:
    """Return a verb that follows "I" as it stands after a name; past forms and auxiliaries stay."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb in _UNCHANGED or (verb.endswith("ed") and verb not in _NOT_PAST):
        return verb
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def has_verb(clause: str) -> bool:
    """Return whether the clause has a verb of a sentence: "six years of drawing pipes" has none."""
    words = (w.lower() for w in _TOKEN.findall(clause) if w[:1].isalpha())
    return any(_is_finite(word) for word in words)


def _is_finite(word: str) -> bool:
    if "'" in word or word in _AUXILIARIES or word in _UNCHANGED or word in _IRREGULAR or word in _COMMON:
        return True
    return word.endswith("ed") or (word.endswith("s") and (word[:-1] in _COMMON or word[:-2] in _COMMON))


def is_past(verb: str) -> bool:
    """Return whether the form can only follow "I" as a past tense."""
    if verb in _AUXILIARIES or "'" in verb:
        return False
    return (verb in _UNCHANGED or verb.endswith("ed")) and verb not in _NOT_PAST and third_form(verb) == verb


_LEAST_LETTERS = 5


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (
        len(word) >= _LEAST_LETTERS and word.endswith("ly") and word not in ("rely", "apply", "reply", "supply")
    )


@dataclass(slots=True)
class _Turning:
    """One statement on its way into the third person."""

    tokens: list[str]
    name: str
    other: str | None
    out: list[str] = field(default_factory=list[str])
    named: bool = False
    mentioned: bool = False
    safe: bool = True

    def words_before(self, at: int) -> str:
        for token in reversed(self.tokens[max(0, at - 2) : at]):
            if not token.isspace():
                return token.lower()
        return ""

    def is_pit(self, at: int) -> bool:
        """Return whether "mine" is where coal is dug: "they work at the mine"."""
        return self.tokens[at].lower() == "mine" and self.words_before(at) in _PITS

    def opens_clause(self, at: int) -> bool:
        """Return whether the "and" before a word opens a clause: "it rains and I stay", unlike "Mom and I stay"."""
        before = self.tokens[:at]
        return "," in before[-5:] or any(_is_finite(token) for token in before if token.islower() and "'" not in token)

    def verb_from(self, at: int) -> str:
        """The first word from this place on that is no adverb: "like" of "just like"."""
        words = (token.lower() for token in self.tokens[at:] if not token.isspace())
        return next((word for word in words if word == "better" or not _is_adverb(word)), "")

    def next_word(self, at: int) -> int:
        """The place of the next token that is no space, or the end."""
        while at < len(self.tokens) and self.tokens[at].isspace():
            at += 1
        return at


def possessive(name: str) -> str:
    """Return the name with its possessive ending."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


# What is true of several and not of one: "we're all dentists", "we rely on one another".
_OF_SEVERAL = regex(
    r"we(?:'\w+| are| have| were)? (?:both|all)\b|we(?:'\w+)? [^.!?]{0,80}\b(?:each ?other|one another)\b"
    r"|we(?:'re|'ve been| are| were| have been) (?:\w+ ){0,2}(?:teams|friends|buddies|siblings|twins|neighbou?rs"
    r"|colleagues|(?:room|class|team|flat)mates|opposites|partners)\b(?! with\b)",
    re.IGNORECASE,
)


def _subject(turning: _Turning, at: int) -> int:
    """Write "I" or "we", with its verb, in the third person; return the place after it."""
    word, _, tail = turning.tokens[at].lower().partition("'")
    before = turning.words_before(at)
    if before in _AUXILIARIES or word not in ("i", "we"):
        turning.safe = False
        return at + 1
    plural = turning.named or (before == "and" and not turning.opens_clause(at))
    subject = turning.name if not turning.named else "they"
    turning.safe = turning.safe and (plural or _OF_SEVERAL.match("".join(turning.tokens[at:])) is None)
    turning.named = True
    turning.out.append(subject.capitalize() if subject == "they" and before in (".", "!", "?") else subject)
    at += 1
    if tail:
        return _write_contraction(turning, at, tail, plural=plural)
    while True:
        verb_at = turning.next_word(at)
        if verb_at >= len(turning.tokens):
            turning.safe = turning.safe and subject == "they"
            return at
        verb = turning.tokens[verb_at].lower()
        if not _is_adverb(verb):
            break
        turning.out.extend(turning.tokens[at : verb_at + 1])
        at = verb_at + 1
    if verb not in _IRREGULAR and verb not in _UNCHANGED and not _LIKELY_VERB.match(turning.tokens[verb_at]):
        # "I, too, live there", "Mom and I": the verb is not to be found.
        turning.safe = turning.safe and plural
        return at
    turning.out.extend(turning.tokens[at:verb_at])
    turning.out.append(_agree(verb, plural=plural))
    if not plural and verb in _COMMON:
        return _turn_second_verb(turning, verb_at + 1)
    return verb_at + 1


_SLANG = {"gotta": "have to", "wanna": "want to", "gonna": "are going to"}


def _agree(verb: str, *, plural: bool) -> str:
    if verb in _SLANG:
        first, _, rest = _SLANG[verb].partition(" ")
        return f"{_agree(first, plural=plural)} {rest}"
    if plural:
        return {"am": "are", "was": "were", "wasn't": "weren't"}.get(verb, verb)
    return third_form(verb)


def _write_contraction(turning: _Turning, at: int, tail: str, *, plural: bool) -> int:
    if tail == "d":
        verb = "had" if _PAST_AFTER_HAD.match(turning.verb_from(at)) else "would"
    else:
        verb = _CONTRACTED.get("'" + tail, "")
    if not verb:
        turning.safe = False
        return at
    turning.out.append(" " + _agree(verb, plural=plural))
    if verb == "am" and not plural:
        _turn_verb_behind_state(turning, at)
    return at


_GOES_ON_WITH_TEXT = "in at on for with as near from the a an my our here there every"
_GOES_ON_WITH = frozenset(_GOES_ON_WITH_TEXT.split())
_ENDS_STATE = frozenset([",", ";", ".", "to", "that", "who", "which", "when", "i", "we", "you", "they"])


def _turn_verb_behind_state(turning: _Turning, at: int) -> None:
    """Turn the verb of "I'm from Poland but live in Spain", where what stands behind it shows that it is one."""
    for place in range(at, min(at + _COORDINATED_WITHIN, len(turning.tokens))):
        if turning.tokens[place].lower() in _ENDS_STATE:
            return
        verb_at = turning.next_word(place + 1)
        after = turning.next_word(verb_at + 1)
        if turning.tokens[place].lower() in ("and", "but") and after < len(turning.tokens):
            verb = turning.tokens[verb_at]
            if verb in _COMMON and turning.tokens[after].lower() in _GOES_ON_WITH:
                turning.tokens[verb_at] = third_form(verb)
            return


_COORDINATED_WITHIN = 24


def _turn_second_verb(turning: _Turning, at: int) -> int:
    """Turn the verb of "I cook and bake", as far as the clause has no other verb that it could go with."""
    for place in range(at, min(at + _COORDINATED_WITHIN, len(turning.tokens))):
        token = turning.tokens[place].lower()
        if (
            token in ("to", "that", "who", "which", "when", "help", "let", "make", "i", "we", "you", "they", "if")
            or token in _AUXILIARIES
        ):
            return at
        verb_at = turning.next_word(place + 1)
        if token in ("and", "or", "but") and verb_at < len(turning.tokens):
            verb = turning.tokens[verb_at]
            after = turning.next_word(verb_at + 1)
            if verb in _COMMON and after < len(turning.tokens) and turning.tokens[after] not in (".", ",", "!"):
                turning.tokens[verb_at] = third_form(verb)
            return at
    return at


_PITS = frozenset(("the", "a", "this", "that", "coal", "gold", "copper", "iron", "salt", "old", "diamond", "lithium"))
_OBJECTS = {
    "me": "them",
    "us": "them",
    "myself": "themselves",
    "ourselves": "themselves",
    "mine": "theirs",
    "ours": "theirs",
}


def _rewrite(turning: _Turning) -> str | None:
    at = 0
    quoted = False
    while at < len(turning.tokens):
        token = turning.tokens[at]
        lower = token.lower()
        if token in MARKS:
            quoted = token in OPENS and not quoted and any(t in CLOSES for t in turning.tokens[at + 1 :])
        if quoted or token in MARKS:  # the words of another person stay theirs
            turning.out.append(token)
            at += 1
            continue
        # "Book I" cannot be told from "I": such a sentence is quoted.
        turning.safe = turning.safe and not (token == _NUMERAL and turning.words_before(at) in _NUMBERED)
        if lower in ("i", "we") or lower.startswith(("i'", "we'")):
            at = _subject(turning, at)
            continue
        if lower in ("my", "our"):
            # After "Tom's sister", an "I" is still "Tom": "they" could be the sister.
            turning.out.append("their" if turning.named or turning.mentioned else possessive(turning.name))
            turning.mentioned = True
        elif lower in _OBJECTS and token != _COUNTRY and not turning.is_pit(at):
            # "It won't be me", "four of us left": the name alone would say something else.
            turning.safe = turning.safe and turning.words_before(at) not in ("be", "of" if lower == "us" else "be")
            known = turning.named or turning.mentioned
            called = possessive(turning.name) if lower in ("mine", "ours") else turning.name
            turning.out.append(_OBJECTS[lower] if known else called)
            turning.mentioned = True
        elif lower in ("you", "your", "yours", "yourself") or lower.startswith("you'"):
            at = _other(turning, at)
            continue
        else:
            turning.out.append(token)
        at += 1
    return "".join(turning.out) if turning.safe else None


# "I said Stan you're on oxygen", "there's a dinner you need a jacket for": the hearer is another one, or anybody.
_TO_OTHERS = regex(
    r"\b(?:(?:said|told|says?|goes|asked)(?: (?-i:[A-Z])\w+,?)?|there(?:'s| is| are) [^,.;]*) $", re.IGNORECASE
)


_MACHINE, _WORDS_LOOKED_AT = "the assistant", 12  # tokens, spaces among them


def _is_anybody(turning: _Turning, at: int) -> bool:
    """Return whether "you" to an assistant is nobody in particular, or somebody else."""
    before, here = turning.tokens[:at], turning.tokens[at : at + _WORDS_LOOKED_AT]
    return turning.other == _MACHINE and names_nobody("".join(before), "".join(here))


_OPENS_CASE = ("when", "whenever", "if", "time")  # "every time you quote"
_ASKS_FOR = ("can", "could", "would", "will")


def _other(turning: _Turning, at: int) -> int:
    """Write "you", with its verb, as the name of the hearer; return the place after it."""
    other, lower = turning.other, turning.tokens[at].lower()
    verb_at = turning.next_word(at + 1)
    verb = turning.tokens[verb_at] if verb_at < len(turning.tokens) else ""
    forms = {} if other is None else {"you": other, "you're": f"{other} is"}
    if other is not None:
        forms["you'd"] = f"{other} {'had' if _PAST_AFTER_HAD.match(turning.verb_from(at + 1)) else 'would'}"
        forms.update(dict.fromkeys(("your", "yours"), possessive(other)))
    if (
        lower not in forms
        or verb.lower() in ("two", "guys", "all", "both", "and")
        or _TO_OTHERS.search("".join(turning.tokens[:at]))
        or _is_anybody(turning, at)
    ):
        turning.safe = False
        return at + 1
    turning.out.append(forms[lower])
    if lower != "you":
        return at + 1
    if (
        verb in _IRREGULAR
        or (turning.words_before(at) in _OPENS_CASE and _LIKELY_VERB.match(verb) and not _is_adverb(verb))
        or (verb in _COMMON and not turning.words_before(at).endswith(("help", "let", "make", "see", *_ASKS_FOR)))
    ):
        turning.out.extend((" ", third_form(verb)))
        return verb_at + 1
    return at + 1


def tell(sentence: str, name: str, other: str | None, *, known: bool = False) -> str | None:
    """Return the sentence in the third person, or None where that is not safe.

    `other` is the second person. `known`: the name stands before the sentence already.
    """
    turning = _Turning(_TOKEN.findall(sentence), name, other, named=known, mentioned=known)
    text = _rewrite(turning)
    if text is None or _FIRST_PERSON.search(QUOTATION.sub("", text)):
        return None
    return text[:1].upper() + text[1:]


def is_first_person(text: str) -> bool:
    """Return whether somebody speaks of themselves in an English text."""
    return _SPEAKER.search(text) is not None


def quote(sentence: str, name: str) -> str:
    """Return the sentence as the words of the speaker."""
    return f'{name} said: "{sentence.strip()}"'
