"""Checks of environments: made ones pass all of them, and each check catches what it is for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, cast

import jsonschema
import pytest

from schemas.base import Json, digest
from schemas.certificate import Verdict
from schemas.environment import EnvironmentRecord
from services.runtime.catalogue import installed_catalogue
from services.runtime.door import base_of, load_world
from tests.effort import amount
from tests.environments import Tables, changed, context, environment, failed, first, person, world
from tests.scan import ROOT
from validators.environments import check_environment, environment_checks, environment_context
from validators.environments.context import Case
from validators.environments.form import environment_schema
from validators.environments.records import state_hash


def by_name(verdicts: list[Verdict]) -> dict[str, Verdict]:
    return {verdict.check: verdict for verdict in verdicts}


def test_made_environments_pass_every_check() -> None:
    for index in range(amount(15, 60)):
        again = environment(index).model_copy(deep=True)
        verdicts = check_environment(environment(index), context().rebuilding(lambda again=again: again))
        assert [v.check for v in verdicts] == [name for name, _ in environment_checks()]
        assert not {v.check: v.reason for v in verdicts if not v.passed}


def test_verdicts_count_what_was_executed_and_do_not_depend_on_the_hash_seed() -> None:
    counts = by_name(check_environment(environment(0), context()))
    assert counts["environment.calls"].counts["calls"] == 60
    assert counts["environment.calls"].counts["writes"] >= 5
    assert counts["environment.calls"].counts["errors"] >= 5
    assert counts["environment.gates"].counts["standing"] >= 1
    program = (
        "from tests.environments import context, environment\nfrom validators.environments import check_environment\n"
        "from schemas.base import digest\n"
        "print(digest([v.model_dump() for i in (0, 1) for v in check_environment(environment(i), context())]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "5"},
        capture_output=True,
        text=True,
        check=True,
    )
    here = [v.model_dump() for i in (0, 1) for v in check_environment(environment(i), context())]
    assert run.stdout.strip() == digest(here)


def test_plain_data_is_checked_like_the_model() -> None:
    plain = cast("dict[str, Json]", json.loads(environment(0).model_dump_json()))
    assert check_environment(plain, context()) == check_environment(environment(0), context())


# --- failing closed ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", [{}, {"tables": 3}, {**environment(0).model_dump(), "tables": {"wallet": None}}])
def test_malformed_data_fails_every_check_that_reads_it(record: dict[str, Json]) -> None:
    verdicts = check_environment(record, context())
    passed = {v.check for v in verdicts if v.passed}
    assert passed <= {"environment.rebuild"}
    assert by_name(verdicts)["environment.hash"].reason.startswith("ValidationError: ")


def test_an_exception_in_a_check_fails_it_with_type_and_text() -> None:
    def stumble(case: Case, tally: Counter[str]) -> Iterator[str]:
        raise KeyError("gone")

    (verdict,) = check_environment(environment(0), context(), [("environment.stumble", stumble)])
    assert (verdict.passed, verdict.reason) == (False, "KeyError: 'gone'")


def test_without_checks_nothing_passes() -> None:
    assert [v.passed for v in check_environment(environment(0), context(), [])] == [False]


# --- form --------------------------------------------------------------------------------------------------------

FORMS: dict[str, tuple[Callable[[Tables], object], str]] = {
    "a field is missing": (lambda t: t["cart"][0].pop("size"), "tables.cart.0"),
    "an unknown field": (lambda t: t["wallet"][0].update(currency="EUR"), "tables.wallet.0"),
    "a text for a number": (lambda t: t["wallet"][0].update(balance_cents="12"), "tables.wallet.0.balance_cents"),
    "a fraction for cents": (lambda t: t["ledger"][0].update(amount_cents=1.5), "tables.ledger.0.amount_cents"),
    "true for a number": (lambda t: t["assortment"][0].update(stock=True), "tables.assortment.0.stock"),
    "a word outside the list": (lambda t: t["assortment"][0].update(delivery="soon"), "tables.assortment.0.delivery"),
    "null where none is allowed": (lambda t: t["permissions"][0].update(allowed=None), "tables.permissions.0.allowed"),
    "a missing table": (lambda t: t.pop("cart"), "tables"),
    "an unknown table": (lambda t: t.update(secrets=[]), "tables"),
    "a record that is none": (lambda t: t["sources"].append("fitbit"), "tables.sources"),  # type: ignore[arg-type]
}


def with_cart() -> EnvironmentRecord:
    return next(environment(i) for i in range(60) if environment(i).tables["cart"])


@pytest.mark.parametrize("name", FORMS)
def test_schema_catches(name: str) -> None:
    change, path = FORMS[name]
    tables = json.loads(json.dumps(with_cart().tables))
    change(tables)
    reason = failed(with_cart().model_copy(update={"tables": tables}))["environment.schema"]
    assert reason.startswith(path)


@pytest.mark.parametrize(
    "field", [{"now": "2025-03-01 10:00"}, {"seed": "7"}, {"state_hash": "0"}, {"user_id": "me"}, {"world_id": "w"}]
)
def test_schema_catches_fields_of_another_form(field: dict[str, str]) -> None:
    assert next(iter(field)) in failed(environment(0).model_copy(update=field))["environment.schema"]


def test_both_schema_engines_agree() -> None:
    """`jsonschema` is the oracle for the faster engine, on good and on broken records."""
    schema = environment_schema(installed_catalogue())
    jsonschema.Draft202012Validator.check_schema(schema)
    oracle, fast = jsonschema.Draft202012Validator(schema), context().forms.whole
    good = with_cart().model_dump()
    records: list[Any] = [good, environment(1).model_dump(), {}, None, {**good, "more": 1}, {**good, "now": "x"}]
    for change, _ in FORMS.values():
        tables = json.loads(json.dumps(good["tables"]))
        change(tables)
        records.append({**good, "tables": tables})
    tables = json.loads(json.dumps(good["tables"]))
    tables["wallet"][0]["balance_cents"] = 25.0
    records.append({**good, "tables": tables})
    found = [(oracle.is_valid(record), fast.is_valid(record)) for record in records]
    assert {one for one, _ in found} == {True, False}
    assert all(one == other for one, other in found)


# --- records -----------------------------------------------------------------------------------------------------


def test_hash_is_that_of_the_runtime() -> None:
    for index in range(10):
        record = environment(index)
        assert state_hash(record.tables) == record.state_hash
        assert f"{base_of(record, load_world(world())).hash:032x}" == record.state_hash


def test_hash_catches_an_altered_balance() -> None:
    record = environment(0).model_copy(deep=True)
    cast("Any", record.tables["wallet"][0])["balance_cents"] += 1
    assert "environment.hash" in failed(record)


def shared_id(t: Tables) -> None:
    t["vouchers"][0]["id"] = t["devices"][0]["id"]
    t["vouchers"].sort(key=lambda row: row["id"])


RECORDS: dict[str, tuple[str, Callable[[Tables], object], str]] = {
    "ids out of order": ("environment.ids", lambda t: t["vouchers"].reverse(), "ids must ascend"),
    "an id twice": ("environment.ids", lambda t: t["sources"].append(t["sources"][-1]), "ids must ascend"),
    "an id in two tables": ("environment.ids", shared_id, "stands in devices and in vouchers"),
    "a transaction that is gone": (
        "environment.references",
        lambda t: t["transactions"].remove(first(t["transactions"], status="completed")),
        "which transactions does not hold",
    ),
    "a product of no world": (
        "environment.references",
        lambda t: t["order_lines"][0].update(product_id="p_ffffff_999"),
        "which products does not hold",
    ),
    "a stocked product of no world": (
        "environment.references",
        lambda t: t["assortment"][-1].update(id="p_ffffff_999"),
        "which products does not hold",
    ),
    "a source of no device": (
        "environment.references",
        lambda t: t["devices"][0].update(source="pager"),
        "which sources does not hold",
    ),
    "an order from the future": (
        "environment.clock",
        lambda t: t["transactions"][0].update(created_at="2031-01-01T10:00:00"),
        "later than now",
    ),
    "a payment from the future": (
        "environment.clock",
        lambda t: t["ledger"][0].update(at="2031-01-01T10:00:00"),
        "later than now",
    ),
    "a day that never was": (
        "environment.clock",
        lambda t: t["vouchers"][0].update(expires_on="2025-02-30"),
        "is no date or time",
    ),
    "a time of another form": (
        "environment.clock",
        lambda t: t["ledger"][0].update(at="2025-01-01T10:00"),
        "is no date or time",
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_records_catch(name: str) -> None:
    check, change, reason = RECORDS[name]
    assert reason in failed(changed(environment(0), change))[check]


def test_plans_may_lie_after_now() -> None:
    record = changed(environment(0), lambda t: t["vouchers"][0].update(expires_on="2031-01-01"))
    assert "environment.clock" not in failed(record)


def test_an_environment_of_another_user_or_world_is_caught() -> None:
    assert "is not that of user" in failed(changed(environment(0), len, user_id="u000009"))["environment.ids"]
    assert (
        "checked against" in failed(changed(environment(0), len, world_id="w_000000000000"))["environment.references"]
    )


# --- made again --------------------------------------------------------------------------------------------------


def test_rebuilding_is_required_unless_said_otherwise() -> None:
    strict = environment_context(world())
    verdict = by_name(check_environment(environment(0), strict))["environment.rebuild"]
    assert (verdict.passed, verdict.reason) == (False, "nothing was passed in to make the environment again")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"now": "2025-01-01T08:00:00"}, "now is '2025-01-01T08:00:00', made again"),
        ({"seed": "0123456789abcdef"}, "seed is"),
    ],
)
def test_rebuilding_catches_fields_that_no_hash_covers(fields: dict[str, str], reason: str) -> None:
    record = environment(0).model_copy(update=fields)
    verdict = by_name(check_environment(record, context().rebuilding(lambda: environment(0))))["environment.rebuild"]
    assert not verdict.passed
    assert verdict.reason.startswith(reason)


def test_rebuilding_catches_a_consistent_change() -> None:
    def richer(t: Tables) -> None:
        for field in ("balance_cents", "opening_cents"):
            t["wallet"][0][field] += 100

    record = changed(environment(0), richer)
    verdicts = by_name(check_environment(record, context().rebuilding(lambda: environment(0))))
    assert [name for name, v in verdicts.items() if not v.passed] == ["environment.rebuild"]
    assert "table wallet differs" in verdicts["environment.rebuild"].reason


def test_rebuilding_that_fails_is_a_failed_verdict() -> None:
    def stumble() -> EnvironmentRecord:
        raise OSError("no profile")

    verdict = by_name(check_environment(environment(0), context().rebuilding(stumble)))["environment.rebuild"]
    assert verdict.reason == "OSError: no profile"


def test_the_sample_has_the_users_it_says() -> None:
    assert environment(3).user_id == person(3).user_id
