"""The same conversations told in other forms: how far recall moves when nothing that was said has changed.

    python -m benchmarks.robustness --data ../shared/data/locomo-dev.json --dataset locomo --system words --out r.jsonl

For each form (benchmarks.changes): recall under the budgets, with its points against the plain telling on the same
questions; Ans, which is comparable whatever a message is; and the recall of turns that count once any of their
sentences stands in the text, since in split messages the other sentences of a cited turn often tell nothing. Where one
of the speakers is an assistant, names and roles stay as they are.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.asking import SYSTEMS, Answered, at_budget
from benchmarks.changes import Changes
from benchmarks.datasets import DATASETS, load_labelled
from benchmarks.figures import figure, table
from benchmarks.reading import Talks
from benchmarks.recall import measured
from benchmarks.rows import Rows
from benchmarks.talks import Talk

_BUDGETS = (500, 1000, 2000)
_SHOWN = 1000
PLAIN = "as it is"
FORMS: dict[str, Changes] = {
    PLAIN: Changes(),
    "bursts of 3, merged": Changes(merged=3),
    "bursts of 8, merged": Changes(merged=8),
    "bursts of 8": Changes(bursts=8),
    "a message a sentence": Changes(split=True),
    "other names": Changes(renamed=True),
    "the other speaker first": Changes(swapped=True),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every system in every form, and print one table."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.resume and not options.out:
        parser.error("--resume needs --out, the file to go on with")
    if options.out and options.out.exists() and not options.resume:
        parser.error(f"{options.out} is there already: --resume goes on with it")
    try:
        talks = load_labelled(options.dataset, options.data)
        for system in options.system:
            SYSTEMS[system](talks[0]).close()  # what is not installed is said now, not after hours
        forms = {form: changes for form, changes in FORMS.items() if changes.fit(talks[0])}
        answered = {form: list(_measure(talks, changes, options)) for form, changes in forms.items()}
    except (ImportError, OSError, ValueError) as error:
        parser.error(str(error))
    print(f"{options.dataset}: {len(talks)} conversations in {len(forms)} forms; points are against {PLAIN!r}\n")
    print(report(answered, options.system), flush=True)


def _measure(talks: Sequence[Talk], changes: Changes, options: argparse.Namespace) -> Iterator[Answered]:
    told = Talks(lambda place: changes.apply(talks[place]), range(len(talks)))
    with Rows(options.out, _BUDGETS, changes.label) as rows:
        yield from measured(told, options.system, _BUDGETS, rows)


def report(answered: Mapping[str, Sequence[Answered]], systems: Sequence[str]) -> str:
    """A Markdown table: a line for each system and form, each mean with its points against the plain telling."""
    metrics: dict[str, Callable[[Answered], float | None]] = {
        **{at_budget(budget): _recall_at(budget) for budget in _BUDGETS},
        f"any sentence, {at_budget(_SHOWN)}": lambda row: recall_of_any(row, at_budget(_SHOWN)),
        f"Ans@{_SHOWN}t": lambda row: row.told.get(str(_SHOWN)),
    }
    body: list[list[str]] = []
    for system in systems:
        plain = {row.question_id: row for row in answered[PLAIN] if row.system == system}
        for form, rows in answered.items():
            of = [row for row in rows if row.system == system]
            cells = [_cell(of, plain, value, is_plain=form == PLAIN) for value in metrics.values()]
            body.append([system, form, *cells, str(len(of))])
    return table(["system", "form", *metrics, "questions"], body)


def _cell(
    rows: Sequence[Answered],
    plain: Mapping[str, Answered],
    value: Callable[[Answered], float | None],
    *,
    is_plain: bool,
) -> str:
    pairs = [(row.conversation, value(row), value(plain[row.question_id])) for row in rows]
    known = [(talk, one, other) for talk, one, other in pairs if one is not None and other is not None]
    if not known:  # no author gave an answer in words
        return ""
    mean = f"{100 * sum(one for _, one, _ in known) / len(known):.1f}"
    points = figure((talk, one - other) for talk, one, other in known)
    return mean if is_plain else f"{mean} ({100 * points.mean:+.1f})"


def _recall_at(budget: int) -> Callable[[Answered], float]:
    return lambda row: row.recall(at_budget(budget))


def recall_of_any(row: Answered, metric: str) -> float:
    """The share of the cited turns of which a sentence was found; `changes.split` numbers them behind a slash."""
    turns = {piece.partition("/")[0] for piece in row.gold}
    found = {piece.partition("/")[0] for piece in row.gold if piece not in row.missed[metric]}
    return len(found) / len(turns)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="the file or folder of the dataset")
    parser.add_argument("--dataset", choices=sorted(DATASETS), required=True)
    parser.add_argument("--system", nargs="+", choices=list(SYSTEMS), default=["words", "bm25"], metavar="NAME")
    parser.add_argument("--out", type=Path, help="a file of JSON Lines, a question each; written as they are asked")
    parser.add_argument("--resume", action="store_true", help="do not ask again what stands in the file")
    return parser


if __name__ == "__main__":
    main()
