"""Values in text: writing, reading and matching numbers, money, dates, terms and names.

A leaf: the writer, the leak scan, the slot round-trip and the answer matcher all share these rules,
so that what one of them writes the others can read.
"""

from __future__ import annotations

from language.manner import Manner, say
from language.matching import agree, find, mentions, write, writings
from language.spans import Kind, Mention
from language.variants import leak, variants

__all__ = ["Kind", "Manner", "Mention", "agree", "find", "leak", "mentions", "say", "variants", "write", "writings"]
