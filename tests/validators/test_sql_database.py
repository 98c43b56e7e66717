"""How values stand in SQLite, and how states are loaded, patched and taken back."""

from __future__ import annotations

import pytest

from schemas import goal as g
from schemas.base import Json
from tests.validators.sql_support import ITEM, ITEMS, NOW, SALE, col, database
from validators.engine.database import Database
from validators.engine.encode import decode, encode
from validators.engine.evaluate import evaluate_parts


@pytest.mark.parametrize(
    "given",
    [None, True, False, 0, 1, -7, 2.5, "", "x", "true", "[]", [], [True, 1, None, "a"], [["a"], []], {"a": [1]}],
)
def test_values_survive(given: Json) -> None:
    back = decode(encode(given))
    assert back == given and type(back) is type(given)
    assert decode(encode(25.0)) == 25


def test_a_text_that_looks_like_an_encoded_value_is_refused() -> None:
    for text in ("\n[1]", "\x01true"):
        with pytest.raises(ValueError, match="control character"):
            encode(text)


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
