"""What holds for all tests."""

import signal


def pytest_configure() -> None:
    """A shell that starts the tests in the background has them ignore SIGINT, and so every process that they start and interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
