"""Why Spark failed, out of what it says."""

from py4j.protocol import Py4JJavaError

LONGEST_REASON = 400
LONGEST_CAUSE = 200
CAUSED_BY = "Caused by: "

JAVA_ENDED = "Spark's Java process ended early: was it killed, or out of memory?"


def ran_out_of_memory(error: Exception) -> bool:
    """Java's own words, or those of Spark for the memory that it shares out among its tasks."""
    return "OutOfMemoryError" in str(error)


def reason(error: Exception) -> str:
    """In a line: of an exception in Java what that one says, and not that there was one, and what it came of in the end."""
    text = str(error).splitlines()
    lines = [line.strip() for line in text if line.strip()] or [type(error).__name__]
    told = lines[1].removeprefix(": ") if isinstance(error, Py4JJavaError) and len(lines) > 1 else lines[0]
    causes = [line.removeprefix(CAUSED_BY) for line in text if line.startswith(CAUSED_BY)]
    if not causes or causes[-1] in told:
        return _shortened(told, LONGEST_REASON)
    return f"{_shortened(told, LONGEST_REASON)} ({_shortened(causes[-1], LONGEST_CAUSE)})"


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."
