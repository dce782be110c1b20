"""The benchmark of stores runs, at sizes that take a moment, on what is always there."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.stores import HEAD, HashEmbedder, Speech, main


def test_a_table_with_a_row_for_each_store_and_size(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--pages", "12", "--users", "3", "--stores", "sqlite", "--questions", "4"])
    head, line, one, many = capsys.readouterr().out.strip().splitlines()
    assert head == HEAD
    assert {row.count("|") for row in (head, line, one, many)} == {HEAD.count("|")}
    for row, of in ((one, "12 pages"), (many, "3 users × 20")):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells[:2] == [of, "sqlite"]
        assert all(float(cell) > 0 for cell in cells[2:8])
        assert cells[-2:] == ["1.00", "1.00"]


def test_speech_is_the_same_for_a_seed_and_its_words_follow_zipf() -> None:
    one, again, other = (Speech(seed) for seed in (1, 1, 2))
    said = [one.sentence() for _ in range(3_000)]
    assert said == [again.sentence() for _ in range(3_000)]
    assert said[:10] != [other.sentence() for _ in range(10)]
    counts = sorted(np.unique(" ".join(said).split(), return_counts=True)[1], reverse=True)
    assert len(counts) > 1_000
    assert counts[0] > 20 * counts[200] > 0


def test_the_embedder_gives_the_same_unit_vector_for_the_same_text() -> None:
    vectors = HashEmbedder().embed_documents(["a tree", "a boat", "a tree"])
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.array_equal(vectors[0], vectors[2])
    assert abs(float(vectors[0] @ vectors[1])) < 0.5
    assert np.array_equal(HashEmbedder().embed_query("a boat"), vectors[1])
    assert HashEmbedder().embed_documents([]).shape == (0, 384)
