"""Cases from rows, and rows from verdicts."""

import json

import pytest
from hopwatch_judge.books import Delivered
from hopwatch_judge.case import Down, Hop, Lane, Link, Socket, Way
from hopwatch_judge.judge import Verdict
from hopwatch_judge.rows import case_of, rows_of
from hopwatch_judge.steps import Account, Pressure

OWN = ("case", json.dumps({"ends_at": 9.0, "guard": 5.0, "window": ["x"], "unreadable": False}))


def row(kind: str, **fields: object) -> tuple[str, str]:
    """Return a row of a case."""
    return kind, json.dumps(fields)


def test_a_record_has_what_its_row_says() -> None:
    case = case_of([OWN, row("sockets", id="x", type="PUB", probed=True)])
    assert case.sockets == {"x": Socket("x", type="PUB", probed=True)}
    assert (case.ends_at, case.guard, case.window) == (9.0, 5.0, frozenset({"x"}))


def test_what_a_row_leaves_out_is_not_known() -> None:
    """It is None where that may be, and else as in most records."""
    case = case_of([OWN, row("lanes", stream="x", lane=0)])
    assert case.lanes == (Lane("x", 0, counted_from=None),)
    assert case.lanes[0].all_counted


def test_records_within_records_are_records() -> None:
    way = row(
        "ways", stream="x", receiver="y", hops=[{"from_socket": "x", "to_socket": "y", "replaced": True}]
    )
    link = row(
        "links",
        from_socket="x",
        to_socket="y",
        downs=[{"start": 1.0}],
        former_downs=[{"start": 1.0, "end": 2.0, "peer": "z"}],
    )
    case = case_of([OWN, way, link])
    assert case.ways == (Way("x", "y", (Hop("x", "y", replaced=True),)),)
    assert case.links == {
        ("x", "y"): Link("x", "y", downs=(Down(1.0, None),), former_downs=(Down(1.0, 2.0, "z"),))
    }


def test_lanes_that_are_not_checked_and_downs_of_nobody_known_go_by_their_names() -> None:
    unknown = row("unknown_downs", sender="x", downs=[{"start": 1.0}])
    case = case_of([OWN, row("not_checked", stream="x", receiver="y", lane=3), unknown])
    assert case.not_checked == {("x", "y", 3)}
    assert case.unknown_downs == {"x": (Down(1.0, None),)}


def test_a_field_that_no_record_has_is_a_fault() -> None:
    with pytest.raises(TypeError, match="colour"):
        case_of([OWN, row("sockets", id="x", colour="red")])


def test_a_verdict_is_told_by_the_fields_of_its_records() -> None:
    account = Account("x", "y", 0, "3-6", 4, 1, "x", "y", "closed", True)
    edge = ("x", "x", "y")
    verdict = Verdict(
        [account], [Delivered("x", "y", 6)], [], {edge: Pressure(mean_rate=2.0)}, {edge: 0.5}, [], [], []
    )
    told = {each.kind: json.loads(each.row) for each in rows_of(verdict)}
    assert told.keys() == {"accounts", "delivered", "pressure"}
    assert told["accounts"] == account._asdict()
    assert told["pressure"]["mean_rate"] == 2.0
    assert (told["pressure"]["stream"], told["pressure"]["to_socket"], told["pressure"]["sent_on"]) == (
        "x",
        "y",
        0.5,
    )
