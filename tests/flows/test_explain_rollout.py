"""`pausegen explain` of a rollout, and the page of conversations that it makes for the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flows.cli import main
from flows.rollout_store import read_rollout
from schemas.trajectory import Said
from tests.flows.test_rollout import roll_out

Capture = pytest.CaptureFixture[str]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "conversations.md"
SHOWN = ["A plain success", "A consent asked for and refused", "A change of mind", "A decline with evidence"]


@pytest.fixture(scope="module")
def oracle(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("explain") / "oracle"
    roll_out(finished, root)
    return root


def test_a_rollout_is_explained_by_a_conversation_of_each_kind(oracle: Path, capsys: Capture) -> None:
    assert main(["explain", str(oracle)]) == 0
    page = capsys.readouterr().out
    kinds = re.findall(r"^## (.*)$", page, flags=re.M)
    assert kinds == [kind for kind in SHOWN if kind in kinds]
    assert len(kinds) >= 3


def test_one_conversation_is_explained_by_its_id(oracle: Path, capsys: Capture) -> None:
    *_, last = read_rollout(oracle)
    assert main(["explain", str(oracle), last.trajectory_id]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"## {last.trajectory_id}\n")
    assert all(f"> {event.text}" in text for event in last.events if isinstance(event, Said))


def test_an_unknown_conversation_ends_with_2(oracle: Path, capsys: Capture) -> None:
    assert main(["explain", str(oracle), "u000000-t00003"]) == 2
    assert "no trajectory 'u000000-t00003' among its 26" in capsys.readouterr().err


def test_the_page_in_the_documentation_shows_the_four_kinds() -> None:
    sections = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.M)[1:]
    assert [section.partition("\n")[0] for section in sections] == SHOWN
    for section in sections:
        assert section.count("\nPassed; ended: done\n") == 1
    for section, shows in zip(
        sections, ("authorize_checkout(", "(refuses ", "on changing their mind", "- told reason "), strict=True
    ):
        assert shows in section
