"""Notes of an environment: their number, days and texts, and that a rule's text states the rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from generators.environments import build_environment
from generators.environments.moments import day_of
from generators.environments.notes import UNWISHED, draw_rule, may_be_wished
from generators.environments.notes.texts import note_texts, remark_text, rule_text
from generators.environments.odds import NOTE_DAYS
from generators.profiles import make_profile
from generators.worlds import make_world
from language.constraints import OBJECTIVES, Vocabularies, read_constraints
from services.runtime.door import load_world
from services.runtime.streams import Stream

if TYPE_CHECKING:
    from schemas.environment import EnvironmentRecord
    from services.shopping.records import Product

SEED = 7
WORLD = make_world(SEED)
PRODUCTS = list(cast("dict[str, Product]", load_world(WORLD)["products"]).values())
WORDS = Vocabularies(
    categories=tuple(sorted({p.category for p in PRODUCTS})),
    tags=tuple(sorted({tag for p in PRODUCTS for tag in p.health_tags})),
    allergens=tuple(sorted({allergen for p in PRODUCTS for allergen in p.allergens})),
)


def built() -> list[EnvironmentRecord]:
    return [build_environment(SEED, make_profile(SEED, user), WORLD) for user in range(40)]


def test_notes_are_few_distinct_and_of_the_last_weeks() -> None:
    numbers: set[int] = set()
    shared_days = 0
    for environment in built():
        notes = environment.tables["notes"]
        numbers.add(len(notes))
        times = sorted(str(note["time"]) for note in notes)
        assert len(set(times)) == len({str(note["text"]) for note in notes}) == len(notes)
        today = day_of(environment.now)
        assert all(today - NOTE_DAYS <= day_of(time) < today for time in times)
        shared_days += len(times) - len({time[:10] for time in times})
    assert min(numbers) == 0
    assert max(numbers) >= 10
    assert 0 < shared_days < 40


def test_a_rule_reads_back_as_itself_in_every_form() -> None:
    stream = Stream(SEED, "rules")
    aims: set[str | None] = set()
    for number in range(600):
        mine = stream.child(number)
        with_tags = [p for p in PRODUCTS if p.health_tags]
        rule = draw_rule(mine.choice(with_tags), PRODUCTS, mine)
        text = rule_text(rule, mine)
        assert read_constraints(text, WORDS) == rule, text
        aims.add(rule.objective)
    assert aims == {None, *OBJECTIVES}


def test_a_rule_neither_repeats_itself_nor_goes_against_itself() -> None:
    stream = Stream(SEED, "sense")
    for number, product in enumerate(p for p in PRODUCTS if may_be_wished(p)):
        rule = draw_rule(product, PRODUCTS, stream.child(number))
        nutrients = [tag.removesuffix("_free").split("_")[-1] for tag in rule.tags]
        aim = (rule.objective or "").split("_")[-1].removesuffix("s")
        assert len(set(nutrients)) == len(nutrients), rule
        assert aim not in nutrients, rule
        assert not any(tag in UNWISHED for tag in rule.tags), rule


def test_remarks_and_notes_on_other_things_state_no_rule() -> None:
    stream = Stream(SEED, "remarks")
    for number in range(60):
        fields = read_constraints(remark_text(stream.choice(WORDS.categories), stream.child(number)), WORDS).fields()
        assert {name for name, value in fields.items() if value is not None} <= {"category"}
    for topic in note_texts().topics:
        assert not any(read_constraints(topic.text, WORDS).fields().values()), topic
