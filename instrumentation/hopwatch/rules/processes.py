"""Sockets in the wrong thread or process."""

from hopwatch.finding import Finding


def two_threads() -> Finding:
    """Calls came in turns from threads that were all alive."""
    return Finding(
        rule="two_threads",
        text=(
            "Calls on this socket came from one thread, then from another, then from the first again, while both were alive. "
            "Without a lock, frames of their messages mix, and libzmq may crash; hopwatch cannot see locks."
        ),
        advice=(
            "Give each thread a socket of its own (inproc between them), and close a socket where it is used. Or hold one lock around "
            "each whole message and every other call on the socket; if that is so already, nothing needs to be done."
        ),
    )


def used_after_fork() -> Finding:
    """A forked child used its parent's socket."""
    return Finding(
        rule="used_after_fork",
        text=(
            "A forked child used this socket of its parent's. There, what is sent goes nowhere without an error, and receiving, polling or "
            "connecting never returns, at full CPU: libzmq's threads stay behind in the parent."
        ),
        advice="Make a new zmq.Context and new sockets in the child, or start it by spawn in place of fork.",
    )
