"""report.json has the keys that others build on, each of its type, whatever the report tells of."""

from datetime import datetime
from typing import Any

import pytest
from landed_folder import LandedFolder
from stories import Json, pub_sub

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

END = {"host": str, "process": str, "socket": str, "name": str, "type": str}
COUNTS = dict.fromkeys(("sent", "delivered", "lost", "in_flight", "unexplained"), int)
SHAPE: dict[str, dict[str, Any]] = {
    "hops": {"hop": str, "from": END, "to": END, "transport": str, **COUNTS},
    "ledger": {"stream": str, "name": str, **COUNTS},
    "incidents": {
        "hop": str,
        "cause": str,
        "certainty": str,
        "started_at": datetime,
        "ended_at": datetime,
        "lost": int,
        "streams": list,
        "evidence": list,
        "advice": list,
    },
    "findings": {"socket": str, "rule": str, "text": str, "advice": str},
}
CAUSES = {"slow_joiner", "reconnect", "receiver_died", "sender_died", "slow_receiver", "hwm_too_low", "network", "closed", "unroutable", "oversize", "conflated"}  # fmt: skip


def refuses(story: LandedFolder) -> None:
    """So that a finding is among what is held."""
    pub_sub(story, "shaped", "shape")
    story.sent("shaped", 10, 40)
    story.got("shape", "shaped", 10, 0, 9, 45)
    story.counters("shaped", 49, final=True, sent=10, eagain_sends=3)


STORIES = (refuses,)


def fits(told: Any, shape: Any) -> bool:
    if isinstance(shape, dict):
        return all(name in told and fits(told[name], of) for name, of in shape.items())
    if shape is datetime:
        return isinstance(told, str) and told.endswith("Z") and bool(datetime.fromisoformat(told[:-1]))
    return type(told) is shape


@pytest.mark.parametrize("name", SHAPE)
def test_each_row_of_a_list_has_its_keys(joint_report: Json, name: str) -> None:
    assert joint_report[name]
    assert [row for row in joint_report[name] if not fits(row, SHAPE[name])] == []


def test_the_window_has_both_ends(joint_report: Json) -> None:
    assert fits(joint_report["window"], {"from": datetime, "to": datetime})


def test_incidents_have_a_known_cause_with_evidence_and_advice_in_words(joint_report: Json) -> None:
    incidents = joint_report["incidents"]
    assert {incident["cause"] for incident in incidents} <= CAUSES
    assert {incident["certainty"] for incident in incidents} == {"exact", "inferred"}
    for incident in incidents:
        assert incident["evidence"]
        assert all(fits(item, {"kind": str, "text": str}) for item in incident["evidence"])
        assert incident["advice"]
        assert all(type(text) is str for text in incident["advice"] + incident["streams"])
