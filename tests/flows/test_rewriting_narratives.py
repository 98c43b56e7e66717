"""`pausegen rewrite --texts narratives`: what a model says of a user is used when it adds, drops and turns nothing."""

from __future__ import annotations

import copy
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from flows.errors import UnreachableError
from flows.resealing import reseal
from flows.rewriting import rewrite
from flows.rewriting_narratives import ALIKE, Narrative
from flows.rows import from_row, to_row
from flows.shards import read_footer, read_rows, write_shard
from flows.store import load_funnel, manifest_of
from flows.verification import verify
from flows.writer import Fault
from schemas.profile import Profile
from tests.flows.hollow import config_of
from tests.flows.real import by_id, make_run
from tests.flows.writers import Asked, field_of, models, retold, text_of, writing
from tests.llm.conftest import Serve, _no_keys, serve
from tests.validators.test_profile_checks import GOOD
from tests.validators.test_profile_rewording import REWORDED
from validators.profiles import check_block

__all__ = ["_no_keys", "serve"]
Capture = pytest.CaptureFixture[str]
INVENTED = " Sometimes chess with a brother named Tom is on the menu, on the beach."


def told(root: Path) -> dict[str, str]:
    return {name: str(row["narrative"]) for name, row in by_id(root, "users", "user_id").items()}


def users_of(root: Path) -> bytes:
    (file,) = (root / "users").iterdir()
    return file.read_bytes()


@pytest.fixture(scope="module")
def rewritten(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.model_server.server import ModelServer

    root = tmp_path_factory.mktemp("retold") / "run"
    with ModelServer(None, writing()[0]) as server:
        rewrite(finished, root, models(server.url), "narratives")
    return root


def test_nothing_but_the_narrative_of_a_user_is_changed(finished: Path, rewritten: Path) -> None:
    before, after = by_id(finished, "users", "user_id"), by_id(rewritten, "users", "user_id")
    for name, row in after.items():
        assert row["narrative"] == retold(str(before[name]["narrative"]), []) != before[name]["narrative"]
        assert {**row, "narrative": ""} == {**before[name], "narrative": ""}
    for stage, name in (("tasks", "task_id"), ("environments", "environment_id"), ("worlds", "world_id")):
        assert by_id(rewritten, stage, name) == by_id(finished, stage, name)
    stages = [counts.stage for counts in load_funnel(rewritten).stages]
    assert stages == ["worlds", "profiles", "environments", "tasks", "selection", "narratives"]
    assert load_funnel(rewritten).of("narratives").kept == len(after)


def older(text: str, age: int) -> str:
    return text.replace(str(age), str(age + 1))


def invented(text: str, _age: int) -> str:
    return text.replace(" in ", " with a brother in ", 1)


def judged(text: str, _age: int) -> str:
    return f"{text} Regarding steps, a full day of good health is the daily list."


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (judged, r"profile\.sense: 'good health' judges health or body"),
        (older, r"profile\.narrative: .* for age, which is"),
        (invented, r"profile\.words: no narrative has .*: brother"),
    ],
)
def test_a_narrative_that_was_altered_is_found(
    rewritten: Path, tmp_path: Path, capsys: Capture, change: Callable[[str, int], str], reason: str
) -> None:
    root = shutil.copytree(rewritten, tmp_path / "run")
    (file,) = (root / "users").iterdir()
    footer, _ = read_footer(file)
    rows = read_rows(file)
    profile, extra = from_row("users", rows[0])
    profile["narrative"] = change(str(profile["narrative"]), cast("int", profile["age"]))
    assert profile["narrative"] != rows[0]["narrative"]
    rows[0] = to_row("users", profile, verdicts=extra["verdicts"])
    write_shard(root, f"users/{file.name}", rows, footer)
    assert verify(root) == 1
    assert f"FAILED users/{file.name} files.sha256" in capsys.readouterr().out
    reseal(root)
    assert verify(root) == 1
    assert re.search(reason, capsys.readouterr().out)


def refused(finished: Path, root: Path, serve: Serve, how: Any) -> tuple[dict[str, int], list[Asked]]:  # noqa: ANN401
    """Rewrite with a writer of whom nothing is used; why not, and what it was asked."""
    behave, seen = writing(narratives=how)
    rewrite(finished, root, models(serve(behave).url), "narratives")
    assert told(root) == told(finished)
    assert users_of(root) != users_of(finished)  # the footer names another run
    counts = load_funnel(root).of("narratives")
    assert (counts.made, counts.kept, counts.rejected) == (2, 0, 2)
    assert manifest_of(root).complete
    return counts.reasons, seen


def test_an_invented_fact_is_named_and_not_used(finished: Path, tmp_path: Path, serve: Serve) -> None:
    reasons, seen = refused(finished, tmp_path / "r", serve, lambda text, _: retold(text, []) + INVENTED)
    assert reasons == {"rewrite.words": 2}
    assert len(seen) == 4
    again = [str(asked["messages"][-1]["content"]) for asked in seen if len(asked["messages"]) == 4]
    assert len(again) == 2
    for text in again:
        assert "leave them out: sometimes, chess, brother, named, tom, beach" in text


def test_a_dropped_and_a_turned_fact_are_not_used(finished: Path, tmp_path: Path, serve: Serve) -> None:
    def dropping(text: str, facts: list[str]) -> str:
        unit = next(fact for fact in facts if fact.endswith(" steps"))
        return re.sub(rf"[^.]*{unit}[^.]*\.", "", retold(text, []))

    reasons, seen = refused(finished, tmp_path / "dropped", serve, dropping)
    assert reasons == {"rewrite.facts": 2}
    assert all("(daily_goal.steps)" in str(asked["messages"][-1]["content"]) for asked in seen[2:])

    def denying(text: str, facts: list[str]) -> str:
        return retold(text, []).replace(" steps", " steps and no steps")

    assert refused(finished, tmp_path / "turned", serve, denying)[0] == {"rewrite.sense": 2}


def test_what_hardly_differs_or_reads_like_another_is_not_used(finished: Path, tmp_path: Path, serve: Serve) -> None:
    reasons, _ = refused(finished, tmp_path / "same", serve, lambda text, _: text)
    assert reasons == {"rewrite.same": 2}


def test_what_is_wrong_is_mended_once_and_counted(finished: Path, tmp_path: Path, serve: Serve) -> None:
    first, second = told(finished).values()

    def behave(asked: Asked) -> dict[str, Any]:
        text, mended = text_of(asked), len(asked["messages"]) > 2
        new = retold(text, []) + ("" if mended and text == first else INVENTED)
        return {"content": json.dumps({field_of(asked): new})}

    root = tmp_path / "r"
    rewrite(finished, root, models(serve(behave).url), "narratives")
    assert list(told(root).values()) == [retold(first, []), second]
    counts = load_funnel(root).of("narratives")
    assert (counts.made, counts.kept, counts.reasons) == (2, 1, {"rewrite.words": 1})


def test_a_refusal_keeps_one_narrative_and_a_dead_server_stops_all(
    finished: Path, rewritten: Path, tmp_path: Path, serve: Serve
) -> None:
    complaint = "Your request was rejected as a result of the safety system."
    refusal = {"complaint": complaint, "complaint_code": "content_policy_violation"}
    server = serve(writing()[0], script=["400"], **refusal)
    rewrite(finished, tmp_path / "r", models(server.url, concurrency=1), "narratives")
    assert load_funnel(tmp_path / "r").of("narratives").reasons == {"rewrite.reply": 1}
    dying = serve(writing()[0], script=["ok", "500"])
    with pytest.raises(UnreachableError):
        rewrite(finished, tmp_path / "again", models(dying.url, concurrency=1), "narratives")
    assert not manifest_of(tmp_path / "again").complete
    rewrite(finished, tmp_path / "again", models(dying.url), "narratives")
    assert dying.log.requests == 3
    assert users_of(tmp_path / "again") == users_of(rewritten)


def of_block(*made: tuple[str, str]) -> list[Narrative]:
    """The narratives of one block of users with the same facts, given by family name and text."""
    block: list[Narrative] = []
    for place, (family, text) in enumerate(made):
        record = copy.deepcopy(GOOD)
        record |= {"index": place, "user_id": f"u{place:06d}", "narrative": text.replace("Vargholm", family)}
        record["name"]["family"] = family
        record["medical_view"]["basic_info"]["name"] = f"Astrid {family}"
        named = Profile.model_validate(record)
        name = named.user_id
        one = {"made": named, "profile": named, "record": record, "verdicts": []}
        block.append(Narrative(name=name, field="narrative", messages=[], block=block, **one))
    return block


def test_two_narratives_of_a_block_never_read_nearly_alike() -> None:
    """A text is compared with the others as they stand when it is decided, those that come later included."""
    made = GOOD["narrative"]
    one, other = block = of_block(("Vargholm", made), ("Almdahlen", REWORDED))
    one.text = REWORDED
    one.decide()
    assert one.fault == Fault(ALIKE, "it reads nearly like the narrative of u000001; change the sentences")
    assert one.profile.narrative == made
    one.text, one.fault = retold(made, []), None
    one.decide()
    assert one.fault is None
    other.text = one.profile.narrative.replace("Vargholm", "Almdahlen")
    other.decide()
    assert other.fault is not None
    assert other.fault.check == ALIKE
    other.text, other.fault = made.replace("Vargholm", "Almdahlen"), None
    other.decide()
    assert other.fault is None
    assert all(verdict.passed for verdicts in check_block([one.record for one in block]) for verdict in verdicts)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_the_bytes_do_not_depend_on_how_many_are_asked_at_once(
    finished: Path, rewritten: Path, tmp_path: Path, serve: Serve, concurrency: int
) -> None:
    server = serve(writing()[0], latency_s=0.05)
    rewrite(finished, tmp_path / "r", models(server.url, concurrency=concurrency), "narratives")
    assert users_of(tmp_path / "r") == users_of(rewritten)


@pytest.mark.slow
def test_users_that_were_made_before_their_tasks_are_rewritten_once(tmp_path: Path, serve: Serve) -> None:
    run, root = tmp_path / "run", tmp_path / "rewritten"
    for tasks in (0, 1):
        make_run(run, config_of(1, tasks))
    behave, seen = writing()
    rewrite(run, root, models(serve(behave).url))
    assert [field_of(asked) for asked in seen] == ["narrative", "instruction"]
    assert told(root) == {name: retold(text, []) for name, text in told(run).items()}
    counts = load_funnel(root)
    assert [(counts.of(stage).made, counts.of(stage).kept) for stage in ("narratives", "rewrite")] == [(1, 1), (1, 1)]
    assert verify(root) == 0
