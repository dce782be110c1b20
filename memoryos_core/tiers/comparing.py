"""Which known facts say the same as one that was found: by their words, or by their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memoryos_core.models import Fact, Vector
from memoryos_core.rules.words import terms

# Two wordings that share this much of their terms say the same, when no embedder can tell.
_SAME_WORDS = 0.85


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact somebody found, the known fact it replaces, and its vector when an embedder gave one."""

    fact: Fact
    replaces: str | None = None
    vector: Vector | None = field(default=None, compare=False)


class Known:
    """The known facts, ready to be compared: their terms are worked out once."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.facts = {f.id: f for f in facts}
        self.vectors: dict[str, Vector] = {}
        self._terms = {f.id: frozenset(terms(f.text)) for f in facts}
        self._texts = {(f.about, f.text): f.id for f in facts}

    def learn(self, candidate: Candidate) -> None:
        """It is known from now on."""
        fact = candidate.fact
        self.facts[fact.id] = fact
        self._terms[fact.id] = frozenset(terms(fact.text))
        self._texts[fact.about, fact.text] = fact.id
        if candidate.vector is not None:
            self.vectors[fact.id] = candidate.vector

    def drop(self, fact_id: str) -> None:
        """It holds no more, so that what says the same is news again."""
        fact = self.facts.pop(fact_id)
        if self._texts.get((fact.about, fact.text)) == fact_id:
            del self._texts[fact.about, fact.text]

    def twin(self, candidate: Candidate, same_fact: float) -> str | None:
        """The id of a known fact that says the same, by its words or by its vector."""
        same = self._texts.get((candidate.fact.about, candidate.fact.text))
        if same is not None:
            return same
        wanted = frozenset(terms(candidate.fact.text))
        for fact_id, fact in self.facts.items():
            if fact.about != candidate.fact.about or fact_id == candidate.replaces:
                continue
            if overlap(self._terms[fact_id], wanted) >= _SAME_WORDS:
                return fact_id
            if candidate.vector is not None and cosine(self.vectors.get(fact_id), candidate.vector) >= same_fact:
                return fact_id
        return None


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard of two sets of terms."""
    return len(a & b) / len(a | b) if a and b else 0.0


def cosine(a: Vector | None, b: Vector) -> float:
    """Of unit vectors; -1 where there is nothing to compare."""
    return float(a @ b) if a is not None and a.shape == b.shape else -1.0
