"""The background thread takes no signal from the application, and ``threading`` does not know it."""

import re
import signal
import threading
from pathlib import Path

import hopwatch
import pytest
import zmq
from as_bare import WAYS, outcome
from background_threads import background_threads
from journal_reader import Journal

COMMIT = """
import glob, os, signal, sys, time, zmq
def end(*_):
    print("ended", flush=True)
    os._exit(0)
socket = zmq.Context().socket(zmq.PULL)
socket.bind_to_random_port("tcp://127.0.0.1")
def begun():
    return sum(open(f"{task}/comm").read().startswith("ZMQbg") for task in glob.glob("/proc/self/task/*"))
while begun() < 2:  # those of libzmq take their names once they mask signals
    time.sleep(0.01)
if sys.argv[1] == "handled":
    signal.signal(signal.SIGTERM, end)
masked = {signal.SIGTERM}
signal.pthread_sigmask(signal.SIG_BLOCK, masked)
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(0.2)
print("committed", signal.sigpending() == masked, flush=True)
signal.signal(signal.SIGTERM, end)
signal.pthread_sigmask(signal.SIG_UNBLOCK, masked)
signal.pause()
"""

THREADS = """
import threading, zmq
context = zmq.Context()
pull = context.socket(zmq.PULL)
port = pull.bind_to_random_port("tcp://127.0.0.1")
def work():
    with context.socket(zmq.PUSH) as push:
        push.connect(f"tcp://127.0.0.1:{port}")
        push.send(b"done")
worker = threading.Thread(target=work)
worker.start()
pull.recv()
worker.join()
print(threading.active_count(), threading.enumerate() == [threading.main_thread()])
for thread in threading.enumerate():
    if thread is not threading.main_thread():
        thread.join()
pull.close()
context.term()
print("all joined")
"""


PROXY = """
import _thread, signal, sys, threading, time
import hopwatch, zmq
def end(*_):
    print("ended", flush=True)
    sys.exit()
signal.signal(signal.SIGTERM, end)
context = zmq.Context()
front, back = hopwatch.wrap(context.socket(zmq.PULL)), hopwatch.wrap(context.socket(zmq.PUSH))
front.bind("inproc://front")
back.bind("inproc://back")
def use():
    with context.socket(zmq.PUSH) as push, context.socket(zmq.PULL) as pull:
        push.connect("inproc://front")
        pull.connect("inproc://back")
        for _ in range(3):
            push.send(b"x")
            pull.recv()
    _thread.interrupt_main(signal.SIGTERM)  # as a signal that interrupts no wait
threading.Thread(target=use).start()
try:
    hopwatch.proxy(front, back, name="relay")
finally:
    front.close()
    back.close()
    context.term()
"""


def test_a_signal_that_came_while_a_proxy_told_its_counts_is_handled_soon_and_no_message_is_uncounted(
    journal: Journal,
) -> None:
    assert outcome(PROXY, "bare") == (0, "ended\n", "")
    [ended] = journal.events("proxy_ended")
    assert (ended["frontend_counts"], ended["backend_counts"]) == ([3, 3, 0, 0], [0, 0, 3, 3])
    assert journal.faults() == []


@pytest.mark.parametrize("handled", ["handled", "unhandled"])
@pytest.mark.parametrize("way", WAYS)
def test_a_signal_that_the_application_has_masked_waits(journal: Journal, way: str, handled: str) -> None:
    assert (
        outcome(COMMIT, way, handled)
        == outcome(COMMIT, "bare", handled)
        == (0, "committed True\nended\n", "")
    )


@pytest.mark.parametrize("way", WAYS)
def test_the_threads_of_an_application_are_its_own_and_can_all_be_joined(journal: Journal, way: str) -> None:
    assert outcome(THREADS, way) == outcome(THREADS, "bare") == (0, "1 True\nall joined\n", "")


def test_the_background_thread_has_all_signals_masked_and_those_who_start_it_none(
    context: zmq.Context, journal: Journal, until
) -> None:
    before, known = background_threads(), threading.enumerate()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    hopwatch.wrap(context.socket(zmq.PULL)).bind("inproc://pull")
    until(lambda: background_threads() - before)
    [thread] = background_threads() - before
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask
    assert blocked(thread) >= signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    assert threading.enumerate() == known


def blocked(thread: int) -> set[int]:
    status = Path(f"/proc/self/task/{thread}/status").read_text()
    [bits] = re.findall(r"^SigBlk:\s+([0-9a-f]+)$", status, re.MULTILINE)
    return {number for number in range(1, 65) if int(bits, 16) >> (number - 1) & 1}
