"""One task as a person reads it: what was asked, why each step, what must hold, what was proven."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from language import write
from publishing.errors import ReleaseError
from publishing.parquet import read_rows
from publishing.run import open_run, parsed, shards
from schemas import contract as k
from schemas import provenance as o
from schemas.base import canonical_text
from schemas.certificate import Certificate
from schemas.plan import Ask, Call, Confirm
from schemas.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from language import Kind
    from publishing.parquet import RawRow
    from schemas.base import Json
    from schemas.plan import Plan, Step


def find_task(folder: Path, task_id: str) -> tuple[Task, Certificate]:
    """Return a kept task of a run with its certificate. Raise ReleaseError when there is none of this id."""
    known = 0
    for row in _rows(folder):
        known += 1
        if row["task_id"] == task_id:
            return task_of_row(row)
    msg = f"{folder} keeps no task {task_id!r} among its {known}; `pausegen explain {folder}` shows some"
    raise ReleaseError(msg)


def gallery(folder: Path, count: int) -> str:
    """Return up to `count` tasks of a run as one Markdown page, each of another template, as they first occur."""
    chosen: dict[str, tuple[Task, Certificate]] = {}
    for row in _rows(folder):
        if len(chosen) < count and str(row["template"]) not in chosen:
            chosen[str(row["template"])] = task_of_row(row)
    return "\n".join(["# Gallery", "", *(explain(task, certificate) for task, certificate in chosen.values())])


def _rows(folder: Path) -> Iterator[RawRow]:
    for file in shards(open_run(folder), "tasks"):
        yield from read_rows(file)


def task_of_row(row: RawRow) -> tuple[Task, Certificate]:
    """Return the task and certificate of a row of a run."""
    fields = {name: row[name] if name in row else parsed(row, name) for name in Task.model_fields}
    return Task.model_validate(fields), Certificate.model_validate(parsed(row, "certificate"))


def explain(task: Task, certificate: Certificate) -> str:
    """Return the task as Markdown."""
    return "\n".join(
        [
            f"## {task.task_id}: {task.template}",
            "",
            f"{task.family}, {task.level}" + (f" ({', '.join(task.features)})" if task.features else ""),
            "",
            f"> {task.instruction}",
            "",
            *_told(task),
            "### What a perfect assistant does, and why",
            "",
            *(f"{number}. {line}" for number, line in enumerate(_steps(task.plan), 1)),
            "",
            "### What must hold at the end",
            "",
            *_expected(task.expectation),
            "",
            "### What was proven",
            "",
            *_proven(certificate),
            "",
        ]
    )


def _told(task: Task) -> Iterator[str]:
    for use in task.intents:
        facts = [f"{slot.name} = {_shown(slot.kind, slot.value)}" for slot in use.slots]
        yield f"- {use.prefix}{use.intent}/{use.form}: " + (", ".join(facts) or "nothing further")
    consents = [f"{'grants' if c.granted else 'refuses'} {c.gate}" for c in task.script.consents]
    if consents:
        yield f"- when asked, the user {', '.join(consents)}"
    if task.setup:
        yield f"- the start differs from the user's environment in {len(task.setup)} records"
    yield ""


def _shown(kind: str, value: Json) -> str:
    return write(cast("Kind", kind), value)


# --- steps ---------------------------------------------------------------------------------------------------------


def _steps(plan: Plan) -> Iterator[str]:
    for step in plan.steps:
        yield _step(step, plan)


def _step(step: Step, plan: Plan) -> str:
    match step:
        case Call():
            who = "The user calls" if step.side == "user" else "Call"
            given = ", ".join(f"{name}={canonical_text(value)}" for name, value in step.arguments.items())
            why = "; ".join(f"{name} {origin(plan, node)}" for name, node in step.origins.items())
            gate = f" (for {step.gate})" if step.gate else ""
            return f"{who} `{step.tool}({given})`{gate}" + (f": {why}" if why else "")
        case Confirm():
            return f"The user confirms `{step.tool}` with exactly these arguments"
        case Ask():
            return f"Ask the user about {step.gate}; the user {'agrees' if step.granted else 'refuses'}"
        case _:
            told = "; ".join(
                f"{n} = {canonical_text(v)}, {origin(plan, step.origins[n])}" for n, v in step.answers.items()
            )
            return f"Tell {told}"


def origin(plan: Plan, index: int) -> str:
    """Return where a value comes from, in words."""
    node = plan.nodes[index]
    match node:
        case o.Instruction():
            return f"as the user said ({node.slot})"
        case o.UserReply():
            return "as the user answered"
        case o.Result():
            return f"from the result of step {node.step + 1}"
        case o.Clock():
            return "from the clock"
        case o.Policy():
            return f"fixed ({node.name})"
        case o.Element():
            return _element(plan, node)
        case o.Derived():
            return f"computed from what {_steps_of(plan, index)}"
        case o.Summed():
            return f"the {node.fn} over what {_steps_of(plan, index)}"
        case _:
            return f"from what {_steps_of(plan, index)}"


def _element(plan: Plan, node: o.Element) -> str:
    source = plan.nodes[node.of]
    if isinstance(source, o.Filtered):
        chosen = "the best" if source.order and node.path[:1] == [0] else "one"
        return f"{chosen} of those that fit, from what {_steps_of(plan, node.of)}"
    return f"from what {_steps_of(plan, node.of)}"


def _steps_of(plan: Plan, index: int) -> str:
    steps = sorted({n.step + 1 for n in map(plan.nodes.__getitem__, _closure(plan, index)) if isinstance(n, o.Result)})
    if not steps:
        return "the request says"
    if len(steps) == 1:
        return f"step {steps[0]} shows"
    whole = len(steps) == steps[-1] - steps[0] + 1
    return f"steps {steps[0]}-{steps[-1]} show" if whole else f"steps {', '.join(map(str, steps))} show"


def _closure(plan: Plan, index: int) -> set[int]:
    seen: set[int] = set()
    waiting = [index]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        data = plan.nodes[node].model_dump(include={"over", "of", "inputs", "args"})
        waiting += [value for key in ("over", "of") if (value := data.get(key)) is not None]
        waiting += [*data.get("inputs", []), *data.get("args", {}).values()]
    return seen


# --- what must hold ------------------------------------------------------------------------------------------------


def _expected(expectation: k.Expectation) -> Iterator[str]:
    several = len(expectation.any_of) > 1
    for number, contract in enumerate(expectation.any_of, 1):
        head = f"- end {number} of {len(expectation.any_of)}: " if several else "- "
        lines = [_change(change) for change in contract.changes]
        lines += [f"the sum of new {t.table}.{t.column} {t.where or ''} is {t.value}" for t in contract.totals]
        yield head + ("; ".join(lines) or "nothing has changed")
        if contract.allowed:
            yield "- may be left: " + "; ".join(f"up to {a.at_most} new {a.change.table}" for a in contract.allowed)
    yield from (f"- told: {answer.name} = {canonical_text(answer.value)}" for answer in expectation.answers)
    yield from (f"- asked: the consent for {ask.gate}" for ask in expectation.asks)
    yield "- and nothing else has changed"


def _change(change: k.Change) -> str:
    fields = ", ".join(f"{name} {_rule(rule)}" for name, rule in change.fields.items() if rule.rule != "any")
    what = {"create": "a new record in", "update": "in", "delete": "gone from"}[change.op]
    return f"{what} {change.table}{f' {change.id}' if change.id else ''}" + (f": {fields}" if fields else "")


def _rule(rule: k.Rule) -> str:
    match rule:
        case k.Equal():
            return f"= {canonical_text(rule.value)}"
        case k.OneOf():
            return f"in {canonical_text(rule.values)}"
        case k.Range():
            return f"from {rule.low} to {rule.high}"
        case k.Ref():
            return f"= the {rule.var}"
        case k.Text():
            return f"states {canonical_text(rule.slots)}"
        case _:
            return "any"


def _proven(certificate: Certificate) -> Iterator[str]:
    yield f"{certificate.tool_calls} tool calls were executed."
    yield ""
    for verdict in certificate.verdicts:
        counts = ", ".join(f"{name} {count}" for name, count in _summary(verdict.counts).items())
        yield f"- {verdict.check.removeprefix('task.')}: {'passed' if verdict.passed else 'FAILED'}" + (
            f" ({counts})" if counts else ""
        )


def _summary(counts: dict[str, int]) -> dict[str, int]:
    """Return counts with those of single operators added up by their last word."""
    found: dict[str, int] = {}
    for name, count in counts.items():
        found[name.rpartition("/")[2]] = found.get(name.rpartition("/")[2], 0) + count
    return found
