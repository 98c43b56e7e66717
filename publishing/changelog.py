"""What changed since the previous release, found by comparing the records themselves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from publishing.parquet import read_rows
from publishing.rows import CONFIGS, Config
from schemas.base import canonical

if TYPE_CHECKING:
    from pathlib import Path

    from publishing.manifest import Manifest

CHANGELOG = "CHANGELOG.md"
_COUNTED = ("users", "tasks", "trajectories")
_TITLE = "# Changelog\n\nNewest first. Versions follow [semantic versioning](https://semver.org).\n"


@dataclass(frozen=True, slots=True)
class Previous:
    """The release before this one."""

    folder: Path
    manifest: Manifest


def write_changelog(folder: Path, manifest: Manifest, previous: Previous | None) -> str:
    """Return the changelog of the release whose data files stand in `folder`."""
    if previous is None:
        return f"{_TITLE}\n## {manifest.version}\n\n- first release: {_amounts(manifest)}\n"
    lines = [
        f"- {_amounts(manifest)} (before, in {previous.manifest.version}: {_amounts(previous.manifest)})",
        *_origin(manifest, previous.manifest),
        *(line for config in CONFIGS for line in _config(config, folder, manifest, previous)),
    ]
    earlier = (previous.folder / CHANGELOG).read_text("utf-8").removeprefix(_TITLE)
    return f"{_TITLE}\n## {manifest.version}\n\n" + "\n".join(lines) + f"\n{earlier}"


def _amounts(manifest: Manifest) -> str:
    counts = {name: manifest.configs[name].rows if name in manifest.configs else 0 for name in _COUNTED}
    return ", ".join(f"{rows:,} {name}" for name, rows in counts.items() if rows or name != "trajectories")


def _origin(now: Manifest, before: Manifest) -> list[str]:
    names = {
        "preset": "preset",
        "seed": "seed",
        "config_sha256": "configuration",
        "generator_version": "generator version",
    }
    changed = [text for name, text in names.items() if getattr(now.run, name) != getattr(before.run, name)]
    return [f"- made with another {', '.join(changed)}"] if changed else []


def _config(config: Config, folder: Path, manifest: Manifest, previous: Previous) -> list[str]:
    """Lines on one config: its form, then its records."""
    if config.name not in previous.manifest.configs:
        return [f"- `{config.name}`: new config"]
    mine, theirs = manifest.configs[config.name], previous.manifest.configs[config.name]
    lines: list[str] = []
    if mine.schema_sha256 != theirs.schema_sha256:
        lines.append(f"- `{config.name}`: the form of its rows changed, see `schemas/{config.name}.json`")
    if mine.splits != theirs.splits:
        counts = _compare(_records(previous.folder, config), _records(folder, config))
        text = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
        lines.append(f"- `{config.name}`: {text}")
    return lines


def _records(folder: Path, config: Config) -> dict[str, bytes]:
    """Digest of each record by id; sixteen bytes each, so that a million of them fit in memory."""
    files = sorted((folder / "data" / config.name).glob("*.parquet"))
    rows = (row for path in files for row in read_rows(path))
    return {str(row[config.key]): blake2b(canonical(row), digest_size=16).digest() for row in rows}


def _compare(before: dict[str, bytes], now: dict[str, bytes]) -> Counter[str]:
    counts: Counter[str] = Counter(added=0, changed=0, unchanged=0, removed=0)
    for key, value in now.items():
        counts["added" if key not in before else "unchanged" if before[key] == value else "changed"] += 1
    counts["removed"] = len(before.keys() - now.keys())
    return counts
