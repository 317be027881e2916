"""The verdict never says that all is well where it does not know."""

from dataclasses import replace

from hopwatch_analysis.report.records import Analysis, Fault, Hop, LedgerRow, LostEvents, Node
from hopwatch_analysis.report.verdict import verdict

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
    assert "They did not arrive, and nothing shows where they were lost, or why:" in told
    without_a_file = verdict(Analysis(**vars(SOUND) | lossy | {"skipped": (("x.parquet", "damaged"),)}))
    assert "Not everything that happened is known (below)" in without_a_file


def test_where_all_was_told_nothing_is_said_about_it() -> None:
    assert verdict(SOUND).splitlines()[0] == "NOTHING LOST: every message is accounted for."
    assert "INCOMPLETE" not in verdict(SOUND)
