"""The trait dimensions of the published data model, in its three categories (paper §3.3, Li et al. arXiv 2503.15463).

The paper speaks of 90; its published list, which this is, has 51 (reference/memoryos-algorithm.md §1.5).
"""

from __future__ import annotations

DIMENSIONS: dict[str, tuple[str, ...]] = {
    "needs and personality": (
        "Extraversion",
        "Openness",
        "Agreeableness",
        "Conscientiousness",
        "Neuroticism",
        "Physiological Needs",
        "Need for Security",
        "Need for Belonging",
        "Need for Self-Esteem",
        "Cognitive Needs",
        "Aesthetic Appreciation",
        "Self-Actualization",
        "Need for Order",
        "Need for Autonomy",
        "Need for Power",
        "Need for Achievement",
    ),
    "expectations of the assistant": (
        "Helpfulness",
        "Honesty",
        "Safety",
        "Instruction Compliance",
        "Truthfulness",
        "Coherence",
        "Complexity",
        "Conciseness",
    ),
    "interests and style": (
        "Science Interest",
        "Education Interest",
        "Psychology Interest",
        "Family Concern",
        "Fashion Interest",
        "Art Interest",
        "Health Concern",
        "Financial Management Interest",
        "Sports Interest",
        "Food Interest",
        "Travel Interest",
        "Music Interest",
        "Literature Interest",
        "Film Interest",
        "Social Media Activity",
        "Tech Interest",
        "Environmental Concern",
        "History Interest",
        "Political Concern",
        "Religious Interest",
        "Gaming Interest",
        "Animal Concern",
        "Emotional Expression",
        "Sense of Humor",
        "Information Density",
        "Language Style",
        "Practicality",
    ),
}

_CATEGORY = {name: category for category, names in DIMENSIONS.items() for name in names}


def category_of(dimension: str) -> str:
    """The category a dimension belongs to; "other" for one that is not in the list."""
    return _CATEGORY.get(dimension, "other")
