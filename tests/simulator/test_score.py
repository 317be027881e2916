"""Scores: a report that tells the truth scores full marks, and each way to be wrong is told apart."""

import copy
from typing import Any

from hopwatch_simulate.score import Score, Tally

TRUTH: dict[str, Any] = {
    "ledger": [
        {"stream": "a", "name": "quotes", "receiver": "b", "receiver_name": "desk", "sent": 100, "delivered": 90, "lost": 10,
         "in_flight": 0, "unseen": 0, "open": False, "knowable": True},
    ],
    "hops": [
        {"from": {"name": "quotes", "sockets": ["a"]}, "to": {"name": "desk", "sockets": ["b"]}, "lost": 10, "unseen": 0, "knowable": True,
         "causes": [{"cause": "closed", "lost": 10, "knowable": True, "unknowable_by": [], "ranges": []}]},
    ],
    "refused": [{"socket": "a", "name": "quotes", "messages": 5, "knowable": True}],
}  # fmt: skip
REPORT: dict[str, Any] = {
    "ledger": [
        {"stream": "a", "name": "quotes", "receiver": "b", "receiver_name": "desk", "sent": 100, "delivered": 90, "lost": 10,
         "in_flight": 0, "unexplained": 0},
    ],
    "hops": [
        {"hop": "quotes → desk", "from": {"socket": "a", "name": "quotes"}, "to": {"socket": "b", "name": "desk"}, "lost": 10},
    ],
    "incidents": [{"hop": "quotes → desk", "cause": "closed", "certainty": "exact", "lost": 10}],
    "findings": [{"socket": "a", "rule": "refused", "text": "quotes had 5 sends refused with EAGAIN, beside 100 that libzmq took"}],
}  # fmt: skip


def scored(report: dict[str, Any], truth: dict[str, Any] = TRUTH) -> Score:
    score = Score()
    score.add(report, truth)
    return score


def test_the_truth_scores_full_marks() -> None:
    score = scored(REPORT)
    assert score.disagreements == []
    assert (score.hops.found, score.causes.found, score.exact, score.books) == (1, 1, 1, 1)


def test_another_cause_is_made_up_the_true_one_missed_and_an_exact_one_wrong() -> None:
    report = copy.deepcopy(REPORT)
    report["incidents"][0]["cause"] = "network"
    score = scored(report)
    assert (score.causes.precision, score.causes.recall, score.wrong_exact) == (0.0, 0.0, 1)
    assert score.by_cause == {"network": Tally(made_up=1), "closed": Tally(missed=1)}
    assert score.hops.precision == score.hops.recall == 1.0


def test_refused_sends_are_told_with_their_number_or_missed() -> None:
    report = copy.deepcopy(REPORT)
    assert scored(report).refused == Tally(found=1)
    report["findings"][0]["text"] = "quotes had 4 sends refused"
    assert scored(report).refused == Tally(made_up=1, missed=1)
    report["findings"] = []
    assert scored(report).refused == Tally(missed=1)


def test_a_loss_on_another_hop_is_made_up_and_the_true_one_missed() -> None:
    report = copy.deepcopy(REPORT)
    report["hops"][0]["to"]["socket"] = "c"
    assert (scored(report).hops.made_up, scored(report).hops.missed) == (1, 1)


def test_unexplained_keeps_the_books_true_and_leaves_the_hop_unnamed() -> None:
    report = copy.deepcopy(REPORT)
    report["incidents"] = []
    report["hops"][0]["lost"] = 0
    report["ledger"][0] |= {"lost": 0, "unexplained": 10}
    score = scored(report)
    assert (score.wrong_books, score.hops.missed, score.causes.missed) == (0, 1, 1)


def test_a_message_too_few_makes_the_books_untrue() -> None:
    report = copy.deepcopy(REPORT)
    report["ledger"][0]["lost"] = 9
    assert scored(report).wrong_books == 1


def test_a_kill_for_memory_is_to_be_told_where_it_was_one_and_nowhere_else() -> None:
    truth, report = copy.deepcopy(TRUTH), copy.deepcopy(REPORT)
    truth["hops"][0]["causes"][0]["for_memory"] = True
    report["incidents"][0]["evidence"] = [{"kind": "oom", "text": "", "limit": 1}]
    assert [
        scored(told, true).memory for told, true in ((report, truth), (REPORT, truth), (report, TRUTH))
    ] == [
        Tally(found=1),
        Tally(missed=1),
        Tally(made_up=1),
    ]


def test_what_cannot_be_known_may_be_told_and_need_not() -> None:
    truth = copy.deepcopy(TRUTH)
    truth["hops"][0]["causes"][0] |= {"knowable": False, "unknowable_by": ["untold"]}
    silent = copy.deepcopy(REPORT)
    silent["incidents"] = []
    for report in (REPORT, silent):
        score = scored(report, truth)
        assert (score.causes.made_up, score.causes.missed) == (0, 0)


def test_an_exact_cause_is_wrong_where_the_truth_is_of_another_hop_between_the_same_ends() -> None:
    truth = copy.deepcopy(TRUTH)
    truth["hops"][0]["to"] |= {"name": "hub", "sockets": ["h"]}
    truth["hops"][0] |= {"knowable": False, "between": [["a", "b"]]}
    score = scored(REPORT, truth)
    assert (score.hops.made_up, score.causes.made_up, score.wrong_exact) == (0, 0, 1)


def test_another_count_of_a_cause_is_told() -> None:
    report = copy.deepcopy(REPORT)
    report["incidents"][0]["lost"] = 7
    assert (scored(report).wrong_cause_counts, scored(report).cause_counts) == (1, 1)


def test_a_loss_between_two_that_had_nothing_to_do_with_each_other_is_made_up() -> None:
    report = copy.deepcopy(REPORT)
    report["ledger"].append(report["ledger"][0] | {"receiver": "c", "receiver_name": "stranger"})
    assert scored(report).disagreements == [
        "books made up: quotes → stranger: sent 100, delivered 90, lost 10"
    ]


def test_what_is_unexplained_between_two_that_had_nothing_to_do_with_each_other_is_made_up() -> None:
    report = copy.deepcopy(REPORT)
    stranger = {"receiver": "c", "receiver_name": "stranger", "delivered": 0, "lost": 0}
    report["ledger"].append(report["ledger"][0] | stranger | {"unexplained": 7})
    assert scored(report).disagreements == ["books made up: quotes → stranger: sent 100, unexplained 7"]


def test_of_no_receiver_in_particular_no_more_may_be_missing_than_the_stream_lost() -> None:
    nobody = {"receiver": None, "receiver_name": None, "delivered": 0, "lost": 0}
    moved, more = copy.deepcopy(REPORT), copy.deepcopy(REPORT)
    moved["ledger"][0]["lost"] = 4
    moved["ledger"].append(REPORT["ledger"][0] | nobody | {"unexplained": 6})
    more["ledger"].append(REPORT["ledger"][0] | nobody | {"unexplained": 1})
    assert (scored(moved).wrong_books, scored(moved).books_in_sum) == (0, 1)
    of_desk = "quotes → desk: sent 100, delivered 90, lost 10"
    assert scored(more).disagreements == [
        f"books made up: {of_desk}; quotes → None: sent 100, unexplained 1; true is {of_desk}"
    ]
    assert scored(more, unknowable("dark")).wrong_books == 0


def of_table(**other: Any) -> dict[str, Any]:
    row = {
        "stream": "a",
        "lane": 0,
        "mark": "20-29",
        "from_socket": "a",
        "to_socket": "b",
        "cause": "closed",
        "certainty": "exact",
    }
    return row | other


def test_an_exact_range_is_held_against_just_those_messages() -> None:
    truth = copy.deepcopy(TRUTH)
    truth["hops"][0]["causes"][0]["ranges"] = [
        {"stream": "a", "lane": 0, "first": 18, "last": 24},
        {"stream": "a", "lane": 0, "first": 25, "last": 29},
    ]

    def wrong(**other: Any) -> tuple[int, int]:
        score = Score()
        score.add(REPORT, truth, [of_table(**other)])
        return score.wrong_exact_ranges, score.exact_ranges

    assert wrong() == (0, 1)
    assert wrong(mark="21-30") == (1, 1)
    assert wrong(lane=1) == (1, 1)
    assert wrong(cause="network") == (1, 1)
    assert wrong(to_socket="c") == (1, 1)
    assert wrong(certainty="inferred", mark="90-99") == (0, 0)
    assert wrong(cause="unexplained", mark="90-99") == (0, 0)


def test_causes_that_cannot_be_known_count_among_all_and_are_left_out_with_a_reason() -> None:
    truth = copy.deepcopy(TRUTH)
    truth["hops"][0]["causes"][0] |= {"knowable": False, "unknowable_by": ["untold"]}
    report = copy.deepcopy(REPORT)
    report["incidents"] = []
    score = scored(report, truth)
    assert (score.causes, score.all_causes) == (Tally(), Tally(missed=1))
    assert score.left_out.why_causes == {"untold": 1}


def test_of_causes_that_cannot_be_known_it_is_counted_what_was_told() -> None:
    truth = copy.deepcopy(TRUTH)
    truth["hops"][0]["causes"][0] |= {"knowable": False, "unknowable_by": ["untold"]}
    silent, otherwise = copy.deepcopy(REPORT), copy.deepcopy(REPORT)
    silent["incidents"] = []
    otherwise["incidents"][0]["cause"] = "network"
    told = [scored(report, truth).unknowable for report in (REPORT, silent, otherwise)]
    assert told == [{"so": 1}, {"no cause": 1}, {"another cause": 1}]


def test_counts_of_which_more_than_one_is_right_are_counted() -> None:
    truth = copy.deepcopy(TRUTH)
    truth["hops"][0]["unseen"] = 4
    truth["hops"][0]["causes"][0] |= {"at_least": 6, "at_most": 10}
    score = scored(REPORT, truth)
    assert (score.counts_in_bounds, score.cause_counts_in_bounds) == (1, 1)
    assert (scored(REPORT).counts_in_bounds, scored(REPORT).cause_counts_in_bounds) == (0, 0)


def unknowable(*reasons: str) -> dict[str, Any]:
    truth = copy.deepcopy(TRUTH)
    truth["ledger"][0] |= {"knowable": False, "unknowable_by": [*reasons]}
    truth["hops"][0]["knowable"] = False
    return truth | {"hops": [truth["hops"][0] | {"between": []}]}


def test_what_cannot_be_known_is_left_out_and_counted() -> None:
    left_out = scored(REPORT, unknowable("dark")).left_out
    assert (left_out.hops, left_out.lost_on_hops, left_out.rows, left_out.lost_in_rows) == (1, 10, 1, 10)
    assert left_out.why == {"dark": 1}
    assert scored(REPORT).left_out.rows == 0


def test_books_that_cannot_be_exact_may_not_have_less_missing_than_was_lost() -> None:
    report = copy.deepcopy(REPORT)
    report["ledger"][0] |= {"lost": 2, "unexplained": 5, "in_flight": 3}
    assert scored(report, unknowable("untraceable")).wrong_bounds == 0
    report["ledger"][0] |= {"in_flight": 2}
    score = scored(report, unknowable("untraceable"))
    assert score.wrong_bounds == 1
    assert any(line.startswith("books short (untraceable)") for line in score.disagreements)
    assert scored(report, unknowable("untraceable", "dark")).wrong_bounds == 0


def test_books_of_a_shared_out_stream_that_hold_in_their_sum_alone_are_counted_apart() -> None:
    truth, report = copy.deepcopy(TRUTH), copy.deepcopy(REPORT)
    assert scored(report, truth).books_in_sum == 0
    of_nobody = report["ledger"][0] | {"receiver": None, "receiver_name": None, "delivered": 0, "lost": 10}
    report["ledger"][0] |= {"sent": 90, "lost": 0}
    report["ledger"].append(of_nobody)
    score = scored(report, truth)
    assert (score.books_in_sum, score.wrong_books) == (1, 0)
    report["ledger"][1]["lost"] = 9
    score = scored(report, truth)
    assert (score.books_in_sum, score.wrong_books) == (0, 1)


def test_losses_that_nothing_shows_yet_may_be_told_and_need_not() -> None:
    truth, report = copy.deepcopy(TRUTH), copy.deepcopy(REPORT)
    truth["ledger"][0] |= {"unseen": 4, "open": True}
    truth["hops"][0]["unseen"] = 4
    truth["hops"][0]["causes"][0] |= {"at_least": 6, "at_most": 10}
    for lost, wrong in ((10, 0), (6, 0), (5, 1), (11, 1)):
        report["ledger"][0] |= {"lost": lost, "in_flight": 10 - lost}
        report["hops"][0]["lost"] = report["incidents"][0]["lost"] = lost
        score = scored(report, truth)
        assert (score.wrong_books, score.wrong_counts, score.wrong_cause_counts) == (wrong, wrong, wrong)
