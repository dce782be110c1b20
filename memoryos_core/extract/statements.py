"""The facts that a page states, by rules alone: atomic, in the third person, dated and typed (issue 14, point 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryos_core.extract import statement_clauses as clauses
from memoryos_core.extract import statement_kinds as kinds
from memoryos_core.extract import statement_languages as languages
from memoryos_core.extract import statement_subjects as subjects
from memoryos_core.extract import third_person
from memoryos_core.extract.antecedents import companions_in, with_antecedent, with_arrival, with_occasions
from memoryos_core.extract.findings import FoundFact
from memoryos_core.extract.marks import Told
from memoryos_core.extract.people import with_same_subject
from memoryos_core.extract.plain_statements import with_plain_statements
from memoryos_core.extract.quotations import own_words, without_material
from memoryos_core.extract.speakers import Speaker, speaker_of
from memoryos_core.extract.statement_clauses import clauses_of, sentences_of
from memoryos_core.extract.statement_subjects import with_subject
from memoryos_core.extract.statement_worth import (
    OPENS_WITH_NAME,
    gives_field,
    is_fragment,
    tells_news,
    tells_short_news,
    with_appointments,
    worth,
)
from memoryos_core.extract.tagged_statements import facts_marked
from memoryos_core.extract.wishes import beside_wishes
from memoryos_core.rules.knowledge import cancellations, nicknames
from memoryos_core.rules.knowledge.cancellations import calls_off, is_bare_cancellation, keeps_day
from memoryos_core.rules.knowledge.corrections import correction_in, is_bare_correction
from memoryos_core.rules.knowledge.instructions import is_asked_for_all, is_of_one, is_of_wish
from memoryos_core.rules.knowledge.job_ends import ends_another_thing
from memoryos_core.rules.knowledge.measures import kinds_of
from memoryos_core.rules.knowledge.moments import shift_in, with_new_days
from memoryos_core.rules.knowledge.news import takes_back
from memoryos_core.rules.knowledge.orders_by_language import asks_for_text
from memoryos_core.rules.knowledge.other_languages import take_apart
from memoryos_core.rules.knowledge.persons_apart import are_appointments
from memoryos_core.rules.knowledge.rescheduling import denies_last, is_revival
from memoryos_core.rules.knowledge.swaps import swap_in
from memoryos_core.rules.text.spelling import is_english, write_out
from memoryos_core.rules.text.words import regex, terms
from memoryos_core.values.dialogue import HALVES, Half, Page
from memoryos_core.values.facts import About, FactKind

_FACTS_OF_A_MESSAGE, _FACTS_OF_A_MACHINE = 6, 2
_LEAST_WORTH, _LEAST_WORTH_TO_JOIN = 0.5, 0.7
_LEAST_WORDS, _MOST_WORDS, _WORDS_OF_A_RUN = 3, 60, 30
_WORDS_OF_TWO_SENTENCES, _WORDS_OF_AN_ANSWER = 18, 7
# An assistant is told of a matter at length, two people chat.
_WORDS_OF_TWO_FOR_AN_ASSISTANT, _LONGEST_TOPIC = 24, 160
_YOU = regex(r"(?:(?:and|but|so|now|then|yes|yeah|ok|okay|look|well),? )*you\b", re.IGNORECASE)
# A value of its own, which other facts replace: it never shares a fact.
_ALONE: frozenset[FactKind] = frozenset(("instruction", "identity", "preference"))


@dataclass(frozen=True, slots=True)
class _Draft:
    """A clause, as it was said.

    `hangs`: its subject stands in the sentence before; `leans`: its object does. `follows`: the clause before is its
    reason, or it gives one.
    `question`: what it answers. `quoted`: it is told in the words of the speaker.
    """

    said: str
    kind: FactKind
    worth: float
    hangs: bool = False
    leans: bool = False
    follows: bool = False
    question: str | None = None
    quoted: bool = False

    def takes(self, other: _Draft, most: int) -> bool:
        """Return whether the other clause can go on this one."""
        if not other.hangs and not _ALONE.isdisjoint((self.kind, other.kind)) and not other.follows:
            return False
        both, is_whole = (self.said, other.said), not other.leans or OPENS_WITH_NAME.match(other.said)
        if self.kind == "instruction" and is_fragment(other.said):
            return False
        if not other.hangs and (all(map(gives_field, both)) or (is_whole and are_appointments(*both))):
            return False  # the home may change, and the studies stay; one appointment may be called off alone
        return self.said.count(" ") + other.said.count(" ") + 2 <= most

    def joined(self, other: _Draft, joint: str) -> _Draft:
        """Return both as one."""
        head = self.said if joint == " " else self.said.rstrip(".!")
        kind = other.kind if self.kind == "state" or other.kind in _ALONE else self.kind
        return _Draft(f"{head}{joint}{other.said}", kind, max(self.worth, other.worth) + 0.2)


def facts_of_page(
    page: Page,
    names: Mapping[About, str],
    before: Sequence[str] = (),
    *,
    called: str | None = None,
    known: Sequence[str] = (),
) -> list[FoundFact]:
    """Return the facts that both halves of the page state, in order; one that is said again comes again.

    `names` says what the messages call the two sides. A side without a name is "the user" or "the assistant". Of an
    assistant without a name only what it says about itself or promises is kept. `before` is what the user said and was
    asked right before; `called` a name of the user that is understood, and told in no fact. `known` are texts of facts.
    """
    given: dict[About, str] = {**names, "assistant": subjects.signature(page, names.get("assistant", ""))}
    sides: dict[Half, Speaker] = {half: speaker_of(half, given, called or "") for half in HALVES}
    found: list[FoundFact] = []
    asked = ""
    for half in HALVES:
        speaker, other = sides[half], sides["assistant" if half == "user" else "user"]
        said = [m.text for m in page.messages if m.half == half and m.role in ("user", "assistant")]
        said = [without_material(text) for text in said] if half == "user" else said
        typed = said = [text[: 2 * clauses.READ_CHARS] for text in said]  # written out it may be shorter, not by half
        whole, beside = "\n".join(said), "\n".join(m.text for m in page.messages if m.half != half)
        said, language = _written_out(said, whole, beside)
        parts = [sentences_of(text) for text in said]
        if language == "en":
            # A text of others is one message; several in a row are statements.
            read = [s for part in parts if not (other.is_machine and clauses.is_pasted(part)) for s in part]
            if half == "user" and other.is_machine:
                read = list(beside_wishes(list(with_antecedent(read, before)), whole))
            drafts = [
                *_short_answer(asked, read, speaker, other),
                *_with_topic(read, other, before),
                *_drafts(read, speaker, other, before),
            ]
        else:
            read = [s for part in parts for s in part]
            drafts = [] if speaker.is_machine else list(_foreign_drafts(read, language))
        asked = read[-1] if read else ""
        if speaker.address is not None and other.address is not None:
            nick = nicknames.names_called(said, other.name, speaker.name)
            found += [FoundFact(other.half, nicknames.tell(other.name, n), (page.id,), kind="identity") for n in nick]
        for draft in _worth_telling(drafts, speaker, len(said), beside, whole):
            about, told = _tell(draft, speaker, other)
            when, kind = _moment_of(draft, page.timestamp, language)
            found.append(FoundFact(about, told, (page.id,), when, kind="instruction" if is_of_wish(told) else kind))
        if half == "user" and language == "en" and other.is_machine:
            own = [(text, part) for text, part in zip(typed, parts, strict=True) if not clauses.is_pasted(part)]
            rest = Told((speaker.name, called or speaker.name), tuple(f.text for f in found if f.about == half), known)
            marked = list(facts_marked(page, own, (speaker.name, other.name), rest))
            wishes = [frozenset(terms(one.text)) for one in marked if is_asked_for_all(one.text)]
            is_told = [fact.about == half and _is_said_in(fact, speaker, wishes) for fact in found]
            found = [fact for fact, again in zip(found, is_told, strict=True) if not again] + marked
    return found


def _is_said_in(fact: FoundFact, speaker: Speaker, wishes: Sequence[frozenset[str]]) -> bool:
    """Return whether a fact only tells a wish again: "Keep replies short unless the user asks."."""
    if fact.text.casefold().startswith(speaker.name.casefold()) or is_of_wish(fact.text):
        return False
    return any(frozenset(terms(fact.text)) - _OF_ANY_FACT <= wish for wish in wishes)


_OF_ANY_FACT = frozenset(terms("the user their they them"))


def _written_out(said: list[str], whole: str, beside: str) -> tuple[list[str], str]:
    """Return what one side said, in English with its short forms in full, and the language of it."""
    if is_english(whole, languages.language_of, beside):  # "im 28" is, though "im" alone would be German
        return [write_out(text) for text in said], "en"
    return said, languages.language_of(whole)


def _worth_telling(drafts: list[_Draft], speaker: Speaker, messages: int, beside: str, whole: str) -> list[_Draft]:
    """Return what one side tells; an assistant that was asked for a text tells what it promises beside it alone."""
    if not speaker.is_machine:
        return _best(drafts, _FACTS_OF_A_MESSAGE * messages)
    if asks_for_text(beside):
        drafts = [draft for draft in drafts if cancellations.promises_beside(draft.said, beside, whole)]
    return _best(drafts, _FACTS_OF_A_MACHINE)


def _moment_of(draft: _Draft, now: datetime, language: str) -> tuple[datetime | None, FactKind]:
    """Return when what a draft tells is, and its kind; what is off, or stays on its day, has no time of its own."""
    said = languages.dated_sentence(draft.said, now) if language == "en" else draft.said
    when = languages.time_of(said, now, language, ahead=kinds.is_ahead(said, draft.kind))
    if when is None or keeps_day(draft.said) or (draft.kind == "instruction" and " like " in draft.said):
        return None, draft.kind
    if calls_off(draft.said) and cancellations.may_be_ahead(draft.said, when, now):
        return None, "change" if draft.kind == "plan" else draft.kind
    return when, draft.kind


def _best(drafts: list[_Draft], most: int) -> list[_Draft]:
    """Return the drafts that are worth most, in order."""
    best = sorted(range(len(drafts)), key=lambda i: (-drafts[i].worth, i))[:most]
    return [drafts[i] for i in sorted(best)]


def _tell(draft: _Draft, speaker: Speaker, other: Speaker) -> tuple[About, str]:
    """Return whom the draft is about, and its text in the third person."""
    if draft.question:
        how = "asked" if draft.question.endswith("?") else "after"
        return speaker.half, _capital(f'{how} "{draft.question}", {third_person.quote(draft.said, speaker.name)}')
    if draft.quoted:
        return speaker.half, _capital(third_person.quote(draft.said, speaker.name))
    reminder = clauses.reminder_in(draft.said)
    told = third_person.tell(reminder, speaker.name, other.name, known=True) if reminder else None
    if told is not None:
        return speaker.half, _capital(f"{speaker.name} wants to be reminded {told[:1].lower()}{told[1:]}")
    role = clauses.role_given(draft.said) if other.is_machine else None
    if role is not None:
        return other.half, _capital(f"{other.name} is {role}")
    order = clauses.order_given(draft.said)
    wish = third_person.tell(order, speaker.name, other.name, known=True) if order else None
    if wish is not None:
        return speaker.half, _capital(f"{speaker.name} wants {other.name} to {wish[:1].lower()}{wish[1:]}")
    told = third_person.tell(draft.said, speaker.name, other.name) or third_person.quote(draft.said, speaker.name)
    about = other.half if _YOU.match(draft.said) and told.startswith(other.name) else speaker.half
    return about, _capital(told)


_WITHIN = regex(r"(?<=\w\w[.!?] )the (?=user\b|assistant\b)")


def _capital(text: str) -> str:
    """Return the text as a sentence: a clause that was cut out of one has no stop of its own."""
    text = _WITHIN.sub("The ", text)
    return text[:1].upper() + text[1:] + ("." if text[-1:].isalnum() else "")


def _drafts(read: list[str], speaker: Speaker, other: Speaker, before: Sequence[str]) -> Iterator[_Draft]:
    """Return the drafts of an English half, in order."""
    last: _Draft | None = None
    most = _WORDS_OF_TWO_FOR_AN_ASSISTANT if other.is_machine else _WORDS_OF_TWO_SENTENCES
    told_to_machine = with_appointments(with_occasions(with_new_days(kinds.with_kin(with_same_subject(read)))))
    prepared = with_plain_statements(told_to_machine, before) if other.is_machine else read
    for sentence in _with_value(with_arrival(prepared)):
        told = moves = False
        asks = kinds.is_request(sentence, to_machine=True) if other.is_machine else clauses.is_advice(sentence)
        quotable = not (speaker.is_machine or sentence.endswith(("?", ":")) or asks)
        # It stays whole: in the third person "no wait, I misread it" is no correction.
        back = quotable and (
            (takes_back(sentence) and kinds.kind_of(sentence) != "instruction") or _hangs_on_last(sentence)
        )
        for number, clause in enumerate(() if back else clauses_of(sentence)):
            draft = _draft(clause, speaker, other)
            hangs = not number and draft is not None and draft.hangs
            moves = hangs and quotable and last is not None and _gives_new_day(last.said, sentence)
            joined = None if moves else _join(last, draft, clause if number else None, most)
            if joined is not None:
                last, told = joined, True
                continue
            if last is not None and last.worth >= _LEAST_WORTH:
                yield from _with_companion(last)
            last = None if draft is None or draft.hangs else draft
            told = told or (last is not None and last.worth >= _LEAST_WORTH)
        short = quotable and not told and (tells_short_news(sentence) or is_revival(sentence))
        if back or moves or short or (quotable and not told and tells_news(sentence)):
            if last is not None and last.worth >= _LEAST_WORTH:
                yield from _with_companion(last)  # before what may replace it
            last = None
            named = not back and OPENS_WITH_NAME.match(sentence) is not None and not subjects.is_unresolved(sentence)
            said = clauses.trim(sentence, other.address) if named else sentence
            yield _Draft(said, "change", _LEAST_WORTH, quoted=not named)
    if last is not None and last.worth >= _LEAST_WORTH:
        yield from _with_companion(last)


def _with_topic(read: list[str], other: Speaker, before: Sequence[str]) -> Iterator[_Draft]:
    """Return what opens a message and says nothing alone, "350 a month", with what the user said right before it."""
    if not (read and before and other.is_machine and is_fragment(read[0])):
        return
    topic = before[0].rstrip(".!")
    is_said = 0 < len(topic) <= _LONGEST_TOPIC and not topic.endswith(("?", ":"))
    # What opens with an amount itself is of something that was said still earlier.
    is_said = is_said and not is_fragment(clauses.trim(topic, None), with_verb=True)
    if is_said and not kinds.is_request(topic, to_machine=True):
        yield _Draft(read[0].rstrip(".!"), "state", _LEAST_WORTH, question=topic)


def _hangs_on_last(sentence: str) -> bool:
    """Return whether a sentence is a new day or an end and nothing else; what it is of was said before."""
    new = correction_in(sentence)
    is_told = new is not None and new.day is not None and bool(new.instead) and "'t " in sentence
    return (
        is_told
        or swap_in(sentence) is not None
        or is_bare_correction(sentence)
        or is_bare_cancellation(sentence)
        or shift_in(sentence) is not None
    )


def _gives_new_day(before: str, sentence: str) -> bool:
    """Return whether news gives a day to what was just told with another one: "it's 15 July now"."""
    new = correction_in(sentence)
    return new is not None and new.day is not None and not kinds_of(before).isdisjoint(("date", "weekday"))


def _with_value(read: Iterable[str]) -> Iterator[str]:
    """Return the sentences; "Oops, wrong sheet. 1.7" is one, since what it corrects to is in the second."""
    held = ""
    for sentence in read:
        if calls_off(held) and denies_last(sentence):  # "The gig is cancelled. False alarm."
            yield f"{held.rstrip('.!')}, {sentence[:1].lower()}{sentence[1:]}"
            held = ""
            continue
        if held and not calls_off(held) and sentence.count(" ") < _WORDS_OF_AN_ANSWER and not sentence.endswith("?"):
            yield f"{held} {sentence}"
            held = ""
            continue
        if held:
            yield held
        held = sentence if (takes_back(sentence) and not kinds_of(sentence)) or calls_off(sentence) else ""
        if not held:
            yield sentence
    if held:
        yield held


def _with_companion(draft: _Draft) -> Iterator[_Draft]:
    """Return the draft, and who is named in it by the way: that outlives a new home."""
    yield draft
    for companion in companions_in(own_words(draft.said)):
        yield _Draft(companion, "relation", draft.worth)


def _join(last: _Draft | None, draft: _Draft | None, clause: str | None, most: int) -> _Draft | None:
    """Return both as one, if the second goes on the first; `clause` is the second if both are of one sentence.

    Two sentences have at most `most` words.
    """
    if last is None or draft is None or not (draft.hangs or draft.leans or clause):
        return None
    if clause is None:
        return last.joined(draft, " ") if last.takes(draft, most) else None
    if not draft.hangs and (draft.worth < _LEAST_WORTH_TO_JOIN or subjects.is_of_other_person(clause)):
        return None
    return last.joined(draft, clauses.joint_of(clause, last.said)) if last.takes(draft, _WORDS_OF_A_RUN) else None


def _foreign_drafts(read: list[str], language: str) -> Iterator[_Draft]:
    for before, said in zip(("", *read), read, strict=False):
        beside = f"{before} " if ends_another_thing(before, said) else ""  # it says what has ended
        for sentence in take_apart(said):
            corrects = correction_in(sentence)
            bare, off = _hangs_on_last(sentence), cancellations.called_off_in_other_languages(sentence)
            found = None if bare else languages.worth_of(sentence, language)
            if found is None and (bare or corrects is not None or off):
                found = "change", _LEAST_WORTH
            if found is not None:
                yield _Draft(beside + sentence, *found, quoted=True)


_ASKED = regex(
    r"(?:[^?]{0,80}[,.!] )?((?:what|where|when|which|who|how (?:many|much|old|long|often|far))\b[^?]{5,80}\?)",
    re.IGNORECASE,
)


def _short_answer(asked: str, read: list[str], speaker: Speaker, other: Speaker) -> Iterator[_Draft]:
    """Return the answer to a question of the other half, if it says nothing without the question."""
    question = _ASKED.fullmatch(asked)
    if question is None or speaker.is_machine or not read:
        return
    said = clauses.trim(read[0], other.address).rstrip(".!")
    if said == other.address:
        return  # "Thanks, Ana!"
    if 0 < said.count(" ") + 1 <= _WORDS_OF_AN_ANSWER and subjects.is_bare(said):
        yield _Draft(said, "state", _LEAST_WORTH + 0.5, question=question.group(1))


def _draft(clause: str, speaker: Speaker, other: Speaker) -> _Draft | None:
    plain = clauses.trim(clause, other.address)
    said = clauses.without_own_name(
        plain if kinds.is_ordered(plain) else with_subject(plain), speaker.called or speaker.name
    )
    kind = "identity" if other.is_machine and clauses.role_given(said) else kinds.kind_of(own_words(said))
    spaces = said.count(" ")
    if spaces + 1 < (_LEAST_WORDS if kind != "identity" else 2) or spaces >= _MOST_WORDS or said.endswith(("?", ":")):
        return None
    if kind == "instruction" and (kinds.is_of_the_moment(said) or is_of_one(said)):
        return None
    asked = kinds.is_request(said, to_machine=other.is_machine) and not clauses.reminder_in(said)
    given = kind == "instruction" or (other.is_machine and clauses.role_given(said))
    if not given and (asked or kinds.is_talk(said)):
        return None
    # Advice to an assistant is an instruction.
    if (speaker.is_machine and (cancellations.only_notes(said) or not clauses.is_promise(said))) or (
        not other.is_machine and kind != "instruction" and clauses.is_advice(said)
    ):
        return None
    if other.is_machine and kind not in ("instruction", "identity") and _YOU.match(said) and not kinds.is_named(said):
        return None  # what the assistant is or does is not for the user to say, but for a role
    hangs = subjects.is_unresolved(said) or (other.is_machine and is_fragment(said))
    follows = clauses.joint_of(clause) in (", so ", " because ")
    value = worth(said, kind, to_person=not other.is_machine)
    return _Draft(said, kind, value, hangs, subjects.leans_on_another(said), follows)
