"""Real conversations in, their evidence out: how much of it each memory brings back under the same budget, no model.

    python -m benchmarks.recall --data ../shared/data/locomo-dev.json --dataset locomo
    python -m benchmarks.recall --data ../shared/data/beam-dev --dataset beam --system ours bm25 --out rows.jsonl
    python -m benchmarks.recall --data ../shared/data/locomo-dev.json --dataset locomo --system all --plots plots
    python -m benchmarks.recall --data ../shared/data/locomo-dev.json --dataset locomo --system peers --out peers.jsonl
    python -m benchmarks.recall --data ../shared/data/locomo-dev.json --dataset locomo --system words --merge 8

Systems: `ours` (local embedder), `words` (no embedder), `paper` (the paper's algorithm), `last` (the last turns),
`bm25` (words of two-turn pages) and `dense` (cosine of turns); `bm25-user` and `dense-user` (the user's turns alone)
where one of the speakers is an assistant; and, when they are named or with `all`, `postgres` and `postgres-words`
(`ours` and `words` on a PostgreSQL server of this process's own) and the peers `mem0`, `langgraph`, `llamaindex` and
`published` (the code published with the paper). `peers` are all that are compared under small budgets, as far as they
are installed. All that embed share the local embedder. Metrics: benchmarks.asking. The harness in `../shared/memobench`
gives the same figures for `benchmarks.system:ours`, `:lexical` and `:paper`. Intervals are of 95 %, by bootstrap over
conversations.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from tqdm.auto import tqdm

from benchmarks.asking import OF_USERS, SYSTEMS, Answered, ask
from benchmarks.baselines import ASSISTANT
from benchmarks.changes import Changes
from benchmarks.databases import ON_SERVER
from benchmarks.datasets import DATASETS, load_labelled
from benchmarks.figures import report
from benchmarks.peers import PEERS
from benchmarks.plots import draw, require_matplotlib
from benchmarks.reading import Talks
from benchmarks.rows import Rows
from benchmarks.talks import Talk
from memoryos_core.providers.tokens import estimate_tokens, open_token_counter

_BUDGETS = (500, 1000, 2000)
_ALL = "all"
_PEERS = "peers"
_COMPARED = ("ours", "words", "paper", "bm25", "dense", *PEERS)
_REFERENCE = "bm25"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every system that was asked for, print the tables and draw the plots."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.resume and not options.out:
        parser.error("--resume needs --out, the file to go on with")
    if options.out and options.out.exists() and not options.resume:
        parser.error(f"{options.out} is there already: --resume goes on with it")
    budgets = sorted(set(options.budget))
    changes = Changes(
        bursts=options.bursts,
        merged=options.merge,
        split=options.split,
        renamed=options.rename,
        swapped=options.other_first,
    )
    try:
        told = load_labelled(options.dataset, options.data)
        talks = Talks(lambda place: changes.apply(told[place]), range(len(told))) if changes.label else told
        systems, left_out = _open(chosen(options.system, talks), talks[0], options.system)
        if options.reference not in (None, *systems):
            parser.error(f"--reference {options.reference} is not among the systems")
        if options.plots:
            require_matplotlib()
            options.plots.mkdir(parents=True, exist_ok=True)
        rows = Rows(options.out, budgets, changes.label)
    except (ImportError, OSError, ValueError) as error:
        parser.error(str(error))
    with rows:
        answered = list(measured(talks, systems, budgets, rows))
    turns, questions = sum(len(talk.turns) for talk in talks), sum(len(talk.questions) for talk in talks)
    counter = "an estimate" if open_token_counter() is estimate_tokens else "tiktoken's cl100k_base"
    print(f"{options.dataset}: {len(talks)} conversations, {turns} turns, {questions} questions with evidence")
    print(f"tokens by {counter}; 95 % intervals in brackets; 0 model calls by any system; one embedder for all")
    print(*([f"told in another form: {changes.label}"] if changes.label else []), *left_out, "", sep="\n")
    print(report(answered, systems, budgets, options.reference or _REFERENCE), flush=True)
    for path in draw(answered, systems, budgets, options.plots) if options.plots else ():
        print(f"\ndrawn: {path}")


def chosen(named: Sequence[str], talks: Sequence[Talk]) -> list[str]:
    """The systems that were named, once each; none named is all but the peers and PostgreSQL.

    A choice of many leaves out the rows of the user's turns where no speaker is an assistant. "peers" stands for those
    that are compared under small budgets.
    """
    named = [name for one in named for name in (_COMPARED if one == _PEERS else (one,))]
    if named and _ALL not in named:
        return list(dict.fromkeys(named))
    assisted = any(ASSISTANT in talk.speakers for talk in talks)
    others = {*PEERS, *ON_SERVER}
    return [name for name in SYSTEMS if (named or name not in others) and (assisted or name not in OF_USERS)]


def _open(systems: Sequence[str], talk: Talk, named: Sequence[str]) -> tuple[list[str], list[str]]:
    """Open every system once: what is not installed is said now, and not after hours.

    Returns those that can be asked, and a line for each that "peers" stands for and that is not installed.

    Raises:
        ImportError: one that was named is not installed.
        OSError: one cannot be opened.
    """
    missing = {system: _import_error(system, talk) for system in systems}
    for system, error in missing.items():
        if error and (_PEERS not in named or system in named):
            raise error
    left_out = [f"left out, {system}: {error}" for system, error in missing.items() if error]
    return [system for system in systems if not missing[system]], left_out


def _import_error(system: str, talk: Talk) -> ImportError | None:
    try:
        SYSTEMS[system](talk).close()
    except ImportError as error:
        return error
    return None


def measured(talks: Sequence[Talk], systems: Sequence[str], budgets: Sequence[int], rows: Rows) -> Iterator[Answered]:
    """Every question answered by every system, those that `rows` knows from there."""
    with tqdm(total=len(systems) * sum(len(talk.questions) for talk in talks), unit="question") as progress:
        for system in systems:
            progress.set_description(system)
            for talk in talks:
                known = [rows.known(system, question) for question in talk.questions]
                left = [question for question, row in zip(talk.questions, known, strict=True) if row is None]
                yield from (row for row in known if row is not None)
                progress.update(len(known) - len(left))
                # A talk without a question left is not even put into a memory.
                for row in ask(system, talk, left, budgets) if left else ():
                    rows.write(row)
                    progress.update()
                    yield row


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.recall", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the file or folder of the dataset")
    parser.add_argument("--dataset", choices=sorted(DATASETS), required=True)
    _add_changes(parser)
    parser.add_argument("--system", nargs="+", choices=[*SYSTEMS, _ALL, _PEERS], default=[], metavar="NAME")
    parser.add_argument("--reference", choices=list(SYSTEMS), metavar="NAME", help=f"subtracted ({_REFERENCE})")
    parser.add_argument("--budget", nargs="+", type=_tokens, default=_BUDGETS, help="tokens, cl100k when on disk")
    parser.add_argument("--out", type=Path, help="a file of JSON Lines, a question each; written as they are asked")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="draw recall by budget and by category there")
    parser.add_argument("--resume", action="store_true", help="do not ask again what stands in the file")
    return parser


def _add_changes(parser: argparse.ArgumentParser) -> None:
    changes = parser.add_argument_group("the same conversations in another form (benchmarks.changes)")
    changes.add_argument("--bursts", type=_count, default=0, metavar="N", help="N turns of one speaker in a row")
    changes.add_argument("--merge", type=_count, default=0, metavar="N", help="the same, each burst one message")
    changes.add_argument("--split", action="store_true", help="a message for each sentence")
    changes.add_argument("--rename", action="store_true", help="other names for the speakers")
    changes.add_argument("--other-first", action="store_true", help="the other speaker is the user")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of turns")
    return int(text)


def _tokens(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of tokens")
    return int(text)


if __name__ == "__main__":
    main()
