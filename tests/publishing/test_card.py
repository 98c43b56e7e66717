"""The dataset card: front matter that fits the files, real figures, and code that runs as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from publishing.card import CardInput, markdown, percentile, write_card
from publishing.columns import description
from publishing.example import Example
from publishing.inspect import inspect_run
from publishing.manifest import read_manifest
from publishing.rows import CONFIGS
from tests.publishing.test_load_dataset import OFFLINE


@pytest.fixture(scope="module")
def card(release: Path) -> str:
    return (release / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def head(card: str) -> dict[str, Any]:
    return yaml.safe_load(card.split("---\n")[1])


def test_the_front_matter_says_what_the_hub_wants(head: dict[str, Any]) -> None:
    assert head["license"] == "cc-by-4.0"
    assert head["size_categories"] == ["n<1K"]
    assert {"synthetic", "agent", "tool-use", "function-calling"} <= set(head["tags"])
    names = [config["config_name"] for config in head["configs"]]
    assert names == [config.name for config in CONFIGS]
    assert [config["config_name"] for config in head["configs"] if config.get("default")] == ["tasks"]


def test_every_glob_matches_and_every_data_file_is_matched_once(head: dict[str, Any], release: Path) -> None:
    globs = [entry["path"] for config in head["configs"] for entry in config["data_files"]]
    matched = [path for glob in globs for path in release.glob(glob)]
    assert all(list(release.glob(glob)) for glob in globs)
    assert sorted(matched) == sorted((release / "data").rglob("*.parquet"))


def test_the_figures_are_those_of_the_run(card: str, run: Path) -> None:
    figures: Any = inspect_run(run)
    tasks, verifier = figures["tasks"], figures["verifier"]
    assert f"| tasks | {tasks['kept']}, of which {tasks['decline']} must be declined |" in card
    rejected = verifier["goal_mutants"]["rejected"]
    assert f"| goal mutants rejected | {rejected} of {rejected} (100.0 %) |" in card
    assert "| frame mutants rejected | 72 of 72 (100.0 %), 24 more are equivalent |" in card
    assert f"| self-BLEU-4 | {figures['wording']['self_bleu_4']} |" in card
    assert "| tasks | 27 | 24 | 3 | task.leaks 2, task.optimum 1 |" in card


def test_every_column_is_described(card: str) -> None:
    for config in CONFIGS:
        _, _, section = card.partition(f"### `{config.name}`\n")
        rows = section.partition("\n#")[0]
        for name in config.row.model_fields:
            assert re.search(rf"^\| `{name}` \| [^|]+ \| .*{re.escape(description(config.row, name)[:20])}", rows, re.M)


def test_nothing_is_left_of_the_template(card: str) -> None:
    assert not re.search(r"\$\w", card)


def test_the_code_of_the_card_runs(card: str, release: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", card, re.S)
    assert len(blocks) == 2
    program = "\n".join(blocks).replace("path/to/this/folder", str(release))
    env = {**os.environ, **OFFLINE, "HF_HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])}
    run = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert "'permissions'" in run.stdout
    assert "'browse_items'" in run.stdout


def test_a_percentile_is_a_value_that_occurs() -> None:
    assert percentile({1: 50, 9: 50}, 50) == 1
    assert percentile({1: 49, 9: 51}, 50) == 9
    assert percentile({2: 1}, 99) == 2
    assert percentile({}, 50) == 0


def test_table_cells_cannot_break_the_table() -> None:
    assert markdown(["a", "b"], [["x|y\nz", 12345]]) == "| a | b |\n| --- | --- |\n| x\\|y z | 12,345 |"


def test_the_card_says_what_was_not_invented(card: str, release: Path, run: Path) -> None:
    assert "Every user, product, price and conversation is invented." in card
    manifest = read_manifest(release)
    inputs = {"catalogue": "c" * 64, "personas": "d" * 64}
    given = manifest.model_copy(update={"run": manifest.run.model_copy(update={"inputs": inputs})})
    told = write_card(CardInput(given, inspect_run(run), Example("u000000-t00000", "Hello.", "")))
    assert "is invented" not in told
    assert f"catalogue file with the SHA-256 `{'c' * 64}`" in told
    assert f"descriptions in a file with the SHA-256 `{'d' * 64}`" in told
