"""Which questions ask for a conversation: the last one, the first one, or what was said of late; in eight languages."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from memoryos_core.rules.dates import find_dates, time_in_words
from memoryos_core.rules.ranking.times_alone import Talk, names_a_talk

THURSDAY = datetime(2026, 11, 26, 12, tzinfo=timezone.utc)
SPEAKERS = {"Sam", "Tom"}


@pytest.mark.parametrize(
    ("talk", "question"),
    [
        ("last", "What did we talk about last time?"),
        ("end", "Where did we leave off?"),
        ("last", "What did I say in our last conversation?"),
        ("end", "What was the last thing I asked you?"),
        ("last", "What did I last ask you?"),
        ("last", "Summarise our last chat."),
        ("last", "Can you recap our previous session?"),
        ("last", "Do you remember our last conversation?"),
        ("last", "What did you tell me last time?"),
        ("end", "Let's continue where we stopped."),
        ("end", "Let's pick up where we left off"),
        ("last", "What was our last conversation about?"),
        ("last", "what did we discuss in the last session"),
        ("last", "When we last spoke, what did I tell you?"),
        ("last", "What were we talking about the last time we spoke?"),
        ("last", "Was haben wir letztes Mal besprochen?"),
        ("last", "Worüber haben wir zuletzt gesprochen?"),
        ("end", "Wo waren wir stehen geblieben?"),
        ("last", "¿De qué hablamos la última vez?"),
        ("end", "¿En qué nos quedamos?"),
        ("last", "De quoi avons-nous parlé la dernière fois ?"),
        ("end", "Où en étions-nous ?"),
        ("last", "Di cosa abbiamo parlato l'ultima volta?"),
        ("last", "O que falamos da última vez?"),
        ("end", "Onde paramos?"),
        ("last", "上次我们聊了什么？"),
        ("end", "我们上次说到哪里了？"),
        ("last", "前回は何を話しましたか？"),
        ("end", "どこまで話しましたっけ？"),
        ("end", "Where were we?"),
        ("last", "remind me what we talked about last time"),
        ("last", "hey, what did we talk about last time"),
        ("last", "Continue our last conversation"),
        ("last", "What did I tell you last time we talked?"),
        ("end", "can we pick up where we left off last time?"),
        ("last", "Catch me up on our last session"),
        ("last", "What was I telling you about last time?"),
        ("end", "What was the last thing we talked about?"),
        ("last", "What did we cover last session?"),
        ("last", "Tell me about our last conversation"),
        ("start", "What was the first thing I told you?"),
        ("first", "What did we talk about at first?"),
        ("first", "What did we talk about in our first conversation?"),
        ("first", "What did I ask you the first time?"),
        ("first", "What was our first chat about?"),
        ("lately", "What have I been up to recently?"),
        ("lately", "What have I been doing these days?"),
        ("lately", "Was habe ich in letzter Zeit gemacht?"),
        ("lately", "¿Qué he hecho últimamente?"),
        ("lately", "我最近在做什么？"),
        ("lately", "what have i been talking about lately"),
        ("lately", "How have I been lately?"),
        ("week", "How was my week?"),
        ("week", "How did my week go?"),
        ("week", "Tell me about my week"),
        ("week", "Summarise my week"),
        ("last", "what did we talk abt last time pls"),
        ("last", "Hey, remind me what we talked about last time 😊"),
        ("last", "I forgot what we talked about last time. Can you remind me?"),
        ("last", "Could you please summarise our last chat?"),
        ("last", "whats our last convo about"),
        ("end", "remind me where we left off"),
        ("start", "What did I tell you first?"),
        ("start", "Was war das Erste, was ich dir erzählt habe?"),
        ("lately", "what's been going on with me lately"),
        ("lately", "¿Qué he estado haciendo últimamente?"),
        ("week", "Wie war meine Woche?"),
        ("week", "Comment s'est passée ma semaine ?"),
        ("week", "我这周过得怎么样?"),
        ("last", "de que hablamos la ultima vez"),
        ("last", "前回何を話しましたか？"),
    ],
)
def test_a_question_names_a_conversation(talk: Talk, question: str) -> None:
    assert names_a_talk(question, SPEAKERS) == talk


def test_a_speaker_is_no_subject_and_anybody_else_is_one() -> None:
    assert names_a_talk("What did Sam say last time?", SPEAKERS) == "last"
    assert names_a_talk("What did Rob say last time?", SPEAKERS) is None


@pytest.mark.parametrize(
    "question",
    [
        "When was the last time I saw the dentist?",
        "What was the last film I watched?",
        "What did I order last time at the ramen place?",
        "How long did the marathon take last time?",
        "What was my first job?",
        "When did I first meet Sam?",
        "Who did I meet recently?",
        "What did I tell you about my novel last time?",
        "Have I bought a car recently?",
        "What was the first book I read?",
        "My last conversation with Rob went badly.",
        "What's new in Python 3.13?",
        "I last spoke to her in May.",
        "At first I thought it was flu.",
        "Let's continue.",
        "Continue",
        "go on",
        "How many weeks until my wedding?",
        "What is on my week planner?",
        "How was my week in Lisbon?",
        "Where are we going on holiday?",
        "Where did I get my first tattoo?",
        "What time is the last train?",
        "Where did we get married?",
        "Where did I stop on the way to Porto?",
        "Can you continue the story?",
        "I've been feeling low lately.",
        "Lately I can't sleep.",
        "Where are we at with the budget?",
        "What happened the last time I ate shrimp?",
        "Who was the first person I told?",
        "I'm cooking lasagne again. What did I tell you last time?",
        "Greg wants to talk about the kitchen budget. What did we say last time?",
        "We're playing D&D tonight. Where did we leave off?",
        "My doctor called. What did he say last time?",
        "What was my last meeting about?",
        "How was my last session?",
        "What was the last one about?",
        "Where did we go last time?",
        "What did they decide last time?",
        "What did I do last time?",
        "第一次怎么样?",
        "初めてどうだった?",
        "What happened when we first met?",
        "What are the latest topics?",
        "最近怎么样?",
        "最近どうだった?",
        "How was your week?",
        "What have you been up to lately?",
        "qu'est-ce que tu as fait récemment ?",
        "anything new lately?",
        "What's new lately?",
        "How have things been lately?",
        "please continue where you stopped",
        "Continue where you left off.",
        "continue from where you left off",
        "Carry on where you left off please",
        "Did we talk about my visa last time?",
        "When did we last talk?",
        "How long was our last conversation?",
        "Delete our last conversation",
        "Can we talk about what happened last time?",
        "Where were we when dad called?",
        "Where did we leave off with the book?",
        "What have I been up to at work lately?",
        "How did my week at the new job go?",
        "What happened last time?",
        "How did the last session go?",
        "What was our last meeting about?",
        "What was first?",
        "Where did I leave it?",
        "Where did I stop?",
        "What did we talk about last time? " * 20,
        "",
    ],
)
def test_a_question_with_a_subject_names_none(question: str) -> None:
    assert names_a_talk(question, SPEAKERS) is None


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("What happened Friday?", "20 November 2026"),
        ("She left Tuesday.", "24 November 2026"),
        ("Did I call mum Sunday?", "22 November 2026"),
        ("We're flying out Friday.", "27 November 2026"),
        ("I'll call her Monday", "30 November 2026"),
        ("How was the weekend?", "21 to 22 November 2026"),
        ("What did I do at the weekend?", "21 to 22 November 2026"),
        ("I went climbing over the weekend.", "21 to 22 November 2026"),
        ("I'm going to Bath at the weekend.", "28 to 29 November 2026"),
        ("The deadline is Friday.", "27 November 2026"),
        ("The deadline is Thursday.", "3 December 2026"),
        ("I'm flying to Rome Saturday.", "28 November 2026"),
        ("I had lunch with Sam Friday.", "20 November 2026"),
        ("My first day at Meta is Monday.", "30 November 2026"),
        ("In the middle of the week I felt ill.", "25 to 26 November 2026"),
    ],
)
def test_a_day_that_ends_a_sentence_and_the_weekend_are_times(text: str, time: str) -> None:
    assert [time_in_words(span) for span in find_dates(text, THURSDAY)] == [time]


@pytest.mark.parametrize(
    "text",
    [
        "My favourite day is Friday.",
        "Thank God it's Friday.",
        "We met on Good Friday.",
        "I shopped on Black Friday.",
        "I watched Freaky Friday.",
        "I always call her Sunday.",
        "I have class every other Friday.",
        "I usually sleep in at the weekend.",
        "I always went hiking at the weekend",
        "When I was a kid, we went fishing at the weekend",
        "I used to get paid at the end of the month",
        "I visited grandma every single Sunday",
        "My day off was always Friday",
        "I told Sam I hated Monday",
        "We listened to Blue Monday",
        "I worked late that Friday",
        "I saw her one Friday",
        "We close Sunday.",
        "Friday",
    ],
)
def test_no_day_of_its_own(text: str) -> None:
    assert find_dates(text, THURSDAY) == ()


@pytest.mark.parametrize(
    ("text", "first", "behind"),
    [
        ("We moved at the beginning of the month.", (2026, 11, 1), (2026, 11, 11)),
        ("I'm starting at Meta at the beginning of the month.", (2026, 12, 1), (2026, 12, 11)),
        ("What did I do at the end of last month?", (2026, 10, 21), (2026, 11, 1)),
        ("We'll decide by the end of the year.", (2026, 11, 1), (2027, 1, 1)),
        ("She left at the start of the year.", (2026, 1, 1), (2026, 3, 1)),
    ],
)
def test_a_part_of_a_month_or_a_year(text: str, first: tuple[int, int, int], behind: tuple[int, int, int]) -> None:
    (span,) = find_dates(text, THURSDAY)
    assert (span.start, span.end) == tuple(datetime(*day, tzinfo=timezone.utc) for day in (first, behind))


def test_the_end_of_every_month_is_no_time() -> None:
    assert find_dates("I pay the rent at the end of the month.", THURSDAY) == ()


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("In 2019 I got married at the end of the year.", "2019"),
        ("In March 2020 I had surgery on a rainy Friday.", "March 2020"),
        ("I was hired in 2015, we moved over the weekend.", "2015"),
    ],
)
def test_a_vaguer_time_stands_beside_no_other(text: str, time: str) -> None:
    assert [time_in_words(span) for span in find_dates(text, THURSDAY)] == [time]
