"""The commands that ask a memory: `recall`, `search`, `chat`, `facts`, `topics`, `stats`, `check-recall`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError, ModelError
from memoryos_core.ops.cli.opening import (
    Subparsers,
    add_recall_log,
    command,
    open_memory,
    open_user,
    open_with_embedder,
    require_names,
    user_command,
    user_of,
)
from memoryos_core.ops.cli.output import (
    dispute_lines,
    fact_lines,
    hit_lines,
    read_moment,
    show_items,
    tell,
    text_of,
    topic_lines,
    write_json,
    write_lines,
)
from memoryos_core.ops.plain_values import plain, plain_recall
from memoryos_core.ops.recall_cases import RecallCase, read_cases
from memoryos_core.providers.llms import open_chat_model
from memoryos_core.values.dialogue import Recall
from memoryos_core.values.reports import Backlog, Stats

_NOTHING = "nothing is remembered about that"
_ELSEWHERE = "memoryos recall"  # a session that ended is recalled in every other one
_TIERS = ("short_term", "mid_term", "archive", "long_term")


def register_recall(subparsers: Subparsers) -> None:
    """`memoryos recall URL QUESTION --user USER` and `memoryos search URL WORDS --user USER`."""
    said = "show the text that a prompt would get for a question; exit status 1 when nothing is remembered about it"
    asked = user_command(
        subparsers, "recall", said, recall, 'memoryos recall sqlite:///memory.db "Where does Ann live?" --user ann'
    )
    asked.add_argument("text", metavar="QUESTION", help="the question; - reads standard input")
    asked.add_argument("--budget", type=int, metavar="TOKENS", help="the most tokens of text (default: as configured)")
    asked.add_argument("--recent", action="store_true", help="with the recent turns of --session")
    add_recall_log(asked)
    asked.add_argument("--explain", action="store_true", help="also show the signals that ranked each hit")
    found = user_command(
        subparsers,
        "search",
        "show the best hits with scores and ids; exit status 1 without a hit",
        search,
        'memoryos search sqlite:///memory.db "Porto" --user ann -k 3',
    )
    found.add_argument("text", metavar="WORDS", help="what to look for; - reads standard input")
    found.add_argument("-k", type=int, default=5, metavar="N", help="how many hits (5)")
    found.add_argument("--since", type=read_moment, metavar="TIME", help="said at this time or later, ISO 8601")
    found.add_argument("--until", type=read_moment, metavar="TIME", help="said before this time")
    found.add_argument("--tier", action="append", default=[], choices=_TIERS, help="only this tier; may be given again")
    for parser in (asked, found):
        parser.add_argument("--min-score", type=float, metavar="SHARE", help="leave out what is less relevant, 0 to 1")


def recall(arguments: argparse.Namespace) -> int:
    """Show the text of a recall."""
    question, standing = text_of(arguments), frozenset[str]()
    if not arguments.recent:
        arguments.session = _ELSEWHERE
    with open_user(arguments) as user:
        if arguments.recent:  # the session has turns to add, and hides nothing that it has ended
            pages = user.pages(session=True)
            standing = frozenset(message.id for page in pages if page.ended for message in page.messages if message.id)
        answer = user.recall(
            question,
            budget_tokens=arguments.budget,
            include_recent=arguments.recent,
            min_score=arguments.min_score,
            standing=standing,
        )
    if arguments.json:
        write_json([plain_recall(answer)])
    elif answer:
        write_lines([answer.text, *(["", answer.explain()] if arguments.explain else [])])
    else:
        tell(_NOTHING if arguments.recent else f"{_NOTHING}; with --recent the session's last turns come, too")
    return 0 if answer else 1


def search(arguments: argparse.Namespace) -> int:
    """Show the hits of a search, best first."""
    words = text_of(arguments)
    with open_user(arguments) as user:
        hits = user.search(
            words,
            arguments.k,
            since=arguments.since,
            until=arguments.until,
            tiers=arguments.tier,
            min_score=arguments.min_score or 0.0,
        )
    return show_items(hits, hit_lines, _NOTHING, as_json=arguments.json)


_HELP = "/why shows what was recalled for the last answer, /facts what is known, /quit ends"


def register_chat(subparsers: Subparsers) -> None:
    """`memoryos chat URL --user USER --llm MODEL`."""
    said = f"talk with a model that remembers; {_HELP}"
    example = "memoryos chat sqlite:///memory.db --user ann --llm gguf:/models/small.gguf"
    parser = user_command(subparsers, "chat", said, run_chat, example)
    add_recall_log(parser)
    parser.add_argument("--llm", required=True, metavar="MODEL", help="openai:MODEL, or gguf:/path/to/file.gguf")
    parser.add_argument(
        "--budget", type=int, metavar="TOKENS", help="the most tokens recalled (default: as configured)"
    )


def run_chat(arguments: argparse.Namespace) -> int:
    """Answer line by line until the input ends; an answer that fails is told, and the talk goes on."""
    model = open_chat_model(arguments.llm)
    require_names(arguments)
    with open_with_embedder(arguments, make=True, config=None, answer_llm=model) as memory:
        user = user_of(memory, arguments)
        last: Recall | None = None
        if sys.stdin.isatty():
            tell(_HELP)
        for line in _read_lines():
            if line == "/quit":
                break
            if line.startswith("/"):
                _show_last(line, user, last)
                continue
            if _at_terminal():
                sys.stderr.write("…\r")  # the answer takes its place
                sys.stderr.flush()
            last = user.recall(line, budget_tokens=arguments.budget)
            try:
                answer = user.chat(line, recall=last)
            except ModelError as error:
                tell(f"no answer, and nothing was remembered: {error}")
                continue
            _write_answer(arguments, line, answer, last)
    return 0


def _read_lines() -> Iterator[str]:
    """Yield what is typed, without empty lines, until the input ends."""
    read = _ask_line if _at_terminal() else sys.stdin.readline
    while True:
        try:
            line = read()
        except UnicodeDecodeError:
            raise InvalidInputError("standard input is not UTF-8 text") from None
        if not line:
            return
        if line.strip():
            yield line.strip()


def _at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _ask_line() -> str:
    """Return a line that was typed at the terminal; empty at its end."""
    with suppress(ImportError):  # with it, arrow keys edit the line and bring back earlier ones; Windows has its own
        importlib.import_module("readline")
    try:
        return input("> ") + "\n"
    except EOFError:
        sys.stdout.write("\n")  # the shell begins a line of its own
        return ""


def _show_last(command: str, user: UserMemory, last: Recall | None) -> None:
    if command == "/why" and last is not None:
        write_lines([last.text or "nothing was recalled", *([last.explain()] if last.hits else [])])
    elif command == "/facts":
        facts = user.facts()
        write_lines(line for fact in facts for line in fact_lines(fact))
        if not facts:
            tell("no fact is known yet: pages are read for facts when they leave short-term memory")
    else:
        tell(_HELP)
    sys.stdout.flush()


def _write_answer(arguments: argparse.Namespace, line: str, answer: str, recall: Recall) -> None:
    if arguments.json:
        write_json([{"question": line, "answer": answer, "recalled": recall.text, "tokens": recall.tokens}])
    else:
        write_lines([answer])
    sys.stdout.flush()


def register_facts(subparsers: Subparsers) -> None:
    """`memoryos facts URL --user USER [--former|--disputed|--at TIME] [--about user]` and `memoryos topics`."""
    said = "show the facts that are known, oldest first; exit status 1 when there are none"
    parser = user_command(
        subparsers, "facts", said, run_facts, "memoryos facts sqlite:///memory.db --user ann --former"
    )
    parser.add_argument("--about", choices=("user", "assistant"), help="only facts about the user or the assistant")
    when = parser.add_mutually_exclusive_group()
    when.add_argument(
        "--former", action="store_true", help="also facts that were replaced, retired or are in quarantine"
    )
    when.add_argument("--disputed", action="store_true", help="pairs of facts that contradict each other")
    when.add_argument("--at", type=read_moment, metavar="TIME", help="the facts that held at this time, ISO 8601")

    said = "show what was talked about, hottest first, with dates and a summary; exit status 1 when there are no topics"
    user_command(subparsers, "topics", said, topics, "memoryos topics sqlite:///memory.db --user ann")


def topics(arguments: argparse.Namespace) -> int:
    """Show the topics."""
    with open_user(arguments) as user:
        found = user.topics()
    none = "nothing has left short-term memory yet; memoryos worker URL --once does what is due"
    return show_items(found, topic_lines, none, as_json=arguments.json)


def run_facts(arguments: argparse.Namespace) -> int:
    """Show the facts, or pairs of them that contradict each other."""
    with open_user(arguments) as user:
        if arguments.disputed:
            pairs = [d for d in user.disputes() if arguments.about in (None, d.later.about)]
            none = "no facts contradict each other"
            return show_items(pairs, dispute_lines, none, as_json=arguments.json)
        facts = user.facts(arguments.about, current=not arguments.former, at=arguments.at)
    return show_items(facts, fact_lines, "no facts are known", as_json=arguments.json)


def register_stats(subparsers: Subparsers) -> None:
    """`memoryos stats URL [--user USER]`."""
    said = "show how much is remembered, tier by tier: of a user, or of the whole store, with what waits for a worker"
    user_command(subparsers, "stats", said, run_stats, "memoryos stats sqlite:///memory.db")


def run_stats(arguments: argparse.Namespace) -> int:
    """Show the counts."""
    of_user = arguments.user is not None or "MEMORYOS_USER" in os.environ
    if arguments.actor is not None and not of_user:
        raise InvalidInputError("an actor has roles in the memory of one user: name it with --user")
    with open_memory(arguments) as memory:
        if of_user:
            _show_stats(arguments, user_of(memory, arguments).stats(), None)
        else:
            _show_stats(arguments, memory.stats(), memory.backlog())
    return 0


def _show_stats(arguments: argparse.Namespace, stats: Stats, waiting: Backlog | None) -> None:
    if arguments.json:
        write_json([{"stats": plain(stats), **({"backlog": plain(waiting)} if waiting else {})}])
        return
    rows = [
        ("users", stats.users),
        ("sessions", stats.sessions),
        ("short-term pages", stats.pages_short_term),
        ("mid-term pages", stats.pages_mid_term),
        ("mid-term segments", stats.segments),
        ("archived pages", stats.pages_archived),
        ("facts about users", stats.facts_user),
        ("facts about assistants", stats.facts_assistant),
        ("profile fields", stats.profile_fields),
        ("traits", stats.traits),
        ("damaged rows", stats.damaged),
    ]
    if waiting is not None:
        rows += [("scopes that wait for a worker", waiting.scopes), ("pages that wait for vectors", waiting.pages)]
    write_lines(f"{count:>8}  {name}" for name, count in rows)


_CHECK_RECALL = "memoryos check-recall sqlite:///memory.db cases.jsonl"


def register_check_recall(subparsers: Subparsers) -> None:
    """`memoryos check-recall URL FILE`."""
    said = "ask the questions of a file of cases; exit status 1 when one does not bring what it must"
    parser = command(subparsers, "check-recall", said, run_check_recall, _CHECK_RECALL)
    parser.add_argument("file", metavar="FILE", help="cases that the inspector saved, one JSON object a line")
    parser.add_argument("--user", help="the user of the cases that name none; else MEMORYOS_USER")
    parser.add_argument("--actor", help="act with the role that this actor was granted (default: the application)")
    parser.add_argument("--embedder", default="auto", help="the embedder of the store; 'none' for words only")
    parser.add_argument("--json", action="store_true", help="write JSON, one object for each case")


def run_check_recall(arguments: argparse.Namespace) -> int:
    """Check each case; return 1 for a case that fails, and for a file without any."""
    cases = _read_cases(arguments.file)
    if not cases:
        tell("there is no case in this file")
        return 1
    named = arguments.user or os.environ.get("MEMORYOS_USER") or ""
    if not named and not all(case.user for case in cases):
        raise InvalidInputError("a case names no user: say whose memory it is with --user, or set MEMORYOS_USER")
    with open_with_embedder(arguments) as memory:
        wrong = [
            case.check(memory.user(case.user or named, assistant_id=case.assistant, actor=arguments.actor))
            for case in cases
        ]
    if arguments.json:
        write_json(
            {"question": c.question, "user": c.user or named, "ok": not w, "wrong": w}
            for c, w in zip(cases, wrong, strict=True)
        )
    else:
        write_lines(_case_lines(cases, wrong))
    return 1 if any(wrong) else 0


def _read_cases(path: str) -> list[RecallCase]:
    try:
        with Path(path).open(encoding="utf-8") as lines:
            return list(read_cases(lines))
    except OSError as error:
        raise InvalidInputError(f"{path!r} cannot be read ({error.strerror}); name a file of cases") from None
    except UnicodeDecodeError:
        raise InvalidInputError(f"{path!r} is not UTF-8 text; name a file of cases") from None


def _case_lines(cases: list[RecallCase], wrong: list[tuple[str, ...]]) -> Iterable[str]:
    for case, said in zip(cases, wrong, strict=True):
        if said:
            yield f"failed: {case.question}"
            yield from (f"  {each}" for each in said)
    passed = sum(not said for said in wrong)
    yield f"{passed} of {len(cases)} cases passed"
