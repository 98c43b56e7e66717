"""A release of a real run: verified from its files alone, and nothing altered in it stays unseen."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flows.verification import verify
from publishing.inspect import inspect_run
from publishing.parquet import read_rows
from publishing.reader import check_files
from publishing.release import build_release
from publishing.resealing import reseal
from schemas.base import canonical_text
from tests.publishing.conftest import REAL_TASKS as TASKS


@pytest.fixture(scope="module")
def real_release(real_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_release(real_run, "1.0.0", tmp_path_factory.mktemp("real-release") / "out").folder


def test_every_gold_of_a_release_is_executed_again(real_release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(real_release) == 0
    assert capsys.readouterr().out == f"verified {TASKS} of {TASKS}\n"


def test_figures_of_a_real_run_show_that_every_check_held(real_run: Path) -> None:
    figures: Any = inspect_run(real_run)
    verifier = figures["verifier"]
    assert figures["tasks"]["kept"] == TASKS
    assert {name: entry["passed"] for name, entry in figures["agents"].items()} == dict.fromkeys(figures["agents"], 0)
    refusals = sum(
        all(use["form"] == "consent_refused" for use in orjson.loads(str(row["intents_json"])))
        for path in sorted((real_run / "tasks").glob("*.parquet"))
        for row in read_rows(path)
    )
    # Refusing after having asked is right for tasks whose consent is refused, and tried on all others.
    assert figures["agents"].pop("ask_and_refuse")["of"] == TASKS - refusals
    assert all(entry["of"] >= TASKS for entry in figures["agents"].values())
    for group in ("goal", "frame"):
        mutants = verifier[f"{group}_mutants"]
        assert 0 < mutants["total"] == mutants["rejected"] + mutants["equivalent"]
    assert 0 < verifier["equivalent_plans"]["total"] == verifier["equivalent_plans"]["accepted"]
    for part in verifier["drop_one"].values():
        assert 0 < part["total"] == part["needed"]
    assert 0 < verifier["permission_controls"]["total"] == verifier["permission_controls"]["blocked"]
    assert figures["second_engine"] == {"compared": TASKS, "agreed": TASKS}
    assert 0 < figures["provenance"]["arguments"] == figures["provenance"]["traced"]
    assert figures["leaks"] == 0
    assert 0 < figures["slots"]["slots"] == figures["slots"]["changed"]
    assert all(entry["passed"] == entry["of"] == TASKS for entry in figures["checks"].values())


Row = dict[str, Any]


def in_json(column: str, change: Callable[[Row], None]) -> Callable[[list[Row]], None]:
    """A change of the JSON text of one column, in the first row in which it changes anything."""

    def apply(rows: list[Row]) -> None:
        for row in rows:
            content = orjson.loads(row[column])
            change(content)
            if canonical_text(content) != row[column]:
                row[column] = canonical_text(content)
                return
        raise AssertionError(f"nothing to change in {column}")

    return apply


def other_page(plan: Row) -> None:
    for step in plan["steps"]:
        if step["step"] == "call" and step["arguments"].get("page") == 1:
            step["arguments"]["page"] = 2
            return


def more_money(tables: Row) -> None:
    tables["wallet"][0]["balance_cents"] += 1


def other_contract(expectation: Row) -> None:
    for contract in expectation["any_of"]:
        for change in contract["changes"]:
            for rule in change["fields"].values():
                if rule["rule"] == "equal" and isinstance(rule["value"], int):
                    rule["value"] += 1
                    return


def other_count(certificate: Row) -> None:
    certificate["verdicts"][1]["counts"]["calls"] += 1


@pytest.mark.parametrize(
    ("config", "change", "record"),
    [
        ("gold", in_json("plan_json", other_page), "-t0"),
        ("gold", in_json("expectation_json", other_contract), "-t0"),
        ("gold", in_json("certificate_json", other_count), "-t0"),
        ("environments", in_json("tables_json", more_money), "u000000-env"),
    ],
    ids=["gold argument", "contract value", "certificate", "balance"],
)
def test_what_was_altered_is_found_by_execution_when_the_checksums_were_renewed(
    real_release: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    config: str,
    change: Callable[[list[Row]], None],
    record: str,
) -> None:
    folder = tmp_path / "altered"
    shutil.copytree(real_release, folder)
    path = folder / "data" / config / "train-00000-of-00001.parquet"
    rows = list(read_rows(path))
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, pq.read_schema(path)), path)
    reseal(folder)
    assert check_files(folder) == []
    assert verify(folder) == 1
    out = capsys.readouterr().out
    assert "FAILED " in out
    assert record in out


def test_altered_bytes_are_found_before_anything_is_executed(
    real_release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "altered"
    shutil.copytree(real_release, folder)
    path = folder / "data" / "gold" / "train-00000-of-00001.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert verify(folder) == 1
    assert "data/gold/train-00000-of-00001.parquet" in capsys.readouterr().out
