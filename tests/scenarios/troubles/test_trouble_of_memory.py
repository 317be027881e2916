"""Huge messages."""

import signal
from pathlib import Path
from typing import Any

import pytest
from memory_limit import NoLimitError, limited
from trouble_books import Report, causes, loses, words_on
from trouble_stories import CONNECTIONS, NewTrouble, Shown, Story, Told
from troubles import Trouble, address, eventually

pytestmark = pytest.mark.scenario

MEMORY = 100_000_000


def test_huge_messages_fill_the_memory_of_who_does_not_read_them(
    new_trouble: NewTrouble, told: Told, shown: Shown
) -> None:
    trouble = new_trouble("huge_messages")
    try:
        with limited(MEMORY) as cgroup, limited(MEMORY) as bare_cgroup:
            _with_little_memory(trouble, cgroup, bare_cgroup)
    except NoLimitError as error:
        pytest.skip(str(error))
    full = "a mark counts messages, whatever their size, and a full queue takes 200 MB"
    killed = "was killed by the kernel, for memory"
    on_their_way = "messages or more were on their way to a receiver that died"
    shown(
        trouble,
        Story(
            (full, killed),
            page=("nothing lost just now, but ", on_their_way),
            terminal=("DIED WITH MESSAGES ON THEIR WAY (1)",),
            of=("publisher", "PUB"),
            top=(
                CONNECTIONS,
                r"(?s)disconnected +publisher +subscriber .*was killed by the kernel, for memory",
            ),
        ),
    )
    publisher, subscriber = trouble.programs["publisher"], trouble.programs["subscriber"]
    publisher.end()
    sent, received = publisher.sent(), subscriber.received()

    def the_kernel_killed_it(report: Report) -> None:
        (row,) = report["ledger"]  # who is dead is owed no more
        assert row["sent"] <= len(sent)
        # one may have been taken, and not yet written down, when the kernel killed it
        assert len(received) <= row["delivered"] <= len(received) + 1
        loses(report, row["sent"] - row["delivered"])
        found = causes(report)
        assert found["receiver_died"] > 0
        words = words_on(report, "receiver_died")
        assert "the kernel killed for memory in the cgroup of subscriber" in words
        assert "a queue takes up to 1000 messages of 200 kB" in words
        assert [one["rule"] for one in report["findings"]].count("queues_beyond_memory") == 1

    told(trouble, the_kernel_killed_it)


def _with_little_memory(trouble: Trouble, cgroup: Path, bare_cgroup: Path) -> None:
    trouble.begin_agent()
    trouble.await_agent()
    hosts = address(), address()
    for start, folder, host in zip(
        (trouble.start, trouble.start_bare), (cgroup, bare_cgroup), hosts, strict=True
    ):
        into = ["sh", "-c", f'echo $$ > {folder}/cgroup.procs; exec "$@"', "sh"]
        start("subscriber", "slow_subscriber.py", host, 0.2, inside=into)
    eventually(lambda: _memory(trouble).get("limit") is not None, "the agent has not seen the limit")
    for start, host in zip((trouble.start, trouble.start_bare), hosts, strict=True):
        start("publisher", "huge_messages.py", host)
    before = _memory(trouble)["current"]
    eventually(
        lambda: ("SUB", "queues_beyond_memory") in trouble.rules(), "that it may need more is not told"
    )
    assert trouble.programs["subscriber"].await_end() == -signal.SIGKILL
    assert trouble.programs["bare subscriber"].await_end() == -signal.SIGKILL
    eventually(
        lambda: (
            [one["ended"]["how"] for one in trouble.ask("/v1/connections") if one["ended"]]
            == ["killed_for_memory"]
        ),
        "why it went is not told",
    )
    assert before < MEMORY
    (finding,) = trouble.ask(
        "/v1/findings"
    )  # of the publisher, which has all the memory there is, there is none
    assert "RCVHWM of this SUB is 1000, and its messages have 200," in finding["text"]
    assert "a full queue takes 200 MB" in finding["text"]
    assert "may use 100 MB" in finding["text"]


def _memory(trouble: Trouble) -> dict[str, Any]:
    sub = trouble.socket("subscriber", "SUB")
    memory = sub["process"]["memory"] if sub else None
    return memory if memory is not None and "hopwatch-test" in memory["cgroup"] else {}
