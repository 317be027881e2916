"""Whether enough descriptors can be had: libzmq ends the process where a new context cannot have those that it needs."""

import os
from contextlib import ExitStack

PIPES_OF_A_CONTEXT = 8
"""A context with two sockets takes fewer than the sixteen descriptors of these."""


def require_descriptors() -> None:
    """Raise OSError if a context of our own could not have all descriptors that it may need."""
    with ExitStack() as opened:
        for _ in range(PIPES_OF_A_CONTEXT):
            for descriptor in os.pipe2(os.O_CLOEXEC):
                opened.callback(os.close, descriptor)
