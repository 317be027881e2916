"""What never came to the proxies of a stream: their counts tell, whichever receiver they would have given it to.

Where a stream goes through one proxy after the other to all of its receivers alike, each proxy's count and the one before it tell what
was lost between the two.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

from hopwatch_judge.case import Edge, Way
from hopwatch_judge.known import Known
from hopwatch_judge.placing.proxy_counts import HALF_A_FRAME, Arrivals
from hopwatch_judge.shared_out.share import ProxyHop, Sent, Whole

A_BIT = 1e-6
"""Of a message: frames each are a mean."""


class ProxyCounts(NamedTuple):
    """The hops into proxies that count a stream, from its sender on; ``complete``: they are all there are, and all receivers are behind all of them."""

    hops: Sequence[ProxyHop] = ()
    complete: bool = False


class _Count(NamedTuple):
    """What a proxy counted, against what was sent: messages that ``never_came``, and the frames that are lacking."""

    never_came: int
    frames: float
    final: bool
    of_others: bool
    """Frames of others are among them: such a count tells nothing of what is lost further on."""


def streams_into(ways: Sequence[Way]) -> dict[str, int]:
    """Return how many streams pass each socket at the receiving end of a hop."""
    passing = {(hop.to_socket, way.stream) for way in ways for hop in way.hops}
    found: dict[str, int] = {}
    for socket, _ in passing:
        found[socket] = found.get(socket, 0) + 1
    return found


def counted_out(
    known: Known, whole: Whole, arrivals: Mapping[str, Arrivals], streams_in: Mapping[str, int]
) -> ProxyCounts:
    """Return the hops whose counts tell, as do those before them. Of a first hop that lacks no whole number of messages the next one is told, as not exact."""
    lengths = {share.way.length for share in whole.shares}
    hops: list[ProxyHop] = []
    before, of_others = 0, False
    for depth in range(1, min(lengths)):
        edge = _only_edge(whole, depth)
        count = None if edge is None else _count(whole.sent, arrivals.get(edge[1]))
        if edge is None or count is None or not _is_alone(known, streams_in, edge[1]) or not count.final:
            return ProxyCounts(hops)
        of_others |= count.of_others
        exact = _is_whole(whole.sent, count)
        further = depth == 1 or (not of_others and count.never_came >= before)
        if exact and further:
            hops.append(ProxyHop(depth, edge, count.never_came - before))
            before = count.never_came
        else:
            return ProxyCounts([ProxyHop(depth, edge, count.never_came, exact=False)] if depth == 1 else hops)
    return ProxyCounts(hops, complete=bool(hops) and len(lengths) == 1)


def lost_in_cuts(whole: Whole, counts: ProxyCounts) -> list[ProxyHop]:
    """Return what was lost in cuts before proxies, by hop.

    Of several hops that lack some only if later messages had overtaken all that never arrived: else nothing tells which of it was lost in which cut.
    """
    overtaken = max(0, whole.highest - (whole.sent.messages - whole.missing))
    most = min(whole.missing, overtaken)
    cut_depths = {depth for share in whole.shares for depth in share.cut_depths}
    exact = [hop for hop in counts.hops if hop.exact]
    lacking = [hop.lacking for hop in exact if hop.lacking > 0]
    if len(lacking) != 1 and sum(lacking) > overtaken:
        return []
    lost = [replace(hop, lacking=min(hop.lacking, most)) for hop in exact if hop.depth in cut_depths]
    return [hop for hop in lost if hop.lacking > 0]


def without_lost_before(whole: Whole, counts: ProxyCounts, lost: Sequence[ProxyHop]) -> Whole:
    """Return the stream without what was lost in cuts before proxies, and with what their counts tell."""
    lost_before = sum(hop.lacking for hop in lost)
    return replace(
        whole,
        missing=whole.missing - lost_before,
        lost_before=lost_before,
        never_arrived=sum(hop.lacking for hop in counts.hops) if counts.complete else None,
        never_arrived_first=counts.hops[0].lacking if counts.hops else None,
    )


def _only_edge(whole: Whole, depth: int) -> Edge | None:
    """Return the hop that all receivers are behind; None where there are several."""
    edges = {share.way.hops[depth - 1].edge for share in whole.shares}
    return edges.pop() if len(edges) == 1 else None


def _is_alone(known: Known, streams_in: Mapping[str, int], proxy: str) -> bool:
    """Tell whether nobody else sends to the proxy: it would count their frames, too."""
    return streams_in.get(proxy) == 1 and not known.socket(proxy).has_strangers


def _count(sent: Sent, came: Arrivals | None) -> _Count | None:
    """Compare what came with what was sent. Where no whole number of messages is lacking, the next one is taken."""
    if came is None or not sent.frames_each:
        return None
    frames = sent.messages * sent.frames_each - (came.arrived - came.strays)
    never_came = max(0, ceil((frames - A_BIT) / sent.frames_each))
    too_many = frames <= -HALF_A_FRAME
    return _Count(
        never_came=never_came,
        frames=frames,
        final=not too_many and (came.is_final or (came.is_no_newer and never_came == 0)),
        of_others=came.strays > 0 or too_many,
    )


def _is_whole(sent: Sent, count: _Count) -> bool:
    return count.never_came * (sent.frames_each or 0) - count.frames < HALF_A_FRAME
