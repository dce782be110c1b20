"""Readers of PersonaMem: chats of a user with an assistant, and questions with options of which one suits the user.

Version 1 is a table of questions with its shared contexts beside it (`questions_32k.csv`, `shared_contexts_32k.jsonl`).
A question is asked before a message of its context, so that each such place is a conversation of its own. Nothing
labels the evidence. Version 2 is a table whose rows link to histories, and quote the snippet that a question is about:
where the snippet stands in the history once, its messages are the evidence. System lines tell the answers, and are
never read; in version 1 they part the sessions. Options of version 2 get an order of ours, always the same.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.forms import FormError
from benchmarks.reading import literal, read_json, read_lines, read_table
from benchmarks.talks import Question, Talk, Turn

Messages: TypeAlias = Sequence[Mapping[str, Any]]

_SPEAKERS = ("user", "assistant")
_LETTERS = "abcdefgh"


def personamem(path: Path, size: str = "32k") -> list[Talk]:
    """The conversations of a table of either version; `size` says which history of version 2 is read."""
    rows = read_table(path)
    columns = rows[0].keys() if rows else ()
    if "shared_context_id" in columns:
        return _first_version(path, rows)
    link = f"chat_history_{size}_link"
    if link not in columns:
        raise FormError(f"the table has neither the column shared_context_id nor {link}")
    return _second_version(path, rows, link)


def personamem_128k(path: Path) -> list[Talk]:
    """The conversations of a table of version 2 with its longer histories."""
    return personamem(path, "128k")


def _first_version(path: Path, rows: Sequence[Mapping[str, str]]) -> list[Talk]:
    beside = path.with_name(path.name.replace("questions", "shared_contexts")).with_suffix(".jsonl")
    if not beside.is_file():
        raise FormError(f"its contexts are not beside it: {beside.name} is missing")
    contexts = {name: messages for line in read_lines(beside) for name, messages in line.items()}
    asked: dict[tuple[str, int], list[Question]] = {}
    for row in rows:
        place = (row["shared_context_id"], int(row["end_index_in_shared_context"]))
        if place[0] not in contexts:
            raise FormError(f"{beside.name} lacks the context of a question")
        asked.setdefault(place, []).append(_first_question(row))
    return [
        Talk(f"{context}@{end}", _SPEAKERS, _sessions(contexts[context][:end]), tuple(questions))
        for (context, end), questions in asked.items()
    ]


def _first_question(row: Mapping[str, str]) -> Question:
    options = tuple(_without_letter(str(option)) for option in literal(row["all_options"]))
    letter = row["correct_answer"].strip("() .").lower()
    if len(letter) != 1 or letter not in _LETTERS[: len(options)]:
        raise FormError("correct_answer is not the letter of an option")
    right = options[_LETTERS.index(letter)]
    text = row["user_question_or_message"].strip()
    return Question(row["question_id"], text, row["question_type"], (), right, options=options)


def _without_letter(option: str) -> str:
    bare = option.strip()
    return bare[3:].strip() if len(bare) > 3 and bare[0] == "(" and bare[2] == ")" else bare


def _sessions(messages: Messages) -> tuple[tuple[Turn, ...], ...]:
    """The sessions, each from one system line to the next."""
    sessions: list[list[Turn]] = [[]]
    for number, message in enumerate(messages):
        if message["role"] == "system":
            if sessions[-1]:
                sessions.append([])
        elif text := _text(message):
            sessions[-1].append(Turn(f"M{number}", message["role"], text, len(sessions) - 1, None))
    return tuple(tuple(session) for session in sessions if session)


def _text(message: Mapping[str, Any]) -> str:
    """The words of a message, without the role that version 1 writes before them, and without images."""
    content = message["content"]
    parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    text = "\n".join(part.strip() for part in parts if part.strip())
    who, colon, rest = text.partition(":")
    return rest.strip() if colon and who.lower() == message["role"] else text


def _second_version(path: Path, rows: Sequence[Mapping[str, str]], link: str) -> list[Talk]:
    asked: dict[str, list[tuple[int, Mapping[str, str]]]] = {}
    for number, row in enumerate(rows):
        asked.setdefault(row[link], []).append((number, row))
    talks: list[Talk] = []
    for history, of in asked.items():
        read: Any = read_json(_resolve_link(path, history))
        messages: Messages = read if isinstance(read, list) else read["chat_history"]
        question = partial(_second_question, messages=messages)
        talks.append(Talk(Path(history).stem, _SPEAKERS, _sessions(messages), tuple(question(*row) for row in of)))
    return talks


def _resolve_link(path: Path, link: str) -> Path:
    """The file of a link, which counts from the folder of the whole dataset."""
    for folder in path.resolve().parents:
        if (folder / link).is_file():
            return folder / link
    raise FormError("a history that the table links to is in none of the folders above it")


def _second_question(number: int, row: Mapping[str, str], messages: Messages) -> Question:
    name, right = f"{row['persona_id']}/{number}", row["correct_answer"].strip()
    options = [right, *(str(wrong).strip() for wrong in literal(row["incorrect_answers"]))]
    random.Random(name).shuffle(options)
    snippet = row.get("related_conversation_snippet") or "[]"
    gold = _find_snippet(literal(snippet), messages)
    return Question(name, _query_text(row["user_query"]), row["pref_type"], gold, right, options=tuple(options))


def _query_text(query: str) -> str:
    if not query.lstrip().startswith("{"):
        return query.strip()
    return str(literal(query)["content"]).strip()


def _find_snippet(snippet: Messages, messages: Messages) -> tuple[str, ...]:
    """The turns of a snippet, none where it does not stand in the messages exactly once."""
    if not snippet:
        return ()
    said = [(message["role"], message["content"]) for message in messages]
    wanted = [(message["role"], message["content"]) for message in snippet]
    starts = [i for i in range(len(said) - len(wanted) + 1) if said[i : i + len(wanted)] == wanted]
    if len(starts) != 1:
        return ()
    return tuple(f"M{i}" for i in range(starts[0], starts[0] + len(wanted)) if said[i][0] != "system")
