"""What `datasets` makes of a release: in a process of its own, offline, from the folder alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from publishing.columns import arrow_schema
from publishing.manifest import read_manifest
from publishing.rows import BY_NAME, CONFIGS
from tests.nonempty import nonempty

OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "DO_NOT_TRACK": "1",
}
"""Read by the libraries when they load, so they must stand in the environment before."""
LOAD = """
import hashlib, json, sys
from pathlib import Path
import datasets
import pyarrow.parquet as pq
from schemas.base import canonical

folder = sys.argv[1]
found = {"default": sorted(datasets.load_dataset(folder)), "configs": {}}
for config in datasets.get_dataset_config_names(folder):
    whole = datasets.load_dataset(folder, config)
    streamed = datasets.load_dataset(folder, config, streaming=True)
    splits = found["configs"].setdefault(config, {})
    for split, part in whole.items():
        rows, live = list(part), list(streamed[split])
        splits[split] = {
            "rows": len(rows),
            "same_streamed": rows == live and part.features == streamed[split].features,
            "features": {name: str(kind) for name, kind in part.features.items()},
            "nulls": sorted({name for row in rows for name, value in row.items() if value is None}),
            "sha256": hashlib.sha256(b"".join(canonical(row) + b"\\n" for row in rows)).hexdigest(),
            "bad_json": sorted({
                name
                for row in rows
                for name, value in row.items()
                if name.endswith("_json") and canonical(json.loads(value)).decode() != value
            }),
            "shard_features": sorted({
                str(datasets.Features.from_arrow_schema(pq.read_schema(path)))
                for path in Path(folder, "data", config).glob(f"{split}-*.parquet")
            }) == [str(part.features)],
        }
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def loaded(release: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = str(tmp_path_factory.mktemp("home"))
    env = {**os.environ, **OFFLINE, "HF_HOME": home, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", LOAD, str(release)]
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])


def test_every_config_and_split_loads_with_the_rows_of_the_manifest(release: Path, loaded: dict[str, Any]) -> None:
    manifest = read_manifest(release)
    expected = {
        name: {split: (item.rows, item.records_sha256) for split, item in entry.splits.items()}
        for name, entry in manifest.configs.items()
    }
    found = {
        name: {split: (item["rows"], item["sha256"]) for split, item in splits.items()}
        for name, splits in loaded["configs"].items()
    }
    assert found == expected
    assert set(found) == set(BY_NAME)
    assert all(rows > 0 for splits in found.values() for rows, _ in splits.values())


def test_the_default_config_is_tasks_in_three_splits(loaded: dict[str, Any]) -> None:
    assert loaded["default"] == ["test", "train", "validation"] == sorted(loaded["configs"]["tasks"])


def test_streaming_gives_the_same(loaded: dict[str, Any]) -> None:
    assert all(item["same_streamed"] for splits in loaded["configs"].values() for item in splits.values())


def test_every_shard_and_split_has_the_same_types(release: Path, loaded: dict[str, Any]) -> None:
    files = [path.name for path in (release / "data").rglob("*.parquet")]
    assert sum(name.split("-")[1] == "00001" for name in files) >= 5
    for config in CONFIGS:
        splits = loaded["configs"][config.name]
        assert all(item["shard_features"] for item in splits.values())
        assert len({json.dumps(item["features"]) for item in splits.values()}) == 1
        assert list(next(iter(splits.values()))["features"]) == arrow_schema(config.row).names


def test_no_value_is_null_and_all_json_text_is_canonical(loaded: dict[str, Any]) -> None:
    for splits in nonempty(loaded["configs"].values()):
        assert [(item["nulls"], item["bad_json"]) for item in splits.values()] == [([], [])] * len(splits)
