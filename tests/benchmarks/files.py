"""Tiny conversations of our own in LoCoMo's and LongMemEval's form, with the quirks of the published ones."""

from __future__ import annotations

from typing import Any


def locomo(name: str = "conv-1", place: str = "Lisbon") -> dict[str, Any]:
    """One sample of a LoCoMo file; what must not be read says "leak"."""
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Ben",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": f" I moved to {place} in March. "},
                {
                    "speaker": "Ben",
                    "dia_id": "D1:2",
                    "text": "Look at my new boat!",
                    "blip_caption": "a red boat",
                    "query": "leak",
                },
                {"speaker": "Ada", "dia_id": "D1:3", "text": "Lovely.", "blip_caption": None},
            ],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [],
            "session_3": [
                {"speaker": "Ben", "dia_id": "D3:1", "text": "What is new with you?"},
                {"speaker": "Ada", "dia_id": "D3:2", "text": "I adopted a grey cat."},
            ],
            "session_3_date_time": "9:00 am on 1 June, 2023",
            "session_4_date_time": "9:00 am on 2 June, 2023",
        },
        "qa": [
            {"question": " Where did Ada move? ", "answer": place, "evidence": ["D1:01"], "category": 4},
            {"question": "What do Ada and Ben own?", "answer": 2, "evidence": ["D1:2; D3:2"], "category": 1},
            {"question": "Adversarial?", "adversarial_answer": "leak", "evidence": ["D1:1"], "category": 5},
            {"question": "Without evidence?", "answer": "", "evidence": ["D", "D9:9"], "category": 3},
            {"question": "When did Ada adopt a cat?", "answer": "May", "evidence": ["D3:2"], "category": 2},
        ],
        "event_summary": {"leak": "leak"},
        "observation": {"leak": "leak"},
        "session_summary": {"leak": "leak"},
    }


def longmemeval(name: str) -> dict[str, Any]:
    """One entry of a LongMemEval file."""
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": " How old is Bo? ",
        "answer": 9,
        "question_date": "2023/06/02 (Fri) 10:30",
        "haystack_session_ids": ["answer_1", "s2", "s3", "s4"],
        "haystack_dates": [
            "2023/05/21 (Sun) 23:05",
            "2023/05/20 (Sat) 02:21",
            "2023/06/01 (Thu) 08:00",
            "2023/05/30 (Tue) 09:00",
        ],
        "haystack_sessions": [
            [
                {"role": "user", "content": "My tortoise Bo turned nine.", "has_answer": True},
                {"role": "assistant", "content": " Happy birthday! ", "has_answer": False},
            ],
            [{"role": "user", "content": "Which seeds for spring?"}, {"role": "assistant", "content": "Peas."}],
            [{"role": "user", "content": "Thanks."}],
            [],
        ],
        "answer_session_ids": ["answer_1"],
    }
