"""Growth: exponents of known powers, and the whole program at sizes that take seconds."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import pytest

from benchmarks import growth


def test_the_exponent_is_the_power_of_the_size() -> None:
    sizes = (10, 100, 1_000)
    assert growth.exponent(sizes, [5.0, 5.0, 5.0]) == pytest.approx(0)
    assert growth.exponent(sizes, [1.0, 10.0, 100.0]) == pytest.approx(1)
    assert growth.exponent(sizes, [2.0, 200.0, 20_000.0]) == pytest.approx(2)
    assert math.isnan(growth.exponent((10,), [1.0]))


def test_every_cost_has_a_line_with_both_exponents() -> None:
    written = growth.table((10, 100, 1_000), {"recall": [1.0, 1.0, 10.0], "RAM": [1.0, 10.0, 100.0]}).splitlines()
    assert written[0] == "| cost | 10 pages | 100 pages | 1,000 pages | exponent | of the last two |"
    assert written[2:] == [
        "| recall, ms | 1.0 | 1.0 | 10.0 | 0.50 | 1.00 |",
        "| RAM, MB | 1.0 | 10.0 | 100 | 1.00 | 1.00 |",
    ]


def test_the_whole_program_at_tiny_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = tmp_path / "growth.svg"
    plot = ["--plot", str(drawn)] if importlib.util.find_spec("matplotlib") else []
    monkeypatch.setattr("sys.argv", ["growth", "--sizes", "4", "8", *plot])
    growth.main()
    costs = [line.split(" | ")[0] for line in capsys.readouterr().out.splitlines()[2:]]
    assert costs == [f"| {what}, {unit}" for what, unit in growth.UNITS.items()]
    if plot:
        first = drawn.read_bytes()
        assert first.startswith(b"<?xml")
        made = {what: [1.0, 2.0] for what in growth.UNITS}
        for name in ("one.svg", "other.svg"):
            growth.draw((4, 8), made, tmp_path / name)
        assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()
