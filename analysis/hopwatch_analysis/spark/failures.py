"""Why Spark failed, out of what it says."""

from py4j.protocol import Py4JJavaError

LONGEST_REASON = 400

JAVA_ENDED = "Spark's Java process ended early: was it killed, or out of memory?"


def ran_out_of_memory(error: Exception) -> bool:
    """Java's own words, or those of Spark for the memory that it shares out among its tasks."""
    return "OutOfMemoryError" in str(error)


def reason(error: Exception) -> str:
    """In a line: of an exception in Java what that one says, and not that there was one."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    told = lines[1].removeprefix(": ") if isinstance(error, Py4JJavaError) and len(lines) > 1 else lines[0]
    return told if len(told) <= LONGEST_REASON else told[: LONGEST_REASON - 3] + "..."
