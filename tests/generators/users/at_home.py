"""A scripted user in a real environment: consents, words and a wallet that several tests share."""

from __future__ import annotations

from generators.dialogue.starts import Starts
from generators.users.replies import load_replies
from schemas.task import Consent, Task
from services.payments.records import Wallet
from services.runtime.environment import Environment
from tests.generators.tasks import scenes
from tests.generators.users.talks import Talk, Wanting

PURCHASE = Consent(gate="PURCHASE", granted=True)
ONCE = Consent(gate="PURCHASE", granted=True, once=True)
REFUSED = Consent(gate="PURCHASE", granted=False)
BALANCE = Consent(gate="BALANCE", granted=True)
LIMITED = Consent(gate="BALANCE", granted=True, up_to_cents=1500)
MAY_I = "May I have your permission to make purchases?"
GRANT = ("set_purchase_permission", {"allow": True})
TERSE = load_replies()["terse"]
STYLES = ("terse", "chatty", "formal", "careless")


def env_of() -> Environment:
    _, record = scenes.user(0)
    return Starts(record, scenes.world()).open(_at_rest())


def _at_rest() -> Task:
    """A task whose start is the environment as it is."""
    return Task.model_construct(task_id="u000000-t00000", setup=[], start_hash=scenes.user(0)[1].state_hash)


def talk(task: Task, wish: Wanting | None = None) -> Talk:
    return Talk(task, env_of(), wish)


def balance(talk: Talk) -> int:
    wallet = talk.env.state_.get("wallet", "wallet")
    assert isinstance(wallet, Wallet)
    return wallet.balance_cents
