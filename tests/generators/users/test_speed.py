"""A scripted user answers fast enough for a hundred conversations a second."""

from __future__ import annotations

import time

from generators.dialogue.starts import Starts
from tests.generators.tasks import scenes
from tests.generators.users.talks import Talk
from tests.generators.users.test_scripted_properties import SAID, TASK, at_rest

MOST_SECONDS = 0.002
"""For one message, on a busy machine; about 0.3 ms on an idle one."""


def test_an_answer_takes_no_time_that_matters() -> None:
    starts = Starts(scenes.user(0)[1], scenes.world())
    talks = [Talk(TASK, starts.open(at_rest())) for _ in SAID]
    for talk, text in zip(talks, SAID, strict=True):
        talk.say(text)
    begun = time.process_time()
    for talk, text in zip(talks, SAID, strict=True):
        talk.say(f"Well. {text}")
    assert (time.process_time() - begun) / len(SAID) < MOST_SECONDS
