"""Which split a user belongs to: a fixed function of the user's index, so that no release ever moves a user.

Of each ten consecutive indices one goes to validation, one to test and eight to train, by a keyed permutation of the
ten. The key is chosen so that the first eight indices already fill every split. Everything of a user stays in the
user's split; what is shared by all users (worlds, tools) stands in the split `shared`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias, get_args

from services.runtime.streams import Stream

Split: TypeAlias = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
SHARED = "shared"
"""The one split of configs whose rows belong to no user."""
BLOCK = 10
_KEY = "pausegen-split"


@lru_cache(maxsize=1024)
def _of_block(block: int) -> tuple[Split, ...]:
    order = Stream(_KEY, block).shuffled(range(BLOCK))
    special: dict[int, Split] = {order[0]: "validation", order[1]: "test"}
    return tuple(special.get(place, "train") for place in range(BLOCK))


def split_of(index: int) -> Split:
    """Return the split of the user with this index, which is 0 or more."""
    return _of_block(index // BLOCK)[index % BLOCK]


def index_of(user_id: str) -> int:
    """Return the index in a user id such as `u000012`."""
    return int(user_id[1:])
