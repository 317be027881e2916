"""A queue that would hold more than its process may use is told of before it is full."""

import pytest
from hopwatch_agent.kernel.records import KernelShown, Memory
from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.board import Board
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.state import ConnectionState, Finding, ProcessState, SocketState
from hopwatch_agent.queue_risks import RULE, STALE_MARK, QueueRisks
from hopwatch_agent.sampling import Moment

PROCESS, SOCKET = "00000000000000c1", "00000000000000a1"
MARK, MESSAGES, BYTES_EACH = 1000, 50, 2000
A_FULL_QUEUE = MARK * BYTES_EACH


def tables(
    *found: Finding, mark: int = MARK, messages: int = MESSAGES, peers: int = 1, closed: bool = False
) -> Tables:
    """What is known of a PUB with peers whose messages are of one size."""
    counted = dict.fromkeys(COUNTERS, 0) | {"sent": messages, "sent_bytes": messages * BYTES_EACH}
    known = Tables()
    known.processes[PROCESS] = ProcessState(PROCESS, "box")
    known.sockets[SOCKET] = SocketState(
        SOCKET,
        PROCESS,
        "quotes",
        "PUB",
        None,
        probed=False,
        proxy=None,
        options={"sndhwm": mark, "rcvhwm": mark},
        slot=None,
        opened_at=0,
        closed_at=1 if closed else None,
        counters=tuple(counted.values()),
        findings=found,
    )
    for number in range(peers):
        known.connections[SOCKET, str(number)] = ConnectionState(
            SOCKET,
            number,
            PROCESS,
            "tcp://x",
            "127.0.0.1:1",
            f"127.0.0.1:{number + 2}",
            accepted=True,
            state="ready",
            since=0,
        )
    return known


def found_in(known: Tables, limit: int | None) -> Draft:
    """The draft of a look at it, where its process may use so many bytes of memory."""
    board = Board(known)
    board.show_kernel(KernelShown(memory={PROCESS: Memory("/box", current=0, limit=limit)}))
    draft = Draft(known)
    QueueRisks(board).note(draft, Moment(wall=5, clock=5.0, forced=True))
    return draft


def findings(draft: Draft) -> tuple[Finding, ...]:
    """What the socket is found to risk."""
    return next(iter(draft.sockets.values())).findings


def test_one_that_is_larger_than_the_memory_is_found_with_the_mark_that_fills_half_of_it() -> None:
    draft = found_in(tables(), A_FULL_QUEUE - 1)
    [finding] = findings(draft)
    assert finding.rule == RULE
    assert "SNDHWM of this PUB is 1000" in finding.text
    assert "2,000 bytes on average" in finding.text
    assert "a full queue takes 2 MB" in finding.text
    assert "Set SNDHWM to 499 at most" in finding.advice
    assert [(row.kind, row.values["socket"], row.values["rule"]) for row in draft.rows] == [
        ("finding", SOCKET, RULE)
    ]


def test_each_peer_has_a_queue_of_its_own() -> None:
    [finding] = findings(found_in(tables(peers=3), 3 * A_FULL_QUEUE - 1))
    assert "3 full queues, one a peer, take 6 MB" in finding.text
    assert findings(found_in(tables(peers=3), 3 * A_FULL_QUEUE)) == ()


@pytest.mark.parametrize(
    ("known", "limit"),
    [
        (tables(), A_FULL_QUEUE),
        (tables(), None),
        (tables(mark=0), 1),
        (tables(messages=2), 1),
        (tables(closed=True), 1),
    ],
    ids=["it fits", "no limit", "no mark", "too few messages to know their size", "closed"],
)
def test_nothing_is_found_where_it_fits_or_where_that_is_not_known(known: Tables, limit: int | None) -> None:
    assert findings(found_in(known, limit)) == ()


@pytest.mark.parametrize("rule", [RULE, STALE_MARK])
def test_it_is_told_once_and_not_where_another_mark_may_be_in_force(rule: str) -> None:
    before = Finding(rule=rule, text="It is so.", advice="Change it.")
    draft = found_in(tables(before), 1)
    assert findings(draft) == (before,)
    assert draft.rows == []
