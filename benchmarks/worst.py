"""What fails and why: the worst questions of a system, each with the first cause that holds, and no word of anybody's.

    python -m benchmarks.recall --data ../shared/data/locomo-dev.json --dataset locomo --system ours --out rows.jsonl
    python -m benchmarks.worst --rows rows.jsonl --data ../shared/data/locomo-dev.json --dataset locomo

The worst are those of least recall, then those that missed most, then by lot. Their conversations are put into the
system once more, to learn at which rank it has the best of what was missed. Causes, in the order in which they are
tried: what was missed is longer than a hit may be (it would be cut, and counts only whole); it was said by the
assistant; it shares no content word with the question, nor does the turn before or after it (speakers' names are no
content); the question needs more than 3 turns of more than 2 sessions; it needs several; it stands behind others.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from tqdm.auto import tqdm

from benchmarks.asking import SYSTEMS, at_budget, fill
from benchmarks.baselines import ASSISTANT, DEPTH
from benchmarks.datasets import DATASETS, load_labelled
from benchmarks.figures import table
from benchmarks.lines import Lines
from benchmarks.talks import Question, Talk, Turn
from memoryos_core.providers.tokens import open_token_counter
from memoryos_core.rules.ranking.questions import asks_assistant
from memoryos_core.rules.text.words import terms

LONG = "longer than a hit may be"
REPLY = "said by the assistant"
WORDLESS = "no word in common, neighbours included"
SCATTERED = "over 3 turns of over 2 sessions"
SEVERAL = "several pieces"
OUTRANKED = "outranked, but among the first 30"
FAR = "outranked, beyond the first 30"
CAUSES = (LONG, REPLY, WORDLESS, SCATTERED, SEVERAL, OUTRANKED, FAR)
# The shares of a budget that our memory gives to one hit, and to a reply of an assistant without a name.
_LARGEST_HIT, _LARGEST_REPLY = 0.6, 0.1
_NEAR_MISS = 30


@dataclass(frozen=True, slots=True)
class Failure:
    """A question and the turns that the system missed, in the order of the evidence; there is always one."""

    talk: Talk
    question: Question
    missed: tuple[str, ...]

    @property
    def recall(self) -> float:
        """The share that was found, 0 to 1."""
        return 1 - len(self.missed) / len(self.question.gold)

    @property
    def turns(self) -> list[Turn]:
        """What was missed."""
        return [turn for turn in self.talk.turns if turn.id in self.missed]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how many fail for which cause, and a line for each of the worst."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        talks = load_labelled(options.dataset, options.data)
        asked, failures = failed(options.rows, talks, options.system, options.budget)
        worst = worst_of(failures, options.most)
        ranks = dict(_ranks(worst, options.system))
    except (ImportError, OSError, ValueError) as error:
        parser.error(str(error))
    print(f"{options.dataset}, {options.system}: of {asked} questions {len(failures)} miss something in ", end="")
    print(f"{options.budget} tokens; the worst {len(worst)}\n")
    print(report(worst, ranks, options.budget), flush=True)


def failed(path: Path, talks: Sequence[Talk], system: str, budget: int) -> tuple[int, list[Failure]]:
    """How many questions were asked, and those that missed something, by the rows of benchmarks.recall.

    Raises:
        ValueError: a line is not of that benchmark, or no row is of this system, budget and data.
        OSError: the file cannot be read.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}; write it with benchmarks.recall --out")
    known: dict[tuple[object, ...], tuple[str, ...]] = {}
    for number, row in enumerate(Lines(path).before, start=1):
        try:
            missed = row["missed"].get(at_budget(budget))
            of = (row["system"], row["question_id"], *row["gold"])
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"line {number} of {path} is not a row of benchmarks.recall") from error
        if missed is not None and not row.get("change"):
            known[of] = tuple(missed)
    asked = [
        Failure(talk, question, known[of])
        for talk in talks
        for question in talk.questions
        if (of := (system, question.id, *question.gold)) in known
    ]
    if not asked:
        raise ValueError(f"{path} has no row of {system} within {budget} tokens for these conversations")
    return len(asked), [failure for failure in asked if failure.missed]


def worst_of(failures: Sequence[Failure], most: int) -> list[Failure]:
    """The worst first: of least recall, then those that missed most, then by a lot that is always the same."""
    return sorted(failures, key=lambda f: (f.recall, -len(f.missed), crc32(f.question.id.encode())))[:most]


def _ranks(failures: Sequence[Failure], system: str) -> Iterator[tuple[str, int | None]]:
    """By question the rank, from 1, of the best of what was missed; None where the system does not have it."""
    by_talk: dict[str, list[Failure]] = {}
    for failure in failures:
        by_talk.setdefault(failure.talk.name, []).append(failure)
    for of in tqdm(by_talk.values(), unit="conversation"):
        with closing(SYSTEMS[system](of[0].talk)) as memory:
            fill(memory, of[0].talk)
            for failure in of:
                hits = memory.search(failure.question.text, DEPTH)
                has = (
                    rank for rank, hit in enumerate(hits, start=1) if not set(failure.missed).isdisjoint(hit.dia_ids)
                )
                yield failure.question.id, next(has, None)


def cause(failure: Failure, rank: int | None, budget: int) -> str:
    """The first of CAUSES that holds; one that speaks of what was missed holds when it does for every turn of it."""
    gold = failure.question.gold
    sessions = {turn.session for turn in failure.talk.turns if turn.id in gold}
    if all(_too_long(turn, failure.question.text, budget) for turn in failure.turns):
        return LONG
    if all(turn.speaker == ASSISTANT for turn in failure.turns):
        return REPLY
    if _wordless(failure):
        return WORDLESS
    if len(gold) > 3 and len(sessions) > 2:
        return SCATTERED
    if len(gold) > 1:
        return SEVERAL
    return OUTRANKED if rank is not None and rank <= _NEAR_MISS else FAR


def _too_long(turn: Turn, question: str, budget: int) -> bool:
    is_reply = turn.speaker == ASSISTANT and not asks_assistant(question)
    return open_token_counter()(turn.text) > budget * (_LARGEST_REPLY if is_reply else _LARGEST_HIT)


def _wordless(failure: Failure) -> bool:
    names = set(terms(" ".join(failure.talk.speakers)))
    wanted = set(terms(failure.question.text)) - names
    return all(
        wanted.isdisjoint(terms(turn.text))
        for session in failure.talk.sessions
        for place, missed in enumerate(session)
        if missed.id in failure.missed
        for turn in session[max(place - 1, 0) : place + 2]
    )


def report(failures: Sequence[Failure], ranks: Mapping[str, int | None], budget: int) -> str:
    """Counts by cause and category, and a line a question: ids and numbers alone, since others' texts are not ours."""
    causes = [cause(failure, ranks[failure.question.id], budget) for failure in failures]
    counts = Counter((why, failure.question.category) for why, failure in zip(causes, failures, strict=True))
    categories = sorted({failure.question.category for failure in failures})
    first = [
        [why, *(str(counts[why, category] or "") for category in categories), str(causes.count(why))]
        for why in CAUSES
        if why in causes
    ]
    first.append(["all", *(str(sum(counts[why, of] for why in CAUSES)) for of in categories), str(len(failures))])
    count = open_token_counter()
    second = [
        [
            failure.question.id,
            failure.question.category,
            why,
            f"{len(failure.missed)} of {len(failure.question.gold)}",
            str(ranks[failure.question.id] or "none"),
            str(sum(count(turn.text) for turn in failure.turns)),
        ]
        for why, failure in sorted(zip(causes, failures, strict=True), key=lambda pair: CAUSES.index(pair[0]))
    ]
    return "\n\n".join(
        (
            table(["cause", *categories, "all"], first),
            table(["question", "category", "cause", "missed", "best rank of the missed", "tokens missed"], second),
        )
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.worst", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=Path, required=True, help="what benchmarks.recall wrote with --out")
    parser.add_argument("--data", type=Path, required=True, help="the same file or folder as there")
    parser.add_argument("--dataset", choices=sorted(DATASETS), required=True)
    parser.add_argument("--system", choices=list(SYSTEMS), default="ours", metavar="NAME")
    parser.add_argument("--budget", type=int, default=1000, help="tokens; one of those asked there")
    parser.add_argument("--most", type=int, default=50, help="how many questions")
    return parser


if __name__ == "__main__":
    main()
