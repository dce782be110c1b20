"""The published conversations by name, read in the form in which their authors publish them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.beam import beam
from benchmarks.forms import FormError, describe, tell_cause
from benchmarks.gvd import gvd
from benchmarks.locomo import locomo, realtalk
from benchmarks.locomo_plus import locomo_plus
from benchmarks.longmemeval import longmemeval
from benchmarks.memorybench import memorybench
from benchmarks.personamem import personamem, personamem_128k
from benchmarks.talks import Talk


@dataclass(frozen=True, slots=True)
class Dataset:
    """A reader, and the form that it expects, in words."""

    read: Callable[[Path], Sequence[Talk]]
    form: str


_PERSONAMEM = (
    "questions_32k.csv with shared_contexts_32k.jsonl beside it (version 1), "
    "or benchmark/text/benchmark.csv in the folder of the dataset (version 2)"
)
DATASETS: dict[str, Dataset] = {
    "locomo": Dataset(
        locomo, "locomo10.json, a list of objects with sample_id, conversation (session_N, speaker_a, …) and qa"
    ),
    "locomo-plus": Dataset(
        locomo_plus,
        "locomo_plus.json, objects with relation_type, cue_dialogue and trigger_query; beside it locomo10.json",
    ),
    "realtalk": Dataset(realtalk, "a folder of Chat_N_*.json, each with name, session_N and qa"),
    "beam": Dataset(beam, "a folder of numbered folders, each with chat.json and probing_questions.json"),
    "longmemeval": Dataset(
        longmemeval,
        "longmemeval_s.json, longmemeval_m.json or longmemeval_oracle.json, a list of objects with question_id, "
        "question_type, question, answer, question_date, haystack_dates, haystack_session_ids, haystack_sessions and "
        "answer_session_ids",
    ),
    "personamem": Dataset(personamem, _PERSONAMEM),
    "personamem-128k": Dataset(
        personamem_128k, "benchmark/text/benchmark.csv in the folder of the dataset (version 2)"
    ),
    "gvd": Dataset(gvd, "a folder with memory_bank_*.json and probing_questions_*.jsonl (eval_data/en of MemoryBank)"),
    "memorybench": Dataset(
        memorybench, "the folder of the dataset, with dataset/NAME/{train,test} and corpus/NAME.jsonl"
    ),
}


def load(dataset: str, path: Path) -> Sequence[Talk]:
    """Read every conversation of a file or a folder, as DATASETS says.

    Raises:
        FormError: there is no conversation, or one is not of the dataset's form.
        OSError: it cannot be read.
        ModuleNotFoundError: it takes a package that is not installed.
    """
    of = DATASETS[dataset]
    try:
        talks = of.read(path)
    except (
        AttributeError,
        IndexError,
        KeyError,
        TypeError,
        ValueError,
        IsADirectoryError,
        NotADirectoryError,
    ) as error:
        cause = tell_cause(error)
        found = describe(path)
    else:
        if talks:
            return talks
        cause, found = "it holds no conversation", describe(path)
    # Not chained: Python's own messages may quote the file.
    raise FormError(f"{path} is not of the form of {dataset}: {cause}. Expected: {of.form}. Found: {found}.")


def load_labelled(dataset: str, path: Path) -> Sequence[Talk]:
    """Read the conversations that have questions whose evidence is labelled, with these questions. Raises as `load`."""
    talks = load(dataset, path)
    if all(question.gold for talk in talks for question in talk.questions):
        return talks
    labelled = [replace(talk, questions=tuple(q for q in talk.questions if q.gold)) for talk in talks]
    labelled = [talk for talk in labelled if talk.questions]
    if not labelled:
        raise FormError(
            f"the authors of {dataset} label no evidence in {path}: benchmarks.answers has its questions answered"
        )
    return labelled
