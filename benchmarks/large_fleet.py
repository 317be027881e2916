"""Writes what the agents of a large fleet land in an hour: at scale 1, of 1,000 hosts, 10,000 sockets and 1 billion messages.

    python benchmarks/large_fleet.py FOLDER --scale 0.1 [--skew | --skew-pair | --leavers] [--clocks 2]

A tenth of the scale is a tenth of the hosts, with the same systems, and so a tenth of the messages and events. With ``--skew`` all
messages are of one PUB, and all other sockets read it; with ``--skew-pair`` one of these has nearly all the gaps as well, with ``--leavers`` they
lose nothing, but a third of them leave, unsubscribe, or do so for a while, and the stream does not end. What was lost on which hop is known by
construction: truth.json.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from large_fleet_flows import Flow, Truth, send
from large_fleet_leavers import read_and_leave
from large_fleet_messages import NONE, Pace
from large_fleet_rows import Rows
from large_fleet_site import HOUR_ENDS, Site
from large_fleet_stories import BEGINS, ENDS, gather, publish, share_out, subscribe, through_proxy

SITES = 100
HOSTS, SOCKETS = 10, 100
READERS_THAT_LOSE = {0: "slow_receiver", 25: "slow_receiver", 50: "hwm_too_low", 60: "reconnect", 70: "slow_joiner", 80: "receiver_died"}  # fmt: skip
ONE_THAT_LOSES = {0: "slow_receiver all the time"}


def main() -> None:
    args = _arguments()
    began = time.monotonic()
    truth, rows, sites = Truth(), Rows(), max(1, round(args.scale * SITES))
    if args.skew:
        messages = _one_stream(truth, rows, args, sites, [READERS_THAT_LOSE] * sites)
    elif args.leavers:
        messages = _one_that_some_leave(truth, rows, args, sites)
    elif args.skew_pair:
        messages = _one_stream(truth, rows, args, sites, [ONE_THAT_LOSES] + [{}] * (sites - 1))
    else:
        messages = sum(_site(number, truth, rows, args) for number in range(sites))
    told = {"events": rows.count, "messages": messages, "hosts": sites * HOSTS, "sockets": sites * SOCKETS}
    (args.folder / "truth.json").write_text(json.dumps(told | vars(truth)))
    print(f"{told}, {time.monotonic() - began:.0f} s")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=float, default=0.01, help="1 is 1,000 hosts (default: 0.01)")
    skewed = parser.add_mutually_exclusive_group()
    skewed.add_argument("--skew", action="store_true", help="one stream with all the traffic")
    skewed.add_argument("--skew-pair", action="store_true", help="and one reader with nearly all the gaps")
    skewed.add_argument(
        "--leavers", action="store_true", help="that does not end, and that three of ten readers leave"
    )
    parser.add_argument(
        "--clocks", type=float, default=0.2, help="seconds that clocks are wrong at most (default: 0.2)"
    )
    return parser.parse_args()


def _pace(every: float, a_second: float) -> Pace:
    return Pace(every, max(1, round(every * a_second)), BEGINS, ENDS)


def _new_site(number: int, rows: Rows, clocks: float) -> Site:
    site = Site(number, rows, np.random.default_rng(number), clocks)
    site.add_hosts(HOSTS)
    return site


def _site(number: int, truth: Truth, rows: Rows, args: argparse.Namespace) -> int:
    """Ten hosts with a hundred sockets; gives how many messages were sent."""
    site = _new_site(number, rows, args.clocks)
    hosts = site.hosts
    ticks = ("slow_receiver", "other topics", "hwm_too_low")
    publish(site, truth, _pace(8.0, 400), ("bonds", "funds", "futures", "shares"), hosts, 10, ticks)
    for turn in range(2):
        through_proxy(site, truth, [_pace(0.02, 150), _pace(4.0, 40)], hosts[turn:], 5)
    for how in ("killed", None, "closed"):
        share_out(site, truth, _pace(2.0, 300), hosts[2:], 4, how)
    gather(site, truth, _pace(4.0, 50), hosts, 4)
    for turn, cause in enumerate(
        ("slow_receiver", "network", "slow_receiver", "hwm_too_low", "reconnect", "slow_joiner")
    ):
        publish(site, truth, _pace(0.025, 120), ("rates",), hosts[turn % 5 :], 2, (cause,))
    for turn in range(11):
        lossy = ("receiver_died",) if turn == 0 else ()
        publish(site, truth, _pace(20.0, 20), ("rates",), hosts[turn % 7 :], 2, lossy)
    site.finish()
    rows.land(args.folder, f"{number + 1:08x}")
    return site.sent


def _one_stream(
    truth: Truth, rows: Rows, args: argparse.Namespace, sites: int, lossy: list[dict[int, str]]
) -> int:
    """One PUB and, on as many hosts as in any fleet of the scale, its readers: why some of each site lose messages."""
    first = _new_site(0, rows, args.clocks)
    pace = _pace(2.4, sites * 10_000_000 / (ENDS - BEGINS))
    flow = Flow(first.socket(first.hosts[0], "feed", "PUB", bound=True), pace, (b"ticks".hex(),))
    onsets = [NONE]
    for number in range(sites):
        site = first if number == 0 else _new_site(number, rows, args.clocks)
        for index in range(SOCKETS - (number == 0)):
            host = site.hosts[index % HOSTS]
            onsets.append(subscribe(site, truth, flow, host, lossy[number].get(index)))
        if number > 0:
            site.finish()
            rows.land(args.folder, f"{number + 1:08x}")
    send(first, flow, np.concatenate(onsets))
    first.finish()
    rows.land(args.folder, "00000001")
    return pace.total


def _one_that_some_leave(truth: Truth, rows: Rows, args: argparse.Namespace, sites: int) -> int:
    """One PUB that sends to the end, and its readers."""
    first = _new_site(0, rows, args.clocks)
    burst = max(1, round(2.4 * sites * 10_000_000 / HOUR_ENDS))
    pace = Pace(2.4, burst, BEGINS + 1.9, HOUR_ENDS + 10)  # most agents have looked after the last burst
    flow = Flow(first.socket(first.hosts[0], "feed", "PUB", bound=True), pace, (b"ticks".hex(),))
    send(first, flow, NONE)
    for number in range(sites):
        site = first if number == 0 else _new_site(number, rows, args.clocks)
        for index in range(SOCKETS - (number == 0)):
            read_and_leave(site, truth, flow, site.hosts[index % HOSTS], index)
        site.finish()
        rows.land(args.folder, f"{number + 1:08x}")
    return flow.sent_by(HOUR_ENDS)


if __name__ == "__main__":
    main()
