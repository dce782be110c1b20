"""The answers' scores, worked out by hand from their definitions."""

from __future__ import annotations

import math
import sys

import pytest

from benchmarks import scores
from benchmarks.scores import bleu1, locomo_f1, relative_gain, set_f1
from memoryos_core.errors import MissingExtraError


@pytest.mark.parametrize(
    ("given", "expected", "score"),
    [
        ("The boat, and a cat!", "boat cat", 1),
        ("two boats", "a boat", 2 / 3),  # stems; 1 of 2 and 1 of 1
        ("Running", "she runs", 2 / 3),
        ("red red", "red boat", 1 / 2),  # a word counts as often as it is expected
        ("grown-up", "grown up", 0),
        ("A-frame", "frame", 0),  # an article inside a word is none
        ("12,000", "12000", 1),
        ("", "boat", 0),
        ("the", "a", 0),
        ("boat", "", 0),
        ("boat; car", "boat; sail", 1 / 2),  # a semicolon means nothing here
        ("boat, car", "car, boat", 1),
    ],
)
def test_locomo_f1(given: str, expected: str, score: float) -> None:
    assert locomo_f1(given, expected, "single-hop") == pytest.approx(score)
    assert locomo_f1(given, expected, "temporal") == pytest.approx(score)


@pytest.mark.parametrize(
    ("given", "expected", "score"),
    [
        ("cat, red boat", "boat, cat", (2 / 3 + 1) / 2),
        ("cat boat", "boat, cat", 2 / 3),  # one part serves both
        ("boat, plane, car", "boat", 1),  # more than expected costs nothing
        ("boat, boat", "boat", 1),
        ("boat", "boat, cat", 1 / 2),
        ("boat", "boat,", 1 / 2),
    ],
)
def test_lists_are_compared_part_by_part(given: str, expected: str, score: float) -> None:
    assert locomo_f1(given, expected, "multi-hop") == pytest.approx(score)


def test_a_reason_is_not_expected() -> None:
    assert locomo_f1("Likely no", "Likely no; she is afraid of water", "open-domain") == 1
    assert locomo_f1("no; no", "no", "open-domain") == pytest.approx(2 / 3), "what is given is compared whole"


@pytest.mark.parametrize(
    ("given", "expected", "score"),
    [
        ("A boat", "a boat", 1),
        ("boat boat boat", "boat", 1),
        ("boats", "boat", 0),
        ("grown-up", "up grown", 1),
        ("a red boat", "the boat", 2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2)),
        ("", "boat", 0),
        ("boat", "", 0),
    ],
)
def test_set_f1(given: str, expected: str, score: float) -> None:
    assert set_f1(given, expected) == pytest.approx(score)


@pytest.mark.parametrize(
    ("given", "expected", "score"),
    [
        ("A red boat.", "a red boat.", 1),
        ("boat boat", "boat", 1 / 2),  # clipped
        ("boat", "red boat", math.exp(1 - 2)),  # short
        ("the boat is red", "a red boat", 2 / 4),  # long: no penalty, and nothing is stemmed or dropped
        ("boat !", "boat!", 1),
        ("", "boat", 0),
        ("boat", "", 0),
    ],
)
def test_bleu1(given: str, expected: str, score: float) -> None:
    assert bleu1(given, expected) == pytest.approx(score)


def test_who_has_no_nltk_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    scores._stem.cache_clear()
    scores._stemmer.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'memoryos-tiered\[llamaindex\]'"):
        locomo_f1("boat", "boat", "single-hop")


# Table 2 of the paper, GPT-4o-mini, F1 and BLEU-1 in percent, under the categories' true names.
CATEGORIES = ("multi-hop", "temporal", "open-domain", "single-hop")
PAPER = {
    "F1": {
        "TiM": (16.25, 18.43, 8.35, 23.74),
        "MemoryBank": (5.00, 9.68, 5.56, 6.61),
        "MemGPT": (26.65, 25.52, 9.15, 41.04),
        "A-Mem": (22.61, 33.23, 8.04, 34.13),
        "MemoryOS": (35.27, 41.15, 20.02, 48.62),
    },
    "BLEU-1": {
        "TiM": (13.12, 17.35, 7.32, 22.05),
        "MemoryBank": (4.77, 6.99, 5.94, 5.16),
        "MemGPT": (17.72, 19.44, 7.44, 34.34),
        "A-Mem": (15.25, 29.11, 7.81, 27.73),
        "MemoryOS": (25.22, 30.76, 16.52, 42.99),
    },
}


@pytest.mark.parametrize(
    ("metric", "gains", "mean"),
    [("F1", (32.35, 23.83, 118.80, 18.47), 48.36), ("BLEU-1", (42.33, 5.67, 111.52, 25.19), 46.18)],
)
def test_the_gain_of_the_paper(metric: str, gains: tuple[float, ...], mean: float) -> None:
    rows = {name: dict(zip(CATEGORIES, row, strict=True)) for name, row in PAPER[metric].items()}
    gain = relative_gain(rows.pop("MemoryOS"), rows)
    found = [100 * of for of in gain.by_category.values() if of is not None]
    assert found == pytest.approx(gains, abs=0.01)
    assert gain.mean is not None
    assert 100 * gain.mean == pytest.approx(mean, abs=0.005), "the paper prints 49.11 for F1, its own figures do not"
    assert gain.best["temporal"] == "A-Mem"
    assert gain.best["single-hop"] == "MemGPT"


def test_a_loss_is_a_negative_gain_and_nothing_leads_zero() -> None:
    gain = relative_gain({"easy": 0.3, "hard": 0.1}, {"a": {"easy": 0.4, "hard": 0.0}, "b": {"easy": 0.2, "hard": 0.0}})
    assert gain.best == {"easy": "a", "hard": "a"}
    assert gain.by_category == {"easy": pytest.approx(-0.25), "hard": None}
    assert gain.mean is None, "a mean over what is known would be another figure"
