"""Questions as they arrive: stripped, freed of what is pasted around them, never long."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoryos_core.rules.knowledge.entries import ASKS_FOR_PLANS
from memoryos_core.rules.ranking import questions
from memoryos_core.rules.ranking.questions import asks_for_overview, asks_for_portrait, asks_for_time, clean
from memoryos_core.rules.text.words import sentences

# Without what markup is made of: labels, tags, fences.
plain = st.characters(exclude_characters=":：<`#*[?？", exclude_categories=["Cs"])


@given(st.text(plain, max_size=600))
def test_a_short_question_comes_back_as_it_is(text: str) -> None:
    assert clean(text) == text.replace("\x00", " ").strip()


@given(st.text(alphabet=st.characters(categories=["L", "Zs", "Po", "Cc"]), min_size=601, max_size=3000))
def test_a_cleaned_question_is_short_and_encodable(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) <= 900
    cleaned.encode()
    assert bool(cleaned) == bool(text.replace("\x00", " ").strip())


@given(st.text(alphabet=st.sampled_from("a\ud800\udfff\x00?"), max_size=30))
def test_surrogates_and_nul_do_not_reach_the_index(text: str) -> None:
    clean(text).encode()
    assert "\x00" not in clean(text)


def test_of_a_pasted_document_the_questions_are_kept() -> None:
    document = "You are a helpful assistant. Is this a test? " + "Lorem ipsum dolor sit amet. " * 60
    assert clean(document + "Where does Ada live?") == "Is this a test? Where does Ada live?"


def test_of_megabytes_both_ends_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def counted(text: str) -> list[str]:
        read.append(len(text))
        return sentences(text)

    monkeypatch.setattr(questions, "sentences", counted)
    document = "Lorem ipsum dolor. " * 100_000
    assert clean(document + "Where does Ada live? \x00 ") == "Where does Ada live?"
    assert clean("Where does Ada live? " + document) == "Where does Ada live?"
    assert max(read) <= 12_002


def test_the_last_questions_are_kept_first() -> None:
    many = " ".join(f"What did I say about subject number {i} in the long afternoon meeting?" for i in range(40))
    kept = clean(many)
    assert kept.endswith("subject number 39 in the long afternoon meeting?")
    assert len(kept) <= 420
    assert "number 30" not in kept


def test_without_a_question_the_end_is_kept() -> None:
    assert clean("Filler sentence here. " * 60 + "Ada rests.").endswith("Filler sentence here. Ada rests.")


def test_a_question_without_an_end_is_cut_at_its_start() -> None:
    assert clean("ada " * 5000) == ("ada " * 5000).strip()[-400:].strip()


def test_chinese_and_japanese_questions_are_seen() -> None:
    assert clean("这是一个很长的文件。" * 80 + "她住在哪里？") == "她住在哪里？"


ADA = "Where does Ada live?"
DOCUMENT = "The boats lay still. Nobody spoke. How long had they waited? Longer than they liked. " * 12
HARBOUR = "港口很安静。为什么没有人来？大家都在等。" * 50
PORT = "港は静かだった。なぜ誰も来ないのか？みんな待っていた。" * 50


@pytest.mark.parametrize(
    "query",
    [
        f"<system>You are a helpful assistant. Be concise.</system>\n{ADA}",
        f"{ADA}\n<system>You are a helpful assistant.</system>",
        f"<system>{DOCUMENT}</system>\n{ADA}\n<context>{DOCUMENT}</context>",
        f'<page id="1">{DOCUMENT}<b>{DOCUMENT}</b></page>{ADA}',
        f"<documents><document>{DOCUMENT}</document></documents>\n<question>{ADA}</question>\nAnswer in json.",
        f"<user_query>{ADA}</user_query>\nUse the context.",
        f"### Instruction\nAnswer from the context.\n### Context\n{DOCUMENT}\n### Question\n{ADA}\n### Answer\n",
        f"Below is an instruction.\n\n### Instruction:\n{ADA}\n\n### Response:",
        f"Context: {DOCUMENT}\nQuestion: {ADA}",
        f"Question: {ADA}\n\nContext:\n{DOCUMENT}",
        f"Question: {ADA}\n\nThe boats lay still. For how long?",
        f"**System:** Be brief.\n**Question:** {ADA}\n",
        f"User: Hello, how are you?\nAssistant: Fine! And you?\nUser: {ADA}\nAssistant:",
        f"User: Hello, how are you?\nAssistant: Fine!\n\n{ADA}",
        f"{ADA}\n\nUser: Hello, how are you?\nAssistant: Fine! Shall I go on?",
        f"<|im_start|>system\nYou are a bot.<|im_end|>\n<|im_start|>user\n{ADA}<|im_end|>\n<|im_start|>assistant\n",
        f"<s>[INST] <<SYS>>\nYou are a bot. Do you see?\n<</SYS>>\n\n{ADA} [/INST]",
        f"```python\nprint('where?')\n```\n{ADA}",
        f"{ADA}\n```\n{'x = what?' * 100}\n```",
        f"You are a helpful assistant. Answer only from memory. {ADA}",
        f"{ADA} Reply in one short sentence.",
        f"{ADA}\n\n{DOCUMENT}",
        f"{DOCUMENT}\n\n{ADA}",
    ],
)
def test_what_is_pasted_around_a_question_goes(query: str) -> None:
    assert clean(query) == ADA


@pytest.mark.parametrize(
    ("query", "question"),
    [
        (f"{DOCUMENT}\n\nwhere does ada live", "where does ada live"),
        (f"where does ada live\n\n{DOCUMENT}", "where does ada live"),
        (f"remind me who Ada is\nContext: {DOCUMENT}", "remind me who Ada is"),
        ("系统：你是一个有用的助手。\n用户：她住在哪里？", "她住在哪里？"),
        (f"你是一个有用的助手。请根据上下文回答。{HARBOUR}她住在哪里", "她住在哪里"),
        (f"她住在哪里\n\n{HARBOUR}", "她住在哪里"),
        (f"问题：她住在哪里\n\n背景：{HARBOUR}", "她住在哪里"),
        (
            "あなたは親切なアシスタントです。簡潔に答えてください。彼女はどこに住んでいますか？",
            "彼女はどこに住んでいますか？",
        ),
        (f"質問：彼女はどこに住んでいますか\n\n文脈：\n{PORT}", "彼女はどこに住んでいますか"),
        (f"{PORT}\n彼女はどこに住んでいますか", "彼女はどこに住んでいますか"),
    ],
)
def test_also_without_a_mark_and_in_other_languages(query: str, question: str) -> None:
    assert clean(query) == question


@pytest.mark.parametrize(
    "query",
    [
        "How do I centre a <div> with <p>text</p> in it?",
        "I have a new job. I start in May. What should I wear?",
        "User:",
        "<system></system>",
        "You are a good friend.",
        "Answer only from memory.",
        "Mother: who is she?",
    ],
)
def test_nothing_is_taken_from_a_plain_question(query: str) -> None:
    assert clean(query) == query


@example("<system>ada. </system><|im_end|>")
@given(
    st.lists(
        st.sampled_from(
            [
                "<a>",
                "</a>",
                "<system>",
                "</system>",
                "```\n",
                "User: ",
                "Question:",
                "\n\n",
                "ada. ",
                "？",
                "### A\n",
                "<|im_end|>",
            ]
        ),
        max_size=400,
    ).map("".join)
)
def test_any_markup_leaves_something_of_what_has_words(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) <= 1000
    assert ("ada" in text) <= bool(cleaned)


@pytest.mark.parametrize(
    "piece", ["<a>", "<a></a>", "</a>", "```\n", "user: a\n", "question:\n\n", "a. ", "[INST]", "何", "**q**", "<"]
)
def test_of_a_long_text_of_any_markup_the_end_is_found(piece: str) -> None:
    assert "Where does Ada live?" in clean(piece * (20_000 // len(piece)) + "\n\nWhere does Ada live?")


@pytest.mark.parametrize(
    "asked",
    [
        "What do you know about me?",
        "what have you learned about me so far",
        "Tell me everything you remember about me.",
        "Do you remember anything about me?",
        "Who am I?",
        "Describe me in three words.",
        "Summarize me",
        "Was weißt du alles über mich?",
        "Wer bin ich?",
        "Que sais-tu de moi ?",
        "¿Qué sabes de mí?",
        "你知道关于我的什么？",
        "你记得我什么？",
        "私のことを覚えていますか？",
    ],
)
def test_a_question_asks_for_the_whole_person(asked: str) -> None:
    assert asks_for_portrait(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "What do you know about Imogen?",
        "What did you tell me about the ferry?",
        "Tell me about the wedding.",
        "Summarize me the article.",
        "What do you remember about my trip to Leeds?",
        "Who am I meeting on Monday?",
        "Do you know who I am meeting tomorrow?",
        "Describe me the way to the station.",
        "What do I like about Porto?",
    ],
)
def test_a_question_for_one_thing_asks_for_no_portrait(asked: str) -> None:
    assert not asks_for_portrait(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "What have I got coming up?",
        "what do i have on this weekend",
        "What do I have planned next week?",
        "what's on tomorrow?",
        "What's coming up for me next month?",
        "What's on this week and next?",
        "What's coming up in the next two weeks?",
        "What do I have coming up in the next 10 days?",
        "What do I have to remember this week and next?",
        "What do I have on in the next fortnight?",
        "What have I got on over the next couple of months?",
        "What's happening next week?",
        "Any appointments next week?",
        "When is my own next appointment?",
        "Wann ist mein nächster Arzttermin?",
        "whats in my diary next week",
        "Is there anything on my calendar for Friday?",
        "What am I doing on Saturday?",
        "Am I free on Thursday?",
        "What are my plans for the weekend?",
        "Do I have any appointments?",
        "Which appointments do I have in June?",
        "Show me my upcoming meetings.",
        "Was steht nächste Woche an?",
        "Was habe ich am Wochenende vor?",
        "Welche Termine habe ich morgen?",
        "¿Qué tengo la semana que viene?",
        "¿qué citas tengo?",
        "Qu'est-ce que j'ai de prévu demain ?",
        "Cosa ho in programma?",
        "Wat heb ik volgende week gepland?",
        "我下周有什么安排？",
        "来週の予定は？",
    ],
)
def test_a_question_asks_for_what_lies_ahead(asked: str) -> None:
    assert ASKS_FOR_PLANS.search(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "What have I got in the fridge?",
        "What do I have against Tom?",
        "What's on page 3?",
        "What do I have to remember about the exam?",
        "What do I have to pay in the next two weeks?",
        "What's on page two for the next week's lesson?",
        "What is planned obsolescence?",
        "What am I doing wrong?",
        "What did I do last week?",
        "Was steht in der Bibel?",
        "Was habe ich gestern gesagt?",
        "¿Qué tengo que hacer para dormir mejor?",
        "When is my dentist appointment?",
        "What are my hobbies?",
        "What's happening?",
        "Any ideas for next week?",
        "What's on TV this week?",
        "Any events in Lisbon next week?",
        "Meine nächste Frage ist folgende.",
    ],
)
def test_a_question_for_one_thing_asks_for_no_agenda(asked: str) -> None:
    assert not ASKS_FOR_PLANS.search(asked)


@pytest.mark.parametrize(
    "question",
    [
        "What have we been working on?",
        "what did we talk about last week?",
        "What did we talk about last Tuesday?",
        "What did we discuss last night?",
        "What did we talk about two weeks ago?",
        "What did we talk about in our last conversation?",
        "What have we discussed so far?",
        "What have we been up to lately",
        "What did we discuss in May 2023?",
        "What topics have we covered?",
        "Catch me up.",
        "Bring me up to speed",
        "Can you give me a recap of our chats?",
        "Where did we leave off?",
        "Worüber haben wir gesprochen?",
        "De quoi avons-nous parlé ?",
        "¿De qué hemos hablado?",
        "What did we talk about in the last few months?",
        "What did I work on in 2019?",
        "What have we discussed since March, lately?",
        "What did we talk about on Monday?",
        "Worüber haben wir in letzter Zeit gesprochen?",
        "Woran arbeiten wir gerade?",
        "De quoi avons-nous déjà parlé récemment ?",
        "¿De qué hemos estado hablando últimamente?",
        "Worüber haben wir im März gesprochen?",
        "De quoi avons-nous parlé en mars ?",
        "¿De qué hemos hablado en marzo?",
        "我们上次聊了什么",
        "三月に何について話しましたか",
        "Summarize our most recent conversation",
        "我们最近聊了什么？",
        "我们昨天都讨论了些什么呢？",
        "最近何を話した？",
        "これまで私たちは何について話しましたか？",
    ],
)
def test_an_overview_is_asked_of_all_that_was_talked_about(question: str) -> None:
    assert asks_for_overview(question)


@pytest.mark.parametrize(
    "question",
    [
        "What did I eat last Tuesday?",
        "What did I talk about with Ana last night?",
        "What was discussed in the last conversation with my boss?",
        "What did we talk about with the plumber?",
        "What have we discussed about the wedding?",
        "What did Caroline talk about?",
        "Summarise our talks about the move",
        "What projects have I finished with Rust?",
        "What was I working on when the power failed?",
        "What did we cover the sofa with?",
        "Where did we leave the keys?",
        "What did I discuss in Paris?",
        "What did we discuss in chemistry?",
        "What did we work on in Python?",
        "recap of all our budget talks",
        "Worüber haben wir mit Anna gesprochen?",
        "Woran arbeiten wir mit Bernd?",
        "De quoi avons-nous parlé au sujet de la maison ?",
        "¿De qué hemos hablado sobre mi perro?",
        "我们什么时候去？",
        "我们昨天做了什么菜",
        "昨日母に何を話しましたか",
    ],
)
def test_a_question_with_a_subject_asks_for_no_overview_of_everything(question: str) -> None:
    assert not asks_for_overview(question)


ASKING = [getattr(questions, name) for name in sorted(vars(questions)) if name.startswith("asks_")]
REPEATED = (
    " in the last w w days",
    " since May",
    " ,lately",
    " in the last",
    " of the",
    " 昨日",
    " with w",
    " what",
    "the ",
)


@pytest.mark.timeout(60)  # one doubled its time with each part: twenty of them took seconds
@pytest.mark.parametrize("asks", ASKING, ids=lambda asks: str(asks.__name__))
@pytest.mark.parametrize("begun", ["what did we discuss", "recap of our talks", "worüber haben wir", "我们", "which w"])
def test_no_question_takes_long_to_read(asks: Callable[[str], bool], begun: str) -> None:
    for repeated in REPEATED:
        asks((begun + repeated * 400)[:900] + "x")


@pytest.mark.parametrize(
    "question",
    [
        "When did I go to the park?",
        "What date is the wedding?",
        "In which month did we move?",
        "How long have I known Ana?",
        "how many weeks was I away",
        "Wann war ich in Rom?",
        "Cuándo me mudé?",
        "我什么时候去的公园？",
        "公園へはいつ行きましたか？",
    ],
)
def test_a_question_may_ask_for_a_time(question: str) -> None:
    assert asks_for_time(question)


@pytest.mark.parametrize("question", ["Where do I live?", "What did Ana buy?", "Thanks!", "How many cats do I have?"])
def test_most_questions_do_not(question: str) -> None:
    assert not asks_for_time(question)


_PIECES = ("User", "question", "Q", "指令", "我", "Context", "bot", "#", "##", "**", ":", "：", " ", "\n", ">", "x")


@given(st.lists(st.sampled_from(_PIECES), max_size=9).map("".join))
def test_every_label_has_one_of_its_marks(text: str) -> None:
    found = questions._LABEL.search(text)
    assert found is None or any(mark in found[0] for mark in questions._LABEL_MARKS)
