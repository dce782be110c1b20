"""Marks of what people say about themselves: the models, and the statements that are made of their marks (ADR 0049)."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, WorkerConfig
from memoryos_core.extract import marks, tagging
from memoryos_core.extract.findings import Persona
from memoryos_core.extract.people import role_in
from memoryos_core.extract.persona import learn_by_rules
from memoryos_core.extract.word_tokens import Vocabulary, own_tokens, tokens_of
from memoryos_core.rules.knowledge.instructions import (
    ask_for_all,
    is_asked_for_all,
    is_taken_back,
    lifts,
    take_back_for_all,
)

SENTENCES = Path(__file__).parents[2] / "benchmarks" / "sentences"
DAY = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)


def chat(*said: str, answer: str = "Got it.") -> MemoryOS:
    """Return a memory in which each message was said on a day of its own."""
    now = [DAY]
    memory = MemoryOS(
        "sqlite://", config=MemoryConfig(worker=WorkerConfig(mode="manual")), clock=lambda: now[0], embedder=None
    )
    for number, text in enumerate(said):
        now[0] = DAY + timedelta(days=number)
        user = memory.user("ana", session_id=f"s{number}")
        user.add_messages([Message("user", text, None, now[0]), Message("assistant", answer, None, now[0])])
        user.end_session()
        memory.flush()
    return memory


def profile(*said: str) -> dict[str, str]:
    with chat(*said) as memory:
        return {field.name: field.value for field in memory.user("ana").profile().fields}


def current(*said: str) -> list[str]:
    with chat(*said) as memory:
        return [fact.text for fact in memory.user("ana").facts()]


# Sentences of nobody whom the models were trained on (the next test says so).
IN_PASSING = (
    ("ugh third week of nights at the depot, and at 47 my knees say no. any stretch for that", "age", "47"),
    ("they've put me on ramipril 5 mg for the pressure, can i still have grapefruit", "medication", "ramipril 5 mg"),
    (
        "is it the rain or the pipes that smell, every street here in Wakefield has it. drain cleaner?",
        "home",
        "Wakefield",
    ),
    ("what eats aphids. also the blood test came back, it's coeliac, so what flour do i buy", "allergy", "gluten"),
    ("i'm allergic to hazelnuts so which of these chocolates are safe", "allergy", "hazelnut"),
)


@pytest.mark.parametrize(("said", "name", "value"), IN_PASSING)
def test_what_is_told_in_passing_is_in_the_profile(said: str, name: str, value: str) -> None:
    assert value in profile(said).get(name, "")


def test_the_models_never_saw_those_sentences() -> None:
    lines = (SENTENCES / "marked.txt").read_text("utf-8")
    assert not [said for said, _, _ in IN_PASSING if said[:40] in lines]


@pytest.mark.parametrize(
    "said",
    [
        "my sister is on ramipril 5 mg, can she have grapefruit",
        "if I lived in Wakefield I'd complain about the drains",
        'She wrote: "I\'m 47 and I live in Wakefield". How do I answer that?',
        "translate into Spanish: I'm a nurse and I live in Leeds",
        "is 47 a prime number",
        "how far is Wakefield from Leeds",
        "warfarin 5 mg and grapefruit?",
        "my dog was 3 at the time and got married at 25 in a film",
        "Barcelona were awful last night",
        "our Civic duty lol",
    ],
)
def test_what_is_not_the_users_fills_no_field(said: str) -> None:
    assert profile(said) == {}


WISH = "pls remember i read these on a tiny screen so short paragraphs with me"


def asked(*said: str) -> list[str]:
    """Return the wishes that stand in the words of their speaker."""
    return [text for text in current(*said) if is_asked_for_all(text)]


def test_a_wish_in_passing_stands_in_the_words_of_its_speaker() -> None:
    assert asked(WISH) == [f'The user asks for all answers: "{WISH}"']


def test_a_wish_that_is_taken_back_stands_no_more() -> None:
    assert asked(WISH, "also you can forget the short paragraphs, i got a bigger phone") == []


@pytest.mark.parametrize(
    "said",
    [
        "forget the second paragraph, make it a list",
        "also you can forget the jokes, they were mine anyway",
        "short stories are allowed again at the library",
    ],
)
def test_a_wish_stays_where_something_else_is_taken_back(said: str) -> None:
    assert len(asked(WISH, said)) == 1


@pytest.mark.parametrize(
    ("wish", "lifted"),
    [
        ("never suggest recipes with nuts please, i'm allergic", "the nuts are allowed again"),
        ("please always warn me about interactions, i take warfarin", "warfarin's fine again"),
    ],
)
def test_what_may_harm_is_not_lifted_by_a_model(wish: str, lifted: str) -> None:
    assert not lifts(ask_for_all("The user", wish), take_back_for_all("The user", lifted))


def test_what_takes_back_nothing_that_is_known_leaves_no_fact() -> None:
    assert not [text for text in current("ok you can drop the emojis thing now") if is_taken_back(text)]


def test_what_two_pages_say_of_a_name_is_the_same_in_one_reading_and_in_two() -> None:
    said = ("my sister Patty is over for tea", "Patty and I made up, finally. cake for two?")
    now = [DAY]
    with MemoryOS(
        "sqlite://", config=MemoryConfig(worker=WorkerConfig(mode="manual")), clock=lambda: now[0], embedder=None
    ) as memory:
        user = memory.user("ana", session_id="s")
        for number, text in enumerate(said):
            at = DAY + timedelta(days=number)
            user.add_messages([Message("user", text, None, at), Message("assistant", "Nice.", None, at)])
        now[0] = DAY + timedelta(days=3)
        user.end_session()
        memory.flush()
        at_once = {fact.text for fact in user.facts()}
    assert at_once == set(current(*said))


def test_pages_of_one_reading_see_what_an_earlier_one_has_ended(make_page) -> None:
    said = ("My husband Karl cooks on Sundays.", "Karl and I got divorced.", "me and Ben are official now, ice cream?")
    pages = tuple(make_page(number, text) for number, text in enumerate(said))
    assert "The user's partner is Ben." in [fact.text for fact in learn_by_rules(Persona(pages)).facts]
    married = [fact.text for fact in learn_by_rules(Persona((pages[0], pages[2]))).facts]
    assert "The user's partner is Ben." not in married


def test_whose_name_it_is_goes_with_the_page_that_says_it() -> None:
    """A label is denied by what another page tells, and never made of it: that page may be forgotten."""
    with chat("It is for Miguel, my son. He likes sharks", "Miguel named the car Tomato") as memory:
        user = memory.user("ana")
        first = next(page for page in user.pages() if "sharks" in page.messages[0].text)
        user.forget(pages=[first.id])
        assert not any("child" in fact.text or "son" in fact.text.split() for fact in user.facts())


@pytest.mark.parametrize(
    ("name", "texts", "role"),
    [
        ("miguel", ["It is for Miguel, my son."], "child"),
        ("patty", ["The user is staying at their sister Patty's."], "other"),
        ("carl", ["my husband Carl cooks"], "partner"),
        ("carl", ["Carl is a name"], ""),
    ],
)
def test_a_relation_is_read_on_either_side_of_a_name(name: str, texts: list[str], role: str) -> None:
    assert role_in(name, texts) == role


# ------------------------------------------------------------------------------------------------ the models


def tiny(draw: np.random.Generator) -> dict[str, np.ndarray]:
    """Weights by chance of a tagger with three pieces and one class, as a file has them."""

    def some(*shape: int) -> np.ndarray:
        return draw.standard_normal(shape).astype(np.float32) / 4

    width, inner, piece = 24, 8, 4
    whole = {"pieces": some(3, piece), "up": some(width, piece), "class": some(width, 1)}
    rest = {"up.bias": some(width), "shape": some(5, width), "place": some(160, width)}
    for layer in range(tagging.LAYERS):
        for name, rows, columns in (("attention", 72, 24), ("mixed", 24, 24), ("inner", 8, 24), ("outer", 24, inner)):
            whole[f"{layer}.{name}"], rest[f"{layer}.{name}.bias"] = some(rows, columns), some(rows)
        for name in ("attended", "done"):
            rest |= {f"{layer}.{name}.scale": 1 + some(width), f"{layer}.{name}.bias": some(width)}
    for head, rows in (("label", len(tagging.LABELS)), ("status", 3), ("wish", 3)):
        whole[head], rest[f"{head}.bias"] = some(rows, width), some(rows)
    rest |= {"first.scale": 1 + some(width), "first.bias": some(width)}
    texts = {"pieces": "le\nmon\n##mon", "classes": "place: leeds", "class_names": "place"}
    packed = {name: np.frombuffer(text.encode(), np.uint8) for name, text in texts.items()}
    numbers = {name: tagging.quantise(matrix) for name, matrix in whole.items()}
    eights = {f"{name}_8": of for name, (of, _) in numbers.items()}
    return rest | packed | eights | {f"{name}_scale": scale for name, (_, scale) in numbers.items()}


def test_the_transformer_computes_what_its_description_says() -> None:
    """Word by word and head by head, in double precision."""
    stored = tiny(np.random.default_rng(5))
    tokens = tokens_of("Lemon, le Leeds 7")
    weights = {name: np.asarray(value, dtype=np.float64) for name, value in stored.items() if value.dtype == np.float32}
    for name in [name.removesuffix("_8") for name in stored if name.endswith("_8")]:
        weights[name] = stored[f"{name}_8"].astype(np.float64) * stored[f"{name}_scale"].astype(np.float64)

    def line(state: np.ndarray, name: str) -> np.ndarray:
        return np.asarray(weights[name] @ state + weights[f"{name}.bias"])

    def norm(state: np.ndarray, name: str) -> np.ndarray:
        return np.asarray((state - state.mean()) / state.std() * weights[f"{name}.scale"] + weights[f"{name}.bias"])

    def share(scores: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(scores) / np.exp(scores).sum())

    pieces = [[0, 2], [], [0], [0], []]  # "le ##mon", of "Leeds" its start, and what has none
    shapes = [3, 1, 4, 3, 0]
    states = []
    for at, numbers in enumerate(pieces):
        vector = sum((weights["pieces"][number] / len(numbers) for number in numbers), start=np.zeros(4))
        of_class = weights["class"][:, 0] if at == 3 else 0
        whole = line(vector, "up") + of_class + weights["shape"][shapes[at]] + weights["place"][at]
        states.append(norm(whole, "first"))
    size = 24 // tagging.HEADS
    for layer in range(tagging.LAYERS):
        three = [line(state, f"{layer}.attention") for state in states]
        after = []
        for at, state in enumerate(states):
            told = []
            for first in range(0, 24, size):
                part = slice(first, first + size)
                asked, others = three[at][:24][part], [one[24:48][part] for one in three]
                shares = share(np.array([asked @ other / np.sqrt(size) for other in others]))
                told += sum(part_of * one[48:][part] for part_of, one in zip(shares, three, strict=True)).tolist()
            attended = norm(state + line(np.array(told), f"{layer}.mixed"), f"{layer}.attended")
            inner = line(attended, f"{layer}.inner")
            inner = inner / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (inner + 0.044715 * inner**3)))
            after.append(norm(attended + line(inner, f"{layer}.outer"), f"{layer}.done"))
        states = after
    read = tagging.Tagger(stored).read(tokens)
    for head, found in (("label", read.labels), ("status", read.statuses), ("wish", read.wishes)):
        np.testing.assert_allclose(found, [share(line(state, head)) for state in states], atol=2e-5)


def test_a_word_is_its_longest_pieces() -> None:
    vocabulary = Vocabulary(["le", "lemon", "##mon", "##ade", "cafe", "'", "s"])
    assert vocabulary.pieces_of("Lemonade") == (1, 3)
    assert vocabulary.pieces_of("lemon's") == (1, 5, 6)
    assert vocabulary.pieces_of("Café") == (4,)
    assert vocabulary.pieces_of("lezz") == (0,)  # what has no piece is left out
    assert vocabulary.pieces_of("zz") == ()


def test_the_weights_were_made_from_the_sentences_that_lie_beside_them() -> None:
    """Who changes a sentence makes the weights again: `python -m benchmarks.tagging --encoder FOLDER --write`."""
    digest = hashlib.sha256()
    for name in ("marked.txt", "wishes.txt", "no_wishes.txt", "classes.txt"):
        digest.update((SENTENCES / name).read_bytes())
    with np.load(tagging.MODEL) as stored:
        assert stored["made_from"].tobytes().decode() == digest.hexdigest()


def test_a_text_without_words_a_long_one_and_odd_signs_are_read() -> None:
    for text in ("", " ", "…", "\u2019\u2019", "\ud83d", "a" * 100_000, "I'm 47. " * 20_000, "\x00I'm in Leeds"):
        assert isinstance(tagging.find_spans(text, 0.3), tuple)
    assert len(tokens_of("word " * 5_000)) <= 160
    assert len(own_tokens("I word " * 5_000)) <= 160


def test_a_span_lies_where_it_says() -> None:
    text = "back home in Leeds, and they\u2019ve put me on ramipril 5 mg"
    for span in tagging.find_spans(text, 0.1):
        assert text[span.start : span.end] == span.text
        assert 0 < span.sure <= 1
        assert 0 < span.held <= 1


@pytest.mark.parametrize(
    ("said", "later", "field"),
    [
        ("I take amlodipine 5 mg.", "my ankles were balloons so the gp took me off amlodipine", "medication"),
        (
            "I work at Bartons.",
            "handed my badge in at Bartons, last day was friday. celebratory cake?",
            "employer",
        ),
        ("I drive a Twingo.", "the Twingo went to a scrapyard this morning, what do i do with the plates", "vehicle"),
    ],
)
def test_what_is_over_in_other_words_leaves_the_profile(said: str, later: str, field: str) -> None:
    assert field in profile(said)
    assert field not in profile(said, later)


def test_what_begins_on_a_day_holds_from_it() -> None:
    now = [DAY]
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", config=config, clock=lambda: now[0], embedder=None) as memory:
        user = memory.user("ana")
        for said in ("I work as a bus driver.", "THEY SAID YES. start 17 march, driver trainer at Hopton Schools"):
            user.add(said, "Got it.", timestamp=now[0])
            user.end_session()
            memory.flush()
            now[0] += timedelta(days=1)
        coming = [(fact.text, fact.event_time) for fact in user.facts() if fact.kind == "plan"]
        march = datetime(2026, 3, 17, tzinfo=timezone.utc)
        assert ("The user works as a driver trainer from 17 March 2026.", march) in coming
        assert {field.name: field.value for field in user.profile().fields}["occupation"] == "bus driver"
        now[0] = march + timedelta(days=1)
        assert {field.name: field.value for field in user.profile().fields}["occupation"] == "driver trainer"


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ("thanks. it's for my son Tyler, he drives all over for work", "son", "Tyler"),
        ("what do i cook, my spouse Alex comes at nine", "partner", "Alex"),
        ("I have keratoconus so small print is a pain. font size?", "condition", "keratoconus"),
        ("I'm on zorfenib 20 mg, can I have grapefruit", "medication", "zorfenib 20 mg"),
    ],
)
def test_a_value_that_no_list_has_is_in_the_profile(said: str, field: str, value: str) -> None:
    assert profile(said).get(field) == value


def test_a_wish_is_taken_back_by_another_word_of_its_kind() -> None:
    wish = ask_for_all("The user", "please use 24 hour clock with me, the rest confuses me")
    assert lifts(wish, take_back_for_all("The user", "One thing, use am and pm with me now"))
    assert not lifts(wish, take_back_for_all("The user", "you can use emojis again"))


def test_of_a_long_message_what_its_writer_says_of_themselves_is_read() -> None:
    task = "The table has four columns and every row is a delivery. Sort it by date and drop empty rows. " * 8
    assert profile(f"{task} I live in Tampere. {task}")["home"] == "Tampere"
    read = [token.text for token in own_tokens(f"{task} I live in Tampere. {task}")]
    assert read[:5] == ["I", "live", "in", "Tampere", "."]
    assert len(read) < 20  # and the sentence behind it


def test_what_somebody_else_is_told_of_stays_so_whether_pages_are_read_at_once(make_page) -> None:
    said = ("My sister drives a Corsa.", "the Corsa was the best buy ever, 8 years old")
    pages = tuple(make_page(number, text) for number, text in enumerate(said))
    at_once = [fact.text for fact in learn_by_rules(Persona(pages)).facts]
    assert "The user drives a Corsa." not in (*at_once, *current(*said))


@pytest.mark.parametrize("said", ["thanks Max, my wife loved it", "Hey Alex, my kid needs help with fractions"])
def test_who_is_greeted_is_nobody_of_the_users(said: str) -> None:
    assert profile(said) == {}


def test_a_wish_that_tells_an_allergy_ends_with_it() -> None:
    said = ("I am allergic to pecans, so keep them out of any recipe.", "Correction: it's macadamias, not pecans.")
    assert not any("pecans" in text for text in asked(*said))


@pytest.mark.parametrize(("words", "counts"), [(5, True), (50, False)])
def test_a_mark_in_a_long_task_must_be_surer(monkeypatch: pytest.MonkeyPatch, words: int, counts: bool) -> None:
    said = f"Yoga{' again' * words}"
    span = tagging.Span("hobby", "now", "Yoga", 0, 4, 0.8, 1.0)
    monkeypatch.setattr(marks, "find_spans", lambda _text, _least: (span,))
    assert bool([*marks.marks_that_count(said, ["Yoga"], marks.Told())]) is counts


def test_the_lines_that_measure_the_tagger_have_known_labels_and_were_not_learnt() -> None:
    lines = (SENTENCES / "unseen.txt").read_text("utf-8").splitlines()
    marks = re.findall(r"\{(?:(?:no|next) )?([a-z]+):[^{}]+\}", "\n".join(lines))
    assert {*marks} <= {*tagging.LABELS, "wish"}
    assert len(marks) == "".join(lines).count("{") > 1_000
    assert {*lines}.isdisjoint((SENTENCES / "marked.txt").read_text("utf-8").splitlines())
