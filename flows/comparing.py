"""Compares stored verdicts with fresh ones, field by field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from schemas.base import Json
    from schemas.certificate import Certificate, Verdict

_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one record, or one file."""

    record: str
    """Id of the record, or path of the file below the folder."""
    check: str
    reason: str

    def line(self) -> str:
        """Return the fault in one line."""
        return f"FAILED {self.record} {self.check}: {' '.join(self.reason.split())}"


def verdict_faults(record: str, stored: Json, fresh: Sequence[Verdict]) -> Iterator[Fault]:
    """Yield a fault for each fresh verdict that failed, and for each stored one that says anything else."""
    if not fresh:
        yield Fault(record, "no_checks", "no check was run")
    known = cast("list[dict[str, Json]]", stored) if isinstance(stored, list) else []
    by_name = {str(verdict.get("check")): verdict for verdict in known}
    for verdict in fresh:
        if not verdict.passed:
            yield Fault(record, verdict.check, verdict.reason or "failed")
        else:
            yield from _field_faults(record, verdict, by_name.get(verdict.check))
    names, expected = [str(v.get("check")) for v in known], [verdict.check for verdict in fresh]
    if names != expected and all(name in by_name for name in expected):
        yield Fault(record, "certificate.checks", f"lists {_brief(names)}, the checks are {_brief(expected)}")


def certificate_faults(record: str, stored: Mapping[str, Json], fresh: Certificate) -> Iterator[Fault]:
    """Yield what a stored certificate says otherwise than the fresh one."""
    yield from verdict_faults(record, stored.get("verdicts"), fresh.verdicts)
    plain = fresh.model_dump(mode="json")
    for name in sorted({*plain, *stored} - {"verdicts"}):
        if stored.get(name) != plain.get(name):
            yield Fault(record, f"certificate.{name}", f"says {stored.get(name)!r}, found {plain.get(name)!r}")


def _field_faults(record: str, fresh: Verdict, stored: Mapping[str, Json] | None) -> Iterator[Fault]:
    if stored is None:
        yield Fault(record, fresh.check, "the stored certificate has no verdict of this check")
        return
    plain = fresh.model_dump(mode="json")
    for name in sorted({*plain, *stored}):
        if stored.get(name) != plain.get(name):
            said, found = _brief(stored.get(name)), _brief(plain.get(name))
            yield Fault(record, fresh.check, f"the stored certificate says {name} {said}, found {found}")


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
