"""Knowledge that a memory holds after a conversation: facts, updates, conflicts, topics. No network.

    python -m benchmarks.knowledge --data ../shared/data/knowledge
    python -m benchmarks.knowledge --data ../shared/data/knowledge --measure held updates --system dense --limit 2
    python -m benchmarks.knowledge --data ../shared/data/knowledge --measure held --limit 3 --pages 20 --model FILE.gguf

Measures: `held` (gold statements among the facts, and facts that no statement supports), `updates` and `conflicts` (the
current value first, the old one over), `segments` (one project a segment, and what comes back of it), `precision` (the
right beliefs and no others), `topics` (where one topic ends), `interest` (whether the hottest segments are those that
were asked about) and `subjects` (segments of two conversations of our own); the other harness has no counterpart of the
last two. Systems: `words` (no embedder) and `dense` (the local embedder); with `--model` the memory asks a model that
runs here as well, which takes minutes for a few dozen pages (`--pages`). The harness
`../shared/memobench/knowledge.py` gives the same figures. Intervals are of 95 %, by bootstrap over the units:
conversations, or questions where there are only a few conversations.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.beliefs import measure_precision
from benchmarks.knowledge_gold import FILES
from benchmarks.knowledge_memory import SYSTEMS, OpenMemory, opener
from benchmarks.knowledge_tables import Row, report
from benchmarks.lines import Lines
from benchmarks.projects import measure_interest, measure_segments
from benchmarks.statements import measure_statements
from benchmarks.subjects import measure_subjects
from benchmarks.supersession import measure_conflicts, measure_updates
from benchmarks.talks import Talk
from benchmarks.topics import measure_topics
from memoryos_core.errors import MemoryOSError
from memoryos_core.ports import ChatModel
from memoryos_core.providers.llms.gguf import GgufChat
from memoryos_core.providers.tokens import estimate_tokens, open_token_counter
from memoryos_core.values.chat import ChatReply, ChatRequest

MEASURES: dict[str, Callable[[OpenMemory, Path, int | None], Iterator[Row]]] = {
    "held": measure_statements,
    "updates": measure_updates,
    "conflicts": measure_conflicts,
    "topics": measure_topics,
    "segments": measure_segments,
    "interest": measure_interest,
    "subjects": measure_subjects,
    "precision": measure_precision,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what was asked for and print a table for each figure."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.out and options.out.exists():
        parser.error(f"{options.out} exists already; name another file")
    measures = list(dict.fromkeys(options.measure))
    if options.pages and measures != ["held"]:
        parser.error("--pages needs --measure held: the other measures ask about whole conversations")
    files = [options.data / name for measure in measures for name in FILES[measure]]
    if missing := [str(path) for path in files if not path.is_file()]:
        parser.error(f"no such file: {', '.join(missing)}")
    try:
        model = _Counted(GgufChat(options.model)) if options.model else None
        open_memory = opener(options.system, model)
        open_memory(Talk("", ("user", "assistant"), (), ())).close()
        rows, seconds = _measure(measures, open_memory, options)
    except (ImportError, OSError, ValueError, MemoryOSError) as error:
        parser.error(str(error))
    counter = "an estimate" if open_token_counter() is estimate_tokens else "tiktoken's cl100k_base"
    calls = model.calls if model else 0
    print(f"system {options.system}; tokens by {counter}; 95 % intervals in brackets; {calls} model calls\n")
    print(report(rows), flush=True)
    print("\n" + "; ".join(f"{measure} {took:.0f} s" for measure, took in seconds.items()))


class _Counted:
    """A model that counts how often it is asked."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.calls = 0

    @property
    def name(self) -> str:
        return self._model.name

    def ask(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        return self._model.ask(request)


def _measure(
    measures: Sequence[str], open_memory: OpenMemory, options: argparse.Namespace
) -> tuple[list[Row], dict[str, float]]:
    rows: list[Row] = []
    seconds: dict[str, float] = {}
    known = MEASURES | {"held": partial(measure_statements, pages=options.pages)}
    with Lines(options.out) as lines:
        for measure in measures:
            start = time.perf_counter()
            for row in known[measure](open_memory, options.data, options.limit):
                lines.write(row.record())
                rows.append(row)
            seconds[measure] = time.perf_counter() - start
    return rows, seconds


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.knowledge", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the gold files")
    parser.add_argument("--measure", nargs="+", choices=list(MEASURES), default=list(MEASURES), metavar="NAME")
    parser.add_argument("--system", choices=list(SYSTEMS), default="words")
    parser.add_argument("--limit", type=_count, help="the first conversations, dialogues or cases of each file")
    parser.add_argument("--pages", type=_count, help="the first pages of each conversation, for --measure held")
    parser.add_argument("--model", type=Path, metavar="GGUF", help="a file of weights that the memory asks, too")
    parser.add_argument("--out", type=Path, help="a new file of JSON Lines, one row each; written as they are measured")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


if __name__ == "__main__":
    main()
