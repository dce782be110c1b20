"""Train the transformer that marks what people say about themselves, and measure it on messages that it has not seen.

    python -m benchmarks.tagging --encoder FOLDER           # train on four of five messages, and measure on the fifth
    python -m benchmarks.tagging --encoder FOLDER --write   # train on all, and write memoryos_core/extract/tagging.npz
    python -m benchmarks.tagging --encoder FOLDER --further 200   # teach the package's weights the newest 200 lines
    python -m benchmarks.tagging --unseen                   # measure the package on lines that it was not trained on
    python -m benchmarks.tagging --read chat.txt            # what the package marks in the lines of a file

A message stands on a line of benchmarks/sentences/marked.txt, and what is said in it in braces: "back home in
{home:Leeds}". We wrote them. A label may have "no" (it is over, or denied) or "next" (settled, and not yet so) before
it; `wish` marks how answers shall be. Training needs torch, which no group of ours installs, and takes half an hour on
two cores; FOLDER holds all-MiniLM-L6-v2 (Apache-2.0) as model.safetensors and tokenizer.json, of which it begins.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import random
import re
import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from memoryos_core.extract import tagging, word_tokens

Tensor: TypeAlias = Any  # torch has its own types, and is not there where these are checked
Torch: TypeAlias = Any

SENTENCES = Path(__file__).parent / "sentences"
FOLDS, BLOCK = 5, 50  # lines that one person wrote stand together
WIDTH, INNER, PIECE = 384, 768, 128
EPOCHS, BATCH = 5, 64
_MARK = re.compile(r"\{(?:(no|next) )?([a-z]+):([^{}]+)\}")
_WISH = "wish"
_UNKNOWN = -100  # no label: it teaches nothing
_RATE, _RATE_OF_PIECES, _WARM = 3e-4, 2e-4, 0.06
_RATE_OF_MORE, _TIMES = 0.2, 6  # of a further round: a fifth of the rate, and new lines several times among all
_JOINED, _SWAPPED, _DROPPED, _LOWERED = 0.15, 0.15, 0.05, 0.1
_OF_STATUS, _OF_WISH = 0.2, 0.3


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked span: where it stands in the text, what it is, and whether it holds."""

    start: int
    end: int
    label: str
    status: str


@dataclass(frozen=True, slots=True)
class Marked:
    """A message without its braces, and what was in them; of some only whether they are wishes is known."""

    text: str
    marks: tuple[Mark, ...]
    only_wish: bool = False


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
    return [read_line(line) for line in _lines("marked.txt")]


def read_wishes() -> list[Marked]:
    """Return sentences that are wishes, and sentences that are none; what else they tell is not marked."""
    wishes = [Marked(line, (Mark(0, len(line), _WISH, "now"),), True) for line in _lines("wishes.txt")]
    return [*wishes, *(Marked(line, (), True) for line in _lines("no_wishes.txt"))]


def _lines(file: str) -> list[str]:
    return [line for line in (SENTENCES / file).read_text("utf-8").split("\n") if line.strip()]


def digest_of_sentences() -> str:
    """Return a digest of all that the weights are made from, by which a test sees that they were made again."""
    digest = hashlib.sha256()
    for name in ("marked.txt", "wishes.txt", "no_wishes.txt", "classes.txt"):
        digest.update((SENTENCES / name).read_bytes())
    return digest.hexdigest()


def fold_of(messages: Sequence[Marked]) -> tuple[list[Marked], list[Marked]]:
    """Return what to train on and what to measure with."""
    fold = [at // BLOCK % FOLDS for at in range(len(messages))]
    learnt = [one for one, of in zip(messages, fold, strict=True) if of]
    return learnt, [one for one, of in zip(messages, fold, strict=True) if not of]


# ------------------------------------------------------------------------------------------------ other wordings


class Variations:
    """Other forms of messages: two in one, small letters, and another value of the same label in a mark."""

    def __init__(self, messages: Sequence[Marked]) -> None:
        self._random = random.Random(0)
        self._values: dict[str, list[str]] = defaultdict(list)
        for message in messages:
            for mark in message.marks:
                self._values[mark.label].append(message.text[mark.start : mark.end])

    def vary(self, message: Marked, following: Marked | None) -> Marked:
        """Return a message as it is, or in another form; `following` is what the same person wrote next."""
        if following is not None and self._random.random() < _JOINED:
            message = _joined(message, following)
        if self._random.random() < _SWAPPED:
            message = self._with_other_values(message)
        if self._random.random() < _LOWERED:
            message = Marked(message.text.lower(), message.marks, message.only_wish)
        return message

    def _with_other_values(self, message: Marked) -> Marked:
        text, marks, at = "", list[Mark](), 0
        for mark in sorted(message.marks, key=lambda one: one.start):
            text += message.text[at : mark.start]
            is_wish = mark.label == _WISH
            said = message.text[mark.start : mark.end] if is_wish else self._random.choice(self._values[mark.label])
            marks.append(Mark(len(text), len(text) + len(said), mark.label, mark.status))
            text, at = text + said, mark.end
        return Marked(text + message.text[at:], tuple(marks), message.only_wish)


def _joined(one: Marked, other: Marked) -> Marked:
    between = " " if one.text.rstrip().endswith((".", "!", "?")) else ". "
    start = len(one.text) + len(between)
    moved = (Mark(mark.start + start, mark.end + start, mark.label, mark.status) for mark in other.marks)
    return Marked(f"{one.text}{between}{other.text}", (*one.marks, *moved))


# ------------------------------------------------------------------------------------------------ training


class Material:
    """Messages as arrays: the pieces of MiniLM's vocabulary, and the classes of our lists."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self.pieces = sorted(vocabulary, key=lambda piece: vocabulary[piece])
        self.lists = _lines("classes.txt")
        self.classes = word_tokens.read_classes(self.lists)
        self.class_names = sorted({name for names in self.classes.values() for name in names})
        self._vocabulary = word_tokens.Vocabulary(self.pieces)

    def arrays_of(self, messages: Sequence[Marked]) -> dict[str, NDArray[Any]]:
        """Return messages as arrays of the shape (messages, words, …); what is no word has no label."""
        read = [word_tokens.tokens_of(message.text) for message in messages]
        shape = (len(read), max(map(len, read)))
        arrays: dict[str, NDArray[Any]] = {
            "pieces": np.zeros((*shape, 8), np.int64),
            "shares": np.zeros((*shape, 8), np.float32),
            "classes": np.zeros((*shape, len(self.class_names)), np.float32),
            "shapes": np.zeros(shape, np.int64),
            "is_word": np.zeros(shape, np.bool_),
            **{head: np.full(shape, _UNKNOWN, np.int64) for head in ("label", "status", "wish")},
        }
        for row, (tokens, message) in enumerate(zip(read, messages, strict=True)):
            for at, token in enumerate(tokens):
                self._fill(arrays, (row, at), token)
                _label(arrays, (row, at), token, message)
        return arrays

    def _fill(self, arrays: Mapping[str, NDArray[Any]], at: tuple[int, int], token: word_tokens.Token) -> None:
        numbers = self._vocabulary.pieces_of(token.text)
        arrays["pieces"][at][: len(numbers)] = numbers
        arrays["shares"][at][: len(numbers)] = 1 / max(1, len(numbers))
        arrays["shapes"][at] = word_tokens.shape_of(token.text)
        arrays["is_word"][at] = True
        for name in word_tokens.classes_among(token.text.lower(), self.classes):
            arrays["classes"][at][self.class_names.index(name)] = 1

    def stored(self, weights: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[np.generic]]:
        """Return weights as the package reads them, with the words that they are of."""
        out: dict[str, NDArray[np.generic]] = {}
        for name, value in weights.items():
            if value.ndim == 2 and name not in ("shape", "place"):
                out[f"{name}_8"], out[f"{name}_scale"] = tagging.quantise(value)
            else:
                out[name] = value
        texts = {"pieces": self.pieces, "classes": self.lists, "class_names": self.class_names}
        texts["made_from"] = [digest_of_sentences()]
        return out | {name: np.frombuffer("\n".join(of).encode(), np.uint8) for name, of in texts.items()}


def _label(arrays: Mapping[str, NDArray[Any]], at: tuple[int, int], token: word_tokens.Token, message: Marked) -> None:
    inside = [mark for mark in message.marks if token.start < mark.end and token.end > mark.start]
    arrays["wish"][at] = next((1 + (mark.status == "no") for mark in inside if mark.label == _WISH), 0)
    if message.only_wish:
        return
    value = next((mark for mark in inside if mark.label != _WISH), None)
    arrays["label"][at] = 0 if value is None else tagging.LABELS.index(value.label)
    if value is not None:
        arrays["status"][at] = [*tagging.STATUSES].index(_status(value.status))


def _status(name: str) -> tagging.Status:
    return "no" if name == "no" else "next" if name == "next" else "now"


class Encoder:
    """The weights as tensors, with what `tagging.Tagger` computes of them; torch is asked for here alone."""

    def __init__(self, weights: Mapping[str, NDArray[np.float32]], material: Material) -> None:
        self.torch: Torch = importlib.import_module("torch")
        self.torch.manual_seed(0)
        self.material = material
        self.weights = {name: self.torch.tensor(value, requires_grad=True) for name, value in weights.items()}

    def batch_of(self, messages: Sequence[Marked]) -> dict[str, Tensor]:
        """Return messages as tensors."""
        return {name: self.torch.from_numpy(array) for name, array in self.material.arrays_of(messages).items()}

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the weights as arrays."""
        return {name: tensor.detach().numpy().astype(np.float32) for name, tensor in self.weights.items()}

    def scores(self, batch: Mapping[str, Tensor], drop: float) -> tuple[Tensor, Tensor, Tensor]:
        """Return the scores of labels, of statuses and of wishes, shape (messages, words, each)."""
        torch, w = self.torch, self.weights
        nn = torch.nn.functional
        pieces = (w["pieces"][batch["pieces"]] * batch["shares"][..., None]).sum(2)
        if drop:
            pieces = pieces * (torch.rand(pieces.shape[:2]) > _DROPPED)[..., None]
        states = nn.linear(pieces, w["up"], w["up.bias"]) + batch["classes"] @ w["class"].T
        states = states + w["shape"][batch["shapes"]] + w["place"][: states.shape[1]]
        states = nn.dropout(self._norm(states, "first"), drop, drop > 0)
        for layer in range(tagging.LAYERS):
            three = nn.linear(states, w[f"{layer}.attention"], w[f"{layer}.attention.bias"])
            asked, keys, values = three.unflatten(2, (3, tagging.HEADS, -1)).permute(2, 0, 3, 1, 4)
            mixed = nn.scaled_dot_product_attention(asked, keys, values, attn_mask=batch["is_word"][:, None, None, :])
            mixed = nn.linear(mixed.transpose(1, 2).flatten(2), w[f"{layer}.mixed"], w[f"{layer}.mixed.bias"])
            states = self._norm(states + nn.dropout(mixed, drop, drop > 0), f"{layer}.attended")
            inner = nn.gelu(nn.linear(states, w[f"{layer}.inner"], w[f"{layer}.inner.bias"]), approximate="tanh")
            outer = nn.linear(inner, w[f"{layer}.outer"], w[f"{layer}.outer.bias"])
            states = self._norm(states + nn.dropout(outer, drop, drop > 0), f"{layer}.done")
        states = nn.dropout(states, drop, drop > 0)
        label, status, wish = (nn.linear(states, w[head], w[f"{head}.bias"]) for head in ("label", "status", "wish"))
        return label, status, wish

    def _norm(self, states: Tensor, name: str) -> Tensor:
        scale, bias = self.weights[f"{name}.scale"], self.weights[f"{name}.bias"]
        return self.torch.nn.functional.layer_norm(states, (WIDTH,), scale, bias, tagging.NORM)


def read_safetensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """Return the arrays of a file: a header in JSON that says where in the rest each one lies."""
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header: dict[str, Any] = json.loads(content[8 : 8 + size])
    out: dict[str, NDArray[np.float32]] = {}
    for name, of in header.items():
        if name != "__metadata__" and of["dtype"] == "F32":
            start, end = (8 + size + at for at in of["data_offsets"])
            out[name] = np.reshape(np.frombuffer(content[start:end], np.float32), tuple(map(int, of["shape"])))
    return out


def begin_of(whole: Mapping[str, NDArray[np.float32]], classes: int) -> dict[str, NDArray[np.float32]]:
    """Return the weights before training: the first layers of MiniLM, narrower, with half of their inner rows."""
    draw = np.random.default_rng(0)

    def small(*shape: int) -> NDArray[np.float32]:
        return (draw.standard_normal(shape) * 0.02).astype(np.float32)

    words = whole["embeddings.word_embeddings.weight"]
    mean = words.mean(axis=0)
    axes = np.asarray(np.linalg.svd(words[::2] - mean, full_matrices=False)[2][:PIECE], dtype=np.float32)
    wide = np.transpose(axes)
    places = whole["embeddings.position_embeddings.weight"][1 : word_tokens.MOST + 1]
    out: dict[str, NDArray[np.float32]] = {
        "pieces": (words - mean) @ wide,
        "up": wide,
        "up.bias": mean,
        "place": places + whole["embeddings.token_type_embeddings.weight"][0],
        "shape": small(len(word_tokens.SHAPES), WIDTH),
        "class": small(WIDTH, classes),
        "first.scale": whole["embeddings.LayerNorm.weight"],
        "first.bias": whole["embeddings.LayerNorm.bias"],
    }
    for layer in range(tagging.LAYERS):
        out |= _layer(whole, layer)
    for head, size in (("label", len(tagging.LABELS)), ("status", 3), ("wish", 3)):
        out |= {head: small(size, WIDTH), f"{head}.bias": np.zeros(size, np.float32)}
    return {name: np.ascontiguousarray(value, dtype=np.float32) for name, value in out.items()}


def _layer(whole: Mapping[str, NDArray[np.float32]], layer: int) -> dict[str, NDArray[np.float32]]:
    def of(name: str) -> NDArray[np.float32]:
        return whole[f"encoder.layer.{layer}.{name}"]

    inner, outer = of("intermediate.dense.weight"), of("output.dense.weight")
    rows = np.argsort(-np.linalg.norm(inner, axis=1) * np.linalg.norm(outer, axis=0), kind="stable")[:INNER]
    parts = ("query", "key", "value")
    return {
        f"{layer}.attention": np.concatenate([of(f"attention.self.{part}.weight") for part in parts]),
        f"{layer}.attention.bias": np.concatenate([of(f"attention.self.{part}.bias") for part in parts]),
        f"{layer}.mixed": of("attention.output.dense.weight"),
        f"{layer}.mixed.bias": of("attention.output.dense.bias"),
        f"{layer}.attended.scale": of("attention.output.LayerNorm.weight"),
        f"{layer}.attended.bias": of("attention.output.LayerNorm.bias"),
        f"{layer}.inner": inner[rows],
        f"{layer}.inner.bias": of("intermediate.dense.bias")[rows],
        f"{layer}.outer": outer[:, rows],
        f"{layer}.outer.bias": of("output.dense.bias"),
        f"{layer}.done.scale": of("output.LayerNorm.weight"),
        f"{layer}.done.bias": of("output.LayerNorm.bias"),
    }


def train(encoder: Encoder, messages: Sequence[Marked], epochs: int = EPOCHS, rate: float = 1.0) -> None:
    """Train on messages in the order of those who wrote them, each time in other forms."""
    torch, weights = encoder.torch, encoder.weights
    draw, variations, wishes = random.Random(0), Variations(messages), read_wishes()
    rest = [tensor for name, tensor in weights.items() if name != "pieces"]
    of_pieces = {"params": [weights["pieces"]], "lr": rate * _RATE_OF_PIECES, "weight_decay": 0}
    groups = [{"params": rest, "lr": rate * _RATE}, of_pieces]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = epochs * -(-(len(messages) + len(wishes)) // BATCH)

    def rate_at(step: int) -> float:
        return min(1.0, step / (_WARM * steps)) * max(0.02, 1 - step / steps)

    rates = torch.optim.lr_scheduler.LambdaLR(optimiser, rate_at)
    with tqdm(total=steps, desc="training", mininterval=10) as progress:
        for _ in range(epochs):
            following = [*messages[1:], None]
            varied = [variations.vary(one, other) for one, other in zip(messages, following, strict=True)]
            for batch in _batches([one for one in (*varied, *wishes) if word_tokens.tokens_of(one.text)], draw):
                made = encoder.batch_of(batch)
                loss = _loss(torch, encoder.scores(made, 0.1), made)
                optimiser.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(list(weights.values()), 1.0)
                optimiser.step()
                rates.step()
                progress.update()


def with_newest(messages: Sequence[Marked], newest: int) -> list[Marked]:
    """Return what a further round is of: the newest messages several times, among all older ones."""
    old, new = list(messages[:-newest]), list(messages[-newest:])
    random.Random(newest).shuffle(old)
    part = -(-len(old) // _TIMES)
    return [one for time in range(_TIMES) for one in (*new, *old[time * part : (time + 1) * part])]


def weights_of(stored: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """Return the weights that a file of the package has."""
    out = {name: value for name, value in stored.items() if value.dtype == np.float32}
    for name in (name.removesuffix("_8") for name in stored if name.endswith("_8")):
        scale: NDArray[np.float32] = stored[f"{name}_scale"].astype(np.float32)
        out[name] = stored[f"{name}_8"].astype(np.float32) * scale
    return out


def _loss(torch: Torch, scores: tuple[Tensor, Tensor, Tensor], made: Mapping[str, Tensor]) -> Tensor:
    label, status, wish = (
        torch.nn.functional.cross_entropy(of.flatten(0, 1), made[head].flatten(), reduction="sum")
        / (made[head] != _UNKNOWN).sum().clamp(min=1)
        for of, head in zip(scores, ("label", "status", "wish"), strict=True)
    )
    return label + _OF_STATUS * status + _OF_WISH * wish


def _batches(messages: Sequence[Marked], draw: random.Random) -> Iterator[list[Marked]]:
    """Yield all messages in batches of about one length, in any order."""
    order = sorted(range(len(messages)), key=lambda at: len(messages[at].text) + draw.random() * 20)
    groups = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    draw.shuffle(groups)
    return ([messages[at] for at in group] for group in groups)


# ------------------------------------------------------------------------------------------------ measuring


def measure(trained: tagging.Tagger, unseen: Sequence[Marked]) -> None:
    """Print precision and recall of each label and of wishes, at some thresholds."""
    marks: list[tuple[str, float, bool]] = []
    wishes: list[tuple[float, bool, bool]] = []
    gold: dict[str, int] = defaultdict(int)
    for message in unseen:
        values = [mark for mark in message.marks if mark.label != _WISH]
        for mark in values:
            gold[f"{mark.status} {mark.label}"] += 1
        tokens = word_tokens.own_tokens(message.text)
        if not tokens:
            continue
        reading = trained.read(tokens)
        for span in tagging.spans_of(message.text, reading):
            right = any(
                (mark.label, mark.status) == (span.label, span.status)
                and mark.start < span.end
                and span.start < mark.end
                for mark in values
            )
            marks.append((f"{span.status} {span.label}", span.sure * span.held, right))
        told = {mark.status for mark in message.marks if mark.label == _WISH}
        most = reading.wishes.max(axis=0)
        wishes.append((float(most[1]), "now" in told, False))
        wishes.append((float(most[2]), "no" in told, True))
    print("| label | marked | at 0.4: precision | recall | at 0.6: precision | recall | at 0.8: precision | recall |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for label in (*sorted(gold, key=lambda one: -gold[one]), "all"):
        row = [label, str(sum(n for one, n in gold.items() if label in ("all", one)))]
        for least in (0.4, 0.6, 0.8):
            hits = [right for one, sure, right in marks if label in ("all", one) and sure >= least]
            row += [f"{sum(hits) / max(1, len(hits)):.2f}", f"{sum(hits) / int(row[1]):.2f}"]
        print(f"| {' | '.join(row)} |")
    print("\n| messages with: least | wish: precision | recall | taken back: precision | recall |")
    print("| --- | --- | --- | --- | --- |")
    for least in (0.3, 0.5, 0.7, 0.8, 0.9):
        row = [str(least)]
        for is_lifted in (False, True):
            all_of = [right for _, right, of in wishes if of == is_lifted]
            hits = [right for sure, right, of in wishes if of == is_lifted and sure >= least]
            row += [f"{sum(hits) / max(1, len(hits)):.3f}", f"{sum(hits) / max(1, sum(all_of)):.3f}"]
        print(f"| {' | '.join(row)} |")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, or write the weights, or show what the package marks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, metavar="FOLDER", help="all-MiniLM-L6-v2, of which training begins")
    parser.add_argument("--write", action="store_true", help="train on all, and write the weights into the package")
    parser.add_argument("--further", type=int, metavar="N", help="teach the package's weights the newest N lines")
    parser.add_argument("--unseen", action="store_true", help="measure the package on unseen.txt")
    parser.add_argument("--read", type=Path, metavar="FILE", help="show what is marked in the lines of this file")
    options = parser.parse_args(arguments)
    if options.read is not None:
        for line in filter(None, options.read.read_text("utf-8").split("\n")):
            for span in tagging.find_spans(line, 0.2):
                print(f"{span.sure:.2f} {span.held:.2f} {span.status:4} {span.label:10} {span.text:24} {line[:110]}")
        return
    if options.unseen:
        measure(tagging.tagger(), [read_line(line) for line in _lines("unseen.txt")])
        return
    if options.encoder is None:
        parser.error("--encoder FOLDER is needed to train; --unseen and --read FILE are not")
    messages = read_messages()
    learnt, unseen = (messages, []) if options.write or options.further else fold_of(messages)
    material = Material(json.loads((options.encoder / "tokenizer.json").read_bytes())["model"]["vocab"])
    whole = read_safetensors(options.encoder / "model.safetensors")
    encoder = Encoder(begin_of(whole, len(material.class_names)), material)
    if options.further:
        with np.load(tagging.MODEL) as known:
            encoder = Encoder(weights_of({name: known[name] for name in known.files}), material)
        train(encoder, with_newest(learnt, options.further), 1, _RATE_OF_MORE)
    else:
        train(encoder, learnt)
    stored = material.stored(encoder.arrays())
    if options.write or options.further:
        with tagging.MODEL.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **stored)
    else:
        measure(tagging.Tagger(stored), unseen)


if __name__ == "__main__":
    main()
