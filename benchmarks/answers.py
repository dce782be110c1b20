"""Real conversations in, answers out: how well one model answers from what each memory gathers under one budget.

    python -m benchmarks.answers --data ../shared/data/locomo-dev.json --dataset locomo --system ours bm25 --out a.jsonl
    python -m benchmarks.answers --data PATH --dataset locomo --base-url http://127.0.0.1:8080/v1 --model-name NAME

The model is a GGUF file (--model, or else the largest in `.models`, where `python scripts/fetch_models.py qwen1.5b`
puts one) or whatever speaks OpenAI's protocol; a key is read from the variable that --key-from names. Every system is
asked the same questions, a sample in which every category has its share, in the same words and at temperature 0. What
the model fails to answer scores 0. Questions with options are a multiple choice; those of a dataset without answers
and labels are marked by the same model as a judge (benchmarks.judging). Scores of answers in words: benchmarks.scores.
Intervals are of 95 %, by bootstrap over conversations.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from tqdm.auto import tqdm

from benchmarks.answer_tables import report
from benchmarks.answering import Answering, AskedOnce, Reply, open_system
from benchmarks.asking import SYSTEMS
from benchmarks.contexts import FORMS
from benchmarks.datasets import DATASETS, load
from benchmarks.lines import Lines
from benchmarks.sampling import stratified
from benchmarks.scores import locomo_f1
from benchmarks.talks import Question, Talk
from benchmarks.tasks import BY_JUDGE, IN_WORDS, Task, task_of
from memoryos_core.errors import ConfigError, MemoryOSError
from memoryos_core.providers.llms.gguf import GgufChat, find_local_gguf
from memoryos_core.providers.llms.openai import OpenAIChat

_MODELS = Path(__file__).resolve().parents[1] / ".models"
_TIMEOUT_SECONDS = 300.0
_JUDGED_HISTORY = 12_288  # tokens of a whole conversation, for the judge

Asked: TypeAlias = tuple[object, ...]


def main(arguments: Sequence[str] | None = None) -> None:
    """Have everything answered that is not answered yet, and print the tables."""
    parser = _parser()
    options = parser.parse_args(arguments)
    systems = list(dict.fromkeys(options.system))
    if options.resume and not options.out:
        parser.error("--resume needs --out, the file to go on with")
    if options.out and options.out.exists() and not options.resume:
        parser.error(f"{options.out} is there already: --resume goes on with it")
    try:
        talks = load(options.dataset, options.data)
        tasks = [(question, task_of(question)) for talk in talks for question in talk.questions]
        task = next((task for _, task in tasks if task), None)
        if task is None:
            parser.error(f"no question of {options.data} has an answer to compare with")
        every = [question for question, of in tasks if of is task]
        if task is IN_WORDS:
            locomo_f1("word", "word", "")  # what is not installed is said now, not after hours
        for system in systems:
            open_system(system, talks[0]).close()
        answering = _answering(options, task)
        lines = Lines(options.out)
        known = _known(lines.before, options.out, answering.setting)
    except (ImportError, OSError, ValueError, MemoryOSError) as error:
        parser.error(str(error))
    chosen = stratified(every, options.questions)
    with lines:
        replies = list(answered(talks, chosen, systems, answering, known, lines))
    kind = "that a judge marks" if task is BY_JUDGE else "that have an answer"
    print(f"{options.dataset}: {len(chosen)} of {len(every)} questions {kind}, the same for every system")
    print(f"{answering.setting}; percent, 95 % intervals in brackets\n")
    print(report(replies, systems), flush=True)


def answered(
    talks: Sequence[Talk],
    chosen: Sequence[Question],
    systems: Sequence[str],
    answering: Answering,
    known: Mapping[Asked, Reply],
    lines: Lines,
) -> Iterator[Reply]:
    """Every chosen question answered from what every system gathers, those that are `known` from there."""
    ids = {question.id for question in chosen}
    with tqdm(total=len(systems) * len(chosen), unit="question") as progress:
        for system in systems:
            progress.set_description(system)
            for talk in talks:
                asked = [question for question in talk.questions if question.id in ids]
                kept = [known[key] for question in asked if (key := _asked(system, question)) in known]
                done = {question.id for question in asked if _asked(system, question) in known}
                yield from kept
                progress.update(len(kept))
                # A talk without a question left is not even put into a memory.
                for reply in answering.replies(system, talk, asked, done) if len(done) < len(asked) else ():
                    lines.write(reply.row())
                    progress.update()
                    yield reply


def _asked(system: str, question: Question) -> Asked:
    return (system, question.id, question.text, question.category, question.answer, question.options)


def _known(rows: Sequence[Any], path: Path | None, setting: str) -> dict[Asked, Reply]:
    """The replies of this setting; what failed is asked again."""
    known: dict[Asked, Reply] = {}
    for number, row in enumerate(rows, start=1):
        try:
            reply = Reply.from_row(row)
        except (AttributeError, TypeError) as error:
            raise ValueError(f"line {number} of {path} is not a row of this benchmark") from error
        if reply.setting == setting and not reply.failure:
            asked = (reply.system, reply.question_id, reply.question, reply.category, reply.expected, reply.options)
            known[asked] = reply
    return known


def _answering(options: argparse.Namespace, task: Task) -> Answering:
    """The model that was named, asked once: its weights are loaded, and one that is not there ends the run here."""
    budget, ceiling = options.budget, options.answer_tokens
    if options.base_url or options.model_name:
        if not options.model_name:
            raise ConfigError("--base-url needs --model-name, the model to ask for there")
        key = os.environ.get(options.key_from) if options.key_from else None
        server = OpenAIChat(options.model_name, base_url=options.base_url, api_key=key, timeout=_TIMEOUT_SECONDS)
        answering = Answering(server, budget, ceiling, server.name, task)
    else:
        path = options.model or find_local_gguf([_MODELS])
        if path is None:
            raise ConfigError(
                f"there is no model in {_MODELS}: run `python scripts/fetch_models.py qwen1.5b`, or name one with "
                "--model FILE.gguf or --base-url and --model-name"
            )
        # Models split words into more tokens than our counter does; the question and our instructions need room, too.
        room = 2 * budget + ceiling + (_JUDGED_HISTORY if task is BY_JUDGE else 1024)
        local = GgufChat(path, n_ctx=room, threads=options.threads)
        answering = Answering(AskedOnce(local), budget, ceiling, local.name, task)
    answering.greet()
    return answering


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.answers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the dataset's file or folder")
    parser.add_argument("--dataset", choices=sorted(DATASETS), required=True)
    parser.add_argument("--system", nargs="+", choices=[*SYSTEMS, *FORMS], default=["ours", "bm25"], metavar="NAME")
    parser.add_argument("--budget", type=_number, default=600, help="tokens of context, cl100k when on disk")
    parser.add_argument("--questions", type=_number, default=60, help="how many of all conversations together")
    parser.add_argument("--answer-tokens", type=_number, default=64, help="the most an answer may have")
    parser.add_argument("--model", type=Path, metavar="GGUF", help="a file of weights to run here")
    parser.add_argument("--threads", type=_number, help="for the file; half of the cores when not given")
    parser.add_argument("--base-url", metavar="URL", help="an endpoint that speaks OpenAI's protocol")
    parser.add_argument("--model-name", metavar="NAME", help="the model there")
    parser.add_argument("--key-from", metavar="VARIABLE", help="the environment variable that holds the key for it")
    parser.add_argument("--out", type=Path, help="a file of JSON Lines, an answer each; written as they come")
    parser.add_argument("--resume", action="store_true", help="do not ask again what stands in the file")
    return parser


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


if __name__ == "__main__":
    main()
