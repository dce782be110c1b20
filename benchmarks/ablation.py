"""What each part of the memory is worth: the default, and the default with one part after another switched off.

    python -m benchmarks.ablation --data ../shared/data/locomo-dev.json --dataset locomo
    python -m benchmarks.ablation --data ../shared/data/beam-dev --dataset beam --budget 2000 --out rows.jsonl

A part is off by configuration, as a user would switch it off. A conversation is taken in once for all variants that
store it alike, and each of them opens a copy of that database under its own configuration. Behind every mean stand the
points by which it differs from the default on the same questions, with a 95 % interval by bootstrap over
conversations. Metrics: benchmarks.asking; Ans counts what facts say, too.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from tqdm.auto import tqdm

from benchmarks.asking import AT_PAGES, Answered, Asked, at_budget, fill, put
from benchmarks.datasets import DATASETS, load_labelled
from benchmarks.figures import by_system, figure
from benchmarks.rows import Rows
from benchmarks.system import ASKING, DEFAULT, PAPER, USER, Asking, System, local_embedder
from benchmarks.talks import Question, Talk
from memoryos_core import MemoryConfig, MemoryOS
from memoryos_core.ports import Clock

FULL = "everything"


@dataclass(frozen=True, slots=True)
class Variant:
    """How a conversation is stored, with an embedder or without, and how what is stored is asked.

    Variants that are `stored` alike are asked on copies of one database.
    """

    stored: MemoryConfig = DEFAULT
    asked: MemoryConfig = DEFAULT
    embeds: bool = True

    @property
    def way_in(self) -> tuple[MemoryConfig, bool]:
        """What decides what stands in the database."""
        return self.stored, self.embeds

    def told(self, talk: Talk, path: Path) -> datetime:
        """Take the talk in, in a new file; says when its last turn was."""
        with closing(System(talk, lambda clock: self._memory(path, self.stored, clock))) as memory:
            fill(memory, talk)
        return memory.now

    def opened(self, path: Path, now: datetime) -> Asked:
        """The memory in a file, ready to be asked at a moment."""
        memory = self._memory(path, self.asked, lambda: now)
        return Asking(memory.user(USER, session_id=ASKING), memory.close)

    def _memory(self, path: Path, config: MemoryConfig, clock: Clock) -> MemoryOS:
        embedder = local_embedder() if self.embeds else None
        return MemoryOS(f"sqlite:///{path}", embedder=embedder, config=config, clock=clock)


def _asked(**changes: float | str) -> Variant:
    return Variant(asked=replace(DEFAULT, recall=replace(DEFAULT.recall, **changes)))  # type: ignore[arg-type]


# Only what is hot is read, and no heat reaches the threshold: there are no facts and no profile.
_UNPROMOTED = replace(
    DEFAULT, heat=replace(DEFAULT.heat, threshold=1e12), long_term=replace(DEFAULT.long_term, reads="hot")
)
# The cosine of two pages that are not the same stays below it: no page continues the one before.
_UNCHAINED = replace(DEFAULT, mid_term=replace(DEFAULT.mid_term, continuity=1.0))

VARIANTS: dict[str, Variant] = {
    FULL: Variant(),
    "no lexical": _asked(lexical=0.0),
    "no windows": _asked(window=0.0),
    "no dense": _asked(dense=0.0),
    "no meaning windows": _asked(meaning_window=0.0),
    "names embedded": _asked(nameless=0.0),
    "no speaker": _asked(speaker=0.0),
    "no dates": _asked(date=0.0),
    "no segments": _asked(segment=0.0),
    "no sessions": _asked(session=0.0),
    "no heat": _asked(heat=0.0),
    "no recency": _asked(recency=0.0),
    "no length": _asked(length=0.0),
    "no coverage": _asked(coverage="never"),
    "no knowledge": _asked(knowledge_share=0.0),
    "no long-term": Variant(stored=_UNPROMOTED),
    "no chain": Variant(stored=_UNCHAINED),
    "no embedder": Variant(embeds=False),
    "paper()": Variant(PAPER, PAPER),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask every variant every question and print the table."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.resume and not options.out:
        parser.error("--resume needs --out, the file to go on with")
    if options.out and options.out.exists() and not options.resume:
        parser.error(f"{options.out} is there already: --resume goes on with it")
    try:
        talks = load_labelled(options.dataset, options.data)
        local_embedder()  # what is not installed is said now, not after hours
        rows = Rows(options.out, [options.budget])
    except (ImportError, OSError, ValueError) as error:
        parser.error(str(error))
    with rows:
        answered = list(measured(talks, options.budget, rows))
    questions = sum(len(talk.questions) for talk in talks)
    print(f"{options.dataset}: {len(talks)} conversations, {questions} questions; points are against {FULL!r}\n")
    print(report(answered, options.budget), flush=True)


def measured(talks: Sequence[Talk], budget: int, rows: Rows) -> Iterator[Answered]:
    """Every question answered by every variant, those that `rows` knows from there."""
    ways = list(dict.fromkeys(variant.way_in for variant in VARIANTS.values()))
    with tqdm(total=len(VARIANTS) * sum(len(talk.questions) for talk in talks), unit="question") as progress:
        for talk in talks:
            for way in ways:
                left: dict[str, list[Question]] = {}
                for name in (name for name, variant in VARIANTS.items() if variant.way_in == way):
                    known = {question.id: rows.known(name, question) for question in talk.questions}
                    yield from (row for row in known.values() if row is not None)
                    left[name] = [question for question in talk.questions if known[question.id] is None]
                    progress.update(len(known) - len(left[name]))
                for row in _measured(talk, {name: of for name, of in left.items() if of}, budget):
                    rows.write(row)
                    progress.update()
                    yield row


def _measured(talk: Talk, left: dict[str, list[Question]], budget: int) -> Iterator[Answered]:
    """The questions that are left for variants which store the talk alike: it is taken in once."""
    if not left:
        return
    with tempfile.TemporaryDirectory(prefix="memoryos-ablation-") as folder:
        path = Path(folder) / "memory.db"
        now = VARIANTS[next(iter(left))].told(talk, path)
        for number, (name, questions) in enumerate(left.items()):
            # Every recall is a visit, and visits make heat: no variant may find what another one left behind.
            copy = Path(shutil.copy(path, path.with_name(f"copy-{number}.db")))
            with closing(VARIANTS[name].opened(copy, now)) as memory:
                yield from put(name, memory, talk, questions, [budget])


def report(answered: Sequence[Answered], budget: int) -> str:
    """A Markdown table: a variant a line, each mean with its points against the default on the same questions."""
    rows = by_system(answered, list(VARIANTS))
    full = {row.question_id: row for row in rows[FULL]}
    metrics: dict[str, Callable[[Answered], float | None]] = {
        at_budget(budget): lambda row: row.recall(at_budget(budget)),
        AT_PAGES: lambda row: row.recall(AT_PAGES),
        f"Ans@{budget}t": lambda row: row.told.get(str(budget)),
    }
    head = ["variant", *(cell for metric in metrics for cell in (metric, "points")), "mean tokens", "questions"]
    lines = [head, ["---"] * len(head)]
    for name, of in rows.items():
        cells = [name]
        for value in metrics.values():
            pairs = [(row.conversation, value(row), value(full[row.question_id])) for row in of]
            known = [(talk, one, other) for talk, one, other in pairs if one is not None and other is not None]
            if not known:  # no author gave an answer in words
                cells += ["", ""]
                continue
            cells.append(f"{100 * sum(one for _, one, _ in known) / len(known):.1f}")
            points = figure((talk, one - other) for talk, one, other in known)
            cells.append("" if name == FULL else points.percent(signed=True))
        tokens = sum(row.tokens[str(budget)] for row in of) / len(of)
        lines.append([*cells, f"{tokens:.0f}", str(len(of))])
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ablation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the dataset's file or folder")
    parser.add_argument("--dataset", choices=sorted(DATASETS), required=True)
    parser.add_argument("--budget", type=_tokens, default=1000, help="tokens, cl100k when on disk")
    parser.add_argument("--out", type=Path, help="a file of JSON Lines, a question each; written as they are asked")
    parser.add_argument("--resume", action="store_true", help="do not ask again what stands in the file")
    return parser


def _tokens(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of tokens")
    return int(text)


if __name__ == "__main__":
    main()
