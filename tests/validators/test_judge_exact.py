"""The judge's matching and the normal form against brute force over all bijections."""

from __future__ import annotations

from itertools import permutations, product
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.base import Json, canonical
from schemas.contract import Allowed, AnyValue, Change, Contract, Equal, Expectation, OneOf, Ref, Rule
from tests.effort import amount
from tests.validators.toy import LATER, NOW, TABLES, TOO_LATE, Rows, entry, line, made, node, note, order
from validators.contract.changes import Delta
from validators.contract.judge import compile_expectation
from validators.contract.normal import normal_form, same_end

# --- matching ------------------------------------------------------------------------------------------------------

LABELS = [Equal(value="a"), Equal(value="b"), OneOf(values=["a", "b"]), AnyValue()]


@st.composite
def contracts(draw: st.DrawFn) -> Contract:
    required, allowed = draw(st.integers(1, 4)), draw(st.integers(0, 2))
    names = [f"v{n}" for n in range(required + allowed)]
    bounds = [1] * required + [draw(st.integers(1, 2)) for _ in range(allowed)]
    bindable = [name for name, bound in zip(names, bounds, strict=True) if bound == 1]
    parents: list[Rule] = [Equal(value=None), AnyValue(), *(Ref(var=name) for name in bindable)]
    changes = [
        Change(
            op="create",
            table="nodes",
            var=name,
            fields={
                "label": draw(st.sampled_from(LABELS)),
                "parent_id": draw(st.sampled_from(parents)),
                "friends": AnyValue(),
            },
        )
        for name in names
    ]
    extra = [Allowed(change=c, at_most=n) for c, n in zip(changes[required:], bounds[required:], strict=True)]
    return Contract(changes=changes[:required], allowed=extra)


@st.composite
def node_deltas(draw: st.DrawFn, most: int = 5) -> list[Rows]:
    count = draw(st.integers(1, most))
    parents = [None, "old", *(f"n{n}" for n in range(count))]
    return [node(f"n{n}", draw(st.sampled_from("ab")), draw(st.sampled_from(parents))) for n in range(count)]


def admits(rule: Rule, value: Json, ids: dict[str, str]) -> bool:
    match rule:
        case Equal():
            return rule.value == value
        case OneOf():
            return value in rule.values
        case Ref():
            return rule.var in ids and ids[rule.var] == value
        case _:
            return True


def brute_force(contract: Contract, records: list[Rows]) -> bool:
    """Try every way to give each record to a required or an allowed change."""
    patterns = [(change, 1) for change in contract.changes] + [(a.change, a.at_most) for a in contract.allowed]
    required = len(contract.changes)
    for choice in product(range(len(patterns)), repeat=len(records)):
        counts = [choice.count(n) for n in range(len(patterns))]
        if any(counts[n] != 1 for n in range(required)) or any(
            c > m for c, (_, m) in zip(counts, patterns, strict=True)
        ):
            continue
        ids = {
            patterns[n][0].var: str(record["id"])
            for n, record in zip(choice, records, strict=True)
            if patterns[n][1] == 1
        }
        if all(
            admits(rule, record[field], ids)
            for n, record in zip(choice, records, strict=True)
            for field, rule in patterns[n][0].fields.items()
        ):
            return True
    return False


@settings(max_examples=amount(62, 250))
@given(contracts(), node_deltas())
def test_matching_is_exact(contract: Contract, records: list[Rows]) -> None:
    judge = compile_expectation(Expectation(any_of=[contract]), TABLES, NOW)
    assert judge.judge({"nodes": made(*records)}, {}, (), lambda _: True).passed == brute_force(contract, records)


@settings(max_examples=amount(50, 200))
@given(node_deltas(), st.randoms(use_true_random=False), st.data())
def test_an_end_fits_the_contract_that_describes_it(records: list[Rows], random: Random, data: st.DataObject) -> None:
    """A contract read off the records fits them under any other ids, and not when one reference goes elsewhere."""
    ids = [str(record["id"]) for record in records]

    def parent(value: Json) -> Rule:
        return Ref(var=value) if isinstance(value, str) and value in ids else Equal(value=value)

    contract = Contract(
        changes=[
            Change(
                op="create",
                table="nodes",
                var=str(record["id"]),
                fields={
                    "label": Equal(value=record["label"]),
                    "parent_id": parent(record["parent_id"]),
                    "friends": AnyValue(),
                },
            )
            for record in records
        ]
    )
    judge = compile_expectation(Expectation(any_of=[contract]), TABLES, NOW)
    assert judge.judge({"nodes": made(*renamed(records, random))}, {}, (), lambda _: True).passed
    victim = data.draw(st.integers(0, len(records) - 1))
    broken = [{**r, "parent_id": "elsewhere"} if n == victim else r for n, r in enumerate(records)]
    assert not judge.judge({"nodes": made(*broken)}, {}, (), lambda _: True).passed


# --- normal form ---------------------------------------------------------------------------------------------------


@st.composite
def graphs(draw: st.DrawFn) -> list[Rows]:
    count = draw(st.integers(2, 5))
    ids = [f"n{n}" for n in range(count)]
    return [
        node(
            key,
            draw(st.sampled_from("aab")),
            draw(st.sampled_from([None, *ids])),
            tuple(draw(st.sets(st.sampled_from(ids), max_size=2))),
        )
        for key in ids
    ]


def under(records: list[Rows], names: dict[str, str]) -> list[Rows]:
    def new(value: Json) -> Json:
        if isinstance(value, list):
            return sorted((new(item) for item in value), key=str)
        return names.get(value, value) if isinstance(value, str) else value

    return [{name: new(value) if name != "label" else value for name, value in record.items()} for record in records]


def renamed(records: list[Rows], random: Random) -> list[Rows]:
    ids = [str(record["id"]) for record in records]
    fresh = [f"m{n}" for n in range(len(ids))]
    random.shuffle(fresh)
    result = under(records, dict(zip(ids, fresh, strict=True)))
    random.shuffle(result)
    return result


def isomorphic(one: list[Rows], other: list[Rows]) -> bool:
    ids, others = [str(r["id"]) for r in one], [str(r["id"]) for r in other]
    target = sorted(map(canonical, under(other, {})))
    return len(ids) == len(others) and any(
        sorted(map(canonical, under(one, dict(zip(ids, order, strict=True))))) == target
        for order in permutations(others)
    )


@settings(max_examples=amount(37, 150))
@given(graphs(), st.randoms(use_true_random=False))
def test_renaming_created_ids_is_no_difference(graph: list[Rows], random: Random) -> None:
    assert same_end({"nodes": made(*graph)}, {"nodes": made(*renamed(graph, random))}, TABLES)


@settings(max_examples=amount(50, 200))
@given(graphs(), graphs(), st.randoms(use_true_random=False), st.booleans())
def test_equal_normal_forms_mean_isomorphic(one: list[Rows], other: list[Rows], random: Random, close: bool) -> None:
    if close:
        # Two independent graphs are rarely alike: one edge of the same graph moved is the hard case.
        other = renamed(one, random)
        other[0] = {**other[0], "parent_id": random.choice(other)["id"]}
    assert same_end({"nodes": made(*one)}, {"nodes": made(*other)}, TABLES) == isomorphic(one, other)


def test_two_rings_of_three_are_not_one_of_six() -> None:
    """Colour refinement alone cannot tell these apart."""
    ring = made(*(node(f"n{n}", "a", f"n{(n + 1) % 6}") for n in range(6)))
    rings = made(*(node(f"n{n}", "a", f"n{n // 3 * 3 + (n + 1) % 3}") for n in range(6)))
    assert not same_end({"nodes": ring}, {"nodes": rings}, TABLES)
    turned = made(*(node(f"m{n}", "a", f"m{(n - 1) % 6}") for n in range(6)))
    assert same_end({"nodes": ring}, {"nodes": turned}, TABLES)


def test_many_alike_records_need_no_search() -> None:
    one = made(*(note(f"n{n}") for n in range(40)))
    other = made(*(note(f"m{n}") for n in reversed(range(40))))
    assert same_end({"notes": one}, {"notes": other}, TABLES)


def test_a_form_that_would_take_too_long_is_refused() -> None:
    ids = [f"n{n}" for n in range(9)]
    tangle = made(*(node(key, "a", None, tuple(ids)) for key in ids))
    try:
        normal_form({"nodes": tangle}, TABLES)
    except ValueError as error:
        assert "too much alike" in str(error)
    else:
        raise AssertionError("the search went on")


def test_ids_that_look_like_numbers_are_not_confused() -> None:
    """Renaming text in place once rewrote what an earlier renaming had written."""
    one = made(node("0", "a", "1"), node("1", "b", "0"), node("10", "c", "0"))
    other = made(node("1", "a", "0"), node("0", "b", "1"), node("01", "c", "1"))
    assert same_end({"nodes": one}, {"nodes": other}, TABLES)


def test_what_the_normal_form_sees() -> None:
    base: Delta = {"orders": made(order("x")), "lines": made(line("l1", "x", "p1", 3))}
    split: Delta = {"orders": made(order("y")), "lines": made(line("l1", "y", "p1", 1), line("l2", "y", "p1", 2))}
    assert same_end(base, split, TABLES)
    assert not same_end(base, {**split, "lines": made(line("l1", "y", "p1", 2))}, TABLES)
    assert not same_end(base, {**split, "lines": made(line("l1", "old", "p1", 3))}, TABLES)
    assert not same_end(base, {**base, "ledger": made(entry("e", 1, of="x"))}, TABLES)
    assert not same_end(base, {}, TABLES)
    assert same_end({}, {"lines": {}}, TABLES)


def test_the_order_of_changes_is_no_difference() -> None:
    lines = [line("l1", "x", "p1"), line("l2", "x", "p2"), line("l3", "x", "p3")]
    assert normal_form({"orders": made(order("x")), "lines": made(*lines)}, TABLES) == normal_form(
        {"lines": made(*reversed(lines)), "orders": made(order("x"))}, TABLES
    )


def test_times_of_writes_compare_within_a_day() -> None:
    def at(time: str | None) -> Delta:
        return {"orders": made({**order("x"), "settled_at": time})}

    second = "2025-05-03T12:00:09"
    assert same_end(at(LATER), at(second), TABLES, NOW)
    assert not same_end(at(LATER), at(second), TABLES)
    assert not same_end(at(LATER), at(TOO_LATE), TABLES, NOW)
    assert not same_end(at(LATER), at(None), TABLES, NOW)
    assert not same_end(at(TOO_LATE), at("2025-05-06T12:00:00"), TABLES, NOW)


def test_deletions_and_updates_keep_their_ids() -> None:
    old = note("n1")
    assert not same_end({"notes": {"n1": (old, None)}}, {"notes": {"n2": (note("n2"), None)}}, TABLES)
    assert not same_end({"notes": {"n1": (old, None)}}, {"notes": {"n1": (old, {**old, "pinned": True})}}, TABLES)
    assert not same_end(
        {"notes": {"n1": (old, {**old, "pinned": 1})}}, {"notes": {"n1": (old, {**old, "pinned": True})}}, TABLES
    )
