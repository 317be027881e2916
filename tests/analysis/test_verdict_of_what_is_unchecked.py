"""No verdict says that nothing was lost where not everything could be checked."""

from dataclasses import replace

import pytest
from hopwatch_analysis.report.records import Analysis, Finding, LedgerRow, Unchecked
from hopwatch_analysis.report.remarks import remark
from hopwatch_analysis.report.verdict import verdict
from hopwatch_judge import Incident, advice, evidence

HEALTHY = LedgerRow("s1", "quotes", "quotes", "r1", "reader", "reader", 10, 10, 0, 0, 0)
NOTHING = Analysis(None, None, hops=(), ledger=(), incidents=(), findings=())
UNSTAMPED = Unchecked("unstamped", "s2", "plain", "r2", "plain-reader", 6000, 30)
PARTIAL = Unchecked("partial", "s3", "weather", "r3", "slow", 6000, 1000)
FROM_BARE = Unchecked("unknown_sender", None, None, "r5", "m11sub", None, 225)
ROUTED = Unchecked("routed", "s6", "hub", "r6", "spoke", 40, 15, shared_out=True)
SOUND = Unchecked("unstamped", "s7", "sound", "r7", "sound-reader", 6000, 6000)
TO_NOBODY = Unchecked("nobody", "s4", "crier", None, None, 300, None)

BURST = Incident(
    sender="weather",
    receiver="fast",
    sender_type="PUB",
    receiver_type="SUB",
    sender_end="closed",
    receiver_end="closed",
    cause="hwm_too_low",
    exact=True,
    started_at=None,
    ended_at=None,
    lost=501,
    runs=1,
    longest=501,
    onsets=1,
    streams=("s3",),
    stream_labels=("weather",),
    mean_rate=4546,
    capacity=2960,
    loss_share=0.02,
)


def headline(analysis: Analysis) -> str:
    return verdict(analysis).splitlines()[0]


@pytest.mark.parametrize("row", [UNSTAMPED, PARTIAL, TO_NOBODY, FROM_BARE, ROUTED])
def test_nothing_is_not_said_to_be_lost_where_not_all_was_checked(row: Unchecked) -> None:
    text = verdict(replace(NOTHING, ledger=(HEALTHY,), unchecked=(row,)))
    assert "NOTHING LOST" not in text
    assert "Not checked: " in text
    assert str(row.sent if row.sent is not None else row.received) in text


def test_without_stamps_the_counts_are_told() -> None:
    text = verdict(replace(NOTHING, unchecked=(UNSTAMPED,)))
    assert text.startswith(
        "No message could be checked for losses: 6000 sent and 30 received is all that is known."
    )
    assert "6000 messages sent, 30 received" in text


def test_without_stamps_it_is_told_how_many_are_missing_at_most_and_once_what_to_do() -> None:
    rows = (replace(UNSTAMPED, missing_at_most=5970), replace(UNSTAMPED, receiver="r8"))
    text = " ".join(verdict(replace(NOTHING, unchecked=rows)).split())
    assert "6000 messages sent, 30 received: 5970 are missing at most." in text
    assert text.count('To check it: Wrap both ends with sequence="stamp"') == 1


@pytest.mark.parametrize("reason", ["unstamped", "routed"])
def test_of_what_several_share_it_is_told_what_all_of_them_received(reason: str) -> None:
    text = remark(replace(ROUTED, reason=reason, received_by_all=35))
    assert text.endswith(
        "40 messages sent to all its peers, 15 received by this one and 35 by all that are watched."
    )


def test_messages_of_a_bare_sender_are_told_though_nothing_else_was_found() -> None:
    text = verdict(replace(NOTHING, unchecked=(FROM_BARE,)))
    assert text.startswith("No message could be checked for losses: only counts tell of them.")
    assert "Not checked: m11sub: 225 messages came without stamps" in text


def test_where_nothing_is_stamped_and_all_counts_agree_that_is_told() -> None:
    text = verdict(replace(NOTHING, agreed=(SOUND, replace(ROUTED, received=25))))
    assert text.startswith(
        "No message bears a number that could be checked; by the counts, as many were received as sent."
    )
    assert "By count: sound-reader (from sound): as many received as sent, 6000 messages." in text
    told = " ".join(text.split())
    assert (
        "spoke (from hub): as many received as sent, 40 messages by all its receivers, 25 by this one."
        in told
    )


def test_counts_that_agree_are_those_of_all_who_are_watched_where_somebody_is_not() -> None:
    bare = Finding("s7", "sound", "reader_not_watched", "Somebody reads it.", "Wrap who does.")
    assert headline(replace(NOTHING, agreed=(SOUND,), findings=(bare,))).endswith(
        "as many were received by all who are watched as sent."
    )


def test_where_one_receiver_has_several_senders_their_sum_agrees() -> None:
    one_of_two = replace(SOUND, sent=2000)
    told = " ".join(verdict(replace(NOTHING, agreed=(one_of_two,))).split())
    assert "as many received as sent, 6000 messages of all its senders, 2000 of this one." in told
    assert one_of_two.agreed_on == SOUND.agreed_on == 6000


def test_what_nobody_is_known_to_have_received_is_unexplained() -> None:
    lone = LedgerRow("s5", "lone", "lone", None, None, None, 100, 0, 0, 0, 100, {"unexplained": 100})
    text = verdict(replace(NOTHING, ledger=(HEALTHY, lone)))
    assert text.startswith("No loss is proven, but not every message is accounted for.")
    assert "100 of lone → no receiver that is known" in text


def test_a_receiver_is_said_to_keep_up_only_where_its_rate_shows_it() -> None:
    caught_up = verdict(replace(NOTHING, ledger=(HEALTHY,), incidents=(BURST,)))
    assert "keeps up" not in caught_up + str(advice(BURST)) + str(evidence(BURST))
    assert "fast had caught up in between" in caught_up
    fast_enough = replace(BURST, capacity=9000)
    assert "keeps up with the mean rate" in str(advice(fast_enough))
    assert "caught_up" not in {item["kind"] for item in evidence(fast_enough)}


def test_what_was_skipped_is_named_and_nothing_is_said_to_be_whole() -> None:
    files = tuple((f"batch-{number}.parquet", "damaged: no pages") for number in range(5))
    text = verdict(replace(NOTHING, ledger=(HEALTHY,), skipped=files))
    assert text.startswith("No loss is proven, but not everything that happened is known.")
    assert "  - batch-0.parquet was skipped: damaged: no pages" in text
    assert "  - and 2 more files: see skipped_files in the report" in text


@pytest.mark.parametrize(
    ("sender", "receiver", "sent", "who", "counts"),
    [
        ("quotes", "reader", 9, "reader (from quotes)", "9 messages sent, 5 received."),
        (None, "reader", None, "reader", "not known how many sent, 5 received."),
    ],
)
def test_where_a_file_was_skipped_no_other_reason_is_given(
    sender: str | None, receiver: str, sent: int | None, who: str, counts: str
) -> None:
    row = Unchecked("unreadable", sender and "s1", sender, "r1", receiver, sent, 5)
    assert remark(row) == (
        f"{who}: a file of an end's host could not be used, see skipped_files in the report; {counts}"
    )
