"""`pausegen rewrite` over a real run and real servers: what is used passes every check, and what does not stays out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from flows.cli import main
from flows.errors import BudgetError, ConfigError, StoreError, UnreachableError
from flows.rewriting import rewrite
from flows.rewriting_state import load_state
from flows.rows import from_row
from flows.store import load_funnel, manifest_of
from flows.verification import verify
from schemas.models import ModelChoice, Models
from tests.flows.real import by_id
from tests.flows.writers import Asked, field_of, good, models, retold, text_of, writing
from tests.llm.conftest import Serve, _no_keys, serve

__all__ = ["_no_keys", "serve"]
Capture = pytest.CaptureFixture[str]


def texts(root: Path) -> dict[str, str]:
    return {name: str(row["instruction"]) for name, row in by_id(root, "tasks", "task_id").items()}


def narratives(root: Path) -> dict[str, str]:
    return {name: str(row["narrative"]) for name, row in by_id(root, "users", "user_id").items()}


@pytest.fixture(scope="module")
def rewritten(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.model_server.server import ModelServer

    root = tmp_path_factory.mktemp("rewritten") / "run"
    with ModelServer(None, writing()[0]) as server:
        rewrite(finished, root, models(server.url))
    return root


def test_a_good_writer_is_used_for_every_text(finished: Path, rewritten: Path) -> None:
    before, after = texts(finished), texts(rewritten)
    assert after == {name: good(text, []) for name, text in before.items()}
    counts = load_funnel(rewritten).of("rewrite")
    assert (counts.made, counts.kept, counts.rejected) == (len(before), len(before), 0)
    told, now = narratives(finished), narratives(rewritten)
    assert now == {name: retold(text, []) for name, text in told.items()}
    counts = load_funnel(rewritten).of("narratives")
    assert (counts.made, counts.kept, counts.rejected) == (len(told), len(told), 0)
    assert load_funnel(rewritten).of("tasks") == load_funnel(finished).of("tasks")
    assert manifest_of(rewritten).content["rewriting"] == {
        "texts": "all",
        "writer": "openai/tiny",
        "parameters": {"max_tokens": 500},
        "source": manifest_of(finished).digest,
    }
    assert manifest_of(rewritten).complete


def test_it_is_a_run_like_any_other(rewritten: Path, tmp_path: Path, capsys: Capture) -> None:
    assert verify(rewritten) == 0
    assert f"verified {len(texts(rewritten))} of" in capsys.readouterr().out
    assert main(["inspect", str(rewritten)]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"narratives +2 +2 +0\n +rewrite +26 +26 +0", shown)
    assert main(["release", "build", str(rewritten), "--version", "0.1.0", "--out", str(tmp_path / "release")]) == 0
    assert main(["release", "verify", str(tmp_path / "release")]) == 0
    from tests.flows.test_rollout import roll_out

    roll_out(rewritten, tmp_path / "rollout", {"subset.tasks": 8})
    from flows.rollout_store import read_rollout

    played = list(read_rollout(tmp_path / "rollout"))
    assert all(t.score is not None and t.score.passed for t in played)


def test_twins_say_the_same_and_nothing_else_of_a_task_is_changed(finished: Path, rewritten: Path) -> None:
    said, twins = texts(rewritten), 0
    before = by_id(finished, "tasks", "task_id")
    for name, row in by_id(rewritten, "tasks", "task_id").items():
        task, extra = from_row("tasks", row)
        old, old_extra = from_row("tasks", before[name])
        kin = cast("dict[str, str] | None", task["kin"])
        if kin is not None and kin["kind"] == "twin":
            twins += 1
            assert said[name] == said[kin["of"]]
        assert {**task, "instruction": ""} == {**old, "instruction": ""}
        verdicts: Any = extra["certificate"]
        assert all(verdict["passed"] for verdict in verdicts["verdicts"])
        assert len(verdicts["verdicts"]) == len(cast("Any", old_extra["certificate"])["verdicts"])
    assert twins > 0


def test_it_does_not_grow(rewritten: Path, capsys: Capture) -> None:
    for given in (["--users", "3", "--tasks-per-user", "13"], ["--config", str(rewritten / "config.yaml")]):
        assert main(["generate", *given, "--out", str(rewritten)]) == 2
        err = capsys.readouterr().err
        assert "A rewritten run does not grow" in err
        assert len(err.splitlines()) <= 2
    assert manifest_of(rewritten).complete


def fault_of(finished: Path, root: Path, url: str) -> dict[str, int]:
    """Rewrite with a writer of whom nothing is used, and return why not."""
    rewrite(finished, root, models(url), "requests")
    assert texts(root) == texts(finished)
    counts = load_funnel(root).of("rewrite")
    assert (counts.made, counts.kept) == (26, 0)
    return counts.reasons


def day_later(request: str, _facts: list[str]) -> str:
    return good(request, []) + " It is for 2031-03-14."


def _without(text: str, facts: list[str]) -> str:
    for fact in facts:
        text = text.replace(fact, "something")
    return text


BROKEN: dict[str, tuple[Callable[[str, list[str]], str], str]] = {
    "adds a number": (lambda r, _: good(r, []) + " I have 47 of those.", "47, which is no count"),
    "adds a date": (day_later, "2031-03-14"),
    "adds an amount": (lambda r, _: good(r, []) + " It was $913.27 then.", "which is no money"),
    "changes nothing": (lambda r, _: r, "it reads as a request does that is there already"),
    "says always the same": (lambda r, _: "Please do what I want.", "hardly speaks of what"),
    "drops every fact": (lambda r, f: _without(good(r, []), f), "is not in what is said|lacks|hardly"),
    "speaks of the user": (lambda r, _: f"The user writes: {r}", "no person writes"),
    "refuses": (lambda r, _: good(r, []) + " But I do not want that.", "holds a denial|says"),
    "makes it a condition": (lambda r, _: good(r, []) + " That is, if it rains.", "holds a condition|says"),
    "runs on": (lambda r, _: good(r, []) + " Please." * 200, "much longer"),
}


def test_what_says_something_else_is_not_used_and_the_writer_is_told_why(
    finished: Path, tmp_path: Path, serve: Serve
) -> None:
    names = list(BROKEN)
    requests = sorted(set(texts(finished).values()))

    def broken(request: str, facts: list[str]) -> str:
        name = names[requests.index(request) % len(names)]
        return good(request, []) if name == "drops every fact" and not facts else BROKEN[name][0](request, facts)

    behave, seen = writing(broken)
    rewrite(finished, tmp_path / "r", models(serve(behave).url), "requests")
    after, before = texts(tmp_path / "r"), texts(finished)
    used = {before[name] for name in before if after[name] != before[name]}
    told = {text_of(asked): str(asked["messages"][-1]["content"]) for asked in seen if len(asked["messages"]) > 2}
    for request in set(requests) - used:
        assert "This cannot be used: " in told[request]
    found = {names[requests.index(r) % len(names)] for r, why in told.items() if re.search(_reason(r, requests), why)}
    assert found == set(names)
    # What a text already denies or makes a condition of, it may deny once more.
    assert {names[requests.index(request) % len(names)] for request in used} <= {
        "drops every fact",
        "refuses",
        "makes it a condition",
    }
    assert len(seen) == len(requests) + len(told)
    assert set(load_funnel(tmp_path / "r").of("rewrite").reasons) >= {"rewrite.sense", "task.references"}


def _reason(request: str, requests: list[str]) -> str:
    return list(BROKEN.values())[requests.index(request) % len(BROKEN)][1]


def test_an_id_is_a_leak(finished: Path, tmp_path: Path, serve: Serve) -> None:
    (row, *_) = by_id(finished, "worlds", "world_id").values()
    world, _ = from_row("worlds", row)
    product = next(iter(cast("Any", world["tables"])["products"]))["id"]
    behave, _ = writing(lambda r, _: f"{good(r, [])} I saw {product}.")
    reasons = fault_of(finished, tmp_path / "r", serve(behave).url)
    assert set(reasons) <= {"task.leaks", "task.references"}
    assert reasons.get("task.leaks", 0) > 0


def test_junk_is_no_text(finished: Path, tmp_path: Path, serve: Serve) -> None:
    server = serve(lambda _: {"content": "I would rather not."})
    assert fault_of(finished, tmp_path / "r", server.url) == {"rewrite.reply": 26}


def test_what_is_wrong_is_mended_once(finished: Path, tmp_path: Path, serve: Serve) -> None:
    def behave(asked: Asked) -> dict[str, Any]:
        wrong = len(asked["messages"]) == 2
        text = good(text_of(asked), []) + (" I have 47 of those." if wrong else "")
        return {"content": json.dumps({"instruction": text})}

    server = serve(behave)
    rewrite(finished, tmp_path / "r", models(server.url), "requests")
    assert load_funnel(tmp_path / "r").of("rewrite").kept == 26
    assert texts(tmp_path / "r") == {name: good(text, []) for name, text in texts(finished).items()}


def test_a_budget_holds_over_both_kinds_and_all_calls_and_more_of_it_goes_on_to_the_same_bytes(
    finished: Path, rewritten: Path, tmp_path: Path, serve: Serve, capsys: Capture
) -> None:
    behave, seen = writing()
    server, root = serve(behave), tmp_path / "r"
    with pytest.raises(BudgetError, match="Run the same command again with a higher --max-cost"):
        rewrite(finished, root, models(server.url, max_cost="0.009", concurrency=1))
    assert {field_of(asked) for asked in seen} == {"narrative", "instruction"}
    assert not manifest_of(root).complete
    asked, used = server.log.requests, load_state(root)
    assert used is not None
    assert used.usage["writer"].attempts == asked
    with pytest.raises(BudgetError, match=f"--max-cost is 0.009, {used.usage['writer'].usage.cost} is used"):
        rewrite(finished, root, models(server.url, max_cost="0.009", concurrency=1))
    assert server.log.requests == asked
    capsys.readouterr()
    assert verify(root) == 1
    assert f"`pausegen rewrite {finished} --out {root}`, with the same writer, resumes it" in capsys.readouterr().out
    rewrite(finished, root, models(server.url, max_cost="9"))
    assert set(server.log.sent.values()) == {1}
    for path in ("tasks", "users", "worlds", "rejects", "environments"):
        for file in (rewritten / path).iterdir():
            assert (root / path / file.name).read_bytes() == file.read_bytes()
    asked = server.log.requests
    rewrite(finished, root, models(server.url))
    assert server.log.requests == asked


def test_what_was_used_is_not_guessed_from_a_damaged_file(finished: Path, tmp_path: Path, serve: Serve) -> None:
    url = serve(writing()[0]).url
    with pytest.raises(BudgetError):
        rewrite(finished, tmp_path / "r", models(url, max_cost="0.001"))
    (tmp_path / "r" / "rewriting.json").write_text("{}")
    with pytest.raises(StoreError, match=r"rewriting.json is damaged .* remove it, and budgets count from nothing"):
        rewrite(finished, tmp_path / "r", models(url, max_cost="0.001"))


def test_what_cannot_be_rewritten_is_one_message(
    finished: Path, rewritten: Path, tmp_path: Path, capsys: Capture
) -> None:
    with pytest.raises(UnreachableError, match=r"127\.0\.0\.1:9"):
        rewrite(finished, tmp_path / "dead", models("http://127.0.0.1:9/v1"))
    with pytest.raises(ConfigError, match="rewriting is"):
        other = ModelChoice(model="openai/other", api_base="http://127.0.0.1:9/v1")
        rewrite(finished, rewritten, Models(writer=other))
    assert main(["rewrite", str(finished), "--out", str(tmp_path / "none")]) == 2
    assert "no writer is named" in capsys.readouterr().err
    assert main(["rewrite", str(tmp_path), "--writer", "openai/x", "--out", str(tmp_path / "o")]) == 2
    assert "is no run: it has no manifest.json" in capsys.readouterr().err


def test_the_command_says_what_became_of_the_texts(
    finished: Path, tmp_path: Path, serve: Serve, capsys: Capture
) -> None:
    url, root = serve(writing()[0]).url, tmp_path / "r"
    named = ["--writer", "openai/tiny", "--api-base", url, "--out", str(root)]
    assert main(["rewrite", str(finished), *named, "--texts", "narratives"]) == 0
    assert re.search(r"narratives +2 +2 +0", capsys.readouterr().out)
    assert texts(root) == texts(finished)
    assert main(["rewrite", str(finished), *named, "--texts", "requests"]) == 2
    assert "'texts': 'narratives'" in capsys.readouterr().err
