"""What pyzmq raises where libzmq refuses: while the interpreter takes its modules down, an ImportError in place of its own errors."""

import sys

import zmq

REFUSED = (zmq.Again, ImportError)
FAILED = (zmq.ZMQError, ImportError)


def is_refusal(error: Exception) -> bool:
    """Whether one of ``REFUSED`` stands for EAGAIN."""
    return isinstance(error, zmq.Again) or errno_of(error) == zmq.EAGAIN


def errno_of(error: Exception) -> int | None:
    """The number that libzmq gave for one of ``FAILED``; None where it is no error of libzmq's."""
    if isinstance(error, zmq.ZMQError):
        return error.errno
    return zmq.zmq_errno() if sys.is_finalizing() else None
