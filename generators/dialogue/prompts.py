"""The system prompt of an assistant: how to work, what to tell, the policy of the platform, and the time."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from schemas.goal import Reason  # a model's field
from services.runtime.catalogue import installed_catalogue
from services.runtime.policy import platform_policy

if TYPE_CHECKING:
    from services.runtime.catalogue import Catalogue


class _Texts(BaseModel):
    """The data file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str
    work: list[str]
    answers_tool: str
    decline: str
    reasons: dict[Reason, str]
    now: str


def system_prompt(now: str, answers: Literal["text", "tool"], catalogue: Catalogue) -> str:
    """Return the prompt at a frozen local time. Only its end differs between conversations of one platform."""
    head = _installed(answers) if catalogue is installed_catalogue() else _head(answers, catalogue)
    moment = dt.datetime.fromisoformat(now)
    said = _texts().now.format(weekday=f"{moment:%A}", date=now[:10], time=f"{moment:%H:%M}")
    return f"{head}\n## Time\n\n{said}\n"


@cache
def _texts() -> _Texts:
    return _Texts.model_validate(read_yaml("generators.dialogue", "prompts.yaml"))


@cache
def _installed(answers: Literal["text", "tool"]) -> str:
    return _head(answers, installed_catalogue())


def _head(answers: Literal["text", "tool"], catalogue: Catalogue) -> str:
    texts = _texts()
    work = [*texts.work, texts.answers_tool] if answers == "tool" else texts.work
    lines = [texts.role, "", "## How to work", "", *(f"- {line}" for line in work)]
    lines += ["", "## When something cannot be done", "", texts.decline, ""]
    lines += [f"- `{reason}`: {what}" for reason, what in texts.reasons.items()]
    return "\n".join(lines) + "\n\n" + platform_policy(catalogue)
