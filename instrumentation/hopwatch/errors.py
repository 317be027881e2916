"""The one tree of errors that hopwatch raises on purpose."""


class HopwatchError(Exception):
    """Root of every error that hopwatch raises."""


class JournalError(HopwatchError):
    """The journal directory cannot be used; the text names the path and the reason."""


class UsageError(HopwatchError, ValueError):
    """An argument or an environment variable has a value that hopwatch cannot use."""
