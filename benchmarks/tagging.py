"""Train the models that mark what people say about themselves, and measure them on messages that they have not seen.

    python -m benchmarks.tagging                    # five folds of the messages in benchmarks/sentences/marked.txt
    python -m benchmarks.tagging --write            # train on all of them, and write memoryos_core/extract/tagging.json
    python -m benchmarks.tagging --read chat.txt    # what the package's models mark in the lines of a file

A message stands on a line, and what is said in it in braces: "back home in {home:Leeds}". We wrote them. A label may
have "no" (it is over, or denied) or "next" (settled, and not yet so) before it; `wish` marks how answers shall be.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pycrfsuite

from memoryos_core.extract import tagging, wish_sentences, word_tokens
from memoryos_core.extract.statement_clauses import sentences_of

SENTENCES = Path(__file__).parent / "sentences"
FOLDS, BLOCK = 5, 50  # lines that one person wrote stand together
_MARK = re.compile(r"\{(?:(no|next) )?([a-z]+):([^{}]+)\}")
_WISH = "wish"
_SPANS = {"c1": 0.05, "c2": 0.05, "max_iterations": 100, "feature.minfreq": 2}
_STATUSES = {"c1": 0.1, "c2": 0.05, "max_iterations": 100, "feature.minfreq": 2}
_WISHES = {"c1": 0.1, "c2": 0.02, "max_iterations": 200}
_LEAST_WEIGHT = 3  # hundredths


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked span: where it stands in the text, what it is, and whether it holds."""

    start: int
    end: int
    label: str
    status: str


@dataclass(frozen=True, slots=True)
class Marked:
    """A message without its braces, and what was in them."""

    text: str
    marks: tuple[Mark, ...]


def read_line(line: str) -> Marked:
    """Return the message of a line, and its marks."""
    text, marks, at = "", list[Mark](), 0
    for match in _MARK.finditer(line):
        text += line[at : match.start()]
        said = match[3].strip()
        marks.append(Mark(len(text), len(text) + len(said), match[2], match[1] or "now"))
        text, at = text + said, match.end()
    return Marked(text + line[at:], tuple(marks))


def read_messages() -> list[Marked]:
    """Return the marked messages, in the order of the file."""
    lines = (SENTENCES / "marked.txt").read_text("utf-8").split("\n")
    return [read_line(line) for line in lines if line.strip()]


def train(
    items: Iterable[tuple[Sequence[Sequence[str]], Sequence[str]]], settings: dict[str, float]
) -> dict[str, object]:
    """Return labels, weights and moves of a chain, as the package reads them."""
    trainer = pycrfsuite.Trainer(verbose=False)
    for features, labels in items:
        trainer.append(features, labels)
    trainer.set_params(settings)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        info = tagger.info()
        tagger.close()
    labels = sorted(info.labels)
    places = {label: place for place, label in enumerate(labels)}
    weights: dict[str, list[int]] = defaultdict(list)
    for (feature, label), weight in sorted(info.state_features.items()):
        if abs(whole := round(weight * tagging.SCALE)) >= _LEAST_WEIGHT:
            weights[feature] += [places[label], whole]
    moves = [[0] * len(labels) for _ in labels]
    for (one, other), weight in info.transitions.items():
        moves[places[one]][places[other]] = round(weight * tagging.SCALE)
    return {"labels": labels, "rows": as_rows(weights), "moves": moves}


def as_rows(weights: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """Return the weights of features as four texts, which take little memory to read."""
    features = sorted(weights)
    flat = [number for feature in features for number in weights[feature]]
    numbers = {
        "sizes": [len(weights[feature]) // 2 for feature in features],
        "places": flat[::2],
        "weights": flat[1::2],
    }
    return {"features": "\n".join(features), **{name: " ".join(map(str, of)) for name, of in numbers.items()}}


def train_all(messages: Sequence[Marked]) -> dict[str, object]:
    """Return the contents of the weights' file."""
    classes, groups = read_lists("classes.txt"), read_lists("groups.txt")
    words = word_tokens.read_words(classes, groups)
    chains, statuses, wishes = [], [], []
    for message in messages:
        tokens = word_tokens.tokens_of(message.text)
        if not tokens:
            continue
        reading = tagging.Reading(tokens, words)
        labels = _labels_of(tokens, message)
        chains.append(([sorted(reading.features_of(at)) for at in range(len(tokens))], labels))
        for mark in (mark for mark in message.marks if mark.label != _WISH):
            inside = [at for at, token in enumerate(tokens) if token.start < mark.end and token.end > mark.start]
            if inside:
                features = reading.features_of_span(inside[0], inside[-1] + 1, mark.label)
                statuses.append(([sorted(features)], [mark.status]))
        wishes += _wishes_of(message)
    for name, label in (("wishes.txt", "wish"), ("no_wishes.txt", "other")):
        for line in filter(None, (SENTENCES / name).read_text("utf-8").split("\n")):
            wishes.append(([sorted(wish_sentences.features_of_sentence(line))], [label]))
    return {
        "made_from": digest_of_sentences(),
        "classes": classes,
        "groups": groups,
        "spans": train(chains, _SPANS),
        "statuses": train(statuses, _STATUSES),
        "wishes": train(wishes, _WISHES),
    }


def digest_of_sentences() -> str:
    """Return a digest of all that the models are made from, by which a test sees that they were made again."""
    digest = hashlib.sha256()
    for name in ("marked.txt", "wishes.txt", "no_wishes.txt", "classes.txt", "groups.txt"):
        digest.update((SENTENCES / name).read_bytes())
    return digest.hexdigest()


def read_lists(file: str) -> dict[str, str]:
    """Return the words behind each name of a file of lists, in which a name may stand on several lines."""
    out: dict[str, str] = defaultdict(str)
    for line in filter(None, (SENTENCES / file).read_text("utf-8").split("\n")):
        name, _, words = line.partition(":")
        out[name] += words
    return {name: words.strip() for name, words in out.items()}


def _labels_of(tokens: Sequence[word_tokens.Token], message: Marked) -> list[str]:
    out = [tagging.NOTHING] * len(tokens)
    for mark in (mark for mark in message.marks if mark.label != _WISH):
        for at, token in enumerate(tokens):
            if token.start < mark.end and token.end > mark.start:
                out[at] = mark.label
    return out


def _wishes_of(message: Marked) -> list[tuple[list[list[str]], list[str]]]:
    """Return each sentence of a message, and whether it is a wish; one that lifts a wish is none."""
    wishes = [mark for mark in message.marks if mark.label == _WISH]
    out, at = [], 0
    for sentence in sentences_of(message.text):
        start = max(message.text.find(sentence[:20], at), at)
        at = end = start + len(sentence)
        found = [mark.status for mark in wishes if mark.start < end - 2 and mark.end > start + 2]
        label = "other" if not found else "lifted" if found[0] == "no" else "wish"
        out.append(([sorted(wish_sentences.features_of_sentence(sentence))], [label]))
    return out


def folds_of(messages: Sequence[Marked]) -> list[tuple[list[Marked], list[Marked]]]:
    """Return what to train on and what to measure with, for each fold."""
    fold = [at // BLOCK % FOLDS for at in range(len(messages))]
    return [
        (
            [one for one, of in zip(messages, fold, strict=True) if of != number],
            [one for one, of in zip(messages, fold, strict=True) if of == number],
        )
        for number in range(FOLDS)
    ]


def measure(messages: Sequence[Marked]) -> None:
    """Print precision and recall of each label and of wishes, at some thresholds, over all folds."""
    marks: list[tuple[str, float, bool]] = []
    wishes: list[tuple[float, str]] = []
    gold: dict[str, int] = defaultdict(int)
    for learnt, unseen in folds_of(messages):
        trained = tagging.models_of(train_all(learnt))
        for message in unseen:
            for mark in message.marks:
                gold[f"{mark.status} {mark.label}"] += 1
            for span in tagging.mark(message.text, 0.0, trained):
                right = any(
                    (mark.label, mark.status) == (span.label, span.status)
                    and mark.start < span.end
                    and span.start < mark.end
                    for mark in message.marks
                )
                marks.append((f"{span.status} {span.label}", span.sure * span.held, right))
            for features, (label,) in _wishes_of(message):
                wishes.append((trained.wishes.probabilities(features[0])["wish"], label))
    print("| label | marked | at 0.4: precision | recall | at 0.6: precision | recall | at 0.8: precision | recall |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for label in (*sorted(gold, key=lambda one: -gold[one]), "all"):
        if label.endswith(_WISH):
            continue
        row = [label, str(sum(n for one, n in gold.items() if label in ("all", one) and not one.endswith(_WISH)))]
        for least in (0.4, 0.6, 0.8):
            hits = [right for one, sure, right in marks if label in ("all", one) and sure >= least]
            row += [f"{sum(hits) / max(1, len(hits)):.2f}", f"{sum(hits) / int(row[1]):.2f}"]
        print(f"| {' | '.join(row)} |")
    print("\n| wishes: least | precision | recall |\n| --- | --- | --- |")
    told = sum(label == "wish" for _, label in wishes)
    for least in (0.3, 0.5, 0.7, 0.8, 0.9):
        hits = [label == "wish" for sure, label in wishes if sure >= least]
        print(f"| {least} | {sum(hits) / max(1, len(hits)):.3f} | {sum(hits) / told:.3f} |")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, or write the weights, or show what the package marks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    parser.add_argument("--read", type=Path, help="show what is marked in the lines of this file")
    options = parser.parse_args(arguments)
    if options.read is not None:
        for line in filter(None, options.read.read_text("utf-8").split("\n")):
            for span in tagging.find_spans(line, 0.2):
                print(f"{span.sure:.2f} {span.held:.2f} {span.status:4} {span.label:10} {span.text:24} {line[:110]}")
    elif options.write:
        trained = train_all(read_messages())
        tagging.MODEL.write_text(json.dumps(trained, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    else:
        measure(read_messages())


if __name__ == "__main__":
    main()
