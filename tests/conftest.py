"""What holds for all tests."""

import os
import signal


def pytest_configure() -> None:
    """A shell that starts the tests in the background has them ignore SIGINT, and so every process that they start and interrupt."""
    os.environ["HOPWATCH_FIRST_CALLS"] = (
        "3"  # what tests do a few times is to be what a socket does in the long run
    )
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
