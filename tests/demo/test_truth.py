"""Whether a demo's report equals the truth is found by the numbers that its programs wrote down."""

import json
from pathlib import Path
from typing import Any

import pytest
from hopwatch_demo.truth import Truth, differences, read_truth

TRUE = Truth(sent=100, received={"slow": 60, "fast": 100})


def ledger_row(receiver: str, **terms: int) -> dict[str, Any]:
    return {"receiver_name": receiver, "sent": 100, "in_flight": 0, "unexplained": 0, **terms}


RIGHT: dict[str, Any] = {
    "ledger": [ledger_row("slow", delivered=60, lost=40), ledger_row("fast", delivered=100, lost=0)],
    "hops": [
        {"hop": "quotes → proxy", "lost": 0},
        {"hop": "proxy → slow", "lost": 40},
        {"hop": "proxy → fast", "lost": 0},
    ],
}


def told_of(report: dict[str, Any], folder: Path) -> list[str]:
    path = folder / "report.json"
    path.write_text(json.dumps(report))
    return differences(path, TRUE)


def test_the_truth_is_what_was_sent_and_which_numbers_came_however_often(tmp_path: Path) -> None:
    (tmp_path / "quotes.sent").write_text("5")
    (tmp_path / "slow.received").write_text("0\n3\n3\n")
    (tmp_path / "fast.received").write_text("0\n1\n2\n3\n4\n")
    truth = read_truth(tmp_path, ("slow", "fast"))
    assert truth == Truth(sent=5, received={"slow": 2, "fast": 5})
    assert (truth.missing("slow"), truth.missing("fast")) == (3, 0)


def test_a_report_that_equals_it_differs_in_nothing(tmp_path: Path) -> None:
    assert told_of(RIGHT, tmp_path) == []


@pytest.mark.parametrize(
    ("term", "value", "sentence"),
    [
        ("delivered", 61, "slow: delivered is 61 in the report, 60 in truth"),
        ("lost", 39, "slow: lost is 39 in the report, 40 in truth"),
        ("in_flight", 1, "slow: in_flight is 1 in the report, 0 in truth"),
        ("unexplained", 1, "slow: unexplained is 1 in the report, 0 in truth"),
    ],
)
def test_each_term_of_the_ledger_that_is_another_is_told(
    tmp_path: Path, term: str, value: int, sentence: str
) -> None:
    wrong = RIGHT | {"ledger": [RIGHT["ledger"][0] | {term: value}, RIGHT["ledger"][1]]}
    assert told_of(wrong, tmp_path) == [sentence]


def test_who_is_not_in_the_ledger_is_told(tmp_path: Path) -> None:
    wrong = RIGHT | {"ledger": RIGHT["ledger"][:1]}
    assert told_of(wrong, tmp_path) == ["the ledger does not know fast"]


def test_a_loss_on_another_hop_is_told_of_both(tmp_path: Path) -> None:
    wrong = RIGHT | {"hops": [{"hop": "quotes → proxy", "lost": 40}, {"hop": "proxy → slow", "lost": 0}]}
    assert told_of(wrong, tmp_path) == [
        "hop quotes → proxy: 40 lost in the report, 0 in truth",
        "hop proxy → slow: 0 lost in the report, 40 in truth",
    ]
