"""Output of the commands: JSON for programs, and plain lines without control characters for people."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from textwrap import indent
from typing import TypeVar

from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.plain_values import plain
from memoryos_core.ports.optional_imports import is_installed
from memoryos_core.rules.text.words import printable
from memoryos_core.values.audit import LoggedRecall
from memoryos_core.values.dialogue import Hit, Page, Topic
from memoryos_core.values.facts import Dispute, Fact
from memoryos_core.values.reports import CheckFinding

_T = TypeVar("_T")

# What our own lines begin with; remembered text is indented, or quoted behind a mark.
_STYLES = tuple(
    (re.compile(begin), style)
    for begin, style in (
        (r"(?:fact|page|topic|recall) \S|\d\.\d\d  (?:fact|page)\b", "cyan"),
        (r"(?:broken|wrong|failed)\b", "bold red"),
        (r"ok\b", "green"),
        (r"</?memory>$", "dim"),
        (r"[A-Z][^.]*:$", "bold"),
    )
)


def write_json(values: Iterable[object]) -> None:
    """Write values as JSON, one object per line, in ASCII."""
    sys.stdout.writelines(json.dumps(plain(value)) + "\n" for value in values)


def write_lines(lines: Iterable[str]) -> None:
    """Write lines for a person, in colours on a terminal with rich. Remembered text cannot steer the terminal."""
    if sys.stdout.isatty() and is_installed("rich"):
        _write_coloured(lines)
    else:
        sys.stdout.writelines(printable(line) + "\n" for line in lines)


def _write_coloured(lines: Iterable[str]) -> None:
    """Write lines in colours; rich leaves them out where NO_COLOR or TERM=dumb is set."""
    from rich.console import Console  # noqa: PLC0415 - an extra
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=sys.stdout, soft_wrap=True)
    for text in lines:
        for line in printable(text).split("\n"):
            console.print(Text(line, style=next((style for begin, style in _STYLES if begin.match(line)), "")))


def show_items(items: Sequence[_T], lines_of: Callable[[_T], list[str]], none: str, *, as_json: bool) -> int:
    """Write items as JSON or as lines, and remark when there is `none`; return the exit status, 1 without an item."""
    if as_json:
        write_json(items)
    else:
        write_lines(line for item in items for line in lines_of(item))
    if not items:
        tell(none)
    return 0 if items else 1


def tell(text: str) -> None:
    """Write a remark, which is no part of the answer, to standard error."""
    sys.stderr.write(f"memoryos: {text}\n")


def text_of(arguments: argparse.Namespace) -> str:
    """Return the text that was given, or standard input for "-". Raises InvalidInputError for a URL in its place."""
    text: str = arguments.text
    if arguments.url is None and "://" in text:
        raise InvalidInputError(
            f"there is no text behind {text.split('://', maxsplit=1)[0]}://…: write it after the URL"
        )
    if text != "-":
        return text
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        raise InvalidInputError("standard input is not UTF-8 text") from None


def read_moment(written: str) -> datetime:
    """Return a time as an option takes it: ISO 8601, UTC without an offset."""
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid time {written!r}: write it like 2026-05-01T12:00+00:00") from None


def fact_lines(fact: Fact) -> list[str]:
    """Return a fact with its id, its dates and its source."""
    since, until = f"{fact.valid_from:%Y-%m-%d}", f" to {fact.valid_until:%Y-%m-%d}" if fact.valid_until else ""
    source = "told on purpose" if not fact.page_ids else f"from {', '.join(fact.page_ids)}"
    head = f"fact {fact.id}  {fact.status}  since {since}{until}, of the {fact.about}, {source}"
    return [head, indent(fact.text, "  ", lambda _: True)]


def dispute_lines(dispute: Dispute) -> list[str]:
    """Return two facts that contradict each other."""
    return ["These contradict each other:", *fact_lines(dispute.earlier), *fact_lines(dispute.later)]


def topic_lines(topic: Topic) -> list[str]:
    """Return a topic with its heat, its dates and its summary."""
    dates = " to ".join(f"{when:%Y-%m-%d}" for when in (topic.since, topic.until) if when)
    pages = "1 page" if topic.pages == 1 else f"{topic.pages} pages"
    head = f"topic {topic.segment_id}  heat {topic.heat:.1f}  {pages}  {dates}".rstrip()
    return [head, *(indent(text, "  ", lambda _: True) for text in (topic.title, topic.summary) if text)]


def recall_lines(recall: LoggedRecall) -> list[str]:
    """Return a logged recall: when and by whom, and the ids of what came."""
    who = recall.actor or "the application"
    head = f"recall {recall.seq}  {recall.at:%Y-%m-%d %H:%M}  by {who}  hits: {recall.hits}, tokens: {recall.tokens}"
    return [f"{head} of {recall.budget_tokens}", *(indent(i, "  ", lambda _: True) for i in recall.ids)]


def hit_lines(hit: Hit) -> list[str]:
    """Return a hit with its relevance, its id and its date."""
    head = f"{hit.score:.2f}  {hit.kind} {hit.id}  {hit.timestamp:%Y-%m-%d}, {hit.tier.replace('_', ' ')}"
    return [head, indent(hit.text, "  ", lambda _: True)]


def page_line(page: Page) -> str:
    """Return where a page is."""
    return f"page {page.id}  {page.timestamp:%Y-%m-%d}, {page.tier.replace('_', ' ')}, session {page.session_id}"


def finding_record(finding: CheckFinding) -> dict[str, object]:
    """Return a finding as `--json` writes it."""
    scope = finding.scope
    of = {} if scope is None else {"user_id": scope.user_id, "assistant_id": scope.assistant_id}
    return {"law": finding.law, "count": finding.count, "ids": list(finding.ids), **of}


def finding_line(finding: CheckFinding) -> str:
    """Return a finding as a line: ids, never text."""
    scope = finding.scope
    rows = "1 row" if finding.count == 1 else f"{finding.count} rows"
    of = "" if scope is None else f" of user {scope.user_id!r} with {scope.assistant_id!r}"
    more = ", …" if finding.count > len(finding.ids) > 0 else ""
    ids = f" ({', '.join(finding.ids)}{more})" if finding.ids else ""
    return f"broken: {finding.law}: {rows}{of}{ids}"
