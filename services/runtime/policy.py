"""Policy text: what assistants must know and keep, rendered from the declarations that the runtime enforces.

Each rule names the declaration it is made of, so that a test can hold it against what calls really answer. Nothing is
written here about a service: what one adds in its own words (`Policy`, `Gate.policy`, `terms`) stands with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from services.runtime.catalogue import Catalogue
    from services.runtime.declare import Gate, Remedy
    from services.runtime.tools import Tool

Kind = Literal["user_side", "discovery", "gate", "confirmation", "approval", "policy", "term"]
TITLES: dict[Kind, str] = {
    "user_side": "What only the user does",
    "gate": "Conditions",
    "discovery": "Tools that are found first",
    "confirmation": "Calls that need the user's yes",
    "approval": "Payments",
    "policy": "House rules",
    "term": "Terms",
}
"""Sections of a policy, in their order."""

GENERAL = (
    "Times are local, and the present moment does not move: nothing that is measured, eaten, logged or paid is dated"
    " after it, while plans and expiries may be.",
    "A call that cannot be carried out returns an error with a code and a message, changes nothing and ends nothing;"
    " correct the call, open the condition or tell the user.",
    "Change only what the user asked for, ask only for what is needed, and never guess a value that a tool can tell.",
)
"""What holds of every environment."""


class Rule(NamedTuple):
    """One sentence of a policy, and the declaration it is made of."""

    kind: Kind
    subject: str
    """Name of the gate, feature, tool, policy or service that declares it."""
    tools: tuple[str, ...]
    """Tools that it is about, sorted."""
    text: str


def rules_of(catalogue: Catalogue) -> list[Rule]:
    """Return all rules, section by section."""
    return [
        *_user_side(catalogue),
        *_gates(catalogue),
        *_discoveries(catalogue),
        *_confirmations(catalogue),
        *_approvals(catalogue),
        *_policies(catalogue),
        *_terms(catalogue),
    ]


def platform_policy(catalogue: Catalogue) -> str:
    """Return the policy of the whole platform, as Markdown."""
    return _rendered("Policy of the platform", GENERAL, rules_of(catalogue))


def service_policy(name: str, catalogue: Catalogue) -> str:
    """Return the policy of one service, as Markdown: the rules about its tools, and its terms. Raise KeyError for none.

    Tools of other services are left out of its sentences.
    """
    service = catalogue.services[name]
    own = {tool.name for tool in service.tools}
    found: list[Rule] = []
    for rule in rules_of(catalogue):
        if rule.kind == "term":
            found += [rule] if rule.subject == name else []
        elif own.intersection(rule.tools):
            found.append(_about(rule, own, catalogue))
    return _rendered(f"Policy of {name}", (service.summary,), found)


def _about(rule: Rule, own: set[str], catalogue: Catalogue) -> Rule:
    """Return a rule with no other tools than these."""
    remake: dict[Kind, Callable[[Iterable[str]], Rule]] = {
        "user_side": _user_rule,
        "confirmation": _confirmation_rule,
    }
    tools = [tool for tool in rule.tools if tool in own]
    if rule.kind == "gate":
        return _gate_rule(catalogue.gates[rule.subject].gate, tools)
    return remake[rule.kind](tools) if rule.kind in remake else rule


def _rendered(title: str, general: Iterable[str], rules: list[Rule]) -> str:
    lines = [f"# {title}", "", *(f"- {sentence}" for sentence in general)]
    for kind, heading in TITLES.items():
        texts = [rule.text for rule in rules if rule.kind == kind]
        if texts:
            lines += ["", f"## {heading}", "", *(f"- {text}" for text in texts)]
    return "\n".join(lines) + "\n"


def _listed(tools: Iterable[str]) -> str:
    return ", ".join(f"`{tool}`" for tool in tools)


def _names(tools: Iterable[Tool]) -> tuple[str, ...]:
    return tuple(sorted(tool.name for tool in tools))


# --- one section after the other ----------------------------------------------------------------------------------


def _user_side(catalogue: Catalogue) -> Iterator[Rule]:
    tools = _names(catalogue.tools_of("user"))
    if tools:
        yield _user_rule(tools)


def _user_rule(tools: Iterable[str]) -> Rule:
    named = tuple(tools)
    text = f"The user does these, and nobody else; an assistant asks for them (else `WRONG_SIDE`): {_listed(named)}."
    return Rule("user_side", "user", named, text)


def _gates(catalogue: Catalogue) -> Iterator[Rule]:
    for name, compiled in sorted(catalogue.gates.items()):
        tools = _names(tool for tool in catalogue.tools.values() if name in tool.gates)
        if tools:
            yield _gate_rule(compiled.gate, tools)


def _gate_rule(gate: Gate, tools: Iterable[str]) -> Rule:
    named = tuple(tools)
    answer = (
        "Else a call returns that nothing is available, and not why"
        if gate.quiet
        else f"Else a call returns `{gate.code}`"
    )
    sentences = [gate.policy or gate.message, f"{answer}: {_listed(named)}."]
    if gate.probe is not None:
        sentences.append(f"`{gate.probe.tool}` shows whether it is so.")
    if gate.remedy is not None:
        sentences.append(_remedy(gate.remedy))
    return Rule("gate", gate.name, named, " ".join(sentences))


def _remedy(remedy: Remedy) -> str:
    if remedy.prepare is None:
        return f"Ask the user, who can open it with `{remedy.tool}`."
    return (
        f"Ask the user; with their yes, prepare it with `{remedy.prepare.tool}`, and the user completes it with"
        f" `{remedy.tool}`."
    )


def _discoveries(catalogue: Catalogue) -> Iterator[Rule]:
    """Yield which tool makes which others available."""
    for opener in sorted(catalogue.tools.values(), key=lambda tool: tool.name):
        if opener.unlocks:
            behind = _names(tool for tool in catalogue.tools.values() if tool.behind == opener.unlocks)
            text = (
                f"`{opener.name}` makes these available for the rest of the conversation; before, they return"
                f" `TOOL_NOT_AVAILABLE`: {_listed(behind)}."
            )
            yield Rule("discovery", opener.unlocks, behind, text)


def _confirmations(catalogue: Catalogue) -> Iterator[Rule]:
    tools = _names(tool for tool in catalogue.tools.values() if tool.confirm)
    if tools:
        yield _confirmation_rule(tools)


def _confirmation_rule(tools: Iterable[str]) -> Rule:
    named = tuple(tools)
    text = (
        "These need the user's yes to exactly the arguments of the call, given in this conversation and good for one"
        f" call (else `CONFIRMATION_REQUIRED`): {_listed(named)}."
    )
    return Rule("confirmation", "confirmation", named, text)


def _approvals(catalogue: Catalogue) -> Iterator[Rule]:
    for tool in sorted(catalogue.tools.values(), key=lambda one: one.name):
        approval = tool.approval
        if approval is not None:
            text = (
                f"`{tool.name}` approves one stored amount, once (again: `{approval.replayed}`), within"
                f" {approval.hours} hours (later: `{approval.expired}`), and at no other amount than was prepared"
                f" (else `{approval.changed}`)."
            )
            yield Rule("approval", tool.name, (tool.name,), text)


def _policies(catalogue: Catalogue) -> Iterator[Rule]:
    for service in catalogue.services.values():
        for policy in service.policies:
            yield Rule("policy", policy.name, (policy.tool,), f"{policy.text} (`{policy.tool}`)")


def _terms(catalogue: Catalogue) -> Iterator[Rule]:
    for service in catalogue.services.values():
        yield from (Rule("term", service.name, _names(service.tools), term) for term in service.terms)
