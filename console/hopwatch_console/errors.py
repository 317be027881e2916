"""What goes wrong between a terminal and an agent."""

from hopwatch.errors import HopwatchError, UsageError


class ConsoleUsageError(UsageError):
    """An argument or a variable of these commands that cannot be used; the text says what to give in its place."""


class AgentError(HopwatchError):
    """An agent that gives no answer, or none that can be used.

    ``kind`` is one of a few words, for programs; ``advice`` is what to do next.
    """

    def __init__(self, kind: str, text: str, advice: str) -> None:
        """The text says what happened, without what to do."""
        super().__init__(f"{text}. {advice}")
        self.kind = kind
        self.text = text
        self.advice = advice
