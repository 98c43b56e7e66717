"""The table of budgets: ratios, misses, exit codes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import benchmarks.memory
import benchmarks.runtime
from benchmarks import __main__ as program
from benchmarks.budget import Result, number, render
from benchmarks.timing import cpu_per_call, spending


def result(measured: float, budget: float = 100.0, *, better: str = "lower") -> Result:
    return Result("a figure", "lower" if better == "lower" else "higher", budget, measured, "us", "a reason")


@pytest.mark.parametrize(
    ("better", "measured", "ratio", "missed"),
    [
        ("lower", 50.0, 0.5, False),
        ("lower", 125.0, 1.25, False),
        ("lower", 126.0, 1.26, True),
        ("higher", 200.0, 0.5, False),
        ("higher", 80.0, 1.25, False),
        ("higher", 79.0, 100 / 79, True),
        ("higher", 0.0, math.inf, True),
        ("lower", math.nan, math.nan, True),
    ],
)
def test_the_ratio_is_the_used_part_of_the_budget(better: str, measured: float, ratio: float, missed: bool) -> None:
    line = result(measured, better=better)
    assert line.ratio == pytest.approx(ratio, nan_ok=True)
    assert line.missed is missed


def test_the_table_marks_what_is_missed() -> None:
    text = render([result(10.0), result(1000.0), result(250_000.0, better="higher")])
    lines = [" ".join(line.split()) for line in text.splitlines()[1:4]]
    assert lines == [
        "a figure <= 100 us 10 us 0.10 a reason",
        "a figure <= 100 us 1,000 us 10.00 MISSED a reason",
        "a figure >= 100 us 250,000 us 0.00 a reason",
    ]


@pytest.mark.parametrize(("value", "text"), [(0.01234, "0.0123"), (12.34, "12.3"), (1234.5, "1,234")])
def test_figures_have_three_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_the_program_prints_writes_and_exits_by_the_budgets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmarks.runtime, "measure", lambda: [result(10.0)])
    file = tmp_path / "figures.json"
    assert program.main(["--only", "runtime", "--json", str(file)]) == 0
    (line,) = json.loads(file.read_text())
    assert (line["what"], line["ratio"], line["missed"]) == ("a figure", 0.1, False)
    assert "a figure" in capsys.readouterr().out
    monkeypatch.setattr(benchmarks.runtime, "measure", lambda: [result(10.0), result(200.0)])
    assert program.main(["--only", "runtime"]) == 1


def test_a_part_that_cannot_be_measured_fails_the_program_and_not_the_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> list[Result]:
        raise RuntimeError("no such thing")

    monkeypatch.setattr(benchmarks.runtime, "measure", lambda: [result(10.0)])
    monkeypatch.setattr(benchmarks.memory, "measure", broken)
    assert program.main(["--only", "memory", "--only", "runtime"]) == 1
    shown = capsys.readouterr()
    assert "a figure" in shown.out
    assert "no such thing" in shown.err
    assert "could not measure: memory" in shown.err


def test_time_per_call_grows_with_the_work() -> None:
    little, much = (cpu_per_call(lambda n=n: sum(range(n))) for n in (200, 20_000))
    assert 20 < much / little < 500


def test_cpu_time_does_not_count_waiting() -> None:
    import time

    with spending() as spent:
        time.sleep(0.05)
    assert spent.wall_s >= 0.05
    assert spent.cpu_s < 0.04
