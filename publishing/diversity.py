"""How much the tasks of a run differ from each other: wording, structure, tools.

`distinct-3` is the number of different word trigrams over all
trigrams. `self-BLEU-4` is the mean BLEU-4 of a sampled instruction against ten other sampled ones (Zhu et al. 2018):
the geometric mean of the modified 1- to 4-gram precisions, where an order without a match counts half a match, times
the brevity penalty of Papineni et al. 2002. Lower is more diverse. Samples are drawn from a named stream: the same
figure in every process.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from services.runtime.streams import Stream
from validators.selection.masking import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HYPOTHESES = 200
"""Instructions that are scored for self-BLEU."""
REFERENCES = 10
"""Instructions that each one is compared with."""
_ORDER = 4


def ngrams(words: Sequence[str], order: int) -> Counter[Tokens]:
    """Return how often each run of `order` words occurs."""
    return Counter(tuple(words[at : at + order]) for at in range(len(words) - order + 1))


def distinct(texts: Iterable[Tokens], order: int = 3) -> float:
    """Return different n-grams over all n-grams; 0 when there are none."""
    seen: set[Tokens] = set()
    total = 0
    for words in texts:
        grams = ngrams(words, order)
        seen.update(grams)
        total += grams.total()
    return len(seen) / total if total else 0.0


def bleu(hypothesis: Tokens, references: Sequence[Tokens]) -> float:
    """Return BLEU-4 of one text against several, in [0, 1]; 0 for an empty text or no references."""
    if not hypothesis or not references:
        return 0.0
    logs = 0.0
    orders = min(_ORDER, len(hypothesis))
    for order in range(1, orders + 1):
        mine = ngrams(hypothesis, order)
        best: Counter[Tokens] = Counter()
        for reference in references:
            best |= ngrams(reference, order)
        matched = (mine & best).total()
        logs += math.log(max(matched, 0.5) / mine.total())
    nearest = min((abs(len(r) - len(hypothesis)), len(r)) for r in references)[1]
    brevity = 1.0 if len(hypothesis) >= nearest else math.exp(1 - nearest / len(hypothesis))
    return brevity * math.exp(logs / orders)


def self_bleu(texts: Sequence[Tokens]) -> float:
    """Return the mean BLEU-4 of sampled texts against ten other sampled ones; 0 for fewer than two texts."""
    if len(texts) < 2:
        return 0.0
    scores: list[float] = []
    for at in Stream("self-bleu", "hypotheses").sample(range(len(texts)), HYPOTHESES):
        drawn = Stream("self-bleu", "references", at).sample(range(len(texts)), REFERENCES + 1)
        others = [texts[other] for other in drawn if other != at][:REFERENCES]
        scores.append(bleu(texts[at], others))
    return math.fsum(scores) / len(scores)


def effective_number(counts: Iterable[int]) -> float:
    """Return exp of the Shannon entropy of a distribution: how many equally frequent kinds would be as varied."""
    listed = [count for count in counts if count]
    total = sum(listed)
    return math.exp(-math.fsum(c / total * math.log(c / total) for c in listed)) if total else 0.0
