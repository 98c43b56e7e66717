"""One task as a person reads it: what was asked, why each step, what must hold, what was proven."""

from __future__ import annotations

from typing import TYPE_CHECKING

from publishing.telling import shown, told
from schemas import contract as k
from schemas import provenance as o
from schemas.base import canonical_text
from schemas.plan import Ask, Call, Confirm, Question
from services.runtime.catalogue import installed_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.certificate import Certificate
    from schemas.plan import Plan, Step, Tell
    from schemas.task import Task


def explain(task: Task, certificate: Certificate, kin: str = "") -> str:
    """Return the task as Markdown; `kin` says what it has to do with the task that it came from."""
    return "\n".join(
        [
            f"## {task.task_id}: {task.template}",
            "",
            f"{task.family}, {task.level}" + (f" ({', '.join(task.features)})" if task.features else ""),
            "",
            *([kin, ""] if kin else []),
            *(f"> {line}".rstrip() for line in task.instruction.splitlines()),
            "",
            *told(task),
            "",
            "### What a perfect assistant does, and why",
            "",
            *(f"{number}. {line}" for number, line in enumerate(_steps(task), 1)),
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


# --- steps ---------------------------------------------------------------------------------------------------------


def _steps(task: Task) -> Iterator[str]:
    change, asked = task.script.change, False
    kinds = {use.prefix + slot.name: slot.kind for use in task.intents for slot in use.slots}
    for step in task.plan.steps:
        turns = change is not None and not asked and isinstance(step, Ask) and step.gate == change.gate
        asked = asked or turns
        yield _step(step, task.plan, kinds) + (", and changes their mind" if turns else "")


def _step(step: Step, plan: Plan, kinds: Mapping[str, str]) -> str:
    match step:
        case Call():
            return _call(step, plan)
        case Confirm():
            return f"The user confirms `{step.tool}` with exactly these arguments"
        case Ask():
            values = ", ".join(f"{name} {canonical_text(value)}" for name, value in step.values.items())
            about = f"{step.gate} ({values})" if values else step.gate
            return f"Ask the user about {about}; the user {'agrees' if step.granted else 'refuses'}"
        case Question():
            return f"Ask the user for {step.slot}; the user answers: {shown(kinds[step.slot], step.value)}"
        case _:
            return f"Tell {_answers(step, plan)}"


def _call(step: Call, plan: Plan) -> str:
    who = "The user calls" if step.side == "user" else "Call"
    given = ", ".join(f"{name}={canonical_text(value)}" for name, value in step.arguments.items())
    why = "; ".join(f"{name} {origin(plan, node)}" for name, node in step.origins.items())
    gate = f" (for {step.gate})" if step.gate else ""
    undone = _undone(step, plan)
    back = "" if undone is None else f", which takes back step {undone + 1}"
    return f"{who} `{step.tool}({given})`{gate}{back}" + (f": {why}" if why else "")


def _undone(step: Call, plan: Plan) -> int | None:
    """Return the step that a call takes back; None when it takes back none."""
    tools = installed_catalogue().tools
    for argument, node in step.origins.items():
        place = plan.nodes[node]
        made = plan.steps[place.step] if isinstance(place, o.Result) else None
        undo = tools[made.tool].undo if isinstance(made, Call) and made.tool in tools else None
        if undo is not None and isinstance(place, o.Result) and (undo.tool, undo.argument) == (step.tool, argument):
            return place.step
    return None


def _answers(step: Tell, plan: Plan) -> str:
    return "; ".join(f"{n} = {canonical_text(v)}, {origin(plan, step.origins[n])}" for n, v in step.answers.items())


def origin(plan: Plan, index: int) -> str:
    """Return where a value comes from, in words."""
    node = plan.nodes[index]
    match node:
        case o.Instruction():
            return f"as the user said ({node.slot})"
        case o.UserReply():
            return f"as the user answered in step {node.step + 1}" + (f" ({node.slot})" if node.slot else "")
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
        said = any(isinstance(plan.nodes[node], o.UserReply) for node in _closure(plan, index))
        return "the user says" if said else "the request says"
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
