"""The figures of a run as text for people."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schemas.base import Json

Figures = dict[str, "Json"]
_LISTED = 10
_WIDTH = 120
"""Columns that lists of operators are wrapped to."""
_GLUE = "\u00a0"
"""A space at which no line is broken."""


def render_text(figures: Mapping[str, Json]) -> str:
    """Return all figures of `inspect_run` as aligned tables."""
    if not number(figures, "tasks", "kept"):
        users = table([["users", _cell(figures["users"])], ["tasks", "none"]])
        return f"Funnel\n{funnel_table(figures)}\n\nHeld\n{users}"
    sections = (
        ("Funnel", funnel_table(figures)),
        ("Tasks", _tasks(figures)),
        ("Mix", _mix(figures)),
        ("Wording, one request of each scenario, values masked", _wording(figures)),
        ("Trivial agents", _agents(figures)),
        ("Mutants", _mutants(figures)),
        ("Other checks", _checks(figures)),
        ("Diversity", _diversity(figures)),
    )
    return "\n\n".join(f"{title}\n{body}" for title, body in sections)


def table(rows: Sequence[Sequence[object]], indent: str = "  ") -> str:
    """Return rows as aligned columns: text to the left, numbers to the right; the first row is the head."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
    right = [all(isinstance(row[at], (int, float)) for row in rows[1:]) for at in range(len(cells[0]))]
    lines = [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        )
        for row in cells
    ]
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def part(figures: Mapping[str, Json], *path: str) -> Mapping[str, Json]:
    """Return the object at `path` of the figures."""
    found = figures
    for name in path:
        found = cast("Mapping[str, Json]", found[name])
    return found


def number(figures: Mapping[str, Json], *path: str) -> int:
    """Return the number at `path` of the figures."""
    return cast("int", part(figures, *path[:-1])[path[-1]])


def of(done: int, total: int) -> str:
    """Return `done of total (share)`."""
    return f"{done:,} of {total:,}" + (f" ({100 * done / total:.1f} %)" if total else "")


def funnel_table(figures: Mapping[str, Json]) -> str:
    """Return the funnel: records made, kept and rejected per stage, and why."""
    stages = cast("Sequence[Mapping[str, Json]]", figures["funnel"])
    rows = [[stage["stage"], stage["made"], stage["kept"], stage["rejected"], _reasons(stage)] for stage in stages]
    return table([["stage", "made", "kept", "rejected", "reasons"], *rows])


def _reasons(stage: Mapping[str, Json]) -> str:
    reasons = cast("Mapping[str, int]", stage.get("reasons") or {})
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    more = f" and {len(ranked) - 3} more" if len(ranked) > 3 else ""
    return ", ".join(f"{name} {count}" for name, count in ranked[:3]) + more


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _pairs(values: Mapping[str, Json], limit: int = _LISTED) -> str:
    shown = list(values.items())[:limit]
    more = f", and {len(values) - limit} more" if len(values) > limit else ""
    return ", ".join(f"{name} {_cell(value)}" for name, value in shown) + more if shown else "none"


def _tasks(figures: Mapping[str, Json]) -> str:
    tasks = part(figures, "tasks")
    head: list[list[object]] = [
        ["users", _cell(figures["users"])],
        ["kept", _cell(tasks["kept"])],
        ["with a decline", _cell(tasks["decline"])],
        ["of several intents", _cell(tasks["multi_intent"])],
    ]
    for title, name in (
        ("family", "by_family"),
        ("level", "by_level"),
        ("intent", "by_intent"),
        ("intent and form", "by_form"),
        ("decline reason", "decline_reasons"),
        ("gate met", "gates"),
        ("answer kind", "by_answer_kind"),
    ):
        head.append([title, _pairs(part(tasks, name), 40)])
    return table(head)


def _mix(figures: Mapping[str, Json]) -> str:
    mix, total = part(figures, "mix"), number(figures, "tasks", "kept")
    rows = [
        aimed("with a twin", number(mix, "with_twin"), total, least=30),
        aimed("variations", number(mix, "variations"), total),
        aimed("with a fact told on request", number(mix, "told_on_request"), total),
        aimed("with a change of mind", number(mix, "change_of_mind"), total),
        aimed("with a decline", number(mix, "decline"), total, least=12),
        *(aimed(f"meeting {gate} closed", number(mix, "gates", gate), total, least=5) for gate in part(mix, "gates")),
    ]
    return table([["tasks", "", "aim", ""], *rows])


def _wording(figures: Mapping[str, Json]) -> str:
    wording = part(figures, "wording")
    total = number(wording, "scenarios")
    rows = [
        aimed("different wordings", number(wording, "skeletons"), total, least=60),
        aimed("the commonest wording", number(wording, "largest"), total, most=1),
        aimed(f'opening "{wording["opening"]}"', number(wording, "opening_count"), total, most=3),
        aimed(
            "near-duplicate pairs, of those of one template", number(wording, "near_pairs"), number(wording, "pairs")
        ),
        ["self-BLEU-4", _cell(wording["self_bleu_4"]), "", ""],
        ["distinct-3", _cell(wording["distinct_3"]), "", ""],
    ]
    return table([["figure", "", "aim", ""], *rows])


def aimed(title: str, done: int, total: int, least: int = 0, most: int = 100) -> list[object]:
    """Return a row with a share, the percentage that it should have at least or at most, and whether it has."""
    aim = f"at least {least} %" if least else f"at most {most} %" if most < 100 else ""
    reached = "reached" if least * total <= 100 * done <= most * total else "missed"
    return [title, of(done, total), aim, reached if aim and total else ""]


def _agents(figures: Mapping[str, Json]) -> str:
    agents = part(figures, "agents")
    rows = [[name.replace("_", "-"), number(agents, name, "passed"), number(agents, name, "of")] for name in agents]
    return table([["agent", "passed", "of"], *rows])


def _mutants(figures: Mapping[str, Json]) -> str:
    """Return what came of each group of mutants, and how many each operator made."""
    counted = ("total", "rejected", "equivalent")
    groups = {group: part(figures, "verifier", f"{group}_mutants") for group in ("goal", "allowance", "frame", "plan")}
    rows = [[group, *(entry[name] for name in counted)] for group, entry in groups.items()]
    lines = [table([["group", "made", "rejected", "equivalent"], *rows])]
    lines += [_operators(group, part(entry, "by_operator")) for group, entry in groups.items() if entry["by_operator"]]
    return "\n".join(lines)


def _operators(group: str, by: Mapping[str, Json]) -> str:
    """Return how many mutants the operators of a group made, and how many of them are equivalent, in lines."""
    made: list[str] = []
    for operator, counts in by.items():
        values = cast("Mapping[str, int]", counts)
        same = f" ({_cell(values['equivalent'])} equivalent)" if values["equivalent"] else ""
        made.append(f"{operator} {_cell(values['total'])}{same}".replace(" ", _GLUE))
    return fill(", ".join(made), _WIDTH, initial_indent=f"  {group}: ", subsequent_indent="    ").replace(_GLUE, " ")


def _checks(figures: Mapping[str, Json]) -> str:
    plans = part(figures, "verifier", "equivalent_plans")
    drops = part(figures, "verifier", "drop_one")
    controls = part(figures, "verifier", "permission_controls")
    rows: list[list[object]] = [
        ["equivalent plans accepted", of(number(plans, "accepted"), number(plans, "total"))],
        ["writes needed", of(number(drops, "writes", "needed"), number(drops, "writes", "total"))],
        ["reads needed", of(number(drops, "reads", "needed"), number(drops, "reads", "total"))],
        ["blocked without the grant", of(number(controls, "blocked"), number(controls, "total"))],
        [
            "another task's gold passed",
            of(number(figures, "other_gold", "passed"), number(figures, "other_gold", "of")),
        ],
        *(
            [
                f"tasks on which {name.removeprefix('task.')} tried something",
                of(number(entry, "with_trials"), number(entry, "tasks")),
            ]
            for name, entry in ((name, part(figures, "tried", name)) for name in part(figures, "tried"))
        ),
        [
            "second engine agreed",
            of(number(figures, "second_engine", "agreed"), number(figures, "second_engine", "compared")),
        ],
        [
            "arguments with provenance",
            of(number(figures, "provenance", "traced"), number(figures, "provenance", "arguments")),
        ],
        ["slots that matter", of(number(figures, "slots", "changed"), number(figures, "slots", "slots"))],
        ["constraints that bind", of(number(figures, "slots", "binding"), number(figures, "slots", "constraints"))],
        [
            "naive readings told apart",
            of(number(figures, "rewrites", "different"), number(figures, "rewrites", "rewrites")),
        ],
        ["leaks", _cell(figures["leaks"])],
        ["tool calls per gold step", _cell(part(figures, "tool_calls")["per_gold_step"])],
    ]
    return table(rows)


def _diversity(figures: Mapping[str, Json]) -> str:
    diversity = part(figures, "diversity")
    rows: list[list[object]] = []
    for name, value in diversity.items():
        text = _pairs(cast("Mapping[str, Json]", value), 40) if isinstance(value, dict) else _cell(value)
        rows.append([name.replace("_", " "), text])
    return table(rows)
