"""Continuity, topics, keywords and summaries without a model."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.config import MidTermConfig
from memoryos_core.extract.labels import Labels
from memoryos_core.extract.page_out import Batch
from memoryos_core.extract.page_out import describe_by_rules as describe
from memoryos_core.extract.summaries import Speech, central_sentences, merge_summary
from memoryos_core.rules.text.languages import guess
from memoryos_core.values.dialogue import Half

CONFIG = MidTermConfig(continuity=0.5, summary_sentences=2, max_keywords=5)


def keywords(texts: Sequence[str], count: int) -> tuple[str, ...]:
    return Labels([[Speech("user", text, number) for number, text in enumerate(texts)]]).keywords(0, count)


def unit(degrees: float) -> np.ndarray:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype=np.float32)


def test_pages_continue_while_their_vectors_are_close(pages) -> None:
    described = describe(Batch(pages, tuple(unit(d) for d in (0, 59, 180, 121))), CONFIG)
    assert described.continues == (False, True, False, True)
    assert [t.pages for t in described.topics] == [(0, 1), (2, 3)]
    assert "Lisbon" in described.topics[0].keywords
    assert "Biscuit" in described.topics[1].keywords


def test_the_first_page_may_continue_what_left_before(pages, make_page) -> None:
    previous = make_page(9, "I look for a flat in Lisbon.")
    near = Batch(pages[:1], (unit(0),), previous, unit(30), "A move is planned.")
    described = describe(near, CONFIG)
    assert described.continues == (True,)
    assert described.chain_summaries[0].startswith("A move is planned.")
    far = describe(Batch(pages[:1], (unit(0),), previous, unit(90), "A move is planned."), CONFIG)
    assert far.continues == (False,)
    assert "planned" not in far.chain_summaries[0]


@pytest.mark.parametrize("vectors", [(), (np.zeros(2, np.float32),) * 4, (np.zeros(0, np.float32),) * 4])
def test_without_vectors_shared_words_decide(pages, vectors) -> None:
    assert describe(Batch(pages, vectors), CONFIG).continues == (False, True, False, True)


def test_a_summary_is_made_of_whole_sentences_in_their_order(pages) -> None:
    (topic,) = describe(Batch(pages, (unit(0),) * 4), replace(CONFIG, segments="chains")).topics
    said = " ".join(m.text for p in pages for m in p.messages)
    first, second = (s if s.endswith((".", "!", "?")) else s + "." for s in topic.summary.split(". ", 1))
    assert 0 <= said.find(first) < said.find(second)


def test_speaker_names_do_not_become_keywords(make_page) -> None:
    from memoryos_core.values.dialogue import Message

    page = make_page(0, "")
    named = [Message("user", f"Zebedee, the {w} is late.", name="Zebedee") for w in ("tram", "ferry", "train")]
    (topic,) = describe(Batch((type(page)("p", "s", 0, tuple(named), page.timestamp),)), CONFIG).topics
    assert "zebedee" not in topic.keywords
    assert {"tram", "ferry"} <= set(topic.keywords)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Ich wohne in Hamburg, und Hamburg ist schön. Der Hafen ist groß.", {"Hamburg", "Hafen"}),
        ("J'habite à Lyon près des marchés.|Lyon est une ville avec des marchés.", {"Lyon", "marchés"}),
        ("我养了一只柴犬。|柴犬很可爱。", {"柴犬"}),
        ("京都に住んでいます。紅葉が好きです。|京都の紅葉はきれいです。", {"京都", "紅葉"}),
        ("Я живу в городе Казань.|Казань стоит на Волге.", {"Казань"}),
    ],
)
def test_keywords_follow_the_language(text: str, wanted: set[str]) -> None:
    assert wanted <= set(keywords(text.split("|"), 6))


@pytest.mark.parametrize("text", ["", "   ", "🎉🎉🎉", "...", "\0\ud800", "a", "7 8 9"])
def test_text_without_words_has_no_keywords_and_no_summary(text: str) -> None:
    assert keywords([text], 5) == ()


@pytest.mark.parametrize(
    "text",
    [
        "a." * 500_000,
        "(" * 1_000_000,
        "x" * 1_000_000,
        "e.g. " * 200_000,
        "!?" * 500_000,
        "好" * 1_000_000,
        "\n" * 1_000_000,
    ],
)
def test_a_megabyte_is_read_at_its_beginning_only(make_page, text: str) -> None:
    described = describe(Batch((make_page(0, text), make_page(1, text))), CONFIG)
    assert sorted(i for t in described.topics for i in t.pages) == [0, 1]
    assert max(len(t.summary) for t in described.topics) <= 2 * 202


def test_shared_words_and_names_come_first_and_words_of_one_turn_are_left_out() -> None:
    turns = (
        "Wow, thanks! I bought two teapots in Porto, whatever they cost.",
        "A teapot for tea. You know Porto, I think.",
    )
    assert keywords(turns, 9) == ("Porto", "teapots", "tea")
    assert keywords((*turns, "Tea from that teapot!"), 9) == ("teapots", "Porto", "tea")


def test_what_is_nothing_but_chat_still_has_keywords() -> None:
    assert keywords(["Wow, thanks, really!"], 2) == ("wow", "thanks")


def test_a_keyword_is_one_word_in_the_form_that_came_first() -> None:
    assert keywords(["The trams run. A tram came. Trams!"], 5) == ("trams", "run", "came")


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("Ich habe noch nicht gesehen, dass der Hafen auch schon voll ist.", "Hafen"),
        ("Je ne sais pas encore avec qui nous sommes dans le port.", "port"),
        ("No sé cuando está el puerto, pero hay que ver con los míos.", "puerto"),
        ("Eu não sei quando o porto está aqui, mas já foi muito bom.", "porto"),
        ("Non so ancora quando il porto è qui, ma sono molto stanco.", "porto"),
        ("Ik weet nog niet of de boot ook voor ons is.", "boot"),
        ("Я ещё не знаю, когда мы были в порту, но это было хорошо.", "порту"),
    ],
)
def test_common_words_of_a_language_are_no_keywords(text: str, port: str) -> None:
    found = keywords([text, text], 20)
    assert port in found
    assert not set(found) & {
        "noch",
        "dass",
        "encore",
        "avec",
        "está",
        "pero",
        "não",
        "muito",
        "ancora",
        "nog",
        "ещё",
        "это",
    }


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("I work as a designer at a small studio.", "en"),
        ("Mein Hund ist vier Jahre alt.", "de"),
        ("Mon chat est très vieux.", "fr"),
        ("Mi hermana vive en Madrid.", "es"),
        ("Eu não gosto de frio.", "pt"),
        ("Il mio gatto è molto vecchio.", "it"),
        ("Mijn hond is niet oud.", "nl"),
        ("我喜欢茶。", "zh"),
        ("私は茶が好きです。", "ja"),
        ("나는 차를 좋아합니다.", "ko"),
        ("Я люблю чай.", "ru"),
        ("", "en"),
    ],
)
def test_languages_are_told_apart(text: str, code: str) -> None:
    assert guess(text) == code


def test_the_most_central_sentence_is_chosen() -> None:
    text = "The river floods the river road. Pancakes taste nice with syrup. We walk the river road by the river."
    assert "Pancakes" not in central_sentences([text], 2)


def test_a_merged_summary_hears_the_newer_part() -> None:
    old = "The river floods the road. The river road is closed. The road by the river reopened."
    merged = merge_summary(old, "We adopted a terrier named Biscuit.", 3)
    assert merged.endswith("We adopted a terrier named Biscuit.")
    assert merged.count(".") == 3


@pytest.mark.parametrize(
    ("old", "new"), [("", "New here now."), ("New here now.", ""), ("New here now.", "New here now.")]
)
def test_merging_with_nothing_new_changes_nothing(old: str, new: str) -> None:
    assert merge_summary(old, new, 3) == "New here now."


@given(st.text(max_size=120), st.text(max_size=120), st.integers(1, 4))
def test_a_merged_summary_is_bounded_and_settles(old: str, new: str, count: int) -> None:
    merged = merge_summary(old, new, count)
    assert len(merged) <= count * 202
    assert merge_summary(merged, "", count) == merge_summary("", merged, count)


CODING = """Here's how the session store is set up:

### Step 1: The session store
- **Session store**: Use the session store of the session.
```python
session = Session(session_store)
session.store(session)
```
session_store = {"session": store}
The session store keeps a session for a day."""


def test_a_summary_has_whole_sentences_without_code_headings_and_lists() -> None:
    assert central_sentences([CODING], 3) == "The session store keeps a session for a day."
    long = "The session store " + "of the session store " * 20 + "is long."
    assert central_sentences([long, CODING], 3) == "The session store keeps a session for a day.", (
        "it would have to be cut"
    )


def test_what_has_no_whole_sentence_is_summarised_from_what_it_has() -> None:
    assert central_sentences(["```\nsession = Session(session_store)\n```"], 3)
    assert "session_store" in central_sentences(["session_store = {session: store}"], 3)
    assert central_sentences(["we adopted a terrier"], 3) == "we adopted a terrier", "nobody has to write full stops"
    assert central_sentences(["我们收养了一只小狗。它叫饼干。"], 3) == "我们收养了一只小狗。 它叫饼干。"


def test_a_merged_summary_keeps_no_code_either() -> None:
    merged = merge_summary("We keep sessions in a store. store = {session}", "The store forgets a session. </store>", 4)
    assert merged == "We keep sessions in a store. The store forgets a session."


def topic(*texts: str, half: Half = "user") -> list[Speech]:
    return [Speech(half, text, number, is_person=half == "user") for number, text in enumerate(texts)]


MOUNTAIN = topic(
    "I began The Living Mountain last week, on the bus.",
    "Nan Shepherd wrote The Living Mountain about the Cairngorms, last century.",
    "Finished The Living Mountain. What a book last week was for!",
)
PRESS = topic(
    "The press at the studio needs oil, last week it squeaked.",
    "I rent the press on Tuesdays.",
    "Ink stains everywhere after a day at the press, last time too.",
)


def test_a_phrase_stands_for_its_words() -> None:
    found = Labels([MOUNTAIN, PRESS]).keywords(0, 5)
    assert found[0] == "Living Mountain"
    assert not {"Living", "Mountain", "living", "mountain"} & set(found)


def test_what_every_topic_says_is_filler_by_the_statistics_of_the_scope() -> None:
    fluff = [topic(*(f"Zapf, the {name}, blorp." for _ in range(3))) for name in ("kettle", "violin", "harbour")]
    labels = Labels(fluff)
    assert [labels.keywords(number, 1)[0] for number in range(3)] == ["kettle", "violin", "harbour"]


def test_what_a_speaker_is_called_for_short_is_no_keyword() -> None:
    said = topic("Mel, the kayak is wet.", "Mel, I dried the kayak.")
    assert "kayak" in Labels([said], {"melanie"}).keywords(0, 5)
    assert "Mel" not in Labels([said], {"melanie"}).keywords(0, 5)


def test_a_thing_that_a_speakers_name_begins_with_is_a_keyword() -> None:
    said = topic("My cat sleeps all day.", "I fed the cat a mouse.", "A cat needs its sleep.")
    assert "cat" in Labels([said], {"cathy"}).keywords(0, 5)


def test_a_summary_tells_what_the_user_said_and_can_be_read_alone() -> None:
    talk = [
        *topic(
            "Wow, the press!", "Is the press for sale?", "It has the press.", "[a photo of the press in the studio]"
        ),
        *topic("I rent the press at the studio on Tuesdays."),
        *topic("That sounds like a press you will enjoy at the studio!", half="assistant"),
    ]
    assert Labels([talk, MOUNTAIN]).summary(0, 1) == "I rent the press at the studio on Tuesdays."


def test_a_summary_does_not_say_the_same_twice() -> None:
    talk = topic(
        "I rent the press at the studio on Tuesdays.",
        "I rent the press at the studio on Tuesdays now.",
        "The ink for the press comes from a shop in Leith.",
    )
    assert "Leith" in Labels([talk, MOUNTAIN]).summary(0, 2)


def test_a_summary_has_fewer_sentences_where_the_others_say_nothing() -> None:
    talk = [*topic("I rent the press at the studio on Tuesdays."), *topic("Noted.", half="assistant")]
    assert Labels([talk, MOUNTAIN]).summary(0, 3) == "I rent the press at the studio on Tuesdays."


def test_labels_are_the_same_in_every_process() -> None:
    code = (
        "from memoryos_core.extract.labels import Labels; from memoryos_core.extract.summaries import Speech; "
        "said = [[Speech('user', t, 0) for t in ('oak elm ash oak', 'yew fir elm')]]; "
        "print(Labels(said).keywords(0, 9), Labels(said).summary(0, 2))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(runs) == 1
