"""Whether a full pipe dropped what is missing: at an onset that tells of it, or unseen."""

from hopwatch_judge.clues import cuts
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.optional import exceeds, first_of
from hopwatch_judge.socket_types import DROPPING_TYPES


def drops_unseen(clues: Clues) -> bool:
    """The sending socket drops at a full pipe, and nothing can tell when it did: a proxy's, or one not probed.

    Full pipes are seen until the probing stops; with XPUB_NODROP it blocks, or refuses, and drops nothing. Where no connection between
    the two ends is known, it may as well be somebody between them who drops.
    """
    sender = clues.sender
    if sender.type not in DROPPING_TYPES or not clues.link.linked or sender.never_drops:
        return False
    return not (_probed_then(clues) and clues.loss.from_socket == clues.loss.stream)


def _probed_then(clues: Clues) -> bool:
    stopped_at = clues.sender.probing_stopped_at
    all_sent_at = first_of(clues.loss.after_sent_at, clues.sent_at)
    return clues.sender.probed and (stopped_at is None or exceeds(stopped_at, all_sent_at))


def dropped_before_others(clues: Clues) -> bool:
    """The sender may drop unseen, and what was sent later came: these were in no queue that an end took along, nor in a cut."""
    return drops_unseen(clues) and clues.overtaken and not cuts.overlaps_a_mended_down(clues)
