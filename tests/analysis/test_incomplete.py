"""The verdict never says that all is well where it does not know."""

from dataclasses import replace
from datetime import datetime, timezone

import pytest
from hopwatch_analysis.report.records import (
    Analysis,
    Fault,
    Finding,
    Hop,
    LedgerRow,
    LostEvents,
    Node,
    Unchecked,
)
from hopwatch_analysis.report.verdict import LEAVE_LOSSES_OPEN, verdict

SOUND = Analysis(
    began_at=None,
    ended_at=None,
    hops=(),
    ledger=(LedgerRow("a" * 16, "quotes", "quotes", "b" * 16, "reader", "reader", 10, 10, 0, 0, 0),),
    incidents=(),
    findings=(),
)


def test_lost_events_and_faults_are_told_and_bounded() -> None:
    faults = tuple(Fault(None, "web-1", None, None, f"events, byte {number}: garbage") for number in range(5))
    lost = (LostEvents("web-2", "c" * 16, "python app.py", 7), LostEvents("web-3", "d" * 16, None, 2, 1))
    told = verdict(
        Analysis(**vars(SOUND) | {"faults": faults, "fault_count": 12, "lost_events": lost})
    ).splitlines()
    assert told[0] == "No loss is proven, but not everything that happened is known."
    assert told[4:] == [
        "INCOMPLETE: some of what happened was not told, so that losses may be missing or misplaced above:",
        "  - 7 events of python app.py on web-2 went before the agent had read them",
        "  - 1 event of a process on web-3 could not be read",
        "  - 1 event of a process on web-3 went before the agent had read them",
        "  - web-1: events, byte 0: garbage",
        "  - web-1: events, byte 1: garbage",
        "  - web-1: events, byte 2: garbage",
        "  - and 9 more faults: see faults in the report",
    ]


def test_a_fault_of_a_socket_says_of_whose_losses_no_cause_is_known() -> None:
    fault = Fault(None, "web-1", None, "e" * 16, "KeyError: 7", "reader")
    told = verdict(Analysis(**vars(SOUND) | {"faults": (fault,), "fault_count": 1})).splitlines()
    assert told[5] == "  - web-1: KeyError: 7: why anything is missing at reader is not known"


def test_what_is_unexplained_beside_losses_is_in_the_headline_and_what_withholds_a_cause_is_said() -> None:
    ends = (Node("h", "p", name, name, name, None) for name in ("quotes", "reader"))
    lossy = {
        "hops": (Hop(*ends, "tcp", 10, 5, 2, 0, 3),),
        "ledger": (replace(SOUND.ledger[0], delivered=5, lost=2, unexplained=3),),
    }
    told = verdict(Analysis(**vars(SOUND) | lossy))
    assert told.splitlines()[0] == (
        "LOST: 2 messages on quotes → reader; 3 more did not arrive, and nothing explains it."
    )
    assert (
        "UNEXPLAINED: 3 messages. They did not arrive, and nothing shows where they were lost, or why:"
        in told
    )
    without_a_file = verdict(Analysis(**vars(SOUND) | lossy | {"skipped": (("x.parquet", "damaged"),)}))
    assert without_a_file.splitlines()[0] == (
        "LOST: 2 messages on quotes → reader; that 3 more arrived nothing tells."
    )
    assert "Not everything that happened is known (below)" in " ".join(without_a_file.split())
    assert "did not arrive" not in without_a_file
    assert "reader (from quotes): at least 5 of 10 delivered; " in without_a_file


@pytest.mark.parametrize("rule", sorted(LEAVE_LOSSES_OPEN))
def test_beside_somebody_whom_nobody_watches_it_is_not_said_that_nothing_was_lost(rule: str) -> None:
    found = Finding("a" * 16, "quotes", rule, "Somebody reads it.", "Wrap who does.")
    assert verdict(replace(SOUND, findings=(found,))).splitlines()[0] == (
        "No loss was found, but not every message could be checked."
    )


def test_a_time_of_which_nothing_has_landed_is_told_as_such() -> None:
    landed = datetime(2026, 5, 4, tzinfo=timezone.utc)
    asked_for = {"began_at": landed, "ended_at": datetime(2020, 1, 1, tzinfo=timezone.utc), "ledger": ()}
    told = verdict(Analysis(**vars(SOUND) | asked_for)).splitlines()[0]
    assert told.startswith("Nothing that has landed is of the time that was asked for")


def test_where_all_was_told_nothing_is_said_about_it() -> None:
    assert verdict(SOUND).splitlines()[0] == "NOTHING LOST: every message is accounted for."
    assert "INCOMPLETE" not in verdict(SOUND)


def test_that_messages_did_not_arrive_is_not_said_of_whom_nobody_watched() -> None:
    """They went to a bare reader, or to one that something else read by."""
    to_nobody = replace(
        SOUND.ledger[0],
        stream="f" * 16,
        label="stamper",
        receiver=None,
        receiver_label=None,
        delivered=0,
        unexplained=10,
    )
    read_past_us = replace(
        SOUND.ledger[0], receiver="d" * 16, receiver_label="echo", delivered=0, unexplained=7
    )
    finding = Finding("d" * 16, "echo", "handed_over", "It was handed over.", "Do not.")
    told = verdict(
        Analysis(**vars(SOUND) | {"ledger": (*SOUND.ledger, to_nobody, read_past_us), "findings": (finding,)})
    )
    assert "did not arrive" not in told
    assert (
        "UNEXPLAINED: 17 messages. Whether they arrived is not known, since nobody watched who was to read them:"
        in " ".join(told.split())
    )
    assert "10 of stamper → no receiver that is known" in told
    assert "7 of quotes → echo" in told


def test_nor_of_a_shared_out_stream_of_which_somebody_unknown_may_have_got_some() -> None:
    known = replace(SOUND.ledger[0], delivered=5, unexplained=5)
    beside_a_stranger = replace(SOUND, ledger=(known,), shared_with_strangers=frozenset({known.stream}))
    assert "UNEXPLAINED: 5 messages. They did not arrive" in " ".join(
        verdict(replace(SOUND, ledger=(known,))).split()
    )
    assert (
        "UNEXPLAINED: 5 messages. Others than the receivers that are watched read these streams too"
        in " ".join(verdict(beside_a_stranger).split())
    )


def test_full_pipes_are_in_the_headline_where_counts_alone_tell() -> None:
    found = Finding("a" * 16, "pub", "full_for_somebody_unknown", "pub met full pipes.", "Wrap all.")
    row = Unchecked("partial", "a" * 16, "pub", "b" * 16, "sub", 40_000, 11_000)
    told = verdict(
        Analysis(**vars(SOUND) | {"ledger": (), "hops": (), "unchecked": (row,), "findings": (found,)})
    )
    assert " ".join(told.split()).startswith(
        "No message could be checked for losses: 40000 sent and 11000 received is all that is known; full pipes were met, at which messages may have been dropped."
    )
