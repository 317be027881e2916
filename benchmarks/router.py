"""What a ROUTER's message of two frames costs: bare, counted and stamped, to a peer and to nobody. Over inproc, in one thread."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from statistics import median

VARIANTS = ("bare", "counting", "stamping")
PEERS = {"a peer": b"peer", "nobody": b"nobody"}


def one_round(variant: str, routing_id: bytes, messages: int) -> float:
    """Nanoseconds a message."""
    import hopwatch
    import zmq

    with (
        zmq.Context() as context,
        context.socket(zmq.ROUTER) as router,
        context.socket(zmq.DEALER) as dealer,
    ):
        router.set_hwm(0)
        dealer.set_hwm(0)
        dealer.routing_id = b"peer"
        if variant != "bare":
            hopwatch.wrap(router, sequence="stamp" if variant == "stamping" else None)
        router.bind("inproc://router")
        dealer.connect("inproc://router")
        router.poll(0)
        send = router.send_multipart
        frames = [routing_id, b"m" * 64]
        began = time.perf_counter_ns()
        for _ in range(messages):
            send(frames)
        return (time.perf_counter_ns() - began) / messages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--messages", type=int, default=20_000)
    arguments = parser.parse_args()
    os.environ["HOPWATCH_DIR"] = tempfile.mkdtemp()
    print("| to | variant | ns a message | more than bare |\n| --- | --- | ---: | ---: |")
    for name, routing_id in PEERS.items():
        costs: dict[str, list[float]] = {variant: [] for variant in VARIANTS}
        for _ in range(arguments.rounds):
            for variant in VARIANTS:
                costs[variant].append(one_round(variant, routing_id, arguments.messages))
        bare = median(costs["bare"])
        for variant in VARIANTS:
            cost = median(costs[variant])
            print(f"| {name} | {variant} | {cost:,.0f} | {cost - bare:+,.0f} |", flush=True)


if __name__ == "__main__":
    main()
