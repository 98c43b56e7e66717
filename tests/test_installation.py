"""What is installed: the lock, the console script, the wheel."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.scan import ROOT, packages

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
BIN = Path(sys.executable).parent
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ]+)(?P<rest>(?:.*\\\n)*.*)$", re.MULTILINE)
GROUPS = sorted(PROJECT["project"]["entry-points"])


def lock_text() -> str:
    return (ROOT / "requirements.lock").read_text("utf-8")


def pinned() -> dict[str, list[re.Match[str]]]:
    pins: dict[str, list[re.Match[str]]] = {}
    for match in PIN.finditer(lock_text()):
        pins.setdefault(match["name"], []).append(match)
    return pins


def declared() -> list[str]:
    project = PROJECT["project"]
    extras = [r for group in project["optional-dependencies"].values() for r in group]
    return [*project["dependencies"], *extras, *PROJECT["dependency-groups"]["dev"]]


def run(*command: object, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(c) for c in command], cwd=cwd, env=env, capture_output=True, text=True, check=False)


def is_built(module: str) -> bool:
    path = ROOT / module.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def shadowed(folder: Path) -> Path:
    """A folder with packages named like ours that must never be the ones imported."""
    for package in packages():
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text("raise RuntimeError('the wrong package')\n")
    return folder


@pytest.mark.parametrize("requirement", declared())
def test_the_lock_satisfies_what_is_declared(requirement: str) -> None:
    wanted = Requirement(requirement)
    versions = [m["version"] for m in pinned()[wanted.name]]
    assert versions
    assert all(wanted.specifier.contains(version) for version in versions)


def test_the_lock_is_hashed_and_names_no_address() -> None:
    unhashed = [name for name, matches in pinned().items() if any("--hash=sha256:" not in m["rest"] for m in matches)]
    assert not unhashed
    assert not re.findall(r"://|^-|^ *file:| @ ", lock_text(), re.MULTILINE)


@pytest.mark.parametrize("group", GROUPS)
def test_declared_parts_load(group: str) -> None:
    installed = {point.name: point for point in entry_points(group=group)}
    assert sorted(installed) == sorted(PROJECT["project"]["entry-points"][group])
    built = [point for point in installed.values() if is_built(point.module)]
    assert all(point.load() is not None for point in built)


def test_scripts_ignore_packages_of_the_current_folder(tmp_path: Path) -> None:
    script = tmp_path / "bin" / "script"
    script.parent.mkdir()
    script.write_text(f"import {', '.join(packages())}\nprint(schemas.__file__)\n")
    (tmp_path / "here").mkdir()
    result = run(sys.executable, script, cwd=shadowed(tmp_path / "here"))
    assert result.returncode == 0, result.stderr
    assert Path(result.stdout.strip()) == ROOT / "schemas" / "__init__.py"


@pytest.mark.skipif(find_spec("flows.cli") is None, reason="the command line is not built yet")
def test_the_console_script_works_from_a_folder_with_packages_of_the_same_names(tmp_path: Path) -> None:
    result = run(BIN / "pausegen", "--help", cwd=shadowed(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "generate" in result.stdout


def test_the_wheel_is_complete_and_importable(tmp_path: Path) -> None:
    options = ("--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", tmp_path)
    built = run(BIN / "uv", "build", *options, ROOT, cwd=ROOT)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if ".dist-info/" not in name}
        archive.extractall(tmp_path / "site")
    tracked = run("git", "ls-files", "--", *packages(), cwd=ROOT)
    assert shipped >= set(tracked.stdout.split())
    assert {name.split("/")[0] for name in shipped} == set(packages())
    imports = f"import {', '.join(packages())}; print(schemas.__file__)"
    program = f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); {imports}"
    result = run(sys.executable, "-I", "-c", program, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert Path(result.stdout.strip()).is_relative_to(tmp_path)
