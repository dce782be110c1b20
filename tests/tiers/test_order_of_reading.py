"""What is known follows the order in which things were said, whatever the order in which they are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryos_core.rules.knowledge import supersession
from memoryos_core.tiers import candidates
from memoryos_core.tiers.candidates import Candidate, KnownFacts
from memoryos_core.tiers.knowledge import FactIndex
from memoryos_core.values.facts import Fact

BEGIN = datetime(2025, 1, 1, tzinfo=timezone.utc)
SAID = (
    "Ann lives in Lisbon.",
    "Ann works as a harbour pilot.",
    "Ann's sister Marta marries on 16 August.",
    "Ann lives in Porto.",
    "Ann's gym costs 29 euros a month.",
    "Ann eats meat.",
    "Marta moved the wedding to 30 August.",
    "Ann lives in Braga now.",
    "Ann no longer eats meat.",
    "They put the fee up; the bank statement now says 37.50.",
    "Ann quit piloting; Ann is a teacher now.",
    "Ann drinks coffee.",
    "Marta moved the wedding to 6 September.",
    "Ann gave up coffee.",
    "Ann moved to Faro.",
)


def facts_in(order: Sequence[int], said: Sequence[str] = SAID) -> list[Fact]:
    return [fact_at(n, said[n]) for n in order]


def fact_at(day: int, text: str) -> Fact:
    when = BEGIN + timedelta(days=day)
    return Fact(f"{day:05}", "user", text, when, when, kind="change", origin="rules")


def read(facts: Sequence[Fact], runs: int = 1) -> dict[str, Fact]:
    """Read facts in this order, in so many runs; return them as they are then."""
    stored: dict[str, Fact] = {}
    size = -(-len(facts) // runs)
    for at in range(0, len(facts), size):
        known = KnownFacts(FactIndex(stored.values(), ("Ann",)))
        for fact in facts[at : at + size]:
            candidate = known.place_in_time(Candidate(fact))
            stored[fact.id] = candidate.fact
            stored |= {changed.id: changed for changed in known.learn(candidate)}
    return stored


def ends(stored: dict[str, Fact]) -> list[tuple[str, str, datetime | None, str | None]]:
    return sorted((f.text, f.status, f.valid_until, f.superseded_by) for f in stored.values())


def test_a_value_that_is_read_late_ends_the_one_before_it() -> None:
    stored = read(facts_in((0, 7, 3)))
    lisbon, porto, braga = (stored[f"{n:05}"] for n in (0, 3, 7))
    assert (lisbon.valid_until, lisbon.superseded_by) == (porto.valid_from, porto.id)
    assert (porto.valid_until, porto.superseded_by) == (braga.valid_from, braga.id)
    assert braga.status == "current"


def test_news_that_is_read_first_ends_only_the_newest_of_what_it_may_be_about() -> None:
    said = ("Ann's gym costs 29 euros.", "Ann's gym costs 31 euros.", "They put the fee up; it now says 37.50.")
    assert ends(read(facts_in((2, 0, 1), said))) == ends(read(facts_in((0, 1, 2), said)))


@settings(max_examples=120, deadline=None)
@given(st.permutations(range(len(SAID))), st.integers(1, 6))
def test_any_order_and_number_of_runs_gives_the_same(order: list[int], runs: int) -> None:
    assert ends(read(facts_in(order), runs)) == ends(read(facts_in(range(len(SAID)))))


@pytest.mark.parametrize("is_read_late", [False, True])
def test_the_oldest_of_many_values_ends_by_its_name(is_read_late: bool) -> None:
    """Only some of the values of one slot are compared with what is new: by its own word this one is among them."""
    said = [f"Ann's hobby is game{n} and Ann is allergic to plant{n}." for n in range(200)]
    said.append("Ann no longer does game0, Ann gave up game0.")
    order = [*range(1, 201), 0] if is_read_late else [*range(201)]
    stored = read(facts_in(order, said))
    assert [n for n in range(200) if stored[f"{n:05}"].status != "current"] == [0]
    assert stored["00000"].superseded_by == "00200"


def test_what_was_corrected_does_not_hold_again() -> None:
    lisbon = fact_at(0, "Ann lives in Lisbon.")
    wrong = replace(lisbon, status="superseded", valid_until=lisbon.valid_from, superseded_by="00007")
    known = KnownFacts(FactIndex([fact_at(7, "Ann lives in Braga."), wrong], ("Ann",)))
    candidate = known.place_in_time(Candidate(fact_at(3, "Ann lives in Porto.")))
    assert not known.learn(candidate)
    assert candidate.fact.superseded_by == "00007"


def test_a_less_trusted_source_ends_nothing() -> None:
    known = KnownFacts(FactIndex([fact_at(0, "Ann lives in Lisbon.")], ("Ann",)), guarded=True)
    candidate = known.place_in_time(Candidate(replace(fact_at(3, "Ann lives in Porto."), trust="document")))
    assert not known.learn(candidate)


@pytest.mark.parametrize("order", ["forwards", "backwards", "mixed"])
@pytest.mark.parametrize("text", ["Ann's favourite number is {}.", "Ann likes thing{}."])
def test_a_slot_of_two_thousand_values_needs_comparisons_in_line_with_their_number(
    text: str, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = 0
    # Any two of these statements differ by the value alone: one pair says what each of half a million would.
    of_any_two = supersession.ends(text.format(7), text.format(13), ("Ann",))
    assert of_any_two == ("number" in text)

    def count(old: str, new: str, names: tuple[str, ...]) -> bool:
        nonlocal compared
        compared += 1
        return of_any_two

    def count_endings(new: str, names: tuple[str, ...]) -> Callable[[str], bool]:
        return lambda old: count(old, new, names)

    monkeypatch.setattr(candidates, "ends", count)
    monkeypatch.setattr(candidates, "endings", count_endings)
    needed: list[float] = []
    for many in (500, 2_000):
        facts = [fact_at(n, text.format(f"{many}{n}")) for n in range(many)]
        facts = facts[::-1] if order == "backwards" else facts
        if order == "mixed":
            Random(1).shuffle(facts)
        compared = 0
        stored = read(facts)
        needed.append(compared / many)
        if "number" in text:
            assert sum(fact.status == "current" for fact in stored.values()) == 1
    assert needed[1] < 2.5 * needed[0]
    assert needed[1] < 450
