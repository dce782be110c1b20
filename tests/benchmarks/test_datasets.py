"""The readers of the published conversations, on files of our own with the quirks of theirs."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from benchmarks.datasets import load
from benchmarks.locomo import evidence
from benchmarks.talks import Question
from tests.benchmarks.files import locomo, longmemeval

KNOWN = [f"D{session}:{turn}" for session in range(1, 31) for turn in range(1, 31)]


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("cited", "gold"),
    [
        (["D1:2", "D1:1"], ["D1:2", "D1:1"]),
        (["D8:6; D9:17"], ["D8:6", "D9:17"]),
        (["D9:1 D4:4 D4:6"], ["D9:1", "D4:4", "D4:6"]),
        (["D:11:26"], ["D11:26"]),
        (["D30:05"], ["D30:5"]),
        (["D1:3."], ["D1:3"]),
        (["(D1:3)", "D1:3"], ["D1:3"]),
        (["D12:3-D12:5"], ["D12:3", "D12:4", "D12:5"]),
        (["D12:3 - D12:5"], ["D12:3", "D12:4", "D12:5"]),
        (["D12:3-D13:5"], ["D12:3", "D13:5"]),
        (["D1:10-D1:100"], ["D1:10"]),
        (["D", "D31:1", "D1:31", ""], []),
        ([], []),
    ],
)
def test_evidence_is_repaired(cited: list[str], gold: list[str]) -> None:
    assert list(evidence(cited, KNOWN)) == gold


def test_locomo(tmp_path: Path) -> None:
    [talk] = load("locomo", write(tmp_path / "locomo.json", [locomo()]))
    assert talk.name == "conv-1"
    assert talk.speakers == ("Ada", "Ben")
    first, second = talk.sessions
    assert [(t.id, t.speaker, t.text, t.session) for t in first] == [
        ("D1:1", "Ada", "I moved to Lisbon in March.", 0),
        ("D1:2", "Ben", "Look at my new boat! [shares a red boat]", 0),
        ("D1:3", "Ada", "Lovely.", 0),
    ]
    assert first[0].when == datetime(2023, 5, 8, 13, 56)
    assert [t.session for t in second] == [1, 1], "an empty session does not count"
    assert [[t.id for t in page] for page in talk.pages] == [["D1:1", "D1:2"], ["D1:3"], ["D3:1", "D3:2"]]
    assert [(q.id, q.text, q.category, q.gold, q.answer) for q in talk.questions] == [
        ("conv-1/0", "Where did Ada move?", "single-hop", ("D1:1",), "Lisbon"),
        ("conv-1/1", "What do Ada and Ben own?", "multi-hop", ("D1:2", "D3:2"), "2"),
        ("conv-1/4", "When did Ada adopt a cat?", "temporal", ("D3:2",), "May"),
    ], "adversarial questions and those without evidence are left out, the numbers stay"
    assert "leak" not in repr(talk)


def test_realtalk(tmp_path: Path) -> None:
    chat = {
        "name": {"speaker_1": "Emi", "speaker_2": "Eli"},
        "session_1": [
            {"clean_text": " Hello ", "speaker": "Emi", "dia_id": "D1:1", "date_time": "29.12.2023, 22:42:04"},
            {"clean_text": None, "speaker": "Eli", "dia_id": "D1:2", "date_time": "?", "blip_caption": ["a cat"]},
            {"clean_text": "Hi", "speaker": "Eli", "dia_id": "D1:3", "date_time": "?", "blip_caption": []},
        ],
        "session_2": [],
        "session_1_date_time": "not a session",
        "events_session_1": ["leak"],
        "qa": [
            {"question": "Who?", "answer": 3, "evidence": "D1:1-D1:2", "category": 1},
            {"question": "None?", "answer": "", "evidence": [], "category": 2},
            {"question": "Why?", "answer": "", "evidence": ["D1:3."], "category": 3},
        ],
    }
    for name in ("Chat_10_B.json", "Chat_2_A.json", "notes.json"):
        write(tmp_path / name, chat)
    talks = load("realtalk", tmp_path)
    assert [talk.name for talk in talks] == ["Chat_2_A", "Chat_10_B"]
    assert talks[0].speakers == ("Emi", "Eli")
    assert [[turn.text for turn in session] for session in talks[0].sessions] == [["Hello", "[shares a cat]", "Hi"]]
    assert [turn.when for turn in talks[0].turns] == [datetime(2023, 12, 29, 22, 42, 4), None, None]
    assert [(q.id, q.category, q.gold, q.answer) for q in talks[0].questions] == [
        ("Chat_2_A/0", "multi-hop", ("D1:1", "D1:2"), "3"),
        ("Chat_2_A/2", "open-domain", ("D1:3",), ""),
    ]


def test_beam(tmp_path: Path) -> None:
    chat = [
        {
            "turns": [
                [
                    {"id": "0", "role": "user", "content": "My plan ->-> 1,2", "time_anchor": "March-15-2024"},
                    {"id": "1", "role": "assistant", "content": "Fine -> good"},
                ]
            ]
        },
        {"turns": [[{"id": 2, "role": "user", "content": "More"}]]},
    ]
    probes = {
        "event_ordering": [
            {"question": "In which order?", "answer": "a, b", "source_chat_ids": {"first": [2], "second": [[0], "2"]}}
        ],
        "abstention": [{"question": "Never said?", "ideal_response": "no", "source_chat_ids": [1]}],
        "summarization": [
            {"question": "All?", "source_chat_ids": 9},
            {"question": "Sum?", "ideal_summary": " all ", "source_chat_ids": [1, 9]},
        ],
        "contradiction_resolution": [{"question": "Which?", "ideal_answer": 0, "source_chat_ids": [0]}],
        "instruction_following": [{"question": "Do it?", "answer": None, "source_chat_ids": [0]}],
    }
    for number in ("10", "2"):
        write(tmp_path / number / "chat.json", chat)
        write(tmp_path / number / "probing_questions.json", probes)
    write(tmp_path / "README", "")
    talks = load("beam", tmp_path)
    assert [talk.name for talk in talks] == ["beam-2", "beam-10"]
    assert [(t.id, t.speaker, t.text, t.session, t.when) for t in talks[0].turns] == [
        ("D1:0", "user", "My plan", 0, datetime(2024, 3, 15)),
        ("D1:1", "assistant", "Fine -> good", 0, datetime(2024, 3, 15)),
        ("D2:2", "user", "More", 1, None),
    ]
    assert [(q.id, q.category, q.gold, q.answer) for q in talks[0].questions] == [
        ("beam2/event_ordering/0", "event_ordering", ("D2:2", "D1:0"), "a, b"),
        ("beam2/summarization/1", "summarization", ("D1:1",), "all"),
        ("beam2/contradiction_resolution/0", "contradiction_resolution", ("D1:0",), "0"),
        ("beam2/instruction_following/0", "instruction_following", ("D1:0",), ""),
    ]


def test_longmemeval(tmp_path: Path) -> None:
    marked, unmarked = longmemeval("q1"), longmemeval("q2")
    for message in unmarked["haystack_sessions"][0]:
        message.pop("has_answer", None)
    talks = load("longmemeval", write(tmp_path / "s.json", [marked, longmemeval("q3_abs"), unmarked]))
    assert [talk.name for talk in talks] == ["q1", "q2"], "what nothing answers is left out"
    assert talks[0].speakers == ("user", "assistant")
    assert [(t.id, t.speaker, t.text, t.session, t.when) for t in talks[0].turns] == [
        ("D1:1", "user", "Which seeds for spring?", 0, datetime(2023, 5, 20, 2, 21)),
        ("D1:2", "assistant", "Peas.", 0, datetime(2023, 5, 20, 2, 21)),
        ("D2:1", "user", "My tortoise Bo turned nine.", 1, datetime(2023, 5, 21, 23, 5)),
        ("D2:2", "assistant", "Happy birthday!", 1, datetime(2023, 5, 21, 23, 5)),
        ("D3:1", "user", "Thanks.", 2, datetime(2023, 6, 1, 8, 0)),
    ], "in order of time, an empty session does not count"
    [question] = talks[0].questions
    assert question == Question(
        "q1", "How old is Bo?", "single-session-user", ("D2:1",), "9", datetime(2023, 6, 2, 10, 30)
    )
    assert [q.gold for q in talks[1].questions] == [("D2:1", "D2:2")], "without a mark, all of the session"


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        (
            "haystack_dates",
            ["2023/05/20 (Sat) 02:21"],
            "haystack_dates, haystack_session_ids and haystack_sessions are",
        ),
        ("haystack_dates", ["20 May 2023"] * 4, "haystack_dates holds a date that is not written like"),
        ("haystack_sessions", None, "TypeError"),
        ("haystack_sessions", [["Hello"]] * 4, "TypeError"),
        ("question_date", None, "AttributeError"),
    ],
)
def test_a_haystack_of_another_form_is_refused(tmp_path: Path, field: str, value: object, complaint: str) -> None:
    path = write(tmp_path / "s.json", [{**longmemeval("q"), field: value}])
    with pytest.raises(ValueError, match=f"not of the form of longmemeval: {complaint}"):
        load("longmemeval", path)


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    other = write(tmp_path / "other.json", [{"messages": []}])
    with pytest.raises(ValueError, match=r"not of the form of locomo: 'conversation' is missing\. Expected: locomo10"):
        load("locomo", other)
    with pytest.raises(ValueError, match="of the form of locomo: it holds no conversation"):
        load("locomo", write(tmp_path / "empty.json", []))
    with pytest.raises(ValueError, match="of the form of realtalk: it holds no conversation"):
        load("realtalk", tmp_path)
    with pytest.raises(FileNotFoundError):
        load("beam", tmp_path / "nowhere")
