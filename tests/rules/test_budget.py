"""Budgets: shares, prefixes and shortening, as laws with the estimate and with tiktoken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.ports import TokenCounter
from memoryos_core.providers.tokens import TiktokenCounter, estimate_tokens
from memoryos_core.rules.ranking.packing import divide, fit
from memoryos_core.rules.text.cuts import shorten
from memoryos_core.rules.text.words import head_and_tail, terms

COUNTERS: dict[str, TokenCounter] = {
    "estimate": estimate_tokens,
    "tiktoken": TiktokenCounter(),
    "characters": len,
    "words": lambda text: len(text.split()),
}
shares = st.floats(0, 1)
sizes = st.integers(0, 3000)
prose = st.lists(
    st.sampled_from(
        ["The harbour froze.", "Ada sails!", "Why 3.5 knots?", "雪が降った。", "Dr. Ho said so.", "…", "\n", "<", "ok "]
    )
    | st.text(max_size=30),
    max_size=12,
).map(" ".join)


@given(sizes, sizes, sizes, shares, shares)
def test_shares_never_exceed_the_budget_nor_what_each_part_needs(
    budget: int, recent: int, persona: int, a: float, b: float
) -> None:
    a, b = min(a, 1 - b), min(b, 1 - a)
    parts = divide(budget, recent, persona, a, b)
    assert 0 <= parts.recent <= recent
    assert 0 <= parts.persona <= persona
    assert parts.hits >= 0
    assert parts.recent + parts.persona + parts.hits <= budget


@given(sizes, st.integers(1, 50), sizes, sizes, shares, shares)
def test_no_share_shrinks_when_the_budget_grows(
    budget: int, more: int, recent: int, persona: int, a: float, b: float
) -> None:
    a, b = round(min(a, 1 - b), 3), round(min(b, 1 - a), 3)
    small, large = (divide(n, recent, persona, a, b) for n in (budget, budget + more))
    assert (large.recent, large.persona) >= (small.recent, small.persona)
    assert large.persona >= small.persona
    assert large.hits >= small.hits


def test_two_shares_that_step_up_together_do_not_take_it_from_the_hits() -> None:
    assert [divide(n, 99, 99, 0.4, 0.2).hits for n in (4, 5)] == [1, 2]


def test_what_a_part_does_not_need_goes_to_the_hits() -> None:
    assert divide(100, 5, 0, 0.4, 0.2) == divide(100, 5, 0, 1.0, 0.0)
    assert divide(100, 5, 0, 0.4, 0.2).hits == 95


@given(st.lists(st.integers(0, 20)), st.integers(0, 100))
def test_fit_keeps_the_longest_prefix_that_fits(costs: list[int], budget: int) -> None:
    kept, used = fit(costs, budget, lambda cost: cost)
    assert kept == costs[: len(kept)]
    assert used == sum(kept) <= budget
    if len(kept) < len(costs):
        assert used + costs[len(kept)] > budget


@pytest.mark.parametrize("counter", COUNTERS)
@given(text=prose, question=prose, limit=st.integers(0, 60))
def test_shortened_text_is_within_the_limit(counter: str, text: str, question: str, limit: int) -> None:
    count = COUNTERS[counter]
    short = shorten(text, frozenset(terms(question)), limit, count)
    assert count(short) <= limit
    if count(text) <= limit:
        assert short == text


@given(text=prose, limit=st.integers(0, 60))
def test_shortening_only_leaves_out(text: str, limit: int) -> None:
    for piece in shorten(text, frozenset(), limit, estimate_tokens).split("…"):
        for word in piece.split():
            assert word in text


def test_the_sentences_that_answer_are_kept_in_their_order() -> None:
    text = "It rained. The ferry leaves at noon. We had soup. The ferry is blue. Nobody sang."
    asked = frozenset(terms("When does the ferry leave?"))
    assert shorten(text, asked, 16, estimate_tokens) == "… The ferry leaves at noon. … The ferry is blue. …"


def test_a_sentence_that_is_too_long_is_cut_at_a_word() -> None:
    text = "alpha beta gamma delta epsilon zeta eta theta"
    assert shorten(text, frozenset(), 20, len) == "alpha beta gamma…"
    assert shorten("unbreakable" * 3, frozenset(), 6, len) == "unbre…"
    assert shorten(" " * 40, frozenset(), 6, len).strip() == "…"


def test_nothing_is_left_when_not_even_a_letter_fits() -> None:
    assert shorten("far too long", frozenset(), 1, len) == ""


def test_head_and_tail_are_kept_of_a_text_far_beyond_the_budget() -> None:
    long = "a" * 150_000 + "b" * 150_000
    assert head_and_tail(long, 500) == "a" * 100_000 + " … " + "b" * 100_000
    assert head_and_tail(long, 20_000) == long
    assert head_and_tail(long[:200_000], 0) == long[:200_000]


def test_a_counter_that_finds_more_in_the_whole_than_in_the_sentences_is_obeyed() -> None:
    def touchy(text: str) -> int:
        return len(text.split()) + 9 * text.count(". …")

    text = "One two. Three four. Five six. Seven eight. Nine ten."
    short = shorten(text, frozenset(terms("three seven")), 9, touchy)
    assert touchy(short) <= 9
    assert "three" in short.lower()


def test_a_counter_that_finds_more_in_a_shorter_piece_is_obeyed() -> None:
    def touchy(text: str) -> int:
        return len(text.split()) + 9 * text.count("d…") + (0 if "…" in text else 50)

    assert shorten("ab cd efghijkl", frozenset(), 4, touchy) == "ab c…"


SAYS_NO = "No, never. The ferry leaves at noon. " + " ".join(
    f"The tablet of group {i} was taken at {i}." for i in range(9)
)


@pytest.mark.parametrize("limit", [16, 20, 24, 32, 48])
def test_a_yes_or_no_that_opens_a_reply_stays_beside_what_answers(limit: int) -> None:
    short = shorten(SAYS_NO, frozenset(terms("tablet of group 7")), limit, estimate_tokens)
    assert short.startswith("No, never. … The tablet of group ")
    assert "The tablet of group 7" in short
    assert short.endswith("…")
    assert estimate_tokens(short) <= limit


def test_what_is_cut_before_the_best_sentence_is_marked_however_little_fits() -> None:
    said = "The weather was fine all day long in the town. The ferry leaves at noon from the old harbour over there."
    assert shorten(said, frozenset(terms("ferry")), 8, estimate_tokens).startswith("… The ferry")


@pytest.mark.parametrize(
    "opening", ["Now and then it rains.", "Northern lights are seen.", "Yes" + " and so on" * 30 + "."]
)
def test_other_openings_give_way(opening: str) -> None:
    said = f"{opening} The ferry leaves at noon. The ferry is red. The ferry is old and slow and full of people."
    assert shorten(said, frozenset(terms("ferry noon")), 10, estimate_tokens).startswith("… The ferry leaves at noon.")


CODE = """\
Here is the plan. Use this:
  ```python
  import sailing

  def leave(harbour):
      ferry = sailing.ferry(harbour)
      crew = sailing.crew()
      return ferry.leave(crew)

  def arrive(island):
      return island.moor()
  ```
  Call it at noon. Then wait."""


def test_code_is_cut_between_lines_and_its_fence_is_closed() -> None:
    asked = frozenset(terms("Which crew leaves?"))
    assert shorten(CODE, asked, 32, estimate_tokens) == (
        "```python\n  …\n  def leave(harbour):\n      …\n      crew = sailing.crew()\n"
        "      return ferry.leave(crew)\n  …\n  ```"
    )
    kept = shorten(CODE, frozenset(terms("Call the crew at noon")), 26, estimate_tokens)
    assert kept == "```python\n      …\n      crew = sailing.crew()\n      …\n  ```\n  Call it at noon. …"


@pytest.mark.parametrize("end", ["\n  ```\n  Call it at noon.", "", "\n  ```"])
@given(limit=st.integers(4, 90), asked=st.sets(st.sampled_from(terms(CODE)), max_size=3))
def test_whatever_is_kept_of_code_stands_on_lines_of_its_own_within_a_closed_fence(
    end: str, limit: int, asked: set[str]
) -> None:
    code = CODE[: CODE.rindex("\n  ```")] + end
    kept = shorten(code, frozenset(asked), limit, estimate_tokens)
    if kept == code:
        return
    assert kept.count("```") in (0, 2)
    assert all(line.startswith("  ") or not line for line in kept.splitlines()[1:])
    if "```" in kept:
        of_code = kept[kept.index("```python") : kept.rindex("```")].splitlines()[1:-1]
        assert all(line.strip() == "…" or line in code.splitlines() for line in of_code if line)


def test_a_fence_in_the_middle_of_a_line_and_an_empty_one_are_cut_like_others() -> None:
    text = "I run ```sh\n  cd ferry\n  make boat\n  make crew``` daily. It rains. It snows. It is grey and cold."
    kept = shorten(text, frozenset(terms("run boat daily")), 20, estimate_tokens)
    assert kept == "I run\n  ```sh\n  cd ferry\n  make boat\n  …\n  ```\n  daily. …"
    empty = "```\n  ```\n  It rains. It snows."
    assert shorten(empty, frozenset(terms("snows")), 6, estimate_tokens) == "… It snows."


def test_lines_that_are_kept_stay_lines() -> None:
    text = "The plan.\n\n  - Buy bread.\n  - Sell the boat. Soon.\n  - Buy rope.\n  Go."
    assert shorten(text, frozenset(terms("buy plan")), 16, estimate_tokens) == (
        "The plan.\n\n  - Buy bread. …\n  - Buy rope. …"
    )


@pytest.mark.parametrize("mark", ["1.", "2)", "(3)", "-", "*", "•", "### 4.", "a.", "iv.", "1.2."])
def test_the_item_of_a_list_keeps_its_number(mark: str) -> None:
    text = f"It rained.\n  {mark} The ferry leaves at noon.\n  {mark} We had soup. Nobody sang. It was late again."
    asked = frozenset(terms("When does the ferry leave?"))
    for limit in range(14, 22):
        kept = shorten(text, asked, limit, estimate_tokens)
        assert f"\n  {mark} The ferry leaves at noon." in kept
        assert f"{mark} …" not in kept
        assert not kept.endswith(f"\n  {mark}")


def test_a_number_counts_for_no_sentence_that_was_found() -> None:
    text = "Do this:\n1. Rest.\n2. Eat.\n3. Sail to Faial.\n4. Sleep well tonight, all of you."
    found = frozenset(("1.", "2.", "3.", "Sail to Faial."))
    assert shorten(text, frozenset(), 11, estimate_tokens, found) == "Do this: …\n3. Sail to Faial. …"


def test_a_number_within_a_line_or_at_the_end_is_a_sentence() -> None:
    text = "We sold 7. 8. The ferry left. It rained on us."
    assert shorten(text, frozenset(terms("ferry")), 8, estimate_tokens) == "… The ferry left. …"
    assert shorten("It rained.\n7.", frozenset(), 12, len) == "It rained. …"
    assert shorten("1. Unbreakable words of a list", frozenset(), 5, len) == ""


def test_code_within_a_line_opens_no_block() -> None:
    text = (
        "Use ```x = 1``` here. It sets the number for the run.\n\n```python\nfor i in range(3):\n    total += i\n```\n"
        "Then the total is printed, and the numbers are compared with those of the day before, which takes a while."
    )
    short = shorten(text, frozenset(terms("total")), 30, lambda said: len(said) // 4)
    assert short.count("```") % 2 == 0
    assert "```\nUse" not in short


def test_a_long_run_of_fences_takes_no_time_of_its_square() -> None:
    assert shorten("`" * 20_000, frozenset(), 60, len)
