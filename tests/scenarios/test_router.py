"""A ROUTER swallows what it has no peer for, and what does not fit into a peer's pipe."""

from typing import Any

import pytest
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario


def test_what_a_router_swallowed_is_told_from_what_a_slow_worker_could_not_take(
    system: System, when_told
) -> None:
    broker = system.sender("broker", "--bind", LOOPBACK, "--sndhwm", 10, kind="ROUTER")
    [endpoint] = broker.expect("ready")
    broker.ask("send", 50, 0, "worker", "stranger", event="sent")
    narrow = ("--rcvhwm", 10, "--rcvbuf", 4096, "--routing-id", "worker", "--delay", 0.004)
    worker = system.receiver("worker", "--connect", endpoint, *narrow, kind="DEALER")
    worker.expect("ready")
    broker.ask("send", 4000, 0.0005, "worker", event="sent")
    broker.ask("send", 50, 0, "stranger", event="sent")
    worker.ask("finish", event="finished")
    broker.ask("send", 100, 0.01, "worker", event="sent")
    worker.ask("finish", event="finished")
    broker.close()
    worker.close()

    got = system.truth().got("worker", "broker")
    assert ("worker", 4124) in got
    swallowed = min(number for _, number in got)
    dropped = 4125 - swallowed - len(got)
    assert swallowed >= 25
    assert dropped > 0

    def is_told_apart(report: dict[str, Any]) -> None:
        rows = {row["receiver_name"]: row for row in report["ledger"]}
        assert rows["worker"]["sent"] == 4125
        assert rows["worker"]["delivered"] == len(got)
        assert rows["worker"]["causes"] == {"unroutable": swallowed, "slow_receiver": dropped}
        assert rows[None]["causes"] == {"unroutable": 75}
        assert {(item["hop"], item["cause"]) for item in report["incidents"]} == {
            ("broker → worker", "unroutable"),
            ("broker → worker", "slow_receiver"),
            ("broker → a peer that was not there", "unroutable"),
        }
        unroutable = [item for item in report["incidents"] if item["cause"] == "unroutable"]
        assert {item["certainty"] for item in unroutable} == {"exact"}
        assert sum(row["unexplained"] + row["in_flight"] for row in rows.values()) == 0
        peers = {
            item["hop"]: [seen["peers"] for seen in item["evidence"] if "peers" in seen]
            for item in unroutable
        }
        assert peers == {
            "broker → worker": [[b"worker".hex()]],
            "broker → a peer that was not there": [[b"stranger".hex()]],
        }
        assert "router_swallows" in {finding["rule"] for finding in report["findings"]}

    when_told(is_told_apart)
