"""Tiny files of our own in the forms of PersonaMem, GVD, MemoryBench and LoCoMo-Plus.

Fields that must not be read say "leak".
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.files import locomo


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def write_lines(path: Path, values: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values), encoding="utf-8")
    return path


def write_table(path: Path, rows: list[dict[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def message(role: str, content: object) -> dict[str, object]:
    return {"role": role, "content": content}


HISTORY = [
    message("system", "leak: Wim keeps bees"),
    message("user", "User: My hives stand behind the barn."),
    message("assistant", "Assistant: How many are there?"),
    message("system", "leak"),
    message("user", "User: I sold the tractor."),
    message("assistant", "Assistant: What did you get for it?"),
]


def personamem_question(number: int, end: int, **fields: object) -> dict[str, object]:
    return {
        "persona_id": 3,
        "question_id": f"q{number}",
        "question_type": "recall_user_shared_facts",
        "topic": "farming",
        "user_question_or_message": " Where could I put a bench? ",
        "correct_answer": "(b)",
        "all_options": json.dumps(["(a) On the roof.", "(b) Near your hives.", "(c) In town.", "(d) Nowhere."]),
        "shared_context_id": "abc",
        "end_index_in_shared_context": end,
        **fields,
    }


def personamem(folder: Path) -> Path:
    """The table of version 1, with its contexts beside it."""
    write_lines(folder / "shared_contexts_32k.jsonl", [{"abc": HISTORY}, {"other": [message("user", "leak")]}])
    options = repr(["(a) Tea", "(b) It's mead", "(c) Milk", "(d) Rum"])
    rows = [
        personamem_question(1, 3),
        personamem_question(2, 6, correct_answer="a", all_options=options),
        personamem_question(3, 3),
    ]
    return write_table(folder / "questions_32k.csv", rows)


def personamem_v2(folder: Path) -> Path:
    """The table of version 2 in the folder of the dataset, with the histories that it links to."""
    said = [
        message("system", "leak"),
        message("user", "I only drink oat milk."),
        message("assistant", [{"type": "text", "text": "Noted."}, {"type": "image_url", "image_url": "leak"}]),
        message("user", "Write a letter."),
        message("assistant", "Dear all."),
        message("user", "Write a letter."),
    ]
    for size in ("32k", "128k"):
        history = said if size == "32k" else [*said, message("user", "And one more.")]
        write(folder / f"data/chat_history_{size}/p7.json", {"metadata": {"leak": 1}, "chat_history": history})

    def row(snippet: object, query: str) -> dict[str, object]:
        return {
            "persona_id": 7,
            "chat_history_32k_link": "data/chat_history_32k/p7.json",
            "chat_history_128k_link": "data/chat_history_128k/p7.json",
            "user_query": query,
            "correct_answer": "A flat white with oat milk.",
            "incorrect_answers": json.dumps(["A cappuccino.", "A tea with cream.", "Water."]),
            "pref_type": "neutral_preferences",
            "preference": "leak",
            "related_conversation_snippet": snippet,
        }

    rows = [
        row(json.dumps(said[1:3]), "{'role': 'user', 'content': \"What's a good drink?\"}"),
        row(json.dumps(said[3:4]), "Any drink?"),
        row("", "Which drink?"),
    ]
    return write_table(folder / "benchmark/text/benchmark.csv", rows)


def gvd(folder: Path) -> Path:
    """The folder of one language."""
    days = {
        "2023-04-28": [{"query": "I painted the shed green. ", "response": "Well done!"}],
        "2023-04-27": [
            {"query": "Hello, I am Odile.", "response": "Hello!"},
            {"query": "", "response": "Are you there?"},
        ],
        "2023-04-29": [],
    }
    bank = {"name": "Odile", "summary": {"leak": 1}, "personality": {}, "overall_history": "leak", "history": days}
    write(folder / "memory_bank_en.json", {" Odile ": {**bank, "meta_information": {"leak": "leak"}}})
    write_lines(folder / "probing_questions_en.jsonl", [{"Odile": ["Which colour has my shed?", '"What is my name?"']}])
    return folder


def memorybench_rows(part: str) -> list[dict[str, Any]]:
    """Rows of a part, with every label as text, as published: JSON in some, literals of Python's in others."""
    infos: Mapping[str, list[dict[str, Any]]] = {
        "Locomo-2": [
            {"golden_answer": "Lisbon", "category": 4, "evidence": [{"dia_id": "D1:1", "text": "leak"}]},
            {"golden_answer": {"a": "leak"}, "category": 5, "evidence": [{"dia_id": "D1:2"}]},
            {"golden_answer": 2, "category": 1, "evidence": [{"dia_id": "D1:2"}, {"dia_id": "D3:2"}]},
        ],
        "DialSim-village": [{"golden_answer": "the baker", "episode": "leak"}],
        "LexEval-QA": [{"golden_answer": "by post"}],
        "NFCats": [{}],
    }
    return [
        {
            "test_idx": number,
            "input_prompt": f"Answer shortly. Question {number}?",
            "dataset_name": part,
            "lang": "en",
            "info": json.dumps(info) if number % 2 else repr(info),
            **({"origin_question": f"Question {number}?"} if part == "Locomo-2" else {}),
        }
        for number, info in enumerate(infos[part])
    ]


def memorybench(folder: Path) -> Path:
    """The folder of the dataset, with its rows exported to JSON Lines."""
    for part in ("Locomo-2", "DialSim-village", "LexEval-QA", "NFCats"):
        write_lines(folder / "dataset" / part / "test.jsonl", memorybench_rows(part))
    dialog = [message("system", "leak"), message("user", "How do I object?"), message("assistant", "In writing.")]
    write_lines(folder / "dataset/LexEval-QA/train.jsonl", [{"dialog": repr(dialog)}, {"dialog": dialog[:2]}])
    corpus = {"conversation": locomo()["conversation"], "session_summary": "leak"}
    write_lines(folder / "corpus/Locomo-2.jsonl", [{"text": json.dumps(corpus)}])
    village = """\
[Date: September 22, 1994, Session #1]

Rosa: Who bakes?
Piet: The baker: he is up at four.

[Date: September 23, 1994, Session #2]

Rosa: Good bread."""
    write_lines(folder / "corpus/DialSim-village.jsonl", [{"text": village}])
    return folder


def cue(number: int, **fields: object) -> dict[str, object]:
    """A cue in the authors' form."""
    return {
        "relation_type": "causal",
        "cue_dialogue": f"A: I learnt to say no {number} times.\n\nB: That helps.",
        "trigger_query": f"A: I took on {number} tasks and am worn out.",
        "time_gap": "two weeks later",
        "scores": "leak",
        **fields,
    }
