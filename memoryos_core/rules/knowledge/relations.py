"""Read the relation that a clause states: the value that something has under a verb, and what somebody has.

Pets and vehicles, and that all of a kind are gone: "sold both my cars". Who somebody is: "my manager is Farida".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryos_core.rules.dates.calendar import MONTH_NAMES
from memoryos_core.rules.knowledge.heads import ANIMAL
from memoryos_core.rules.knowledge.trimming import is_no_value, trim_value
from memoryos_core.rules.text.words import fold_case, regex

__all__ = [
    "FAMILY",
    "NO_NAME",
    "ROLE",
    "Relation",
    "concerns_upkeep",
    "find_all_gone",
    "find_another",
    "find_holder",
    "find_own_pet",
    "find_parted_with",
    "find_people",
    "may_be_held_by_many",
    "name_pet",
    "names_person",
    "parts_with_some",
    "plain_head",
    "relation_of",
    "role_of",
    "typed_relation_of",
]


@dataclass(frozen=True, slots=True)
class Relation:
    """The value that a statement gives to `head` under a verb. `head` is lower case, without an article."""

    head: str
    verb: str
    value: str
    many: bool


_BECOMES = (
    r"is|are|am|was|were|has been|have been|costs?|runs?|starts?|begins?|ends|takes? place|falls?|reached|averages?"
    r"|lasts|lasted|last(?! (?:week|month|year|night|time|summer|winter|spring|autumn|few|\w+day))"
    r"|equals?|says?|shows?|ist|sind|est|sont|es|son|kostet|coûte|cuesta"
    r"|has (?:grown|increased|risen|improved|dropped|fallen|changed|shifted|expanded) to"
    r"|(?:grew|increased|rose|dropped|fell|went up|went down|changed|shifted|improved|expanded|extended) to"
    r"|(?:was|is|has been|got|were) (?:moved|changed|extended|shortened|postponed|pushed|brought forward|raised|lowered"
    r"|adjusted|increased|reduced|updated|upgraded|cut|rescheduled|set|shifted)(?: back| forward)?(?: from"
    r" [^,]{1,30})? (?:to|until|for|at)"
)
_COPULA = regex(rf"\s(?P<verb>(?:now |currently |will (?:now )?)?(?:{_BECOMES}|be))\s(?P<value>\S[^\n]{{0,200}})$")
_VALUE_OPENS = regex(
    r"^(?:now |currently |again |also |still |just |actually |down |up |already )*(?:to |at )?"
    r"(?:(?:planned|scheduled|set|due|booked|fixed)(?: (?:for|on|at|in))? |at |on |for |in |by "
    r"|(?:moved|changed|postponed|pushed|brought|rescheduled|shifted|delayed)(?: back| forward)? (?:to|until|for) )?"
)
# "was born in the city of", "is a citizen of", "is located in": the words between the verb and the value.
_PASSIVE = regex(
    r"\s(?P<verb>(?:is|are|was|were) (?P<word>(?:(?:an?|the) )?[a-z-]+(?: [a-z-]+)?) (?P<prep>in|by|of|to|with|at|for"
    r"|on|from|as))(?P<kind> the [a-z]+(?: [a-z]+)? of)? (?P<value>\S[^\n]{0,160})$"
)
# "speaks the language of", "plays the position of": a verb whose object says what kind of value follows.
_TYPED = regex(
    r"\s(?P<verb>[a-z]+(?:s|ed)(?: in| at| for| to)?)(?P<kind> the (?!rest|end|middle|kind|sort|lot|most|some|idea"
    r"|importance|power|beauty|same|opportunity|joy)[a-z]+(?: [a-z]+)? of) (?P<value>\S[^\n]{0,160})$"
)
# Something happens once, or a thing has one at a time.
_ONCE_TEXT = """
    born died founded created developed written located headquartered situated educated performed produced directed
    composed invented discovered published released named based owned built designed painted affiliated associated
    recorded sung played authored established started manufactured buried killed crowned elected wed married engaged
    employed led run managed coached ruled governed edited broadcast hosted designed filmed set formed signed drawn
    illustrated translated introduced made written-down spoken raised
"""
_ONCE = frozenset(_ONCE_TEXT.split())
_ONE_OF_TEXT = """
    capital author founder citizen member-state headquarters mayor president director chairperson head chief
    spouse native resident inhabitant owner creator inventor language currency king queen leader
"""
_ONE_OF = frozenset(_ONE_OF_TEXT.split())
_KNOWN_FOR = frozenset(("famous", "known", "best known", "best-known"))
_SEVERAL_TEXT = """
    hobby hobbies friend friends pet pets cat cats dogs kid kids son daughter sister brother cousin colleague
    sisters brothers allergy allergies interest interests goal goals dream dreams language languages skill skills
    idea ideas problem passion book film movie song favourites likes dislikes habit habits part parts one thing things
    example advice tip reason issue question point concern plan challenge instruction request patience update
"""
_SEVERAL = frozenset(_SEVERAL_TEXT.split())
_RELATIVE = regex(r"\b(?:where|that|who|which)\b")
_DETERMINER = regex(
    r"^(?:the|a|an|my|our|your|his|her|their|this|that|mein|meine|le|la|les|mon|ma|mes|el|los"
    r"|las|mi|der|die|das|l'|and|so|now|also|actually|sorry|no|wait|correction|oh|well|ok|okay|please"
    r"|note)[,:]?\s+",
    re.IGNORECASE,
)
_HERE = regex(r" (?:here|there|now|currently)$")  # "the house here" is the house
_MODAL = regex(r" (?:has|have|had|got|needs?|must|ought)(?: got)? to$| must$", re.IGNORECASE)
# "They have reached 85 %" tells of nothing that has a name; "my favourite one" is one of what was spoken of.
_SAYS_NOTHING = regex(r"^(?:it|s?he|they|we|i|you|there|wh(?:ich|o|at)|that) |favou?rite ones?\b| (?:and|to)$|\bdid ")
_NO_HEAD_TEXT = (
    "it that this there he she they we i you what who which these those one everything nothing something user the"
)
_NO_HEAD = frozenset(_NO_HEAD_TEXT.split())


def relation_of(text: str) -> Relation | None:
    """Return the relation that a clause states, or None."""
    passive = _PASSIVE.search(text) or _TYPED.search(text)
    if passive is not None and (relation := _passive(text, passive)) is not None:
        return relation
    match = _COPULA.search(text)
    if match is not None and _RELATIVE.search(text, 0, match.start()):
        # "The university where she was educated is X": the first verb is that of the relative clause.
        match = _COPULA.search(text, match.end("verb")) or match
    if match is None:
        return None
    head = plain_head(_MODAL.sub("", text[: match.start()]))
    last = _HERE.sub("", head).rsplit(" ", 1)[-1]
    verb = match["verb"].removeprefix("now ").removeprefix("currently ").split(" ")[0]
    if not head or head in _NO_HEAD or _SAYS_NOTHING.search(head) or head.count(" ") > _LONGEST_HEAD:
        return None
    value = trim_value(_VALUE_OPENS.sub("", match["value"], count=1))
    if not value or is_no_value(last, value) or is_no_value(last, match["value"]):
        return None
    return Relation(head, _VERBS.get(verb, "is"), value, last in _SEVERAL and " of " not in head)


_LONGEST_HEAD = 12  # spaces; a longer one is a sentence
_VERBS = {"starts": "start", "start": "start", "begins": "start", "begin": "start", "ends": "end", "end": "end"}


def typed_relation_of(text: str) -> Relation | None:
    """Return a relation whose verb names the kind of the value: "plays the position of goalkeeper"."""
    match = _TYPED.search(text)
    return _passive(text, match) if match is not None else None


def plain_head(text: str) -> str:
    """Return a head in lower case without its article."""
    out = text.strip(" ,.:;")
    for _ in range(3):
        out = _DETERMINER.sub("", out)
    return out.lower()


def _passive(text: str, match: re.Match[str]) -> Relation | None:
    head = plain_head(text[: match.start()])
    groups = match.groupdict()
    word = (groups.get("word") or "").strip()
    plain = re.sub(r"^(?:an?|the) ", "", word)
    last = plain.rsplit(" ", 1)[-1]
    kind = (groups["kind"] or "").removeprefix(" the ").removesuffix(" of")
    one = last in _ONCE or plain in _KNOWN_FOR or last in _ONE_OF or (bool(kind) and last not in {"a", "part", "one"})
    if not head or head in _NO_HEAD or not one:
        return None
    verb = " ".join(part for part in (match["verb"], kind) if part)
    value = trim_value(match["value"])
    return Relation(head, verb, value, many=False) if value else None


_PET = regex(
    r"(?!(?:\w+ )?(?:hot|clothes|rocking|vaulting|charley|high|dark|trojan|toy|stuffed|plush|robot|ninja|pommel) )"
    rf"(?:[\w-]+ ){{0,2}}{ANIMAL}(?: (?:called|named) .+)?",
    re.IGNORECASE,
)
_ONE_MORE = regex(r"^(?:second|third|new|other|little) (?=\w)")
_OWN_ANIMAL = rf"(?:[Mm]y|[Oo]ur|[Tt]he user's) (?:(?!late\b)[a-z][\w-]* ){{0,2}}?(?P<kind>{ANIMAL})"
_MY_PET = regex(
    rf"{_OWN_ANIMAL},? (?:(?:is )?(?:an? [\w-]+ )?(?:called|named) )?(?P<name>[A-ZÀ-Þ][\w'-]+)"
    # "Chutney, our indie dog, met us", "There's Bramble for company, my border terrier."
    rf"|(?:(?:[Aa]nd|[Tt]here's|[Tt]here is|[Tt]hen) )*(?P<pet>[A-ZÀ-Þ][\w'-]+)(?: for company)?,"
    rf" {_OWN_ANIMAL.replace('kind', 'animal')}(?=[.,!;]|$| (?:who|whom|that|is|was|has|and)\b)"
)
_PET_GONE = regex(r"\b(?:died|dead|passed|put down|put to sleep|gone|ran away|rehomed|lost|missing|used to|was)\b")
_PETS = frozenset(("pets", "animals"))
_KINDS = rf"(?P<kind>pets|animals|(?=\w+s\b){ANIMAL}|cars|vehicles|motorbikes|motorcycles|bikes|bicycles)"
_NO_MORE = r"(?: (?:any ?more|any longer|at all|left|now|these days|at the moment))*"
_MONTH = rf"(?:{'|'.join(MONTH_NAMES)}|(?:Spring|Summer|Autumn|Winter)(?=[.,;!]|$))"
# Nothing may follow that says where or when only, or what is left: "no cats in the bedroom", "no pets but Rex".
_ENDS = (
    rf"(?=[.,;!]|$| (?:since|because|so|and|but|after|last|this|in (?:\d{{4}}|(?-i:{_MONTH}))"
    r"|years? ago|\w+ (?:days|weeks|months|years) ago|yesterday|today|recently|for good)\b)"
)
_HAS_NONE = (
    r"(?:(?:do(?:es)? not|no longer) (?:have|has|own|owns|keep|keeps)(?: any| an?(?= car\b))?"
    r"|(?:have|has|own|owns|keep|keeps) no(?: more)?)"
)
_GAVE = (
    r"(?:(?:had to |have |has )?(?:sold|sell|gave away|give away|given away|got rid of|get rid of|rehomed|rehome"
    r"|scrapped|traded in) (?:both|all)(?: of)? (?:the|my|our|their|his|her))"
)
_NONE_LEFT = regex(
    rf"(?:(?:sadly|now|also|finally|just|recently|currently) )*"
    rf"(?:{_HAS_NONE} {_KINDS.replace('cars|', 'cars?|')}{_NO_MORE}|{_GAVE} {_KINDS.replace('kind', 'parted')}){_ENDS}",
    re.IGNORECASE,
)
_OF_KIND = regex(rf"\b(?:no|any|both|all) (?:more |of )?(?:(?:the|my|our|their|his|her) )?{_KINDS}\b", re.IGNORECASE)
_IN_PART = regex(
    r"\b(?:officially|technically|legally|on paper|in theory|except|besides|apart from|aside from|other than)\b"
    r"|\bbut (?!(?:I|we|they|he|she|it|that|the user|maybe|now|will|would|might|may|am|is|are|want|hope|plan|miss)\b)"
    rf"|, (?:just|only) |\bsave (?:for |(?-i:[A-ZÀ-Þ]))|\bin (?!(?-i:{_MONTH})\b)(?-i:[A-ZÀ-Þ])",
    re.IGNORECASE,
)
_ONE_OF_KIND = regex(
    rf"\b(?:one|some|two|three) of (?:the|my|our|their|his|her|the user's) (?:\w+ )?{_KINDS}\b", re.IGNORECASE
)
_ALL_GONE = regex(
    rf"(?:both|all)(?: of)?(?: (?:the|my|our|their|the user's))?(?: two| three| four| five)? {_KINDS}"
    r" (?:(?:have|has|are|just|both|all|now|sadly) )*(?:died|dead|passed(?: away)?|gone|ran away"
    r"|(?:been )?(?:rehomed|sold|stolen))\b",
    re.IGNORECASE,
)
_UPKEEP = fold_case(
    rf"\b(?:(?:motor)?bike|motorcycle|car|van|vehicle|pet|{ANIMAL}) (?:loans?|payments?|instal?lments?|insurance|debts?"
    r"|tax|keys?|problems?|troubles?|worries|parking|park|seats?|food|sitter|walker|allergy|allergies|hair)\b",
)
_SOLD = regex(
    r"\b(?:sold|selling|gave|given|gone|stolen|stole|rid|scrapped|traded|died|rehomed|crashed)\b", re.IGNORECASE
)


def name_pet(value: str) -> str | None:
    """Return a possession as a pet, without "second" or "new"; None for anything else."""
    return _ONE_MORE.sub("", value) if _PET.fullmatch(value) is not None else None


def find_own_pet(text: str) -> str | None:
    """Return the pet that a clause names as the user's own: "my cat Pixel hates it"."""
    pet = _MY_PET.match(text)
    if pet is None or _PET_GONE.search(text) is not None:
        return None
    return f"{(pet['kind'] or pet['animal']).lower()} {pet['name'] or pet['pet']}"


def find_parted_with(said: str) -> tuple[str, str] | None:
    """Return the attribute and the kind of which nothing is left by what is said behind a subject."""
    found = _NONE_LEFT.match(said)
    return None if found is None else _attribute_of_kind(found["kind"] or found["parted"])


def find_all_gone(text: str) -> tuple[str, str] | None:
    """Return the attribute and the kind of which a clause says that all are gone: "both cats died"."""
    found = _ALL_GONE.match(text)
    return None if found is None else _attribute_of_kind(found["kind"])


def _attribute_of_kind(named: str) -> tuple[str, str]:
    kind = named.lower()
    is_pet = kind in _PETS or _PET.fullmatch(kind) is not None
    return ("pet" if is_pet else "vehicle"), kind


def parts_with_some(text: str) -> bool:
    """Return whether pets or vehicles are said to be gone in part only: "no pets but Rex", "sold both cars in GTA"."""
    return (_OF_KIND.search(text) is not None and _IN_PART.search(text) is not None) or (
        _ONE_OF_KIND.search(text) is not None
    )


def concerns_upkeep(text: str) -> bool:
    """Return whether a statement is about what goes with a pet or a vehicle, and about neither: "no car loan"."""
    return _UPKEEP.search(text) is not None and _SOLD.search(text) is None


# ------------------------------------------------------------------------------------------------ who it is

# Roles that one person has at a time.
ROLE = (
    r"landlord|landlady|boss|manager|supervisor|adviser|advisor|therapist|dentist|doctor|gp|physio|vet|hairdresser"
    r"|barber|accountant|lawyer|coach|trainer|tutor|teacher|captain|chair|president|treasurer|director|headteacher"
    r"|cleaner|nanny|childminder|babysitter|caretaker|flatmate|roommate|tenant|lodger|deputy|assistant|mayor"
    r"|pa?ediatrician|midwife|(?:neuro|cardio|dermato|onco)logist|psychiatrist|psychologist|counsell?or|orthodontist"
    r"|optician|solicitor|health visitor|team lead|consultant"
)
FAMILY = (
    r"(?:mother|father|sister|brother|son|daughter)-in-law|(?:step|grand|half-)?(?:mother|father|sister|brother|son"
    r"|daughter)|mum|mom|dad|grandma|grandpa|gran|nan|aunt|uncle|cousin|niece|nephew|wife|husband|partner|girlfriend"
    r"|boyfriend|fianc[eé]e?|best (?:friend|mate)|mentor|neighbou?r|housemate|godmother|godfather|goddaughter|godson"
)
_IS_ROLE = regex(rf"(?P<one>{ROLE})|{FAMILY}", re.IGNORECASE)
_TITLE = r"(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Doctor|Sir|Dame|Coach|Father|Rabbi|Imam)"
# Capitals that begin no name: days, dates, peoples, titles alone, and who speaks.
NO_NAME = (
    rf"(?!(?:{'|'.join(MONTH_NAMES)})(?: \d|'s\b)|(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Christmas|Easter|I|I'm"
    rf"|I'll|I've|OK|The|{_TITLE}|French|German|Dutch|Greek|Swiss|Czech|Thai|Welsh|Iraqi|Chinese|Japanese|Portuguese|Vietnamese"
    r"|Irish|English|British|Scottish|Polish|Danish|Swedish|Finnish|Spanish|Turkish|Jewish|Muslim|Catholic|Christian"
    r"|Hindu|Sikh|Buddhist|Indian|Italian|Russian|American|Canadian|Australian|Brazilian|Mexican|African|Asian|Korean"
    r"|Nigerian|Iranian|Persian|Ukrainian|Hungarian|Romanian|Austrian|Norwegian|Belgian|Egyptian|Colombian|European)\b)"
)
_NAME = (
    rf"(?:{_TITLE}\.? )?{NO_NAME}[A-ZÀ-Þ][a-zß-ÿ][\w-]*"
    rf"(?: (?:(?:de|van|von|der|bin|al|el) )?{NO_NAME}[A-ZÀ-Þ][\w-]+){{0,2}}"
)
# "The user met their tutor Sana": nobody else is named before.
_OWN = (
    r"(?:\b(?:[Mm]y|[Oo]ur|[Tt]he user's)|^The user [a-z' ]{1,40}?\btheir) "
    r"(?:(?:new|current|older|elder|oldest|eldest|younger|youngest|big|little|twin) )*"
)
_PERSON = regex(
    rf"{_OWN}(?P<role>(?i:{ROLE}|{FAMILY}))\b(?: (?:at|from|in) (?:[\w-]+ ){{0,2}}[\w-]+,)?"
    r"(?:(?:'s name is| is called| is named),?| called| named|,)? "
    rf"(?P<name>{_NAME})(?!'s\b|\u2019s\b|\w)"
)
_IS_PERSON = regex(rf"^(?P<name>{_NAME}) is (?:[Mm]y|the user's) (?P<role>(?i:{ROLE}|{FAMILY}))(?=$|[.,;]| and\b)")
_HAS_PERSON = regex(rf"^(?:I have|The user has) an? (?P<role>{FAMILY}|child) (?:called|named) (?P<name>{_NAME})")
_ANOTHER = regex(
    rf"(?:\b(?:I|[Ww]e|[Tt]he user)|^(?P<whose>{_NAME}))(?:'ve|['\u2019]s| have| has| had)?"
    r"(?: just| finally| also| now)? (?:(?:changed|switched)(?: my| our| their)?|(?:got|found|hired|have|has)"
    rf" (?:an?|another) (?:new|different)) (?P<role>(?i:{ROLE}))s?,?(?: and)?"
    r"(?: (?:it's|it is|(?:he|she)(?:'s| is)(?: called)?|called|named|to))?,? "
    rf"(?P<name>{_NAME})(?!'s\b|\u2019s\b|\w)"
)
# "From April I report to Ms. Fernandes": one has one boss at a time.
_REPORTS = regex(
    r"\b(?:I|[Tt]he user)(?:'ll|\u2019ll| will| am| is)?(?: now| also)? report(?:s|ing)?"
    r" to (?!God\b|HR\b|Parliament\b|Congress\b)"
    rf"(?P<name>{_NAME})(?!'s\b|\u2019s\b|\w)(?! (?:and|or) [A-Z])"
)
_PERSONS = rf"(?:{_NAME}|(?:dr|mr|mrs|ms|prof)\.? [a-zß-ÿ'-]+)"  # with a title in small letters, too
_IS_NOW = regex(
    rf"\b(?P<whose>)(?:[Mm]y|[Oo]ur|[Tt]he user's) (?P<role>(?i:{ROLE})) is"
    rf" (?:now (?P<name>{_PERSONS})(?!'s\b|\w)|(?P<other>{_PERSONS}) now\b)"
)
# "Oskar is my manager now", "Oskar took over from Ann as my manager".
_TAKES_ROLE = regex(
    rf"(?:^|\b(?:and|so|but) )(?P<name>{_NAME})(?P<takes>(?: has| is| will)? (?:(?:took|taken|taking|take) over"
    rf"(?: from {_NAME})?|(?:replaced|replacing) {_NAME}) as )?(?(takes)| is (?P<now>now )?)"
    rf"(?:[Mm]y|[Oo]ur|[Tt]he user's) (?P<new>(?:new|current) )?(?:line )?(?P<role>(?i:{ROLE}))"
    r"(?(takes)\b|(?(new)|(?(now)| now)))(?=$|[.,;!]| (?:now|and|since|from (?!the|my)|as of)\b)"
)
_HOLDER = regex(
    rf"^(?P<name>{_NAME}) (?:is|(?P<not>is (?:no longer|not)|was)) (?:[Mm]y|[Oo]ur|[Tt]he user's) (?:line )?"
    rf"(?P<role>(?i:{ROLE}))(?(not)(?: any ?more| any longer| until\b.*)?)$"
)
_TOGETHER = regex(
    rf"^(?P<name>{_NAME}) & I are (?:(?:now|officially|finally|also) )*(?:together|official|an? (?:couple|item)|dating"
    r"|exclusive|going out)(?=[.,!;]|$| (?:now|again|since|as of|at last)\b)"
)
_BEGINS_WITH_NAME = regex(_PERSONS)
_LEFT = regex(
    r"\b(?:moved out|died|passed away|divorced|separated|left|leaves|is leaving|quit|retired|was (?:fired|sacked)"
    r"|used to be (?:my|our|their))\b"
)
_NAMES_THEM = regex(r"\b(?:now|called|named|name is)\b", re.IGNORECASE)


def find_people(text: str) -> Iterator[tuple[str, str]]:
    """Yield each role that a person of the user's has in a statement, in lower case, and the name: "boss", "Dave"."""
    for pattern in (_PERSON, _IS_PERSON, _HAS_PERSON) if _LEFT.search(text) is None else ():
        yield from ((found["role"].lower(), found["name"]) for found in pattern.finditer(text))


def find_another(text: str) -> tuple[str, str, str] | None:
    """Return whose role a statement gives to another person than before, "" for the user's, the role and the name."""
    if (found := _ANOTHER.search(text) or _IS_NOW.search(text)) is not None:
        return found["whose"] or "", found["role"].lower(), found["name"] or found["other"]
    if (found := _TAKES_ROLE.search(text)) is not None:
        return "", found["role"].lower(), found["name"]
    reports = _REPORTS.search(text)
    return None if reports is None else ("", "boss", reports["name"])


def find_holder(text: str) -> tuple[str, str, bool] | None:
    """Return the role or "relationship" that a clause tells, with whom, and whether they have it no more."""
    if (pair := _TOGETHER.match(text)) is not None:
        return "relationship", f"together with {pair['name']}", False
    found = _HOLDER.match(text)
    return None if found is None else (found["role"].lower(), found["name"], found["not"] is not None)


def role_of(attribute: str) -> str | None:
    """Return the role that an attribute names: "boss", or "boss's name"; None for one that names no role."""
    role = attribute.removesuffix("'s name").removesuffix("\u2019s name")
    return role if _IS_ROLE.fullmatch(role) is not None else None


def may_be_held_by_many(role: str) -> bool:
    """Return whether several people may have a role at once: sisters, but not landlords."""
    found = _IS_ROLE.fullmatch(role)
    return found is not None and found["one"] is None


def names_person(value: str, said: str) -> bool:
    """Return whether what somebody of a role is said to be is a name: "Dr Wu", but not "great" or "French".

    In small letters only where the statement says that it is a name, or who it is now.
    """
    if _BEGINS_WITH_NAME.match(value) is not None:
        return True
    return value.islower() and " " not in value and _NAMES_THEM.search(said) is not None and f"on {value}" not in said
