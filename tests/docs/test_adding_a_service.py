"""The worked example of `docs/adding-a-service.md`, added through its entry points alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "library-loan"
SCRIPT = """
import asyncio
import json
from collections import Counter
from flows.rollout_scoring import scored
from generators.agents.registry import Seat, scripted
from generators.dialogue.runner import converse
from generators.environments import build_environment
from generators.profiles import make_profile
from generators.tasks import Share, make_round
from generators.users.scripted import ScriptedUser
from generators.worlds import make_world
from services.runtime.catalogue import installed_catalogue
from services.runtime.streams import Stream
from validators.environments import check_environment, environment_context
from validators.scoring.wish import WishOf
from validators.tasks import TaskContext, UserContext, check_tasks

ASSISTANTS = ("oracle", "scripted:skip-consent", "scripted:early-stop")


def play(user, task, name):
    context = TaskContext(user, task)
    env = context.open()
    assistant = scripted(name)(Seat(task, env.now, env.catalogue, Stream(0).child(task.task_id)))
    wish = WishOf(context, env)
    player = ScriptedUser(task, env.now, env.catalogue, wish)
    return scored(context, asyncio.run(converse(env, task, assistant, player, wish=wish)))


def said(found):
    score, declared = found.trajectory.score, found.trajectory.declared
    return {"task": found.trajectory.task_id, "passed": score.passed, "reason": score.reason, "faults": found.faults,
            "wrong": declared is not None and declared.matters, "needless": score.needless, "told": score.told,
            "answered": [e.answered for e in found.trajectory.events if e.event == "said" and e.answered],
            "elicited": score.elicited}


world = make_world(3)
kept, ways, failed, environments = Counter(), Counter(), [], []
played = {name: [] for name in ASSISTANTS}
for index in range(8):
    profile = make_profile(3, index)
    environment = build_environment(3, profile, world)
    context = environment_context(world).rebuilding(lambda: build_environment(3, profile, world))
    environments += [v.reason for v in check_environment(environment, context) if not v.passed]
    user = UserContext(environment, world)
    share = Share(twins=3, variations=1, multi_intent_percent=40)
    made = [t for r in range(6) for t in make_round(3, profile, environment, world, r, 0, share).candidates]
    tasks = [t for t in made if any(use.intent == "renew-loan" for use in t.intents)]
    for task, certificate in zip(tasks, check_tasks(tasks, environment, world)):
        # Of a twin that the flip of another service made, the example has nothing to say.
        if task.kin is None or len(task.intents) == 1:
            failed += [(v.check, v.reason) for v in certificate.verdicts if not v.passed]
        if all(v.passed for v in certificate.verdicts):
            kept.update(f"{use.intent}/{use.form}" for use in task.intents if use.intent == "renew-loan")
            ways.update([task.kin.kind if task.kin else "first", *task.features])
            for name in ASSISTANTS:
                played[name].append(said(play(user, task, name)))
print(json.dumps({"kept": kept, "failed": failed, "environments": environments, "ways": ways,
                  "played": played, "tools": sorted(installed_catalogue().tools)}))
"""


def entry_points() -> dict[str, dict[str, str]]:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    return project["entry-points"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that makes the example an installed distribution, as `pip install -e` does."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "library_loan-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: library-loan\nVersion: 0.1.0\n", "utf-8")
    groups = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in e.items()) for group, e in entry_points().items()]
    (info / "entry_points.txt").write_text("\n".join(groups), "utf-8")
    return folder


@pytest.fixture(scope="module")
def made(installed: Path) -> dict[str, Any]:
    """What the script says of tasks and conversations with the example installed."""
    path = os.pathsep.join([str(installed), str(EXAMPLE), str(ROOT)])
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_example_gives_validated_tasks(made: dict[str, Any]) -> None:
    assert {"list_loans", "renew_loan", "share_library_card"} <= set(made["tools"])
    assert made["environments"] == []
    assert made["failed"] == []
    assert set(made["kept"]) == {"renew-loan/fulfil", "renew-loan/policy"}
    assert sum(made["kept"].values()) >= 4
    assert {"twin", "told_on_request", "change_of_mind", "limited_consent"} <= made["ways"].keys()


def test_the_oracle_and_the_scripted_user_pass_its_tasks(made: dict[str, Any]) -> None:
    played = made["played"]["oracle"]
    assert {one["task"]: one["reason"] for one in played if not one["passed"]} == {}
    assert [one for one in played if one["faults"] or one["needless"]] == []
    # A consent asked for, a fact asked for, a reason with its evidence: all of it in words of the example.
    assert {"LIBRARY": True} in [answer for one in played for answer in one["answered"]]
    assert {"title": "active"} in [one["elicited"] for one in played]
    assert {"reason": "right", "due_on": "right"} in [one["told"] for one in played]


def test_imperfect_assistants_fail_its_tasks_where_they_err(made: dict[str, Any]) -> None:
    for name in ("scripted:skip-consent", "scripted:early-stop"):
        played = made["played"][name]
        assert [one["wrong"] for one in played] == [not one["passed"] for one in played]
        assert any(one["wrong"] for one in played)


def test_the_page_names_the_entry_points_of_the_example() -> None:
    page = (ROOT / "docs" / "adding-a-service.md").read_text("utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, flags=re.S)
    assert tomllib.loads(block)["project"]["entry-points"] == entry_points()


def test_nothing_of_pausegen_names_the_example() -> None:
    packages = ("schemas", "language", "services", "generators", "validators", "publishing", "flows")
    named = [
        file
        for package in packages
        for file in (ROOT / package).rglob("*.py")
        if "library_loan" in file.read_text("utf-8")
    ]
    assert named == []
