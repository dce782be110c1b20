"""Changes that are told in passing: what they replace, and how a prompt says so (issue 14, points 4 and 5)."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, UserMemory, WorkerConfig
from memoryos_core.values.dialogue import Message

NOW = datetime(2025, 3, 1, 9, tzinfo=timezone.utc)


def tell(folder: Path, *sessions: tuple[timedelta, list[str]]) -> UserMemory:
    """A user who said these messages, each session so long after the first one, a minute apart, and ended them all."""
    now = NOW + timedelta(days=365)
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    memory = MemoryOS(f"sqlite:///{folder}/memory.db", embedder=None, config=config, clock=lambda: now)
    for number, (later, said) in enumerate(sessions):
        session = memory.user("ada", session_id=f"s{number}")
        times = (NOW + later + timedelta(minutes=i) for i in range(len(said)))
        session.add_messages([Message("user", text, timestamp=when) for text, when in zip(said, times, strict=True)])
        session.end_session()
    user = memory.user("ada", session_id="asking")
    user.consolidate()
    return user


@pytest.mark.parametrize(
    ("first", "then", "days"),
    [
        ("My chess club costs 20 euros a month.", "They put the fee up; the bank statement says 27.50 now.", 90),
        ("My bedroom is on the first floor.", "I swapped rooms with my sons; I sleep in the attic now.", 90),
        ("I smoke a pipe after dinner.", "It has been four weeks without tobacco, and the pipe went in the bin.", 90),
        ("The dentist sees me on Friday at 9:40.", "scratch that, the card says 11:15", 0),
        ("Our parrot weighs 410 grams.", "Oops, misread the scale. 440", 0),
    ],
)
def test_the_later_statement_is_the_current_one(tmp_path: Path, first: str, then: str, days: int) -> None:
    filler = ["What is the capital of Peru?", "Thanks a lot!"]
    after = timedelta(days=days) if days else timedelta(minutes=4)
    user = tell(tmp_path, (timedelta(), [first, *filler]), (after, [then, *filler]))
    status = {fact.text: fact.status for fact in user.facts(current=False)}
    assert list(status.values()) == ["superseded", "current"], status


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("My chess club costs 20 euros a month.", "Next door they put the fee up; hers is 52 now."),
        ("I have a tabby called Mochi.", "We brought home a puppy from the shelter, he is called Falafel."),
        ("I live in Utrecht, near the canal.", "Joost got his keys on Monday, so he lives in Arnhem now."),
        ("I play the cello in a quartet.", "Picked up a ukulele at a market for 10 euros."),
    ],
)
def test_what_only_looks_like_a_change_replaces_nothing(tmp_path: Path, first: str, then: str) -> None:
    user = tell(tmp_path, (timedelta(), [first]), (timedelta(days=90), [then]))
    assert {fact.status for fact in user.facts(current=False)} == {"current"}


def test_a_correction_is_of_what_was_just_said(tmp_path: Path) -> None:
    user = tell(
        tmp_path,
        (timedelta(), ["The dentist sees me on Friday at 9:40."]),
        (timedelta(hours=2), ["Scratch that, 11:15"]),
    )
    assert {fact.status for fact in user.facts(current=False)} == {"current"}


def test_each_statement_of_a_burst_that_no_longer_holds_is_marked_where_it_stands(tmp_path: Path) -> None:
    towns = {"Amy": "Bonn", "Ben": "Caen", "Cid": "Dijon", "Dora": "Ghent"}
    first = [f"My cousin {name} lives in {town}." for name, town in towns.items()]
    user = tell(tmp_path, (timedelta(), first), (timedelta(days=20), ["My cousin Ben moved to Nantes."]))
    text = user.recall("Where does my cousin Ben live?", budget_tokens=400).text
    assert "user: My cousin Ben lives in Caen. (until 21 March 2025; now: Nantes)\n" in text
    assert "user: My cousin Cid lives in Dijon.\n" in text


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("My shift starts at 8:30 on Mondays.", "My mum came round at 5 pm with cake."),
        ("My daughter is 7 years old.", "I found a typo on page 34 of the handout."),
        ("I take 40 mg of statins every evening.", "Wait, I have 2 dogs to feed first."),
        ("My flight leaves at 9:40.", "I mean, my neighbours party until 2 am."),
        ("My passport expires on 3 May.", "On second thought, I will fly on 12 June."),
        ("My rent is 900 euros.", "It was not a cheap trip, but 400 euros is fine."),
        ("My sister lives at number 14.", "Correction fluid is on offer, 2 for the price of one."),
    ],
)
def test_a_word_of_correction_with_a_matter_of_its_own_corrects_nothing(tmp_path: Path, first: str, then: str) -> None:
    user = tell(tmp_path, (timedelta(), [first]), (timedelta(minutes=30), [then]))
    assert [fact.text for fact in user.facts() if fact.valid_from == NOW] != []


def dated(user: UserMemory, status: str = "current") -> list[tuple[str, str]]:
    found = [fact for fact in user.facts(current=False) if fact.status == status]
    return [(fact.text, f"{fact.event_time:%Y-%m-%d}" if fact.event_time else "") for fact in found]


@pytest.mark.parametrize(
    ("first", "then", "text", "day"),
    [
        ("My check-up is on 12 March at 10:15.", "Sorry, 10:45.", "check-up is on 12 March at 10:45", "2025-03-12"),
        ("My check-up is on 12 March at 10:15.", "no, 13 March", "check-up is on 13 March at 10:15", "2025-03-13"),
        ("My check-up is on 12 March.", "Actually it's the 14th.", "check-up is on 14 March", "2025-03-14"),
        ("My check-up is on 31 March.", "sorry 2 April!", "check-up is on 2 April", "2025-04-02"),
        ("My check-up is on 12 March.", "hang on, thursday", "check-up is on thursday 13 March", "2025-03-13"),
        ("the vet is on thursday at 9", "no wait friday", "vet is on friday at 9", "2025-03-07"),
        ("the vet is on thursday at 9", "oops i meant half 9", "vet is on thursday at half 9", "2025-03-06"),
        ("The vet is on Thursday.", "No wait, Friday at 10:30.", "vet is on Friday at 10:30", "2025-03-07"),
        ("My viva is on 8 May.", "Sorry, I read it wrong, it is 9 May.", "viva is on 9 May", "2025-05-09"),
        (
            "Ife's recital is on the sixth of may.",
            "scratch that the ninth",
            "recital is on the ninth of may",
            "2025-05-09",
        ),
        (
            "gran's scan is on the sixth of may at noon",
            "oh i forgot the nurse moved it it's the twelfth not the sixth",
            "scan is on the twelfth of may at noon",
            "2025-05-12",
        ),
        (
            "Ich habe am 4. März um 8:30 einen Termin beim Zahnarzt.",
            "Nein Moment, am 5. März.",
            "am 5. März um 8:30 einen Termin",
            "2025-03-05",
        ),
        ("Ich habe am 4. März einen Arzttermin.", "Entschuldigung, am 6.", "am 6. März einen", "2025-03-06"),
        ("la cita es el 5 de abril", "perdón, el 6", "la cita es el 6 de abril", "2025-04-06"),
        ("J'ai rendez-vous le 5 avril à Lyon.", "Pardon, le 7 avril.", "rendez-vous le 7 avril", "2025-04-07"),
        ("Ho un appuntamento il 5 aprile.", "scusa, il 6", "appuntamento il 6 aprile", "2025-04-06"),
    ],
)
def test_a_new_day_or_hour_alone_is_put_into_what_it_corrects(
    tmp_path: Path, first: str, then: str, text: str, day: str
) -> None:
    user = tell(tmp_path, (timedelta(), [first, then]))
    ((told, when),) = dated(user)
    assert text in told
    assert when == day
    assert [fact.status for fact in user.facts(current=False)].count("superseded") == 1


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("My check-up is on 12 March at 10:15.", "Sorry, I can't on Friday."),
        ("My check-up is on 12 March at 10:15.", "Actually I am 28."),
        ("My check-up is on 12 March at 10:15.", "Sorry about the 2nd question."),
        ("My check-up is on 12 March at 10:15.", "No, the 4 of us."),
        ("My check-up is on 12 March at 10:15.", "Actually, is it the 3rd?"),
        ("My check-up is on 12 March at 10:15.", "Perdón, el 6 tengo clase."),
        ("My check-up is on 12 March at 10:15.", "The dentist was moved to the 8th."),
        ("My trip is from 12 March to 20 March.", "sorry, the 13th"),
        ("My rent is 900 euros.", "Sorry, 10:45."),
        ("My son was born on 3 May 2020.", "No, Friday."),
        ("My sister Lena's wedding is on 12 April.", "My wedding was moved to the 3rd."),
    ],
)
def test_what_names_a_day_of_something_else_is_put_into_nothing(tmp_path: Path, first: str, then: str) -> None:
    user = tell(tmp_path, (timedelta(), [first, then]))
    assert not [fact.text for fact in user.facts(current=False) if fact.status != "current" or "changed" in fact.text]


@pytest.mark.parametrize(
    ("first", "then", "text", "day"),
    [
        (
            "Ich habe am 4. April einen Termin.",
            "Der Termin am 4. April ist verschoben auf den 11. April.",
            "am 11. April einen Termin",
            "2025-04-11",
        ),
        (
            "Ich habe am 4. April einen Zahnarzttermin.",
            "Der Zahnarzttermin ist jetzt am 8. April.",
            "8. April",
            "2025-04-08",
        ),
        (
            "la operación de mi madre es el 20 de abril",
            "la operación es el 27 al final, no el 20",
            "27 de abril",
            "2025-04-27",
        ),
        ("My driving test is on 20 April.", "The driving test got moved to the 27th.", "on 27 April", "2025-04-27"),
    ],
)
@pytest.mark.parametrize("days", [0, 9])
def test_what_is_moved_by_its_name_keeps_the_words_it_was_told_in(
    tmp_path: Path, first: str, then: str, text: str, day: str, days: int
) -> None:
    user = tell(tmp_path, (timedelta(), [first]), (timedelta(days=days, minutes=2), [then]))
    ((told, when),) = dated(user)
    assert text in told
    assert when == day


def test_a_new_day_is_of_the_last_statement_with_a_day(tmp_path: Path) -> None:
    user = tell(
        tmp_path, (timedelta(), ["My flight is on 3 May.", "My trip is from 12 to 20 June.", "sorry, the 13th"])
    )
    assert ("The user's flight is on 3 May.", "2025-05-03") in dated(user)


def test_a_correction_is_corrected_and_cites_what_it_is_made_of(tmp_path: Path) -> None:
    said = ["The vet is on 4 April at 9.", "no wait, the 5th", "sorry, the 6th at 10:30"]
    user = tell(tmp_path, *((timedelta(minutes=number), [text]) for number, text in enumerate(said)))
    assert dated(user) == [("The vet is on 6 April at 10:30 (changed).", "2025-04-06")]
    (fact,) = user.facts()
    assert len(fact.page_ids) == len(said)
    text = user.recall("When is the vet?", budget_tokens=300).text
    assert "The vet is on 4 April at 9. (until 1 March 2025; now: 6 April at 10:30)" in text


def test_a_new_hour_that_nothing_was_said_before_is_no_fact(tmp_path: Path) -> None:
    user = tell(tmp_path, (timedelta(), ["Sorry, 10:45.", "I live in Lisbon."]))
    assert [fact.text for fact in user.facts()] == ["The user lives in Lisbon."]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Brunch with Ada on 9 March.", "oh wait its been cancelled"),
        ("My haircut is on Friday at 9.", "scrap that, it's cancelled"),
        ("my haircut is on friday at 9", "omg no it's off"),
        ("My haircut is on Friday at 9.", "They've cancelled it."),
        ("Ich habe am 4. April um 8:30 einen Termin.", "doch nicht, ist abgesagt"),
        ("Ich habe am 4. April um 8:30 einen Termin.", "Der wurde leider abgesagt."),
        ("la cita es el 5 de abril", "al final no, está cancelada"),
    ],
)
def test_what_is_called_off_without_its_name_is_what_was_just_planned(tmp_path: Path, first: str, then: str) -> None:
    user = tell(tmp_path, (timedelta(), [first]), (timedelta(minutes=1), [then]))
    ((text, day),) = dated(user)
    assert "(called off)" in text
    assert day == ""
    assert [fact.status for fact in user.facts(current=False)].count("superseded") == 1


@pytest.mark.parametrize(
    ("between", "then"),
    [
        ("I've got a Netflix subscription.", "I've cancelled it."),
        ("I ordered a sofa.", "It was cancelled."),
        ("Did you see the match yesterday?", "It got called off."),
        ("What time is it in Tokyo when it's 3pm here?", "Sorry, 4pm."),
        ("How long is the film?", "No, I said at 8."),
        ("Translate: the train leaves at noon.", "Sorry, at midday."),
    ],
)
def test_what_was_said_last_is_what_a_bare_correction_is_about(tmp_path: Path, between: str, then: str) -> None:
    said = ("We have a picnic on 9 March at 10:30.", between, then)
    user = tell(tmp_path, *((timedelta(minutes=number), [text]) for number, text in enumerate(said)))
    assert "The user has a picnic on 9 March at 10:30." in [fact.text for fact in user.facts()]
    assert not [fact.text for fact in user.facts() if fact.text.endswith(").")]


def test_a_session_that_is_read_again_gives_the_same_facts(tmp_path: Path) -> None:
    said = [
        "The gala is on 9 March at 9.",
        "no wait, the 10th",
        "Sorry, the 11th.",
        "I have two cats.",
        "I have a dog.",
    ]
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    memory = MemoryOS(f"sqlite:///{tmp_path}/memory.db", embedder=None, config=config, clock=lambda: NOW)
    user = memory.user("ada", session_id="s")
    for number, text in enumerate(said):
        user.add(text, "ok", timestamp=NOW + timedelta(minutes=number))
    user.end_session()
    user.consolidate()

    def told() -> list[tuple[str, str, datetime | None]]:
        return [(f.text, f.status, f.valid_until) for f in user.facts(current=False) if "gala" in f.text]

    first = told()
    assert [status for _, status, _ in first] == ["superseded", "superseded", "current"]
    for what in ("I have two cats.", "I have a dog."):
        pages = [page.id for page in user.pages() if any(message.text == what for message in page.messages)]
        user.forget(pages=pages)
        user.consolidate()
        assert told() == first


def test_what_is_off_is_told_so(tmp_path: Path) -> None:
    user = tell(tmp_path, (timedelta(), ["My cruise is on 9 March."]), (timedelta(minutes=1), ["It's been cancelled."]))
    text = user.recall("When is my cruise?", budget_tokens=300).text
    assert "Cruise: 9 March" not in text
    assert "(called off)" in text


def test_a_mark_of_the_users_own_is_none(tmp_path: Path) -> None:
    said = ["My wifi password is tulip (changed).", "My wifi password is rose (changed)."]
    user = tell(tmp_path, *((timedelta(days=number), [text]) for number, text in enumerate(said)))
    assert [fact.text for fact in user.facts()] == ["The user's wifi password is rose changed."]


def test_a_plan_is_over_that_is_off_by_its_name(tmp_path: Path) -> None:
    said = ["I'm trying to run the Ghent Marathon on 26 April."], ["The marathon's off."]
    user = tell(tmp_path, *((timedelta(days=number), list(one)) for number, one in enumerate(said)))
    assert dated(user) == [("The marathon's off.", "")]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Brunch with Ada on 9 March.", "Is it cancelled?"),
        ("Brunch with Ada on 9 March.", "The subscription has been cancelled."),
        ("Brunch with Ada on 9 March.", "He's off to school."),
        ("I moved house on 9 February.", "It's been cancelled."),
    ],
)
def test_what_else_is_called_off_leaves_the_plan(tmp_path: Path, first: str, then: str) -> None:
    user = tell(tmp_path, (timedelta(), [first]), (timedelta(minutes=1), [then]))
    assert [fact.status for fact in user.facts(current=False) if fact.valid_from == NOW] == ["current"]


def test_a_correction_in_the_same_message_is_of_the_statement_before_it(tmp_path: Path) -> None:
    said = ["My shift starts at 8:30.", "My train leaves at 9:40. Scratch that, 11:15."]
    user = tell(tmp_path, (timedelta(), said))
    status = {fact.text: fact.status for fact in user.facts(current=False)}
    assert status["The user's shift starts at 8:30."] == "current"
    assert status["The user's train leaves at 9:40."] == "superseded"


def test_a_correction_that_is_read_first_corrects_what_is_read_later(tmp_path: Path) -> None:
    later = (timedelta(minutes=10), ["Scratch that, 11:15"])
    user = tell(tmp_path, later, (timedelta(), ["The dentist sees me on Friday at 9:40."]))
    assert {fact.text[:11]: fact.status for fact in user.facts(current=False)} == {
        "The user sa": "current",
        "The dentist": "superseded",
    }


def test_an_instruction_with_a_word_of_correction_stays_an_instruction(tmp_path: Path) -> None:
    user = tell(tmp_path, (timedelta(), ["No wait, always answer me in German from now on."]))
    assert [fact.kind for fact in user.facts()] == ["instruction"]


def test_a_mark_tells_when_the_value_ended_and_what_holds_at_the_end(tmp_path: Path) -> None:
    homes = ["I live in Lisbon.", "I moved to Porto.", "I moved to Oslo."]
    user = tell(tmp_path, *((timedelta(days=30 * n), [said]) for n, said in enumerate(homes)))
    assert (
        "I live in Lisbon. (until 31 March 2025; now: Oslo)" in user.recall("Where do I live?", budget_tokens=400).text
    )
    (current,) = (fact for fact in user.facts() if "Oslo" in fact.text)
    user.retire(current)
    text = user.recall("Where do I live?", budget_tokens=400).text
    assert "I live in Lisbon. (until 31 March 2025)" in text


def test_many_digits_are_read_in_bounded_time(tmp_path: Path) -> None:
    user = tell(tmp_path, (timedelta(), ["My rent is 900 euros."]))
    user.remember("Scratch that, " + "1," * 100_000)  # quadratic work would take longer than a test may
    assert "My rent is 900 euros." in user.recall("What is my rent?", budget_tokens=200).text


def test_what_is_said_again_within_a_page_holds_again() -> None:
    memory = MemoryOS("sqlite://", embedder=None)
    table = memory.user("ann", session_id="table")
    said = ("My table is for 7 people.", "No, my table is for 9 people.", "My table is for 7 people.")
    table.add_messages([*(Message("user", text) for text in said), Message("assistant", "Fine.")])
    table.end_session()
    memory.flush()
    ann = memory.user("ann")
    assert [fact.text for fact in ann.facts()] == ["The user's table is for 7 people."]
    assert "9 people. (replaced by a correction; now: 7 people)" in ann.recall("Who is my table for?").text
    memory.close()


def test_what_is_known_may_take_the_room_that_nothing_else_takes() -> None:
    """A share of a small budget holds no line: the answer was left out though the prompt was empty."""
    with MemoryOS("sqlite://", embedder=None) as memory:
        ada = memory.user("ada")
        ada.remember("I live in a rented flat in Ghent.")
        ada.remember("The removal van has been and gone: as of Friday my address is in Leuven.")
        recall = ada.recall("Where do I live?", budget_tokens=150)
    assert "Leuven" in recall.text
    assert recall.tokens <= 150


def test_a_question_for_what_was_replaced_brings_what_replaced_it() -> None:
    """The new statement has no word of the question, which asks for the diet: the old one had it."""
    with MemoryOS("sqlite://", embedder=None) as memory:
        ada = memory.user("ada")
        ada.remember("I'm vegan.")
        ada.remember("I gave up being vegan: cheese and eggs are on my plate again.")
        assert "cheese and eggs" in ada.recall("What is my diet?", budget_tokens=300).text


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("My boss is called Henrik.", "Henrik left the company and Amara is my new boss."),
        ("I take 20 mg of lisinopril every morning.", "The doctor raised my lisinopril to 40 mg."),
        ("I'm reading Middlemarch at the moment.", "I finished Middlemarch and started on Bleak House."),
        ("Our start-up is called Brightly.", "We renamed the start-up to Lumen."),
        ("I have two sheep.", "We bought another one, so that's three sheep now."),
    ],
)
def test_what_is_named_as_over_is_over(tmp_path: Path, first: str, then: str) -> None:
    user = tell(tmp_path, (timedelta(), [first]), (timedelta(days=60), [then]))
    facts = user.facts(current=False)
    began = min(fact.valid_from for fact in facts)
    assert {fact.status for fact in facts if fact.valid_from == began} == {"superseded"}
    assert {fact.status for fact in facts if fact.valid_from > began} == {"current"}


def test_somebody_who_leaves_is_not_over_for_all_that_he_is() -> None:
    with MemoryOS("sqlite://", embedder=None) as memory:
        ada = memory.user("ada")
        ada.remember("My brother Karim lives in Lyon.")
        ada.remember("Karim retired, so he has more time now.")
        assert len(ada.facts()) == 2


@pytest.mark.parametrize(
    ("first", "then", "mark"),
    [
        (
            "I work as a nurse in Leeds and I'm allergic to penicillin.",
            "I changed jobs, I'm a baker now.",
            "occupation",
        ),
        ("I live in Leeds and I'm allergic to penicillin.", "I moved to York.", "home"),
        ("I'm vegan and I live in Leeds.", "I moved to York.", "home"),
        ("I work at Shell and I live in Leeds.", "I work at BP now.", "employer"),
        ("I'm single and I live in Leeds.", "I got married to Sam.", "relationship"),
    ],
)
def test_a_mark_names_what_ended_where_the_sentence_tells_more(
    tmp_path: Path, first: str, then: str, mark: str
) -> None:
    user = tell(tmp_path, (timedelta(), [first]), (timedelta(days=90), [then]))
    assert f"{first} ({mark} until 30 May 2025; now: " in user.recall(first, budget_tokens=400).text


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I live in Leeds.", "I moved to York."),
        ("I live in Leeds with my cat Moth.", "I moved to York."),
        ("I live in Leeds. I'm allergic to penicillin.", "I moved to York."),
        ("I live in Leeds, and it rains a lot here.", "I moved to York."),
        ("I work at Shell, in a big office.", "I work at BP now."),
        ("My cousin Ben lives in Caen.", "My cousin Ben moved to Nantes."),
    ],
)
def test_a_mark_names_nothing_where_all_of_the_sentence_ended(tmp_path: Path, first: str, then: str) -> None:
    user = tell(tmp_path, (timedelta(), [first]), (timedelta(days=90), [then]))
    assert f"{first} (until 30 May 2025; now: " in user.recall(first, budget_tokens=400).text
