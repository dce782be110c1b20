"""Recall in Chinese and Japanese, on two conversations that we wrote ourselves, with the runner of benchmarks.recall.

    python -m benchmarks.multilingual
    python -m benchmarks.multilingual --system words bm25 ours --budget 200

Without arguments words alone (no embedder) and BM25 are measured, in budgets that hold a small part of a conversation.
About half of the questions share few words with the turns that answer them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import recall

CONVERSATIONS = Path(__file__).parent / "conversations"
LANGUAGES = ("zh", "ja")
_DEFAULT = ("--system", "words", "bm25", "--budget", "100", "200", "400")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each language by itself; what is given replaces the default choice of systems and budgets."""
    chosen = list(sys.argv[1:] if arguments is None else arguments) or list(_DEFAULT)
    for language in LANGUAGES:
        print(f"\n{language}", flush=True)
        recall.main(["--data", str(CONVERSATIONS / f"{language}.json"), "--dataset", "locomo", *chosen])


if __name__ == "__main__":
    main()
