"""How values stand in SQLite, and how states are loaded, patched and taken back."""

from __future__ import annotations

import pytest

from schemas import goal as g
from schemas.base import Json
from services.runtime.identity import by_identity
from tests.validators.sql_support import ITEM, ITEMS, NOW, SALE, col, database
from validators.engine.database import Database
from validators.engine.encode import SqlValue, decode, encode
from validators.engine.evaluate import evaluate_parts
from validators.engine.recipe import recipe_of
from validators.engine.structure import name_of


@pytest.mark.parametrize(
    "given",
    [
        *(None, True, False, 0, 1, -7, 2.5, "", "x", "true", "[]"),
        *([], [True, 1, None, "a"], [["a"], []], {"a": [1]}, {"b": False}, ["true", "\\x", '"y"', "a\nb"]),
    ],
)
def test_values_survive(given: Json) -> None:
    back = decode(encode(given))
    assert back == given and type(back) is type(given)
    assert decode(encode(25.0)) == 25


def test_a_text_that_looks_like_an_encoded_value_is_refused() -> None:
    for text in ("\n[1]", "\x01true"):
        with pytest.raises(ValueError, match="control character"):
            encode(text)
        with pytest.raises(ValueError, match="control character"):
            encode([1, {"a": text}])


def prices(db: Database) -> Json:
    return evaluate_parts([g.Aggregate(fn="sum", source=ITEM, of=col("i.price"))], {}, NOW, db)[0]


def test_patches_hold_inside_the_block_only() -> None:
    db = database()
    dear: dict[str, Json] = {**ITEMS[1], "price": 50}
    with db.patched([("items", "b", dear)]):
        assert prices(db) == 450
        with db.patched([("items", "a", None), ("items", "z", {**dear, "id": "z"})]):
            assert prices(db) == 200
        assert prices(db) == 450
        with pytest.raises(RuntimeError), db.patched([("items", "c", None)]):
            raise RuntimeError
    assert prices(db) == 400
    with pytest.raises(ValueError, match="no table of it"), db.patched([("world", "a", None)]):
        raise AssertionError("worlds never change")
    assert prices(db) == 400


def test_an_environment_is_loaded_once_and_whole() -> None:
    db = database()
    db.load_environment("e", {})
    assert prices(db) == 400
    db.load_environment("f", {"items": ITEMS[:1]})
    assert prices(db) == 300
    assert evaluate_parts([g.Aggregate(fn="count", source=SALE)], {}, NOW, db) == (0,)
    with pytest.raises(KeyError, match="tags"):
        db.load_environment("g", {"items": [{"id": "a", "name": "x", "price": 1, "live": True}]})
    db.load_environment("f", {"items": ITEMS})
    assert prices(db) == 400
    with pytest.raises(ValueError, match="not declared"):
        db.load_environment("h", {"dreams": []})


# --- what is known already ----------------------------------------------------------------------------------------


def test_the_same_question_is_asked_of_sqlite_once_while_the_tables_it_reads_stand_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    db, asked = database(), 0
    ask = Database._ask  # pyright: ignore[reportPrivateUsage]

    def counted(self: Database, sql: str, values: tuple[SqlValue, ...]) -> list[tuple[SqlValue, ...]]:
        nonlocal asked
        asked += 1
        return ask(self, sql, values)

    monkeypatch.setattr(Database, "_ask", counted)
    assert [prices(db), prices(db), asked] == [400, 400, 1]
    with db.patched([("items", "a", None)]):
        assert [prices(db), prices(db), asked] == [100, 100, 2]
        with db.patched([("items", "a", None)]):
            assert [prices(db), asked] == [100, 3]
        assert [prices(db), asked] == [100, 3]
    with db.patched([("sales", "s1", None)]):
        assert [prices(db), asked] == [400, 3]
    assert [prices(db), asked] == [400, 3]
    db.load_environment("f", {"items": ITEMS[:1]})
    assert [prices(db), asked] == [300, 4]


def test_a_statement_reads_the_tables_of_the_nodes_in_it() -> None:
    sold = g.NamedNode(name="sold", rows=g.Select(source=SALE))
    count = g.Aggregate(fn="count", source=g.NodeRows(name="sold"))
    priced = g.NamedNode(name="priced", scalar=g.Aggregate(fn="sum", source=ITEM, of=col("i.price")))
    many = g.NamedNode(name="many", scalar=g.Arith(fn="add", args=[count, g.Node(name="priced")]))
    first = g.AnswerGoal(name="first", kind="name", value=g.Node(name="sold", field="s.id"), cue="sold")
    goal = g.Goal(nodes=[sold, priced, many], answers=[first])
    program = recipe_of(goal, database()).program
    assert [step.reads for step in program.steps] == [("items",), ("sales",), ("sales",)]
    assert program.node_rows("sold").reads == ("sales",)


def test_values_that_are_equal_but_not_the_same_are_different_questions() -> None:
    db = database()
    half = g.Arith(fn="to_decimal", args=[g.Slot(name="n"), g.Const(value=2)])
    given: list[Json] = [1, 1.0, True, 1, 3, None]
    parts = [g.Arith(fn="mod", args=[g.Slot(name="n"), g.Const(value=2)]), half, g.Slot(name="n")]
    alone = [[evaluate_parts([part], {"n": value}, NOW, database()) for part in parts] for value in given]
    together = [[evaluate_parts([part], {"n": value}, NOW, db) for part in parts] for value in given]
    assert together == alone
    assert [[type(one[0]) for one in row] for row in together] == [[type(one[0]) for one in row] for row in alone]


def test_equal_names_mean_equal_content() -> None:
    parts = [g.Const(value=1), g.Const(value=True), g.Const(value=None), g.Slot(name="a"), g.Col(name="a")]
    assert len({name_of(part) for part in parts}) == len(parts)
    assert [name_of(part.model_copy()) for part in parts] == [name_of(part) for part in parts]


def test_results_by_identity_outlive_their_objects_safely() -> None:
    content = by_identity(g.Const.model_dump_json)
    for number in range(10_000):
        part = g.Const(value=number)
        assert content(part) == content(part) == part.model_dump_json()
