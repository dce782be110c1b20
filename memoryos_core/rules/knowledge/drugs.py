"""Names of medicines, what may stand beside one, and which ones are taken for the same."""

from __future__ import annotations

import re
from typing import Literal

from memoryos_core.rules.text.words import regex

__all__ = [
    "AMOUNT",
    "BY_DOSE",
    "DOSE",
    "DOSED",
    "DRUG",
    "DRUG_ALONE",
    "DRUG_TAKEN",
    "FORM",
    "FORMS",
    "GIVEN_TO_ME",
    "GIVER",
    "GROUP",
    "IS_SUPPLY",
    "LASTS",
    "PUT_BY_ANYBODY",
    "STOPS",
    "SUPPLEMENT",
    "SUPPLY",
    "compare_doses",
    "is_of_group",
    "is_taken_instead",
    "names_dose",
    "with_amount",
]

# Names of medicines end alike all over the world. Those of a line are taken for the same.
_ENDINGS = (
    ("pressure", r"olol|[a-z]pril|sartan|dipine|tiazem|apamil|semide|thiazide|azosin"),
    ("cholesterol", r"statin"),
    ("sugar", r"formin|gliptin|gliflozin|glutide|glitazone"),
    ("mood", r"oxetine|traline|alopram|faxine|triptyline|tazapine"),
    ("stomach", r"prazole|[aio]tidine"),
    ("clots", r"xaban|parin"),
    ("joints", r"trexate|flunomide|salazine|chloroquine|thioprine|mumab"),
    ("sleep", r"azepam|azolam"),
    ("psychosis", r"tiapine|anzapine|peridone"),
    ("seizures", r"trigine|racetam|azepine|gabalin"),
    ("hormones", r"trozole|oxifen"),
    ("pain", r"tamol|profen|coxib|fenac|codone|madol"),
    ("allergy", r"tadine|rizine"),
    ("cortisone", r"nisolone|nisone|methasone|sonide"),
    ("", r"mycin|cillin|cycline|floxacin|nazole|thyroxine|triptan|dronate|lukast|mab|limus|oprost|afil|losin|steride"
     r"|tinib|c[iy]clovir|pezil|mantine|darone|nercept|eterol|oterol|tropium|morphone|oprim"),
)  # fmt: skip
_NAMES = (
    ("sugar", r"insulin|gliclazide|glimepiride|ozempic"),
    ("mood", r"prozac|zoloft|antidepressants|bupropion"),
    ("cholesterol", r"lipitor|statins"),
    ("clots", r"warfarin|clopidogrel|blood[ ]thinners"),
    ("pressure", r"beta[- ]blockers|spironolactone"),
    ("focus", r"ritalin|adderall|methylphenidate|lisdexamfetamine"),
    ("seizures", r"gabapentin|topiramate|valproate"),
    ("", r"aspirin|lithium|xanax|levodopa|digoxin|colchicine|allopurinol|salbutamol|codeine|morphine"
     r"|naproxen"),
)  # fmt: skip
DRUG = rf"(?:[a-z]{{2,}}(?:{'|'.join(endings for _, endings in _ENDINGS)})|{'|'.join(names for _, names in _NAMES)})"
# What is taken as a medicine is, with a dose or without one, and is no medicine in other sentences.
SUPPLEMENT = (
    r"(?:iron|ferrous [a-z]{6,10}|folic acid|vitamin (?:[a-k]\d{0,2}|complex)|b ?12|magnesium|zinc|calcium|melatonin"
    r"|omega[- ]3|fish oil|cod liver oil|creatine|probiotics|hrt)"
)
_USES = tuple(
    (use, regex(pattern, re.IGNORECASE))
    for use, pattern in (
        ("iron", r"(?:iron|(?:.* )?ferrous [a-z]+)$"),
        *((use, rf"[a-z]{{2,}}(?:{endings})$") for use, endings in _ENDINGS if use),
        *((use, rf"(?:{names})$") for use, names in _NAMES if use),
    )
)
_NUMBER = r"\d+(?:[.,]\d+)?"
_INSULIN = (
    r"(?:insulin|humalog|humulin|hypurin|novorapid|novolog|novomix|lantus|levemir|tresiba|toujeo|fiasp|apidra"
    r"|abasaglar|basaglar|lyumjev|semglee)"
)
_OFTEN = (
    r"(?=[.,;:!)]|$| (?:daily|nightly|weekly|an?|per|each|every|once|twice|three|two|at|in|on|before|after|with|for|and"
    r"|but|or|now|since|because|as|when|from|again|these|this|morning|night|tablets?|pills?)\b)"
)
# A name of any kind with its dose behind it: "Leflunomide, 10 mg"; only insulin is taken by the unit.
BY_DOSE = (
    r"(?:(?!(?:about|around|over|under|just|only|another|roughly|nearly|almost|these|those|every|twice|daily|maybe"
    r"|exactly|which|water|vitamin|sugar|caffeine|protein|creatine|where|there|their|first|under|still|after|before"
    rf"|until)\b)(?:(?=(?i:{_INSULIN}),? (?:at )?{_NUMBER} ?(?:units?|iu)\b)"
    rf"|(?=[A-Za-z]+,? (?:at )?{_NUMBER} ?(?:mg|mcg|µg|micrograms?|milligrams?)\b))[A-Za-z][a-z]{{4,20}},? (?:at )?"
    rf"{_NUMBER} ?[a-zµ]+\b{_OFTEN})"
)
# What may stand behind a medicine that is taken: not "insulin jokes", nor "losartan on the price list".
DRUG_ALONE = (
    r"(?=[.,;:!)]|$| (?:and|or|but|because|since|as|so|for|to|with|at|when|while|until|before|every|last|this|after"
    r"|which|today|yesterday|now|again|in place of|instead|due|ages|in (?:\d{4}|(?-i:[A-Z]))|on (?:\w+day|the \d)|a few"
    r"|two|three|twice|once|\d+)\b)"
)
# Behind "I take metformin", also how often and in which form.
DRUG_TAKEN = (
    rf"(?:{DRUG_ALONE}|(?= [(&+–-])|(?= (?:daily|nightly|weekly|monthly|each|per|a day|a week|in|by|via|from|if|of late"
    r"|regularly|most|still|only|too|also|tablets?|pills?|capsules?|injections?|inhaler|patch(?:es)?|supplements?|shots?|jabs?"
    r"|therapy|treatment|medication|long[- ]term|permanently|together|alongside|along|plus|on|under|then|though"
    r"|right|currently|morning|night|sometimes|occasionally|[sxem]r|xl)\b))"
)
FORMS = r"(?:tablets?|pills?|capsules?|inhalers?|injections?|patch(?:es)?|drops|sprays?)"
_UNIT = r"(?i:mg|mcg|µg|micrograms?|milligrams?|ml|units?|iu)"
# How much of a medicine: "5 mg", and "5" alone where nothing stands behind that it could count.
AMOUNT = (
    rf"{_NUMBER}(?: ?{_UNIT}\b|(?<![1-9][.,]\d\d)(?![\w%]|[.,:]\d)(?=[.,;!]|$| (?:now|daily|nightly|a day|in the|at"
    r" night|as (?:of"
    r"|from)|from"
    r"|since|once|twice|and (?!a half)|so|but|because|each|every|this|last|today|yesterday|tomorrow|starting"
    r"|instead)\b))"
)
# The dose behind a medicine; a number alone may count other things behind a comma.
DOSED = rf"(?: (?:at )?{AMOUNT}|, (?:at )?{_NUMBER} ?{_UNIT}\b)"
# What somebody takes that is known by its dose, or that is no medicine of a doctor: "vitamin D every morning".
DOSE = rf"(?P<v>{BY_DOSE}|(?i:{SUPPLEMENT}){DOSED}?{DRUG_TAKEN})"
# A stop that lasts, with the end of its clause, a time or a reason behind it.
LASTS = r"(?! for (?!good|ever)| (?:to|on) (?:the|a) (?!\d))"
FORM = rf"(?: (?:{FORMS}|medication))?"
STOPS = rf"{FORM}\b{LASTS}(?:{DRUG_ALONE}|(?= (?:completely|altogether|entirely|early|immediately|straight|then)\b))"
# What is finished may be a box of it.
SUPPLY = r"(?:delivery|box|prescription|refill|repeat|pharmacy|chemist|needs?|orders?|packet|more)"
IS_SUPPLY = regex(rf"\b(?:{DRUG}|{SUPPLEMENT}){FORM}(?:'s| is| are| has) finished\b[^.?!]*\b{SUPPLY}\b", re.IGNORECASE)
# Whoever gives a medicine, up to the verb: nothing stands between that could deny it.
GIVER = (
    r"(?:^|[.,;] |\b(?:and|but|so|because|since|that) )(?:(?:last|this|on) \w+,? |(?:yesterday|today|finally),? )*"
    r"(?:(?:my|the|our|a) )?(?:(?:new|old|own|local) )?(?:doctors?|doc|dr|gp|psych|nurse|consultant|specialist"
    r"|[a-z]+ologist|[a-z]+iatrist|midwife|physician|pharmacist|hospital|clinic|surgery|they|i|we"
    r"|(?-i:Dr\.? [A-Z])[\w-]+)"
    r"(?:'ve|'s| has| have| had| been| was| got| just| now| also| then| finally| recently| already| last week)* "
)
# "Started me on metformin", "the heart man upped one and put me on apixaban": what was thought of only is left out.
PUT_BY_ANYBODY = (
    r"^(?!.*(?:n't\b|\b(?:not|never|may|might|could|would|should|if|want\w*|think\w*|thought|nearly|almost|offer\w*"
    r"|suggest\w*|talk\w*|refus\w*|wonder\w*|going to|back in|years ago|said|says?|told"
    r"|claim\w*|hop(?:e|es|ed|ing)|afraid|heard|read|used to|as an? \w+|when i was|vet"
    r"|dream\w*)\b))[^.?!;]{0,80}?(?<!to )\b"
)
# "I've been given metformin", but not what somebody was given once on a day in hospital.
GIVEN_TO_ME = (
    r"^(?!.*\b(?:hospital|ambulance|a&e|surgery|operation|op|theatre|drip|dentist|last night|not|never|n't|once)\b)"
    r"(?:(?:and|so|oh|also|well|update),? )*i(?:'ve| have) (?:just |now |also |finally )*been"
    r" (?:given|prescribed|(?:put|started) on)"
)
# Not "instead at breakfast", which is another time of the day; "instead of X" names what is gone.
_INSTEAD = regex(r"\binstead(?=[.,;!]|$| (?:now|since|because|as|from)\b)", re.IGNORECASE)
_INSTEAD_OF = regex(r"\binstead of (?:(?:the|my|their|his|her|taking|old) )*(?P<old>[\w-]+)", re.IGNORECASE)


def is_taken_instead(old: str, new: str, said: str) -> bool:
    """Return whether a statement says that a medicine takes the place of another one, and both are for the same."""
    if (named := _INSTEAD_OF.search(said)) is not None:
        return named["old"].lower() in old.lower().split()
    return _INSTEAD.search(said) is not None and not _uses_of(old).isdisjoint(_uses_of(new))


_AMOUNT_OF = regex(rf"(?<![\w-])(?P<amount>{_NUMBER}) ?(?P<unit>{_UNIT}?)\b", re.IGNORECASE)
_PART_OF_DAY = regex(
    r"\b(?:morning|noon|midday|lunch|afternoon|tea ?time|evening|night|bed|am|pm|weekend)", re.IGNORECASE
)
_NOW = regex(r"\b(?:now|instead|from now on|new dose|these days)\b", re.IGNORECASE)


def compare_doses(old: str, new: str, before: str, said: str) -> Literal["replaces", "repeats"] | None:
    """Compare two values of medicine by their doses; None where they name two medicines, or doses that go together.

    `before` and `said` are the statements that they stand in: one dose in the morning and another one at night hold
    both, until one is told with a word of a change.
    """
    (one, first), (other, second) = _with_dose(old), _with_dose(new)
    if one != other:
        return None
    if second is None or first == second or (first and (first[0] == second[0] and not (first[1] and second[1]))):
        return "repeats"
    beside = first and _PART_OF_DAY.search(before) and _PART_OF_DAY.search(said) and not _NOW.search(said)
    return None if beside else "replaces"


_TO_DOSE = regex(rf"\b(?P<what>{DRUG})\b[^.;!?]{{0,30}}?\b(?:to|at|is) (?:now )?{AMOUNT}", re.IGNORECASE)
_GONE = regex(r"\b(?:off|stop\w*|quit|swap\w*|switch\w*|instead|longer|discontinu\w*|gone(?! (?:up|down)))\b", re.I)


def names_dose(old: str, new: str) -> bool:
    """Return whether news gives a dose of a medicine that is taken by `old`, and stops none."""
    doses = {found["what"].lower() for found in _TO_DOSE.finditer(new)}
    return bool(doses) and not doses.isdisjoint(old.lower().rstrip(".").split()) and not _GONE.search(new)


def _with_dose(medicine: str) -> tuple[str, tuple[str, str] | None]:
    """Return a medicine without its dose, and the dose: ("ramipril", ("5", "mg"))."""
    found = _AMOUNT_OF.search(medicine)
    if found is None:
        return medicine.lower(), None
    name = f"{medicine[: found.start()]} {medicine[found.end() :]}".lower().replace(" of ", " ")
    return " ".join(name.split()), (found["amount"].replace(",", "."), found["unit"].lower()[:2])


def _uses_of(medicine: str) -> frozenset[str]:
    name = _with_dose(medicine)[0]
    return frozenset(use for use, names in _USES if names.match(name) or names.match(name.rsplit(" ", 1)[-1]))


GROUP = r"(?:iron|statins|antidepressants|blood thinners|beta[- ]blockers)"
_IS_GROUP = regex(rf"{GROUP}$", re.IGNORECASE)


def is_of_group(medicine: str, group: str) -> bool:
    """Return whether the second name is that of a group to which the medicine belongs: "iron", "statins"."""
    return _IS_GROUP.match(group) is not None and not _uses_of(medicine).isdisjoint(_uses_of(group))


# ------------------------------------------------------------------------------------------------ doses of marks

_CHANGED = regex(
    r",? (?:is |was |went )?(?:(?:up|down|back|cut|raised|lowered|from \S+(?: ?m?c?g)?) )*to (?=\d)", re.IGNORECASE
)
_APART = regex(r"(?:,| (?:is|are|at|of))+ (?=\d)", re.IGNORECASE)  # "sertraline, 25", "levothyroxine is 75 mcg"
_WAY = regex(r"(?: (?:up|down|back|to))+$", re.IGNORECASE)
_AMOUNT_BESIDE = (
    r"(?P<amount>\d+(?:\.\d+)?\b(?: ?(?:m?c?g|ml|iu|units|micrograms?)\b)?)"
    r"(?! ?(?:pounds?|quid|euros?|dollars?|bucks|pence|p|%|percent|a box)\b)"
)
_TO_AMOUNT = regex(
    r"(?:'s| (?:is|was|has|had|been|being|now|going|gone|goes|went|put|moved|raised|upped|increased|doubled|bumped"
    rf"|lowered|reduced|cut|dropped|up|down|back))* to {_AMOUNT_BESIDE}(?! (?!now\b|from\b|since\b|a day\b)[a-z]+s\b)"
    r"(?! people\b)",
    re.IGNORECASE,
)
_AMOUNT_BEFORE = regex(rf"\b{_AMOUNT_BESIDE} of (?:the |my )?$", re.IGNORECASE)
_AMOUNT_BEHIND = regex(
    rf",? {_AMOUNT_BESIDE}(?=[.,;!?]|$| (?:to (?:begin|start)|a day|once|twice|at (?:night|bedtime|noon)"
    r"|in the (?:morning|evening)|daily|every)\b)",
    re.IGNORECASE,
)


def with_amount(medicine: str, before: str, behind: str) -> str:
    """Return a medicine with the amount that stands in it or right beside it: "100 of the sertraline"."""
    medicine = _WAY.sub("", _APART.sub(" ", _CHANGED.sub(" ", medicine)))
    if any(map(str.isdigit, medicine)):
        return medicine
    found = _TO_AMOUNT.match(behind) or _AMOUNT_BEHIND.match(behind) or _AMOUNT_BEFORE.search(before)
    return medicine if found is None else f"{medicine} {found['amount']}"
