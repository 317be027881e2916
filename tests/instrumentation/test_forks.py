"""What a forked child does with its parent's sockets is as without hopwatch, is told, and leaves the parent's counts alone."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from journal_reader import Journal

PROGRAM = """
    import os, signal, sys, time
    import zmq
    if len(sys.argv) == 1:
        import hopwatch
    context = zmq.Context()
    context.linger = 0
    push, pull, pub, router = (context.socket(kind) for kind in (zmq.PUSH, zmq.PULL, zmq.PUB, zmq.ROUTER))
    for name, socket in (("push", push), ("pull", pull), ("pub", pub), ("router", router)):
        if len(sys.argv) == 1:
            hopwatch.wrap(socket, name=name, sequence="stamp")
    pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
    push.send(b"parent's")
    assert pull.recv() == b"parent's"
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, 0.2)  # of CPU time
        signal.setitimer(signal.ITIMER_REAL, 20)
        USE
        print("done", flush=True)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    ended = os.waitstatus_to_exitcode(status)
    print({0: "returned", -signal.SIGPROF: "was busy until it was ended"}.get(ended, ended))
    push.send(b"more")
    assert pull.recv() == b"more"
    print("left", pull.poll(50), flush=True)
    os._exit(0)
"""

TAKEN = ["push.send(b'child')", "push.send_multipart([b'a', b'b'])", "router.send_multipart([b'id', b'b'])"]
NEVER_RETURNS = [
    "pull.recv()",
    "pull.recv(zmq.DONTWAIT)",
    "pull.poll(10)",
    "push.connect('tcp://127.0.0.1:9')",
    "pull.get(zmq.EVENTS)",
]


def run(tmp_path: Path, use: str, *arguments: str) -> str:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM).replace("USE", use))
    command = [sys.executable, "-W", "ignore", str(program), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.stderr == ""
    return ended.stdout


@pytest.mark.parametrize("use", [*TAKEN, *NEVER_RETURNS])
def test_a_parents_socket_in_a_child_does_what_it_does_bare_and_is_a_finding(
    tmp_path: Path, journal: Journal, use: str
) -> None:
    said = run(tmp_path, use)
    assert said == run(tmp_path, use, "bare")
    assert said == ("done\nreturned\nleft 0\n" if use in TAKEN else "was busy until it was ended\nleft 0\n")
    (finding,) = [event for event in journal.events("finding") if event["rule"] == "used_after_fork"]
    assert finding["socket"] == journal.of(use.partition(".")[0], "opened")[0]["socket"]
    assert len({path.name.split(".")[0] for path in journal.directory.iterdir()}) == 2
    assert (journal.socket("push")["sent"], journal.socket("pull")["received"]) == (2, 2)
    assert len(journal.sockets()) == 4


USED_BY_POLLERS_AND_LOOPS = {
    "a poller": "poller = zmq.Poller(); poller.register(pull); poller.poll(10)",
    "an awaited receive": "asyncio.run(asyncio.wait_for(pull.recv(), 0.1))",
    "an awaited poll": "asyncio.run(asyncio.wait_for(pull.poll(10), 0.1))",
}
POLLING_PROGRAM = """
    import asyncio, os, signal
    import hopwatch, zmq, zmq.asyncio
    asynchronous = zmq.asyncio.Context() if ASYNCHRONOUS else zmq.Context()
    pull = hopwatch.wrap(asynchronous.socket(zmq.PULL), name="pull", sequence="stamp")
    pull.bind("tcp://127.0.0.1:0")
    polls = zmq.sugar.poll.zmq_poll
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, 0.2)  # of CPU time
        signal.setitimer(signal.ITIMER_REAL, 20)
        USE
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGPROF
    child = os.fork()
    if child == 0:
        own = zmq.Context()
        one, other = own.socket(zmq.PAIR), own.socket(zmq.PAIR)
        one.bind("inproc://own"), other.connect("inproc://own")
        poller = zmq.Poller()
        poller.register(one)
        assert zmq.sugar.poll.zmq_poll is not polls
        for _ in range(100):
            assert poller.poll(1000) == [(one, zmq.POLLOUT)]
        assert zmq.sugar.poll.zmq_poll is polls
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert zmq.sugar.poll.zmq_poll is polls
    os._exit(0)
"""


@pytest.mark.parametrize("way", USED_BY_POLLERS_AND_LOOPS)
def test_a_parents_socket_that_a_childs_poller_or_loop_asks_is_a_finding(
    tmp_path: Path, journal: Journal, way: str
) -> None:
    program = tmp_path / "program.py"
    use = USED_BY_POLLERS_AND_LOOPS[way]
    text = POLLING_PROGRAM.replace("ASYNCHRONOUS", str("asyncio" in use)).replace("USE", use)
    program.write_text(textwrap.dedent(text))
    command = [sys.executable, "-W", "ignore", str(program)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    (finding,) = [event for event in journal.events("finding") if event["rule"] == "used_after_fork"]
    assert finding["socket"] == journal.of("pull", "opened")[0]["socket"]


@pytest.mark.parametrize("use", ["pass", "push.close()", "del push, pull", "hopwatch.unwrap(push).close()"])
def test_a_child_that_leaves_its_parents_sockets_alone_opens_no_journal(
    tmp_path: Path, journal: Journal, use: str
) -> None:
    assert run(tmp_path, use) == "done\nreturned\nleft 0\n"
    assert len({path.name.split(".")[0] for path in journal.directory.iterdir()}) == 1
    assert {event["rule"] for event in journal.events("finding")} == {"no_linger"}


def test_a_child_may_wrap_sockets_of_its_own(tmp_path: Path, journal: Journal) -> None:
    use = (
        "own = zmq.Context(); mine = hopwatch.wrap(own.socket(zmq.PUSH), name='mine');"
        "mine.bind('inproc://mine'); mine.close(); own.term()"
    )
    assert run(tmp_path, use).startswith("done")
    assert [event["event"] for event in journal.of("mine")][-1] == "closed"


def test_what_stands_in_the_parent_is_not_repeated_by_the_child(tmp_path: Path, journal: Journal) -> None:
    use = (
        "own = zmq.Context(); mine = hopwatch.wrap(own.socket(zmq.PUSH), name='mine');"
        "mine.bind('inproc://mine'); mine._hopwatch.journal._log.begin_anew()"
    )
    assert run(tmp_path, use).startswith("done")
    (newest,) = journal.directory.glob("*.0001.events")
    _, *head, standing = [json.loads(line) for line in newest.read_bytes().splitlines()]
    assert {line["socket"] for line in head} == {*standing["sockets"]}
    assert [line["name"] for line in head if line["event"] == "opened"] == ["mine"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_works_either_way(tmp_path: Path, journal: Journal, method: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
            import multiprocessing, sys
            import hopwatch, zmq

            def work(port, number):
                with zmq.Context() as context, context.socket(zmq.PUSH) as push:
                    hopwatch.wrap(push, name=f"worker-{number}", sequence="stamp")
                    push.connect(f"tcp://127.0.0.1:{port}")
                    for _ in range(100):
                        push.send(b"x")

            if __name__ == "__main__":
                multiprocessing.set_start_method(sys.argv[1])
                context = zmq.Context()
                pull = hopwatch.wrap(context.socket(zmq.PULL), name="sink", sequence="stamp")
                port = pull.bind_to_random_port("tcp://127.0.0.1")
                workers = [multiprocessing.Process(target=work, args=(port, number)) for number in range(3)]
                for worker in workers:
                    worker.start()
                for _ in range(300):
                    pull.recv()
                for worker in workers:
                    worker.join()
                assert [worker.exitcode for worker in workers] == [0, 0, 0]
                with multiprocessing.Pool(2) as pool:
                    pool.starmap(work, [(port, 3), (port, 4)])
                for _ in range(200):
                    pull.recv()
                pull.close()
                context.term()
            """
        )
    )
    command = [sys.executable, str(program), method]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert journal.socket("sink")["received"] == 500
    assert [journal.socket(f"worker-{number}")["sent"] for number in range(5)] == [100] * 5
    assert journal.events("fault", "gap") == []


FORK_WHILE_A_THREAD_OPENS_THE_JOURNAL = """
import os, signal, sys, threading
import hopwatch, zmq
opening, forked = threading.Event(), threading.Event()
def held_up(event, arguments):
    if event == "open" and str(arguments[0]).endswith(".lock.new") and not opening.is_set():
        opening.set()
        forked.wait(10)
sys.addaudithook(held_up)
context = zmq.Context()
thread = threading.Thread(target=lambda: hopwatch.wrap(context.socket(zmq.PUSH), name="parent's").bind("inproc://a"))
thread.start()
opening.wait(10)
child = os.fork()
if child == 0:
    signal.setitimer(signal.ITIMER_REAL, 10)
    own = zmq.Context()
    hopwatch.wrap(own.socket(zmq.PUSH), name="child's").bind("inproc://a")
    os._exit(0)
forked.set()
thread.join()
print(os.waitpid(child, 0)[1], flush=True)
os._exit(0)
"""


def test_a_child_forked_while_a_thread_wraps_the_first_socket_may_wrap_its_own(
    tmp_path: Path, journal: Journal
) -> None:
    program = tmp_path / "program.py"
    program.write_text(FORK_WHILE_A_THREAD_OPENS_THE_JOURNAL)
    command = [sys.executable, "-W", "ignore", str(program)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.stdout, ended.stderr) == ("0\n", "")
    assert journal.of("parent's", "bind")
    assert journal.of("child's", "bind")


def test_a_child_holds_neither_the_parents_lock_nor_its_log_nor_its_pipe(
    tmp_path: Path, journal: Journal
) -> None:
    held = (
        "names = [os.readlink(entry.path) for entry in os.scandir('/proc/self/fd') if os.path.exists(entry.path)];"
        "print([name.startswith('pipe:') for name in names].count(True), [name for name in names if name.endswith(('.lock', '.events'))])"
    )
    wrapped, bare = (run(tmp_path, held, *arguments).splitlines()[0] for arguments in ([], ["bare"]))
    assert wrapped == bare
