"""The command line: quick help, exit codes, messages that say what to do, and what goes to which stream."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.cli import main
from flows.cli.main import COMMANDS
from flows.json_schemas import RECORDS, derived, stale
from schemas.base import canonical
from services.runtime.catalogue import installed_catalogue
from tests.flows import hollow

HEAVY = {"prefect", "litellm", "datasets", "pandas", "torch"}
Capture = pytest.CaptureFixture[str]


def pausegen(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).parent / "pausegen", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def run_and_loaded(arguments: list[str], cwd: Path) -> tuple[str, set[str]]:
    """What a command prints and the top-level modules it loads, itself run with `cwd` for temporary files."""
    program = (
        "import sys\nfrom flows.cli import main\n"
        f"try:\n    code = main({arguments!r})\nexcept SystemExit as end:\n    code = end.code\n"
        "assert not code, code\nprint('LOADED', *sys.modules)"
    )
    env = {**os.environ, "TMPDIR": str(cwd)}
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    out, _, names = run.stdout.rpartition("LOADED")
    return out, {name.partition(".")[0] for name in names.split()}


def test_help_answers_at_once(tmp_path: Path) -> None:
    times: list[float] = []
    for _ in range(3):
        started = time.perf_counter()
        assert pausegen("--help", cwd=tmp_path).returncode == 0
        times.append(time.perf_counter() - started)
    assert min(times) < 0.6


@pytest.mark.parametrize("arguments", [["--help"], ["generate", "--help"], ["tools"], ["schemas", "--check"]])
def test_nothing_heavy_is_loaded(arguments: list[str], tmp_path: Path) -> None:
    assert not HEAVY & run_and_loaded(arguments, tmp_path)[1]


def test_the_general_help_teaches(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)
    assert "exit codes:" in out


@pytest.mark.parametrize("command", [[name] for name in COMMANDS] + [["release", "build"], ["release", "verify"]])
def test_every_command_explains_itself(command: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    assert len(capsys.readouterr().out.splitlines()) > 5


def test_without_a_command_the_help_is_shown(capsys: Capture) -> None:
    assert main([]) == 2
    assert "commands:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["generate", "--preset", "quikstart"], "did you mean 'quickstart'"),
        (["generate", "--set", "usrs=3"], "did you mean 'users'"),
        (["generate", "--users", "0"], "users"),
        (["generate", "--config", "no.yaml"], "no.yaml"),
        (["generate", "--catalogue", "c.json"], "catalogue: cannot read 'c.json'"),
        (["generate", "--personas", "p.jsonl"], "personas: cannot read 'p.jsonl'"),
        (["preview", "-n", "0"], "-n wants"),
        (["preview", "--preset", "x"], "unknown preset"),
        (["verify", "nowhere"], "no folder nowhere"),
        (["inspect", "nowhere"], "no folder nowhere"),
    ],
)
def test_wrong_settings_end_with_2_and_at_most_three_lines(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert len(captured.err.splitlines()) <= 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [["generate", "--user", "3"], ["generate", "--users", "three"], ["make"], ["release"], ["verify"]]
)
def test_wrong_usage_ends_with_2_and_says_where_help_is(arguments: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "--help" in capsys.readouterr().err


def test_a_traceback_is_shown_only_when_asked_for(tmp_path: Path) -> None:
    short = pausegen("inspect", tmp_path)
    assert (short.returncode, "Traceback" in short.stderr) == (2, False)
    long = pausegen("inspect", tmp_path, "--traceback")
    assert (long.returncode != 0, "Traceback" in long.stderr) == (True, True)


def test_a_complete_run_is_shown_without_prefect(tmp_path: Path, capsys: Capture) -> None:
    hollow.make_run(tmp_path / "run", hollow.config_of(2, 3))
    command = ["generate", "--users", "2", "--tasks-per-user", "3", "--out", str(tmp_path / "run")]
    assert main(command) == 3
    captured = capsys.readouterr()
    assert "0 of 6 tasks kept" in captured.out
    assert "pausegen verify" in captured.out
    assert "0 of 6 tasks passed" in captured.err


def test_another_run_in_the_folder_is_refused(tmp_path: Path, capsys: Capture) -> None:
    hollow.make_run(tmp_path / "run", hollow.config_of(2, 3))
    before = hollow.contents(tmp_path)
    assert main(["generate", "--seed", "5", "--users", "2", "--out", str(tmp_path / "run")]) == 2
    assert "seed is 20260101, asked 5" in capsys.readouterr().err
    assert hollow.contents(tmp_path) == before


def test_the_default_folder_is_named_after_the_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    hollow.make_run(tmp_path / "outputs" / "runs" / "quickstart", hollow.config_of(2, 3))
    assert main(["generate", "--users", "2", "--tasks-per-user", "3"]) == 3


def test_tools_for_scripts_are_what_the_catalogue_declares(capsys: Capture) -> None:
    assert main(["tools", "--json"]) == 0
    tools = json.loads(capsys.readouterr().out)
    catalogue = installed_catalogue()
    assert [tool["name"] for tool in tools] == sorted(catalogue.tools)
    for tool in tools:
        declared = catalogue.tools[tool["name"]]
        assert canonical(tool["schema"]) == canonical(declared.openai())
        assert tool["service"] in catalogue.services


def test_tools_for_people_name_every_tool_and_error(capsys: Capture) -> None:
    assert main(["tools"]) == 0
    text = capsys.readouterr().out
    for name, tool in installed_catalogue().tools.items():
        assert f"### `{name}`" in text
        assert all(code in text for code in tool.errors)


def test_committed_schemas_are_up_to_date() -> None:
    assert not stale()
    assert len(derived()) == len(RECORDS)


def test_a_stale_schema_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("flows.json_schemas.FOLDER", tmp_path)
    assert main(["schemas", "--check"]) == 1
    assert main(["schemas"]) == 0
    assert main(["schemas", "--check"]) == 0
    (tmp_path / "old.schema.json").write_text("{}")
    (tmp_path / "task.schema.json").write_text("{}")
    assert main(["schemas", "--check"]) == 1
    assert "old.schema.json, task.schema.json" in capsys.readouterr().err
    assert main(["schemas"]) == 0
    assert not stale()


def test_preview_shows_tasks_loads_nothing_heavy_and_leaves_nothing(tmp_path: Path) -> None:
    out, loaded = run_and_loaded(["preview", "-n", "2"], tmp_path)
    assert "u000000-t00000" in out
    assert "u000000-t00001" in out
    assert "checks passed" in out
    assert not HEAVY & loaded
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_is_no_error_of_ours() -> None:
    command = f"'{Path(sys.executable).parent / 'pausegen'}' tools --json | head -c 10"
    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(("flags", "refused"), [(["-OO"], True), (["-O"], False), ([], False)])
def test_a_python_without_docstrings_is_refused(flags: list[str], refused: bool) -> None:
    """Tools are described by their docstrings; without them schemas would be published empty."""
    code = "import sys; from flows.cli import main; sys.exit(main(['tools', '--help']))"
    run = subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == (2 if refused else 0)
    assert ("-OO" in run.stderr) is refused
    assert len(run.stderr.splitlines()) == (2 if refused else 0)


def test_a_library_without_docstrings_is_refused_too() -> None:
    run = subprocess.run(
        [sys.executable, "-OO", "-c", "import services.account.service"], capture_output=True, text=True, check=False
    )
    assert run.returncode != 0
    assert "must not run with -OO" in run.stderr
