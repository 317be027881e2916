"""Of one report about many systems, each case sees what is of its own, and fails if that is not the truth."""

from pathlib import Path
from typing import Any

import pytest
from docket import Case, Report, mark_of, of_nobody, part_of
from expected import Expected, as_reported
from judgement import reported_findings


def told(mark: str, lost: int) -> dict[str, list[dict[str, Any]]]:
    """What a report says of a feed of which one reader misses messages."""
    books = {"sent": 10, "delivered": 10 - lost, "lost": lost, "in_flight": 0, "unexplained": 0}
    hop = f"{mark}feed → {mark}reader"
    ends = {
        "from": {"socket": f"socket of {mark}", "type": "PUB"},
        "to": {"socket": f"other of {mark}", "type": "SUB"},
    }
    return {
        "hops": [{"hop": hop, **ends, **books}],
        "ledger": [{"name": f"{mark}feed", "receiver_name": f"{mark}reader", **books}],
        "incidents": [
            {
                "hop": hop,
                "cause": "slow_receiver",
                "certainty": "inferred",
                "lost": lost,
                "evidence": [{"kind": "onset", "text": "seen"}],
                "advice": ["change it"],
            }
        ],
        "not_checked": [],
        "clocks": [],
        "findings": [{"socket": f"socket of {mark}", "rule": "uneven_marks"}],
    }


def report_of(**lost_by_mark: int) -> Report:
    parts = [told(f"{mark}.", lost) for mark, lost in lost_by_mark.items()]
    return {name: [row for part in parts for row in part[name]] for name in parts[0]}


TRUE_OF_TWO = reported_findings(told("", 2))


def test_a_case_sees_its_own_rows_in_plain_names() -> None:
    assert part_of(report_of(case1=1, case11=2), "case11.") == part_of(told("", 2), "")


def test_a_case_holds_where_its_own_rows_are_the_truth_whatever_others_are() -> None:
    Case("case2.", (), expected=Expected(TRUE_OF_TWO)).hold(report_of(case1=1, case2=2))


@pytest.mark.parametrize("report", [report_of(case1=2, case2=3), report_of(case1=2)])
def test_a_case_fails_where_its_own_rows_are_not_the_truth_or_not_there(report: Report) -> None:
    with pytest.raises(AssertionError):
        Case("case2.", (), expected=Expected(TRUE_OF_TWO)).hold(report)


@pytest.mark.parametrize("name", ["evidence", "advice"])
def test_a_case_fails_where_an_incident_has_nothing_to_show_or_to_advise(name: str) -> None:
    report = report_of(case2=2)
    report["incidents"][0][name] = []
    with pytest.raises(AssertionError):
        Case("case2.", (), expected=Expected(TRUE_OF_TWO)).hold(report)


@pytest.mark.parametrize(
    ("cause", "advice"),
    [
        ("slow_receiver", "Make it faster: it reads 629 messages/s, and gets sent 568."),
        ("slow_receiver", "It reads on: it reads 100 messages/s, and gets sent 200. each 1000 messages of SNDHWM or RCVHWM last 90 s at these rates."),
        ("slow_receiver", "Raise RCVHWM of reader from 100 to at least 500."),
        ("slow_receiver", "Make it faster, and set SNDHWM of feed to 5000."),
        ("network", "each 1000 messages of SNDHWM or RCVHWM last 1 s at these rates"),
        ("hwm_too_low", "Raise SNDHWM of feed from 100 to at least 50: room"),
        ("receiver_died", "A lower RCVHWM (now 1) bounds how many that can be: at 0, no more than 0"),
    ],
)  # fmt: skip
def test_a_case_fails_where_its_advice_contradicts_itself(cause: str, advice: str) -> None:
    report = report_of(case2=2)
    report["incidents"][0] |= {"cause": cause, "advice": [advice]}
    with pytest.raises(AssertionError, match="unsound advice"):
        Case("case2.", ()).hold(report)


def test_a_case_fails_where_what_is_to_hold_besides_does_not() -> None:
    def has_no_finding(report: Report) -> None:
        assert report["findings"] == []

    with pytest.raises(AssertionError):
        Case("case1.", (), has_no_finding, Expected(TRUE_OF_TWO)).hold(report_of(case1=2))


def test_rows_that_no_case_sees_are_named() -> None:
    (hop, row, incident) = of_nobody(report_of(case1=1, case7=2), [Case("case1.", (Path(),))])
    assert all("case7.feed" in text for text in (hop, row, incident))


def test_no_mark_is_within_another() -> None:
    some = [mark_of(f"test {number}") for number in range(200)]
    assert not [(one, other) for one in some for other in some if one is not other and one in other]


def test_a_case_fails_where_what_numbers_prove_is_told_as_inferred() -> None:
    case = Case("case1.", (), expected=Expected(TRUE_OF_TWO, exact=[("feed → reader", "slow_receiver")]))
    with pytest.raises(AssertionError, match="surely"):
        case.hold(report_of(case1=2))


def test_a_case_fails_where_the_advice_on_a_cause_lacks_a_text() -> None:
    report = report_of(case2=2)
    Case("case2.", (), expected=Expected(TRUE_OF_TWO, advice={"slow_receiver": "change"})).hold(report)
    with pytest.raises(AssertionError):
        Case("case2.", (), expected=Expected(TRUE_OF_TWO, advice={"slow_receiver": "raise"})).hold(report)


def test_a_report_says_what_it_is_expected_to_say_once_it_is_frozen() -> None:
    expected = as_reported(told("", 2))
    assert expected.rules == ["uneven_marks"]
    Case("case2.", (), expected=expected).hold(report_of(case2=2))
    for other in (report_of(case2=3), {**report_of(case2=2), "findings": []}):
        with pytest.raises(AssertionError):
            Case("case2.", (), expected=expected).hold(other)
