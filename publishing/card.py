"""The dataset card: front matter that tells readers where the files are, and a page of real figures."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, cast

import yaml

from publishing.columns import description, type_text
from publishing.rows import CONFIGS, DEFAULT, WITHOUT_TASKS
from publishing.splits import SPLITS
from publishing.text import number, of, part
from schemas.trajectory import UNSCORED
from services.runtime.catalogue import installed_catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from publishing.example import Example
    from publishing.manifest import Manifest
    from publishing.rows import Config
    from schemas.base import Json

LICENSE = "cc-by-4.0"
_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))


@dataclass(frozen=True, slots=True)
class CardInput:
    """What a card is written from."""

    manifest: Manifest
    figures: Mapping[str, Json]
    example: Example | None
    """None where there are no tasks."""


def pretty_name(preset: str) -> str:
    """Return the name of the dataset of a preset."""
    return f"pausegen {preset}"


def write_card(given: CardInput) -> str:
    """Return the content of the release's `README.md`."""
    name = "card.md" if given.example else "environments.md"
    template = Template(files("publishing").joinpath("templates", name).read_text("utf-8"))
    return f"---\n{front_matter(given.manifest)}---\n\n{template.substitute(_values(given))}"


def front_matter(manifest: Manifest) -> str:
    """Return the YAML that readers of the dataset use: licence, tags, and the data files of every config and split."""
    default = default_of(manifest)
    rows = manifest.configs[default].rows
    configs = [
        {
            "config_name": config.name,
            **({"default": True} if config.name == default else {}),
            "data_files": [
                {"split": split, "path": f"data/{config.name}/{split}-*.parquet"}
                for split in manifest.configs[config.name].splits
            ],
        }
        for config in held(manifest)
    ]
    head: dict[str, object] = {
        "license": LICENSE,
        "language": ["en"],
        "pretty_name": pretty_name(manifest.run.preset),
        "task_categories": ["text-generation"],
        "size_categories": [next((name for limit, name in _SIZES if rows < limit), "n>1T")],
        "tags": ["synthetic", "agent", "tool-use", "function-calling"],
        "configs": configs,
    }
    return cast("Any", yaml).safe_dump(head, sort_keys=False, allow_unicode=True)


def default_of(manifest: Manifest) -> str:
    """Return the config that `load_dataset` gives when none is named: the tasks, or environments without any."""
    return DEFAULT if manifest.configs[DEFAULT].rows else WITHOUT_TASKS


def held(manifest: Manifest) -> list[Config]:
    """Return the configs that have rows."""
    return [config for config in CONFIGS if manifest.configs[config.name].rows]


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table; numbers get thousands separators."""
    lines = [list(head), ["---"] * len(head), *([_cell(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def _values(given: CardInput) -> dict[str, object]:
    manifest, figures = given.manifest, given.figures
    tasks, diversity = part(figures, "tasks"), part(figures, "diversity")
    steps = {int(length): cast("int", count) for length, count in part(diversity, "plan_steps").items()}
    return {
        "pretty_name": pretty_name(manifest.run.preset),
        "version": manifest.version,
        "folder": "path/to/this/folder",
        "split": next(iter(manifest.configs[default_of(manifest)].splits)),
        "users": _cell(figures["users"]),
        "tasks": _cell(tasks["kept"]),
        "declines": _cell(tasks["decline"]),
        "levels": _listed(part(tasks, "by_level")),
        "forms": _listed(part(tasks, "by_form")),
        "gates": _listed(part(tasks, "gates")),
        "plan_median": percentile(steps, 50),
        "plan_max": max(steps, default=0),
        "tools_called": diversity["tools_called"],
        "tools_of": diversity["tools_of"],
        "seed": manifest.run.seed,
        "preset": manifest.run.preset,
        "configs_table": _configs(manifest),
        "trajectories": _trajectories(manifest),
        "field_tables": "\n\n".join(_fields(config.name) for config in held(manifest)),
        "splits_table": _splits(manifest),
        **_example(given.example),
        "funnel_table": _funnel(figures),
        "checks_table": _checks(figures),
        "mutants_table": _mutants(figures),
        "diversity_table": _diversity(figures),
        "sampled": _cell(part(figures, "wording")["scenarios"]),
        "services": _services(),
        "generator": manifest.run.generator_version,
        "origin": _origin(manifest.run.inputs),
    }


def _trajectories(manifest: Manifest) -> str:
    """Return the section on recorded conversations, with a blank line after it; empty where there are none."""
    if not manifest.rollouts:
        return ""
    rows = [
        [
            f"`{one.rollout}`",
            one.assistant,
            one.user,
            one.attempts,
            one.trajectories,
            of(one.passed, one.trajectories - sum(one.ends.get(end, 0) for end in UNSCORED)),
            _listed(dict(sorted(one.ends.items()))),
        ]
        for one in manifest.rollouts
    ]
    head = ["rollout", "assistant", "user", "attempts", "conversations", "passed, of those scored", "ended"]
    text = files("publishing").joinpath("templates", "trajectories.md").read_text("utf-8")
    return Template(text).substitute(table=markdown(head, rows)) + "\n"


def _example(example: Example | None) -> dict[str, str]:
    if example is None:
        return {}
    return {
        "example_id": example.task_id,
        "example_instruction": example.instruction.replace("\n", "\n> "),
        "example_plan": example.plan,
    }


def _origin(inputs: Mapping[str, str]) -> str:
    """Return where users and products come from, in words."""
    if not inputs:
        return (
            "Every user, product, price and conversation is invented. No personal data went in; names come from "
            "invented tables."
        )
    told = {
        "catalogue": (
            "Products and list prices were taken over from a catalogue file with the SHA-256 `{}`, whose owner's terms "
            "hold for them; stocks, orders and vouchers are invented."
        ),
        "personas": (
            "Users were made around descriptions in a file with the SHA-256 `{}`; the field `stated` says what was "
            "taken from them. Whoever built this release has to know that no real person is described."
        ),
        "wearables": (
            "Signals of bodies and devices were taken from exports with the SHA-256 `{}`, moved by whole weeks; they "
            "are measurements of real wearers, whose terms hold for them."
        ),
    }
    return " ".join(told[name].format(digest) for name, digest in sorted(inputs.items()))


def _services() -> str:
    return "\n".join(f"- **{name}**: {s.summary}" for name, s in sorted(installed_catalogue().services.items()))


def percentile(counts: Mapping[int, int], percent: int) -> int:
    """Return the smallest value that `percent` of the counted ones or more do not exceed; 0 when none is counted."""
    left = -(-sum(counts.values()) * percent // 100)
    for value in sorted(counts):
        left -= counts[value]
        if left <= 0:
            return value
    return 0


def _listed(values: Mapping[str, Json]) -> str:
    return ", ".join(f"{name} {_cell(value)}" for name, value in values.items()) or "none"


def _configs(manifest: Manifest) -> str:
    rows = [
        [
            _config_name(config.name, default_of(manifest)),
            _about(config.name),
            config.audience,
            manifest.configs[config.name].rows,
        ]
        for config in held(manifest)
    ]
    return markdown(["config", "one row is", "for", "rows"], rows)


def _config_name(name: str, default: str) -> str:
    return f"`{name}` (default)" if name == default else f"`{name}`"


def _about(name: str) -> str:
    (row,) = (config.row for config in CONFIGS if config.name == name)
    text = " ".join((row.__doc__ or "").split())
    return (text[0].lower() + text[1:]).rstrip(".")


def _fields(name: str) -> str:
    (row,) = (config.row for config in CONFIGS if config.name == name)
    rows = [[f"`{c}`", type_text(row, c), description(row, c)] for c in row.model_fields]
    return f"### `{name}`\n\n{markdown(['column', 'type', 'meaning'], rows)}"


def _splits(manifest: Manifest) -> str:
    rows: list[list[object]] = []
    for split in SPLITS:
        counts = [manifest.configs[name].splits.get(split) for name in ("users", "tasks")]
        rows.append([f"`{split}`", *(0 if entry is None else entry.rows for entry in counts)])
    return markdown(["split", "users", "tasks"], rows)


def _funnel(figures: Mapping[str, Json]) -> str:
    stages = cast("Sequence[Mapping[str, Json]]", figures["funnel"])
    return markdown(
        ["stage", "made", "kept", "rejected", "by the first check that failed"],
        [
            [
                s["stage"],
                s["made"],
                s["kept"],
                s["rejected"],
                _listed(cast("Mapping[str, Json]", s.get("reasons") or {})),
            ]
            for s in stages
        ],
    )


def _checks(figures: Mapping[str, Json]) -> str:
    agents, verifier = part(figures, "agents"), part(figures, "verifier")
    rows = [
        [
            f"a trivial agent passes: {name.replace('_', '-')}",
            of(number(agents, name, "passed"), number(agents, name, "of")),
        ]
        for name in agents
    ]
    rows += [
        [f"{group} mutants rejected", _mutant_line(part(verifier, f"{group}_mutants"))]
        for group in ("goal", "allowance", "frame", "plan")
    ]
    for text, path, done, total in (
        ("equivalent plans accepted", ("verifier", "equivalent_plans"), "accepted", "total"),
        ("writes that cannot be left out", ("verifier", "drop_one", "writes"), "needed", "total"),
        ("reads that cannot be left out", ("verifier", "drop_one", "reads"), "needed", "total"),
        ("plans blocked without the permission", ("verifier", "permission_controls"), "blocked", "total"),
        ("another task's gold passes", ("other_gold",), "passed", "of"),
        ("goals on which a second engine agrees", ("second_engine",), "agreed", "compared"),
        ("arguments and answers traced to their source", ("provenance",), "traced", "arguments"),
        ("stated values that change the result", ("slots",), "changed", "slots"),
        ("naive readings that give another result", ("rewrites",), "different", "rewrites"),
    ):
        values = part(figures, *path)
        rows.append([text, of(number(values, done), number(values, total))])
    rows.append(["ids, hidden values or answers found in what the user says", _cell(figures["leaks"])])
    return markdown(["what", "result"], rows)


def _mutant_line(entry: Mapping[str, Json]) -> str:
    total, equivalent = number(entry, "total"), number(entry, "equivalent")
    return of(number(entry, "rejected"), total - equivalent) + (
        f", {equivalent:,} more are equivalent" if equivalent else ""
    )


def _mutants(figures: Mapping[str, Json]) -> str:
    rows: list[list[object]] = []
    for group in ("goal", "allowance", "frame", "plan"):
        for operator, counts in part(figures, "verifier", f"{group}_mutants", "by_operator").items():
            values = cast("Mapping[str, int]", counts)
            rows.append([group, f"`{operator}`", values["total"], values["rejected"], values["equivalent"]])
    return markdown(["group", "operator", "made", "rejected", "equivalent"], rows)


def _diversity(figures: Mapping[str, Json]) -> str:
    names = {
        ("diversity", "templates"): "compositions of intents and forms",
        ("diversity", "provenance_shapes"): "ways in which plans derive their values",
        ("diversity", "provenance_shapes_effective"): "the same, as the number of equally frequent ones",
        ("wording", "skeletons"): "wordings with their values masked",
        ("wording", "distinct_3"): "distinct-3",
        ("wording", "self_bleu_4"): "self-BLEU-4",
        ("diversity", "tool_bigrams"): "pairs of consecutive calls in gold plans",
    }
    return markdown(["figure", "value"], [[text, part(figures, group)[name]] for (group, name), text in names.items()])
