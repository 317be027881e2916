"""Bytes of messages that have one size follow from their count, and are exact at every instant."""

import signal
import subprocess
import sys
import textwrap
from itertools import groupby
from pathlib import Path

import hopwatch
import pytest
import zmq
from hopwatch.journal.runs import received_run, sent_run, told_counters
from hopwatch.words import COUNTER_NAMES, RECEIVED, RECEIVED_BYTES, SENT, SENT_BYTES, SOCKET_SLOT_WORDS
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_reader import Journal

SENDS_AND_DIES = """
    import os, signal, sys, zmq, hopwatch
    context = zmq.Context()
    push, pull = (
        hopwatch.wrap(context.socket(kind), name=name, sequence=sys.argv[1] or None)
        for kind, name in ((zmq.PUSH, "push"), (zmq.PULL, "pull"))
    )
    push.bind("inproc://run")
    pull.connect("inproc://run")
    for size, messages in ((100, 1000), (7, 3), (100, 500)):
        for _ in range(messages):
            push.send(b"x" * size)
            pull.recv()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("sequence", ["", "stamp"])
def test_a_killed_process_leaves_the_bytes_of_its_runs(
    tmp_path: Path, journal: Journal, sequence: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(SENDS_AND_DIES))
    ended = subprocess.run([sys.executable, str(program), sequence], timeout=30, check=False)
    assert ended.returncode == -signal.SIGKILL
    messages, size = 1503, 100 * 1500 + 7 * 3
    push, pull = journal.socket("push"), journal.socket("pull")
    assert (push["sent"], push["sent_bytes"]) == (messages, size)
    assert (pull["received"], pull["received_bytes"]) == (messages, size)


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize("multipart", [False, True])
def test_bytes_are_right_whatever_sizes_come_in_whatever_order(
    context: zmq.Context, journal: Journal, sequence: str | None, multipart: bool
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence=sequence)
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence=sequence)
    push.bind("inproc://sizes")
    pull.connect("inproc://sizes")
    total = 0
    for step in range(3_000):
        size = (64, 64, step % 5, 48)[step // 400 % 4]
        frames = [b"x" * size] * (2 if multipart and step % 701 == 0 else 1)
        push.send_multipart(frames) if len(frames) > 1 else push.send(frames[0])
        assert pull.recv_multipart() == frames if multipart else pull.recv() == frames[0]
        total += size * len(frames)
        if step % 97 == 0:
            assert journal.sockets()[journal.of("push", "opened")[0]["socket"]]["sent_bytes"] == total
            assert journal.sockets()[journal.of("pull", "opened")[0]["socket"]]["received_bytes"] == total
    push.close()
    pull.close()
    assert journal.socket("push")["sent_bytes"] == journal.socket("pull")["received_bytes"] == total


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2**40), st.integers(1, 50)), min_size=1, max_size=20), st.booleans())
def test_between_any_two_stores_the_words_tell_what_was_counted(
    runs: list[tuple[int, int]], sending: bool
) -> None:
    words = memoryview(bytearray(SOCKET_SLOT_WORDS * 8)).cast("Q")
    run = sent_run(words) if sending else received_run(words)
    count_at, bytes_at = (SENT, SENT_BYTES) if sending else (RECEIVED, RECEIVED_BYTES)
    told_at = COUNTER_NAMES.index("sent_bytes" if sending else "received_bytes")
    total = 0
    for size, group in groupby(runs, key=lambda pair: pair[0]):
        run.begin(size)
        for messages in (messages for _, messages in group):
            words[count_at] += messages
            total += messages * size
            assert told_counters(words)[told_at] == total
        assert run.end() == total
        assert told_counters(words)[told_at] == words[bytes_at] == total


def test_words_of_two_runs_read_at_once_never_tell_a_number_that_cannot_be() -> None:
    words = memoryview(bytearray(SOCKET_SLOT_WORDS * 8)).cast("Q")
    run = sent_run(words)
    words[SENT], words[SENT_BYTES] = 1_000, 5_000
    run.begin(100)
    words[SENT] = 10  # as it was when an earlier run was read
    assert told_counters(words)[COUNTER_NAMES.index("sent_bytes")] == 5_000
