"""Accounts of streams that are shared out among receivers (PUSH, DEALER, REQ, REP): only all receivers together tell what is missing."""

from collections.abc import Iterator, Mapping

from hopwatch_judge.events import Gap
from hopwatch_judge.known import Known
from hopwatch_judge.placing.proxy_counts import Arrivals
from hopwatch_judge.shared_out.before_proxies import (
    counted_out,
    lost_in_cuts,
    streams_into,
    without_lost_before,
)
from hopwatch_judge.shared_out.by_receiver import parts
from hopwatch_judge.shared_out.gathering import gathered
from hopwatch_judge.shared_out.on_hop import account, account_before_proxy
from hopwatch_judge.shared_out.share import Whole
from hopwatch_judge.shared_out.unheard import unheard, unheard_accounts
from hopwatch_judge.socket_types import BALANCED_TYPES
from hopwatch_judge.steps import Account, LaneOfReceiver


def accounts(
    known: Known, arrivals: Mapping[str, Arrivals], gaps: Mapping[LaneOfReceiver, list[Gap]]
) -> list[Account]:
    """Return what such streams lack, by cause; without a receiver and a hop where those are not known.

    ``arrivals`` are what proxies' sockets counted, ``gaps`` rows of all actions, narrowed where stamps are sparse.
    """
    streams_in = streams_into(known.case.ways)
    found: list[Account] = []
    for stream in known.ways_of:
        if known.socket(stream).type not in BALANCED_TYPES or stream not in known.lanes_of:
            continue
        since = unheard(known, stream)
        found += unheard_accounts(known, stream, since)
        whole = gathered(known, gaps, stream, since)
        if whole is not None:
            found += _of_stream(known, whole, arrivals, streams_in)
    return found


def _of_stream(
    known: Known, whole: Whole, arrivals: Mapping[str, Arrivals], streams_in: Mapping[str, int]
) -> Iterator[Account]:
    counts = counted_out(known, whole, arrivals, streams_in)
    lost = lost_in_cuts(whole, counts)
    yield from (account_before_proxy(whole, hop) for hop in lost)
    behind = without_lost_before(whole, counts, lost)
    if behind.missing > 0:
        yield from (account(behind, part) for part in parts(behind))
